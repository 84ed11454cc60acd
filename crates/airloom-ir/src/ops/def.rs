//! What the table says of one op.

use super::Op;
use super::marks::{Aliasing, CAPTURES, Distribution, DistributionRule};
use crate::attrs::{Attr, AttrShape, Effect, Overflow, ZeroDivide};
use crate::types::{Ty, TyId, Types};
use crate::typing::Infer;

/// One entry of the op table.
#[derive(Clone, Copy)]
pub struct OpDef {
    /// Which op it is.
    pub op: Op,
    /// Its name in the text form.
    pub name: &'static str,
    /// Its family's name, a heading of the manual.
    pub family: &'static str,
    /// What it means: the manual's text.
    pub doc: &'static str,
    /// The fixed arguments.
    pub args: &'static [&'static str],
    /// Whether the last fixed argument is written as any number of arguments and stored as a tuple.
    pub gathered: bool,
    /// Any number of further arguments.
    pub rest: Option<&'static str>,
    /// The bodies.
    pub bodies: &'static [BodyDef],
    /// The attributes.
    pub attrs: &'static [AttrDef],
    /// The type of the result, or why there is none.
    pub infer: fn(&mut Infer<'_>) -> Result<TyId, String>,
    /// Whether a null argument makes the result null without more ado.
    pub nulls: Nulls,
    /// What it may do besides giving its value.
    pub effect: EffectRule,
    /// `op(a, b)` is `op(b, a)`.
    pub commutative: bool,
    /// `op(op(a, b), c)` is `op(a, op(b, c))`, to the bit; for ops on numbers, only among integers that wrap.
    pub associative: bool,
    /// `op(op(a))` is `op(a)`, or `op(a, a)` is `a`.
    pub idempotent: bool,
    /// How its work may be cut into pieces.
    pub distribution: DistributionRule,
    /// Which memory its result may share.
    pub aliasing: Aliasing,
}

/// One body of an op.
#[derive(Clone, Copy)]
pub struct BodyDef {
    /// Its name in the manual.
    pub name: &'static str,
    /// The types of its parameters, before those of the captures.
    pub params: fn(&mut Infer<'_>) -> Result<Vec<TyId>, String>,
}

/// One attribute of an op.
#[derive(Clone, Copy)]
pub struct AttrDef {
    /// Its name in the text form.
    pub name: &'static str,
    /// What it may be.
    pub shape: AttrShape,
    /// What it is when not written.
    pub default: Option<fn() -> Attr>,
}

/// What a null argument does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Nulls {
    /// The result is null; the op never sees one.
    Propagate,
    /// The op says for itself.
    Own,
}

/// How the effect of an op is found from its attributes.
#[derive(Clone, Copy)]
pub enum EffectRule {
    /// Always this.
    Is(Effect),
    /// By its attributes and the types of its arguments.
    By(fn(&Given<'_>) -> Effect),
}

/// What the effect and the distribution of a node may depend on.
#[derive(Clone, Copy)]
pub struct Given<'a> {
    /// Its attributes.
    pub attrs: &'a [Attr],
    /// Every type of the graph.
    pub types: &'a Types,
    /// The types of its arguments.
    pub args: &'a [TyId],
}

impl OpDef {
    /// What an entry says unless it says otherwise.
    pub(crate) const PLAIN: OpDef = OpDef {
        op: Op::Core(super::core::Core::Const),
        name: "",
        family: "",
        doc: "",
        args: &[],
        gathered: false,
        rest: None,
        bodies: &[],
        attrs: &[],
        infer: |_| Err(String::new()),
        nulls: Nulls::Own,
        effect: EffectRule::Is(Effect::Pure),
        commutative: false,
        associative: false,
        idempotent: false,
        // Every entry states these two itself: the macro does not compile one that leaves them out.
        distribution: DistributionRule::Is(Distribution::Single),
        aliasing: Aliasing::Outside,
    };

    pub(crate) const fn propagates(mut self) -> OpDef {
        self.nulls = Nulls::Propagate;
        self
    }

    pub(crate) const fn commutes(mut self) -> OpDef {
        self.commutative = true;
        self
    }

    pub(crate) const fn associates(mut self) -> OpDef {
        self.associative = true;
        self
    }

    pub(crate) const fn idempotent(mut self) -> OpDef {
        self.idempotent = true;
        self
    }

    pub(crate) const fn raises(mut self) -> OpDef {
        self.effect = EffectRule::Is(Effect::Raises);
        self
    }

    pub(crate) const fn raises_by(mut self, rule: fn(&Given<'_>) -> Effect) -> OpDef {
        self.effect = EffectRule::By(rule);
        self
    }

    /// What a node with these attributes and arguments may do by itself, its arguments and bodies apart.
    pub fn effect_of(&self, given: &Given<'_>) -> Effect {
        match self.effect {
            EffectRule::Is(effect) => effect,
            EffectRule::By(rule) => rule(given),
        }
    }

    /// How the work of a node with these attributes and arguments may be cut.
    pub fn distribution_of(&self, given: &Given<'_>) -> Distribution {
        match self.distribution {
            DistributionRule::Is(distribution) => distribution,
            DistributionRule::By { rule, .. } => rule(given),
        }
    }

    /// The positions, among the arguments of a node that has `count` of them, of those with this name in the table: several where it takes any number.
    pub fn positions(&self, name: &str, count: usize) -> std::ops::Range<usize> {
        let tail = self.args.len() + self.bodies.len();
        match self.args.iter().position(|arg| *arg == name) {
            Some(at) => at..at + 1,
            None if name == CAPTURES || self.rest == Some(name) => tail.min(count)..count,
            None => 0..0,
        }
    }

    /// The place of an attribute among its op's.
    pub fn attr_position(&self, name: &str) -> Option<usize> {
        self.attrs.iter().position(|a| a.name == name)
    }
}

/// Raises where the overflow attribute, which comes first, says so, and the arguments are not floats.
pub(crate) fn on_overflow(given: &Given<'_>) -> Effect {
    let float = given.args.first().is_some_and(|&t| matches!(given.types.plain(t), Ty::F32 | Ty::F64));
    raises_if(!float && given.attrs.first() == Some(&Attr::Word(Overflow::Raise as u8)))
}

/// Raises where the zero-division attribute, which comes first, says so.
pub(crate) fn on_zero(given: &Given<'_>) -> Effect {
    let float = given.args.first().is_some_and(|&t| matches!(given.types.plain(t), Ty::F32 | Ty::F64));
    raises_if(!float && given.attrs.first() == Some(&Attr::Word(ZeroDivide::Raise as u8)))
}

pub(crate) fn raises_if(raises: bool) -> Effect {
    if raises { Effect::Raises } else { Effect::Pure }
}
