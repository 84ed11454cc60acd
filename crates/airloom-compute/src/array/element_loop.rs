//! Bodies of elements, ready to be computed over any run of positions, by any thread.
//!
//! What a body reads of the arrays it captures is read first, as vectors: what is left is a body of numbers like any other, which is interpreted or compiled.

use super::affine::{Affine, Numbers};
use super::call::ArrayCall;
use super::control::index_columns;
use super::elements::gather;
use super::make::CHUNK;
use super::strided::Strided;
use crate::body::BoundProgram;
use crate::data::nd::element_of;
use crate::data::{Datum, Failure, FloatExceptions, NdArray, Selection, Vector, parallel_map};
use airloom_ir::graph::NodeId;
use airloom_ir::ops::Op;
use airloom_ir::ops::array::Array;
use airloom_ir::oracle::Stop;
use airloom_ir::oracle::formula::position;
use airloom_ir::types::{TyId, Types};
use airloom_ir::value::Value;
use airloom_plan::bodies::params;
use arrow::array::AsArray;
use arrow::datatypes::Int64Type;
use std::ops::Range;

/// Loops over fewer elements than this are not worth a second thread.
const PARALLEL: usize = 1 << 16;

/// The first parameters of a body.
pub(super) enum Own {
    /// The indices of a loop over a shape.
    Indices(Vec<usize>),
    /// The elements of arrays of one shape.
    Elements(Vec<NdArray>),
}

impl Own {
    /// Their vectors, for `count` positions from `from` on.
    pub(super) fn vectors(&self, from: usize, count: usize) -> Vec<Vector> {
        match self {
            Own::Indices(shape) => index_columns(shape, from, count),
            Own::Elements(arrays) => arrays.iter().map(|array| Vector::Flat(array.items.slice(from, count))).collect(),
        }
    }

    fn count(&self) -> usize {
        match self {
            Own::Indices(shape) => shape.len(),
            Own::Elements(arrays) => arrays.len(),
        }
    }
}

/// What a vector that the program is given holds.
enum Given {
    /// A parameter of the body's own.
    Own(usize),
    /// What is the same in the whole loop.
    Constant(Value),
    /// Elements at fixed strides.
    Strided(Strided, TyId),
    /// Elements wherever the indices, which are computed from what is given before, say.
    Gathered(NdArray, BoundProgram),
}

/// A body with what it captures.
pub(super) struct ElementLoop<'a> {
    types: &'a Types,
    own: &'a Own,
    given: Vec<Given>,
    program: BoundProgram,
    threads: usize,
}

impl<'a> ElementLoop<'a> {
    /// A body over `size` positions, at least one; `None` where it does more with an array than read elements of it, or is not computed over vectors at all.
    pub(super) fn new(call: &'a ArrayCall<'_>, body: usize, own: &'a Own, size: usize) -> Option<ElementLoop<'a>> {
        let (graph, lambda) = (call.graph, call.bodies[body]);
        let params = params(graph, lambda);
        let result = graph.result_of(lambda);
        let (own_params, captured) = params.split_at(own.count());
        let mut arrays: Vec<(NodeId, NdArray)> = Vec::new();
        let mut constants: Vec<(NodeId, Value)> = Vec::new();
        // A parameter that is not read has no node.
        for (&param, datum) in captured.iter().zip(call.captures).filter(|(param, _)| **param != lambda) {
            match datum {
                Datum::Array(array) => arrays.push((param, array.clone())),
                Datum::Value(Value::Arr(array)) => {
                    let element = element_of(call.types, graph.ty_id(param));
                    arrays.push((param, NdArray::from_value(call.types, element, array)));
                }
                Datum::Value(value) => constants.push((param, value.clone())),
                _ => return None,
            }
        }
        let array_of = |node: NodeId| arrays.iter().find(|(param, _)| *param == node).map(|(_, array)| array);
        let mut reads: Vec<(NodeId, &NdArray)> = Vec::new();
        for id in graph.block_order(&[result]) {
            let args = graph.args(id);
            match graph.op(id) {
                Op::Array(Array::At) if array_of(args[0]).is_some() => reads.extend(array_of(args[0]).map(|array| (id, array))),
                Op::Array(Array::Dim) if array_of(args[0]).is_some() => {
                    let (axis, array) = (graph.as_arr_dim(id)?.axis, array_of(args[0])?);
                    constants.push((id, Value::Int(array.shape[axis as usize] as i128)));
                }
                _ if array_of(id).is_some() => (),
                _ if args.iter().any(|&arg| array_of(arg).is_some()) => return None,
                _ => (),
            }
        }
        if array_of(result).is_some() {
            return None;
        }
        let known = |node: NodeId| match constants.iter().find(|(id, _)| *id == node) {
            Some((_, Value::Int(number))) => i64::try_from(*number).ok(),
            _ => None,
        };
        let strided = |id: NodeId, array: &NdArray| -> Option<Strided> {
            let Own::Indices(shape) = own else { return None };
            let numbers = Numbers { graph, indices: own_params, known: &known };
            let indices: Option<Vec<Affine>> = graph.args(id)[1..].iter().map(|&index| numbers.affine(index)).collect();
            Strided::new(array, shape, &indices?)
        };
        let strides: Vec<Option<Strided>> = reads.iter().map(|(id, array)| strided(*id, array)).collect();
        // Indices of the loop are written out only where something besides strides is computed from them.
        let stops: Vec<NodeId> = reads.iter().map(|(id, _)| *id).chain(constants.iter().map(|(id, _)| *id)).collect();
        let computed = reads.iter().zip(&strides).filter(|(_, strided)| strided.is_none()).flat_map(|((id, _), _)| &graph.args(*id)[1..]);
        let roots: Vec<NodeId> = computed.copied().chain([result]).collect();
        let above = graph.block_order_above(&stops, &roots);
        let (mut nodes, mut given) = (Vec::new(), Vec::new());
        for (number, &param) in own_params.iter().enumerate().filter(|(_, param)| above.contains(param)) {
            nodes.push(param);
            given.push(Given::Own(number));
        }
        for (node, value) in constants {
            nodes.push(node);
            given.push(Given::Constant(value));
        }
        for (&(id, array), strided) in reads.iter().zip(strides) {
            given.push(match strided {
                Some(strided) => Given::Strided(strided, graph.ty_id(id)),
                None => Given::Gathered(array.clone(), call.run.program(&nodes, &graph.args(id)[1..])?),
            });
            nodes.push(id);
        }
        let program = call.run.program(&nodes, &[result])?;
        let calls = |given: &Given| matches!(given, Given::Gathered(_, indices) if indices.calls_host());
        let alone = size < PARALLEL || program.calls_host() || given.iter().any(calls);
        let threads = if alone { 1 } else { call.run.threads() };
        Some(ElementLoop { types: call.types, own, given, program, threads })
    }

    /// The elements of `count` positions from `from` on; `None` where something is read outside an array, which is an error that the oracle words.
    fn run(&self, from: usize, count: usize) -> Result<Option<Vector>, Stop> {
        let own = if self.given.iter().any(|given| matches!(given, Given::Own(_))) { self.own.vectors(from, count) } else { Vec::new() };
        let mut vectors: Vec<Vector> = Vec::with_capacity(self.given.len());
        for given in &self.given {
            let vector = match given {
                Given::Own(number) => Some(own[*number].clone()),
                Given::Constant(value) => Some(Vector::Constant(value.clone())),
                Given::Strided(strided, element) => strided.read(self.types, *element, from, count),
                Given::Gathered(array, indices) => gathered(self.types, array, &indices.run_all(&vectors, &Selection::All(count))?, count),
            };
            match vector {
                Some(vector) => vectors.push(vector),
                None => return Ok(None),
            }
        }
        self.program.run(&vectors, &Selection::All(count)).map(Some)
    }

    /// What `take` makes of the elements of each run of positions, on as many threads as there are; `None` for a run that reads outside an array.
    pub(super) fn over<R: Send>(
        &self,
        ranges: &[Range<usize>],
        take: impl Fn(usize, Vector) -> Result<R, Failure> + Sync,
    ) -> Result<Vec<Option<R>>, Failure> {
        let context = self.program.context();
        parallel_map(
            self.threads,
            ranges.len(),
            || (),
            |(), number| {
                context.cancel.check()?;
                let Range { start, end } = ranges[number];
                let (made, raised) = FloatExceptions::of(|| match self.run(start, end - start)? {
                    Some(elements) => take(number, elements).map(Some),
                    None => Ok(None),
                });
                self.noted(raised);
                made
            },
        )
    }

    /// Tells the host what was raised.
    pub(super) fn noted(&self, raised: FloatExceptions) {
        if raised != FloatExceptions::NONE {
            self.program.context().host.floating(raised);
        }
    }
}

/// The positions of a loop in runs that stay in the cache.
pub(super) fn chunks(size: usize) -> Vec<Range<usize>> {
    (0..size).step_by(CHUNK).map(|from| from..size.min(from + CHUNK)).collect()
}

/// The elements at the positions that vectors of indices, one for each axis, say; `None` where one is outside.
fn gathered(types: &Types, array: &NdArray, indices: &[Vector], count: usize) -> Option<Vector> {
    let mut places = vec![0usize; count];
    for (axis, (vector, &extent)) in indices.iter().zip(&array.shape).enumerate() {
        let numbers = vector.to_array(types, TyId::I64, count);
        for (place, &index) in places.iter_mut().zip(numbers.as_primitive::<Int64Type>().values()) {
            // Every axis has a position only where there are elements, so the places fit.
            *place = place.saturating_mul(extent).saturating_add(position(index, extent, axis).ok()?);
        }
    }
    gather(&array.items, places.into_iter()).map(Vector::Flat)
}
