//! Compiled code for `perf`: a line in a file for each function that is loaded, with where it is, how long it is, and what it computes.

use std::fs::OpenOptions;
use std::io::{Error, Result, Write};
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

/// The folder of the file, where there is to be one.
static FOLDER: RwLock<Option<PathBuf>> = RwLock::new(None);

/// Names functions for `perf` from now on, in the file `perf-PROCESS.map` of a folder, which must be one that can be written to; or no more. `perf` looks for it in `/tmp`.
pub fn name_code_for_perf(folder: Option<PathBuf>) -> Result<()> {
    folder.as_deref().map_or(Ok(()), |folder| write(folder, ""))?;
    *FOLDER.write().unwrap_or_else(PoisonError::into_inner) = folder;
    Ok(())
}

/// Names a function that was loaded from an object, under its symbol there. A folder that can no longer be written to is not tried again: that `perf` misses a name is no reason to stop.
pub(crate) fn loaded(object: &[u8], symbol: &str, label: &str, entry: u64) {
    let folder = FOLDER.read().unwrap_or_else(PoisonError::into_inner).clone();
    let Some((folder, bytes)) = folder.zip(size_of(object, symbol)) else { return };
    if write(&folder, &format!("{entry:x} {bytes:x} airloom: {label}\n")).is_err() {
        *FOLDER.write().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Each line is one write, so that those of several threads do not mix. A process that was forked has a file of its own.
fn write(folder: &Path, line: &str) -> Result<()> {
    let path = folder.join(format!("perf-{}.map", std::process::id()));
    let written = OpenOptions::new().create(true).append(true).open(&path).and_then(|mut file| file.write_all(line.as_bytes()));
    written.map_err(|error| Error::new(error.kind(), format!("cannot write names for `perf` to `{}`: {error}", path.display())))
}

/// How many bytes a function of an ELF object of 64 bits has; `None` where it is no such object, or has no such function.
fn size_of(object: &[u8], symbol: &str) -> Option<u64> {
    const SYMBOLS: u64 = 2;
    const FUNCTION: u64 = 2;
    // A number of some bytes, at a distance from something. What an object says of itself may be anything.
    let number = |base: usize, distance: usize, bytes: usize| -> Option<u64> {
        let at = base.checked_add(distance)?;
        let from = object.get(at..at.checked_add(bytes)?)?;
        Some(from.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    };
    if object.get(..6)? != b"\x7FELF\x02\x01" {
        return None;
    }
    let (sections, size) = (number(0, 0x28, 8)? as usize, number(0, 0x3A, 2)? as usize);
    let section = |at: u64| sections.checked_add((at as usize).checked_mul(size)?);
    for at in 0..number(0, 0x3C, 2)? {
        let header = section(at)?;
        if number(header, 4, 4)? != SYMBOLS {
            continue;
        }
        let (first, bytes) = (number(header, 0x18, 8)? as usize, number(header, 0x20, 8)? as usize);
        let names = number(section(number(header, 0x28, 4)?)?, 0x18, 8)? as usize;
        for entry in (first..first.checked_add(bytes)?).step_by(24) {
            // The file that an object is of may have the function's name.
            if number(entry, 4, 1)? & 0xF != FUNCTION {
                continue;
            }
            let name = object.get(names.checked_add(number(entry, 0, 4)? as usize)?..)?;
            if name.strip_prefix(symbol.as_bytes()).is_some_and(|rest| rest.first() == Some(&0)) {
                return number(entry, 0x10, 8);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::size_of;

    #[test]
    fn what_is_no_object_has_no_functions() {
        for object in [&b""[..], b"\x7FELF", b"\x7FELF\x02\x01", &[0xFF; 200], &[b"\x7FELF\x02\x01".as_slice(), &[0xFF; 200]].concat()] {
            assert_eq!(size_of(object, "f"), None);
        }
    }
}
