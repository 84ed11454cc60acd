//! Bodies of rows, made ready for a plan.

use super::planned::Planned;
use super::reads::{Origin, Places, fields_at, origin};
use crate::operators::{Output, RowBody};
use crate::plan::Shared;
use airloom_compute::body::{LaneProgram, params};
use airloom_compute::data::Lane;
use airloom_ir::graph::NodeId;
use airloom_ir::types::TyId;
use arrow::datatypes::{Field, Schema, SchemaRef};
use std::sync::Arc;

/// The body of a row whose result is one value.
pub(super) fn value_body(shared: &Arc<Shared>, lambda: NodeId, input: &Planned, width: usize, captures: Vec<Lane>) -> RowBody {
    let program = LaneProgram::of_function(&shared.graph, &shared.context, lambda);
    RowBody { program: Some(program), fields: input.places(width), captures, outputs: vec![Output::Root(0)] }
}

/// The body of a row whose result is a row, for some fields of the result: with their types.
pub(super) fn row_body(
    shared: &Arc<Shared>,
    lambda: NodeId,
    wanted: &Places,
    input: &Planned,
    width: usize,
    captures: Vec<Lane>,
) -> (RowBody, Vec<TyId>) {
    let graph = &shared.graph;
    let result = graph.result_of(lambda);
    let made = fields_at(graph, result);
    let places = input.places(width);
    let types = wanted.iter().map(|&at| made.get(at).expect("a wanted field").ty).collect();
    let origins: Vec<Origin> = wanted.iter().map(|&at| origin(graph, result, &made.get(at).expect("a wanted field").name)).collect();
    let mut roots: Vec<NodeId> = Vec::new();
    let mut outputs = Vec::with_capacity(origins.len());
    let mut root = |id: NodeId| {
        roots.iter().position(|&r| r == id).unwrap_or_else(|| {
            roots.push(id);
            roots.len() - 1
        })
    };
    for origin in &origins {
        outputs.push(match *origin {
            Origin::Node(id) => Output::Root(root(id)),
            Origin::Part(id, part) => Output::Part(root(id), part),
            Origin::Field(field) => Output::Column(places[field].expect("invariant `what a body reads is there`")),
        });
    }
    if roots.is_empty() {
        return (RowBody { program: None, fields: places, captures, outputs }, types);
    }
    match LaneProgram::compile(&shared.graph, &shared.context, &params(&shared.graph, lambda), &roots) {
        Some(program) => (RowBody { program: Some(program), fields: places, captures, outputs }, types),
        None => {
            let outputs = wanted.iter().map(|&at| Output::Part(0, at)).collect();
            (
                RowBody { program: Some(LaneProgram::by_lane(&shared.graph, &shared.context, lambda)), fields: places, captures, outputs },
                types,
            )
        }
    }
}

/// The schema of some fields of a body's result.
pub(super) fn body_schema(shared: &Shared, lambda: NodeId, wanted: &Places) -> SchemaRef {
    let graph = &shared.graph;
    let made = fields_at(graph, graph.result_of(lambda));
    let field = |&at: &usize| {
        let field = made.get(at).expect("a wanted field");
        let data = airloom_compute::data::type_to_arrow(graph.types(), field.ty).expect("invariant `columns hold values`");
        Field::new(field.name.as_str(), data, true)
    };
    Arc::new(Schema::new(wanted.iter().map(field).collect::<Vec<_>>()))
}
