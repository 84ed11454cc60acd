//! What a filter asks of a source, as tests that the source's reader may apply to some columns before it decodes the others.

use airloom_compute::body::{BoundProgram, Programs};
use airloom_compute::data::{RunContext, Selection, SourceError, Vector};
use airloom_compute::keys::DynamicFilter;
use airloom_io::source::ScanPredicate;
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::value::Value;
use airloom_plan::bodies::{interpretable, params, reads};
use arrow::array::{Array, ArrayRef, AsArray};
use arrow::buffer::BooleanBuffer;
use arrow::compute::prep_null_mask_filter;
use std::fmt;
use std::sync::Arc;

/// The tests of a filter over these fields of a source, all of which must hold; and whether they say all that the filter does.
pub(super) fn tests(
    graph: &Graph,
    programs: &Programs,
    context: &Arc<RunContext>,
    lambda: NodeId,
    captures: &[Vector],
    columns: &[usize],
) -> (Vec<Arc<dyn ScanPredicate>>, bool) {
    let mut found: Vec<Arc<dyn ScanPredicate>> = Vec::new();
    let mut all = true;
    let mut stack = vec![graph.result_of(lambda)];
    while let Some(id) = stack.pop() {
        if let Some(and) = graph.as_and(id) {
            stack.extend([and.right, and.left]);
            continue;
        }
        if interpretable(graph, &params(graph, lambda), &[id]) {
            let program = BoundProgram::new(programs.of_function_nodes(lambda, &[id]), context);
            found.push(Arc::new(BodyPredicate::new(graph, program, id, captures, columns)));
        } else {
            all = false;
        }
    }
    (found, all)
}

/// Whether a key is among the build keys of a join.
#[derive(Debug)]
pub(super) struct DynamicFilterPredicate {
    columns: [usize; 1],
    learned: Arc<DynamicFilter>,
}

impl DynamicFilterPredicate {
    /// Of one column.
    pub(super) fn new(column: usize, learned: Arc<DynamicFilter>) -> DynamicFilterPredicate {
        DynamicFilterPredicate { columns: [column], learned }
    }
}

impl ScanPredicate for DynamicFilterPredicate {
    fn columns(&self) -> &[usize] {
        &self.columns
    }

    fn test(&self, columns: &[ArrayRef], rows: usize) -> Result<BooleanBuffer, SourceError> {
        let found = columns.first().and_then(|column| self.learned.among(column));
        Ok(found.unwrap_or_else(|| BooleanBuffer::new_set(rows)))
    }

    fn is_optional(&self) -> bool {
        true
    }

    fn is_ready(&self) -> bool {
        self.learned.is_ready()
    }
}

/// A part of a filter, computed over vectors.
struct BodyPredicate {
    program: BoundProgram,
    /// For each field of the row its position among the columns it reads.
    fields: Vec<Option<usize>>,
    captures: Vec<Vector>,
    columns: Vec<usize>,
}

impl BodyPredicate {
    fn new(graph: &Graph, program: BoundProgram, id: NodeId, captures: &[Vector], columns: &[usize]) -> BodyPredicate {
        let read = reads(graph, &[id], 0);
        let places: Vec<usize> = (0..columns.len()).filter(|&at| read.contains(&columns[at])).collect();
        let mut fields = vec![None; columns.iter().max().map_or(0, |&last| last + 1)];
        places.iter().enumerate().for_each(|(at, &place)| fields[columns[place]] = Some(at));
        BodyPredicate { program, fields, captures: captures.to_vec(), columns: places }
    }
}

impl fmt::Debug for BodyPredicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BodyPredicate").field("columns", &self.columns).finish()
    }
}

impl ScanPredicate for BodyPredicate {
    fn columns(&self) -> &[usize] {
        &self.columns
    }

    fn test(&self, columns: &[ArrayRef], rows: usize) -> Result<BooleanBuffer, SourceError> {
        let field = |at: &Option<usize>| at.map_or(Vector::Constant(Value::Null), |at| Vector::Flat(columns[at].clone()));
        let row = Vector::Row(self.fields.iter().map(field).collect());
        let given: Vec<Vector> = std::iter::once(row).chain(self.captures.iter().cloned()).collect();
        let truth = self.program.run(&given, &Selection::All(rows));
        match truth.map_err(|raised| SourceError::broken(format!("invariant `a test does not raise`: {raised}")))? {
            Vector::Constant(Value::Bool(true)) => Ok(BooleanBuffer::new_set(rows)),
            Vector::Constant(_) => Ok(BooleanBuffer::new_unset(rows)),
            Vector::Flat(mask) => {
                let mask = mask.as_boolean();
                Ok(if mask.null_count() > 0 { prep_null_mask_filter(mask).values().clone() } else { mask.values().clone() })
            }
            Vector::Row(_) => Err(SourceError::broken("invariant `values have their node's type`: a predicate is a boolean")),
        }
    }
}
