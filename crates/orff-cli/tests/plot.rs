//! Pictures of hard cases, and what is refused.

#[path = "../src/plot/mod.rs"]
#[allow(dead_code, unused_imports)]
mod plot;

use orff::solve::PathPoint;
use plot::*;

fn swirl(x: &[[f64; 2]]) -> anyhow::Result<Vec<[f64; 2]>> {
    Ok(x.iter().map(|p| [(3.0 * p[1]).sin(), (2.0 * p[0]).cos()]).collect())
}

fn well_formed(svg: &str) {
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "a number went missing");
    assert!(!svg.contains("<image"), "pixels in a drawing");
    assert!(svg.len() < 500_000, "{} bytes", svg.len());
}

#[test]
fn a_field_is_drawn_in_every_style_and_range() {
    for style in [Style::Arrows, Style::Streamlines] {
        for scale in [1e-9, 1.0, 1e6, 1e12] {
            for corner in [0.0, 4.2e6] {
                let range = ([corner, -corner], [corner + scale, -corner + 0.6 * scale]);
                let points = [[corner + 0.3 * scale, -corner]];
                for background in [None, Some(Background::Speed)] {
                    let reach = Some(0.2 * scale);
                    let picture =
                        FieldPicture { style, range, points: &points, background, reach, ..Default::default() };
                    well_formed(&field_svg(&picture, &mut swirl, None).unwrap());
                }
            }
        }
    }
}

#[test]
fn nothing_constant_and_one_point_are_fields() {
    let point = [[4.1e6, -3.0]];
    for strength in [0.0, 1e-300, 1.0, 1e300] {
        for style in [Style::Arrows, Style::Streamlines] {
            let picture = FieldPicture {
                style,
                range: range_of(&point),
                points: &point,
                arrows_at_points: Some(&[[1.0, 2.0]]),
                background: Some(Background::Speed),
                ..Default::default()
            };
            let mut field = |x: &[[f64; 2]]| Ok(vec![[strength, 0.5 * strength]; x.len()]);
            well_formed(&field_svg(&picture, &mut field, None).unwrap());
        }
    }
}

#[test]
fn an_arrow_points_where_the_field_does() {
    // a single arrow to the upper left: its tip is the polygon's fourth corner
    let picture = FieldPicture { grid: 2, range: ([0.0; 2], [1.0; 2]), ..Default::default() };
    let svg = field_svg(&picture, &mut |x| Ok(vec![[-1.0, 2.0]; x.len()]), None).unwrap();
    let first = svg.lines().find(|l| l.contains("<polygon")).unwrap();
    let list = first.split("points=\"").nth(1).unwrap().trim_end_matches("\"/>");
    let corner: Vec<Vec<f64>> =
        list.split_whitespace().map(|p| p.split(',').map(|v| v.parse().unwrap()).collect()).collect();
    let tail = [0, 1].map(|c| 0.5 * (corner[0][c] + corner[6][c]));
    let way = [corner[3][0] - tail[0], tail[1] - corner[3][1]];
    assert!(way[0] < 0.0 && (way[1] / way[0] + 2.0).abs() < 0.02, "{way:?}");
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let refused = |picture: &FieldPicture, value: f64| {
        let mut field = |x: &[[f64; 2]]| Ok(vec![[value, 0.0]; x.len()]);
        field_svg(picture, &mut field, None).unwrap_err().to_string()
    };
    let good = FieldPicture::default();
    assert!(refused(&good, f64::NAN).contains("field at [0.0, 0.0]"));
    assert!(refused(&FieldPicture { points: &[[0.0, f64::NAN]], ..good.clone() }, 1.0).contains("training point"));
    assert!(refused(&FieldPicture { range: ([0.0; 2], [f64::INFINITY; 2]), ..good.clone() }, 1.0).contains("range"));
    assert!(refused(&FieldPicture { background: Some(Background::Curl), ..good.clone() }, 1.0).contains("curl"));
    assert!(refused(&FieldPicture { grid: 1, ..good.clone() }, 1.0).contains("grid"));
    assert!(refused(&FieldPicture { arrows_at_points: Some(&[[1.0; 2]]), ..good }, 1.0).contains("1 arrows for 0"));
}

#[test]
fn titles_are_escaped() {
    let picture = FieldPicture { title: "a < b & \"c\"", ..Default::default() };
    let svg = field_svg(&picture, &mut swirl, None).unwrap();
    assert!(svg.contains("a &lt; b &amp; &quot;c&quot;"));
}

#[test]
fn a_path_needs_positive_ridges() {
    let point = |ridge: f64, loo| PathPoint {
        ridge,
        freedom: 3.0,
        rss: 1.0,
        gcv: 1.0 + ridge,
        evidence: -ridge,
        noise: 1.0,
        loo,
    };
    for loo in [None, Some(2.0)] {
        let path = [point(1e-8, loo), point(1.0, loo), point(1e-4, loo)];
        well_formed(&path_svg(&PathPicture { title: "path", path: &path, chosen: 1e-4 }).unwrap());
    }
    let path = [point(0.0, None), point(1.0, None)];
    let error = path_svg(&PathPicture { title: "", path: &path, chosen: 1.0 }).unwrap_err().to_string();
    assert!(error.contains("logarithmic"), "{error}");
}

#[test]
fn curves_and_scatters_of_many_outputs_stay_small() {
    let x: Vec<f64> = (0..400).map(f64::from).collect();
    let mut y: Vec<f64> = x.iter().map(|x| (0.1 * x).sin()).collect();
    let seen: Vec<[f64; 2]> =
        (0..20_000).map(|k| [f64::from(k) * 0.02, if k % 7 == 0 { f64::NAN } else { 0.5 }]).collect();
    let names: Vec<String> = (0..12).map(|k| format!("out{k}")).collect();
    let outputs: Vec<CurveOutput> = names
        .iter()
        .map(|name| CurveOutput { name, mean: &y, bands: vec![(&y[..], &y[..])], observed: &seen })
        .collect();
    let svg =
        curve_svg(&CurvePicture { title: "t", input: "x", x: &x, band: "90 % interval", outputs: &outputs }).unwrap();
    well_formed(&svg);
    assert!(svg.contains("first 9 of 12") && svg.contains("out8") && !svg.contains("out9"));
    let predicted: Vec<f64> = y.iter().map(|v| v + 0.1).collect();
    y[3] = f64::NAN;
    let pair = |name| ScatterOutput { name, observed: &y, predicted: &predicted };
    well_formed(&scatter_svg(&ScatterPicture { title: "s", outputs: &[pair("a"), pair("b")] }).unwrap());
    let swapped = ScatterOutput { name: "a", observed: &predicted, predicted: &y };
    let error = scatter_svg(&ScatterPicture { title: "s", outputs: &[swapped] }).unwrap_err().to_string();
    assert!(error.contains("prediction of a"), "{error}");
}
