//! The `orff` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    return_what_is_freed();
    ExitCode::from(orff_cli::main(std::env::args_os()))
}

/// Large matrices that are freed go back to the system. The allocator of glibc learns to keep those below 32 MB, which
/// of a fit with 2000 features was a fifth of its memory.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn return_what_is_freed() {
    // SAFETY: plain numbers, before any other thread.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 1 << 20);
        libc::mallopt(libc::M_TRIM_THRESHOLD, 8 << 20);
    }
}
