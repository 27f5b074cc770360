//! Damaged, cut and foreign files are noticed and named.

use super::{OPENING, bits, complaint, odd, open, small};
use faer::Mat;
use orff::Error;
use orff::archive::{Archive, Reader};
use serde_json::json;
use std::path::Path;

#[test]
fn every_changed_byte_is_noticed() {
    let good = small();
    open(&good).unwrap();
    for at in 0..good.len() {
        for change in [1u8, 2, 0x20, 0x80, 0xff, good[at], good[at] ^ b' ', good[at] ^ b'9'] {
            if change != 0 {
                let mut bad = good.clone();
                bad[at] ^= change;
                assert!(open(&bad).is_err(), "byte {at} xor {change}");
            }
        }
    }
}

#[test]
fn every_cut_and_every_addition_is_noticed() {
    let good = small();
    for length in 0..good.len() {
        assert!(Reader::from_bytes(good[..length].to_vec()).is_err(), "{length} bytes");
    }
    for tail in [b"\0".as_slice(), b" ", b"\n", &[0; 4096], &good] {
        let why = complaint(&[&good, tail].concat());
        assert!(why.contains(&format!("has {} bytes after its end; the file is damaged", tail.len())), "{why}");
    }
    assert!(complaint(&good[..good.len() - 1]).contains("was cut off: it has"));
    assert_eq!(complaint(b""), "<bytes>: is empty: fit again or restore a copy");
}

#[test]
fn other_files_are_named_for_what_they_are() {
    for other in [b"PK\x03\x04 and some more of a zip archive".as_slice(), b"x,y\n1,2\n", b"\x80\x04pickle", &[0; 99]]
    {
        let why = complaint(other);
        assert!(why.contains("is not a file that Orff wrote"), "{why}");
    }
    let plain = safetensors::serialize(
        [("a", safetensors::tensor::TensorView::new(safetensors::Dtype::U8, vec![1], &[1]).unwrap())],
        None,
    );
    assert!(complaint(&plain.unwrap()).contains("is not a file that Orff wrote"));

    let dir = tempfile::tempdir().unwrap();
    let why = Reader::open(dir.path()).unwrap_err().to_string();
    assert_eq!(why, format!("{}: is a directory, expected a file that Orff wrote", dir.path().display()));
    assert!(matches!(Reader::open(&dir.path().join("none")), Err(Error::Io { .. })));
    assert!(Reader::open(Path::new("/dev/zero")).unwrap_err().to_string().contains("regular file"));
}

#[test]
fn a_seal_in_capitals_is_another_seal() {
    let mut bytes = small();
    // Some small header has a letter in its seal.
    let mut k = 0;
    while !bytes[OPENING..OPENING + 8].iter().any(u8::is_ascii_lowercase) {
        k += 1;
        bytes = Archive::new("model", json!(k)).to_bytes().unwrap();
    }
    bytes[OPENING..OPENING + 8].make_ascii_uppercase();
    assert!(complaint(&bytes).contains("does not match its checksum"));
}

#[test]
fn damage_is_noticed_where_it_is_and_only_there() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m.orff");
    let (omega, factor) = (odd(), Mat::from_fn(700, 300, |i, j| (i ^ j) as f64));
    let mut archive = Archive::new("model", json!({}));
    archive.put_mat("factor", factor.as_ref());
    archive.put_mat("omega", omega.as_ref());
    let mut bytes = archive.to_bytes().unwrap();
    let middle = bytes.len() - 8 * (15 + 700 * 150);
    bytes[middle] ^= 4;
    std::fs::write(&path, &bytes).unwrap();

    let file = Reader::open(&path).unwrap();
    assert_eq!(bits(&file.mat("omega", None, None).unwrap()), bits(&omega));
    let expected = format!(
        "{}: the tensor \"factor\" does not match its checksum; the file is damaged: fit again or restore a copy",
        path.display()
    );
    assert_eq!(file.mat("factor", None, None).unwrap_err().to_string(), expected);
    assert_eq!(file.verify_all().unwrap_err().to_string(), expected);
    // Neither does damage travel into a new file.
    let mut copy = Archive::new("model", json!({}));
    copy.put_stored("factor", &file).unwrap();
    assert_eq!(copy.save(&dir.path().join("copy.orff")).unwrap_err().to_string(), expected);
    assert!(!dir.path().join("copy.orff").exists());

    // Cut off while it is open.
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(middle as u64).unwrap();
    assert!(file.mat("omega", None, None).unwrap_err().to_string().contains("\"omega\" is cut off"));
}
