//! Parts of Python functions that were compiled: types are observed where a part is entered, code is found by them, and arrays are read and stored to where they are.

use crate::errors::ill_typed;
use crate::region_arguments::{Held, Known, Observed};
use crate::region_graph::RegionGraph;
use crate::region_results::{Made, Results};
use airloom_jit::{CompiledFunction, Failed, Layout, Memory, Raise, Text};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// A part of a function, as code for types that were observed.
#[pyclass(frozen, module = "airloom._native")]
pub(crate) struct Kernel {
    code: Arc<CompiledFunction>,
    /// Which of what the part is given the code takes, in order.
    takes: Vec<usize>,
    /// What it gives, from the words of its results.
    gives: Made,
    /// Attributes of modules that it was compiled for: module, name, what was found.
    guards: Vec<(Py<PyDict>, String, Py<PyAny>)>,
    /// Called where code raised after it had stored: with the place, the kind and three numbers. It raises.
    raises: Py<PyAny>,
    /// In place of one call of the code, where there is one: called with what the part is given.
    drives: Option<Py<PyAny>>,
    /// How often code gave up before it had stored.
    given_up: Mutex<u32>,
}

/// A part whose code gives up this often is left to Python.
const MOST_GIVEN_UP: u32 = 3;

/// Makes loops of NumPy's known to code, by name: the function and the data at a position of those of a ufunc.
#[pyfunction]
pub(crate) fn register_loops(py: Python<'_>, ufunc: &Bound<'_, PyAny>, named: Vec<(String, usize)>) -> PyResult<()> {
    if !ufunc.get_type().is(&py.import("numpy")?.getattr("ufunc")?) {
        return Err(ill_typed(py, "what is no ufunc of NumPy's has no loops"));
    }
    /// The head of a ufunc, as NumPy has published it since its first version.
    #[repr(C)]
    struct Head {
        object: pyo3::ffi::PyObject,
        counts: [i32; 4],
        functions: *const usize,
        data: *const usize,
        types: i32,
    }
    // SAFETY: a ufunc begins with these, and has as many functions as types; ufuncs of NumPy's own live as long as the process.
    unsafe {
        let head = &*ufunc.as_ptr().cast::<Head>();
        let count = ufunc.getattr("ntypes")?.extract::<usize>()?;
        for (name, at) in named.into_iter().filter(|(_, at)| *at < count) {
            let data = if head.data.is_null() { 0 } else { *head.data.add(at) };
            airloom_jit::register_loop(&name, *head.functions.add(at), data);
        }
    }
    Ok(())
}

/// Makes known what runs regions of functions that are Python's in the midst of code: a function of C's, by its address.
#[pyfunction]
pub(crate) fn register_object_mode(run: usize) {
    // SAFETY: `airloom.functions.object_mode` gives a callback that it keeps for as long as the process lives, and that takes Python's lock by itself.
    unsafe { airloom_jit::register_object_mode(run) }
}

/// Keeps compiled code in a folder of at most this many bytes from now on; or nowhere.
#[pyfunction]
#[pyo3(signature = (folder, most=256 << 20))]
pub(crate) fn keep_code_in(folder: Option<std::path::PathBuf>, most: u64) {
    airloom_jit::keep_code_in(folder.map(|folder| (folder, most)));
}

/// Names compiled code for `perf` from now on, in a file of a folder; or no more.
#[pyfunction]
pub(crate) fn name_code_for_perf(folder: Option<std::path::PathBuf>) -> PyResult<()> {
    Ok(airloom_jit::name_code_for_perf(folder)?)
}

/// How many objects were found on disk, were stored there, and could not be used.
#[pyfunction]
pub(crate) fn code_on_disk() -> (u64, u64, u64) {
    let counts = airloom_jit::disk_counts();
    (counts.found, counts.stored, counts.broken)
}

fn layouts_of(words: &[String]) -> Vec<Layout> {
    let layout = |word: &String| match word.as_str() {
        "rows" => Layout::Rows,
        "columns" => Layout::Columns,
        _ => Layout::Strided,
    };
    words.iter().map(layout).collect()
}

#[pymethods]
impl Kernel {
    /// Compiles a body of a graph.
    #[new]
    #[pyo3(signature = (graph, lambda_, layouts, takes, gives, guards, raises, drives=None))]
    fn new(
        py: Python<'_>,
        graph: &RegionGraph,
        lambda_: u32,
        layouts: Vec<String>,
        takes: Vec<usize>,
        gives: &Bound<'_, PyAny>,
        guards: Vec<(Py<PyDict>, String, Py<PyAny>)>,
        raises: Py<PyAny>,
        drives: Option<Py<PyAny>>,
    ) -> PyResult<Kernel> {
        let schedule = graph.state.lock().unwrap_or_else(PoisonError::into_inner).schedule.clone();
        let program = graph.store.with(|m| m.graph.clone())?;
        let lambda = graph.node(lambda_)?;
        let layouts = layouts_of(&layouts);
        let compiled = py.detach(|| CompiledFunction::compile(&program, lambda, &schedule, &layouts));
        let code = compiled.map_err(|message| ill_typed(py, message))?;
        let gives = Made::read(gives)?;
        Ok(Kernel { code: Arc::new(code), takes, gives, guards, raises, drives, given_up: Mutex::new(0) })
    }

    /// The code as text: LLVM's IR, or assembly.
    #[staticmethod]
    fn text(py: Python<'_>, graph: &RegionGraph, lambda_: u32, layouts: Vec<String>, assembly: bool) -> PyResult<String> {
        let schedule = graph.state.lock().unwrap_or_else(PoisonError::into_inner).schedule.clone();
        let program = graph.store.with(|m| m.graph.clone())?;
        let form = if assembly { Text::Assembly } else { Text::Ir };
        let made = CompiledFunction::text(&program, graph.node(lambda_)?, &schedule, &layouts_of(&layouts), form);
        made.map_err(|message| ill_typed(py, message))
    }

    /// The words of the results for one call, each with its type; `None` where the code raises.
    fn words_of(&self, py: Python<'_>, args: &Bound<'_, PyTuple>) -> PyResult<Option<Vec<(String, u64)>>> {
        let mut held = Vec::with_capacity(args.len());
        for arg in args.iter() {
            let Some(found) = Held::of(&arg)? else { return Ok(None) };
            held.push(found);
        }
        if !self.may_run(&held) {
            return Err(ill_typed(py, "an array that is stored to is read-only, or overlaps another or itself"));
        }
        // SAFETY: as in `run`.
        let made = unsafe { self.code.call(&self.words(&held), &mut Memory::default()) };
        Ok(made.ok().map(|words| self.code.results().into_iter().zip(words).collect()))
    }

    /// The results for several runs of what comes last, a pair of numbers each, on this many threads; `None` where the code gave up before it had stored.
    fn blocks<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        bounds: Vec<(i64, i64)>,
        threads: usize,
    ) -> PyResult<Option<Vec<Bound<'py, PyAny>>>> {
        let mut held = Vec::with_capacity(args.len());
        for arg in args.iter() {
            let Some(found) = Held::of(&arg)? else { return Ok(None) };
            held.push(found);
        }
        if !self.may_run(&held) {
            return Ok(None);
        }
        let words = self.words(&held);
        let run = |(): &mut (), at: usize| {
            let mut own = words.clone();
            own.extend([bounds[at].0 as u64, bounds[at].1 as u64]);
            let mut memory = Memory::default();
            // SAFETY: as in `run`; that runs of different numbers do not store where others read is what the user says by writing `prange`.
            let made = unsafe { self.code.call(&own, &mut memory) };
            made.map(|words| (words, memory))
        };
        let code = py.detach(|| airloom::data::parallel_map(threads, bounds.len(), || (), run));
        match code {
            Ok(made) => made.iter().map(|(words, memory)| self.given(py, words, args, memory)).collect::<PyResult<Vec<_>>>().map(Some),
            // Another block may have stored where this one has not.
            Err(failed) => {
                let stored = failed.stored || (bounds.len() > 1 && !self.code.stored().is_empty());
                self.failed(py, Failed { stored, ..failed }).map(|()| None)
            }
        }
    }
}

impl Kernel {
    /// Whether nothing that is stored to is read-only or overlaps anything else, or itself.
    fn may_run(&self, held: &[Held]) -> bool {
        self.code.stored().iter().all(|&param| {
            let Some(stored) = self.takes.get(param).map(|&at| (at, &held[at])) else { return false };
            stored.1.is_writable()
                && !stored.1.overlaps_itself()
                && held.iter().enumerate().all(|(at, other)| at == stored.0 || !stored.1.overlaps(other))
        })
    }

    fn words(&self, held: &[Held]) -> Vec<u64> {
        let mut words = Vec::with_capacity(self.takes.len() * 4);
        for (number, &at) in self.takes.iter().enumerate() {
            // The second parameter of a pair comes with the first.
            if number == 0 || self.takes[number - 1] != at {
                held[at].words(&mut words);
            }
        }
        words
    }

    /// Runs the code; nothing where it gave up before it had stored.
    fn run<'py>(&self, py: Python<'py>, held: &[Held], args: &Bound<'py, PyTuple>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let words = self.words(held);
        let mut memory = Memory::default();
        // SAFETY: each array is held by a buffer that NumPy exports, of the extents and strides that are given; what is stored to is writable and overlaps nothing else, as
        // `may_run` has seen; the layouts are part of what the code was found by. Another thread that writes there meanwhile does what it would do beside NumPy.
        match py.detach(|| unsafe { self.code.call(&words, &mut memory) }) {
            Ok(words) => self.given(py, &words, args, &memory).map(Some),
            Err(failed) => self.failed(py, failed).map(|()| None),
        }
    }

    fn given<'py>(&self, py: Python<'py>, words: &[u64], args: &Bound<'py, PyTuple>, memory: &Memory) -> PyResult<Bound<'py, PyAny>> {
        let mut results = Results { words, args, takes: &self.takes, memory, made: HashMap::new() };
        self.gives.to_python(py, &mut results)
    }

    fn failed(&self, py: Python<'_>, failed: Failed) -> PyResult<()> {
        if !failed.stored {
            *self.given_up.lock().unwrap_or_else(PoisonError::into_inner) += 1;
            return Ok(());
        }
        let (kind, x, y, z) = match failed.why {
            Raise::Index { index, axis, extent } => ("index", index, axis, extent),
            Raise::Number { args } => ("number", args[0], args[1], 0),
            Raise::Check { args } => ("check", args[0], args[1], args[2]),
        };
        self.raises.call1(py, (failed.place, kind, x, y, z)).map(|_| ())
    }

    fn holds(&self, py: Python<'_>) -> bool {
        let same = |(dict, name, found): &(Py<PyDict>, String, Py<PyAny>)| matches!(dict.bind(py).get_item(name), Ok(Some(now)) if now.is(found.bind(py)));
        self.guards.iter().all(same) && *self.given_up.lock().unwrap_or_else(PoisonError::into_inner) < MOST_GIVEN_UP
    }
}

/// Code for a signature, where there is some, and what the signature names by where it is: none of that may go, or another object would be taken for it.
struct Entry {
    kernel: Option<Py<Kernel>>,
    _named: Vec<Py<PyAny>>,
}

/// A part of a function, entered again and again.
#[pyclass(frozen, module = "airloom._native")]
pub(crate) struct Region {
    /// Asked for a `Kernel`, `None` where Python runs the part, or `...` where it does so this time, for what it is given.
    specialise: Py<PyAny>,
    /// Told why Python runs the part though there is code for it.
    tells: Py<PyAny>,
    /// What objects of a class are taken apart by, or `None` where they are known by who they are; it looks classes up that it does not have yet.
    unboxers: Py<PyAny>,
    entries: RwLock<HashMap<Vec<u64>, Entry>>,
    known: Known,
}

#[pymethods]
impl Region {
    #[new]
    fn new(py: Python<'_>, specialise: Py<PyAny>, tells: Py<PyAny>, unboxers: Py<PyAny>) -> PyResult<Region> {
        Ok(Region { specialise, tells, unboxers, entries: RwLock::default(), known: Known::new(py)? })
    }

    /// What the part gives for what it is given; `None` where Python must run it, and `...` where code gave up, so that Python must run it without any code: what is
    /// inside of the part would give up as well, and might have stored before.
    #[pyo3(signature = (*args))]
    fn __call__<'py>(&self, py: Python<'py>, args: &Bound<'py, PyTuple>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut seen = Seen::with_room_for(args.len());
        for arg in args.iter() {
            if !self.look(&arg, &mut seen, 0)? {
                return Ok(None);
            }
        }
        let Seen { signature, held, flat, is_flat } = seen;
        // Where nothing was taken apart, these are the arguments themselves.
        let whole = args;
        let args = &if is_flat { args.clone() } else { PyTuple::new(py, flat)? };
        if !self.known.ordinary_errors(py)? {
            self.tells.call1(py, ("`numpy.errstate` asks for something that compiled code does not do",))?;
            return Ok(None);
        }
        let gave_up = Ok(Some(py.Ellipsis().into_bound(py)));
        let found = {
            let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
            entries.get(&signature).map(|entry| entry.kernel.as_ref().map(|kernel| kernel.clone_ref(py)))
        };
        let kernel = match found {
            Some(None) => return Ok(None),
            Some(Some(kernel)) if kernel.get().holds(py) => kernel,
            Some(Some(kernel)) if *kernel.get().given_up.lock().unwrap_or_else(PoisonError::into_inner) >= MOST_GIVEN_UP => {
                return gave_up;
            }
            _ => {
                let shapes = if is_flat { py.None().into_bound(py) } else { self.shapes(whole)?.into_any() };
                let made = self.specialise.bind(py).call1((args, shapes))?;
                if made.is(py.Ellipsis()) {
                    return gave_up;
                }
                let made: Option<Py<Kernel>> = made.extract()?;
                let classes: Vec<Py<PyAny>> =
                    if is_flat { Vec::new() } else { whole.iter().map(|arg| arg.get_type().into_any().unbind()).collect() };
                self.keep(signature, made.as_ref().map(|kernel| kernel.clone_ref(py)), args, &held, classes);
                match made {
                    Some(kernel) => kernel,
                    None => return Ok(None),
                }
            }
        };
        let kernel = kernel.get();
        if !kernel.may_run(&held) {
            self.tells.call1(py, ("an array that is stored to is read-only, or overlaps another or itself",))?;
            return Ok(None);
        }
        let made = match &kernel.drives {
            Some(drives) => drives.bind(py).call1((args,))?.extract()?,
            None => kernel.run(py, &held, args)?,
        };
        if made.is_some() { Ok(made) } else { gave_up }
    }

    /// Forgets all code.
    fn clear(&self) {
        self.entries.write().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// What a part is given, as far as it was looked at.
struct Seen<'py> {
    signature: Vec<u64>,
    held: Vec<Held>,
    /// The arguments, with the items of tuples and the parts of objects in their places; and whether there are none of those.
    flat: Vec<Bound<'py, PyAny>>,
    is_flat: bool,
}

impl Seen<'_> {
    fn with_room_for(count: usize) -> Self {
        Seen { signature: Vec::with_capacity(count * 2), held: Vec::with_capacity(count), flat: Vec::with_capacity(count), is_flat: true }
    }
}

/// Tuples of more items than this, and tuples within tuples deeper than this, are known by who they are.
const MOST_ITEMS: usize = 64;
const DEEPEST: usize = 8;

impl Region {
    /// Looks at an argument; `false` where Python must run the part. Recursive, as deep as tuples are taken apart.
    fn look<'py>(&self, arg: &Bound<'py, PyAny>, seen: &mut Seen<'py>, depth: usize) -> PyResult<bool> {
        let from = seen.signature.len();
        let Observed::Held(found) = self.known.observe(arg, &mut seen.signature)? else { return Ok(false) };
        let is_object = matches!(found, Held::Object) && !self.known.is_array(arg);
        if !is_object || depth >= DEEPEST {
            seen.held.push(found);
            seen.flat.push(arg.clone());
            return Ok(true);
        }
        let unboxer = self.unboxers.bind(arg.py()).get_item(arg.get_type())?;
        if unboxer.is_none() {
            seen.held.push(found);
            seen.flat.push(arg.clone());
            return Ok(true);
        }
        let parts = unboxer.call1((arg,))?;
        let Ok(parts) = parts.cast_into_exact::<PyTuple>() else {
            let reason = format!("an object of `{}` whose numbers are of other types than was said", arg.get_type().name()?);
            self.tells.call1(arg.py(), (reason,))?;
            return Ok(false);
        };
        if parts.len() > MOST_ITEMS {
            seen.held.push(found);
            seen.flat.push(arg.clone());
            return Ok(true);
        }
        seen.signature.truncate(from);
        seen.signature.extend([9, parts.len() as u64, arg.get_type().as_ptr() as u64]);
        seen.is_flat = false;
        for part in parts.iter() {
            if !self.look(&part, seen, depth + 1)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// For each argument `None`, or its class with the same of each of its parts, where it was taken apart.
    fn shapes<'py>(&self, args: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyTuple>> {
        let shapes = args.iter().map(|arg| self.shape(&arg, 0)).collect::<PyResult<Vec<_>>>()?;
        PyTuple::new(args.py(), shapes)
    }

    fn shape<'py>(&self, arg: &Bound<'py, PyAny>, depth: usize) -> PyResult<Bound<'py, PyAny>> {
        let py = arg.py();
        let is_object = matches!(self.known.observe(arg, &mut Vec::new())?, Observed::Held(Held::Object)) && !self.known.is_array(arg);
        let unboxer =
            if is_object && depth < DEEPEST { self.unboxers.bind(py).get_item(arg.get_type())? } else { py.None().into_bound(py) };
        if unboxer.is_none() {
            return Ok(unboxer);
        }
        match unboxer.call1((arg,))?.cast_into_exact::<PyTuple>() {
            Ok(parts) if parts.len() <= MOST_ITEMS => {
                let inner = parts.iter().map(|part| self.shape(&part, depth + 1)).collect::<PyResult<Vec<_>>>()?;
                Ok(PyTuple::new(py, [arg.get_type().into_any(), PyTuple::new(py, inner)?.into_any()])?.into_any())
            }
            _ => Ok(py.None().into_bound(py)),
        }
    }

    fn keep(&self, signature: Vec<u64>, kernel: Option<Py<Kernel>>, args: &Bound<'_, PyTuple>, held: &[Held], classes: Vec<Py<PyAny>>) {
        let objects = args.iter().zip(held).filter(|(_, held)| matches!(held, Held::Object)).map(|(arg, _)| arg.unbind());
        let named = objects.chain(classes).collect();
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        // A function that is called with ever new types, or objects, would keep ever more.
        if entries.len() >= 256 {
            entries.clear();
        }
        entries.insert(signature, Entry { kernel, _named: named });
    }
}
