//! Which part the keys of a row belong to: rows of one group are always in one part.

use super::GroupInputs;
use crate::memory::{SPILL_PARTITIONS, partition_of};
use airloom_compute::keys::row_hashes;
use airloom_plan::value::KeyFacts;
use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type};

/// How keys are dealt out to parts.
#[derive(Clone, Copy)]
pub(super) enum PartOf {
    /// By their hash.
    Hash,
    /// By the high bits of the one key that the others depend on, an integer: rows that are clustered by it need not be moved, and each part is an array by
    /// value. Nulls are in the first part.
    Range { key: usize, min: i64, max: i64, shift: u32 },
}

impl PartOf {
    pub(super) fn new(spec: &GroupInputs) -> PartOf {
        let key = match &spec.known.determinants {
            None if spec.key_types.len() == 1 => Some(0),
            Some(determinants) if determinants.len() == 1 => Some(determinants[0]),
            _ => None,
        };
        let range = key.and_then(|key| Some((key, spec.known.ranges.get(key).copied().flatten()?)));
        match range {
            Some((key, (min, max))) if spec.known.dense => {
                let bits = u64::BITS - max.abs_diff(min).leading_zeros();
                PartOf::Range { key, min, max, shift: bits.saturating_sub(SPILL_PARTITIONS.trailing_zeros()) }
            }
            _ => PartOf::Hash,
        }
    }

    /// The part of each row.
    pub(super) fn parts(self, spec: &GroupInputs, keys: &[ArrayRef], rows: usize) -> Vec<u8> {
        match self {
            PartOf::Hash => {
                let hashed = |at: &usize| (keys[*at].clone(), spec.key_types[*at]);
                let all: Vec<usize> = (0..keys.len()).collect();
                let (keys, types): (Vec<_>, Vec<_>) = spec.known.determinants.as_ref().unwrap_or(&all).iter().map(hashed).unzip();
                row_hashes(spec.graph.types(), &types, &keys, rows).into_iter().map(|hash| partition_of(hash) as u8).collect()
            }
            PartOf::Range { key, min, shift, .. } => {
                let integers = cast(&keys[key], &DataType::Int64).expect("invariant `a key with a range is an integer`");
                let integers = integers.as_primitive::<Int64Type>();
                let part = |value: i64| (value.wrapping_sub(min) as u64 >> shift).min(SPILL_PARTITIONS as u64 - 1) as u8;
                match integers.nulls() {
                    None => integers.values().iter().map(|&value| part(value)).collect(),
                    Some(_) => integers.iter().map(|value| value.map_or(0, part)).collect(),
                }
            }
        }
    }

    /// What is known of the keys of one part.
    pub(super) fn known(self, spec: &GroupInputs, part: usize) -> KeyFacts {
        match self {
            // It has some of the keys only: a table of all there may be would be mostly empty.
            PartOf::Hash => KeyFacts { dense: false, ..spec.known.clone() },
            PartOf::Range { key, min, max, shift } => {
                let first = min.saturating_add_unsigned((part as u64) << shift).min(max);
                let last = if part + 1 == SPILL_PARTITIONS { max } else { first.saturating_add_unsigned((1 << shift) - 1).min(max) };
                let mut known = spec.known.clone();
                known.ranges[key] = Some((first, last));
                known
            }
        }
    }
}

/// Where the elements of each part are, by the part of each: in their order.
pub(super) fn by_part(parts: &[u8]) -> Vec<Vec<u32>> {
    let mut counts = [0usize; SPILL_PARTITIONS];
    parts.iter().for_each(|&part| counts[usize::from(part)] += 1);
    let mut found: Vec<Vec<u32>> = counts.iter().map(|&count| Vec::with_capacity(count)).collect();
    parts.iter().enumerate().for_each(|(at, &part)| found[usize::from(part)].push(at as u32));
    found
}
