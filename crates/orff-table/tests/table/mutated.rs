//! Thousands of damaged files: each is read or refused, none panics, none takes all memory.

use crate::kit::*;
use crate::ranges::{mixed, written};
use crate::typed::data;
use arrow_cast::can_cast_types;
use arrow_ipc::CompressionType;
use arrow_schema::DataType;
use flate2::Compression;
use flate2::write::GzEncoder;
use orff_table::{Missing, Options, Select, Source, hash};
use std::io::Write;

/// Damages a copy: cut, bytes changed, bits flipped, or a stretch overwritten.
fn damage(bytes: &[u8], seed: u64) -> Vec<u8> {
    let mut out = bytes.to_vec();
    let mut draws = (0..).map(|k| hash(seed, k) as usize);
    let mut below = |n: usize| draws.next().unwrap_or(0) % n.max(1);
    match below(5) {
        0 => out.truncate(below(bytes.len())),
        1 => {
            let at = below(out.len());
            out[at] = below(256) as u8;
        }
        2 => {
            for _ in 0..1 + below(8) {
                let at = below(out.len());
                out[at] ^= 1 << below(8);
            }
        }
        3 => {
            let (from, n) = (below(out.len()), 1 + below(16));
            let fill = [0, 0xff, 0x7f, 0x80][below(4)];
            out.iter_mut().skip(from).take(n).for_each(|b| *b = fill);
        }
        _ => {
            // Lengths and counts live at the end of most formats.
            let at = out.len() - 1 - below(out.len().min(200));
            out[at] = below(256) as u8;
        }
    }
    out
}

fn survives(name: &str, bytes: &[u8], times: u64, select: &Select) {
    let dir = tempfile::tempdir().unwrap();
    let (mut read, mut refused) = (0, 0);
    for seed in 0..times {
        // A new file each time: overwriting one makes some file systems wait for the disk.
        let path = dir.path().join(format!("{seed}-{name}"));
        std::fs::write(&path, damage(bytes, seed)).unwrap();
        // Few rows at a time, so that there are several ranges.
        let result = Source::open(&[&path], &Options { batch: Some(8), ..Options::default() }, select);
        match result.map_err(orff::Error::from).and_then(|s| rows(&s)) {
            Ok(_) => read += 1,
            Err(e) => {
                refused += 1;
                assert!(!e.to_string().is_empty());
            }
        }
        std::fs::remove_file(&path).unwrap();
    }
    assert!(read > 0 && refused > 0, "{name}: {read} read, {refused} refused");
}

fn all() -> Select {
    Select { missing: Missing::Mean, one_hot: true, ..Select::default() }
}

/// All columns that can be used of the files of the other tests.
fn typed() -> Select {
    Select { inputs: columns("x1,x2,flag,price,colour,kind"), ..all() }
}

#[test]
fn text() {
    let t = "id,x,\"y\",u\na,1,2,3\n\"b\",4e1,,6\nc,-7,8,9\n".repeat(4);
    survives("t.csv", t.as_bytes(), 4000, &all());
    let mut zip = GzEncoder::new(Vec::new(), Compression::default());
    zip.write_all(t.as_bytes()).unwrap();
    survives("t.csv.gz", &zip.finish().unwrap(), 4000, &all());
    survives("t.svm", b"1 1:2 5:3\n-1 2:4 # x\n0.5 qid:1 3:1\n", 4000, &outputs("y"));
}

#[test]
fn numpy() {
    for name in ["f8.npy", "f8_fortran.npy", "i2_big.npy", "stored.npz", "deflated.npz"] {
        let inputs = columns(if name.ends_with("npz") { "X" } else { "1.." });
        let drop = Select { missing: Missing::Drop, inputs, ..Select::default() };
        survives(name, &std::fs::read(data(name)).unwrap(), 2000, &drop);
    }
}

#[test]
fn parquet() {
    for name in ["mixed.parquet", "zstd.parquet"] {
        survives(name, &std::fs::read(data(name)).unwrap(), 3000, &typed());
    }
}

#[test]
fn arrow() {
    for name in ["lz4.feather", "zstd.feather", "plain.feather", "stream.arrows"] {
        survives(name, &std::fs::read(data(name)).unwrap(), 3000, &typed());
    }
    // One batch of many ranges, all types.
    let batch = mixed(60);
    let numbers = (0..18).map(|k| format!("n{k}")).collect::<Vec<_>>().join(",");
    let schema = batch.schema();
    let carried = schema.fields().iter().filter(|f| can_cast_types(f.data_type(), &DataType::Utf8));
    let carried = carried.map(|f| f.name().clone()).collect::<Vec<_>>().join(",");
    let select = Select { keep: columns(&carried), inputs: columns(&numbers), ..all() };
    for packed in [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)] {
        survives("ranges.arrow", &written(&batch, packed, packed.is_none()), 700, &select);
    }
}
