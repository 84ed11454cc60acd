//! The hash that the language defines.

use crate::data::Vector;
use crate::data::native::{Native, Side, Width, by_width, numbers_to_array};
use crate::functions::call::KernelCall;
use crate::functions::views;
use airloom_ir::oracle::formula::HashState;
use airloom_ir::types::Ty;
use arrow::array::types::ByteViewType;
use arrow::array::{Array, AsArray, GenericByteViewArray};

/// A number that is hashed as its type says.
trait Hashed: Native {
    fn hashed(self, start: HashState) -> HashState;
}

macro_rules! wholes {
    ($($N:ident),+) => { $(
        impl Hashed for $N {
            #[inline(always)]
            fn hashed(self, start: HashState) -> HashState {
                start.whole(self as i128)
            }
        }
    )+ };
}
wholes!(i8, i16, i32, i64, i128, u8, u16, u32, u64);

impl Hashed for f32 {
    #[inline(always)]
    fn hashed(self, start: HashState) -> HashState {
        start.single(self)
    }
}

impl Hashed for f64 {
    #[inline(always)]
    fn hashed(self, start: HashState) -> HashState {
        start.double(self)
    }
}

pub(super) fn hash(call: &KernelCall<'_>) -> Option<Vector> {
    let array = call.many(0)?;
    let start = HashState::new(call.attr(0));
    let mut hashes = match call.plain(0) {
        Ty::Bool => array.as_boolean_opt()?.values().iter().map(|truth| start.truth(truth).finish()).collect(),
        Ty::Str => of_bytes(array.as_string_view_opt()?, |text| start.text(text)),
        Ty::Bytes => of_bytes(array.as_binary_view_opt()?, |bytes| start.bytes(bytes)),
        ty => by_width!(Width::of(ty)?, N => of_numbers::<N>(&call.args[0], start)?),
    };
    if let Some(nulls) = array.nulls().filter(|nulls| nulls.null_count() > 0) {
        let null = start.null().finish();
        (!nulls.inner()).set_indices().for_each(|at| hashes[at] = null);
    }
    Some(Vector::Flat(numbers_to_array(call.types, call.ty, hashes, None)))
}

fn of_numbers<N: Hashed>(row: &Vector, start: HashState) -> Option<Vec<u64>> {
    match Side::<N>::of(row)? {
        Side::Many(numbers) => Some(numbers.iter().map(|x| x.hashed(start).finish()).collect()),
        Side::One(_) => None,
    }
}

fn of_bytes<T: ByteViewType>(array: &GenericByteViewArray<T>, hashed: impl Fn(&[u8]) -> HashState) -> Vec<u64> {
    (0..array.len()).map(|at| hashed(views::bytes(array, at)).finish()).collect()
}
