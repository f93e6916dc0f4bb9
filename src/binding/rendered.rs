//! Long definitions, rendered ahead on the worker.

use parking_lot::Mutex;

use crate::router::{SharedSession, ToolRouter as Core};
use crate::session::Shape;

/// Long definitions as JavaScript takes them, made on the worker: turning 6 MB of text into UTF-16
/// would hold the event loop for 20 ms.
pub struct Rendered {
    pub generation: u64,
    pub shape: Shape,
    pub units: Vec<u16>,
}

/// Shorter texts are turned when they are asked for: in less than a millisecond.
const LONG_TEXT_BYTES: usize = 256 * 1024;

/// Text as JavaScript has it.
pub fn to_utf16(text: &str) -> Vec<u16> {
    let mut units = vec![0; text.len()];
    let length = encoding_rs::mem::convert_str_to_utf16(text, &mut units);
    units.truncate(length);
    units
}

/// Renders long definitions ahead.
pub fn render(router: &Core, inner: &SharedSession, rendered: &Mutex<Option<Rendered>>) {
    let index = router.index();
    let session = inner.lock();
    let text = session.tools(&index);
    let shape = session.shape();
    drop(session);
    let units = (text.len() >= LONG_TEXT_BYTES).then(|| to_utf16(&text));
    *rendered.lock() = units.map(|units| Rendered { generation: index.generation, shape, units });
}
