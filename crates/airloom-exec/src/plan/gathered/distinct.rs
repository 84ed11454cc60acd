//! `rel.distinct` as a plan: a grouping by its keys, of which the first or the last row is kept, or the only one.

use crate::adapter::OperatorExec;
use crate::operators::{self, Group, GroupInputs, Output, RowBody, Step, ValueStep, ValueSteps};
use crate::plan::body::row_body;
use crate::plan::planned::Planned;
use crate::plan::planner::Planner;
use crate::plan::reads::{Places, all, fields_at};
use crate::schedule::Once;
use airloom_compute::data::Failure;
use airloom_compute::keys::KeyFacts;
use airloom_compute::reduce::ReductionSpec;
use airloom_ir::attrs::{Attr, AttrType, Keep, Skip, SortKey};
use airloom_ir::graph::NodeId;
use airloom_ir::ops::reduce::Reduce;
use airloom_ir::types::TyId;
use arrow::array::{ArrayRef, AsArray, BooleanArray};
use arrow::datatypes::{DataType, Field, Int64Type, Schema};
use std::sync::Arc;

/// Where a column of a row that is kept comes from.
enum Kept {
    /// A key, which is given as it first stood.
    Key(usize),
    /// A reduction.
    Reduced(usize),
}

/// `rel.distinct`.
pub(in crate::plan) fn distinct(planner: &mut Planner<'_>, id: NodeId, input: Planned) -> Result<Planned, Failure> {
    let shared = planner.shared.clone();
    let graph = &shared.graph;
    let distinct = graph.as_distinct(id).expect("it is one");
    let (keep, fields) = (distinct.keep, fields_at(graph, distinct.input));
    let key_fields = fields_at(graph, graph.result_of(distinct.keys)).len();
    let captures = planner.captures(&distinct.captures)?;
    let (keys, key_types) = row_body(&shared, distinct.keys, &all(key_fields), &input, fields.len(), captures);
    let (columns, depth, kept_schema) = (input.columns.clone(), input.depth + 1, input.schema().clone());
    let width = columns.len();
    // Groups stand where their first rows stood; last rows are put in order again.
    let by_place = keep == Keep::Last && key_fields > 0;
    // Without keys there is one group, also of no rows.
    let counted = keep == Keep::None || key_fields == 0;
    let mut plan = input.seal(&shared);
    if by_place || (counted && width == 0) {
        plan = operators::number(plan, "place", 0);
    }

    let mut reductions = Reductions { node: id, steps: Vec::new(), specs: Vec::new() };
    let pick = if keep == Keep::Last { Reduce::Last } else { Reduce::First };
    let mut kept = Vec::with_capacity(width);
    for (at, &field) in columns.iter().enumerate() {
        let key = keys.outputs.iter().position(|output| *output == Output::Column(at)).filter(|_| keep != Keep::Last);
        let ty = fields.get(field).expect("a field of the input").ty;
        kept.push(key.map_or_else(|| Kept::Reduced(reductions.add(pick, at, ty)), Kept::Key));
    }
    let mut schema_fields: Vec<Arc<Field>> = kept_schema.fields().iter().map(Arc::clone).collect();
    let count = counted.then(|| {
        schema_fields.push(Arc::new(Field::new("kept", DataType::Boolean, false)));
        let of = columns.first().map_or(TyId::I64, |&field| fields.get(field).expect("a field of the input").ty);
        reductions.add(Reduce::Count, 0, of)
    });
    let place = by_place.then(|| {
        schema_fields.push(Arc::new(Field::new("place", DataType::Int64, true)));
        reductions.add(Reduce::Last, width, TyId::I64)
    });
    let finish = move |keys: &[ArrayRef], reduced: Vec<ArrayRef>, _: usize| -> Result<Vec<ArrayRef>, Failure> {
        let column = |kept: &Kept| match *kept {
            Kept::Key(at) => keys[at].clone(),
            Kept::Reduced(at) => reduced[at].clone(),
        };
        let wanted = |count: &i64| if keep == Keep::None { *count == 1 } else { *count > 0 };
        let truths = count.map(|at| {
            let counts = reduced[at].as_primitive::<Int64Type>();
            Arc::new(counts.values().iter().map(wanted).map(Some).collect::<BooleanArray>()) as ArrayRef
        });
        Ok(kept.iter().map(column).chain(truths).chain(place.map(|at| reduced[at].clone())).collect())
    };
    let schema = Arc::new(Schema::new(schema_fields));
    let partitions = shared.options.threads;
    let operator = Group {
        inputs: Arc::new(GroupInputs {
            graph: shared.graph.clone(),
            cancel: shared.context.cancel.clone(),
            options: shared.options.clone(),
            keys,
            key_types,
            known: KeyFacts::default(),
            values: ValueSteps { steps: reductions.steps },
            reductions: reductions.specs,
        }),
        finish: Arc::new(finish),
        schema: schema.clone(),
        partitions,
        ordered: !by_place && !planner.order_is_free(id),
        result: Once::default(),
    };
    let grouped = OperatorExec::plan(operator, vec![plan], schema.clone(), partitions);
    if by_place {
        let rising = SortKey { descending: false, nulls_first: false };
        let sorted = operators::sorted(grouped, shared.sorting(kept_schema, width, vec![TyId::I64], vec![rising]), None)?;
        return Ok(Planned::new(sorted, columns, depth));
    }
    let own: Places = columns.iter().copied().collect();
    // What stands behind the columns of the relation is none of its fields.
    let made: Vec<usize> = columns.into_iter().chain(fields.len()..).take(schema.fields().len()).collect();
    let grouped = Planned::new(grouped, made.clone(), depth);
    if !counted {
        return Ok(grouped);
    }
    let is_kept = RowBody { program: None, fields: Vec::new(), captures: Vec::new(), outputs: vec![Output::Column(width)] };
    Ok(planner.arranged(grouped.with_step(Step::Filter(is_kept), schema, made), &own))
}

/// Reductions of columns as they are.
struct Reductions {
    node: NodeId,
    steps: Vec<ValueStep>,
    specs: Vec<(ReductionSpec, usize)>,
}

impl Reductions {
    /// One more, of all elements of a column; its number.
    fn add(&mut self, op: Reduce, column: usize, ty: TyId) -> usize {
        let attrs = vec![Attr::Ints(Arc::from([])), Skip::None.to_attr()];
        let spec = ReductionSpec { node: self.node, op, attrs, element: ty, ty, rest: Vec::new(), arg_types: vec![ty] };
        self.specs.push((spec, self.steps.len()));
        self.steps.push(ValueStep::Column(column));
        self.specs.len() - 1
    }
}
