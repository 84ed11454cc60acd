//! Random relational ops.

use super::Writer;
use super::scalars::KINDS;
use airloom_ir::attrs::{EmptyList, JoinHow, Keep, NullMatch, Side, Skip, SortKey};
use airloom_ir::graph::{Args, NodeId};
use airloom_ir::name::Name;
use airloom_ir::ops::core::BuildCore;
use airloom_ir::ops::reduce::BuildReduce;
use airloom_ir::ops::relation::BuildRelation;
use airloom_ir::ops::sequence::BuildSequence;
use airloom_ir::types::{Dim, Fields, Ty, TyId};
use airloom_ir::typing::ROWS;
use airloom_ir::value::Value;
use std::sync::Arc;

/// How wide relations may become before they are projected.
const WIDE: usize = 9;
/// How deep expressions nest.
const DEPTH: u32 = 3;

const WELL: &str = "the generator writes well-typed programs";

impl Writer<'_> {
    /// The type of a table.
    pub(super) fn table_type(&mut self) -> TyId {
        let count = 1 + self.draw.below(4);
        let mut fields = Vec::new();
        for _ in 0..count {
            let kind = *self.draw.pick(&KINDS);
            let ty = if self.draw.chance(50) { self.graph.types_mut().option(kind) } else { kind };
            fields.push((self.fresh_name(), ty));
        }
        self.graph.types_mut().rel_of(fields).expect(WELL)
    }

    fn fields(&self, relation: NodeId) -> Fields {
        match self.graph.ty(relation) {
            Ty::Rel(fields) => fields.clone(),
            _ => unreachable!("relations are kept apart"),
        }
    }

    fn row_type(&mut self, relation: NodeId) -> TyId {
        let fields = self.fields(relation);
        self.graph.types_mut().row(fields).expect(WELL)
    }

    /// One more relation, made of those there are.
    pub(super) fn relational_step(&mut self) {
        let input =
            if self.draw.chance(80) { *self.relations.last().expect("there is a table") } else { *self.draw.pick(&self.relations.clone()) };
        let made = if self.fields(input).len() > WIDE {
            self.project(input)
        } else {
            match self.draw.below(20) {
                0..=3 => self.filter(input),
                4..=6 => self.project(input),
                7 | 8 => self.sort(input),
                9 => self.slice(input),
                10 => self.distinct(input),
                11 | 12 => self.group(input),
                13..=15 => self.join(input),
                16 => self.concat(input),
                17 => self.window(input),
                18 => self.number(input),
                _ => self.reshape(input),
            }
        };
        self.relations.push(made);
    }

    fn filter(&mut self, input: NodeId) -> NodeId {
        let ty = self.row_type(input);
        let row = self.graph.fresh_hole(ty);
        let predicate = self.expression(TyId::BOOL, &[row], DEPTH);
        let (body, captures) = self.graph.close(&[row], predicate).expect(WELL);
        self.graph.filter(input, body, &captures).expect(WELL)
    }

    /// Some of the columns, some computed ones.
    fn project(&mut self, input: NodeId) -> NodeId {
        let ty = self.row_type(input);
        let row = self.graph.fresh_hole(ty);
        let (mut names, mut values): (Vec<Name>, Vec<NodeId>) = (Vec::new(), Vec::new());
        for field in self.fields(input).iter() {
            if self.draw.chance(55) && names.len() < WIDE {
                names.push(field.name.clone());
                values.push(self.graph.get(row, field.name.clone()).expect(WELL));
            }
        }
        for _ in 0..self.draw.below(3) {
            let kind = *self.draw.pick(&KINDS);
            values.push(self.expression(kind, &[row], DEPTH));
            names.push(self.fresh_name());
        }
        if names.is_empty() {
            names.push(self.fresh_name());
            values.push(self.expression(TyId::I64, &[row], 1));
        }
        let result = self.graph.row(&values, names.into()).expect(WELL);
        let (body, captures) = self.graph.close(&[row], result).expect(WELL);
        self.graph.project(input, body, &captures).expect(WELL)
    }

    /// A body that gives a few keys: mostly columns as they are.
    fn keys(&mut self, row: NodeId, most: usize) -> (NodeId, usize) {
        let Ty::Struct(fields) = self.graph.ty(row).clone() else { unreachable!("rows are structs") };
        let mut values: Args = Args::new();
        for _ in 0..1 + self.draw.below(most) {
            let value = if self.draw.chance(75) && !fields.is_empty() {
                let name = fields.get(self.draw.below(fields.len())).map(|f| f.name.clone()).expect(WELL);
                let got = self.graph.get(row, name).expect(WELL);
                // Only what has an order can be a key of a sort.
                let plain = self.graph.types().strip(self.graph.ty_id(got));
                if KINDS.contains(&plain) { got } else { self.expression(TyId::I64, &[row], 1) }
            } else {
                let kind = *self.draw.pick(&KINDS);
                self.expression(kind, &[row], 2)
            };
            values.push(value);
        }
        let count = values.len();
        (self.fresh_row(&values).expect(WELL), count)
    }

    fn by(&mut self, count: usize) -> Arc<[SortKey]> {
        (0..count).map(|_| self.draw.pick(&SortKey::ALL).0).collect()
    }

    fn sort(&mut self, input: NodeId) -> NodeId {
        let ty = self.row_type(input);
        let row = self.graph.fresh_hole(ty);
        let (keys, count) = self.keys(row, 2);
        let (body, captures) = self.graph.close(&[row], keys).expect(WELL);
        let by = self.by(count);
        if self.draw.chance(25) {
            let count = self.graph.int(self.draw.below(5) as i64);
            return self.graph.top(input, count, body, &captures, by).expect(WELL);
        }
        self.graph.sort(input, body, &captures, by).expect(WELL)
    }

    fn slice(&mut self, input: NodeId) -> NodeId {
        let offset = self.graph.int(self.draw.below(5) as i64 - 2);
        let length = if self.draw.chance(25) {
            let ty = self.graph.types_mut().option(TyId::I64);
            self.graph.constant(airloom_ir::value::Value::Null, ty).expect(WELL)
        } else {
            self.graph.int(self.draw.below(6) as i64)
        };
        self.graph.slice(input, offset, length).expect(WELL)
    }

    fn distinct(&mut self, input: NodeId) -> NodeId {
        let ty = self.row_type(input);
        let row = self.graph.fresh_hole(ty);
        let (keys, _) = self.keys(row, 2);
        let (body, captures) = self.graph.close(&[row], keys).expect(WELL);
        let keep = *self.draw.pick(Keep::ALL);
        self.graph.distinct(input, body, &captures, keep).expect(WELL)
    }

    /// A hole for the columns of a relation as arrays.
    fn columns_hole(&mut self, input: NodeId) -> NodeId {
        let mut columns = Vec::new();
        for field in self.fields(input).iter() {
            let ty = self.graph.types_mut().arr(field.ty, vec![Dim::Named(ROWS.into())]).expect(WELL);
            columns.push((field.name.clone(), ty));
        }
        let ty = self.graph.types_mut().row_of(columns).expect(WELL);
        self.graph.fresh_hole(ty)
    }

    /// One column of a struct of arrays.
    fn column(&mut self, columns: NodeId) -> (NodeId, TyId) {
        let Ty::Struct(fields) = self.graph.ty(columns).clone() else { unreachable!("columns are structs") };
        let field = fields.get(self.draw.below(fields.len())).expect(WELL).clone();
        let Ty::Arr(element, _) = *self.graph.types().get(field.ty) else { unreachable!("columns are arrays") };
        (self.graph.get(columns, field.name).expect(WELL), element)
    }

    fn aggregate(&mut self, columns: NodeId) -> NodeId {
        let (column, element) = self.column(columns);
        let all: Arc<[i64]> = Arc::from([]);
        let skip = *self.draw.pick(Skip::ALL);
        let kind = self.graph.types().strip(element);
        let numeric = [TyId::I64, TyId::I32, TyId::F64].contains(&kind);
        let made = match self.draw.below(8) {
            0 | 1 if numeric => self.graph.arr_sum(column, all, skip, 0, false),
            2 if numeric => self.graph.arr_mean(column, all, skip, false),
            3 if KINDS.contains(&kind) => self.graph.arr_min(column, all, skip),
            4 if KINDS.contains(&kind) => self.graph.arr_max(column, all, skip),
            5 => self.graph.arr_first(column, all, skip),
            6 => self.graph.arr_nunique(column, all, skip),
            _ => self.graph.arr_count(column, all, skip),
        };
        made.expect(WELL)
    }

    fn group(&mut self, input: NodeId) -> NodeId {
        if self.fields(input).is_empty() {
            return self.number(input);
        }
        let ty = self.row_type(input);
        let row = self.graph.fresh_hole(ty);
        let keys = if self.draw.chance(12) { self.graph.row(&[], Arc::from([])).expect(WELL) } else { self.keys(row, 2).0 };
        let columns = self.columns_hole(input);
        let values: Args = (0..1 + self.draw.below(3)).map(|_| self.aggregate(columns)).collect();
        let aggregates = self.fresh_row(&values).expect(WELL);
        let closed = self.graph.close_all(&[(&[row], keys), (&[columns], aggregates)], &[]).expect(WELL);
        self.graph.group(input, closed.bodies[0], closed.bodies[1], &closed.captures).expect(WELL)
    }

    /// The same rows under names of their own.
    fn renamed(&mut self, input: NodeId) -> NodeId {
        let ty = self.row_type(input);
        let row = self.graph.fresh_hole(ty);
        let values: Args = self.fields(input).names().map(|n| self.graph.get(row, n.clone()).expect(WELL)).collect();
        let result = self.fresh_row(&values).expect(WELL);
        let (body, captures) = self.graph.close(&[row], result).expect(WELL);
        self.graph.project(input, body, &captures).expect(WELL)
    }

    fn join(&mut self, left: NodeId) -> NodeId {
        let other = *self.draw.pick(&self.relations.clone());
        let right = self.renamed(other);
        let how = *self.draw.pick(&[
            JoinHow::Inner,
            JoinHow::Inner,
            JoinHow::Left,
            JoinHow::Right,
            JoinHow::Outer,
            JoinHow::Semi,
            JoinHow::Anti,
            JoinHow::Cross,
        ]);
        let (left_type, right_type) = (self.row_type(left), self.row_type(right));
        let (left_row, right_row) = (self.graph.fresh_hole(left_type), self.graph.fresh_hole(right_type));
        let (mut left_keys, mut right_keys) = (Args::new(), Args::new());
        if how != JoinHow::Cross {
            for _ in 0..1 + self.draw.below(2) {
                let kind = *self.draw.pick(&KINDS);
                left_keys.push(self.expression(kind, &[left_row], 1));
                right_keys.push(self.expression(kind, &[right_row], 1));
            }
        }
        let (left_result, right_result) = (self.fresh_row(&left_keys).expect(WELL), self.fresh_row(&right_keys).expect(WELL));
        let predicate = if self.draw.chance(50) { self.graph.truth(true) } else { self.expression(TyId::BOOL, &[left_row, right_row], 2) };
        let closed = self
            .graph
            .close_all(&[(&[left_row], left_result), (&[right_row], right_result), (&[left_row, right_row], predicate)], &[])
            .expect(WELL);
        let (nulls, major) = (*self.draw.pick(NullMatch::ALL), *self.draw.pick(&[Side::Left, Side::Left, Side::Right]));
        self.graph.join(left, right, closed.bodies[0], closed.bodies[1], closed.bodies[2], &closed.captures, how, nulls, major).expect(WELL)
    }

    fn concat(&mut self, input: NodeId) -> NodeId {
        let other = self.filter(input);
        self.graph.concat(&[input, other]).expect(WELL)
    }

    fn window(&mut self, input: NodeId) -> NodeId {
        if self.fields(input).is_empty() {
            return self.number(input);
        }
        let ty = self.row_type(input);
        let row = self.graph.fresh_hole(ty);
        let partition = self.keys(row, 1).0;
        let (order, count) = if self.draw.chance(50) { self.keys(row, 1) } else { (self.graph.row(&[], Arc::from([])).expect(WELL), 0) };
        let columns = self.columns_hole(input);
        let (column, element) = self.column(columns);
        let skip = *self.draw.pick(Skip::ALL);
        let kind = self.graph.types().strip(element);
        let (numeric, ordered) = ([TyId::I64, TyId::I32, TyId::F64].contains(&kind), KINDS.contains(&kind) && kind != TyId::BOOL);
        let (reverse, limit) = (self.draw.chance(30), self.draw.below(4) as i64 - 1);
        let value = match self.draw.below(9) {
            0 if numeric => self.graph.arr_cumsum(column, skip, reverse),
            1 if numeric => self.graph.arr_cumprod(column, skip, reverse),
            2 if ordered => self.graph.arr_cummin(column, skip, reverse),
            3 if ordered => self.graph.arr_cummax(column, skip, reverse),
            4 => self.graph.arr_cumcount(column, skip, reverse),
            5 => {
                let element = self.graph.types_mut().option(element);
                let by = self.graph.constant(Value::int(self.draw.below(12) as i64 - 6), TyId::I64).expect(WELL);
                let fill = self.graph.constant(Value::Null, element).expect(WELL);
                self.graph.arr_shift(column, by, fill)
            }
            6 => self.graph.arr_fill_forward(column, limit),
            7 => self.graph.arr_fill_backward(column, limit),
            _ => self.graph.arr_row_number(column),
        };
        let result = self.fresh_row(&[value.expect(WELL)]).expect(WELL);
        let by = self.by(count);
        let closed = self.graph.close_all(&[(&[row], partition), (&[row], order), (&[columns], result)], &[]).expect(WELL);
        self.graph.window(input, closed.bodies[0], closed.bodies[1], closed.bodies[2], &closed.captures, by).expect(WELL)
    }

    fn number(&mut self, input: NodeId) -> NodeId {
        let name = self.fresh_name();
        self.graph.number(input, name, 0).expect(WELL)
    }

    /// Columns into rows, or text into rows of its parts.
    fn reshape(&mut self, input: NodeId) -> NodeId {
        let fields = self.fields(input);
        if let Some(first) = fields.get(0) {
            let alike: Vec<Name> = fields.iter().filter(|f| f.ty == first.ty).map(|f| f.name.clone()).take(2).collect();
            if self.draw.chance(50) {
                let (variable, value) = (self.fresh_name(), self.fresh_name());
                return self.graph.unpivot(input, alike.into(), variable, value).expect(WELL);
            }
        }
        self.exploded(input)
    }

    fn exploded(&mut self, input: NodeId) -> NodeId {
        use airloom_ir::ops::text::BuildText;
        let ty = self.row_type(input);
        let row = self.graph.fresh_hole(ty);
        let text = self.expression(TyId::STR, &[row], 1);
        let (space, all) = (self.graph.text("b"), self.graph.int(-1));
        let parts = self.graph.str_split(text, space, all).expect(WELL);
        let name = self.fresh_name();
        let added = self.graph.row(&[parts], Arc::from([name.clone()])).expect(WELL);
        let result = self.graph.with(row, added).expect(WELL);
        let (body, captures) = self.graph.close(&[row], result).expect(WELL);
        let wider = self.graph.project(input, body, &captures).expect(WELL);
        let empty = *self.draw.pick(EmptyList::ALL);
        self.graph.explode(wider, Arc::from([name]), empty).expect(WELL)
    }
}
