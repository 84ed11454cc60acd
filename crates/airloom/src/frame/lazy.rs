//! A table that is described first and computed when asked.

use super::expression::Expr;
use super::lower::{Scope, before_hint, lower, no_column};
use super::sort::Sort;
use crate::arrow::datatypes::SchemaRef;
use crate::data::{arrow_to_type, schema_of};
use crate::session::{Error, Kept, Session};
use airloom_ir::attrs::{Keep, SortKey};
use airloom_ir::graph::{Graph, NodeId, TypeError};
use airloom_ir::module::{Location, Module};
use airloom_ir::name::Name;
use airloom_ir::ops::core::BuildCore;
use airloom_ir::ops::relation::BuildRelation;
use airloom_ir::types::{Fields, Ty, TyId};
use airloom_ir::value::Value;
use std::sync::Arc;

/// A table that is described first and computed when asked. Each step checks the names and types of the one before it, so that what is wrong is reported at
/// once; the rows are another matter.
///
/// ```
/// # use airloom::{Session, SessionOptions, doc::sales};
/// use airloom::{Direction, col};
///
/// # let session = Session::new(SessionOptions::from_environment()?)?;
/// let best = sales(&session)?
///     .filter(col("amount").is_not_null())?
///     .group_by(["city"])
///     .agg([(col("amount") * col("price")).sum().alias("total")])?
///     .sort(["total".desc()])?
///     .limit(2)?;
/// assert_eq!(best.columns(), ["city", "total"]);
/// let rows = best.collect()?;
/// assert_eq!(rows.iter().map(|batch| batch.num_rows()).sum::<usize>(), 2);
/// # Ok::<(), airloom::Error>(())
/// ```
#[derive(Clone)]
pub struct Frame {
    pub(super) session: Session,
    pub(super) module: Arc<Module>,
    pub(super) node: NodeId,
    /// The tables it reads, which the session knows for as long as they are held.
    pub(super) kept: Vec<Arc<Kept>>,
}

impl std::fmt::Debug for Frame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Frame({})", self.module.graph.show_ty(self.node))
    }
}

impl Frame {
    /// The rows of a table.
    #[track_caller]
    pub(crate) fn of(session: &Session, kept: Arc<Kept>) -> Result<Frame, Error> {
        let place = here();
        let mut module = Module::default();
        let schema = kept.table.schema();
        let mut columns = Vec::with_capacity(schema.fields().len());
        for field in schema.fields() {
            let ty = arrow_to_type(module.graph.types_mut(), field.data_type(), field.is_nullable());
            columns.push((Name::new(field.name()), ty.map_err(|e| Error::Refused(format!("column `{}`: {e}", field.name())))?));
        }
        let ty = module.graph.types_mut().rel_of(columns).map_err(Error::Program)?;
        let node = module.graph.source(Name::new(&kept.name), ty).map_err(|e| told(e.to_string(), &place))?;
        module.locations.add(node, place);
        Ok(Frame { session: session.clone(), module: Arc::new(module), node, kept: vec![kept] })
    }

    /// The names of its columns.
    pub fn columns(&self) -> Vec<String> {
        self.fields().names().map(ToString::to_string).collect()
    }

    /// Its columns, as they are in Arrow.
    pub fn schema(&self) -> SchemaRef {
        schema_of(self.module.graph.types(), self.fields())
    }

    /// The rows for which this is true. Null is not true.
    ///
    /// ```
    /// # use airloom::{Session, SessionOptions, doc::sales};
    /// # use airloom::col;
    /// # let session = Session::new(SessionOptions::from_environment()?)?;
    /// let error = sales(&session)?.filter(col("amout").gt(3)).unwrap_err().to_string();
    /// assert!(error.starts_with("there is no column `amout`; there are: `city`, `day`, `amount`, `price`"), "{error}");
    /// assert!(error.ends_with("hint: did you mean `amount`?"), "{error}");
    /// # Ok::<(), airloom::Error>(())
    /// ```
    #[track_caller]
    pub fn filter(self, predicate: impl Into<Expr>) -> Result<Frame, Error> {
        let predicate = predicate.into();
        self.step(|graph, input, fields| {
            let row = row_of(graph, &fields)?;
            let truth = lower(graph, &fields, Scope::Row(row), &predicate)?;
            if graph.types().strip(graph.ty_id(truth)) != TyId::BOOL {
                return Err(format!("a filter takes `bool`, found `{}`", graph.show_ty(truth)));
            }
            let (body, captures) = graph.close(&[row], truth).map_err(shown)?;
            graph.filter(input, body, &captures).map_err(shown)
        })
    }

    /// Only these columns, computed or as they are.
    ///
    /// ```
    /// # use airloom::{Session, SessionOptions, doc::sales};
    /// # use airloom::col;
    /// # let session = Session::new(SessionOptions::from_environment()?)?;
    /// assert_eq!(sales(&session)?.select(["price", "city"])?.columns(), ["price", "city"]);
    /// assert_eq!(sales(&session)?.select([col("day").year().alias("year")])?.columns(), ["year"]);
    /// # Ok::<(), airloom::Error>(())
    /// ```
    #[track_caller]
    pub fn select(self, columns: impl IntoIterator<Item = impl Into<Expr>>) -> Result<Frame, Error> {
        let columns: Vec<Expr> = columns.into_iter().map(Into::into).collect();
        self.project(|_| columns)
    }

    /// All columns, and these besides: one that has the name of another replaces it.
    ///
    /// ```
    /// # use airloom::{Session, SessionOptions, doc::sales};
    /// # use airloom::col;
    /// # let session = Session::new(SessionOptions::from_environment()?)?;
    /// let frame = sales(&session)?.with_columns([(col("price") * 2).alias("price"), (col("amount") + 1).alias("more")])?;
    /// assert_eq!(frame.columns(), ["city", "day", "amount", "price", "more"]);
    /// # Ok::<(), airloom::Error>(())
    /// ```
    #[track_caller]
    pub fn with_columns(self, columns: impl IntoIterator<Item = impl Into<Expr>>) -> Result<Frame, Error> {
        let columns: Vec<Expr> = columns.into_iter().map(Into::into).collect();
        self.project(|fields| {
            let mut all: Vec<Expr> = fields.names().map(|name| Expr::from(name.as_str())).collect();
            for column in columns {
                let place = all.iter().position(|known| known.column_name() == column.column_name());
                match place {
                    Some(place) => all[place] = column,
                    None => all.push(column),
                }
            }
            all
        })
    }

    /// All columns but these.
    #[track_caller]
    pub fn drop<'a>(self, columns: impl IntoIterator<Item = &'a str>) -> Result<Frame, Error> {
        let gone: Vec<&str> = columns.into_iter().collect();
        if let Some(name) = gone.iter().find(|name| !self.fields().contains(name)) {
            return Err(told(no_column(name, self.fields()), &here()));
        }
        self.project(|fields| fields.names().filter(|name| !gone.contains(&name.as_str())).map(|name| Expr::from(name.as_str())).collect())
    }

    /// The same columns, some under other names: `[("old", "new")]`.
    #[track_caller]
    pub fn rename<'a>(self, names: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Frame, Error> {
        let names: Vec<(&str, &str)> = names.into_iter().collect();
        if let Some((old, _)) = names.iter().find(|(old, _)| !self.fields().contains(old)) {
            return Err(told(no_column(old, self.fields()), &here()));
        }
        let renamed = |name: &Name| {
            let new = names.iter().find(|(old, _)| *old == name.as_str()).map_or(name.as_str(), |(_, new)| new);
            Expr::from(name.as_str()).alias(new)
        };
        self.project(|fields| fields.names().map(renamed).collect())
    }

    /// The rows in the order of these keys; rows with equal keys stay in their order. NaN is the maximum.
    #[track_caller]
    pub fn sort(self, by: impl IntoIterator<Item = impl Into<Sort>>) -> Result<Frame, Error> {
        let by: Vec<Sort> = by.into_iter().map(Into::into).collect();
        self.step(|graph, input, fields| {
            let row = row_of(graph, &fields)?;
            let keys = key_row(graph, &fields, row, by.iter().map(|sort| &sort.by))?;
            let order: Arc<[SortKey]> = by.iter().map(|sort| sort.key).collect();
            let (body, captures) = graph.close(&[row], keys).map_err(shown)?;
            BuildRelation::sort(graph, input, body, &captures, order).map_err(shown)
        })
    }

    /// The first `count` rows.
    #[track_caller]
    pub fn limit(self, count: u32) -> Result<Frame, Error> {
        self.slice(0, Some(count))
    }

    /// The last `count` rows.
    #[track_caller]
    pub fn tail(self, count: u32) -> Result<Frame, Error> {
        self.slice(-i64::from(count), Some(count))
    }

    /// The rows from a position on, as many as said; a negative position counts from the end.
    ///
    /// ```
    /// # use airloom::{Session, SessionOptions, doc::sales};
    /// # let session = Session::new(SessionOptions::from_environment()?)?;
    /// assert_eq!(sales(&session)?.slice(1, Some(2))?.count()?, 2);
    /// assert_eq!(sales(&session)?.slice(-3, None)?.count()?, 3);
    /// # Ok::<(), airloom::Error>(())
    /// ```
    #[track_caller]
    pub fn slice(self, offset: i64, length: Option<u32>) -> Result<Frame, Error> {
        self.step(|graph, input, _| {
            let offset = graph.int(offset);
            let maybe = graph.types_mut().option(TyId::I64);
            let length = graph.constant(length.map_or(Value::Null, Value::int), maybe).map_err(shown)?;
            BuildRelation::slice(graph, input, offset, length).map_err(shown)
        })
    }

    /// The first row of each set of rows that are equal in these columns; in all, where none is named.
    ///
    /// ```
    /// # use airloom::{Session, SessionOptions, doc::sales};
    /// # let session = Session::new(SessionOptions::from_environment()?)?;
    /// assert_eq!(sales(&session)?.distinct(["city"])?.count()?, 3);
    /// # Ok::<(), airloom::Error>(())
    /// ```
    #[track_caller]
    pub fn distinct<'a>(self, columns: impl IntoIterator<Item = &'a str>) -> Result<Frame, Error> {
        let columns: Vec<Expr> = columns.into_iter().map(Expr::from).collect();
        self.step(|graph, input, fields| {
            let row = row_of(graph, &fields)?;
            let all: Vec<Expr> = if columns.is_empty() { fields.names().map(|n| Expr::from(n.as_str())).collect() } else { columns };
            let keys = key_row(graph, &fields, row, all.iter())?;
            let (body, captures) = graph.close(&[row], keys).map_err(shown)?;
            graph.distinct(input, body, &captures, Keep::First).map_err(shown)
        })
    }

    /// These rows, then those of another frame with the same columns.
    ///
    /// ```
    /// # use airloom::{Session, SessionOptions, doc::sales};
    /// # let session = Session::new(SessionOptions::from_environment()?)?;
    /// let both = sales(&session)?.concat(&sales(&session)?)?;
    /// assert_eq!(both.count()?, 8);
    /// # Ok::<(), airloom::Error>(())
    /// ```
    #[track_caller]
    pub fn concat(mut self, other: &Frame) -> Result<Frame, Error> {
        let second = self.import(other)?;
        self.step(|graph, first, _| BuildRelation::concat(graph, &[first, second]).map_err(shown))
    }

    pub(super) fn fields(&self) -> &Fields {
        match self.module.graph.ty(self.node) {
            Ty::Rel(fields) => fields,
            other => panic!("invariant `a frame is a relation`: found {other:?}"),
        }
    }

    /// One more step: what it makes is known to have been written where the caller is.
    #[track_caller]
    pub(super) fn step(mut self, make: impl FnOnce(&mut Graph, NodeId, Fields) -> Result<NodeId, String>) -> Result<Frame, Error> {
        let place = here();
        let (fields, input) = (self.fields().clone(), self.node);
        let module = Arc::make_mut(&mut self.module);
        let before = module.graph.len();
        self.node = make(&mut module.graph, input, fields).map_err(|message| told(message, &place))?;
        for made in module.graph.ids().skip(before) {
            module.locations.add(made, place.clone());
        }
        Ok(self)
    }

    #[track_caller]
    pub(super) fn project(self, columns: impl FnOnce(&Fields) -> Vec<Expr>) -> Result<Frame, Error> {
        self.step(|graph, input, fields| {
            let row = row_of(graph, &fields)?;
            let columns = columns(&fields);
            let made = key_row(graph, &fields, row, columns.iter())?;
            let (body, captures) = graph.close(&[row], made).map_err(shown)?;
            graph.project(input, body, &captures).map_err(shown)
        })
    }

    /// Another frame's rows in this one's graph, with the locations they were written at.
    pub(super) fn import(&mut self, other: &Frame) -> Result<NodeId, Error> {
        if !Arc::ptr_eq(&self.session.inner.common, &other.session.inner.common) {
            return Err(Error::Program("the two frames are of different sessions, expected one".into()));
        }
        let theirs = other.module.graph.post_order(&[other.node]);
        let module = Arc::make_mut(&mut self.module);
        let ours = module.graph.import(&other.module.graph, &theirs).map_err(|error| Error::broken(error.to_string()))?;
        for (&from, &to) in theirs.iter().zip(&ours) {
            other.module.locations.of(from).iter().for_each(|place| module.locations.add(to, place.clone()));
        }
        self.kept.extend(other.kept.iter().cloned());
        ours.last().copied().ok_or_else(|| Error::broken("invariant `a frame has a node`"))
    }
}

/// Where the user's code is.
#[track_caller]
pub(super) fn here() -> Location {
    let place = std::panic::Location::caller();
    Location { file: Some(Name::new(place.file())), line: place.line() }
}

/// What is wrong with a step, and where it was written.
pub(super) fn told(message: String, place: &Location) -> Error {
    Error::Program(before_hint(&message, &format!(" ({place})")))
}

pub(super) fn shown(error: TypeError) -> String {
    error.to_string()
}

/// A row of these fields, for a body to be written with.
pub(super) fn row_of(graph: &mut Graph, fields: &Fields) -> Result<NodeId, String> {
    let ty = graph.types_mut().row(fields.clone())?;
    Ok(graph.fresh_hole(ty))
}

/// A row of these expressions, each under its name.
pub(super) fn key_row<'a>(
    graph: &mut Graph,
    fields: &Fields,
    row: NodeId,
    columns: impl Iterator<Item = &'a Expr>,
) -> Result<NodeId, String> {
    let mut names: Vec<Name> = Vec::new();
    let mut values = Vec::new();
    for (at, column) in columns.enumerate() {
        values.push(lower(graph, fields, Scope::Row(row), column)?);
        let name = column.column_name().map_or_else(|| format!("column_{at}"), str::to_string);
        if names.iter().any(|known| known.as_str() == name) {
            return Err(format!("duplicate column `{name}`\n\nhint: give one another name with `alias`"));
        }
        names.push(Name::from(name));
    }
    graph.row(&values, names.into()).map_err(shown)
}
