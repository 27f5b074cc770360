//! The calculus of a fitted field: derivatives and potentials, exactly and in the user's coordinates. \[calculus\]
//!
//! f(x) = Σ c(⟨κ,x⟩)z + b is a sum of plane waves with κ = ω/scale. A derivative of a wave, and its antiderivative,
//! is the same wave a quarter turn later, so each operator below is a table made from Z and κ, times characters: no
//! grids, no finite differences, and an identity such as curl ∇φ = 0 holds wave by wave, at any point.

use super::Linear;
use super::linear::too_far;
use super::waves::Waves;
use crate::error::{Error, Result};
use crate::feature::{BLOCK_ROWS, Characters, FeatureMap};
use crate::linalg;
use crate::rows::Inputs;
use faer::{Mat, MatRef};
use std::borrow::Cow;

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
    /// unless every z is parallel to its κ, as curl-free kernels make them; for any other field ask
    /// [`as_gradient`](Self::as_gradient).
    pub fn potential(&self, x: &Inputs) -> Result<Vec<f64>> {
        let split = self.split("potential")?;
        if !split.is_gradient() {
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
    /// Refused unless every z is perpendicular to its κ, as div-free kernels make them; for any other field ask
    /// [`as_rotation`](Self::as_rotation).
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

    /// Calls `found(row, k, ∂f/∂xₖ)` for every row and input; rows at which one is not finite are refused.
    fn slopes(&self, x: &Inputs, mut found: impl FnMut(usize, usize, &[f64])) -> Result<()> {
        let mut far = None;
        let mut each = |row, k, slope: &[f64]| match slope.iter().all(|s| s.is_finite()) {
            true => found(row, k, slope),
            false => _ = far.get_or_insert(row),
        };
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
        })?;
        far.map_or(Ok(()), |row| Err(too_far(row, "a derivative")))
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
        if !split.is_rotation() {
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
        match (0..x.nrows()).find(|&i| out.row(i).iter().any(|v| !v.is_finite())) {
            Some(far) => Err(too_far(far, "the potential")),
            None => Ok(out),
        }
    }

    /// Calls `each(first row, rows, u, characters)` for each block of rows.
    pub(super) fn sweep(
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
    pub(super) fn square(&self, what: &str) -> Result<usize> {
        let (p, d) = (self.outputs(), self.preparation.inputs);
        if p != d {
            return Err(Error::refused(
                format!("{what} of a model with {p} outputs and {d} inputs"),
                "it needs a vector field, with one output per input",
            ));
        }
        Ok(d)
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
pub(super) fn at_origin(map: &FeatureMap) -> Characters {
    let mut c = Characters::new(map.characters());
    map.fill(&Inputs::Dense(Mat::zeros(1, map.atoms().inputs())), &mut c);
    c
}

fn dense(u: &Inputs) -> Cow<'_, Mat<f64>> {
    match u {
        Inputs::Dense(u) => Cow::Borrowed(u),
        Inputs::Sparse(_) => Cow::Owned(u.to_dense()),
    }
}
