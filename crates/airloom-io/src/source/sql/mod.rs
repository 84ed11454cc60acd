//! Tables of databases: SQLite and PostgreSQL.
//!
//! A table is read as any other. Besides, what a program does with tables of one database can be said in its SQL, as far as SQL means exactly the same:
//! [`query_of`] says it, and the rows that come back are the program's.

mod columns;
mod postgres;
mod query;
mod send;
mod sqlite;
mod table;

pub use query::{SqlQuery, query_from, query_of};
pub use table::SqlTable;
