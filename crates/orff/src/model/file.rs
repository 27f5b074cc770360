//! Models as files: sealed safetensors with a JSON header. The posterior, the largest part, is read when it is asked for.

use super::exact_file::ExactHeader;
use super::held::Stored;
use super::{
    Affine, Alignment, Body, Curves, Dynamics, Exact, Grown, Held, Info, Linear, Model, Posterior, Preparation, Warp,
};
use crate::archive::{Archive, Reader};
use crate::error::{Error, Result};
use crate::feature::{FeatureMap, MapHeader};
use crate::kernel::Matrix;
use crate::solve::Spread;
use faer::Mat;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

const KIND: &str = "model";

/// What the header says of a linear model beside its tensors.
#[derive(Serialize, Deserialize)]
struct LinearHeader {
    preparation: Preparation,
    #[serde(flatten)]
    map: MapHeader,
    posterior: Option<PosteriorHeader>,
    /// Groups of atoms whose sums are the features.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    groups: Option<usize>,
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
            Body::Affine(affine) => (serde_json::to_value(affine.header()), "affine"),
            Body::Forest(grown) => (serde_json::to_value(grown.header()), "forest"),
        };
        let body = body.map_err(|e| Error::Data(e.to_string()))?;
        let info = serde_json::to_value(&self.info).map_err(|e| Error::Data(e.to_string()))?;
        let mut archive =
            Archive::new(KIND, json!({ "info": info, "body": name, "projection": self.projection, name: body }));
        if let Some(series) = &self.series {
            archive.header["series"] = series.header().map_err(|e| Error::Data(e.to_string()))?;
            series.store(&mut archive);
        }
        if let Some(curves) = &self.curves {
            archive.header["curves"] = curves.header()?;
            archive.header["argument"] = curves.argument_header()?;
            curves.store(&mut archive);
        }
        if let Some(alignment) = &self.alignment {
            archive.header["alignment"] = alignment.header()?;
            alignment.store(&mut archive);
        }
        match &self.body {
            Body::Linear(linear) => linear.store(&mut archive)?,
            Body::Exact(exact) => exact.store(&mut archive)?,
            Body::Affine(affine) => affine.store(&mut archive),
            Body::Forest(grown) => grown.store(&mut archive),
        }
        Ok(archive)
    }

    fn read(file: Reader) -> Result<Model> {
        file.expect_kind(KIND)?;
        let info: Info = file.part("info")?;
        let file = Arc::new(file);
        let body = match file.header()["body"].as_str() {
            Some("linear") => Body::Linear(Box::new(Linear::restore(&file)?)),
            Some("exact") => Body::Exact(Box::new(Exact::restore(&file)?)),
            Some("affine") => Body::Affine(Box::new(Affine::restore(&file)?)),
            Some("forest") => Body::Forest(Box::new(Grown::restore(&file)?)),
            other => {
                let what = other.unwrap_or("nothing").to_string();
                return Err(file.damaged(format!("it holds a model of kind \"{what}\" that this Orff does not know")));
            }
        };
        let projection = file.part("projection")?;
        let curves = Curves::restore(&file, body.outputs())?;
        let mut model = Model { body, projection, info, series: None, curves, alignment: None };
        model.check_info(&file)?;
        model.alignment = Alignment::restore(&file, model.preparation().centre.len())?;
        model.series = Dynamics::restore(&file, &model.info, (model.inputs(), model.outputs()))?;
        Ok(model)
    }

    /// Refuses names and points that belong to another model; a model that was made in memory has none.
    fn check_info(&self, file: &Reader) -> Result<()> {
        let (d, p) = (self.inputs(), self.outputs());
        let Info { inputs, outputs, training, classes, outliers, .. } = &self.info;
        let fits = |names: &[String], n: usize| names.is_empty() || names.len() == n;
        // classes are one column of a table, however many outputs tell them apart
        let columns = match classes {
            Some(classes) if classes.fits(p) => 1,
            Some(_) => return Err(file.damaged(format!("its classes are not those of {p} outputs; fit again"))),
            None => p,
        };
        // scores are not observed
        let drawn = if outliers.is_some() { d } else { d + p };
        if fits(inputs, d) && fits(outputs, columns) && training.points.iter().all(|row| row.len() == drawn) {
            return Ok(());
        }
        Err(file.damaged(format!("its names or points are not those of {d} inputs and {p} outputs; fit again")))
    }
}

impl LinearHeader {
    fn of(linear: &Linear) -> Result<Self> {
        Ok(LinearHeader {
            preparation: linear.preparation.clone(),
            map: linear.map.header(),
            posterior: linear.posterior.get()?.map(|p| PosteriorHeader {
                groups: p.spreads.iter().map(|s| s.group).collect(),
                roots: p.roots.len(),
                offset: p.offset,
                directions: p.spreads.iter().all(|s| s.direction.is_some()),
                metric: p.metric.clone().and_then(|m| Matrix::new(m, "metric").ok()),
            }),
            groups: match linear.warp {
                Some(Warp::Grouped(groups)) => Some(groups),
                _ => None,
            },
        })
    }
}

impl Linear {
    fn store<'a>(&'a self, archive: &mut Archive<'a>) -> Result<()> {
        self.map.store(archive);
        archive.put_mat("table", self.table.as_ref());
        archive.put_vec("offset", self.offset.as_slice());
        archive.put_mat("noise", self.noise.as_ref());
        archive.put_vec("output_scale", self.output_scale.as_slice());
        if let Some(Warp::Dense(warp)) = &self.warp {
            archive.put_mat("warp", warp.as_ref());
        }
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
            if let Some(unit) = &posterior.unit {
                archive.put_vec("posterior.unit", unit.as_slice());
            }
        }
        Ok(())
    }

    fn restore(file: &Arc<Reader>) -> Result<Linear> {
        let header: LinearHeader = file.part("linear")?;
        let preparation = header.preparation;
        let d = preparation.centre.len();
        preparation.check(file)?;
        let map = FeatureMap::restore(file, &header.map, d)?;
        let columns = map.atoms().outputs();
        let table = file.mat("table", Some(map.characters()), Some(columns))?;
        let p = if preparation.views.is_empty() { columns } else { preparation.views.len() };
        let offset = file.vec("offset", Some(p))?;
        let noise = file.mat("noise", Some(p), Some(p))?;
        let output_scale = file.vec("output_scale", Some(p))?;
        let posterior = match header.posterior {
            None => Held::None,
            Some(_) => Held::stored(file.clone()),
        };
        let warp = match file.has("warp") {
            true => Some(file.mat("warp", Some(map.unknowns()), None)?),
            false => None,
        };
        if warp.as_ref().is_some_and(|warp| warp.ncols() == 0 || columns != 1 || map.unknowns() != map.characters()) {
            return Err(file.damaged("its warp is not one of scalar features; fit again or restore a copy"));
        }
        let warp = match header.groups {
            None => warp.map(Warp::Dense),
            Some(groups) if groups > 0 && map.atoms().count() % groups == 0 && map.atoms().blocks.len() == 1 => {
                Some(Warp::Grouped(groups))
            }
            Some(groups) => {
                return Err(file.damaged(format!("its atoms are not those of {groups} groups; fit again")));
            }
        };
        Ok(Linear { preparation, map, table, offset, noise, output_scale, posterior, warp })
    }
}

impl Stored for Posterior {
    fn restore(file: &Reader) -> Result<Posterior> {
        restore_posterior(file)
    }
}

fn restore_posterior(file: &Reader) -> Result<Posterior> {
    let header: LinearHeader = file.part("linear")?;
    let header = header.posterior.ok_or_else(|| file.damaged("it has no posterior"))?;
    let roots: Vec<Mat<f64>> =
        (0..header.roots).map(|g| file.mat(&format!("posterior.root.{g}"), None, None)).collect::<Result<_>>()?;
    let mut spreads = Vec::new();
    for (s, &group) in header.groups.iter().enumerate() {
        let root = roots.get(group).ok_or_else(|| file.damaged("its posterior names a part that is not there"))?;
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
        return Err(file.damaged("its posterior is empty; fit again or restore a copy"));
    }
    let metric = header.metric.map(|m| m.mat().clone());
    let unit = unit(file)?;
    Ok(Posterior { roots, spreads, mean, weight, offset: header.offset, metric, unit })
}

/// σ of each output of a posterior, as many as there are outputs; files of older versions have none.
pub(super) fn unit(file: &Reader) -> Result<Option<Vec<f64>>> {
    if !file.has("posterior.unit") {
        return Ok(None);
    }
    let outputs = file.shape("offset")?.first().copied();
    file.vec("posterior.unit", outputs).map(Some)
}
