//! Files made to deceive, with a right seal: nothing they declare is believed before it is checked.

use super::{OPENING, complaint, open, small};
use orff::archive::Reader;
use serde_json::Value;

/// A file with this JSON text and a right seal, computed here from the description of the format.
fn sealed(text: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = (text.len() as u64).to_le_bytes().to_vec();
    bytes.extend_from_slice(text.as_bytes());
    if let Some(seal) = bytes.get_mut(OPENING..OPENING + 8) {
        seal.copy_from_slice(b"00000000");
        let crc = crc32fast::hash(&bytes);
        bytes[OPENING..OPENING + 8].copy_from_slice(format!("{crc:08x}").as_bytes());
    }
    bytes.extend_from_slice(data);
    bytes
}

/// A sealed file of one tensor `a` of 4 bytes of data, with parts chosen by hand.
fn forged(version: &str, header: &str, crcs: &str, tensors: &str) -> Vec<u8> {
    let quoted = |text: &str| Value::from(text).to_string();
    let text = format!(
        r#"{{"__metadata__":{{"seal":"00000000","format":"orff","version":"{version}","kind":"model","orff":"0.9","header":{},"crc32":{}}}{tensors}}}"#,
        quoted(header),
        quoted(crcs)
    );
    sealed(&text, &[1, 2, 3, 4])
}

const CRCS: &str = r#"{"a":3057449933}"#; // zlib.crc32(bytes([1, 2, 3, 4])) of Python
const TENSOR: &str = r#","a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}"#;

#[test]
fn a_newer_version_asks_for_an_upgrade() {
    let expected = "<bytes>: written by format version 2 (Orff 0.9); this Orff reads up to 1: upgrade Orff";
    assert_eq!(complaint(&forged("2", "{}", CRCS, TENSOR)), expected);
    // Nothing else of a later version has to look like this one's.
    assert_eq!(complaint(&forged("2", "not JSON", "", r#","a":{"dtype":"Q7","shape":"?"}"#)), expected);
    let mut other_seal = forged("2", "{}", CRCS, TENSOR);
    other_seal[OPENING] ^= 1;
    assert!(complaint(&other_seal).starts_with(expected));
    assert!(complaint(&forged("0", "{}", CRCS, TENSOR)).contains("unknown format version \"0\""));
    open(&forged("1", "{}", CRCS, TENSOR)).unwrap();
}

#[test]
fn hostile_lengths_are_refused_before_they_are_believed() {
    let good = small();
    for (length, expected) in [
        (u64::MAX, "declares a header of 18446744073709551615 bytes (at most 67108864 are allowed)"),
        ((64 << 20) + 1, "(at most 67108864 are allowed)"),
        (64 << 20, "bytes, but only"),
        (good.len() as u64, "bytes, but only"),
        (0, "too short"),
        (20, "too short"),
    ] {
        let mut bad = good.clone();
        bad[..8].copy_from_slice(&length.to_le_bytes());
        let why = complaint(&bad);
        assert!(why.contains(expected) && why.ends_with("the file is damaged: fit again or restore a copy"), "{why}");
    }
}

#[test]
fn hostile_headers_with_a_right_seal_are_refused() {
    let tensors = |tensors: &str| forged("1", "{}", CRCS, tensors);
    let deep = |n: usize| "[".repeat(n) + &"]".repeat(n);
    let many = |n: usize| format!("[0{}]", ",0".repeat(n));
    for (case, bytes) in [
        ("beyond the file", tensors(r#","a":{"dtype":"U8","shape":[400000000000],"data_offsets":[0,400000000000]}"#)),
        ("offset 2^64", tensors(r#","a":{"dtype":"U8","shape":[4],"data_offsets":[0,18446744073709551616]}"#)),
        (
            "offset 2^64-1",
            tensors(r#","a":{"dtype":"U8","shape":[18446744073709551615],"data_offsets":[0,18446744073709551615]}"#),
        ),
        ("negative", tensors(r#","a":{"dtype":"U8","shape":[-4],"data_offsets":[0,4]}"#)),
        ("backwards", tensors(r#","a":{"dtype":"U8","shape":[4],"data_offsets":[4,0]}"#)),
        ("gap", tensors(r#","a":{"dtype":"U8","shape":[3],"data_offsets":[1,4]}"#)),
        ("uncovered end", tensors(r#","a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}"#)),
        ("shape too large", tensors(r#","a":{"dtype":"F64","shape":[4],"data_offsets":[0,4]}"#)),
        ("overflow", tensors(r#","a":{"dtype":"F64","shape":[4294967296,4294967296],"data_offsets":[0,0]}"#)),
        ("overflow to 4", tensors(r#","a":{"dtype":"U8","shape":[4611686018427387905,4],"data_offsets":[0,4]}"#)),
        (
            "huge and empty",
            forged(
                "1",
                "{}",
                r#"{"a":3057449933,"b":0}"#,
                &format!(r#"{TENSOR},"b":{{"dtype":"F64","shape":[0,1152921504606846976],"data_offsets":[4,4]}}"#),
            ),
        ),
        (
            "overlap",
            forged(
                "1",
                "{}",
                r#"{"a":3057449933,"b":0}"#,
                &format!(r#"{TENSOR},"b":{{"dtype":"U8","shape":[2],"data_offsets":[2,4]}}"#),
            ),
        ),
        ("no checksum", forged("1", "{}", "{}", TENSOR)),
        ("checksum of nothing", forged("1", "{}", r#"{"a":3057449933,"b":0}"#, TENSOR)),
        ("wrong checksum", forged("1", "{}", r#"{"a":3057449932}"#, TENSOR)),
        ("unusable checksum", forged("1", "{}", r#"{"a":-1}"#, TENSOR)),
        (
            "long words",
            tensors(&format!(r#","a":{{"dtype":"{}","shape":[4],"data_offsets":[0,4]}}"#, "é".repeat(9999))),
        ),
        ("long name", tensors(&TENSOR.replace("\"a\"", &format!("{:?}", "é".repeat(9999))))),
        ("unknown type", tensors(r#","a":{"dtype":"Q8","shape":[4],"data_offsets":[0,4]}"#)),
        ("deep header", forged("1", &deep(100_000), CRCS, TENSOR)),
        ("deep checksums", forged("1", "{}", &deep(100_000), TENSOR)),
        ("deep table", tensors(&format!(r#","a":{}"#, deep(100_000)))),
        ("header of too many values", forged("1", &many(2_000_000), CRCS, TENSOR)),
        (
            "shape of too many sides",
            tensors(&format!(r#","a":{{"dtype":"U8","shape":{},"data_offsets":[0,0]}}"#, many(2_000_000))),
        ),
        ("no JSON", sealed(&format!(r#"{{"__metadata__":{{"seal":"00000000"{}"#, "\0".repeat(99)), &[])),
        ("no entries", sealed(r#"{"__metadata__":{"seal":"00000000"}}"#, &[])),
        ("other format", sealed(r#"{"__metadata__":{"seal":"00000000","format":"off","version":"1"}}"#, &[])),
        ("no version", sealed(r#"{"__metadata__":{"seal":"00000000","format":"orff"}}"#, &[])),
    ] {
        let why = complaint(&bytes);
        assert!(why.starts_with("<bytes>: ") && why.chars().count() < 500, "{case}: {why}");
    }
}

#[test]
fn opening_does_not_read_the_tensors() {
    // 3 GiB of declared numbers behind a small header: a sparse file.
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m.orff");
    let n = 3u64 << 30;
    let text = format!(
        r#"{{"__metadata__":{{"seal":"00000000","format":"orff","version":"1","kind":"model","orff":"0.1.0","header":"{{}}","crc32":"{{\"a\":3057449933,\"b\":0}}"}},"a":{{"dtype":"U8","shape":[4],"data_offsets":[0,4]}},"b":{{"dtype":"U8","shape":[{n}],"data_offsets":[4,{}]}}}}"#,
        n + 4
    );
    let start = sealed(&text, &[1, 2, 3, 4]);
    std::fs::write(&path, &start).unwrap();
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(start.len() as u64 + n).unwrap();
    let begin = std::time::Instant::now();
    let file = Reader::open(&path).unwrap();
    assert_eq!(file.bytes("a", None).unwrap(), [1, 2, 3, 4]);
    assert!(begin.elapsed().as_millis() < 200, "{:?}", begin.elapsed());
}
