//! The op table: every op declared once, by family.
//!
//! From each family's table come its enum, its builders ([`Make`] is what they build with), its typed views (`graph.as_filter(id)`), and the
//! definitions by which the parser, printer, verifier, decoder and reference manual go. To add an op: one entry in its family's table, its
//! meaning in the oracle's module of the same family, its filetest.

pub mod array;
pub mod control;
pub mod core;
mod cutting;
mod def;
pub mod logic;
mod marks;
pub mod nested;
pub mod number;
pub mod reduce;
pub mod relation;
pub mod sequence;
pub mod temporal;
pub mod text;

pub use def::{AttrDef, BodyDef, EffectRule, Given, Nulls, OpDef};
pub(crate) use def::{on_overflow, raises_if};
pub use marks::{Aliasing, CAPTURES, Combine, Distribution, DistributionRule, KeyOrder, Names, Need};

use crate::attrs::Attrs;
use crate::graph::{Args, NodeId};
use std::sync::OnceLock;

/// Declares a family of ops. An entry reads:
///
/// ```text
/// /// What it means.
/// Variant builder view "text.name" (fixed, args; *gathered or ..rest) |body: its parameters| {attr: Type = default} -> type rule, spreads(Distribution), aliases(Aliasing), marks();
/// ```
///
/// `*gathered` is written as any number of arguments and stored as one tuple; `..rest` is any number of arguments. Arguments are stored in the
/// order fixed, gathered, bodies, then the rest or what the bodies capture. `spreads_by(rule)` stands in place of `spreads` where the distribution depends on
/// attributes. An entry without its distribution or its aliasing does not compile.
macro_rules! ops {
    (
        $(#[doc = $family_doc:literal])+
        family $Family:ident $Build:ident $family_name:literal;
        $(
            $(#[doc = $doc:literal])+
            $Variant:ident $make:ident $as_:ident $name:literal
            ( $($arg:ident),* $(; *$spread:ident)? $(; ..$rest:ident)? )
            $( | $($body:ident : $params:path),+ | )?
            $( { $($attr:ident : $aty:ty $(= $default:expr)?),+ } )?
            -> $rule:path $(, spreads ( $distribution:expr ))? $(, spreads_by ( $distribution_by:expr ))? , aliases ( $aliasing:expr )
            $(, $method:ident ( $($value:expr),* ))* ;
        )+
    ) => {
        $(#[doc = $family_doc])+
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum $Family { $($(#[doc = $doc])+ $Variant),+ }

        impl $Family {
            /// Every op of the family, in the order of the table.
            pub const ALL: &'static [$Family] = &[$($Family::$Variant),+];

            /// What the table says of each.
            pub const DEFS: &'static [$crate::ops::OpDef] = &[$(
                $crate::ops::OpDef {
                    op: $crate::ops::Op::$Family($Family::$Variant),
                    name: $name,
                    family: $family_name,
                    doc: concat!($($doc, "\n"),+),
                    args: &[$(stringify!($arg),)* $(stringify!($spread),)?],
                    gathered: ops!(@given $($spread)?),
                    rest: ops!(@option $($rest)?),
                    bodies: &[$($($crate::ops::BodyDef { name: stringify!($body), params: $params }),+)?],
                    attrs: &[$($($crate::ops::AttrDef {
                        name: stringify!($attr),
                        shape: <$aty as $crate::attrs::AttrType>::SHAPE,
                        default: ops!(@default $aty $(= $default)?),
                    }),+)?],
                    infer: $rule,
                    distribution: ops!(@spread [$($distribution)?] [$($distribution_by)?]),
                    aliasing: $aliasing,
                    ..$crate::ops::OpDef::PLAIN
                }$(.$method($($value),*))*
            ),+];
        }

        /// Builders of this family, for everything that can make nodes.
        pub trait $Build: $crate::ops::Make { $(
            $(#[doc = $doc])+
            fn $make(&mut self $(, $arg: $crate::graph::NodeId)* $(, $spread: $crate::graph::NodeId)?
                $($(, $body: $crate::graph::NodeId)+, captures: &[$crate::graph::NodeId])?
                $(, $rest: &[$crate::graph::NodeId])? $($(, $attr: $aty)+)?) -> Self::Made
            {
                #[allow(unused_mut, reason = "not every op has arguments")]
                let mut args = $crate::graph::Args::from_slice(&[$($arg,)* $($spread,)? $($($body,)+)?]);
                $( $( let _ = $body; )+ args.extend_from_slice(captures); )?
                $( args.extend_from_slice($rest); )?
                let attrs = smallvec::smallvec![$($($crate::attrs::AttrType::to_attr($attr)),+)?];
                self.make($crate::ops::Op::$Family($Family::$Variant), attrs, &args)
            }
        )+ }

        impl<M: $crate::ops::Make> $Build for M {}

        impl $crate::graph::Graph { $(
            #[doc = concat!("The parts of a `", $name, "`, where `id` is one.")]
            #[inline]
            pub fn $as_(&self, id: $crate::graph::NodeId) -> Option<view::$Variant> {
                let node = self.node(id);
                if node.op() != $crate::ops::Op::$Family($Family::$Variant) {
                    return None;
                }
                #[allow(unused_mut, unused_variables, reason = "not every op has arguments")]
                let mut args = node.args().iter().copied();
                #[allow(unused_mut, unused_variables, reason = "not every op has attributes")]
                let mut attrs = node.attrs().iter();
                Some(view::$Variant {
                    $($arg: args.next()?,)*
                    $($spread: args.next()?,)?
                    $($($body: args.next()?,)+ captures: args.by_ref().collect(),)?
                    $($rest: args.by_ref().collect(),)?
                    $($($attr: $crate::attrs::AttrType::from_attr(attrs.next()?)?,)+)?
                })
            }
        )+ }

        /// Typed views of the family's nodes.
        #[allow(unused_imports, reason = "a family may have no attributes of its own")]
        pub mod view {
            use super::*;
            $(
                #[doc = concat!("The parts of a `", $name, "`.")]
                #[derive(Clone, Debug)]
                #[allow(missing_docs, reason = "the fields are named as in the op table, where their meaning is")]
                pub struct $Variant {
                    $(pub $arg: $crate::graph::NodeId,)*
                    $(pub $spread: $crate::graph::NodeId,)?
                    $($(pub $body: $crate::graph::NodeId,)+ pub captures: $crate::graph::Args,)?
                    $(pub $rest: $crate::graph::Args,)?
                    $($(pub $attr: $aty,)+)?
                }
            )+
        }
    };
    (@spread [$is:expr] []) => { $crate::ops::DistributionRule::Is($is) };
    (@spread [] [$rule:expr]) => { $rule };
    (@given) => { false };
    (@given $name:ident) => { true };
    (@option) => { None };
    (@option $name:ident) => { Some(stringify!($name)) };
    (@default $aty:ty) => { None };
    (@default $aty:ty = $default:expr) => { Some(|| <$aty as $crate::attrs::AttrType>::to_attr($default)) };
}
pub(crate) use ops;

/// What builders build with: a graph, or a rule's context, which differ in what they do with a node that is refused.
pub trait Make {
    /// What making a node gives.
    type Made;
    /// The node for this op with these attributes and arguments.
    fn make(&mut self, op: Op, attrs: Attrs, args: &[NodeId]) -> Self::Made;
}

macro_rules! families {
    ($($module:ident :: $Family:ident),+) => {
        /// Which op a node is.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[allow(missing_docs, reason = "each family documents itself")]
        pub enum Op { $($Family($module::$Family)),+ }

        impl Op {
            /// What the table says of it.
            #[inline]
            pub fn def(self) -> &'static OpDef {
                match self { $(Op::$Family(op) => &$module::$Family::DEFS[op as usize]),+ }
            }

            /// Its place among all ops: dense, so that tables by op are arrays.
            #[inline]
            pub fn index(self) -> usize {
                let mut before = 0;
                $(
                    if let Op::$Family(op) = self { return before + op as usize }
                    before += $module::$Family::ALL.len();
                )+
                before
            }
        }

        $(impl From<$module::$Family> for Op {
            fn from(op: $module::$Family) -> Op { Op::$Family(op) }
        })+

        /// Every op, family by family, in the order of [`Op::index`].
        pub fn all() -> impl Iterator<Item = &'static OpDef> {
            std::iter::empty()$(.chain($module::$Family::DEFS.iter()))+
        }
    };
}
families! { core::Core, number::Number, logic::Logic, text::Text, temporal::Temporal, nested::Nested, relation::Relation, array::Array, reduce::Reduce, sequence::Sequence, control::Control }

impl Op {
    /// How many ops there are.
    pub fn count() -> usize {
        by_name().len()
    }

    /// The op with this name in the text form.
    pub fn from_name(name: &str) -> Option<Op> {
        let table = by_name();
        table.binary_search_by(|(n, _)| (*n).cmp(name)).ok().map(|at| table[at].1)
    }

    /// Its name in the text form.
    pub fn name(self) -> &'static str {
        self.def().name
    }
}

fn by_name() -> &'static [(&'static str, Op)] {
    static TABLE: OnceLock<Vec<(&'static str, Op)>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table: Vec<_> = all().map(|def| (def.name, def.op)).collect();
        table.sort_unstable();
        table
    })
}

/// How the arguments of a node fall into parts.
pub struct Parts<'a> {
    /// The fixed ones, the gathered tuple last.
    pub fixed: &'a [NodeId],
    /// The bodies.
    pub bodies: &'a [NodeId],
    /// What the bodies capture, or the rest.
    pub tail: &'a [NodeId],
}

impl OpDef {
    /// The parts of `args`, or `None` where there are too few of them.
    pub fn parts<'a>(&self, args: &'a [NodeId]) -> Option<Parts<'a>> {
        let (fixed, others) = args.split_at_checked(self.args.len())?;
        let (bodies, tail) = others.split_at_checked(self.bodies.len())?;
        if !tail.is_empty() && self.bodies.is_empty() && self.rest.is_none() {
            return None;
        }
        Some(Parts { fixed, bodies, tail })
    }
}

/// Arguments from pieces, for code that makes nodes of ops it does not know by name.
pub fn assemble(fixed: &[NodeId], bodies: &[NodeId], tail: &[NodeId]) -> Args {
    fixed.iter().chain(bodies).chain(tail).copied().collect()
}
