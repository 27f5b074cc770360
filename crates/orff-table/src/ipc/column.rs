//! The columns of a record batch, read a range of rows at a time.

use super::Found;
use super::message::Message;
use super::part::{Bytes, Part, unpacked};
use arrow_array::{Array, ArrayRef, make_array, new_empty_array};
use arrow_buffer::Buffer;
use arrow_data::{ArrayData, ArrayDataBuilder, BufferSpec, layout};
use arrow_ipc::reader::read_record_batch;
use arrow_ipc::{Buffer as Place, FieldNode, MetadataVersion, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use std::collections::HashMap;
use std::io::Read;
use std::sync::Arc;

/// Finds the parts of each column: they stand one after the other, so the columns are asked for in ascending order.
pub(super) struct Fields<'a> {
    schema: &'a Arc<Schema>,
    batch: RecordBatch<'a>,
    message: &'a Message,
    version: MetadataVersion,
    dictionaries: &'a HashMap<i64, ArrayRef>,
    next: usize,
    nodes: Box<dyn Iterator<Item = &'a FieldNode> + 'a>,
    places: Box<dyn Iterator<Item = &'a Place> + 'a>,
    /// How many stretches of text each view column has.
    counts: Box<dyn Iterator<Item = i64> + 'a>,
}

impl<'a> Fields<'a> {
    pub fn new(
        schema: &'a Arc<Schema>,
        batch: RecordBatch<'a>,
        message: &'a Message,
        version: MetadataVersion,
        dictionaries: &'a HashMap<i64, ArrayRef>,
    ) -> Self {
        let nodes = Box::new(batch.nodes().into_iter().flatten());
        let places = Box::new(batch.buffers().into_iter().flatten());
        let counts = Box::new(batch.variadicBufferCounts().into_iter().flatten());
        Fields { schema, batch, message, version, dictionaries, next: 0, nodes, places, counts }
    }

    pub fn column(&mut self, k: usize) -> Found<Column> {
        let schema = self.schema;
        loop {
            let (at, field) = (self.next, schema.field(self.next));
            let (mut nodes, mut places) = (Vec::new(), Vec::new());
            self.find(field, &mut nodes, &mut places)?;
            self.next += 1;
            if at < k {
                continue;
            }
            let node = nodes[0];
            if node.length() != self.batch.length() {
                return Err("a column has another number of rows than its batch".into());
            }
            return if children(field.data_type()).is_empty() && *field.data_type() != DataType::Null {
                Ok(Column::Ranged(Box::new(self.ranged(field, node, &places)?)))
            } else {
                let body = whole(&self.batch, &self.message.body, places.iter().copied())?;
                let (schema, version) = (schema.clone(), &self.version);
                let batch = read_record_batch(&body, self.batch, schema, self.dictionaries, Some(&[k]), version)?;
                Ok(Column::Whole(batch.column(0).clone()))
            };
        }
    }

    /// Takes the nodes and buffers of a field and its children.
    fn find(&mut self, field: &Field, nodes: &mut Vec<&'a FieldNode>, places: &mut Vec<&'a Place>) -> Found<()> {
        let node = self.nodes.next().ok_or("a batch has too few columns")?;
        if node.length() < 0 || node.null_count() < 0 || node.null_count() > node.length() {
            return Err("a column has an impossible length".into());
        }
        nodes.push(node);
        let (of, layout) = (field.data_type(), layout(field.data_type()));
        let old = matches!(of, DataType::Union(..)) && self.version < MetadataVersion::V5;
        let mut count = usize::from(layout.can_contain_null_mask || old) + layout.buffers.len();
        if layout.variadic {
            let more = self.counts.next().and_then(|n| usize::try_from(n).ok());
            count = more.and_then(|n| count.checked_add(n)).ok_or("a column of texts has no number of buffers")?;
        }
        for _ in 0..count {
            places.push(self.places.next().ok_or("a batch has too few buffers")?);
        }
        children(of).into_iter().try_for_each(|child| self.find(child, nodes, places))
    }

    fn ranged(&self, field: &Field, node: &FieldNode, places: &[&Place]) -> Found<Ranged> {
        let packed = self.batch.compression().map(|c| c.codec());
        let bytes = |place: &&Place| Bytes::new(self.message.body.part(place.offset(), place.length())?, packed);
        let (kind, layout) = (field.data_type().clone(), layout(field.data_type()));
        let mut bytes = places.iter().map(bytes);
        let mut next = || bytes.next().unwrap_or_else(|| Err("a batch has too few buffers".into()));
        let mask = next()?;
        let values = match layout.buffers[..] {
            [BufferSpec::FixedWidth { byte_width, .. }] => Values::Fixed { values: next()?, bits: 8 * byte_width },
            [BufferSpec::BitMap] => Values::Fixed { values: next()?, bits: 1 },
            [BufferSpec::FixedWidth { byte_width, .. }, BufferSpec::VariableWidth] => {
                Values::Texts { offsets: next()?, width: byte_width, values: next()?, end: None }
            }
            _ => return Err("a column has no buffers".into()),
        };
        let texts = bytes.map(|b| b.and_then(|mut b| Ok(Buffer::from(b.next(b.left)?)))).collect::<Found<_>>()?;
        let words = match &kind {
            DataType::Dictionary(_, of) => {
                #[expect(deprecated, reason = "the reader of dictionaries knows them by these numbers")]
                let known = field.dict_id().and_then(|id| self.dictionaries.get(&id).cloned());
                // A column without values may come without its dictionary.
                vec![known.unwrap_or_else(|| new_empty_array(of)).to_data()]
            }
            _ => Vec::new(),
        };
        let nulls = node.null_count() as u64;
        let mask = (mask.left > 0 || nulls > 0).then_some(mask);
        Ok(Ranged { kind, left: node.length() as u64, nulls, mask, values, texts, words })
    }
}

/// The fields whose columns stand within a column of that type.
fn children(of: &DataType) -> Vec<&Field> {
    use DataType::*;
    match of {
        List(f) | LargeList(f) | ListView(f) | LargeListView(f) | FixedSizeList(f, _) | Map(f, _) => vec![f],
        Struct(fields) => fields.iter().map(|f| &**f).collect(),
        Union(fields, _) => fields.iter().map(|(_, f)| &**f).collect(),
        RunEndEncoded(ends, values) => vec![ends, values],
        _ => Vec::new(),
    }
}

/// The body of a batch with some of its buffers read, for the reader of the arrow crates. It takes the sizes of packed
/// buffers at their word, so they are checked here. The rest of the body is zeros.
pub(super) fn whole<'a>(batch: &RecordBatch, body: &Part, places: impl Iterator<Item = &'a Place>) -> Found<Buffer> {
    // Zeros of the system, not written by us: memory is taken where bytes are read.
    let mut bytes = vec![0; body.len() as usize];
    for place in places {
        let mut part = body.part(place.offset(), place.length())?;
        let from = (part.at - body.at) as usize;
        part.clone().read_exact(&mut bytes[from..from + part.len() as usize])?;
        if batch.compression().is_some() && part.len() > 0 {
            let most = (1 << 24) + part.len().saturating_mul(1 << 12);
            if unpacked(&mut part)?.is_some_and(|n| n > most) {
                return Err("a compressed buffer claims an impossible size".into());
            }
        }
    }
    Ok(bytes.into())
}

/// A column of a batch, from the next row on.
pub(super) enum Column {
    Ranged(Box<Ranged>),
    Whole(ArrayRef),
}

impl Column {
    /// The next n rows: a multiple of 8, or all that are left.
    pub fn read(&mut self, n: usize) -> Found<ArrayRef> {
        match self {
            Column::Ranged(column) => column.read(n),
            Column::Whole(array) => {
                let rest = array.slice(n, array.len() - n);
                Ok(std::mem::replace(array, rest).slice(0, n))
            }
        }
    }
}

/// A column whose buffers hold its rows in order.
pub(super) struct Ranged {
    kind: DataType,
    /// Rows and nulls that are left.
    left: u64,
    nulls: u64,
    mask: Option<Bytes>,
    values: Values,
    /// What the rows of a view column point to.
    texts: Vec<Buffer>,
    /// What the rows of a dictionary column point to.
    words: Vec<ArrayData>,
}

enum Values {
    Fixed { values: Bytes, bits: usize },
    Texts { offsets: Bytes, width: usize, values: Bytes, end: Option<u64> },
}

impl Ranged {
    fn read(&mut self, n: usize) -> Found<ArrayRef> {
        let data = ArrayData::builder(self.kind.clone()).len(n).child_data(self.words.clone()).align_buffers(true);
        let data = self.mask(n, data)?;
        let mut buffers = match &mut self.values {
            Values::Fixed { values, bits } => vec![values.next((n * *bits).div_ceil(8) as u64)?.into()],
            Values::Texts { offsets, width, values, end } => texts(n, offsets, *width, values, end)?.into(),
        };
        buffers.extend(self.texts.iter().cloned());
        // Keys, places and texts are checked here.
        Ok(make_array(data.buffers(buffers).build()?))
    }

    fn mask(&mut self, n: usize, data: ArrayDataBuilder) -> Found<ArrayDataBuilder> {
        const NULLS: &str = "a column has another number of missing values than it says";
        self.left = self.left.saturating_sub(n as u64);
        let Some(mask) = &mut self.mask else { return Ok(data) };
        let bits = Buffer::from(mask.next(n.div_ceil(8) as u64)?);
        let nulls = n - bits.count_set_bits_offset(0, n);
        self.nulls = self.nulls.checked_sub(nulls as u64).ok_or(NULLS)?;
        if self.left == 0 && self.nulls > 0 {
            return Err(NULLS.into());
        }
        Ok(data.null_bit_buffer(Some(bits)))
    }
}

/// The offsets, counted from 0, and the bytes of the next n texts. A text ends where the next begins, so a range needs
/// the last offset of the one before.
fn texts(
    n: usize,
    offsets: &mut Bytes,
    width: usize,
    values: &mut Bytes,
    end: &mut Option<u64>,
) -> Found<[Buffer; 2]> {
    let mut raw = |n: usize| offsets.next((n * width) as u64);
    let number = |raw: &[u8]| {
        let mut bytes = [0; 8];
        bytes[..width].copy_from_slice(raw);
        u64::from_le_bytes(bytes)
    };
    let first = match *end {
        Some(at) => at,
        None => {
            let at = number(&raw(1)?);
            values.skip(at)?;
            at
        }
    };
    let mut bytes = vec![0; width];
    bytes.extend(raw(n)?);
    let mut last = first;
    for place in bytes.chunks_exact_mut(width).skip(1) {
        let at = number(place);
        if at < last {
            return Err("the texts of a column are out of order".into());
        }
        last = at;
        place.copy_from_slice(&(at - first).to_le_bytes()[..width]);
    }
    *end = Some(last);
    Ok([bytes.into(), values.next(last - first)?.into()])
}
