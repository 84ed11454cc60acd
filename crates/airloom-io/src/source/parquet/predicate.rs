//! Which parts of a predicate a scan may apply, and whether it applies them exactly.
//!
//! The kernels that compare floats order them totally, so that `-0.0` is less than `0.0` and NaN is greater than every number, and statistics of files
//! leave NaN out. In a program zeros are equal and NaN compares to nothing. So a comparison of floats is applied only where both let through every row
//! that the program does, and then the program's own filter is still above.

use airloom_compute::data::SourceError;
use arrow::datatypes::{DataType, Schema, SchemaRef};
use datafusion_common::ScalarValue;
use datafusion_common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion_datasource_parquet::can_expr_be_pushed_down_with_schemas;
use datafusion_expr::Operator;
use datafusion_physical_expr::expressions::{BinaryExpr, Column, DynamicFilterPhysicalExpr, IsNotNullExpr, IsNullExpr, Literal};
use datafusion_physical_expr::{PhysicalExpr, conjunction, split_conjunction};
use std::sync::Arc;

/// What a scan does with a predicate.
pub(crate) struct Applied {
    /// What it applies, in columns of the table.
    pub(crate) predicate: Option<Arc<dyn PhysicalExpr>>,
    /// Whether no row comes through that the whole predicate does not let through.
    pub(crate) exact: bool,
}

/// How far a part of a predicate may be applied.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Worth {
    /// It lets through the rows that the program does.
    Exact,
    /// It lets through those and maybe others.
    More,
    /// It may lose rows.
    Nothing,
}

/// Looks at a predicate over the columns of a scan. `everywhere` says whether a column of the table is in every file.
pub(crate) fn apply(
    predicate: &Arc<dyn PhysicalExpr>,
    columns: &[usize],
    table: &SchemaRef,
    files: &Schema,
    everywhere: &dyn Fn(usize) -> bool,
) -> Result<Applied, SourceError> {
    let predicate = in_table_columns(predicate, columns, table)?;
    let mut applied = Vec::new();
    let mut exact = true;
    for part in split_conjunction(&predicate) {
        let worth = worth(part, table);
        // A dynamic filter only saves work: whether it is applied changes no answer.
        let dynamic = part.downcast_ref::<DynamicFilterPhysicalExpr>().is_some();
        let whole =
            worth == Worth::Exact && can_expr_be_pushed_down_with_schemas(part, files) && columns_of(part)?.iter().all(|c| everywhere(*c));
        exact &= whole || dynamic;
        if worth != Worth::Nothing {
            applied.push(Arc::clone(part));
        }
    }
    Ok(Applied { predicate: (!applied.is_empty()).then(|| conjunction(applied)), exact })
}

/// The predicate in columns of the table.
pub(crate) fn in_table_columns(
    predicate: &Arc<dyn PhysicalExpr>,
    columns: &[usize],
    table: &SchemaRef,
) -> Result<Arc<dyn PhysicalExpr>, SourceError> {
    let renamed = Arc::clone(predicate).transform_down(|expression| {
        let Some(column) = expression.downcast_ref::<Column>() else { return Ok(Transformed::no(expression)) };
        let Some(&at) = columns.get(column.index()) else {
            return datafusion_common::internal_err!("the predicate asks for column {} of {}", column.index(), columns.len());
        };
        Ok(Transformed::new(Arc::new(Column::new(table.field(at).name(), at)) as _, true, TreeNodeRecursion::Jump))
    });
    renamed.map(|renamed| renamed.data).map_err(|error| SourceError::broken(error.strip_backtrace()))
}

fn columns_of(expression: &Arc<dyn PhysicalExpr>) -> Result<Vec<usize>, SourceError> {
    let mut found = Vec::new();
    let visited = expression.apply(|part| {
        found.extend(part.downcast_ref::<Column>().map(Column::index));
        Ok(TreeNodeRecursion::Continue)
    });
    visited.map(|_| found).map_err(|error| SourceError::broken(error.strip_backtrace()))
}

fn worth(expression: &Arc<dyn PhysicalExpr>, table: &Schema) -> Worth {
    if !has_floats(expression, table) {
        return Worth::Exact;
    }
    if let Some(binary) = expression.downcast_ref::<BinaryExpr>() {
        return match binary.op() {
            Operator::And | Operator::Or => worth(binary.left(), table).max(worth(binary.right(), table)),
            Operator::Eq | Operator::Lt | Operator::LtEq | Operator::Gt | Operator::GtEq => {
                let sides = [(binary.left(), binary.right()), (binary.right(), binary.left())];
                let plain = sides.iter().any(|(column, literal)| column.downcast_ref::<Column>().is_some() && is_plain_number(literal));
                if plain { Worth::More } else { Worth::Nothing }
            }
            _ => Worth::Nothing,
        };
    }
    let tested = expression.downcast_ref::<IsNullExpr>().map(IsNullExpr::arg);
    let tested = tested.or_else(|| expression.downcast_ref::<IsNotNullExpr>().map(IsNotNullExpr::arg));
    match tested {
        Some(tested) if tested.downcast_ref::<Column>().is_some() => Worth::Exact,
        _ => Worth::Nothing,
    }
}

/// Whether floats are computed with anywhere in it.
fn has_floats(expression: &Arc<dyn PhysicalExpr>, table: &Schema) -> bool {
    let mut found = false;
    let visited = expression.apply(|part| {
        found |= part.data_type(table).is_ok_and(|data_type| holds_floats(&data_type));
        Ok(if found { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    });
    found || visited.is_err()
}

fn holds_floats(data_type: &DataType) -> bool {
    match data_type {
        DataType::LargeList(item) => holds_floats(item.data_type()),
        DataType::Struct(fields) => fields.iter().any(|field| holds_floats(field.data_type())),
        other => other.is_floating(),
    }
}

/// Whether it is a float that is neither a zero nor a NaN.
fn is_plain_number(expression: &Arc<dyn PhysicalExpr>) -> bool {
    match expression.downcast_ref::<Literal>().map(Literal::value) {
        Some(ScalarValue::Float64(Some(number))) => *number != 0.0 && !number.is_nan(),
        Some(ScalarValue::Float32(Some(number))) => *number != 0.0 && !number.is_nan(),
        _ => false,
    }
}
