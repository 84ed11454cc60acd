//! Structs and tuples that hold arrays or relations.

use airloom_compute::data::Datum;
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::ops::Op;
use airloom_ir::ops::core::Core;
use airloom_ir::types::{Fields, Ty};
use airloom_ir::value::Value;
use std::sync::Arc;

/// What an op on structs or tuples makes of its arguments.
pub(super) fn apply(graph: &Graph, id: NodeId, args: &[Datum]) -> Datum {
    let fields = |at: usize| -> &Fields {
        match graph.types().plain(graph.ty_id(graph.args(id)[at])) {
            Ty::Struct(fields) => fields,
            other => panic!("invariant `values have their node's type`: expected a struct, found {other:?}"),
        }
    };
    match graph.op(id) {
        Op::Core(Core::Tuple) => Datum::Parts(args.into()),
        Op::Core(Core::Row) => joined(graph, id, args.to_vec()),
        Op::Core(Core::Item) => part(&args[0], graph.as_item(id).expect("it is one").number as usize),
        Op::Core(Core::Get) => part(&args[0], fields(0).position(&graph.as_get(id).expect("it is one").field).expect("a field")),
        Op::Core(Core::With) => {
            let (base, changes) = (fields(0), fields(1));
            let pick = |name: &str| match changes.position(name) {
                Some(at) => part(&args[1], at),
                None => part(&args[0], base.position(name).expect("a field of one or the other")),
            };
            remade(graph, id, &args[0], pick)
        }
        Op::Core(Core::Pick | Core::Without) => {
            let base = fields(0);
            remade(graph, id, &args[0], |name| part(&args[0], base.position(name).expect("a field")))
        }
        other => panic!("invariant `every op has its place in the evaluator`: {other:?}"),
    }
}

fn remade(graph: &Graph, id: NodeId, base: &Datum, pick: impl Fn(&str) -> Datum) -> Datum {
    if matches!(base, Datum::Value(Value::Null)) {
        return Datum::Value(Value::Null);
    }
    let Ty::Struct(fields) = graph.types().plain(graph.ty_id(id)) else { panic!("invariant `values have their node's type`: a struct") };
    joined(graph, id, fields.names().map(|name| pick(name)).collect())
}

/// A struct of its parts: one value, where all parts are.
fn joined(graph: &Graph, id: NodeId, parts: Vec<Datum>) -> Datum {
    if !graph.types().is_value(graph.ty_id(id)) {
        return Datum::Parts(parts.into());
    }
    let value =
        |part: Datum| if let Datum::Value(value) = part { value } else { panic!("invariant `values have their node's type`: {part:?}") };
    Datum::Value(Value::Struct(parts.into_iter().map(value).collect::<Arc<[Value]>>()))
}

/// One part of a struct or tuple: null where that is.
fn part(of: &Datum, at: usize) -> Datum {
    match of {
        Datum::Parts(parts) => parts[at].clone(),
        Datum::Value(Value::Struct(parts) | Value::Tuple(parts)) => Datum::Value(parts[at].clone()),
        _ => Datum::Value(Value::Null),
    }
}
