//! Hashes of whole keys, by their values: the same for keys that are `same`, whichever encoder they meet later.

use super::hash::Hashing;
use super::pack::{bits, width};
use crate::data::value_at;
use airloom_ir::oracle::order::canonical;
use airloom_ir::types::{TyId, Types};
use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::DataType;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The hash of a null.
const NULL: u64 = 0x6c62_272e_07bb_0142;

/// The hash of each row of key columns.
pub fn row_hashes(types: &Types, tys: &[TyId], keys: &[ArrayRef], rows: usize) -> Vec<u64> {
    let mut hashes = vec![0u64; rows];
    for (array, &ty) in keys.iter().zip(tys) {
        let nulls = array.nulls().filter(|n| n.null_count() > 0);
        let mut add = |row: usize, hash: u64| {
            let hash = if nulls.is_some_and(|n| n.is_null(row)) { NULL } else { hash };
            hashes[row] = Hashing::Mixed.narrow(hashes[row].rotate_left(23) ^ hash);
        };
        match array.data_type() {
            data if width(data).is_some() => bits(array, |row, bits| add(row, Hashing::Mixed.wide(bits))),
            DataType::Utf8View => {
                let texts = array.as_string_view();
                (0..rows).for_each(|row| add(row, Hashing::Mixed.bytes(texts.value(row).as_bytes())));
            }
            DataType::BinaryView => {
                let texts = array.as_binary_view();
                (0..rows).for_each(|row| add(row, Hashing::Mixed.bytes(texts.value(row))));
            }
            _ => (0..rows).for_each(|row| {
                let mut hasher = DefaultHasher::new();
                canonical(&value_at(types, ty, array, row)).hash(&mut hasher);
                add(row, hasher.finish());
            }),
        }
    }
    hashes
}
