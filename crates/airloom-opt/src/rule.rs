//! A rule: one local rewrite that keeps the meaning, to the bit. A value, so that Rust, text and Python make the same thing.

use crate::context::Cx;
use crate::stage::Stage;
use airloom_ir::graph::NodeId;
use airloom_ir::name::Name;
use airloom_ir::ops::Op;
use airloom_ir::text::pattern::{AttrPattern, Pattern, parse_pattern};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// A rule.
#[derive(Clone)]
pub struct Rule {
    /// Kebab-case and stable: users write it to disable the rule, traces print it.
    pub name: Name,
    /// The manual's text; its first line is a sentence.
    pub doc: Name,
    /// When it runs.
    pub stage: Stage,
    /// The ops it is called at, and nowhere else: a rule costs nothing where it cannot match.
    pub roots: Vec<Op>,
    /// What it does.
    pub apply: Apply,
}

/// What a rule does.
#[derive(Clone)]
pub enum Apply {
    /// Rust code.
    Code(fn(&mut Cx<'_>, NodeId) -> Option<NodeId>),
    /// Text: where `left` matches and `when` is true of its constants, `right`. It does not apply where the type would change, nor where a variable that
    /// `right` does not mention is bound to something that may raise or has effects.
    Text(Arc<TextRule>),
    /// Code of an embedder.
    Host(Arc<dyn HostRule>),
}

/// The parts of a rule that is text.
#[derive(Clone, PartialEq, Debug)]
pub struct TextRule {
    /// What it matches.
    pub left: Pattern,
    /// What it makes of it.
    pub right: Pattern,
    /// A condition on variables that are bound to constants.
    pub when: Option<Pattern>,
    /// The texts, for the manual.
    pub source: (String, String, Option<String>),
}

/// A rule that an embedder writes.
pub trait HostRule: Send + Sync {
    /// The better node, or `None`. Building nodes and then giving up is harmless.
    fn apply(&self, cx: &mut Cx<'_>, node: NodeId) -> Option<NodeId>;
}

impl<F: Fn(&mut Cx<'_>, NodeId) -> Option<NodeId> + Send + Sync> HostRule for F {
    fn apply(&self, cx: &mut Cx<'_>, node: NodeId) -> Option<NodeId> {
        self(cx, node)
    }
}

/// Why a rule cannot be one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleError {
    /// The rule's name.
    pub rule: Name,
    /// What was found and what was expected.
    pub message: String,
    /// Whether nothing was found to be wrong, because no case of it could be made.
    pub no_case: bool,
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rule `{}`: {}", self.rule, self.message)
    }
}

impl std::error::Error for RuleError {}

impl Rule {
    /// A rule from text.
    pub fn text(stage: Stage, name: &str, doc: &str, left: &str, right: &str, when: Option<&str>) -> Result<Rule, RuleError> {
        let fail = |message: String| RuleError { rule: Name::new(name), message, no_case: false };
        let read = |what: &str, text: &str| parse_pattern(text).map_err(|e| fail(format!("in its {what}: {e}")));
        let rule = TextRule {
            left: read("left side", left)?,
            right: read("right side", right)?,
            when: when.map(|text| read("condition", text)).transpose()?,
            source: (left.to_string(), right.to_string(), when.map(str::to_string)),
        };
        let Pattern::Call(root, ..) = &rule.left else {
            return Err(fail(format!("its left side, `{left}`, would match everything: it must be an op")));
        };
        let mut bound = Variables::default();
        bound.collect(&rule.left);
        for (what, side) in [("right side", Some(&rule.right)), ("condition", rule.when.as_ref())] {
            let mut used = Variables::default();
            side.into_iter().for_each(|side| used.collect(side));
            if let Some(name) = used.names().find(|n| !bound.names().any(|b| b == *n)) {
                return Err(fail(format!("`?{name}` in its {what} is not bound on the left")));
            }
        }
        buildable(&rule.right, true).map_err(fail)?;
        let roots = vec![*root];
        Ok(Rule { name: Name::new(name), doc: Name::new(doc), stage, roots, apply: Apply::Text(Arc::new(rule)) })
    }

    /// A rule from code of an embedder.
    pub fn host(stage: Stage, name: &str, doc: &str, roots: Vec<Op>, rule: Arc<dyn HostRule>) -> Rule {
        Rule { name: Name::new(name), doc: Name::new(doc), stage, roots, apply: Apply::Host(rule) }
    }
}

/// Whether every op of a right side can be built: its attributes are given or have defaults, and literals have a type.
fn buildable(pattern: &Pattern, root: bool) -> Result<(), String> {
    match pattern {
        Pattern::Literal(_, None) if !root => Err("a literal inside its right side needs a type, as in `0: ?x`".into()),
        Pattern::Call(op, attrs, args) => {
            for (at, spec) in op.def().attrs.iter().enumerate() {
                if spec.default.is_none() && !attrs.iter().any(|(a, _)| *a == at) {
                    return Err(format!("`{}` on its right side needs the attribute `{}`", op.name(), spec.name));
                }
            }
            args.iter().try_for_each(|arg| buildable(arg, false))
        }
        _ => Ok(()),
    }
}

/// The variables of a pattern: nodes, lists of nodes and attributes have names of one space.
#[derive(Default)]
struct Variables(BTreeSet<Name>);

impl Variables {
    fn collect(&mut self, pattern: &Pattern) {
        match pattern {
            Pattern::Var(name, _) | Pattern::Rest(name) | Pattern::Literal(_, Some(name)) => {
                self.0.insert(name.clone());
            }
            Pattern::Literal(_, None) => (),
            Pattern::Call(_, attrs, args) => {
                for (_, attr) in attrs {
                    if let AttrPattern::Var(name) = attr {
                        self.0.insert(name.clone());
                    }
                }
                args.iter().for_each(|arg| self.collect(arg));
            }
        }
    }

    fn names(&self) -> impl Iterator<Item = &Name> {
        self.0.iter()
    }
}

/// A table of rules written as text. The doc is the manual's.
macro_rules! rules {
    ($stage:ident { $($(#[doc = $doc:literal])+ $name:literal: $left:literal => $right:literal $(, when $when:literal)?;)* }) => {
        vec![$($crate::rule::Rule::text(
            $crate::stage::Stage::$stage, $name, concat!($($doc, "\n"),+), $left, $right, $crate::rule::rules!(@when $($when)?),
        )),*]
    };
    (@when) => { None };
    (@when $when:literal) => { Some($when) };
}
pub(crate) use rules;

/// One rule that needs code. Its doc is the manual's.
macro_rules! rule {
    ($(#[doc = $doc:literal])+ $stage:ident $name:literal at [$($family:ident :: $root:ident),+] |$cx:ident, $node:ident| $body:block) => {
        $crate::rule::Rule {
            name: airloom_ir::name::Name::new($name),
            doc: airloom_ir::name::Name::new(concat!($($doc, "\n"),+)),
            stage: $crate::stage::Stage::$stage,
            roots: vec![$($family::$root.into()),+],
            apply: $crate::rule::Apply::Code({
                fn apply($cx: &mut $crate::context::Cx<'_>, $node: airloom_ir::graph::NodeId) -> Option<airloom_ir::graph::NodeId> { $body }
                apply
            }),
        }
    };
}
pub(crate) use rule;
