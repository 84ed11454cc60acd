//! Positions of rows.

/// Where a row stands in a relation that is cut into partitions: the partition, then the row within it. Positions rise as rows follow one another; there may be gaps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position(u64);

impl Position {
    /// Bits for the row within its partition.
    pub const ROW_BITS: u32 = 44;

    /// The most partitions that positions can tell apart.
    pub const MAX_PARTITIONS: usize = 1 << (64 - Position::ROW_BITS);

    /// The first row of a partition.
    #[inline]
    pub fn first(partition: usize) -> Position {
        debug_assert!(partition < Position::MAX_PARTITIONS, "invariant `a position holds every partition`");
        Position((partition as u64) << Position::ROW_BITS)
    }

    /// The row that stands `rows` further on in the same partition.
    #[inline]
    pub fn after(self, rows: u64) -> Position {
        Position(self.0 + rows)
    }

    /// As a number that orders as positions do.
    #[inline]
    pub fn number(self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::Position;

    #[test]
    fn positions_rise_over_partitions() {
        let last = Position::first(0).after((1 << Position::ROW_BITS) - 1);
        assert!(last < Position::first(1));
        assert_eq!(Position::first(3).after(5).number(), (3 << 44) + 5);
    }
}
