//! Relations on the oracle, from plain values: for bodies that hold relations of their own.

use crate::operators::whole;
use crate::plan::planned::Planned;
use crate::plan::planner::{Planner, inputs};
use crate::plan::reads::{Places, all, fields_at};
use airloom_compute::data::{Failure, Relation, record_batch, schema_of};
use airloom_ir::graph::NodeId;
use airloom_ir::value::Value;
use std::sync::Arc;

/// A relation computed by the oracle from its whole inputs.
pub(in crate::plan) fn by_oracle(
    planner: &mut Planner<'_>,
    id: NodeId,
    planned: Vec<Planned>,
    wanted: &Places,
) -> Result<Planned, Failure> {
    let shared = planner.shared.clone();
    let graph = &shared.graph;
    let relations = inputs(graph, id);
    let mut args: Vec<Value> = vec![Value::Null; graph.args(id).len()];
    for (at, &arg) in graph.args(id).iter().enumerate() {
        let is_body = matches!(graph.op(arg), airloom_ir::ops::Op::Core(airloom_ir::ops::core::Core::Lambda));
        if !relations.contains(&arg) && !is_body {
            args[at] = planner.given.datum(arg)?.to_value(graph.types(), graph.ty_id(arg));
        }
    }
    let depth = planned.iter().map(|p| p.depth).max().unwrap_or(0) + 1;
    let plans =
        planned.into_iter().zip(&relations).map(|(p, &r)| planner.arranged(p, &all(fields_at(graph, r).len())).seal(&shared)).collect();
    let schema = schema_of(graph.types(), fields_at(graph, id));
    let (run, made) = (shared.clone(), schema.clone());
    let plan = whole(&shared.options, "Oracle", plans, schema, move |batches| {
        let graph = &run.graph;
        let types = graph.types();
        let mut args = args.clone();
        for (batch, relation) in batches.iter().zip(&relations) {
            let rows = Relation { schema: batch.schema(), batches: Arc::from([batch.clone()]) };
            let value = rows.to_value(types, graph.ty_id(*relation));
            graph.args(id).iter().enumerate().filter(|(_, arg)| *arg == relation).for_each(|(at, _)| args[at] = value.clone());
        }
        let host = |name: &str, args: &[Value]| run.context.host.value(name, args);
        let Value::Rel(table) = run.context.oracle(&run.graph, &host).apply(id, &args)? else {
            panic!("invariant `values have their node's type`: a relation")
        };
        let relation = Relation::from_value(types, graph.ty_id(id), &table);
        Ok(record_batch(&made, relation.batches[0].columns().to_vec(), relation.rows()))
    });
    let planned = Planned::new(plan, (0..fields_at(graph, id).len()).collect(), depth);
    Ok(planner.arranged(planned, wanted))
}
