//! Nodes of one graph in another.

use super::{Args, Graph, NodeId, TypeError};
use crate::attrs::Attr;
use crate::ops::Make;
use crate::types::{Field, Fields, Ty, TyId, Types};
use std::collections::BTreeMap;

impl Graph {
    /// Makes what `roots` of another graph are made of here too: equal programs come to equal ids, wherever they were built.
    pub fn import(&mut self, other: &Graph, roots: &[NodeId]) -> Result<Vec<NodeId>, TypeError> {
        let mut types = BTreeMap::new();
        let mut nodes: BTreeMap<NodeId, NodeId> = BTreeMap::new();
        for id in other.post_order(roots) {
            let node = other.node(id);
            let attrs = node.attrs().iter().map(|attr| match attr {
                Attr::Ty(ty) => Attr::Ty(import_type(&mut self.types, other.types(), *ty, &mut types)),
                Attr::Tys(tys) => Attr::Tys(tys.iter().map(|&ty| import_type(&mut self.types, other.types(), ty, &mut types)).collect()),
                other => other.clone(),
            });
            let attrs = attrs.collect();
            let args: Args = node.args().iter().map(|a| nodes[a]).collect();
            let made = self.make(node.op(), attrs, &args)?;
            nodes.insert(id, made);
        }
        Ok(roots.iter().map(|root| nodes[root]).collect())
    }
}

/// A type of one table in another. Types nest at most so deep, so this may recurse.
fn import_type(into: &mut Types, from: &Types, id: TyId, known: &mut BTreeMap<TyId, TyId>) -> TyId {
    if let Some(&found) = known.get(&id) {
        return found;
    }
    let mut part = |id: TyId| import_type(into, from, id, known);
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
    let made = into.intern(ty).expect("a type of one table is well formed in another");
    known.insert(id, made);
    made
}
