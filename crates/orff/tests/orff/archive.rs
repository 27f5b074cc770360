//! Files: what is written comes back.

mod atomic;
mod damage;
mod forgery;

use faer::Mat;
use orff::Error;
use orff::archive::{Archive, Reader};
use serde_json::json;

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
