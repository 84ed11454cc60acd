//! `rel.join` as a plan.

use super::body::row_body;
use super::planned::Planned;
use super::planner::Planner;
use super::reads::{Places, all, fields_at, reads};
use crate::adapter::OperatorExec;
use crate::operators::{Join, JoinKind, JoinSide, Predicate, Shape, number, sorted};
use airloom_compute::body::LaneProgram;
use airloom_compute::data::{Failure, schema_of};
use airloom_ir::attrs::{Effect, JoinHow, NullMatch, Side, SortKey};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::types::TyId;
use airloom_ir::value::Value;
use arrow::datatypes::{Field, Schema, SchemaRef};
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

/// So many times as large as the major side must the other be, and as what the join makes, before it streams in its place.
const MUCH_LARGER: f64 = 4.0;

/// Which side of a join streams.
#[derive(Clone, Copy)]
pub(super) struct Streaming {
    /// Whether it is the left one.
    pub(super) left: bool,
    /// Whether the rows that come of it must be put in order.
    restores: bool,
}

/// Which side of a join streams: the major one, so that its order is kept; where nobody looks at the order, the larger one. Where the other is much larger than the
/// major side and than what is made of both, it streams all the same, and the few rows that are made are put in order.
pub(super) fn streaming(planner: &mut Planner<'_>, id: NodeId) -> Streaming {
    let graph = &planner.shared.graph;
    let join = graph.as_join(id).expect("it is one");
    let mut rows = |relation: NodeId| planner.facts.relation(graph, relation).rows.estimate;
    let (left, right, made) = (rows(join.left), rows(join.right), rows(id));
    let kept = |left: bool| Streaming { left, restores: false };
    match join.how {
        JoinHow::Semi | JoinHow::Anti => kept(left * GATHERING >= right),
        _ if planner.order_is_free(id) => kept(left >= right),
        JoinHow::Inner if is_pure(graph, id) => {
            let major_left = join.major == Side::Left;
            let (major, minor) = if major_left { (left, right) } else { (right, left) };
            let restores = minor > MUCH_LARGER * major && minor > MUCH_LARGER * made;
            Streaming { left: major_left != restores, restores }
        }
        _ => kept(join.major == Side::Left),
    }
}

/// Whether nothing that a join computes may raise.
pub(super) fn is_pure(graph: &Graph, id: NodeId) -> bool {
    let join = graph.as_join(id).expect("it is one");
    [join.left_keys, join.right_keys, join.predicate].iter().all(|&body| graph.effect(graph.result_of(body)) == Effect::Pure)
}

/// The plan of a join.
pub(super) fn plan(planner: &mut Planner<'_>, id: NodeId, left: Planned, right: Planned, wanted: &Places) -> Result<Planned, Failure> {
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
    let Streaming { left: left_streams, restores } = streaming(planner, id);
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
        program: LaneProgram::of_function(&shared.graph, &shared.context, join.predicate),
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
    let ((probe, probe_keys), (mut build, build_keys)) =
        if left_streams { ((left, left_keys), (right, right_keys)) } else { ((right, right_keys), (left, left_keys)) };
    let mut joined = schema.clone();
    if restores {
        let place = build.schema().fields().len();
        build = number(build, PLACE, 0);
        output.push((JoinSide::Build, place));
        joined = with_field(&schema, build.schema().field(place));
    }
    let operator = Join {
        graph: shared.graph.clone(),
        cancel: shared.context.cancel.clone(),
        options: shared.options.clone(),
        probe_keys,
        build_keys,
        key_types,
        nulls_equal: join.nulls == NullMatch::Equal,
        predicate,
        kind,
        shape: Shape { output, schema: joined.clone() },
        gathered: if left_streams { Side::Right } else { Side::Left },
        ordered: !free && !restores,
        // What no source has use for is not learned.
        learned: planner.lessons_of(id),
    };
    let (operator, partitions) = operator.operator(probe.output_partitioning().partition_count());
    let mut plan = OperatorExec::plan(operator, vec![probe, build], joined, partitions);
    if restores {
        if let Some(watch) = &shared.watch {
            watch.computes(&plan, &[id], None);
        }
        // Rows that found the same gathered one stay in the order in which they streamed.
        let rising = SortKey { descending: false, nulls_first: false };
        let own = schema.fields().len();
        plan = sorted(plan, shared.sorting(schema, own, vec![TyId::I64], vec![rising]), None)?;
    }
    Ok(Planned::new(plan, wanted.iter().copied().collect(), depth))
}

/// What the place of a gathered row is called.
const PLACE: &str = "place";

/// A schema with one more field.
fn with_field(schema: &SchemaRef, more: &Field) -> SchemaRef {
    Arc::new(Schema::new(schema.fields().iter().cloned().chain([Arc::new(more.clone())]).collect::<Vec<_>>()))
}
