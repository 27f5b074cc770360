//! Moments of windows that slide over rows. Rows are only ever added: taking them away again would lose digits.

use crate::error::Result;
use crate::feature::Part;
use std::ops::Range;

/// Bytes of sums that are kept at a time.
const KEPT: usize = 1 << 26;

/// Tells `each` the number and the moments of every window, in order; neither starts nor ends of windows go back. `part`
/// makes the moments of a range of rows, M characters and p outputs wide. \[windows\]
///
/// At some window's end, its boundary, the sums from the start of each window to the boundary are made backwards; what
/// follows the boundary is added as windows move on, until one starts behind it. Every row is added three times at most,
/// whatever the number of windows; √windows sums are kept.
pub(super) fn slide(
    windows: &[Range<usize>],
    (m, p): (usize, usize),
    part: &mut dyn FnMut(Range<usize>) -> Result<Part>,
    each: &mut dyn FnMut(usize, Part) -> Result<()>,
) -> Result<()> {
    let bytes = 8 * (m * m + 2 * m * p + p * p + m + p);
    let mut first = 0;
    while first < windows.len() {
        let boundary = windows[first].end;
        let end = first + windows[first..].partition_point(|w| w.start <= boundary);
        let count = end - first;
        let size = if count.saturating_mul(bytes) <= KEPT { count } else { count.isqrt() + 1 };
        let start = |w: usize| if w < end { windows[w].start } else { boundary };
        // sums from the end of each group of windows to the boundary
        let groups: Vec<Range<usize>> = (first..end).step_by(size).map(|from| from..(from + size).min(end)).collect();
        let mut after = vec![Part::new(m, p)];
        for group in groups.iter().skip(1).rev() {
            let mut sum = part(start(group.start)..start(group.end))?;
            sum.merge(&after[after.len() - 1]);
            after.push(sum);
        }
        let (mut back, mut reached) = (Part::new(m, p), boundary);
        for group in groups {
            let mut sum = after.pop().unwrap_or_else(|| Part::new(m, p));
            let mut fronts = Vec::with_capacity(group.len());
            for w in group.clone().rev() {
                if start(w) < start(w + 1) {
                    sum.merge(&part(start(w)..start(w + 1))?);
                }
                fronts.push(sum.clone());
            }
            for (w, mut front) in group.zip(fronts.into_iter().rev()) {
                if reached < windows[w].end {
                    back.merge(&part(reached..windows[w].end)?);
                    reached = windows[w].end;
                }
                front.merge(&back);
                each(w, front)?;
            }
        }
        first = end;
    }
    Ok(())
}
