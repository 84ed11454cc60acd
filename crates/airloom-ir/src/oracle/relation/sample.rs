//! Rows drawn at random, the same ones for the same key on every run, machine and backend.

use super::rows::{at_places, relation};
use crate::oracle::array::shape::room;
use crate::oracle::call::Call;
use crate::oracle::stop::{Stop, raise};
use crate::value::Value;

pub(super) fn sample(call: &Call<'_>) -> Result<Value, Stop> {
    let table = call.table(0);
    let rows = table.rows.len();
    let key = call.int(2) as u64;
    let places = drawn(rows, call.int(1), key, call.attr(0), |size| room(call, &[size]).map(|_| ()))?;
    Ok(relation(call, at_places(table, &places)))
}

/// The rows that a key draws, with or without replacement. `room` is asked for as many numbers as are made, before they are.
pub fn drawn(rows: usize, count: i128, key: u64, replace: bool, room: impl FnOnce(usize) -> Result<(), Stop>) -> Result<Vec<usize>, Stop> {
    let Ok(count) = usize::try_from(count) else {
        return raise(format!("the number of rows must not be negative, found {count}"));
    };
    if replace {
        if rows == 0 && count > 0 {
            return raise(format!("cannot draw {count} rows from none"));
        }
        room(count)?;
        return Ok((0..count).map(|number| scaled(draw(key, number as u64), rows)).collect());
    }
    if count > rows {
        return raise(format!("cannot draw {count} of {rows} rows without replacement"));
    }
    room(count)?;
    if count == rows {
        return Ok((0..rows).collect());
    }
    let mut lots = least_lots(rows, count, key);
    if count > 0 {
        lots.select_nth_unstable(count - 1);
    }
    let mut places: Vec<usize> = lots[..count].iter().map(|&(_, at)| at).collect();
    places.sort_unstable();
    Ok(places)
}

/// The least of the numbers that a key draws for rows, with those rows: at least `count` of them, which is less than `rows`, and not many more. What is drawn is spread evenly,
/// so that nearly as many as are wanted lie below that part of all numbers.
fn least_lots(rows: usize, count: usize, key: u64) -> Vec<(u64, usize)> {
    let mut margin = 64.0 + 8.0 * (count as f64).sqrt();
    loop {
        let part = (count as f64 + margin) / rows as f64;
        // The cast ends at the greatest number.
        let most = (part * 2.0_f64.powi(64)) as u64;
        let lots = (0..rows).map(|at| (draw(key, at as u64), at)).filter(|&(lot, _)| lot <= most);
        let lots: Vec<(u64, usize)> = lots.collect();
        if lots.len() >= count {
            return lots;
        }
        margin *= 4.0;
    }
}

/// The number that a key draws at a position: `mix(mix(key) + (place + 1) * odd)`, all modulo two to the 64th. It depends on nothing else, so that rows on
/// many workers draw the same numbers as on one.
#[inline]
fn draw(key: u64, place: u64) -> u64 {
    // The key is mixed first, lest keys that follow one another draw the same numbers one position apart.
    mix(mix(key).wrapping_add(place.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15)))
}

/// The output function of SplitMix64: a bijection in which every bit of the result depends on every bit of `x`.
fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// A number below `count` from one of 64 bits: the high half of their product.
fn scaled(number: u64, count: usize) -> usize {
    ((u128::from(number) * count as u128) >> 64) as usize
}
