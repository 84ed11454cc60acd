//! Programs said in the SQL of a database, as far as SQL means exactly the same: from a graph to the text of a query.

mod dialect;
mod expression;
mod pushdown;
mod source;

pub use dialect::Dialect;
pub(crate) use dialect::quoted;
pub use pushdown::text_of;
pub use source::{SqlColumn, SqlParameter, SqlSource, SqlText};
