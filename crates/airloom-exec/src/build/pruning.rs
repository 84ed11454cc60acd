//! What a filter asks of a source, as comparisons that its reader checks against statistics: it skips what cannot match. The filter itself stays.

use airloom_compute::data::{Vector, values_to_array};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::ops::Op;
use airloom_ir::ops::logic::Logic;
use airloom_ir::types::{Ty, TyId};
use airloom_ir::value::Value;
use airloom_plan::bodies::fields_of;
use datafusion_common::ScalarValue;
use datafusion_expr::Operator;
use datafusion_physical_expr::PhysicalExpr;
use datafusion_physical_expr::expressions::{BinaryExpr, Column, Literal};
use std::sync::Arc;

/// The part of a predicate that compares columns with values, over these columns of a source; nothing where there is none.
pub(super) fn predicate(graph: &Graph, lambda: NodeId, captures: &[Vector], columns: &[usize]) -> Option<Arc<dyn PhysicalExpr>> {
    let predicates = PruningPredicates { graph, captures, columns };
    let mut stack = vec![graph.result_of(lambda)];
    let mut all: Option<Arc<dyn PhysicalExpr>> = None;
    while let Some(id) = stack.pop() {
        if let Some(and) = graph.as_and(id) {
            stack.extend([and.right, and.left]);
            continue;
        }
        if let Some(one) = predicates.comparison(id) {
            all = Some(match all {
                None => one,
                Some(before) => Arc::new(BinaryExpr::new(before, Operator::And, one)),
            });
        }
    }
    all
}

/// At most this many values of `is_in` are pushed down to a reader.
const MAX_VALUES: usize = 256;

struct PruningPredicates<'a> {
    graph: &'a Graph,
    captures: &'a [Vector],
    columns: &'a [usize],
}

impl PruningPredicates<'_> {
    /// A comparison of a column with a value, either way round, or of a column with several.
    fn comparison(&self, id: NodeId) -> Option<Arc<dyn PhysicalExpr>> {
        let (graph, args) = (self.graph, self.graph.args(id));
        let Op::Logic(op) = graph.op(id) else { return None };
        let operator = match op {
            Logic::Eq => Operator::Eq,
            Logic::Ne => Operator::NotEq,
            Logic::Lt => Operator::Lt,
            Logic::Le => Operator::LtEq,
            Logic::Gt => Operator::Gt,
            Logic::Ge => Operator::GtEq,
            Logic::IsIn => return self.among(args),
            _ => return None,
        };
        let compare = |column: NodeId, value: NodeId, operator: Operator| -> Option<Arc<dyn PhysicalExpr>> {
            Some(Arc::new(BinaryExpr::new(self.column(column)?, operator, self.literal(value)?)))
        };
        compare(args[0], args[1], operator).or_else(|| compare(args[1], args[0], operator.swap()?))
    }

    fn among(&self, args: &[NodeId]) -> Option<Arc<dyn PhysicalExpr>> {
        let (value, items) = args.split_first()?;
        // A reader compares every page with each of them, and the pruning predicate nests: a longer list is left to the filter.
        if items.len() > MAX_VALUES {
            return None;
        }
        let column = self.column(*value)?;
        let one = |item: &NodeId| -> Option<Arc<dyn PhysicalExpr>> {
            Some(Arc::new(BinaryExpr::new(column.clone(), Operator::Eq, self.literal(*item)?)))
        };
        let mut found = items.iter().map(one).collect::<Option<Vec<_>>>()?.into_iter();
        let first = found.next()?;
        Some(found.fold(first, |so_far, next| Arc::new(BinaryExpr::new(so_far, Operator::Or, next))))
    }

    fn column(&self, id: NodeId) -> Option<Arc<dyn PhysicalExpr>> {
        let get = self.graph.as_get(id)?;
        self.graph.as_param(get.record).filter(|p| p.number == 0)?;
        if !self.is_plain(self.graph.ty_id(id)) {
            return None;
        }
        let field = fields_of(self.graph, get.record).position(&get.field)?;
        let at = self.columns.iter().position(|&column| column == field)?;
        Some(Arc::new(Column::new(get.field.as_str(), at)))
    }

    /// Whether a reader compares values of a type as we do. Floats are left to the filter: zeros and NaN have an order of their own in files.
    fn is_plain(&self, ty: TyId) -> bool {
        let plain = self.graph.types().plain(ty);
        matches!(plain, Ty::Bool | Ty::Int(_) | Ty::Decimal { .. } | Ty::Str | Ty::Date | Ty::Timestamp { .. } | Ty::Time | Ty::Duration(_))
    }

    fn literal(&self, id: NodeId) -> Option<Arc<dyn PhysicalExpr>> {
        let (graph, ty) = (self.graph, self.graph.ty_id(id));
        let value = match (graph.const_value(id), graph.as_param(id)) {
            (Some(value), _) => value.clone(),
            (None, Some(param)) => match self.captures.get(usize::try_from(param.number).ok()?.checked_sub(1)?)? {
                Vector::Constant(value) => value.clone(),
                _ => return None,
            },
            (None, None) => return None,
        };
        if value == Value::Null || !self.is_plain(ty) {
            return None;
        }
        let array = values_to_array(graph.types(), ty, &[value]);
        Some(Arc::new(Literal::new(ScalarValue::try_from_array(&array, 0).ok()?)))
    }
}
