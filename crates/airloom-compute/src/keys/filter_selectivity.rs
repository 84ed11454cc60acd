//! Whether a test that only saves work does save some.

use std::sync::atomic::{AtomicU64, Ordering};

/// How many rows a test was asked about, and how many of them it wants.
#[derive(Debug, Default)]
pub struct FilterSelectivity {
    asked: AtomicU64,
    wanted: AtomicU64,
}

/// After this many rows the selectivity of a filter is known.
const ENOUGH: u64 = 1 << 15;

impl FilterSelectivity {
    /// Counts rows that it was asked about, and those of them that it wants.
    pub fn count(&self, asked: usize, wanted: usize) {
        self.asked.fetch_add(asked as u64, Ordering::Relaxed);
        self.wanted.fetch_add(wanted as u64, Ordering::Relaxed);
    }

    /// The share of rows that it lets through; a half, before there were any.
    pub fn share(&self) -> f64 {
        let asked = self.asked.load(Ordering::Relaxed);
        if asked == 0 { 0.5 } else { self.wanted.load(Ordering::Relaxed) as f64 / asked as f64 }
    }

    /// Whether it lets through less than this share, as far as that is known.
    pub fn pays(&self, most: f64) -> bool {
        self.asked.load(Ordering::Relaxed) < ENOUGH || self.share() < most
    }
}
