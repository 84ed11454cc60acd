//! All rules there are, found by the ops they look at.

use crate::matching::literal_could_be;
use crate::rule::{Apply, Rule, RuleError};
use crate::stage::Stage;
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::hash::Table;
use airloom_ir::ops::Op;
use airloom_ir::text::pattern::{Pattern, Raw};
use airloom_ir::types::Ty;
use airloom_ir::value::Value;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The rules, each name once.
#[derive(Clone, Default)]
pub struct Registry {
    rules: Vec<Rule>,
    /// What each stage runs, found by op; made when first asked for, since programs are many and registries few.
    indices: [OnceLock<Index>; Stage::ALL.len()],
}

impl Registry {
    /// A registry without rules.
    pub fn new() -> Registry {
        Registry::default()
    }

    /// Every rule of airloom.
    pub fn standard() -> Registry {
        let mut registry = Registry::new();
        for rule in crate::rules::all() {
            let added = rule.and_then(|rule| registry.add(rule));
            added.expect("the rules of this crate are well formed, which its tests show");
        }
        registry
    }

    /// Adds a rule, or says why it cannot be added. Embedders add theirs here, while running.
    pub fn add(&mut self, rule: Rule) -> Result<(), RuleError> {
        let fail = |message: String| Err(RuleError { rule: rule.name.clone(), message, no_case: false });
        let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if rule.name.is_empty() || !rule.name.chars().all(kebab) {
            return fail("a rule's name is in kebab-case, as in `merge-filters`".into());
        }
        if self.rules.iter().any(|r| r.name == rule.name) {
            return fail("there is a rule of this name already".into());
        }
        let first = rule.doc.trim().lines().next().unwrap_or_default().trim();
        if !first.ends_with(['.', ':']) || !first.starts_with(|c: char| c.is_uppercase() || c == '`') {
            return fail(format!("its doc must begin with a sentence, found `{first}`"));
        }
        if rule.roots.is_empty() {
            return fail("it looks at no op".into());
        }
        self.rules.push(rule);
        self.indices = Default::default();
        Ok(())
    }

    /// The same without the rules of these names; a name that is none of them is an error.
    pub fn without(mut self, names: &[&str]) -> Result<Registry, String> {
        for name in names {
            let before = self.rules.len();
            self.rules.retain(|r| r.name.as_str() != *name);
            if self.rules.len() == before {
                return Err(format!("there is no rule `{name}`; `loom rules` lists them"));
            }
        }
        self.indices = Default::default();
        Ok(self)
    }

    /// Only the rules for which `keep` is true.
    pub fn only(mut self, keep: impl Fn(&Rule) -> bool) -> Registry {
        self.rules.retain(keep);
        self.indices = Default::default();
        self
    }

    /// All rules, in the order they were added.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The rule of this name.
    pub fn rule(&self, name: &str) -> Option<&Rule> {
        self.rules.iter().find(|r| r.name.as_str() == name)
    }

    /// The rules of a stage, found by op; those of `simplify`, which every stage runs too, are found by its own.
    pub(crate) fn index(&self, stage: Stage) -> &Index {
        let place = Stage::ALL.iter().position(|s| *s == stage).expect("`ALL` holds every stage");
        self.indices[place].get_or_init(|| {
            let mut index = Index { by_op: Vec::new() };
            index.by_op.resize_with(Op::count(), Bucket::default);
            for (number, rule) in self.rules.iter().enumerate() {
                if rule.stage == stage {
                    rule.roots.iter().for_each(|root| index.by_op[root.index()].add(number as u32, rule));
                }
            }
            index
        })
    }
}

/// The rules of a stage by the op of the node, and where a rule says so, by the op of one of its arguments and a literal in that: a thousand rules about `add`
/// cost nothing at an `add` whose arguments none of them is about.
#[derive(Clone)]
pub(crate) struct Index {
    by_op: Vec<Bucket>,
}

#[derive(Clone, Default)]
struct Bucket {
    always: Vec<u32>,
    by_child: BTreeMap<(usize, Op), Children>,
}

/// The rules that look for one op as an argument.
#[derive(Clone, Default)]
struct Children {
    /// Those that look for an integer as an argument of that: by its position and its value.
    by_integer: BTreeMap<usize, Table<i128, Vec<u32>>>,
    /// The others.
    others: Vec<Entry>,
}

/// A rule, and the argument of the argument that must be a literal, where there is one.
#[derive(Clone)]
struct Entry {
    number: u32,
    literal: Option<(usize, Raw)>,
}

impl Bucket {
    fn add(&mut self, number: u32, rule: &Rule) {
        let Some((op, place, child, literal)) = discriminator(rule) else { return self.always.push(number) };
        let places: &[usize] = if op.def().commutative { &[0, 1] } else { &[place] };
        for &place in places {
            let children = self.by_child.entry((place, child)).or_default();
            match &literal {
                Some((at, Raw::Int(value))) => children.by_integer.entry(*at).or_default().entry(*value).or_default().push(number),
                other => children.others.push(Entry { number, literal: other.clone() }),
            }
        }
    }
}

/// The first argument of a textual rule that must be a certain op, and the first literal that its arguments must have at a certain position.
fn discriminator(rule: &Rule) -> Option<(Op, usize, Op, Option<(usize, Raw)>)> {
    let Apply::Text(text) = &rule.apply else { return None };
    let Pattern::Call(op, _, args) = &text.left else { return None };
    let child = |pattern: &Pattern| match pattern {
        Pattern::Call(op, ..) => Some(*op),
        Pattern::Literal(..) => Some(Op::Core(airloom_ir::ops::core::Core::Const)),
        _ => None,
    };
    let literal = |pattern: &Pattern| match pattern {
        // Where the arguments may be exchanged, a literal has no certain position.
        Pattern::Call(op, _, args) if !op.def().commutative => args.iter().enumerate().find_map(|(at, arg)| match arg {
            Pattern::Literal(raw, _) => Some((at, raw.clone())),
            _ => None,
        }),
        _ => None,
    };
    args.iter().enumerate().find_map(|(place, arg)| child(arg).map(|child| (*op, place, child, literal(arg))))
}

impl Index {
    /// Adds the rules that may match a node.
    pub(crate) fn candidates(&self, graph: &Graph, node: NodeId, out: &mut Vec<u32>) {
        let bucket = &self.by_op[graph.op(node).index()];
        out.extend(&bucket.always);
        if !bucket.by_child.is_empty() {
            for (place, &arg) in graph.args(node).iter().enumerate() {
                if let Some(children) = bucket.by_child.get(&(place, graph.op(arg))) {
                    children.candidates(graph, arg, out);
                }
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.by_op.iter().all(|b| b.always.is_empty() && b.by_child.is_empty())
    }
}

impl Children {
    /// Adds the rules that may match a node with this argument.
    fn candidates(&self, graph: &Graph, argument: NodeId, out: &mut Vec<u32>) {
        let args = graph.args(argument);
        let fits = |entry: &&Entry| match &entry.literal {
            Some((at, raw)) => args.get(*at).is_some_and(|&id| literal_could_be(graph, raw, id)),
            None => true,
        };
        out.extend(self.others.iter().filter(fits).map(|entry| entry.number));
        for (at, rules) in &self.by_integer {
            let Some((&id, value)) = args.get(*at).and_then(|id| Some((id, graph.const_value(*id)?))) else { continue };
            match value {
                Value::Int(value) if !matches!(graph.types().plain(graph.ty_id(id)), Ty::Decimal { .. }) => {
                    out.extend(rules.get(value).into_iter().flatten());
                }
                // An integer of a rule may be any number of another type: matching decides. The order does not matter here.
                Value::Int(_) | Value::F32(_) | Value::F64(_) => out.extend(rules.values().flatten()),
                _ => (),
            }
        }
    }
}
