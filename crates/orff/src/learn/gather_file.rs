//! Gatherings as files: the same sealed archive as models, so that they travel between processes and machines.

use super::begin::Choices;
use super::stage::Stage;
use super::{Gathering, Regression};
use crate::archive::{Archive, Reader};
use crate::error::{Error, Result};
use crate::feature::{FeatureMap, Key, MapHeader, Moments, Part};
use crate::kernel::Kernel;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

const KIND: &str = "moments";

#[derive(Serialize, Deserialize)]
struct Header {
    learner: Regression,
    stage: Stage,
    kernel: Kernel,
    #[serde(flatten)]
    map: MapHeader,
    parts: Vec<Key>,
    weight: f64,
    relative: bool,
    rows: usize,
    choices: Vec<String>,
    points: Vec<Vec<f64>>,
}

impl Gathering {
    /// Writes it; a crash or a full disk leaves the old file as it was.
    pub fn save(&self, path: &Path) -> Result<()> {
        self.archive()?.save(path)
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.archive()?.to_bytes()
    }

    /// Reads what [`save`](Self::save) wrote.
    pub fn load(path: &Path) -> Result<Self> {
        Self::read(&Reader::open(path)?)
    }

    /// Reads what [`to_bytes`](Self::to_bytes) gave.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self> {
        Self::read(&Reader::from_bytes(bytes)?)
    }

    fn archive(&self) -> Result<Archive<'_>> {
        let header = Header {
            learner: self.learner.clone(),
            stage: self.stage.clone(),
            kernel: self.kernel.clone(),
            map: self.map.header(),
            parts: self.moments.parts().keys().cloned().collect(),
            weight: self.moments.weight(),
            relative: self.moments.relative(),
            rows: self.rows,
            choices: self.choices.lines.clone(),
            points: self.points.clone(),
        };
        let header = serde_json::to_value(header).map_err(|e| Error::Data(e.to_string()))?;
        let mut archive = Archive::new(KIND, serde_json::json!({ "gathering": header }));
        self.map.store(&mut archive);
        for (i, part) in self.moments.parts().values().enumerate() {
            archive.put_vec(&format!("part.{i}.size"), vec![part.rows, part.weight]);
            archive.put_vec(&format!("part.{i}.c"), part.sum_c.as_slice());
            archive.put_vec(&format!("part.{i}.y"), part.sum_y.as_slice());
            archive.put_mat(&format!("part.{i}.cc"), part.cc.as_ref());
            archive.put_mat(&format!("part.{i}.cy"), part.cy.as_ref());
            archive.put_mat(&format!("part.{i}.yy"), part.yy.as_ref());
        }
        Ok(archive)
    }

    fn read(file: &Reader) -> Result<Self> {
        file.expect_kind(KIND)?;
        let header: Header = file.part("gathering")?;
        let Stage { preparation, means, scales } = &header.stage;
        preparation.check(file)?;
        let map = FeatureMap::restore(file, &header.map, preparation.centre.len())?;
        let (m, columns) = (map.characters(), map.atoms().outputs());
        let outputs = if preparation.views.is_empty() { columns } else { preparation.views.len() };
        let sound = means.len() == outputs && scales.len() == outputs && header.weight.is_finite();
        let fits = |key: &Key| match key {
            Key::Pattern(seen) => seen.len() == columns,
            Key::Output(t) => *t < columns,
        };
        if !sound || !header.parts.iter().all(fits) {
            return Err(file.damaged("its parts contradict each other; gather again or restore a copy"));
        }
        let mut parts = BTreeMap::new();
        for (i, key) in header.parts.into_iter().enumerate() {
            let size = file.vec(&format!("part.{i}.size"), Some(2))?;
            let part = Part {
                rows: size[0],
                weight: size[1],
                sum_c: file.vec(&format!("part.{i}.c"), Some(m))?,
                sum_y: file.vec(&format!("part.{i}.y"), Some(columns))?,
                cc: file.mat(&format!("part.{i}.cc"), Some(m), Some(m))?,
                cy: file.mat(&format!("part.{i}.cy"), Some(m), Some(columns))?,
                yy: file.mat(&format!("part.{i}.yy"), Some(columns), Some(columns))?,
            };
            parts.insert(key, part);
        }
        Ok(Gathering {
            moments: Moments::from_parts(m, columns, header.weight, header.relative, parts),
            learner: header.learner,
            stage: header.stage,
            kernel: header.kernel,
            map,
            rows: header.rows,
            choices: Choices { lines: header.choices },
            points: header.points,
        })
    }
}
