//! Types of one table in another.

use super::{Field, Fields, Ty, TyId, Types};
use std::collections::BTreeMap;

impl Types {
    /// A type of another table in this one. `known` is what was brought over before, and gains what is brought over now. Types nest at most so deep, so this may
    /// recurse.
    pub fn import(&mut self, from: &Types, id: TyId, known: &mut BTreeMap<TyId, TyId>) -> TyId {
        if let Some(&found) = known.get(&id) {
            return found;
        }
        let mut part = |id: TyId| self.import(from, id, known);
        let mut fields = |fields: &Fields| {
            let list = fields.iter().map(|f| Field { name: f.name.clone(), ty: part(f.ty) }).collect();
            Fields::new(list).expect("the names are those of valid fields")
        };
        let ty = match from.get(id) {
            Ty::Struct(list) => Ty::Struct(fields(list)),
            Ty::Rel(list) => Ty::Rel(fields(list)),
            Ty::Dict(inner) => Ty::Dict(part(*inner)),
            Ty::List(inner) => Ty::List(part(*inner)),
            Ty::Option(inner) => Ty::Option(part(*inner)),
            Ty::Arr(inner, dims) => Ty::Arr(part(*inner), dims.clone()),
            Ty::Tuple(parts) => Ty::Tuple(parts.iter().map(|&t| part(t)).collect()),
            Ty::Fn(params, result) => Ty::Fn(params.iter().map(|&t| part(t)).collect(), part(*result)),
            simple => simple.clone(),
        };
        let made = self.intern(ty).expect("a type of one table is well formed in another");
        known.insert(id, made);
        made
    }
}
