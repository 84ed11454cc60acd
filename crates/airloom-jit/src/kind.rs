//! The types that kernels compute with: all of a fixed width.

use airloom_compute::data::types::NARROW_DECIMAL;
use airloom_ir::types::{IntTy, TimeUnit, Ty};
use std::fmt;

/// The type of a value in a kernel, without its nulls.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Kind {
    Bool,
    Int(IntTy),
    F32,
    F64,
    Decimal {
        precision: u8,
        scale: u8,
    },
    Date,
    Time,
    Timestamp {
        unit: TimeUnit,
        /// Whether its wall clock shows UTC.
        utc: bool,
    },
    Duration(TimeUnit),
    /// A category by its place.
    Category,
}

/// How a value is stored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Repr {
    /// One bit.
    Bit,
    I8,
    I16,
    I32,
    I64,
    I128,
    F32,
    F64,
}

impl Repr {
    /// How many bits it has.
    pub(crate) fn bits(self) -> u32 {
        match self {
            Repr::Bit => 1,
            Repr::I8 => 8,
            Repr::I16 => 16,
            Repr::I32 | Repr::F32 => 32,
            Repr::I64 | Repr::F64 => 64,
            Repr::I128 => 128,
        }
    }

    /// How many bytes a value has in memory, where it is not a bit.
    pub(crate) fn bytes(self) -> usize {
        self.bits() as usize / 8
    }
}

impl Kind {
    /// The kind of a type without `?` and dictionary encoding, or `None` where its values have no fixed width.
    pub(crate) fn of(ty: &Ty) -> Option<Kind> {
        Some(match ty {
            Ty::Bool => Kind::Bool,
            Ty::Int(int) => Kind::Int(*int),
            Ty::F32 => Kind::F32,
            Ty::F64 => Kind::F64,
            Ty::Decimal { precision, scale } => Kind::Decimal { precision: *precision, scale: *scale },
            Ty::Date => Kind::Date,
            Ty::Time => Kind::Time,
            Ty::Timestamp { unit, zone } => Kind::Timestamp { unit: *unit, utc: zone.as_ref().is_none_or(|zone| zone.as_str() == "UTC") },
            Ty::Duration(unit) => Kind::Duration(*unit),
            Ty::Category { .. } => Kind::Category,
            _ => return None,
        })
    }

    /// How its values are stored.
    pub(crate) fn repr(self) -> Repr {
        match self {
            Kind::Bool => Repr::Bit,
            Kind::Int(int) => match int.bits() {
                8 => Repr::I8,
                16 => Repr::I16,
                32 => Repr::I32,
                _ => Repr::I64,
            },
            Kind::F32 => Repr::F32,
            Kind::F64 => Repr::F64,
            Kind::Decimal { precision, .. } if precision <= NARROW_DECIMAL => Repr::I64,
            Kind::Decimal { .. } => Repr::I128,
            Kind::Date | Kind::Category => Repr::I32,
            Kind::Time | Kind::Timestamp { .. } | Kind::Duration(_) => Repr::I64,
        }
    }

    /// Whether its numbers may be negative.
    pub(crate) fn signed(self) -> bool {
        match self {
            Kind::Int(int) => int.signed(),
            Kind::Bool => false,
            _ => true,
        }
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, Kind::F32 | Kind::F64)
    }

    /// The least and the greatest count it holds, where it is a count.
    pub(crate) fn range(self) -> Option<(i128, i128)> {
        Some(match self {
            Kind::Bool => (0, 1),
            Kind::Int(int) => (int.lowest(), int.highest()),
            Kind::Decimal { precision, .. } => {
                let greatest = 10i128.pow(precision.into()) - 1;
                (-greatest, greatest)
            }
            Kind::Date | Kind::Category => (i32::MIN.into(), i32::MAX.into()),
            Kind::Time => (0, 86_399_999_999_999),
            Kind::Timestamp { .. } | Kind::Duration(_) => (i64::MIN.into(), i64::MAX.into()),
            Kind::F32 | Kind::F64 => return None,
        })
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Bool => f.write_str("bool"),
            Kind::Int(int) => f.write_str(int.name()),
            Kind::F32 => f.write_str("f32"),
            Kind::F64 => f.write_str("f64"),
            Kind::Decimal { precision, scale } => write!(f, "decimal({precision}, {scale})"),
            Kind::Date => f.write_str("date"),
            Kind::Time => f.write_str("time"),
            Kind::Timestamp { unit, .. } => write!(f, "timestamp({})", unit.name()),
            Kind::Duration(unit) => write!(f, "duration({})", unit.name()),
            Kind::Category => f.write_str("category"),
        }
    }
}
