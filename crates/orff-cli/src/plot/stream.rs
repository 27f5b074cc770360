//! Streamlines spread evenly over a rectangle: each keeps its distance from those before it.

use super::contour::{Grid, Place};

/// Parts of the spacing: a step, and how near another line or its own beginning a line may come.
const STEP: f64 = 0.08;
const NEAREST: f64 = 0.55;
const OWN: f64 = 0.3;

/// The longest way in one direction and the shortest line that is kept, in spacings.
const LONGEST: f64 = 50.0;
const SHORTEST: f64 = 2.0;

/// Two components on one grid; directions are those of the screen, places are pixels to the right and upwards.
pub struct Flow<'a> {
    pub u: &'a Grid,
    pub v: &'a Grid,
    /// Pixels across and upwards.
    pub size: [f64; 2],
}

impl Flow<'_> {
    /// The direction of the field, None where it has none.
    fn direction(&self, p: Place, least: f64) -> Option<Place> {
        let at = [p[0] / self.size[0] * (self.u.nx - 1) as f64, p[1] / self.size[1] * (self.u.ny - 1) as f64];
        let (u, v) = (self.u.between(at), self.v.between(at));
        let speed = u.hypot(v);
        (speed > least).then(|| [u / speed, v / speed])
    }

    /// Runge–Kutta of order four over `h` pixels (negative: upstream), None at the end of the field.
    fn walk(&self, at: Place, h: f64, least: f64) -> Option<Place> {
        let ahead = |k: Place, s: f64| [at[0] + s * k[0], at[1] + s * k[1]];
        let k1 = self.direction(at, least)?;
        let k2 = self.direction(ahead(k1, 0.5 * h), least)?;
        let k3 = self.direction(ahead(k2, 0.5 * h), least)?;
        let k4 = self.direction(ahead(k3, h), least)?;
        let to = ahead([0, 1].map(|c| (k1[c] + 2.0 * k2[c] + 2.0 * k3[c] + k4[c]) / 6.0), h);
        self.inside(to).then_some(to)
    }

    fn inside(&self, p: Place) -> bool {
        (0..2).all(|c| p[c] >= 0.0 && p[c] <= self.size[c])
    }

    /// Lines about `spacing` pixels apart (Jobard and Lefer 1997), each in the direction of the flow: a new line
    /// starts beside an old one, and ends where it comes too near to another.
    pub fn lines(&self, spacing: f64) -> Vec<Vec<Place>> {
        let speeds = self.u.values.iter().zip(&self.v.values).map(|(u, v)| u.hypot(*v));
        let least = 1e-6 * speeds.fold(0.0, f64::max);
        let mut taken = Buckets::new(self.size, spacing);
        let mut lines: Vec<Vec<Place>> = Vec::new();
        let [w, h] = self.size.map(|s| (s / spacing).ceil() as usize);
        let cell = |k: usize, n: usize, size: f64| (k as f64 + 0.5) / n as f64 * size;
        for k in 0..w * h {
            // first beside the lines there are, then where the frame is still empty
            let mut seeds = vec![[cell(k % w, w, self.size[0]), cell(k / w, h, self.size[1])]];
            while let Some(seed) = seeds.pop() {
                if !self.inside(seed) || taken.near(seed, 0.98 * spacing) {
                    continue;
                }
                let line = self.line(seed, spacing, least, &taken);
                if line.len() as f64 * STEP < SHORTEST {
                    continue;
                }
                for (i, p) in line.iter().enumerate() {
                    taken.add(*p);
                    if let (0, Some([a, b])) = (i % 6, self.direction(*p, least)) {
                        seeds.extend([1.0, -1.0].map(|s| [p[0] - s * b * spacing, p[1] + s * a * spacing]));
                    }
                }
                lines.push(line);
            }
        }
        lines
    }

    fn line(&self, seed: Place, spacing: f64, least: f64, taken: &Buckets) -> Vec<Place> {
        let run = |way: f64, other: &[Place]| {
            let mut line = vec![seed];
            while (line.len() as f64) * STEP < LONGEST {
                let Some(to) = self.walk(line[line.len() - 1], way * STEP * spacing, least) else { break };
                // a closed orbit meets its own beginning
                let old = line.len().saturating_sub((1.0 / STEP) as usize);
                let own = line[..old].iter().chain(other).any(|p| apart(*p, to) < OWN * spacing);
                if own || taken.near(to, NEAREST * spacing) {
                    break;
                }
                line.push(to);
            }
            line
        };
        let after = run(1.0, &[]);
        let before = run(-1.0, after.get((1.0 / STEP) as usize..).unwrap_or_default());
        before.into_iter().skip(1).rev().chain(after).collect()
    }
}

fn apart(a: Place, b: Place) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

/// Points by squares of one spacing, so that neighbours are found at once.
struct Buckets {
    side: f64,
    width: usize,
    cells: Vec<Vec<Place>>,
}

impl Buckets {
    fn new(size: [f64; 2], side: f64) -> Self {
        let [w, h] = size.map(|s| (s / side) as usize + 1);
        Buckets { side, width: w, cells: vec![Vec::new(); w * h] }
    }

    fn add(&mut self, p: Place) {
        let k = (p[1] / self.side) as usize * self.width + (p[0] / self.side) as usize;
        self.cells[k].push(p);
    }

    /// Whether some point is nearer than `distance`, at most one side.
    fn near(&self, p: Place, distance: f64) -> bool {
        let [i, j] = p.map(|v| (v / self.side) as usize);
        let rows = self.cells.chunks(self.width).skip(j.saturating_sub(1)).take(if j == 0 { 2 } else { 3 });
        rows.flat_map(|row| row.iter().skip(i.saturating_sub(1)).take(if i == 0 { 2 } else { 3 }))
            .flatten()
            .any(|q| apart(*q, p) < distance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(f: impl Fn(f64, f64) -> f64) -> Grid {
        Grid { nx: 101, ny: 101, values: (0..101 * 101).map(|k| f((k % 101) as f64, (k / 101) as f64)).collect() }
    }

    #[test]
    fn the_lines_of_a_rotation_stay_on_circles() {
        let (u, v) = (grid(|_, y| 50.0 - y), grid(|x, _| x - 50.0));
        let lines = Flow { u: &u, v: &v, size: [500.0; 2] }.lines(25.0);
        assert!(lines.len() > 5);
        for line in lines {
            let radii: Vec<f64> = line.iter().map(|p| (p[0] - 250.0).hypot(p[1] - 250.0)).collect();
            assert!(radii.iter().all(|r| (r - radii[0]).abs() < 1e-2 * radii[0]), "{radii:?}");
        }
    }

    #[test]
    fn lines_keep_apart_and_leave_no_hole() {
        let (u, v) = (grid(|_, y| 1.0 + 0.01 * y), grid(|x, _| (0.05 * x).sin()));
        let lines = Flow { u: &u, v: &v, size: [500.0; 2] }.lines(25.0);
        for (k, a) in lines.iter().enumerate() {
            for b in &lines[..k] {
                assert!(a.iter().all(|p| b.iter().all(|q| apart(*p, *q) > 0.5 * 25.0)));
            }
        }
        for k in 0..400 {
            let at = [f64::from(k % 20) * 25.0 + 12.0, f64::from(k / 20) * 25.0 + 12.0];
            assert!(lines.iter().flatten().any(|p| apart(*p, at) < 50.0), "{at:?}");
        }
    }

    #[test]
    fn no_flow_has_no_lines() {
        let zero = grid(|_, _| 0.0);
        assert!(Flow { u: &zero, v: &zero, size: [500.0; 2] }.lines(25.0).is_empty());
    }
}
