//! From a relation of the graph to a plan: first, from the top, what is read of each relation; then, from the bottom, the operators.

use super::body::{body_schema, row_body, value_body};
use super::planned::Planned;
use super::reads::{Places, all, fields_at, raising, reads, reads_for};
use super::tests::{KeyTest, tests};
use super::trace::{Lessons, lessons};
use super::{gathered, group, join, ordered, pushdown};
use crate::exchange::once;
use crate::operators::{self, Partners, Step};
use crate::plan::Shared;
use airloom_compute::body::{LaneProgram, params};
use airloom_compute::data::{Datum, Failure, Lane, Relation};
use airloom_compute::keys::Learned;
use airloom_io::source::{RowTest, Scan};
use airloom_ir::attrs::{Effect, JoinHow};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::ops::Op;
use airloom_ir::ops::core::Core;
use airloom_ir::ops::relation::Relation as Rel;
use airloom_ir::types::Ty;
use airloom_opt::facts::Facts;
use datafusion_physical_expr::PhysicalExpr;
use datafusion_physical_expr_common::physical_expr::fmt_sql;
use datafusion_physical_plan::ExecutionPlan;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// What a plan is made from, besides the graph.
pub trait Given {
    /// What a node is that is not planned: a capture, a count, a relation that has been computed.
    fn datum(&self, node: NodeId) -> Result<Datum, Failure>;

    /// A plan that reads some columns of a source.
    fn scan(&self, source: NodeId, wanted: Wanted) -> Result<Scan, Failure>;

    /// A plan that lets a database compute a relation of its tables, where it does so exactly as we would.
    fn query(&self, node: NodeId) -> Option<Arc<dyn ExecutionPlan>>;

    /// The rows of a plan, computed now.
    fn collect(&self, plan: Arc<dyn ExecutionPlan>) -> Result<Relation, Failure>;
}

/// What is wanted of a source.
pub struct Wanted {
    /// Its columns, by their places in the source's type.
    pub columns: Vec<usize>,
    /// Rows for which this is not true may be left out. Its columns are positions in `columns`.
    pub predicate: Option<Arc<dyn PhysicalExpr>>,
    /// Nor is a row wanted that one of these does not want.
    pub tests: Vec<Arc<dyn RowTest>>,
    /// The positions of the columns that are wanted for more than the tests.
    pub kept: Vec<usize>,
}

impl Wanted {
    /// All rows of these columns.
    pub fn all(columns: Vec<usize>) -> Wanted {
        Wanted { kept: (0..columns.len()).collect(), columns, predicate: None, tests: Vec::new() }
    }
}

/// Plans deeper than this are computed in parts: their operators call one another, and a stack has an end.
const MAX_DEPTH: usize = 100;

/// Makes plans.
pub struct Planner<'a> {
    pub(super) shared: &'a Arc<Shared>,
    pub(super) facts: &'a mut Facts,
    pub(super) given: &'a dyn Given,
    needed: BTreeMap<NodeId, Places>,
    uses: HashMap<NodeId, usize>,
    /// The relations whose order somebody looks at.
    ordered: HashSet<NodeId>,
    /// The filter over a relation that nothing else reads.
    filters: HashMap<NodeId, NodeId>,
    /// What joins will learn of their keys.
    lessons: Lessons,
    /// The filters that the source below them applies.
    applied: HashSet<NodeId>,
    /// The relations that a database computes: the largest that it can.
    queries: HashMap<NodeId, Arc<dyn ExecutionPlan>>,
}

impl<'a> Planner<'a> {
    /// A planner for one graph.
    pub fn new(shared: &'a Arc<Shared>, facts: &'a mut Facts, given: &'a dyn Given) -> Planner<'a> {
        Planner {
            shared,
            facts,
            given,
            needed: BTreeMap::new(),
            uses: HashMap::new(),
            ordered: HashSet::new(),
            filters: HashMap::new(),
            lessons: Lessons::default(),
            applied: HashSet::new(),
            queries: HashMap::new(),
        }
    }

    /// The plan of a relation, with all its columns in their order.
    pub fn plan(&mut self, root: NodeId) -> Result<Arc<dyn ExecutionPlan>, Failure> {
        let width = fields_at(&self.shared.graph, root).len();
        let order = self.order(root);
        self.needed.insert(root, all(width));
        self.ordered.insert(root);
        for &id in order.iter().rev() {
            self.need(id);
        }
        self.lessons = lessons(self, &order);
        let mut made: HashMap<NodeId, Planned> = HashMap::new();
        for &id in &order {
            let mut planned = self.node(id, &mut made)?;
            if let Some(watch) = &self.shared.watch {
                planned.computes(watch, id, estimate(&self.shared.graph, self.facts, id));
            }
            if planned.depth > MAX_DEPTH {
                let rows = self.given.collect(planned.clone().seal(self.shared))?;
                planned = Planned::new(self.memory(&rows), planned.columns, 0);
            }
            if self.uses.get(&id).copied().unwrap_or(0) > 1 && !self.is_cheap(id) {
                planned = self.shared_plan(planned);
            }
            made.insert(id, planned);
        }
        let planned = made.remove(&root).expect("the root comes last");
        Ok(self.arranged(planned, &all(width)).seal(self.shared))
    }

    /// The relations below a root that are planned with it, inputs first.
    fn order(&mut self, root: NodeId) -> Vec<NodeId> {
        let graph = &self.shared.graph;
        let mut order = Vec::new();
        let mut seen = HashSet::new();
        let mut stack = vec![(root, false)];
        while let Some((id, ready)) = stack.pop() {
            if ready {
                order.push(id);
                continue;
            }
            if !seen.insert(id) {
                continue;
            }
            stack.push((id, true));
            // A source alone is read as any other.
            let query = matches!(graph.op(id), Op::Relation(_)).then(|| self.given.query(id)).flatten();
            if let Some(query) = query {
                self.queries.insert(id, query);
                continue;
            }
            for input in inputs(graph, id) {
                *self.uses.entry(input).or_default() += 1;
                if graph.op(id) == Op::Relation(Rel::Filter) {
                    self.filters.insert(input, id);
                }
                stack.push((input, false));
            }
        }
        order
    }

    /// Adds what a relation reads of its inputs to what is needed of them.
    fn need(&mut self, id: NodeId) {
        if self.queries.contains_key(&id) {
            return;
        }
        let shared = self.shared.clone();
        let graph = &shared.graph;
        let wanted = self.needed.entry(id).or_default().clone();
        let Op::Relation(op) = graph.op(id) else { return };
        let inputs = inputs(graph, id);
        let widths: Vec<usize> = inputs.iter().map(|&i| fields_at(graph, i).len()).collect();
        let needs: Vec<Places> = match op {
            Rel::Project => {
                let row = graph.as_project(id).expect("it is one").row;
                let made = wanted.iter().copied().chain(raising(graph, row)).collect();
                vec![if self.computable(row) { reads_for(graph, row, &made) } else { reads(graph, &[graph.result_of(row)], 0) }]
            }
            Rel::Filter => {
                let predicate = graph.as_filter(id).expect("it is one").predicate;
                vec![wanted.iter().copied().chain(reads(graph, &[graph.result_of(predicate)], 0)).collect()]
            }
            Rel::Sort | Rel::Top | Rel::Distinct => {
                let body = graph.node(id).op().def().parts(graph.args(id)).expect("its parts").bodies[0];
                vec![wanted.iter().copied().chain(reads(graph, &[graph.result_of(body)], 0)).collect()]
            }
            Rel::Unordered | Rel::Slice => vec![wanted],
            Rel::Concat => vec![wanted; inputs.len()],
            Rel::Group => vec![group::needs(self, id)],
            Rel::Join => join::needs(graph, id, &wanted, widths[0]),
            Rel::Number => {
                vec![wanted.iter().copied().filter(|&at| at < widths[0]).collect()]
            }
            Rel::Window => vec![gathered::window_needs(graph, id, &wanted)],
            Rel::Pivot => vec![gathered::pivot_needs(graph, id)],
            Rel::Asof => gathered::asof_needs(graph, id, &wanted),
            Rel::Explode => vec![gathered::explode_needs(graph, id, &wanted)],
            Rel::Unpivot => vec![gathered::unpivot_needs(graph, id, &wanted)],
            Rel::Sample => vec![wanted],
            Rel::Columns | Rel::Pack | Rel::Rows => widths.iter().map(|&w| all(w)).collect(),
        };
        for (at, &input) in inputs.iter().enumerate() {
            if self.looks_at_order(id, op, at) {
                self.ordered.insert(input);
            }
        }
        for (input, need) in inputs.into_iter().zip(needs) {
            self.needed.entry(input).or_default().extend(need);
        }
    }

    /// Whether the order of an input matters to a relation.
    fn looks_at_order(&self, id: NodeId, op: Rel, input: usize) -> bool {
        let ordered = !self.order_is_free(id);
        match op {
            Rel::Unordered => false,
            Rel::Filter | Rel::Project | Rel::Concat | Rel::Explode | Rel::Unpivot | Rel::Sort => ordered,
            Rel::Join => {
                let graph = &self.shared.graph;
                let join = graph.as_join(id).expect("it is one");
                if input == 1 && matches!(join.how, JoinHow::Semi | JoinHow::Anti) {
                    // A predicate is asked up to the first match: which rows it sees, and may raise on, depends on their order.
                    graph.effect(join.predicate) != Effect::Pure
                } else {
                    ordered
                }
            }
            // Without keys there is one group, whatever the order.
            Rel::Group => (ordered && group::has_keys(self.shared, id)) || !group::ignores_order(self.shared, id),
            _ => true,
        }
    }

    /// Whether one relation reads another, and no more.
    pub(super) fn is_read_once(&self, id: NodeId) -> bool {
        self.uses.get(&id) == Some(&1)
    }

    /// What a join learns of its keys, as far as a source has use for it.
    pub(super) fn lessons_of(&mut self, join: NodeId) -> Vec<(usize, Arc<Learned>)> {
        let mut lessons = self.lessons.of_join.remove(&join).unwrap_or_default();
        lessons.retain(|(_, learned)| Arc::strong_count(learned) > 1);
        lessons
    }

    /// Whether nobody looks at the order of a relation.
    pub(super) fn order_is_free(&self, id: NodeId) -> bool {
        !self.ordered.contains(&id)
    }

    /// What is read of a relation.
    pub(super) fn wanted(&self, id: NodeId) -> Places {
        self.needed.get(&id).cloned().unwrap_or_default()
    }

    /// Whether a body can be computed over lanes: if not, all it reads is needed, whatever is wanted of it.
    pub(super) fn computable(&self, lambda: NodeId) -> bool {
        LaneProgram::compile(
            &self.shared.graph,
            &self.shared.context,
            &params(&self.shared.graph, lambda),
            &[self.shared.graph.result_of(lambda)],
        )
        .is_some()
    }

    fn node(&mut self, id: NodeId, made: &mut HashMap<NodeId, Planned>) -> Result<Planned, Failure> {
        let shared = self.shared.clone();
        let graph = &shared.graph;
        let wanted = self.wanted(id);
        if let Some(query) = self.queries.remove(&id) {
            return Ok(Planned::new(query, (0..fields_at(graph, id).len()).collect(), 1));
        }
        let mut take = |input: NodeId| -> Planned {
            let left = self.uses.get_mut(&input).map(|uses| {
                *uses -= 1;
                *uses
            });
            let last = left == Some(0);
            if last { made.remove(&input) } else { made.get(&input).cloned() }.expect("inputs come first")
        };
        match graph.op(id) {
            Op::Relation(op) => {
                let taken: Vec<Planned> = inputs(graph, id).into_iter().map(&mut take).collect();
                let inputs = taken.into_iter().enumerate().map(|(number, input)| self.only_partners((id, number), input)).collect();
                self.relation(id, op, inputs, wanted)
            }
            Op::Core(Core::Source) => self.source(id, wanted.into_iter().collect()),
            _ => match self.given.datum(id)? {
                Datum::Table(relation) => {
                    let planned = Planned::new(self.memory(&relation), (0..fields_at(graph, id).len()).collect(), 1);
                    Ok(self.arranged(planned, &wanted))
                }
                other => Err(Failure::Bug(format!("invariant `values have their node's type`: expected a relation, found {other:?}"))),
            },
        }
    }

    /// An input of a relation, without rows that will find no partner further on.
    fn only_partners(&mut self, reader: (NodeId, usize), input: Planned) -> Planned {
        let lessons = self.lessons.of_input.remove(&reader).unwrap_or_default();
        let column = |field: usize| input.columns.iter().position(|&column| column == field);
        let keys = lessons.into_iter().filter_map(|(field, learned)| Some((column(field)?, learned))).collect();
        tested(input, keys)
    }

    fn relation(&mut self, id: NodeId, op: Rel, mut inputs: Vec<Planned>, wanted: Places) -> Result<Planned, Failure> {
        let shared = self.shared.clone();
        let graph = &shared.graph;
        match op {
            Rel::Filter => {
                let filter = graph.as_filter(id).expect("it is one");
                let input = inputs.pop().expect("it has an input");
                if self.applied.contains(&id) {
                    return Ok(input);
                }
                let captures = self.captures(&filter.captures)?;
                let body = value_body(&shared, filter.predicate, &input, fields_at(graph, filter.input).len(), captures);
                let (schema, columns) = (input.schema().clone(), input.columns.clone());
                Ok(input.with_step(Step::Filter(body), schema, columns))
            }
            Rel::Project => {
                let project = graph.as_project(id).expect("it is one");
                let input = inputs.pop().expect("it has an input");
                let captures = self.captures(&project.captures)?;
                let width = fields_at(graph, project.input).len();
                // A column that nobody reads is still computed where that may raise.
                let wanted: Places = wanted.into_iter().chain(raising(graph, project.row)).collect();
                let (body, types) = row_body(&shared, project.row, &wanted, &input, width, captures);
                let schema = body_schema(&shared, project.row, &wanted);
                let step = Step::Project { body, types, schema: schema.clone() };
                Ok(input.with_step(step, schema, wanted.into_iter().collect()))
            }
            Rel::Unordered => Ok(inputs.pop().expect("it has an input")),
            Rel::Concat => {
                let inputs = inputs.into_iter().map(|input| self.arranged(input, &wanted)).collect();
                Ok(ordered::concat(&shared, inputs, &wanted))
            }
            Rel::Group => group::plan(self, id, inputs.pop().expect("it has an input"), &wanted),
            Rel::Join => {
                let right = inputs.pop().expect("it has two inputs");
                let left = inputs.pop().expect("it has two inputs");
                join::plan(self, id, left, right, &wanted)
            }
            Rel::Sort if self.order_is_free(id) && graph.effect(graph.as_sort(id).expect("it is one").keys) == Effect::Pure => {
                Ok(self.arranged(inputs.pop().expect("it has an input"), &wanted))
            }
            Rel::Sort | Rel::Top => ordered::sort(self, id, inputs.pop().expect("it has an input")),
            Rel::Slice => ordered::slice(self, id, inputs.pop().expect("it has an input")),
            Rel::Number => ordered::number(self, id, inputs.pop().expect("it has an input"), &wanted),
            Rel::Distinct => gathered::distinct(self, id, inputs.pop().expect("it has an input")),
            Rel::Pack => {
                let datum = self.given.datum(id)?;
                let Datum::Table(relation) = datum else {
                    return Err(Failure::Bug("invariant `a pack is computed before it is planned`".into()));
                };
                let planned = Planned::new(self.memory(&relation), (0..fields_at(graph, id).len()).collect(), 1);
                Ok(self.arranged(planned, &wanted))
            }
            Rel::Window => gathered::window(self, id, inputs.pop().expect("it has an input"), &wanted),
            Rel::Pivot => gathered::pivot(self, id, inputs.pop().expect("it has an input"), &wanted),
            Rel::Asof => {
                let right = inputs.pop().expect("it has two inputs");
                let left = inputs.pop().expect("it has two inputs");
                gathered::asof(self, id, left, right)
            }
            Rel::Explode => Ok(gathered::explode(self, id, inputs.pop().expect("it has an input"))),
            Rel::Unpivot => Ok(gathered::unpivot(self, id, inputs.pop().expect("it has an input"), &wanted)),
            Rel::Sample => gathered::sample(self, id, inputs.pop().expect("it has an input")),
            Rel::Columns | Rel::Rows => Err(Failure::Bug("invariant `what is no relation is not planned`".into())),
        }
    }

    /// The plan of a source, with the filter over it where nothing else reads the source and its reader can apply it. Where the filter may raise, every row must
    /// reach it.
    fn source(&mut self, source: NodeId, columns: Vec<usize>) -> Result<Planned, Failure> {
        let shared = self.shared.clone();
        let graph = &shared.graph;
        let mut wanted = Wanted::all(columns);
        let filter = self.filters.get(&source).copied().filter(|_| self.is_read_once(source));
        let filter = filter.and_then(|id| graph.as_filter(id).map(|filter| (id, filter)));
        let mut all = false;
        let filter = filter.filter(|(_, filter)| graph.effect(graph.result_of(filter.predicate)) == Effect::Pure);
        if let Some((id, filter)) = &filter {
            let captures = self.captures(&filter.captures)?;
            wanted.predicate = pushdown::predicate(graph, filter.predicate, &captures, &wanted.columns);
            (wanted.tests, all) = tests(&shared, filter.predicate, &captures, &wanted.columns);
            if all {
                let above = self.wanted(*id);
                wanted.kept.retain(|&at| above.contains(&wanted.columns[at]));
            }
        }
        let lessons = self.lessons.of_source.remove(&source).unwrap_or_default();
        let column = |field: usize| wanted.columns.iter().position(|&column| column == field);
        let keys: Vec<(usize, Arc<Learned>)> = lessons.into_iter().filter_map(|(field, learned)| Some((column(field)?, learned))).collect();
        let test = |(column, learned): &(usize, Arc<Learned>)| Arc::new(KeyTest::new(*column, learned.clone())) as Arc<dyn RowTest>;
        wanted.tests.extend(keys.iter().map(test));
        let kept = wanted.kept.iter().map(|&at| wanted.columns[at]).collect();
        let columns = wanted.columns.clone();
        let asked = wanted.predicate.clone();
        let scan = self.given.scan(source, wanted)?;
        if let (Some(watch), Some(asked)) = (&shared.watch, asked) {
            watch.asks(&scan.plan, fmt_sql(asked.as_ref()).to_string());
        }
        if !scan.tested {
            return Ok(tested(Planned::new(scan.plan, columns, 1), keys));
        }
        self.applied.extend(filter.filter(|_| all).map(|(id, _)| id));
        Ok(Planned::new(scan.plan, kept, 1))
    }

    /// What bodies capture, as lanes.
    pub(super) fn captures(&self, captures: &[NodeId]) -> Result<Vec<Lane>, Failure> {
        let graph = &self.shared.graph;
        captures.iter().map(|&id| Ok(Lane::One(self.given.datum(id)?.to_value(graph.types(), graph.ty_id(id))))).collect()
    }

    /// Rows in memory as a plan.
    pub(super) fn memory(&self, relation: &Relation) -> Arc<dyn ExecutionPlan> {
        operators::batches(&relation.schema, &relation.batches, self.shared.options.threads, self.shared.options.morsel_rows)
    }

    /// Exactly these fields, in their order.
    pub(super) fn arranged(&self, planned: Planned, wanted: &Places) -> Planned {
        if planned.columns.iter().eq(wanted.iter()) {
            return planned;
        }
        ordered::pick(planned, wanted)
    }

    /// A plan that is computed once, however many read it.
    fn shared_plan(&self, planned: Planned) -> Planned {
        let (columns, depth) = (planned.columns.clone(), planned.depth);
        Planned::new(once(&self.shared.options, planned.seal(self.shared)), columns, depth + 1)
    }

    /// Whether computing a relation twice costs no more than keeping it.
    fn is_cheap(&self, id: NodeId) -> bool {
        let graph = &self.shared.graph;
        let mut at = id;
        loop {
            match graph.op(at) {
                Op::Relation(Rel::Unordered) => at = graph.args(at)[0],
                Op::Relation(Rel::Project) => {
                    let project = graph.as_project(at).expect("it is one");
                    let result = graph.result_of(project.row);
                    let fields = fields_at(graph, result);
                    let only_columns =
                        fields.names().all(|n| matches!(super::reads::origin(graph, result, n), super::reads::Origin::Field(_)));
                    if !only_columns {
                        return false;
                    }
                    at = project.input;
                }
                Op::Relation(_) => return false,
                _ => return true,
            }
        }
    }
}

/// Rows without those that have no partner by these columns.
fn tested(planned: Planned, keys: Vec<(usize, Arc<Learned>)>) -> Planned {
    if keys.is_empty() {
        return planned;
    }
    let (schema, columns) = (planned.schema().clone(), planned.columns.clone());
    let step = Step::Partners(Partners::new(&schema, keys));
    planned.with_step(step, schema, columns)
}

/// The inputs of a relation that are relations.
pub(super) fn inputs(graph: &Graph, id: NodeId) -> Vec<NodeId> {
    let Op::Relation(op) = graph.op(id) else { return Vec::new() };
    if matches!(op, Rel::Pack | Rel::Columns | Rel::Rows) {
        return Vec::new();
    }
    let parts = graph.op(id).def().parts(graph.args(id)).expect("a node has the arguments its op takes");
    let own = if op == Rel::Concat { parts.tail } else { parts.fixed };
    own.iter().copied().filter(|&a| matches!(graph.ty(a), Ty::Rel(_))).collect()
}

/// How many rows a relation is expected to have, where the rows of all it is made from are known.
fn estimate(graph: &Graph, facts: &mut Facts, id: NodeId) -> Option<u64> {
    let statistics = facts.statistics();
    let known = |&id: &NodeId| match (graph.op(id), graph.as_source(id), graph.ty(id)) {
        (_, Some(source), Ty::Rel(_)) => statistics.tables.get(&source.name).is_some_and(|table| table.rows.is_some()),
        (Op::Relation(_), ..) => true,
        (.., ty) => !matches!(ty, Ty::Rel(_)),
    };
    graph.post_order(&[id]).iter().all(known).then(|| facts.relation(graph, id).rows.estimate.round() as u64)
}
