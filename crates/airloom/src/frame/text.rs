//! Expressions over text. Positions count characters.

use super::expression::{Call, Expr, lit, unary};
use airloom_ir::attrs::TextCase;

unary! {
    /// The text in lower case.
    lower => Call::Case(TextCase::Lower),
    /// The text in upper case.
    upper => Call::Case(TextCase::Upper),
    /// How many characters it has.
    str_len => Call::Length,
    /// Without white space at its ends.
    strip => Call::Strip,
}

impl Expr {
    /// Whether this part occurs in it.
    ///
    /// ```
    /// # use airloom::{Session, SessionOptions, doc::sales};
    /// # use airloom::col;
    /// # let session = Session::new(SessionOptions::from_environment()?)?;
    /// assert_eq!(sales(&session)?.filter(col("city").lower().contains("os"))?.count()?, 1);
    /// # Ok::<(), airloom::Error>(())
    /// ```
    pub fn contains(self, part: &str) -> Expr {
        self.with([lit(part)], Call::Contains)
    }

    /// Whether it begins so.
    pub fn starts_with(self, prefix: &str) -> Expr {
        self.with([lit(prefix)], Call::Starts)
    }

    /// Whether it ends so.
    pub fn ends_with(self, suffix: &str) -> Expr {
        self.with([lit(suffix)], Call::Ends)
    }

    /// SQL's `LIKE`: `%` is any text, `_` any one character.
    pub fn like(self, pattern: &str) -> Expr {
        self.with([lit(pattern)], Call::Like)
    }

    /// Whether a regular expression matches somewhere in it. An invalid one raises.
    pub fn matches(self, pattern: &str) -> Expr {
        self.with([lit(pattern)], Call::Matches)
    }

    /// The characters from `start` up to `stop`; negative positions count from the end.
    pub fn slice(self, start: i64, stop: i64) -> Expr {
        self.with([], Call::Slice(start, stop))
    }

    /// With every occurrence of `old` replaced.
    pub fn replace(self, old: &str, new: &str) -> Expr {
        self.with([lit(old), lit(new)], Call::Replace)
    }
}

/// Texts one after the other; null where any is null.
///
/// ```
/// # use airloom::{Session, SessionOptions, doc::sales};
/// use airloom::{col, concat_text, lit};
///
/// # let session = Session::new(SessionOptions::from_environment()?)?;
/// let greeting = concat_text([lit("in "), col("city").upper()]).alias("greeting");
/// assert_eq!(sales(&session)?.select([greeting])?.filter(col("greeting").eq(lit("in ROME")))?.count()?, 2);
/// # Ok::<(), airloom::Error>(())
/// ```
pub fn concat_text(parts: impl IntoIterator<Item = impl Into<Expr>>) -> Expr {
    let parts: Vec<Expr> = parts.into_iter().map(Into::into).collect();
    let count = parts.len();
    Expr { steps: Vec::new(), name: None }.with(parts, Call::ConcatText(count))
}
