//! Forests through files, and files that are none.

use super::*;
use orff::archive::{Archive, Reader};
use orff::learn::learner;
use orff::model::Model;
use orff::rows::{Inputs, Table};
use serde_json::{Map, json};

const WORDS: [&str; 4] = ["trees.nodes", "trees.columns", "nodes", "columns"];
const NUMBERS: [&str; 6] = ["thresholds", "boxes.lower", "boxes.upper", "lower", "upper", "importance"];

fn fitted(name: &str, scoring: &str) -> (Model, Mat<f64>) {
    let x = cloud(150, 6, 3);
    let mut values = Map::from_iter([("trees".to_string(), json!(8))]);
    if name == "forest" {
        values.insert("scoring".into(), json!(scoring));
    }
    let rows = Table::new(x.clone(), Mat::zeros(150, 0)).unwrap();
    ((learner(name).unwrap().fit)(&values, &rows, &mut Silent).unwrap(), x)
}

#[test]
fn a_forest_comes_back_with_its_bits() {
    for (name, scoring) in
        [("forest", "depth"), ("forest", "density"), ("forest", "typical-cell"), ("isolation", "depth")]
    {
        let (model, x) = fitted(name, scoring);
        let bytes = model.to_bytes().unwrap();
        let back = Model::from_bytes(bytes.clone()).unwrap();
        let at = |model: &Model| model.normality(&Inputs::Dense(x.clone())).unwrap();
        assert_eq!(at(&model), at(&back), "{name} {scoring}");
        assert_eq!(back.to_bytes().unwrap(), bytes, "equal contents, equal bytes");
        assert_eq!(back.info, model.info);
    }
}

/// The file of a model with some tensors changed by `each`.
fn changed(
    bytes: &[u8],
    mut words: impl FnMut(&str, &mut Vec<u64>),
    mut numbers: impl FnMut(&str, &mut Vec<f64>),
) -> Vec<u8> {
    let file = Reader::from_bytes(bytes.to_vec()).unwrap();
    let mut archive = Archive::new("model", file.header().clone());
    for name in WORDS {
        let mut list = file.u64s(name, None).unwrap();
        words(name, &mut list);
        archive.put_u64s(name, list);
    }
    for name in NUMBERS.into_iter().filter(|name| file.has(name)) {
        let mut list = file.vec(name, None).unwrap();
        numbers(name, &mut list);
        archive.put_vec(name, list);
    }
    archive.to_bytes().unwrap()
}

#[test]
fn trees_that_no_fit_has_made_are_refused() {
    let (model, _) = fitted("forest", "density");
    let bytes = model.to_bytes().unwrap();
    let refused = |bytes: Vec<u8>| match Model::from_bytes(bytes) {
        Ok(_) => panic!("accepted"),
        Err(error) => error.to_string(),
    };
    assert!(Model::from_bytes(changed(&bytes, |_, _| {}, |_, _| {})).is_ok());
    let word = |which: &'static str, change: fn(&mut Vec<u64>)| {
        refused(changed(
            &bytes,
            |name, list| {
                if name == which {
                    change(list)
                }
            },
            |_, _| {},
        ))
    };
    assert!(word("nodes", |list| list[0] &= 0xffff_ffff).contains("nodes without a place"), "a root that is a leaf");
    assert!(word("nodes", |list| list[0] += 1).contains("nodes without a place"), "rows from nowhere");
    assert!(
        word("nodes", |list| list[0] |= 99 << 32).contains("nodes without a place"),
        "an input that is not there"
    );
    assert!(word("nodes", |list| list.truncate(5)).contains("ends before its last tree"));
    assert!(word("nodes", |list| list.push(7)).contains("goes on after its last tree"));
    assert!(word("columns", |list| list[0] = 1 << 40).contains("inputs that are not there"));
    assert!(word("columns", |list| list.swap(0, 1)).contains("inputs that are not there"));
    assert!(word("trees.nodes", |list| list[0] = u64::MAX).contains("ends before its last tree"));
    assert!(word("trees.nodes", |list| list.clear()).contains("has no trees"));
    let number = |which: &'static str, value: f64| {
        refused(changed(
            &bytes,
            |_, _| {},
            |name, list| {
                if name == which {
                    list[0] = value
                }
            },
        ))
    };
    assert!(number("thresholds", f64::INFINITY).contains("cells that are none"), "a node that would be a leaf");
    assert!(number("thresholds", f64::NAN).contains("cells that are none"));
    assert!(number("boxes.lower", f64::NAN).contains("cells that are none"));
    assert!(number("upper", f64::NEG_INFINITY).contains("no box"));
}

/// Whatever a file says, reading and scoring end without a panic.
#[test]
fn no_change_of_a_file_is_a_panic() {
    for (name, scoring) in [("forest", "density"), ("forest", "typical-cell"), ("isolation", "depth")] {
        let (model, x) = fitted(name, scoring);
        let bytes = model.to_bytes().unwrap();
        let mut stream = Stream::new(2, 2, 2);
        let mut accepted = 0;
        for _ in 0..300 {
            let (place, bits) = (stream.bits(), stream.bits() >> stream.below(64));
            let which = stream.below(10);
            let words = |name: &str, list: &mut Vec<u64>| {
                if WORDS.get(which) == Some(&name) {
                    let at = place as usize % list.len();
                    list[at] ^= bits;
                }
            };
            let numbers = |name: &str, list: &mut Vec<f64>| {
                if which >= 4 && NUMBERS[which - 4] == name && !list.is_empty() {
                    let at = place as usize % list.len();
                    list[at] = f64::from_bits(bits);
                }
            };
            if let Ok(model) = Model::from_bytes(changed(&bytes, words, numbers)) {
                accepted += 1;
                assert_eq!(model.normality(&Inputs::Dense(x.clone())).unwrap().len(), 150);
            }
        }
        assert!(accepted > 0, "some changes are harmless");
    }
}
