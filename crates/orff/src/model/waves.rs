//! A model as a sum of plane waves in the user's coordinates.

use super::Linear;
use crate::feature::{FeatureMap, MapKind};
use faer::Mat;
use std::borrow::Cow;
use std::f64::consts::FRAC_PI_2;

/// The characters as plane waves in the user's coordinates.
pub(super) struct Waves<'a> {
    /// κ = ω/scale of each character (M×d).
    pub(super) kappa: Mat<f64>,
    /// The map whose characters, with `partner`, are the derivatives c′ of the characters in their angle.
    pub(super) turned: Cow<'a, FeatureMap>,
    /// c′ₘ is sign times character `partner` of the turned map, and so the other way round up to the sign.
    pub(super) partner: Vec<(usize, f64)>,
}

impl<'a> Waves<'a> {
    pub(super) fn of(model: &'a Linear) -> Self {
        let (map, scale) = (&model.map, &model.preparation.scale);
        let (atoms, m) = (map.atoms(), map.characters());
        let mut kappa = Mat::zeros(m, atoms.inputs());
        let (mut partner, mut omega) = (Vec::with_capacity(m), vec![0.0; atoms.inputs()]);
        for block in &atoms.blocks {
            let (from, count) = (partner.len(), block.count());
            match map.kind() {
                // Σ (−sin)T_cos + cos T_sin: the row of cos is T_sin, that of sin is −T_cos
                MapKind::Pairs => {
                    partner.extend((0..count).map(|j| (from + count + j, 1.0)));
                    partner.extend((0..count).map(|j| (from + j, -1.0)));
                }
                MapKind::Phases => partner.extend((0..count).map(|j| (from + j, 1.0))),
            }
            for row in from..partner.len() {
                block.omega.row((row - from) % count, &mut omega);
                omega.iter().enumerate().for_each(|(k, w)| kappa[(row, k)] = w / scale[k]);
            }
        }
        let turned = match map.kind() {
            MapKind::Pairs => Cow::Borrowed(map),
            MapKind::Phases => {
                // −sin(t + b) = cos(t + b + π/2)
                let later = |b| map.phases(b).iter().map(|phase| phase + FRAC_PI_2).collect();
                let phases = (0..atoms.blocks.len()).map(later).collect();
                Cow::Owned(FeatureMap::from_parts(atoms.clone(), MapKind::Phases, phases))
            }
        };
        Waves { kappa, turned, partner }
    }

    /// The table T′ (M×q) for the turned map with T′ᵀc = Tᵀc′, where T has the given entries. The antiderivative of c
    /// is −c′: integrals are turned tables too.
    pub(super) fn turn(&self, columns: usize, entry: impl Fn(usize, usize) -> f64) -> Mat<f64> {
        Mat::from_fn(self.partner.len(), columns, |m, q| self.partner[m].1 * entry(self.partner[m].0, q))
    }

    /// κ/‖κ‖ and ‖κ‖ of character m, without overflow; zeros if κ = 0.
    pub(super) fn unit(&self, m: usize) -> (Vec<f64>, f64) {
        let kappa: Vec<f64> = (0..self.kappa.ncols()).map(|k| self.kappa[(m, k)]).collect();
        let largest = kappa.iter().fold(0.0, |a: f64, k| a.max(k.abs()));
        if largest == 0.0 {
            return (kappa, 0.0);
        }
        let norm = kappa.iter().map(|k| (k / largest) * (k / largest)).sum::<f64>().sqrt();
        (kappa.iter().map(|k| k / largest / norm).collect(), largest * norm)
    }

    /// ⟨κ, z⟩/‖κ‖² for row z of a table; 0 if κ = 0.
    pub(super) fn along(&self, m: usize, table: &Mat<f64>) -> f64 {
        let (unit, length) = self.unit(m);
        let dot: f64 = unit.iter().enumerate().map(|(k, u)| u * table[(m, k)]).sum();
        if length == 0.0 { 0.0 } else { dot / length }
    }
}
