//! Sets follow the density: clouds apart from each other, and a ring.

use super::table;
use faer::Mat;
use orff::learn::LevelSets;
use orff::metric::Ranking;
use orff::random::Stream;
use orff::rows::Inputs;
use orff::watch::Silent;

const ROWS: usize = 600;
/// Deviation of a cloud, and of the ring's radius.
const WIDE: f64 = 0.5;

/// How far a place is from the middle of what it is nearest to, in deviations.
type Distance = fn([f64; 2]) -> f64;

fn from(centres: &[[f64; 2]], [x, y]: [f64; 2]) -> f64 {
    centres.iter().map(|c| (x - c[0]).hypot(y - c[1]) / WIDE).fold(f64::INFINITY, f64::min)
}

const TWO: [[f64; 2]; 2] = [[-2.0, 0.0], [2.0, 0.0]];
const THREE: [[f64; 2]; 3] = [[-2.0, 0.0], [2.0, 0.0], [0.0, 3.0]];

fn clouds(centres: &[[f64; 2]], stream: &mut Stream) -> [f64; 2] {
    let c = centres[stream.below(centres.len())];
    [c[0] + WIDE * stream.normal(), c[1] + WIDE * stream.normal()]
}

fn ring(stream: &mut Stream) -> [f64; 2] {
    let (angle, radius) = (std::f64::consts::TAU * stream.uniform(), 3.0 + WIDE * stream.normal());
    [radius * angle.cos(), radius * angle.sin()]
}

/// The area under the ROC curve of scores of rows against those of places.
fn area(rows: &[f64], places: &[f64]) -> f64 {
    let mut ranking = Ranking::default();
    rows.iter().for_each(|s| ranking.add(*s, false, false));
    places.iter().for_each(|s| ranking.add(*s, true, false));
    ranking.overall().roc_auc.unwrap()
}

#[test]
fn innermost_sets_are_where_rows_are() {
    let shapes: [(&str, fn(&mut Stream) -> [f64; 2], Distance); 3] = [
        ("two clouds", |s| clouds(&TWO, s), |x| from(&TWO, x)),
        ("three clouds", |s| clouds(&THREE, s), |x| from(&THREE, x)),
        ("ring", ring, |[x, y]| (x.hypot(y) - 3.0).abs() / WIDE),
    ];
    for (name, draw, distance) in shapes {
        for seed in [1, 2] {
            let mut stream = Stream::new(seed, 11, 0);
            let mut rows = |n: usize| {
                let x: Vec<[f64; 2]> = (0..n).map(|_| draw(&mut stream)).collect();
                Mat::from_fn(n, 2, |i, k| x[i][k])
            };
            let (own, held) = (rows(ROWS), rows(2000));
            let model = LevelSets::default().model(&table(&own), &mut Silent).unwrap();
            let said = model.info.training.choices.join("\n");
            // everywhere in the plane
            let side = 60;
            let at = |i: usize| -6.0 + 12.0 * (i as f64 + 0.5) / side as f64;
            let places = Mat::from_fn(side * side, 2, |i, k| at(if k == 0 { i % side } else { i / side }));
            let scores = model.normality(&Inputs::Dense(places.clone())).unwrap();
            let apart =
                |x: &Mat<f64>| -> Vec<f64> { (0..x.nrows()).map(|i| -distance([x[(i, 0)], x[(i, 1)]])).collect() };
            let truth = apart(&places);
            // the tenth of the rows that is densest is within half a deviation (of the ring 0.13)
            let inner: Vec<usize> = (0..scores.len()).filter(|i| scores[*i] >= 0.9).collect();
            assert!(!inner.is_empty(), "{name} {seed}: {said}");
            for i in inner {
                assert!(truth[i] > -2.0, "{name} {seed}: {:?} is innermost, {said}", places.row(i));
            }
            // no scores tell rows from places better than the density itself
            let best = area(&apart(&held), &truth);
            let found = area(&model.normality(&Inputs::Dense(held)).unwrap(), &scores);
            assert!(found > best - 0.02, "{name} {seed}: {found} of {best}, {said}");
        }
    }
}
