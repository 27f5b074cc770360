//! A drawing surface in pixels with fractions: plotters' SVG backend counts whole units, so a pixel is ten of them.

use anyhow::{Result, anyhow};
use plotters::backend::{DrawingBackend, SVGBackend};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontStyle, FontTransform, IntoFont, RGBAColor, ShapeStyle, TextStyle};

const UNITS: f64 = 10.0;

/// A point in pixels from the upper left corner.
pub type Pixel = [f64; 2];

/// Red, green, blue.
pub type Rgb = [u8; 3];

/// A colour with its opacity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ink(pub Rgb, pub f64);

/// Where a text stands relative to its point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text looks.
#[derive(Clone, Copy, Debug)]
pub struct Letters {
    pub size: f64,
    pub bold: bool,
    pub upwards: bool,
    pub ink: Ink,
}

impl Letters {
    pub fn new(size: f64, ink: Ink) -> Self {
        Letters { size, bold: false, upwards: false, ink }
    }
}

/// A white sheet that becomes the text of an SVG file.
pub struct Canvas {
    width: f64,
    height: f64,
    // elements in drawing order; replayed at the end because the backend borrows its buffer
    strokes: Vec<Stroke>,
}

enum Stroke {
    Line(Vec<Pixel>, Ink, f64),
    Fill(Vec<Pixel>, Ink),
    Disc(Pixel, f64, Ink, bool),
    Text(String, Pixel, Anchor, Letters),
}

impl Canvas {
    pub fn new(width: f64, height: f64) -> Self {
        Canvas { width, height, strokes: Vec::new() }
    }

    pub fn line(&mut self, points: impl IntoIterator<Item = Pixel>, ink: Ink, thickness: f64) {
        self.strokes.push(Stroke::Line(points.into_iter().collect(), ink, thickness));
    }

    /// A straight line of dashes.
    pub fn dashed(&mut self, from: Pixel, to: Pixel, ink: Ink, thickness: f64) {
        let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
        let dashes = ((dx.hypot(dy) / 8.0).round() as usize).max(1);
        let at = |t: f64| [from[0] + t * dx, from[1] + t * dy];
        for k in 0..dashes {
            let (a, b) = (k as f64 / dashes as f64, (k as f64 + 0.6) / dashes as f64);
            self.line([at(a), at(b)], ink, thickness);
        }
    }

    pub fn fill(&mut self, corners: impl IntoIterator<Item = Pixel>, ink: Ink) {
        self.strokes.push(Stroke::Fill(corners.into_iter().collect(), ink));
    }

    pub fn rect(&mut self, from: Pixel, to: Pixel, ink: Ink) {
        self.fill([from, [to[0], from[1]], to, [from[0], to[1]]], ink);
    }

    pub fn disc(&mut self, centre: Pixel, radius: f64, ink: Ink) {
        self.strokes.push(Stroke::Disc(centre, radius, ink, true));
    }

    pub fn text(&mut self, text: &str, at: Pixel, anchor: Anchor, letters: Letters) {
        self.strokes.push(Stroke::Text(text.to_string(), at, anchor, letters));
    }

    /// The file's text.
    pub fn finish(self) -> Result<String> {
        let size = ((self.width * UNITS).round() as u32, (self.height * UNITS).round() as u32);
        let mut text = String::new();
        let mut backend = SVGBackend::with_string(&mut text, size);
        backend.draw_rect((0, 0), (size.0 as i32, size.1 as i32), &style(Ink([255; 3], 1.0), 0.0), true)?;
        for stroke in &self.strokes {
            match stroke {
                Stroke::Line(points, ink, thickness) => {
                    backend.draw_path(points.iter().map(unit), &style(*ink, *thickness))?
                }
                Stroke::Fill(points, ink) => backend.fill_polygon(points.iter().map(unit), &style(*ink, 0.0))?,
                Stroke::Disc(centre, radius, ink, filled) => {
                    backend.draw_circle(unit(centre), length(*radius), &style(*ink, 1.0), *filled)?
                }
                Stroke::Text(text, at, anchor, letters) => {
                    backend.draw_text(text, &font(*letters, *anchor), unit(at))?
                }
            }
        }
        backend.present().map_err(|e| anyhow!("the picture cannot be finished: {e}"))?;
        drop(backend);
        // units count tenths of pixels inside; outside the picture has its natural size
        let inner = format!("width=\"{}\" height=\"{}\"", size.0, size.1);
        let outer = format!("width=\"{}\" height=\"{}\"", self.width.round(), self.height.round());
        let lean = text.replacen(&inner, &outer, 1).replace(" opacity=\"1\"", "").replace(" \"/>", "\"/>");
        Ok(lean)
    }
}

fn unit(p: &Pixel) -> (i32, i32) {
    let round = |v: f64| (v * UNITS).round().clamp(-1e7, 1e7) as i32;
    (round(p[0]), round(p[1]))
}

fn length(v: f64) -> u32 {
    ((v * UNITS).round() as u32).max(1)
}

fn colour(Ink([r, g, b], alpha): Ink) -> RGBAColor {
    RGBAColor(r, g, b, alpha)
}

fn style(ink: Ink, thickness: f64) -> ShapeStyle {
    ShapeStyle { color: colour(ink), filled: true, stroke_width: length(thickness) }
}

fn font(letters: Letters, anchor: Anchor) -> TextStyle<'static> {
    let turn = if letters.upwards { FontTransform::Rotate270 } else { FontTransform::None };
    let weight = if letters.bold { FontStyle::Bold } else { FontStyle::Normal };
    // plotters divides the size by 1.24 on its way to SVG
    let face = ("sans-serif", letters.size * UNITS * 1.24).into_font().style(weight).transform(turn);
    let horizontal = match anchor {
        Anchor::Start => HPos::Left,
        Anchor::Middle => HPos::Center,
        Anchor::End => HPos::Right,
    };
    let ink = colour(letters.ink).to_backend_color();
    TextStyle { font: face, color: ink, pos: Pos::new(horizontal, VPos::Center) }
}
