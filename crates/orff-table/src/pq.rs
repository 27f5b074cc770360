//! Parquet files.

use crate::columnar::{Batches, Columnar, header};
use crate::error::{Error, Result};
use crate::guard::{damaged, guard};
use crate::meter::Meter;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::file::metadata::ParquetMetaData;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// Opens a Parquet file; its footer is checked against its length first.
pub(crate) fn open(name: &str, mut file: File, count: &Arc<AtomicU64>) -> Result<Columnar> {
    let length = footer(name, &mut file).map_err(|e| Error::io(name, e))??;
    guard(name, || {
        let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|e| damaged(name, e))?;
        let rows = check(builder.metadata(), length).map_err(|why| damaged(name, why))?;
        unpacked(name, builder.metadata())?;
        let (header, shown) = (header(name, builder.schema(), rows), name.to_string());
        let begin = move |columns: Vec<usize>, rows: usize| {
            let mask = ProjectionMask::roots(builder.parquet_schema(), columns);
            let reader = builder.with_projection(mask).with_batch_size(rows).build();
            let reader = reader.map_err(|e| damaged(&shown, e))?;
            Ok(Box::new(reader.map(move |batch| batch.map_err(|e| damaged(&shown, e)))) as Batches)
        };
        Ok(Columnar { header, begin: Box::new(begin), meter: Meter::new(count, length, rows) })
    })
}

/// The length of the file, if its last bytes can be those of a Parquet file.
fn footer(name: &str, file: &mut File) -> std::io::Result<Result<u64>> {
    let length = file.seek(SeekFrom::End(0))?;
    let mut tail = [0; 8];
    if length < 12 {
        return Ok(Err(damaged(name, "it is too short")));
    }
    file.seek(SeekFrom::End(-8))?;
    file.read_exact(&mut tail)?;
    file.rewind()?;
    if &tail[4..] == b"PARE" {
        return Ok(Err(Error::file(name, "the file is encrypted")));
    }
    if &tail[4..] != b"PAR1" {
        return Ok(Err(damaged(name, "it does not end as a Parquet file does: is it truncated?")));
    }
    let size = u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]) as u64;
    Ok(if size + 12 > length { Err(damaged(name, "its footer is longer than the file")) } else { Ok(length) })
}

/// Refuses a compression that cannot be undone.
fn unpacked(name: &str, metadata: &ParquetMetaData) -> Result<()> {
    let mut columns = metadata.row_groups().iter().flat_map(|group| group.columns());
    if columns.any(|column| column.compression() == Compression::LZO) {
        let cure = "save the file with snappy, gzip, brotli, lz4 or zstd";
        return Err(Error::file(name, format!("columns are compressed with LZO, which is not read ({cure})")));
    }
    Ok(())
}

/// The number of rows, if every column chunk lies within the file.
fn check(metadata: &ParquetMetaData, length: u64) -> std::result::Result<u64, String> {
    let mut rows = 0u64;
    for group in metadata.row_groups() {
        let n = u64::try_from(group.num_rows()).map_err(|_| "a row group has a negative number of rows")?;
        rows = rows.checked_add(n).ok_or("too many rows")?;
        for column in group.columns() {
            let (start, size) = column.byte_range();
            if start.checked_add(size).is_none_or(|end| end > length) {
                return Err("a column lies beyond the end of the file".into());
            }
            if column.uncompressed_size() < 0 || column.num_values() < 0 {
                return Err("a column has a negative size".into());
            }
        }
    }
    let said = metadata.file_metadata().num_rows();
    if u64::try_from(said) != Ok(rows) {
        return Err(format!("{said} rows in the footer, {rows} in the row groups"));
    }
    Ok(rows)
}
