//! The data in the picture of a field, and the line that explains the marks.

use super::arrow::Arrow;
use super::canvas::{Anchor, Canvas, Ink, Letters};
use super::colour::{BLACK, ORANGE};
use super::field::{FieldPicture, Style};
use super::frame::{Frame, SMALL, text_width};
use super::ticks::{number, round_down};
use super::{MAX_MARKERS, stride};

/// Training points, with what was measured there.
pub fn measured(canvas: &mut Canvas, frame: &Frame, picture: &FieldPicture, arrow: &Arrow) {
    let every = stride(picture.points.len(), MAX_MARKERS);
    let radius = if picture.points.len() > 400 { 1.3 } else { 1.9 };
    for (k, p) in picture.points.iter().enumerate().step_by(every) {
        let at = frame.pixel(*p);
        if !frame.contains(at) {
            continue;
        }
        canvas.disc(at, radius + 0.7, Ink([255; 3], 0.9));
        canvas.disc(at, radius, Ink(ORANGE, 1.0));
        if let Some(measured) = picture.arrows_at_points {
            arrow.draw(canvas, at, measured[k], 0.0, Ink(ORANGE, 1.0));
        }
    }
}

/// What the marks mean, in a line above the frame.
pub fn legend(canvas: &mut Canvas, frame: &Frame, picture: &FieldPicture, arrow: &Arrow) {
    let y = frame.corner[1] - 18.0;
    let mut x = frame.corner[0];
    let mut entry = |canvas: &mut Canvas, mark: f64, text: &str| {
        canvas.text(text, [x + mark + 8.0, y], Anchor::Start, Letters::new(SMALL, BLACK));
        let from = x;
        x += mark + 8.0 + text_width(text.chars().count(), SMALL) + 24.0;
        from
    };
    let strength = round_down(arrow.reference * 44.0 / arrow.length);
    let scale = format!("{} {}", number(strength, strength), picture.field_unit);
    let long = arrow.pixels(strength);
    let arrows = picture.style == Style::Arrows;
    if arrow.reference > 0.0 && arrows {
        let at = entry(canvas, long, scale.trim_end());
        arrow.draw(canvas, [at, y], [strength, 0.0], 0.0, BLACK);
    }
    if picture.points.is_empty() {
        return;
    }
    let ink = Ink(ORANGE, 1.0);
    match (picture.arrows_at_points, arrow.reference > 0.0) {
        (Some(_), true) => {
            let text = if arrows { "measured".to_string() } else { format!("measured, {}", scale.trim_end()) };
            let at = entry(canvas, long, &text);
            canvas.disc([at, y], 1.9, ink);
            arrow.draw(canvas, [at, y], [strength, 0.0], 0.0, ink);
        }
        _ => {
            let n = picture.points.len();
            let at = entry(canvas, 4.0, &format!("{n} training point{}", if n == 1 { "" } else { "s" }));
            canvas.disc([at + 2.0, y], 2.2, ink);
        }
    }
}
