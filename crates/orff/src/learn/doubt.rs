//! What the rows make doubtful: warnings, said among the choices.

use super::begin::{Choices, Sampled};
use super::scale;
use crate::error::Result;
use crate::kernel::{Kernel, Output};
use crate::rows::Weights;
use crate::watch::Watch;

/// Deviations of outputs, in the units of Γ, that differ by more than this do not belong together.
const UNLIKE: f64 = 10.0;

impl Sampled<'_> {
    /// Warns of weights of rows that add up to far more or fewer than there are: as repetitions they mislead what is
    /// chosen by the rows, as precisions they would not.
    pub(super) fn warn_of_repetitions(&self, choices: &mut Choices, watch: &mut dyn Watch) {
        let Some(Weights::Row(weights)) = &self.drawn.rows.weights else { return };
        let (sum, n) = (weights.iter().sum::<f64>(), weights.iter().filter(|w| **w > 0.0).count());
        // rows that are left out have weight 0, and bootstrapped rows count for them
        let few_or_many = |rows: usize| !(0.5..=1.5).contains(&(sum / rows as f64));
        if few_or_many(n) && few_or_many(weights.len()) {
            let how = "a weight is how often the row counts, also where lengthscale, ridge and error bars are chosen";
            let cure = "if only their ratios matter, divide them by their mean";
            choices.say(watch, format!("warning: the weights of {n} rows add up to {sum:.4}: {how}; {cure}"));
        }
    }

    /// Warns of outputs whose deviations differ far more than a given Γ says: it ties them in their own units, so that one
    /// ridge and one noise serve all, and the small ones are fitted by chance. Components of fields share their unit.
    pub(super) fn warn_of_units(&self, kernel: &Kernel, choices: &mut Choices, watch: &mut dyn Watch) -> Result<()> {
        let tied = |k: &Kernel| matches!(k, Kernel::Decomposable(d) if matches!(d.output, Output::Given { .. } | Output::Laplacian { .. }));
        let scales = &self.stage.scales;
        let common = scales.iter().all(|scale| *scale == scales[0]);
        if !common || !self.given.has(tied) || self.given.has(Kernel::is_field) {
            return Ok(());
        }
        let origin = vec![0.0; self.dimension()];
        let prior = kernel.eval(&origin, &origin)?; // p×p
        let deviations = scale::deviations(&self.outputs);
        // against the prior: Γ may say itself that an output is small
        let known = |t: &usize| *t < prior.nrows() && prior[(*t, *t)] > 0.0 && deviations[*t] > 0.0;
        let size = |t: usize| deviations[t] / prior[(t, t)].sqrt();
        let mut sizes: Vec<(f64, usize)> = (0..deviations.len()).filter(known).map(|t| (size(t), t)).collect();
        sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (Some(&(least, small)), Some(&(most, large))) = (sizes.first(), sizes.last()) else { return Ok(()) };
        if most > UNLIKE * least {
            let said = |t: usize| format!("{:.3e} (output {})", deviations[t] * scales[t], t + 1);
            let how =
                "a given output matrix or graph ties them in their own units, and the small ones are fitted badly";
            let cure = "divide the outputs by their deviations, or use the output covariance or similarity";
            let line =
                format!("the deviations of the outputs go from {} to {}: {how}; {cure}", said(small), said(large));
            choices.say(watch, format!("warning: {line}"));
        }
        Ok(())
    }
}
