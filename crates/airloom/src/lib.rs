//! Airloom's one door: programs in, answers and explanations out.
#![forbid(unsafe_code)]

pub mod bisect;
pub mod csv;
pub mod explain;
pub mod filetest;
pub mod manual;
pub mod options;
pub mod reduce;
pub mod session;
pub mod statistics;
pub mod table;
