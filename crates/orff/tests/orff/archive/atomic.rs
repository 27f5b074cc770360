//! Files are written whole or not at all, where and with the rights they had.

use super::small;
use orff::Error;
use orff::archive::{Archive, write_atomically};
use serde_json::json;
use std::io::Write;
use std::path::Path;

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
    assert_eq!(
        why,
        format!("{}: no such folder (make it first, or choose another)", dir.path().join("none").display())
    );
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
