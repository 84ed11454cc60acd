//! Patterns of paths: `*`, `?`, `[a-z]` and `[!a-z]` within a name, `**` for any number of directories.

/// Whether a path has wildcards in it.
pub(crate) fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?', '['])
}

/// The directory part of a pattern before its first wildcard, with its slash, and the rest.
pub(crate) fn split_pattern(pattern: &str) -> (&str, &str) {
    let wildcard = pattern.find(['*', '?', '[']).unwrap_or(pattern.len());
    let end = pattern[..wildcard].rfind('/').map_or(0, |slash| slash + 1);
    pattern.split_at(end)
}

/// Whether a path, name by name, matches a pattern.
pub(crate) fn path_matches(pattern: &str, path: &str) -> bool {
    let pattern: Vec<&str> = pattern.split('/').collect();
    let names: Vec<&str> = path.split('/').collect();
    names_match(&pattern, &names)
}

/// Dynamic programming over pattern and names, so that a pattern of many `**` takes no more than their product.
fn names_match(pattern: &[&str], names: &[&str]) -> bool {
    let mut reached = vec![false; names.len() + 1];
    reached[0] = true;
    for part in pattern {
        let mut next = vec![false; names.len() + 1];
        if *part == "**" {
            let mut any = false;
            for (at, from) in reached.iter().enumerate() {
                any |= from;
                next[at] = any;
            }
        } else {
            for (at, name) in names.iter().enumerate() {
                next[at + 1] = reached[at] && name_matches(part, name);
            }
        }
        reached = next;
    }
    reached[names.len()]
}

/// Whether one name matches one part of a pattern. A leading dot is matched by a dot only.
fn name_matches(pattern: &str, name: &str) -> bool {
    if name.starts_with('.') && !pattern.starts_with('.') {
        return false;
    }
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        if p < pattern.len() && pattern[p] == '*' {
            star = Some((p, n));
            p += 1;
            continue;
        }
        if let Some(length) = one_matches(&pattern[p..], name[n]) {
            p += length;
            n += 1;
            continue;
        }
        // Let the last star take one character more.
        let Some((at, taken)) = star else { return false };
        star = Some((at, taken + 1));
        p = at + 1;
        n = taken + 1;
    }
    pattern[p..].iter().all(|c| *c == '*')
}

/// How many characters of the pattern match this one, if they do.
fn one_matches(pattern: &[char], c: char) -> Option<usize> {
    match pattern.first()? {
        '?' => Some(1),
        '[' => match class(pattern) {
            Some((length, negated, set)) => {
                let inside = set.iter().any(|&(from, to)| (from..=to).contains(&c));
                (inside != negated).then_some(length)
            }
            // A bracket that is not closed is literal.
            None => (c == '[').then_some(1),
        },
        other => (*other == c).then_some(1),
    }
}

/// A class such as `[!a-z_]`: its length, whether it is turned round, its ranges.
fn class(pattern: &[char]) -> Option<(usize, bool, Vec<(char, char)>)> {
    let negated = matches!(pattern.get(1), Some('!' | '^'));
    let start = if negated { 2 } else { 1 };
    // A bracket that comes first is a member.
    let end = pattern.iter().skip(start + 1).position(|c| *c == ']')? + start + 1;
    let mut set = Vec::new();
    let mut at = start;
    while at < end {
        if at + 2 < end && pattern[at + 1] == '-' {
            set.push((pattern[at], pattern[at + 2]));
            at += 3;
        } else {
            set.push((pattern[at], pattern[at]));
            at += 1;
        }
    }
    Some((end + 1, negated, set))
}

#[cfg(test)]
mod tests {
    use super::{path_matches, split_pattern};

    #[test]
    fn patterns_match_names_and_directories() {
        for (pattern, path, matches) in [
            ("*.parquet", "a.parquet", true),
            ("*.parquet", "a.csv", false),
            ("*.parquet", "d/a.parquet", false),
            ("**/*.parquet", "a.parquet", true),
            ("**/*.parquet", "d/e/a.parquet", true),
            ("d/**", "d/e/a.parquet", true),
            ("part-?.csv", "part-1.csv", true),
            ("part-?.csv", "part-10.csv", false),
            ("part-[0-9][0-9].csv", "part-10.csv", true),
            ("[!a-c]x", "dx", true),
            ("[!a-c]x", "bx", false),
            ("[]x]", "]", true),
            ("[x", "[x", true),
            ("*a*b*", "xxaxxbxx", true),
            ("*a*b*", "xxbxxaxx", false),
            ("*", ".hidden", false),
            ("k=*/*", "k=1/x", true),
            ("ü*", "über", true),
        ] {
            assert_eq!(path_matches(pattern, path), matches, "{pattern} and {path}");
        }
        assert_eq!(split_pattern("/a/b*/c"), ("/a/", "b*/c"));
        assert_eq!(split_pattern("*.csv"), ("", "*.csv"));
    }
}
