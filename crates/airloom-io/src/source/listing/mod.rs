//! Which files a path means: one, many, a directory, a pattern, a URL.
//!
//! Files that were named one by one are read in the order in which they were named; those of a directory or a pattern in the order of their paths, byte by
//! byte, so that `part-00002` comes before `part-00010` but `part-10` before `part-2`. In a directory, names that begin with `_` or `.` are passed over.

mod glob;
pub(crate) mod hive;
mod local;
mod store;

pub(crate) use hive::Partitions;
pub(crate) use store::{Place, place_of};

use super::wait::wait;
use crate::failure::store_error;
use airloom_compute::data::SourceError;
use object_store::{ObjectMeta, ObjectStore};
use std::sync::Arc;

/// How the files of a table are found.
#[derive(Clone, Debug)]
pub struct FileOptions {
    /// Whether directories named `key=value` are columns. Where it is not said, they are below a directory or a pattern that was given, and not in
    /// the path of a file that was named.
    pub hive: Option<bool>,
    /// Settings of the object store, by the names that it gives them (`aws_region`, `google_service_account`, …), for URLs.
    pub store: Vec<(String, String)>,
}

impl FileOptions {
    /// Nothing said.
    pub fn plain() -> FileOptions {
        FileOptions { hive: None, store: Vec::new() }
    }
}

/// One file of a table.
#[derive(Clone, Debug)]
pub(crate) struct File {
    /// What to call it when speaking to the user.
    pub(crate) url: String,
    /// Where it is in its store, and how it was when it was found.
    pub(crate) meta: ObjectMeta,
    /// What its directories say.
    pub(crate) keys: Vec<(String, Option<String>)>,
}

/// The files of a table, in order.
#[derive(Debug)]
pub(crate) struct Listing {
    /// What the user gave.
    pub(crate) given: String,
    pub(crate) store: Arc<dyn ObjectStore>,
    /// Whether the store is this machine's file system.
    pub(crate) local: bool,
    /// The store's URL, nothing for this machine.
    root: String,
    pub(crate) files: Vec<File>,
}

/// Finds the files that these paths mean. Below a directory only files with one of these endings count.
pub(crate) fn list(paths: &[String], endings: &[&str], options: &FileOptions) -> Result<Listing, SourceError> {
    let given = match paths {
        [] => return Err(SourceError::user("no file was named to read from")),
        [one] => one.clone(),
        [first, .., last] => format!("{first} … {last}"),
    };
    let mut listing: Option<Listing> = None;
    for path in paths {
        let place = place_of(path, &options.store)?;
        let mut files = match &place {
            Place::Local(path) => local::find(path, endings)?,
            Place::Remote { store, path, root } => wait(store::find(Arc::clone(store), path.clone(), root.clone(), endings))?,
        };
        if files.is_empty() {
            return Err(SourceError::user(format!("`{path}` names no file that could be read")));
        }
        for file in &mut files {
            if !options.hive.unwrap_or(!file.named) {
                file.found.keys.clear();
            }
        }
        let files = files.into_iter().map(|file| file.found);
        match &mut listing {
            None => {
                let (store, local) = place.store();
                listing = Some(Listing { given: given.clone(), store, local, root: place.root().to_string(), files: files.collect() });
            }
            Some(listing) if listing.root == place.root() => listing.files.extend(files),
            Some(_) => {
                return Err(SourceError::user(format!("`{path}` is on another store than `{}`: one table is on one store", paths[0])));
            }
        }
    }
    listing.ok_or_else(|| SourceError::broken("a list of paths gave no files"))
}

/// A file that was found, and whether its own path was given.
pub(crate) struct Candidate {
    pub(crate) found: File,
    pub(crate) named: bool,
}

impl Listing {
    /// An error where a file is not what it was when it was found.
    pub(crate) fn check_unchanged(&self) -> Result<(), SourceError> {
        if self.local {
            return self.files.iter().try_for_each(|file| check_same(file, &local::meta_of(std::path::Path::new(&file.url))?));
        }
        wait(async {
            for file in &self.files {
                let meta = object_store::ObjectStoreExt::head(self.store.as_ref(), &file.meta.location).await;
                check_same(file, &meta.map_err(|error| store_error("look at", &file.url, &error))?)?;
            }
            Ok(())
        })
    }
}

fn check_same(file: &File, now: &ObjectMeta) -> Result<(), SourceError> {
    if file.meta.size == now.size && file.meta.last_modified == now.last_modified {
        return Ok(());
    }
    Err(SourceError::world(format!(
        "`{}` has changed since it was opened: it had {} bytes of {}, and has {} of {}",
        file.url, file.meta.size, file.meta.last_modified, now.size, now.last_modified
    )))
}
