//! Facts: what analyses know of nodes. Side tables by node id, never flags in nodes; since nodes never change, a fact never goes stale.
//!
//! - **rows**: how many rows a relation has, at least, at most, and probably;
//! - **unique**: sets of columns in which no two rows agree;
//! - **dependencies**: columns that others determine, since a join found one row for each of their values;
//! - **order**: the columns by which rows are sorted;
//! - **nullability**: columns without nulls, whatever their type allows;
//! - **ranges**: the minimum and maximum of a column, and how many distinct ones there probably are.

mod bounds;
mod columns;
mod dependencies;
mod derive;
mod estimate;
mod statistics;

pub use bounds::aggregates_cannot_raise;
pub use columns::{ColumnFacts, Dependency, RelFacts, Rows};
pub use derive::all_columns;
pub(crate) use derive::{row_columns, sort_order};
pub use estimate::selectivity;
pub use statistics::{ColumnStatistics, Statistics, TableStatistics};

use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::types::Ty;
use std::sync::Arc;

/// The tables of facts of one graph.
pub struct Facts {
    statistics: Statistics,
    relations: Vec<Option<Arc<RelFacts>>>,
}

impl Facts {
    /// Tables without entries.
    pub fn new(statistics: Statistics) -> Facts {
        Facts { statistics, relations: Vec::new() }
    }

    /// What is known of the sources.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// What is known of a relation. Asked first, it is derived from what is known of its inputs, without recursion.
    pub fn relation(&mut self, graph: &Graph, id: NodeId) -> Arc<RelFacts> {
        let mut stack = vec![id];
        while let Some(&top) = stack.last() {
            if self.known(top).is_some() {
                stack.pop();
                continue;
            }
            let inputs = graph.args(top).iter().copied().filter(|&a| matches!(graph.ty(a), Ty::Rel(_)));
            let before = stack.len();
            stack.extend(inputs.clone().filter(|&a| self.known(a).is_none()));
            if stack.len() == before {
                let known: Vec<Arc<RelFacts>> = inputs.filter_map(|a| self.known(a).cloned()).collect();
                let facts = derive::relation(graph, top, &known, &self.statistics);
                if self.relations.len() <= top.index() {
                    self.relations.resize(graph.len().max(top.index() + 1), None);
                }
                self.relations[top.index()] = Some(Arc::new(facts));
                stack.pop();
            }
        }
        self.known(id).cloned().unwrap_or_default()
    }

    fn known(&self, id: NodeId) -> Option<&Arc<RelFacts>> {
        self.relations.get(id.index()).and_then(Option::as_ref)
    }
}
