//! Folders of tests: each is new, and goes with all that is in it when its test ends, however it ends.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A folder that goes when the test ends.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// An empty one.
    pub(crate) fn new() -> Folder {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let name = format!("airloom-test-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        // A process that was killed may have left one behind, and numbers of processes come again.
        if path.exists() {
            std::fs::remove_dir_all(&path).expect("what was left behind can be removed");
        }
        std::fs::create_dir_all(&path).expect("a temporary folder can be made");
        Folder(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}
