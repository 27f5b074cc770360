//! The page of a field: a frame with equal units on both axes, and points over it.

use super::canvas::{Canvas, Ink};
use super::field::FieldPicture;
use super::frame::Frame;
use super::ticks::{Axis, widened};

/// A rectangle is at most this many times longer than wide; a thinner range is shown with more around it.
const SLIM: f64 = 3.0;

/// The frame: equal units on both axes, a range without width widened, a very thin one filled up.
pub fn frame(picture: &FieldPicture) -> Frame {
    let (lo, hi) = picture.range;
    let [mut x, mut y] = [0, 1].map(|c| widened(lo[c], hi[c]));
    let (w, h) = (x.1 - x.0, (y.1 - y.0) * picture.aspect);
    let grow = |(a, b): (f64, f64), by: f64| (0.5 * (a + b) - 0.5 * by * (b - a), 0.5 * (a + b) + 0.5 * by * (b - a));
    if w < h / SLIM {
        x = grow(x, h / SLIM / w);
    } else if h < w / SLIM {
        y = grow(y, w / SLIM / h);
    }
    let (w, h) = (x.1 - x.0, (y.1 - y.0) * picture.aspect);
    let scale = (680.0 / w).min(560.0 / h);
    let axis = |(from, to): (f64, f64)| Axis { from, to, log: false };
    Frame { corner: [88.0, 72.0], size: [w * scale, h * scale], x: axis(x), y: axis(y) }
}

pub fn mesh_shape(frame: &Frame, longer: usize) -> [usize; 2] {
    let most = frame.size[0].max(frame.size[1]);
    frame.size.map(|s| ((s / most * longer as f64).round() as usize).max(2))
}

/// Points over the frame, row by row from the lowest; with the border, or at the middles of cells.
pub fn mesh(frame: &Frame, [nx, ny]: [usize; 2], border: bool) -> Vec<[f64; 2]> {
    let at = |axis: Axis, k: usize, n: usize| {
        let t = if border { k as f64 / (n - 1) as f64 } else { (k as f64 + 0.5) / n as f64 };
        axis.from + t * (axis.to - axis.from)
    };
    (0..nx * ny).map(|k| [at(frame.x, k % nx, nx), at(frame.y, k / nx, ny)]).collect()
}

/// Whitens what was drawn over the frame's border; the axes come after.
pub fn clip(canvas: &mut Canvas, frame: &Frame, width: f64) {
    let white = Ink([255; 3], 1.0);
    let ([l, t], r, b) = (frame.corner, frame.right(), frame.bottom());
    canvas.rect([0.0, 0.0], [width, t], white);
    canvas.rect([0.0, b], [width, b + 56.0], white);
    canvas.rect([0.0, t], [l, b], white);
    canvas.rect([r, t], [width, b], white);
}
