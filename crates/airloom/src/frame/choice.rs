//! Choices between expressions.

use super::expression::{Call, Expr};

/// A condition, whose value is still to be said.
pub struct When(Expr);

/// A condition and its value; what holds otherwise is still to be said.
pub struct Then(Expr, Expr);

/// The beginning of a choice: `when(c).then(a).otherwise(b)` is `a` where `c` is true, else `b`. Null is not true.
///
/// ```
/// # use airloom::{Session, SessionOptions, doc::sales};
/// use airloom::{col, lit, when};
///
/// # let session = Session::new(SessionOptions::from_environment()?)?;
/// let size = when(col("amount").gt(2)).then(lit("many")).otherwise(lit("few")).alias("size");
/// assert_eq!(sales(&session)?.select([size])?.filter(col("size").eq(lit("many")))?.count()?, 2);
/// # Ok::<(), airloom::Error>(())
/// ```
pub fn when(condition: Expr) -> When {
    When(condition)
}

impl When {
    /// The value where the condition is true.
    pub fn then(self, value: impl Into<Expr>) -> Then {
        Then(self.0, value.into())
    }
}

impl Then {
    /// The value where it is not.
    pub fn otherwise(self, value: impl Into<Expr>) -> Expr {
        let name = self.1.column_name().map(str::to_string);
        let chosen = self.0.with([self.1, value.into()], Call::Choose);
        Expr { name, ..chosen }
    }
}

/// The first of these that is not null.
///
/// ```
/// # use airloom::{Session, SessionOptions, doc::sales};
/// use airloom::{coalesce, col, lit};
///
/// # let session = Session::new(SessionOptions::from_environment()?)?;
/// let known = sales(&session)?.select([coalesce([col("amount"), lit(0)])])?;
/// assert_eq!(known.filter(col("amount").is_null())?.count()?, 0);
/// # Ok::<(), airloom::Error>(())
/// ```
pub fn coalesce(values: impl IntoIterator<Item = impl Into<Expr>>) -> Expr {
    let values: Vec<Expr> = values.into_iter().map(Into::into).collect();
    let count = values.len();
    Expr { steps: Vec::new(), name: None }.with(values, Call::Coalesce(count))
}
