//! Random array programs.

use super::Writer;
use airloom_ir::attrs::Skip;
use airloom_ir::graph::{Args, NodeId};
use airloom_ir::name::Name;
use airloom_ir::ops::array::BuildArray;
use airloom_ir::ops::control::BuildControl;
use airloom_ir::ops::core::BuildCore;
use airloom_ir::ops::reduce::BuildReduce;
use airloom_ir::types::{Dim, Ty, TyId};
use std::sync::Arc;

const WELL: &str = "the generator writes well-typed programs";

impl Writer<'_> {
    /// Two arrays of one length, by type at least, and two numbers.
    pub(super) fn array_params(&mut self) -> Vec<TyId> {
        let extent = Dim::Named(Name::new("n"));
        let mut arr = |ty: TyId| self.graph.types_mut().arr(ty, vec![extent.clone()]).expect(WELL);
        vec![arr(TyId::F64), arr(TyId::I64), TyId::I64, TyId::F64]
    }

    /// A few steps over the parameters, then a reduction or the last array.
    pub(super) fn array_program(&mut self, holes: &[NodeId]) -> NodeId {
        self.scalars = holes[2..].to_vec();
        let mut arrays: Vec<NodeId> = holes[..2].to_vec();
        for _ in 0..1 + self.draw.below(5) {
            let array = *self.draw.pick(&arrays);
            let made = self.array_step(array);
            arrays.push(made);
        }
        let last = *arrays.last().expect("there are arrays");
        let all: Arc<[i64]> = Arc::from([]);
        let skip = *self.draw.pick(Skip::ALL);
        let made = match self.draw.below(4) {
            0 | 1 => self.graph.arr_sum(last, all, skip, 0, false),
            2 => self.graph.arr_max(last, all, skip),
            _ => return last,
        };
        made.expect(WELL)
    }

    fn element(&self, array: NodeId) -> TyId {
        match self.graph.ty(array) {
            Ty::Arr(element, _) => *element,
            _ => unreachable!("arrays are kept apart"),
        }
    }

    fn array_step(&mut self, array: NodeId) -> NodeId {
        match self.draw.below(6) {
            0..=2 => {
                let kind = *self.draw.pick(&[TyId::F64, TyId::I64]);
                let ty = self.element(array);
                let record = self.graph.types_mut().row_of(vec![(Name::new("e"), ty)]).expect(WELL);
                // The element is read through a record, as the expressions of rows are; `{e: x}.e` is `x`.
                let hole = self.graph.fresh_hole(ty);
                let wrapped = self.graph.row(&[hole], Arc::from([Name::new("e")])).expect(WELL);
                debug_assert_eq!(self.graph.ty_id(wrapped), record);
                let value = self.sure_expression(kind, &[wrapped], 2);
                let (body, captures) = self.graph.close(&[hole], value).expect(WELL);
                let tuple = self.graph.tuple(&[array]).expect(WELL);
                self.graph.arr_map(tuple, body, &captures).expect(WELL)
            }
            3 => {
                let index = self.graph.fresh_hole(TyId::I64);
                let kind = *self.draw.pick(&[TyId::F64, TyId::I64]);
                let wrapped = self.graph.row(&[index], Arc::from([Name::new("i")])).expect(WELL);
                let value = self.sure_expression(kind, &[wrapped], 2);
                let (body, captures) = self.graph.close(&[index], value).expect(WELL);
                let extent = self.graph.arr_dim(array, 0).expect(WELL);
                let tuple = self.graph.tuple(&[extent]).expect(WELL);
                self.graph.tabulate(tuple, body, &captures).expect(WELL)
            }
            4 => {
                let bounds: Args = (0..2).map(|_| self.graph.int(self.draw.below(5) as i64 - 2)).collect();
                let step = self.graph.int(*self.draw.pick(&[1, 2, -1]));
                self.graph.arr_slice(array, bounds[0], bounds[1], step, 0).expect(WELL)
            }
            _ => {
                let extent = self.graph.arr_dim(array, 0).expect(WELL);
                let kind = self.element(array);
                let item = self.sure_expression(kind, &[], 1);
                let filled = self.graph.arr_fill(item, &[extent]).expect(WELL);
                let (x, y) = (self.graph.fresh_hole(kind), self.graph.fresh_hole(kind));
                let record = self.graph.row(&[x, y], Arc::from([Name::new("x"), Name::new("y")])).expect(WELL);
                let value = self.sure_expression(kind, &[record], 2);
                let (body, captures) = self.graph.close(&[x, y], value).expect(WELL);
                let tuple = self.graph.tuple(&[array, filled]).expect(WELL);
                self.graph.arr_map(tuple, body, &captures).expect(WELL)
            }
        }
    }
}
