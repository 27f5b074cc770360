//! Feature maps in files: which atoms in the header, their numbers as tensors.

use super::{FeatureMap, MapKind};
use crate::archive::{Archive, Reader};
use crate::error::Result;
use crate::kernel::{Atoms, Block, Factors};
use crate::spectrum::{Omega, Structured};
use serde::{Deserialize, Serialize};

/// What a header says of a feature map beside its tensors.
#[derive(Serialize, Deserialize)]
pub struct MapHeader {
    map: MapKind,
    blocks: Vec<BlockHeader>,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "factors", rename_all = "kebab-case")]
enum BlockHeader {
    Shared,
    Differential { gradient: f64, rotation: f64 },
    Listed { outputs: usize },
}

impl FeatureMap {
    /// What a header says of the map.
    pub fn header(&self) -> MapHeader {
        let blocks = self.atoms().blocks.iter().map(|b| match &b.factors {
            Factors::Shared(_) => BlockHeader::Shared,
            Factors::Differential { gradient, rotation, .. } => {
                BlockHeader::Differential { gradient: *gradient, rotation: *rotation }
            }
            Factors::Listed { outputs, .. } => BlockHeader::Listed { outputs: *outputs },
        });
        MapHeader { map: self.kind(), blocks: blocks.collect() }
    }

    /// Adds the tensors of the map to an archive.
    pub fn store<'a>(&'a self, archive: &mut Archive<'a>) {
        for (b, block) in self.atoms().blocks.iter().enumerate() {
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
            if self.kind() == MapKind::Phases {
                archive.put_vec(&format!("phase.{b}"), self.phases(b));
            }
        }
    }

    /// The map that a file holds, on inputs of dimension d.
    pub fn restore(file: &Reader, header: &MapHeader, d: usize) -> Result<FeatureMap> {
        if header.blocks.is_empty() {
            return Err(file.damaged("it has no atoms; fit again or restore a copy"));
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
            return Err(file.damaged("its blocks disagree about the number of outputs; fit again or restore a copy"));
        }
        Ok(FeatureMap::from_parts(atoms, header.map, phases))
    }
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
            .ok_or_else(|| file.damaged("its structured frequencies have the wrong size; fit again"))?;
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
            let rows = rows.ok_or_else(|| file.damaged("its factors have an impossible size; fit again"))?;
            Factors::Listed { outputs: *outputs, stacked: file.mat(&name("factor"), Some(rows), None)? }
        }
    };
    if count == 0 {
        return Err(file.damaged("it has a block without atoms; fit again or restore a copy"));
    }
    Ok(Block { omega, weight, factors, note: None })
}
