//! Types: what a node's value is, known before anything runs.

mod fields;
mod import;
mod interner;
mod show;

pub use fields::{Field, Fields};
pub use interner::{MAX_TYPE_DEPTH, TyId, Types};

use crate::name::Name;

/// One type. Compound types hold the ids of their parts, so a type is small and equal types have equal ids.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Ty {
    /// True or false.
    Bool,
    /// An integer of a fixed width.
    Int(IntTy),
    /// A 32-bit IEEE 754 number.
    F32,
    /// A 64-bit IEEE 754 number.
    F64,
    /// An exact number of at most `precision` decimal digits, `scale` of them after the point.
    Decimal {
        /// All digits, 1 to 38.
        precision: u8,
        /// Digits after the point, 0 to `precision`.
        scale: u8,
    },
    /// Unicode text.
    Str,
    /// Raw bytes.
    Bytes,
    /// Days since 1970-01-01 in the proleptic Gregorian calendar.
    Date,
    /// Nanoseconds since midnight.
    Time,
    /// A point in time (with a zone) or a wall-clock reading (without), counted in `unit` since 1970-01-01.
    Timestamp {
        /// What is counted.
        unit: TimeUnit,
        /// The zone in which its parts are read; the count itself is UTC.
        zone: Option<Name>,
    },
    /// A length of time, counted in units.
    Duration(TimeUnit),
    /// A value stored once in a dictionary: the same values as `T`, another encoding.
    Dict(TyId),
    /// One of a fixed list of names; ordered by position where `ordered`.
    Category {
        /// The names, in order, each once.
        names: std::sync::Arc<[Name]>,
        /// Whether `<` is allowed.
        ordered: bool,
    },
    /// Any number of values of one type.
    List(TyId),
    /// Named values: also the type of a row.
    Struct(Fields),
    /// A sequence of rows: order is part of its meaning.
    Rel(Fields),
    /// An n-dimensional array.
    Arr(TyId, Vec<Dim>),
    /// Several values at once: what a function returns when it returns more than one.
    Tuple(Vec<TyId>),
    /// A function from parameters to a result.
    Fn(Vec<TyId>, TyId),
    /// The order of effects: made, taken and given back, never looked at.
    Token,
    /// `T?`: a value of `T`, or null. Never nested.
    Option(TyId),
}

/// The widths of integers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum IntTy {
    /// Signed, 8 bits.
    I8,
    /// Signed, 16 bits.
    I16,
    /// Signed, 32 bits.
    I32,
    /// Signed, 64 bits.
    I64,
    /// Unsigned, 8 bits.
    U8,
    /// Unsigned, 16 bits.
    U16,
    /// Unsigned, 32 bits.
    U32,
    /// Unsigned, 64 bits.
    U64,
}

impl IntTy {
    /// All of them, in the order of their ids.
    pub const ALL: [IntTy; 8] = [IntTy::I8, IntTy::I16, IntTy::I32, IntTy::I64, IntTy::U8, IntTy::U16, IntTy::U32, IntTy::U64];

    /// How many bits it has.
    pub fn bits(self) -> u32 {
        match self {
            IntTy::I8 | IntTy::U8 => 8,
            IntTy::I16 | IntTy::U16 => 16,
            IntTy::I32 | IntTy::U32 => 32,
            IntTy::I64 | IntTy::U64 => 64,
        }
    }

    /// Whether it can be negative.
    pub fn signed(self) -> bool {
        matches!(self, IntTy::I8 | IntTy::I16 | IntTy::I32 | IntTy::I64)
    }

    /// The minimum value it holds.
    pub fn lowest(self) -> i128 {
        if self.signed() { -(1i128 << (self.bits() - 1)) } else { 0 }
    }

    /// The maximum value it holds.
    pub fn highest(self) -> i128 {
        if self.signed() { (1i128 << (self.bits() - 1)) - 1 } else { (1i128 << self.bits()) - 1 }
    }

    /// Whether it holds `value`.
    pub fn holds(self, value: i128) -> bool {
        (self.lowest()..=self.highest()).contains(&value)
    }

    /// `value` modulo two to the number of bits: what two's complement arithmetic keeps of it.
    pub fn wrap(self, value: i128) -> i128 {
        let shift = 128 - self.bits();
        if self.signed() { (value << shift) >> shift } else { (((value as u128) << shift) >> shift) as i128 }
    }

    /// Its name in the text form.
    pub fn name(self) -> &'static str {
        match self {
            IntTy::I8 => "i8",
            IntTy::I16 => "i16",
            IntTy::I32 => "i32",
            IntTy::I64 => "i64",
            IntTy::U8 => "u8",
            IntTy::U16 => "u16",
            IntTy::U32 => "u32",
            IntTy::U64 => "u64",
        }
    }
}

/// What a timestamp or duration counts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum TimeUnit {
    /// Seconds.
    Second,
    /// Thousandths of a second.
    Milli,
    /// Millionths of a second.
    Micro,
    /// Thousand-millionths of a second.
    Nano,
}

impl TimeUnit {
    /// All of them, coarsest first.
    pub const ALL: [TimeUnit; 4] = [TimeUnit::Second, TimeUnit::Milli, TimeUnit::Micro, TimeUnit::Nano];

    /// Its name in the text form.
    pub fn name(self) -> &'static str {
        match self {
            TimeUnit::Second => "s",
            TimeUnit::Milli => "ms",
            TimeUnit::Micro => "us",
            TimeUnit::Nano => "ns",
        }
    }

    /// How many of it make a second.
    pub fn per_second(self) -> i64 {
        match self {
            TimeUnit::Second => 1,
            TimeUnit::Milli => 1_000,
            TimeUnit::Micro => 1_000_000,
            TimeUnit::Nano => 1_000_000_000,
        }
    }
}

/// The extent of one axis of an array, as far as it is known while typing.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Dim {
    /// Exactly this many.
    Fixed(u64),
    /// As many as every other axis of this name.
    Named(Name),
    /// Not known: checked when running.
    Any,
}

impl Dim {
    /// The extent of two axes that must be equal, or `None` where they cannot be.
    pub fn unify(&self, other: &Dim) -> Option<Dim> {
        match (self, other) {
            (Dim::Fixed(a), Dim::Fixed(b)) if a != b => None,
            (Dim::Fixed(_), _) | (_, Dim::Any) => Some(self.clone()),
            (_, Dim::Fixed(_)) | (Dim::Any, _) => Some(other.clone()),
            (Dim::Named(a), Dim::Named(b)) => Some(if a == b { self.clone() } else { Dim::Any }),
        }
    }
}
