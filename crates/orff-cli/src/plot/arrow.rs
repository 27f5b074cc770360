//! Arrows and streamlines.

use super::canvas::{Canvas, Ink, Pixel};
use super::colour::BLACK;
use super::contour::Grid;
use super::frame::Frame;
use super::stream::Flow;

/// The scale of all arrows of a picture: a field of strength `reference` is `length` pixels long.
#[derive(Clone, Copy, Debug)]
pub struct Arrow {
    pub reference: f64,
    pub length: f64,
}

impl Arrow {
    /// Pixels for a strength.
    pub fn pixels(&self, strength: f64) -> f64 {
        if self.reference > 0.0 { strength / self.reference * self.length } else { 0.0 }
    }

    /// Draws f with its tail `back` of its length behind a pixel (0: at it, 0.5: centred).
    pub fn draw(&self, canvas: &mut Canvas, at: Pixel, f: [f64; 2], back: f64, ink: Ink) {
        let strength = f[0].hypot(f[1]);
        let long = self.pixels(strength);
        if long < 1.5 {
            return canvas.disc(at, 0.8, ink);
        }
        let way = [f[0] / strength, -f[1] / strength];
        let thick = (0.032 * self.length).clamp(0.55, 1.1);
        let head = (0.30 * self.length).min(9.0).min(0.6 * long);
        // along and across the arrow, from its tail
        let place = |a: f64, c: f64| {
            let a = a - back * long;
            [at[0] + a * way[0] - c * way[1], at[1] + a * way[1] + c * way[0]]
        };
        let (neck, wing) = (long - 0.9 * head, 0.38 * head);
        let half = thick.min(0.7 * wing);
        canvas.fill(
            [
                place(0.0, half),
                place(neck, half),
                place(long - head, wing),
                place(long, 0.0),
                place(long - head, -wing),
                place(neck, -half),
                place(0.0, -half),
            ],
            ink,
        );
    }
}

/// A speed that nearly all places stay below.
pub fn strongest(field: impl Iterator<Item = [f64; 2]>) -> f64 {
    let mut speeds: Vec<f64> = field.map(|f| f[0].hypot(f[1])).collect();
    speeds.sort_by(f64::total_cmp);
    let Some(most) = speeds.last() else { return 0.0 };
    speeds[(0.97 * (speeds.len() - 1) as f64) as usize].max(most / 2.0)
}

/// Draws about `across` lines side by side, each with a head or two on its way.
pub fn streamlines(canvas: &mut Canvas, frame: &Frame, u: &Grid, v: &Grid, across: usize) {
    let spacing = frame.size[0].max(frame.size[1]) / across as f64;
    for line in (Flow { u, v, size: frame.size }).lines(spacing) {
        let line: Vec<Pixel> = line.into_iter().map(|p| [frame.corner[0] + p[0], frame.bottom() - p[1]]).collect();
        let heads = 1 + line.len() / 160;
        for k in 0..heads {
            let i = ((2 * k + 1) * line.len() / (2 * heads)).clamp(1, line.len() - 1);
            head(canvas, line[i - 1], line[i]);
        }
        let last = line.len() - 1;
        let kept = line.iter().enumerate().filter(|(i, _)| i % 3 == 0 || *i == last).map(|(_, p)| *p);
        canvas.line(kept, BLACK, 1.2);
    }
}

fn head(canvas: &mut Canvas, from: Pixel, to: Pixel) {
    let long = (to[0] - from[0]).hypot(to[1] - from[1]);
    let way = [(to[0] - from[0]) / long, (to[1] - from[1]) / long];
    let place = |a: f64, c: f64| [to[0] + a * way[0] - c * way[1], to[1] + a * way[1] + c * way[0]];
    canvas.fill([place(5.0, 0.0), place(-4.0, 3.6), place(-2.0, 0.0), place(-4.0, -3.6)], BLACK);
}
