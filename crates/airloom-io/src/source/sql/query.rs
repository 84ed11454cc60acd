//! A query and its rows.

use super::sqlite::Stamp;
use super::{SqlTable, postgres, sqlite};
use crate::source::splits::{Batches, Splits, SplitsExec};
use crate::source::table::Scan;
use crate::sql::{Dialect, SqlParameter, SqlSource, text_of};
use airloom_compute::data::{Failure, SourceError, schema_of};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::types::Ty;
use airloom_ir::value::Value;
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion_common::DataFusionError;
use datafusion_execution::TaskContext;
use datafusion_physical_plan::metrics::ExecutionPlanMetricsSet;
use futures::StreamExt;
use std::sync::Arc;
use tokio::sync::mpsc;

/// How many batches wait to be taken.
const WAITING: usize = 4;

/// Where a database is. Two that are equal are one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Database {
    /// A file.
    Sqlite(String),
    /// A server, by its URL or its settings.
    Postgres(String),
}

impl Database {
    /// The database at an address.
    pub(crate) fn from_address(address: &str) -> Result<Database, SourceError> {
        match address.split_once("://") {
            Some(("postgres" | "postgresql", _)) => Ok(Database::Postgres(address.to_string())),
            Some(("sqlite", path)) if !path.is_empty() => Ok(Database::Sqlite(path.to_string())),
            Some((scheme, _)) => {
                let known = "`postgres://…`, `sqlite:///path` or the path of a SQLite file";
                Err(SourceError::user(format!("the address of a database begins with `{scheme}://`, expected {known}")))
            }
            None => Ok(Database::Sqlite(address.to_string())),
        }
    }

    pub(crate) fn dialect(&self) -> Dialect {
        match self {
            Database::Sqlite(_) => Dialect::Sqlite,
            Database::Postgres(_) => Dialect::Postgres,
        }
    }

    /// Where it is.
    pub(crate) fn address(&self) -> &str {
        match self {
            Database::Sqlite(path) => path,
            Database::Postgres(url) => url,
        }
    }
}

/// A query, with all that is needed to run it.
#[derive(Clone, Debug)]
pub struct SqlQuery {
    pub(crate) database: Database,
    /// Its text, in the database's SQL.
    pub text: String,
    /// The values of its parameters, in order.
    pub parameters: Vec<SqlParameter>,
    /// The columns of its rows, in physical types.
    pub schema: SchemaRef,
    /// How the file of the database was when its tables were looked at.
    pub(crate) stamps: Vec<Stamp>,
}

impl SqlQuery {
    /// A plan that runs the query when it is executed, in one partition.
    pub fn scan(&self, batch_rows: usize) -> Scan {
        let pieces = SqlSplits { query: self.clone(), batch_rows: batch_rows.max(1) };
        Scan { plan: Arc::new(SplitsExec::new(Arc::clone(&self.schema), Arc::new(pieces))), filtered: true, tested: false }
    }
}

/// The query that gives the rows of a relation, in their order, where all of it can be said in the SQL of the one database whose tables it reads.
pub fn query_of(graph: &Graph, node: NodeId, tables: &dyn Fn(&str) -> Option<Arc<SqlTable>>) -> Option<SqlQuery> {
    let Ty::Rel(fields) = graph.ty(node) else { return None };
    let said = text_of(graph, node, &|name| tables(name).map(|table| table as Arc<dyn SqlSource>))?;
    let read: Vec<Arc<SqlTable>> = said.sources.iter().filter_map(|name| tables(name)).collect();
    let database = read.first()?.database.clone();
    let stamps = read.iter().filter_map(|table| table.stamp.clone()).collect();
    Some(SqlQuery { database, text: said.text, parameters: said.parameters, schema: schema_of(graph.types(), fields), stamps })
}

/// A query that was made before, over the tables that it reads, which are of one database.
pub fn query_from(tables: &[Arc<SqlTable>], text: &str, parameters: &[Value], schema: SchemaRef) -> Option<SqlQuery> {
    let database = tables.first()?.database.clone();
    if tables.iter().any(|table| table.database != database) {
        return None;
    }
    let stamps = tables.iter().filter_map(|table| table.stamp.clone()).collect();
    let parameters = parameters.iter().cloned().map(SqlParameter).collect();
    Some(SqlQuery { database, text: text.to_string(), parameters, schema, stamps })
}

/// What rows are sent through. A receiver that is gone says that no more are wanted.
pub(crate) type Sender = mpsc::Sender<Result<RecordBatch, DataFusionError>>;

/// Stops a query when it is dropped.
pub(crate) type Stop = Box<dyn Send + Sync>;

#[derive(Debug)]
struct SqlSplits {
    query: SqlQuery,
    batch_rows: usize,
}

impl Splits for SqlSplits {
    fn kind(&self) -> &'static str {
        match self.query.database {
            Database::Sqlite(_) => "sqlite",
            Database::Postgres(_) => "postgres",
        }
    }

    fn detail(&self) -> String {
        format!("query={}", self.query.text)
    }

    fn query(&self) -> Option<&str> {
        Some(&self.query.text)
    }

    fn count(&self) -> usize {
        1
    }

    fn open(self: Arc<Self>, _: usize, _: &Arc<TaskContext>, _: &ExecutionPlanMetricsSet) -> Result<Batches, Failure> {
        let (sender, receiver) = mpsc::channel(WAITING);
        let stop = match &self.query.database {
            Database::Sqlite(path) => sqlite::start(path, &self.query, self.batch_rows, sender)?,
            Database::Postgres(url) => postgres::start(url, &self.query, self.batch_rows, sender)?,
        };
        let batches = futures::stream::unfold((receiver, stop), |(mut receiver, stop)| async move {
            let next = receiver.recv().await?;
            Some((next, (receiver, stop)))
        });
        Ok(batches.boxed())
    }
}
