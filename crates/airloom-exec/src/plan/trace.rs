//! Where a column of a relation comes from, as far as a row whose value is not wanted may be left out at its source.

use super::group;
use super::join;
use super::planner::{Planner, inputs};
use super::reads::{Origin, fields_at, origin};
use airloom_compute::data::type_to_arrow;
use airloom_compute::keys::{Learned, can_learn};
use airloom_ir::attrs::{Effect, JoinHow};
use airloom_ir::graph::NodeId;
use airloom_ir::ops::Op;
use airloom_ir::ops::core::Core;
use airloom_ir::ops::relation::Relation as Rel;
use std::collections::HashMap;
use std::sync::Arc;

/// What joins will learn of their keys, for those that gather them and for the sources that have use for it.
#[derive(Default)]
pub(super) struct Lessons {
    /// For each join the keys it learns, by number.
    pub(super) of_join: HashMap<NodeId, Vec<(usize, Arc<Learned>)>>,
    /// For each source the fields that are tested.
    pub(super) of_source: HashMap<NodeId, Vec<(usize, Arc<Learned>)>>,
    /// For an input of a relation, by its number, the fields that are tested before it is read.
    pub(super) of_input: HashMap<(NodeId, usize), Vec<(usize, Arc<Learned>)>>,
}

/// Where rows without a partner can be left out, and by which field there.
enum Place {
    /// By the source that reads them.
    Source(NodeId, usize),
    /// On the way from a relation that others read too into the input of one, by its number.
    Input((NodeId, usize), usize),
}

/// Finds the keys of joins whose streaming side reads them from a source, as they are. The source can leave out rows without a partner.
pub(super) fn lessons(planner: &mut Planner<'_>, order: &[NodeId]) -> Lessons {
    let shared = planner.shared.clone();
    let graph = &shared.graph;
    let mut lessons = Lessons::default();
    for &id in order {
        let Some(join) = graph.as_join(id) else { continue };
        let left_streams = join::streaming(planner, id).left;
        let drops = match join.how {
            JoinHow::Inner | JoinHow::Semi => true,
            // Rows without a partner are what is asked for, unless they are gathered and the others only mark them.
            JoinHow::Anti => !left_streams,
            JoinHow::Left => !left_streams,
            JoinHow::Right => left_streams,
            JoinHow::Outer | JoinHow::Cross => false,
        };
        if !drops || !join::is_pure(graph, id) {
            continue;
        }
        let (keys, number) = if left_streams { (join.left_keys, 0) } else { (join.right_keys, 1) };
        let result = graph.result_of(keys);
        for (at, key) in fields_at(graph, result).iter().enumerate() {
            let Origin::Field(field) = origin(graph, result, &key.name) else { continue };
            if !type_to_arrow(graph.types(), key.ty).is_some_and(|data_type| can_learn(&data_type)) {
                continue;
            }
            let learned = Arc::new(Learned::default());
            match place_of(planner, (id, number), field) {
                Some(Place::Source(source, field)) => lessons.of_source.entry(source).or_default().push((field, learned.clone())),
                Some(Place::Input(input, field)) => lessons.of_input.entry(input).or_default().push((field, learned.clone())),
                None => continue,
            }
            lessons.of_join.entry(id).or_default().push((at, learned));
        }
    }
    lessons
}

/// Where a field of an input of a join comes from, as far down as leaving out rows by this field leaves out the rows that have the value and does nothing else:
/// nothing else reads what lies between, and nothing there may raise. Where that is no source, it is worth it only if there is work in between.
fn place_of(planner: &Planner<'_>, join: (NodeId, usize), field: usize) -> Option<Place> {
    let graph = &planner.shared.graph;
    let pure = |body: NodeId| graph.effect(graph.result_of(body)) == Effect::Pure;
    let through = |body: NodeId, place: usize| {
        let result = graph.result_of(body);
        match origin(graph, result, &fields_at(graph, result).get(place)?.name) {
            Origin::Field(field) if pure(body) => Some(field),
            _ => None,
        }
    };
    let (mut reader, mut field, mut saves) = (join, field, false);
    loop {
        let at = inputs(graph, reader.0)[reader.1];
        if !planner.is_read_once(at) {
            return saves.then_some(Place::Input(reader, field));
        }
        let mut side = 0;
        match graph.op(at) {
            Op::Core(Core::Source) => return Some(Place::Source(at, field)),
            Op::Relation(Rel::Unordered) => (),
            Op::Relation(Rel::Filter) => {
                let filter = graph.as_filter(at)?;
                if !pure(filter.predicate) {
                    return None;
                }
            }
            Op::Relation(Rel::Project) => {
                let project = graph.as_project(at)?;
                field = through(project.row, field)?;
            }
            // Rows of a group have the same key: they go or stay together.
            Op::Relation(Rel::Group) => {
                let group = graph.as_group(at)?;
                if !group::has_keys(planner.shared, at)
                    || field >= fields_at(graph, graph.result_of(group.keys)).len()
                    || !pure(group.aggregates)
                {
                    return None;
                }
                field = through(group.keys, field)?;
                saves = true;
            }
            // Rows that are the same by a key go or stay together.
            Op::Relation(Rel::Distinct) => {
                let distinct = graph.as_distinct(at)?;
                let result = graph.result_of(distinct.keys);
                let compared = fields_at(graph, result);
                let is_key = compared.names().any(|name| matches!(origin(graph, result, name), Origin::Field(own) if own == field));
                if !is_key || !pure(distinct.keys) {
                    return None;
                }
                saves = true;
            }
            Op::Relation(Rel::Join) => {
                let join = graph.as_join(at)?;
                if !join::is_pure(graph, at) {
                    return None;
                }
                let width = fields_at(graph, join.left).len();
                match (field < width, join.how) {
                    (true, JoinHow::Inner | JoinHow::Cross | JoinHow::Left | JoinHow::Semi | JoinHow::Anti) => (),
                    (false, JoinHow::Inner | JoinHow::Cross | JoinHow::Right) => {
                        field -= width;
                        side = 1;
                    }
                    _ => return None,
                }
                saves = true;
            }
            _ => return None,
        }
        reader = (at, side);
    }
}
