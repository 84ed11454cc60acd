//! Bodies of rows, bound to the columns they read.

use super::Builder;
use crate::operators::{BoundBody, Condition, Conjunction, Cost, FilterStep, Output};
use airloom_ir::attrs::Effect;
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::name::Name;
use airloom_ir::ops::Op;
use airloom_ir::types::{Fields, Ty, TyId};
use airloom_plan::bodies::{ColumnSet, Origin, fields_of, interpretable, origin, params, reads};
use airloom_plan::value::{Body, Column};

impl Builder<'_> {
    /// For each field of a body's row the position of its column; `None` for those that are not there, which it does not read.
    pub(super) fn positions(&self, function: NodeId, param: usize, columns: &[Column]) -> Vec<Option<usize>> {
        let fields = self.row_of(function, param);
        let mut positions = vec![None; fields.len()];
        for (at, column) in columns.iter().enumerate() {
            if let Some(field) = fields.position(&column.name) {
                positions[field] = Some(at);
            }
        }
        positions
    }

    /// As [`Builder::positions`], of the fields that some nodes of a body read.
    pub(super) fn read_positions(&self, function: NodeId, roots: &[NodeId], columns: &[Column]) -> Vec<Option<usize>> {
        let read = reads(&self.plan.graph, roots, 0);
        let all = self.positions(function, 0, columns).into_iter().enumerate();
        all.map(|(field, position)| position.filter(|_| read.contains(&field))).collect()
    }

    /// The fields of a row that a body takes.
    pub(super) fn row_of(&self, function: NodeId, param: usize) -> &Fields {
        let types = self.plan.graph.types();
        match types.plain(self.plan.graph.params_of(function)[param]) {
            Ty::Struct(fields) => fields,
            other => panic!("invariant `bodies take rows`: found {other:?}"),
        }
    }

    /// The body of a row whose result is one value.
    pub(super) fn value_body(&self, body: &Body, columns: &[Column]) -> BoundBody {
        let program = self.bound(self.plan.programs().of_function(body.function));
        let fields = self.read_positions(body.function, &[self.plan.graph.result_of(body.function)], columns);
        BoundBody { program: Some(program), fields, captures: self.captures(body), outputs: vec![Output::Root(0)] }
    }

    /// A filter by a body of rows; `positions` says where the fields that some nodes of it read are found.
    pub(super) fn filter_step(&self, body: &Body, positions: impl Fn(&[NodeId]) -> Vec<Option<usize>>) -> FilterStep {
        let (graph, function) = (&self.plan.graph, body.function);
        let bound = |roots: &[NodeId]| {
            let program = self.bound(self.plan.programs().of_function_nodes(function, roots));
            let outputs = (0..roots.len()).map(Output::Root).collect();
            BoundBody { program: Some(program), fields: positions(roots), captures: self.captures(body), outputs }
        };
        let result = graph.result_of(function);
        // Conditions without text are one part, which is one loop: whether a few columns more are read, or fewer of their rows, is the same. Those of text are by the columns that they read.
        let mut parts: Vec<(ColumnSet, Vec<NodeId>)> = Vec::new();
        let mut stack = vec![result];
        while let Some(id) = stack.pop() {
            if let Some(and) = graph.as_and(id) {
                stack.extend([and.right, and.left]);
                continue;
            }
            let read = if of_text(graph, id).is_some() { reads(graph, &[id], 0) } else { ColumnSet::new() };
            match parts.iter_mut().find(|(known, _)| *known == read) {
                Some((_, conditions)) => conditions.push(id),
                None => parts.push((read, vec![id])),
            }
        }
        let plain = graph.effect(result) == Effect::Pure && interpretable(graph, &params(graph, function), &[result]);
        if parts.len() < 2 || !plain {
            return FilterStep::Filter(bound(&[result]));
        }
        let condition = |(_, roots): &(ColumnSet, Vec<NodeId>)| Condition::new(bound(roots), cost(graph, roots));
        let parts = parts.iter().map(condition).collect();
        FilterStep::Conjunction(Conjunction::new(bound(&[result]), parts))
    }

    /// The body of a row whose result is a row, with the types of all its fields.
    pub(super) fn row_body(&self, body: &Body, columns: &[Column]) -> (BoundBody, Vec<TyId>) {
        let graph = &self.plan.graph;
        let made = fields_of(graph, graph.result_of(body.function));
        let names: Vec<Name> = made.names().cloned().collect();
        (self.row_body_for(body, columns, &names), made.iter().map(|field| field.ty).collect())
    }

    /// The body of a row whose result is a row, for some fields of the result.
    pub(super) fn row_body_for(&self, body: &Body, columns: &[Column], wanted: &[Name]) -> BoundBody {
        let (graph, function) = (&self.plan.graph, body.function);
        let result = graph.result_of(function);
        let (fields, captures) = (self.positions(function, 0, columns), self.captures(body));
        let mut roots: Vec<NodeId> = Vec::new();
        let mut root = |id: NodeId| {
            roots.iter().position(|&r| r == id).unwrap_or_else(|| {
                roots.push(id);
                roots.len() - 1
            })
        };
        let mut outputs = Vec::with_capacity(wanted.len());
        for name in wanted {
            outputs.push(match origin(graph, result, name) {
                Origin::Node(id) => Output::Root(root(id)),
                Origin::Part(id, part) => Output::Part(root(id), part),
                Origin::Field(field) => Output::Column(fields[field].expect("invariant `what a body reads is there`")),
            });
        }
        if roots.is_empty() {
            return BoundBody { program: None, fields, captures, outputs };
        }
        let fields = self.read_positions(function, &roots, columns);
        let program = self.bound(self.plan.programs().of_function_nodes(function, &roots));
        BoundBody { program: Some(program), fields, captures, outputs }
    }
}

/// What a condition does with text, where it reads some.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum OfText {
    Compares,
    Searches,
}

fn of_text(graph: &Graph, root: NodeId) -> Option<OfText> {
    let is_text = |&id: &NodeId| matches!(graph.types().plain(graph.ty_id(id)), Ty::Str | Ty::Bytes);
    let mut found = None;
    graph.visit_open(root, |id| {
        found = found.max(match graph.op(id) {
            Op::Text(_) => Some(OfText::Searches),
            Op::Core(_) => None,
            _ => graph.args(id).iter().any(is_text).then_some(OfText::Compares),
        });
    });
    found
}

/// What conditions take: about as measured.
fn cost(graph: &Graph, roots: &[NodeId]) -> Cost {
    let of = |&root: &NodeId| match of_text(graph, root) {
        None => Cost { of_all: 0.3, by_number: 10.0 },
        Some(OfText::Compares) => Cost { of_all: 1.0, by_number: 12.0 },
        Some(OfText::Searches) => Cost { of_all: 5.0, by_number: 50.0 },
    };
    roots.iter().map(of).fold(Cost { of_all: 0.0, by_number: 0.0 }, |all, own| Cost {
        of_all: all.of_all + own.of_all,
        by_number: all.by_number + own.by_number,
    })
}
