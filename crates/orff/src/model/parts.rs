//! The Helmholtz decomposition of a fitted field, wave by wave: a gradient, a rotation and a constant. \[calculus\]

use super::field::at_origin;
use super::waves::Waves;
use super::{Held, Linear};
use crate::error::{Error, Result};
use crate::linalg;
use crate::rows::Inputs;
use faer::Mat;
use std::borrow::Cow;

/// How much of a field may lie off its gradient (or rotation) part before it has no potential: rounding, no more.
const OFF: f64 = 1e-8;

/// A field at n points as the sum of a gradient, a rotation and a constant.
#[derive(Clone, Debug)]
pub struct Parts {
    /// The part without curl (n×d), about its mean over the points.
    pub gradient: Mat<f64>,
    /// The part without divergence (n×d), about its mean over the points.
    pub rotation: Mat<f64>,
    /// The constant part (d), which has neither and could go to either: the mean of the field over the points.
    pub mean: Vec<f64>,
    /// How much of the field each part is.
    pub energies: Energies,
}

/// Energies over the n points of a decomposition f = g + r + m (zeros if there are none).
///
/// gradient + rotation + cross is the average of ‖f − m‖², the variance of the field over the points. On a large enough box the cross term vanishes; over few
/// points it does not, so it is reported.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Energies {
    /// Average of ‖g‖².
    pub gradient: f64,
    /// Average of ‖r‖².
    pub rotation: f64,
    /// ‖m‖².
    pub mean: f64,
    /// Average of 2⟨g, r⟩.
    pub cross: f64,
}

impl Energies {
    /// Moves the averages of two parts, n×d numbers each, row after row, into the constant (d), and says what is left of
    /// each. The waves of a smooth field are far longer than the box of its points: their constants are large, and
    /// cancel.
    pub fn about_means(gradient: &mut [f64], rotation: &mut [f64], mean: &mut [f64]) -> Energies {
        let d = mean.len().max(1);
        let n = (gradient.len() / d).max(1) as f64;
        for part in [&mut *gradient, &mut *rotation] {
            for (k, mean) in mean.iter_mut().enumerate() {
                let average = part.iter().skip(k).step_by(d).sum::<f64>() / n;
                part.iter_mut().skip(k).step_by(d).for_each(|v| *v -= average);
                *mean += average;
            }
        }
        let average = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() / n;
        Energies {
            gradient: average(gradient, gradient),
            rotation: average(rotation, rotation),
            mean: if gradient.is_empty() { 0.0 } else { mean.iter().map(|m| m * m).sum() },
            cross: 2.0 * average(gradient, rotation),
        }
    }
}

impl Linear {
    /// The model of the gradient part alone: zⱼ replaced by κⱼκⱼᵀzⱼ/‖κⱼ‖², zero at the centre of the inputs, no posterior.
    pub fn gradient_part(&self) -> Result<Linear> {
        Ok(self.with_table(self.split("gradient part")?.gradient))
    }

    /// The model of the rotation part alone: zⱼ replaced by zⱼ − κⱼκⱼᵀzⱼ/‖κⱼ‖², zero at the centre of the inputs, no
    /// posterior. The field is the sum of the two parts and of its value at the centre.
    pub fn rotation_part(&self) -> Result<Linear> {
        Ok(self.with_table(self.split("rotation part")?.rotation))
    }

    /// The field that a potential is asked of: this one where it is a gradient, constant and all; otherwise (owned) its
    /// [`gradient_part`](Self::gradient_part), which vanishes at the centre of the inputs. Cost M·d.
    ///
    /// ```
    /// # use orff::{feature::{FeatureMap, MapKind}, kernel::{Kernel, SumDraw}, rows::Inputs};
    /// # use orff::spectrum::{Draw, Gaussian};
    /// # use orff::model::{Linear, Preparation};
    /// # use faer::Mat;
    /// # use std::borrow::Cow;
    /// # let kernel = Kernel::curl_free(Gaussian { lengthscale: 0.5.into() }.into());
    /// # let map = FeatureMap::draw(&kernel, 2, 40, MapKind::Pairs, &Draw::default(), SumDraw::default())?;
    /// # let theta: Vec<f64> = (0..map.unknowns()).map(|m| (m as f64).sin()).collect();
    /// # let (preparation, table) = (Preparation::plain(2), map.lift(&theta));
    /// # let model = Linear { preparation, table, map, offset: vec![1.0, -2.0],
    /// #     noise: Mat::identity(2, 2), output_scale: vec![1.0; 2], posterior: Default::default(), warp: None };
    /// // `model` is a Linear with a curl-free kernel: its potential is that of the whole field
    /// let x = Inputs::Dense(faer::mat![[0.3, 0.1]]);
    /// assert!(matches!(model.as_gradient()?, Cow::Borrowed(_)) && matches!(model.as_rotation()?, Cow::Owned(_)));
    /// assert_eq!(model.as_gradient()?.potential(&x)?, model.potential(&x)?);
    /// # Ok::<(), orff::Error>(())
    /// ```
    pub fn as_gradient(&self) -> Result<Cow<'_, Linear>> {
        let split = self.split("gradient part")?;
        Ok(if split.is_gradient() { Cow::Borrowed(self) } else { Cow::Owned(self.with_table(split.gradient)) })
    }

    /// The field that a stream function or a vector potential is asked of: this one where it is a rotation, constant and
    /// all; otherwise (owned) its [`rotation_part`](Self::rotation_part), as in [`as_gradient`](Self::as_gradient).
    pub fn as_rotation(&self) -> Result<Cow<'_, Linear>> {
        let split = self.split("rotation part")?;
        Ok(if split.is_rotation() { Cow::Borrowed(self) } else { Cow::Owned(self.with_table(split.rotation)) })
    }

    /// The Helmholtz decomposition f = gradient + rotation + mean at n points, exactly, for any model with p = d on
    /// the additive group. Cost n·M·d.
    ///
    /// Each wave is split along and across its κ; what does not vary (the offset) is the mean, and so is the mean of each
    /// part over the points, since constants are gradients and rotations alike. Without conditions on a boundary the
    /// split of a field is not unique; this is the one whose parts are bounded on all of space. The parts as models, with
    /// their potentials, are [`gradient_part`](Self::gradient_part) and [`rotation_part`](Self::rotation_part).
    ///
    /// ```
    /// # use orff::{feature::{FeatureMap, MapKind}, kernel::{Kernel, SumDraw}, rows::Inputs};
    /// # use orff::spectrum::{Draw, Gaussian};
    /// # use orff::model::{Linear, Preparation, Query};
    /// # use faer::Mat;
    /// # let kernel = Kernel::helmholtz(Gaussian { lengthscale: 0.5.into() }.into(), 0.5);
    /// # let map = FeatureMap::draw(&kernel, 2, 40, MapKind::Pairs, &Draw::default(), SumDraw::default())?;
    /// # let theta: Vec<f64> = (0..map.unknowns()).map(|m| (m as f64).sin()).collect();
    /// # let (preparation, table) = (Preparation::plain(2), map.lift(&theta));
    /// # let model = Linear { preparation, table, map, offset: vec![1.0, -2.0],
    /// #     noise: Mat::identity(2, 2), output_scale: vec![1.0; 2], posterior: Default::default(), warp: None };
    /// // `model` is a Linear with two inputs and two outputs
    /// let x = Inputs::Dense(faer::mat![[0.3, 0.1], [-0.8, 0.4]]);
    /// let (f, parts) = (model.predict(&x, Query::default())?.mean, model.decompose(&x)?);
    /// for i in 0..2 {
    ///     for k in 0..2 {
    ///         let sum = parts.gradient[(i, k)] + parts.rotation[(i, k)] + parts.mean[k];
    ///         assert!((f[(i, k)] - sum).abs() < 1e-13);
    ///     }
    /// }
    /// let (phi, psi) = (model.gradient_part()?.potential(&x)?, model.rotation_part()?.stream_function(&x)?);
    /// assert_eq!((phi.len(), psi.len()), (2, 2));
    /// # Ok::<(), orff::Error>(())
    /// ```
    pub fn decompose(&self, x: &Inputs) -> Result<Parts> {
        let (n, d) = (x.nrows(), self.outputs());
        let (mut g, mut r) = (Vec::with_capacity(n * d), Vec::with_capacity(n * d));
        let mut mean = self.parts(x, &mut g, &mut r)?;
        let energies = Energies::about_means(&mut g, &mut r, &mut mean);
        let matrix = |part: &[f64]| Mat::from_fn(n, d, |i, k| part[i * d + k]);
        Ok(Parts { gradient: matrix(&g), rotation: matrix(&r), mean, energies })
    }

    /// The values of the waves of both parts at n points, row after row behind what is there, and the constant (d) that is
    /// in neither: a decomposition whose means are not yet taken out, for points that come in blocks.
    pub fn parts(&self, x: &Inputs, gradient: &mut Vec<f64>, rotation: &mut Vec<f64>) -> Result<Vec<f64>> {
        let split = self.split("decomposition")?;
        let d = split.mean.len();
        let (g, r) = (&split.gradient, &split.rotation);
        let both = Mat::from_fn(g.nrows(), 2 * d, |m, t| if t < d { g[(m, t)] } else { r[(m, t - d)] });
        self.sweep(&self.map, x, |_, _, _, c| {
            let values = linalg::product(c, both.as_ref());
            for i in 0..c.nrows() {
                gradient.extend((0..d).map(|k| values[(i, k)]));
                rotation.extend((0..d).map(|k| values[(i, d + k)]));
            }
        })?;
        Ok(split.mean)
    }

    /// Splits the waves, for what is named; refused where there is no field.
    pub(super) fn split(&self, what: &str) -> Result<Split<'_>> {
        if !self.preparation.views.is_empty() {
            return Err(Error::refused(
                format!("{what} of a model with views"),
                "each output is a function of its own view, so there are no common waves to split",
            ));
        }
        let d = self.square(what)?;
        if !self.preparation.group.is_additive() {
            return Err(Error::refused(
                format!("{what} on the {} group", self.preparation.group.name()),
                "its waves run along the chart, not along the inputs; fit on the additive group",
            ));
        }
        let (waves, z) = (Waves::of(self), &self.table);
        let still = at_origin(&self.map);
        let (mut gradient, mut rotation) = (Mat::zeros(z.nrows(), d), Mat::zeros(z.nrows(), d));
        let mut mean = self.offset.clone();
        for m in 0..z.nrows() {
            let (unit, length) = waves.unit(m);
            if length == 0.0 {
                mean.iter_mut().enumerate().for_each(|(k, b)| *b += still.column(m)[0] * z[(m, k)]);
                continue;
            }
            let dot = |z: &Mat<f64>| -> f64 { (0..d).map(|k| unit[k] * z[(m, k)]).sum() };
            let along = dot(z);
            (0..d).for_each(|k| gradient[(m, k)] = along * unit[k]);
            (0..d).for_each(|k| rotation[(m, k)] = z[(m, k)] - gradient[(m, k)]);
            // once more: a rotation that is only rounding must still be perpendicular
            let rest = dot(&rotation);
            (0..d).for_each(|k| rotation[(m, k)] -= rest * unit[k]);
        }
        Ok(Split { waves, gradient, rotation, mean })
    }

    /// The model of a part: zero at the centre of the inputs.
    fn with_table(&self, table: Mat<f64>) -> Linear {
        let p = self.outputs();
        let centre = linalg::product(at_origin(&self.map).as_mat(), table.as_ref()); // 1×p
        Linear {
            preparation: self.preparation.clone(),
            map: self.map.clone(),
            table,
            offset: (0..p).map(|t| -centre[(0, t)]).collect(),
            noise: Mat::zeros(p, p),
            output_scale: self.output_scale.clone(),
            posterior: Held::None,
            warp: None,
        }
    }
}

/// Z = gradient + rotation, character by character; what does not vary is in the mean.
pub(super) struct Split<'a> {
    pub waves: Waves<'a>,
    pub gradient: Mat<f64>,
    pub rotation: Mat<f64>,
    pub mean: Vec<f64>,
}

impl Split<'_> {
    pub fn size(&self) -> f64 {
        self.gradient.norm_l2().hypot(self.rotation.norm_l2())
    }

    /// Whether nothing but rounding is across the κ.
    pub fn is_gradient(&self) -> bool {
        self.rotation.norm_l2() <= OFF * self.size()
    }

    /// Whether nothing but rounding is along the κ.
    pub fn is_rotation(&self) -> bool {
        self.gradient.norm_l2() <= OFF * self.size()
    }

    pub fn off(&self, part: &Mat<f64>, name: &str) -> String {
        format!("its {name} part is {:.1e} of it, and must vanish", part.norm_l2() / self.size())
    }
}
