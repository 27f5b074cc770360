//! Arrow arrays as cells: what Parquet and Arrow IPC share.

use crate::chunk::{As, Cells, Chunk, Chunks, Opened, Want};
use crate::error::Result;
use crate::guard::{damaged, guard};
use crate::header::{Header, Kind};
use crate::meter::Meter;
use crate::numbers::numbers;
use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use arrow_cast::cast;
use arrow_schema::{DataType, Schema};

pub(crate) type Batches = Box<dyn Iterator<Item = Result<RecordBatch>> + Send>;

/// Starts reading the given columns (ascending), about so many rows at a time.
pub(crate) type Begin = Box<dyn FnOnce(Vec<usize>, usize) -> Result<Batches> + Send>;

/// A file of Arrow arrays whose header is known.
pub(crate) struct Columnar {
    pub header: Header,
    pub begin: Begin,
    pub meter: Meter,
}

/// The columns of an Arrow schema.
pub(crate) fn header(file: &str, schema: &Schema, rows: u64) -> Header {
    let names = schema.fields().iter().map(|f| f.name().clone()).collect();
    let kinds = schema.fields().iter().map(|f| kind(f.data_type())).collect();
    let mut header = Header::new(file, Some(names), kinds, false);
    let whole = |t: &DataType| t.is_integer() && *t != DataType::UInt64;
    header.whole = (0..header.names.len()).filter(|&k| whole(schema.field(k).data_type())).collect();
    let columns = 0..header.names.len();
    header.single = columns.filter(|&k| *schema.field(k).data_type() == DataType::Float32).collect();
    header.empty = rows == 0;
    header
}

pub(crate) fn kind(of: &DataType) -> Kind {
    use DataType::*;
    match of {
        Utf8 | LargeUtf8 | Utf8View => Kind::Text(None),
        Boolean => Kind::Number,
        Decimal32(..) | Decimal64(..) | Decimal128(..) | Decimal256(..) => Kind::Number,
        t if t.is_integer() || t.is_floating() => Kind::Number,
        Dictionary(_, of) => kind(of),
        Timestamp(..) => Kind::Other("timestamp".into()),
        Date32 | Date64 => Kind::Other("date".into()),
        other => Kind::Other(other.to_string()),
    }
}

impl Opened for Columnar {
    fn header(&self) -> &Header {
        &self.header
    }

    fn start(self: Box<Self>, wants: Vec<Want>, rows: usize) -> Result<Box<dyn Chunks>> {
        let mut columns: Vec<usize> = wants.iter().map(|w| w.column).collect();
        columns.sort_unstable();
        columns.dedup();
        let place = |w: &Want| columns.binary_search(&w.column).unwrap_or(0);
        let places = wants.iter().map(place).collect();
        let Columnar { header, begin, meter } = *self;
        let batches = guard(&header.file, || begin(columns, rows))?;
        Ok(Box::new(Reading { header, wants, places, batches, rows, meter, batch: None, done: 0 }))
    }
}

struct Reading {
    header: Header,
    wants: Vec<Want>,
    /// Where each wanted column is among those that are read.
    places: Vec<usize>,
    batches: Batches,
    rows: usize,
    meter: Meter,
    /// What is left of the last batch of the file.
    batch: Option<RecordBatch>,
    /// Rows delivered so far.
    done: u64,
}

impl Reading {
    fn chunk(&self, batch: &RecordBatch) -> Result<Chunk> {
        let first = self.done + 1;
        let cells = self.wants.iter().zip(&self.places).map(|(w, &k)| self.cells(batch.column(k), w, first));
        let cells = cells.collect::<Result<_>>()?;
        Ok(Chunk { rows: (first..first + batch.num_rows() as u64).collect(), cells, sparse: None })
    }

    fn cells(&self, array: &dyn Array, want: &Want, first: u64) -> Result<Cells> {
        match want.how {
            As::Text => {
                let cast = cast(array, &DataType::Utf8).map_err(|e| damaged(&self.header.file, e))?;
                Ok(Cells::Texts(cast.as_string::<i32>().iter().map(|s| s.map(|s| s.trim().to_string())).collect()))
            }
            As::Number(role) => {
                let cast = numbers(array).map_err(|e| damaged(&self.header.file, e))?;
                let values = cast.iter().zip(first..);
                let accept = |(v, row): (Option<f64>, u64)| {
                    role.accept(v.unwrap_or(f64::NAN), None, (&self.header, row, want.column))
                };
                values.map(accept).collect::<Result<_>>().map(Cells::Numbers)
            }
        }
    }

    fn advance(&mut self) -> Result<Option<Chunk>> {
        while self.batch.as_ref().is_none_or(|b| b.num_rows() == 0) {
            match self.batches.next() {
                Some(batch) => self.batch = Some(batch?),
                None => return Ok(None),
            }
        }
        let Some(batch) = self.batch.take() else { return Ok(None) };
        let n = batch.num_rows().min(self.rows);
        let chunk = self.chunk(&batch.slice(0, n))?;
        self.batch = Some(batch.slice(n, batch.num_rows() - n));
        self.done += n as u64;
        self.meter.add(n);
        Ok(Some(chunk))
    }
}

impl Chunks for Reading {
    fn next(&mut self) -> Result<Option<Chunk>> {
        let file = self.header.file.clone();
        guard(&file, || self.advance())
    }
}
