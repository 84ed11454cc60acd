//! Arguments for a program that is only planned.

use airloom_compute::data::{Datum, Relation, schema_of};
use airloom_ir::types::{Ty, TyId, Types};
use airloom_ir::value::Value;
use std::sync::Arc;

/// Something of a type: no rows, the number zero, an empty text. Nothing where plans would depend on more than that.
pub(crate) fn placeholder(types: &Types, ty: TyId) -> Option<Datum> {
    if types.nullable(ty) {
        return Some(Datum::Value(Value::Null));
    }
    Some(match types.get(ty) {
        Ty::Rel(fields) => Datum::Table(Relation { schema: schema_of(types, fields), batches: Arc::from([]) }),
        Ty::Bool => Datum::Value(Value::Bool(false)),
        Ty::Int(_) | Ty::Decimal { .. } | Ty::Date | Ty::Time | Ty::Timestamp { .. } | Ty::Duration(_) => Datum::Value(Value::int(0)),
        Ty::F64 => Datum::Value(Value::F64(0.0)),
        Ty::F32 => Datum::Value(Value::F32(0.0)),
        Ty::Str => Datum::Value(Value::str("")),
        _ => return None,
    })
}
