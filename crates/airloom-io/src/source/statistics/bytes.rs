//! Columns of text, bytes and booleans.

use super::ColumnFacts;
use super::distinct::{SAMPLE, Set, Sketch, from_sample, mix_bytes};
use super::fixed::each_sampled;
use super::order::Follow;
use airloom_ir::value::Value;
use arrow::array::{Array, ArrayRef, AsArray, GenericByteViewArray};
use arrow::datatypes::{BinaryViewType, ByteViewType, StringViewType};
use std::sync::Arc;

/// Up to this many rows every value is counted; beyond, a sample.
const COUNT_ALL: u64 = 1 << 18;
/// Up to this many rows a set of all values is worth building to prove that no two are the same.
const PROVE_UNIQUE: u64 = 1 << 20;

pub(crate) fn look_text(chunks: &[ArrayRef], facts: &mut ColumnFacts) {
    let views: Vec<_> = chunks.iter().map(|chunk| chunk.as_byte_view::<StringViewType>()).collect();
    look(&views, facts, |bytes| std::str::from_utf8(bytes).ok().map(Value::str));
}

pub(crate) fn look_bytes(chunks: &[ArrayRef], facts: &mut ColumnFacts) {
    let views: Vec<_> = chunks.iter().map(|chunk| chunk.as_byte_view::<BinaryViewType>()).collect();
    look(&views, facts, |bytes| Some(Value::Bytes(Arc::from(bytes))));
}

fn look<T: ByteViewType>(chunks: &[&GenericByteViewArray<T>], facts: &mut ColumnFacts, to_value: impl Fn(&[u8]) -> Option<Value>)
where
    T::Native: AsRef<[u8]>,
{
    let values = || chunks.iter().flat_map(|chunk| chunk.iter()).flatten().map(AsRef::<[u8]>::as_ref);
    let mut extremes: Option<(&[u8], &[u8])> = None;
    for value in values() {
        extremes = Some(match extremes {
            None => (value, value),
            Some((least, greatest)) => (least.min(value), greatest.max(value)),
        });
    }
    if let Some((least, greatest)) = extremes {
        facts.min = to_value(least);
        facts.max = to_value(greatest);
    }
    let mut follow = Follow::new();
    let mut last: Option<&[u8]> = None;
    for value in chunks.iter().flat_map(|chunk| chunk.iter()) {
        match value {
            None => follow.null(),
            Some(value) => {
                let value: &[u8] = value.as_ref();
                follow.value(last.map(|last| value.cmp(last)));
                last = Some(value);
            }
        }
        if !follow.sorted() {
            break;
        }
    }
    facts.order = follow.finish();
    if let Some(order) = facts.order {
        facts.unique = order.strict;
        facts.distinct = Some(order.distinct);
        return;
    }
    let count = facts.rows - facts.nulls;
    let estimate = if facts.rows <= COUNT_ALL {
        let mut sketch = Sketch::new();
        values().for_each(|value| sketch.add(mix_bytes(value)));
        sketch.estimate()
    } else {
        let lengths: Vec<usize> = chunks.iter().map(|chunk| chunk.len()).collect();
        let mut hashes = Vec::with_capacity(SAMPLE);
        each_sampled(&lengths, SAMPLE, |chunk, row| {
            if chunks[chunk].is_valid(row) {
                hashes.push(mix_bytes(chunks[chunk].value(row).as_ref()));
            }
        });
        from_sample(hashes, count)
    };
    facts.distinct = Some(estimate.min(count as f64).round() as u64 + u64::from(facts.nulls > 0));
    let mut seen = Set::default();
    let promising = estimate >= 0.9 * count as f64 && facts.nulls <= 1 && count <= PROVE_UNIQUE;
    facts.unique = promising && values().all(|value| seen.insert(value));
}

pub(crate) fn look_booleans(chunks: &[ArrayRef], facts: &mut ColumnFacts) {
    let chunks: Vec<_> = chunks.iter().map(|chunk| chunk.as_boolean()).collect();
    let trues: u64 = chunks.iter().map(|chunk| chunk.true_count() as u64).sum();
    let falses = facts.rows - facts.nulls - trues;
    facts.min = (trues + falses > 0).then_some(Value::Bool(falses == 0));
    facts.max = (trues + falses > 0).then_some(Value::Bool(trues > 0));
    facts.distinct = Some(u64::from(trues > 0) + u64::from(falses > 0) + u64::from(facts.nulls > 0));
    facts.unique = trues <= 1 && falses <= 1 && facts.nulls <= 1;
    let mut follow = Follow::new();
    let mut last = None;
    for value in chunks.iter().flat_map(|chunk| chunk.iter()) {
        match value {
            None => follow.null(),
            Some(value) => {
                follow.value(last.map(|last: bool| value.cmp(&last)));
                last = Some(value);
            }
        }
        if !follow.sorted() {
            break;
        }
    }
    facts.order = follow.finish();
}
