//! From the top: which columns of each relation are read, and whether its order is observed.

use super::relation::{Relations, inputs};
use super::{asof, group, join, ordered, over_keys};
use crate::bodies::{ColumnSet, all, fields_of, interpretable, params, raising, reads, reads_for};
use airloom_ir::attrs::Effect;
use airloom_ir::graph::NodeId;
use airloom_ir::ops::Op;
use airloom_ir::ops::relation::Relation;

impl Relations<'_, '_, '_> {
    /// Adds what a relation reads of its inputs to what is needed of them.
    pub(super) fn need(&mut self, id: NodeId) {
        if self.queries.contains_key(&id) || self.block.known(id).is_some() {
            return;
        }
        let graph = self.graph();
        let wanted = self.needed.entry(id).or_default().clone();
        let Op::Relation(op) = graph.op(id) else { return };
        let inputs = inputs(graph, id);
        let widths: Vec<usize> = inputs.iter().map(|&input| fields_of(graph, input).len()).collect();
        let needs: Vec<ColumnSet> = match op {
            Relation::Project => {
                let row = graph.as_project(id).expect("it is one").row;
                let made = wanted.iter().copied().chain(raising(graph, row)).collect();
                // A body that is computed row by row sees all it reads, whatever is wanted of it.
                let by_vector = interpretable(graph, &params(graph, row), &[graph.result_of(row)]);
                vec![if by_vector { reads_for(graph, row, &made) } else { reads(graph, &[graph.result_of(row)], 0) }]
            }
            Relation::Filter | Relation::Sort | Relation::Top | Relation::Distinct => {
                let body = graph.op(id).def().parts(graph.args(id)).expect("its parts").bodies[0];
                vec![wanted.iter().copied().chain(reads(graph, &[graph.result_of(body)], 0)).collect()]
            }
            Relation::Unordered | Relation::Slice | Relation::Sample => vec![wanted],
            Relation::Concat => vec![wanted; inputs.len()],
            Relation::Group => vec![group::needs(graph, id)],
            Relation::Join => join::needs(graph, id, &wanted, widths[0]),
            Relation::Number => vec![wanted.into_iter().filter(|&at| at < widths[0]).collect()],
            Relation::Window => vec![over_keys::window_needs(graph, id, &wanted)],
            Relation::Pivot => vec![over_keys::pivot_needs(graph, id)],
            Relation::Asof => asof::needs(graph, id, &wanted),
            Relation::Explode => vec![ordered::unnest_needs(graph, id, &wanted)],
            Relation::Unpivot => vec![ordered::unpivot_needs(graph, id, &wanted)],
            Relation::Columns | Relation::Pack | Relation::Rows => widths.iter().map(|&width| all(width)).collect(),
        };
        for (at, &input) in inputs.iter().enumerate() {
            if self.observes_order(id, op, at) {
                self.ordered.insert(input);
            }
        }
        for (input, need) in inputs.into_iter().zip(needs) {
            self.needed.entry(input).or_default().extend(need);
        }
    }

    /// Whether a relation observes the order of an input.
    fn observes_order(&self, id: NodeId, op: Relation, input: usize) -> bool {
        let graph = self.graph();
        let observed = !self.order_unobserved(id);
        match op {
            Relation::Unordered => false,
            Relation::Filter | Relation::Project | Relation::Concat | Relation::Explode | Relation::Unpivot | Relation::Sort => observed,
            Relation::Join => {
                let join = graph.as_join(id).expect("it is one");
                if input == 1 && join.how.is_test() {
                    // A predicate is asked up to the first match: which rows it sees, and may raise on, depends on their order.
                    graph.effect(join.predicate) != Effect::Pure
                } else {
                    observed
                }
            }
            // Without keys there is one group, whatever the order.
            Relation::Group => (observed && group::has_keys(graph, id)) || !group::ignores_order(graph, id),
            _ => true,
        }
    }
}
