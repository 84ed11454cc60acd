//! Functional dependencies: which columns of a relation determine others.

use super::columns::{Dependency, RelFacts};
use airloom_ir::attrs::JoinHow;
use airloom_ir::name::Name;
use std::collections::{BTreeMap, BTreeSet};

/// One side of a join.
pub(super) struct JoinedSide<'a> {
    /// What is known of it.
    pub(super) facts: &'a RelFacts,
    /// All of its columns.
    pub(super) columns: BTreeSet<Name>,
    /// The columns that its keys are, where all of them are columns.
    pub(super) keys: Option<Vec<Name>>,
    /// Whether no two of its rows have the same keys.
    pub(super) once: bool,
}

impl JoinedSide<'_> {
    /// A set of columns in which no two rows of a side agree determines its others, however often a row is repeated.
    fn of_unique(&self) -> impl Iterator<Item = Dependency> + '_ {
        let dependent = |by: &BTreeSet<Name>| -> BTreeSet<Name> { self.columns.difference(by).cloned().collect() };
        self.facts.unique.iter().map(move |by| Dependency { by: by.clone(), columns: dependent(by) })
    }
}

/// What holds in the rows of a join. `tested` says that pairs of equal keys must pass a predicate too.
pub(super) fn joined(how: JoinHow, tested: bool, left: &JoinedSide<'_>, right: &JoinedSide<'_>) -> Vec<Dependency> {
    match how {
        JoinHow::Semi | JoinHow::Anti => left.facts.dependencies.clone(),
        JoinHow::Inner | JoinHow::Cross => {
            let own = left.facts.dependencies.iter().chain(&right.facts.dependencies).cloned();
            own.chain(left.of_unique()).chain(right.of_unique()).chain(equal_keys(left, right)).collect()
        }
        JoinHow::Left => beside_nulls(tested, left, right),
        JoinHow::Right => beside_nulls(tested, right, left),
        JoinHow::Outer => Vec::new(),
    }
}

/// Keys that are columns of both sides are the same in each pair: each determines the other.
fn equal_keys(left: &JoinedSide<'_>, right: &JoinedSide<'_>) -> Vec<Dependency> {
    let (Some(left), Some(right)) = (&left.keys, &right.keys) else { return Vec::new() };
    let one = |by: &Name, of: &Name| Dependency { by: BTreeSet::from([by.clone()]), columns: BTreeSet::from([of.clone()]) };
    left.iter().zip(right).flat_map(|(own, other)| [one(own, other), one(other, own)]).collect()
}

/// Every row of `kept` is there, beside nulls where it has no match. Its keys determine its match where that is one row at most, or none; where a predicate
/// decides as well, rows of the same keys may differ in whether they have one.
fn beside_nulls(tested: bool, kept: &JoinedSide<'_>, other: &JoinedSide<'_>) -> Vec<Dependency> {
    let own = kept.facts.dependencies.iter().cloned().chain(kept.of_unique());
    let by_key = kept.keys.as_ref().filter(|_| other.once && !tested);
    own.chain(by_key.map(|keys| Dependency { by: keys.iter().cloned().collect(), columns: other.columns.clone() })).collect()
}

/// What is left of dependencies and unique sets where only some columns are, under new names. A column that is gone may be replaced by what determines it.
pub(super) struct Renamed<'a> {
    facts: &'a RelFacts,
    names: &'a BTreeMap<&'a Name, &'a Name>,
    /// The sets of columns that are left, by their new names, and all that they determine, by the old ones.
    determined: Vec<(BTreeSet<Name>, BTreeSet<Name>)>,
}

impl<'a> Renamed<'a> {
    pub(super) fn new(facts: &'a RelFacts, names: &'a BTreeMap<&'a Name, &'a Name>) -> Renamed<'a> {
        let renamed = |by: &BTreeSet<Name>| by.iter().map(|c| names.get(c).map(|name| (*name).clone())).collect::<Option<BTreeSet<Name>>>();
        let determined = facts.dependencies.iter().filter_map(|d| Some((renamed(&d.by)?, facts.determined(&d.by)))).collect();
        Renamed { facts, names, determined }
    }

    pub(super) fn unique(&self) -> Vec<BTreeSet<Name>> {
        self.facts.unique.iter().filter_map(|key| self.key(key)).collect()
    }

    pub(super) fn dependencies(&self) -> Vec<Dependency> {
        let left = |(by, columns): &(BTreeSet<Name>, BTreeSet<Name>)| {
            let columns: BTreeSet<Name> = columns.iter().filter_map(|c| self.name(c)).filter(|c| !by.contains(c)).collect();
            (!columns.is_empty()).then(|| Dependency { by: by.clone(), columns })
        };
        self.determined.iter().filter_map(left).collect()
    }

    fn name(&self, column: &Name) -> Option<Name> {
        self.names.get(column).map(|name| (*name).clone())
    }

    /// A set of columns by their new names; those that are gone, by what determines them.
    fn key(&self, columns: &BTreeSet<Name>) -> Option<BTreeSet<Name>> {
        let mut renamed = BTreeSet::new();
        for column in columns {
            match self.name(column) {
                Some(name) => {
                    renamed.insert(name);
                }
                None => renamed.extend(self.determined.iter().find(|(_, columns)| columns.contains(column))?.0.iter().cloned()),
            }
        }
        Some(renamed)
    }
}
