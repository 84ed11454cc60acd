//! Awkward values and bodies, and how they are computed in every way there is.

use airloom_compute::arrow::array::{Array, ArrayRef, BooleanArray, UInt32Array, make_array};
use airloom_compute::arrow::compute::take;
use airloom_compute::body::{Program, Programs};
use airloom_compute::data::{Cancel, Native, NoHost, RunContext, Selection, Vector, values_to_array};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::oracle::Stop;
use airloom_ir::types::{IntTy, TimeUnit, Ty, TyId, Types};
use airloom_ir::value::Value;
use airloom_jit::LlvmCompiler;
use airloom_opt::check::value;
use airloom_opt::generate::Draw;
use std::sync::Arc;

/// Every type of a fixed width, decimals of every storage among them.
pub(crate) fn fixed_width(types: &mut Types) -> Vec<TyId> {
    let mut pool: Vec<TyId> = vec![TyId::BOOL, TyId::F32, TyId::F64, TyId::DATE, TyId::TIME];
    pool.extend(IntTy::ALL.iter().map(|&int| types.int(int)));
    for (precision, scale) in [(1, 1), (5, 2), (12, 2), (15, 2), (18, 4), (19, 0), (38, 0), (38, 10), (38, 38)] {
        pool.push(types.decimal(precision, scale).expect("a decimal"));
    }
    for unit in [TimeUnit::Second, TimeUnit::Milli, TimeUnit::Micro, TimeUnit::Nano] {
        pool.push(types.timestamp(unit, None).expect("a timestamp"));
        pool.push(types.duration(unit));
    }
    pool.push(types.timestamp(TimeUnit::Micro, Some("UTC".into())).expect("a timestamp"));
    pool
}

/// A value of a type, null so often where it may be.
pub(crate) fn awkward(types: &Types, ty: TyId, nulls: u64, draw: &mut Draw) -> Value {
    match types.get(ty) {
        Ty::Option(_) if draw.chance(nulls) => Value::Null,
        Ty::Option(inner) => awkward(types, *inner, nulls, draw),
        Ty::Decimal { precision, .. } if draw.chance(50) => {
            let most = 10i128.pow(u32::from(*precision).min(20));
            Value::Int(i128::from(draw.number()) % most * if draw.chance(50) { -1 } else { 1 })
        }
        Ty::Decimal { precision, .. } if draw.chance(30) => {
            let greatest = 10i128.pow(u32::from(*precision)) - 1;
            Value::Int(*draw.pick(&[greatest, -greatest, greatest / 2 + 1, -greatest / 2]))
        }
        Ty::Timestamp { unit, .. } if draw.chance(40) => {
            Value::Int((i128::from(draw.number()) % 8_000_000_000 - 4_000_000_000) * i128::from(unit.per_second()))
        }
        Ty::Date if draw.chance(50) => Value::Int(i128::from(draw.number()) % 200_000 - 100_000),
        Ty::F64 if draw.chance(30) => Value::F64(f64::from_bits(draw.number())),
        Ty::F32 if draw.chance(30) => Value::F32(f32::from_bits(draw.number() as u32)),
        Ty::Int(int) if draw.chance(30) => Value::Int(int.wrap(draw.number().into())),
        _ => value(types, ty, draw),
    }
}

/// A vector of these values: over rubbish under its nulls, and now and then a slice of a longer one.
pub(crate) fn vector(types: &Types, ty: TyId, column: &[Value], draw: &mut Draw) -> Vector {
    let (before, after) = if draw.chance(50) { (draw.below(70), draw.below(5)) } else { (0, 0) };
    let mut more = |n: usize| (0..n).map(|_| awkward(types, ty, 20, draw)).collect::<Vec<Value>>();
    let longer = [more(before).as_slice(), column, &more(after)].concat();
    Vector::Flat(over_rubbish(values_to_array(types, ty, &longer)).slice(before, column.len()))
}

/// The same elements, with values of others under the nulls: what is stored there must not matter.
fn over_rubbish(array: ArrayRef) -> ArrayRef {
    let present: Vec<u32> = (0..array.len() as u32).filter(|&at| array.is_valid(at as usize)).collect();
    if array.null_count() == 0 || present.is_empty() {
        return array;
    }
    let places = (0..array.len()).map(|at| if array.is_valid(at) { at as u32 } else { present[at * 7 % present.len()] });
    let full = take(&array, &UInt32Array::from_iter_values(places), None).expect("the places are there");
    make_array(full.to_data().into_builder().nulls(array.nulls().cloned()).build().expect("nulls of the same length"))
}

/// A selection of rows, now and then all of them.
pub(crate) fn selection(rows: usize, draw: &mut Draw) -> Selection {
    match draw.below(3) {
        0 => Selection::of_mask(&BooleanArray::from_iter((0..rows).map(|_| Some(draw.chance(60))))),
        _ => Selection::All(rows),
    }
}

/// A run on its own.
pub(crate) fn context() -> RunContext {
    RunContext::new(Arc::new(NoHost), Cancel::default(), u64::MAX, Native::Always)
}

/// A body in two ways: by compiled code, and by the interpreter and the oracle.
pub(crate) struct Both {
    graph: Arc<Graph>,
    roots: Vec<NodeId>,
    native: Arc<Program>,
    plain: Arc<Program>,
}

impl Both {
    pub(crate) fn new(graph: &Arc<Graph>, given: &[NodeId], roots: &[NodeId]) -> Both {
        let compiler = Arc::new(LlvmCompiler);
        let native = Programs::new(graph, Some(compiler)).of_nodes(given, roots);
        let plain = Programs::new(graph, None).of_nodes(given, roots);
        Both { graph: graph.clone(), roots: roots.to_vec(), native, plain }
    }

    /// What both compute of these vectors, which must be the same, errors included; `None` where a row raises.
    pub(crate) fn run(&self, given: &[Vector], rows: &Selection, what: &dyn Fn() -> String) -> Option<Vec<Vec<Value>>> {
        let context = context();
        let (native, plain) = (self.native.run(&context, given, rows), self.plain.run(&context, given, rows));
        match (native, plain) {
            (Ok(native), Ok(plain)) => {
                let values = |made: &[Vector]| -> Vec<Vec<Value>> {
                    let root = |(vector, &root): (&Vector, &NodeId)| vector.values(self.graph.types(), self.graph.ty_id(root), rows.len());
                    made.iter().zip(&self.roots).map(root).collect()
                };
                for vector in &native {
                    if let Vector::Flat(array) = vector {
                        array.to_data().validate_full().unwrap_or_else(|error| panic!("{}: {error}", what()));
                    }
                }
                let (native, plain) = (values(&native), values(&plain));
                for (root, (native, plain)) in native.iter().zip(&plain).enumerate() {
                    assert_eq!(native.len(), plain.len(), "{}: root {root}", what());
                    if let Some(row) = (0..plain.len()).find(|&row| native[row] != plain[row]) {
                        let args: Vec<Vector> = given.iter().map(|vector| rows.vector(vector)).collect();
                        panic!("{}: root {root}, row {row}: found {:?}, expected {:?} of {args:?}", what(), native[row], plain[row]);
                    }
                }
                Some(plain)
            }
            (Err(Stop::Raised(native)), Err(Stop::Raised(plain))) => {
                assert_eq!(native.message, plain.message, "{}", what());
                None
            }
            (native, plain) => panic!("{}: found {native:?}, expected {plain:?}", what()),
        }
    }
}
