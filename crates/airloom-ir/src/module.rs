//! A program: named closed functions over one graph, with what is known of where they came from.

use crate::graph::{Graph, NodeId};
use crate::name::Name;
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// A program. Names, hints and locations are beside the graph, never in it: they change nothing of what a node is.
#[derive(Clone, Default)]
pub struct Module {
    /// The nodes.
    pub graph: Graph,
    /// The functions, in the order they were written.
    pub functions: Vec<Function>,
    /// Where nodes came from.
    pub locations: Locations,
    /// What nodes and parameters were called.
    pub hints: Hints,
}

/// A closed function and its name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Its name, without `@`.
    pub name: Name,
    /// The function: a `lambda`.
    pub lambda: NodeId,
}

impl Module {
    /// The function of this name.
    pub fn function(&self, name: &str) -> Option<NodeId> {
        self.functions.iter().find(|f| f.name.as_str() == name).map(|f| f.lambda)
    }

    /// All functions, as roots of walks.
    pub fn roots(&self) -> Vec<NodeId> {
        self.functions.iter().map(|f| f.lambda).collect()
    }

    /// What some nodes need of the program, on its own: with its locations and names, and those functions that are among it. Of one root everything else is a
    /// part, so it comes last.
    pub fn compact(&self, roots: &[NodeId]) -> Module {
        let compacted = self.graph.compact(roots);
        let mut own = Module { graph: compacted.graph, ..Module::default() };
        for (&old, &new) in &compacted.moved {
            for place in self.locations.of(old) {
                own.locations.add(new, place.clone());
            }
            if let Some(called) = self.hints.node(old) {
                own.hints.name_node(new, called.clone());
            }
            let params: Vec<Name> = (0..).map_while(|number| self.hints.param(old, number).cloned()).collect();
            if !params.is_empty() {
                own.hints.name_params(new, params);
            }
        }
        let moved = |f: &Function| Some(Function { name: f.name.clone(), lambda: *compacted.moved.get(&f.lambda)? });
        own.functions = self.functions.iter().filter_map(moved).collect();
        own
    }
}

/// A location in the user's own file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Location {
    /// The file, where there is one.
    pub file: Option<Name>,
    /// The line, from 1.
    pub line: u32,
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.file {
            Some(file) => write!(f, "{file}:{}", self.line),
            None => write!(f, "line {}", self.line),
        }
    }
}

/// How many locations a node remembers: equal nodes are one node, wherever they were written.
const KEPT: usize = 4;

/// Where nodes came from: the first few locations of each.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Locations {
    places: BTreeMap<NodeId, SmallVec<[Location; 1]>>,
}

impl Locations {
    /// Remembers a location.
    pub fn add(&mut self, node: NodeId, place: Location) {
        let places = self.places.entry(node).or_default();
        if places.len() < KEPT && !places.contains(&place) {
            places.push(place);
        }
    }

    /// The locations of a node, in the order they were added.
    pub fn of(&self, node: NodeId) -> &[Location] {
        self.places.get(&node).map_or(&[], |p| p.as_slice())
    }

    /// For each node the nearest one, itself or one that reads it, that has locations. Nodes that rules made have none of their own.
    pub fn nearest(&self, graph: &Graph) -> Vec<Option<NodeId>> {
        let mut nearest: Vec<Option<NodeId>> = vec![None; graph.len()];
        // Readers come after what they read: of several the first decides.
        for id in graph.ids().rev() {
            if self.places.contains_key(&id) {
                nearest[id.index()] = Some(id);
            }
            if let Some(found) = nearest[id.index()] {
                graph.args(id).iter().for_each(|arg| nearest[arg.index()] = Some(found));
            }
        }
        nearest
    }

    /// Gives the locations of one node to another that replaces it, where that one has none of its own.
    pub fn inherit(&mut self, from: NodeId, to: NodeId) {
        if !self.places.contains_key(&to)
            && let Some(places) = self.places.get(&from).cloned()
        {
            self.places.insert(to, places);
        }
    }
}

/// What nodes and parameters were called, for the printer.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Hints {
    nodes: BTreeMap<NodeId, Name>,
    params: BTreeMap<NodeId, Vec<Name>>,
}

impl Hints {
    /// Remembers what a node was called; the first name stays.
    pub fn name_node(&mut self, node: NodeId, name: Name) {
        self.nodes.entry(node).or_insert(name);
    }

    /// Remembers what a function's parameters were called; the first names stay.
    pub fn name_params(&mut self, lambda: NodeId, names: Vec<Name>) {
        self.params.entry(lambda).or_insert(names);
    }

    /// Gives the names of one node to another that replaces it.
    pub fn inherit(&mut self, from: NodeId, to: NodeId) {
        if let Some(name) = self.nodes.get(&from).cloned() {
            self.nodes.entry(to).or_insert(name);
        }
        if let Some(names) = self.params.get(&from).cloned() {
            self.params.entry(to).or_insert(names);
        }
    }

    /// What a node was called.
    pub fn node(&self, node: NodeId) -> Option<&Name> {
        self.nodes.get(&node)
    }

    /// What a parameter of a function was called.
    pub fn param(&self, lambda: NodeId, number: usize) -> Option<&Name> {
        self.params.get(&lambda)?.get(number)
    }
}
