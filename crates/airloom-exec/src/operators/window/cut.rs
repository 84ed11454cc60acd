//! How the rows of a window can be cut into pieces: from what its ops look at around each element.

use airloom_compute::data::Datum;
use airloom_ir::attrs::{AttrType, Effect};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::ops::Op;
use airloom_ir::ops::array::Array as ArrayOp;
use airloom_ir::ops::core::Core;
use airloom_ir::ops::sequence::Sequence;
use airloom_ir::value::Value;
use std::collections::HashMap;

/// How many rows around a piece it may need at most: with more, all rows are better seen at once.
const MANY_ROWS: usize = 1 << 20;

/// How the rows of a window are cut.
pub enum Cut {
    /// Each piece is worked by itself, with some rows before and after it.
    Neighbours {
        /// How many before.
        before: usize,
        /// And after.
        after: usize,
    },
    /// One piece after the other, each with what those before have left. Ops that look at some elements before theirs, and at how many.
    Onward(HashMap<NodeId, usize>),
}

/// What an array made of the rows depends on: rows up to some distance, and whether on all before.
#[derive(Clone, Copy, Default)]
struct Reach {
    before: usize,
    after: usize,
    onward: bool,
}

impl Reach {
    fn and(self, other: Reach) -> Reach {
        Reach { before: self.before.max(other.before), after: self.after.max(other.after), onward: self.onward || other.onward }
    }

    fn beyond(self, before: usize, after: usize) -> Reach {
        Reach { before: self.before.saturating_add(before), after: self.after.saturating_add(after), ..self }
    }
}

/// The nodes of a body, as far as they are known. What does not depend on the rows has no reach.
struct Cutting<'a> {
    graph: &'a Graph,
    captures: &'a [Datum],
    reaches: HashMap<NodeId, Option<Reach>>,
    before: HashMap<NodeId, usize>,
}

impl Cut {
    /// For a body over the columns of all rows; nothing where it must see all rows at once.
    pub fn of(graph: &Graph, body: NodeId, captures: &[Datum]) -> Option<Cut> {
        let result = graph.result_of(body);
        if graph.effect(result) == Effect::Effectful || graph.op(result) != Op::Core(Core::Row) {
            return None;
        }
        let mut cutting = Cutting { graph, captures, reaches: HashMap::new(), before: HashMap::new() };
        for id in graph.block_order(&[result]) {
            let reach = match graph.as_param(id) {
                Some(param) => (param.number == 0).then(Reach::default),
                None => cutting.reach(id)?,
            };
            cutting.reaches.insert(id, reach);
        }
        // A column that does not depend on the rows would have to be cut as they are.
        let reach = cutting.together(graph.args(result))?.unwrap_or_default();
        match reach {
            _ if reach.before.saturating_add(reach.after) > MANY_ROWS => None,
            Reach { before, after, onward: false } => Some(Cut::Neighbours { before, after }),
            Reach { after: 0, .. } => Some(Cut::Onward(cutting.before)),
            _ => None,
        }
    }
}

impl Cutting<'_> {
    /// The reach of an argument; bodies have none.
    fn of(&self, id: NodeId) -> Option<Reach> {
        self.reaches.get(&id).copied().flatten()
    }

    /// The reach of a node; nothing where it needs all rows at once.
    #[allow(clippy::option_option, reason = "what does not depend on the rows has no reach")]
    fn reach(&mut self, id: NodeId) -> Option<Option<Reach>> {
        let graph = self.graph;
        let args = graph.args(id);
        if args.iter().all(|arg| self.of(*arg).is_none()) {
            return Some(None);
        }
        match graph.op(id) {
            Op::Core(Core::Tuple | Core::Row) => self.together(args),
            // The columns themselves have no reach; records that the body made were taken apart when it was simplified.
            Op::Core(Core::Get) if graph.as_param(args[0]).is_some() => Some(self.of(args[0])),
            Op::Array(ArrayOp::Map) => {
                let map = graph.as_arr_map(id)?;
                let is_same = map.captures.iter().all(|capture| self.of(*capture).is_none());
                if is_same && graph.op(map.arrays) == Op::Core(Core::Tuple) { Some(self.of(map.arrays)) } else { None }
            }
            Op::Sequence(op) => self.sequence(id, op).map(Some),
            _ => None,
        }
    }

    /// The reach of several arrays, all of which must be made of the rows.
    #[allow(clippy::option_option, reason = "what does not depend on the rows has no reach")]
    fn together(&self, arrays: &[NodeId]) -> Option<Option<Reach>> {
        let reaches = arrays.iter().map(|array| self.of(*array)).collect::<Option<Vec<Reach>>>()?;
        Some(reaches.into_iter().reduce(Reach::and))
    }

    fn sequence(&mut self, id: NodeId, op: Sequence) -> Option<Reach> {
        let graph = self.graph;
        let args = graph.args(id);
        let own = self.of(args[0]).filter(|_| args[1..].iter().all(|arg| self.of(*arg).is_none()))?;
        let attr = |at: usize| graph.node(id).attrs().get(at).and_then(bool::from_attr);
        match op {
            Sequence::Shift => {
                let by = self.int(args[1])?;
                let rows = usize::try_from(by.unsigned_abs()).ok()?;
                self.before.insert(id, rows);
                Some(if by > 0 { own.beyond(rows, 0) } else { own.beyond(0, rows) })
            }
            Sequence::Rolling => {
                let rows = usize::try_from(self.int(args[1])?).ok()?.saturating_add(1);
                self.before.insert(id, rows);
                Some(own.beyond(rows, if attr(1)? { rows } else { 0 }))
            }
            Sequence::CumSum | Sequence::CumProd | Sequence::CumMin | Sequence::CumMax | Sequence::CumCount if attr(1) == Some(false) => {
                Some(Reach { onward: true, ..own })
            }
            Sequence::RowNumber | Sequence::FillForward => Some(Reach { onward: true, ..own }),
            _ => None,
        }
    }

    /// The integer that a node is for all rows.
    fn int(&self, id: NodeId) -> Option<i128> {
        let captured = || match &self.captures[(self.graph.as_param(id)?.number as usize).checked_sub(1)?] {
            Datum::Value(value) => Some(value),
            _ => None,
        };
        match self.graph.const_value(id).or_else(captured)? {
            Value::Int(number) => Some(*number),
            _ => None,
        }
    }
}
