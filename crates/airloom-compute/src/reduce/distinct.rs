//! How many distinct elements.

use super::{Groups, Moves, Reduction, left_in, not_skipped, same_kind};
use crate::keys::{GroupTable, Hashing};
use airloom_ir::attrs::Skip;
use airloom_ir::graph::Graph;
use airloom_ir::oracle::Stop;
use airloom_ir::types::TyId;
use airloom_plan::value::KeyFacts;
use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Int64Array, UInt32Array};
use arrow::compute::filter;
use arrow::datatypes::UInt32Type;
use std::sync::Arc;

/// The distinct pairs of group and element: each is a group of a table of its own.
pub(super) struct Distinct {
    graph: Arc<Graph>,
    skip: Skip,
    pairs: GroupTable,
    numbers: Vec<u32>,
}

impl Distinct {
    pub(super) fn new(graph: Arc<Graph>, hashing: Hashing, element: TyId, skip: Skip) -> Distinct {
        let pairs = GroupTable::new(graph.types(), &[TyId::U32, element], hashing, &KeyFacts::default());
        Distinct { graph, skip, pairs, numbers: Vec::new() }
    }

    fn add(&mut self, groups: ArrayRef, values: ArrayRef) {
        let rows = values.len();
        let graph = self.graph.clone();
        self.pairs.number(graph.types(), &[groups, values], rows, &mut self.numbers);
    }
}

/// The elements that are not passed over, with their groups.
pub(super) fn kept(skip: Skip, groups: Groups<'_>, values: &ArrayRef) -> (Vec<u32>, ArrayRef) {
    let (groups, values) = groups.each(values);
    let Some(mask) = not_skipped(skip, &values) else { return (groups, values) };
    let groups = groups.iter().zip(mask.iter()).filter(|(_, kept)| *kept).map(|(&group, _)| group).collect();
    (groups, filter(&values, &BooleanArray::new(mask, None)).expect("a mask as long as the batch"))
}

impl Reduction for Distinct {
    fn update(&mut self, groups: Groups<'_>, values: &ArrayRef, _: usize) -> Result<(), Stop> {
        let (groups, values) = kept(self.skip, groups, values);
        self.add(Arc::new(UInt32Array::from(groups)), values);
        Ok(())
    }

    fn merge(&mut self, other: &dyn Reduction, moves: Moves<'_>, _: usize) -> Result<(), Stop> {
        let other = same_kind::<Distinct>(other);
        let keys = other.pairs.keys(self.graph.types());
        let (groups, values) = left_in(keys[0].as_primitive::<UInt32Type>().values(), &keys[1], &moves.places());
        self.add(Arc::new(UInt32Array::from(groups)), values);
        Ok(())
    }

    fn finish(&mut self, count: usize, _: usize) -> Result<ArrayRef, Stop> {
        let mut counts = vec![0i64; count];
        let keys = self.pairs.keys(self.graph.types());
        keys[0].as_primitive::<UInt32Type>().values().iter().for_each(|&group| counts[group as usize] += 1);
        Ok(Arc::new(Int64Array::from(counts)))
    }

    fn size(&self) -> usize {
        self.pairs.size()
    }
}
