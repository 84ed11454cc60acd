//! What the two databases say differently.

use airloom_ir::types::{IntTy, Ty};

/// Which SQL is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// That of SQLite.
    Sqlite,
    /// That of PostgreSQL.
    Postgres,
}

/// A name that is taken literally, whatever is in it.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

impl Dialect {
    /// The text of a parameter, by its number from 0, of this type.
    pub(crate) fn parameter(self, number: usize, ty: &Ty) -> Option<String> {
        let at = number + 1;
        Some(match (self, ty) {
            (Dialect::Sqlite, _) => format!("?{at}"),
            (_, Ty::Bool) => format!("${at}::boolean"),
            (_, Ty::Int(IntTy::I16)) => format!("${at}::smallint"),
            (_, Ty::Int(IntTy::I32)) => format!("${at}::integer"),
            (_, Ty::Int(IntTy::I64)) => format!("${at}::bigint"),
            (_, Ty::F64) => format!("${at}::double precision"),
            (_, Ty::Str) => format!("${at}::text"),
            (_, Ty::Date) => format!("${at}::date"),
            _ => return None,
        })
    }

    /// An expression of text, compared by its bytes.
    pub(crate) fn by_bytes(self, text: &str) -> String {
        match self {
            Dialect::Sqlite => format!("{text} COLLATE BINARY"),
            Dialect::Postgres => format!("{text} COLLATE \"C\""),
        }
    }

    /// Whether two values are the same, nulls included.
    pub(crate) fn same(self) -> &'static str {
        match self {
            Dialect::Sqlite => "IS",
            Dialect::Postgres => "IS NOT DISTINCT FROM",
        }
    }

    /// No limit, where only an offset is said.
    pub(crate) fn no_limit(self) -> &'static str {
        match self {
            Dialect::Sqlite => "-1",
            Dialect::Postgres => "ALL",
        }
    }

    /// Whether values of a type compare, with `=` and `<`, as they do in a program. Floats do where there is no NaN: PostgreSQL's equals itself and is the
    /// maximum.
    pub(crate) fn compares(self, ty: &Ty) -> bool {
        match ty {
            Ty::Bool | Ty::Int(_) | Ty::Str | Ty::Date | Ty::Timestamp { .. } | Ty::Decimal { .. } => true,
            Ty::F64 => self == Dialect::Sqlite,
            _ => false,
        }
    }

    /// Whether values of a type are sorted as they are in a program, where NaN is the maximum and zeros are equal.
    pub(crate) fn sorts(self, ty: &Ty) -> bool {
        self.compares(ty) || matches!(ty, Ty::F64 | Ty::F32)
    }

    /// Whether values of a type that are equal are also identical, so that any of them represents all.
    pub(crate) fn groups(self, ty: &Ty) -> bool {
        matches!(ty, Ty::Bool | Ty::Int(_) | Ty::Str | Ty::Date | Ty::Timestamp { .. })
    }
}
