//! Random well-typed programs and awkward data for them: what the rules are tested on.
//!
//! The same seed gives the same program on every machine. Values are drawn from the ends of each type: nulls, NaN, zeros of both signs, the minimum and maximum
//! integers, empty and non-ASCII text, few distinct keys.

mod arrays;
mod data;
mod draw;
mod joins;
mod relations;
mod scalars;

pub use draw::Draw;
pub use joins::{Joined, joins, joins_of_all_kinds};

use airloom_ir::graph::{Graph, NodeId, TypeError};
use airloom_ir::module::{Function, Module};
use airloom_ir::name::Name;
use airloom_ir::ops::core::BuildCore;
use airloom_ir::types::TyId;
use airloom_ir::value::Value;

/// A program of one function, `@f`, and arguments for it.
#[derive(Clone)]
pub struct Case {
    /// The program.
    pub module: Module,
    /// The arguments.
    pub args: Vec<Value>,
}

/// A random relational program: up to three tables, a number and a text come in, a relation goes out.
pub fn relational(seed: u64) -> Case {
    let mut draw = Draw::new(seed);
    let mut writer = Writer::new(&mut draw);
    let tables = 1 + writer.draw.below(3);
    let params: Vec<TyId> = (0..tables).map(|_| writer.table_type()).chain([TyId::I64, TyId::STR]).collect();
    let holes: Vec<NodeId> = params.iter().map(|&ty| writer.graph.fresh_hole(ty)).collect();
    writer.scalars = holes[tables..].to_vec();
    writer.relations = holes[..tables].to_vec();
    let steps = 1 + writer.draw.below(7);
    for _ in 0..steps {
        writer.relational_step();
    }
    let result = writer.relations.last().copied().unwrap_or(holes[0]);
    finish(writer, &holes, result)
}

/// A random array program: two arrays and two numbers come in, a number or an array goes out.
pub fn arrays(seed: u64) -> Case {
    let mut draw = Draw::new(seed);
    let mut writer = Writer::new(&mut draw);
    let params = writer.array_params();
    let holes: Vec<NodeId> = params.iter().map(|&ty| writer.graph.fresh_hole(ty)).collect();
    let result = writer.array_program(&holes);
    finish(writer, &holes, result)
}

fn finish(writer: Writer<'_>, holes: &[NodeId], result: NodeId) -> Case {
    let Writer { mut graph, draw, .. } = writer;
    let lambda = graph.function(holes, result).expect("a well-typed function closes");
    let params = graph.params_of(lambda).to_vec();
    let args = params.iter().map(|&ty| data::value(graph.types(), ty, draw)).collect();
    let functions = vec![Function { name: Name::new("f"), lambda }];
    Case { module: Module { graph, functions, ..Module::default() }, args }
}

/// A program being written.
struct Writer<'a> {
    graph: Graph,
    draw: &'a mut Draw,
    /// The relations made so far.
    relations: Vec<NodeId>,
    /// Scalars that bodies may capture.
    scalars: Vec<NodeId>,
    /// For names that differ.
    columns: usize,
}

impl<'a> Writer<'a> {
    fn new(draw: &'a mut Draw) -> Writer<'a> {
        Writer { graph: Graph::new(), draw, relations: Vec::new(), scalars: Vec::new(), columns: 0 }
    }

    fn fresh_name(&mut self) -> Name {
        self.columns += 1;
        Name::from(format!("c{}", self.columns))
    }

    /// A row of these values, under names of their own.
    fn fresh_row(&mut self, values: &[NodeId]) -> Result<NodeId, TypeError> {
        let names: Vec<Name> = values.iter().map(|_| self.fresh_name()).collect();
        self.graph.row(values, names.into())
    }
}
