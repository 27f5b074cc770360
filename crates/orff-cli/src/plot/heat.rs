//! A function of the plane as bands of colour with contour lines, and the colour bar beside it.

use super::canvas::{Anchor, Canvas, Ink, Letters, Pixel};
use super::colour::{BLACK, Scale};
use super::contour::{Grid, Place, bridged};
use super::frame::{Frame, LABEL, SMALL, text_width};
use super::ticks::{Axis, widened};

/// Bands of colour, unless their outlines get too long for a small file.
const BANDS: usize = 24;
const OUTLINE: usize = 15_000;

/// Values to show, and how.
pub struct Heat {
    pub grid: Grid,
    pub scale: Scale,
    /// The values at the ends of the scale.
    pub axis: Axis,
    /// What is at or above the level of each band but the lowest.
    bands: Vec<Vec<Place>>,
}

impl Heat {
    /// Chooses the ends of the scale from the values where `counts`; a signed scale is symmetric.
    pub fn new(grid: Grid, scale: Scale, counts: impl Fn(usize) -> bool) -> Self {
        let counted: Vec<f64> = (0..grid.values.len()).filter(|&k| counts(k)).map(|k| grid.values[k]).collect();
        let shown = if counted.is_empty() { &grid.values } else { &counted };
        let (lo, hi) = shown.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(*v), b.max(*v)));
        let (from, to) = match scale {
            Scale::Sequential if lo == 0.0 && hi == 0.0 => (0.0, 1.0),
            Scale::Sequential => widened(lo, hi),
            Scale::Diverging if lo == 0.0 && hi == 0.0 => (-1.0, 1.0),
            Scale::Diverging => (-lo.abs().max(hi.abs()), lo.abs().max(hi.abs())),
        };
        let level = |k: usize, n: usize| from + (to - from) * k as f64 / n as f64;
        let cut = |n: usize| -> Vec<Vec<Place>> { (1..n).map(|k| bridged(&grid.rings(level(k, n)))).collect() };
        let mut bands = cut(BANDS);
        while bands.iter().map(Vec::len).sum::<usize>() > OUTLINE && bands.len() > 3 {
            bands = cut(bands.len().div_ceil(2));
        }
        Heat { grid, scale, axis: Axis { from, to, log: false }, bands }
    }

    pub fn draw(&self, canvas: &mut Canvas, frame: &Frame) {
        let pixel = |p: [f64; 2]| self.pixel(frame, p);
        canvas.rect(frame.corner, [frame.right(), frame.bottom()], Ink(self.band(0), 1.0));
        for (k, outline) in self.bands.iter().enumerate().filter(|(_, outline)| !outline.is_empty()) {
            canvas.fill(outline.iter().copied().map(pixel), Ink(self.band(k + 1), 1.0));
        }
        if self.bands.len() + 1 < BANDS {
            return; // too rugged for lines
        }
        let thin = Ink([255; 3], 0.55);
        for tick in self.axis.ticks(8) {
            for ring in self.grid.rings(tick.at) {
                let closed: Vec<[f64; 2]> = ring.iter().chain(ring.first()).copied().collect();
                let along_border = |a: &[f64; 2], b: &[f64; 2]| self.grid.on_border(*a) && self.grid.on_border(*b);
                for run in closed.chunk_by(|a, b| !along_border(a, b)).filter(|run| run.len() > 1) {
                    canvas.line(run.iter().copied().map(pixel), thin, 0.8);
                }
            }
        }
    }

    /// The bar to the right of the frame.
    pub fn bar(&self, canvas: &mut Canvas, frame: &Frame, name: &str) {
        let (l, r) = (frame.right() + 18.0, frame.right() + 34.0);
        let y = |t: f64| frame.bottom() - t * frame.size[1];
        let n = self.bands.len() + 1;
        for k in 0..n {
            let (a, b) = (k as f64 / n as f64, (k + 1) as f64 / n as f64);
            canvas.rect([l, y(b) - 0.6], [r, y(a)], Ink(self.band(k), 1.0));
        }
        canvas.line([[l, y(0.0)], [r, y(0.0)], [r, y(1.0)], [l, y(1.0)], [l, y(0.0)]], BLACK, 1.0);
        let mut widest = 0;
        for tick in self.axis.ticks(((frame.size[1] / 60.0) as usize).clamp(2, 8)) {
            let at = y(self.axis.place(tick.at));
            widest = widest.max(tick.label.chars().count());
            canvas.line([[r, at], [r + 4.0, at]], BLACK, 1.0);
            canvas.text(&tick.label, [r + 8.0, at], Anchor::Start, Letters::new(SMALL, BLACK));
        }
        let at = [r + 24.0 + text_width(widest, SMALL), frame.corner[1] + 0.5 * frame.size[1]];
        canvas.text(name, at, Anchor::Middle, Letters { upwards: true, ..Letters::new(LABEL, BLACK) });
    }

    fn band(&self, k: usize) -> [u8; 3] {
        self.scale.at((k as f64 + 0.5) / (self.bands.len() + 1) as f64)
    }

    fn pixel(&self, frame: &Frame, p: [f64; 2]) -> Pixel {
        pixel_of(&self.grid, frame, p)
    }
}

/// From grid units to pixels, for a grid that spans the frame.
pub fn pixel_of(grid: &Grid, frame: &Frame, [x, y]: [f64; 2]) -> Pixel {
    let s = [x / (grid.nx - 1) as f64, y / (grid.ny - 1) as f64];
    [frame.corner[0] + s[0] * frame.size[0], frame.bottom() - s[1] * frame.size[1]]
}

/// Whitens the part of the frame where `distance` (to the nearest data) exceeds `reach`.
pub fn fade(canvas: &mut Canvas, frame: &Frame, distance: &Grid, reach: f64) {
    let rings = distance.rings(reach);
    if !rings.is_empty() {
        let corners = bridged(&rings).into_iter().map(|p| pixel_of(distance, frame, p));
        canvas.fill(corners, Ink([244, 244, 246], 0.82));
    }
}
