//! Scores along the ridges, and the ridge that was taken.

use super::canvas::{Anchor, Canvas, Ink, Letters, Rgb};
use super::colour::{BLACK, BLUE, GREEN, GREY, ORANGE};
use super::finite;
use super::frame::{Frame, SMALL, text_width, title};
use super::ticks::Axis;
use anyhow::{Result, ensure};
use orff::solve::PathPoint;

/// What to draw.
#[derive(Clone, Debug)]
pub struct PathPicture<'a> {
    pub title: &'a str,
    /// Ascending or not; at least two.
    pub path: &'a [PathPoint],
    /// The ridge taken.
    pub chosen: f64,
}

/// One line of a panel: name, colour, (ridge, score).
type Series = (&'static str, Rgb, Vec<[f64; 2]>);

/// Evidence above, errors below, over ridges on a logarithmic axis.
pub fn path_svg(picture: &PathPicture) -> Result<String> {
    let mut path = picture.path.to_vec();
    ensure!(path.len() >= 2, "path: {} ridges are too few for a picture (give two or more)", path.len());
    path.sort_by(|a, b| a.ridge.total_cmp(&b.ridge));
    for p in path.iter().map(|p| p.ridge).chain([picture.chosen]) {
        ensure!(p.is_finite() && p > 0.0, "ridge: {p} has no place on a logarithmic axis");
    }
    let of = |score: fn(&PathPoint) -> Option<f64>| -> Vec<[f64; 2]> {
        path.iter().filter_map(|p| Some([p.ridge, score(p)?])).collect()
    };
    let evidence = vec![("log evidence", BLUE, of(|p| Some(p.evidence)))];
    let mut errors = vec![("generalised cross-validation", GREEN, of(|p| Some(p.gcv)))];
    let loo = of(|p| p.loo);
    if !loo.is_empty() {
        errors.push(("leave-one-out", ORANGE, loo));
    }
    let mut canvas = Canvas::new(700.0, 620.0);
    let ridges = Axis::log_around(path.iter().map(|p| p.ridge).chain([picture.chosen]));
    panel(&mut canvas, picture, &evidence, [84.0, 76.0], ridges, ["", "log evidence"])?;
    panel(&mut canvas, picture, &errors, [84.0, 350.0], ridges, ["ridge λ", "mean squared error"])?;
    title(&mut canvas, picture.title, [84.0, 24.0]);
    canvas.finish()
}

fn panel(
    canvas: &mut Canvas,
    picture: &PathPicture,
    series: &[Series],
    corner: [f64; 2],
    ridges: Axis,
    names: [&str; 2],
) -> Result<()> {
    let scores = || series.iter().flat_map(|(_, _, line)| line.iter().map(|p| p[1]));
    for score in scores() {
        finite(score, || names[1].to_string())?;
    }
    let (lo, hi) = scores().fold((f64::INFINITY, 0.0_f64), |(a, b), v| (a.min(v), b.max(v)));
    let y = if lo > 0.0 && hi > 20.0 * lo { Axis::log_around(scores()) } else { Axis::around(scores()) };
    let frame = Frame { corner, size: [590.0, 210.0], x: ridges, y };
    frame.grid(canvas);
    let at = |score: f64| frame.pixel([picture.chosen, score]);
    canvas.dashed(at(frame.y.from), at(frame.y.to), GREY, 1.2);
    let mut x = corner[0];
    for (name, rgb, line) in series {
        let ink = Ink(*rgb, 1.0);
        canvas.line(line.iter().map(|p| frame.pixel(*p)), ink, 2.0);
        for p in line {
            canvas.disc(frame.pixel(*p), 2.2, ink);
        }
        canvas.line([[x, corner[1] - 13.0], [x + 22.0, corner[1] - 13.0]], ink, 2.5);
        canvas.text(name, [x + 28.0, corner[1] - 13.0], Anchor::Start, Letters::new(SMALL, BLACK));
        x += 28.0 + text_width(name.len(), SMALL) + 24.0;
    }
    if names[0].is_empty() {
        let y = corner[1] - 13.0;
        let text = format!("chosen: λ = {:.2e}", picture.chosen).replace('-', "−");
        canvas.dashed([x, y], [x + 22.0, y], GREY, 1.2);
        canvas.text(&text, [x + 28.0, y], Anchor::Start, Letters::new(SMALL, BLACK));
    }
    frame.axes(canvas, names);
    Ok(())
}
