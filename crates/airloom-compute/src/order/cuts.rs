//! The order of the rows of several runs all together, in parts that are found and merged apart from one another.

use super::runs::{Beginning, ByBytes, Place, Run};
use std::cmp::Ordering;

/// Where parts of all rows begin: rows of a part come before those of the next.
pub struct Cuts {
    /// The first entry of each part but the first, by its run and its position there. A part that begins nowhere has no rows, and those after it have none.
    first: Vec<Option<(usize, usize)>>,
}

/// How many entries are sampled for each part, to find where parts begin.
const SAMPLES: usize = 32;

impl Cuts {
    /// Of about as many rows in each of `parts` parts.
    pub fn new(runs: &[Run], parts: usize) -> Cuts {
        let first = match Entries::of(runs) {
            Entries::Narrow(runs) => cut(&runs, parts, |_, a, _, b| a.cmp(b)),
            Entries::Wide(runs) => cut(&runs, parts, |_, a, _, b| a.cmp(b)),
            Entries::Bytes(keys, runs) => cut(&runs, parts, |mine, a, theirs, b| keys[mine].compare(a, keys[theirs], b)),
        };
        Cuts { first }
    }

    /// The positions of the rows of a part, in order; parts that there are none of have no rows. Whoever wants a part looks for its ends in all runs: parts are found side by side.
    pub fn places(&self, runs: &[Run], part: usize) -> Vec<Place> {
        if part > self.first.len() {
            return Vec::new();
        }
        match Entries::of(runs) {
            Entries::Narrow(runs) => self.merged(&runs, part, |_, a, _, b| a.cmp(b)),
            Entries::Wide(runs) => self.merged(&runs, part, |_, a, _, b| a.cmp(b)),
            Entries::Bytes(keys, runs) => self.merged(&runs, part, |mine, a, theirs, b| keys[mine].compare(a, keys[theirs], b)),
        }
    }

    fn merged<K: Copy>(
        &self,
        runs: &[&[(K, Place)]],
        part: usize,
        compare: impl Fn(usize, &(K, Place), usize, &(K, Place)) -> Ordering,
    ) -> Vec<Place> {
        // A part begins in a run at the first entry that is not before the part's own first entry.
        let begins = |part: usize| -> Vec<usize> {
            let Some(Some((of, at))) = part.checked_sub(1).and_then(|before| self.first.get(before)) else {
                return runs.iter().map(|run| if part == 0 { 0 } else { run.len() }).collect();
            };
            let first = &runs[*of][*at];
            let begins = |(number, run): (usize, &&[(K, Place)])| run.partition_point(|entry| compare(number, entry, *of, first).is_lt());
            runs.iter().enumerate().map(begins).collect()
        };
        let (from, to) = (begins(part), begins(part + 1));
        let own: Vec<&[(K, Place)]> = runs.iter().zip(from.iter().zip(to)).map(|(run, (&from, to))| &run[from..to]).collect();
        merged(&own, compare)
    }
}

/// The entries of runs, all of which have keys of one form.
enum Entries<'a> {
    Narrow(Vec<&'a [(u64, Place)]>),
    Wide(Vec<&'a [(u128, Place)]>),
    Bytes(Vec<&'a ByBytes>, Vec<&'a [(Beginning, Place)]>),
}

impl Entries<'_> {
    fn of(runs: &[Run]) -> Entries<'_> {
        match runs.iter().find(|run| !matches!(run, Run::Narrow(entries) if entries.is_empty())) {
            None => Entries::Narrow(Vec::new()),
            Some(Run::Narrow(_)) => {
                Entries::Narrow(runs.iter().map(|run| if let Run::Narrow(entries) = run { entries.as_slice() } else { &[] }).collect())
            }
            Some(Run::Wide(_)) => {
                Entries::Wide(runs.iter().map(|run| if let Run::Wide(entries) = run { entries.as_slice() } else { &[] }).collect())
            }
            Some(Run::Bytes(_)) => {
                let keys: Vec<&ByBytes> = runs.iter().filter_map(|run| if let Run::Bytes(run) = run { Some(run) } else { None }).collect();
                let entries = keys.iter().map(|run| run.entries.as_slice()).collect();
                Entries::Bytes(keys, entries)
            }
        }
    }
}

/// The first entry of each part but the first, found among samples. `compare` gets the run of each of two entries.
fn cut<K: Copy>(
    runs: &[&[(K, Place)]],
    parts: usize,
    compare: impl Fn(usize, &(K, Place), usize, &(K, Place)) -> Ordering,
) -> Vec<Option<(usize, usize)>> {
    let count: usize = runs.iter().map(|run| run.len()).sum();
    let step = (count / (parts * SAMPLES)).max(1);
    let sampled = |(number, run): (usize, &&[(K, Place)])| (0..run.len()).step_by(step).map(move |at| (number, at)).collect::<Vec<_>>();
    let mut samples: Vec<(usize, usize)> = runs.iter().enumerate().flat_map(sampled).collect();
    samples.sort_unstable_by(|&(mine, a), &(theirs, b)| compare(mine, &runs[mine][a], theirs, &runs[theirs][b]));
    (1..parts).map(|part| samples.get(samples.len() * part / parts).copied()).collect()
}

/// The positions of the entries of all runs, in order. `compare` gets the run of each of two entries.
fn merged<K: Copy>(runs: &[&[(K, Place)]], compare: impl Fn(usize, &(K, Place), usize, &(K, Place)) -> Ordering) -> Vec<Place> {
    let mut full = runs.iter().enumerate().filter(|(_, run)| !run.is_empty());
    match (full.next(), full.next(), full.next()) {
        (None, ..) => return Vec::new(),
        (Some((_, only)), None, _) => return only.iter().map(|entry| entry.1).collect(),
        (Some((mine, left)), Some((theirs, right)), None) => {
            return zipped(left, right, |a, b| compare(mine, a, theirs, b), |entry| entry.1);
        }
        _ => (),
    }
    let numbered = |(number, run): (usize, &&[(K, Place)])| run.iter().map(|&entry| (number, entry)).collect();
    let mut pieces: Vec<Vec<(usize, (K, Place))>> = runs.iter().enumerate().filter(|(_, run)| !run.is_empty()).map(numbered).collect();
    // Neighbours two by two, until there is one.
    while pieces.len() > 1 {
        let mut next = Vec::with_capacity(pieces.len().div_ceil(2));
        let mut rest = pieces.into_iter();
        while let Some(left) = rest.next() {
            next.push(match rest.next() {
                Some(right) => zipped(&left, &right, |(mine, a), (theirs, b)| compare(*mine, a, *theirs, b), |entry| *entry),
                None => left,
            });
        }
        pieces = next;
    }
    pieces.into_iter().flatten().map(|(_, entry)| entry.1).collect()
}

/// The entries of two runs, in order, and of each what is made of it.
fn zipped<E, T>(left: &[E], right: &[E], compare: impl Fn(&E, &E) -> Ordering, make: impl Fn(&E) -> T) -> Vec<T> {
    let mut made = Vec::with_capacity(left.len() + right.len());
    let (mut a, mut b) = (0, 0);
    while a < left.len() && b < right.len() {
        let first = compare(&left[a], &right[b]) != Ordering::Greater;
        made.push(make(if first { &left[a] } else { &right[b] }));
        a += usize::from(first);
        b += usize::from(!first);
    }
    made.extend(left[a..].iter().map(&make));
    made.extend(right[b..].iter().map(&make));
    made
}
