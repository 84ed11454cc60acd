//! Bodies over groups whose rows stay where they are: a pass over all rows with what each group has come to beside it, in place of bringing the rows of a group
//! together and back.

use super::batched::Batched;
use super::group_value::GroupValue;
use airloom_compute::array::{self, GroupsInPlace, STEPS_IN_GROUPS};
use airloom_compute::data::{Datum, NdArray};
use airloom_compute::reduce::ReductionSpec;
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::ops::Op;
use airloom_ir::ops::array::Array as ArrayOp;
use airloom_ir::ops::sequence::Sequence;
use airloom_ir::types::Ty;
use airloom_ir::value::Value;
use arrow::array::ArrayRef;

/// Whether all that a body does with arrays goes from row to row.
pub(super) fn suits(graph: &Graph, body: NodeId) -> bool {
    graph.block_order(&[graph.result_of(body)]).into_iter().all(|id| match graph.op(id) {
        Op::Sequence(
            Sequence::CumSum
            | Sequence::CumProd
            | Sequence::CumMin
            | Sequence::CumMax
            | Sequence::CumCount
            | Sequence::RowNumber
            | Sequence::FillForward
            | Sequence::FillBackward,
        ) => true,
        Op::Sequence(Sequence::Shift) => {
            matches!(graph.const_value(graph.args(id)[1]), Some(Value::Int(by)) if by.unsigned_abs() <= STEPS_IN_GROUPS.into())
        }
        Op::Array(op) => matches!(op, ArrayOp::Map | ArrayOp::Dim),
        Op::Reduce(_) => reduces_by_row(graph, id),
        Op::Sequence(_) | Op::Control(_) => false,
        _ => true,
    })
}

/// Whether all that such a body does with arrays can be done with pieces of them at once, as far as that keeps the bits.
pub(super) fn goes_in_pieces(graph: &Graph, body: NodeId) -> bool {
    graph.block_order(&[graph.result_of(body)]).into_iter().all(|id| match graph.op(id) {
        Op::Sequence(op) => {
            use Sequence::{CumCount, CumMax, CumMin, CumProd, CumSum, RowNumber};
            matches!(op, CumSum | CumProd | CumMin | CumMax | CumCount | RowNumber)
        }
        Op::Array(op) => op == ArrayOp::Map,
        Op::Reduce(_) | Op::Control(_) => false,
        _ => true,
    })
}

fn reduces_by_row(graph: &Graph, id: NodeId) -> bool {
    let types = graph.types();
    let Ty::Arr(element, _) = types.get(graph.ty_id(graph.args(id)[0])) else { return false };
    !matches!(graph.ty(id), Ty::Arr(..))
        && ReductionSpec::of_node(graph, id, *element, Vec::new()).is_some_and(|spec| spec.goes_by_row(types))
}

/// The elements an op makes of each group.
pub(super) fn sequence(batched: &Batched<'_>, id: NodeId, groups: GroupsInPlace<'_>) -> Option<ArrayRef> {
    let graph = batched.graph;
    let args = graph.args(id);
    let GroupValue::Rows(items) = batched.known(args[0]) else { return None };
    let same = |arg: &NodeId| match batched.known(*arg) {
        GroupValue::Same(datum) => Some(datum.clone()),
        _ => None,
    };
    let first = std::iter::once(Some(Datum::Array(NdArray::flat(items.clone()))));
    let args: Vec<Datum> = first.chain(args[1..].iter().map(same)).collect::<Option<_>>()?;
    array::in_groups(graph, id, &args, batched.runner, groups)
}
