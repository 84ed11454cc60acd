//! Python's operators on nodes: which op each is depends on the types, as Python's own does.

use crate::attributes;
use crate::build::plain;
use crate::given::Given;
use crate::location::here;
use crate::node::{Node, op};
use crate::scalars::Scalar;
use airloom::ir::types::Ty;
use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// An operator of two sides.
#[derive(Clone, Copy)]
pub(crate) enum Operator {
    Add,
    Sub,
    Mul,
    Div,
    FloorDiv,
    Mod,
    Pow,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Compare(CompareOp),
}

/// What decides which op an operator is.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Truth,
    Whole,
    Text,
    Moment,
    Length,
    Other,
}

fn kind(given: &Given) -> PyResult<Kind> {
    let by_type = |ty: &Ty| match ty {
        Ty::Bool => Kind::Truth,
        Ty::Int(_) => Kind::Whole,
        Ty::Str => Kind::Text,
        Ty::Date | Ty::Timestamp { .. } => Kind::Moment,
        Ty::Duration(_) => Kind::Length,
        _ => Kind::Other,
    };
    Ok(match given {
        Given::Node(store, id) => store.with(|m| by_type(m.graph.types().plain(m.graph.ty_id(*id))))?,
        Given::Scalar(Scalar::Bool(_)) => Kind::Truth,
        Given::Scalar(Scalar::Int(_) | Scalar::Sized(..)) => Kind::Whole,
        Given::Scalar(Scalar::Str(_)) => Kind::Text,
        Given::Scalar(Scalar::Date(_) | Scalar::Stamp(..)) => Kind::Moment,
        Given::Scalar(Scalar::Duration(..)) => Kind::Length,
        _ => Kind::Other,
    })
}

/// The node of an operator.
pub(crate) fn binary(py: Python<'_>, operator: Operator, left: Given, right: Given) -> PyResult<Node> {
    let kinds = (kind(&left)?, kind(&right)?);
    let truth = kinds.0 == Kind::Truth && kinds.1 == Kind::Truth;
    let name = match operator {
        Operator::Add => match kinds {
            (Kind::Text, Kind::Text) => "str.concat",
            (Kind::Moment, Kind::Length) => "dt.add",
            (Kind::Length, Kind::Moment) => return binary(py, operator, right, left),
            _ => "add",
        },
        Operator::Sub => match kinds {
            (Kind::Moment, Kind::Moment) => "dt.since",
            (Kind::Moment, Kind::Length) => {
                let back = build(py, "neg", vec![right])?;
                return build(py, "dt.add", vec![left, back.given()]);
            }
            _ => "sub",
        },
        Operator::Mul => match kinds {
            (Kind::Length, Kind::Whole) => "dt.scale",
            (Kind::Whole, Kind::Length) => return binary(py, operator, right, left),
            _ => "mul",
        },
        Operator::Div => {
            // As Python does, integers are divided as floats.
            let (left, right) = (float(py, left, kinds.0)?, float(py, right, kinds.1)?);
            return build(py, "div", vec![left, right]);
        }
        Operator::FloorDiv => "floordiv",
        Operator::Mod => "floormod",
        Operator::Pow => "pow",
        Operator::And => {
            if truth {
                "and"
            } else {
                "bitand"
            }
        }
        Operator::Or => {
            if truth {
                "or"
            } else {
                "bitor"
            }
        }
        Operator::Xor => {
            if truth {
                "xor"
            } else {
                "bitxor"
            }
        }
        Operator::Shl => "shl",
        Operator::Shr => "shr",
        Operator::Compare(comparison) => match comparison {
            CompareOp::Eq => "eq",
            CompareOp::Ne => "ne",
            CompareOp::Lt => "lt",
            CompareOp::Le => "le",
            CompareOp::Gt => "gt",
            CompareOp::Ge => "ge",
        },
    };
    build(py, name, vec![left, right])
}

/// The node of an operator of one side.
pub(crate) fn unary(py: Python<'_>, name: &str, value: &Node) -> PyResult<Node> {
    build(py, name, vec![value.given()])
}

fn float(py: Python<'_>, value: Given, kind: Kind) -> PyResult<Given> {
    let Given::Node(..) = value else { return Ok(value) };
    if kind != Kind::Whole {
        return Ok(value);
    }
    let attrs = PyDict::new(py);
    attrs.set_item("to", py.import("airloom.ir")?.getattr("f64")?)?;
    let def = op("cast").def();
    plain(py, def, &attributes::read(def, &attrs)?, vec![value], here(py)).map(|node| node.given())
}

fn build(py: Python<'_>, name: &str, args: Vec<Given>) -> PyResult<Node> {
    let def = op(name).def();
    plain(py, def, &attributes::read(def, &PyDict::new(py))?, args, here(py))
}
