//! A table of a database.

use super::query::{Database, SqlQuery};
use super::{postgres, sqlite};
use crate::source::table::{Scan, ScanSpec, Table, check_columns};
use crate::sql::{self, Dialect, SqlSource, quoted};
use airloom_compute::data::{SourceError, type_to_arrow};
use airloom_ir::attrs::SortKey;
use airloom_ir::name::Name;
use airloom_ir::types::{TyId, Types};
use airloom_ir::value::Value;
use airloom_opt::facts::{ColumnStatistics, TableStatistics};
use arrow::datatypes::{Field, Schema, SchemaRef};
use std::sync::Arc;

/// A table, or a view, of a database. Rows come in the order in which the database holds them: by `rowid`, by the key of a table without one, or by `ctid`.
#[derive(Debug)]
pub struct SqlTable {
    pub(crate) database: Database,
    /// Its name in SQL, quoted.
    pub(crate) name: String,
    pub(crate) columns: Vec<SqlColumn>,
    /// What rows are ordered by, as expressions over its own columns; nothing for a view.
    pub(crate) order: Vec<String>,
    pub(crate) rows: Option<u64>,
    /// Whether text is ordered by its bytes where that is asked for.
    pub(crate) ordered_text: bool,
    unique: Vec<Vec<Name>>,
    sorted: Option<Name>,
    schema: SchemaRef,
    /// How the file of a database was when the table was looked at.
    pub(crate) stamp: Option<sqlite::Stamp>,
}

/// A column of a table.
#[derive(Clone, Debug)]
pub(crate) struct SqlColumn {
    pub(crate) field: Field,
    /// How it is selected: its name, or a cast of it.
    pub(crate) select: String,
    /// Whether it compares as the type it is read as: not where it was cast, nor where the database pads it.
    pub(crate) plain: bool,
    pub(crate) nulls: Option<u64>,
    pub(crate) min: Option<Value>,
    pub(crate) max: Option<Value>,
}

/// What was found out about a table.
pub(crate) struct Found {
    pub(crate) name: String,
    pub(crate) columns: Vec<SqlColumn>,
    pub(crate) order: Vec<String>,
    pub(crate) rows: Option<u64>,
    pub(crate) ordered_text: bool,
    pub(crate) unique: Vec<Vec<String>>,
    pub(crate) sorted: Option<String>,
    pub(crate) stamp: Option<sqlite::Stamp>,
}

impl SqlTable {
    /// A table of a SQLite file. It is looked through, since SQLite does not hold columns to their types.
    pub fn sqlite(path: &str, table: &str) -> Result<SqlTable, SourceError> {
        SqlTable::new(Database::Sqlite(path.to_string()), sqlite::look(path, table)?)
    }

    /// A table of a PostgreSQL server, such as `postgresql://user@host/database`.
    pub fn postgres(url: &str, table: &str) -> Result<SqlTable, SourceError> {
        SqlTable::new(Database::Postgres(url.to_string()), postgres::look(url, table)?)
    }

    /// A table, a view, or the rows of a query, of a database by its address: `postgres://…`, `sqlite:///path` or the path of a file.
    pub fn open(connection: &str, table_or_query: &str) -> Result<SqlTable, SourceError> {
        let database = Database::from_address(connection)?;
        let found = match (&database, query_text(table_or_query)) {
            (Database::Sqlite(path), Some(query)) => sqlite::look_at_query(path, query)?,
            (Database::Sqlite(path), None) => sqlite::look(path, table_or_query)?,
            (Database::Postgres(url), Some(query)) => postgres::look_at_query(url, query)?,
            (Database::Postgres(url), None) => postgres::look(url, table_or_query)?,
        };
        SqlTable::new(database, found)
    }

    fn new(database: Database, found: Found) -> Result<SqlTable, SourceError> {
        let schema = Arc::new(Schema::new(found.columns.iter().map(|column| column.field.clone()).collect::<Vec<_>>()));
        let names = |key: &Vec<String>| key.iter().map(|name| Name::new(name)).collect();
        Ok(SqlTable {
            database,
            name: found.name,
            columns: found.columns,
            order: found.order,
            rows: found.rows,
            ordered_text: found.ordered_text,
            unique: found.unique.iter().map(names).collect(),
            sorted: found.sorted.map(|name| Name::new(&name)),
            schema,
            stamp: found.stamp,
        })
    }
}

impl SqlSource for SqlTable {
    fn dialect(&self) -> Dialect {
        self.database.dialect()
    }

    fn address(&self) -> &str {
        self.database.address()
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn order(&self) -> &[String] {
        &self.order
    }

    fn rows(&self) -> Option<u64> {
        self.rows
    }

    fn ordered_text(&self) -> bool {
        self.ordered_text
    }

    fn column(&self, name: &str, types: &Types, ty: TyId) -> Option<sql::SqlColumn<'_>> {
        let column = self.columns.iter().find(|column| column.field.name() == name)?;
        if type_to_arrow(types, ty).as_ref() != Some(column.field.data_type()) {
            return None;
        }
        let ends = column.min.iter().chain(&column.max).filter_map(|value| match value {
            Value::Int(number) => Some(number.unsigned_abs()),
            _ => None,
        });
        Some(sql::SqlColumn { select: &column.select, plain: column.plain, bound: ends.max() })
    }
}

impl Table for SqlTable {
    fn kind(&self) -> &'static str {
        match self.database {
            Database::Sqlite(_) => "sqlite",
            Database::Postgres(_) => "postgres",
        }
    }

    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn rows(&self) -> Option<u64> {
        self.rows
    }

    fn statistics(&self, columns: &[usize]) -> Result<TableStatistics, SourceError> {
        check_columns(&self.schema, columns)?;
        let known = columns.iter().map(|&at| {
            let column = &self.columns[at];
            let facts = ColumnStatistics { distinct: None, nulls: column.nulls, min: column.min.clone(), max: column.max.clone() };
            (Name::new(column.field.name()), facts)
        });
        let rising = SortKey { descending: false, nulls_first: false };
        let sorted = self.sorted.iter().map(|name| (name.clone(), rising)).collect();
        Ok(TableStatistics { rows: self.rows, columns: known.collect(), unique: self.unique.clone(), sorted })
    }

    fn scan(&self, request: &ScanSpec) -> Result<Scan, SourceError> {
        let schema = request.schema(&self.schema)?;
        if let (Some(stamp), Database::Sqlite(path)) = (&self.stamp, &self.database) {
            stamp.check(path)?;
        }
        let selected: Vec<&str> = request.columns.iter().map(|&at| self.columns[at].select.as_str()).collect();
        // A query must select something, also where only the rows are counted.
        let selected = if selected.is_empty() { "1".to_string() } else { selected.join(", ") };
        let mut text = format!("SELECT {selected} FROM {}", self.name);
        // PostgreSQL reads a table from its beginning to its end when a setting forbids other ways, and need not sort it.
        if !self.order.is_empty() && self.dialect() == Dialect::Sqlite {
            text.push_str(&format!(" ORDER BY {}", self.order.join(", ")));
        }
        if let (Some(limit), None) = (request.limit, &request.predicate) {
            text.push_str(&format!(" LIMIT {limit}"));
        }
        let stamps = self.stamp.iter().cloned().collect();
        let query = SqlQuery { database: self.database.clone(), text, parameters: Vec::new(), schema, stamps };
        Ok(Scan::plain(query.scan(request.batch_rows).plan, request))
    }

    fn sql(self: Arc<Self>) -> Option<Arc<SqlTable>> {
        Some(self)
    }
}

/// How a column is selected by its own name.
pub(crate) fn by_name(name: &str) -> String {
    quoted(name)
}

/// The text of a query, where it is one and not the name of a table.
fn query_text(given: &str) -> Option<&str> {
    let text = given.trim().trim_end_matches(';').trim_end();
    let (first, rest) = text.split_once(|letter: char| letter.is_whitespace() || letter == '(')?;
    let begins = ["SELECT", "WITH", "VALUES"].iter().any(|word| first.eq_ignore_ascii_case(word));
    (begins && !rest.is_empty()).then_some(text)
}

/// The rows of a query as something to select from. A comment at its end ends with its line.
pub(crate) fn derived(query: &str) -> String {
    format!("({query}\n) AS s")
}

/// An error where two columns of a query have one name: programs could not distinguish them.
pub(crate) fn check_names<'a>(names: impl Iterator<Item = &'a str>) -> Result<(), SourceError> {
    let mut seen = std::collections::HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(SourceError::user(format!(
                "the query has two columns `{name}`, expected names that differ\n\nhint: name one with `AS`"
            )));
        }
    }
    Ok(())
}
