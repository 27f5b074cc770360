//! Fields from a random potential: its gradient (curl-free), and in the plane its rotation (divergence-free).

use super::{Sample, purpose, sample};
use crate::error::{Error, Result};
use crate::random::Stream;

/// φ(x) = Σ_c h_c exp(−‖x − m_c‖²/2s_c²): a mixture of gaussian bumps and pits.
#[derive(Clone, Debug, PartialEq)]
pub struct Potential {
    /// m_c, s_c and h_c.
    bumps: Vec<(Vec<f64>, f64, f64)>,
}

impl Potential {
    /// A random potential with `bumps` terms over \[−1, 1\]^d: centres uniform in the cube, widths uniform in
    /// \[0.25, 0.5\]·√d/√2 so that they overlap in any dimension, heights ±\[0.5, 1\].
    pub fn draw(d: usize, bumps: usize, seed: u64) -> Self {
        let overlap = (d as f64 / 2.0).sqrt();
        let draw = |c: usize| {
            let mut random = Stream::new(seed, purpose::POTENTIAL, c as u64);
            let centre = (0..d).map(|_| 2.0 * random.uniform() - 1.0).collect();
            let width = (0.25 + 0.25 * random.uniform()) * overlap;
            (centre, width, random.sign() * (0.5 + 0.5 * random.uniform()))
        };
        Potential { bumps: (0..bumps).map(draw).collect() }
    }

    /// φ(x).
    pub fn value(&self, x: &[f64]) -> f64 {
        self.terms(x).map(|(_, _, value)| value).sum()
    }

    /// ∇φ(x) (d numbers).
    pub fn gradient(&self, x: &[f64]) -> Vec<f64> {
        let mut gradient = vec![0.0; x.len()];
        for (centre, width, value) in self.terms(x) {
            let scale = value / (width * width);
            gradient.iter_mut().zip(centre).zip(x).for_each(|((g, m), x)| *g += scale * (m - x));
        }
        gradient
    }

    /// m_c, s_c and the value of each term at x.
    fn terms<'a>(&'a self, x: &'a [f64]) -> impl Iterator<Item = (&'a [f64], f64, f64)> {
        self.bumps.iter().map(|(centre, width, height)| {
            let square: f64 = x.iter().zip(centre).map(|(x, m)| (x - m) * (x - m)).sum();
            (centre.as_slice(), *width, height * libm::exp(-0.5 * square / (width * width)))
        })
    }
}

/// The gradient of a mixture of five gaussians at n uniform points of \[−1, 1\]^d, with normal noise of standard
/// deviation `noise` on each component: a curl-free field (T17 figure 3.2). Truth anywhere: [`Potential::gradient`] of
/// `Potential::draw(d, 5, seed)`.
///
/// ```
/// use orff::generate::{Potential, potential_field};
/// let field = potential_field(10, 3, 0.1, 7)?;
/// let x: Vec<f64> = (0..3).map(|k| field.inputs[(4, k)]).collect();
/// assert_eq!(Potential::draw(3, 5, 7).gradient(&x)[2], field.truth[(4, 2)]);
/// # Ok::<(), orff::Error>(())
/// ```
pub fn potential_field(n: usize, d: usize, noise: f64, seed: u64) -> Result<Sample> {
    if d == 0 {
        return Err(Error::parameter("inputs", "at least one", 0));
    }
    let potential = Potential::draw(d, 5, seed);
    sample((n, d, d), noise, (seed, purpose::FIELD), |x| potential.gradient(x))
}

/// The field of [`potential_field`] in the plane, turned by 90°: (−∂₂φ, ∂₁φ), a divergence-free field (T17 figure 3.3)
/// at the same points.
pub fn vortex_field(n: usize, noise: f64, seed: u64) -> Result<Sample> {
    let potential = Potential::draw(2, 5, seed);
    sample((n, 2, 2), noise, (seed, purpose::FIELD), |x| {
        let gradient = potential.gradient(x);
        vec![-gradient[1], gradient[0]]
    })
}
