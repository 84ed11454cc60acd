//! Adding to few groups: terms of one group that follow one another would each wait for the sum before, so that neighbours are added to sums apart.

/// At most this many groups have lanes.
pub(super) const FEW: usize = 64;
/// How many neighbours are added apart.
pub(super) const LANES: usize = 4;
/// And how many of one group, which are added with one instruction.
pub(super) const WIDE: usize = 16;

/// Adds terms to the sums of their groups, in any order. `zero` is what a sum begins with.
pub(super) fn add_in_lanes<T: Copy, S: Copy>(
    groups: &[u32],
    terms: &[T],
    sums: &mut [S],
    zero: S,
    add: impl Fn(&mut S, T),
    join: impl Fn(&mut S, S),
) {
    if let [sum] = sums {
        let mut apart = [zero; WIDE];
        let (whole, rest) = terms.as_chunks::<WIDE>();
        for chunk in whole {
            for (own, &term) in apart.iter_mut().zip(chunk) {
                add(own, term);
            }
        }
        for (own, &term) in apart.iter_mut().zip(rest) {
            add(own, term);
        }
        apart.into_iter().for_each(|own| join(sum, own));
        return;
    }
    let mut apart = [[zero; FEW]; LANES];
    let (whole, rest) = terms.as_chunks::<LANES>();
    let (whole_groups, rest_groups) = groups.as_chunks::<LANES>();
    for (chunk, groups) in whole.iter().zip(whole_groups) {
        for ((own, &term), &group) in apart.iter_mut().zip(chunk).zip(groups) {
            add(&mut own[group as usize % FEW], term);
        }
    }
    for ((own, &term), &group) in apart.iter_mut().zip(rest).zip(rest_groups) {
        add(&mut own[group as usize % FEW], term);
    }
    for own in &apart {
        for (sum, &more) in sums.iter_mut().zip(own) {
            join(sum, more);
        }
    }
}

/// What a choice between two leaves of many, in any order; one of them is given.
pub(super) fn choose_in_lanes<T: Copy>(items: &[T], one: T, choose: impl Fn(T, T) -> T) -> T {
    let mut apart = [one; WIDE];
    let (whole, rest) = items.as_chunks::<WIDE>();
    for chunk in whole {
        for (own, &item) in apart.iter_mut().zip(chunk) {
            *own = choose(*own, item);
        }
    }
    apart.into_iter().chain(rest.iter().copied()).fold(one, &choose)
}

#[cfg(test)]
mod tests {
    use super::{FEW, add_in_lanes};

    #[test]
    fn every_term_is_added_to_its_group() {
        for count in [1, 2, 3, FEW] {
            for rows in [0, 1, 3, 4, 15, 16, 17, 1000] {
                let groups: Vec<u32> = (0..rows).map(|row| (row * 7 % count) as u32).collect();
                let terms: Vec<i64> = (0..rows as i64).collect();
                let mut sums = vec![5i64; count];
                add_in_lanes(&groups, &terms, &mut sums, 0, |sum, term| *sum += term, |sum, more| *sum += more);
                let expected = |group: usize| 5 + (0..rows).filter(|row| row * 7 % count == group).map(|row| row as i64).sum::<i64>();
                assert_eq!(sums, (0..count).map(expected).collect::<Vec<_>>(), "{rows} rows of {count} groups");
            }
        }
    }
}
