//! Pages of memory. A kernel may give the allocator pages of two megabytes, each of which it clears as a whole: that is faster for a fleet, and for a
//! blueprint of a screen it takes longer than all of its rules.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of text from which on large pages are faster.
const MUCH: usize = 64 << 10;

/// Bytes of text that were read in this process.
static TEXT: AtomicUsize = AtomicUsize::new(0);

/// Asks for pages of the usual size, until much was read.
pub(crate) fn small() {
    give(false);
}

/// Tells that a text was read: of much, large pages are asked for from then on.
pub(crate) fn read(bytes: usize) {
    let before = TEXT.fetch_add(bytes, Ordering::Relaxed);
    if before < MUCH && before.saturating_add(bytes) >= MUCH {
        give(true);
    }
}

/// Asks for large pages, or for none. Where the kernel refuses, or knows no such thing, only time is lost.
#[cfg(target_os = "linux")]
fn give(large: bool) {
    let _ = rustix::thread::disable_transparent_huge_pages(!large);
}

#[cfg(not(target_os = "linux"))]
fn give(_large: bool) {}
