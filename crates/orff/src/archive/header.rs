//! The first block of a file: what it holds, where, and the seal over all of it.
//!
//! ```text
//! bytes 0..8     length N of the JSON text, little endian, a multiple of 8
//! bytes 8..8+N   {"__metadata__":{"seal":"89abcdef","format":"orff","version":"1","kind":…,"orff":…,
//!                "header":"…JSON…","crc32":"{…name: checksum…}"},"name":{"dtype":…,"shape":…,"data_offsets":…},…}
//!                padded with spaces
//! then           the tensors, little endian, row after row, without gaps
//! ```
//! The seal is the CRC-32 of the whole block, length and padding included, computed with zeros in its own place. It
//! covers the checksums of the tensors, so that no byte of the file is uncovered; a CRC-32 notices every change
//! confined to 32 consecutive bits. It guards against accidents, not against forgers: a sealed block is still
//! read with suspicion. Later versions keep `{"__metadata__":{"seal":"` and the entries `version` and `orff`.

use safetensors::tensor::{Dtype, Metadata};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The version of the format that this crate writes, and the newest that it reads.
pub const VERSION: u64 = 1;

/// Longest JSON text, in bytes.
const LONGEST: u64 = 64 << 20;
/// Most JSON values in it: a value of two bytes takes up to 100 bytes of memory.
pub(crate) const MOST_VALUES: usize = 1 << 20;
/// Longest side of an empty tensor: its bytes, none, cannot vouch for it.
const EMPTY_SIDE: usize = 1 << 24;

const OPENING: &str = r#"{"__metadata__":{"seal":""#;
const SEAL: usize = 8 + OPENING.len();
/// The bytes that tell a file of Orff from others: length, opening, seal.
pub(super) const START: usize = SEAL + 8;

/// One tensor: its bytes are `start..end`, counted from the end of the header block.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub dtype: Dtype,
    pub shape: Vec<usize>,
    pub start: u64,
    pub end: u64,
    pub crc: u32,
}

/// What the first block says.
#[derive(Debug)]
pub(super) struct Contents {
    pub kind: String,
    pub writer: String,
    pub header: Value,
    pub entries: BTreeMap<String, Entry>,
}

/// The block for these contents; `entries` in the order of their bytes.
pub(super) fn encode(kind: &str, header: &Value, entries: &[(&str, Entry)]) -> Vec<u8> {
    let quote = |text: &str| Value::from(text).to_string();
    let mut header = header.clone();
    header.sort_all_objects();
    let crcs: serde_json::Map<_, _> = entries.iter().map(|(name, e)| (name.to_string(), e.crc.into())).collect();
    let mut text = format!(
        r#"{OPENING}00000000","format":"orff","version":"{VERSION}","kind":{},"orff":{},"header":{},"crc32":{}}}"#,
        quote(kind),
        quote(env!("CARGO_PKG_VERSION")),
        quote(&header.to_string()),
        quote(&Value::from(crcs).to_string()),
    );
    for (name, Entry { dtype, shape, start, end, .. }) in entries {
        let name = quote(name);
        // Writing to a string does not fail.
        let _ = write!(text, r#",{name}:{{"dtype":"{dtype}","shape":{shape:?},"data_offsets":[{start},{end}]}}"#);
    }
    text.push('}');
    text.extend(std::iter::repeat_n(' ', text.len().next_multiple_of(8) - text.len()));

    let mut block = (text.len() as u64).to_le_bytes().to_vec();
    block.extend_from_slice(text.as_bytes());
    let seal = seal(&block);
    block[SEAL..SEAL + 8].copy_from_slice(seal.as_bytes());
    block
}

/// The length of the whole block, from its first [`START`] bytes (fewer when the file has no more) and the file's
/// length. Nothing is allocated on the word of the file before this has passed.
pub(super) fn measure(start: &[u8], file: u64) -> Result<u64, String> {
    if file == 0 {
        return Err("is empty: fit again or restore a copy".into());
    }
    let opening = start.get(8..).unwrap_or_default();
    let expected = OPENING.as_bytes();
    let common = opening.len().min(expected.len());
    if opening[..common] != expected[..common] {
        return Err("is not a file that Orff wrote, or its beginning is damaged".into());
    }
    let Some(length) = start.first_chunk::<8>().filter(|_| start.len() >= START) else {
        return Err(damaged(format!("is not a file that Orff wrote, or was cut off after {file} bytes")));
    };
    let length = u64::from_le_bytes(*length);
    if length > LONGEST {
        return Err(damaged(format!("declares a header of {length} bytes (at most {LONGEST} are allowed)")));
    }
    if length > file - 8 {
        return Err(damaged(format!("declares a header of {length} bytes, but only {} follow", file - 8)));
    }
    if length < (START - 8) as u64 {
        return Err(damaged(format!("declares a header of {length} bytes, which is too short")));
    }
    Ok(8 + length)
}

/// Reads a block whose length [`measure`] gave, of a file of `file` bytes.
pub(super) fn parse(block: &[u8], file: u64) -> Result<Contents, String> {
    let sealed = block.get(SEAL..SEAL + 8) == Some(seal(block).as_bytes());
    let json = block.get(8..).unwrap_or_default();
    // Every value follows one of these, whether the JSON is quoted inside a string or not.
    if json.iter().filter(|b| matches!(b, b',' | b'[' | b'{')).count() > MOST_VALUES {
        return Err(format!("its header holds more than {MOST_VALUES} values: this Orff does not read such files"));
    }
    if !sealed {
        return Err(match newer(json) {
            Some(why) => format!("{why} (or, if no newer Orff wrote it, restore a copy: the file is damaged)"),
            None => damaged("the header does not match its checksum"),
        });
    }
    if let Some(why) = newer(json) {
        return Err(why);
    }

    let table: Metadata =
        serde_json::from_slice(json).map_err(|e| damaged(format!("the header is unusable ({e})")))?;
    let said = |key: &str| {
        let value = table.metadata().as_ref().and_then(|m| m.get(key));
        value.ok_or_else(|| damaged(format!("the header lacks the entry {key:?}")))
    };
    if said("format")? != "orff" {
        return Err(damaged(format!("has the format {:?}, expected \"orff\"", said("format")?)));
    }
    if said("version")? != "1" {
        return Err(damaged(format!("has the unknown format version {:?}", said("version")?)));
    }
    let length = block.len() as u64 + table.data_len() as u64;
    if file < length {
        return Err(damaged(format!("was cut off: it has {file} of {length} bytes")));
    }
    if file > length {
        return Err(damaged(format!("has {} bytes after its end", file - length)));
    }
    let header = serde_json::from_str(said("header")?);
    let header = header.map_err(|e| damaged(format!("the entry \"header\" is unusable ({e})")))?;
    let crcs: Result<BTreeMap<String, u32>, _> = serde_json::from_str(said("crc32")?);
    let crcs = crcs.map_err(|e| damaged(format!("the entry \"crc32\" is unusable ({e})")))?;

    let tensors = table.tensors();
    if let Some(name) = crcs.keys().find(|name| !tensors.contains_key(*name)) {
        return Err(damaged(format!("the checksum of {name:?} belongs to no tensor")));
    }
    let mut entries = BTreeMap::new();
    for (name, info) in tensors {
        let &crc = crcs.get(&name).ok_or_else(|| damaged(format!("the tensor {name:?} has no checksum")))?;
        let (start, end) = info.data_offsets;
        if start == end && info.shape.iter().any(|&side| side > EMPTY_SIDE) {
            return Err(damaged(format!("the empty tensor {name:?} has the shape {:?}", info.shape)));
        }
        let entry = Entry { dtype: info.dtype, shape: info.shape.clone(), start: start as u64, end: end as u64, crc };
        entries.insert(name, entry);
    }
    Ok(Contents { kind: said("kind")?.clone(), writer: said("orff")?.clone(), header, entries })
}

/// What to tell about a file that is not what was written.
pub(super) fn damaged(what: impl std::fmt::Display) -> String {
    format!("{}; the file is damaged: fit again or restore a copy", brief(&what.to_string()))
}

/// A text of the file's choosing, no longer than a message should be.
pub(super) fn brief(text: &str) -> String {
    match text.char_indices().nth(400) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into(),
    }
}

/// CRC-32 of the block with zeros in place of the seal, as the eight digits of the seal.
fn seal(block: &[u8]) -> String {
    let mut crc = crc32fast::Hasher::new();
    crc.update(block.get(..SEAL).unwrap_or(block));
    crc.update(b"00000000");
    crc.update(block.get(SEAL + 8..).unwrap_or_default());
    format!("{:08x}", crc.finalize())
}

/// The complaint about a newer version, from as little of the JSON as possible: the rest may have changed.
fn newer(json: &[u8]) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Start {
        #[serde(rename = "__metadata__")]
        metadata: About,
    }
    #[derive(serde::Deserialize)]
    struct About {
        version: String,
        #[serde(default)]
        orff: String,
    }
    let About { version, orff } = serde_json::from_slice::<Start>(json).ok()?.metadata;
    let number: u64 = version.parse().ok()?;
    let by = if orff.is_empty() { String::new() } else { format!(" (Orff {})", brief(&orff)) };
    (number > VERSION)
        .then(|| format!("written by format version {number}{by}; this Orff reads up to {VERSION}: upgrade Orff"))
}
