//! Reading a table takes the memory of some rows, however many there are and however they are batched.

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use orff::rows::Rows;
use orff_table::{Options, Select, Source};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The allocator of the system, counting what is held and the most that ever was.
struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the allocator of the system.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Relaxed) + layout.size();
        MOST.fetch_max(held, Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The most bytes held while a file is read whose n rows are one batch.
fn peak(n: usize, packed: Option<CompressionType>) -> usize {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.arrow");
    let number = |shift: usize| -> ArrayRef {
        Arc::new((shift..n + shift).map(|i| (i % 9 != 4).then(|| (i as f64).sin())).collect::<Float64Array>())
    };
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values((0..n).map(|i| format!("text {i}"))));
    let plain: ArrayRef = Arc::new(Float64Array::from_iter_values((0..n).map(|i| i as f64)));
    let batch = RecordBatch::try_from_iter([("x", plain), ("y", number(0)), ("z", number(1)), ("t", texts)]);
    let batch = batch.unwrap();
    let how = IpcWriteOptions::default().try_with_compression(packed).unwrap();
    let to = std::fs::File::create(&path).unwrap();
    let mut writer = FileWriter::try_new_with_options(to, &batch.schema(), how).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    drop((writer, batch));
    let select = Select {
        inputs: Some("x".parse().unwrap()),
        outputs: Some("y,z".parse().unwrap()),
        keep: Some("t".parse().unwrap()),
        ..Select::default()
    };
    let before = HELD.load(Relaxed);
    MOST.store(before, Relaxed);
    let source = Source::open(&[path], &Options::default(), &select).unwrap();
    let rows: usize = source.batches().unwrap().map(|b| b.unwrap().inputs.nrows()).sum();
    assert_eq!(rows, n);
    assert_eq!(source.pages().unwrap().map(|p| p.unwrap().nrows()).sum::<usize>(), n);
    MOST.load(Relaxed) - before
}

#[test]
fn one_batch_takes_the_memory_of_a_range() {
    for packed in [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)] {
        let (few, many) = (peak(600_000, packed), peak(1_800_000, packed));
        println!("{packed:?}: {few} bytes for 600 000 rows, {many} for three times as many");
        assert!(many < few + few / 10, "{packed:?}: {few} bytes, then {many}");
        // The decompressor of LZ4 holds blocks of 4 MB for each buffer, as the writer chose them.
        assert!(packed == Some(CompressionType::LZ4_FRAME) || many < 6 << 20, "{packed:?}: {many} bytes");
    }
}
