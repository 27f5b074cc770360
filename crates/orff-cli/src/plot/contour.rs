//! Where a function on a grid is at least a level: closed rings by marching squares.

/// Values on a grid of points, row by row from the lowest.
#[derive(Clone, Debug)]
pub struct Grid {
    pub nx: usize,
    pub ny: usize,
    pub values: Vec<f64>,
}

/// A point in grid units: columns 0..nx−1, rows 0..ny−1.
pub type Place = [f64; 2];

impl Grid {
    /// The value at a column and row; outside the grid, lower than everything.
    fn at(&self, i: isize, j: isize) -> f64 {
        let inside = i >= 0 && j >= 0 && i < self.nx as isize && j < self.ny as isize;
        if inside { self.values[j as usize * self.nx + i as usize] } else { f64::NEG_INFINITY }
    }

    /// The value between the grid points, bilinearly.
    pub fn between(&self, [x, y]: Place) -> f64 {
        let (x, y) = (x.clamp(0.0, (self.nx - 1) as f64), y.clamp(0.0, (self.ny - 1) as f64));
        let (i, j) = ((x as usize).min(self.nx - 2), (y as usize).min(self.ny - 2));
        let (s, t) = (x - i as f64, y - j as f64);
        let v = |a: usize, b: usize| self.values[(j + b) * self.nx + i + a];
        (1.0 - t) * ((1.0 - s) * v(0, 0) + s * v(1, 0)) + t * ((1.0 - s) * v(0, 1) + s * v(1, 1))
    }

    /// Closed rings around {f ≥ level}, the set on the left: holes turn the other way than outlines, so that all
    /// rings together, filled by winding number, are the set.
    pub fn rings(&self, level: f64) -> Vec<Vec<Place>> {
        let (w, h) = (self.nx + 1, self.ny + 1);
        let mut next: Vec<Vec<(Edge, Edge)>> = vec![Vec::new(); w * h];
        for j in 0..h {
            for i in 0..w {
                next[j * w + i] = self.cell(i as isize - 1, j as isize - 1, level);
            }
        }
        let mut rings = Vec::new();
        for start in 0..w * h {
            while let Some((first, mut edge)) = next[start].pop() {
                let mut ring = vec![self.crossing(first, level)];
                while edge != first {
                    ring.push(self.crossing(edge, level));
                    let cells = edge.cells().map(|(i, j)| (j + 1) as usize * w + (i + 1) as usize);
                    let Some((cell, k)) =
                        cells.into_iter().find_map(|c| next.get(c)?.iter().position(|s| s.0 == edge).map(|k| (c, k)))
                    else {
                        break;
                    };
                    edge = next[cell].swap_remove(k).1;
                }
                if ring.len() > 2 {
                    rings.push(ring);
                }
            }
        }
        rings
    }

    /// The directed segments of one cell whose lowest corner is (i, j), from edge to edge.
    fn cell(&self, i: isize, j: isize, level: f64) -> Vec<(Edge, Edge)> {
        let corners = [self.at(i, j), self.at(i + 1, j), self.at(i + 1, j + 1), self.at(i, j + 1)];
        let high = corners.map(|v| v >= level);
        let edges = [
            Edge { i, j, across: true },
            Edge { i: i + 1, j, across: false },
            Edge { i, j: j + 1, across: true },
            Edge { i, j, across: false },
        ];
        // walking round the corners, a segment enters where low follows high and leaves where high follows low
        let turns = |from: bool| (0..4).filter(move |&k| high[k] == from && high[(k + 1) % 4] != from);
        let down: Vec<usize> = turns(true).collect();
        let up: Vec<usize> = turns(false).collect();
        if down.len() < 2 {
            return down.into_iter().zip(up).map(|(d, u)| (edges[d], edges[u])).collect();
        }
        // a saddle: the middle decides whether the high corners touch
        let joined = corners.iter().sum::<f64>() / 4.0 >= level;
        let step = if joined { 1 } else { 3 };
        down.into_iter().map(|d| (edges[d], edges[(d + step) % 4])).collect()
    }

    fn crossing(&self, e: Edge, level: f64) -> Place {
        let (di, dj) = if e.across { (1, 0) } else { (0, 1) };
        let (a, b) = (self.at(e.i, e.j), self.at(e.i + di, e.j + dj));
        let t = match (a.is_finite(), b.is_finite()) {
            (true, true) => (level - a) / (b - a),
            (true, false) => 0.0, // the border of the grid cuts the set
            _ => 1.0,
        };
        [e.i as f64 + t * di as f64, e.j as f64 + t * dj as f64]
    }

    /// Whether a place is on the border of the grid, where rings are closed by force.
    pub fn on_border(&self, [x, y]: Place) -> bool {
        x <= 0.0 || y <= 0.0 || x >= (self.nx - 1) as f64 || y >= (self.ny - 1) as f64
    }
}

/// An edge of the grid, from (i, j) to the right or upwards.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Edge {
    i: isize,
    j: isize,
    across: bool,
}

impl Edge {
    fn cells(self) -> [(isize, isize); 2] {
        let Edge { i, j, across } = self;
        if across { [(i, j), (i, j - 1)] } else { [(i, j), (i - 1, j)] }
    }
}

/// One closed line through all rings: bridges are walked both ways, so the winding numbers are those of the rings.
pub fn bridged(rings: &[Vec<[f64; 2]>]) -> Vec<[f64; 2]> {
    let mut line = Vec::new();
    for ring in rings {
        line.extend_from_slice(ring);
        line.push(ring[0]);
        line.extend(rings.first().map(|r| r[0]));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(f: impl Fn(f64, f64) -> f64) -> Grid {
        let (nx, ny) = (61, 41);
        let values = (0..nx * ny).map(|k| f((k % nx) as f64, (k / nx) as f64)).collect();
        Grid { nx, ny, values }
    }

    fn area(rings: &[Vec<Place>]) -> f64 {
        let cross = |r: &Vec<Place>| -> f64 {
            let next = r.iter().skip(1).chain(r.first());
            r.iter().zip(next).map(|(a, b)| 0.5 * (a[0] * b[1] - a[1] * b[0])).sum()
        };
        rings.iter().map(cross).sum()
    }

    #[test]
    fn the_rings_of_an_annulus_enclose_its_area() {
        let g = grid(|x, y| -((x - 30.0).hypot(y - 20.0) - 10.0).abs());
        let rings = g.rings(-4.0);
        assert_eq!(rings.len(), 2);
        let exact = std::f64::consts::PI * (14.0 * 14.0 - 6.0 * 6.0);
        assert!((area(&rings) / exact - 1.0).abs() < 0.01, "{} against {exact}", area(&rings));
        assert!((area(&[bridged(&rings)]) / exact - 1.0).abs() < 0.01);
    }

    #[test]
    fn the_border_closes_what_it_cuts() {
        assert_eq!(area(&grid(|_, _| 1.0).rings(0.0)), 60.0 * 40.0);
        assert!((area(&grid(|x, _| x).rings(15.5)) - 44.5 * 40.0).abs() < 1e-9);
        assert!(grid(|_, _| 1.0).rings(2.0).is_empty());
    }

    #[test]
    fn saddles_keep_every_ring_closed() {
        let g = grid(|x, y| (0.35 * x).sin() * (0.45 * y).sin());
        for level in [-0.5, 0.0, 0.3] {
            // by counting, twenty points to a side
            let fine = (0..1200 * 800).map(|k| ((k % 1200) as f64 / 20.0, (k / 1200) as f64 / 20.0));
            let high = fine.filter(|(x, y)| (0.35 * x).sin() * (0.45 * y).sin() >= level).count() as f64 / 400.0;
            let got = area(&g.rings(level));
            assert!((got / high - 1.0).abs() < 0.05, "{level}: {got} against {high}");
        }
    }
}
