//! The order of the rows of several runs all together, in parts that are found and merged apart from one another.

use super::runs::{Beginning, ByBytes, Place, Run};
use std::cmp::Ordering;

/// Where parts of all rows begin and end in each run: rows of a part come before those of the next.
pub struct Cuts {
    /// A place in each run, for the beginning of each part and the end of the last.
    at: Vec<Vec<usize>>,
}

/// How many entries are sampled for each part, to find where parts begin.
const SAMPLES: usize = 32;

impl Cuts {
    /// Of about as many rows in each of `parts` parts.
    pub fn new(runs: &[Run], parts: usize) -> Cuts {
        let at = match Entries::of(runs) {
            Entries::Narrow(runs) => cut(&runs, parts, |_, a, _, b| a.cmp(b)),
            Entries::Wide(runs) => cut(&runs, parts, |_, a, _, b| a.cmp(b)),
            Entries::Bytes(keys, runs) => cut(&runs, parts, |mine, a, theirs, b| keys[mine].compare(a, keys[theirs], b)),
        };
        Cuts { at }
    }

    /// The positions of the rows of a part, in order; parts that there are none of have no rows.
    pub fn places(&self, runs: &[Run], part: usize) -> Vec<Place> {
        let (Some(from), Some(to)) = (self.at.get(part), self.at.get(part + 1)) else { return Vec::new() };
        match Entries::of(runs) {
            Entries::Narrow(runs) => merged(&part_of(&runs, from, to), |_, a, _, b| a.cmp(b)),
            Entries::Wide(runs) => merged(&part_of(&runs, from, to), |_, a, _, b| a.cmp(b)),
            Entries::Bytes(keys, runs) => merged(&part_of(&runs, from, to), |mine, a, theirs, b| keys[mine].compare(a, keys[theirs], b)),
        }
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

fn part_of<'a, E>(runs: &[&'a [E]], from: &[usize], to: &[usize]) -> Vec<&'a [E]> {
    runs.iter().zip(from.iter().zip(to)).map(|(run, (&from, &to))| &run[from..to]).collect()
}

/// Where each part begins in each run, and where the last one ends. `compare` gets the run of each of two entries.
fn cut<K: Copy>(
    runs: &[&[(K, Place)]],
    parts: usize,
    compare: impl Fn(usize, &(K, Place), usize, &(K, Place)) -> Ordering,
) -> Vec<Vec<usize>> {
    let count: usize = runs.iter().map(|run| run.len()).sum();
    let step = (count / (parts * SAMPLES)).max(1);
    let mut samples: Vec<(usize, (K, Place))> =
        runs.iter().enumerate().flat_map(|(number, run)| run.iter().step_by(step).map(move |&entry| (number, entry))).collect();
    samples.sort_unstable_by(|(mine, a), (theirs, b)| compare(*mine, a, *theirs, b));
    let first = runs.iter().map(|_| 0).collect();
    // A part begins in a run at the first entry that is not before the part's first sample.
    let inner = (1..parts).map(|part| {
        let Some(&(of, sample)) = samples.get(samples.len() * part / parts) else { return runs.iter().map(|run| run.len()).collect() };
        let begins =
            |(number, run): (usize, &&[(K, Place)])| run.partition_point(|entry| compare(number, entry, of, &sample) == Ordering::Less);
        runs.iter().enumerate().map(begins).collect()
    });
    let last = runs.iter().map(|run| run.len()).collect();
    std::iter::once(first).chain(inner).chain([last]).collect()
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
