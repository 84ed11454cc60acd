//! Code on disk: objects are kept in a folder by what they are compiled of, so that a process need not compile what another one has.
//!
//! An entry is a file, named by the text of its module before LLVM's passes, the processor with its features, and our version. It is written beside its position and renamed into it, so that
//! nobody reads half of one, and it has a checksum, so that nothing that was damaged is run. Where the folder cannot be read or written, code is compiled, as ever.

use crate::llvm::Module;
use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::Hasher;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{OnceLock, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

/// The folder, and how many bytes may be in it.
static FOLDER: RwLock<Option<(PathBuf, u64)>> = RwLock::new(None);

static FOUND: AtomicU64 = AtomicU64::new(0);
static STORED: AtomicU64 = AtomicU64::new(0);
static BROKEN: AtomicU64 = AtomicU64::new(0);

/// What was done in this process: objects that were found, that were stored, and that were there but could not be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DiskCounts {
    /// Found, and loaded.
    pub found: u64,
    /// Stored.
    pub stored: u64,
    /// Damaged, or of another version.
    pub broken: u64,
}

/// Keeps code in a folder of at most this many bytes from now on; or nowhere.
pub fn keep_code_in(folder: Option<(PathBuf, u64)>) {
    *FOLDER.write().unwrap_or_else(PoisonError::into_inner) = folder;
}

/// What was done so far.
pub fn disk_counts() -> DiskCounts {
    let [found, stored, broken] = [&FOUND, &STORED, &BROKEN].map(|count| count.load(Ordering::Relaxed));
    DiskCounts { found, stored, broken }
}

/// A name that no function of this process or another has: objects that were kept are loaded under theirs.
pub(crate) fn name(of: &str) -> String {
    static BEGIN: OnceLock<u128> = OnceLock::new();
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let begin = BEGIN.get_or_init(|| SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_nanos()));
    format!("airloom.{of}.{}.{begin}.{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed))
}

/// The entry of a module that is not improved yet, whose function has this name; nothing where code is not kept.
pub(crate) fn entry(module: &Module, name: &str, cpu: &(String, String)) -> Option<Kept> {
    let (folder, limit) = FOLDER.read().unwrap_or_else(PoisonError::into_inner).clone()?;
    let text = module.text().replace(name, "airloom");
    let parts = [text.as_str(), &cpu.0, &cpu.1, env!("CARGO_PKG_VERSION"), std::env::consts::ARCH, LLVM];
    let half = |seed: u8| {
        let mut hasher = DefaultHasher::new();
        hasher.write_u8(seed);
        for part in parts {
            hasher.write_usize(part.len());
            hasher.write(part.as_bytes());
        }
        hasher.finish()
    };
    let key = [half(0), half(1)];
    Some(Kept { path: folder.join(format!("{:016x}{:016x}.code", key[0], key[1])), folder, limit })
}

/// The version of LLVM that is linked.
const LLVM: &str = "22";
const HEAD: &[u8] = b"airloom code 1\n";
/// How many stores there are between two looks at how much is in the folder.
const STORES_BETWEEN: u64 = 16;

/// Where an object is kept.
pub(crate) struct Kept {
    folder: PathBuf,
    path: PathBuf,
    limit: u64,
}

impl Kept {
    /// The object, and the name of its function, where it is there and whole.
    pub(crate) fn read(&self) -> Option<(Vec<u8>, String)> {
        let bytes = fs::read(&self.path).ok()?;
        let found = parts(&bytes);
        if found.is_none() {
            BROKEN.fetch_add(1, Ordering::Relaxed);
            let _ = fs::remove_file(&self.path);
        }
        let (name, object) = found?;
        // What was used lately is given up last.
        let old = fs::metadata(&self.path)
            .and_then(|about| about.modified())
            .is_ok_and(|at| at.elapsed().is_ok_and(|age| age > Duration::from_secs(3600)));
        if old && let Ok(file) = fs::File::options().append(true).open(&self.path) {
            let _ = file.set_modified(SystemTime::now());
        }
        Some((object, name))
    }

    /// Notes that what was read was loaded.
    pub(crate) fn used(&self) {
        FOUND.fetch_add(1, Ordering::Relaxed);
    }

    /// Keeps an object. Where that cannot be done, nothing is.
    pub(crate) fn write(&self, object: &[u8], name: &str) {
        let kept = STORED.load(Ordering::Relaxed);
        if self.stored(object, name).is_ok() {
            STORED.fetch_add(1, Ordering::Relaxed);
            if kept.is_multiple_of(STORES_BETWEEN) {
                sweep(&self.folder, self.limit);
            }
        }
    }

    fn stored(&self, object: &[u8], name: &str) -> std::io::Result<()> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        create(&self.folder)?;
        let own = format!("{}.{}.part", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let beside = self.folder.join(own);
        let mut body = Vec::with_capacity(object.len() + name.len() + 8);
        body.extend((name.len() as u64).to_le_bytes());
        body.extend(name.as_bytes());
        body.extend(object);
        let written = fs::File::create(&beside).and_then(|mut file| {
            file.write_all(HEAD)?;
            file.write_all(&checksum(&body).to_le_bytes())?;
            file.write_all(&body)
        });
        let done = written.and_then(|()| fs::rename(&beside, &self.path));
        if done.is_err() {
            let _ = fs::remove_file(&beside);
        }
        done
    }
}

/// Nobody else may write there: what is in it is run.
fn create(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(folder)
}

/// The name of an entry's function and its object, where all of it is as it was written.
fn parts(bytes: &[u8]) -> Option<(String, Vec<u8>)> {
    let (sum, body) = bytes.strip_prefix(HEAD)?.split_at_checked(8)?;
    if u64::from_le_bytes(sum.try_into().ok()?) != checksum(body) {
        return None;
    }
    let (length, rest) = body.split_at_checked(8)?;
    let (name, object) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(length.try_into().ok()?)).ok()?)?;
    Some((String::from_utf8(name.to_vec()).ok()?, object.to_vec()))
}

fn checksum(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

/// Gives up what was used least lately, where there is more than may be, until a quarter is free; and what somebody began to write long ago.
fn sweep(folder: &Path, limit: u64) {
    let Ok(listed) = fs::read_dir(folder) else { return };
    let mut files: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
    for file in listed.flatten() {
        let path = file.path();
        let Ok((about, at)) = file.metadata().and_then(|about| about.modified().map(|at| (about, at))) else { continue };
        match path.extension().and_then(|word| word.to_str()) {
            Some("code") => files.push((at, about.len(), path)),
            Some("part") if at.elapsed().is_ok_and(|age| age > Duration::from_secs(3600)) => drop(fs::remove_file(path)),
            _ => (),
        }
    }
    let mut total: u64 = files.iter().map(|(_, size, _)| size).sum();
    if total <= limit {
        return;
    }
    files.sort();
    for (_, size, path) in files {
        if total <= limit / 4 * 3 {
            break;
        }
        if fs::remove_file(path).is_ok() {
            total -= size;
        }
    }
}
