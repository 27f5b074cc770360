//! Rows of files, checked where the place of a value in its file is still known.

use orff::model::{LonLat, Preparation};
use orff::rows::{Batches, Rows};
use orff_table::Source;

/// The rows of a source, projected. A value that the model cannot take is named by file, line and column.
pub struct Placed<'a> {
    /// The rows as they are in the files.
    pub source: &'a Source,
    /// The projection of longitude and latitude, if there is one.
    pub projection: Option<LonLat>,
    /// What the projected inputs must pass, if it can fail.
    pub domain: Option<Preparation>,
}

impl Rows for Placed<'_> {
    fn inputs(&self) -> usize {
        self.source.inputs()
    }

    fn outputs(&self) -> usize {
        self.source.outputs()
    }

    fn batches(&self) -> orff::Result<Batches<'_>> {
        let pages = self.source.pages()?.filter(|page| page.as_ref().map_or(true, |p| !p.used.is_empty()));
        Ok(Box::new(pages.map(|page| {
            let mut page = page?;
            if let Some(by) = &self.projection {
                page.batch.inputs = by.project(&page.batch.inputs, 1).map_err(|e| page.placed(e))?;
            }
            if let Some(domain) = &self.domain {
                domain.chart(&page.batch.inputs, 1).map_err(|e| page.placed(e))?;
            }
            Ok(page.batch)
        })))
    }

    fn rereadable(&self) -> bool {
        self.source.rereadable()
    }

    fn single(&self) -> bool {
        self.source.single() && self.projection.is_none()
    }

    fn classes(&self) -> Option<&[String]> {
        self.source.classes()
    }
}
