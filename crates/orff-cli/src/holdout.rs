//! Learning from some rows and scoring on the others.

use crate::evaluate;
use crate::fit::Task;
use crate::flags::Usage;
use crate::progress::Progress;
use crate::report::{Format, Report};
use crate::theory::{self, FAILING};
use anyhow::Result;
use orff::bound::Report as Bounds;
use orff::model::Model;
use orff::rows::{Points, Rows};
use orff::watch::Watch;
use orff_table::{Source, Split};

/// Rows that are not learned from.
#[derive(Clone, Copy)]
enum Part {
    Test(f64),
    Fold(usize, usize),
}

/// For more rows than this no part is empty, or everything.
const FEW: u64 = 10_000;

impl Part {
    /// The rows of the part, or the rest.
    fn of<'a>(self, rows: &'a (dyn Rows + 'a), seed: u64, inside: bool) -> orff::Result<Split<'a>> {
        match (self, inside) {
            (Part::Test(share), true) => Split::test(rows, share, seed),
            (Part::Test(share), false) => Split::train(rows, share, seed),
            (Part::Fold(k, of), true) => Split::fold(rows, k, of, seed),
            (Part::Fold(k, of), false) => Split::without_fold(rows, k, of, seed),
        }
    }

    /// How many of so few rows are in the part.
    fn count(self, rows: u64, source: &Source, seed: u64) -> Result<u64> {
        let split = self.of(source, seed, true)?;
        Ok((0..rows).filter(|&row| split.keeps(row)).count() as u64)
    }
}

impl Task<'_> {
    /// Number of rows, by a pass.
    pub fn count(&self, watch: &mut Progress) -> Result<u64> {
        if let Some(curves) = &self.curves {
            return Ok(curves.nrows() as u64);
        }
        watch.stage("count");
        let mut rows = 0;
        for batch in self.source.batches()? {
            let n = batch?.inputs.nrows() as u64;
            rows += n;
            watch.advance(n)?;
        }
        Ok(rows)
    }

    /// Scores of a cross-validation; the choices of the first fold are said.
    pub fn folds(&self, folds: usize, rows: u64, watch: &mut Progress) -> Result<Report> {
        if folds as u64 > rows {
            return Err(Usage(format!("--folds: expected at most {rows}, the number of rows, got {folds}")).into());
        }
        let mut scores = self.report();
        for fold in 0..folds {
            let part = Part::Fold(fold, folds);
            if rows <= FEW {
                match part.count(rows, self.source, self.seed)? {
                    0 => continue,
                    n if n == rows => {
                        let why = format!("all {rows} rows fall into fold {} of {folds}", fold + 1);
                        return Err(Usage(format!("--folds: {why} (use another --seed, or more folds)")).into());
                    }
                    _ => {}
                }
            }
            watch.say(&format!("fold {} of {folds}", fold + 1));
            watch.hush(fold > 0);
            scores.merge(&self.held_out(part, watch)?.2);
            watch.hush(false);
        }
        watch.close();
        Ok(scores)
    }

    /// A model of the rows outside the test rows, how those were read, and its scores on the test rows.
    pub fn test(&self, share: f64, rows: u64, watch: &mut Progress) -> Result<(Model, Source, Report)> {
        let part = Part::Test(share);
        if rows <= FEW {
            let held = part.count(rows, self.source, self.seed)?;
            if held == 0 || held == rows {
                let why = format!("{held} of {rows} rows would be held out");
                return Err(Usage(format!("--test: {why} (use another share or --seed, or more rows)")).into());
            }
        }
        let found = self.held_out(part, watch)?;
        watch.close();
        Ok(found)
    }

    /// Prints what the theory says of a model, by a pass over the rows that it was learned from, and its scores there where no
    /// others were held out.
    pub fn theory(&self, model: &Model, test: f64, watch: &mut Progress) -> Result<()> {
        let part = Part::Test(test);
        let source = match test > 0.0 {
            true => {
                let outside = part.of(self.source, self.seed, false)?;
                Some(self.source.learned_from(|row| outside.keeps(row))?)
            }
            false => None,
        };
        let source = source.as_ref().unwrap_or(self.source);
        let rows = self.placed(source);
        let mut found = |rows: &dyn Rows| -> Result<Bounds> { Ok(Bounds::of(model, rows, FAILING, watch)?) };
        let found = match (&self.curves, test > 0.0) {
            (Some(curves), true) => found(&Points::new(part.of(curves, self.seed, false)?)?)?,
            (Some(curves), false) => found(&Points::new(curves)?)?,
            (None, true) => evaluate::outputs(source, &part.of(&rows, self.seed, false)?, &mut found)?,
            (None, false) => evaluate::outputs(source, &rows, &mut found)?,
        };
        let mut out = crate::progress::stdout();
        if test == 0.0 && !source.output_names().is_empty() {
            let scores = match &self.curves {
                Some(curves) => evaluate::score(model, &Points::new(curves)?, None, watch)?,
                None => {
                    let level = evaluate::level_of(model);
                    evaluate::outputs(source, &rows, &mut |rows| evaluate::score(model, rows, level, watch))?
                }
            };
            watch.close();
            scores.print("the rows that were learned from", Format::Text, &mut out)?;
        }
        watch.close();
        Ok(theory::print(&found, FAILING, &mut out)?)
    }

    /// Whatever is learned, means of columns too, comes from the rows outside the part.
    fn held_out(&self, part: Part, watch: &mut Progress) -> Result<(Model, Source, Report)> {
        let outside = part.of(self.source, self.seed, false)?;
        if let Some(curves) = &self.curves {
            // whole curves are held out
            let model = self.learn(&part.of(curves, self.seed, false)?, watch)?;
            let scores = evaluate::score(&model, &Points::new(part.of(curves, self.seed, true)?)?, None, watch)?;
            return Ok((model, self.source.learned_from(|_| true)?, scores));
        }
        let source = self.source.learned_from(|row| outside.keeps(row))?;
        let rows = self.placed(&source);
        let model = self.learn(&part.of(&rows, self.seed, false)?, watch)?;
        let level = evaluate::level_of(&model);
        let held = part.of(&rows, self.seed, true)?;
        let scores = evaluate::outputs(&source, &held, &mut |rows| evaluate::score(&model, rows, level, watch))?;
        Ok((model, source, scores))
    }
}
