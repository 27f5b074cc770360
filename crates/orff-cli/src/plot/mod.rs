//! Pictures as self-contained SVG: a field in the plane, a regularisation path, curves, predictions against
//! observations, sets of usual places. Each function takes numbers and returns the text of one file; nothing here knows a model.

mod arrow;
mod canvas;
mod colour;
mod contour;
mod curve;
mod field;
mod frame;
mod heat;

mod layout;
mod legend;
mod path;
mod scatter;
mod sets;
mod stream;
mod ticks;

pub use curve::{CurveOutput, CurvePicture, curve_svg};
pub use field::{Background, FieldPicture, Style, field_svg, range_of};
pub use path::{PathPicture, path_svg};
pub use scatter::{ScatterOutput, ScatterPicture, scatter_svg};
pub use sets::{SetsPicture, sets_svg};

/// Small multiples beyond this number are left out, and the title says so.
pub const MAX_PANELS: usize = 9;

/// Markers drawn in one picture; more are thinned evenly, so that the file stays small.
const MAX_MARKERS: usize = 1800;

/// Every k-th of n things, so that at most `limit` remain.
fn stride(n: usize, limit: usize) -> usize {
    n.div_ceil(limit.max(1)).max(1)
}

/// "name (unit)", or the name alone.
fn with_unit(name: &str, unit: &str) -> String {
    if unit.is_empty() { name.to_string() } else { format!("{name} ({unit})") }
}

/// The title of small multiples, saying when some outputs are left out.
fn heading(title: &str, outputs: usize) -> String {
    if outputs > MAX_PANELS {
        format!("{title} (first {MAX_PANELS} of {outputs} outputs)")
    } else {
        title.to_string()
    }
}

/// Refuses a number that cannot be drawn.
fn finite(value: f64, what: impl Fn() -> String) -> anyhow::Result<f64> {
    anyhow::ensure!(value.is_finite(), "{}: {value} is not a finite number and cannot be drawn", what());
    Ok(value)
}
