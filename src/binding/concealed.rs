//! A process whose environment and memory other programs of the same user cannot read. A host that starts programs of
//! strangers has secrets in its own environment, which Linux shows to whoever runs as the same user, whatever those
//! programs are given.

/// Hides them, from now on and without a way back. The answer says whether they are hidden: elsewhere than on Linux they are not.
#[cfg(target_os = "linux")]
pub fn conceal() -> bool {
    // SAFETY: it takes a number and changes an attribute of this process.
    #[expect(unsafe_code, reason = "there is no other way to call the system")]
    let changed = unsafe { libc::prctl(libc::PR_SET_DUMPABLE, 0) };
    changed == 0
}

/// See the other one.
#[cfg(not(target_os = "linux"))]
pub fn conceal() -> bool {
    false
}
