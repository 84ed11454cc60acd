//! How many rows a predicate lets through, as a guess.

use super::RelFacts;
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::name::Name;
use airloom_ir::ops::Op;
use airloom_ir::ops::logic::Logic;
use airloom_ir::ops::text::Text;
use airloom_ir::value::Value;
use std::collections::BTreeMap;

/// What is assumed of an inequality of which nothing is known.
const RANGE: f64 = 0.3;
/// And of anything else.
const OTHER: f64 = 0.25;
/// The minimum selectivity of a range: values are denser in some ranges than in others.
const LEAST: f64 = 0.001;

/// The share of rows for which a predicate on one row, parameter 0, is probably true. Conjuncts are taken to be independent.
///
/// Of those on one column's range the ends are: from a day on and before another is what lies between.
pub fn selectivity(graph: &Graph, predicate: NodeId, facts: &RelFacts) -> f64 {
    let mut share = 1.0;
    let mut between: BTreeMap<Name, (f64, f64)> = BTreeMap::new();
    let mut stack = vec![predicate];
    let mut seen = 0;
    while let Some(id) = stack.pop() {
        seen += 1;
        if let (Some(and), true) = (graph.as_and(id), seen < 256) {
            stack.extend([and.left, and.right]);
        } else if let Some(is_true) = graph.as_is_true(id) {
            stack.push(is_true.value);
        } else if let Some((column, from, to)) = range(graph, id, facts) {
            let ends = between.entry(column).or_insert((0.0, 1.0));
            *ends = (ends.0.max(from), ends.1.min(to));
        } else {
            share *= one(graph, id, facts, 0);
        }
    }
    let between: f64 = between.values().map(|(from, to)| (to - from).max(LEAST)).product();
    (share * between).clamp(0.0, 1.0)
}

fn one(graph: &Graph, id: NodeId, facts: &RelFacts, depth: u32) -> f64 {
    if depth > 16 {
        return OTHER;
    }
    let args = graph.args(id);
    let column = || args.iter().find_map(|&a| column_of(graph, a));
    let share = match graph.op(id) {
        Op::Core(_) => match graph.const_value(id) {
            Some(Value::Bool(true)) => 1.0,
            Some(_) => 0.0,
            None => 0.5,
        },
        Op::Logic(Logic::Or) => {
            let (left, right) = (one(graph, args[0], facts, depth + 1), one(graph, args[1], facts, depth + 1));
            left + right - left * right
        }
        Op::Logic(Logic::And) => one(graph, args[0], facts, depth + 1) * one(graph, args[1], facts, depth + 1),
        Op::Logic(Logic::Not) => 1.0 - one(graph, args[0], facts, depth + 1),
        Op::Logic(Logic::Eq | Logic::Same) => column().map_or(0.1, |c| 1.0 / facts.distinct(&c)),
        Op::Logic(Logic::Ne) => column().map_or(0.9, |c| 1.0 - 1.0 / facts.distinct(&c)),
        Op::Logic(Logic::IsIn) => column().map_or(OTHER, |c| (args.len() - 1) as f64 / facts.distinct(&c)),
        Op::Logic(Logic::Lt | Logic::Le | Logic::Gt | Logic::Ge) => range(graph, id, facts).map_or(RANGE, |(_, from, to)| to - from),
        Op::Logic(Logic::IsTrue) => one(graph, args[0], facts, depth + 1),
        Op::Logic(Logic::IsNull) => 0.05,
        Op::Text(Text::Contains | Text::Like | Text::Starts | Text::Ends | Text::Matches) => 0.1,
        _ => OTHER,
    };
    share.clamp(0.0, 1.0)
}

/// The column of parameter 0 that an expression is.
fn column_of(graph: &Graph, id: NodeId) -> Option<Name> {
    let get = graph.as_get(id)?;
    graph.as_param(get.record).filter(|p| p.number == 0)?;
    Some(get.field)
}

/// From where to where in a column's range, which goes from 0 to 1, a comparison with a constant lets values through.
fn range(graph: &Graph, id: NodeId, facts: &RelFacts) -> Option<(Name, f64, f64)> {
    let &[left, right] = graph.args(id) else { return None };
    let name = column_of(graph, left)?;
    let column = facts.columns.get(&name)?;
    let number = |value: &Value| match value {
        Value::Int(i) => Some(*i as f64),
        Value::F64(x) if x.is_finite() => Some(*x),
        Value::F32(x) if x.is_finite() => Some(f64::from(*x)),
        _ => None,
    };
    let (low, high) = (number(column.min.as_ref()?)?, number(column.max.as_ref()?)?);
    let at = number(graph.expected_value(right)?)?;
    if high <= low {
        return None;
    }
    let below = ((at - low) / (high - low)).clamp(0.0, 1.0);
    match graph.op(id) {
        Op::Logic(Logic::Lt | Logic::Le) => Some((name, 0.0, below)),
        Op::Logic(Logic::Gt | Logic::Ge) => Some((name, below, 1.0)),
        _ => None,
    }
}
