//! The simplex code: classes as vectors of equal length and equal angles. \[simplex\]

use faer::Mat;

/// T classes as unit vectors of R^{T−1} with products −1/(T−1); they sum to zero.
///
/// C₂ = (1, −1), C_{T+1} = \[1 uᵀ; 0 √(1−T⁻²) C_T\] with u = −1/T (T17's recursion prints −T⁻²). So code c has the
/// numbers h_c at place c, −h_k/(T−1−k) at places k < c and zeros after: products with all codes cost O(T), and no
/// matrix is needed.
///
/// ```
/// use orff::loss::Simplex;
/// let codes = Simplex::new(4).codes(); // 3×4
/// let gram = codes.transpose() * &codes;
/// assert!((gram[(0, 0)] - 1.0).abs() < 1e-15 && (gram[(1, 3)] + 1.0 / 3.0).abs() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Simplex {
    classes: usize,
}

impl Simplex {
    /// The code of T ≥ 1 classes.
    pub fn new(classes: usize) -> Self {
        Simplex { classes }
    }

    /// Number of classes T.
    pub fn classes(self) -> usize {
        self.classes
    }

    /// Entry k of code c is h_k at c = k and −h_k/(T−1−k) at c > k, with h_k² = T(T−1−k)/((T−1)(T−k)).
    fn height(self, k: usize) -> f64 {
        let (t, left) = (self.classes as f64, (self.classes - 1 - k) as f64);
        (t * left / ((t - 1.0) * (left + 1.0))).sqrt()
    }

    /// All codes in columns ((T−1)×T).
    pub fn codes(self) -> Mat<f64> {
        let mut codes = Mat::zeros(self.classes.saturating_sub(1), self.classes);
        for k in 0..codes.nrows() {
            codes[(k, k)] = self.height(k);
            (k + 1..self.classes).for_each(|c| codes[(k, c)] = -self.height(k) / (self.classes - 1 - k) as f64);
        }
        codes
    }

    /// The scores ⟨c, f⟩ of all classes (T) for f in R^{T−1}. Cost O(T).
    pub fn scores(self, f: &[f64], scores: &mut [f64]) {
        let mut before = 0.0; // Σ over k < c of f_k times entry k of the codes after it
        for (c, score) in scores.iter_mut().enumerate() {
            let own = if c < f.len() { self.height(c) * f[c] } else { 0.0 };
            *score = before + own;
            before -= if c < f.len() { own / (self.classes - 1 - c) as f64 } else { 0.0 };
        }
    }

    /// Σ a_c c over the classes, the adjoint of [`scores`](Self::scores). Cost O(T).
    pub fn combine(self, a: &[f64], out: &mut [f64]) {
        let mut after = a.last().copied().unwrap_or(0.0);
        for k in (0..out.len()).rev() {
            out[k] = self.height(k) * (a[k] - after / (self.classes - 1 - k) as f64);
            after += a[k];
        }
    }

    /// The class with the largest score; the first one of equals.
    pub fn decode(self, f: &[f64]) -> usize {
        let mut scores = vec![0.0; self.classes];
        self.scores(f, &mut scores);
        (1..self.classes).fold(0, |best, c| if scores[c] > scores[best] { c } else { best })
    }
}
