//! Python's values as constants of the graph: read once, while no graph is held, then given the type of the other operand.

use airloom::ir::name::Name;
use airloom::ir::types::{Field, Fields, IntTy, TimeUnit, Ty, TyId, Types};
use airloom::ir::value::Value;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

/// A Python value, not yet of a type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Scalar {
    Null,
    Bool(bool),
    /// Python's `int`: of any whole type that holds it, and of floats.
    Int(i128),
    /// NumPy's: of this type and no other unless asked.
    Sized(IntTy, i128),
    Float(f64),
    F32(f32),
    Str(String),
    Bytes(Vec<u8>),
    /// Digits, and how many of them are after the point.
    Decimal(i128, u8),
    Date(i32),
    Time(i64),
    Stamp(i128, TimeUnit, Option<String>),
    Duration(i128, TimeUnit),
    List(Vec<Scalar>),
    Tuple(Vec<Scalar>),
    Record(Vec<(String, Scalar)>),
}

/// The classes of the standard library by which values are recognised.
struct Classes {
    date: Py<PyAny>,
    datetime: Py<PyAny>,
    time: Py<PyAny>,
    timedelta: Py<PyAny>,
    decimal: Py<PyAny>,
}

fn classes(py: Python<'_>) -> PyResult<&'static Classes> {
    static CLASSES: PyOnceLock<Classes> = PyOnceLock::new();
    CLASSES.get_or_try_init(py, || {
        let datetime = py.import("datetime")?;
        Ok(Classes {
            date: datetime.getattr("date")?.unbind(),
            datetime: datetime.getattr("datetime")?.unbind(),
            time: datetime.getattr("time")?.unbind(),
            timedelta: datetime.getattr("timedelta")?.unbind(),
            decimal: py.import("decimal")?.getattr("Decimal")?.unbind(),
        })
    })
}

/// How deep lists and dicts may nest in a constant.
const MAX_DEPTH: u32 = 32;

/// Reads a Python value; `None` where it is not one that can be a constant.
pub(crate) fn read(value: &Bound<'_, PyAny>) -> PyResult<Option<Scalar>> {
    read_at(value, 0)
}

fn read_at(value: &Bound<'_, PyAny>, depth: u32) -> PyResult<Option<Scalar>> {
    if value.is_none() {
        return Ok(Some(Scalar::Null));
    }
    if let Ok(truth) = value.cast_exact::<PyBool>() {
        return Ok(Some(Scalar::Bool(truth.is_true())));
    }
    if value.is_exact_instance_of::<PyInt>() {
        return whole(value).map(|i| Some(Scalar::Int(i)));
    }
    if let Ok(float) = value.cast_exact::<PyFloat>() {
        return Ok(Some(Scalar::Float(float.value())));
    }
    if value.is_exact_instance_of::<PyString>() {
        return Ok(Some(Scalar::Str(value.extract()?)));
    }
    if let Ok(bytes) = value.cast_exact::<PyBytes>() {
        return Ok(Some(Scalar::Bytes(bytes.as_bytes().to_vec())));
    }
    let module: String = value.get_type().module().and_then(|m| m.extract()).unwrap_or_default();
    if module == "numpy" && value.hasattr("dtype")? && value.getattr("ndim")?.extract::<usize>()? == 0 {
        return numpy(value);
    }
    if module.starts_with("pandas.") || module == "pandas" {
        return pandas(value);
    }
    if let Some(time) = temporal(value)? {
        return Ok(Some(time));
    }
    let py = value.py();
    if value.is_instance(classes(py)?.decimal.bind(py))? {
        return decimal(value).map(Some);
    }
    if depth > MAX_DEPTH {
        return Ok(None);
    }
    let parts =
        |items: &Bound<'_, PyAny>| -> PyResult<Option<Vec<Scalar>>> { items.try_iter()?.map(|item| read_at(&item?, depth + 1)).collect() };
    if value.is_instance_of::<PyList>() {
        return Ok(parts(value)?.map(Scalar::List));
    }
    if value.is_instance_of::<PyTuple>() {
        return Ok(parts(value)?.map(Scalar::Tuple));
    }
    if let Ok(dict) = value.cast::<PyDict>() {
        let mut fields = Vec::with_capacity(dict.len());
        for (name, item) in dict.iter() {
            let (Ok(name), Some(item)) = (name.extract::<String>(), read_at(&item, depth + 1)?) else { return Ok(None) };
            fields.push((name, item));
        }
        return Ok(Some(Scalar::Record(fields)));
    }
    // Enums of `int` and `str`, and other subclasses that are still what they extend.
    if value.is_instance_of::<PyBool>() || value.is_instance_of::<PyInt>() {
        return whole(value).map(|i| Some(Scalar::Int(i)));
    }
    if value.is_instance_of::<PyFloat>() {
        return Ok(Some(Scalar::Float(value.extract()?)));
    }
    if value.is_instance_of::<PyString>() {
        return Ok(Some(Scalar::Str(value.extract()?)));
    }
    Ok(None)
}

fn whole(value: &Bound<'_, PyAny>) -> PyResult<i128> {
    value.extract::<i128>().map_err(|_| crate::errors::ill_typed(value.py(), "an integer of more than 128 bits has no type here"))
}

fn numpy(value: &Bound<'_, PyAny>) -> PyResult<Option<Scalar>> {
    let dtype = value.getattr("dtype")?;
    let kind: String = dtype.getattr("kind")?.extract()?;
    let bytes: usize = dtype.getattr("itemsize")?.extract()?;
    Ok(Some(match (kind.as_str(), bytes) {
        ("b", _) => Scalar::Bool(value.call_method0("item")?.extract()?),
        ("f", 8) => Scalar::Float(value.call_method0("item")?.extract()?),
        ("f", 2 | 4) => Scalar::F32(value.call_method0("item")?.extract::<f64>()? as f32),
        ("i" | "u", _) => {
            let signed = kind == "i";
            let int = IntTy::ALL.into_iter().find(|t| t.signed() == signed && t.bits() as usize == bytes * 8);
            match int {
                Some(int) => Scalar::Sized(int, whole(&value.call_method0("item")?)?),
                None => return Ok(None),
            }
        }
        ("M" | "m", _) => {
            let (unit, step): (String, i128) = value.py().import("numpy")?.call_method1("datetime_data", (dtype,))?.extract()?;
            let count: i64 = value.call_method1("astype", ("int64",))?.call_method0("item")?.extract()?;
            if count == i64::MIN {
                return Ok(Some(Scalar::Null));
            }
            let count = i128::from(count) * step;
            if unit == "D" && kind == "M" {
                return Ok(i32::try_from(count).ok().map(Scalar::Date));
            }
            let (unit, times) = match unit.as_str() {
                "s" => (TimeUnit::Second, 1),
                "ms" => (TimeUnit::Milli, 1),
                "us" => (TimeUnit::Micro, 1),
                "ns" => (TimeUnit::Nano, 1),
                "m" => (TimeUnit::Second, 60),
                "h" => (TimeUnit::Second, 3600),
                "D" => (TimeUnit::Second, 86_400),
                _ => return Ok(None),
            };
            if kind == "M" { Scalar::Stamp(count * times, unit, None) } else { Scalar::Duration(count * times, unit) }
        }
        ("U", _) => Scalar::Str(value.call_method0("item")?.extract()?),
        ("S", _) => Scalar::Bytes(value.call_method0("item")?.extract()?),
        _ => return Ok(None),
    }))
}

fn pandas(value: &Bound<'_, PyAny>) -> PyResult<Option<Scalar>> {
    let class = value.get_type().name()?.to_string();
    let count = || -> PyResult<(i128, TimeUnit)> {
        let unit: String = value.getattr("unit")?.extract()?;
        let unit = TimeUnit::ALL.into_iter().find(|u| u.name() == unit).unwrap_or(TimeUnit::Nano);
        let count = value.getattr("_value").or_else(|_| value.getattr("value"))?;
        Ok((count.extract()?, unit))
    };
    Ok(match class.as_str() {
        "NaTType" | "NAType" => Some(Scalar::Null),
        "Timestamp" => {
            let (count, unit) = count()?;
            Some(Scalar::Stamp(count, unit, zone(value)?))
        }
        "Timedelta" => {
            let (count, unit) = count()?;
            Some(Scalar::Duration(count, unit))
        }
        _ => None,
    })
}

/// The zone of a `datetime`: its name where it has one, else its offset from UTC.
fn zone(value: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    let tzinfo = value.getattr("tzinfo")?;
    if tzinfo.is_none() {
        return Ok(None);
    }
    if let Ok(key) = tzinfo.getattr("key").and_then(|k| k.extract::<String>()) {
        return Ok(Some(key));
    }
    let seconds = value.call_method0("utcoffset")?.call_method0("total_seconds")?.extract::<f64>()? as i64;
    Ok(Some(match seconds {
        0 => "UTC".to_string(),
        _ => format!("{}{:02}:{:02}", if seconds < 0 { '-' } else { '+' }, seconds.abs() / 3600, seconds.abs() / 60 % 60),
    }))
}

fn micros(delta: &Bound<'_, PyAny>) -> PyResult<i128> {
    let part = |name: &str| delta.getattr(name)?.extract::<i128>();
    Ok((part("days")? * 86_400 + part("seconds")?) * 1_000_000 + part("microseconds")?)
}

fn temporal(value: &Bound<'_, PyAny>) -> PyResult<Option<Scalar>> {
    let py = value.py();
    let known = classes(py)?;
    let part = |name: &str| value.getattr(name)?.extract::<i64>();
    if value.is_instance(known.datetime.bind(py))? {
        let zone = zone(value)?;
        let tzinfo = if zone.is_some() { py.import("datetime")?.getattr("timezone")?.getattr("utc")? } else { py.None().into_bound(py) };
        let epoch = known.datetime.bind(py).call1((1970, 1, 1, 0, 0, 0, 0, tzinfo))?;
        return Ok(Some(Scalar::Stamp(micros(&value.sub(epoch)?)?, TimeUnit::Micro, zone)));
    }
    if value.is_instance(known.date.bind(py))? {
        let days: i32 = value.call_method0("toordinal")?.extract()?;
        // 1970-01-01 is day 719163 of Python's calendar.
        return Ok(Some(Scalar::Date(days - 719_163)));
    }
    if value.is_instance(known.time.bind(py))? {
        let seconds = part("hour")? * 3600 + part("minute")? * 60 + part("second")?;
        return Ok(Some(Scalar::Time(seconds * 1_000_000_000 + part("microsecond")? * 1000)));
    }
    if value.is_instance(known.timedelta.bind(py))? {
        return Ok(Some(Scalar::Duration(micros(value)?, TimeUnit::Micro)));
    }
    Ok(None)
}

fn decimal(value: &Bound<'_, PyAny>) -> PyResult<Scalar> {
    let wrong = || crate::errors::ill_typed(value.py(), format!("a decimal has at most 38 digits and is a number, found `{value}`"));
    let (sign, digits, exponent): (u8, Vec<i128>, Bound<'_, PyAny>) = value.call_method0("as_tuple")?.extract()?;
    let exponent: i32 = exponent.extract().map_err(|_| wrong())?;
    let scale = u8::try_from((-exponent).max(0)).ok().filter(|s| *s <= 38).ok_or_else(wrong)?;
    let zeros = u32::try_from(exponent.max(0)).ok().filter(|z| *z <= 38).ok_or_else(wrong)?;
    let mut count = 0i128;
    for digit in digits {
        count = count.checked_mul(10).and_then(|c| c.checked_add(digit)).ok_or_else(wrong)?;
    }
    count = count.checked_mul(10i128.pow(zeros)).filter(|c| *c < 10i128.pow(38)).ok_or_else(wrong)?;
    Ok(Scalar::Decimal(if sign == 1 { -count } else { count }, scale))
}

/// How many decimal digits a number has.
fn digits(count: i128) -> u8 {
    let mut left = count.unsigned_abs();
    let mut digits = 1;
    while left >= 10 {
        left /= 10;
        digits += 1;
    }
    digits
}

/// A count in another unit, where nothing is lost.
fn rescale(count: i128, from: TimeUnit, to: TimeUnit) -> Option<i128> {
    let (from, to) = (i128::from(from.per_second()), i128::from(to.per_second()));
    if to >= from { count.checked_mul(to / from) } else { (count % (from / to) == 0).then(|| count / (from / to)) }
}

impl Scalar {
    /// Its value as one of a type, where that says the same.
    pub(crate) fn fit(&self, types: &Types, ty: TyId) -> Option<Value> {
        match (types.get(ty), self) {
            (Ty::Option(_), Scalar::Null) => Some(Value::Null),
            (Ty::Option(inner) | Ty::Dict(inner), _) => self.fit(types, *inner),
            (Ty::Bool, Scalar::Bool(b)) => Some(Value::Bool(*b)),
            (Ty::Int(int), Scalar::Int(i)) if int.holds(*i) => Some(Value::Int(*i)),
            (Ty::Int(int), Scalar::Sized(own, i)) if int == own => Some(Value::Int(*i)),
            (Ty::F64, Scalar::Float(x)) => Some(Value::F64(*x)),
            (Ty::F32, Scalar::Float(x)) => Some(Value::F32(*x as f32)),
            (Ty::F32, Scalar::F32(x)) => Some(Value::F32(*x)),
            (Ty::F64, Scalar::Int(i)) => Some(Value::F64(*i as f64)),
            (Ty::F32, Scalar::Int(i)) => Some(Value::F32(*i as f32)),
            (Ty::Decimal { precision, scale }, Scalar::Int(_) | Scalar::Decimal(..)) => {
                let (count, own) = if let Scalar::Decimal(count, own) = self { (*count, *own) } else { (self.as_int()?, 0) };
                let count = if own <= *scale {
                    count.checked_mul(10i128.checked_pow(u32::from(scale - own))?)?
                } else {
                    let step = 10i128.pow(u32::from(own - scale));
                    (count % step == 0).then_some(count / step)?
                };
                (digits(count) <= *precision).then_some(Value::Int(count))
            }
            (Ty::Str, Scalar::Str(s)) => Some(Value::str(s)),
            (Ty::Category { names, .. }, Scalar::Str(s)) => names.iter().position(|n| n.as_str() == s).map(|at| Value::Int(at as i128)),
            (Ty::Bytes, Scalar::Bytes(b)) => Some(Value::Bytes(b.as_slice().into())),
            (Ty::Date, Scalar::Date(days)) => Some(Value::int(*days)),
            (Ty::Time, Scalar::Time(nanos)) => Some(Value::int(*nanos)),
            (Ty::Timestamp { unit, zone }, Scalar::Stamp(count, own, own_zone)) if zone.is_some() == own_zone.is_some() => {
                rescale(*count, *own, *unit).filter(|c| i64::try_from(*c).is_ok()).map(Value::Int)
            }
            (Ty::Duration(unit), Scalar::Duration(count, own)) => {
                rescale(*count, *own, *unit).filter(|c| i64::try_from(*c).is_ok()).map(Value::Int)
            }
            (Ty::List(element), Scalar::List(items) | Scalar::Tuple(items)) => {
                let items: Option<Vec<Value>> = items.iter().map(|item| item.fit(types, *element)).collect();
                Some(Value::List(items?.into()))
            }
            (Ty::Struct(fields), Scalar::Record(given)) if fields.len() == given.len() => {
                let value = |f: &Field| given.iter().find(|(name, _)| name == f.name.as_str())?.1.fit(types, f.ty);
                let values: Option<Vec<Value>> = fields.iter().map(value).collect();
                Some(Value::Struct(values?.into()))
            }
            (Ty::Tuple(parts), Scalar::Tuple(given)) if parts.len() == given.len() => {
                let values: Option<Vec<Value>> = parts.iter().zip(given).map(|(&ty, item)| item.fit(types, ty)).collect();
                Some(Value::Tuple(values?.into()))
            }
            (Ty::Token, Scalar::Tuple(parts)) if parts.is_empty() => Some(Value::Token),
            _ => None,
        }
    }

    fn as_int(&self) -> Option<i128> {
        if let Scalar::Int(i) = self { Some(*i) } else { None }
    }

    /// The type it has by itself, where it has one.
    pub(crate) fn natural(&self, types: &mut Types) -> Result<TyId, String> {
        Ok(match self {
            Scalar::Null => types.option(TyId::I64),
            Scalar::Bool(_) => TyId::BOOL,
            Scalar::Int(i) if IntTy::I64.holds(*i) => TyId::I64,
            Scalar::Int(i) if IntTy::U64.holds(*i) => TyId::U64,
            Scalar::Int(i) => return Err(format!("`{i}` fits no whole type")),
            Scalar::Sized(int, _) => types.int(*int),
            Scalar::Float(_) => TyId::F64,
            Scalar::F32(_) => TyId::F32,
            Scalar::Str(_) => TyId::STR,
            Scalar::Bytes(_) => TyId::BYTES,
            Scalar::Decimal(count, scale) => types.decimal(digits(*count).max(*scale).max(1), *scale)?,
            Scalar::Date(_) => TyId::DATE,
            Scalar::Time(_) => TyId::TIME,
            Scalar::Stamp(_, unit, zone) => types.timestamp(*unit, zone.as_deref().map(Name::new))?,
            Scalar::Duration(_, unit) => types.duration(*unit),
            Scalar::List(items) => {
                let element = common(items, types)?;
                types.list(element)?
            }
            Scalar::Tuple(items) => {
                let parts: Result<Vec<TyId>, String> = items.iter().map(|item| item.natural(types)).collect();
                types.tuple(parts?)?
            }
            Scalar::Record(fields) => {
                let mut list = Vec::with_capacity(fields.len());
                for (name, item) in fields {
                    list.push(Field { name: Name::new(name), ty: item.natural(types)? });
                }
                types.row(Fields::new(list).map_err(|name| format!("duplicate field `{name}`"))?)?
            }
        })
    }
}

/// The type of a list's elements: that of the first that is not null, which all must fit.
fn common(items: &[Scalar], types: &mut Types) -> Result<TyId, String> {
    let Some(first) = items.iter().find(|item| **item != Scalar::Null) else {
        return Err("a list without values has no type of its own; hint: say it, as in `ir.const([], ir.list_(ir.i64))`".into());
    };
    // A list of `int` and `float` is one of floats, as in NumPy.
    let floats = items.iter().find(|item| matches!(item, Scalar::Float(_)));
    let element = floats.unwrap_or(first).natural(types)?;
    let element = types.with_null(element, items.contains(&Scalar::Null));
    match items.iter().position(|item| item.fit(types, element).is_none()) {
        None => Ok(element),
        Some(at) => Err(format!("the elements of a list have one type: element {at} is not `{}`", types.show(element))),
    }
}

/// A value of the graph for Python.
pub(crate) fn value_to_python<'py>(py: Python<'py>, types: &Types, ty: TyId, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match (types.plain(ty), value) {
        (_, Value::Null) => py.None().into_bound(py),
        (_, Value::Bool(b)) => PyBool::new(py, *b).to_owned().into_any(),
        (Ty::Decimal { scale, .. }, Value::Int(i)) => {
            let decimal = classes(py)?.decimal.bind(py).call1((*i,))?;
            decimal.call_method1("scaleb", (-i32::from(*scale), wide_context(py)?))?
        }
        (Ty::Date, Value::Int(days)) => classes(py)?.date.bind(py).call_method1("fromordinal", (days + 719_163,)).or_else(|_| {
            let text = airloom::ir::oracle::convert::scalar_to_text(types, ty, value);
            Ok::<_, PyErr>(PyString::new(py, &text).into_any())
        })?,
        (Ty::Time, Value::Int(nanos)) => {
            let micros = nanos / 1000;
            let parts = (micros / 3_600_000_000, micros / 60_000_000 % 60, micros / 1_000_000 % 60, micros % 1_000_000);
            classes(py)?.time.bind(py).call1(parts)?
        }
        (Ty::Timestamp { unit, zone }, Value::Int(count)) => stamp(py, *count, *unit, zone.as_deref())?,
        (Ty::Duration(unit), Value::Int(count)) => match rescale(*count, *unit, TimeUnit::Micro) {
            Some(micros) => classes(py)?.timedelta.bind(py).call1((0, 0, micros))?,
            None => py.import("numpy")?.call_method1("timedelta64", (*count, unit.name()))?,
        },
        (Ty::Category { names, .. }, Value::Int(at)) => PyString::new(py, &names[*at as usize]).into_any(),
        (_, Value::Int(i)) => i.into_pyobject(py)?.into_any(),
        (_, Value::F32(x)) => PyFloat::new(py, f64::from(*x)).into_any(),
        (_, Value::F64(x)) => PyFloat::new(py, *x).into_any(),
        (_, Value::Str(s)) => PyString::new(py, s).into_any(),
        (_, Value::Bytes(b)) => PyBytes::new(py, b).into_any(),
        (Ty::List(element), Value::List(items)) => {
            let items = items.iter().map(|item| value_to_python(py, types, *element, item)).collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, items)?.into_any()
        }
        (Ty::Struct(fields), Value::Struct(values)) => {
            let dict = PyDict::new(py);
            for (field, value) in fields.iter().zip(values.iter()) {
                dict.set_item(field.name.as_str(), value_to_python(py, types, field.ty, value)?)?;
            }
            dict.into_any()
        }
        (Ty::Tuple(parts), Value::Tuple(values)) => {
            let items = parts.iter().zip(values.iter()).map(|(&ty, v)| value_to_python(py, types, ty, v)).collect::<PyResult<Vec<_>>>()?;
            PyTuple::new(py, items)?.into_any()
        }
        (_, Value::Token) => PyTuple::empty(py).into_any(),
        _ => {
            let message = format!("a value of type `{}` has no form in Python", types.show(ty));
            return Err(crate::errors::program_error(py, message));
        }
    })
}

/// A context in which no digit of a decimal is lost.
fn wide_context(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    static CONTEXT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let made = CONTEXT.get_or_try_init(py, || py.import("decimal")?.call_method1("Context", (60,)).map(Bound::unbind))?;
    Ok(made.bind(py).clone())
}

fn stamp<'py>(py: Python<'py>, count: i128, unit: TimeUnit, zone: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
    let finer = || -> PyResult<Bound<'py, PyAny>> { py.import("numpy")?.call_method1("datetime64", (count, unit.name())) };
    // Finer than a microsecond, or past the year 9999, only NumPy holds it; and NumPy has no zones: it is UTC.
    let Some(micros) = rescale(count, unit, TimeUnit::Micro) else { return finer() };
    let known = classes(py)?;
    let utc = py.import("datetime")?.getattr("timezone")?.getattr("utc")?;
    let tzinfo = if zone.is_some() { utc } else { py.None().into_bound(py) };
    let epoch = known.datetime.bind(py).call1((1970, 1, 1, 0, 0, 0, 0, tzinfo))?;
    let delta = known.timedelta.bind(py).call1((0, 0, micros));
    let Ok(moment) = delta.and_then(|delta| epoch.add(delta)) else { return finer() };
    match zone {
        None | Some("UTC") => Ok(moment),
        Some(zone) => {
            let zone = match py.import("zoneinfo")?.call_method1("ZoneInfo", (zone,)) {
                Ok(zone) => zone,
                Err(_) => offset(py, zone)?,
            };
            moment.call_method1("astimezone", (zone,))
        }
    }
}

/// The `timezone` of an offset such as `+02:00`.
fn offset<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let minutes = |text: &str| -> Option<i64> {
        let (hours, minutes) = text.get(1..)?.split_once(':')?;
        let count = hours.parse::<i64>().ok()? * 60 + minutes.parse::<i64>().ok()?;
        Some(if text.starts_with('-') { -count } else { count })
    };
    let minutes = minutes(text).unwrap_or_default();
    let delta = classes(py)?.timedelta.bind(py).call1((0, minutes * 60))?;
    py.import("datetime")?.call_method1("timezone", (delta,))
}
