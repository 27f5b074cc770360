//! Files of the reference learners: they bring the model back, and none that contradicts itself is believed.

use super::{ALL, coupled, exact, fit, inputs, kernels, listed, outputs, samples, spectrum, table};
use faer::Mat;
use orff::archive::{Archive, Reader};
use orff::kernel::Kernel;
use orff::learn::{FittedExact, Nystrom, Ridge};
use orff::model::{Body, Info, Model};
use orff::params::Auto;
use orff::rows::Inputs;
use orff::watch::Silent;

fn model(fitted: FittedExact) -> Model {
    Model {
        body: Body::Exact(Box::new(fitted.model)),
        projection: None,
        info: Info::default(),
        series: None,
        curves: None,
        alignment: None,
    }
}

#[test]
fn a_file_brings_the_model_back() {
    let x = inputs(20, 2, 1);
    for (_, kernel, p) in kernels() {
        for (_, y, weights) in samples(&x, p) {
            let nystrom = Nystrom { kernel: kernel.clone(), points: Auto::Fixed(9), ..Nystrom::default() };
            let rows = table(&x, &y, &weights);
            for fitted in
                [fit(&exact(&kernel, Ridge::Given(1e-3), true), &rows), nystrom.fit(&rows, &mut Silent).unwrap()]
            {
                let model = model(fitted);
                let back = Model::from_bytes(model.to_bytes().unwrap()).unwrap();
                assert_eq!((back.inputs(), back.outputs()), (2, p));
                let at = Inputs::Dense(inputs(5, 2, 2));
                let (a, b) = (model.predict(&at, ALL).unwrap(), back.predict(&at, ALL).unwrap());
                assert_eq!(a.mean, b.mean);
                assert_eq!(a.std, b.std);
                assert_eq!(a.cov, b.cov);
                assert_eq!(back.to_bytes().unwrap(), model.to_bytes().unwrap());
            }
        }
    }
}

#[test]
fn a_file_that_contradicts_itself_is_refused() {
    let x = inputs(12, 2, 1);
    let at = Inputs::Dense(inputs(3, 2, 2));
    for (name, kernel, p) in kernels() {
        let fitted = fit(&exact(&kernel, Ridge::Given(1e-3), true), &table(&x, &outputs(&x, p, 0.1), &None));
        let file = Reader::from_bytes(model(fitted).to_bytes().unwrap()).unwrap();
        let usable = |archive: Archive| -> bool {
            match Model::from_bytes(archive.to_bytes().unwrap()) {
                Ok(model) => model.predict(&at, ALL).is_ok(),
                Err(_) => false,
            }
        };
        let copy = |header: serde_json::Value| {
            let mut archive = Archive::new("model", header);
            file.names().for_each(|name| archive.put_stored(name, &file).unwrap());
            archive
        };
        assert!(usable(copy(file.header().clone())));
        // every tensor with a row more, a column more, one less
        for tensor in file.names() {
            let shape = file.shape(tensor).unwrap().to_vec();
            for (more, wide) in [(1i64, 0i64), (0, 1), (-1, 0), (0, -1)] {
                let side = |k: usize, by: i64| (shape.get(k).copied().unwrap_or(1) as i64 + by) as usize;
                let values = Mat::from_fn(side(0, more), side(1, wide), |i, k| 1.0 / (1 + i + k) as f64);
                let mut archive = copy(file.header().clone());
                match shape.len() {
                    2 => archive.put_mat(tensor, values.as_ref()),
                    _ if wide != 0 => continue,
                    _ => archive.put_vec(tensor, values.col(0).iter().copied().collect::<Vec<f64>>()),
                }
                assert!(!usable(archive), "{name}: {tensor} with {more} rows and {wide} columns more");
            }
        }
        let separable = ["coupled", "deficient", "identity"].contains(&name);
        // a header that speaks of another kernel, preparation or posterior
        let other = if p == 2 { coupled() } else { Kernel::curl_free(spectrum(1.0)) };
        let edits: Vec<(&str, serde_json::Value)> = vec![
            ("/exact/kernel", serde_json::to_value(other).unwrap()),
            ("/exact/kernel", serde_json::to_value(Kernel::default()).unwrap()),
            ("/exact/kernel", serde_json::to_value(listed(3, p, 1, 2)).unwrap()),
            ("/exact/kernel", serde_json::json!({"kernel": "sum", "terms": []})),
            ("/exact/kernel", serde_json::json!(3)),
            // the posterior of a decomposable kernel has fewer numbers
            (["/exact/kernel", "/body"][usize::from(!separable)], serde_json::to_value(listed(2, 3, 2, 2)).unwrap()),
            ("/exact/preparation/inputs", serde_json::json!(3)),
            ("/exact/preparation/scale", serde_json::json!([1.0, 0.0])),
            ("/exact/preparation/centre", serde_json::json!([0.0])),
            ("/exact/preparation/views", serde_json::json!([[[1.0, 0.0], [0.0, 1.0]]])),
            ("/exact/posterior/roots", serde_json::json!(1_000_000_000_000u64)),
            ("/exact/posterior/roots", serde_json::json!(0)),
            ("/exact/posterior/spans/0/root", serde_json::json!(7)),
            ("/exact/posterior/spans/0/direction", serde_json::json!(true)), // turned over
            ("/body", serde_json::json!("linear")),
            ("/body", serde_json::json!("exacter")),
        ];
        for (at, value) in edits {
            let mut header = file.header().clone();
            let place = header.pointer_mut(at).unwrap();
            let value = match value {
                serde_json::Value::Bool(_) => serde_json::json!(!place.as_bool().unwrap()),
                other => other,
            };
            *place = value.clone();
            assert!(!usable(copy(header)), "{name}: {at} = {value}");
        }
    }
}
