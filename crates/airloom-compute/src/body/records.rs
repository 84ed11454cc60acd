//! Structs and tuples over vectors: they are taken apart and merged without touching the data.

use super::select::tuple_part;
use crate::data::Vector;
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::ops::Op;
use airloom_ir::ops::core::Core;
use airloom_ir::types::{Fields, Ty, TyId, Types};
use airloom_ir::value::Value;
use arrow::array::{Array, AsArray, make_array};
use arrow::buffer::NullBuffer;
use std::sync::Arc;

/// What an op on structs or tuples makes of its arguments.
pub(super) fn apply(graph: &Graph, node: NodeId, args: &[Vector], arg_types: &[TyId], rows: usize) -> Vector {
    let types = graph.types();
    match graph.op(node) {
        Op::Core(Core::Tuple | Core::Row) => Vector::Row(args.into()),
        Op::Core(Core::Item) => {
            let number = graph.as_item(node).expect("it is one").number as usize;
            tuple_part(&args[0], number)
        }
        Op::Core(Core::Get) => {
            let field = graph.as_get(node).expect("it is one").field;
            let at = fields(types, arg_types[0]).position(&field).expect("the type rule found the field");
            part(&args[0], at)
        }
        Op::Core(Core::With) => {
            let (base, changes) = (fields(types, arg_types[0]), fields(types, arg_types[1]));
            let result = fields(types, graph.ty_id(node));
            let pick = |name: &str| match changes.position(name) {
                Some(at) => part(&args[1], at),
                None => part(&args[0], base.position(name).expect("a field of the result is of one or the other")),
            };
            rebuild(types, &args[..1], arg_types, result.names().map(|n| pick(n)).collect(), graph.ty_id(node), rows)
        }
        Op::Core(Core::Pick | Core::Without) => {
            let base = fields(types, arg_types[0]);
            let result = fields(types, graph.ty_id(node));
            let parts =
                result.names().map(|n| part(&args[0], base.position(n).expect("a field of the result is one of the struct's"))).collect();
            rebuild(types, args, arg_types, parts, graph.ty_id(node), rows)
        }
        other => panic!("invariant `the interpreter holds computable nodes`: found {other:?}"),
    }
}

/// A struct made of the parts of another: null where that one is.
fn rebuild(types: &Types, of: &[Vector], of_types: &[TyId], parts: Vec<Vector>, ty: TyId, rows: usize) -> Vector {
    if !types.nullable(of_types[0]) {
        return Vector::Row(parts.into());
    }
    let row = Vector::Row(parts.into()).to_array(types, ty, rows);
    let nulls = match &of[0] {
        Vector::Constant(value) if value.is_null() => Some(NullBuffer::new_null(rows)),
        Vector::Constant(_) | Vector::Row(_) => None,
        Vector::Flat(array) => array.nulls().cloned(),
    };
    let data = row.to_data().into_builder().nulls(nulls);
    Vector::Flat(make_array(data.build().expect("a struct with other nulls is one")))
}

fn fields(types: &Types, ty: TyId) -> &Fields {
    match types.plain(ty) {
        Ty::Struct(fields) => fields,
        other => panic!("invariant `values have their node's type`: expected a struct, found {other:?}"),
    }
}

/// One field of a struct: null where the struct is.
pub fn part(record: &Vector, at: usize) -> Vector {
    match record {
        Vector::Row(parts) => parts[at].clone(),
        Vector::Constant(Value::Struct(parts)) => Vector::Constant(parts[at].clone()),
        Vector::Constant(_) => Vector::Constant(Value::Null),
        Vector::Flat(array) => {
            let child = array.as_struct().column(at);
            let Some(nulls) = array.nulls().filter(|n| n.null_count() > 0) else { return Vector::Flat(child.clone()) };
            let nulls = NullBuffer::union(Some(nulls), child.nulls());
            let data = child.to_data().into_builder().nulls(nulls).build().expect("an array with more nulls is one");
            Vector::Flat(Arc::clone(&make_array(data)))
        }
    }
}
