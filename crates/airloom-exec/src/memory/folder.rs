//! The folder of spill files: it is made for the first of them, and removed with the last.

use super::buffered::BufferedFile;
use datafusion_common::Result;
use datafusion_execution::disk_manager::{DiskManager, DiskManagerBuilder, DiskManagerMode};
use datafusion_execution::{SpillFile, TempFileFactory};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Makes spill files in a folder of their own below another.
///
/// A disk manager makes its folder at once and removes it when it is dropped. An engine may live until the process ends, when nothing is dropped any more, so
/// the manager here lives only as long as one of its files does, each of which holds it.
pub(crate) struct SpillFolder {
    below: PathBuf,
    manager: Mutex<Weak<DiskManager>>,
}

impl SpillFolder {
    pub(crate) fn new(below: PathBuf) -> SpillFolder {
        SpillFolder { below, manager: Mutex::default() }
    }
}

impl TempFileFactory for SpillFolder {
    fn create_temp_file(&self, description: &str) -> Result<Arc<dyn SpillFile>> {
        let mut known = self.manager.lock().unwrap_or_else(PoisonError::into_inner);
        let manager = match known.upgrade() {
            Some(manager) => manager,
            None => {
                let mode = DiskManagerMode::Directories(vec![self.below.clone()]);
                let made = Arc::new(DiskManagerBuilder::default().with_mode(mode).build()?);
                *known = Arc::downgrade(&made);
                made
            }
        };
        Ok(Arc::new(BufferedFile(manager.create_tmp_file(description)?)))
    }
}
