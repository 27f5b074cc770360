//! Scores of predicted classes, gathered batch by batch.

use serde::{Deserialize, Serialize};

/// Probabilities below this count as this: one row that was thought impossible is not an infinite loss.
const LEAST: f64 = 1e-15;

/// Gathers scores of predicted classes.
///
/// ```
/// use orff::metric::ClassScores;
/// let mut scores = ClassScores::new(2);
/// scores.add(0, 0, 0.5, 1.0);
/// scores.add(1, 0, 0.5, 1.0);
/// let found = scores.overall();
/// assert_eq!((found.accuracy, found.error, found.log_loss), (0.5, 0.5, 2f64.ln()));
/// assert_eq!(scores.of(1).recall, Some(0.0));
/// ```
#[derive(Clone, Debug)]
pub struct ClassScores {
    classes: usize,
    /// Weight of the rows of each class (T, slow) that were taken for each class (T, fast).
    confusion: Vec<f64>,
    loss: f64,
    count: u64,
}

/// The scores of all rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassScore {
    /// Share of the rows whose class was found.
    pub accuracy: f64,
    /// Share of the rows whose class was not.
    pub error: f64,
    /// Mean of the recalls of the classes that occur.
    pub balanced_accuracy: f64,
    /// Mean of −log of the probability of the true class.
    pub log_loss: f64,
    /// Number of rows.
    pub count: u64,
}

/// The scores of one class.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OneClass {
    /// Share of the rows taken for this class that are of it; none when there are none.
    pub precision: Option<f64>,
    /// Share of its rows that were taken for it; none when there are none.
    pub recall: Option<f64>,
    /// Their harmonic mean.
    pub f1: Option<f64>,
    /// Weight of its rows.
    pub weight: f64,
}

impl ClassScores {
    /// Of nothing yet, for T classes.
    pub fn new(classes: usize) -> Self {
        ClassScores { classes, confusion: vec![0.0; classes * classes], loss: 0.0, count: 0 }
    }

    /// Adds a row of a class that was taken for another (or the same), with the probability that its own class was
    /// given. A row without weight does not count.
    pub fn add(&mut self, class: usize, taken_for: usize, probability: f64, weight: f64) {
        if weight > 0.0 {
            self.confusion[class * self.classes + taken_for] += weight;
            self.loss -= weight * libm::log(probability.max(LEAST));
            self.count += 1;
        }
    }

    /// Weight of the rows of one class that were taken for another.
    pub fn confused(&self, class: usize, taken_for: usize) -> f64 {
        self.confusion[class * self.classes + taken_for]
    }

    /// Number of classes T.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The scores of one class.
    pub fn of(&self, class: usize) -> OneClass {
        let all = 0..self.classes;
        let hit = self.confused(class, class);
        let weight: f64 = all.clone().map(|k| self.confused(class, k)).sum();
        let taken: f64 = all.map(|k| self.confused(k, class)).sum();
        let share = |whole: f64| (whole > 0.0).then(|| hit / whole);
        let f1 = (weight + taken > 0.0).then(|| 2.0 * hit / (weight + taken));
        OneClass { precision: share(taken), recall: share(weight), f1, weight }
    }

    /// The scores of all rows.
    pub fn overall(&self) -> ClassScore {
        let total: f64 = self.confusion.iter().sum();
        let hit: f64 = (0..self.classes).map(|k| self.confused(k, k)).sum();
        let recalls: Vec<f64> = (0..self.classes).filter_map(|k| self.of(k).recall).collect();
        ClassScore {
            accuracy: hit / total,
            error: (total - hit) / total,
            balanced_accuracy: recalls.iter().sum::<f64>() / recalls.len() as f64,
            log_loss: self.loss / total,
            count: self.count,
        }
    }

    /// Adds what another gathered.
    pub fn merge(&mut self, other: &ClassScores) {
        self.confusion.iter_mut().zip(&other.confusion).for_each(|(a, b)| *a += b);
        self.loss += other.loss;
        self.count += other.count;
    }
}
