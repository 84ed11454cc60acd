//! The facts of a relation and of its columns.

use airloom_ir::attrs::SortKey;
use airloom_ir::name::Name;
use airloom_ir::value::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What is known of a relation.
#[derive(Clone, Debug, Default)]
pub struct RelFacts {
    /// How many rows it has.
    pub rows: Rows,
    /// Sets of columns in which no two rows agree, by `same`. The empty set: there is at most one row.
    pub unique: Vec<BTreeSet<Name>>,
    /// Columns that depend on others functionally, besides those that depend on a unique set.
    pub dependencies: Vec<Dependency>,
    /// The columns by which its rows are sorted, as a stable sort by them would leave them.
    pub order: Vec<(Name, SortKey)>,
    /// Its columns; one that is missing is unknown.
    pub columns: BTreeMap<Name, ColumnFacts>,
}

/// A functional dependency: rows that agree in the columns `by` agree in `columns` too, by `same`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// What they depend on.
    pub by: BTreeSet<Name>,
    /// What depends on it.
    pub columns: BTreeSet<Name>,
}

/// How many rows a relation has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rows {
    /// At least.
    pub least: u64,
    /// At most.
    pub most: Option<u64>,
    /// Probably.
    pub estimate: f64,
}

/// What is assumed of a table of which nothing is known.
pub(crate) const UNKNOWN_ROWS: f64 = 1000.0;

impl Default for Rows {
    fn default() -> Rows {
        Rows { least: 0, most: None, estimate: UNKNOWN_ROWS }
    }
}

impl Rows {
    /// Exactly `rows` rows.
    pub fn exactly(rows: u64) -> Rows {
        Rows { least: rows, most: Some(rows), estimate: rows as f64 }
    }

    /// At most as many as these, a part of them.
    pub fn part(self, fraction: f64) -> Rows {
        Rows { least: 0, most: self.most, estimate: self.estimate * fraction }
    }
}

/// What is known of a column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColumnFacts {
    /// How many distinct values it has, about.
    pub distinct: Option<f64>,
    /// It has no nulls.
    pub no_nulls: bool,
    /// No value is below this.
    pub min: Option<Value>,
    /// No value is above this.
    pub max: Option<Value>,
}

impl RelFacts {
    /// Whether no two rows agree in all of these columns.
    pub fn is_unique(&self, columns: &BTreeSet<Name>) -> bool {
        let is_key = |columns: &BTreeSet<Name>| self.unique.iter().any(|key| key.is_subset(columns));
        is_key(columns)
            || self.rows.most.is_some_and(|most| most <= 1)
            || !self.dependencies.is_empty() && is_key(&self.determined(columns))
    }

    /// These columns, and all that depend on them.
    pub fn determined(&self, columns: &BTreeSet<Name>) -> BTreeSet<Name> {
        let mut known = columns.clone();
        let mut open: Vec<&Dependency> = self.dependencies.iter().collect();
        loop {
            let before = open.len();
            open.retain(|dependency| {
                let follows = dependency.by.is_subset(&known);
                if follows {
                    known.extend(dependency.columns.iter().cloned());
                }
                !follows
            });
            if open.len() == before {
                return known;
            }
        }
    }

    /// Whether rows are sorted by these keys already.
    pub fn is_sorted(&self, keys: &[(Name, SortKey)]) -> bool {
        self.order.len() >= keys.len() && self.order.iter().zip(keys).all(|(a, b)| a == b) || self.rows.most.is_some_and(|most| most <= 1)
    }

    /// How many distinct values a column has, about.
    pub fn distinct(&self, column: &str) -> f64 {
        let unique = || self.unique.iter().any(|key| key.len() == 1 && key.contains(column));
        let known = self.columns.get(column).and_then(|c| c.distinct);
        let guess = if unique() { self.rows.estimate } else { known.unwrap_or(self.rows.estimate / 10.0) };
        guess.clamp(1.0, self.rows.estimate.max(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(names: &[&str]) -> BTreeSet<Name> {
        names.iter().map(|name| Name::new(name)).collect()
    }

    #[test]
    fn what_depends_on_what_depends_is_determined() {
        let dependency = |by: &[&str], of: &[&str]| Dependency { by: columns(by), columns: columns(of) };
        let facts = RelFacts {
            unique: vec![columns(&["day", "id"])],
            dependencies: vec![dependency(&["of", "x"], &["y"]), dependency(&["name"], &["of"]), dependency(&["of"], &["id"])],
            ..RelFacts::default()
        };
        assert_eq!(facts.determined(&columns(&["name"])), columns(&["id", "name", "of"]));
        assert_eq!(facts.determined(&columns(&["name", "x"])), columns(&["id", "name", "of", "x", "y"]));
        assert!(facts.is_unique(&columns(&["name", "day"])) && !facts.is_unique(&columns(&["name", "x"])));
    }
}
