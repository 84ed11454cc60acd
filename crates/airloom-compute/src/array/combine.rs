//! Combiners of parallel loops that are nothing but an op: they fold numbers without running a body for each.

use super::call::ArrayCall;
use crate::data::native::{Native, Width, by_width};
use crate::reduce::Number;
use airloom_ir::attrs::{Attr, AttrType, NanPick, Overflow};
use airloom_ir::graph::NodeId;
use airloom_ir::ops::Op;
use airloom_ir::ops::logic::Logic;
use airloom_ir::ops::number::Number as NumberOp;
use airloom_ir::types::{Ty, TyId};
use airloom_ir::value::Value;
use arrow::array::{Array, ArrayRef, AsArray};

/// A combiner of what was combined so far and one more element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Combiner {
    Add,
    Mul,
    Least,
    Greatest,
    And,
    Or,
}

impl Combiner {
    /// The combiner that a body is, where it is nothing but one op of its first two parameters, of the type of both.
    pub(super) fn of(call: &ArrayCall<'_>, body: NodeId, ty: TyId) -> Option<Combiner> {
        let result = call.graph.result_of(body);
        let params = call.graph.params_of(body);
        if params.len() < 2 || params[0] != ty || params[1] != ty || call.types.nullable(ty) {
            return None;
        }
        let number = |id: NodeId| call.graph.as_param(id).map(|param| param.number);
        let (&[left, right], attrs) = (call.graph.args(result), call.graph.node(result).attrs()) else { return None };
        if (number(left), number(right)) != (Some(0), Some(1)) {
            return None;
        }
        let plain = call.types.get(ty);
        let wraps = |attr: Option<&Attr>| attr.and_then(Overflow::from_attr) == Some(Overflow::Wrap);
        let is_number = matches!(plain, Ty::Int(_) | Ty::F32 | Ty::F64);
        let propagates = |attr: Option<&Attr>| attr.and_then(NanPick::from_attr) == Some(NanPick::Propagate);
        Some(match call.graph.op(result) {
            Op::Number(NumberOp::Add) if is_number && wraps(attrs.first()) => Combiner::Add,
            Op::Number(NumberOp::Mul) if is_number && wraps(attrs.first()) => Combiner::Mul,
            Op::Number(NumberOp::Least) if Width::of(plain).is_some() && propagates(attrs.first()) => Combiner::Least,
            Op::Number(NumberOp::Greatest) if Width::of(plain).is_some() && propagates(attrs.first()) => Combiner::Greatest,
            Op::Logic(Logic::And) if matches!(plain, Ty::Bool) => Combiner::And,
            Op::Logic(Logic::Or) if matches!(plain, Ty::Bool) => Combiner::Or,
            _ => return None,
        })
    }

    /// Two numbers combined.
    #[inline(always)]
    pub(super) fn apply<N: Number>(self, so_far: N, x: N) -> N {
        match self {
            Combiner::Add => so_far.plus(x),
            Combiner::Mul => so_far.times(x),
            Combiner::Least => {
                if so_far.nan() || (!x.nan() && so_far.signed_total(x).is_le()) {
                    so_far
                } else {
                    x
                }
            }
            Combiner::Greatest => {
                if so_far.nan() || (!x.nan() && so_far.signed_total(x).is_gt()) {
                    so_far
                } else {
                    x
                }
            }
            Combiner::And | Combiner::Or => unreachable!("booleans are combined as bits"),
        }
    }

    /// All elements combined with what there is.
    pub(super) fn fold(self, ty: &Ty, so_far: &Value, items: &ArrayRef) -> Option<Value> {
        if items.null_count() > 0 {
            return None;
        }
        match (self, so_far) {
            (Combiner::And, Value::Bool(so_far)) => Some(Value::Bool(*so_far && !items.as_boolean_opt()?.values().has_false())),
            (Combiner::Or, Value::Bool(so_far)) => Some(Value::Bool(*so_far || items.as_boolean_opt()?.values().has_true())),
            (Combiner::And | Combiner::Or, _) => None,
            _ => by_width!(Width::of(ty)?, N => {
                let (numbers, start) = (N::numbers(items)?, N::of(so_far)?);
                Some(match self {
                    // Loops of their own, which the compiler can see through.
                    Combiner::Add => numbers.iter().fold(start, |so_far, &x| so_far.plus(x)),
                    Combiner::Mul => numbers.iter().fold(start, |so_far, &x| so_far.times(x)),
                    other => numbers.iter().fold(start, |so_far, &x| other.apply(so_far, x)),
                }.value())
            }),
        }
    }

    /// Every intermediate result.
    pub(super) fn scan(self, call: &ArrayCall<'_>, ty: TyId, so_far: &Value, items: &ArrayRef) -> Option<(ArrayRef, Value)> {
        if items.null_count() > 0 || matches!(self, Combiner::And | Combiner::Or) {
            return None;
        }
        by_width!(Width::of(call.types.plain(ty))?, N => {
            let (numbers, mut so_far) = (N::numbers(items)?, N::of(so_far)?);
            let results: Vec<N> = numbers
                .iter()
                .map(|&x| {
                    so_far = self.apply(so_far, x);
                    so_far
                })
                .collect();
            Some((crate::data::native::numbers_to_array(call.types, ty, results, None), so_far.value()))
        })
    }
}
