//! Attributes: what an op has besides its arguments, known before anything runs.

use crate::name::Name;
use crate::types::TyId;
use crate::value::Value;
use smallvec::SmallVec;
use std::sync::Arc;

/// The attributes of a node, in the order of the op table.
pub type Attrs = SmallVec<[Attr; 2]>;

/// One attribute, as it is stored, hashed, printed and sent.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Attr {
    /// Yes or no.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A name or any other text.
    Name(Name),
    /// Several names.
    Names(Arc<[Name]>),
    /// Several integers.
    Ints(Arc<[i64]>),
    /// One word of a closed list: its position in it.
    Word(u8),
    /// How to sort, key by key.
    Sort(Arc<[SortKey]>),
    /// A type.
    Ty(TyId),
    /// Several types.
    Tys(Arc<[TyId]>),
    /// A constant.
    Value(Value),
}

/// What an attribute may be; the parser, printer and decoder go by it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AttrShape {
    /// `true` or `false`.
    Bool,
    /// An integer.
    Int,
    /// A quoted name.
    Name,
    /// A bracketed list of names.
    Names,
    /// A bracketed list of integers.
    Ints,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A bracketed list of sort keys.
    Sort,
    /// A type.
    Ty,
    /// A bracketed list of types.
    Tys,
    /// A literal.
    Value,
}

/// A Rust type that an attribute can have.
pub trait AttrType: Sized {
    /// What it looks like.
    const SHAPE: AttrShape;
    /// The stored form.
    fn to_attr(self) -> Attr;
    /// The Rust form, where the shape is right.
    fn from_attr(attr: &Attr) -> Option<Self>;
}

macro_rules! plain_attr {
    ($($ty:ty => $variant:ident),*) => { $(
        impl AttrType for $ty {
            const SHAPE: AttrShape = AttrShape::$variant;
            fn to_attr(self) -> Attr {
                Attr::$variant(self)
            }
            fn from_attr(attr: &Attr) -> Option<Self> {
                match attr { Attr::$variant(v) => Some(v.clone()), _ => None }
            }
        }
    )* };
}
plain_attr!(bool => Bool, i64 => Int, Name => Name, Arc<[Name]> => Names, Arc<[i64]> => Ints, Arc<[SortKey]> => Sort, TyId => Ty, Arc<[TyId]> => Tys, Value => Value);

impl AttrShape {
    /// Whether `attr` has this shape.
    pub fn admits(self, attr: &Attr) -> bool {
        match (self, attr) {
            (AttrShape::Word(words), Attr::Word(at)) => (*at as usize) < words.len(),
            (AttrShape::Bool, Attr::Bool(_))
            | (AttrShape::Int, Attr::Int(_))
            | (AttrShape::Name, Attr::Name(_))
            | (AttrShape::Names, Attr::Names(_))
            | (AttrShape::Ints, Attr::Ints(_))
            | (AttrShape::Sort, Attr::Sort(_))
            | (AttrShape::Ty, Attr::Ty(_))
            | (AttrShape::Tys, Attr::Tys(_))
            | (AttrShape::Value, Attr::Value(_)) => true,
            _ => false,
        }
    }

    /// What to say was expected.
    pub fn describe(self) -> String {
        match self {
            AttrShape::Bool => "`true` or `false`".into(),
            AttrShape::Int => "an integer".into(),
            AttrShape::Name => "a quoted name".into(),
            AttrShape::Names => "a list of quoted names".into(),
            AttrShape::Ints => "a list of integers".into(),
            AttrShape::Word(words) => format!("one of {}", words.iter().map(|w| format!("`{w}`")).collect::<Vec<_>>().join(", ")),
            AttrShape::Sort => "a list of sort keys such as `[asc.last, desc.first]`".into(),
            AttrShape::Ty => "a type".into(),
            AttrShape::Tys => "a list of types".into(),
            AttrShape::Value => "a literal".into(),
        }
    }
}

/// How one key of a sort is ordered. NaN is the maximum in every sort; nulls go where `nulls` says, whatever the direction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SortKey {
    /// In descending order.
    pub descending: bool,
    /// Nulls before everything else.
    pub nulls_first: bool,
}

impl SortKey {
    /// Every key there is, with its text.
    pub const ALL: [(SortKey, &'static str); 4] = [
        (SortKey { descending: false, nulls_first: false }, "asc.last"),
        (SortKey { descending: false, nulls_first: true }, "asc.first"),
        (SortKey { descending: true, nulls_first: false }, "desc.last"),
        (SortKey { descending: true, nulls_first: true }, "desc.first"),
    ];

    /// Its text.
    pub fn word(self) -> &'static str {
        SortKey::ALL.iter().find(|(key, _)| *key == self).map(|(_, word)| *word).expect("`ALL` holds every key")
    }

    /// The key with this text.
    pub fn from_word(word: &str) -> Option<SortKey> {
        SortKey::ALL.iter().find(|(_, text)| *text == word).map(|(key, _)| *key)
    }
}

/// Closed lists of words, each an enum that knows its text.
macro_rules! words {
    ($($(#[doc = $doc:literal])+ $Enum:ident { $($(#[doc = $vdoc:literal])+ $Variant:ident = $word:literal),+ $(,)? })+) => { $(
        $(#[doc = $doc])+
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum $Enum { $($(#[doc = $vdoc])+ $Variant),+ }

        impl $Enum {
            /// All of them, in order.
            pub const ALL: &'static [$Enum] = &[$($Enum::$Variant),+];
            /// Their texts, in the same order.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// Its text.
            pub fn word(self) -> &'static str {
                Self::WORDS[self as usize]
            }
        }

        impl AttrType for $Enum {
            const SHAPE: AttrShape = AttrShape::Word($Enum::WORDS);
            fn to_attr(self) -> Attr {
                Attr::Word(self as u8)
            }
            fn from_attr(attr: &Attr) -> Option<Self> {
                match attr { Attr::Word(at) => Self::ALL.get(*at as usize).copied(), _ => None }
            }
        }
    )+ };
}

words! {
    /// What happens when an integer does not fit.
    Overflow {
        /// It is taken modulo two to the number of bits, as NumPy does.
        Wrap = "wrap",
        /// It is an error, as in SQL.
        Raise = "raise",
        /// It is null.
        Null = "null",
    }
    /// What an integer divided by zero is.
    ZeroDivide {
        /// An error, as in SQL and Python.
        Raise = "raise",
        /// Null, as in Polars.
        Null = "null",
        /// Zero, as in NumPy.
        Zero = "zero",
    }
    /// How NaN compares.
    NanOrder {
        /// Unequal to everything and in no order, as IEEE 754 and NumPy say.
        Ieee = "ieee",
        /// Equal to itself and greater than every number, as in sorting and in Polars.
        Total = "total",
    }
    /// What the smaller or greater of a number and NaN is.
    NanPick {
        /// NaN, as `numpy.minimum`.
        Propagate = "propagate",
        /// The number, as `numpy.fmin`.
        Ignore = "ignore",
    }
    /// How a half is rounded.
    Rounding {
        /// To the even neighbour, as NumPy and Python do.
        HalfEven = "half_even",
        /// Away from zero, as SQL does.
        HalfAway = "half_away",
    }
    /// What a conversion does with a value that does not convert.
    CastMode {
        /// It is an error.
        Strict = "strict",
        /// It becomes null.
        Lenient = "lenient",
        /// Integers wrap, floats saturate (NaN becomes zero): never an error among numbers.
        Wrap = "wrap",
    }
    /// Which elements a reduction passes over.
    Skip {
        /// None: one null makes the result null.
        None = "none",
        /// Nulls.
        Null = "null",
        /// NaN, but not null.
        Nan = "nan",
        /// Nulls and NaN, as pandas' `skipna`.
        All = "all",
    }
    /// In which order a fold combines elements.
    FoldOrder {
        /// One after the other, in row-major order.
        Rows = "rows",
        /// By halves, as NumPy adds floats: up to 128 elements by eight partial results that take them in turn, more by the results of two halves, the first of
        /// which is a multiple of eight.
        Pairwise = "pairwise",
    }
    /// Where a quantile falls between two elements.
    Interpolation {
        /// On the line between them.
        Linear = "linear",
        /// The lower.
        Lower = "lower",
        /// The higher.
        Higher = "higher",
        /// Half way.
        Midpoint = "midpoint",
        /// The nearer; the even position when half way.
        Nearest = "nearest",
    }
    /// The kinds of join.
    JoinHow {
        /// Pairs that match.
        Inner = "inner",
        /// And the left rows without a match.
        Left = "left",
        /// And the right rows without a match.
        Right = "right",
        /// And both.
        Outer = "outer",
        /// Left rows that have a match, once each.
        Semi = "semi",
        /// Left rows that have none.
        Anti = "anti",
        /// Every pair that the predicate admits; there are no keys.
        Cross = "cross",
    }
    /// One of two inputs.
    Side {
        /// The first.
        Left = "left",
        /// The second.
        Right = "right",
    }
    /// Whether a null key finds another.
    NullMatch {
        /// It matches nothing, as in SQL.
        Never = "never",
        /// It matches null, as in pandas.
        Equal = "equal",
    }
    /// Which row an as-of join takes.
    AsofDirection {
        /// The last one not after.
        Backward = "backward",
        /// The first one not before.
        Forward = "forward",
        /// The nearer; the earlier when equally near.
        Nearest = "nearest",
    }
    /// Which of several equal rows stays.
    Keep {
        /// The first.
        First = "first",
        /// The last.
        Last = "last",
        /// None: rows that have an equal go altogether.
        None = "none",
    }
    /// What becomes of a row whose list is empty.
    EmptyList {
        /// One row with null.
        Null = "null",
        /// No row.
        Drop = "drop",
    }
    /// How ties share a rank.
    RankMethod {
        /// The mean of their positions.
        Average = "average",
        /// The minimum.
        Min = "min",
        /// The maximum.
        Max = "max",
        /// As `min`, with no gaps after.
        Dense = "dense",
        /// In order of position.
        Ordinal = "ordinal",
    }
    /// The rank of a null.
    RankNulls {
        /// Null.
        Keep = "keep",
        /// Below every value.
        First = "first",
        /// Above every value.
        Last = "last",
    }
    /// Which ends belong to a rolling window.
    Closed {
        /// The later end only: the window ends with the row itself.
        Right = "right",
        /// The earlier end only: the row itself is left out.
        Left = "left",
        /// Both.
        Both = "both",
        /// Neither.
        Neither = "neither",
    }
    /// Where text is stripped or padded.
    TextSide {
        /// At both ends.
        Both = "both",
        /// At the start.
        Start = "start",
        /// At the end.
        End = "end",
    }
    /// What the length of text counts.
    TextUnit {
        /// Unicode scalar values.
        Chars = "chars",
        /// Bytes of UTF-8.
        Bytes = "bytes",
    }
    /// Changes of letter case.
    TextCase {
        /// All upper.
        Upper = "upper",
        /// All lower.
        Lower = "lower",
        /// The first letter of each word upper, the rest lower, as Python's `title`.
        Title = "title",
        /// The first letter upper, the rest lower.
        Capitalize = "capitalize",
        /// Upper to lower and lower to upper.
        Swap = "swap",
        /// For comparing without regard to case.
        Fold = "fold",
    }
    /// What all characters of a text may be, as Python's `str.is…`: false of empty text.
    TextClass {
        /// Letters.
        Alpha = "alpha",
        /// Letters and digits.
        Alnum = "alnum",
        /// Digits, superscripts among them.
        Digit = "digit",
        /// Decimal digits.
        Decimal = "decimal",
        /// Anything with a numeric value.
        Numeric = "numeric",
        /// White space.
        Space = "space",
        /// Cased letters all lower, with at least one.
        Lower = "lower",
        /// Cased letters all upper, with at least one.
        Upper = "upper",
        /// Each word begins upper and goes on lower, with at least one letter.
        Title = "title",
    }
    /// Where a regular expression must match.
    RegexAnchor {
        /// Anywhere.
        Search = "search",
        /// From the start.
        Start = "start",
        /// The whole text.
        Full = "full",
    }
    /// The parts of a date or time.
    DatePart {
        /// Year.
        Year = "year",
        /// 1 to 4.
        Quarter = "quarter",
        /// 1 to 12.
        Month = "month",
        /// ISO 8601 week, 1 to 53.
        Week = "week",
        /// The year the ISO week belongs to.
        IsoYear = "iso_year",
        /// Day of the month, from 1.
        Day = "day",
        /// Day of the year, from 1.
        DayOfYear = "day_of_year",
        /// Monday is 0.
        Weekday = "weekday",
        /// 28 to 31.
        DaysInMonth = "days_in_month",
        /// 0 to 23.
        Hour = "hour",
        /// 0 to 59.
        Minute = "minute",
        /// 0 to 59.
        Second = "second",
        /// Thousandths of the second, 0 to 999.
        Milli = "milli",
        /// Millionths of the second, 0 to 999999.
        Micro = "micro",
        /// Thousand-millionths of the second.
        Nano = "nano",
    }
    /// Steps of the calendar and the clock.
    DateStep {
        /// Years.
        Year = "year",
        /// Three months.
        Quarter = "quarter",
        /// Months.
        Month = "month",
        /// Weeks, which begin on Monday.
        Week = "week",
        /// Days.
        Day = "day",
        /// Hours.
        Hour = "hour",
        /// Minutes.
        Minute = "minute",
        /// Seconds.
        Second = "second",
        /// Thousandths.
        Milli = "milli",
        /// Millionths.
        Micro = "micro",
        /// Thousand-millionths.
        Nano = "nano",
    }
    /// To which step a time is brought.
    StepMode {
        /// The one before, or itself.
        Floor = "floor",
        /// The one after, or itself.
        Ceil = "ceil",
        /// The nearer; when half way, the one whose number is even.
        Nearest = "nearest",
    }
    /// A wall-clock time that the zone has twice.
    Ambiguous {
        /// Is an error.
        Raise = "raise",
        /// Is the earlier timestamp.
        Earliest = "earliest",
        /// Is the later timestamp.
        Latest = "latest",
        /// Is null.
        Null = "null",
    }
    /// A wall-clock time that the zone leaves out.
    Nonexistent {
        /// Is an error.
        Raise = "raise",
        /// Is the first timestamp after the gap.
        Forward = "forward",
        /// Is the last timestamp before the gap, one unit earlier.
        Backward = "backward",
        /// Is null.
        Null = "null",
    }
    /// What a node may do besides giving its value.
    Effect {
        /// Nothing.
        Pure = "pure",
        /// Raise an error: it may be dropped or shared, but not run for rows that would not have run it.
        Raises = "raises",
        /// Anything: it takes a token and gives one, and runs exactly once.
        Effectful = "effectful",
    }
}

impl JoinHow {
    /// Whether the right side is only asked whether it has a match: semi and anti joins.
    pub const fn is_test(self) -> bool {
        matches!(self, JoinHow::Semi | JoinHow::Anti)
    }
}
