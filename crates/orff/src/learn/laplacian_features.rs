//! Random features of a kernel that rows have warped: Φ̃ = Φ(I + αU)^{−1/2}, U = ΦᵀL^cΦ (I17). \[warp\]

use super::begin::{Choices, in_pool};
use super::declare::declare;
use super::graph::Graphing;
use super::graphs::{Graphs, Over, Shape};
use super::scalar::features_only;
use super::search::strong;
use super::warped::megabytes;
use super::{Regression, choose, unlabelled};
use crate::error::{Error, Result};
use crate::feature::{BLOCK_ROWS, Characters, FeatureMap};
use crate::graph::Points;
use crate::kernel::{Kernel, Seen};
use crate::linalg::{self, Cholesky};
use crate::model::{Linear, Training, Warp};
use crate::params::{Auto, Params};
use crate::rows::{Inputs, Rows};
use crate::spectrum::{Lengthscale, Measure};
use crate::watch::Watch;
use faer::Mat;

declare! {
    /// Random features of a kernel warped by the graph of the rows: columns z(x) whose products are the warped kernel.
    pub struct LaplacianFeatures:
        {
            /// The kernel, with one output: gaussian, matern(2.5), a sum or a product of such.
            kernel / kernel: Kernel = Kernel::default(), Kind::Kernel;
            /// Lengthscale of every spectrum of the kernel that leaves its own open: auto (twice the median distance to neighbours), a number in the units of the
            /// inputs, or one number per input.
            lengthscale / lengthscale: Lengthscale = Lengthscale::Auto,
                Kind::Auto(&Kind::Several(&Kind::Number { min: 0.0, max: f64::INFINITY, open: true }));
        }
        group
        {
            /// Number of random features before the warp.
            features / n_components: Auto<usize> = Auto::Auto, Kind::Auto(&Kind::Count { min: 1, max: 10_000_000 });
        }
        draw
        {
            /// Which measure they are drawn from; plain is the kernel's own.
            measure / measure: Measure = Measure::Plain, Kind::Choice(Measure::NAMES);
        }
        sum
        {
            /// Neighbours of each row in the graph; two rows are joined when either is a neighbour of the other.
            neighbours / n_neighbors: usize = 10, Kind::Count { min: 1, max: 1000 };
        }
        {
            /// Rows of one graph. Of at least twice as many rows, random parts of so many have graphs of their own, and the penalty
            /// is the sum of theirs. auto is the most of all rows, 20 000, 5000 and 500 at whose distance of neighbours the features
            /// can tell rows apart.
            graph_rows / graph_rows: Auto<usize> = Auto::Auto, Kind::Auto(&Kind::Count { min: 10, max: 4_294_967_295 });
        }
        edges
        {
            /// Power c of the graph's Laplacian.
            power / power: u32 = 1, Kind::Count { min: 1, max: 16 };
            /// Strength α of the graph: ‖f‖² becomes ‖f‖² + α Σᵢⱼ [L^c]ᵢⱼ f(xᵢ)f(xⱼ); auto is 10⁷ over the number of rows.
            strength / strength: Auto<f64> = Auto::Auto,
                Kind::Auto(&Kind::Number { min: 0.0, max: f64::INFINITY, open: false });
            /// Directions kept: the ones along which the warped features of the rows vary most; auto keeps all.
            rank / rank: Auto<usize> = Auto::Auto, Kind::Auto(&Kind::Count { min: 1, max: 10_000_000 });
        }
        limits
}

impl LaplacianFeatures {
    /// Draws features and warps them by the graph of the rows, whose outputs are not looked at. Time N·M² + M³ and the
    /// search of neighbours.
    ///
    /// ```
    /// use orff::learn::LaplacianFeatures;
    /// use orff::params::Auto;
    /// use orff::rows::{Inputs, Table};
    /// use orff::watch::Silent;
    /// let x = faer::Mat::from_fn(50, 3, |i, k| ((i * (k + 2)) as f64).sin());
    /// let learner = LaplacianFeatures { features: Auto::Fixed(40), strength: Auto::Fixed(0.0), ..Default::default() };
    /// let (model, _) = learner.fit(&Table::new(x.clone(), faer::Mat::zeros(50, 0))?, &mut Silent)?;
    /// let mut z = vec![0.0; 50 * 40];
    /// model.features(&Inputs::Dense(x), &mut z)?;
    /// // without a penalty they are features of the kernel itself
    /// let square: f64 = z[..40].iter().map(|v| v * v).sum();
    /// assert!((square - 1.0).abs() < 1e-12);
    /// # Ok::<(), orff::Error>(())
    /// ```
    pub fn fit(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<(Linear, Training)> {
        self.check()?;
        in_pool(self.threads, || self.fit_here(rows, watch))
    }

    fn fit_here(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<(Linear, Training)> {
        let mut choices = Choices::default();
        let given = self.kernel.with_lengthscale(&self.lengthscale);
        let collected = unlabelled::collect(&given, &self.group, self.seed, rows, watch)?;
        let (n, d) = (collected.points.count(), collected.points.width());
        let graphing = Graphing {
            rows: self.graph_rows,
            neighbours: Auto::Fixed(self.neighbours),
            search: self.search,
            bandwidth: self.bandwidth,
            power: Auto::Fixed(self.power),
            memory: self.memory,
            seed: self.seed,
        };
        let has_room = |features: usize, graph: (usize, usize)| {
            let need = megabytes(features, 1, (n, d), graph, self.memory);
            if need > self.memory as f64 { Err(choose::too_many(features, need, self.memory)) } else { Ok(()) }
        };
        let features = self.features.fixed();
        features.map_or(Ok(()), |features| has_room(features, (0, 0)))?;
        let expected = choose::features(n, 1, 1, false, self.map.kind(2));
        let mut graphs = Graphs::new(graphing, None, rows.graph(), &collected.points, &mut choices, watch)?;
        let most = Shape { rows: graphs.sizes()[0], neighbours: self.neighbours, power: self.power };
        let shape = graphs.told_apart(most, 2, features.unwrap_or(expected.0), &collected.points, watch)?;
        graphs.say(shape, &collected.points, &mut choices, watch);
        let (points, first) = graphs.first(shape, &collected.points);
        let at = |l: f64| given.resolve(&Seen { outputs: 1, lengthscale: Some(l), ..Seen::default() });
        let short = 2.0 * graphs.unit(shape, &collected.points);
        let kernel = at(short)?;
        if kernel != at(2.0 * short)? {
            let why = "twice the distance to neighbours";
            choices.say(watch, format!("lengthscale {short:.4} (in scaled inputs): {why}"));
        }
        let outputs = kernel.outputs(d)?;
        if outputs != 1 {
            return Err(Error::shape("kernel", "one with one output, such as gaussian or matern(2.5)", outputs));
        }
        let strength = self.strength.fixed().unwrap_or_else(|| {
            choices.say(watch, format!("strength {:.3e}: 10⁷ over the rows", strong(n)));
            strong(n)
        });
        let features = features.unwrap_or_else(|| {
            choices.say(watch, expected.1);
            expected.0
        });
        has_room(features, (points.count(), first[0].edges()))?;
        let (draw, measure, sum, map, seed) = (self.draw, self.measure, self.sum, self.map, self.seed);
        let learner = Regression { draw, measure, sum, map, seed, ..Regression::default() };
        let map = learner.draw_map(&kernel, d, features)?;
        let fill = |x: &Inputs, c: &mut Characters| {
            map.fill(x, c);
            Ok(())
        };
        let moment = graphs.sum(shape, Over::All, &collected.points, watch, &|points, graphs, watch| {
            graphing.moment(points, &graphs[0], self.power).of(map.characters(), &fill, watch)
        })?;
        watch.stage("warp");
        let warp = self.warp(&map, &moment, strength, &collected.points, &mut choices, watch)?;
        let model = features_only(collected.preparation, map, Some(Warp::Dense(warp)));
        let training = Training { rows: n, kernel: Some(kernel), choices: choices.lines, ..Training::default() };
        Ok((model, training))
    }

    /// F⁻ᵀ (M×M) with FFᵀ = I + αU: a root of the inverse, and any root gives the same kernel. With a rank, the directions
    /// of the largest second moment of the warped features over the rows (M×m).
    fn warp(
        &self,
        map: &FeatureMap,
        moment: &Mat<f64>,
        strength: f64,
        points: &Points,
        choices: &mut Choices,
        watch: &mut dyn Watch,
    ) -> Result<Mat<f64>> {
        let factors = map.stacked_factors();
        let m = factors.nrows();
        let weighted = |moment: &Mat<f64>, times: f64| {
            Mat::from_fn(m, m, |i, j| times * factors[(i, 0)] * factors[(j, 0)] * moment[(i, j)])
        };
        let mut matrix = weighted(moment, strength);
        (0..m).for_each(|i| matrix[(i, i)] += 1.0);
        let cholesky = Cholesky::in_place(matrix).map_err(|_| {
            Error::numerical("warp", format!("the penalty of strength {strength:.1e} is lost to rounding; lower it"))
        })?;
        let Some(rank) = self.rank.fixed().filter(|rank| *rank < m) else {
            return Ok(cholesky.inverse_factor().transpose().to_owned());
        };
        let mut second = Mat::zeros(m, m);
        let mut characters = Characters::new(map.characters());
        for from in (0..points.count()).step_by(BLOCK_ROWS) {
            let to = (from + BLOCK_ROWS).min(points.count());
            map.fill(&points.slice(from, to), &mut characters);
            linalg::rank_update(second.as_mut(), characters.as_mat());
            watch.advance((to - from) as u64)?;
        }
        linalg::mirror(second.as_mut());
        let half = cholesky.half_solve(weighted(&second, 1.0).as_ref())?;
        let eigen = linalg::eigen(cholesky.half_solve(half.transpose())?.as_ref())?;
        let kept = Mat::from_fn(m, rank, |i, k| eigen.vectors[(i, m - 1 - k)]);
        let (all, most): (f64, f64) = (eigen.values.iter().sum(), eigen.values[m - rank..].iter().sum());
        choices.say(watch, format!("rank {rank} of {m}: {:.2} % of the warped kernel's trace", 100.0 * most / all));
        cholesky.half_solve_transposed(kept.as_ref())
    }
}
