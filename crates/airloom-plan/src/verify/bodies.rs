//! What holds of every body: it finds what it reads.

use crate::bodies::{ColumnSet, fields_of, interpretable, params, reads, reads_for};
use crate::value::{Block, Body, Column, Plan};
use airloom_ir::ops::Op;
use airloom_ir::ops::core::Core;
use airloom_ir::types::{Ty, TyId};

/// What a parameter of a body is.
#[derive(Clone, Copy)]
pub(super) enum Rows<'a> {
    /// A row of these columns.
    Row(&'a [Column]),
    /// These columns as arrays.
    Columns(&'a [Column]),
}

/// Checks that a body reads columns that are there, in their types, and captures values of its types; the type of its result.
pub(super) fn body(plan: &Plan, block: &Block, body: &Body, rows: &[Rows<'_>]) -> Result<TyId, String> {
    check(plan, block, body, rows, |number| reads(&plan.graph, &[plan.graph.result_of(body.function)], number))
}

/// As [`body`], of a body over a row of which only some fields of the result are made.
pub(super) fn body_for(plan: &Plan, block: &Block, body: &Body, row: &[Column], wanted: &[Column]) -> Result<(), String> {
    let graph = &plan.graph;
    let made = made(plan, body)?;
    let fields = wanted.iter().map(|column| made.iter().position(|made| made == column));
    let fields: Option<ColumnSet> = fields.collect();
    let fields = fields.ok_or("a column is none that the body makes, or of another type")?;
    let by_vector = interpretable(graph, &params(graph, body.function), &[graph.result_of(body.function)]);
    let read = |number: i64| match by_vector {
        true => reads_for(graph, body.function, &fields),
        false => reads(graph, &[graph.result_of(body.function)], number),
    };
    check(plan, block, body, &[Rows::Row(row)], read).map(drop)
}

fn check(plan: &Plan, block: &Block, body: &Body, rows: &[Rows<'_>], read: impl Fn(i64) -> ColumnSet) -> Result<TyId, String> {
    let graph = &plan.graph;
    if body.function.index() >= graph.len() || graph.op(body.function) != Op::Core(Core::Lambda) {
        return Err("a body is no function".into());
    }
    let params = graph.params_of(body.function);
    if params.len() != rows.len() + body.captures.len() {
        return Err(format!("a body takes {} parameters, found {} rows and {} captures", params.len(), rows.len(), body.captures.len()));
    }
    let result = graph.result_of(body.function);
    for (number, rows) in rows.iter().enumerate() {
        let types = graph.types();
        let Ty::Struct(fields) = types.get(params[number]) else { return Err("a body takes no row".into()) };
        for at in read(number as i64) {
            let field = fields.get(at).ok_or("a body reads a field that its row lacks")?;
            let (columns, ty) = match rows {
                Rows::Row(columns) => (*columns, Some(field.ty)),
                Rows::Columns(columns) => (*columns, if let Ty::Arr(element, _) = types.get(field.ty) { Some(*element) } else { None }),
            };
            if !columns.iter().any(|column| column.name == field.name && Some(column.ty) == ty) {
                return Err(format!("a body reads `{}`, which its input lacks or has in another type", field.name));
            }
        }
    }
    for (capture, &ty) in body.captures.iter().zip(&params[rows.len()..]) {
        if block.slots.get(capture.index()).is_none_or(|slot| slot.ty != ty) {
            return Err(format!("a body captures {capture}, which is not there or of another type"));
        }
    }
    Ok(graph.ty_id(result))
}

/// The columns of the row that a body makes.
pub(super) fn made(plan: &Plan, body: &Body) -> Result<Vec<Column>, String> {
    if body.function.index() >= plan.graph.len() || plan.graph.op(body.function) != Op::Core(Core::Lambda) {
        return Err("a body is no function".into());
    }
    let result = plan.graph.result_of(body.function);
    match plan.graph.types().plain(plan.graph.ty_id(result)) {
        Ty::Struct(_) => Ok(fields_of(&plan.graph, result).iter().map(|field| Column { name: field.name.clone(), ty: field.ty }).collect()),
        _ => Err("a body makes no row".into()),
    }
}
