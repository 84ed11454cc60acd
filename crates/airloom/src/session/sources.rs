//! The sources of a session: which tables there are, and which of them are the same as before.

use super::session::{Common, locked};
use crate::source::Table;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Weak};
use std::time::SystemTime;

/// A table that a session knows for as long as anybody holds this.
pub(crate) struct Kept {
    session: Weak<Common>,
    pub(crate) name: String,
    pub(crate) table: Arc<dyn Table>,
    version: u64,
}

impl Drop for Kept {
    fn drop(&mut self) {
        let Some(session) = self.session.upgrade() else { return };
        let mut sources = locked(&session.sources);
        // Another table may have taken the name.
        if sources.tables.get(&self.name).is_some_and(|(version, _)| *version == self.version) {
            sources.tables.remove(&self.name);
        }
    }
}

/// What was opened, and how it was then: who opens it again is given the same table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Opened {
    pub(super) how: String,
    pub(super) paths: Vec<String>,
    files: Vec<(u64, SystemTime)>,
}

impl Opened {
    /// Nothing where a path is not a file of this machine: what a folder holds is not seen from outside.
    pub(super) fn of(how: String, paths: &[String]) -> Option<Opened> {
        let stamp = |path: &String| {
            let known = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
            Some((known.len(), known.modified().ok()?))
        };
        let files: Option<Vec<_>> = paths.iter().map(stamp).collect();
        Some(Opened { how, paths: paths.to_vec(), files: files? })
    }
}

/// How many opened files are remembered after their last reader is gone.
const REMEMBERED: usize = 64;

/// Every source of a session.
#[derive(Default)]
pub(super) struct Sources {
    /// The table that has a name now, and its version. No two tables have the same.
    pub(super) tables: BTreeMap<String, (u64, Arc<dyn Table>)>,
    /// Tables that were registered by name, and stay.
    pub(super) registered: BTreeMap<String, Arc<Kept>>,
    opened: VecDeque<(Opened, Arc<Kept>)>,
    last: u64,
}

impl Common {
    /// The table that has a name now.
    pub(super) fn table(&self, name: &str) -> Option<Arc<dyn Table>> {
        locked(&self.sources).tables.get(name).map(|(_, table)| table.clone())
    }

    /// The table that was opened so before, where it has not changed since.
    pub(super) fn reopened(&self, opened: &Opened) -> Option<Arc<Kept>> {
        let sources = locked(&self.sources);
        sources.opened.iter().find(|(known, _)| known == opened).map(|(_, kept)| kept.clone())
    }

    /// Remembers what was opened.
    pub(super) fn remember(&self, opened: Opened, kept: Arc<Kept>) {
        let mut sources = locked(&self.sources);
        sources.opened.push_back((opened, kept));
        // Dropped after the lock is: a table that goes asks for it.
        let gone = if sources.opened.len() > REMEMBERED { sources.opened.pop_front() } else { None };
        drop(sources);
        drop(gone);
    }

    /// Adds a table under this name, or one made of it that is not taken.
    pub(super) fn add(self: &Arc<Common>, wanted: &str, table: Arc<dyn Table>) -> Arc<Kept> {
        let mut sources = locked(&self.sources);
        let taken = |name: &String| sources.tables.contains_key(name);
        let name = (1..).map(|number| if number == 1 { wanted.to_string() } else { format!("{wanted}#{number}") });
        let name = name.into_iter().find(|name| !taken(name)).unwrap_or_default();
        self.put(&mut sources, name, table)
    }

    /// Adds a table under exactly this name, replacing the one that has it.
    pub(super) fn replace(self: &Arc<Common>, name: &str, table: Arc<dyn Table>) {
        let mut sources = locked(&self.sources);
        let kept = self.put(&mut sources, name.to_string(), table);
        let before = sources.registered.insert(name.to_string(), kept);
        drop(sources);
        drop(before);
    }

    fn put(self: &Arc<Common>, sources: &mut Sources, name: String, table: Arc<dyn Table>) -> Arc<Kept> {
        sources.last += 1;
        sources.tables.insert(name.clone(), (sources.last, table.clone()));
        Arc::new(Kept { session: Arc::downgrade(self), name, table, version: sources.last })
    }
}
