//! `orff plot`: a model as a picture.

use crate::flags::Usage;
use crate::plot::{
    Background, CurveOutput, CurvePicture, FieldPicture, PathPicture, ScatterOutput, ScatterPicture, Style,
    curve_svg, field_svg, path_svg, range_of, scatter_svg,
};
use crate::{calculus, curves, data, evaluate, flags, usual};
use anyhow::Result;
use clap::{Arg, ArgMatches, Command};
use faer::Mat;
use orff::archive::write_atomically;
use orff::model::{Linear, Model, Preparation, Query};
use orff::params::Params;
use orff::rows::Inputs;
use std::borrow::Cow;
use std::path::PathBuf;

/// `orff plot MODEL -o PICTURE.svg`.
pub fn command() -> Command {
    let mut command = picture();
    for param in data::Reading::SPEC {
        command = command.arg(flags::flag(param, None).help_heading("Files"));
    }
    command.arg(data::missing())
}

fn picture() -> Command {
    let word = |name: &'static str, words: &'static [&'static str], help: &'static str| {
        Arg::new(name).long(name).value_name("WORD").value_parser(words.to_vec()).default_value(words[0]).help(help)
    };
    Command::new("plot")
        .about("Draw a model: a field in the plane, curves or quantiles of one input, curves that are outputs, sets of usual rows, or the path of ridges")
        .arg(evaluate::model_arg())
        .arg(
            Arg::new("out")
                .short('o')
                .long("out")
                .value_name("FILE.svg")
                .required(true)
                .value_parser(clap::value_parser!(PathBuf))
                .help("Where to write the picture (SVG)"),
        )
        .arg(word("kind", &["auto", "field", "curve", "curves", "path", "scatter", "sets"], "What to draw"))
        .arg(
            Arg::new("files")
                .long("data")
                .value_name("FILE")
                .value_parser(clap::value_parser!(PathBuf))
                .help("Rows with known outputs: predicted against observed (scatter); of a model of outliers or of curves, rows to draw"),
        )
        .arg(word("style", &["arrows", "streamlines"], "How a field is drawn"))
        .arg(word(
            "background",
            &["speed", "potential", "stream", "curl", "divergence", "none"],
            "What the colours behind a field show; potential and stream are those of the field, or of its gradient (rotation) part",
        ))
        .arg(Arg::new("title").long("title").value_name("TEXT").help("Title of the picture"))
}

/// Runs it.
pub fn run(matches: &ArgMatches) -> Result<()> {
    let path = flags::path(matches, "model");
    let target = flags::path(matches, "out");
    if target.extension().is_none_or(|e| !e.eq_ignore_ascii_case("svg")) {
        return Err(Usage(format!(
            "-o: pictures are SVG: expected a name that ends in .svg, got {}",
            target.display()
        ))
        .into());
    }
    let model = Model::load(path)?;
    let (d, p) = (model.inputs(), model.outputs());
    let text = |name: &str| matches.get_one::<String>(name).map(String::as_str).unwrap_or_default();
    let kind = match text("kind") {
        "auto" if model.info.classes.is_some() => "path",
        given if model.info.classes.is_some() && given != "path" => {
            return Err(Usage(format!("--kind {given}: of a model of classes the path of ridges is drawn")).into());
        }
        "auto" | "sets" if model.info.outliers.is_some() => "sets",
        given if model.info.outliers.is_some() => {
            return Err(
                Usage(format!("--kind {given}: of a model of outliers the sets are drawn (--kind sets)")).into()
            );
        }
        "sets" => {
            return Err(
                Usage("--kind sets: the model is none of outliers; fit one with orff fit one-class".into()).into()
            );
        }
        "auto" | "curves" if model.functions().is_ok() => "curves",
        "curves" => {
            return Err(Usage("--kind curves: the outputs of this model are no curves; fit functional".into()).into());
        }
        "scatter" if model.functions().is_ok_and(|(_, argument)| argument.name.is_some()) => {
            return Err(
                Usage("--kind scatter: rows of this model are points of curves; use --kind curves".into()).into()
            );
        }
        "auto" if matches.contains_id("files") => "scatter",
        "auto" if d == p && d >= 2 => "field",
        "auto" if d == 1 => "curve",
        "auto" => "path",
        given => given,
    };
    let name = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let title = matches.get_one::<String>("title").cloned().unwrap_or(name);
    let svg = match kind {
        "field" if d == p && d >= 2 => field(&model, &title, text("style"), text("background"))?,
        "field" => {
            return Err(Usage(format!(
                "--kind field: needs as many outputs as inputs, at least two, got {d} inputs and {p} outputs"
            ))
            .into());
        }
        "curve" if d == 1 => curve(&model, &title)?,
        "curve" => return Err(Usage(format!("--kind curve: needs one input, got {d}")).into()),
        "scatter" => scatter(&model, matches, &title)?,
        "sets" => usual::svg(model, matches, &title)?,
        "curves" => curves::svg(model, matches, &title)?,
        _ => path_svg(&PathPicture {
            title: &title,
            path: &model.info.training.path,
            chosen: model.info.training.ridge,
        })?,
    };
    write_atomically(target, |w| w.write_all(svg.as_bytes()))?;
    crate::progress::tell(&format!("wrote {}", target.display()));
    Ok(())
}

/// The plane of the first two inputs; others stay at their training mean. Projected models are drawn in kilometres.
fn field(model: &Model, title: &str, style: &str, background: &str) -> Result<String> {
    let d = model.inputs();
    let training = &model.info.training.points;
    let unit = if model.projection.is_some() { 1e-3 } else { 1.0 };
    let points: Vec<[f64; 2]> = training.iter().map(|row| [row[0] * unit, row[1] * unit]).collect();
    let arrows: Vec<[f64; 2]> = training.iter().map(|row| [row[d], row[d + 1]]).collect();
    let rest: Vec<f64> =
        (2..d).map(|k| training.iter().map(|row| row[k]).sum::<f64>() / training.len().max(1) as f64).collect();
    let at = |places: &[[f64; 2]]| {
        Inputs::Dense(Mat::from_fn(places.len(), d, |i, k| if k < 2 { places[i][k] / unit } else { rest[k - 2] }))
    };
    let mut value = |places: &[[f64; 2]]| -> Result<Vec<[f64; 2]>> {
        let f = model.body.predict(&at(places), Query::default())?.mean;
        Ok((0..places.len()).map(|i| [f[(i, 0)], f[(i, 1)]]).collect())
    };
    let shown = match background {
        "potential" => Some(Background::Potential),
        "stream" => Some(Background::Stream),
        "curl" => Some(Background::Curl),
        "divergence" => Some(Background::Divergence),
        "none" => None,
        _ => Some(Background::Speed),
    };
    // only waves have derivatives; potential and stream function of a field that has both parts are those of its parts
    let field = match shown {
        None | Some(Background::Speed) => None,
        Some(Background::Potential) => Some(model.linear()?.as_gradient()?),
        Some(Background::Stream) => Some(model.linear()?.as_rotation()?),
        Some(_) => Some(Cow::Borrowed(model.linear()?)),
    };
    if let Some(line) = calculus::said(model, background)? {
        crate::progress::tell(&line);
    }
    let colours = |linear: &Linear, places: &[[f64; 2]]| -> Result<Vec<f64>> {
        let x = at(places);
        Ok(match shown {
            Some(Background::Potential) => linear.potential(&x)?,
            Some(Background::Stream) => linear.stream_function(&x)?,
            Some(Background::Curl) => {
                let c = linear.curl(&x)?;
                (0..places.len()).map(|i| c[(i, 0)]).collect()
            }
            _ => linear.divergence(&x)?,
        })
    };
    let names = &model.info.inputs;
    let axes = if model.projection.is_some() { ["east", "north"] } else { [names[0].as_str(), names[1].as_str()] };
    let range = if points.is_empty() { centred_range(model.preparation()) } else { range_of(&points) };
    let picture = FieldPicture {
        title,
        axes,
        units: if model.projection.is_some() { ["km", "km"] } else { ["", ""] },
        style: if style == "streamlines" { Style::Streamlines } else { Style::Arrows },
        points: &points,
        arrows_at_points: (!points.is_empty()).then_some(&arrows),
        range,
        background: shown,
        reach: reach(&points),
        ..FieldPicture::default()
    };
    match &field {
        Some(linear) => field_svg(&picture, &mut value, Some(&mut |places| colours(linear, places))),
        None => field_svg(&picture, &mut value, None),
    }
}

/// Where the model is centred, two scales to each side, when no training points are known.
fn centred_range(p: &Preparation) -> ([f64; 2], [f64; 2]) {
    let side = |sign: f64| [p.centre[0] + sign * 2.0 * p.scale[0], p.centre[1] + sign * 2.0 * p.scale[1]];
    (side(-1.0), side(1.0))
}

/// Beyond a few typical gaps between neighbouring points the picture fades.
fn reach(points: &[[f64; 2]]) -> Option<f64> {
    let gap = |i: usize| {
        let to = |q: &[f64; 2]| (points[i][0] - q[0]).hypot(points[i][1] - q[1]);
        points.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, q)| to(q)).fold(f64::INFINITY, f64::min)
    };
    let mut gaps: Vec<f64> = (0..points.len()).map(gap).filter(|g| *g > 0.0 && g.is_finite()).collect();
    gaps.sort_by(f64::total_cmp);
    gaps.get(gaps.len() / 2).map(|median| 4.0 * median)
}

/// Predicted against observed, at most some thousand rows.
fn scatter(model: &Model, matches: &ArgMatches, title: &str) -> Result<String> {
    if !matches.contains_id("files") {
        return Err(Usage("--kind scatter: say on which rows, for example --data test.csv".into()).into());
    }
    let source = data::open_for(model, matches, true, None)?;
    let p = model.outputs();
    let (mut observed, mut predicted) = (vec![Vec::new(); p], vec![Vec::new(); p]);
    evaluate::outputs(&source, &source, &mut |rows| {
        for batch in rows.batches()? {
            let batch = batch?;
            let mean = model.predict(&batch.inputs, Query::default())?.mean;
            for t in 0..p {
                for i in (0..mean.nrows()).filter(|&i| batch.outputs[(i, t)].is_finite()) {
                    observed[t].push(batch.outputs[(i, t)]);
                    predicted[t].push(mean[(i, t)]);
                }
            }
            if observed[0].len() > 20_000 {
                break;
            }
        }
        Ok(())
    })?;
    let outputs: Vec<ScatterOutput> = (0..p)
        .map(|t| ScatterOutput { name: &model.info.outputs[t], observed: &observed[t], predicted: &predicted[t] })
        .collect();
    scatter_svg(&ScatterPicture { title, outputs: &outputs })
}

/// Probabilities of the bands of quantiles.
const FAN: [f64; 3] = [0.95, 0.8, 0.5];

fn curve(model: &Model, title: &str) -> Result<String> {
    let training = &model.info.training.points;
    let (low, high) = if training.is_empty() {
        let p = model.preparation();
        (p.centre[0] - 2.0 * p.scale[0], p.centre[0] + 2.0 * p.scale[0])
    } else {
        training.iter().map(|row| row[0]).fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)))
    };
    let x: Vec<f64> = (0..400).map(|i| low + (high - low) * i as f64 / 399.0).collect();
    // quantiles are bands of their own, curves as outputs have none
    let level = if model.curves.is_some() { None } else { evaluate::level_of(model) };
    let query = Query { std: level.is_some(), ..Query::default() };
    let at = Inputs::Dense(Mat::from_fn(x.len(), 1, |i, _| x[i]));
    let predicted = model.predict(&at, query)?;
    let p = model.outputs();
    let column = |m: &Mat<f64>, t: usize| (0..x.len()).map(|i| m[(i, t)]).collect::<Vec<f64>>();
    let means: Vec<Vec<f64>> = (0..p).map(|t| column(&predicted.mean, t)).collect();
    let bands: Vec<Vec<(Vec<f64>, Vec<f64>)>> = match (model.curves(), level, &predicted.std) {
        (Ok(curves), ..) => {
            let columns = model.columns(&at, false)?;
            let band = |coverage: &f64| curves.interval(columns.as_ref(), *coverage, &vec![0.0; p]);
            let found = FAN.iter().map(band).collect::<orff::Result<Vec<_>>>()?;
            (0..p).map(|t| found.iter().map(|(low, high)| (column(low, t), column(high, t))).collect()).collect()
        }
        (_, Some(level), Some(std)) => {
            let half = evaluate::width(level);
            let edge = |t: usize, sign: f64| (0..x.len()).map(|i| means[t][i] + sign * half * std[(i, t)]).collect();
            (0..p).map(|t| vec![(edge(t, -1.0), edge(t, 1.0))]).collect()
        }
        _ => vec![Vec::new(); p],
    };
    let observed: Vec<Vec<[f64; 2]>> =
        (0..p).map(|t| training.iter().filter_map(|row| Some([row[0], *row.get(1 + t)?])).collect()).collect();
    let outputs: Vec<CurveOutput> = (0..p)
        .map(|t| CurveOutput {
            name: &model.info.outputs[t],
            mean: &means[t],
            bands: bands[t].iter().map(|(a, b)| (a.as_slice(), b.as_slice())).collect(),
            observed: &observed[t],
        })
        .collect();
    let band = if model.curves().is_ok() { "95 %, 80 % and 50 % between quantiles" } else { "90 %" };
    curve_svg(&CurvePicture { title, input: &model.info.inputs[0], x: &x, band, outputs: &outputs })
}
