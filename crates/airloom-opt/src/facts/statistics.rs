//! What the session knows of its sources.

use airloom_ir::attrs::SortKey;
use airloom_ir::name::Name;
use airloom_ir::oracle::order::total;
use airloom_ir::value::Value;
use std::collections::BTreeMap;

/// Sources by name. What is not said is not known; what is said must be true, but for `distinct`, which is an estimate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Tables by the name of their source.
    pub tables: BTreeMap<Name, TableStatistics>,
}

/// What is known of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableStatistics {
    /// How many rows it has.
    pub rows: Option<u64>,
    /// Its columns.
    pub columns: BTreeMap<Name, ColumnStatistics>,
    /// Sets of columns in which no two rows agree.
    pub unique: Vec<Vec<Name>>,
    /// The columns by which it is sorted.
    pub sorted: Vec<(Name, SortKey)>,
}

/// What is known of a column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColumnStatistics {
    /// How many distinct values it has, about.
    pub distinct: Option<u64>,
    /// How many nulls it has.
    pub nulls: Option<u64>,
    /// Its minimum.
    pub min: Option<Value>,
    /// Its maximum.
    pub max: Option<Value>,
}

impl Statistics {
    /// Whether a plan made with `planned` is right for data of which this is known, and as good: all that was said of that data holds of this, and sizes are of
    /// the same power of two. `counted` says that the program looks at how many rows there are, so that their number must be the same.
    pub fn suits(&self, planned: &Statistics, counted: bool) -> bool {
        self.tables.len() == planned.tables.len()
            && self.tables.iter().zip(&planned.tables).all(|((name, own), (other, planned))| name == other && own.suits(planned, counted))
    }
}

impl TableStatistics {
    fn suits(&self, planned: &TableStatistics, counted: bool) -> bool {
        (if counted { self.rows == planned.rows } else { size(self.rows) == size(planned.rows) })
            && self.unique == planned.unique
            && self.sorted == planned.sorted
            && self.columns.len() == planned.columns.len()
            && self.columns.iter().zip(&planned.columns).all(|((name, own), (other, planned))| name == other && own.suits(planned))
    }
}

impl ColumnStatistics {
    fn suits(&self, planned: &ColumnStatistics) -> bool {
        let zero = |nulls: Option<u64>| nulls.map(|nulls| nulls == 0);
        size(self.distinct) == size(planned.distinct) && zero(self.nulls) == zero(planned.nulls) && self.is_within(planned)
    }

    /// Whether its values are within the range of another column, and that range is not much wider.
    fn is_within(&self, planned: &ColumnStatistics) -> bool {
        if self.min == planned.min && self.max == planned.max {
            return true;
        }
        match (&self.min, &self.max, &planned.min, &planned.max) {
            (Some(Value::Int(min)), Some(Value::Int(max)), Some(Value::Int(least)), Some(Value::Int(most))) => {
                let width = |min: &i128, max: &i128| max.checked_sub(*min).map(|width| width.unsigned_abs().checked_ilog2());
                least <= min && max <= most && width(min, max) == width(least, most)
            }
            (Some(min), Some(max), Some(least), Some(most)) => total(least, min).is_le() && total(max, most).is_le(),
            _ => false,
        }
    }
}

/// The power of two that a number begins with: sizes by which plans are chosen need not be known better. Nothing, and one, are sizes of their own.
fn size(number: Option<u64>) -> Option<Option<u32>> {
    number.map(u64::checked_ilog2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: u64, min: i64, max: i64) -> Statistics {
        let column = ColumnStatistics { distinct: Some(rows), nulls: Some(0), min: Some(Value::int(min)), max: Some(Value::int(max)) };
        let table = TableStatistics { rows: Some(rows), columns: [(Name::new("x"), column)].into(), ..TableStatistics::default() };
        Statistics { tables: [(Name::new("t"), table)].into() }
    }

    #[test]
    fn a_plan_suits_data_of_the_same_shape() {
        let planned = table(1000, 0, 999);
        assert!(table(1000, 0, 999).suits(&planned, true));
        assert!(table(700, 0, 600).suits(&planned, false), "fewer rows, within the range");
        assert!(!table(700, 0, 600).suits(&planned, true), "the program counts rows");
        assert!(!table(1024, 0, 999).suits(&planned, false), "twice as many");
        assert!(!table(1000, 0, 1000).suits(&planned, false), "beyond the range");
        assert!(!table(1000, 0, 100).suits(&planned, false), "a much narrower range");
        assert!(!Statistics::default().suits(&planned, false) && !planned.suits(&Statistics::default(), false));
    }

    #[test]
    fn what_was_relied_on_must_hold() {
        let planned = table(1000, 0, 999);
        let mut nulls = planned.clone();
        nulls.tables.values_mut().for_each(|t| t.columns.values_mut().for_each(|c| c.nulls = Some(3)));
        assert!(!nulls.suits(&planned, false));
        let mut unique = planned.clone();
        unique.tables.values_mut().for_each(|t| t.unique = vec![vec![Name::new("x")]]);
        assert!(!planned.suits(&unique, false));
    }
}
