//! Where literals lie in their columns: a plan that was made for some is good for others that let as many rows through.

use super::shape::Shape;
use airloom_ir::name::Name;
use airloom_ir::ops::Op;
use airloom_ir::ops::logic::Logic;
use airloom_ir::value::Value;
use airloom_opt::facts::Statistics;

/// Where literals lie in the ranges of the columns that they are compared with: by that the sizes of what is joined were estimated.
#[derive(Default)]
pub(super) struct Positions {
    /// For each comparison the column, and which share of its range lies below the literal.
    shares: Vec<(Name, f64)>,
}

/// By how much an estimate may be wrong before it is made anew.
const FACTOR: f64 = 4.0;
/// A share below this one is taken for it.
const LEAST: f64 = 0.001;

impl Positions {
    /// Of the literals of a program.
    pub(super) fn new(shape: &Shape, statistics: &Statistics) -> Positions {
        let (graph, mut shares) = (&shape.program().graph, Vec::new());
        if statistics.tables.is_empty() || shape.values.is_empty() {
            return Positions { shares };
        }
        for id in graph.ids() {
            if !matches!(graph.op(id), Op::Logic(Logic::Lt | Logic::Le | Logic::Gt | Logic::Ge)) {
                continue;
            }
            let args = graph.args(id);
            for (column, literal) in [(args[0], args[1]), (args[1], args[0])] {
                let Some(get) = graph.as_get(column).filter(|_| shape.is_literal(literal)) else { continue };
                let value = graph.const_value(literal).and_then(number);
                let share = value.and_then(|value| share_below(statistics, &get.field, value));
                shares.extend(share.map(|share| (get.field, share)));
            }
        }
        Positions { shares }
    }

    /// Whether a plan that was made for literals in `planned` positions is good for these.
    pub(super) fn suit(&self, planned: &Positions) -> bool {
        let near = |a: f64, b: f64| a.max(LEAST) <= b.max(LEAST) * FACTOR && b.max(LEAST) <= a.max(LEAST) * FACTOR;
        let pairs = self.shares.iter().zip(&planned.shares);
        self.shares.len() == planned.shares.len()
            && pairs.clone().enumerate().all(|(at, ((name, own), (other, then)))| {
                // Of a column that is compared twice, what lies between counts.
                let between = |((again, second), (_, later)): (&(Name, f64), &(Name, f64))| {
                    again != name || near((own - second).abs(), (then - later).abs())
                };
                name == other && near(*own, *then) && near(1.0 - own, 1.0 - then) && pairs.clone().skip(at + 1).all(between)
            })
    }
}

/// The share of a column's range that lies below a number. A name means the first column of that name whose range is known.
fn share_below(statistics: &Statistics, column: &Name, value: f64) -> Option<f64> {
    let known = statistics.tables.values().find_map(|table| table.columns.get(column).filter(|column| column.min.is_some()))?;
    let (low, high) = (number(known.min.as_ref()?)?, number(known.max.as_ref()?)?);
    (low < high).then(|| ((value - low) / (high - low)).clamp(0.0, 1.0))
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Int(i) => Some(*i as f64),
        Value::F64(x) if x.is_finite() => Some(*x),
        Value::F32(x) if x.is_finite() => Some(f64::from(*x)),
        _ => None,
    }
}
