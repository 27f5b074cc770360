//! Colours that grow evenly for the eye and survive colour blindness.

use super::canvas::{Ink, Rgb};

/// Okabe and Ito's palette, for lines and markers.
pub const BLUE: Rgb = [0, 114, 178];
pub const ORANGE: Rgb = [213, 94, 0];
pub const GREEN: Rgb = [0, 158, 115];
pub const BLACK: Ink = Ink([34, 34, 40], 1.0);
pub const GREY: Ink = Ink([110, 110, 118], 1.0);
pub const FAINT: Ink = Ink([225, 225, 230], 1.0);

/// viridis at sixteenths.
const VIRIDIS: [Rgb; 17] = [
    [68, 1, 84],
    [72, 24, 106],
    [71, 45, 123],
    [66, 64, 134],
    [59, 82, 139],
    [51, 99, 141],
    [44, 114, 142],
    [38, 130, 142],
    [33, 145, 140],
    [31, 160, 136],
    [40, 174, 128],
    [63, 188, 115],
    [94, 201, 98],
    [132, 212, 75],
    [173, 220, 48],
    [216, 226, 25],
    [253, 231, 37],
];

/// Blue through white to red (ColorBrewer's RdBu, reversed), for signed values.
const DIVERGING: [Rgb; 11] = [
    [5, 48, 97],
    [33, 102, 172],
    [67, 147, 195],
    [146, 197, 222],
    [209, 229, 240],
    [247, 247, 247],
    [253, 219, 199],
    [244, 165, 130],
    [214, 96, 77],
    [178, 24, 43],
    [103, 0, 31],
];

/// A colour scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// From little to much.
    Sequential,
    /// Signed, white at zero.
    Diverging,
}

impl Scale {
    /// The colour at t ∈ [0, 1], lightened so that dark arrows stand out.
    pub fn at(self, t: f64) -> Rgb {
        let table: &[Rgb] = match self {
            Scale::Sequential => &VIRIDIS,
            Scale::Diverging => &DIVERGING,
        };
        let s = t.clamp(0.0, 1.0) * (table.len() - 1) as f64;
        let k = (s as usize).min(table.len() - 2);
        let lighten = if self == Scale::Sequential { 0.30 } else { 0.12 };
        std::array::from_fn(|c| {
            let pure = f64::from(table[k][c]) * (1.0 - s + k as f64) + f64::from(table[k + 1][c]) * (s - k as f64);
            (pure + lighten * (255.0 - pure)).round() as u8
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lightness([r, g, b]: Rgb) -> f64 {
        let linear = |v: u8| (f64::from(v) / 255.0).powf(2.2);
        0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
    }

    #[test]
    fn the_sequential_scale_only_grows_lighter() {
        let steps: Vec<f64> = (0..=100).map(|i| lightness(Scale::Sequential.at(f64::from(i) / 100.0))).collect();
        assert!(steps.windows(2).all(|w| w[1] > w[0] - 1e-3), "{steps:?}");
    }

    #[test]
    fn the_diverging_scale_is_lightest_in_its_middle() {
        let middle = lightness(Scale::Diverging.at(0.5));
        assert!((0..=100).all(|i| lightness(Scale::Diverging.at(f64::from(i) / 100.0)) <= middle));
    }
}
