//! Bodies of rows, bound to the columns they read.

use super::Builder;
use crate::operators::{BoundBody, Output};
use airloom_ir::graph::NodeId;
use airloom_ir::name::Name;
use airloom_ir::types::{Fields, TyId};
use airloom_plan::bodies::{Origin, fields_of, origin, reads};
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
    fn read_positions(&self, function: NodeId, roots: &[NodeId], columns: &[Column]) -> Vec<Option<usize>> {
        let read = reads(&self.plan.graph, roots, 0);
        let all = self.positions(function, 0, columns).into_iter().enumerate();
        all.map(|(field, position)| position.filter(|_| read.contains(&field))).collect()
    }

    /// The fields of a row that a body takes.
    pub(super) fn row_of(&self, function: NodeId, param: usize) -> &Fields {
        let types = self.plan.graph.types();
        match types.plain(self.plan.graph.params_of(function)[param]) {
            airloom_ir::types::Ty::Struct(fields) => fields,
            other => panic!("invariant `bodies take rows`: found {other:?}"),
        }
    }

    /// The body of a row whose result is one value.
    pub(super) fn value_body(&self, body: &Body, columns: &[Column]) -> BoundBody {
        let program = self.bound(self.plan.programs().of_function(body.function));
        let fields = self.read_positions(body.function, &[self.plan.graph.result_of(body.function)], columns);
        BoundBody { program: Some(program), fields, captures: self.captures(body), outputs: vec![Output::Root(0)] }
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
