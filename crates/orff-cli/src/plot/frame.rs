//! A rectangle with axes: from data to pixels.

use super::canvas::{Anchor, Canvas, Letters, Pixel};
use super::colour::{BLACK, FAINT, GREY};
use super::ticks::Axis;

/// Sizes of text in pixels.
pub const TITLE: f64 = 17.0;
pub const LABEL: f64 = 14.0;
pub const SMALL: f64 = 12.0;

/// Where data lie on the canvas.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    pub corner: Pixel,
    pub size: [f64; 2],
    pub x: Axis,
    pub y: Axis,
}

impl Frame {
    pub fn pixel(&self, [x, y]: [f64; 2]) -> Pixel {
        [self.corner[0] + self.x.place(x) * self.size[0], self.corner[1] + (1.0 - self.y.place(y)) * self.size[1]]
    }

    pub fn right(&self) -> f64 {
        self.corner[0] + self.size[0]
    }

    pub fn bottom(&self) -> f64 {
        self.corner[1] + self.size[1]
    }

    pub fn contains(&self, [x, y]: Pixel) -> bool {
        x >= self.corner[0] && x <= self.right() && y >= self.corner[1] && y <= self.bottom()
    }

    /// Faint lines at the ticks, below the data.
    pub fn grid(&self, canvas: &mut Canvas) {
        for t in self.x.ticks(self.wanted(0)) {
            let x = self.pixel([t.at, self.y.from])[0];
            canvas.line([[x, self.corner[1]], [x, self.bottom()]], FAINT, 0.8);
        }
        for t in self.y.ticks(self.wanted(1)) {
            let y = self.pixel([self.x.from, t.at])[1];
            canvas.line([[self.corner[0], y], [self.right(), y]], FAINT, 0.8);
        }
    }

    /// The border, ticks, numbers and names, above the data. An axis without a name has numbers all the same.
    pub fn axes(&self, canvas: &mut Canvas, names: [&str; 2]) {
        let [l, t] = self.corner;
        let (r, b) = (self.right(), self.bottom());
        canvas.line([[l, t], [r, t], [r, b], [l, b], [l, t]], BLACK, 1.0);
        let small = Letters::new(SMALL, BLACK);
        for tick in self.x.ticks(self.wanted(0)) {
            let x = self.pixel([tick.at, self.y.from])[0];
            canvas.line([[x, b], [x, b + 5.0]], BLACK, 1.0);
            canvas.text(&tick.label, [x, b + 15.0], Anchor::Middle, small);
        }
        let mut widest = 0;
        for tick in self.y.ticks(self.wanted(1)) {
            let y = self.pixel([self.x.from, tick.at])[1];
            widest = widest.max(tick.label.chars().count());
            canvas.line([[l - 5.0, y], [l, y]], BLACK, 1.0);
            canvas.text(&tick.label, [l - 9.0, y], Anchor::End, small);
        }
        canvas.text(names[0], [0.5 * (l + r), b + 37.0], Anchor::Middle, Letters::new(LABEL, BLACK));
        let beside = [l - 24.0 - text_width(widest, SMALL), 0.5 * (t + b)];
        canvas.text(names[1], beside, Anchor::Middle, Letters { upwards: true, ..Letters::new(LABEL, BLACK) });
    }

    /// The name of a small multiple, above its border.
    pub fn heading(&self, canvas: &mut Canvas, text: &str) {
        let at = [self.corner[0] + 0.5 * self.size[0], self.corner[1] - 12.0];
        canvas.text(text, at, Anchor::Middle, Letters { bold: true, ..Letters::new(LABEL, BLACK) });
    }

    /// A remark in the upper left corner of the frame.
    pub fn remark(&self, canvas: &mut Canvas, text: &str) {
        let at = [self.corner[0] + 9.0, self.corner[1] + 15.0];
        canvas.text(text, at, Anchor::Start, Letters::new(SMALL, GREY));
    }

    fn wanted(&self, axis: usize) -> usize {
        let room = if axis == 0 { 85.0 } else { 55.0 };
        ((self.size[axis] / room) as usize).clamp(3, 8)
    }
}

/// The title of a picture.
pub fn title(canvas: &mut Canvas, text: &str, at: Pixel) {
    canvas.text(text, at, Anchor::Start, Letters { bold: true, ..Letters::new(TITLE, BLACK) });
}

/// A line below the title.
pub fn subtitle(canvas: &mut Canvas, text: &str, at: Pixel) {
    canvas.text(text, at, Anchor::Start, Letters::new(SMALL, GREY));
}

/// About how wide some characters are.
pub fn text_width(characters: usize, size: f64) -> f64 {
    0.56 * size * characters as f64
}

/// Frames of equal size in rows and columns, and the canvas around them. `axes` gives the axes of panel k.
pub fn panels(n: usize, size: [f64; 2], axes: impl Fn(usize) -> [Axis; 2]) -> (Canvas, Vec<Frame>) {
    let columns = match n {
        0..=3 => n.max(1),
        4 => 2,
        _ => 3,
    };
    let rows = n.div_ceil(columns).max(1);
    let (gap, margin) = ([96.0, 84.0], [84.0, 74.0]);
    let width = margin[0] + columns as f64 * size[0] + (columns - 1) as f64 * gap[0] + 26.0;
    let height = margin[1] + rows as f64 * size[1] + (rows - 1) as f64 * gap[1] + 56.0;
    let frames = (0..n).map(|k| {
        let (i, j) = (k / columns, k % columns);
        let corner = [margin[0] + j as f64 * (size[0] + gap[0]), margin[1] + i as f64 * (size[1] + gap[1])];
        let [x, y] = axes(k);
        Frame { corner, size, x, y }
    });
    (Canvas::new(width, height), frames.collect())
}
