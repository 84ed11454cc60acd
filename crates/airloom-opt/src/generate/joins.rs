//! Random trees of joins over tables of which everything is known: for the rules that choose an order.

use super::{Draw, Writer};
use crate::facts::{ColumnStatistics, Statistics, TableStatistics};
use airloom_ir::attrs::{JoinHow, NullMatch, Side, SortKey};
use airloom_ir::graph::{Args, NodeId};
use airloom_ir::module::{Function, Module};
use airloom_ir::name::Name;
use airloom_ir::ops::core::BuildCore;
use airloom_ir::ops::logic::BuildLogic;
use airloom_ir::ops::reduce::BuildReduce;
use airloom_ir::ops::relation::BuildRelation;
use airloom_ir::oracle::Source;
use airloom_ir::types::{Dim, Ty, TyId};
use airloom_ir::typing::ROWS;
use airloom_ir::value::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

const WELL: &str = "the generator writes well-typed programs";

/// A program that reads sources, with their data and what is known of them.
pub struct Joined {
    /// The program: one function, `@f`, without parameters.
    pub module: Module,
    /// The data of its sources.
    pub sources: Vec<(Name, Source)>,
    /// True statistics of that data.
    pub statistics: Statistics,
    /// Whether the order of the answer's rows is promised.
    pub ordered: bool,
}

/// Three to six tables of very different sizes, joined as a random tree, then grouped, sorted, or none of it.
pub fn joins(seed: u64) -> Joined {
    joins_of(seed, &[JoinHow::Inner])
}

/// The same with joins of all kinds, and with filters and groupings between them.
pub fn joins_of_all_kinds(seed: u64) -> Joined {
    joins_of(seed, &[JoinHow::Inner, JoinHow::Inner, JoinHow::Left, JoinHow::Right, JoinHow::Outer, JoinHow::Semi, JoinHow::Anti])
}

fn joins_of(seed: u64, kinds: &[JoinHow]) -> Joined {
    let mut draw = Draw::new(seed);
    let mut sources = Vec::new();
    let mut statistics = Statistics::default();
    let mut writer = Writer::new(&mut draw);
    let mut trees: Vec<NodeId> = Vec::new();
    for at in 0..3 + writer.draw.below(4) {
        let name = Name::from(format!("t{at}"));
        let (columns, rows) = (vec![writer.fresh_name(), writer.fresh_name()], *writer.draw.pick(&[0, 1, 2, 5, 12, 40]));
        let maybe = writer.graph.types_mut().option(TyId::I64);
        let ty = writer.graph.types_mut().rel_of(vec![(columns[0].clone(), TyId::I64), (columns[1].clone(), maybe)]).expect(WELL);
        let value = table(rows, writer.draw);
        statistics.tables.insert(name.clone(), known(&columns, &value));
        sources.push((name.clone(), Source { columns, value }));
        trees.push(writer.graph.source(name, ty).expect(WELL));
    }
    while trees.len() > 1 {
        let right = trees.swap_remove(writer.draw.below(trees.len()));
        let left = trees.swap_remove(writer.draw.below(trees.len()));
        let (left, right) = if kinds.len() > 1 { (writer.changed(left), writer.changed(right)) } else { (left, right) };
        let joined = writer.joined(left, right, kinds);
        trees.push(joined);
    }
    let (result, ordered) = writer.finished(trees[0]);
    let lambda = writer.graph.function(&[], result).expect(WELL);
    let functions = vec![Function { name: Name::new("f"), lambda }];
    Joined { module: Module { graph: writer.graph, functions, ..Module::default() }, sources, statistics, ordered }
}

/// Rows of a number and a number or null; few values, so that they meet, and sometimes the first is a key.
fn table(rows: usize, draw: &mut Draw) -> Value {
    let unique = draw.chance(50);
    let row = |at: usize, draw: &mut Draw| -> Arc<[Value]> {
        let first = if unique { at as i64 } else { draw.below(4) as i64 };
        let second = if draw.chance(20) { Value::Null } else { Value::int(draw.below(4) as i64) };
        [Value::int(first), second].into()
    };
    Value::rel(2, (0..rows).map(|at| row(at, draw)).collect())
}

/// The exact statistics of a table.
fn known(columns: &[Name], value: &Value) -> TableStatistics {
    let Value::Rel(table) = value else { unreachable!("a table is a relation") };
    let mut found = TableStatistics { rows: Some(table.rows.len() as u64), ..TableStatistics::default() };
    for (at, name) in columns.iter().enumerate() {
        let texts: BTreeSet<String> = table.rows.iter().map(|row| format!("{:?}", row[at])).collect();
        let nulls = table.rows.iter().filter(|row| row[at].is_null()).count() as u64;
        found.columns.insert(
            name.clone(),
            ColumnStatistics { distinct: Some(texts.len() as u64), nulls: Some(nulls), ..ColumnStatistics::default() },
        );
        if texts.len() == table.rows.len() {
            found.unique.push(vec![name.clone()]);
        }
    }
    found
}

impl Writer<'_> {
    fn any_column(&mut self, row: NodeId) -> NodeId {
        let Ty::Struct(fields) = self.graph.ty(row).clone() else { unreachable!("rows are structs") };
        let name = fields.get(self.draw.below(fields.len())).expect(WELL).name.clone();
        self.graph.get(row, name).expect(WELL)
    }

    fn hole_for(&mut self, relation: NodeId) -> NodeId {
        let Ty::Rel(fields) = self.graph.ty(relation).clone() else { unreachable!("a relation") };
        let ty = self.graph.types_mut().row(fields).expect(WELL);
        self.graph.fresh_hole(ty)
    }

    /// Some rows of a relation, or one for each value of a column, or the relation as it is.
    fn changed(&mut self, relation: NodeId) -> NodeId {
        match self.draw.below(4) {
            0 => {
                let row = self.hole_for(relation);
                let (a, b) = (self.any_column(row), self.any_column(row));
                let predicate = self.graph.le(a, b, airloom_ir::attrs::NanOrder::Ieee).expect(WELL);
                let (body, captures) = self.graph.close(&[row], predicate).expect(WELL);
                self.graph.filter(relation, body, &captures).expect(WELL)
            }
            1 => self.grouped(relation),
            _ => relation,
        }
    }

    /// A join by one or two keys, sometimes by none, sometimes with a predicate between the sides.
    fn joined(&mut self, left: NodeId, right: NodeId, kinds: &[JoinHow]) -> NodeId {
        let (left_row, right_row) = (self.hole_for(left), self.hole_for(right));
        let count = *self.draw.pick(&[0, 1, 1, 1, 2]);
        let (mut left_keys, mut right_keys) = (Args::new(), Args::new());
        for _ in 0..count {
            left_keys.push(self.any_column(left_row));
            right_keys.push(self.any_column(right_row));
        }
        let predicate = if self.draw.chance(25) {
            let (a, b) = (self.any_column(left_row), self.any_column(right_row));
            self.graph.le(a, b, airloom_ir::attrs::NanOrder::Ieee).expect(WELL)
        } else {
            self.graph.truth(true)
        };
        let (l, r) = (self.fresh_row(&left_keys).expect(WELL), self.fresh_row(&right_keys).expect(WELL));
        let closed = self.graph.close_all(&[(&[left_row], l), (&[right_row], r), (&[left_row, right_row], predicate)], &[]).expect(WELL);
        let &[l, r, p] = closed.bodies.as_slice() else { unreachable!("three bodies") };
        let how = if kinds.len() > 1 { *self.draw.pick(kinds) } else { kinds[0] };
        let major = *self.draw.pick(&[Side::Left, Side::Left, Side::Right]);
        self.graph.join(left, right, l, r, p, &closed.captures, how, NullMatch::Never, major).expect(WELL)
    }

    /// One row for each value of a column, with sums.
    fn grouped(&mut self, relation: NodeId) -> NodeId {
        let row = self.hole_for(relation);
        let key = self.any_column(row);
        let keys = self.fresh_row(&[key]).expect(WELL);
        let Ty::Rel(fields) = self.graph.ty(relation).clone() else { unreachable!("a relation") };
        let mut columns = Vec::new();
        for field in fields.iter() {
            columns.push((field.name.clone(), self.graph.types_mut().arr(field.ty, vec![Dim::Named(ROWS.into())]).expect(WELL)));
        }
        let ty = self.graph.types_mut().row_of(columns).expect(WELL);
        let hole = self.graph.fresh_hole(ty);
        let column = self.any_column(hole);
        let sum = self.graph.arr_sum(column, Arc::from([]), airloom_ir::attrs::Skip::Null, 0, false).expect(WELL);
        let first = self.graph.arr_first(column, Arc::from([]), airloom_ir::attrs::Skip::None).expect(WELL);
        let values: &[NodeId] = if self.draw.chance(50) { &[sum] } else { &[sum, first] };
        let aggregates = self.fresh_row(values).expect(WELL);
        let closed = self.graph.close_all(&[(&[row], keys), (&[hole], aggregates)], &[]).expect(WELL);
        self.graph.group(relation, closed.bodies[0], closed.bodies[1], &closed.captures).expect(WELL)
    }

    /// What is done with the joined rows, and whether their order is promised after it.
    fn finished(&mut self, joined: NodeId) -> (NodeId, bool) {
        match self.draw.below(4) {
            0 => (self.graph.unordered(joined).expect(WELL), false),
            1 => {
                let group = self.grouped(joined);
                let row = self.hole_for(group);
                let key = {
                    let Ty::Struct(fields) = self.graph.ty(row).clone() else { unreachable!("rows are structs") };
                    self.graph.get(row, fields.get(0).expect(WELL).name.clone()).expect(WELL)
                };
                let keys = self.fresh_row(&[key]).expect(WELL);
                let (body, captures) = self.graph.close(&[row], keys).expect(WELL);
                let rising = SortKey { descending: false, nulls_first: false };
                (self.graph.sort(group, body, &captures, Arc::from([rising])).expect(WELL), true)
            }
            _ => {
                let row = self.hole_for(joined);
                let (a, b) = (self.any_column(row), self.any_column(row));
                let kept = self.fresh_row(&[a, b]).expect(WELL);
                let (body, captures) = self.graph.close(&[row], kept).expect(WELL);
                (self.graph.project(joined, body, &captures).expect(WELL), true)
            }
        }
    }
}
