//! `rel.explode` and `rel.unpivot` as plans: neither needs all rows at once.

use crate::adapter::OperatorExec;
use crate::exchange::once;
use crate::operators::{self, Explode, Unpivot, Unpivoted};
use crate::plan::planned::{Planned, schema_part};
use crate::plan::planner::Planner;
use crate::plan::reads::{Places, fields_at};
use airloom_compute::data::schema_of;
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::name::Name;
use datafusion_physical_plan::ExecutionPlanProperties;
use std::sync::Arc;

/// What an explode reads of its input.
pub(in crate::plan) fn explode_needs(graph: &Graph, id: NodeId, wanted: &Places) -> Places {
    let explode = graph.as_explode(id).expect("it is one");
    let fields = fields_at(graph, explode.input);
    let lists = explode.columns.iter().filter_map(|name| fields.position(name));
    wanted.iter().copied().chain(lists).collect()
}

/// The plan of an explode.
pub(in crate::plan) fn explode(planner: &mut Planner<'_>, id: NodeId, input: Planned) -> Planned {
    let shared = planner.shared.clone();
    let graph = &shared.graph;
    let explode = graph.as_explode(id).expect("it is one");
    let fields = fields_at(graph, explode.input);
    let places = input.places(fields.len());
    let list = |name: &Name| {
        let at = fields.position(name).and_then(|field| places[field]).expect("invariant `what is read is there`");
        (at, name.as_str().to_string())
    };
    let columns = input.columns.clone();
    let schema = schema_part(&schema_of(graph.types(), fields_at(graph, id)), &columns);
    let lists = explode.columns.iter().map(list).collect();
    let operator = Explode { cancel: shared.context.cancel.clone(), node: id, lists, empty: explode.empty, schema: schema.clone() };
    input.under(&shared, Arc::new(operator), schema, columns)
}

/// Where each field of an unpivot comes from: the fields of its input that are kept.
fn kept(graph: &Graph, id: NodeId) -> Vec<usize> {
    let unpivot = graph.as_unpivot(id).expect("it is one");
    fields_at(graph, unpivot.input).names().enumerate().filter(|(_, name)| !unpivot.columns.contains(name)).map(|(at, _)| at).collect()
}

/// What an unpivot reads of its input.
pub(in crate::plan) fn unpivot_needs(graph: &Graph, id: NodeId, wanted: &Places) -> Places {
    let unpivot = graph.as_unpivot(id).expect("it is one");
    let (fields, kept) = (fields_at(graph, unpivot.input), kept(graph, id));
    let mut found: Places = wanted.iter().filter_map(|&at| kept.get(at).copied()).collect();
    if wanted.contains(&(kept.len() + 1)) {
        found.extend(unpivot.columns.iter().filter_map(|name| fields.position(name)));
    }
    found
}

/// The plan of an unpivot: what each column becomes, one after the other, over an input that is computed once.
pub(in crate::plan) fn unpivot(planner: &mut Planner<'_>, id: NodeId, input: Planned, wanted: &Places) -> Planned {
    let shared = planner.shared.clone();
    let graph = &shared.graph;
    let unpivot = graph.as_unpivot(id).expect("it is one");
    let (fields, kept) = (fields_at(graph, unpivot.input), kept(graph, id));
    let (places, depth) = (input.places(fields.len()), input.depth + 3);
    let schema = schema_part(&schema_of(graph.types(), fields_at(graph, id)), &wanted.iter().copied().collect::<Vec<_>>());
    let input = input.seal(&shared);
    let input = if unpivot.columns.len() > 1 { once(&shared.options, input) } else { input };
    let partitions = input.output_partitioning().partition_count();
    let there = |field: usize| places[field].expect("invariant `what is read is there`");
    let one = |name: &Name| {
        let column = |&at: &usize| match kept.get(at) {
            Some(&field) => Unpivoted::Column(there(field)),
            None if at == kept.len() => Unpivoted::Name,
            None => Unpivoted::Column(there(fields.position(name).expect("the type rule found the field"))),
        };
        let operator = Unpivot { columns: wanted.iter().map(column).collect(), name: name.as_str().to_string(), schema: schema.clone() };
        OperatorExec::plan(operator, vec![input.clone()], schema.clone(), partitions)
    };
    let plan = operators::concat(unpivot.columns.iter().map(one).collect());
    Planned::new(plan, wanted.iter().copied().collect(), depth)
}
