//! Large matrices come from the system and go back to it when they are freed. The allocator of glibc learns to keep those below
//! 32 MB: of a fit with 1000 features whose lengthscale is chosen that was a third of its memory. It is told so in a process of
//! its own (the command); in a process that is somebody else's, what is not ours must not change.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;

/// Bytes from which on memory is the system's own: what blocks of rows take is below, matrices of a fit are above.
const LEAST: usize = 2 << 20;

pub struct Allocator;

/// A page begins at a multiple of any alignment that numbers ask for.
fn is_large(layout: Layout) -> bool {
    cfg!(target_os = "linux") && layout.size() >= LEAST && layout.align() <= 4096
}

/// Zeros, or null where there is no memory.
fn map(bytes: usize) -> *mut u8 {
    let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: new pages, which nobody else has.
    let at = unsafe { libc::mmap(null_mut(), bytes, access, kind, -1, 0) };
    if at == libc::MAP_FAILED { null_mut() } else { at.cast() }
}

// SAFETY: whether memory is a mapping of its own depends on its layout alone, which whoever frees it says again.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        if is_large(layout) { map(layout.size()) } else { unsafe { System.alloc(layout) } }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        if is_large(layout) { map(layout.size()) } else { unsafe { System.alloc_zeroed(layout) } }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises; a mapping was made with this size.
        unsafe {
            match is_large(layout) {
                true => drop(libc::munmap(at.cast(), layout.size())),
                false => System.dealloc(at, layout),
            }
        }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller promises.
        unsafe {
            let new = Layout::from_size_align_unchecked(size, layout.align());
            if !is_large(layout) && !is_large(new) {
                return System.realloc(at, layout, size);
            }
            #[cfg(target_os = "linux")]
            if is_large(layout) && is_large(new) {
                let moved = libc::mremap(at.cast(), layout.size(), size, libc::MREMAP_MAYMOVE);
                return if moved == libc::MAP_FAILED { null_mut() } else { moved.cast() };
            }
            let moved = self.alloc(new);
            if !moved.is_null() {
                std::ptr::copy_nonoverlapping(at, moved, size.min(layout.size()));
                self.dealloc(at, layout);
            }
            moved
        }
    }
}
