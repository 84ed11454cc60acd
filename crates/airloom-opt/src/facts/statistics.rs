//! What the session knows of its sources.

use airloom_ir::attrs::SortKey;
use airloom_ir::name::Name;
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
