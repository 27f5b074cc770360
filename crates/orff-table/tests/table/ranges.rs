//! Arrow files whose rows are one batch, read by ranges: what arrow's own writer wrote comes back, damage is found.

use crate::kit::*;
use arrow_array::builder::{FixedSizeListBuilder, Int32Builder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type};
use arrow_array::*;
use arrow_cast::cast;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_ipc::{CompressionType, MetadataVersion};
use arrow_schema::{DataType, Field, TimeUnit, UnionFields};
use orff_table::{Options, Select, Source};
use std::sync::Arc;

const PACKED: [Option<CompressionType>; 3] = [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)];

fn coded(key: DataType, of: DataType) -> DataType {
    DataType::Dictionary(Box::new(key), Box::new(of))
}

/// Columns of every type that is read, those that are only carried or passed over between them. `n` rows.
pub fn mixed(n: usize) -> RecordBatch {
    use DataType::*;
    fn gap<T>(i: usize, v: T) -> Option<T> {
        (i % 7 != 3).then_some(v)
    }
    let small: Int64Array = (0..n).map(|i| gap(i, (i * 37 % 101) as i64)).collect();
    let real: Float64Array = (0..n).map(|i| gap(i + 1, (i as f64).sin())).collect();
    let word =
        |i: usize| ["", "Ärger", "a text of more than twelve bytes"][i % 3].to_string() + &"+".repeat(i / 3 % 4);
    let texts: StringArray = (0..n).map(|i| gap(i + 2, word(i))).collect();
    let times = cast(&small, &Timestamp(TimeUnit::Millisecond, None)).unwrap();
    let nested: ListArray = ListArray::from_iter_primitive::<Int32Type, _, _>(
        (0..n).map(|i| gap(i, (0..i % 4).map(|k| Some(k as i32)).collect::<Vec<_>>())),
    );
    let mut pairs = FixedSizeListBuilder::new(Int32Builder::new(), 2);
    for i in 0..n {
        pairs.values().append_slice(&[i as i32, -(i as i32)]);
        pairs.append(i % 5 != 0);
    }
    let views = cast(&texts, &Utf8View).unwrap();
    let inner: Vec<(Arc<Field>, ArrayRef)> = vec![
        (Arc::new(Field::new("v", Utf8View, true)), views.clone()),
        (Arc::new(Field::new("b", Boolean, true)), cast(&small, &Boolean).unwrap()),
    ];
    let fields = UnionFields::from_fields([Field::new("i", Int64, true), Field::new("t", Utf8, true)]);
    let kinds = (0..n).map(|i| (i % 2) as i8).collect();
    let union = UnionArray::try_new(fields, kinds, None, vec![Arc::new(small.clone()), Arc::new(texts.clone())]);
    let ends = Int32Array::from_iter_values((1..=n.div_ceil(3)).map(|k| (3 * k).min(n) as i32));
    let runs = RunArray::<Int32Type>::try_new(&ends, &texts.slice(0, ends.len())).unwrap();
    let mut columns: Vec<(String, ArrayRef)> = Vec::new();
    let mut add = |letter: &str, array: ArrayRef| columns.push((format!("{letter}{}", columns.len()), array));
    let numbers = [Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64, Float16, Boolean, Decimal32(7, 2)];
    let wide = [Decimal64(12, 1), Decimal128(21, 2), Decimal256(40, 3), coded(Int8, Int64), coded(UInt16, Float64)];
    numbers.iter().chain(&wide).for_each(|t| add("n", cast(&small, t).unwrap()));
    [Float32, Float64].iter().for_each(|t| add("n", cast(&real, t).unwrap()));
    add("o", Arc::new(nested));
    add("o", Arc::new(pairs.finish()));
    [Utf8, LargeUtf8, Utf8View].iter().for_each(|t| add("t", cast(&texts, t).unwrap()));
    add("o", Arc::new(StructArray::from(inner)));
    add("o", Arc::new(union.unwrap()));
    add("o", Arc::new(runs));
    add("o", Arc::new(NullArray::new(n)));
    [coded(Int8, Utf8), coded(UInt32, LargeUtf8)].iter().for_each(|t| add("t", cast(&texts, t).unwrap()));
    [Binary, BinaryView].iter().for_each(|t| add("t", cast(&texts, t).unwrap()));
    add("t", times.clone());
    [Date32, Time32(TimeUnit::Second)]
        .iter()
        .for_each(|t| add("t", cast(&cast(&small, &Int32).unwrap(), t).unwrap()));
    add("x", Arc::new(Float64Array::from_iter_values((0..n).map(|i| i as f64))));
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, a)| (name, a, true))).unwrap()
}

pub fn written(batch: &RecordBatch, packed: Option<CompressionType>, stream: bool) -> Vec<u8> {
    let how = IpcWriteOptions::try_new(64, false, MetadataVersion::V5).unwrap().try_with_compression(packed).unwrap();
    if stream {
        let mut writer = StreamWriter::try_new_with_options(Vec::new(), &batch.schema(), how).unwrap();
        writer.write(batch).unwrap();
        writer.into_inner().unwrap()
    } else {
        let mut writer = FileWriter::try_new_with_options(Vec::new(), &batch.schema(), how).unwrap();
        writer.write(batch).unwrap();
        writer.into_inner().unwrap()
    }
}

fn names(batch: &RecordBatch, letters: &str) -> String {
    let schema = batch.schema();
    let names = schema.fields().iter().map(|f| f.name().as_str()).filter(|n| letters.contains(&n[..1]));
    names.collect::<Vec<_>>().join(",")
}

/// Numbers as outputs, texts carried along.
fn check(batch: &RecordBatch, bytes: &[u8], rows_at_once: Option<usize>) {
    let (_dir, path) = file("t.arrow", bytes);
    let (numbers, texts) = (names(batch, "n"), names(batch, "t"));
    let select = Select { inputs: columns(&names(batch, "x")), keep: columns(&texts), ..outputs(&numbers) };
    let source = Source::open(&[path], &Options { batch: rows_at_once, ..Options::default() }, &select).unwrap();
    let (mut found, mut kept) = (Vec::new(), Vec::new());
    for page in source.pages().unwrap() {
        let page = page.unwrap();
        let y = &page.batch.outputs;
        found.extend((0..y.nrows()).map(|i| y.row(i).iter().map(|v| v.to_bits()).collect::<Vec<_>>()));
        kept.extend((0..y.nrows()).map(|i| page.kept.iter().map(|k| k[i].clone()).collect::<Vec<_>>()));
    }
    assert_eq!(found.len(), batch.num_rows());
    for (k, name) in numbers.split(',').enumerate() {
        let wanted = cast(batch.column_by_name(name).unwrap(), &DataType::Float64).unwrap();
        for (i, v) in wanted.as_primitive::<Float64Type>().iter().enumerate() {
            assert_eq!(f64::from_bits(found[i][k]).to_string(), v.unwrap_or(f64::NAN).to_string(), "{name} {i}");
        }
    }
    for (k, name) in texts.split(',').enumerate() {
        let wanted = cast(batch.column_by_name(name).unwrap(), &DataType::Utf8).unwrap();
        for (i, v) in wanted.as_string::<i32>().iter().enumerate() {
            assert_eq!(kept[i][k], v.unwrap_or(""), "{name} {i}");
        }
    }
    assert_eq!(source.bytes_read(), source.bytes_total().unwrap());
}

#[test]
fn every_type_comes_back() {
    let batch = mixed(9001);
    for packed in PACKED {
        for stream in [false, true] {
            check(&batch, &written(&batch, packed, stream), None);
        }
        let part = batch.slice(1003, 77);
        check(&part, &written(&part, packed, false), Some(11));
        let part = batch.slice(5, 48);
        check(&part, &written(&part, packed, true), Some(16));
    }
}

#[test]
fn nested_columns_are_carried_whole() {
    let batch = mixed(50);
    for packed in PACKED {
        let (_dir, path) = file("t.arrow", written(&batch, packed, false));
        for name in names(&batch, "o").split(',') {
            let array = batch.column_by_name(name).unwrap();
            let Ok(wanted) = cast(array, &DataType::Utf8) else { continue };
            let select = Select { inputs: columns(&names(&batch, "x")), keep: columns(name), ..outputs("n0") };
            let source = Source::open(&[&path], &Options { batch: Some(16), ..Options::default() }, &select).unwrap();
            let kept: Vec<String> = source.pages().unwrap().flat_map(|p| p.unwrap().kept.remove(0)).collect();
            let wanted: Vec<&str> = wanted.as_string::<i32>().iter().map(|s| s.unwrap_or("")).collect();
            assert_eq!(kept, wanted, "{name} {:?}", array.data_type());
        }
    }
}

/// Offsets need not begin at 0: some writers send a slice with the values before it.
#[test]
fn texts_may_begin_late() {
    let (bytes, at) = texts_of(&["left out", "b", "cc", "", "ddd"]);
    // The first offset becomes 8, the end of the first text; that text becomes empty.
    let mut late = bytes;
    late[at] = 8;
    let (_dir, path) = file("t.arrow", late);
    let select = Select { inputs: columns("x"), keep: columns("t"), ..outputs("y") };
    let source = Source::open(&[path], &Options::default(), &select).unwrap();
    assert_eq!(source.pages().unwrap().next().unwrap().unwrap().kept[0], ["", "b", "cc", "", "ddd"]);
}

/// A stream of texts `t` and numbers `x`, `y`; and where the offsets of the texts are.
fn texts_of(texts: &[&str]) -> (Vec<u8>, usize) {
    let numbers: ArrayRef = Arc::new(Float64Array::from_iter_values((0..texts.len()).map(|i| i as f64 + 0.5)));
    let texts = StringArray::from(texts.to_vec());
    let mut offsets = texts.offsets().iter().flat_map(|o| o.to_le_bytes()).collect::<Vec<u8>>();
    offsets.truncate(24);
    let columns = [("t", Arc::new(texts) as ArrayRef), ("x", numbers.clone()), ("y", numbers)];
    let batch = RecordBatch::try_from_iter_with_nullable(columns.map(|(name, a)| (name, a, true))).unwrap();
    let bytes = written(&batch, None, true);
    let at = find(&bytes, &offsets);
    (bytes, at)
}

fn find(bytes: &[u8], what: &[u8]) -> usize {
    bytes.windows(what.len()).position(|w| w == what).expect("the bytes that are forged")
}

fn said(bytes: impl AsRef<[u8]>) -> String {
    let (_dir, path) = file("t.arrow", bytes);
    let select = Select { inputs: columns("x"), keep: columns("t"), ..outputs("y") };
    let options = Options { batch: Some(8), ..Options::default() };
    let text = match Source::open(&[&path], &options, &select) {
        Err(e) => e.to_string(),
        Ok(source) => source.pages().unwrap().find_map(|p| p.err()).expect("an error").to_string(),
    };
    text.split_once("t.arrow: the file is damaged (").expect(&text).1.trim_end_matches(')').to_string()
}

#[test]
fn forged_texts_are_found() {
    let texts: Vec<String> = (0..20).map(|i| format!("é{i}")).collect();
    let (bytes, at) = texts_of(&texts.iter().map(|t| t.as_str()).collect::<Vec<_>>());
    // Rows 3 and 13: in the first and in the second range.
    for row in [3, 13] {
        let forged = |value: i32| {
            let mut forged = bytes.clone();
            forged[at + 4 * row..at + 4 * row + 4].copy_from_slice(&value.to_le_bytes());
            said(forged)
        };
        assert_eq!(forged(0), "the texts of a column are out of order");
        assert_eq!(forged(1 << 30), "the texts of a column are out of order");
        assert_eq!(forged(-1), "the texts of a column are out of order");
        let own = i32::from_le_bytes(bytes[at + 4 * row..at + 4 * row + 4].try_into().unwrap());
        assert!(forged(own + 1).to_lowercase().contains("utf"), "{}", forged(own + 1));
    }
    for last in [1 << 30, -1] {
        let mut forged = bytes.clone();
        forged[at + 80..at + 84].copy_from_slice(&i32::to_le_bytes(last));
        assert_eq!(said(forged), "a buffer is shorter than its column");
    }
    let mut forged = bytes.clone();
    forged[at..at + 4].copy_from_slice(&i32::MAX.to_le_bytes());
    assert_eq!(said(forged), "a buffer is shorter than its column");
}

/// A number of rows that occurs nowhere else in a file.
const ROWS: i64 = 1237;

/// x, y and words t of a dictionary; y has a missing value in every eighth row.
fn coded_rows() -> Vec<u8> {
    let x: ArrayRef = Arc::new(Float64Array::from_iter_values((0..ROWS).map(|i| i as f64)));
    let y: ArrayRef = Arc::new((0..ROWS).map(|i| (i % 8 != 0).then_some(i as f64)).collect::<Float64Array>());
    let t: StringArray = (0..ROWS as usize).map(|i| Some(["p", "q"][i % 2])).collect();
    let t = cast(&t, &coded(DataType::Int64, DataType::Utf8)).unwrap();
    written(
        &RecordBatch::try_from_iter_with_nullable([("x", x, true), ("y", y, true), ("t", t, true)]).unwrap(),
        None,
        true,
    )
}

fn words(numbers: &[i64]) -> Vec<u8> {
    numbers.iter().flat_map(|n| n.to_le_bytes()).collect()
}

#[test]
fn forged_counts_are_found() {
    let bytes = coded_rows();
    let (n, gaps) = (ROWS, ROWS / 8 + 1);
    let nodes = [n, 0, n, gaps, n, 0];
    let forge = |to: &[i64]| {
        let (mut forged, at) = (bytes.clone(), find(&bytes, &words(&nodes)));
        forged[at..at + 8 * to.len()].copy_from_slice(&words(to));
        forged
    };
    let nulls = "a column has another number of missing values than it says";
    for count in [0, gaps - 1, gaps + 1] {
        assert_eq!(said(forge(&[n, 0, n, count])), nulls);
    }
    for count in [n + 1, -1] {
        assert_eq!(said(forge(&[n, 0, n, count])), "a column has an impossible length");
    }
    assert_eq!(said(forge(&[n, 0, n + 8])), "a column has another number of rows than its batch");
    // Every count of rows is forged at once.
    for more in [n + 3, 1 << 40, i64::MAX] {
        let mut forged = forge(&[more, 0, more, gaps, more, 0]);
        let at = find(&forged, &words(&[n]));
        forged[at..at + 8].copy_from_slice(&words(&[more]));
        assert_eq!(said(forged), "a buffer is shorter than its column", "{more}");
    }
    // A key without a word, in the second range.
    let at = find(&bytes, &words(&[0, 1, 0, 1])) + 8 * 13;
    let mut forged = bytes.clone();
    forged[at] = 2;
    assert!(said(forged).contains("out of bounds"));
}

#[test]
fn forged_compression_is_found() {
    for packed in [CompressionType::LZ4_FRAME, CompressionType::ZSTD] {
        // Numbers that repeat, so that they are packed.
        let x: ArrayRef = Arc::new(Float64Array::from_iter_values((0..400).map(|i| (i % 5) as f64)));
        let t: ArrayRef = Arc::new(StringArray::from_iter_values((0..400).map(|_| "t")));
        let columns = [("x", x.clone(), true), ("y", x, true), ("t", t, true)];
        let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
        let bytes = written(&batch, Some(packed), true);
        check_size(&bytes);
        let at = find(&bytes, &words(&[3200]));
        let mut forged = bytes.clone();
        forged[at + 8..at + 30].fill(0xff);
        assert!(!said(forged).is_empty());
    }
}

fn check_size(bytes: &[u8]) {
    let forge = |size: i64| {
        let (mut forged, at) = (bytes.to_vec(), find(bytes, &words(&[3200])));
        forged[at..at + 8].copy_from_slice(&words(&[size]));
        said(forged)
    };
    assert_eq!(forge(-2), "a compressed buffer claims an impossible size");
    assert_eq!(forge(100), "a buffer is shorter than its column");
    assert_eq!(forge(0), "a buffer is shorter than its column");
}

/// No rows, one row, a batch without rows between others.
#[test]
fn small_batches() {
    let all = mixed(30);
    let mut writer = StreamWriter::try_new(Vec::new(), &all.schema()).unwrap();
    for (from, n) in [(0, 1), (1, 0), (1, 16), (17, 13)] {
        writer.write(&all.slice(from, n)).unwrap();
    }
    check(&all, &writer.into_inner().unwrap(), Some(8));
    let source = |bytes: Vec<u8>| {
        let (_dir, path) = file("t.arrow", bytes);
        complaint(&path, &Options::default(), &Select { inputs: columns("n0"), ..Select::default() })
    };
    let empty = source(written(&all.slice(0, 0), None, false));
    assert_eq!(empty, "t.arrow: no rows: the file holds only column names");
}
