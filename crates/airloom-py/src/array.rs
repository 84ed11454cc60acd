//! Arrays as Python holds them, and NumPy's arrays as the engine's: both share their buffers.

use crate::capsule::{array_capsules, is_arrow, read_array};
use crate::errors::program_error;
use crate::physical::{from_physical, to_physical};
use crate::scalars::{self, value_to_python};
use crate::types::Type;
use airloom::arrow::array::{Array as ArrowArray, ArrayData, ArrayRef, AsArray, BooleanArray, make_array};
use airloom::arrow::buffer::Buffer;
use airloom::arrow::datatypes::{DataType, TimeUnit};
use airloom::data::{NdArray, type_to_arrow};
use airloom::data::{array_to_values, values_to_array};
use airloom::ir::types::{Ty, TyId, Types};
use airloom::ir::value::Value;
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyList, PyTuple};
use std::panic::AssertUnwindSafe;
use std::ptr::NonNull;
use std::sync::Arc;

/// Elements of one type in row-major order.
#[pyclass(frozen, module = "airloom", name = "Array")]
pub(crate) struct Array {
    pub(crate) items: ArrayRef,
    pub(crate) shape: Vec<usize>,
    element: Type,
    /// Whether nobody else holds its buffer, so that NumPy may write to it.
    writable: bool,
}

impl Array {
    /// An array of one axis.
    pub(crate) fn flat(items: ArrayRef, element: Type) -> Array {
        Array { shape: vec![items.len()], items, element, writable: false }
    }

    /// The result of a program, in memory that no argument of it has; `own` says that this is so.
    pub(crate) fn of_own_result(types: &Types, element: TyId, array: NdArray, own: bool) -> Result<Array, String> {
        // Nor does anything else: a literal of the plan, for one.
        let alone = |items: &ArrayRef| items.to_data().buffers().iter().all(|buffer| buffer.strong_count() == 2);
        let writable = own && Arc::strong_count(&array.items) == 1 && alone(&array.items);
        Ok(Array { writable, ..Array::of_result(types, element, &array)? })
    }

    /// The result of a program.
    pub(crate) fn of_result(types: &Types, element: TyId, array: &NdArray) -> Result<Array, String> {
        let items = from_physical(types, element, &array.items)?;
        Ok(Array { items, shape: array.shape.clone(), element: Type::of(types, element), writable: false })
    }

    fn nested<'py>(&self, py: Python<'py>, values: &[Value], shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
        let (types, id) = self.element.parts();
        match shape {
            [] => value_to_python(py, types, id, &values[0]),
            [_, rest @ ..] => {
                let size = rest.iter().product::<usize>();
                let parts =
                    (0..shape[0]).map(|at| self.nested(py, &values[at * size..(at + 1) * size], rest)).collect::<PyResult<Vec<_>>>()?;
                Ok(PyList::new(py, parts)?.into_any())
            }
        }
    }
}

/// NumPy's word for an Arrow type that it holds in the same bytes.
fn type_string(ty: &DataType) -> Option<String> {
    let unit = |unit: &TimeUnit| match unit {
        TimeUnit::Second => "s",
        TimeUnit::Millisecond => "ms",
        TimeUnit::Microsecond => "us",
        TimeUnit::Nanosecond => "ns",
    };
    Some(match ty {
        DataType::Int8 => "|i1".into(),
        DataType::Int16 => "<i2".into(),
        DataType::Int32 => "<i4".into(),
        DataType::Int64 => "<i8".into(),
        DataType::UInt8 => "|u1".into(),
        DataType::UInt16 => "<u2".into(),
        DataType::UInt32 => "<u4".into(),
        DataType::UInt64 => "<u8".into(),
        DataType::Float32 => "<f4".into(),
        DataType::Float64 => "<f8".into(),
        DataType::Timestamp(u, _) => format!("<M8[{}]", unit(u)),
        DataType::Duration(u) => format!("<m8[{}]", unit(u)),
        _ => return None,
    })
}

#[pymethods]
impl Array {
    /// The type of its elements.
    #[getter]
    fn element(&self) -> Type {
        self.element.clone()
    }

    /// The extent of each axis.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.shape)
    }

    fn __len__(&self) -> usize {
        self.shape.first().copied().unwrap_or(1)
    }

    /// How NumPy reads it in place. There is none where elements are null, or not of a fixed number of bytes.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let word = type_string(self.items.data_type()).filter(|_| self.items.null_count() == 0);
        let Some(word) = word else {
            return Err(PyAttributeError::new_err(format!("an array of `{}` is not in NumPy's bytes", self.element.text())));
        };
        let data = self.items.to_data();
        let width = data.data_type().primitive_width().unwrap_or(1);
        let place = data.buffers()[0].as_ptr() as usize + data.offset() * width;
        let dict = PyDict::new(py);
        dict.set_item("version", 3)?;
        dict.set_item("typestr", word)?;
        dict.set_item("shape", self.shape(py)?)?;
        // Read-only where others share the buffer.
        dict.set_item("data", (place, !self.writable))?;
        Ok(dict)
    }

    /// As NumPy's array: in place where it can be, else of Python's values.
    fn to_numpy<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let numpy = py.import("numpy")?;
        let own = slf.get();
        let shape = own.shape(py)?;
        if type_string(own.items.data_type()).is_some() && own.items.null_count() == 0 {
            return numpy.call_method1("asarray", (slf,));
        }
        if *own.items.data_type() == DataType::Boolean && own.items.null_count() == 0 {
            let bytes: Vec<u8> = own.items.as_boolean().values().iter().map(u8::from).collect();
            let flat = numpy.call_method1("frombuffer", (PyBytes::new(py, &bytes), "bool"))?;
            return flat.call_method1("reshape", (shape,));
        }
        let (types, id) = own.element.parts();
        let values = own.values(py)?;
        let flat = numpy.call_method1("empty", (own.items.len(), "object"))?;
        for (at, value) in values.iter().enumerate() {
            flat.set_item(at, value_to_python(py, types, id, value)?)?;
        }
        flat.call_method1("reshape", (shape,))
    }

    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        slf: &Bound<'py, Self>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let made = Array::to_numpy(slf)?;
        let options = PyDict::new(slf.py());
        if let Some(copy) = copy {
            options.set_item("copy", copy)?;
        }
        slf.py().import("numpy")?.call_method("array", (made, dtype), Some(&options))
    }

    /// The elements as nested lists.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.nested(py, &self.values(py)?, &self.shape)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        // The protocol leaves it to who gives whether to convert. Elements keep their type; those of several axes go out in row-major order, since Arrow's arrays
        // have one axis.
        let _ = requested_schema;
        let (types, id) = self.element.parts();
        array_capsules(py, &self.items, types.nullable(id))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let count = self.items.len();
        let shown = if self.shape.len() == 1 && count > 10 {
            let (types, id) = self.element.parts();
            let head = to_physical(types, id, &self.items.slice(0, 10)).map_err(|m| program_error(py, m))?;
            let values = array_to_values(types, id, &head);
            let text: Vec<String> = values.iter().map(|v| airloom::ir::text::value_to_text(types, id, v)).collect();
            format!("[{}, …]", text.join(", "))
        } else {
            self.to_pylist(py)?.to_string()
        };
        let extents: Vec<String> = self.shape.iter().map(ToString::to_string).collect();
        Ok(format!("<arr<{}; {}> {shown}>", self.element.text(), extents.join(", ")))
    }
}

impl Array {
    fn values(&self, py: Python<'_>) -> PyResult<Vec<Value>> {
        let (types, id) = self.element.parts();
        let physical = to_physical(types, id, &self.items).map_err(|m| program_error(py, m))?;
        Ok(array_to_values(types, id, &physical))
    }
}

/// An array for a program, from NumPy, Arrow, one of ours, or lists.
pub(crate) fn read_nd(given: &Bound<'_, PyAny>, types: &Types, element: TyId, axes: usize) -> PyResult<NdArray> {
    let py = given.py();
    let wrong = |message: String| program_error(py, message);
    if let Ok(array) = given.cast::<Array>() {
        let array = array.get();
        let items = to_physical(types, element, &array.items).map_err(wrong)?;
        return shaped(items, array.shape.clone(), axes).map_err(wrong);
    }
    if is_arrow(given)? {
        let items = to_physical(types, element, &read_array(given)?).map_err(wrong)?;
        let shape = vec![items.len()];
        return shaped(items, shape, axes).map_err(wrong);
    }
    let numpy = py.import("numpy")?;
    let array = numpy.call_method1("asarray", (given,))?;
    let array = numpy.call_method1("ascontiguousarray", (array,))?;
    let mut shape: Vec<usize> = array.getattr("shape")?.extract()?;
    if axes == 0 {
        shape = Vec::new();
    }
    let physical = type_to_arrow(types, element).ok_or_else(|| wrong(format!("an array of `{}` is not supported", types.show(element))))?;
    let word: String = array.getattr("dtype")?.getattr("str")?.extract()?;
    if type_string(&physical).as_deref() == Some(word.as_str()) {
        return shaped(borrow(&array, &physical)?, shape, axes).map_err(wrong);
    }
    if word == "|b1" && physical == DataType::Boolean {
        let bytes: Vec<u8> = array.call_method0("tobytes")?.extract()?;
        let items: BooleanArray = bytes.iter().map(|b| Some(*b != 0)).collect();
        return shaped(Arc::new(items), shape, axes).map_err(wrong);
    }
    // Lists of Python, and NumPy's own text, are read value by value.
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    let listed = !given.hasattr("dtype")? || matches!(kind.as_str(), "O" | "U" | "S");
    if !listed {
        return Err(wrong(format!("the array's elements are `{word}`, but its type says `{}`; hint: `astype`", types.show(element))));
    }
    let flat = numpy.call_method1("asarray", (given, "object"))?.call_method0("ravel")?;
    let mut values = Vec::new();
    for item in flat.try_iter()? {
        let item = item?;
        let value = scalars::read(&item)?.and_then(|scalar| scalar.fit(types, element));
        values.push(value.ok_or_else(|| wrong(format!("the element {item} is not of type `{}`", types.show(element))))?);
    }
    shaped(values_to_array(types, element, &values), shape, axes).map_err(wrong)
}

fn shaped(items: ArrayRef, shape: Vec<usize>, axes: usize) -> Result<NdArray, String> {
    if shape.len() != axes {
        return Err(format!("expected an array of {axes} axes, found one of {}", shape.len()));
    }
    Ok(NdArray { items, shape })
}

/// The elements of a contiguous NumPy array, in place.
fn borrow(array: &Bound<'_, PyAny>, physical: &DataType) -> PyResult<ArrayRef> {
    let py = array.py();
    let wrong = |message: String| program_error(py, message);
    let interface = array.getattr("__array_interface__")?;
    let (place, _): (usize, bool) = interface.get_item("data")?.extract()?;
    let count: usize = array.getattr("size")?.extract()?;
    let bytes: usize = array.getattr("nbytes")?.extract()?;
    let width = physical.primitive_width().unwrap_or(1);
    let buffer = match NonNull::new(place as *mut u8) {
        Some(start) if bytes > 0 && place % width.min(8) == 0 => {
            let owner = Arc::new(AssertUnwindSafe(array.clone().unbind()));
            // SAFETY: `ascontiguousarray` gave `nbytes` bytes at this address, and the buffer owns a reference to the array, which owns them.
            unsafe { Buffer::from_custom_allocation(start, bytes, owner) }
        }
        // Copied to where numbers may stand.
        _ => Buffer::from_slice_ref(array.call_method0("tobytes")?.extract::<Vec<u8>>()?),
    };
    let data = ArrayData::builder(physical.clone()).len(count).add_buffer(buffer).build().map_err(|e| wrong(e.to_string()))?;
    Ok(make_array(data))
}

/// Whether a type is an array, and of what.
pub(crate) fn array_parts(types: &Types, ty: TyId) -> Option<(TyId, usize)> {
    match types.get(ty) {
        Ty::Arr(element, dims) => Some((*element, dims.len())),
        _ => None,
    }
}
