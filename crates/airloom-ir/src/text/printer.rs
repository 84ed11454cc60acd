//! A program to text, which parses to the same ids.
//!
//! What is printed depends on the program and the names it was written with, never on the history of the arena. Expressions nest only so deep before a part
//! becomes a statement, and bodies nest at most [`crate::graph::MAX_BODY_DEPTH`], so printing may recurse.

use super::parser::RESERVED;
use super::{attributes, literal, quote};
use crate::attrs::Attr;
use crate::graph::{Graph, NodeId};
use crate::module::{Hints, Module};
use crate::ops::core::Core;
use crate::ops::{Op, OpDef};
use crate::types::{Ty, TyId};
use std::collections::{BTreeMap, BTreeSet};

/// How deep an expression may nest on its line.
const MAX_INLINE_DEPTH: u32 = 6;
/// How long an expression's line may be before a part becomes a statement, in nodes.
const MAX_INLINE_NODES: u32 = 24;
/// From how many nodes on a body that several nodes hold is printed once, by name.
const SHARED_BODY_NODES: usize = 24;

/// The whole program.
pub fn print(module: &Module) -> String {
    let functions: Vec<(String, NodeId)> = module.functions.iter().map(|f| (f.name.to_string(), f.lambda)).collect();
    Printer::new(&module.graph, &module.hints, &functions).program(&functions)
}

/// One function, under a name of its own.
pub fn print_function(graph: &Graph, hints: &Hints, name: &str, lambda: NodeId) -> String {
    let functions = [(name.to_string(), lambda)];
    Printer::new(graph, hints, &functions).program(&functions)
}

/// One node as an expression, for messages and traces: parameters by number, and no more than a line of it.
pub fn print_node(graph: &Graph, id: NodeId) -> String {
    let hints = Hints::default();
    let printer = Printer { graph, hints: &hints, shared: BTreeMap::new() };
    let mut scope = Scope::default();
    let mut text = printer.brief(id, &mut scope, 0);
    if text.chars().count() > 160 {
        text = text.chars().take(159).collect::<String>() + "…";
    }
    text
}

struct Printer<'a> {
    graph: &'a Graph,
    hints: &'a Hints,
    /// Bodies printed once, by name.
    shared: BTreeMap<NodeId, String>,
}

/// What nodes are called in the body being printed.
#[derive(Default)]
struct Scope {
    names: BTreeMap<NodeId, String>,
    params: Vec<String>,
    taken: BTreeSet<String>,
    /// From which number on a name is tried again: a long program has many nodes of one kind.
    next: BTreeMap<String, u32>,
}

impl Scope {
    /// A name not yet taken, as near to the wanted one as can be.
    fn claim(&mut self, wanted: &str) -> String {
        let base: String = wanted.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
        let base = if quote::is_plain(&base) { base } else { format!("_{base}") };
        let mut name = base.clone();
        let mut number = self.next.get(&base).copied().unwrap_or(2);
        while RESERVED.contains(&name.as_str()) || !self.taken.insert(name.clone()) {
            name = format!("{base}{number}");
            number += 1;
        }
        self.next.insert(base, number);
        name
    }
}

impl<'a> Printer<'a> {
    fn new(graph: &'a Graph, hints: &'a Hints, functions: &[(String, NodeId)]) -> Printer<'a> {
        let mut printer = Printer { graph, hints, shared: BTreeMap::new() };
        printer.find_shared(functions);
        printer
    }

    /// Bodies that several nodes hold, and that are large or hold bodies themselves: printing each of them in full could double the text at every level.
    fn find_shared(&mut self, functions: &[(String, NodeId)]) {
        let roots: Vec<NodeId> = functions.iter().map(|f| f.1).collect();
        let mut holders: BTreeMap<NodeId, u32> = BTreeMap::new();
        let mut values: BTreeSet<NodeId> = BTreeSet::new();
        let order = self.graph.post_order(&roots);
        let is_lambda = |a: NodeId| self.graph.op(a) == Op::Core(Core::Lambda);
        for &id in &order {
            let parts = self.graph.op(id).def().parts(self.graph.args(id)).expect("a node has the arguments its op takes");
            parts.bodies.iter().for_each(|&a| *holders.entry(a).or_default() += 1);
            // A function that is a value, not a body, has no other way to be written.
            values.extend(parts.fixed.iter().chain(parts.tail).filter(|&&a| is_lambda(a)));
        }
        let mut taken: BTreeSet<String> = functions.iter().map(|f| f.0.clone()).collect();
        for id in order {
            let many = holders.get(&id).is_some_and(|&n| n > 1);
            let large = || {
                let block = self.graph.block_order(&[self.graph.result_of(id)]);
                block.len() > SHARED_BODY_NODES || block.iter().any(|&n| self.graph.op(n) == Op::Core(Core::Lambda))
            };
            if values.contains(&id) || (many && large()) {
                let mut number = self.shared.len() + 1;
                while !taken.insert(format!("shared{number}")) {
                    number += 1;
                }
                self.shared.insert(id, format!("shared{number}"));
            }
        }
    }

    fn program(&self, functions: &[(String, NodeId)]) -> String {
        let mut out = String::new();
        // Shared bodies were found children first, but are kept by id: a body's id is above those of the bodies in it.
        for (&lambda, name) in &self.shared {
            out.push_str(&self.function("body", name, lambda));
        }
        for (name, lambda) in functions {
            out.push_str(&self.function("func", name, *lambda));
        }
        out
    }

    fn function(&self, word: &str, name: &str, lambda: NodeId) -> String {
        let mut scope = Scope::default();
        let types = self.graph.types();
        let mut params = Vec::new();
        for (number, &ty) in self.graph.params_of(lambda).iter().enumerate() {
            let wanted = self.hints.param(lambda, number).map_or_else(|| format!("p{number}"), ToString::to_string);
            let param = scope.claim(&wanted);
            params.push(format!("{param}: {}", types.show(ty)));
            scope.params.push(param);
        }
        let result = self.graph.result_of(lambda);
        let mut out = format!("{word} @{}({}) -> {} {{\n", quote::name(name), params.join(", "), self.graph.show_ty(result));
        let named = self.named(result, true);
        self.statements(result, &named, &mut scope, "  ", &mut out);
        out.push_str("}\n");
        out
    }

    fn statements(&self, result: NodeId, named: &[NodeId], scope: &mut Scope, indent: &str, out: &mut String) {
        for &id in named {
            let text = self.expression(id, scope, indent, false);
            let name = scope.claim(&self.wanted_name(id));
            out.push_str(&format!("{indent}{name} = {text}\n"));
            scope.names.insert(id, name);
        }
        out.push_str(&format!("{indent}return {}\n", self.expression(result, scope, indent, true)));
    }

    fn wanted_name(&self, id: NodeId) -> String {
        match self.hints.node(id) {
            Some(hint) => hint.to_string(),
            None => {
                let name = self.graph.op(id).name();
                name.rsplit('.').next().unwrap_or(name).to_string()
            }
        }
    }

    /// The nodes of a body that become statements, in order: those read more than once, relations and loops in functions, and parts of deep expressions.
    fn named(&self, result: NodeId, function: bool) -> Vec<NodeId> {
        let order = self.graph.block_order(&[result]);
        let mut readers: BTreeMap<NodeId, u32> = BTreeMap::new();
        let args = |id: NodeId| if self.graph.op(id) == Op::Core(Core::Lambda) { &[] } else { self.graph.args(id) };
        for &id in &order {
            args(id).iter().for_each(|&a| *readers.entry(a).or_default() += 1);
        }
        let mut named = Vec::new();
        let mut inline: BTreeMap<NodeId, (u32, u32)> = BTreeMap::new();
        for &id in &order {
            let parts = args(id).iter().map(|a| inline.get(a).copied().unwrap_or((0, 1)));
            let (depth, nodes) = parts.fold((0, 1), |(d, n), (depth, nodes)| (d.max(depth + 1), n + nodes));
            let large = matches!(self.graph.ty(id), Ty::Rel(_) | Ty::Arr(..)) || !self.graph.op(id).def().bodies.is_empty();
            let wide = self.graph.op(id) != Op::Core(Core::Row) && nodes > MAX_INLINE_NODES;
            let shared = readers.get(&id).is_some_and(|&n| n > 1);
            let cheap = matches!(self.graph.op(id), Op::Core(Core::Get | Core::Item)) && depth <= 1 && !function;
            let statement = (shared && !cheap) || (function && large) || depth > MAX_INLINE_DEPTH || wide;
            if statement && id != result && !self.is_leaf(id) {
                named.push(id);
                inline.insert(id, (0, 1));
            } else {
                inline.insert(id, (depth, nodes));
            }
        }
        named
    }

    fn is_leaf(&self, id: NodeId) -> bool {
        matches!(self.graph.op(id), Op::Core(Core::Const | Core::Param | Core::Lambda | Core::Hole | Core::Token))
    }

    /// A node written out: by name where it has one, unless it is the statement's own.
    fn expression(&self, id: NodeId, scope: &mut Scope, indent: &str, by_name: bool) -> String {
        if by_name && let Some(name) = scope.names.get(&id) {
            return name.clone();
        }
        let node = self.graph.node(id);
        let types = self.graph.types();
        let def = node.op().def();
        match (node.op(), node.attrs(), node.args()) {
            (Op::Core(Core::Const), [Attr::Value(value), Attr::Ty(ty)], _) => self.constant(value, *ty),
            (Op::Core(Core::Param), [Attr::Int(number), _], _) => {
                scope.params.get(*number as usize).cloned().unwrap_or_else(|| format!("p{number}"))
            }
            (Op::Core(Core::Source), [Attr::Name(name), Attr::Ty(ty)], _) => format!("source {}: {}", quote::string(name), types.show(*ty)),
            (Op::Core(Core::Lambda), ..) => match self.shared.get(&id) {
                Some(name) => format!("@{name}"),
                None => self.body(id, None, &[], indent),
            },
            (Op::Core(Core::Get), [Attr::Name(field)], &[record]) => {
                format!("{}.{}", self.operand(record, scope, indent), quote::name(field))
            }
            (Op::Core(Core::Item), [Attr::Int(number)], &[tuple]) => format!("{}.{number}", self.operand(tuple, scope, indent)),
            (Op::Core(Core::Row), [Attr::Names(names)], values) => {
                let fields: Vec<String> = names
                    .iter()
                    .zip(values)
                    .map(|(n, &v)| format!("{}: {}", quote::name(n), self.expression(v, scope, indent, true)))
                    .collect();
                format!("{{{}}}", fields.join(", "))
            }
            (Op::Core(Core::Tuple), _, parts) => self.tuple(parts, scope, indent),
            (_, attrs, args) => {
                let attrs = attributes::show(types, def, attrs);
                self.call(def, &attrs, args, scope, indent)
            }
        }
    }

    /// What comes before a dot: literals in parentheses, since `1.0` is a number.
    fn operand(&self, id: NodeId, scope: &mut Scope, indent: &str) -> String {
        let text = self.expression(id, scope, indent, true);
        let plain = scope.names.contains_key(&id)
            || !matches!(self.graph.op(id), Op::Core(Core::Const | Core::Source | Core::Lambda))
                && self.graph.op(id).def().bodies.is_empty();
        if plain { text } else { format!("({text})") }
    }

    fn tuple(&self, parts: &[NodeId], scope: &mut Scope, indent: &str) -> String {
        let parts: Vec<String> = parts.iter().map(|&p| self.expression(p, scope, indent, true)).collect();
        match parts.as_slice() {
            [one] => format!("({one},)"),
            _ => format!("({})", parts.join(", ")),
        }
    }

    fn call(&self, def: &'static OpDef, attrs: &str, args: &[NodeId], scope: &mut Scope, indent: &str) -> String {
        let parts = def.parts(args).expect("a node has the arguments its op takes");
        let mut shown: Vec<String> = Vec::new();
        for (at, &arg) in parts.fixed.iter().enumerate() {
            // A tuple of variadic arguments is written as its parts, where it is made by the argument itself.
            match self.graph.as_tuple(arg) {
                Some(tuple) if def.gathered && at + 1 == parts.fixed.len() => {
                    shown.extend(tuple.parts.iter().map(|&p| self.expression(p, scope, indent, true)));
                }
                _ if def.gathered && at + 1 == parts.fixed.len() => shown.push(format!("*{}", self.expression(arg, scope, indent, true))),
                _ => shown.push(self.expression(arg, scope, indent, true)),
            }
        }
        if def.bodies.is_empty() {
            shown.extend(parts.tail.iter().map(|&a| self.expression(a, scope, indent, true)));
        }
        let mut out = format!("{}{attrs}({})", def.name, shown.join(", "));
        if def.bodies.is_empty() {
            return out;
        }
        let captures: Vec<String> = parts.tail.iter().map(|&a| self.expression(a, scope, indent, true)).collect();
        if !captures.is_empty() {
            out.push_str(&format!(" [{}]", captures.join(", ")));
        }
        for (which, &body) in parts.bodies.iter().enumerate() {
            out.push(' ');
            out.push_str(&match self.shared.get(&body) {
                Some(name) => format!("@{name}"),
                None => self.body(body, Some((def, which)), &captures, indent),
            });
        }
        out
    }

    /// `|a, b| …`.
    fn body(&self, lambda: NodeId, of: Option<(&OpDef, usize)>, captures: &[String], indent: &str) -> String {
        let mut scope = Scope::default();
        let params = self.graph.params_of(lambda);
        let own = params.len() - captures.len().min(params.len());
        for (number, &ty) in params.iter().enumerate() {
            let hint = self.hints.param(lambda, number).map(ToString::to_string);
            let wanted = hint.unwrap_or_else(|| match captures.get(number.wrapping_sub(own)) {
                Some(capture) if number >= own && quote::is_plain(capture) => capture.clone(),
                _ if number >= own => format!("c{}", number - own),
                _ => self.usual_name(ty, number, of),
            });
            let name = scope.claim(&wanted);
            scope.params.push(name);
        }
        let head = format!("|{}| ", scope.params.join(", "));
        let result = self.graph.result_of(lambda);
        let named = self.named(result, false);
        if named.is_empty() {
            return head + &self.expression(result, &mut scope, indent, true);
        }
        let deeper = format!("{indent}  ");
        let mut block = String::from("{\n");
        self.statements(result, &named, &mut scope, &deeper, &mut block);
        format!("{head}{block}{indent}}}")
    }

    /// What a body's parameter is called where it has no name.
    fn usual_name(&self, ty: TyId, number: usize, of: Option<(&OpDef, usize)>) -> String {
        let types = self.graph.types();
        let family = of.map_or("", |(def, _)| def.family);
        let names: &[&str] = match types.get(ty) {
            Ty::Struct(fields) if fields.iter().any(|f| matches!(types.get(f.ty), Ty::Arr(..))) => &["g"],
            Ty::Struct(_) => &["r", "s"],
            _ if family == "control" && ty == TyId::I64 => &["i", "j", "k"],
            _ => &["x", "y", "z"],
        };
        names.get(number).map_or_else(|| format!("x{number}"), ToString::to_string)
    }

    fn constant(&self, value: &crate::value::Value, ty: TyId) -> String {
        let types = self.graph.types();
        let text = literal::value_to_text(types, ty, value);
        if matches!(value, crate::value::Value::Struct(_)) {
            return format!("const{{value: {text}, ty: {}}}()", types.show(ty));
        }
        match ty {
            TyId::BOOL | TyId::I64 | TyId::F64 | TyId::STR | TyId::BYTES => text,
            _ => format!("{text}: {}", types.show(ty)),
        }
    }

    /// An expression cut off below a few levels.
    fn brief(&self, id: NodeId, scope: &mut Scope, depth: u32) -> String {
        if depth > 4 {
            return "…".into();
        }
        let node = self.graph.node(id);
        let args: Vec<String> = match node.op() {
            Op::Core(Core::Const | Core::Param) => return self.expression(id, scope, "", true),
            Op::Core(Core::Source) => {
                return self.graph.as_source(id).map_or_else(String::new, |s| format!("source {}", quote::string(&s.name)));
            }
            Op::Core(Core::Lambda) => return format!("|…| {}", self.brief(node.args()[0], scope, depth + 1)),
            _ => node.args().iter().take(12).map(|&a| self.brief(a, scope, depth + 1)).collect(),
        };
        match (node.op(), node.attrs()) {
            (Op::Core(Core::Get), [Attr::Name(field)]) => format!("{}.{}", args[0], quote::name(field)),
            (Op::Core(Core::Row), [Attr::Names(names)]) => {
                let fields: Vec<String> = names.iter().zip(&args).map(|(n, a)| format!("{}: {a}", quote::name(n))).collect();
                format!("{{{}}}", fields.join(", "))
            }
            (op, attrs) => format!("{}{}({})", op.name(), attributes::show(self.graph.types(), op.def(), attrs), args.join(", ")),
        }
    }
}
