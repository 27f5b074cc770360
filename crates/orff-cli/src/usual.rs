//! `orff plot` of a model of outliers: its score over the plane or along one input, with the sets and rows.

use crate::data;
use crate::flags::Usage;
use crate::plot::{CurveOutput, CurvePicture, SetsPicture, curve_svg, sets_svg};
use anyhow::Result;
use clap::ArgMatches;
use faer::Mat;
use orff::model::{Body, Model};
use orff::rows::Inputs;

/// Levels whose sets are drawn.
const LEVELS: [f64; 5] = [0.05, 0.25, 0.5, 0.75, 0.95];
/// Rows of a file that are drawn, at most.
const ROWS: usize = 20_000;

/// Rows given, or else those of the fit that the model keeps, as the body of the model takes them.
fn rows(model: &Model, matches: &ArgMatches) -> Result<Vec<Vec<f64>>> {
    if !matches.contains_id("files") {
        return Ok(model.info.training.points.clone());
    }
    let source = data::open_for(model, matches, false, None)?;
    let mut found = Vec::new();
    for page in source.pages()? {
        let x = model.projected(&page?.batch.inputs)?.to_dense();
        found.extend((0..x.nrows()).map(|i| x.row(i).iter().copied().collect::<Vec<f64>>()));
        if found.len() > ROWS {
            found.truncate(ROWS);
            break;
        }
    }
    Ok(found)
}

/// The picture.
pub fn svg(mut model: Model, matches: &ArgMatches, title: &str) -> Result<String> {
    let d = model.inputs();
    if !(1..=2).contains(&d) {
        return Err(Usage(format!("--kind sets: a model of outliers is drawn with one input or two, got {d}")).into());
    }
    let rows = rows(&model, matches)?;
    // a picture in metres
    let projected = model.projection.take().is_some();
    let scores = |x: &[Vec<f64>]| model.normality(&Inputs::Dense(Mat::from_fn(x.len(), d, |i, k| x[i][k])));
    let offset = model.outliers()?.offset;
    let name = |k: usize| match (projected, k) {
        (false, _) => model.info.inputs[k].as_str(),
        (true, 0) => "east (m)",
        (true, _) => "north (m)",
    };
    let sets = model.inside(&Inputs::Dense(Mat::zeros(0, d)), &[0.5]).is_ok();
    let score = if sets { "level at which a place leaves the sets" } else { "score" };
    let near = match rows.is_empty() {
        true => (0..d).map(|k| region(&model, k)).collect::<Vec<_>>(),
        false => (0..d).map(|k| ends(rows.iter().map(|row| row[k]))).collect(),
    };
    if d == 1 {
        let (low, high) = near[0];
        let air = 0.1 * (high - low);
        let x: Vec<f64> = (0..400).map(|i| low - air + (high - low + 2.0 * air) * i as f64 / 399.0).collect();
        let mean = scores(&x.iter().map(|x| vec![*x]).collect::<Vec<_>>())?;
        let observed: Vec<[f64; 2]> = rows.iter().zip(scores(&rows)?).map(|(row, s)| [row[0], s]).collect();
        let output = CurveOutput { name: score, mean: &mean, bands: Vec::new(), observed: &observed };
        return curve_svg(&CurvePicture { title, input: name(0), x: &x, band: "", outputs: &[output] });
    }
    let (boundaries, lines): (Vec<(f64, String)>, _) = match sets {
        true => (LEVELS.iter().map(|nu| (*nu, nu.to_string())).collect(), "sets that hold all rows but a share ν"),
        false => (vec![(offset, format!("{offset:.3}"))], "outliers are beyond"),
    };
    let marked: Vec<([f64; 2], bool)> =
        rows.iter().zip(scores(&rows)?).map(|(row, s)| ([row[0], row[1]], s < offset)).collect();
    let picture = SetsPicture {
        title,
        axes: [name(0), name(1)],
        score,
        boundaries: &boundaries,
        lines,
        rows: &marked,
        range: ([near[0].0, near[1].0], [near[0].1, near[1].1]),
    };
    sets_svg(&picture, &mut |places| Ok(scores(&places.iter().map(|p| p.to_vec()).collect::<Vec<_>>())?))
}

/// Where a model that keeps no rows is at home, along an input.
fn region(model: &Model, k: usize) -> (f64, f64) {
    match &model.body {
        Body::Forest(grown) => (grown.forest.lower[k], grown.forest.upper[k]),
        _ => {
            let p = model.preparation();
            (p.centre[k] - 2.0 * p.scale[k], p.centre[k] + 2.0 * p.scale[k])
        }
    }
}

fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)))
}
