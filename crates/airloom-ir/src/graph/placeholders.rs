//! Literals taken out of a program, and put in again.
//!
//! Both change leaves where they are, so that every node keeps its id: what was made of the one program holds for the other.

use super::{Graph, Node, NodeId};
use crate::attrs::{Attr, AttrType, Attrs};
use crate::hash::Mix;
use crate::ops::Op;
use crate::ops::core::Core;
use crate::types::TyId;
use crate::value::Value;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

impl Graph {
    /// Whether a node is a constant, known or not: the same in every row and every turn of a loop.
    #[inline]
    pub fn is_constant(&self, id: NodeId) -> bool {
        matches!(self.op(id), Op::Core(Core::Const | Core::Placeholder))
    }

    /// The constant that a node is, or that a placeholder stood for when the program was planned. A guess: for estimates, never for what a program means.
    pub fn expected_value(&self, id: NodeId) -> Option<&Value> {
        match self.as_placeholder(id) {
            Some(placeholder) => self.expected.get(usize::try_from(placeholder.number).ok()?),
            None => self.const_value(id),
        }
    }

    /// The same program with placeholders instead of these constants, numbered in this order, which is that of the graph; and what they stand for. Nodes keep their ids.
    pub fn hoist(&self, literals: &[NodeId]) -> (Graph, Arc<[Value]>) {
        let mut graph = self.clone();
        let mut values = Vec::with_capacity(literals.len());
        for &id in literals {
            let value = self.const_value(id).expect("invariant `what is hoisted is a constant`");
            let number = i64::try_from(values.len()).expect("a graph is bounded far below the range of its ids");
            values.push(value.clone());
            graph.replace_leaf(id, Core::Placeholder, number.to_attr());
        }
        graph.expected = values.into();
        let values = graph.expected.clone();
        (graph, values)
    }

    /// The same program with these constants instead of its placeholders. Nodes keep their ids, so that two of them may be equal constants.
    pub fn bind(&self, values: &[Value]) -> Graph {
        let mut graph = self.clone();
        graph.expected = Arc::default();
        for id in self.ids() {
            if let Some(placeholder) = self.as_placeholder(id) {
                let value = values.get(placeholder.number as usize).expect("invariant `every placeholder is given a value`");
                graph.replace_leaf(id, Core::Const, value.clone().to_attr());
            }
        }
        graph
    }

    /// A hash that is the same for programs that differ in constants alone.
    pub fn shape_hash(&self) -> u64 {
        let mut hash = Mix::default();
        for node in &self.nodes {
            // The op of a placeholder is that of a constant here.
            if node.args.is_empty() {
                hash.write_u32(node.ty.0);
            } else {
                node.op.hash(&mut hash);
            }
            node.args.iter().for_each(|arg| hash.write_u32(arg.index() as u32));
        }
        hash.finish()
    }

    /// Whether this is what [`Graph::hoist`] makes of a program and these constants of it.
    pub fn is_hoisted_from(&self, program: &Graph, literals: &[NodeId]) -> bool {
        let mut rest = literals.iter().enumerate().peekable();
        let mut same = |(index, (own, other)): (usize, (&Node, &Node))| match rest.next_if(|(_, id)| id.index() == index) {
            Some((number, _)) => {
                own.op == Core::Placeholder.into() && own.attrs.first() == Some(&Attr::Int(number as i64)) && own.ty == other.ty
            }
            None => own.op == other.op && own.args == other.args && own.attrs == other.attrs,
        };
        self.nodes.len() == program.nodes.len()
            && self.expected.len() == literals.len()
            && self.nodes.iter().zip(&program.nodes).enumerate().all(&mut same)
            && self.types.same(&program.types)
    }

    /// What the placeholders stood for when they were taken out of the program.
    pub fn expected(&self) -> &[Value] {
        &self.expected
    }

    /// The same program with the constants that its placeholders stood for when they were taken out of it.
    pub fn bind_expected(&self) -> Graph {
        self.bind(&self.expected)
    }

    /// Makes a leaf another one of the same type, which is its second attribute.
    fn replace_leaf(&mut self, id: NodeId, op: Core, first: Attr) {
        let nodes = &mut self.nodes;
        if let Ok(entry) = self.table.find_entry(nodes[id.index()].key_hash(), |&found| found == id) {
            entry.remove();
        }
        let ty: TyId = nodes[id.index()].ty;
        let node = &mut nodes[id.index()];
        node.op = op.into();
        node.attrs = Attrs::from_iter([first, ty.to_attr()]);
        let nodes = &self.nodes;
        self.table.insert_unique(nodes[id.index()].key_hash(), id, |&id| nodes[id.index()].key_hash());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::Make;
    use crate::ops::core::BuildCore;
    use crate::ops::number::BuildNumber;
    use crate::text;

    #[test]
    fn literals_come_back_where_they_were() {
        let module = text::parse("func @f(x: i64) -> i64 { return add(mul(x, 7), 9) }").expect("a program");
        let graph = &module.graph;
        let literals: Vec<NodeId> = graph.ids().filter(|&id| graph.const_value(id).is_some()).collect();
        let (hoisted, values) = graph.hoist(&literals);
        assert_eq!(values.len(), 2);
        assert!(hoisted.ids().all(|id| hoisted.const_value(id).is_none()));
        assert!(literals.iter().all(|&id| hoisted.is_constant(id) && hoisted.expected_value(id) == graph.const_value(id)));
        let bound = hoisted.bind(&[Value::int(70), Value::int(90)]);
        let function = module.functions[0].lambda;
        let show = |graph: &Graph| text::print_function(graph, &module.hints, "f", function);
        assert_eq!(show(&bound), show(graph).replace('7', "70").replace('9', "90"));
        assert_eq!(show(&hoisted.bind_expected()), show(graph));
    }

    #[test]
    fn nodes_are_found_again_after_binding() {
        let mut graph = Graph::new();
        let seven = graph.constant(Value::int(7), TyId::I64).expect("an integer");
        let (mut hoisted, _) = graph.hoist(&[seven]);
        assert_ne!(hoisted.constant(Value::int(7), TyId::I64).expect("an integer"), seven, "there is no constant any more");
        let (hoisted, _) = graph.hoist(&[seven]);
        let mut bound = hoisted.bind(&[Value::int(8)]);
        assert_eq!(bound.constant(Value::int(8), TyId::I64).expect("an integer"), seven);
        let sum = bound.add(seven, seven, crate::attrs::Overflow::Wrap).expect("a sum");
        assert_eq!(bound.add(seven, seven, crate::attrs::Overflow::Wrap).expect("a sum"), sum);
    }

    #[test]
    fn what_is_not_bound_does_not_run() {
        let mut graph = Graph::new();
        let given =
            graph.make(Core::Placeholder.into(), Attrs::from_iter([0i64.to_attr(), TyId::I64.to_attr()]), &[]).expect("a placeholder");
        let negative = graph.make(Core::Placeholder.into(), Attrs::from_iter([(-1i64).to_attr(), TyId::I64.to_attr()]), &[]);
        assert_eq!(negative.expect_err("a number from 0").message, "a placeholder has a number from 0");
        assert!(graph.const_value(given).is_none() && graph.expected_value(given).is_none());
    }
}
