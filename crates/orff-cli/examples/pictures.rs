//! Draws one picture of each kind into a directory: `cargo run -p orff-cli --example pictures -- pictures/`.

#[path = "../src/plot/mod.rs"]
#[allow(dead_code)]
mod plot;

use anyhow::Result;
use orff::solve::PathPoint;
use plot::*;
use std::path::PathBuf;

fn main() -> Result<()> {
    let to = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "pictures".to_string()));
    std::fs::create_dir_all(&to)?;
    let save = |name: &str, svg: String| std::fs::write(to.join(name), svg);

    let gyres = |x: &[[f64; 2]]| -> Result<Vec<[f64; 2]>> {
        Ok(x.iter()
            .map(|p| {
                [-(p[0] / 200.0).sin() * (p[1] / 150.0).cos(), (p[0] / 200.0).cos() * (p[1] / 150.0).sin() * 0.75]
                    .map(|v| 12.0 * v)
            })
            .collect())
    };
    let stream = |x: &[[f64; 2]]| -> Result<Vec<f64>> {
        Ok(x.iter().map(|p| -12.0 * 150.0 * (p[0] / 200.0).sin() * (p[1] / 150.0).sin()).collect())
    };
    let points: Vec<[f64; 2]> = (0..60).map(|k| [(k * 137 % 600) as f64, (k * k * 31 % 397) as f64 + 40.0]).collect();
    let measured = gyres(&points)?;
    let base = FieldPicture {
        title: "Two gyres",
        axes: ["east", "north"],
        units: ["km", "km"],
        field_unit: "m/s",
        range: ([-50.0, 0.0], [700.0, 480.0]),
        points: &points,
        ..Default::default()
    };
    let speed = FieldPicture {
        background: Some(Background::Speed),
        background_unit: "m/s",
        reach: Some(90.0),
        ..base.clone()
    };
    save(
        "field-speed.svg",
        field_svg(&FieldPicture { arrows_at_points: Some(&measured), ..speed.clone() }, &mut { gyres }, None)?,
    )?;
    let lines = FieldPicture {
        style: Style::Streamlines,
        background: Some(Background::Stream),
        background_unit: "km·m/s",
        ..base.clone()
    };
    save("field-stream.svg", field_svg(&lines, &mut { gyres }, Some(&mut { stream }))?)?;
    let curl = FieldPicture { background: Some(Background::Curl), background_unit: "m/s/km", ..base.clone() };
    let vorticity = |x: &[[f64; 2]]| -> Result<Vec<f64>> {
        Ok(x.iter()
            .map(|p| -12.0 * (p[0] / 200.0).sin() * (p[1] / 150.0).sin() * (0.75 / 200.0 + 1.0 / 150.0))
            .collect())
    };
    save("field-curl.svg", field_svg(&curl, &mut { gyres }, Some(&mut { vorticity }))?)?;
    save("field-plain.svg", field_svg(&FieldPicture { points: &[], ..base.clone() }, &mut { gyres }, None)?)?;

    let mut constant = |x: &[[f64; 2]]| Ok(vec![[3e-7, 1e-7]; x.len()]);
    let one = [[4.1e6, 2.2e6]];
    let far = FieldPicture {
        title: "One point, far away",
        range: range_of(&one),
        points: &one,
        units: ["m", "m"],
        background: Some(Background::Speed),
        ..base.clone()
    };
    save("field-constant.svg", field_svg(&far, &mut constant, None)?)?;
    let mut nothing = |x: &[[f64; 2]]| Ok(vec![[0.0; 2]; x.len()]);
    save(
        "field-zero.svg",
        field_svg(
            &FieldPicture { title: "Nothing", background: Some(Background::Speed), ..base.clone() },
            &mut nothing,
            None,
        )?,
    )?;

    let path: Vec<PathPoint> = (0..25)
        .map(|k| {
            let ridge = 10f64.powf(-9.0 + 0.4 * f64::from(k));
            let s = ridge.log10() + 4.5;
            PathPoint {
                ridge,
                freedom: 1.0,
                rss: 1.0,
                gcv: 0.11 + 0.006 * s * s,
                evidence: 400.0 - 30.0 * s * s,
                noise: 1.0,
                loo: Some(0.12 + 0.0055 * s * s),
            }
        })
        .collect();
    save(
        "path.svg",
        path_svg(&PathPicture { title: "Scores along the ridges", path: &path, chosen: path[11].ridge })?,
    )?;

    let x: Vec<f64> = (0..200).map(|k| f64::from(k) / 20.0).collect();
    let mean: Vec<f64> = x.iter().map(|x| x.sin()).collect();
    let width = |x: f64| 0.15 + 0.05 * (x - 5.0).abs();
    let low: Vec<f64> = x.iter().map(|x| x.sin() - width(*x)).collect();
    let high: Vec<f64> = x.iter().map(|x| x.sin() + width(*x)).collect();
    let observed: Vec<[f64; 2]> = (0..80)
        .map(|k| {
            let x = f64::from(k) / 8.0;
            [x, x.sin() + 0.2 * (7.3 * f64::from(k * k)).sin()]
        })
        .collect();
    let output = CurveOutput { name: "height", mean: &mean, band: Some((&low, &high)), observed: &observed };
    save(
        "curve.svg",
        curve_svg(&CurvePicture {
            title: "A curve",
            input: "time (s)",
            x: &x,
            band: "90 % interval",
            outputs: std::slice::from_ref(&output),
        })?,
    )?;
    let many = vec![output; 6];
    save(
        "curves.svg",
        curve_svg(&CurvePicture {
            title: "Curves",
            input: "time (s)",
            x: &x,
            band: "90 % interval",
            outputs: &many,
        })?,
    )?;

    let observed: Vec<f64> = (0..400).map(|k| (f64::from(k) * 0.77).sin() * 3e-4).collect();
    let predicted: Vec<f64> =
        observed.iter().enumerate().map(|(k, y)| y + 4e-5 * (k as f64 * k as f64).sin()).collect();
    let output = |name| ScatterOutput { name, observed: &observed, predicted: &predicted };
    save(
        "scatter.svg",
        scatter_svg(&ScatterPicture { title: "Held-out rows", outputs: &[output("u"), output("v")] })?,
    )?;
    Ok(())
}
