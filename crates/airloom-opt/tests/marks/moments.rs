//! Counts, means and sums of powers of the distances from the mean, merged from those of pieces.

use crate::applications::Application;
use airloom_ir::attrs::{Attr, Skip};
use airloom_ir::ops::Op;
use airloom_ir::ops::reduce::Reduce;
use airloom_ir::types::Ty;
use airloom_ir::value::Value;

/// Numbers beyond this are not compared: sums of their powers have no digits left.
const LARGE: f64 = 1e6;

#[derive(Clone, Copy, Default)]
struct Moments {
    count: f64,
    mean: f64,
    second: f64,
    third: f64,
    fourth: f64,
}

impl Moments {
    fn of(items: &[f64]) -> Moments {
        let count = items.len() as f64;
        let mean = if items.is_empty() { 0.0 } else { items.iter().sum::<f64>() / count };
        let power = |by: i32| items.iter().map(|x| (x - mean).powi(by)).sum::<f64>();
        Moments { count, mean, second: power(2), third: power(3), fourth: power(4) }
    }

    fn merge(self, other: Moments) -> Moments {
        let (a, b) = (self.count, other.count);
        let count = a + b;
        if count == 0.0 {
            return self;
        }
        let apart = other.mean - self.mean;
        let second = self.second + other.second + apart * apart * a * b / count;
        let third = self.third
            + other.third
            + apart.powi(3) * a * b * (a - b) / (count * count)
            + 3.0 * apart * (a * other.second - b * self.second) / count;
        let fourth = self.fourth
            + other.fourth
            + apart.powi(4) * a * b * (a * a - a * b + b * b) / count.powi(3)
            + 6.0 * apart * apart * (a * a * other.second + b * b * self.second) / (count * count)
            + 4.0 * apart * (a * other.third - b * self.third) / count;
        Moments { count, mean: self.mean + apart * b / count, second, third, fourth }
    }

    /// The result of a reduction; `None` where it is null.
    fn finish(self, op: Reduce, ddof: f64) -> Option<f64> {
        let (n, m2) = (self.count, self.second);
        let varies = n > ddof && n > 0.0;
        match op {
            Reduce::Mean => (n > 0.0).then_some(self.mean),
            Reduce::Var => varies.then(|| m2 / (n - ddof)),
            Reduce::Std => varies.then(|| (m2 / (n - ddof)).sqrt()),
            Reduce::Skew => (n >= 3.0).then(|| n * (n - 1.0).sqrt() / (n - 2.0) * (self.third / (m2 * m2.sqrt()))),
            Reduce::Kurt => {
                (n >= 4.0).then(|| (n - 1.0) / ((n - 2.0) * (n - 3.0)) * (n * (n + 1.0) * (self.fourth / (m2 * m2)) - 3.0 * (n - 1.0)))
            }
            _ => None,
        }
    }
}

/// What a reduction makes of the merged moments of pieces of one cell; `None` where nothing is declared of such elements.
pub(crate) fn merged<'v>(application: &Application<'_>, skip: Skip, ty: &Ty, pieces: impl Iterator<Item = &'v [Value]>) -> Option<Value> {
    let Op::Reduce(op) = application.graph.op(application.node) else { return None };
    let mut all = Moments::default();
    let mut null = false;
    for piece in pieces {
        let skipped = |value: &&Value| match skip {
            Skip::None => false,
            Skip::Null => value.is_null(),
            Skip::Nan => value.is_nan(),
            Skip::All => value.is_null() || value.is_nan(),
        };
        let kept: Vec<&Value> = piece.iter().filter(|value| !skipped(value)).collect();
        null |= kept.iter().any(|value| value.is_null());
        let numbers: Vec<f64> = kept.iter().filter(|value| !value.is_null()).map(|value| number(ty, value)).collect::<Option<_>>()?;
        all = all.merge(Moments::of(&numbers));
    }
    let ddof = if let Some(Attr::Int(ddof)) = application.attr("ddof") { *ddof as f64 } else { 0.0 };
    // Elements that are all equal have no skewness; rounding may leave them a little of one.
    if matches!(op, Reduce::Skew | Reduce::Kurt) && all.second < 1e-9 {
        return None;
    }
    let result = if null { None } else { all.finish(op, ddof) };
    Some(result.map_or(Value::Null, |x| if matches!(ty, Ty::F32) { Value::F32(x as f32) } else { Value::F64(x) }))
}

fn number(ty: &Ty, value: &Value) -> Option<f64> {
    let x = match (value, ty) {
        (Value::Bool(b), _) => f64::from(u8::from(*b)),
        (Value::Int(digits), Ty::Decimal { scale, .. }) => *digits as f64 / 10f64.powi((*scale).into()),
        (Value::Int(i), _) => *i as f64,
        (Value::F32(x), _) => f64::from(*x),
        (Value::F64(x), _) => *x,
        _ => return None,
    };
    (x.abs() <= LARGE).then_some(x)
}

/// Whether two floats are equal to rounding.
pub(crate) fn close(left: &Value, right: &Value) -> bool {
    let near = |a: f64, b: f64, digits: f64| a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= digits * (1.0 + a.abs().max(b.abs()));
    match (left, right) {
        (Value::F32(a), Value::F32(b)) => near((*a).into(), (*b).into(), 1e-4),
        (Value::F64(a), Value::F64(b)) => near(*a, *b, 1e-9),
        _ => false,
    }
}
