//! Nodes from what the parser has read, with every refusal on its line.

use super::SyntaxError;
use super::lexer::Place;
use crate::attrs::{Attr, Attrs};
use crate::graph::{NodeId, TypeError};
use crate::module::{Location, Module};
use crate::name::Name;
use crate::ops::core::BuildCore;
use crate::ops::{Make, Op, OpDef};
use crate::types::{Ty, TyId};
use crate::typing;

/// A node, or `None` where an error was already reported.
pub(super) type Maybe = Option<NodeId>;

pub(super) struct Build {
    pub(super) module: Module,
    pub(super) errors: Vec<SyntaxError>,
    file: Option<Name>,
}

impl Build {
    pub(super) fn new(file: Option<Name>) -> Build {
        Build { module: Module::default(), errors: Vec::new(), file }
    }

    /// Reports something refused.
    pub(super) fn refuse(&mut self, place: Place, message: String) -> Maybe {
        self.errors.push(SyntaxError { file: self.file.clone(), line: place.line, column: place.column, message });
        None
    }

    /// Keeps the location of what was made, or reports why it was not.
    pub(super) fn made(&mut self, place: Place, made: Result<NodeId, TypeError>) -> Maybe {
        match made {
            Ok(id) => {
                self.module.locations.add(id, Location { file: self.file.clone(), line: place.line });
                Some(id)
            }
            Err(error) => self.refuse(place, error.to_string()),
        }
    }

    pub(super) fn node(&mut self, op: Op, attrs: Attrs, args: &[Maybe], place: Place) -> Maybe {
        let args: Option<Vec<NodeId>> = args.iter().copied().collect();
        let made = self.module.graph.make(op, attrs, &args?);
        self.made(place, made)
    }

    pub(super) fn tuple(&mut self, place: Place, parts: &[Maybe]) -> Maybe {
        let parts: Option<Vec<NodeId>> = parts.iter().copied().collect();
        let made = self.module.graph.tuple(&parts?);
        self.made(place, made)
    }

    pub(super) fn row(&mut self, place: Place, names: &[Name], values: &[Maybe]) -> Maybe {
        let values: Option<Vec<NodeId>> = values.iter().copied().collect();
        let made = self.module.graph.row(&values?, names.into());
        self.made(place, made)
    }

    /// Puts the variadic arguments of an op into one tuple.
    pub(super) fn gather(&mut self, def: &OpDef, place: Place, args: &mut Vec<Maybe>) {
        if !def.gathered {
            return;
        }
        let single = def.args.len() - 1;
        if args.len() >= single {
            let gathered = args.split_off(single);
            let tuple = self.tuple(place, &gathered);
            args.push(tuple);
        }
    }

    /// The types of a body's parameters, captures included.
    pub(super) fn body_params(
        &mut self,
        def: &'static OpDef,
        attrs: &[Attr],
        args: &[Maybe],
        bodies: &[Maybe],
        captures: &[Maybe],
        place: Place,
    ) -> Option<Vec<TyId>> {
        let types_of = |build: &Build, nodes: &[Maybe]| -> Option<Vec<TyId>> {
            nodes.iter().map(|n| n.map(|id| build.module.graph.ty_id(id))).collect()
        };
        let (args, captured) = (types_of(self, args)?, types_of(self, captures)?);
        let results: Option<Vec<TyId>> = types_of(self, bodies)?
            .into_iter()
            .map(|ty| match self.module.graph.types().get(ty) {
                Ty::Fn(_, result) => Some(*result),
                _ => None,
            })
            .collect();
        if args.len() != def.args.len() {
            self.refuse(place, format!("`{}`: takes {} arguments, found {}", def.name, def.args.len(), args.len()));
            return None;
        }
        match typing::body_params(self.module.graph.types_mut(), def, attrs, &args, &results?, bodies.len()) {
            Ok(mut tys) => {
                tys.extend(captured);
                Some(tys)
            }
            Err(message) => {
                self.refuse(place, format!("`{}`: {message}", def.name));
                None
            }
        }
    }
}
