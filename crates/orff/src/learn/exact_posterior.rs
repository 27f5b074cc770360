//! The posterior of exact ridge regression. \[posterior\]

use crate::linalg;
use crate::model::{ExactPosterior, Span};
use crate::solve::{Dual, DualSolution, Group};
use faer::Mat;

/// (1/nλ)[K_c(x,x) − K_c(x,X)(K_c + nλI)⁻¹K_c(X,x)] of the centred kernel, its terms sorted by their degree in
/// K(X,x), and the variance 1/Σw of each offset.
pub(super) fn posterior(
    dual: &Dual,
    solution: &DualSolution,
    ridge: f64,
    (m, columns): (usize, usize),
    totals: &[f64],
    offset: bool,
) -> ExactPosterior {
    let unit = 1.0 / (dual.rows * ridge);
    let turned: Vec<Mat<f64>> = solution.roots.iter().map(|(g, r)| dual.groups[*g].turn(r.as_ref())).collect();
    let mut constant = Mat::zeros(columns, columns);
    if offset {
        (0..columns).for_each(|t| constant[(t, t)] = 1.0 / totals[t]);
    }
    let mut spans = Vec::new();
    for (c, inverse) in dual.components.iter().zip(&solution.inverses) {
        let Some((root, scale)) = inverse else { continue };
        let (group, turn, prior) = (&dual.groups[c.group], &turned[*root], unit * c.s2);
        let scale: Vec<f64> = scale.iter().map(|s| prior * s).collect();
        let centre = linalg::product(turn.as_ref(), group.drift.as_ref()); // T K M
        let weighted = Mat::from_fn(centre.nrows(), centre.ncols(), |j, t| scale[j] * centre[(j, t)]);
        let linear = faer::Scale(prior) * group.mean() - linalg::product(turn.transpose(), weighted.as_ref());
        let corner = faer::Scale(prior) * &group.corner - linalg::product(centre.transpose(), weighted.as_ref());
        for s in 0..columns {
            for t in 0..columns {
                constant[(s, t)] += match &c.direction {
                    Some(u) => corner[(0, 0)] * u[s] * u[t],
                    None => corner[(s, t)],
                };
            }
        }
        let (width, at) = places(group, c.direction.is_some(), m, columns);
        let mut spread = Mat::zeros(width, linear.ncols());
        at.iter().enumerate().for_each(|(e, &a)| (0..linear.ncols()).for_each(|t| spread[(a, t)] = linear[(e, t)]));
        spans.push(Span { root: *root, prior, scale, linear: spread, direction: c.direction.clone() });
    }
    // every root belongs to one kind of component: directions, or all outputs
    let whole = dual.components.iter().all(|c| c.direction.is_none());
    let roots = (solution.roots.iter().zip(turned))
        .map(|((g, _), turn)| {
            let (width, at) = places(&dual.groups[*g], !whole, m, columns);
            if width == turn.ncols() {
                return turn;
            }
            let mut wide = Mat::zeros(turn.nrows(), width);
            at.iter().enumerate().for_each(|(e, &a)| wide.col_mut(a).copy_from(turn.col(e)));
            wide
        })
        .collect();
    ExactPosterior { roots, spans, constant, unit: None }
}

/// Number of kernel sections, and which of them each entry of a group is.
fn places(group: &Group, scalar: bool, m: usize, columns: usize) -> (usize, Vec<usize>) {
    let place = |&(i, t): &(usize, usize)| if scalar { i } else { i * columns + t };
    (if scalar { m } else { m * columns }, group.entries.iter().map(place).collect())
}
