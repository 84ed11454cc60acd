//! A temporary location to write in until everything is written.
//!
//! On this machine, files are written beside their target under a name of their own, and moved to it at the end: a reader sees the old or the new, never a
//! part. In an object store an object is seen once it is complete; of several, those that were completed are removed if a later one fails.

use super::output::Output;
use super::target::{Format, Layout, Overwrite, Target};
use crate::failure::store_error;
use crate::source::listing::{Place, place_of};
use crate::source::wait::wait;
use airloom_compute::data::SourceError;
use futures::TryStreamExt;
use object_store::path::Path as StorePath;
use object_store::{ObjectStore, ObjectStoreExt};
use std::hash::{BuildHasher, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Where files are written until they are all complete.
pub(crate) struct Stage {
    place: StagePlace,
    layout: Layout,
    overwrite: Overwrite,
    ending: &'static str,
    /// Distinguishes the files of this write from those of others in the same directory.
    mark: String,
    /// The files that are complete, relative to the target.
    files: Mutex<Vec<String>>,
    committed: bool,
}

enum StagePlace {
    Local { target: PathBuf, temporary: PathBuf },
    Remote { store: Arc<dyn ObjectStore>, path: String, root: String },
}

impl Stage {
    /// A stage for this target, or why it cannot be written.
    pub(crate) async fn new(target: &Target) -> Result<Stage, SourceError> {
        check(target)?;
        let mark = mark();
        let place = match place_of(&target.url, &target.store)? {
            Place::Local(path) => local_place(Path::new(&path), target, &mark)?,
            Place::Remote { store, path, root } => {
                let place = StagePlace::Remote { store, path: path.trim_end_matches('/').to_string(), root };
                if target.overwrite == Overwrite::Refuse && place.exists().await? {
                    return Err(exists(&target.url));
                }
                place
            }
        };
        let (layout, overwrite, ending) = (target.layout, target.overwrite, Format::ending(&target.format));
        Ok(Stage { place, layout, overwrite, ending, mark, files: Mutex::new(Vec::new()), committed: false })
    }

    /// The name of a file of a part: parts, and the files of each, are in the order of their names.
    pub(crate) fn part_name(&self, directory: &str, part: usize, number: usize) -> String {
        // Files put beside others must not be theirs, and come after them or before as it may be.
        let mark = if self.overwrite == Overwrite::Append { format!("{}-", self.mark) } else { String::new() };
        let number = if number == 0 { String::new() } else { format!("-{number:05}") };
        let slash = if directory.is_empty() { "" } else { "/" };
        format!("{directory}{slash}part-{mark}{part:05}{number}.{}", self.ending)
    }

    /// Begins a file: the only one, or one of a directory by its name.
    pub(crate) async fn begin(&self, name: &str) -> Result<Output, SourceError> {
        match &self.place {
            StagePlace::Local { temporary, .. } => match self.layout {
                Layout::OneFile => Output::local(temporary),
                Layout::Parts => {
                    let path = temporary.join(name);
                    if let Some(parent) = path.parent() {
                        std::fs::create_dir_all(parent).map_err(|error| SourceError::io("make the directory", parent, &error))?;
                    }
                    Output::local(&path)
                }
            },
            StagePlace::Remote { store, path, root } => {
                let full = self.full(path, name);
                Output::remote(store, &store_path(&full)?, format!("{root}/{full}")).await
            }
        }
    }

    fn full(&self, path: &str, name: &str) -> String {
        match self.layout {
            Layout::OneFile => path.to_string(),
            Layout::Parts => format!("{path}/{name}"),
        }
    }

    /// Says that a file is complete.
    pub(crate) fn completed(&self, name: String) {
        self.files.lock().unwrap_or_else(PoisonError::into_inner).push(name);
    }

    /// Moves everything to its target. The files, by the names a reader would use.
    pub(crate) async fn commit(mut self) -> Result<Vec<String>, SourceError> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner).clone();
        files.sort();
        let named = match &self.place {
            StagePlace::Local { target, temporary } => {
                match (self.layout, self.overwrite) {
                    (Layout::OneFile, overwrite) => publish_file(temporary, target, overwrite)?,
                    (Layout::Parts, Overwrite::Append) => publish_beside(temporary, target, &files)?,
                    (Layout::Parts, overwrite) => publish_directory(temporary, target, overwrite, &self.mark)?,
                }
                let file =
                    |name: &String| if name.is_empty() { target.display().to_string() } else { target.join(name).display().to_string() };
                files.iter().map(file).collect()
            }
            StagePlace::Remote { store, path, root } => {
                if self.layout == Layout::Parts && self.overwrite == Overwrite::Replace {
                    let kept: Vec<String> = files.iter().map(|name| self.full(path, name)).collect();
                    remove_others(store, path, root, &kept).await?;
                }
                files.iter().map(|name| format!("{root}/{}", self.full(path, name))).collect()
            }
        };
        self.committed = true;
        Ok(named)
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        match &self.place {
            StagePlace::Local { temporary, .. } => {
                // Also after success: a directory whose files were moved out of it is left empty.
                let _ = match self.layout {
                    Layout::OneFile => std::fs::remove_file(temporary),
                    Layout::Parts => std::fs::remove_dir_all(temporary),
                };
            }
            StagePlace::Remote { store, path, .. } if !self.committed => {
                let names = self.files.lock().unwrap_or_else(PoisonError::into_inner).clone();
                let paths: Vec<_> = names.iter().filter_map(|name| store_path(&self.full(path, name)).ok()).collect();
                let store = Arc::clone(store);
                let _ = wait(async move {
                    for path in paths {
                        let _ = store.delete(&path).await;
                    }
                    Ok(())
                });
            }
            StagePlace::Remote { .. } => (),
        }
    }
}

impl StagePlace {
    async fn exists(&self) -> Result<bool, SourceError> {
        let StagePlace::Remote { store, path, root } = self else { return Ok(false) };
        let place = store_path(path)?;
        match store.head(&place).await {
            Ok(_) => return Ok(true),
            Err(object_store::Error::NotFound { .. }) => (),
            Err(error) => return Err(store_error("look at", &format!("{root}/{path}"), &error)),
        }
        let first = store.list(Some(&place)).try_next().await;
        first.map(|first| first.is_some()).map_err(|error| store_error("list", &format!("{root}/{path}"), &error))
    }
}

fn check(target: &Target) -> Result<(), SourceError> {
    if target.layout == Layout::OneFile && !target.partition_by.is_empty() {
        return Err(SourceError::user("rows that are divided by columns go into a directory, not into one file"));
    }
    if target.layout == Layout::OneFile && target.overwrite == Overwrite::Append {
        return Err(SourceError::user("files are put beside others in a directory; nothing is added to the end of one file"));
    }
    Ok(())
}

fn exists(url: &str) -> SourceError {
    SourceError::user(format!("cannot write `{url}`: it exists already"))
}

/// The temporary location for a target of this machine: beside it, or, where files are put beside others, inside it.
fn local_place(path: &Path, target: &Target, mark: &str) -> Result<StagePlace, SourceError> {
    let path = std::path::absolute(path).map_err(|error| SourceError::io("find", path, &error))?;
    let (Some(parent), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return Err(SourceError::user(format!("`{}` names no file to write", target.url)));
    };
    let found = std::fs::symlink_metadata(&path).ok();
    match (&found, target.layout, target.overwrite) {
        (Some(_), _, Overwrite::Refuse) => return Err(exists(&target.url)),
        (Some(found), Layout::OneFile, _) if found.is_dir() => {
            return Err(SourceError::user(format!("cannot write `{}`: it is a directory where a file is to be", target.url)));
        }
        (Some(found), Layout::Parts, _) if !found.is_dir() => {
            return Err(SourceError::user(format!("cannot write `{}`: it is a file where a directory is to be", target.url)));
        }
        _ => (),
    }
    if !parent.is_dir() {
        return Err(SourceError::user(format!("cannot write `{}`: there is no directory `{}`", target.url, parent.display())));
    }
    let inside = target.overwrite == Overwrite::Append && found.is_some();
    let temporary = if inside { path.join(format!(".{mark}.tmp")) } else { parent.join(format!(".{name}.{mark}.tmp")) };
    if target.layout == Layout::Parts {
        std::fs::create_dir(&temporary).map_err(|error| SourceError::io("make the directory", &temporary, &error))?;
    }
    Ok(StagePlace::Local { target: path, temporary })
}

fn publish_file(temporary: &Path, target: &Path, overwrite: Overwrite) -> Result<(), SourceError> {
    match overwrite {
        // A link is made only where nothing is: another process may have made it since it was checked.
        Overwrite::Refuse => match std::fs::hard_link(temporary, target) {
            Ok(()) => (),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => return Err(exists(&target.display().to_string())),
            // Some file systems have no links.
            Err(_) => std::fs::rename(temporary, target).map_err(|error| SourceError::io("write", target, &error))?,
        },
        _ => std::fs::rename(temporary, target).map_err(|error| SourceError::io("write", target, &error))?,
    }
    sync_directory(target);
    Ok(())
}

fn publish_directory(temporary: &Path, target: &Path, overwrite: Overwrite, mark: &str) -> Result<(), SourceError> {
    let failed = |error: std::io::Error| SourceError::io("write", target, &error);
    if overwrite == Overwrite::Refuse || !target.exists() {
        if target.exists() {
            return Err(exists(&target.display().to_string()));
        }
        std::fs::rename(temporary, target).map_err(failed)?;
        sync_directory(target);
        return Ok(());
    }
    let name = target.file_name().and_then(|name| name.to_str()).unwrap_or("old");
    let old = target.with_file_name(format!(".{name}.{mark}.old"));
    std::fs::rename(target, &old).map_err(failed)?;
    if let Err(error) = std::fs::rename(temporary, target) {
        return Err(match std::fs::rename(&old, target) {
            Ok(()) => failed(error),
            Err(_) => failed(error).at(format!("what was there before is now `{}`", old.display())),
        });
    }
    // What was written is in place; nothing is lost where the old files cannot be removed.
    std::fs::remove_dir_all(&old).ok();
    sync_directory(target);
    Ok(())
}

/// Moves files beside those that are there; if one cannot be moved, those that were are removed again.
fn publish_beside(temporary: &Path, target: &Path, files: &[String]) -> Result<(), SourceError> {
    if !target.exists() {
        std::fs::rename(temporary, target).map_err(|error| SourceError::io("write", target, &error))?;
        sync_directory(target);
        return Ok(());
    }
    for (at, name) in files.iter().enumerate() {
        let to = target.join(name);
        let made = to.parent().map_or(Ok(()), std::fs::create_dir_all);
        if let Err(error) = made.and_then(|()| std::fs::rename(temporary.join(name), &to)) {
            files[..at].iter().for_each(|moved| drop(std::fs::remove_file(target.join(moved))));
            return Err(SourceError::io("write", &to, &error));
        }
    }
    sync_directory(target);
    Ok(())
}

/// Makes the new name durable. Failure on systems that cannot do so is ignored.
fn sync_directory(target: &Path) {
    if let Some(Ok(directory)) = target.parent().map(std::fs::File::open) {
        let _ = directory.sync_all();
    }
}

async fn remove_others(store: &Arc<dyn ObjectStore>, path: &str, root: &str, kept: &[String]) -> Result<(), SourceError> {
    let failed = |error| store_error("replace", &format!("{root}/{path}"), &error);
    let listed: Vec<_> = store.list(Some(&store_path(path)?)).try_collect().await.map_err(failed)?;
    for old in listed {
        if !kept.iter().any(|kept| kept.as_str() == old.location.as_ref()) {
            store.delete(&old.location).await.map_err(failed)?;
        }
    }
    Ok(())
}

fn store_path(text: &str) -> Result<StorePath, SourceError> {
    StorePath::parse(text).map_err(|error| SourceError::user(format!("`{text}` is no path of a store: {error}")))
}

/// A name that no other write has: the process, a number, and what the process drew when it started.
fn mark() -> String {
    static NUMBER: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    let mut hasher = std::hash::RandomState::new().build_hasher();
    hasher.write_u64(NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed));
    format!("{:x}-{:x}", std::process::id(), hasher.finish())
}
