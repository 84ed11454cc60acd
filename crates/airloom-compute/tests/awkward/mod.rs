//! What tests that go through all ops have in common.

use airloom_ir::attrs::{Attr, Attrs};
use airloom_ir::ops::{AttrDef, OpDef};
use arrow::array::{Array, ArrayRef, UInt32Array, make_array};

/// Every combination of the attributes that `choices` gives for each of an op's.
pub(crate) fn attributes(def: &OpDef, choices: impl Fn(&AttrDef) -> Vec<Attr>) -> Vec<Attrs> {
    let mut all = vec![Attrs::new()];
    for spec in def.attrs {
        let choices = choices(spec);
        all = all
            .iter()
            .flat_map(|attrs| choices.iter().map(move |choice| attrs.iter().cloned().chain([choice.clone()]).collect()))
            .collect();
    }
    all
}

/// The same elements, with values of others under the nulls: what is stored there must not matter.
pub(crate) fn over_rubbish(array: ArrayRef) -> ArrayRef {
    let present: Vec<u32> = (0..array.len() as u32).filter(|&at| array.is_valid(at as usize)).collect();
    if array.null_count() == 0 || present.is_empty() {
        return array;
    }
    let places = (0..array.len()).map(|at| if array.is_valid(at) { at as u32 } else { present[at * 7 % present.len()] });
    let full = arrow::compute::take(&array, &UInt32Array::from_iter_values(places), None).expect("the places are there");
    let data = full.to_data().into_builder().nulls(array.nulls().cloned()).build().expect("nulls of the same length");
    make_array(data)
}
