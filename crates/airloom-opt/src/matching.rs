//! Patterns against nodes. Patterns are small and bounded in depth, so matching recurses over them.

use crate::context::Cx;
use airloom_ir::attrs::{Attr, Attrs};
use airloom_ir::graph::{Args, Graph, NodeId};
use airloom_ir::name::Name;
use airloom_ir::ops::Make;
use airloom_ir::ops::core::BuildCore;
use airloom_ir::text::pattern::{AttrPattern, Class, ClassKind, Pattern, Raw};
use airloom_ir::text::raw_to_value;
use airloom_ir::types::{Ty, TyId};
use airloom_ir::value::Value;
use smallvec::SmallVec;

/// What variables are bound to. Few, so a list.
#[derive(Clone, Default, Debug)]
pub struct Bindings {
    nodes: Vec<(Name, NodeId)>,
    rests: Vec<(Name, Args)>,
    attrs: Vec<(Name, Attr)>,
}

impl Bindings {
    /// The node a variable is bound to.
    pub fn node(&self, name: &str) -> Option<NodeId> {
        self.nodes.iter().find(|(n, _)| n.as_str() == name).map(|(_, id)| *id)
    }

    /// The arguments a `..?rest` is bound to.
    pub fn rest(&self, name: &str) -> Option<&[NodeId]> {
        self.rests.iter().find(|(n, _)| n.as_str() == name).map(|(_, ids)| ids.as_slice())
    }

    /// The attribute a variable is bound to.
    pub fn attr(&self, name: &str) -> Option<&Attr> {
        self.attrs.iter().find(|(n, _)| n.as_str() == name).map(|(_, attr)| attr)
    }

    /// Binds a variable by hand: for conditions and checks.
    pub fn bind(&mut self, name: &Name, node: NodeId) {
        self.nodes.push((name.clone(), node));
    }

    /// The nodes that some variables are bound to but that `pattern` does not mention: what becomes of nothing where it is built.
    pub(crate) fn dropped<'a>(&'a self, pattern: &'a Pattern) -> impl Iterator<Item = NodeId> + 'a {
        let nodes = self.nodes.iter().filter(|(name, _)| !mentions(pattern, name)).map(|(_, id)| *id);
        let rests = self.rests.iter().filter(|(name, _)| !mentions(pattern, name)).flat_map(|(_, ids)| ids.iter().copied());
        nodes.chain(rests)
    }

    fn counts(&self) -> [usize; 3] {
        [self.nodes.len(), self.rests.len(), self.attrs.len()]
    }

    fn truncate(&mut self, counts: [usize; 3]) {
        self.nodes.truncate(counts[0]);
        self.rests.truncate(counts[1]);
        self.attrs.truncate(counts[2]);
    }
}

/// Whether a pattern has a variable as a part; a literal that has its type does not hold it.
fn mentions(pattern: &Pattern, variable: &Name) -> bool {
    match pattern {
        Pattern::Var(name, _) | Pattern::Rest(name) => name == variable,
        Pattern::Literal(..) => false,
        Pattern::Call(_, _, args) => args.iter().any(|arg| mentions(arg, variable)),
    }
}

/// What the variables of `pattern` are bound to where it matches `node`.
pub fn matches(graph: &Graph, pattern: &Pattern, node: NodeId) -> Option<Bindings> {
    if !could_match(graph, pattern, node) {
        return None;
    }
    let mut bindings = Bindings::default();
    solve(graph, SmallVec::from_slice(&[(pattern, node)]), &mut bindings).then_some(bindings)
}

/// Whether a node may be the constant of a literal, decided without reading the literal by the node's type.
pub(crate) fn literal_could_be(graph: &Graph, raw: &Raw, node: NodeId) -> bool {
    match (raw, graph.const_value(node)) {
        (Raw::Int(wanted), Some(Value::Int(found))) => {
            matches!(graph.types().plain(graph.ty_id(node)), Ty::Decimal { .. }) || wanted == found
        }
        (Raw::Text(wanted), Some(Value::Str(found))) => **wanted == **found,
        (Raw::Bool(wanted), Some(Value::Bool(found))) => wanted == found,
        (Raw::Int(_) | Raw::Text(_), Some(Value::Str(_) | Value::Bool(_))) | (Raw::Bool(_), Some(_)) => false,
        (_, found) => found.is_some(),
    }
}

/// A look at the ops and literals alone, without binding anything: most rules that do not match fail here.
fn could_match(graph: &Graph, pattern: &Pattern, node: NodeId) -> bool {
    match pattern {
        Pattern::Var(..) | Pattern::Rest(_) => true,
        Pattern::Literal(raw, _) => literal_could_be(graph, raw, node),
        Pattern::Call(op, _, args) => {
            let found = graph.node(node);
            if found.op() != *op {
                return false;
            }
            let given = found.args();
            let in_order = args.iter().zip(given).all(|(p, &a)| could_match(graph, p, a));
            in_order
                || (op.def().commutative
                    && args.len() == 2
                    && given.len() == 2
                    && could_match(graph, &args[0], given[1])
                    && could_match(graph, &args[1], given[0]))
        }
    }
}

/// What is still to be matched, the next one last.
type Goals<'p> = SmallVec<[(&'p Pattern, NodeId); 8]>;

/// Whether all goals can be met together. Both orders of an op that commutes are tried, so that no rule has to say that it does; which of them is right may
/// show only later: in `or(and(?a, ?b), ?a)` it is the last `?a` that decides.
fn solve(graph: &Graph, mut goals: Goals<'_>, bindings: &mut Bindings) -> bool {
    while let Some((pattern, node)) = goals.pop() {
        match pattern {
            Pattern::Var(name, class) => {
                if !admits(graph, *class, node) {
                    return false;
                }
                match bindings.node(name) {
                    Some(bound) if bound != node => return false,
                    Some(_) => (),
                    None => bindings.nodes.push((name.clone(), node)),
                }
            }
            Pattern::Rest(_) => return false,
            Pattern::Literal(raw, _) => {
                let wanted = |value: &Value| raw_to_value(graph.types(), graph.ty_id(node), raw).is_ok_and(|wanted| wanted == *value);
                if !graph.const_value(node).is_some_and(wanted) {
                    return false;
                }
            }
            Pattern::Call(op, attrs, args) => {
                let found = graph.node(node);
                if found.op() != *op || !attrs_match(attrs, found.attrs(), bindings) {
                    return false;
                }
                let mut given = found.args();
                let mut args = args.as_slice();
                if let Some((Pattern::Rest(name), fixed)) = args.split_last() {
                    let Some((own, rest)) = given.split_at_checked(fixed.len()) else { return false };
                    if bindings.rest(name).is_some_and(|bound| bound != rest) {
                        return false;
                    }
                    bindings.rests.push((name.clone(), rest.into()));
                    (given, args) = (own, fixed);
                }
                if given.len() != args.len() {
                    return false;
                }
                if let (true, &[left, right], [first, second]) = (op.def().commutative, given, args) {
                    let (before, mut tried) = (bindings.counts(), goals.clone());
                    tried.extend([(second, right), (first, left)]);
                    if solve(graph, tried, bindings) {
                        return true;
                    }
                    bindings.truncate(before);
                    goals.extend([(second, left), (first, right)]);
                } else {
                    goals.extend(args.iter().zip(given.iter().copied()).rev());
                }
            }
        }
    }
    true
}

fn admits(graph: &Graph, class: Class, node: NodeId) -> bool {
    let (types, ty) = (graph.types(), graph.ty_id(node));
    let constant = class.kind != ClassKind::Const || graph.const_value(node).is_some();
    constant && class.kind.admits(types, ty) && !(class.sure && types.nullable(ty))
}

fn attrs_match(patterns: &[(usize, AttrPattern)], attrs: &[Attr], bindings: &mut Bindings) -> bool {
    patterns.iter().all(|(at, pattern)| match pattern {
        AttrPattern::Is(attr) => attrs[*at] == *attr,
        AttrPattern::Var(name) => match bindings.attr(name) {
            Some(bound) => *bound == attrs[*at],
            None => {
                bindings.attrs.push((name.clone(), attrs[*at].clone()));
                true
            }
        },
    })
}

/// The node that `pattern` says, its variables replaced. `whole` is the type of a literal that is the whole of it.
pub fn build(cx: &mut Cx<'_>, pattern: &Pattern, bindings: &Bindings, whole: Option<TyId>) -> Option<NodeId> {
    match pattern {
        Pattern::Var(name, _) => bindings.node(name),
        Pattern::Rest(_) => None,
        Pattern::Literal(raw, like) => {
            let ty = match like {
                Some(name) if *raw == Raw::Null => cx.ty_id(bindings.node(name)?),
                Some(name) => cx.types().strip(cx.ty_id(bindings.node(name)?)),
                None => whole?,
            };
            let value = raw_to_value(cx.types(), ty, raw).ok()?;
            cx.constant(value, ty)
        }
        Pattern::Call(op, given, args) => {
            let mut attrs = Attrs::new();
            for (at, spec) in op.def().attrs.iter().enumerate() {
                attrs.push(match given.iter().find(|(a, _)| *a == at) {
                    Some((_, AttrPattern::Is(attr))) => attr.clone(),
                    Some((_, AttrPattern::Var(name))) => bindings.attr(name)?.clone(),
                    None => (spec.default?)(),
                });
            }
            let mut nodes = Args::new();
            for arg in args {
                match arg {
                    Pattern::Rest(name) => nodes.extend_from_slice(bindings.rest(name)?),
                    _ => nodes.push(build(cx, arg, bindings, None)?),
                }
            }
            cx.make(*op, attrs, &nodes)
        }
    }
}
