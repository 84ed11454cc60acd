//! Functions of scalars, arrays and loops as native code: what `@jit` compiles.
//!
//! A function of the graph is [emitted](emit) as one function of LLVM's IR, with branches and loops as they stand, improved by LLVM's own passes, and called with pointers to the
//! caller's arrays. An array of the graph never changes; in code its elements do: a version of an array that was stored to is not read again, which is seen while the code is
//! emitted, and a function that reads one is refused. So a store is one instruction, and the caller's array is the last version.
//!
//! What may raise leaves the function where it stands, in the order that the [`Schedule`] has, with all stores before it made. Overflow and bounds that depend on the number of
//! a loop's turn alone are looked at [before the innermost loops](known): those then have no exits, and become vectors.

mod access;
mod code;
mod emit;
mod known;
mod library;
mod loops;
mod make;
mod memory;
mod object_mode;
mod places;
mod state;
mod value;

pub use code::{CompiledFunction, Failed, Raise};
pub use library::register_loop;
pub use memory::Memory;
pub use object_mode::register_object_mode;

/// The names and addresses of functions that code calls.
pub(crate) fn runtime() -> Vec<(String, usize)> {
    [memory::all(), library::all(), object_mode::all()].concat()
}

use airloom_ir::graph::{Graph, NodeId};
use std::collections::BTreeMap;

/// How an array that is given lies in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Layout {
    /// Neighbours along the last axis are neighbours in memory.
    Rows,
    /// Neighbours along the first axis are neighbours in memory.
    Columns,
    /// Any strides.
    Strided,
}

/// The order in which the nodes of each body are computed, which is the order of the program that they were written as, with a number for each that tells where it stands in that
/// program. Bodies that are not in it are computed in any order.
#[derive(Clone, Default, Debug)]
pub struct Schedule {
    bodies: BTreeMap<NodeId, Vec<(NodeId, u32)>>,
}

impl Schedule {
    /// Adds the order of a body. A body that is known in another order is refused: which of its nodes raises first would not be known.
    pub fn add(&mut self, body: NodeId, order: Vec<(NodeId, u32)>) -> Result<(), String> {
        let nodes = |order: &[(NodeId, u32)]| order.iter().map(|(node, _)| *node).collect::<Vec<_>>();
        match self.bodies.get(&body) {
            Some(known) if nodes(known) != nodes(&order) => Err("the same body is written twice, in two orders".into()),
            Some(_) => Ok(()),
            None => {
                self.bodies.insert(body, order);
                Ok(())
            }
        }
    }

    fn of(&self, graph: &Graph, body: NodeId) -> Vec<(NodeId, u32)> {
        let known = self.bodies.get(&body).cloned();
        known.unwrap_or_else(|| graph.block_order(&[graph.result_of(body)]).into_iter().map(|id| (id, 0)).collect())
    }
}
