//! From the nodes of a plan to operators: what a plan says is bound to the tables, values and threads of one run.
//!
//! Exchanges are not operators of their own yet: the operator that reads one moves rows as it says. A node between rows and such an operator (a partial
//! aggregate, the build side of a join) is built with it.

mod asof;
mod bodies;
mod distinct;
mod group;
mod group_apply;
mod join;
mod native;
mod ordered;
mod pruning;
mod rows;
mod scan;
mod scan_predicates;
mod trace;

pub(crate) use native::native_code;
pub use scan::planned_partitions;
pub use trace::Trace;

use crate::adapter::OperatorExec;
use crate::blocks::Executable;
use crate::exchange;
use crate::operators::{self, DynamicFilterProbe, FilterProject, FilterStep, Sorting};
use crate::options::ExecOptions;
use airloom_compute::body::{BoundProgram, Program};
use airloom_compute::data::{Datum, Failure, Relation, RunContext, Vector, type_to_arrow};
use airloom_compute::keys::DynamicFilter;
use airloom_io::source::Table;
use airloom_ir::attrs::SortKey;
use airloom_ir::types::TyId;
use airloom_ir::value::Value;
use airloom_plan::value::{BlockId, Body, Column, FilterId, FilterUse, Kind, Node, Partitioning, Plan, PlanId, SlotId};
use arrow::datatypes::{Field, Schema, SchemaRef};
use datafusion_physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The tables and values that sources are.
pub trait Sources {
    /// A source that is a table.
    fn table(&self, name: &str) -> Result<TableSource, Failure>;
}

/// What the rows of a source are read from.
pub enum TableSource {
    /// A table.
    Table(Arc<dyn Table>),
    /// Rows that are in memory.
    Rows(Relation),
    /// Something else.
    Other,
}

/// Operators, and the nodes of the plan that each computes.
#[derive(Default)]
pub struct Operators {
    /// Each with what it computes; the nodes of one operator are together.
    pub computed: Vec<(Vec<PlanId>, Arc<dyn ExecutionPlan>)>,
}

/// Makes operators of the nodes below one root.
pub struct Builder<'a> {
    plan: &'a Arc<Executable>,
    block: BlockId,
    slots: &'a [Datum],
    context: &'a Arc<RunContext>,
    options: &'a Arc<ExecOptions>,
    sources: &'a dyn Sources,
    filters: BTreeMap<FilterId, Arc<DynamicFilter>>,
    built: Vec<Option<Built>>,
    operators: Operators,
}

/// A node on its way to an operator: an operator, and steps over its rows that are not one yet.
#[derive(Clone)]
struct Built {
    base: Arc<dyn ExecutionPlan>,
    steps: Vec<Arc<FilterStep>>,
    schema: SchemaRef,
    /// The nodes that the steps compute.
    computes: Vec<PlanId>,
}

impl Built {
    fn new(base: Arc<dyn ExecutionPlan>) -> Built {
        Built { schema: base.schema(), base, steps: Vec::new(), computes: Vec::new() }
    }

    /// With one more step, which computes a node.
    fn with_step(mut self, id: PlanId, step: FilterStep, schema: SchemaRef) -> Built {
        self.steps.push(Arc::new(step));
        self.computes.push(id);
        Built { schema, ..self }
    }
}

impl<'a> Builder<'a> {
    /// For one run of a block whose slots have these values.
    pub fn new(
        plan: &'a Arc<Executable>,
        block: BlockId,
        slots: &'a [Datum],
        context: &'a Arc<RunContext>,
        options: &'a Arc<ExecOptions>,
        sources: &'a dyn Sources,
    ) -> Builder<'a> {
        let (filters, built, operators) = (BTreeMap::new(), Vec::new(), Operators::default());
        Builder { plan, block, slots, context, options, sources, filters, built, operators }
    }

    /// The operator that makes the rows of a node, and all operators below it.
    pub fn build(mut self, root: PlanId) -> Result<(Arc<dyn ExecutionPlan>, Operators), Failure> {
        let mut wanted = vec![false; root.index() + 1];
        wanted[root.index()] = true;
        mark(self.plan, root, &mut wanted);
        self.built = vec![None; root.index() + 1];
        for (at, _) in wanted.iter().enumerate().filter(|(_, wanted)| **wanted) {
            let id = PlanId::new(at);
            let built = self.node(id, self.plan.node(id))?;
            self.built[at] = Some(built);
        }
        let root = self.sealed(root);
        Ok((root, self.operators))
    }

    fn node(&mut self, id: PlanId, node: &Node) -> Result<Built, Failure> {
        Ok(match &node.kind {
            Kind::Scan(scan) => self.scan(id, node, scan)?,
            Kind::Query(query) => self.query(id, node, query)?,
            Kind::Input(slot) => self.input(id, node, *slot)?,
            Kind::Filter(body) => self.filter(id, node, body),
            Kind::Project(body) => self.project(id, node, body),
            Kind::Select => self.select(id, node),
            Kind::DynamicFilter(uses) => self.dynamic_filter(id, node, uses),
            Kind::HashProbe(probe) => self.join(id, node, probe)?,
            Kind::Unnest { columns, empty } => self.unnest(id, node, columns, *empty),
            Kind::Unpivot { columns, variable, value } => self.unpivot(id, node, columns, variable, value),
            Kind::Limit { offset, count, stops_early } => self.limit(id, node, *offset, *count, *stops_early)?,
            Kind::Concat => {
                let inputs = node.inputs.iter().map(|&input| self.sealed(input)).collect();
                self.operator(id, operators::concat(inputs))
            }
            Kind::Aggregate(aggregate) => self.aggregate(id, node, aggregate)?,
            Kind::Distinct { keys, keep, known } => self.distinct(id, node, keys, *keep, known)?,
            Kind::SortRuns { keys, by, fetch } => self.sort(id, node, keys, by, *fetch)?,
            Kind::Window(window) => self.window(id, node, window),
            Kind::Pivot(pivot) => self.pivot(id, node, pivot),
            Kind::GroupApply { keys, aggregates, block } => self.group_apply(id, node, keys, aggregates, *block),
            Kind::AsofJoin(asof) => self.asof(id, node, asof),
            Kind::Sample { count, key, replace } => self.sample(id, node, *count, *key, *replace)?,
            Kind::RowNumber { name, start } => {
                let (input, below) = (self.sealed(node.inputs[0]), self.plan.node(node.inputs[0]).properties.partitioning);
                let number = if below == Partitioning::Contiguous { operators::number_in_place } else { operators::number };
                self.operator(id, number(input, name.as_str(), *start))
            }
            Kind::Position { name } => {
                let input = self.sealed(node.inputs[0]);
                self.operator(id, operators::positions(input, name.as_str()))
            }
            Kind::Materialize => {
                let input = self.sealed(node.inputs[0]);
                self.operator(id, exchange::materialize(self.options, input))
            }
            Kind::Interpret(interpret) => self.interpret(id, node, interpret),
            // The operator that reads them does what they say.
            Kind::HashBuild(_) | Kind::Gather | Kind::Broadcast | Kind::HashPartition(_) | Kind::OrderedMerge => {
                self.input_of(node).clone()
            }
        })
    }

    /// What was built of the first input.
    fn input_of(&self, node: &Node) -> &Built {
        self.built(node.inputs[0])
    }

    fn built(&self, id: PlanId) -> &Built {
        self.built[id.index()].as_ref().expect("invariant `inputs come first`")
    }

    /// The operator of a node, its steps included.
    fn sealed(&mut self, id: PlanId) -> Arc<dyn ExecutionPlan> {
        let built = self.built(id).clone();
        self.seal(built)
    }

    fn seal(&mut self, built: Built) -> Arc<dyn ExecutionPlan> {
        if built.steps.is_empty() {
            return built.base;
        }
        let partitions = built.base.output_partitioning().partition_count();
        let rows = FilterProject {
            graph: self.plan.graph.clone(),
            cancel: self.context.cancel.clone(),
            steps: built.steps.into(),
            schema: built.schema.clone(),
        };
        let operator = OperatorExec::plan(rows, vec![built.base], built.schema, partitions);
        if !built.computes.is_empty() {
            self.operators.computed.push((built.computes, operator.clone()));
        }
        operator
    }

    /// An operator that computes a node.
    fn operator(&mut self, id: PlanId, operator: Arc<dyn ExecutionPlan>) -> Built {
        self.operators.computed.push((vec![id], operator.clone()));
        Built::new(operator)
    }

    fn dynamic_filter(&mut self, id: PlanId, node: &Node, uses: &[FilterUse]) -> Built {
        let input = self.input_of(node).clone();
        let filters = self.filters_of(uses, &input.schema);
        let step = FilterStep::DynamicFilter(DynamicFilterProbe::new(&input.schema, filters));
        let schema = input.schema.clone();
        input.with_step(id, step, schema)
    }

    /// Dynamic filters with the positions of the columns they are applied to.
    fn filters_of(&mut self, uses: &[FilterUse], schema: &Schema) -> Vec<(usize, Arc<DynamicFilter>)> {
        let position = |name: &str| schema.index_of(name).expect("invariant `a filter is applied to a column that is there`");
        uses.iter().map(|used| (position(&used.column), self.filter_of(used.filter))).collect()
    }

    fn filter_of(&mut self, filter: FilterId) -> Arc<DynamicFilter> {
        self.filters.entry(filter).or_default().clone()
    }

    fn datum(&self, slot: SlotId) -> Datum {
        self.slots[slot.index()].clone()
    }

    fn value(&self, slot: SlotId) -> Value {
        let ty = self.plan.block(self.block).slots[slot.index()].ty;
        self.datum(slot).to_value(self.plan.graph.types(), ty)
    }

    /// A program in this run.
    fn bound(&self, program: Arc<Program>) -> BoundProgram {
        BoundProgram::new(program, self.context)
    }

    /// What a body captures, as vectors.
    fn captures(&self, body: &Body) -> Vec<Vector> {
        body.captures.iter().map(|&slot| Vector::Constant(self.value(slot))).collect()
    }

    /// A sort of rows of which the first `own` columns are kept and the others are the keys.
    fn sorting(&self, keyed: SchemaRef, kept: SchemaRef, own: usize, key_types: Vec<TyId>, by: Vec<SortKey>) -> Sorting {
        let (graph, cancel, options) = (self.plan.graph.clone(), self.context.cancel.clone(), self.options.clone());
        Sorting { graph, cancel, options, kept, own, keyed, copies: vec![None; key_types.len()], key_types, by }
    }

    /// The rows of columns.
    fn schema(&self, columns: &[Column]) -> SchemaRef {
        let types = self.plan.graph.types();
        let field = |column: &Column| {
            let data_type = type_to_arrow(types, column.ty).expect("invariant `columns hold values`");
            Field::new(column.name.as_str(), data_type, true)
        };
        Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()))
    }
}

/// Marks what a node reads.
fn mark(plan: &Plan, id: PlanId, wanted: &mut [bool]) {
    let mut stack = vec![id];
    while let Some(id) = stack.pop() {
        for &input in &plan.node(id).inputs {
            if !std::mem::replace(&mut wanted[input.index()], true) {
                stack.push(input);
            }
        }
    }
}
