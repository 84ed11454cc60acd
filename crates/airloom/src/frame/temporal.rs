//! Expressions over dates and times.

use super::expression::{Call, Expr, unary};
use airloom_ir::attrs::{DatePart, DateStep};

unary! {
    /// The year.
    year => Call::Part(DatePart::Year),
    /// The quarter, 1 to 4.
    quarter => Call::Part(DatePart::Quarter),
    /// The month, 1 to 12.
    month => Call::Part(DatePart::Month),
    /// The week by ISO 8601, 1 to 53.
    week => Call::Part(DatePart::Week),
    /// The day of the month, from 1.
    day => Call::Part(DatePart::Day),
    /// The day of the year, from 1.
    day_of_year => Call::Part(DatePart::DayOfYear),
    /// The day of the week; Monday is 0.
    weekday => Call::Part(DatePart::Weekday),
    /// The hour, 0 to 23.
    hour => Call::Part(DatePart::Hour),
    /// The minute, 0 to 59.
    minute => Call::Part(DatePart::Minute),
    /// The second, 0 to 59.
    second => Call::Part(DatePart::Second),
    /// The date of a timestamp.
    date => Call::Date,
}

impl Expr {
    /// A date or timestamp brought down to the beginning of its year, month, week, day, hour and so on.
    ///
    /// ```
    /// # use airloom::{Session, SessionOptions, doc::sales};
    /// use airloom::{DateStep, col, lit};
    ///
    /// # let session = Session::new(SessionOptions::from_environment()?)?;
    /// let month = col("day").truncate(DateStep::Month).alias("month");
    /// assert_eq!(sales(&session)?.select([month])?.filter(col("month").eq(lit("2024-02-01")))?.count()?, 2);
    /// # Ok::<(), airloom::Error>(())
    /// ```
    pub fn truncate(self, step: DateStep) -> Expr {
        self.with([], Call::Step(step))
    }
}
