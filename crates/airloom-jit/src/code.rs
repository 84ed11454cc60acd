//! Compiled code, and the one place that calls it.

use crate::Text;
use crate::disk;
use crate::emit::emit;
use crate::kind::Repr;
use crate::llvm::{Loaded, Loader, Machine, cpu};
use crate::lower::{Input, Lowered};
use crate::shape::{Form, Grouping, Shape, Variant};
use airloom_ir::graph::Graph;
use arrow::buffer::{Buffer, MutableBuffer};
use std::sync::Arc;

/// The code of one variant of a shape.
pub(crate) struct Code {
    shape: Arc<Shape>,
    variant: Variant,
    loaded: Loaded,
    /// Which results have a bitmap.
    nullable: Vec<bool>,
}

/// An input of a run: bytes that hold as many values as there are rows, or one.
pub(crate) struct Column {
    /// Values one after the other; booleans are bits, from the first one on.
    pub(crate) values: Buffer,
    /// Bits of those that are not null, from the first one on, for a form that has them.
    pub(crate) valid: Option<Buffer>,
}

/// Of which groups the rows of a fold are.
#[derive(Clone, Copy)]
pub(crate) enum RowGroups<'a> {
    /// All of one.
    One,
    /// Of one, or of none where a bit is not set.
    Mask(&'a [u8]),
    /// Each of its own.
    Each(&'a [u32]),
}

/// A result of a run.
pub(crate) struct Computed {
    pub(crate) values: Buffer,
    pub(crate) valid: Option<Buffer>,
}

impl Code {
    /// Compiles a variant, for the processor this runs on.
    pub(crate) fn compile(shape: &Arc<Shape>, variant: &Variant, loader: &Arc<Loader>) -> Result<Code, String> {
        let name = disk::name("kernel");
        let emitted = emit(shape, variant, &name);
        let cpu = cpu();
        let entry = disk::entry(&emitted.module, &name, &cpu);
        let loaded = loader.kept_or(entry, &name, &shape.label(), || {
            let machine = Machine::new(&cpu)?;
            machine.check(&emitted.module)?;
            machine.object(&emitted.module)
        })?;
        Ok(Code { shape: shape.clone(), variant: variant.clone(), loaded, nullable: emitted.nullable })
    }

    /// Computes the results for `rows` rows, whose numbers are in `numbers` where the variant reads selected ones: how many rows were computed before one that raises.
    ///
    /// # Panics
    /// Where an input has another form, or is shorter, than the variant says.
    pub(crate) fn run(&self, columns: &[Column], numbers: Option<&[u32]>, rows: usize) -> (Vec<Computed>, usize) {
        let lanes = self.shape.lanes() as usize;
        self.check(columns, numbers, rows);
        let padded = rows.div_ceil(lanes) * lanes;
        let mut results: Vec<(MutableBuffer, MutableBuffer)> = Vec::with_capacity(self.shape.results.len());
        for (&slot, &nullable) in self.shape.results.iter().zip(&self.nullable) {
            let room = bytes(self.shape.nodes[slot].kind.repr(), padded);
            results.push((MutableBuffer::with_capacity(room), MutableBuffer::with_capacity(if nullable { padded / 8 } else { 0 })));
        }
        let (full, rest) = (rows / lanes, rows % lanes);
        let mut done = 0;
        if full > 0 {
            let inputs = self.pointers(columns, numbers);
            done = self.call(&inputs, &self.outputs(&mut results, 0), full, full * lanes) * lanes;
        }
        if rest > 0 && done == full * lanes {
            // The last rows do not fill a block: they are copied to where a whole block can be read.
            let last = self.last(columns, numbers, done, rest, lanes);
            let inputs = match &last {
                Last::Columns(columns) => self.pointers(columns, None),
                Last::Numbers(numbers) => self.pointers(columns, Some(numbers)),
            };
            if self.call(&inputs, &self.outputs(&mut results, done), 1, rest) == 1 {
                done += rest;
            }
        }
        let finish = |((mut values, mut valid), (&slot, &nullable)): ((MutableBuffer, MutableBuffer), (&usize, &bool))| {
            let repr = self.shape.nodes[slot].kind.repr();
            // SAFETY: the code has written the blocks of all rows up to `done`, and the buffers have room for whole blocks of all rows.
            unsafe {
                values.set_len(bytes(repr, done));
                valid.set_len(if nullable { bytes(Repr::Bit, done) } else { 0 });
            }
            Computed { values: values.into(), valid: nullable.then(|| valid.into()) }
        };
        (results.into_iter().zip(self.shape.results.iter().zip(&self.nullable)).map(finish).collect(), done)
    }

    /// What the shape's folds come to over `rows` rows, of groups below `count` where the variant has several, or of none where it is `count`: sums as `emit::fold` lays them out, which go on
    /// from those of all groups that were begun. `None` where a row raises.
    ///
    /// # Panics
    /// Where an input has another form, or is shorter, than the variant says, or a group is above `count`.
    pub(crate) fn fold(
        &self,
        columns: &[Column],
        numbers: Option<&[u32]>,
        groups: RowGroups<'_>,
        count: usize,
        rows: usize,
        begun: Vec<u64>,
    ) -> Option<Vec<u64>> {
        let lanes = self.shape.lanes() as usize;
        self.check(columns, numbers, rows);
        let grouping = self.variant.grouping;
        let given = match groups {
            RowGroups::One => grouping == Grouping::One,
            // A last byte is read whole.
            RowGroups::Mask(bits) => grouping == Grouping::Masked && bits.len() >= rows.div_ceil(8),
            RowGroups::Each(groups) => {
                !grouping.is_one() && groups.len() >= rows && groups.iter().fold(0, |most, &group| most.max(group)) <= count as u32
            }
        };
        assert!(given, "invariant `each row has a group`: {rows} rows of {count} groups");
        // Rows that are left out, and those past the last, are of a group that is not read.
        let places = grouping.lanes() * if grouping.is_one() { 1 } else { count + 1 };
        let mut sums = begun;
        assert_eq!(sums.len(), places * self.shape.folds.len(), "invariant `a fold has a sum for each group`");
        let outputs = [sums.as_mut_ptr().cast::<u8>()];
        let (full, rest) = (rows / lanes, rows % lanes);
        let pointers = |columns: &[Column], numbers: Option<&[u32]>, groups: RowGroups<'_>| {
            let mut pointers = self.pointers(columns, numbers);
            pointers.extend(match groups {
                RowGroups::One => None,
                RowGroups::Mask(bits) => Some(bits.as_ptr()),
                RowGroups::Each(groups) => Some(groups.as_ptr().cast::<u8>()),
            });
            pointers
        };
        if full > 0 && self.call(&pointers(columns, numbers, groups), &outputs, full, full * lanes) != full {
            return None;
        }
        if rest > 0 {
            let done = full * lanes;
            let (mut padded, mut bits) = (Vec::new(), Vec::new());
            let groups = match groups {
                RowGroups::One => RowGroups::One,
                RowGroups::Mask(mask) => {
                    // A block begins at the first bit of a byte.
                    bits.extend_from_slice(&mask[done / 8..rows.div_ceil(8)]);
                    bits.resize(lanes / 8, 0);
                    RowGroups::Mask(&bits)
                }
                RowGroups::Each(groups) => {
                    padded.extend_from_slice(&groups[done..rows]);
                    padded.resize(lanes, count as u32);
                    RowGroups::Each(&padded)
                }
            };
            let last = self.last(columns, numbers, done, rest, lanes);
            let inputs = match &last {
                Last::Columns(columns) => pointers(columns, None, groups),
                Last::Numbers(numbers) => pointers(columns, Some(numbers), groups),
            };
            if self.call(&inputs, &outputs, 1, rest) != 1 {
                return None;
            }
        }
        Some(sums)
    }

    /// Calls the code: pointers to inputs, pointers to results, blocks, rows; returns how many blocks were computed.
    fn call(&self, inputs: &[*const u8], outputs: &[*mut u8], blocks: usize, rows: usize) -> usize {
        // SAFETY: the function is one that `emit` made for this shape and variant. `check` has seen that each input holds as many rows as it is asked for, and the outputs have
        // room for whole blocks of them, or for the sums of all groups; the function reads and writes nothing else.
        let done = unsafe { self.loaded.call(inputs.as_ptr(), outputs.as_ptr(), blocks as i64, rows as i64) };
        done as usize
    }

    /// What `call` relies on.
    fn check(&self, columns: &[Column], numbers: Option<&[u32]>, rows: usize) {
        assert_eq!(columns.len(), self.variant.forms.len(), "invariant `a kernel is given its inputs`");
        assert_eq!(numbers.is_some(), self.variant.selected, "invariant `a kernel is given its form of rows`");
        let length = match numbers {
            Some(numbers) => {
                assert!(numbers.len() >= rows, "invariant `each row has a number`");
                numbers.iter().copied().max().map_or(0, |last| last as usize + 1)
            }
            None => rows,
        };
        for ((column, form), repr) in columns.iter().zip(&self.variant.forms).zip(self.reprs()) {
            let needed = match form {
                Form::Null => 0,
                Form::Scalar => repr.bytes().max(1),
                Form::Values | Form::Nullable => bytes(repr, length),
            };
            assert!(column.values.len() >= needed, "invariant `columns hold their rows`: {} bytes of {needed}", column.values.len());
            if *form == Form::Nullable {
                let valid = column.valid.as_ref().map_or(0, Buffer::len);
                assert!(valid >= bytes(Repr::Bit, length), "invariant `columns hold their rows`: {valid} bytes of nulls");
            }
        }
    }

    /// How the inputs are stored, in their order.
    fn reprs(&self) -> Vec<Repr> {
        self.shape.input_reprs()
    }

    fn pointers(&self, columns: &[Column], numbers: Option<&[u32]>) -> Vec<*const u8> {
        let mut pointers = Vec::with_capacity(columns.len() * 2 + 1);
        for (column, form) in columns.iter().zip(&self.variant.forms) {
            pointers.push(column.values.as_ptr());
            if *form == Form::Nullable {
                pointers.extend(column.valid.as_ref().map(Buffer::as_ptr));
            }
        }
        pointers.extend(numbers.map(|numbers| numbers.as_ptr().cast()));
        pointers
    }

    /// Pointers to where the results of rows from one on are written, which is the first of a block.
    fn outputs(&self, results: &mut [(MutableBuffer, MutableBuffer)], row: usize) -> Vec<*mut u8> {
        let mut pointers = Vec::with_capacity(results.len() * 2);
        for ((values, valid), &slot) in results.iter_mut().zip(&self.shape.results) {
            let repr = self.shape.nodes[slot].kind.repr();
            // Blocks have at least eight rows, so bits begin at a whole byte; the buffers have room for whole blocks.
            pointers.push(values.as_mut_ptr().wrapping_add(bytes(repr, row)));
            pointers.push(valid.as_mut_ptr().wrapping_add(row / 8));
        }
        pointers
    }

    fn last(&self, columns: &[Column], numbers: Option<&[u32]>, row: usize, rest: usize, lanes: usize) -> Last {
        if let Some(numbers) = numbers {
            // A number that is repeated is read once more: what comes of it is not looked at.
            let mut padded = numbers[row..row + rest].to_vec();
            padded.resize(lanes, padded[0]);
            return Last::Numbers(padded);
        }
        let copied = |buffer: &Buffer, repr: Repr| {
            let from = bytes(repr, row);
            let mut copy = MutableBuffer::from_len_zeroed(bytes(repr, lanes));
            let rest = bytes(repr, rest);
            copy.as_slice_mut()[..rest].copy_from_slice(&buffer.as_slice()[from..from + rest]);
            Buffer::from(copy)
        };
        let column = |((column, form), repr): ((&Column, &Form), Repr)| match form {
            Form::Null | Form::Scalar => Column { values: column.values.clone(), valid: None },
            Form::Values | Form::Nullable => {
                Column { values: copied(&column.values, repr), valid: column.valid.as_ref().map(|valid| copied(valid, Repr::Bit)) }
            }
        };
        Last::Columns(columns.iter().zip(&self.variant.forms).zip(self.reprs()).map(column).collect())
    }
}

/// The text of a kernel for vectors that are not constant, all of whose rows are computed.
pub(crate) fn text(lowered: &Lowered, graph: &Graph, form: Text) -> Result<String, String> {
    let form_of = |input: &Input| match input {
        Input::Given { ty, .. } | Input::Beside { ty, .. } if graph.types().nullable(*ty) => Form::Nullable,
        Input::Given { .. } | Input::Beside { .. } => Form::Values,
        Input::Literal { .. } => Form::Scalar,
    };
    let variant = Variant { forms: lowered.inputs.iter().map(form_of).collect(), selected: false, grouping: Grouping::One };
    let _compiling = crate::fork::compiling();
    let emitted = emit(&lowered.shape, &variant, "kernel");
    let machine = Machine::new(&cpu())?;
    machine.check(&emitted.module)?;
    match form {
        Text::Ir => Ok(emitted.module.text()),
        Text::Assembly => machine.assembly(&emitted.module),
    }
}

/// What the last block is read from.
enum Last {
    Columns(Vec<Column>),
    Numbers(Vec<u32>),
}

/// The bytes of some values.
fn bytes(repr: Repr, rows: usize) -> usize {
    match repr {
        Repr::Bit => rows.div_ceil(8),
        _ => rows * repr.bytes(),
    }
}
