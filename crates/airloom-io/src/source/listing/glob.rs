//! Patterns of paths: `*`, `?`, `[a-z]` and `[!a-z]` within a name, `**` for any number of directories.

use airloom_compute::data::SourceError;
use glob::{MatchOptions, Pattern};

/// Only `**` goes from one directory into another, and a leading dot is matched by a dot only.
const OPTIONS: MatchOptions = MatchOptions { case_sensitive: true, require_literal_separator: true, require_literal_leading_dot: true };

/// Whether a path has wildcards in it.
pub(crate) fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?', '['])
}

/// The directory part of a path before its first wildcard, with its slash, and what is matched below it.
pub(crate) fn split_pattern(path: &str) -> Result<(&str, PathPattern), SourceError> {
    let wildcard = path.find(['*', '?', '[']).unwrap_or(path.len());
    let end = path[..wildcard].rfind('/').map_or(0, |slash| slash + 1);
    let (directory, rest) = path.split_at(end);
    let pattern = Pattern::new(rest).map_err(|error| SourceError::user(format!("`{path}` is no pattern of paths: {}", error.msg)))?;
    Ok((directory, PathPattern(pattern)))
}

/// What paths below a directory are matched by.
pub(crate) struct PathPattern(Pattern);

impl PathPattern {
    /// Whether a path, name by name, matches.
    pub(crate) fn matches(&self, path: &str) -> bool {
        self.0.matches_with(path, OPTIONS)
    }
}

#[cfg(test)]
mod tests {
    use super::split_pattern;

    #[test]
    fn patterns_match_names_and_directories() {
        for (pattern, path, matches) in [
            ("*.parquet", "a.parquet", true),
            ("*.parquet", "a.csv", false),
            ("*.parquet", "d/a.parquet", false),
            ("**/*.parquet", "a.parquet", true),
            ("**/*.parquet", "d/e/a.parquet", true),
            ("**/*.parquet", ".d/a.parquet", false),
            ("*/**", "d/e/a.parquet", true),
            ("[p]art-?.csv", "part-1.csv", true),
            ("[p]art-?.csv", "part-10.csv", false),
            ("*-[0-9][0-9].csv", "part-10.csv", true),
            ("[!a-c]x", "dx", true),
            ("[!a-c]x", "bx", false),
            ("[]x]", "]", true),
            ("*a*b*", "xxaxxbxx", true),
            ("*a*b*", "xxbxxaxx", false),
            ("*", ".hidden", false),
            ("k=*/*", "k=1/x", true),
            ("ü*", "über", true),
        ] {
            let (_, found) = split_pattern(pattern).expect("a pattern");
            assert_eq!(found.matches(path), matches, "{pattern} and {path}");
        }
        assert_eq!(split_pattern("/a/b*/c").map(|(directory, pattern)| (directory, pattern.matches("bx/c"))).ok(), Some(("/a/", true)));
        assert_eq!(split_pattern("*.csv").map(|(directory, _)| directory).ok(), Some(""));
        assert!(split_pattern("a/[x").is_err());
    }
}
