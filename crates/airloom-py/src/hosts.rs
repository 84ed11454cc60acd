//! Python functions that programs call: each known to its graph by a name, with the types it takes and gives.

use crate::array::Array;
use crate::errors::{ill_typed, program_error};
use crate::given::{self, Given};
use crate::location::{here, placed};
use crate::node::{Node, op};
use crate::physical::{from_physical, to_physical};
use crate::scalars::{self, value_to_python};
use crate::types::{Type, as_type};
use airloom::Cancel;
use airloom::arrow::array::ArrayRef;
use airloom::data::array_to_values;
use airloom::data::values_to_array;
use airloom::ir::attrs::{Attr, Effect};
use airloom::ir::name::Name;
use airloom::ir::ops::Make;
use airloom::ir::types::TyId;
use airloom::ir::value::Value;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A Python function, as a program calls it.
pub(crate) struct HostFunction {
    callable: Py<PyAny>,
    params: Vec<Type>,
    result: Type,
    vectorized: bool,
}

/// The functions that a graph calls, by name.
#[derive(Default)]
pub(crate) struct Hosts {
    functions: Mutex<BTreeMap<String, Arc<HostFunction>>>,
}

impl Hosts {
    /// The function of this name.
    pub(crate) fn get(&self, name: &str) -> Option<Arc<HostFunction>> {
        self.functions.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.functions.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Every function of another graph too: nodes that came from there may call them.
    pub(crate) fn take_all(&self, other: &Hosts) {
        let theirs = other.functions.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut own = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        for (name, function) in theirs {
            own.entry(name).or_insert(function);
        }
    }

    /// Puts a function in, under a name that is its own.
    pub(crate) fn add(&self, py: Python<'_>, wanted: &str, function: HostFunction) -> String {
        let mut functions = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        let mut name = wanted.to_string();
        let mut number = 1;
        while let Some(known) = functions.get(&name) {
            let same = known.callable.bind(py).is(function.callable.bind(py))
                && known.params == function.params
                && known.result == function.result
                && known.vectorized == function.vectorized;
            if same {
                return name;
            }
            number += 1;
            name = format!("{wanted}#{number}");
        }
        functions.insert(name.clone(), Arc::new(function));
        name
    }
}

impl HostFunction {
    pub(crate) fn new(callable: Py<PyAny>, params: Vec<Type>, result: Type, vectorized: bool) -> HostFunction {
        HostFunction { callable, params, result, vectorized }
    }

    /// Calls it on one value of each parameter.
    pub(crate) fn call_values(&self, args: &[Value]) -> PyResult<Value> {
        if self.vectorized {
            let arrays: Vec<ArrayRef> = self.params.iter().zip(args).map(|(ty, value)| single(ty, value)).collect();
            let made = self.call_arrays(&arrays, 1, &Cancel::default())?;
            let (types, id) = self.result.parts();
            return Ok(array_to_values(types, id, &made).swap_remove(0));
        }
        Python::attach(|py| {
            let given = self.params.iter().zip(args).map(|(ty, value)| {
                let (types, id) = ty.parts();
                value_to_python(py, types, id, value)
            });
            let given = PyTuple::new(py, given.collect::<PyResult<Vec<_>>>()?)?;
            self.value(&self.callable.bind(py).call1(given)?)
        })
    }

    /// Calls it on `rows` values of each parameter, in physical form: all at once where it is vectorised, else one after the other.
    pub(crate) fn call_arrays(&self, args: &[ArrayRef], rows: usize, cancel: &Cancel) -> PyResult<ArrayRef> {
        if !self.vectorized {
            let columns: Vec<Vec<Value>> = self
                .params
                .iter()
                .zip(args)
                .map(|(ty, array)| {
                    let (types, id) = ty.parts();
                    array_to_values(types, id, array)
                })
                .collect();
            let (types, id) = self.result.parts();
            let values = (0..rows).map(|row| {
                // A column is many calls: Ctrl-C comes between two of them.
                if cancel.is_cancelled() {
                    return Err(PyKeyboardInterrupt::new_err(()));
                }
                self.call_values(&columns.iter().map(|c| c[row].clone()).collect::<Vec<_>>())
            });
            return Ok(values_to_array(types, id, &values.collect::<PyResult<Vec<_>>>()?));
        }
        Python::attach(|py| {
            let wrong = |message: String| program_error(py, message);
            let given = self.params.iter().zip(args).map(|(ty, array)| {
                let (types, id) = ty.parts();
                Bound::new(py, Array::flat(from_physical(types, id, array).map_err(wrong)?, ty.clone()))
            });
            let given = PyTuple::new(py, given.collect::<PyResult<Vec<_>>>()?)?;
            let made = self.callable.bind(py).call1(given)?;
            let (types, id) = self.result.parts();
            let made = crate::array::read_nd(&made, types, id, 1)?.items;
            if made.len() != rows {
                return Err(wrong(format!("it was given {rows} values and returned {}", made.len())));
            }
            to_physical(types, id, &made).map_err(wrong)
        })
    }

    fn value(&self, returned: &Bound<'_, PyAny>) -> PyResult<Value> {
        let (types, id) = self.result.parts();
        let value = scalars::read(returned)?.and_then(|scalar| scalar.fit(types, id));
        value.ok_or_else(|| {
            let found = returned.repr().map(|r| r.to_string()).unwrap_or_default();
            let hint = if returned.is_none() { "; hint: `ir.optional` where it may return `None`" } else { "" };
            program_error(returned.py(), format!("it returned {found}, which is not of its type `{}`{hint}", self.result.text()))
        })
    }
}

fn single(ty: &Type, value: &Value) -> ArrayRef {
    let (types, id) = ty.parts();
    values_to_array(types, id, std::slice::from_ref(value))
}

/// What a Python function is called: its module, and its name there.
fn name_of(callable: &Bound<'_, PyAny>) -> String {
    let text = |name: &str| callable.getattr(name).and_then(|v| v.extract::<String>()).ok();
    let name = text("__qualname__").or_else(|| callable.get_type().qualname().ok().map(|n| n.to_string())).unwrap_or_default();
    match text("__module__") {
        Some(module) => format!("{module}.{name}"),
        None => name,
    }
}

/// The node that calls a Python function.
#[pyfunction]
pub(crate) fn host_call(
    py: Python<'_>,
    callable: &Bound<'_, PyAny>,
    args: &Bound<'_, PyTuple>,
    ty: &Bound<'_, PyAny>,
    effect: &str,
    vectorized: bool,
) -> PyResult<Node> {
    let place = here(py);
    let refused = |message: String| ill_typed(py, placed(format!("`host.call`: {message}"), place.as_ref()));
    if !callable.is_callable() {
        return Err(refused("the first argument is the Python function to call".into()));
    }
    let result = as_type(ty)?;
    let effect = Effect::ALL.iter().find(|e| e.word() == effect);
    let effect = *effect.ok_or_else(|| refused(format!("an effect is one of {}", Effect::WORDS.join(", "))))?;
    let given: Vec<Given> = args.iter().map(|arg| given::read(&arg)).collect::<PyResult<_>>()?;
    let store = given::target(&given.iter().collect::<Vec<_>>())?;
    let given = given::gather(py, given, &store)?;
    let nodes = store.with(|m| given.iter().map(|g| g.resolve(&mut m.graph)).collect::<Result<Vec<_>, String>>())?.map_err(refused)?;
    let params: Vec<Type> = store.with(|m| {
        let own = nodes.iter().filter(|&&n| m.graph.ty_id(n) != TyId::TOKEN);
        own.map(|&n| Type::of(m.graph.types(), m.graph.ty_id(n))).collect()
    })?;
    let function = HostFunction::new(callable.clone().unbind(), params, result.clone(), vectorized);
    let name = store.hosts.add(py, &name_of(callable), function);
    let made = store.with(|m| {
        let ty = result.in_table(m.graph.types_mut());
        let attrs = [Attr::Name(Name::new(&name)), Attr::Ty(ty), Attr::Word(effect as u8)].into_iter().collect();
        let made = m.graph.make(op("host.call"), attrs, &nodes).map_err(|e| e.to_string())?;
        if let Some(place) = &place {
            m.locations.add(made, place.clone());
        }
        Ok::<_, String>(made)
    })?;
    made.map(|id| Node::new(store, id)).map_err(|message| ill_typed(py, placed(message, place.as_ref())))
}
