//! Attributes for ops that are tried.

use crate::generate::Draw;
use airloom_ir::attrs::{Attr, AttrShape};
use airloom_ir::name::Name;
use airloom_ir::ops::AttrDef;
use airloom_ir::types::{Fields, Ty, TyId, Types};

/// The types to choose from.
#[derive(Clone, Copy)]
pub(super) struct Pool<'a> {
    /// Types of every kind.
    pub(super) themes: &'a [TyId],
    /// The one that most things have.
    pub(super) theme: TyId,
}

/// An attribute that an op may have, given the types of its arguments; nothing where none can be thought of.
pub(super) fn drawn(types: &Types, spec: &AttrDef, args: &[TyId], pool: &Pool<'_>, draw: &mut Draw) -> Option<Attr> {
    Some(match spec.shape {
        AttrShape::Word(words) => Attr::Word(draw.below(words.len()) as u8),
        AttrShape::Bool => Attr::Bool(draw.chance(50)),
        AttrShape::Int => Attr::Int(*draw.pick(&[0, 0, 1, 1, 2, -1, 3])),
        AttrShape::Ty => Attr::Ty(target(types, args, pool, draw)),
        AttrShape::Name => Attr::Name(match spec.name {
            "field" => draw.pick(&names(record(types, args)?)).clone(),
            "zone" => Name::new(draw.pick::<&str>(&["UTC", "Europe/Paris", "America/New_York", "+05:30"])),
            "format" => Name::new(draw.pick::<&str>(&["%Y-%m-%d", "%H:%M:%S"])),
            "spec" => Name::new(draw.pick::<&str>(&["", "d", ".2f", ">5s"])),
            _ => return None,
        }),
        AttrShape::Names => Attr::Names(match record(types, args) {
            // Of a struct, some of its fields or all of them; of values, as many names as there are values.
            Some(fields) if args.len() == 1 => {
                let percent = *draw.pick(&[0, 50, 100]);
                names(fields).into_iter().filter(|_| draw.chance(percent)).collect()
            }
            _ => ["a", "b", "c", "d"].get(..args.len())?.iter().map(|name| Name::new(name)).collect(),
        }),
        AttrShape::Ints | AttrShape::Sort | AttrShape::Tys | AttrShape::Value => return None,
    })
}

/// A type to convert to, often that of the argument or the one most things have.
fn target(types: &Types, args: &[TyId], pool: &Pool<'_>, draw: &mut Draw) -> TyId {
    match (draw.below(6), args.first()) {
        (0, Some(&ty)) => types.strip(ty),
        (1..3, _) => pool.theme,
        _ => *draw.pick(pool.themes),
    }
}

fn record<'a>(types: &'a Types, args: &[TyId]) -> Option<&'a Fields> {
    match types.get(types.strip(*args.first()?)) {
        Ty::Struct(fields) if !fields.is_empty() => Some(fields),
        _ => None,
    }
}

fn names(fields: &Fields) -> Vec<Name> {
    fields.names().cloned().collect()
}
