//! Expressions over the columns of a row: written by name, and typed when a frame takes them.

use super::aggregate::Aggregate;
use super::literal::Literal;
use airloom_ir::attrs::{CastMode, DatePart, DateStep, TextCase};

/// A value computed from the columns of a row, or of a group. Steps are in the order in which they are computed, so that no program is too deep for a stack.
///
/// Integers wrap where they do not fit their type; numbers of different types meet in the wider one, and `/` is always a division of floats.
///
/// ```
/// # use airloom::{Session, SessionOptions, doc::sales};
/// use airloom::{col, lit};
///
/// # let session = Session::new(SessionOptions::from_environment()?)?;
/// // `sales` has the columns `city`, `day`, `amount` and `price`.
/// let frame = sales(&session)?.select([
///     col("city"),
///     (col("amount") * col("price")).alias("total"),
///     col("price").ge(2.5).and(col("city").ne(lit("Oslo"))).alias("dear"),
/// ])?;
/// assert_eq!(frame.columns(), ["city", "total", "dear"]);
/// # Ok::<(), airloom::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Expr {
    pub(super) steps: Vec<Step>,
    /// What the column made of it is called.
    pub(super) name: Option<String>,
}

/// One step: it takes what it needs from those before it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    Column(String),
    Literal(Literal),
    Call(Call),
    Aggregate(Aggregate),
    /// An aggregate of a column, once what it is computed of is one.
    Reduced(Aggregate, String),
}

/// What a step does.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Call {
    Add,
    Subtract,
    Multiply,
    Divide,
    FloorDivide,
    Remainder,
    Power,
    Equal,
    Differ,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    And,
    Or,
    Negate,
    Not,
    Absolute,
    Floor,
    Ceiling,
    Round(i64),
    SquareRoot,
    Exponential,
    Logarithm,
    IsNull,
    Cast(String, CastMode),
    Case(TextCase),
    Length,
    Strip,
    Contains,
    Starts,
    Ends,
    Like,
    Matches,
    Slice(i64, i64),
    Replace,
    ConcatText(usize),
    Part(DatePart),
    Step(DateStep),
    Date,
    Coalesce(usize),
    IsIn(usize),
    Choose,
}

impl Step {
    /// How many values it takes.
    pub(super) fn takes(&self) -> usize {
        match self {
            Step::Column(_) | Step::Literal(_) | Step::Reduced(..) => 0,
            Step::Aggregate(Aggregate::Rows) => 0,
            Step::Aggregate(_) => 1,
            Step::Call(call) => call.takes(),
        }
    }
}

impl Call {
    fn takes(&self) -> usize {
        match self {
            Call::Add | Call::Subtract | Call::Multiply | Call::Divide | Call::FloorDivide | Call::Remainder | Call::Power => 2,
            Call::Equal | Call::Differ | Call::Less | Call::LessOrEqual | Call::Greater | Call::GreaterOrEqual | Call::And | Call::Or => 2,
            Call::Contains | Call::Starts | Call::Ends | Call::Like | Call::Matches => 2,
            Call::Replace | Call::Choose => 3,
            Call::Coalesce(count) | Call::ConcatText(count) => *count,
            Call::IsIn(count) => count + 1,
            _ => 1,
        }
    }
}

/// The column of this name.
pub fn col(name: &str) -> Expr {
    Expr { steps: vec![Step::Column(name.to_string())], name: None }
}

/// A value. Text is a value only here: elsewhere it is the name of a column.
pub fn lit(value: impl Into<Literal>) -> Expr {
    Expr { steps: vec![Step::Literal(value.into())], name: None }
}

/// No value, of the type of the other operand.
///
/// ```
/// # use airloom::{Session, SessionOptions, doc::sales};
/// use airloom::{col, null, when};
///
/// # let session = Session::new(SessionOptions::from_environment()?)?;
/// let positive = when(col("amount").gt(0)).then(col("amount")).otherwise(null());
/// assert_eq!(sales(&session)?.with_columns([positive.alias("amount")])?.columns().len(), 4);
/// # Ok::<(), airloom::Error>(())
/// ```
pub fn null() -> Expr {
    lit(Literal::Null)
}

impl From<&str> for Expr {
    fn from(name: &str) -> Expr {
        col(name)
    }
}

impl From<&String> for Expr {
    fn from(name: &String) -> Expr {
        col(name)
    }
}

impl From<String> for Expr {
    fn from(name: String) -> Expr {
        col(&name)
    }
}

macro_rules! expression_from {
    ($($from:ty),+) => { $(
        impl From<$from> for Expr {
            fn from(value: $from) -> Expr {
                lit(value)
            }
        }
    )+ };
}
expression_from!(bool, i8, i16, i32, i64, u8, u16, u32, f32, f64);

/// Methods of one argument that call one op.
macro_rules! binary {
    ($($(#[doc = $doc:literal])+ $name:ident => $call:ident),+ $(,)?) => {
        impl Expr { $(
            $(#[doc = $doc])+
            #[allow(clippy::should_implement_trait, reason = "the operators that have a trait are implemented too")]
            pub fn $name(self, other: impl Into<Expr>) -> Expr {
                self.with([other.into()], Call::$call)
            }
        )+ }
    };
}
binary! {
    /// Whether they are equal; null where either is null.
    eq => Equal,
    /// Whether they differ; null where either is null.
    ne => Differ,
    /// Whether it comes before.
    lt => Less,
    /// Whether it does not come after.
    le => LessOrEqual,
    /// Whether it comes after.
    gt => Greater,
    /// Whether it does not come before.
    ge => GreaterOrEqual,
    /// Whether both are true.
    and => And,
    /// Whether either is true.
    or => Or,
    /// The quotient rounded down. An integer divided by zero raises.
    floor_div => FloorDivide,
    /// It to this power.
    pow => Power,
}

/// Methods without arguments that call one op.
macro_rules! unary {
    ($($(#[doc = $doc:literal])+ $name:ident => $call:expr),+ $(,)?) => {
        impl Expr { $(
            $(#[doc = $doc])+
            pub fn $name(self) -> Expr {
                self.with([], $call)
            }
        )+ }
    };
}
pub(super) use unary;
unary! {
    /// Whether it is null.
    is_null => Call::IsNull,
    /// The number without its sign.
    abs => Call::Absolute,
    /// The largest integer not above it.
    floor => Call::Floor,
    /// The smallest integer not below it.
    ceil => Call::Ceiling,
    /// The square root, of a float.
    sqrt => Call::SquareRoot,
    /// The natural exponential, of a float.
    exp => Call::Exponential,
    /// The natural logarithm, of a float.
    ln => Call::Logarithm,
}

impl Expr {
    /// The same under another name.
    pub fn alias(mut self, name: &str) -> Expr {
        self.name = Some(name.to_string());
        self
    }

    /// Whether it is not null.
    pub fn is_not_null(self) -> Expr {
        !self.is_null()
    }

    /// This value where it is null.
    pub fn fill_null(self, value: impl Into<Expr>) -> Expr {
        self.with([value.into()], Call::Coalesce(2))
    }

    /// Whether it is one of these; null where it is null.
    ///
    /// ```
    /// # use airloom::{Session, SessionOptions, doc::sales};
    /// # use airloom::{col, lit};
    /// # let session = Session::new(SessionOptions::from_environment()?)?;
    /// assert_eq!(sales(&session)?.filter(col("city").is_in([lit("Rome"), lit("Oslo")]))?.count()?, 3);
    /// # Ok::<(), airloom::Error>(())
    /// ```
    pub fn is_in(self, items: impl IntoIterator<Item = impl Into<Expr>>) -> Expr {
        let items: Vec<Expr> = items.into_iter().map(Into::into).collect();
        let count = items.len();
        self.with(items, Call::IsIn(count))
    }

    /// Whether it lies from one value to the other, both among them.
    pub fn between(self, least: impl Into<Expr>, greatest: impl Into<Expr>) -> Expr {
        self.clone().ge(least).and(self.le(greatest))
    }

    /// As another type, by its text form, such as `f64`, `i32`, `decimal(15, 2)` or `date`. What does not convert raises.
    pub fn cast(self, to: &str) -> Expr {
        self.with([], Call::Cast(to.to_string(), CastMode::Strict))
    }

    /// As another type; what does not convert is null.
    pub fn try_cast(self, to: &str) -> Expr {
        self.with([], Call::Cast(to.to_string(), CastMode::Lenient))
    }

    /// Rounded to `digits` digits after the point, half to even.
    pub fn round(self, digits: i64) -> Expr {
        self.with([], Call::Round(digits))
    }

    /// A call on this and others, in that order.
    pub(super) fn with(mut self, others: impl IntoIterator<Item = Expr>, call: Call) -> Expr {
        for other in others {
            self.steps.extend(other.steps);
        }
        self.steps.push(Step::Call(call));
        self
    }

    /// What its column is called: as it was named, else as the first column it reads.
    pub(super) fn column_name(&self) -> Option<&str> {
        self.name.as_deref().or_else(|| {
            self.steps.iter().find_map(|step| match step {
                Step::Column(name) => Some(name.as_str()),
                _ => None,
            })
        })
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $call:ident),+) => { $(
        impl<E: Into<Expr>> std::ops::$trait<E> for Expr {
            type Output = Expr;
            fn $method(self, other: E) -> Expr {
                self.with([other.into()], Call::$call)
            }
        }
    )+ };
}
operators!(Add add Add, Sub sub Subtract, Mul mul Multiply, Div div Divide, Rem rem Remainder, BitAnd bitand And, BitOr bitor Or);

impl std::ops::Neg for Expr {
    type Output = Expr;
    fn neg(self) -> Expr {
        self.with([], Call::Negate)
    }
}

impl std::ops::Not for Expr {
    type Output = Expr;
    fn not(self) -> Expr {
        self.with([], Call::Not)
    }
}
