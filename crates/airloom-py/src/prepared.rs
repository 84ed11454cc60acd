//! A function that is run often: made ready once, and its results may be written to.

use crate::arguments::datum_to_python;
use crate::array::Array;
use crate::errors::Error;
use crate::function::Function;
use crate::hosts::Hosts;
use crate::interrupt::interruptible;
use crate::python_host::PythonHost;
use crate::rules::lending;
use crate::run::{bind_to, prepare, read_arguments};
use crate::session::RunOptions;
use airloom::arrow::array::Array as ArrowArray;
use airloom::data::{Datum, FloatExceptions};
use airloom::host::Host;
use airloom::ir::types::Ty;
use airloom::source::Catalog;
use airloom::{Cancel, Prepared as Ready, Schedule};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::ops::Range;
use std::sync::Arc;

/// A function made ready to run with some options. It reads no sources, and calls only the functions of Python that its graph knows.
#[pyclass(frozen, module = "airloom._native", name = "Prepared")]
pub(crate) struct Prepared {
    function: Py<Function>,
    ready: Arc<Ready>,
    hosts: Arc<Hosts>,
    options: RunOptions,
}

#[pymethods]
impl Prepared {
    #[new]
    fn new(py: Python<'_>, function: Py<Function>, options: RunOptions) -> PyResult<Prepared> {
        let ready = Arc::new(prepare(py, function.get(), &options)?);
        let hosts = Hosts::default();
        hosts.take_all(&function.get().store.hosts);
        Ok(Prepared { function, ready, hosts: Arc::new(hosts), options })
    }

    /// The result for these arguments, and which floating-point exceptions its loops over arrays raised: 1 division by zero, 2 overflow, 4 underflow, 8 an invalid
    /// operation. An array that nobody else holds may be written to by NumPy.
    fn run<'py>(&self, py: Python<'py>, args: &Bound<'py, PyTuple>) -> PyResult<(Bound<'py, PyAny>, u8)> {
        let (program, lambda) = (self.ready.program().clone(), self.ready.function());
        let args = read_arguments(py, self.function.get(), &program, lambda, args)?;
        let given: Vec<Range<usize>> = args.iter().flat_map(memory).collect();
        let cancel = Cancel::default();
        let host = Arc::new(PythonHost::new(self.hosts.clone(), cancel.clone()));
        let bindings = bind_to(args, Catalog::default(), &self.hosts, host.clone());
        let schedule = if self.options.oracle { Schedule::Pool } else { self.ready.schedule(&bindings) };
        let how = airloom::RunOptions { cancel: cancel.clone(), oracle: self.options.oracle, schedule: Some(schedule), output: None };
        let (ready, hosts, noted) = (self.ready.clone(), self.hosts.clone(), host.clone());
        // Loops on other threads tell of their own; the oracle, which has no loops, computes on this one.
        let compute = move |bindings| {
            let (ran, raised) = FloatExceptions::of(|| ready.run(bindings, &how));
            noted.floating(raised);
            ran
        };
        let result = match schedule {
            Schedule::Inline => py.detach(|| compute(bindings)).map_err(|error| Error::from(error).into_py(py))?,
            Schedule::Pool => interruptible(py, &cancel, move || lending(&hosts, || Ok(compute(bindings)?)))?,
        };
        let types = program.graph.types();
        let ty = program.graph.ty_id(program.graph.result_of(lambda));
        let made = match (types.get(ty), result) {
            (Ty::Arr(element, _), Datum::Array(array)) => {
                // A result may be an argument, whose memory is its owner's.
                let own = memory(&Datum::Array(array.clone()))
                    .all(|found| given.iter().all(|given| found.end <= given.start || given.end <= found.start));
                let made =
                    Array::of_own_result(types, *element, array, own).map_err(|message| crate::errors::program_error(py, message))?;
                Bound::new(py, made)?.into_any()
            }
            (_, result) => datum_to_python(py, types, ty, &result)?,
        };
        Ok((made, host.raised()))
    }
}

/// The addresses of an array's elements.
fn memory(datum: &Datum) -> impl Iterator<Item = Range<usize>> {
    let data = if let Datum::Array(array) = datum { Some(array.items.to_data()) } else { None };
    let buffers: Vec<Range<usize>> = data
        .iter()
        .flat_map(|data| data.buffers())
        .map(|buffer| buffer.as_ptr() as usize..buffer.as_ptr() as usize + buffer.len())
        .collect();
    buffers.into_iter()
}
