//! Files: what is written comes back, and nothing else is believed.

use faer::Mat;
use orff::Error;
use orff::archive::{Archive, Reader, write_atomically};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;

const OPENING: usize = 8 + r#"{"__metadata__":{"seal":""#.len();

/// 5×3, with the values that are easily lost.
fn odd() -> Mat<f64> {
    let values = [1.5, -0.0, f64::NAN, f64::INFINITY, f64::MIN_POSITIVE / 8.0, 0.1, f64::MAX];
    Mat::from_fn(5, 3, |i, j| values[(3 * i + j) % 7] * (1 + i) as f64)
}

fn bits(mat: &Mat<f64>) -> Vec<u64> {
    (0..mat.nrows()).flat_map(|i| (0..mat.ncols()).map(move |j| mat[(i, j)].to_bits())).collect()
}

fn small() -> Vec<u8> {
    let mat = Mat::from_fn(2, 3, |i, j| (10 * i + j) as f64);
    let mut archive = Archive::new("model", json!({"kernel": "gaussian", "columns": ["a", "β"]}));
    archive.put_mat("omega", mat.as_ref());
    archive.put_bytes("note", b"abc".as_slice());
    archive.to_bytes().unwrap()
}

/// The reader of a file, or what is wrong with it.
fn open(bytes: &[u8]) -> Result<Reader, String> {
    let file = Reader::from_bytes(bytes.to_vec()).map_err(|e| e.to_string())?;
    file.verify_all().map_err(|e| e.to_string())?;
    Ok(file)
}

fn complaint(bytes: &[u8]) -> String {
    open(bytes).expect_err("should be refused")
}

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
fn everything_comes_back() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("modèle Ω.orff");
    let mats = [odd(), Mat::zeros(0, 0), Mat::zeros(0, 4), Mat::zeros(3, 0), odd().transpose().to_owned()];
    // Several strips of rows, and a row longer than a chunk.
    let (tall, wide) =
        (Mat::from_fn(9000, 37, |i, j| (i * 37 + j) as f64), Mat::from_fn(2, 140_001, |i, j| (i + 3 * j) as f64));
    let header = json!({"z": 1, "a": {"y": 0.1, "b": [null, true, "é\n\"\u{1}"]}, "tiny": 5e-324});
    let mut archive = Archive::new("moments", header.clone());
    for (k, mat) in mats.iter().enumerate() {
        archive.put_mat(&format!("mat {k}"), mat.as_ref());
    }
    archive.put_mat("tall", tall.as_ref());
    archive.put_mat("wide", wide.as_ref());
    archive.put_mat("reversed", tall.reverse_rows());
    archive.put_vec("Ω/\"quoted\"\n", vec![1.0, f64::NEG_INFINITY]);
    archive.put_vec("", Vec::new());
    archive.put_u64s("counts", vec![u64::MAX, 0, 1 << 53 | 1]);
    archive.put_bytes("raw", (0..=255).collect::<Vec<u8>>());
    archive.save(&path).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), archive.to_bytes().unwrap());

    let file = Reader::open(&path).unwrap();
    assert_eq!((file.kind(), file.header()), ("moments", &header));
    assert_eq!(file.written_by(), env!("CARGO_PKG_VERSION"));
    file.expect_kind("moments").unwrap();
    assert!(file.expect_kind("model").unwrap_err().to_string().ends_with("holds moments, expected model"));
    assert_eq!(file.names().count(), 12);
    for (k, mat) in mats.iter().enumerate() {
        let back = file.mat(&format!("mat {k}"), Some(mat.nrows()), Some(mat.ncols())).unwrap();
        assert_eq!((back.shape(), bits(&back)), (mat.shape(), bits(mat)), "mat {k}");
    }
    assert_eq!(file.mat("tall", None, Some(37)).unwrap(), tall);
    assert_eq!(file.mat("wide", Some(2), None).unwrap(), wide);
    assert_eq!(file.mat("reversed", None, None).unwrap(), tall.reverse_rows().to_owned());
    assert_eq!(file.vec("Ω/\"quoted\"\n", Some(2)).unwrap(), [1.0, f64::NEG_INFINITY]);
    assert_eq!(file.vec("", None).unwrap(), [] as [f64; 0]);
    assert_eq!(file.u64s("counts", None).unwrap(), [u64::MAX, 0, 1 << 53 | 1]);
    assert_eq!(file.bytes("raw", Some(256)).unwrap(), (0..=255).collect::<Vec<u8>>());
    file.verify_all().unwrap();

    // Saved again from the open file, over its own name: the same bytes.
    let names: Vec<String> = file.names().map(String::from).collect();
    let mut again = Archive::new(file.kind(), file.header().clone());
    names.iter().for_each(|name| again.put_stored(name, &file).unwrap());
    let before = std::fs::read(&path).unwrap();
    again.save(&path).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), before);
    file.verify_all().unwrap();
}

#[test]
fn safetensors_agrees() {
    let bytes = small();
    let other = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    let omega = other.tensor("omega").unwrap();
    assert_eq!((omega.dtype(), omega.shape()), (safetensors::Dtype::F64, [2, 3].as_slice()));
    let rows: Vec<f64> = omega.data().chunks(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect();
    assert_eq!(rows, [0.0, 1.0, 2.0, 10.0, 11.0, 12.0]);
    assert_eq!(omega.data().as_ptr() as usize % 8, bytes.as_ptr() as usize % 8);
    assert_eq!(other.tensor("note").unwrap().data(), b"abc");
}

#[test]
fn keys_are_sorted() {
    let write = |header| Archive::new("model", header).to_bytes().unwrap();
    assert_eq!(write(json!({"b": {"y": 1, "x": 2}, "a": 0})), write(json!({"a": 0, "b": {"x": 2, "y": 1}})));
}

#[test]
fn wrong_expectations_name_file_and_tensor() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m.orff");
    std::fs::write(&path, small()).unwrap();
    let file = Reader::open(&path).unwrap();
    let says = |e: Error, text: &str| assert_eq!(e.to_string(), format!("{}: {text}", path.display()));
    let shape = |want: &str| {
        format!("the tensor \"omega\": expected {want}, got 2×3 of type F64: fit again or restore a copy")
    };
    says(file.mat("omega", Some(3), None).unwrap_err(), &shape("3×any of type F64"));
    says(file.mat("omega", Some(2), Some(2)).unwrap_err(), &shape("2×2 of type F64"));
    says(file.vec("omega", None).unwrap_err(), &shape("any of type F64"));
    says(file.u64s("omega", Some(6)).unwrap_err(), &shape("6 of type U64"));
    says(file.bytes("z", None).unwrap_err(), "has no tensor \"z\": fit again or restore a copy");
    assert!(file.has("omega") && !file.has("z"));
    assert_eq!(file.shape("omega").unwrap(), [2, 3]);
}

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
fn what_could_not_be_read_is_not_written() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m.orff");
    let mut deep = json!(0);
    for _ in 0..200 {
        deep = json!([deep]);
    }
    let why = Archive::new("model", deep).save(&path).unwrap_err().to_string();
    assert!(why.contains("m.orff: would be a file that Orff refuses"), "{why}");
    let mut reserved = Archive::new("model", json!({}));
    reserved.put_vec("__metadata__", vec![1.0]);
    reserved.save(&path).unwrap_err();
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
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

#[test]
fn a_failed_write_leaves_the_old_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m.orff");
    let names = || -> Vec<_> { std::fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect() };
    let full = |w: &mut dyn Write| {
        w.write_all(&[7; 3 << 20])?;
        Err(std::io::Error::from(std::io::ErrorKind::StorageFull))
    };
    let why = write_atomically(&path, full).unwrap_err();
    assert!(matches!(&why, Error::Io { path: named, .. } if *named == path), "{why}");
    assert!(names().is_empty());

    std::fs::write(&path, small()).unwrap();
    write_atomically(&path, full).unwrap_err();
    assert_eq!(std::fs::read(&path).unwrap(), small());
    let panicked = std::panic::catch_unwind(|| write_atomically(&path, |_| panic!("a bug")));
    assert!(panicked.is_err());
    assert_eq!((std::fs::read(&path).unwrap(), names().len()), (small(), 1));

    write_atomically(&path, |w| w.write_all(b"new")).unwrap();
    assert_eq!((std::fs::read(&path).unwrap(), names().len()), (b"new".to_vec(), 1));
}

#[test]
fn places_that_cannot_be_written() {
    let dir = tempfile::tempdir().unwrap();
    let write = |path: &Path| write_atomically(path, |w| w.write_all(b"x")).map_err(|e| e.to_string());
    assert!(write(dir.path()).unwrap_err().contains("is a directory"));
    let none = dir.path().join("none/m.orff");
    let why = write(&none).unwrap_err();
    assert!(why.starts_with(&format!("{}: ", none.display())) && !why.contains(".orff-"), "{why}");
    write(Path::new("")).unwrap_err();

    let locked = dir.path().join("locked.orff");
    std::fs::write(&locked, "old").unwrap();
    let mut rights = std::fs::metadata(&locked).unwrap().permissions();
    rights.set_readonly(true);
    std::fs::set_permissions(&locked, rights).unwrap();
    assert!(write(&locked).unwrap_err().contains("write-protected"));
    assert_eq!(std::fs::read(&locked).unwrap(), b"old");
}

#[cfg(unix)]
#[test]
fn links_rights_and_pipes_are_kept() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let (path, link, plain) = (dir.path().join("m.orff"), dir.path().join("latest"), dir.path().join("plain"));
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    std::fs::write(&path, "old").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink("m.orff", &link).unwrap();
    write_atomically(&link, |w| w.write_all(b"new")).unwrap();
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!((std::fs::read(&path).unwrap(), mode(&path)), (b"new".to_vec(), 0o640));

    // A new file has the rights that any new file has.
    std::fs::write(&plain, "").unwrap();
    let fresh = dir.path().join("fresh");
    write_atomically(&fresh, |w| w.write_all(b"new")).unwrap();
    assert_eq!(mode(&fresh), mode(&plain));

    let pipe = dir.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reading = std::thread::spawn({
        let pipe = pipe.clone();
        move || std::fs::read(pipe).unwrap()
    });
    write_atomically(&pipe, |w| w.write_all(b"through")).unwrap();
    assert_eq!(reading.join().unwrap(), b"through");
    assert!(!std::fs::metadata(&pipe).unwrap().is_file());
}

#[test]
fn readers_can_be_shared_between_threads() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m.orff");
    let mats: Vec<Mat<f64>> = (0..4).map(|k| Mat::from_fn(400, 500, |i, j| (k * i + j) as f64)).collect();
    let mut archive = Archive::new("model", json!({}));
    mats.iter().enumerate().for_each(|(k, mat)| archive.put_mat(&k.to_string(), mat.as_ref()));
    archive.save(&path).unwrap();
    let file = Reader::open(&path).unwrap();
    std::thread::scope(|s| {
        for (k, mat) in mats.iter().enumerate() {
            let file = &file;
            s.spawn(move || assert_eq!(file.mat(&k.to_string(), None, None).unwrap(), *mat));
        }
    });
}
