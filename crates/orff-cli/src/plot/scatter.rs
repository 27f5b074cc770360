//! Predictions against observations, one panel per output.

use super::canvas::Ink;
use super::colour::{BLUE, GREY};
use super::frame::{panels, title};
use super::ticks::Axis;
use super::{MAX_MARKERS, MAX_PANELS, finite, heading, stride};
use anyhow::{Result, ensure};

/// What to draw.
#[derive(Clone, Debug)]
pub struct ScatterPicture<'a> {
    pub title: &'a str,
    pub outputs: &'a [ScatterOutput<'a>],
}

/// One output at n rows.
#[derive(Clone, Debug)]
pub struct ScatterOutput<'a> {
    pub name: &'a str,
    /// A NaN was not observed.
    pub observed: &'a [f64],
    pub predicted: &'a [f64],
}

impl ScatterOutput<'_> {
    fn pairs(&self) -> Vec<[f64; 2]> {
        let both = self.observed.iter().zip(self.predicted);
        both.filter(|(o, _)| o.is_finite()).map(|(o, p)| [*o, *p]).collect()
    }
}

/// R² = 1 − Σ(y − f)²/Σ(y − ȳ)² of (y, f); None when y does not vary.
fn r2(pairs: &[[f64; 2]]) -> Option<f64> {
    let mean = pairs.iter().map(|p| p[0]).sum::<f64>() / pairs.len() as f64;
    let total: f64 = pairs.iter().map(|p| (p[0] - mean).powi(2)).sum();
    let rest: f64 = pairs.iter().map(|p| (p[0] - p[1]).powi(2)).sum();
    (total > 0.0).then(|| 1.0 - rest / total)
}

/// Draws up to nine outputs.
pub fn scatter_svg(picture: &ScatterPicture) -> Result<String> {
    let shown = &picture.outputs[..picture.outputs.len().min(MAX_PANELS)];
    ensure!(!shown.is_empty(), "outputs: none to draw");
    for o in shown {
        let (n, m) = (o.observed.len(), o.predicted.len());
        ensure!(n == m, "{}: {m} predictions for {n} observations", o.name);
        for p in o.predicted {
            finite(*p, || format!("prediction of {}", o.name))?;
        }
    }
    let pairs: Vec<Vec<[f64; 2]>> = shown.iter().map(ScatterOutput::pairs).collect();
    let side = if shown.len() == 1 { 400.0 } else { 240.0 };
    let (mut canvas, frames) =
        panels(shown.len(), [side; 2], |k| [Axis::around(pairs[k].iter().flatten().copied()); 2]);
    for ((frame, o), pairs) in frames.iter().zip(shown).zip(&pairs) {
        frame.grid(&mut canvas);
        let end = |v: f64| frame.pixel([v, v]);
        canvas.dashed(end(frame.x.from), end(frame.x.to), GREY, 1.2);
        for p in pairs.iter().step_by(stride(pairs.len(), MAX_MARKERS / shown.len())) {
            canvas.disc(frame.pixel(*p), 2.2, Ink(BLUE, 0.55));
        }
        frame.axes(&mut canvas, ["observed", "predicted"]);
        frame.heading(&mut canvas, o.name);
        let text = r2(pairs).map_or("nothing varies".to_string(), |v| format!("R² = {v:.3}").replace('-', "−"));
        frame.remark(&mut canvas, &text);
    }
    title(&mut canvas, &heading(picture.title, picture.outputs.len()), [frames[0].corner[0], 24.0]);
    canvas.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r2_by_hand() {
        // y = 1, 2, 3, 4 around 2.5: total 5; errors 0, 1, 0, 1: rest 2
        assert_eq!(r2(&[[1.0, 1.0], [2.0, 3.0], [3.0, 3.0], [4.0, 3.0]]), Some(0.6));
        assert_eq!(r2(&[[2.0, 1.0]]), None);
    }
}
