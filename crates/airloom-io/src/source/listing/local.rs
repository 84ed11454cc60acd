//! Files of this machine.

use super::glob::{is_pattern, split_pattern};
use super::hive::key_and_value;
use super::{Candidate, File};
use airloom_compute::data::SourceError;
use object_store::ObjectMeta;
use object_store::path::Path as StorePath;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// The files that a path means.
pub(crate) fn find(path: &str, endings: &[&str]) -> Result<Vec<Candidate>, SourceError> {
    let as_path = Path::new(path);
    // A file whose name has a bracket in it is a file, not a pattern.
    if as_path.is_file() || (!is_pattern(path) && !as_path.is_dir()) {
        let url = absolute(as_path)?;
        let keys = keys_of(&url);
        return Ok(vec![Candidate { found: File { meta: meta_of(Path::new(&url))?, url, keys }, named: true }]);
    }
    let (directory, pattern) = match as_path.is_dir() {
        true => (path, None),
        false => split_pattern(path).map(|(directory, pattern)| (directory, Some(pattern)))?,
    };
    let root = absolute(Path::new(if directory.is_empty() { "." } else { directory }))?;
    let mut files = Vec::new();
    walk(Path::new(&root), &mut files)?;
    let mut found = Vec::new();
    for file in files {
        let url = text(&file)?.to_string();
        let Some(below) = url.strip_prefix(root.as_str()).map(|rest| rest.trim_start_matches('/')) else { continue };
        let wanted = match &pattern {
            Some(pattern) => pattern.matches(below),
            None => is_visible(below) && has_ending(below, endings),
        };
        if wanted {
            let keys = keys_of(below);
            found.push(Candidate { found: File { meta: meta_of(&file)?, keys, url }, named: false });
        }
    }
    found.sort_by(|a, b| a.found.url.cmp(&b.found.url));
    Ok(found)
}

/// Whether no part of a path below a directory begins as names do that are not data.
pub(crate) fn is_visible(below: &str) -> bool {
    !below.split('/').any(|name| (name.starts_with('_') && !name.contains('=')) || name.starts_with('.'))
}

/// Whether a name ends as one of these, or anything goes.
pub(crate) fn has_ending(name: &str, endings: &[&str]) -> bool {
    let lower = name.to_ascii_lowercase();
    endings.is_empty() || endings.iter().any(|ending| lower.ends_with(ending))
}

/// What the directories of a path say.
pub(crate) fn keys_of(path: &str) -> Vec<(String, Option<String>)> {
    let directories = path.rsplit_once('/').map_or("", |(directories, _)| directories);
    directories.split('/').filter_map(key_and_value).collect()
}

/// Every file below a directory. Links to directories are followed as far as the system follows them, each file once.
fn walk(root: &Path, files: &mut Vec<PathBuf>) -> Result<(), SourceError> {
    let mut left = vec![root.to_path_buf()];
    let mut seen = std::collections::BTreeSet::new();
    while let Some(directory) = left.pop() {
        let real = directory.canonicalize().map_err(|error| SourceError::io("look into", &directory, &error))?;
        if !seen.insert(real) {
            continue;
        }
        for entry in std::fs::read_dir(&directory).map_err(|error| SourceError::io("look into", &directory, &error))? {
            let path = entry.map_err(|error| SourceError::io("look into", &directory, &error))?.path();
            match std::fs::metadata(&path) {
                Ok(meta) if meta.is_dir() => left.push(path),
                Ok(_) => files.push(path),
                // A link to nothing, or a file just removed.
                Err(_) => (),
            }
        }
    }
    Ok(())
}

fn absolute(path: &Path) -> Result<String, SourceError> {
    let full = std::path::absolute(path).map_err(|error| SourceError::io("find", path, &error))?;
    text(&full).map(str::to_string)
}

fn text(path: &Path) -> Result<&str, SourceError> {
    path.to_str().ok_or_else(|| SourceError::user(format!("the name of `{}` is not valid UTF-8", path.display())))
}

/// How a file is now.
pub(crate) fn meta_of(path: &Path) -> Result<ObjectMeta, SourceError> {
    let meta = std::fs::metadata(path).map_err(|error| SourceError::io("open", path, &error))?;
    if meta.is_dir() {
        return Err(SourceError::user(format!("`{}` is a directory where a file was expected", path.display())));
    }
    // Opening shows whether it may be read; what is read is opened again by the store.
    std::fs::File::open(path).map_err(|error| SourceError::io("open", path, &error))?;
    let location = StorePath::from_absolute_path(path)
        .map_err(|error| SourceError::user(format!("the path `{}` cannot be read: {error}", path.display())))?;
    let since = meta.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    let last_modified = chrono::DateTime::from_timestamp(since.as_secs() as i64, since.subsec_nanos()).unwrap_or_default();
    Ok(ObjectMeta { location, last_modified, size: meta.len(), e_tag: None, version: None })
}
