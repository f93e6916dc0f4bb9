//! Memory that was freed goes back to the system.
//!
//! glibc keeps what threads free for their next allocations, in a heap per thread: after a model of 150 MB has gone,
//! nearly all of that stays resident, and each load leaves other gaps behind. Other C libraries have no such call, and
//! Rust has none that is safe.

/// Gives back whole pages that nothing uses. It goes through all heaps of the process and takes milliseconds: to be
/// called after a model or many tools have gone, on a thread that no ranking waits for.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "malloc_trim takes no pointer, touches no memory in use, and may be called from any thread")]
pub fn give_back() {
    // Answers whether anything was given back, which changes nothing here.
    let _ = unsafe { libc::malloc_trim(0) };
}

/// Nothing to do: see the module.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn give_back() {}
