//! All bounds for one kernel.

use super::{Bound, Constants, Scope, intrinsic, koltchinskii, minh, rahimi_recht};
use crate::error::Result;
use crate::feature::MapKind;
use crate::kernel::{Kernel, SumDraw};
use crate::spectrum::Measure;
use serde::Serialize;

/// A kernel, its points, and how its atoms are drawn.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The kernel, with nothing left open.
    pub kernel: Kernel,
    /// Number of inputs d.
    pub inputs: usize,
    /// Diameter of the set of points, in the chart of the group.
    pub diameter: f64,
    /// The measure frequencies are drawn from.
    pub measure: Measure,
    /// Pairs or phases.
    pub map: MapKind,
    /// How a sum shares its atoms.
    pub sum: SumDraw,
}

/// A theorem that does not apply, and why.
#[derive(Clone, Debug, Serialize)]
pub struct Refusal {
    /// The name of the bound.
    pub name: &'static str,
    /// Why it does not apply.
    pub why: String,
}

/// What is known about one setting.
#[derive(Debug)]
pub struct Found {
    /// The constants of each term of the kernel.
    pub constants: Vec<Constants>,
    /// Theorems that apply, in the order of the papers.
    pub bounds: Vec<Bound>,
    /// Those that do not.
    pub refused: Vec<Refusal>,
}

impl Setting {
    /// With the default draw: trace measure, pairs.
    pub fn new(kernel: Kernel, inputs: usize, diameter: f64) -> Self {
        let (measure, map, sum) = (Measure::Trace, MapKind::Pairs, SumDraw::Concatenation);
        Setting { kernel, inputs, diameter, measure, map, sum }
    }

    /// The distances at which variances are told.
    pub(super) fn distances(&self) -> [f64; 3] {
        [0.0, 0.5 * self.diameter, self.diameter]
    }

    /// A difference of this length, along the diagonal.
    pub(super) fn across(&self, distance: f64) -> Vec<f64> {
        vec![distance / (self.inputs as f64).sqrt(); self.inputs]
    }
}

/// A theorem with the name it is listed by.
type Theorem = (&'static str, Scope, fn(&Constants, MapKind) -> Result<Bound>);

const THEOREMS: &[Theorem] = &[
    ("rahimi-recht", Scope::Uniform, |c, _| rahimi_recht::rahimi_recht(c)),
    ("brault-2016", Scope::Uniform, |c, _| koltchinskii::koltchinskii(c)),
    ("brault-2017-unbounded", Scope::Uniform, |c, _| intrinsic::unbounded(c)),
    ("brault-2017-bounded", Scope::Uniform, |c, _| intrinsic::bounded(c)),
    ("minh-uniform", Scope::Uniform, |c, _| minh::uniform(c)),
    ("minh-pointwise", Scope::Pointwise, minh::pointwise),
];

/// The bounds of all pairs of points that constants allow, of pairs of one law.
pub(super) fn uniform(constants: &Constants) -> Vec<Bound> {
    let all = THEOREMS.iter().filter(|(_, scope, _)| *scope == Scope::Uniform);
    all.filter_map(|(_, _, theorem)| theorem(constants, MapKind::Pairs).ok()).collect()
}

/// Every bound of a setting, and why others do not apply. Time O(d + p³).
///
/// ```
/// use orff::bound::{Setting, bounds};
/// use orff::kernel::Kernel;
/// use orff::spectrum::Gaussian;
/// let k = Kernel::curl_free(Gaussian { lengthscale: 1.0.into() }.into());
/// let found = bounds(&Setting::new(k, 3, 2.0))?;
/// assert!(found.bounds.iter().any(|b| b.name == "minh-uniform"));
/// assert_eq!(found.refused[0].name, "rahimi-recht"); // for scalar and decomposable kernels
/// # Ok::<(), orff::Error>(())
/// ```
pub fn bounds(setting: &Setting) -> Result<Found> {
    let terms = setting.kernel.terms();
    let mut constants = terms
        .iter()
        .map(|term| Constants::of(term, setting.inputs, setting.diameter, setting.measure))
        .collect::<Result<Vec<_>>>()?;
    if terms.len() > 1 && setting.sum == SumDraw::Mixture {
        constants = vec![Constants::mixture(&setting.kernel, &terms, &constants)?];
    }
    let (mut found, mut refused) = (Vec::new(), Vec::new());
    for (name, scope, theorem) in THEOREMS {
        if *scope == Scope::Uniform && setting.map == MapKind::Phases {
            let why = "with the phases map the error depends on x and z apart, not on x − z (use map pairs)".into();
            refused.push(Refusal { name, why });
            continue;
        }
        match constants.iter().map(|c| theorem(c, setting.map)).collect::<Result<Vec<_>>>() {
            Ok(each) => found.push(together(each, &constants)),
            Err(error) => refused.push(Refusal { name, why: error.to_string() }),
        }
    }
    Ok(Found { constants, bounds: found, refused })
}

/// The error of a sum is at most the sum of the errors of its terms: each may have its share of ε, in proportion to ‖K(0)‖, and has
/// its share of the atoms.
fn together(mut each: Vec<Bound>, constants: &[Constants]) -> Bound {
    if each.len() == 1 {
        return each.remove(0);
    }
    let total: f64 = constants.iter().map(|c| c.norm).sum();
    let shares: Vec<f64> = constants.iter().map(|c| c.norm / total).collect();
    let mut assumptions = vec![format!("each of {} terms has its own atoms and its share of ε", each.len())];
    assumptions.extend(each.iter().flat_map(|b| b.assumptions.iter().cloned()));
    let (name, source, scope, norm) = (each[0].name, each[0].source, each[0].scope, each[0].norm);
    let terms = each.len() as f64;
    Bound::new((name, source), scope, norm, assumptions, move |atoms, epsilon| {
        let own = (atoms / terms).floor();
        if own < 1.0 {
            return 0.0;
        }
        libm::log(each.iter().zip(&shares).map(|(b, share)| libm::exp(b.ln(own, share * epsilon))).sum())
    })
}
