//! Values written in a program, which take the type of the other operand.

use airloom_ir::oracle::convert::text_to_scalar;
use airloom_ir::types::{Ty, TyId, Types};
use airloom_ir::value::Value;
use std::fmt;

/// A value whose type is found from the other operand: `3` beside an `f64` is one.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// No value.
    Null,
    /// True or false.
    Truth(bool),
    /// An integer.
    Whole(i64),
    /// A number.
    Float(f64),
    /// Text; beside a date, time or timestamp, one of these.
    Text(String),
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Literal::Null => f.write_str("null"),
            Literal::Truth(value) => write!(f, "{value}"),
            Literal::Whole(value) => write!(f, "{value}"),
            Literal::Float(value) => write!(f, "{value}"),
            Literal::Text(value) => write!(f, "{value:?}"),
        }
    }
}

impl Literal {
    /// The type it has where there is no other operand.
    pub(super) fn own_type(&self, types: &mut Types) -> TyId {
        match self {
            Literal::Null => types.option(TyId::BOOL),
            Literal::Truth(_) => TyId::BOOL,
            Literal::Whole(_) => TyId::I64,
            Literal::Float(_) => TyId::F64,
            Literal::Text(_) => TyId::STR,
        }
    }

    /// The value of a type that it is, or `None` where it is none of that type.
    pub(super) fn value(&self, types: &Types, ty: TyId) -> Option<Value> {
        match (self, types.plain(ty)) {
            (Literal::Null, _) => Some(Value::Null),
            (Literal::Truth(value), Ty::Bool) => Some(Value::Bool(*value)),
            (Literal::Whole(value), Ty::Int(int)) => int.holds((*value).into()).then_some(Value::Int((*value).into())),
            (Literal::Whole(value), Ty::F64) => Some(Value::F64(*value as f64)),
            (Literal::Whole(value), Ty::F32) => Some(Value::F32(*value as f32)),
            (Literal::Float(value), Ty::F64) => Some(Value::F64(*value)),
            (Literal::Float(value), Ty::F32) => Some(Value::F32(*value as f32)),
            // By its digits: `0.05` beside a `decimal(15, 2)` is exactly that.
            (Literal::Whole(value), Ty::Decimal { .. }) => text_to_scalar(types, ty, &value.to_string()).ok(),
            (Literal::Float(value), Ty::Decimal { .. }) => text_to_scalar(types, ty, &value.to_string()).ok(),
            (Literal::Text(value), Ty::Str) => Some(Value::str(value)),
            (Literal::Text(value), Ty::Date | Ty::Time | Ty::Timestamp { .. } | Ty::Category { .. }) => {
                text_to_scalar(types, ty, value).ok()
            }
            _ => None,
        }
    }
}

macro_rules! literal_from {
    ($($from:ty => |$value:ident| $made:expr),+ $(,)?) => { $(
        impl From<$from> for Literal {
            fn from($value: $from) -> Literal {
                $made
            }
        }
    )+ };
}
literal_from! {
    bool => |value| Literal::Truth(value),
    i8 => |value| Literal::Whole(value.into()),
    i16 => |value| Literal::Whole(value.into()),
    i32 => |value| Literal::Whole(value.into()),
    i64 => |value| Literal::Whole(value),
    u8 => |value| Literal::Whole(value.into()),
    u16 => |value| Literal::Whole(value.into()),
    u32 => |value| Literal::Whole(value.into()),
    f32 => |value| Literal::Float(value.into()),
    f64 => |value| Literal::Float(value),
    &str => |value| Literal::Text(value.to_string()),
    String => |value| Literal::Text(value),
}
