//! Literals that rules do not look at: programs that differ in them alone have one plan.
//!
//! Before the rules see a program, these become placeholders. A plan is made of what is left, and bound to the literals of each run: from then on everything sees
//! them, scans that skip data and explanations included. A rule that looks for a constant must find it: whoever adds one that looks for others than zero, one, two
//! and the ends of ranges says so here.

use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::ops::Op;
use airloom_ir::ops::logic::Logic;
use airloom_ir::ops::number::Number;
use airloom_ir::types::Ty;
use airloom_ir::value::Value;

/// Lists of more items are told apart by their items: nobody writes two of them that differ in one.
const ITEMS: usize = 64;
/// Texts of more bytes stay where they are.
const TEXT: usize = 256;

/// The constants of a program whose values no rule looks at. One that has placeholders already has none.
pub fn hoistable(graph: &Graph) -> Vec<NodeId> {
    if graph.ids().any(|id| graph.as_placeholder(id).is_some()) {
        return Vec::new();
    }
    let mut hoisted: Vec<bool> = graph.ids().map(|id| graph.const_value(id).is_some_and(|value| is_ordinary(graph, id, value))).collect();
    for id in graph.ids() {
        for (at, arg) in graph.args(id).iter().enumerate() {
            hoisted[arg.index()] = hoisted[arg.index()] && takes_any(graph, id, at);
        }
    }
    graph.ids().filter(|id| hoisted[id.index()]).collect()
}

/// Whether a constant is none of those that rules look for: nothing, one and two, and what ends a type's range. Of decimals the digits decide, whatever the scale.
fn is_ordinary(graph: &Graph, id: NodeId, value: &Value) -> bool {
    match (graph.types().plain(graph.ty_id(id)), value) {
        (Ty::Int(int), Value::Int(i)) => i.abs() > 2 && *i != int.lowest() && *i != int.highest(),
        (Ty::Decimal { .. }, Value::Int(i)) => *i != 0 && !is_round(i.unsigned_abs()),
        (_, Value::Int(i)) => i.abs() > 2,
        (_, Value::F64(x)) => is_ordinary_float(*x),
        (_, Value::F32(x)) => is_ordinary_float(f64::from(*x)),
        (_, Value::Str(text)) => !text.is_empty() && text.len() <= TEXT,
        _ => false,
    }
}

fn is_ordinary_float(x: f64) -> bool {
    x.is_normal() && ![1.0, 2.0].contains(&x.abs())
}

/// Whether a decimal's digits are those of one or two.
fn is_round(digits: u128) -> bool {
    let mut rest = digits;
    while rest.is_multiple_of(10) {
        rest /= 10;
    }
    rest <= 2
}

fn is_power_of_two(value: &Value) -> bool {
    let no_fraction = |x: f64| x.to_bits().trailing_zeros() >= f64::MANTISSA_DIGITS - 1;
    match value {
        Value::F64(x) => no_fraction(*x),
        Value::F32(x) => no_fraction(f64::from(*x)),
        _ => false,
    }
}

/// Whether an argument may be any constant, so that no rule does other things for one than for another.
fn takes_any(graph: &Graph, id: NodeId, at: usize) -> bool {
    let args = graph.args(id);
    // Two constants are computed before anything runs; what was converted is compared as it was before, with a constant that is converted back.
    let varies = |other: NodeId| !graph.is_constant(other);
    let is_plain = |other: NodeId| varies(other) && graph.op(other) != Op::Logic(Logic::Cast);
    match graph.op(id) {
        Op::Logic(Logic::Eq | Logic::Ne | Logic::Lt | Logic::Le | Logic::Gt | Logic::Ge) => is_plain(args[1 - at]),
        Op::Logic(Logic::IsIn) => at > 0 && args.len() <= ITEMS && is_plain(args[0]),
        Op::Logic(Logic::Select) => at > 0 && varies(args[0]),
        Op::Logic(Logic::Coalesce) => at > 0 && varies(args[0]),
        Op::Number(Number::Add | Number::Sub | Number::Mul) => varies(args[1 - at]),
        // Division by a power of two is a product.
        Op::Number(Number::Div) => varies(args[1 - at]) && (at == 0 || !graph.const_value(args[1]).is_some_and(is_power_of_two)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::Registry;
    use crate::rule::Apply;
    use airloom_ir::text::pattern::Pattern;
    use airloom_ir::text::{self, Raw};

    /// The literals that a pattern looks for.
    fn literals(pattern: &Pattern) -> Vec<Raw> {
        match pattern {
            Pattern::Literal(raw, _) => vec![raw.clone()],
            Pattern::Call(_, _, args) => args.iter().flat_map(literals).collect(),
            Pattern::Var(..) | Pattern::Rest(_) => Vec::new(),
        }
    }

    #[test]
    fn no_pattern_looks_for_a_literal_that_is_taken_out() {
        let registry = Registry::standard();
        let mut seen = 0;
        for rule in registry.rules() {
            let Apply::Text(written) = &rule.apply else { continue };
            for raw in literals(&written.left) {
                seen += 1;
                let stays = match &raw {
                    Raw::Null | Raw::Bool(_) => true,
                    // The length of a slice that has no end.
                    Raw::Int(i) => i.abs() <= 2 || *i == i128::from(i64::MAX),
                    Raw::Float(x, _) => !is_ordinary_float(*x),
                    Raw::Text(text) => text.is_empty(),
                    _ => false,
                };
                assert!(stays, "`{}` looks for {raw:?}, which programs are planned without", rule.name);
            }
        }
        assert!(seen > 50, "only {seen} literals are looked for");
    }

    #[test]
    fn literals_that_are_compared_and_computed_with_are_taken_out() {
        let taken = |body: &str| {
            let text = format!("func @f(x: i64, y: f64, s: str, d: decimal(10, 2), c: i32) -> bool {{ return {body} }}");
            let module = text::parse(&text).unwrap_or_else(|error| panic!("{error:?}"));
            hoistable(&module.graph).len()
        };
        for body in ["gt(x, 10)", "eq(s, \"ab\")", "lt(y, 2.5)", "lt(mul(y, 2.5), y)", "is_in(x, 7)", "ge(d, \"12.34\": decimal(10, 2))"] {
            assert_eq!(taken(body), 1, "{body}");
        }
        assert_eq!(taken("is_in(x, 7, 9)"), 2);
        for body in ["gt(x, 0)", "eq(s, \"\")", "lt(y, 1.0)", "lt(div(y, 8.0), y)", "ge(d, \"10.00\": decimal(10, 2))"] {
            assert_eq!(taken(body), 0, "{body}");
        }
        assert_eq!(taken("lt(cast{to: i64}(c), 10)"), 0, "it is compared before it is converted");
        assert_eq!(taken("gt(x, add(10, 20))"), 0, "it is computed before anything runs");
        assert_eq!(taken("gt(x, 9223372036854775807)"), 0, "nothing is above it");
        assert_eq!(taken("str.starts(s, \"ab\")"), 0, "a pattern");
    }
}
