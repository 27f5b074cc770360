//! Curves as outputs: `orff fit functional` of files whose rows are points of curves, `orff predict` at any argument.

use crate::Session;
use crate::flags::{self, Usage};
use crate::plot::{CurveOutput, CurvePicture, MAX_PANELS, curve_svg};
use crate::progress::Progress;
use anyhow::{Result, bail};
use clap::{Arg, ArgMatches};
use faer::Mat;
use orff::model::{LonLat, Model};
use orff::rows::{Inputs, Rows, Table, Weights};
use orff::watch::Watch;
use orff_table::{Source, Writer};
use std::collections::HashMap;

/// Where curves are predicted.
pub fn at_arg() -> Arg {
    Arg::new("at").long("at").value_name("X,…").allow_hyphen_values(true).help(
        "Of curves: the arguments to predict, such as 0,0.5,1, in columns y_at0, …; or the column with the argument of each \
         row, which then has one prediction. Without it: where the curves of the fit were known; 51 places over their range \
         where these are more than 100",
    )
}

/// What --at says: arguments, or the name of a column.
pub enum At {
    /// The same for all rows.
    Numbers(Vec<f64>),
    /// One for each row.
    Column(String),
}

impl At {
    /// As it was given, if it was.
    pub fn given(matches: &ArgMatches) -> Result<Option<At>> {
        let Some(text) = matches.try_get_one::<String>("at").ok().flatten() else { return Ok(None) };
        let numbers: Vec<Option<f64>> = text.split(',').map(|t| t.trim().parse::<f64>().ok()).collect();
        if numbers.iter().all(Option::is_none) {
            return Ok(Some(At::Column(text.clone())));
        }
        match numbers.iter().position(|t| !t.is_some_and(f64::is_finite)) {
            None => Ok(Some(At::Numbers(numbers.into_iter().flatten().collect()))),
            Some(k) => {
                let bad = text.split(',').nth(k).unwrap_or_default();
                Err(Usage(format!("--at: expected finite numbers or the name of a column, got {bad}")).into())
            }
        }
    }
}

/// A curve under way.
struct Curve {
    inputs: Vec<f64>,
    points: Vec<(f64, f64, f64)>,
}

/// The curves of a source whose rows are points: one row of inputs for each id, its outputs t₁, y₁, t₂, y₂, ….
pub fn gather(source: &Source, projection: Option<LonLat>, watch: &mut dyn Watch) -> Result<Table> {
    watch.stage("read");
    let (mut curves, mut order): (HashMap<String, Curve>, Vec<String>) = (HashMap::new(), Vec::new());
    let names = source.input_names();
    let mut weighted = false;
    for page in source.pages()? {
        let page = page?;
        let inputs = match &projection {
            None => page.batch.inputs.clone(),
            Some(by) => by.project(&page.batch.inputs, 1).map_err(|e| page.placed(e))?,
        };
        let x = inputs.to_dense();
        for (i, &row) in page.used.iter().enumerate() {
            let wrong = |value: String, problem: String| {
                let column = String::from("point");
                page.placed(orff::Error::Value { row: i + 1, column, value, problem })
            };
            let id = page.kept[0][row].trim();
            if id.is_empty() {
                return Err(wrong("no id:".into(), "each row says which curve it is a point of".into()).into());
            }
            let (t, y) = (page.batch.outputs[(i, 0)], page.batch.outputs[(i, 1)]);
            if !t.is_finite() && !y.is_nan() {
                let problem = "is no argument (each value of a curve has a finite one)";
                return Err(wrong(t.to_string(), problem.into()).into());
            }
            let weight = match &page.batch.weights {
                Some(Weights::Row(w)) => {
                    weighted = true;
                    w[i]
                }
                _ => 1.0,
            };
            let own: Vec<f64> = x.row(i).iter().copied().collect();
            let curve = curves.entry(id.to_string()).or_insert_with(|| {
                order.push(id.to_string());
                Curve { inputs: own.clone(), points: Vec::new() }
            });
            if let Some(k) = (0..own.len()).find(|&k| curve.inputs[k] != own[k]) {
                let (name, before, now) = (&names[k], curve.inputs[k], own[k]);
                let problem = format!(
                    "has {name} = {now} here and {name} = {before} before (a curve has one row of inputs: use another id, or --ignore)"
                );
                return Err(wrong(format!("id {id}"), problem).into());
            }
            if !y.is_nan() {
                if curve.points.iter().any(|p| p.0 == t) {
                    let problem = "occurs twice (take the mean of its values, or use another id)";
                    return Err(wrong(format!("id {id}: argument {t}"), problem.into()).into());
                }
                curve.points.push((t, y, weight));
            }
        }
        watch.advance(page.nrows() as u64)?;
    }
    if order.is_empty() {
        bail!("no rows: the data are empty (after dropping rows with missing values, if that was asked)");
    }
    let known: Vec<&Curve> = order.iter().map(|id| &curves[id]).collect();
    let longest = known.iter().map(|c| c.points.len()).max().unwrap_or(0).max(1);
    let number = |i: usize, k: usize, none: f64, of: fn(&(f64, f64, f64), bool) -> f64| {
        known[i].points.get(k / 2).map_or(none, |p| of(p, k.is_multiple_of(2)))
    };
    let inputs = Mat::from_fn(known.len(), names.len(), |i, k| known[i].inputs[k]);
    let outputs =
        Mat::from_fn(known.len(), 2 * longest, |i, k| number(i, k, f64::NAN, |p, even| if even { p.0 } else { p.1 }));
    let table = Table::of(Inputs::Dense(inputs), outputs)?;
    Ok(match weighted {
        false => table,
        true => table
            .weighted(Weights::Entry(Mat::from_fn(known.len(), 2 * longest, |i, k| number(i, k, 0.0, |p, _| p.2))))?,
    })
}

/// Writes the curves of rows at the arguments asked for.
pub fn run(model: &Model, source: &Source, matches: &ArgMatches, session: &Session) -> Result<()> {
    let (curves, argument) = model.functions()?;
    let flag = ["std", "cov", "no-noise", "probabilities", "scores"].into_iter().find(|flag| matches.get_flag(flag));
    let flag = flag.or(["also", "levels", "interval"].into_iter().find(|flag| matches.contains_id(flag)));
    if let Some(flag) = flag {
        return Err(Usage(format!(
            "--{flag}: a model of curves says their values at arguments (--at), and nothing else"
        ))
        .into());
    }
    let at = At::given(matches)?;
    let value = crate::data::curve_name(model);
    let names: Vec<String> = match &at {
        None => model.info.outputs.iter().map(|name| crate::predict::predicted(name, source.kept())).collect(),
        Some(At::Numbers(at)) => at.iter().map(|t| format!("{value}_at{t}")).collect(),
        Some(At::Column(_)) => vec![crate::predict::predicted(&value, source.kept())],
    };
    crate::predict::once(source.kept(), &names)?;
    if let Some(twice) = names.iter().enumerate().find_map(|(k, name)| names[..k].contains(name).then_some(name)) {
        return Err(Usage(format!("--at: {twice} is asked for twice")).into());
    }
    let target = flags::path(matches, "out");
    let mut writer = Writer::create(target, None, source.kept(), &names)?;
    let mut watch = Progress::new(session.quiet, || (source.bytes_read(), source.bytes_total()));
    watch.stage("predict");
    let mut rows = 0;
    for page in source.pages()? {
        let page = page?;
        let n = page.nrows();
        let mut out = Mat::full(n, names.len(), f64::NAN);
        let columns = model.columns(&page.batch.inputs, source.single()).map_err(|e| page.placed(e))?;
        let values = match &at {
            None => curves.values(columns.as_ref(), &argument.values)?,
            Some(At::Numbers(at)) => curves.values(columns.as_ref(), at)?,
            Some(At::Column(name)) => {
                let own: Vec<f64> = page.batch.outputs.col(0).iter().copied().collect();
                if let Some(i) = own.iter().position(|t| !t.is_finite()) {
                    let (column, value) = (name.clone(), own[i].to_string());
                    let problem = "is no argument (each row needs a finite one)".into();
                    return Err(page.placed(orff::Error::Value { row: i + 1, column, value, problem }).into());
                }
                let found = curves.value_of_each(columns.as_ref(), &own)?;
                Mat::from_fn(own.len(), 1, |i, _| found[i])
            }
        };
        for (i, &row) in page.used.iter().enumerate() {
            (0..names.len()).for_each(|k| out[(row, k)] = values[(i, k)]);
        }
        writer.write(&page.kept, out.as_ref())?;
        rows += n;
        watch.advance(n as u64)?;
    }
    drop(watch);
    writer.finish()?;
    crate::predict::wrote(source, target, rows, session);
    Ok(())
}

/// Arguments at which a curve is drawn.
const DRAWN: usize = 200;

/// A curve to draw: the inputs of its row, as the body of the model takes them, and what was observed of it.
struct Seen {
    inputs: Vec<f64>,
    points: Vec<[f64; 2]>,
}

/// The first curves of rows given, or else of those of the fit that the model keeps; and how many there are.
fn seen(model: &Model, matches: &ArgMatches) -> Result<(Vec<Seen>, usize)> {
    let (d, (_, argument)) = (model.inputs(), model.functions()?);
    let on_grid = |y: &mut dyn Iterator<Item = f64>| argument.values.iter().zip(y).map(|(t, y)| [*t, y]).collect();
    if !matches.contains_id("files") {
        let rows = &model.info.training.points;
        if rows.is_empty() {
            let how = "the model keeps no rows of the fit; say which to draw, for example --data points.csv";
            return Err(Usage(format!("--data: {how}")).into());
        }
        let one = |row: &Vec<f64>| Seen { inputs: row[..d].to_vec(), points: on_grid(&mut row[d..].iter().copied()) };
        return Ok((rows.iter().take(MAX_PANELS).map(one).collect(), rows.len()));
    }
    let (mut found, mut places, mut count): (Vec<Seen>, HashMap<Vec<u64>, usize>, usize) = Default::default();
    let source = crate::data::open_for(model, matches, true, None)?;
    for page in source.pages()? {
        let batch = page?.batch;
        let x = model.projected(&batch.inputs)?.to_dense();
        for i in 0..x.nrows() {
            let inputs: Vec<f64> = x.row(i).iter().copied().collect();
            // rows that are points have the inputs of their curve
            let place = match argument.name {
                None => count,
                Some(_) => *places.entry(inputs.iter().map(|v| v.to_bits()).collect()).or_insert(count),
            };
            if place == count {
                count += 1;
            }
            if place >= MAX_PANELS {
                continue;
            }
            if place == found.len() {
                found.push(Seen { inputs, points: Vec::new() });
            }
            let y = batch.outputs.row(i);
            match argument.name {
                None => found[place].points = on_grid(&mut y.iter().copied()),
                Some(_) if y[0].is_finite() => found[place].points.push([y[0], y[1]]),
                Some(_) => {}
            }
        }
    }
    Ok((found, count))
}

/// The curves of some rows along their argument, with what was observed.
pub fn svg(mut model: Model, matches: &ArgMatches, title: &str) -> Result<String> {
    let (seen, count) = seen(&model, matches)?;
    if seen.is_empty() {
        bail!("no rows: there is nothing to draw");
    }
    let names: [&[String]; 2] = [&model.info.inputs, &["east (m)".into(), "north (m)".into()]];
    let names = names[usize::from(model.projection.is_some())];
    let told = |one: &Seen| match one.inputs.len() {
        1..=3 => {
            names.iter().zip(&one.inputs).map(|(name, v)| format!("{name} = {v:.4}")).collect::<Vec<_>>().join(", ")
        }
        _ => String::new(),
    };
    let headings: Vec<String> = seen.iter().map(told).collect();
    model.projection = None;
    let (curves, argument) = model.functions()?;
    let (first, last) = argument.range;
    // of a single argument there is a curve too
    let air = if last > first { 0.0 } else { 0.5 };
    let step = (last - first + 2.0 * air) / (DRAWN - 1) as f64;
    let t: Vec<f64> = (0..DRAWN).map(|k| first - air + step * k as f64).collect();
    let x = Mat::from_fn(seen.len(), model.inputs(), |i, k| seen[i].inputs[k]);
    let values = curves.values(model.columns(&Inputs::Dense(x), false)?.as_ref(), &t)?;
    let means: Vec<Vec<f64>> = (0..seen.len()).map(|i| values.row(i).iter().copied().collect()).collect();
    let output =
        |i: usize| CurveOutput { name: &headings[i], mean: &means[i], bands: Vec::new(), observed: &seen[i].points };
    let outputs: Vec<CurveOutput> = (0..seen.len()).map(output).collect();
    let title =
        if count > seen.len() { format!("{title} (first {} of {count} curves)", seen.len()) } else { title.into() };
    let input = argument.name.as_deref().unwrap_or("argument");
    curve_svg(&CurvePicture { title: &title, input, x: &t, band: "", outputs: &outputs })
}
