//! Rules of text on their own left sides.

use super::attributes::{self, Pool};
use super::{Checked, compared, fail, none_made, types, values};
use crate::context::Cx;
use crate::driver::apply_text;
use crate::facts::{Facts, Statistics};
use crate::generate::Draw;
use crate::rule::{Rule, RuleError, TextRule};
use airloom_ir::attrs::{Attr, Attrs};
use airloom_ir::graph::{Args, Graph, NodeId};
use airloom_ir::name::Name;
use airloom_ir::ops::core::BuildCore;
use airloom_ir::ops::{Make, Op};
use airloom_ir::text::pattern::{AttrPattern, Class, ClassKind, Pattern, Raw};
use airloom_ir::text::raw_to_value;
use airloom_ir::types::{Ty, TyId};
use std::collections::BTreeMap;

/// How many arguments are tried for one choice of types and attributes.
const ARGUMENTS: u32 = 8;
/// How often each type is tried as the one that most variables have.
const ROUNDS: usize = 24;
/// How many choices are tried, for each case that is wanted, before giving up.
const PATIENCE: usize = 400;

/// Checks a rule of text.
pub(super) fn check(rule: &Rule, text: &TextRule, cases: u32, seed: u64) -> Result<Checked, RuleError> {
    let mut draw = Draw::new(seed);
    let mut graph = Graph::new();
    let themes = types::themes(graph.types_mut());
    let mut made = 0;
    for attempt in 0..PATIENCE * cases as usize {
        if made >= cases && attempt >= ROUNDS * themes.len() {
            break;
        }
        let theme = themes[attempt % themes.len()];
        let mut sketch = Sketch::new(&mut graph, &mut draw, Pool { themes: &themes, theme });
        let Some(left) = sketch.build(&text.left) else { continue };
        let params = sketch.params;
        let mut facts = Facts::new(Statistics::default());
        let mut cx = Cx::new(&mut graph, &mut facts, &[]);
        let right = apply_text(&mut cx, text, left);
        if let Some(error) = cx.refused {
            return Err(fail(rule, format!("builds an ill-typed node: {error}")));
        }
        let Some(right) = right.filter(|&right| right != left && graph.ty_id(right) == graph.ty_id(left)) else { continue };
        let close =
            |graph: &mut Graph, result: NodeId| graph.lambda(result, params.clone().into()).expect("only parameters are open in a case");
        let (before, after) = (close(&mut graph, left), close(&mut graph, right));
        compared::lighter(rule, &graph, before, after)?;
        compared::same(&graph, before, after, ARGUMENTS, &mut draw).map_err(|message| fail(rule, message))?;
        made += ARGUMENTS;
    }
    if made == 0 { Err(none_made(rule)) } else { Ok(Checked { cases: made }) }
}

/// A left side being built: a choice for each of its variables and for everything it leaves open.
struct Sketch<'a> {
    graph: &'a mut Graph,
    draw: &'a mut Draw,
    pool: Pool<'a>,
    params: Vec<TyId>,
    nodes: BTreeMap<Name, NodeId>,
    rests: BTreeMap<Name, Args>,
    attrs: BTreeMap<Name, Attr>,
}

impl<'a> Sketch<'a> {
    fn new(graph: &'a mut Graph, draw: &'a mut Draw, pool: Pool<'a>) -> Sketch<'a> {
        Sketch { graph, draw, pool, params: Vec::new(), nodes: BTreeMap::new(), rests: BTreeMap::new(), attrs: BTreeMap::new() }
    }

    /// The pattern as a node, where the choices fit together. Patterns are bounded in depth, so this may recurse.
    fn build(&mut self, pattern: &Pattern) -> Option<NodeId> {
        match pattern {
            Pattern::Var(name, class) => match self.nodes.get(name) {
                Some(&node) => Some(node),
                None => {
                    let node = self.variable(*class)?;
                    self.nodes.insert(name.clone(), node);
                    Some(node)
                }
            },
            Pattern::Rest(_) => None,
            Pattern::Literal(raw, _) => self.literal(raw),
            Pattern::Call(op, attrs, args) => self.call(*op, attrs, args),
        }
    }

    fn call(&mut self, op: Op, given: &[(usize, AttrPattern)], args: &[Pattern]) -> Option<NodeId> {
        let mut nodes = Args::new();
        for arg in args {
            match arg {
                Pattern::Rest(name) => nodes.extend(self.rest(name)?),
                _ => nodes.push(self.build(arg)?),
            }
        }
        let types: Vec<TyId> = nodes.iter().map(|&n| self.graph.ty_id(n)).collect();
        let mut attrs = Attrs::new();
        for (at, spec) in op.def().attrs.iter().enumerate() {
            let mut drawn = || attributes::drawn(self.graph.types(), spec, &types, &self.pool, self.draw);
            attrs.push(match given.iter().find(|(a, _)| *a == at) {
                Some((_, AttrPattern::Is(attr))) => attr.clone(),
                Some((_, AttrPattern::Var(name))) => match self.attrs.get(name) {
                    Some(attr) => attr.clone(),
                    None => {
                        let attr = drawn()?;
                        self.attrs.insert(name.clone(), attr.clone());
                        attr
                    }
                },
                None => drawn()?,
            });
        }
        self.graph.make(op, attrs, &nodes).ok()
    }

    fn rest(&mut self, name: &Name) -> Option<Args> {
        if let Some(rest) = self.rests.get(name) {
            return Some(rest.clone());
        }
        let class = Class { kind: ClassKind::Any, sure: false };
        let count = self.draw.below(3);
        let rest: Option<Args> = (0..count).map(|_| self.variable(class)).collect();
        self.rests.insert(name.clone(), rest.clone()?);
        rest
    }

    /// A new parameter of a class, or a constant where it must be one.
    fn variable(&mut self, class: Class) -> Option<NodeId> {
        let mut ty = self.ty();
        if !class.kind.admits(self.graph.types(), ty) {
            let admitted: Vec<TyId> = self.pool.themes.iter().copied().filter(|&t| class.kind.admits(self.graph.types(), t)).collect();
            ty = *self.draw.pick(&admitted);
        }
        ty = if class.sure { self.graph.types().strip(ty) } else { self.maybe(ty) };
        if class.kind == ClassKind::Const {
            let value = values::value(self.graph.types(), ty, self.draw);
            return self.graph.constant(value, ty).ok();
        }
        self.params.push(ty);
        self.graph.param(self.params.len() as i64 - 1, ty).ok()
    }

    /// A type for something of which nothing is known: mostly the theme, or the type of the other operand in many ops.
    fn ty(&mut self) -> TyId {
        match (self.draw.below(20), self.graph.types().get(self.pool.theme)) {
            (0..12, _) => self.pool.theme,
            (12..14, &Ty::List(element)) => element,
            (12..14, &Ty::Timestamp { unit, .. }) => self.graph.types_mut().duration(unit),
            (12..18, _) => *self.draw.pick(&[TyId::BOOL, TyId::I64, TyId::STR]),
            _ => *self.draw.pick(self.pool.themes),
        }
    }

    fn maybe(&mut self, ty: TyId) -> TyId {
        if self.draw.chance(45) { self.graph.types_mut().option(ty) } else { ty }
    }

    /// A constant of this value, in a type that has it.
    fn literal(&mut self, raw: &Raw) -> Option<NodeId> {
        let mut ty = self.ty();
        if raw_to_value(self.graph.types(), ty, raw).is_err() {
            let fitting: Vec<TyId> =
                self.pool.themes.iter().copied().filter(|&t| raw_to_value(self.graph.types(), t, raw).is_ok()).collect();
            ty = if fitting.is_empty() { self.pool.theme } else { *self.draw.pick(&fitting) };
        }
        if *raw == Raw::Null || self.draw.chance(10) {
            ty = self.graph.types_mut().option(ty);
        }
        let value = raw_to_value(self.graph.types(), ty, raw).ok()?;
        self.graph.constant(value, ty).ok()
    }
}
