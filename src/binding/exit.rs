//! The end of the process while the model is at work.
//!
//! `exit` runs the destructors of ONNX Runtime's library. If our thread still makes a session then, both work on the same
//! memory, and the process ends by a signal. What was waited for in vain is left alone instead: a handler that was
//! registered after that library runs before its destructors, and ends the process there.

#[cfg(unix)]
pub use unix::{end_early, ends_with};

/// The system ends other threads first: see the module.
#[cfg(not(unix))]
pub fn end_early() {}

/// See [`end_early`].
#[cfg(not(unix))]
pub fn ends_with(_code: Option<i32>) {}

#[cfg(unix)]
mod unix {
    use std::ffi::c_int;
    use std::sync::Once;
    use std::sync::atomic::{AtomicI32, Ordering};
    use std::time::Duration;

    use crate::binding::crew::router;

    /// What the process ends with, once that is known.
    static CODE: AtomicI32 = AtomicI32::new(UNKNOWN);
    const UNKNOWN: c_int = -1;

    /// What JavaScript says that the process ends with.
    pub fn ends_with(code: Option<i32>) {
        CODE.store(code.unwrap_or(UNKNOWN), Ordering::Relaxed);
    }

    /// Has the process end before destructors run, if the model is still at work then.
    pub fn end_early() {
        static ONCE: Once = Once::new();
        ONCE.call_once(register);
    }

    fn end(code: c_int) {
        if code != UNKNOWN && !router().pause(Duration::ZERO) {
            #[expect(unsafe_code, reason = "it ends the process, takes a number, and returns to nobody")]
            unsafe {
                libc::_exit(code);
            }
        }
    }

    /// glibc tells a handler what the process ends with: of a worker's end, JavaScript does not know it.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn register() {
        use std::ffi::c_void;

        #[expect(unsafe_code, reason = "a function of glibc that the libc crate does not declare")]
        unsafe extern "C" {
            fn on_exit(handler: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
        }
        extern "C" fn handler(code: c_int, _: *mut c_void) {
            end(code);
        }
        #[expect(unsafe_code, reason = "the handler takes no memory, and this library is never unloaded")]
        // Without room for a handler the process ends as it did before.
        let _ = unsafe { on_exit(handler, std::ptr::null_mut()) };
    }

    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    fn register() {
        extern "C" fn handler() {
            end(CODE.load(Ordering::Relaxed));
        }
        #[expect(unsafe_code, reason = "the handler takes no memory, and this library is never unloaded")]
        // Without room for a handler the process ends as it did before.
        let _ = unsafe { libc::atexit(handler) };
    }
}
