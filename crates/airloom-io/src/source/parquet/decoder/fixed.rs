//! Numbers, dates, times and decimals: values of a fixed number of bytes.

use super::kind::Kind;
use super::pages::damaged;
use airloom_compute::data::SourceError;
use arrow::array::{ArrayRef, ArrowPrimitiveType, PrimitiveArray};
use arrow::buffer::{NullBuffer, ScalarBuffer};
use arrow::datatypes::DataType;
use bytes::Bytes;
use std::marker::PhantomData;
use std::sync::Arc;

/// A number made from its bytes as they are in files, the lowest first.
pub(super) trait FromBytes<const LENGTH: usize>: Copy {
    fn from_bytes(bytes: [u8; LENGTH]) -> Self;
}

macro_rules! from_bytes {
    ($($length:literal $stored:ident: $($native:ident)*;)*) => {
        $($(impl FromBytes<$length> for $native {
            #[inline(always)]
            fn from_bytes(bytes: [u8; $length]) -> $native {
                $stored::from_le_bytes(bytes) as $native
            }
        })*)*
    };
}

// Files have no numbers of one or two bytes, and none without a sign: those are written in wider ones or in those with a sign, bit by bit.
from_bytes! {
    4 i32: i8 i16 i32 i64 i128 u8 u16 u32;
    8 i64: i64 i128 u64;
    4 f32: f32;
    8 f64: f64;
}

/// Values of a type that are written in `LENGTH` bytes.
pub(super) struct Fixed<T, const LENGTH: usize> {
    data_type: DataType,
    of: PhantomData<fn() -> T>,
}

impl<T, const LENGTH: usize> Fixed<T, LENGTH> {
    /// Of a type, which may say more than the numbers do.
    pub(super) fn new(data_type: DataType) -> Self {
        Fixed { data_type, of: PhantomData }
    }
}

impl<T: ArrowPrimitiveType, const LENGTH: usize> Kind for Fixed<T, LENGTH>
where
    T::Native: FromBytes<LENGTH>,
{
    type Value = T::Native;

    fn plain(&mut self, page: &Bytes, at: usize, count: usize, out: &mut Vec<T::Native>) -> Result<usize, SourceError> {
        let end = self.pass(page, at, count)?;
        out.extend(page[at..end].as_chunks::<LENGTH>().0.iter().map(|&bytes| T::Native::from_bytes(bytes)));
        Ok(end)
    }

    fn pass(&mut self, page: &Bytes, at: usize, count: usize) -> Result<usize, SourceError> {
        end_of(page, at, count, LENGTH)
    }

    fn array(&self, values: Vec<T::Native>, nulls: Option<NullBuffer>) -> ArrayRef {
        array::<T>(&self.data_type, values, nulls)
    }
}

/// Decimals whose digits are one integer of a fixed number of bytes, the highest first.
pub(super) struct Digits<T> {
    data_type: DataType,
    length: usize,
    of: PhantomData<fn() -> T>,
}

impl<T> Digits<T> {
    /// Of a type, written in `length` bytes.
    pub(super) fn new(data_type: DataType, length: usize) -> Self {
        Digits { data_type, length, of: PhantomData }
    }
}

impl<T: ArrowPrimitiveType> Kind for Digits<T>
where
    T::Native: TryFrom<i128>,
{
    type Value = T::Native;

    fn plain(&mut self, page: &Bytes, at: usize, count: usize, out: &mut Vec<T::Native>) -> Result<usize, SourceError> {
        let end = self.pass(page, at, count)?;
        for bytes in page[at..end].chunks_exact(self.length) {
            let negative = bytes[0] & 0x80 != 0;
            let number = bytes.iter().fold(if negative { -1 } else { 0 }, |number: i128, &byte| (number << 8) | i128::from(byte));
            out.push(T::Native::try_from(number).map_err(|_| damaged(&format!("{number} has more digits than `{}`", self.data_type)))?);
        }
        Ok(end)
    }

    fn pass(&mut self, page: &Bytes, at: usize, count: usize) -> Result<usize, SourceError> {
        end_of(page, at, count, self.length)
    }

    fn array(&self, values: Vec<T::Native>, nulls: Option<NullBuffer>) -> ArrayRef {
        array::<T>(&self.data_type, values, nulls)
    }
}

/// Where `count` values of `length` bytes end that begin at a position.
fn end_of(page: &Bytes, at: usize, count: usize, length: usize) -> Result<usize, SourceError> {
    let end = count.checked_mul(length).and_then(|bytes| bytes.checked_add(at));
    end.filter(|&end| end <= page.len()).ok_or_else(|| damaged("a page has fewer values than it says"))
}

fn array<T: ArrowPrimitiveType>(data_type: &DataType, values: Vec<T::Native>, nulls: Option<NullBuffer>) -> ArrayRef {
    Arc::new(PrimitiveArray::<T>::new(ScalarBuffer::from(values), nulls).with_data_type(data_type.clone()))
}
