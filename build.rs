//! Links the addon as Node.js wants it; nothing for the core alone.

fn main() {
    #[cfg(feature = "node")]
    napi_build::setup();
}
