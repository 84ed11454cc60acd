//! Bodies as kernels: vectors in, vectors out.

use crate::beside::{self, BesidePrograms};
use crate::cache::cache;
use crate::code::{Code, Column, Computed};
use crate::kind::{Kind, Repr};
use crate::lower::{Input, Lowered, Made};
use crate::shape::{Form, Grouping, Variant};
use crate::verify;
use airloom_compute::arrow::array::{Array, ArrayData, ArrayRef, AsArray, make_array};
use airloom_compute::arrow::buffer::{BooleanBuffer, Buffer, NullBuffer};
use airloom_compute::body::{Deopt, Exit, Kernel, Program, Programs, slice, vector_part};
use airloom_compute::data::{Native, RunContext, Selection, Vector, type_to_arrow};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::types::{TyId, Types};
use airloom_ir::value::Value;
use std::sync::{Arc, OnceLock, RwLock};

/// From how many rows on code is asked for: compiling takes about as long as the interpreter takes for these.
pub(crate) const WORTH_COMPILING: u64 = 1 << 17;

/// How many variants a body remembers itself. Batches of one plan seldom have more.
const MOST_KNOWN: usize = 8;

/// A body that LLVM compiles.
pub(crate) struct Body {
    pub(crate) graph: Arc<Graph>,
    pub(crate) given: Vec<NodeId>,
    pub(crate) roots: Vec<NodeId>,
    pub(crate) lowered: Lowered,
    /// The code of variants that this body has used: what is here is not looked up.
    pub(crate) known: RwLock<Vec<(Variant, Arc<Code>)>>,
    /// What the interpreter computes before the code runs.
    pub(crate) beside: BesidePrograms,
    /// The same without compiled code, to compare with where that is asked for.
    pub(crate) plain: OnceLock<Arc<Program>>,
}

impl Kernel for Body {
    fn run(&self, context: &RunContext, given: &[Vector], rows: &Selection) -> Result<Vec<Vector>, Exit> {
        let waits = || !self.lowered.shape.pays() || !self.beside.is_worth(rows.len());
        if rows.is_empty() || context.native == Native::Off || context.native == Native::Auto && waits() {
            return Err(hand_over());
        }
        let compacted = self.beside.compacted(given, rows);
        let (given, rows) = compacted.as_ref().map_or((given, rows), |(given, rows)| (given.as_slice(), rows));
        let Some((made, done)) = self.computed(context, given, rows) else { return Err(hand_over()) };
        if context.native == Native::Verify {
            let plain = self.plain.get_or_init(|| Programs::new(&self.graph, None).of_nodes(&self.given, &self.roots));
            verify::compare(self, plain, context, given, rows, &made, done)?;
        }
        if done == rows.len() { Ok(made) } else { Err(Exit::Deopt(Deopt { row: done, done: made })) }
    }
}

/// What results are made of.
struct Source<'a> {
    results: &'a [Computed],
    beside: &'a [Vec<Vector>],
    given: &'a [Vector],
    rows: &'a Selection,
    done: usize,
}

/// A column that is given.
pub(crate) fn there((form, column): (Form, Column)) -> Option<(Form, Option<Column>)> {
    Some((form, Some(column)))
}

/// The next kernel computes all rows.
fn hand_over() -> Exit {
    Exit::Deopt(Deopt { row: 0, done: Vec::new() })
}

impl Body {
    /// The vectors of the roots, and how many rows they have; `None` where there is no code for these vectors.
    fn computed(&self, context: &RunContext, given: &[Vector], rows: &Selection) -> Option<(Vec<Vector>, usize)> {
        let inputs: Vec<(Form, Option<Column>)> =
            self.lowered.inputs.iter().map(|input| self.column(input, given)).collect::<Option<Vec<_>>>()?;
        let varies = |(form, _): &(Form, Option<Column>)| matches!(form, Form::Values | Form::Nullable);
        // What is the same in every row is computed once, by the interpreter.
        if !inputs.iter().any(varies) {
            return None;
        }
        let forms: Vec<Form> = inputs.iter().map(|(form, _)| *form).collect();
        let variant = Variant { forms, selected: !rows.is_all(), grouping: Grouping::One };
        let code = self.code(context.native, &variant, rows.len())?;
        let beside = self.beside.run(&self.graph, context, given, rows.len())?;
        let columns = self.lowered.inputs.iter().zip(inputs).map(|(input, (_, column))| match (input, column) {
            (Input::Beside { of, root, ty }, _) => beside::column(&self.graph, *ty, &beside[*of][*root], rows.len()),
            (_, column) => column,
        });
        let columns: Vec<Column> = columns.collect::<Option<_>>()?;
        let numbers = rows.numbers();
        let (results, done) = code.run(&columns, numbers.as_deref(), rows.len());
        let source = Source { results: &results, beside: &beside, given, rows, done };
        let made = self.lowered.results.iter().map(|made| self.vector(made, &source)).collect();
        Some((made, done))
    }

    fn code(&self, native: Native, variant: &Variant, rows: usize) -> Option<Arc<Code>> {
        // Not waited for: in a forked process, a thread of the parent's may have held it.
        if let Ok(known) = self.known.try_read()
            && let Some((_, code)) = known.iter().find(|(known, _)| known == variant)
        {
            return Some(code.clone());
        }
        let shape = &self.lowered.shape;
        let code = match native {
            Native::Off => None,
            Native::Auto => cache().later(shape, variant, rows, if shape.beside { 1 } else { WORTH_COMPILING }),
            Native::Always | Native::Verify => cache().now(shape, variant),
        }?;
        if let Ok(mut known) = self.known.try_write()
            && known.len() < MOST_KNOWN
        {
            known.push((variant.clone(), code.clone()));
        }
        Some(code)
    }

    /// An input as it is given in this batch; what the interpreter computes comes later.
    fn column(&self, input: &Input, given: &[Vector]) -> Option<(Form, Option<Column>)> {
        let (vector, ty) = match input {
            Input::Literal { value, kind } => return scalar(value, *kind).and_then(there),
            Input::Beside { ty, .. } => return Some((beside::form(&self.graph, *ty), None)),
            Input::Given { given: number, path, ty } => (at(&given[*number], path), *ty),
        };
        let types = self.graph.types();
        let kind = Kind::of(types.plain(ty))?;
        match &vector {
            Vector::Constant(value) => scalar(value, kind).and_then(there),
            Vector::Row(_) => None,
            Vector::Flat(array) => of_array(types, ty, kind, array).and_then(there),
        }
    }

    fn vector(&self, made: &Made, source: &Source<'_>) -> Vector {
        match made {
            Made::Literal(value) => Vector::Constant(value.clone()),
            Made::Row(parts) => Vector::Row(parts.iter().map(|part| self.vector(part, source)).collect()),
            Made::Given { given, path } => slice(&source.rows.vector(&at(&source.given[*given], path)), 0, source.done),
            Made::Beside { of, root } => slice(&source.beside[*of][*root], 0, source.done),
            Made::Result { number, ty } => Vector::Flat(self.array(&source.results[*number], *ty, source.done)),
        }
    }

    fn array(&self, computed: &Computed, ty: TyId, rows: usize) -> ArrayRef {
        let data_type = type_to_arrow(self.graph.types(), ty).expect("invariant `columns hold values`: a result is one");
        let valid = computed.valid.clone().map(|valid| NullBuffer::new(BooleanBuffer::new(valid, 0, rows)));
        let nulls = valid.filter(|nulls| nulls.null_count() > 0);
        let data = ArrayData::builder(data_type).len(rows).add_buffer(computed.values.clone()).nulls(nulls).build();
        make_array(data.expect("a result has a value for each row"))
    }
}

/// An array of values of a type.
pub(crate) fn of_array(types: &Types, ty: TyId, kind: Kind, array: &ArrayRef) -> Option<(Form, Column)> {
    if *array.data_type() != type_to_arrow(types, ty)? {
        return None;
    }
    let valid = array.nulls().filter(|nulls| nulls.null_count() > 0).map(|nulls| nulls.inner().sliced());
    let form = if valid.is_some() { Form::Nullable } else { Form::Values };
    Some((form, Column { values: values(array, kind.repr()), valid }))
}

/// The values of an array from its first row on.
fn values(array: &ArrayRef, repr: Repr) -> Buffer {
    if repr == Repr::Bit {
        return array.as_boolean().values().sliced();
    }
    let data = array.to_data();
    data.buffers()[0].slice_with_length(data.offset() * repr.bytes(), data.len() * repr.bytes())
}

/// One value for all rows.
pub(crate) fn scalar(value: &Value, kind: Kind) -> Option<(Form, Column)> {
    let bytes: Vec<u8> = match value {
        Value::Null => return Some((Form::Null, Column { values: Buffer::from(&[0u8; 16]), valid: None })),
        Value::Bool(value) => vec![u8::from(*value)],
        Value::Int(value) => value.to_le_bytes()[..kind.repr().bytes()].to_vec(),
        Value::F32(value) => value.to_le_bytes().to_vec(),
        Value::F64(value) => value.to_le_bytes().to_vec(),
        _ => return None,
    };
    Some((Form::Scalar, Column { values: Buffer::from(bytes), valid: None }))
}

/// A part of parts of a vector.
fn at(vector: &Vector, path: &[usize]) -> Vector {
    path.iter().fold(vector.clone(), |vector, &part| match &vector {
        Vector::Constant(Value::Tuple(parts)) => Vector::Constant(parts[part].clone()),
        other => vector_part(other, part),
    })
}
