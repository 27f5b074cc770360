//! Functions of one variable: mean, bands and data, one panel per output.

use super::canvas::Ink;
use super::colour::{BLUE, GREY};
use super::frame::{panels, subtitle, title};
use super::ticks::Axis;
use super::{MAX_MARKERS, MAX_PANELS, finite, heading, stride};
use anyhow::{Result, ensure};

/// What to draw.
#[derive(Clone, Debug)]
pub struct CurvePicture<'a> {
    pub title: &'a str,
    /// Name of the input.
    pub input: &'a str,
    /// Where the curves are known (m), ascending.
    pub x: &'a [f64],
    /// What the bands are: "90 % interval".
    pub band: &'a str,
    pub outputs: &'a [CurveOutput<'a>],
}

/// One output.
#[derive(Clone, Debug)]
pub struct CurveOutput<'a> {
    pub name: &'a str,
    /// m.
    pub mean: &'a [f64],
    /// Lower and upper ends, m each, the widest band first.
    pub bands: Vec<(&'a [f64], &'a [f64])>,
    /// (input, output); a NaN output was not observed.
    pub observed: &'a [[f64; 2]],
}

/// Draws up to nine outputs.
pub fn curve_svg(picture: &CurvePicture) -> Result<String> {
    let shown = &picture.outputs[..picture.outputs.len().min(MAX_PANELS)];
    let m = picture.x.len();
    ensure!(!shown.is_empty(), "outputs: none to draw");
    ensure!(m >= 2, "x: {m} points are too few for a curve (give two or more)");
    for output in shown {
        let ends = || output.bands.iter().flat_map(|(low, high)| [*low, *high]);
        let lengths: Vec<usize> = [output.mean].into_iter().chain(ends()).map(<[f64]>::len).collect();
        ensure!(lengths.iter().all(|l| *l == m), "{}: {lengths:?} values for {m} points", output.name);
        for v in picture.x.iter().chain(output.mean).chain(ends().flatten()) {
            finite(*v, || output.name.to_string())?;
        }
        for p in output.observed {
            finite(p[0], || picture.input.to_string())?;
        }
    }
    let size = if shown.len() == 1 { [560.0, 340.0] } else { [270.0, 210.0] };
    let (mut canvas, frames) = panels(shown.len(), size, |k| {
        let o = &shown[k];
        let ends = o.bands.iter().flat_map(|(low, high)| low.iter().chain(*high));
        let seen = o.observed.iter().map(|p| p[1]).filter(|v| v.is_finite());
        let y = Axis::around(o.mean.iter().chain(ends).copied().chain(seen));
        [Axis::around(picture.x.iter().copied().chain(o.observed.iter().map(|p| p[0]))), y]
    });
    for (frame, o) in frames.iter().zip(shown) {
        frame.grid(&mut canvas);
        let line =
            |values: &[f64]| -> Vec<_> { picture.x.iter().zip(values).map(|(x, y)| frame.pixel([*x, *y])).collect() };
        for (low, high) in &o.bands {
            canvas.fill(line(low).into_iter().chain(line(high).into_iter().rev()), Ink(BLUE, 0.2));
        }
        let every = stride(o.observed.len(), MAX_MARKERS / shown.len());
        for p in o.observed.iter().filter(|p| p[1].is_finite()).step_by(every) {
            canvas.disc(frame.pixel(*p), 2.0, Ink(GREY.0, 0.65));
        }
        canvas.line(line(o.mean), Ink(BLUE, 1.0), 2.0);
        frame.axes(&mut canvas, [picture.input, if shown.len() == 1 { o.name } else { "" }]);
        if shown.len() > 1 {
            frame.heading(&mut canvas, o.name);
        }
    }
    if shown.iter().any(|o| !o.bands.is_empty()) && !picture.band.is_empty() {
        subtitle(&mut canvas, &format!("shaded: {}", picture.band), [frames[0].corner[0], 46.0]);
    }
    title(&mut canvas, &heading(picture.title, picture.outputs.len()), [frames[0].corner[0], 24.0]);
    canvas.finish()
}
