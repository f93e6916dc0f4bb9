//! What we hold is kept apart from what the host and the model hold, and memory that was freed goes back to the system.
//!
//! glibc has a heap per thread, shared by everything in the process. Where a model's weights and thousands of small
//! documents lie in one heap, what the model frees lies between documents, and pages that are half in use cannot be given
//! back: with a model that came and went, a process that held the same all the time grew by 7 MB per minute. With an
//! allocator of our own it does not grow, and setting servers takes a tenth less CPU time.
//!
//! It is mimalloc's second line, whose state for the thread that loaded the library outlives that thread. The third frees it
//! when a worker was that thread, and the next worker with the same number ends the process.
//!
//! Elsewhere than on Linux with glibc, the system's allocator does this well enough.

#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub use glibc::give_back;

/// Nothing to do: see the module.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn give_back() {}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod glibc {
    use std::ffi::c_long;

    use libmimalloc_sys::{mi_collect, mi_option_set, mi_option_t};
    use mimalloc::MiMalloc;

    #[global_allocator]
    static ALLOCATOR: MiMalloc = MiMalloc;

    /// `mi_option_arena_eager_commit`; 1 and 2 (the default) take memory long before it is used: 26 MB for one tool.
    const EAGER_COMMIT: (mi_option_t, c_long) = (4, 0);
    /// `mi_option_purge_delay`, milliseconds until what is free goes back. 10 saved 2 % of the CPU time of setting servers and
    /// let a process with a model that came and went grow by 2 MB per minute; 1,000 (the default) kept 15 MB more.
    const PURGE_DELAY: (mi_option_t, c_long) = (15, 0);

    /// Runs when the addon is loaded, before anything is allocated: an arena is never given up.
    #[used]
    #[expect(unsafe_code, reason = "the loader calls a function of this shape; the number puts it before those without one")]
    #[unsafe(link_section = ".init_array.00101")]
    static PREPARE: extern "C" fn() = {
        extern "C" fn prepare() {
            for (option, value) in [EAGER_COMMIT, PURGE_DELAY] {
                // It writes one number of a table that exists since the library was loaded.
                unsafe { mi_option_set(option, value) };
            }
        }
        prepare
    };

    /// Gives back whole pages that nothing uses. It goes through all heaps of the process and takes milliseconds: to be
    /// called after a model or many tools have gone, on a thread that no ranking waits for.
    #[expect(unsafe_code, reason = "neither takes a pointer nor touches memory in use, and both may be called from any thread")]
    pub fn give_back() {
        unsafe {
            mi_collect(true);
            // Answers whether anything was given back, which changes nothing here.
            let _ = libc::malloc_trim(0);
        }
    }
}
