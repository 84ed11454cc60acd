//! What is known of a table of a database where programs are said in SQL, and what is said.

use super::Dialect;
use airloom_ir::name::Name;
use airloom_ir::types::{TyId, Types};
use airloom_ir::value::Value;

/// A table of a database.
pub trait SqlSource {
    /// The SQL that its database speaks.
    fn dialect(&self) -> Dialect;

    /// Where its database is: tables of one database have the same address.
    fn address(&self) -> &str;

    /// Its name in SQL, quoted.
    fn name(&self) -> &str;

    /// What rows are ordered by, as expressions over its own columns; nothing for a view.
    fn order(&self) -> &[String];

    /// How many rows, where it is known.
    fn rows(&self) -> Option<u64>;

    /// Whether text is ordered by its bytes where that is asked for.
    fn ordered_text(&self) -> bool;

    /// A column; nothing where there is none of this name and type.
    fn column(&self, name: &str, types: &Types, ty: TyId) -> Option<SqlColumn<'_>>;
}

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub struct SqlColumn<'a> {
    /// How it is selected: its name, or a cast of it.
    pub select: &'a str,
    /// Whether it compares as the type it is read as: not where it was cast, nor where the database pads it.
    pub plain: bool,
    /// No value is farther from zero than this, where it is known of an integer.
    pub bound: Option<u128>,
}

/// A value that is sent beside the text of a query, never in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlParameter(pub Value);

/// A relation said in SQL.
#[derive(Clone, Debug)]
pub struct SqlText {
    /// The text of the query.
    pub text: String,
    /// The values of its parameters, in order.
    pub parameters: Vec<SqlParameter>,
    /// The sources that it reads, each as often as it does.
    pub sources: Vec<Name>,
}
