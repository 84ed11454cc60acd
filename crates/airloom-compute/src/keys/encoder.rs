//! From key columns to codes.

use super::hash::Hashing;
use super::intern::{Nested, StringInterner};
use super::pack::{bits, width};
use super::parted_texts::PartedTexts;
use super::table::{Code, EMPTY, HashTable};
use crate::data::{as_bytes, parallel_map, type_to_arrow, value_at};
use airloom_ir::types::{IntTy, Ty, TyId, Types};
use arrow::array::{Array, ArrayRef, AsArray};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::datatypes::DataType;
use std::convert::Infallible;

/// A code for each row.
pub enum EncodedKeys {
    /// Where all columns fit 64 bits.
    Narrow(Vec<u64>),
    /// Where they do not.
    Wide(Vec<u128>),
}

impl EncodedKeys {
    /// Codes of 64 bits.
    pub(super) fn narrow(&self) -> &[u64] {
        let EncodedKeys::Narrow(codes) = self else { panic!("invariant `the codes of an encoder have one width`") };
        codes
    }

    /// Codes of 128 bits.
    pub(super) fn wide(&self) -> &[u128] {
        let EncodedKeys::Wide(codes) = self else { panic!("invariant `the codes of an encoder have one width`") };
        codes
    }
}

/// From how many rows on, and with how many threads, texts are numbered on all threads: it takes one more look at each.
const MANY: usize = 1 << 15;
const THREADS: usize = 4;

/// Makes codes of key columns. One encoder serves all rows whose codes are compared.
pub struct KeyEncoder {
    columns: Vec<Column>,
    /// Columns beyond 128 bits: those before them become one number of 32 bits.
    folds: Vec<HashTable<u128>>,
    /// The bits all columns take, the folded ones counted by their number.
    bits: u32,
    whole: bool,
}

struct Column {
    ty: TyId,
    kind: Kind,
    /// Where its bits begin.
    shift: u32,
    /// Where its null bit is, if it may be null.
    null: Option<u32>,
    /// Whether all columns before it become one number first.
    folds: bool,
    /// The min value, where the max is known as well: its bits count from there. And the bits that a value of its type has.
    min: Option<(u64, u64)>,
}

/// The min and the max value of a key that is an integer, where they are known.
#[derive(Clone, Copy, Debug)]
pub struct KeyRange {
    /// The min.
    pub min: i64,
    /// The max.
    pub max: i64,
}

impl KeyRange {
    /// How many values there may be.
    pub fn width(self) -> u64 {
        self.max.abs_diff(self.min).saturating_add(1)
    }

    /// How many bits it takes to count them.
    fn bits(self) -> u32 {
        (u64::BITS - self.max.abs_diff(self.min).leading_zeros()).max(1)
    }
}

enum Kind {
    Fixed,
    StringInterner(StringInterner),
    /// Texts that were all numbered at once; no other is.
    PartedTexts(PartedTexts),
    Nested(Nested),
}

impl KeyEncoder {
    /// For key columns of these types, of any values.
    pub fn new(types: &Types, tys: &[TyId], hashing: Hashing) -> KeyEncoder {
        Self::within(types, tys, hashing, &[])
    }

    /// For key columns of these types whose values are within ranges, as far as there are any: what has few values takes few bits.
    pub fn within(types: &Types, tys: &[TyId], hashing: Hashing, ranges: &[Option<KeyRange>]) -> KeyEncoder {
        let mut columns = Vec::with_capacity(tys.len());
        let mut folds = Vec::new();
        let mut used = 0;
        let whole = matches!(tys, [ty] if matches!(types.get(*ty), Ty::Int(IntTy::I64)));
        for (at, &ty) in tys.iter().enumerate() {
            let data = type_to_arrow(types, ty).expect("invariant `columns hold values`: a key is one");
            let nullable = types.nullable(ty);
            // One number alone is its own code, which is faster than a narrower one.
            let counts = !data.is_floating() && data != DataType::Boolean && width(&data).is_some_and(|bits| bits <= 64);
            let range = ranges.get(at).copied().flatten().filter(|_| !whole && counts);
            let mask = width(&data).map_or(u64::MAX, |bits| u64::MAX >> (64 - bits.min(64)));
            let (kind, own) = match width(&data) {
                Some(bits) => (Kind::Fixed, range.map_or(bits, |range| range.bits().min(bits))),
                None if matches!(data, DataType::Utf8View | DataType::BinaryView) => {
                    (Kind::StringInterner(StringInterner::new(hashing)), 32)
                }
                None => (Kind::Nested(Nested::default()), 32),
            };
            // A nullable number of 128 bits is beyond any code: its null bit goes first, and is folded.
            let needed = own + u32::from(nullable);
            let fold = used + needed > 128 && used > 0;
            if fold {
                folds.push(HashTable::new(hashing));
                used = 32;
            }
            let (kind, own) =
                if used + needed > 128 && matches!(kind, Kind::Fixed) { (Kind::Nested(Nested::default()), 32) } else { (kind, own) };
            let null = nullable.then_some(used + own);
            columns.push(Column { ty, kind, shift: used, null, folds: fold, min: range.map(|range| (range.min as u64, mask)) });
            used += own + u32::from(nullable);
        }
        KeyEncoder { columns, folds, bits: used, whole }
    }

    /// Whether codes have 64 bits.
    pub fn is_narrow(&self) -> bool {
        self.bits <= 64 && self.folds.is_empty()
    }

    /// Whether a code is simply the one key, an integer without nulls of 64 bits.
    pub fn is_whole_number(&self) -> bool {
        self.whole
    }

    /// Whether a code depends on its key alone, and not on the keys that were seen before it.
    pub fn is_fixed(&self) -> bool {
        self.folds.is_empty() && self.columns.iter().all(|column| matches!(column.kind, Kind::Fixed))
    }

    /// How many bits a code has at most.
    pub fn bits(&self) -> u32 {
        if self.folds.is_empty() { self.bits } else { u128::BITS }
    }

    /// Whether a code is the number under which the one key was first seen; a null has the bit above it.
    pub fn is_numbered(&self) -> bool {
        matches!(self.columns.as_slice(), [column] if !matches!(column.kind, Kind::Fixed))
    }

    /// How many bytes it takes.
    pub fn size(&self) -> usize {
        let columns = self.columns.iter().map(|c| match &c.kind {
            Kind::Fixed => 0,
            Kind::StringInterner(texts) => texts.size(),
            Kind::PartedTexts(texts) => texts.size(),
            Kind::Nested(nested) => nested.size(),
        });
        columns.sum::<usize>() + self.folds.iter().map(HashTable::size).sum::<usize>()
    }

    /// The code of each row; texts not seen before are numbered.
    pub fn encode(&mut self, types: &Types, arrays: &[ArrayRef], rows: usize) -> EncodedKeys {
        if let Some(codes) = self.whole_column(arrays) {
            return codes;
        }
        if self.is_narrow() {
            EncodedKeys::Narrow(self.fill(types, arrays, rows))
        } else {
            EncodedKeys::Wide(self.fill(types, arrays, rows))
        }
    }

    /// The codes of all rows there are, in pieces, on up to `threads` threads: after that, rows can only be found. Codes are no longer numbers in the order in which
    /// texts were first seen.
    pub fn encode_all(&mut self, types: &Types, pieces: &[(&[ArrayRef], usize)], threads: usize) -> Vec<EncodedKeys> {
        let many = pieces.iter().map(|(_, rows)| rows).sum::<usize>() >= MANY && threads >= THREADS;
        let alone = |column: &Column| !column.folds && !matches!(column.kind, Kind::Nested(_));
        let on_all_threads = self.is_fixed() || (many && self.columns.iter().all(alone));
        if !on_all_threads {
            return pieces.iter().map(|(arrays, rows)| self.encode(types, arrays, *rows)).collect();
        }
        let mut numbers: Vec<Option<Vec<Vec<u32>>>> = Vec::with_capacity(self.columns.len());
        for (at, column) in self.columns.iter_mut().enumerate() {
            let Kind::StringInterner(texts) = &column.kind else {
                numbers.push(None);
                continue;
            };
            let columns: Vec<_> = pieces.iter().map(|(arrays, _)| as_bytes(arrays[at].as_ref())).collect();
            let (parted, of_rows) = PartedTexts::of(texts.hashing(), &columns, threads);
            column.kind = Kind::PartedTexts(parted);
            numbers.push(Some(of_rows));
        }
        let codes = |(): &mut (), piece: usize| {
            let (arrays, rows) = pieces[piece];
            let given: Vec<Option<&[u32]>> = numbers.iter().map(|of| of.as_ref().map(|of| of[piece].as_slice())).collect();
            Ok::<_, Infallible>(match self.whole_column(arrays) {
                Some(codes) => codes,
                None if self.is_narrow() => EncodedKeys::Narrow(self.fill_given(arrays, &given, rows)),
                None => EncodedKeys::Wide(self.fill_given(arrays, &given, rows)),
            })
        };
        let Ok(codes) = parallel_map(threads, pieces.len(), || (), codes);
        codes
    }

    /// The codes of rows whose texts are numbered.
    fn fill_given<K: Bits>(&self, arrays: &[ArrayRef], numbers: &[Option<&[u32]>], rows: usize) -> Vec<K> {
        let mut codes = vec![K::default(); rows];
        for ((column, array), numbers) in self.columns.iter().zip(arrays).zip(numbers) {
            match numbers {
                Some(numbers) => codes.iter_mut().zip(*numbers).for_each(|(code, &number)| *code |= K::from_number(number) << column.shift),
                None => column.fill_fixed(array, &mut codes),
            }
            column.mark_nulls(array, &mut codes);
        }
        codes
    }

    fn fill<K: Bits>(&mut self, types: &Types, arrays: &[ArrayRef], rows: usize) -> Vec<K> {
        let mut codes = vec![K::default(); rows];
        let mut folds = self.folds.iter_mut();
        for (column, array) in self.columns.iter_mut().zip(arrays) {
            if column.folds {
                let table = folds.next().expect("as many folds as columns that fold");
                for code in &mut codes {
                    let next = table.len() as u32;
                    *code = K::from_number(table.find_or_insert(code.to_wide(), next));
                }
            }
            let shift = column.shift;
            match &mut column.kind {
                Kind::Fixed => column.fill_fixed(array, &mut codes),
                Kind::StringInterner(texts) => {
                    texts.number(&as_bytes(array.as_ref()), |row, number| codes[row] |= K::from_number(number) << shift)
                }
                Kind::PartedTexts(_) => panic!("invariant `what is numbered at once is numbered once`"),
                Kind::Nested(nested) => {
                    for (row, code) in codes.iter_mut().enumerate().filter(|(row, _)| !array.is_null(*row)) {
                        *code |= K::from_number(nested.number(&value_at(types, column.ty, array, row))) << shift;
                    }
                }
            }
            column.mark_nulls(array, &mut codes);
        }
        codes
    }

    /// The code of each row, and which rows have one: a text that was never seen has none.
    pub fn find(&self, types: &Types, arrays: &[ArrayRef], rows: usize) -> (EncodedKeys, Option<BooleanBuffer>) {
        if let Some(codes) = self.whole_column(arrays) {
            return (codes, None);
        }
        let mut known = vec![true; rows];
        let codes = if self.is_narrow() {
            EncodedKeys::Narrow(self.fill_known(types, arrays, &mut known))
        } else {
            EncodedKeys::Wide(self.fill_known(types, arrays, &mut known))
        };
        let all = known.iter().all(|&k| k);
        (codes, (!all).then(|| BooleanBuffer::from(known)))
    }

    fn fill_known<K: Bits>(&self, types: &Types, arrays: &[ArrayRef], known: &mut [bool]) -> Vec<K> {
        let mut codes = vec![K::default(); known.len()];
        let mut folds = self.folds.iter();
        for (column, array) in self.columns.iter().zip(arrays) {
            if column.folds {
                let table = folds.next().expect("as many folds as columns that fold");
                for (code, known) in codes.iter_mut().zip(known.iter_mut()) {
                    let number = table.find(code.to_wide());
                    *known &= number != EMPTY;
                    *code = K::from_number(number);
                }
            }
            let shift = column.shift;
            let mut give = |row: usize, number: u32| {
                known[row] &= number != EMPTY;
                codes[row] |= K::from_number(number) << shift;
            };
            match &column.kind {
                Kind::Fixed => column.fill_fixed(array, &mut codes),
                Kind::StringInterner(texts) => texts.find(&as_bytes(array.as_ref()), give),
                Kind::PartedTexts(texts) => texts.find(&as_bytes(array.as_ref()), give),
                Kind::Nested(nested) => {
                    (0..array.len())
                        .filter(|&row| !array.is_null(row))
                        .for_each(|row| give(row, nested.find(&value_at(types, column.ty, array, row))));
                }
            }
            column.mark_nulls(array, &mut codes);
        }
        codes
    }

    /// One column of integers of 64 bits without nulls is its own code.
    fn whole_column(&self, arrays: &[ArrayRef]) -> Option<EncodedKeys> {
        let ([column], [array]) = (self.columns.as_slice(), arrays) else { return None };
        if !matches!(column.kind, Kind::Fixed) || column.null.is_some() || column.min.is_some() || array.null_count() > 0 {
            return None;
        }
        match array.data_type() {
            DataType::Int64 => {
                let values = array.as_primitive::<arrow::datatypes::Int64Type>().values();
                Some(EncodedKeys::Narrow(values.iter().map(|&v| v as u64).collect()))
            }
            DataType::Int32 => {
                let values = array.as_primitive::<arrow::datatypes::Int32Type>().values();
                Some(EncodedKeys::Narrow(values.iter().map(|&v| u64::from(v as u32)).collect()))
            }
            _ => None,
        }
    }
}

/// A code on its way.
trait Bits: Code + std::ops::BitOrAssign + std::ops::Shl<u32, Output = Self> {
    /// From bits, of which the lowest count.
    fn from_bits(bits: u128) -> Self;
    /// From a number.
    fn from_number(number: u32) -> Self;
    /// With all the bits a code may have.
    fn to_wide(self) -> u128;
    /// With only the lowest `bits` bits, and the bit `set`.
    fn cut(self, bits: u32, set: u32) -> Self;
}

macro_rules! bits_of {
    ($($code:ty)*) => {
        $(impl Bits for $code {
            #[inline(always)]
            fn from_bits(bits: u128) -> $code {
                bits as $code
            }

            #[inline(always)]
            fn from_number(number: u32) -> $code {
                <$code>::from(number)
            }

            #[inline(always)]
            fn to_wide(self) -> u128 {
                u128::from(self)
            }

            #[inline(always)]
            fn cut(self, bits: u32, set: u32) -> $code {
                (self & (((1 as $code) << bits) - 1)) | ((1 as $code) << set)
            }
        })*
    };
}

bits_of! { u64 u128 }

impl Column {
    /// Adds the bits of a column of a fixed width.
    fn fill_fixed<K: Bits>(&self, array: &ArrayRef, codes: &mut [K]) {
        let shift = self.shift;
        match self.min {
            None => bits(array, |row, bits| codes[row] |= K::from_bits(bits) << shift),
            Some((min, mask)) => {
                bits(array, |row, bits| codes[row] |= K::from_bits(u128::from((bits as u64).wrapping_sub(min) & mask)) << shift);
            }
        }
    }

    /// Sets the null bit of nulls, and clears what their value had left.
    fn mark_nulls<K: Bits>(&self, array: &dyn Array, codes: &mut [K]) {
        let Some(nulls) = array.nulls().filter(|n| n.null_count() > 0) else { return };
        let Some(bit) = self.null else { return };
        for (code, _) in codes.iter_mut().zip(nulls.iter()).filter(|(_, valid)| !valid) {
            *code = code.cut(self.shift, bit);
        }
    }
}

/// Rows in which no key column is null.
pub fn without_nulls(arrays: &[ArrayRef]) -> Option<NullBuffer> {
    arrays.iter().fold(None, |all, array| NullBuffer::union(all.as_ref(), array.nulls()))
}
