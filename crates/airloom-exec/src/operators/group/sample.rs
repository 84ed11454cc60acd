//! What the first rows of a partition tell of its groups.

use super::GroupInputs;
use super::columns::Columns;
use super::part_of::PartOf;
use airloom_compute::data::array_bytes;

/// At most this many rows are looked at before it is decided how they are grouped.
const ROWS: usize = 1 << 16;
/// And no more than one in this many, since looking at a row that goes to a part is work done twice; but this many at least.
const ONE_IN: f64 = 16.0;
const LEAST_ROWS: usize = 1 << 12;
/// Below this many groups a table of them is in the cache, and making groups in each partition costs little.
const SMALL: f64 = 8192.0;
/// Groups with fewer rows than this are not worth a table for each partition.
pub(super) const FEW_ROWS: f64 = 8.0;
/// From how many groups on a partition looks again whether its own table is worth having.
pub(super) const LOOK: usize = 1 << 15;
/// Below this many rows in all, making parts costs more than it saves.
const MANY_ROWS: usize = 1 << 19;
/// Where nothing is known of the data, a partition is expected to have this many rows.
const EXPECTED: f64 = 4e6;

/// How many rows a partition will have, as far as that is known, and how many partitions there are.
#[derive(Clone, Copy)]
pub(super) struct Expected {
    pub(super) rows: Option<f64>,
    pub(super) partitions: f64,
}

impl Expected {
    /// Whether parts are worth making, of `rows` rows in each partition. On one thread too: a part fits a cache where a table of all groups does not.
    pub(super) fn pays(self, spec: &GroupInputs, rows: f64) -> bool {
        rows * self.partitions >= MANY_ROWS.min(8 * spec.options.parts_rows) as f64
    }
}

/// The first rows, and the groups of each.
#[derive(Default)]
pub(super) struct Sample {
    pub(super) rows: Vec<(Columns, Vec<u32>)>,
    count: usize,
    size: usize,
}

impl Sample {
    pub(super) fn push(&mut self, columns: Columns, numbers: Vec<u32>) {
        self.count += columns.rows;
        self.size += columns.all().map(array_bytes).sum::<usize>() + numbers.len() * 4;
        self.rows.push((columns, numbers));
    }

    pub(super) fn is_full(&self, spec: &GroupInputs, expected: Expected) -> bool {
        let wanted = expected.rows.map_or(ROWS, |rows| ((rows / ONE_IN) as usize).clamp(LEAST_ROWS, ROWS));
        self.count >= wanted.min(spec.options.parts_rows)
    }

    /// How many bytes it takes.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// How many groups a row is expected to begin, where rows should go to the parts of their groups; none where they should go into groups of their
    /// partition. The sample has `groups` groups.
    pub(super) fn scatters(&self, spec: &GroupInputs, groups: usize, expected: Expected, part_of: PartOf) -> Option<f64> {
        // Of a handful of groups any two neighbours may be of one.
        let clustered = groups >= 64 && self.rows.iter().all(|(_, numbers)| is_clustered(numbers));
        let rows = expected.rows.unwrap_or(EXPECTED).max(self.count as f64);
        let groups = if clustered { groups as f64 * rows / self.count.max(1) as f64 } else { all_groups(self.count, groups) };
        if !expected.pays(spec, rows) {
            return None;
        }
        let keeps_rows = spec.reductions.iter().any(|(reduction, _)| reduction.keeps_rows(spec.graph.types()));
        if keeps_rows {
            // What is kept of every row is no less in a table; and parts are computed at once.
            return (groups >= 8.0 * spec.options.threads as f64).then_some((groups / rows).min(1.0));
        }
        // Clustered rows are grouped without a miss of the cache; only where they need not be moved are parts better still.
        let moves = !clustered || matches!(part_of, PartOf::Range { .. });
        (moves && groups > SMALL.min(spec.options.parts_rows as f64) && rows < FEW_ROWS * groups).then_some((groups / rows).min(1.0))
    }
}

/// Whether groups have so few rows that a table in each partition is not worth having.
pub(super) fn few_rows(groups: usize, rows: u64) -> bool {
    (rows as f64) < FEW_ROWS * groups as f64
}

/// Whether rows of one group mostly follow one another, by the groups of some rows.
pub(super) fn is_clustered(numbers: &[u32]) -> bool {
    let begun = numbers.windows(2).filter(|pair| pair[0] != pair[1]).count();
    begun * 3 < numbers.len() * 2
}

/// How many groups there are in all, if each row is of any of them and `rows` rows show `groups` of them.
fn all_groups(rows: usize, groups: usize) -> f64 {
    let (rows, groups) = (rows as f64, groups as f64);
    if groups >= rows * 0.999 {
        return f64::INFINITY;
    }
    let shown = |all: f64| all * (1.0 - (-rows / all).exp());
    let (mut low, mut high) = (groups.max(1.0), rows * 1000.0 + 1.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        (low, high) = if shown(middle) < groups { (middle, high) } else { (low, middle) };
    }
    high
}

#[cfg(test)]
mod tests {
    use super::{all_groups, is_clustered};

    #[test]
    fn a_sample_tells_how_many_groups_there_are() {
        assert!(all_groups(65_536, 65_536).is_infinite());
        assert!((all_groups(65_536, 100) - 100.0).abs() < 1.0);
        // 65,536 draws of 200,000 groups show about 55,884 of them.
        let found = all_groups(65_536, 55_884);
        assert!((190_000.0..210_000.0).contains(&found), "{found}");
    }

    #[test]
    fn rows_of_one_group_that_follow_one_another_are_clustered() {
        assert!(is_clustered(&[0, 0, 0, 1, 1, 1, 2, 2, 2]));
        assert!(!is_clustered(&[0, 1, 2, 3, 4, 5]));
        assert!(!is_clustered(&[0, 1, 0, 1, 0, 1]));
    }
}
