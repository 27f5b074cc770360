//! Models as files: sealed safetensors with a JSON header. The posterior, the largest part, is read when it is asked for.

use super::exact_file::ExactHeader;
use super::held::Stored;
use super::{Body, Exact, Held, Info, Linear, Model, Posterior, Preparation};
use crate::archive::{Archive, Reader};
use crate::error::{Error, Result};
use crate::feature::{FeatureMap, MapKind};
use crate::kernel::{Atoms, Block, Factors, Matrix};
use crate::solve::Spread;
use crate::spectrum::{Omega, Structured};
use faer::Mat;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

const KIND: &str = "model";

/// What the header says of a linear model beside its tensors.
#[derive(Serialize, Deserialize)]
struct LinearHeader {
    preparation: Preparation,
    map: MapKind,
    blocks: Vec<BlockHeader>,
    posterior: Option<PosteriorHeader>,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "factors", rename_all = "kebab-case")]
enum BlockHeader {
    Shared,
    Differential { gradient: f64, rotation: f64 },
    Listed { outputs: usize },
}

#[derive(Serialize, Deserialize)]
struct PosteriorHeader {
    groups: Vec<usize>,
    roots: usize,
    offset: bool,
    directions: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    metric: Option<Matrix>,
}

impl Model {
    /// Writes the model; a crash or a full disk leaves the old file as it was.
    pub fn save(&self, path: &Path) -> Result<()> {
        self.archive()?.save(path)
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.archive()?.to_bytes()
    }

    /// Reads a model; its header and sizes are checked before anything large is allocated.
    pub fn load(path: &Path) -> Result<Model> {
        Self::read(Reader::open(path)?)
    }

    /// Reads a model from the bytes of its file.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Model> {
        Self::read(Reader::from_bytes(bytes)?)
    }

    fn archive(&self) -> Result<Archive<'_>> {
        let (body, name) = match &self.body {
            Body::Linear(linear) => (serde_json::to_value(LinearHeader::of(linear)?), "linear"),
            Body::Exact(exact) => (serde_json::to_value(ExactHeader::of(exact)?), "exact"),
        };
        let body = body.map_err(|e| Error::Data(e.to_string()))?;
        let info = serde_json::to_value(&self.info).map_err(|e| Error::Data(e.to_string()))?;
        let mut archive =
            Archive::new(KIND, json!({ "info": info, "body": name, "projection": self.projection, name: body }));
        match &self.body {
            Body::Linear(linear) => linear.store(&mut archive)?,
            Body::Exact(exact) => exact.store(&mut archive)?,
        }
        Ok(archive)
    }

    fn read(file: Reader) -> Result<Model> {
        file.expect_kind(KIND)?;
        let info: Info = part(&file, "info")?;
        let file = Arc::new(file);
        let body = match file.header()["body"].as_str() {
            Some("linear") => Body::Linear(Box::new(Linear::restore(&file)?)),
            Some("exact") => Body::Exact(Box::new(Exact::restore(&file)?)),
            other => {
                let what = other.unwrap_or("nothing").to_string();
                return Err(damaged(
                    &file,
                    format!("it holds a model of kind \"{what}\" that this Orff does not know"),
                ));
            }
        };
        let projection = part(&file, "projection")?;
        Ok(Model { body, projection, info })
    }
}

pub(super) fn part<T: for<'de> Deserialize<'de>>(file: &Reader, name: &str) -> Result<T> {
    let value: Value = file.header()[name].clone();
    serde_json::from_value(value).map_err(|e| damaged(file, format!("its header has no usable \"{name}\" ({e})")))
}

pub(super) fn damaged(file: &Reader, why: impl Into<String>) -> Error {
    Error::File { path: file.path().to_path_buf(), why: why.into() }
}

impl LinearHeader {
    fn of(linear: &Linear) -> Result<Self> {
        let blocks = linear.map.atoms().blocks.iter().map(|b| match &b.factors {
            Factors::Shared(_) => BlockHeader::Shared,
            Factors::Differential { gradient, rotation, .. } => {
                BlockHeader::Differential { gradient: *gradient, rotation: *rotation }
            }
            Factors::Listed { outputs, .. } => BlockHeader::Listed { outputs: *outputs },
        });
        Ok(LinearHeader {
            preparation: linear.preparation.clone(),
            map: linear.map.kind(),
            blocks: blocks.collect(),
            posterior: linear.posterior.get()?.map(|p| PosteriorHeader {
                groups: p.spreads.iter().map(|s| s.group).collect(),
                roots: p.roots.len(),
                offset: p.offset,
                directions: p.spreads.iter().all(|s| s.direction.is_some()),
                metric: p.metric.clone().and_then(|m| Matrix::new(m, "metric").ok()),
            }),
        })
    }
}

impl Linear {
    fn store<'a>(&'a self, archive: &mut Archive<'a>) -> Result<()> {
        for (b, block) in self.map.atoms().blocks.iter().enumerate() {
            match &block.omega {
                Omega::Dense(omega) => archive.put_mat(&format!("omega.{b}"), omega.as_ref()),
                Omega::Structured(omega) => {
                    let (scales, signs, factors) = omega.parts();
                    archive.put_vec(&format!("omega.{b}.scales"), scales);
                    archive.put_vec(&format!("omega.{b}.signs"), signs);
                    archive.put_vec(&format!("omega.{b}.factors"), factors);
                }
            }
            archive.put_vec(&format!("weight.{b}"), block.weight.as_slice());
            match &block.factors {
                Factors::Shared(f) | Factors::Listed { stacked: f, .. } => {
                    archive.put_mat(&format!("factor.{b}"), f.as_ref());
                }
                Factors::Differential { .. } => {}
            }
            if self.map.kind() == MapKind::Phases {
                archive.put_vec(&format!("phase.{b}"), self.map.phases(b));
            }
        }
        archive.put_mat("table", self.table.as_ref());
        archive.put_vec("offset", self.offset.as_slice());
        archive.put_mat("noise", self.noise.as_ref());
        archive.put_vec("output_scale", self.output_scale.as_slice());
        if let Some(posterior) = self.posterior.get()? {
            for (g, root) in posterior.roots.iter().enumerate() {
                archive.put_mat(&format!("posterior.root.{g}"), root.as_ref());
            }
            for (s, spread) in posterior.spreads.iter().enumerate() {
                archive.put_vec(&format!("posterior.scale.{s}"), spread.scale.as_slice());
                if let Some(direction) = &spread.direction {
                    archive.put_vec(&format!("posterior.direction.{s}"), direction.as_slice());
                }
            }
            archive.put_mat("posterior.mean", posterior.mean.as_ref());
            archive.put_vec("posterior.weight", posterior.weight.as_slice());
        }
        Ok(())
    }

    fn restore(file: &Arc<Reader>) -> Result<Linear> {
        let header: LinearHeader = part(file, "linear")?;
        let preparation = header.preparation;
        let d = preparation.centre.len();
        check_preparation(file, &preparation)?;
        if header.blocks.is_empty() {
            return Err(damaged(file, "it has no atoms; fit again or restore a copy"));
        }
        let mut blocks = Vec::new();
        let mut phases = Vec::new();
        for (b, kind) in header.blocks.iter().enumerate() {
            let block = restore_block(file, b, kind, d)?;
            if header.map == MapKind::Phases {
                phases.push(file.vec(&format!("phase.{b}"), Some(block.count()))?);
            }
            blocks.push(block);
        }
        let atoms = Atoms { blocks };
        let columns = atoms.outputs();
        if atoms.blocks.iter().any(|b| b.factors.outputs() != columns) {
            return Err(damaged(
                file,
                "its blocks disagree about the number of outputs; fit again or restore a copy",
            ));
        }
        let map = FeatureMap::from_parts(atoms, header.map, phases);
        let table = file.mat("table", Some(map.characters()), Some(columns))?;
        let p = if preparation.views.is_empty() { columns } else { preparation.views.len() };
        let offset = file.vec("offset", Some(p))?;
        let noise = file.mat("noise", Some(p), Some(p))?;
        let output_scale = file.vec("output_scale", Some(p))?;
        let posterior = match header.posterior {
            None => Held::None,
            Some(_) => Held::stored(file.clone()),
        };
        Ok(Linear { preparation, map, table, offset, noise, output_scale, posterior })
    }
}

/// Refuses a preparation of inputs whose parts do not agree.
pub(super) fn check_preparation(file: &Reader, preparation: &Preparation) -> Result<()> {
    let d = preparation.centre.len();
    let consistent = preparation.scale.len() == d
        && d > 0
        && preparation.inputs > 0
        && preparation.scale.iter().all(|s| s.is_finite() && *s > 0.0)
        && preparation.group.check(preparation.inputs).is_ok()
        && preparation.views.iter().all(|v| v.mat().nrows() == d && v.mat().ncols() == preparation.inputs)
        && (!preparation.views.is_empty() || preparation.inputs == d);
    if consistent {
        return Ok(());
    }
    Err(damaged(file, "its preparation of inputs contradicts itself; fit again or restore a copy"))
}

fn restore_block(file: &Reader, b: usize, kind: &BlockHeader, d: usize) -> Result<Block> {
    let name = |part: &str| format!("{part}.{b}");
    let omega = if file.has(&name("omega")) {
        Omega::Dense(file.mat(&name("omega"), None, Some(d))?)
    } else {
        let scales = file.vec(&format!("omega.{b}.scales"), Some(d))?;
        let signs = file.vec(&format!("omega.{b}.signs"), None)?;
        let factors = file.vec(&format!("omega.{b}.factors"), None)?;
        let structured = Structured::from_parts(scales, &signs, factors)
            .ok_or_else(|| damaged(file, "its structured frequencies have the wrong size; fit again"))?;
        Omega::Structured(structured)
    };
    let count = omega.count();
    let weight = file.vec(&name("weight"), Some(count))?;
    let factors = match kind {
        BlockHeader::Shared => Factors::Shared(file.mat(&name("factor"), None, None)?),
        BlockHeader::Differential { gradient, rotation } => {
            Factors::Differential { dimension: d, gradient: *gradient, rotation: *rotation }
        }
        BlockHeader::Listed { outputs } => {
            let rows = count.checked_mul(*outputs).filter(|_| *outputs > 0);
            let rows = rows.ok_or_else(|| damaged(file, "its factors have an impossible size; fit again"))?;
            Factors::Listed { outputs: *outputs, stacked: file.mat(&name("factor"), Some(rows), None)? }
        }
    };
    if count == 0 {
        return Err(damaged(file, "it has a block without atoms; fit again or restore a copy"));
    }
    Ok(Block { omega, weight, factors, note: None })
}

impl Stored for Posterior {
    fn restore(file: &Reader) -> Result<Posterior> {
        restore_posterior(file)
    }
}

fn restore_posterior(file: &Reader) -> Result<Posterior> {
    let header: LinearHeader = part(file, "linear")?;
    let header = header.posterior.ok_or_else(|| damaged(file, "it has no posterior"))?;
    let roots: Vec<Mat<f64>> =
        (0..header.roots).map(|g| file.mat(&format!("posterior.root.{g}"), None, None)).collect::<Result<_>>()?;
    let mut spreads = Vec::new();
    for (s, &group) in header.groups.iter().enumerate() {
        let root = roots.get(group).ok_or_else(|| damaged(file, "its posterior names a part that is not there"))?;
        let scale = file.vec(&format!("posterior.scale.{s}"), Some(root.ncols()))?;
        let direction = match header.directions {
            true => Some(file.vec(&format!("posterior.direction.{s}"), None)?),
            false => None,
        };
        spreads.push(Spread { group, root: None, scale, direction });
    }
    let mean = file.mat("posterior.mean", None, None)?;
    let weight = file.vec("posterior.weight", None)?;
    if mean.ncols() == 0 || weight.is_empty() || spreads.is_empty() {
        return Err(damaged(file, "its posterior is empty; fit again or restore a copy"));
    }
    let metric = header.metric.map(|m| m.mat().clone());
    Ok(Posterior { roots, spreads, mean, weight, offset: header.offset, metric })
}
