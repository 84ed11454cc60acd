//! The text form: the form of tests, dumps, bug reports and documentation. The grammar is in `docs/language.md`.

mod attributes;
mod build;
mod lexer;
mod literal;
mod parser;
pub mod pattern;
mod printer;
pub mod quote;
mod types;

pub use literal::{Raw, raw_to_value, value_to_text};
pub use parser::{parse, parse_file, parse_function};
pub use printer::{print, print_function, print_node};

use crate::name::Name;
use crate::types::{TyId, Types};
use crate::value::Value;
use std::fmt;

/// Something wrong in a text, on its line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyntaxError {
    /// The file, where there is one.
    pub file: Option<Name>,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in characters.
    pub column: u32,
    /// What was found and what was expected.
    pub message: String,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.file {
            Some(file) => write!(f, "{file}:{}:{}: {}", self.line, self.column, self.message),
            None => write!(f, "{}:{}: {}", self.line, self.column, self.message),
        }
    }
}

impl std::error::Error for SyntaxError {}

/// A type from its text.
pub fn parse_type(types: &mut Types, text: &str) -> Result<TyId, SyntaxError> {
    let mut cursor = lexer::Cursor::new(text, None)?;
    let ty = types::parse(&mut cursor, types)?;
    cursor.end()?;
    Ok(ty)
}

/// A value of a known type from its text, as in the expectations of filetests.
pub fn parse_value(types: &Types, ty: TyId, text: &str) -> Result<Value, SyntaxError> {
    let mut cursor = lexer::Cursor::new(text, None)?;
    let raw = literal::parse(&mut cursor)?;
    cursor.end()?;
    let at = lexer::Place { line: 1, column: 1 };
    raw_to_value(types, ty, &raw).map_err(|message| cursor.error_at(at, message))
}

/// Values in parentheses, as in `(1, "a")`, and what comes after them.
pub fn parse_raw_arguments(text: &str) -> Result<(Vec<Raw>, String), SyntaxError> {
    let mut cursor = lexer::Cursor::new(text, None)?;
    let raws = literal::parse_arguments(&mut cursor)?;
    Ok((raws, cursor.remaining_text(text)))
}
