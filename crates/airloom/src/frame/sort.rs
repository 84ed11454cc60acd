//! How rows are ordered.

use super::expression::Expr;
use airloom_ir::attrs::SortKey;

/// One key of a sort.
#[derive(Clone, Debug)]
pub struct Sort {
    pub(super) by: Expr,
    pub(super) key: SortKey,
}

impl Sort {
    /// Nulls before everything else; they come last unless this is said.
    pub fn nulls_first(mut self) -> Sort {
        self.key.nulls_first = true;
        self
    }
}

/// What can be a key of a sort: a column's name or an expression.
///
/// ```
/// # use airloom::{Session, SessionOptions, doc::sales};
/// use airloom::{Direction, col};
///
/// # let session = Session::new(SessionOptions::from_environment()?)?;
/// let frame = sales(&session)?.sort(["amount".desc(), (col("price") * 2).asc()])?;
/// assert_eq!(frame.count()?, 4);
/// # Ok::<(), airloom::Error>(())
/// ```
pub trait Direction {
    /// Ascending.
    fn asc(self) -> Sort;
    /// Descending.
    fn desc(self) -> Sort;
}

impl<E: Into<Expr>> Direction for E {
    fn asc(self) -> Sort {
        Sort { by: self.into(), key: SortKey { descending: false, nulls_first: false } }
    }

    fn desc(self) -> Sort {
        Sort { by: self.into(), key: SortKey { descending: true, nulls_first: false } }
    }
}

impl From<&str> for Sort {
    fn from(name: &str) -> Sort {
        name.asc()
    }
}

impl From<Expr> for Sort {
    fn from(by: Expr) -> Sort {
        by.asc()
    }
}
