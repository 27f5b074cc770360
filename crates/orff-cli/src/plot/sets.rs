//! How usual places of the plane are: a score as bands of colour, the boundaries of some sets, and rows over them.

use super::canvas::{Anchor, Canvas, Ink, Letters};
use super::colour::{BLACK, ORANGE, Scale};
use super::contour::Grid;
use super::field::Scalar;
use super::frame::{Frame, SMALL, text_width, title};
use super::heat::{Heat, pixel_of};
use super::layout::{mesh, mesh_shape};
use super::ticks::Axis;
use super::{MAX_MARKERS, finite, stride};
use anyhow::{Result, ensure};

const SIZE: [f64; 2] = [560.0, 460.0];
/// Points of the grid along the longer side.
const GRID: usize = 96;

/// What to draw.
#[derive(Clone, Debug)]
pub struct SetsPicture<'a> {
    pub title: &'a str,
    pub axes: [&'a str; 2],
    /// What the colours show.
    pub score: &'a str,
    /// Scores at the boundaries of sets, and what is written beside them.
    pub boundaries: &'a [(f64, String)],
    /// What these boundaries are.
    pub lines: &'a str,
    /// Rows, and which are outliers; they say where the picture is.
    pub rows: &'a [([f64; 2], bool)],
    /// Lower and upper corner, where there are no rows.
    pub range: ([f64; 2], [f64; 2]),
}

/// Draws the score.
pub fn sets_svg(picture: &SetsPicture, score: Scalar) -> Result<String> {
    for (row, _) in picture.rows {
        (0..2).try_for_each(|c| finite(row[c], || format!("row {row:?}")).map(|_| ()))?;
    }
    let (low, high) = picture.range;
    let axis = |c: usize| match picture.rows.is_empty() {
        true => Axis { from: low[c], to: high[c], log: false },
        false => {
            let about = Axis::around(picture.rows.iter().map(|(row, _)| row[c]));
            let air = 0.1 * (about.to - about.from);
            Axis { from: about.from - air, to: about.to + air, log: false }
        }
    };
    let frame = Frame { corner: [88.0, 72.0], size: SIZE, x: axis(0), y: axis(1) };
    let mut canvas = Canvas::new(frame.right() + 112.0, frame.bottom() + 56.0);
    let shape = mesh_shape(&frame, GRID);
    let places = mesh(&frame, shape, true);
    let values = score(&places)?;
    ensure!(values.len() == places.len(), "{}: {} values for {} points", picture.score, values.len(), places.len());
    for (value, at) in values.iter().zip(&places) {
        finite(*value, || format!("{} at {at:?}", picture.score))?;
    }
    let heat = Heat::new(Grid { nx: shape[0], ny: shape[1], values }, Scale::Sequential, |_| true);
    heat.draw(&mut canvas, &frame);
    for (level, text) in picture.boundaries {
        boundary(&mut canvas, &frame, &heat.grid, *level, text);
    }
    markers(&mut canvas, &frame, picture.rows);
    frame.axes(&mut canvas, picture.axes);
    heat.bar(&mut canvas, &frame, picture.score);
    title(&mut canvas, picture.title, [frame.corner[0], 24.0]);
    legend(&mut canvas, &frame, picture);
    canvas.finish()
}

/// Lines where the score has a level, but for those along the border; the longest ring with its text at its highest place.
fn boundary(canvas: &mut Canvas, frame: &Frame, grid: &Grid, level: f64, text: &str) {
    let rings = grid.rings(level);
    for ring in &rings {
        let closed: Vec<[f64; 2]> = ring.iter().chain(ring.first()).copied().collect();
        let along_border = |a: &[f64; 2], b: &[f64; 2]| grid.on_border(*a) && grid.on_border(*b);
        for run in closed.chunk_by(|a, b| !along_border(a, b)).filter(|run| run.len() > 1) {
            canvas.line(run.iter().map(|p| pixel_of(grid, frame, *p)), BLACK, 1.2);
        }
    }
    let longest = rings.iter().max_by_key(|ring| ring.len()).into_iter().flatten();
    let top = longest.filter(|p| !grid.on_border(**p)).max_by(|a, b| a[1].total_cmp(&b[1]));
    if let Some(top) = top {
        let at = pixel_of(grid, frame, *top);
        let wide = 0.5 * text_width(text.chars().count(), SMALL) + 1.0;
        canvas.rect([at[0] - wide, at[1] - 6.0], [at[0] + wide, at[1] + 6.0], Ink([255; 3], 0.7));
        canvas.text(text, at, Anchor::Middle, Letters::new(SMALL, BLACK));
    }
}

/// Outliers are all drawn, of the others as many as the file has room for.
fn markers(canvas: &mut Canvas, frame: &Frame, rows: &[([f64; 2], bool)]) {
    for outlier in [false, true] {
        let some: Vec<&[f64; 2]> = rows.iter().filter(|(_, o)| *o == outlier).map(|(row, _)| row).collect();
        for row in some.iter().step_by(stride(some.len(), MAX_MARKERS / 2)) {
            let at = frame.pixel(**row);
            match outlier {
                true => {
                    canvas.disc(at, 2.9, Ink([255; 3], 0.9));
                    canvas.disc(at, 2.2, Ink(ORANGE, 1.0));
                }
                false => canvas.disc(at, 1.4, Ink(BLACK.0, 0.6)),
            }
        }
    }
}

fn legend(canvas: &mut Canvas, frame: &Frame, picture: &SetsPicture) {
    let rows = picture.rows;
    let out = rows.iter().filter(|(_, outlier)| *outlier).count();
    let y = frame.corner[1] - 18.0;
    let mut x = frame.corner[0];
    for (count, ink, one, many) in
        [(rows.len() - out, Ink(BLACK.0, 0.6), "row", "rows"), (out, Ink(ORANGE, 1.0), "outlier", "outliers")]
    {
        if count > 0 {
            let text = format!("{count} {}", if count == 1 { one } else { many });
            canvas.disc([x + 2.0, y], 2.2, ink);
            canvas.text(&text, [x + 12.0, y], Anchor::Start, Letters::new(SMALL, BLACK));
            x += 12.0 + text_width(text.chars().count(), SMALL) + 24.0;
        }
    }
    if !picture.lines.is_empty() {
        canvas.line([[x, y], [x + 18.0, y]], BLACK, 1.2);
        canvas.text(picture.lines, [x + 26.0, y], Anchor::Start, Letters::new(SMALL, BLACK));
    }
}
