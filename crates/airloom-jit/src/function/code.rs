//! A compiled function, and how it is called.

use super::emit::{Emitted, HEAD, STORED, Why, emit};
use super::{Layout, Memory, Schedule};
use crate::Text;
use crate::cache::loader;
use crate::disk;
use crate::kind::Kind;
use crate::llvm::{Loaded, Machine, cpu};
use airloom_ir::graph::{Graph, NodeId};

/// A function as native code, for the processor this runs on.
pub struct CompiledFunction {
    loaded: Loaded,
    results: Vec<Kind>,
    words: usize,
    stored: Vec<usize>,
    inputs: usize,
}

/// Why a call raised.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Raise {
    /// An index outside its axis.
    Index {
        /// As it was given.
        index: i64,
        /// Of which axis.
        axis: i64,
        /// How long that is.
        extent: i64,
    },
    /// An op of numbers: overflow, division by zero, a cast that does not fit.
    Number {
        /// Its arguments, where they are integers.
        args: [i64; 2],
    },
    /// A check that failed.
    Check {
        /// The first integers of what was checked.
        args: [i64; 3],
    },
}

/// What is known of a call that raised.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Failed {
    /// The number of the node that raised, by the schedule.
    pub place: u32,
    /// Why.
    pub why: Raise,
    /// Whether something may have been stored before.
    pub stored: bool,
}

impl CompiledFunction {
    /// Compiles a closed function of single values and arrays; `layouts` says how each parameter lies, if it is an array. Or why it has no code.
    pub fn compile(graph: &Graph, function: NodeId, schedule: &Schedule, layouts: &[Layout]) -> Result<CompiledFunction, String> {
        // It watches forks, and lets none happen while something is loaded.
        crate::cache::cache();
        let name = disk::name("function");
        let _compiling = crate::fork::compiling();
        let emitted = emit(graph, function, schedule, layouts, &name)?;
        let cpu = cpu();
        // Addresses of this process are of no use to another.
        let entry = if emitted.is_portable { disk::entry(&emitted.module, &name, &cpu) } else { None };
        let label = format!("function of {} nodes", graph.block_order(&[graph.result_of(function)]).len());
        let loaded = loader()?.kept_or(entry, &name, &label, || {
            let machine = Machine::new(&cpu)?;
            machine.check(&emitted.module)?;
            machine.improve(&emitted.module)?;
            machine.object(&emitted.module)
        })?;
        let words = |ty| if let airloom_ir::types::Ty::Arr(_, dims) = graph.types().get(ty) { 1 + 2 * dims.len() } else { 1 };
        let inputs = graph.params_of(function).iter().map(|&ty| words(ty)).sum();
        Ok(CompiledFunction { loaded, results: emitted.results, words: emitted.words, stored: emitted.stored, inputs })
    }

    /// The function as text.
    pub fn text(graph: &Graph, function: NodeId, schedule: &Schedule, layouts: &[Layout], form: Text) -> Result<String, String> {
        let _compiling = crate::fork::compiling();
        let (machine, emitted) = made(graph, function, schedule, layouts, "function")?;
        match form {
            Text::Ir => Ok(emitted.module.text()),
            Text::Assembly => machine.assembly(&emitted.module),
        }
    }

    /// Which parameters are arrays that it stores to.
    pub fn stored(&self) -> &[usize] {
        &self.stored
    }

    /// The types of the single values it gives.
    pub fn results(&self) -> Vec<String> {
        self.results.iter().map(ToString::to_string).collect()
    }

    /// Calls it. An input has a word for each parameter that is a single value (a float by its bits, a narrow one in the low bits), and for an array its address, its extents and its
    /// strides in bytes. Results are words likewise, integers and booleans extended to 64 bits; then come, for each array of the result, which one it is (the number of its parameter, or
    /// its address in `memory`) and its extents.
    ///
    /// # Safety
    /// Every array must be in memory that may be read at all positions of its extents by its strides, and written where the function stores to it; nobody else may write there
    /// meanwhile, an array that is stored to overlaps no other, and its layout is the one that the function was compiled for.
    ///
    /// # Panics
    /// Where it is given another number of words than it takes.
    pub unsafe fn call(&self, inputs: &[u64], memory: &mut Memory) -> Result<Vec<u64>, Failed> {
        assert_eq!(inputs.len(), self.inputs, "invariant `a function is given its parameters`");
        let mut outputs = vec![0u64; HEAD + self.words];
        // SAFETY: the function was compiled as a function of two pointers and two numbers. It reads the words that were counted, writes as many as there is room for, and the
        // caller's contract speaks for the arrays; the first number is the address of the memory, which is this call's alone.
        let raised = unsafe { self.loaded.call(inputs.as_ptr().cast(), outputs.as_mut_ptr().cast(), std::ptr::from_mut(memory) as i64, 0) };
        if raised == 0 {
            outputs.drain(..HEAD);
            return Ok(outputs);
        }
        let word = |at: usize| outputs[at] as i64;
        let why = match word(1) {
            why if why == Why::Index as i64 => Raise::Index { index: word(2), axis: word(3), extent: word(4) },
            why if why == Why::Number as i64 => Raise::Number { args: [word(2), word(3)] },
            _ => Raise::Check { args: [word(2), word(3), word(4)] },
        };
        Err(Failed { place: outputs[0] as u32, why, stored: outputs[STORED] != 0 })
    }
}

/// The improved module of a function. The caller keeps the process from being forked.
fn made(graph: &Graph, function: NodeId, schedule: &Schedule, layouts: &[Layout], name: &str) -> Result<(Machine, Emitted), String> {
    let emitted = emit(graph, function, schedule, layouts, name)?;
    let machine = Machine::new(&cpu())?;
    machine.check(&emitted.module)?;
    machine.improve(&emitted.module)?;
    Ok((machine, emitted))
}
