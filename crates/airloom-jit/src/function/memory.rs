//! Arrays that a function makes while it runs: memory that is the call's, until it ends or until nothing names it any more.

use airloom_ir::oracle::formula::{PAIRWISE_BLOCK, pairwise_half};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ops::Add;

/// The memory of one call.
#[derive(Default)]
pub struct Memory {
    held: Vec<Block>,
    /// Given back, and used again where a block of the same size is asked for: a loop that makes an array in each turn touches no new pages.
    free: Vec<Block>,
}

struct Block {
    address: usize,
    bytes: usize,
    kept: bool,
}

// SAFETY: a block is an address that is this memory's alone.
unsafe impl Send for Memory {}

impl Drop for Memory {
    fn drop(&mut self) {
        for block in self.held.drain(..).chain(self.free.drain(..)) {
            // SAFETY: it was allocated with this layout, and is given back once.
            unsafe { dealloc(block.address as *mut u8, layout(block.bytes).expect("it had one")) }
        }
    }
}

fn layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes.max(1), 64).ok()
}

/// More blocks than this are not kept for later.
const MOST_FREE: usize = 16;

impl Memory {
    /// The bytes of an array that the call made and gave back to its caller.
    pub fn bytes(&self, address: u64, bytes: usize) -> Option<&[u8]> {
        let block = self.held.iter().find(|block| block.address as u64 == address && bytes <= block.bytes)?;
        // SAFETY: the block is as long as it says, was written when it was made, and is not given back while `self` is borrowed.
        Some(unsafe { std::slice::from_raw_parts(block.address as *const u8, block.bytes) }.split_at(bytes).0)
    }

    fn allocate(&mut self, bytes: usize) -> usize {
        if let Some(at) = self.free.iter().position(|block| block.bytes == bytes) {
            let block = self.free.swap_remove(at);
            // SAFETY: a block of this many bytes that nothing names.
            unsafe { std::ptr::write_bytes(block.address as *mut u8, 0, bytes) };
            let address = block.address;
            self.held.push(block);
            return address;
        }
        let Some(layout) = layout(bytes) else { return 0 };
        // SAFETY: the layout is not empty.
        let address = unsafe { alloc_zeroed(layout) } as usize;
        if address != 0 {
            self.held.push(Block { address, bytes, kept: false });
        }
        address
    }

    fn release(&mut self, from: usize) {
        let mut at = from;
        while at < self.held.len() {
            if std::mem::take(&mut self.held[at].kept) {
                at += 1;
                continue;
            }
            let block = self.held.remove(at);
            if self.free.len() >= MOST_FREE {
                let gone = self.free.remove(0);
                // SAFETY: as in `drop`.
                unsafe { dealloc(gone.address as *mut u8, layout(gone.bytes).expect("it had one")) }
            }
            self.free.push(block);
        }
    }
}

/// The names by which code calls these functions.
pub(super) const ALLOCATE: &str = "airloom.memory.allocate";
pub(super) const MARK: &str = "airloom.memory.mark";
pub(super) const KEEP: &str = "airloom.memory.keep";
pub(super) const RELEASE: &str = "airloom.memory.release";
pub(super) const SUM_WIDE: &str = "airloom.pairwise.f64";
pub(super) const SUM_NARROW: &str = "airloom.pairwise.f32";

/// The names and addresses of all functions.
pub(crate) fn all() -> Vec<(String, usize)> {
    let found: [(&str, *const ()); 6] = [
        (ALLOCATE, allocate as *const ()),
        (MARK, mark as *const ()),
        (KEEP, keep as *const ()),
        (RELEASE, release as *const ()),
        (SUM_WIDE, sum_wide as *const ()),
        (SUM_NARROW, sum_narrow as *const ()),
    ];
    found.into_iter().map(|(name, address)| (name.to_string(), address as usize)).collect()
}

/// The memory that a call was given.
///
/// # Safety
/// `memory` is the address of a [`Memory`] that nobody else uses meanwhile.
unsafe fn of<'a>(memory: i64) -> &'a mut Memory {
    // SAFETY: by the contract.
    unsafe { &mut *(memory as usize as *mut Memory) }
}

/// Room for this many elements, every one of them the same bits; nothing where there is no such room.
extern "C" fn allocate(memory: i64, count: i64, bits: i64, size: i64) -> i64 {
    let (Ok(count), size) = (usize::try_from(count), size as usize) else { return 0 };
    let Some(bytes) = count.checked_mul(size) else { return 0 };
    // SAFETY: code hands on what it was given.
    let address = unsafe { of(memory) }.allocate(bytes);
    if address == 0 || bits == 0 {
        return address as i64;
    }
    let item = &bits.to_le_bytes()[..size];
    // SAFETY: the block has this many bytes, and nothing else names it.
    for place in unsafe { std::slice::from_raw_parts_mut(address as *mut u8, bytes) }.chunks_exact_mut(size) {
        place.copy_from_slice(item);
    }
    address as i64
}

/// Where the blocks that are made from here on begin.
extern "C" fn mark(memory: i64) -> i64 {
    // SAFETY: code hands on what it was given.
    unsafe { of(memory) }.held.len() as i64
}

/// Says that a block outlives the next release.
extern "C" fn keep(memory: i64, address: i64) -> i64 {
    // SAFETY: code hands on what it was given.
    let memory = unsafe { of(memory) };
    if let Some(block) = memory.held.iter_mut().rev().find(|block| block.address == address as usize) {
        block.kept = true;
    }
    0
}

/// Gives back the blocks that were made since a mark, but for those that are kept.
extern "C" fn release(memory: i64, from: i64) -> i64 {
    // SAFETY: code hands on what it was given.
    unsafe { of(memory) }.release(from as usize);
    0
}

/// The sum of floats at a step in bytes, in the order of NumPy's.
extern "C" fn sum_wide(address: i64, count: i64, step: i64) -> f64 {
    // SAFETY: code gives memory of as many elements at this step.
    unsafe { summed(address as usize as *const f64, count as usize, step as isize) }
}

extern "C" fn sum_narrow(address: i64, count: i64, step: i64) -> f32 {
    // SAFETY: as above.
    unsafe { summed(address as usize as *const f32, count as usize, step as isize) }
}

/// Floats added as NumPy adds them: eight partial sums in blocks, halves of more than a block. Recursive, as deep as the logarithm of their number.
///
/// # Safety
/// There are this many elements, each as many bytes after the one before.
unsafe fn summed<N: Copy + Add<Output = N> + Default>(first: *const N, count: usize, step: isize) -> N {
    // SAFETY: positions up to the count are in memory, by the contract; elements need not be aligned.
    let at = |position: usize| unsafe { first.byte_offset(position as isize * step).read_unaligned() };
    if count > PAIRWISE_BLOCK {
        let half = pairwise_half(count);
        // SAFETY: both halves are within the elements.
        return unsafe { summed(first, half, step) + summed(first.byte_offset(half as isize * step), count - half, step) };
    }
    if count < 8 {
        return if count == 0 { N::default() } else { (1..count).fold(at(0), |sum, position| sum + at(position)) };
    }
    let whole = count - count % 8;
    let mut partial: [N; 8] = std::array::from_fn(at);
    for turn in (8..whole).step_by(8) {
        for (lane, sum) in partial.iter_mut().enumerate() {
            *sum = *sum + at(turn + lane);
        }
    }
    let [a, b, c, d, e, f, g, h] = partial;
    let sum = ((a + b) + (c + d)) + ((e + f) + (g + h));
    (whole..count).fold(sum, |sum, position| sum + at(position))
}
