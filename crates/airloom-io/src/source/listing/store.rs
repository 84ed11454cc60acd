//! Files of object stores, by URL.

use super::glob::{is_pattern, split_pattern};
use super::local::{has_ending, is_visible, keys_of};
use super::{Candidate, File};
use crate::failure::store_error;
use airloom_compute::data::SourceError;
use datafusion_datasource::ListingTableUrl;
use futures::TryStreamExt;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt};
use std::sync::Arc;

/// Where a path leads.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// To this machine's file system.
    Local(String),
    /// To an object store.
    Remote {
        /// The store.
        store: Arc<dyn ObjectStore>,
        /// The path within it, which may be a pattern.
        path: String,
        /// The URL of the store, without a path.
        root: String,
    },
}

impl Place {
    /// The URL of the store, nothing for this machine.
    pub(crate) fn root(&self) -> &str {
        match self {
            Place::Local(_) => "",
            Place::Remote { root, .. } => root,
        }
    }

    /// The store, and whether it is this machine's file system.
    pub(crate) fn store(&self) -> (Arc<dyn ObjectStore>, bool) {
        match self {
            Place::Local(_) => (Arc::new(LocalFileSystem::new()), true),
            Place::Remote { store, .. } => (Arc::clone(store), false),
        }
    }
}

/// Where a path or URL leads: `file://`, `s3://`, `gs://`, `az://`, `abfs://`, `http://` and `https://`, or a path of this machine.
pub(crate) fn place_of(path: &str, settings: &[(String, String)]) -> Result<Place, SourceError> {
    let Some((scheme, rest)) = path.split_once("://") else { return Ok(Place::Local(path.to_string())) };
    if scheme == "file" {
        let path = rest.strip_prefix("localhost").unwrap_or(rest);
        return Ok(Place::Local(path.to_string()));
    }
    let (host, inner) = rest.split_once('/').unwrap_or((rest, ""));
    let root = format!("{scheme}://{host}");
    let url =
        ListingTableUrl::parse(&root).map_err(|error| SourceError::user(format!("`{path}` is not a URL: {}", error.strip_backtrace())))?;
    let (store, prefix) = object_store::parse_url_opts(url.get_url(), settings.iter().map(|(key, value)| (key.as_str(), value.as_str())))
        .map_err(|error| SourceError::user(format!("cannot read from `{path}`: {error}")))?;
    let path = if prefix.as_ref().is_empty() { inner.to_string() } else { format!("{prefix}/{inner}") };
    Ok(Place::Remote { store: Arc::from(store), path, root })
}

/// The files that a path of a store means.
pub(crate) async fn find(store: Arc<dyn ObjectStore>, path: String, root: String, endings: &[&str]) -> Result<Vec<Candidate>, SourceError> {
    let url = format!("{root}/{path}");
    let place =
        |text: &str| Path::parse(text.trim_end_matches('/')).map_err(|error| SourceError::user(format!("`{url}` is no path: {error}")));
    if !is_pattern(&path) && !path.ends_with('/') {
        match store.head(&place(&path)?).await {
            Ok(meta) => return Ok(vec![Candidate { found: File { keys: keys_of(&path), meta, url }, named: true }]),
            Err(object_store::Error::NotFound { .. }) => (),
            Err(error) => return Err(store_error("open", &url, &error)),
        }
    }
    let (directory, pattern) = match is_pattern(&path) {
        true => split_pattern(&path).map(|(directory, pattern)| (directory, Some(pattern)))?,
        false => (path.as_str(), None),
    };
    let prefix = place(directory)?;
    let listed: Vec<_> = store.list(Some(&prefix)).try_collect().await.map_err(|error| store_error("list", &url, &error))?;
    if listed.is_empty() && pattern.is_none() {
        return Err(SourceError::missing("open", &url));
    }
    let mut found = Vec::new();
    for meta in listed {
        let location = meta.location.as_ref().to_string();
        let below = location.strip_prefix(prefix.as_ref()).unwrap_or(&location).trim_start_matches('/');
        let wanted = match &pattern {
            Some(pattern) => pattern.matches(below),
            None => is_visible(below) && has_ending(below, endings),
        };
        if wanted {
            found.push(Candidate { found: File { keys: keys_of(below), url: format!("{root}/{location}"), meta }, named: false });
        }
    }
    found.sort_by(|a, b| a.found.url.cmp(&b.found.url));
    Ok(found)
}
