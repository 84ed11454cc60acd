//! Expressions that make one value of many.

use super::expression::{Expr, Step};

/// What is made of the values of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aggregate {
    Sum,
    Mean,
    Least,
    Greatest,
    Count,
    Distinct,
    First,
    Last,
    Deviation,
    Variance,
    Median,
    Any,
    All,
    Rows,
}

macro_rules! aggregates {
    ($($(#[doc = $doc:literal])+ $name:ident => $aggregate:ident),+ $(,)?) => {
        impl Expr { $(
            $(#[doc = $doc])+
            pub fn $name(mut self) -> Expr {
                self.steps.push(Step::Aggregate(Aggregate::$aggregate));
                self
            }
        )+ }
    };
}
aggregates! {
    /// The sum of the values that are not null, 0 of none.
    ///
    /// ```
    /// # use airloom::{Session, SessionOptions, doc::sales};
    /// # use airloom::col;
    /// # let session = Session::new(SessionOptions::from_environment()?)?;
    /// let totals = sales(&session)?.group_by(["city"]).agg([(col("amount") * col("price")).sum().alias("total")])?;
    /// assert_eq!(totals.columns(), ["city", "total"]);
    /// assert_eq!(totals.count()?, 3);
    /// # Ok::<(), airloom::Error>(())
    /// ```
    sum => Sum,
    /// The mean of the values that are not null; null of none.
    mean => Mean,
    /// The minimum of the values that are not null; null of none.
    min => Least,
    /// The maximum of the values that are not null; null of none.
    max => Greatest,
    /// How many values are not null.
    count => Count,
    /// How many distinct values there are, null apart.
    nunique => Distinct,
    /// The first value, null or not.
    first => First,
    /// The last value, null or not.
    last => Last,
    /// The standard deviation of a sample, of the values that are not null.
    std => Deviation,
    /// The variance of a sample, of the values that are not null.
    var => Variance,
    /// The middle of the values that are not null, or the mean of the two middle ones.
    median => Median,
    /// Whether any value is true.
    any => Any,
    /// Whether no value is false.
    all => All,
}

/// How many rows there are in a group.
///
/// ```
/// # use airloom::{Session, SessionOptions, doc::sales};
/// use airloom::{col, len};
///
/// # let session = Session::new(SessionOptions::from_environment()?)?;
/// let cities = sales(&session)?.group_by(["city"]).agg([len().alias("sales")])?;
/// assert_eq!(cities.filter(col("sales").eq(2))?.count()?, 1);
/// # Ok::<(), airloom::Error>(())
/// ```
pub fn len() -> Expr {
    Expr { steps: vec![Step::Aggregate(Aggregate::Rows)], name: Some("len".into()) }
}
