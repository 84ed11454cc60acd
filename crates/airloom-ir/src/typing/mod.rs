//! Type rules: the type of a node from the types of its arguments, or what is wrong with them. One module for each family of ops.

pub(crate) mod array;
pub(crate) mod control;
pub(crate) mod core;
pub(crate) mod logic;
pub(crate) mod nested;
pub(crate) mod number;
pub(crate) mod params;
pub(crate) mod reduce;
pub(crate) mod relation;
pub(crate) mod sequence;
pub(crate) mod temporal;
pub(crate) mod text;

use crate::attrs::{Attr, AttrShape, AttrType};
use crate::ops::{Nulls, OpDef};
use crate::types::{Dim, Fields, Ty, TyId, Types};
use smallvec::SmallVec;

/// The extent of the columns that a group or a window sees.
pub const ROWS: &str = "rows";

/// What a type rule may look at.
pub struct Infer<'a> {
    /// Every type of the graph.
    pub types: &'a mut Types,
    /// The types of the arguments, bodies and captures apart; without their `?` where null simply propagates.
    pub args: &'a [TyId],
    /// The types of what the bodies capture.
    pub captures: &'a [TyId],
    /// The result types of the bodies, as far as they are known.
    pub results: &'a [TyId],
    /// The attributes, which have the shapes the table says.
    pub attrs: &'a [Attr],
    pub(crate) names: &'static [&'static str],
}

/// The type of a node of `def` whose arguments, bodies and captures have the types `tys`.
pub(crate) fn infer(types: &mut Types, def: &'static OpDef, attrs: &[Attr], tys: &[TyId]) -> Result<TyId, String> {
    let fixed = def.args.len();
    let bodies = def.bodies.len();
    if tys.len() < fixed + bodies || (tys.len() > fixed + bodies && bodies == 0 && def.rest.is_none()) {
        return Err(wrong_count(def, tys.len()));
    }
    let mut args: SmallVec<[TyId; 6]> = SmallVec::from_slice(&tys[..fixed]);
    let captures = if bodies > 0 { &tys[fixed + bodies..] } else { &[] };
    if bodies == 0 {
        args.extend_from_slice(&tys[fixed..]);
    }
    let nullable = def.nulls == Nulls::Propagate && args.iter().any(|&t| types.nullable(t));
    if nullable {
        args.iter_mut().for_each(|t| *t = types.strip(*t));
    }
    let mut results: SmallVec<[TyId; 4]> = SmallVec::new();
    for (body, &ty) in def.bodies.iter().zip(&tys[fixed..]) {
        let mut expected = (body.params)(&mut Infer { types, args: &args, captures, results: &results, attrs, names: def.args })?;
        expected.extend_from_slice(captures);
        let Ty::Fn(found, result) = types.get(ty) else {
            return Err(format!("the body `{}` must be a function, not `{}`", body.name, types.show(ty)));
        };
        if *found != expected {
            let list = |tys: &[TyId]| tys.iter().map(|&t| types.show(t)).collect::<Vec<_>>().join(", ");
            return Err(format!("the body `{}` takes ({}), but is given ({})", body.name, list(found), list(&expected)));
        }
        results.push(*result);
    }
    let ty = (def.infer)(&mut Infer { types, args: &args, captures, results: &results, attrs, names: def.args })?;
    Ok(types.with_null(ty, nullable))
}

/// The parameter types of body number `which`, captures apart: what the parser and front ends need before the body exists.
pub fn body_params(
    types: &mut Types,
    def: &'static OpDef,
    attrs: &[Attr],
    args: &[TyId],
    results: &[TyId],
    which: usize,
) -> Result<Vec<TyId>, String> {
    let stripped: Vec<TyId>;
    let args = if def.nulls == Nulls::Propagate {
        stripped = args.iter().map(|&t| types.strip(t)).collect();
        &stripped
    } else {
        args
    };
    (def.bodies[which].params)(&mut Infer { types, args, captures: &[], results, attrs, names: def.args })
}

fn wrong_count(def: &OpDef, found: usize) -> String {
    let plural = |n: usize| if n == 1 { "" } else { "s" };
    let fixed = def.args.len();
    let mut expected = format!("{fixed} argument{}", plural(fixed));
    if def.rest.is_some() {
        expected = format!("at least {expected}");
    }
    if !def.bodies.is_empty() {
        expected = format!("{expected} and {} bod{}", def.bodies.len(), if def.bodies.len() == 1 { "y" } else { "ies" });
    }
    format!("takes {expected}, found {found}")
}

/// Whether attributes have the shapes the table says, and types that exist.
pub(crate) fn check_attrs(types: &Types, def: &OpDef, attrs: &[Attr]) -> Result<(), String> {
    if attrs.len() != def.attrs.len() {
        return Err(format!("takes {} attributes, found {}", def.attrs.len(), attrs.len()));
    }
    for (attr, spec) in attrs.iter().zip(def.attrs) {
        if !spec.shape.admits(attr) {
            return Err(format!("the attribute `{}` must be {}", spec.name, spec.shape.describe()));
        }
        let known = match attr {
            Attr::Ty(ty) => types.contains(*ty),
            Attr::Tys(tys) => tys.iter().all(|t| types.contains(*t)),
            _ => true,
        };
        if !known {
            return Err(format!("the attribute `{}` names a type that is not in this graph", spec.name));
        }
    }
    debug_assert!(def.attrs.iter().all(|a| a.shape != AttrShape::Word(&[])), "a word list has words");
    Ok(())
}

impl Infer<'_> {
    /// An attribute by its position.
    pub(crate) fn attr<T: AttrType>(&self, at: usize) -> T {
        self.attrs.get(at).and_then(T::from_attr).expect("attributes were checked against the table")
    }

    /// The type at a position, without `?` and dictionary encoding.
    pub(crate) fn plain(&self, at: usize) -> &Ty {
        self.types.plain(self.args[at])
    }

    /// The text of a type.
    pub(crate) fn show(&self, ty: TyId) -> String {
        self.types.show(ty)
    }

    /// How an argument is called in messages.
    pub(crate) fn name(&self, at: usize) -> String {
        self.names.get(at).map_or_else(|| format!("argument {at}"), |name| format!("`{name}`"))
    }

    /// An argument that is not what it should be.
    pub(crate) fn wrong<T>(&self, at: usize, expected: &str) -> Result<T, String> {
        Err(format!("{} must be {expected}, not `{}`", self.name(at), self.show(self.args[at])))
    }

    /// The argument must have exactly this type.
    pub(crate) fn want(&self, at: usize, ty: TyId) -> Result<(), String> {
        if self.args[at] == ty { Ok(()) } else { self.wrong(at, &format!("`{}`", self.show(ty))) }
    }

    /// The argument must have this type, or it with `?`.
    pub(crate) fn want_maybe(&self, at: usize, ty: TyId) -> Result<(), String> {
        if self.types.strip(self.args[at]) == ty { Ok(()) } else { self.wrong(at, &format!("`{}`", self.show(ty))) }
    }

    /// All arguments must have the same type as the first.
    pub(crate) fn all_same(&self) -> Result<TyId, String> {
        let first = *self.args.first().ok_or("takes at least one argument, found none")?;
        for (at, &ty) in self.args.iter().enumerate() {
            if ty != first {
                return Err(format!(
                    "all arguments must have the same type, but {} is `{}` and {} is `{}`; hint: `cast` one of them",
                    self.name(0),
                    self.show(first),
                    self.name(at),
                    self.show(ty)
                ));
            }
        }
        Ok(first)
    }

    /// All arguments must have the same type but for `?`: that type, and whether any is nullable.
    pub(crate) fn all_same_maybe(&self) -> Result<(TyId, bool), String> {
        let stripped: Vec<TyId> = self.args.iter().map(|&t| self.types.strip(t)).collect();
        let nullable = self.args.iter().any(|&t| self.types.nullable(t));
        let first = *stripped.first().ok_or("takes at least one argument, found none")?;
        match stripped.iter().position(|&t| t != first) {
            None => Ok((first, nullable)),
            Some(at) => Err(format!(
                "all arguments must have the same type, but {} is `{}` and {} is `{}`; hint: `cast` one of them",
                self.name(0),
                self.show(first),
                self.name(at),
                self.show(stripped[at])
            )),
        }
    }

    /// The fields of a relation.
    pub(crate) fn rel(&self, at: usize) -> Result<Fields, String> {
        match self.types.get(self.args[at]) {
            Ty::Rel(fields) => Ok(fields.clone()),
            _ => self.wrong(at, "a relation"),
        }
    }

    /// The element and extents of an array.
    pub(crate) fn arr(&self, at: usize) -> Result<(TyId, Vec<Dim>), String> {
        match self.types.get(self.args[at]) {
            Ty::Arr(element, dims) => Ok((*element, dims.clone())),
            _ => self.wrong(at, "an array"),
        }
    }

    /// The element and extent of an array of one axis.
    pub(crate) fn arr1(&self, at: usize) -> Result<(TyId, Dim), String> {
        let (element, mut dims) = self.arr(at)?;
        if dims.len() == 1 { Ok((element, dims.remove(0))) } else { self.wrong(at, "an array of one axis") }
    }

    /// The fields that a body returns as a struct.
    pub(crate) fn result_fields(&self, which: usize, what: &str) -> Result<Fields, String> {
        match self.types.get(self.results[which]) {
            Ty::Struct(fields) => Ok(fields.clone()),
            _ => Err(format!("the body `{what}` must return a struct, not `{}`", self.show(self.results[which]))),
        }
    }

    /// A body that must return a boolean, null or not.
    pub(crate) fn result_truth(&self, which: usize, what: &str) -> Result<(), String> {
        let found = self.results[which];
        if self.types.strip(found) == TyId::BOOL {
            Ok(())
        } else {
            Err(format!("the body `{what}` must return `bool` or `bool?`, not `{}`", self.show(found)))
        }
    }

    /// A body that must return values of a column.
    pub(crate) fn result_value(&self, which: usize, what: &str) -> Result<TyId, String> {
        let found = self.results[which];
        if self.types.is_value(found) {
            Ok(found)
        } else {
            Err(format!("the body `{what}` must return a value, not `{}`", self.show(found)))
        }
    }

    /// Whether values of a type have an order.
    pub(crate) fn is_ordered(&self, ty: TyId) -> bool {
        match self.types.plain(ty) {
            Ty::Bool | Ty::Int(_) | Ty::F32 | Ty::F64 | Ty::Decimal { .. } | Ty::Str | Ty::Bytes | Ty::Date | Ty::Time => true,
            Ty::Timestamp { .. } | Ty::Duration(_) => true,
            Ty::Category { ordered, .. } => *ordered,
            _ => false,
        }
    }

    /// Every field must be sortable.
    pub(crate) fn sortable(&self, fields: &Fields) -> Result<(), String> {
        match fields.iter().find(|f| !self.is_ordered(f.ty) && !matches!(self.types.plain(f.ty), Ty::Category { .. })) {
            Some(f) => Err(format!("the key `{}` has type `{}`, which has no order", f.name, self.show(f.ty))),
            None => Ok(()),
        }
    }
}
