//! The field of the README: GPS velocities of California, learned from 200 sites and judged at the others.
//! `cargo run --release -p orff-cli --example california -- pictures/`

#[path = "../src/plot/mod.rs"]
#[allow(dead_code, unused_imports)]
mod plot;

use anyhow::{Context, Result};
use faer::Mat;
use orff::kernel::{Kernel, Output};
use orff::learn::Regression;
use orff::model::{Linear, Query};
use orff::rows::{Inputs, Table};
use orff::spectrum::{Matern, Spectrum};
use orff::watch::Silent;
use plot::*;
use std::path::PathBuf;

const TRAINING: usize = 200;

/// Positions (km) and velocities (mm/yr) of the sites.
fn sites() -> Result<(Vec<[f64; 2]>, Vec<[f64; 2]>)> {
    let text = include_str!("../../../data/california-gps.csv");
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().context("no header")?.split(',').collect();
    let column = |name: &str| names.iter().position(|n| *n == name).with_context(|| format!("no column {name}"));
    let at = [column("east_km")?, column("north_km")?, column("velocity_east")?, column("velocity_north")?];
    let mut sites = (Vec::new(), Vec::new());
    for line in lines {
        let row: Vec<&str> = line.split(',').collect();
        let v = at.map(|k| row[k].parse::<f64>());
        let [x, y, u, v] = [v[0].clone()?, v[1].clone()?, v[2].clone()?, v[3].clone()?];
        sites.0.push([x, y]);
        sites.1.push([u, v]);
    }
    Ok(sites)
}

fn matrix(rows: &[[f64; 2]]) -> Mat<f64> {
    Mat::from_fn(rows.len(), 2, |i, j| rows[i][j])
}

fn predict(model: &Linear, x: &[[f64; 2]]) -> Result<Vec<[f64; 2]>> {
    let mean = model.predict(&Inputs::Dense(matrix(x)), Query::default())?.mean;
    Ok((0..x.len()).map(|i| [mean[(i, 0)], mean[(i, 1)]]).collect())
}

/// Root of the mean squared distance of two sets of vectors.
fn rmse(a: &[[f64; 2]], b: &[[f64; 2]]) -> f64 {
    let square: f64 = a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| (a - b).powi(2)).sum();
    (square / a.len() as f64).sqrt()
}

fn main() -> Result<()> {
    let to = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "pictures".to_string()));
    std::fs::create_dir_all(&to)?;
    let save = |name: &str, svg: String| std::fs::write(to.join(name), svg);
    let (x, y) = sites()?;
    let (train, test) = (matrix(&x[..TRAINING]), &x[TRAINING..]);
    let table = Table::new(train, matrix(&y[..TRAINING]))?;
    let spectrum = |smoothness| -> Spectrum { Matern { smoothness, ..Default::default() }.into() };
    let learn = |kernel: Kernel| Regression { kernel, ..Default::default() }.fit(&table, &mut Silent);
    for nu in [0.5, 1.5, 2.5] {
        let separate = learn(Kernel::decomposable(spectrum(nu), Output::Identity))?;
        println!("separate  matern {nu}: {:.3} mm/yr", rmse(&predict(&separate.model, test)?, &y[TRAINING..]));
    }
    for nu in [1.5, 2.5] {
        for w in [0.01, 0.02, 0.05, 0.5] {
            let joint = learn(Kernel::helmholtz(spectrum(nu), w))?;
            let evidence = joint.training.path.iter().map(|p| p.evidence).fold(f64::NEG_INFINITY, f64::max);
            let error = rmse(&predict(&joint.model, test)?, &y[TRAINING..]);
            println!("helmholtz matern {nu} w {w}: {error:.3} mm/yr, evidence {evidence:.1}");
        }
    }

    let fitted = learn(Kernel::helmholtz(spectrum(1.5), 0.02))?;
    let title = "Velocity of the ground in California";
    let picture = FieldPicture {
        title,
        axes: ["east", "north"],
        units: ["km", "km"],
        field_unit: "mm/yr",
        background_unit: "mm/yr",
        grid: 26,
        points: &x[..TRAINING],
        range: range_of(&x),
        background: Some(Background::Speed),
        reach: Some(90.0),
        ..Default::default()
    };
    let mut field = |x: &[[f64; 2]]| predict(&fitted.model, x);
    save("california.svg", field_svg(&picture, &mut field, None)?)?;
    let measured = FieldPicture { arrows_at_points: Some(&y[..TRAINING]), ..picture.clone() };
    save("california-measured.svg", field_svg(&measured, &mut field, None)?)?;
    let lines = FieldPicture { style: Style::Streamlines, grid: 20, ..picture.clone() };
    save("california-lines.svg", field_svg(&lines, &mut field, None)?)?;
    let mut curl = |x: &[[f64; 2]]| -> Result<Vec<f64>> {
        let curl = fitted.model.curl(&Inputs::Dense(matrix(x)))?;
        Ok((0..x.len()).map(|i| curl[(i, 0)]).collect())
    };
    let shear = FieldPicture { background: Some(Background::Curl), background_unit: "mm/yr/km", ..picture };
    save("california-curl.svg", field_svg(&shear, &mut field, Some(&mut curl))?)?;
    save(
        "california-path.svg",
        path_svg(&PathPicture { title, path: &fitted.training.path, chosen: fitted.training.ridge })?,
    )?;

    let predicted = predict(&fitted.model, test)?;
    let of = |rows: &[[f64; 2]], c: usize| -> Vec<f64> { rows.iter().map(|r| r[c]).collect() };
    let (seen, guess) = ([0, 1].map(|c| of(&y[TRAINING..], c)), [0, 1].map(|c| of(&predicted, c)));
    let panel = |name, c: usize| ScatterOutput { name, observed: &seen[c], predicted: &guess[c] };
    let outputs = [panel("east (mm/yr)", 0), panel("north (mm/yr)", 1)];
    save(
        "california-scatter.svg",
        scatter_svg(&ScatterPicture { title: "Sites not learned from", outputs: &outputs })?,
    )?;
    Ok(())
}
