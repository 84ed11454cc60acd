//! `rel.join` as a plan.

use super::body::row_body;
use super::planned::Planned;
use super::planner::Planner;
use super::reads::{Places, all, fields_at, reads};
use crate::data::schema_of;
use crate::lanes::LaneProgram;
use crate::operators::{Join, JoinKind, JoinSide, OperatorExec, Predicate, Shape};
use crate::run::Error;
use airloom_ir::attrs::{Effect, JoinHow, NullMatch, Side};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::value::Value;
use arrow::datatypes::{Field, Schema};
use datafusion_physical_plan::ExecutionPlanProperties;
use std::sync::Arc;

/// What a join reads of its two inputs.
pub(super) fn needs(graph: &Graph, id: NodeId, wanted: &Places, left_width: usize) -> Vec<Places> {
    let join = graph.as_join(id).expect("it is one");
    let predicate = graph.result_of(join.predicate);
    if graph.effect(predicate) != Effect::Pure {
        return vec![all(left_width), all(fields_at(graph, join.right).len())];
    }
    let mut left: Places = reads(graph, &[graph.result_of(join.left_keys)], 0);
    let mut right: Places = reads(graph, &[graph.result_of(join.right_keys)], 0);
    left.extend(reads(graph, &[predicate], 0));
    right.extend(reads(graph, &[predicate], 1));
    left.extend(wanted.iter().copied().filter(|&at| at < left_width));
    right.extend(wanted.iter().filter(|&&at| at >= left_width).map(|at| at - left_width));
    vec![left, right]
}

/// How much more gathering a row costs than streaming it.
const GATHERING: f64 = 2.0;

/// Whether the left side of a join is the one that streams. The major side streams, so that its order is kept; where nobody looks at the order, the larger one does.
pub(super) fn left_streams(planner: &mut Planner<'_>, id: NodeId) -> bool {
    let graph = &planner.shared.graph;
    let join = graph.as_join(id).expect("it is one");
    let left_rows = planner.facts.relation(graph, join.left).rows.estimate;
    let right_rows = planner.facts.relation(graph, join.right).rows.estimate;
    match join.how {
        JoinHow::Semi | JoinHow::Anti => left_rows * GATHERING >= right_rows,
        _ if planner.order_is_free(id) => left_rows >= right_rows,
        _ => join.major == Side::Left,
    }
}

/// The plan of a join.
pub(super) fn plan(planner: &mut Planner<'_>, id: NodeId, left: Planned, right: Planned, wanted: &Places) -> Result<Planned, Error> {
    let shared = planner.shared.clone();
    let graph = &shared.graph;
    let join = graph.as_join(id).expect("it is one");
    let (left_width, right_width) = (fields_at(graph, join.left).len(), fields_at(graph, join.right).len());
    let free = planner.order_is_free(id);
    let tests = matches!(join.how, JoinHow::Semi | JoinHow::Anti);
    if tests && graph.effect(graph.result_of(join.predicate)) != Effect::Pure {
        // A test ends at the first match, and what the predicate would raise after it is not raised.
        return super::gathered::by_oracle(planner, id, vec![left, right], wanted);
    }
    let left_streams = left_streams(planner, id);
    let (keeps_left, keeps_right) =
        (matches!(join.how, JoinHow::Left | JoinHow::Outer), matches!(join.how, JoinHow::Right | JoinHow::Outer));
    let kind = match (join.how, left_streams) {
        (JoinHow::Semi | JoinHow::Anti, true) => JoinKind::Probe { matched: join.how == JoinHow::Semi },
        (JoinHow::Semi | JoinHow::Anti, false) => JoinKind::Build { matched: join.how == JoinHow::Semi },
        (_, true) => JoinKind::Pairs { keep_probe: keeps_left, keep_build: keeps_right },
        (_, false) => JoinKind::Pairs { keep_probe: keeps_right, keep_build: keeps_left },
    };
    let captures = planner.captures(&join.captures)?;
    let keys = fields_at(graph, graph.result_of(join.left_keys)).len();
    let (left_keys, left_types) = row_body(&shared, join.left_keys, &all(keys), &left, left_width, captures.clone());
    let (right_keys, right_types) = row_body(&shared, join.right_keys, &all(keys), &right, right_width, captures.clone());
    // A key may be null on one side and never on the other: codes must have room for it on both.
    let types = graph.types();
    let key_types = left_types.iter().zip(&right_types).map(|(&l, &r)| if types.nullable(l) { l } else { r }).collect();
    let side = |is_left: bool| if is_left == left_streams { JoinSide::Probe } else { JoinSide::Build };
    let (left_places, right_places) = (left.places(left_width), right.places(right_width));
    let sided = |places: &[Option<usize>], is_left: bool| -> Vec<Option<(JoinSide, usize)>> {
        places.iter().map(|place| place.map(|at| (side(is_left), at))).collect()
    };
    let always = matches!(graph.const_value(graph.result_of(join.predicate)), Some(Value::Bool(true)));
    let predicate = (!always).then(|| Predicate {
        program: LaneProgram::of_function(&shared, join.predicate),
        left: sided(&left_places, true),
        right: sided(&right_places, false),
        captures,
    });
    let result = fields_at(graph, id);
    let mut output = Vec::new();
    let mut fields: Vec<Field> = Vec::new();
    let whole = schema_of(types, result);
    for &at in wanted {
        let place = if at < left_width { (side(true), left_places[at]) } else { (side(false), right_places[at - left_width]) };
        output.push((place.0, place.1.expect("invariant `what is wanted is there`")));
        fields.push(whole.field(at).clone());
    }
    let schema = Arc::new(Schema::new(fields));
    let depth = left.depth.max(right.depth) + 1;
    let (left, right) = (left.seal(&shared), right.seal(&shared));
    let ((probe, probe_keys), (build, build_keys)) =
        if left_streams { ((left, left_keys), (right, right_keys)) } else { ((right, right_keys), (left, left_keys)) };
    let operator = Join {
        shared: shared.clone(),
        probe_keys,
        build_keys,
        key_types,
        nulls_equal: join.nulls == NullMatch::Equal,
        predicate,
        kind,
        shape: Shape { output, schema: schema.clone() },
        gathered: if left_streams { Side::Right } else { Side::Left },
        ordered: !free,
        // What no source has use for is not learned.
        learned: planner.lessons_of(id),
    };
    let (operator, partitions) = operator.operator(probe.output_partitioning().partition_count());
    Ok(Planned::new(OperatorExec::plan(operator, vec![probe, build], schema, partitions), wanted.iter().copied().collect(), depth))
}
