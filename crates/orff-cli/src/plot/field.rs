//! A vector field in the plane: arrows or streamlines over a heat map, with the data it was learned from.

use super::arrow::{Arrow, streamlines, strongest};
use super::canvas::Canvas;
use super::colour::{BLACK, Scale};
use super::contour::Grid;
use super::frame::title;
use super::heat::{Heat, fade};
use super::layout::{clip, frame, mesh, mesh_shape};
use super::legend::{legend, measured};
use super::ticks::Axis;
use super::{finite, with_unit};
use anyhow::{Result, bail, ensure};

/// How the field itself is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Style {
    /// Arrows on a grid, as long as the field is strong.
    #[default]
    Arrows,
    /// Evenly spread lines that follow the field.
    Streamlines,
}

/// What the colours behind the arrows show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Background {
    /// ‖f‖; needs no function of its own.
    Speed,
    /// Of a curl-free field.
    Potential,
    /// Of a divergence-free field.
    Stream,
    /// ∂f₂/∂x₁ − ∂f₁/∂x₂.
    Curl,
    /// ∂f₁/∂x₁ + ∂f₂/∂x₂.
    Divergence,
}

impl Background {
    fn name(self) -> &'static str {
        match self {
            Background::Speed => "speed",
            Background::Potential => "potential",
            Background::Stream => "stream function",
            Background::Curl => "curl",
            Background::Divergence => "divergence",
        }
    }

    fn scale(self) -> Scale {
        match self {
            Background::Curl | Background::Divergence => Scale::Diverging,
            _ => Scale::Sequential,
        }
    }
}

/// What to draw. Directions on the page are those of the components: first to the right, second upwards.
#[derive(Clone, Debug)]
pub struct FieldPicture<'a> {
    pub title: &'a str,
    pub axes: [&'a str; 2],
    /// Units of the axes, the field and the background; empty: none.
    pub units: [&'a str; 2],
    pub field_unit: &'a str,
    pub background_unit: &'a str,
    pub style: Style,
    /// Arrows along the longer side.
    pub grid: usize,
    /// Where the field was measured; may be empty.
    pub points: &'a [[f64; 2]],
    /// What was measured there.
    pub arrows_at_points: Option<&'a [[f64; 2]]>,
    /// Lower and upper corner.
    pub range: ([f64; 2], [f64; 2]),
    pub background: Option<Background>,
    /// Length on the page of a unit of the second axis, per unit of the first: 1, or 1/cos φ for degrees.
    pub aspect: f64,
    /// Farther than this from every point (in units of the first axis) the picture fades; None: nowhere.
    pub reach: Option<f64>,
}

impl Default for FieldPicture<'_> {
    fn default() -> Self {
        FieldPicture {
            title: "",
            axes: ["x", "y"],
            units: [""; 2],
            field_unit: "",
            background_unit: "",
            style: Style::Arrows,
            grid: 24,
            points: &[],
            arrows_at_points: None,
            range: ([0.0; 2], [1.0; 2]),
            background: None,
            aspect: 1.0,
            reach: None,
        }
    }
}

/// A field at some points.
pub type Field<'a> = &'a mut dyn FnMut(&[[f64; 2]]) -> Result<Vec<[f64; 2]>>;

/// A function at some points.
pub type Scalar<'a> = &'a mut dyn FnMut(&[[f64; 2]]) -> Result<Vec<f64>>;

/// A range that holds the points, with a margin.
pub fn range_of(points: &[[f64; 2]]) -> ([f64; 2], [f64; 2]) {
    let axis = |c: usize| Axis::around(points.iter().map(|p| p[c]));
    ([axis(0).from, axis(1).from], [axis(0).to, axis(1).to])
}

/// Draws the field; `background` is asked for the colours unless they show the speed.
pub fn field_svg(picture: &FieldPicture, field: Field, background: Option<Scalar>) -> Result<String> {
    check(picture)?;
    let frame = frame(picture);
    let wide = 640.0_f64.max(frame.right() + if picture.background.is_some() { 112.0 } else { 28.0 });
    let mut canvas = Canvas::new(wide, frame.bottom() + 56.0);

    let shape = mesh_shape(&frame, 96);
    let mesh = mesh(&frame, shape, true);
    let flow = ask(field, &mesh)?;
    let grid = |values: Vec<f64>| Grid { nx: shape[0], ny: shape[1], values };
    let distance = grid(distances(picture, &mesh));
    let near = |k: usize| picture.reach.is_none_or(|reach| distance.values[k] <= reach);

    let mut bar = None;
    if let Some(kind) = picture.background {
        let values = match (kind, background) {
            (Background::Speed, _) => flow.iter().map(|f| f[0].hypot(f[1])).collect(),
            (_, Some(function)) => function(&mesh)?,
            (_, None) => bail!("a {} needs a function to draw", kind.name()),
        };
        ensure!(values.len() == mesh.len(), "{}: {} values for {} points", kind.name(), values.len(), mesh.len());
        for (v, at) in values.iter().zip(&mesh) {
            finite(*v, || format!("{} at {at:?}", kind.name()))?;
        }
        let heat = Heat::new(grid(values), kind.scale(), near);
        heat.draw(&mut canvas, &frame);
        bar = Some((heat, with_unit(kind.name(), picture.background_unit)));
    }

    let top = strongest(flow.iter().enumerate().filter(|(k, _)| near(*k)).map(|(_, f)| *f));
    let arrow = Arrow { reference: top, length: 1.15 * frame.size[0].max(frame.size[1]) / picture.grid as f64 };
    match picture.style {
        Style::Arrows => {
            let nodes = self::mesh(&frame, mesh_shape(&frame, picture.grid), false);
            for (at, f) in nodes.iter().zip(ask(field, &nodes)?) {
                arrow.draw(&mut canvas, frame.pixel(*at), f, 0.5, BLACK);
            }
        }
        Style::Streamlines => {
            let component = |c: usize| grid(flow.iter().map(|f| f[c]).collect());
            streamlines(&mut canvas, &frame, &component(0), &component(1), picture.grid);
        }
    }
    if let (Some(reach), false) = (picture.reach, picture.points.is_empty()) {
        fade(&mut canvas, &frame, &distance, reach);
    }
    measured(&mut canvas, &frame, picture, &arrow);
    clip(&mut canvas, &frame, wide);
    frame.axes(&mut canvas, [0, 1].map(|c| with_unit(picture.axes[c], picture.units[c])).each_ref().map(|s| &**s));
    if let Some((heat, name)) = bar {
        heat.bar(&mut canvas, &frame, &name);
    }
    title(&mut canvas, picture.title, [frame.corner[0], 24.0]);
    legend(&mut canvas, &frame, picture, &arrow);
    canvas.finish()
}

fn check(picture: &FieldPicture) -> Result<()> {
    ensure!(picture.grid >= 2, "grid: {} is not a number of arrows from 2 on", picture.grid);
    ensure!(picture.aspect.is_finite() && picture.aspect > 0.0, "aspect: {} is not positive", picture.aspect);
    let (lo, hi) = picture.range;
    for c in 0..2 {
        finite(lo[c], || format!("range of {}", picture.axes[c]))?;
        finite(hi[c], || format!("range of {}", picture.axes[c]))?;
        ensure!(lo[c] <= hi[c], "range of {}: {} is above {}", picture.axes[c], lo[c], hi[c]);
    }
    for p in picture.points.iter().chain(picture.arrows_at_points.unwrap_or_default()).flatten() {
        finite(*p, || "training point".to_string())?;
    }
    if let Some(measured) = picture.arrows_at_points {
        let (n, m) = (picture.points.len(), measured.len());
        ensure!(n == m, "arrows_at_points: {m} arrows for {n} points");
    }
    Ok(())
}

fn ask(field: Field<'_>, at: &[[f64; 2]]) -> Result<Vec<[f64; 2]>> {
    let values = field(at)?;
    ensure!(values.len() == at.len(), "field: {} vectors for {} points", values.len(), at.len());
    for (f, x) in values.iter().zip(at) {
        finite(f[0] + f[1], || format!("field at {x:?}"))?;
    }
    Ok(values)
}

/// From each place to the nearest training point, in units of the first axis.
fn distances(picture: &FieldPicture, mesh: &[[f64; 2]]) -> Vec<f64> {
    let apart = |a: &[f64; 2], b: &[f64; 2]| (a[0] - b[0]).hypot(picture.aspect * (a[1] - b[1]));
    let nearest = |m: &[f64; 2]| picture.points.iter().map(|p| apart(m, p)).fold(f64::INFINITY, f64::min);
    if picture.reach.is_none() || picture.points.is_empty() {
        return vec![0.0; mesh.len()];
    }
    mesh.iter().map(nearest).collect()
}
