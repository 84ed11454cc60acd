//! The table of all types of a graph.

use super::{Dim, Field, Fields, IntTy, TimeUnit, Ty};
use crate::hash::hash_of;
use crate::name::Name;
use hashbrown::HashTable;
use std::sync::OnceLock;

/// How deep a type may nest. Types come from files too, and every walk over them may recurse this far.
pub const MAX_TYPE_DEPTH: u8 = 64;

/// A type of one graph. Equal types have equal ids.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TyId(pub(crate) u32);

impl TyId {
    /// `bool`.
    pub const BOOL: TyId = TyId(0);
    /// `i8`; the other widths follow it in the order of [`IntTy::ALL`].
    pub const I8: TyId = TyId(1);
    /// `i32`.
    pub const I32: TyId = TyId(3);
    /// `i64`.
    pub const I64: TyId = TyId(4);
    /// `u32`.
    pub const U32: TyId = TyId(7);
    /// `u64`.
    pub const U64: TyId = TyId(8);
    /// `f32`.
    pub const F32: TyId = TyId(9);
    /// `f64`.
    pub const F64: TyId = TyId(10);
    /// `str`.
    pub const STR: TyId = TyId(11);
    /// `bytes`.
    pub const BYTES: TyId = TyId(12);
    /// `date`.
    pub const DATE: TyId = TyId(13);
    /// `time`.
    pub const TIME: TyId = TyId(14);
    /// `token`.
    pub const TOKEN: TyId = TyId(15);
    /// `{}`, the row without fields.
    pub const UNIT: TyId = TyId(16);

    /// Its position in the table of types.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Every type of a graph, each once.
#[derive(Clone, Debug)]
pub struct Types {
    list: Vec<Ty>,
    depth: Vec<u8>,
    table: HashTable<TyId>,
}

impl Default for Types {
    fn default() -> Types {
        Types::new()
    }
}

impl Types {
    /// Whether another table has the same types at the same ids.
    pub fn same(&self, other: &Types) -> bool {
        std::ptr::eq(self, other) || self.list == other.list
    }

    /// The table that holds the simple types at their fixed ids.
    pub fn new() -> Types {
        // Every graph and every type on its own begins with these: they are interned once.
        static FIRST: OnceLock<Types> = OnceLock::new();
        FIRST.get_or_init(Types::first).clone()
    }

    fn first() -> Types {
        let mut types = Types { list: Vec::new(), depth: Vec::new(), table: HashTable::new() };
        let ints = IntTy::ALL.map(Ty::Int);
        let rest = [Ty::F32, Ty::F64, Ty::Str, Ty::Bytes, Ty::Date, Ty::Time, Ty::Token];
        let unit = Ty::Struct(Fields::new(Vec::new()).expect("no fields, no duplicates"));
        for ty in std::iter::once(Ty::Bool).chain(ints).chain(rest).chain([unit]) {
            types.insert(ty, 0);
        }
        types
    }

    /// The id of `ty`, or why there is no such type.
    pub fn intern(&mut self, ty: Ty) -> Result<TyId, String> {
        if let Some(&id) = self.table.find(hash_of(&ty), |&id| self.list[id.index()] == ty) {
            return Ok(id);
        }
        let depth = self.check(&ty)?;
        Ok(self.insert(ty, depth))
    }

    fn insert(&mut self, ty: Ty, depth: u8) -> TyId {
        let id = TyId(self.list.len() as u32);
        let hash = hash_of(&ty);
        self.list.push(ty);
        self.depth.push(depth);
        let list = &self.list;
        self.table.insert_unique(hash, id, |&id| hash_of(&list[id.index()]));
        id
    }

    /// The depth of a type about to be added, or what is wrong with it.
    fn check(&self, ty: &Ty) -> Result<u8, String> {
        let mut deepest = 0;
        let mut part = |id: TyId| match self.depth.get(id.index()) {
            Some(&d) => {
                deepest = deepest.max(d);
                Ok(())
            }
            None => Err(format!("type number {} is not in this graph", id.0)),
        };
        match ty {
            Ty::Dict(t) | Ty::List(t) | Ty::Option(t) | Ty::Arr(t, _) => part(*t)?,
            Ty::Struct(fields) | Ty::Rel(fields) => fields.iter().try_for_each(|f| part(f.ty))?,
            Ty::Tuple(parts) => parts.iter().try_for_each(|t| part(*t))?,
            Ty::Fn(params, result) => params.iter().chain([result]).try_for_each(|t| part(*t))?,
            _ => (),
        }
        match ty {
            Ty::Decimal { precision, scale } if !(1..=38).contains(precision) || scale > precision => {
                return Err(format!("`decimal({precision}, {scale})`: the precision is 1 to 38 and the scale at most the precision"));
            }
            Ty::Timestamp { zone: Some(zone), .. } if !crate::oracle::zones::is_known(zone) => {
                return Err(format!(
                    "there is no time zone `{zone}`; expected a name such as `Europe/Paris` or an offset such as `+02:00`"
                ));
            }
            Ty::Option(t) if !self.is_value(*t) || matches!(self.get(*t), Ty::Option(_)) => {
                return Err(format!("`{}` cannot be made nullable", self.show(*t)));
            }
            Ty::Dict(t) if !matches!(self.get(*t), Ty::Str | Ty::Bytes | Ty::Int(_) | Ty::Date | Ty::Timestamp { .. }) => {
                return Err(format!("a dictionary of `{}` is not supported", self.show(*t)));
            }
            Ty::Category { names, .. } => {
                let mut sorted: Vec<&Name> = names.iter().collect();
                sorted.sort();
                if let Some(pair) = sorted.windows(2).find(|p| p[0] == p[1]) {
                    return Err(format!("duplicate category `{}`", pair[0]));
                }
            }
            Ty::List(t) if !self.is_value(*t) => return Err(format!("a list of `{}` is not a value", self.show(*t))),
            Ty::Rel(fields) => {
                if let Some(f) = fields.iter().find(|f| !self.is_value(f.ty)) {
                    return Err(format!("column `{}` of a relation cannot be `{}`", f.name, self.show(f.ty)));
                }
            }
            Ty::Arr(t, _) if !self.is_value(*t) => return Err(format!("an array of `{}` is not supported", self.show(*t))),
            _ => (),
        }
        if deepest >= MAX_TYPE_DEPTH {
            return Err(format!("the type nests deeper than {MAX_TYPE_DEPTH}"));
        }
        Ok(deepest + 1)
    }

    /// Whether the id is one of this table's.
    pub fn contains(&self, id: TyId) -> bool {
        id.index() < self.list.len()
    }

    /// The type itself.
    #[inline]
    pub fn get(&self, id: TyId) -> &Ty {
        &self.list[id.index()]
    }

    /// How many types there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Never: the simple types are always there.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether values of it can be stored in a column: no relation, array, tuple, function or token anywhere in it.
    pub fn is_value(&self, id: TyId) -> bool {
        match self.get(id) {
            Ty::Rel(_) | Ty::Arr(..) | Ty::Tuple(_) | Ty::Fn(..) | Ty::Token => false,
            Ty::List(t) | Ty::Dict(t) | Ty::Option(t) => self.is_value(*t),
            Ty::Struct(fields) => fields.iter().all(|f| self.is_value(f.ty)),
            _ => true,
        }
    }

    /// The type without its `?`.
    #[inline]
    pub fn strip(&self, id: TyId) -> TyId {
        match self.get(id) {
            Ty::Option(inner) => *inner,
            _ => id,
        }
    }

    /// Whether a value of it may be null.
    #[inline]
    pub fn nullable(&self, id: TyId) -> bool {
        matches!(self.get(id), Ty::Option(_))
    }

    /// What lies under `?` and dictionary encoding: what decides which operations there are.
    #[inline]
    pub fn plain(&self, id: TyId) -> &Ty {
        match self.get(self.strip(id)) {
            Ty::Dict(value) => self.get(*value),
            ty => ty,
        }
    }

    /// `T?`, for a value type; `T?` itself stays.
    pub fn option(&mut self, id: TyId) -> TyId {
        if self.nullable(id) || !self.is_value(id) { id } else { self.made(Ty::Option(id)) }
    }

    /// `T?` where `nullable`, else `T`.
    pub fn with_null(&mut self, id: TyId, nullable: bool) -> TyId {
        if nullable { self.option(id) } else { id }
    }

    /// An integer type.
    pub fn int(&self, int: IntTy) -> TyId {
        let at = IntTy::ALL.iter().position(|&t| t == int).expect("every width is in `ALL`");
        TyId(TyId::I8.0 + at as u32)
    }

    /// `list<element>`.
    pub fn list(&mut self, element: TyId) -> Result<TyId, String> {
        self.intern(Ty::List(element))
    }

    /// A decimal type.
    pub fn decimal(&mut self, precision: u8, scale: u8) -> Result<TyId, String> {
        self.intern(Ty::Decimal { precision, scale })
    }

    /// A timestamp type, or that there is no such zone.
    pub fn timestamp(&mut self, unit: TimeUnit, zone: Option<Name>) -> Result<TyId, String> {
        self.intern(Ty::Timestamp { unit, zone })
    }

    /// A duration type.
    pub fn duration(&mut self, unit: TimeUnit) -> TyId {
        self.made(Ty::Duration(unit))
    }

    /// A struct type.
    pub fn row(&mut self, fields: Fields) -> Result<TyId, String> {
        self.intern(Ty::Struct(fields))
    }

    /// A struct type from names and types.
    pub fn row_of(&mut self, fields: Vec<(Name, TyId)>) -> Result<TyId, String> {
        let fields = Self::fields(fields)?;
        self.intern(Ty::Struct(fields))
    }

    /// A relation type.
    pub fn rel(&mut self, fields: Fields) -> Result<TyId, String> {
        self.intern(Ty::Rel(fields))
    }

    /// A relation type from names and types.
    pub fn rel_of(&mut self, fields: Vec<(Name, TyId)>) -> Result<TyId, String> {
        let fields = Self::fields(fields)?;
        self.intern(Ty::Rel(fields))
    }

    /// Fields from names and types, or an error that names the duplicate.
    pub fn fields(fields: Vec<(Name, TyId)>) -> Result<Fields, String> {
        Fields::new(fields.into_iter().map(|(name, ty)| Field { name, ty }).collect()).map_err(|name| format!("duplicate field `{name}`"))
    }

    /// An array type; with no axes, the element itself.
    pub fn arr(&mut self, element: TyId, dims: Vec<Dim>) -> Result<TyId, String> {
        if dims.is_empty() { Ok(element) } else { self.intern(Ty::Arr(element, dims)) }
    }

    /// A tuple type.
    pub fn tuple(&mut self, parts: Vec<TyId>) -> Result<TyId, String> {
        self.intern(Ty::Tuple(parts))
    }

    /// A function type.
    pub fn func(&mut self, params: Vec<TyId>, result: TyId) -> Result<TyId, String> {
        self.intern(Ty::Fn(params, result))
    }

    /// For types that cannot be refused.
    fn made(&mut self, ty: Ty) -> TyId {
        self.intern(ty).expect("a type without parts, or an option of a value, is always well formed")
    }
}
