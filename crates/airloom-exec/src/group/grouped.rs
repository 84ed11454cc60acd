//! Rows grouped at once.

use super::{GroupTable, KeyFacts};
use crate::run::Shared;
use airloom_ir::types::TyId;
use arrow::array::ArrayRef;

/// The groups of rows by their keys, and the number of each row's.
pub(crate) fn grouped(shared: &Shared, key_types: &[TyId], keys: &[ArrayRef], rows: usize) -> (GroupTable, Vec<u32>) {
    let types = shared.graph.types();
    let hashing = shared.options.hashing();
    let mut table = GroupTable::new(types, key_types, hashing, &KeyFacts::default());
    let mut groups = Vec::new();
    table.number(types, keys, rows, &mut groups);
    (table, groups)
}
