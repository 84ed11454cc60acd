//! Rows by group.

use super::aggregate::Aggregate;
use super::expression::{Expr, Step};
use super::lazy::{Frame, key_row, row_of, shown};
use super::lower::{Scope, lower};
use crate::session::Error;
use airloom_ir::graph::Graph;
use airloom_ir::name::Name;
use airloom_ir::ops::core::BuildCore;
use airloom_ir::ops::relation::BuildRelation;
use airloom_ir::types::{Dim, Fields, TyId};
use airloom_ir::typing::ROWS;

/// A frame whose rows are to be taken together where they are equal in some columns.
pub struct Grouped {
    frame: Frame,
    keys: Vec<Expr>,
}

impl Frame {
    /// Takes rows together that are equal in these columns, nulls among them. Groups come in the order of their first rows.
    pub fn group_by(self, keys: impl IntoIterator<Item = impl Into<Expr>>) -> Grouped {
        Grouped { frame: self, keys: keys.into_iter().map(Into::into).collect() }
    }

    /// One row, of aggregates over all rows.
    ///
    /// ```
    /// # use airloom::{Session, SessionOptions, doc::sales};
    /// # use airloom::col;
    /// # let session = Session::new(SessionOptions::from_environment()?)?;
    /// let frame = sales(&session)?.aggregate([col("price").max(), col("amount").mean().alias("mean")])?;
    /// assert_eq!((frame.columns(), frame.count()?), (vec!["price".to_string(), "mean".to_string()], 1));
    /// # Ok::<(), airloom::Error>(())
    /// ```
    #[track_caller]
    pub fn aggregate(self, aggregates: impl IntoIterator<Item = impl Into<Expr>>) -> Result<Frame, Error> {
        Grouped { frame: self, keys: Vec::new() }.agg(aggregates)
    }
}

impl Grouped {
    /// One row for each group: its key, then these aggregates, which may be computed with further.
    ///
    /// ```
    /// # use airloom::{Session, SessionOptions, doc::sales};
    /// # use airloom::col;
    /// # let session = Session::new(SessionOptions::from_environment()?)?;
    /// let spread = (col("price").max() - col("price").min()).alias("spread");
    /// let frame = sales(&session)?.group_by([col("day").year().alias("year")]).agg([spread])?;
    /// assert_eq!(frame.columns(), ["year", "spread"]);
    /// # Ok::<(), airloom::Error>(())
    /// ```
    #[track_caller]
    pub fn agg(self, aggregates: impl IntoIterator<Item = impl Into<Expr>>) -> Result<Frame, Error> {
        let aggregates: Vec<Expr> = aggregates.into_iter().map(Into::into).collect();
        let first = self.frame.columns().into_iter().next();
        let mut computed: Vec<Expr> = Vec::new();
        let reduced: Result<Vec<Expr>, String> = aggregates.iter().map(|a| reduced(a, first.as_deref(), &mut computed)).collect();
        let keys = self.keys;
        // Inputs of aggregates are computed into columns of their own first.
        let frame = if computed.is_empty() || reduced.is_err() { self.frame } else { self.frame.with_columns(computed)? };
        frame.step(|graph, input, fields| {
            let reduced = reduced?;
            let row = row_of(graph, &fields)?;
            let key = key_row(graph, &fields, row, keys.iter())?;
            let group = group_of(graph, &fields)?;
            let group = graph.fresh_hole(group);
            let mut names: Vec<Name> = Vec::new();
            let mut values = Vec::new();
            for (expression, reduced) in aggregates.iter().zip(&reduced) {
                values.push(lower(graph, &fields, Scope::Group(group), reduced)?);
                let name = expression.column_name().map_or_else(|| format!("column_{}", names.len()), str::to_string);
                let taken = |other: &str| other == name;
                if names.iter().any(|n| taken(n)) || keys.iter().filter_map(Expr::column_name).any(taken) {
                    return Err(format!("duplicate column `{name}`\n\nhint: give one another name with `alias`"));
                }
                names.push(Name::from(name));
            }
            let made = graph.row(&values, names.into()).map_err(shown)?;
            let closed = graph.close_all(&[(&[row], key), (&[group], made)], &[]).map_err(shown)?;
            graph.group(input, closed.bodies[0], closed.bodies[1], &closed.captures).map_err(shown)
        })
    }
}

/// The columns of a group: arrays of as many elements as it has rows.
fn group_of(graph: &mut Graph, fields: &Fields) -> Result<TyId, String> {
    let types = graph.types_mut();
    let mut columns = Vec::with_capacity(fields.len());
    for field in fields.iter() {
        columns.push((field.name.clone(), types.arr(field.ty, vec![Dim::Named(ROWS.into())])?));
    }
    types.row_of(columns)
}

/// An expression whose aggregates are of columns: what else they are computed of becomes one, in `computed`.
fn reduced(expression: &Expr, first: Option<&str>, computed: &mut Vec<Expr>) -> Result<Expr, String> {
    let mut steps: Vec<Step> = Vec::new();
    // Where in `steps` each value on the stack begins.
    let mut begins: Vec<usize> = Vec::new();
    for step in &expression.steps {
        let begin = begins.split_off(begins.len() - step.takes()).first().copied().unwrap_or(steps.len());
        begins.push(begin);
        let Step::Aggregate(aggregate) = step else {
            steps.push(step.clone());
            continue;
        };
        let of = steps.split_off(begin);
        let column = match of.as_slice() {
            [] if *aggregate == Aggregate::Rows => first.ok_or("rows without columns are not counted in groups")?.to_string(),
            [Step::Column(name)] => name.clone(),
            inner if inner.iter().any(|s| matches!(s, Step::Reduced(..))) => {
                return Err("an aggregate stands inside of another\n\nhint: aggregate twice, one after the other".into());
            }
            _ => {
                // A space keeps it apart from the columns that people name.
                let name = format!(" {}", computed.len());
                computed.push(Expr { steps: of, name: Some(name.clone()) });
                name
            }
        };
        steps.push(Step::Reduced(*aggregate, column));
    }
    Ok(Expr { steps, name: expression.name.clone() })
}
