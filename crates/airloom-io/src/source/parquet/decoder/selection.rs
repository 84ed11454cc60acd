//! Which rows of a window are wanted.

use arrow::buffer::BooleanBuffer;

/// Some of a number of rows.
pub(super) struct Selection {
    rows: usize,
    /// Their numbers, in order; `None` where all are wanted.
    chosen: Option<Vec<u32>>,
}

impl Selection {
    /// All of `rows` rows.
    pub(super) fn all(rows: usize) -> Selection {
        Selection { rows, chosen: None }
    }

    /// Of how many rows it is a selection.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// How many are wanted.
    pub(super) fn len(&self) -> usize {
        self.chosen.as_ref().map_or(self.rows, Vec::len)
    }

    /// Whether none is wanted.
    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The numbers of those that are wanted, or `None` for all.
    pub(super) fn chosen(&self) -> Option<&[u32]> {
        self.chosen.as_deref()
    }

    /// Keeps those of which this is true.
    pub(super) fn keep(&mut self, wanted: impl Fn(usize) -> bool) {
        let mut kept = 0;
        match &mut self.chosen {
            Some(chosen) => {
                for at in 0..chosen.len() {
                    let row = chosen[at];
                    chosen[kept] = row;
                    kept += usize::from(wanted(row as usize));
                }
                chosen.truncate(kept);
            }
            None => {
                // Each row is written and the next one written over it where it is not wanted: no branch to guess.
                let mut chosen = vec![0; self.rows];
                for row in 0..self.rows {
                    chosen[kept] = row as u32;
                    kept += usize::from(wanted(row));
                }
                if kept < self.rows {
                    chosen.truncate(kept);
                    self.chosen = Some(chosen);
                }
            }
        }
    }

    /// Keeps those, of the ones that are still wanted, for which a mask is true.
    pub(super) fn keep_where(&mut self, mask: &BooleanBuffer) {
        if mask.count_set_bits() == mask.len() {
            return;
        }
        let kept = mask.set_indices();
        self.chosen = Some(match &self.chosen {
            Some(chosen) => kept.map(|at| chosen[at]).collect(),
            None => kept.map(|at| at as u32).collect(),
        });
    }
}
