//! Tables that were opened before: programs open the same files again and again, and what footers and samples of rows say of them need not be found out each time.

use super::ParquetTable;
use crate::source::listing::FileOptions;
use airloom_compute::data::SourceError;
use std::collections::VecDeque;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// How many tables are remembered: those that were opened last.
const MOST: usize = 32;

/// A file that was written more recently than this may be written again within the same tick of its clock, and then looks as if it had not been.
const SETTLED: Duration = Duration::from_secs(2);

/// What distinguishes a file from another one, and from itself before it was written again.
#[derive(PartialEq, Eq)]
struct Identity {
    path: PathBuf,
    number: (u64, u64),
    size: u64,
    modified: SystemTime,
}

/// The tables, the last one first.
static KNOWN: Mutex<VecDeque<(Vec<Identity>, Arc<ParquetTable>)>> = Mutex::new(VecDeque::new());

impl ParquetTable {
    /// The table of files of this machine, as it was opened before where none of them has changed since.
    pub fn open_again(paths: &[String]) -> Result<Arc<ParquetTable>, SourceError> {
        let Some(identities) = identities(paths) else { return Ok(Arc::new(ParquetTable::open(paths, &FileOptions::plain())?)) };
        // No thread panics while holding this, and the tables are whole at any time.
        let lock = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        {
            let mut known = lock();
            if let Some(found) = known.iter().position(|(files, _)| *files == identities).and_then(|place| known.remove(place)) {
                let table = Arc::clone(&found.1);
                known.push_front(found);
                return Ok(table);
            }
        }
        let table = Arc::new(ParquetTable::open(paths, &FileOptions::plain())?);
        let settled = |file: &Identity| file.modified.elapsed().is_ok_and(|age| age > SETTLED);
        if identities.iter().all(settled) {
            let mut known = lock();
            known.push_front((identities, Arc::clone(&table)));
            known.truncate(MOST);
        }
        Ok(table)
    }
}

/// The files that these paths are; `None` where one is no plain file of this machine.
fn identities(paths: &[String]) -> Option<Vec<Identity>> {
    let identity = |path: &String| {
        let path = std::path::absolute(Path::new(path)).ok()?;
        let metadata = std::fs::metadata(&path).ok().filter(Metadata::is_file)?;
        Some(Identity { number: number(&metadata), size: metadata.len(), modified: metadata.modified().ok()?, path })
    };
    paths.iter().map(identity).collect()
}

/// The number that a file system has for a file.
#[cfg(unix)]
fn number(metadata: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
fn number(_: &Metadata) -> (u64, u64) {
    (0, 0)
}
