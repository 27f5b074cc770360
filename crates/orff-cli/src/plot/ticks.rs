//! Round numbers along an axis.

/// An axis: from, to, and whether it is logarithmic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    pub from: f64,
    pub to: f64,
    pub log: bool,
}

/// A labelled place on an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    pub at: f64,
    pub label: String,
}

impl Axis {
    /// A linear axis over the values with a little air on both sides; never empty.
    pub fn around(values: impl IntoIterator<Item = f64>) -> Axis {
        let (lo, hi) = extent(values);
        let air = 0.05 * (hi - lo);
        Axis { from: lo - air, to: hi + air, log: false }
    }

    /// A logarithmic axis over positive values.
    pub fn log_around(values: impl IntoIterator<Item = f64>) -> Axis {
        let (lo, hi) = extent(values.into_iter().map(f64::log10));
        let air = 0.03 * (hi - lo);
        Axis { from: 10f64.powf(lo - air), to: 10f64.powf(hi + air), log: true }
    }

    /// The place of a value, 0 at the start and 1 at the end.
    pub fn place(&self, value: f64) -> f64 {
        if self.log {
            (value / self.from).log10() / (self.to / self.from).log10()
        } else {
            (value - self.from) / (self.to - self.from)
        }
    }

    /// About `wanted` round values, labelled with as many digits as tell them apart.
    pub fn ticks(&self, wanted: usize) -> Vec<Tick> {
        if self.log {
            return self.decades(wanted);
        }
        let wide = (self.to - self.from) / wanted.max(1) as f64;
        let span = |step: f64| (self.from / step).ceil() as i64..=(self.to / step).floor() as i64;
        let count = |step: f64| span(step).count().abs_diff(wanted);
        let (fine, coarse) = (round_down(wide), round_up(wide));
        let step = if count(fine) <= count(coarse) { fine } else { coarse };
        span(step).map(|k| Tick { at: k as f64 * step, label: number(k as f64 * step, step) }).collect()
    }

    fn decades(&self, wanted: usize) -> Vec<Tick> {
        let (lo, hi) = (self.from.log10(), self.to.log10());
        let every = round_up((hi - lo) / wanted.max(1) as f64).ceil().max(1.0) as i32;
        let inside: Vec<i32> = (lo.ceil() as i32..=hi.floor() as i32).filter(|k| k % every == 0).collect();
        if inside.len() < 2 {
            let plain = Axis { log: false, ..*self };
            return plain.ticks(wanted).into_iter().filter(|t| t.at > 0.0).collect();
        }
        inside.into_iter().map(|k| Tick { at: 10f64.powi(k), label: format!("10{}", superscript(k)) }).collect()
    }
}

fn extent(values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let (lo, hi) = values.into_iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
    widened(lo, hi)
}

/// The interval itself, or one of positive width around it when it has none that a picture could show.
pub fn widened(lo: f64, hi: f64) -> (f64, f64) {
    if lo > hi {
        return (-1.0, 1.0);
    }
    let size = lo.abs().max(hi.abs());
    if hi - lo > 1e-9 * size {
        return (lo, hi);
    }
    let half = if size > 0.0 { 0.5 * size } else { 1.0 };
    (lo - half, hi + half)
}

/// The next of 1, 2, 5, 10, … times a power of ten.
pub fn round_up(v: f64) -> f64 {
    let ten = 10f64.powf(v.log10().floor());
    let digit = [1.0, 2.0, 5.0, 10.0].into_iter().find(|m| m * ten >= v * (1.0 - 1e-9)).unwrap_or(10.0);
    digit * ten
}

/// The last of 1, 2, 5, 10, … times a power of ten that is not above v.
pub fn round_down(v: f64) -> f64 {
    if v > 0.0 { 1.0 / round_up(1.0 / v) } else { 0.0 }
}

/// A value as it is written beside an axis whose steps are `step`.
pub fn number(v: f64, step: f64) -> String {
    if v.abs() <= 1e-9 * step && !(1e-3..1e5).contains(&step) {
        return "0".to_string();
    }
    let v = if v.abs() <= 1e-9 * step { 0.0 } else { v };
    let size = v.abs().max(step);
    if v != 0.0 && !(1e-3..1e5).contains(&size) {
        let power = size.log10().floor() as i32;
        let digits = (f64::from(power) - step.log10().floor()).max(0.0) as usize;
        return format!("{}×10{}", minus(format!("{:.digits$}", v / 10f64.powi(power))), superscript(power));
    }
    let digits = (-step.log10().floor()).max(0.0) as usize;
    minus(format!("{v:.digits$}"))
}

fn minus(text: String) -> String {
    text.replace('-', "−")
}

fn superscript(k: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let raised = |c: char| c.to_digit(10).map_or('⁻', |d| DIGITS[d as usize]);
    k.to_string().chars().map(raised).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(from: f64, to: f64, log: bool) -> Vec<String> {
        Axis { from, to, log }.ticks(5).into_iter().map(|t| t.label).collect()
    }

    #[test]
    fn labels_are_round_and_short() {
        assert_eq!(labels(-1.1, 1.1, false), ["−1.0", "−0.5", "0.0", "0.5", "1.0"]);
        assert_eq!(labels(0.0, 937.0, false), ["0", "200", "400", "600", "800"]);
        assert_eq!(labels(4.1e6, 4.13e6, false)[..2], ["4.10×10⁶", "4.11×10⁶"]);
        assert_eq!(labels(0.0, 4.4e-5, false)[..2], ["0", "1×10⁻⁵"]);
        assert_eq!(labels(2e-9, 3.0, true), ["10⁻⁸", "10⁻⁶", "10⁻⁴", "10⁻²", "10⁰"]);
    }

    #[test]
    fn an_axis_is_never_empty() {
        for v in [0.0, 3.0, -1e300, 1e-300] {
            let axis = Axis::around([v]);
            assert!(axis.to > axis.from && !axis.ticks(5).is_empty(), "{v}: {axis:?}");
        }
        assert!(Axis::around([]).to > Axis::around([]).from);
    }
}
