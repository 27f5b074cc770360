//! From the error on the rows that were learned from to the expected one: T17 chapter 7. The loss is ½‖f(x) − y‖² where it is not
//! named. \[generalisation\]

use super::tail::check_probability;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// T17 Proposition 7.1: with probability 1 − δ, for all f with ‖θ‖ ≤ M, R(f) − R_emp(f) ≤ 2√(2/n)(LM√T + C√ln(2/δ)) for an
/// L-Lipschitz loss with values in [0, C] and Tr K(x,x) ≤ T.
///
/// ```
/// // a loss that says nothing about f leaves Hoeffding's term
/// let gap = orff::bound::rademacher(100, 0.0, 1.0, 1.0, 2.0, 0.05)?;
/// assert!((gap - 2.0 * (2.0 / 100.0f64).sqrt() * 2.0 * (2.0 / 0.05f64).ln().sqrt()).abs() < 1e-12);
/// # Ok::<(), orff::Error>(())
/// ```
pub fn rademacher(rows: u64, lipschitz: f64, norm: f64, trace: f64, largest: f64, delta: f64) -> Result<f64> {
    let ln = check_probability(delta)?;
    let n = some_rows(rows)?;
    for (name, value) in [("lipschitz", lipschitz), ("norm", norm), ("trace", trace), ("largest", largest)] {
        not_negative(name, value)?;
    }
    Ok(2.0 * (2.0 / n).sqrt() * (lipschitz * norm * trace.sqrt() + largest * (2f64.ln() - ln).sqrt()))
}

fn some_rows(rows: u64) -> Result<f64> {
    if rows > 0 { Ok(rows as f64) } else { Err(Error::parameter("rows", "a whole number ≥ 1", rows)) }
}

pub(super) fn not_negative(name: &str, value: f64) -> Result<()> {
    let right = value.is_finite() && value >= 0.0;
    if right { Ok(()) } else { Err(Error::parameter(name, "a number ≥ 0", value)) }
}

/// What the bounds need to know of a ridge model: minimal (1/n)Σ‖y − Φᵀθ‖² + λ‖θ‖², in the units in which it was solved.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fitted {
    /// Rows n.
    pub rows: u64,
    /// λ.
    pub ridge: f64,
    /// κ ≥ ‖K̂(x,x)‖.
    pub kappa: f64,
    /// T ≥ Tr K̂(x,x).
    pub trace: f64,
    /// C ≥ ‖y‖ of every row, seen or not.
    pub largest: f64,
    /// ‖θ‖ of the solution.
    pub norm: f64,
    /// Its mean loss ½‖f(x) − y‖² over the rows.
    pub risk: f64,
}

/// Bounds of R(f) − R_emp(f) that hold with probability 1 − δ.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Generalisation {
    /// T17 (7.5), from λ alone; none if λ > κ.
    pub complexity: Option<f64>,
    /// T17 (7.6), from the stability of ridge regression.
    pub stability: f64,
    /// T17 Proposition 7.1 with the norm that was found, rounded up to a power of two and paid for by a union bound.
    pub norm: f64,
}

impl Generalisation {
    /// The three bounds.
    ///
    /// * complexity: 8(C²/λ)√(κ/n)(√T + √(κ ln(2/δ)/2)) for λ ≤ κ (printed with ln(1/δ), for λ < 2κ).
    /// * stability: 2s²κ/(λn) + s²(4κ/λ + ½)√(ln(1/δ)/2n), s = C(1 + √(κ/λ)).
    /// * norm: 2√(2/n)(LM√T + ½L²√ln(2/δ_k)), L = √κ M + C, M = 2ᵏ ≥ ‖θ‖/(C/√κ) in units of C/√κ, δ_k = (2/3)δ/((|k|+1)(|k|+2)).
    ///
    /// ```
    /// use orff::bound::{Fitted, Generalisation};
    /// let f = Fitted { rows: 1000, ridge: 0.1, kappa: 1.0, trace: 1.0, largest: 1.0, norm: 0.5, risk: 0.1 };
    /// let (few, many) = (Generalisation::of(&f, 0.05)?, Generalisation::of(&Fitted { rows: 4000, ..f }, 0.05)?);
    /// assert!((few.complexity.unwrap() / many.complexity.unwrap() - 2.0).abs() < 1e-12); // 1/√n
    /// # Ok::<(), orff::Error>(())
    /// ```
    pub fn of(f: &Fitted, delta: f64) -> Result<Self> {
        let ln = -check_probability(delta)?; // ln(1/δ)
        let n = some_rows(f.rows)?;
        for (name, value) in
            [("ridge", f.ridge), ("kappa", f.kappa), ("trace", f.trace), ("largest", f.largest), ("norm", f.norm)]
        {
            not_negative(name, value)?;
        }
        if f.ridge == 0.0 {
            return Err(Error::refused(
                "a bound for ridge 0",
                "nothing keeps the solution small; fit with a ridge > 0",
            ));
        }
        let Fitted { ridge, kappa, trace, largest: c, .. } = *f;
        let complexity = (ridge <= kappa).then(|| {
            8.0 * c * c / ridge * (kappa / n).sqrt() * (trace.sqrt() + (kappa * (2f64.ln() + ln) / 2.0).sqrt())
        });
        let s = c * (1.0 + (kappa / ridge).sqrt());
        let stability =
            2.0 * s * s * kappa / (ridge * n) + s * s * (4.0 * kappa / ridge + 0.5) * (ln / (2.0 * n)).sqrt();
        Ok(Generalisation { complexity, stability, norm: by_norm(f, delta)? })
    }
}

fn by_norm(f: &Fitted, delta: f64) -> Result<f64> {
    let unit = if f.kappa > 0.0 && f.largest > 0.0 { f.largest / f.kappa.sqrt() } else { 1.0 };
    let k = libm::ceil(libm::log2((f.norm / unit).max(f64::MIN_POSITIVE))).clamp(-60.0, 1000.0);
    let m = unit * libm::exp2(k);
    let own = 2.0 / 3.0 * delta / ((k.abs() + 1.0) * (k.abs() + 2.0));
    let l = f.kappa.sqrt() * m + f.largest;
    rademacher(f.rows, l, m, f.trace, 0.5 * l * l, own)
}

/// T17 Proposition 7.3: the risk of the best f̃ with ‖θⱼ‖ ≤ M/√D for every atom, above that of the best f of the kernel's own
/// class.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Consistency {
    /// 4√(2/n)(LM√T + C√ln(2/δ)).
    pub estimation: f64,
    /// (uLM/√D)(1 + √(2 ln(1/δ))), u = ess sup √‖A‖.
    pub approximation: f64,
}

impl Consistency {
    /// With probability 1 − 2δ over rows and atoms: an L-Lipschitz loss in [0, C], T = ess sup Tr A and u² = ess sup‖A‖.
    ///
    /// ```
    /// use orff::bound::Consistency;
    /// let c = Consistency::of((1000, 100), (1.0, 2.0), 1.0, (3.0, 1.0), 0.05)?;
    /// let more = Consistency::of((1000, 400), (1.0, 2.0), 1.0, (3.0, 1.0), 0.05)?;
    /// assert!((c.approximation - 2.0 * more.approximation).abs() < 1e-12 && c.estimation == more.estimation);
    /// # Ok::<(), orff::Error>(())
    /// ```
    pub fn of(
        (rows, atoms): (u64, u64),
        (lipschitz, largest): (f64, f64),
        norm: f64,
        (trace, largest_a): (f64, f64),
        delta: f64,
    ) -> Result<Self> {
        let estimation = 2.0 * rademacher(rows, lipschitz, norm, trace, largest, delta)?;
        not_negative("largest_a", largest_a)?;
        if atoms == 0 {
            return Err(Error::parameter("atoms", "a whole number ≥ 1", atoms));
        }
        let ln = -check_probability(delta)?;
        let approximation = (largest_a / atoms as f64).sqrt() * lipschitz * norm * (1.0 + (2.0 * ln).sqrt());
        Ok(Consistency { estimation, approximation })
    }
}
