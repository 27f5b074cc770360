//! Longitude and latitude as local metres, so that directions and lengths mean what they say.

use crate::error::{Error, Result};
use crate::rows::{Batch, Batches, Inputs, Rows};
use serde::{Deserialize, Serialize};

/// Mean radius of the Earth in metres.
const RADIUS: f64 = 6_371_008.8;

/// The equirectangular projection about an origin: x = R cos φ₀ (λ − λ₀), y = R (φ − φ₀), in metres.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LonLat {
    /// Which input is the longitude, from 0.
    pub lon: usize,
    /// Which input is the latitude, from 0.
    pub lat: usize,
    /// λ₀ and φ₀ in degrees.
    pub origin: (f64, f64),
}

impl LonLat {
    /// Centres the projection on some rows; the mean longitude is that of the directions, so that the meridian of
    /// ±180° is a place like others.
    pub fn about(rows: &[Batch], lon: usize, lat: usize) -> Result<LonLat> {
        let (mut n, mut north, mut east) = (0.0, 0.0, (0.0, 0.0));
        for batch in rows {
            if let Inputs::Dense(x) = &batch.inputs {
                for i in (0..x.nrows()).filter(|&i| x[(i, lon)].is_finite() && x[(i, lat)].is_finite()) {
                    let angle = x[(i, lon)].to_radians();
                    n += 1.0;
                    north += x[(i, lat)];
                    east = (east.0 + libm::cos(angle), east.1 + libm::sin(angle));
                }
            }
        }
        if n == 0.0 {
            return Err(Error::Data("no rows to centre the projection on".into()));
        }
        Ok(LonLat { lon, lat, origin: (libm::atan2(east.1, east.0).to_degrees(), north / n) })
    }

    /// By which share lengths to the east are wrong, at the row where they are most: cos φ / cos φ₀ − 1 in size.
    pub fn distortion(&self, rows: &[Batch]) -> f64 {
        let origin = libm::cos(self.origin.1.to_radians());
        let share = |latitude: f64| (libm::cos(latitude.to_radians()) / origin - 1.0).abs();
        let dense = rows.iter().filter_map(|batch| match &batch.inputs {
            Inputs::Dense(x) => Some(x),
            Inputs::Sparse(_) => None,
        });
        dense.flat_map(|x| x.col(self.lat).iter().map(|v| share(*v))).fold(0.0, f64::max)
    }

    /// Projects inputs; `first_row` numbers rows in errors from 1.
    pub fn project(&self, inputs: &Inputs, first_row: usize) -> Result<Inputs> {
        let Inputs::Dense(x) = inputs else {
            return Err(Error::refused(
                "a projection of sparse inputs",
                "give longitude and latitude as dense columns",
            ));
        };
        let mut x = x.clone();
        if self.lon >= x.ncols() || self.lat >= x.ncols() {
            return Err(Error::shape(
                "inputs",
                "the columns of longitude and latitude",
                format!("{} columns", x.ncols()),
            ));
        }
        let east = RADIUS * libm::cos(self.origin.1.to_radians());
        for i in 0..x.nrows() {
            let (lon, lat) = (x[(i, self.lon)], x[(i, self.lat)]);
            for (column, value, limit) in [(self.lon, lon, 540.0), (self.lat, lat, 90.0)] {
                if !(value.abs() <= limit) {
                    return Err(Error::Value {
                        row: first_row + i,
                        column: (column + 1).to_string(),
                        value: value.to_string(),
                        problem: format!(
                            "is not a {} in degrees",
                            if column == self.lat { "latitude" } else { "longitude" }
                        ),
                    });
                }
            }
            let turn = lon - self.origin.0;
            x[(i, self.lon)] = east * (turn - 360.0 * (turn / 360.0).round()).to_radians();
            x[(i, self.lat)] = RADIUS * (lat - self.origin.1).to_radians();
        }
        Ok(Inputs::Dense(x))
    }

    /// Degrees of a projected point.
    pub fn unproject(&self, x: f64, y: f64) -> (f64, f64) {
        let east = RADIUS * libm::cos(self.origin.1.to_radians());
        (self.origin.0 + (x / east).to_degrees(), self.origin.1 + (y / RADIUS).to_degrees())
    }
}

/// Rows with their longitude and latitude projected.
pub struct Projected<'a> {
    /// The rows in degrees.
    pub rows: &'a dyn Rows,
    /// The projection.
    pub by: LonLat,
}

impl Rows for Projected<'_> {
    fn inputs(&self) -> usize {
        self.rows.inputs()
    }

    fn outputs(&self) -> usize {
        self.rows.outputs()
    }

    fn batches(&self) -> Result<Batches<'_>> {
        let mut row = 1;
        Ok(Box::new(self.rows.batches()?.map(move |batch| {
            let batch = batch?;
            let inputs = self.by.project(&batch.inputs, row)?;
            row += inputs.nrows();
            Ok(Batch { inputs, ..batch })
        })))
    }

    fn rereadable(&self) -> bool {
        self.rows.rereadable()
    }
}
