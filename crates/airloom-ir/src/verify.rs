//! The verifier: everything a valid program is. It exists to distrust `make`, the parser and the decoder, and reports all that is wrong, not the first thing.
//!
//! Always:
//! - arguments come before the nodes that take them, and are as many as the op table says;
//! - attributes have the shapes the op table says, and constants are values of their types;
//! - types derived again are those stored, and so are effects, openness and the depth of bodies;
//! - every body is closed: it reads its own parameters, of the types it declares; no hole is left;
//! - equal nodes are one node;
//! - functions of the program are functions, with names that differ;
//! - a token is taken once: two effects cannot follow the same one.

use crate::attrs::Attr;
use crate::graph::{Graph, NodeId};
use crate::module::{Location, Module};
use crate::ops::Op;
use crate::ops::core::Core;
use crate::text::SyntaxError;
use crate::types::{Ty, TyId};
use crate::typing;
use std::collections::BTreeMap;

/// Something wrong with a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The node it is about, where there is one.
    pub node: Option<NodeId>,
    /// What was found and what was expected.
    pub message: String,
}

impl Finding {
    pub(crate) fn into_syntax_error(self, module: &Module) -> SyntaxError {
        let place = self.node.and_then(|n| module.locations.of(n).last()).cloned();
        let place = place.unwrap_or(Location { file: None, line: 1 });
        SyntaxError { file: place.file, line: place.line, column: 1, message: self.message }
    }
}

/// Everything wrong with a program, nodes in order.
pub fn verify(module: &Module) -> Vec<Finding> {
    let findings = verify_graph(&module.graph);
    // The rest walks the graph and may rely on it.
    if findings.is_empty() { verify_functions(module) } else { findings }
}

/// What is wrong with the functions of a program whose graph is sound: what `make` cannot see.
pub(crate) fn verify_functions(module: &Module) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (i, function) in module.functions.iter().enumerate() {
        if module.graph.op(function.lambda) != Op::Core(Core::Lambda) {
            findings.push(Finding { node: Some(function.lambda), message: format!("`@{}` is not a function", function.name) });
        }
        if module.functions[..i].iter().any(|f| f.name == function.name) {
            findings.push(Finding { node: Some(function.lambda), message: format!("there are two functions `@{}`", function.name) });
        }
    }
    if !module.graph.ids().any(|id| *module.graph.ty(id) == Ty::Token) {
        return findings;
    }
    let lambdas = module.graph.post_order(&module.roots()).into_iter().filter(|&id| module.graph.op(id) == Op::Core(Core::Lambda));
    lambdas.for_each(|lambda| tokens_once(&module.graph, lambda, &mut findings));
    findings
}

fn verify_graph(graph: &Graph) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut types = graph.types().clone();
    let mut seen: hashbrown::HashTable<NodeId> = hashbrown::HashTable::new();
    for id in graph.ids() {
        let node = graph.node(id);
        let mut find = |message: String| findings.push(Finding { node: Some(id), message: format!("`{}`: {message}", node.op().name()) });
        if let Some(late) = node.args().iter().find(|&&a| a >= id) {
            find(format!("argument {} does not stand before node {}", late.index(), id.index()));
            continue;
        }
        if let Err(message) = typing::check_attrs(&types, node.op().def(), node.attrs()) {
            find(message);
            continue;
        }
        let tys: Vec<TyId> = node.args().iter().map(|&a| graph.ty_id(a)).collect();
        match typing::infer(&mut types, node.op().def(), node.attrs(), &tys) {
            Err(message) => find(message),
            Ok(ty) if ty != node.ty() => {
                find(format!("its type is stored as `{}`, but derived as `{}`", types.show(node.ty()), types.show(ty)))
            }
            Ok(_) => (),
        }
        let args = || node.args().iter().map(|&a| graph.node(a));
        let is_lambda = node.op() == Op::Core(Core::Lambda);
        let effect = args()
            .map(crate::graph::Node::effect)
            .max()
            .into_iter()
            .chain([node.op().def().effect_of(&crate::ops::Given { attrs: node.attrs(), types: &types, args: &tys })])
            .max();
        if effect != Some(node.effect()) {
            find("its effect is not the greatest of its own and its arguments'".into());
        }
        let open = !is_lambda && (node.op() == Op::Core(Core::Param) || args().any(crate::graph::Node::is_open));
        if open != node.is_open() {
            find("whether it mentions a parameter is stored wrongly".into());
        }
        if is_lambda {
            closed(graph, id, &mut find);
        }
        let hash = |id: NodeId| {
            let node = graph.node(id);
            crate::hash::hash_of(&(node.op(), node.attrs(), node.args()))
        };
        match seen.find(hash(id), |&twin| same_node(graph, twin, id)) {
            Some(twin) => find(format!("nodes {} and {} are equal, and should be one", twin.index(), id.index())),
            None => drop(seen.insert_unique(hash(id), id, |&other| hash(other))),
        }
    }
    findings
}

fn same_node(graph: &Graph, a: NodeId, b: NodeId) -> bool {
    let (a, b) = (graph.node(a), graph.node(b));
    a.op() == b.op() && a.args() == b.args() && a.attrs() == b.attrs()
}

fn closed(graph: &Graph, lambda: NodeId, find: &mut impl FnMut(String)) {
    if graph.node(lambda).has_holes() {
        find("a parameter of an unfinished body is left in it".into());
    }
    let params = graph.params_of(lambda);
    graph.visit_open(graph.result_of(lambda), |id| {
        let (Op::Core(Core::Param), [Attr::Int(number), Attr::Ty(ty)]) = (graph.op(id), graph.node(id).attrs()) else { return };
        if usize::try_from(*number).ok().and_then(|n| params.get(n)) != Some(ty) {
            find(format!("the body reads parameter {number}, which it does not declare so"));
        }
    });
}

/// Within a body, each token goes to one node.
fn tokens_once(graph: &Graph, lambda: NodeId, findings: &mut Vec<Finding>) {
    let is_token = |id: NodeId| *graph.ty(id) == Ty::Token;
    let mut takers: BTreeMap<NodeId, NodeId> = BTreeMap::new();
    for id in graph.block_order(&[graph.result_of(lambda)]) {
        if graph.op(id) == Op::Core(Core::Lambda) {
            continue;
        }
        for &arg in graph.args(id) {
            if is_token(arg) && takers.insert(arg, id).is_some() {
                findings.push(Finding {
                    node: Some(id),
                    message: format!("`{}`: its token was taken before: each token is taken once", graph.op(id).name()),
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::verify;
    use crate::attrs::{Attr, Effect};
    use crate::graph::NodeId;
    use crate::module::Module;
    use crate::text::parse_function;
    use crate::types::TyId;

    /// A valid program, one of its nodes tampered with, and what is then found.
    fn found(op: &str, tamper: impl FnOnce(&mut Module, NodeId)) -> Vec<String> {
        let program = "func @f(x: i64, y: i64) -> i64 { return add(mul(x, y), 7) }";
        let (mut module, _) = parse_function(program).unwrap_or_else(|errors| panic!("{}", errors[0]));
        assert_eq!(verify(&module), Vec::new());
        let victim = module.graph.ids().find(|&id| module.graph.op(id).name() == op).expect("the program has one");
        tamper(&mut module, victim);
        verify(&module).into_iter().map(|finding| finding.message).collect()
    }

    fn tells(findings: &[String], part: &str) -> bool {
        findings.iter().any(|f| f.contains(part))
    }

    #[test]
    fn a_type_that_is_not_the_derived_one_is_found() {
        assert!(tells(&found("mul", |m, id| m.graph.tamper(id, |n| n.set_type(TyId::F64))), "stored as `f64`, but derived as `i64`"));
    }

    #[test]
    fn an_argument_that_stands_after_is_found() {
        assert!(tells(&found("mul", |m, id| m.graph.tamper(id, |n| n.set_argument(0, id))), "does not stand before"));
    }

    #[test]
    fn a_wrong_effect_and_a_wrong_openness_are_found() {
        assert!(tells(&found("add", |m, id| m.graph.tamper(id, |n| n.set_effect(Effect::Effectful))), "its effect"));
        assert!(tells(&found("add", |m, id| m.graph.tamper(id, |n| n.set_open(false))), "mentions a parameter"));
    }

    #[test]
    fn an_attribute_of_another_shape_is_found() {
        assert!(tells(
            &found("add", |m, id| m.graph.tamper(id, |n| n.set_attribute(0, Attr::Bool(true)))),
            "the attribute `overflow` must be"
        ));
        assert!(tells(
            &found("add", |m, id| m.graph.tamper(id, |n| n.set_attribute(0, Attr::Word(9)))),
            "the attribute `overflow` must be"
        ));
    }

    #[test]
    fn a_parameter_that_the_body_does_not_declare_is_found() {
        assert!(tells(&found("param", |m, id| m.graph.tamper(id, |n| n.set_attribute(0, Attr::Int(5)))), "which it does not declare so"));
    }

    #[test]
    fn a_constant_that_is_no_value_of_its_type_is_found() {
        let text = crate::value::Value::str("seven");
        assert!(tells(&found("const", |m, id| m.graph.tamper(id, |n| n.set_attribute(0, Attr::Value(text)))), "not a value of `i64`"));
    }

    #[test]
    fn equal_nodes_that_are_two_are_found() {
        let twice = found("mul", |m, id| {
            let node = m.graph.node(id).clone();
            m.graph.smuggle(node);
        });
        assert!(tells(&twice, "are equal, and should be one"));
    }

    #[test]
    fn functions_are_functions_with_names_that_differ() {
        let again = found("mul", |m, id| {
            let function = m.functions[0].clone();
            m.functions.push(function.clone());
            m.functions.push(crate::module::Function { name: "g".into(), lambda: id });
        });
        assert!(tells(&again, "two functions `@f`") && tells(&again, "`@g` is not a function"));
    }
}
