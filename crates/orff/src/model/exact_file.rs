//! Models of kernel sections as files: the kernel in the header, points and coefficients as tensors.

use super::held::Stored;
use super::{Exact, ExactPosterior, Held, Preparation, Span};
use crate::archive::{Archive, Reader};
use crate::error::Result;
use crate::kernel::Kernel;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What the header says of such a model beside its tensors.
#[derive(Serialize, Deserialize)]
pub(super) struct ExactHeader {
    preparation: Preparation,
    kernel: Kernel,
    posterior: Option<PosteriorHeader>,
}

#[derive(Serialize, Deserialize)]
struct PosteriorHeader {
    roots: usize,
    spans: Vec<SpanHeader>,
}

#[derive(Serialize, Deserialize)]
struct SpanHeader {
    root: usize,
    prior: f64,
    direction: bool,
}

impl ExactHeader {
    pub(super) fn of(exact: &Exact) -> Result<Self> {
        let span = |s: &Span| SpanHeader { root: s.root, prior: s.prior, direction: s.direction.is_some() };
        Ok(ExactHeader {
            preparation: exact.preparation.clone(),
            kernel: exact.kernel.clone(),
            posterior: exact
                .posterior
                .get()?
                .map(|p| PosteriorHeader { roots: p.roots.len(), spans: p.spans.iter().map(span).collect() }),
        })
    }

    /// Number of outputs of the kernel and of the user; the kernel must be one that can be evaluated.
    fn outputs(&self, file: &Reader) -> Result<(usize, usize)> {
        self.preparation.check(file)?;
        let columns = (self.kernel.outputs(self.preparation.centre.len()))
            .map_err(|e| file.damaged(format!("its kernel cannot be used ({e}); fit again or restore a copy")))?;
        match self.preparation.views.len() {
            0 => Ok((columns, columns)),
            v if columns == 1 => Ok((1, v)),
            _ => Err(file.damaged("its kernel has several outputs on each view; fit again or restore a copy")),
        }
    }
}

impl Exact {
    pub(super) fn store<'a>(&'a self, archive: &mut Archive<'a>) -> Result<()> {
        archive.put_mat("points", self.points.as_ref());
        archive.put_mat("coefficients", self.coefficients.as_ref());
        archive.put_vec("offset", self.offset.as_slice());
        archive.put_mat("noise", self.noise.as_ref());
        archive.put_vec("output_scale", self.output_scale.as_slice());
        if let Some(posterior) = self.posterior.get()? {
            for (g, root) in posterior.roots.iter().enumerate() {
                archive.put_mat(&format!("posterior.root.{g}"), root.as_ref());
            }
            for (s, span) in posterior.spans.iter().enumerate() {
                archive.put_vec(&format!("posterior.scale.{s}"), span.scale.as_slice());
                archive.put_mat(&format!("posterior.linear.{s}"), span.linear.as_ref());
                if let Some(direction) = &span.direction {
                    archive.put_vec(&format!("posterior.direction.{s}"), direction.as_slice());
                }
            }
            archive.put_mat("posterior.constant", posterior.constant.as_ref());
            if let Some(unit) = &posterior.unit {
                archive.put_vec("posterior.unit", unit.as_slice());
            }
        }
        Ok(())
    }

    pub(super) fn restore(file: &Arc<Reader>) -> Result<Exact> {
        let header: ExactHeader = file.part("exact")?;
        let (columns, p) = header.outputs(file)?;
        let points = file.mat("points", None, Some(header.preparation.centre.len()))?;
        if points.nrows() == 0 {
            return Err(file.damaged("it has no points; fit again or restore a copy"));
        }
        let coefficients = file.mat("coefficients", Some(points.nrows()), Some(columns))?;
        let offset = file.vec("offset", Some(p))?;
        let noise = file.mat("noise", Some(p), Some(p))?;
        let output_scale = file.vec("output_scale", Some(p))?;
        let posterior = match header.posterior {
            None => Held::None,
            Some(_) => Held::stored(file.clone()),
        };
        let ExactHeader { preparation, kernel, .. } = header;
        Ok(Exact { preparation, kernel, points, coefficients, output_scale, offset, noise, posterior })
    }
}

impl Stored for ExactPosterior {
    fn restore(file: &Reader) -> Result<Self> {
        let header: ExactHeader = file.part("exact")?;
        let (columns, p) = header.outputs(file)?;
        let separated = header.kernel.separated().is_some();
        let wrong = |why: &str| file.damaged(format!("its posterior {why}; fit again or restore a copy"));
        let posterior = header.posterior.ok_or_else(|| wrong("is not there"))?;
        let points = match file.shape("points")? {
            [m, _] => *m,
            _ => return Err(wrong("has no points")),
        };
        // kernel sections: one number per point along a direction, one per point and output otherwise
        let width = |direction: bool| if direction { Some(points) } else { points.checked_mul(columns) };
        let mut roots = Vec::new();
        for g in 0..posterior.roots {
            let user = posterior.spans.iter().find(|s| s.root == g).ok_or_else(|| wrong("has parts without use"))?;
            let width = width(user.direction).ok_or_else(|| wrong("has an impossible size"))?;
            roots.push(file.mat(&format!("posterior.root.{g}"), None, Some(width))?);
        }
        let mut spans = Vec::new();
        for (s, span) in posterior.spans.iter().enumerate() {
            let root = roots.get(span.root).ok_or_else(|| wrong("names a part that is not there"))?;
            let width = width(span.direction).ok_or_else(|| wrong("has an impossible size"))?;
            let agrees = root.ncols() == width && (!span.direction || separated || columns == 1);
            // spans of both kinds would read different sections
            if !agrees || span.direction != posterior.spans[0].direction {
                return Err(wrong("contradicts its kernel"));
            }
            let direction = match span.direction {
                true => Some(file.vec(&format!("posterior.direction.{s}"), Some(columns))?),
                false => None,
            };
            spans.push(Span {
                root: span.root,
                prior: span.prior,
                scale: file.vec(&format!("posterior.scale.{s}"), Some(root.nrows()))?,
                linear: file.mat(
                    &format!("posterior.linear.{s}"),
                    Some(width),
                    Some(if span.direction { 1 } else { columns }),
                )?,
                direction,
            });
        }
        let constant = file.mat("posterior.constant", Some(p), Some(p))?;
        let unit = super::file::unit(file)?;
        Ok(ExactPosterior { roots, spans, constant, unit })
    }
}
