//! Folds by halves: NumPy's order of adding floats, whose errors grow with the logarithm of the number of elements.

/// Up to this many elements are combined by eight partial results.
pub const PAIRWISE_BLOCK: usize = 128;

/// How many partial results there are in a block.
const PARTIAL: usize = 8;

/// How many elements of more than a block are in the first half.
pub fn pairwise_half(count: usize) -> usize {
    let half = count / 2;
    half - half % PARTIAL
}

/// The elements combined by halves; nothing of none.
///
/// Fewer than eight are combined one after the other; up to [`PAIRWISE_BLOCK`] by eight partial results, which take them in turn, and what is left after the last
/// turn comes last. It recurses as deep as the logarithm of their number.
pub fn pairwise<T: Clone, E>(items: &[T], combine: &mut impl FnMut(&T, &T) -> Result<T, E>) -> Result<Option<T>, E> {
    if items.len() > PAIRWISE_BLOCK {
        let (first, second) = items.split_at(pairwise_half(items.len()));
        let (Some(first), Some(second)) = (pairwise(first, combine)?, pairwise(second, combine)?) else {
            unreachable!("halves of more than a block are not empty")
        };
        return combine(&first, &second).map(Some);
    }
    if items.len() < PARTIAL {
        let Some((first, rest)) = items.split_first() else { return Ok(None) };
        return rest.iter().try_fold(first.clone(), |so_far, item| combine(&so_far, item)).map(Some);
    }
    let mut partial = items[..PARTIAL].to_vec();
    let mut turns = items[PARTIAL..].chunks_exact(PARTIAL);
    for turn in &mut turns {
        for (so_far, item) in partial.iter_mut().zip(turn) {
            *so_far = combine(so_far, item)?;
        }
    }
    let mut pair = |left: usize, right: usize, partial: &mut [T]| -> Result<(), E> {
        partial[left] = combine(&partial[left], &partial[right])?;
        Ok(())
    };
    for (left, right) in [(0, 1), (2, 3), (0, 2), (4, 5), (6, 7), (4, 6), (0, 4)] {
        pair(left, right, &mut partial)?;
    }
    turns.remainder().iter().try_fold(partial.swap_remove(0), |so_far, item| combine(&so_far, item)).map(Some)
}
