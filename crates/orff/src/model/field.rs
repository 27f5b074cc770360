//! The calculus of a fitted field: derivatives, potentials and the Helmholtz decomposition, exactly and in the user's
//! coordinates. \[calculus\]
//!
//! f(x) = Σ c(⟨κ,x⟩)z + b is a sum of plane waves with κ = ω/scale. A derivative of a wave, and its antiderivative,
//! is the same wave a quarter turn later, so each operator below is a table made from Z and κ, times characters: no
//! grids, no finite differences, and an identity such as curl ∇φ = 0 holds wave by wave, at any point.

use super::waves::Waves;
use super::{Held, Linear};
use crate::error::{Error, Result};
use crate::feature::{BLOCK_ROWS, Characters, FeatureMap};
use crate::linalg;
use crate::rows::Inputs;
use faer::{Mat, MatRef};
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
    /// ∂fᵢ/∂xₖ in the user's coordinates: p×d for each row. Any group, any scales, any views.
    ///
    /// Cost n·M·(d + p·d); memory n·p·d for the answer and M·p beside it.
    pub fn jacobian(&self, x: &Inputs) -> Result<Vec<Mat<f64>>> {
        let (p, d) = (self.outputs(), self.preparation.inputs);
        let mut jacobians = vec![Mat::zeros(p, d); x.nrows()];
        self.slopes(x, |i, k, slope| slope.iter().enumerate().for_each(|(t, s)| jacobians[i][(t, k)] = *s))?;
        Ok(jacobians)
    }

    /// Σₖ ∂fₖ/∂xₖ of each row (n); needs p = d. Cost as for the Jacobian, memory n + M·p.
    pub fn divergence(&self, x: &Inputs) -> Result<Vec<f64>> {
        self.square("divergence")?;
        let mut divergence = vec![0.0; x.nrows()];
        self.slopes(x, |i, k, slope| divergence[i] += slope[k])?;
        Ok(divergence)
    }

    /// The curl of each row (n×d(d−1)/2); needs p = d. Cost as for the Jacobian.
    ///
    /// In the plane one column, ∂f₂/∂x₁ − ∂f₁/∂x₂. In space the usual three. In other dimensions ∂fₖ/∂xᵢ − ∂fᵢ/∂xₖ
    /// for i < k, in the order (1,2), (1,3), …, (1,d), (2,3), ….
    ///
    /// ```
    /// # use orff::{feature::{FeatureMap, MapKind}, kernel::{Kernel, SumDraw}, rows::Inputs};
    /// # use orff::spectrum::{Draw, Gaussian};
    /// # use orff::model::{Linear, Preparation};
    /// # use faer::Mat;
    /// let kernel = Kernel::curl_free(Gaussian { lengthscale: 0.5.into() }.into());
    /// # let map = FeatureMap::draw(&kernel, 3, 40, MapKind::Pairs, &Draw::default(), SumDraw::default())?;
    /// # let theta: Vec<f64> = (0..map.unknowns()).map(|m| (m as f64).sin()).collect();
    /// # let model = Linear { preparation: Preparation::plain(3), table: map.lift(&theta), map, offset: vec![0.0; 3],
    /// #     noise: Mat::identity(3, 3), output_scale: vec![1.0; 3], posterior: Default::default(), warp: None };
    /// // `model` is a Linear with this kernel, whatever its coefficients
    /// let x = Inputs::Dense(faer::mat![[0.3, 0.1, -0.7]]);
    /// assert!(model.curl(&x)?.norm_max() < 1e-12 * model.jacobian(&x)?[0].norm_max());
    /// # Ok::<(), orff::Error>(())
    /// ```
    pub fn curl(&self, x: &Inputs) -> Result<Mat<f64>> {
        let planes = planes(self.square("curl")?);
        let mut curl = Mat::zeros(x.nrows(), planes.len());
        self.slopes(x, |row, input, slope| {
            for (column, &(i, k)) in planes.iter().enumerate() {
                if input == i {
                    curl[(row, column)] += slope[k];
                } else if input == k {
                    curl[(row, column)] -= slope[i];
                }
            }
        })?;
        Ok(curl)
    }

    /// The potential φ of a gradient field, f = +∇φ, with φ = 0 at the centre of the inputs (n). Cost n·M·d.
    ///
    /// A wave c(⟨κ,x⟩)ακ is the gradient of α times the antiderivative of c, the constant m that of ⟨m,x⟩. Refused
    /// unless every z is parallel to its κ, as curl-free kernels make them; any other field has the potential of its
    /// [`gradient_part`](Self::gradient_part).
    pub fn potential(&self, x: &Inputs) -> Result<Vec<f64>> {
        let split = self.split("potential")?;
        if split.rotation.norm_l2() > OFF * split.size() {
            return Err(Error::refused(
                "potential of this model",
                format!(
                    "{}; fit a curl-free kernel, or ask its gradient part",
                    split.off(&split.rotation, "rotation")
                ),
            ));
        }
        let d = split.mean.len();
        let table = split.waves.turn(1, |m, _| -split.waves.along(m, &split.gradient));
        let phi = self.integral(x, &split.waves, table, Mat::from_fn(d, 1, |k, _| split.mean[k]))?;
        Ok((0..x.nrows()).map(|i| phi[(i, 0)]).collect())
    }

    /// The stream function ψ of a field in the plane without divergence, f = (∂ψ/∂x₂, −∂ψ/∂x₁), with ψ = 0 at the
    /// centre of the inputs (n). Cost n·M.
    ///
    /// Refused unless every z is perpendicular to its κ, as div-free kernels make them; any other field has the
    /// stream function of its [`rotation_part`](Self::rotation_part).
    pub fn stream_function(&self, x: &Inputs) -> Result<Vec<f64>> {
        let psi = self.circulation("stream function", "the plane", 2..=2, x)?;
        Ok((0..x.nrows()).map(|i| psi[(i, 0)]).collect())
    }

    /// The vector potential A of a field in space without divergence, f = ∇×A with ∇·A = 0 (Coulomb gauge) and A = 0
    /// at the centre of the inputs (n×3). Cost n·M·d².
    ///
    /// In d > 3 dimensions A is antisymmetric with fᵢ = Σₖ ∂Aᵢₖ/∂xₖ; its entries i < k are the columns, in the order
    /// of [`curl`](Self::curl). Refused as [`stream_function`](Self::stream_function) is.
    pub fn vector_potential(&self, x: &Inputs) -> Result<Mat<f64>> {
        self.circulation("vector potential", "space", 3..=usize::MAX, x)
    }

    /// The model of the gradient part alone: zⱼ replaced by κⱼκⱼᵀzⱼ/‖κⱼ‖², zero at the centre of the inputs, no posterior.
    pub fn gradient_part(&self) -> Result<Linear> {
        Ok(self.with_table(self.split("gradient part")?.gradient))
    }

    /// The model of the rotation part alone: zⱼ replaced by zⱼ − κⱼκⱼᵀzⱼ/‖κⱼ‖², zero at the centre of the inputs, no
    /// posterior. The field is the sum of the two parts and of its value at the centre.
    pub fn rotation_part(&self) -> Result<Linear> {
        Ok(self.with_table(self.split("rotation part")?.rotation))
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

    /// Calls `each(row, k, ∂f/∂xₖ)` for every row and input.
    fn slopes(&self, x: &Inputs, mut each: impl FnMut(usize, usize, &[f64])) -> Result<()> {
        let waves = Waves::of(self);
        let (z, views, group) = (&self.table, &self.preparation.views, &self.preparation.group);
        let mut slope = vec![0.0; self.outputs()];
        self.sweep(&waves.turned, x, |from, rows, _, c| {
            let along =
                |k| linalg::product(c, waves.turn(z.ncols(), |m, t| z[(m, t)] * waves.kappa[(m, k)]).as_ref());
            if views.is_empty() {
                for k in 0..waves.kappa.ncols() {
                    let part = along(k); // b×p
                    for i in 0..part.nrows() {
                        let chart = match rows {
                            Inputs::Dense(x) => group.derivative(k, x[(i, k)]),
                            Inputs::Sparse(_) => 1.0, // additive, or `prepare` has refused
                        };
                        slope.iter_mut().enumerate().for_each(|(t, s)| *s = part[(i, t)] * chart);
                        each(from + i, k, &slope);
                    }
                }
            } else if let Inputs::Dense(x) = rows {
                // output t is the scalar function of ψ(x) = Tx at row iv + t
                let parts: Vec<Mat<f64>> = (0..waves.kappa.ncols()).map(along).collect();
                for i in 0..x.nrows() {
                    let gradients: Vec<Vec<f64>> = views
                        .iter()
                        .enumerate()
                        .map(|(t, view)| {
                            let seen = view.mat() * x.row(i).transpose();
                            let chain = |a: usize| group.derivative(a, seen[a]) * parts[a][(i * views.len() + t, 0)];
                            (0..seen.nrows()).map(|a| self.output_scale[t] * chain(a)).collect()
                        })
                        .collect();
                    for k in 0..x.ncols() {
                        for (t, g) in gradients.iter().enumerate() {
                            slope[t] = g.iter().enumerate().map(|(a, g)| views[t].mat()[(a, k)] * g).sum();
                        }
                        each(from + i, k, &slope);
                    }
                }
            }
        })
    }

    /// ψ or A, by columns (i,k) of `planes`: Aᵢₖ = (zᵢκₖ − zₖκᵢ)/‖κ‖² times the antiderivative of each wave, and
    /// (mᵢxₖ − mₖxᵢ)/(d−1) for the constant m; then fᵢ = Σₖ ∂Aᵢₖ/∂xₖ.
    fn circulation(
        &self,
        what: &str,
        place: &str,
        dimensions: std::ops::RangeInclusive<usize>,
        x: &Inputs,
    ) -> Result<Mat<f64>> {
        let split = self.split(what)?;
        let d = split.mean.len();
        if !dimensions.contains(&d) {
            return Err(Error::refused(
                format!("{what} in {d} dimensions"),
                format!(
                    "it belongs to fields in {place}; there is stream_function for d = 2, vector_potential for d ≥ 3"
                ),
            ));
        }
        if split.gradient.norm_l2() > OFF * split.size() {
            return Err(Error::refused(
                format!("{what} of this model"),
                format!(
                    "{}; fit a div-free kernel, or ask its rotation part",
                    split.off(&split.gradient, "gradient")
                ),
            ));
        }
        let (planes, waves, r) = (planes(d), &split.waves, &split.rotation);
        let table = waves.turn(planes.len(), |m, column| {
            let (i, k) = planes[column];
            let (unit, length) = waves.unit(m);
            if length == 0.0 { 0.0 } else { -(r[(m, i)] * unit[k] - r[(m, k)] * unit[i]) / length }
        });
        let mut linear = Mat::zeros(d, planes.len());
        for (column, &(i, k)) in planes.iter().enumerate() {
            linear[(k, column)] = split.mean[i] / (d - 1) as f64;
            linear[(i, column)] = -split.mean[k] / (d - 1) as f64;
        }
        self.integral(x, waves, table, linear)
    }

    /// Tableᵀ(c′(u) − c′(0)) + linearᵀ(x − centre): n×q from a turned table M×q and a linear function d×q.
    fn integral(&self, x: &Inputs, waves: &Waves, table: Mat<f64>, linear: Mat<f64>) -> Result<Mat<f64>> {
        let scaled = Mat::from_fn(linear.nrows(), linear.ncols(), |k, q| linear[(k, q)] * self.preparation.scale[k]);
        let origin = linalg::product(at_origin(&waves.turned).as_mat(), table.as_ref()); // 1×q
        let mut out = Mat::zeros(x.nrows(), table.ncols());
        self.sweep(&waves.turned, x, |from, _, u, c| {
            let (wave, line) =
                (linalg::product(c, table.as_ref()), linalg::product((*dense(u)).as_ref(), scaled.as_ref()));
            for q in 0..table.ncols() {
                for i in 0..c.nrows() {
                    out[(from + i, q)] = wave[(i, q)] - origin[(0, q)] + line[(i, q)];
                }
            }
        })?;
        Ok(out)
    }

    /// Calls `each(first row, rows, u, characters)` for each block of rows.
    fn sweep(
        &self,
        map: &FeatureMap,
        x: &Inputs,
        mut each: impl FnMut(usize, &Inputs, &Inputs, MatRef<f64>),
    ) -> Result<()> {
        let mut c = Characters::new(map.characters());
        for from in (0..x.nrows()).step_by(BLOCK_ROWS) {
            let rows = x.slice(from, (from + BLOCK_ROWS).min(x.nrows()));
            let u = self.preparation.prepare(&rows, from + 1)?;
            map.fill(&u, &mut c);
            each(from, &rows, &u, c.as_mat());
        }
        Ok(())
    }

    /// d, where there are as many outputs as inputs.
    fn square(&self, what: &str) -> Result<usize> {
        let (p, d) = (self.outputs(), self.preparation.inputs);
        if p != d {
            return Err(Error::refused(
                format!("{what} of a model with {p} outputs and {d} inputs"),
                "it needs a vector field, with one output per input",
            ));
        }
        Ok(d)
    }

    fn split(&self, what: &str) -> Result<Split<'_>> {
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
struct Split<'a> {
    waves: Waves<'a>,
    gradient: Mat<f64>,
    rotation: Mat<f64>,
    mean: Vec<f64>,
}

impl Split<'_> {
    fn size(&self) -> f64 {
        self.gradient.norm_l2().hypot(self.rotation.norm_l2())
    }

    fn off(&self, part: &Mat<f64>, name: &str) -> String {
        format!("its {name} part is {:.1e} of it, and must vanish", part.norm_l2() / self.size())
    }
}

/// The coordinate planes (i, k) of rotations: the order of the columns of a curl.
fn planes(d: usize) -> Vec<(usize, usize)> {
    match d {
        3 => vec![(1, 2), (2, 0), (0, 1)],
        _ => (0..d).flat_map(|i| (i + 1..d).map(move |k| (i, k))).collect(),
    }
}

/// The characters at u = 0 (1×M).
fn at_origin(map: &FeatureMap) -> Characters {
    let mut c = Characters::new(map.characters());
    map.fill(&Inputs::Dense(Mat::zeros(1, map.atoms().inputs())), &mut c);
    c
}

fn dense(u: &Inputs) -> Cow<'_, Mat<f64>> {
    match u {
        Inputs::Dense(u) => Cow::Borrowed(u),
        Inputs::Sparse(rows) => {
            let mut u = Mat::zeros(rows.nrows(), rows.width);
            (0..rows.nrows()).for_each(|i| rows.row(i).for_each(|(k, v)| u[(i, k)] = v));
            Cow::Owned(u)
        }
    }
}
