//! The formats that are written.

use crate::MISSING_TOKENS;
use crate::cell::Tokens;
use crate::keep::Kept;
use crate::target::Target;
use arrow_array::{ArrayRef, Float64Array, RecordBatch};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use faer::MatRef;
use flate2::Compression;
use flate2::write::GzEncoder;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression as Packing;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::sync::Arc;

type Out = BufWriter<Target>;

fn out(target: Target) -> Out {
    BufWriter::with_capacity(1 << 17, target)
}

fn whole(out: Out) -> io::Result<Target> {
    out.into_inner().map_err(|e| e.into_error())
}

/// One format being written.
pub(crate) trait Sink: Send {
    fn write(&mut self, kept: &[Vec<String>], values: MatRef<'_, f64>) -> io::Result<()>;
    fn finish(self: Box<Self>) -> io::Result<Target>;
}

/// Text with a header; numbers are the shortest that read back as the same bits.
pub(crate) struct Csv {
    rows: csv::Writer<Text>,
}

enum Text {
    Plain(Out),
    Zipped(GzEncoder<Out>),
}

impl Write for Text {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Text::Plain(w) => w.write(bytes),
            Text::Zipped(w) => w.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Text::Plain(w) => w.flush(),
            Text::Zipped(w) => w.flush(),
        }
    }
}

impl Csv {
    pub fn new(target: Target, zip: bool, delimiter: u8, kept: &[Kept], columns: &[String]) -> io::Result<Self> {
        let out = out(target);
        let text = if zip { Text::Zipped(GzEncoder::new(out, Compression::default())) } else { Text::Plain(out) };
        let mut rows = csv::WriterBuilder::new().delimiter(delimiter).from_writer(text);
        rows.write_record(kept.iter().map(|k| &k.name).chain(columns)).map_err(plain)?;
        Ok(Csv { rows })
    }
}

fn plain(e: csv::Error) -> io::Error {
    match e.into_kind() {
        csv::ErrorKind::Io(e) => e,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// `0.1`, `3`, `1e300`, `NaN`.
fn shortest(v: f64) -> String {
    let s = format!("{v:?}");
    s.strip_suffix(".0").map(str::to_string).unwrap_or(s)
}

impl Sink for Csv {
    fn write(&mut self, kept: &[Vec<String>], values: MatRef<'_, f64>) -> io::Result<()> {
        for i in 0..values.nrows() {
            for column in kept {
                self.rows.write_field(&column[i]).map_err(plain)?;
            }
            for k in 0..values.ncols() {
                self.rows.write_field(shortest(values[(i, k)])).map_err(plain)?;
            }
            self.rows.write_record(None::<&[u8]>).map_err(plain)?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<Target> {
        match self.rows.into_inner().map_err(|e| io::Error::new(e.error().kind(), e.error().to_string()))? {
            Text::Plain(out) => whole(out),
            Text::Zipped(zip) => whole(zip.finish()?),
        }
    }
}

/// Arrow arrays, in Parquet or in an Arrow IPC file.
pub(crate) struct Columns {
    schema: SchemaRef,
    kept: Vec<Kept>,
    tokens: Tokens,
    file: Packed,
}

enum Packed {
    Parquet(Box<ArrowWriter<Out>>),
    Arrow(Box<FileWriter<Out>>),
}

/// Rows that Parquet gathers in memory before it writes them.
const GROUP_BYTES: usize = 1 << 26;

impl Columns {
    fn schema(kept: &[Kept], columns: &[String]) -> SchemaRef {
        let carried = kept.iter().map(|k| Field::new(&k.name, k.arrow_type(), true));
        let numbers = columns.iter().map(|n| Field::new(n, DataType::Float64, false));
        Arc::new(Schema::new(carried.chain(numbers).collect::<Vec<_>>()))
    }

    fn new(schema: SchemaRef, kept: &[Kept], file: Packed) -> Self {
        Columns { schema, kept: kept.to_vec(), tokens: Tokens::new(&MISSING_TOKENS), file }
    }

    pub fn parquet(target: Target, kept: &[Kept], columns: &[String]) -> io::Result<Self> {
        let schema = Columns::schema(kept, columns);
        let how = WriterProperties::builder().set_compression(Packing::SNAPPY).build();
        let writer = ArrowWriter::try_new(out(target), schema.clone(), Some(how)).map_err(from_parquet)?;
        Ok(Columns::new(schema, kept, Packed::Parquet(Box::new(writer))))
    }

    pub fn arrow(target: Target, kept: &[Kept], columns: &[String]) -> io::Result<Self> {
        let schema = Columns::schema(kept, columns);
        let writer = FileWriter::try_new(out(target), &schema).map_err(from_arrow)?;
        Ok(Columns::new(schema, kept, Packed::Arrow(Box::new(writer))))
    }
}

fn from_arrow(e: ArrowError) -> io::Error {
    match e {
        ArrowError::IoError(_, e) => e,
        other => io::Error::other(other.to_string()),
    }
}

fn from_parquet(e: ParquetError) -> io::Error {
    match e {
        ParquetError::External(e) => match e.downcast::<io::Error>() {
            Ok(e) => *e,
            Err(e) => io::Error::other(e.to_string()),
        },
        other => io::Error::other(other.to_string()),
    }
}

impl Sink for Columns {
    fn write(&mut self, kept: &[Vec<String>], values: MatRef<'_, f64>) -> io::Result<()> {
        if values.nrows() == 0 {
            return Ok(());
        }
        let carried = self.kept.iter().zip(kept).map(|(k, texts)| k.array(texts, &self.tokens));
        let carried: Vec<ArrayRef> = carried.collect::<Result<_, _>>().map_err(io::Error::other)?;
        let number = |k: usize| Arc::new(Float64Array::from_iter_values(values.col(k).iter().copied())) as ArrayRef;
        let arrays = carried.into_iter().chain((0..values.ncols()).map(number)).collect();
        let batch = RecordBatch::try_new(self.schema.clone(), arrays).map_err(from_arrow)?;
        match &mut self.file {
            Packed::Arrow(file) => file.write(&batch).map_err(from_arrow),
            Packed::Parquet(file) => {
                file.write(&batch).map_err(from_parquet)?;
                if file.in_progress_size() > GROUP_BYTES {
                    file.flush().map_err(from_parquet)?;
                }
                Ok(())
            }
        }
    }

    fn finish(self: Box<Self>) -> io::Result<Target> {
        whole(match self.file {
            Packed::Arrow(file) => file.into_inner().map_err(from_arrow)?,
            Packed::Parquet(file) => file.into_inner().map_err(from_parquet)?,
        })
    }
}

/// One NumPy array (n×k) of doubles, by rows.
pub(crate) struct Npy {
    out: Out,
    rows: u64,
    columns: usize,
}

impl Npy {
    pub fn new(target: Target, columns: usize) -> io::Result<Self> {
        let mut npy = Npy { out: out(target), rows: 0, columns };
        npy.header()?;
        Ok(npy)
    }

    /// 128 bytes whatever the number of rows, so that it can be written again at the end.
    fn header(&mut self) -> io::Result<()> {
        let shape = format!("({}, {})", self.rows, self.columns);
        let text = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}");
        self.out.write_all(b"\x93NUMPY\x01\x00")?;
        self.out.write_all(&118u16.to_le_bytes())?;
        self.out.write_all(format!("{text:<117}\n").as_bytes())
    }
}

impl Sink for Npy {
    fn write(&mut self, _: &[Vec<String>], values: MatRef<'_, f64>) -> io::Result<()> {
        for i in 0..values.nrows() {
            for k in 0..values.ncols() {
                self.out.write_all(&values[(i, k)].to_le_bytes())?;
            }
        }
        self.rows += values.nrows() as u64;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<Target> {
        self.out.seek(SeekFrom::Start(0))?;
        self.header()?;
        whole(self.out)
    }
}
