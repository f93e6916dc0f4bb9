//! A store of vectors of the host's: two JavaScript functions, called from the embedding thread. What fails or takes too long
//! is as good as absent: the text is embedded here.

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use napi::bindgen_prelude::{Float32Array, FnArgs, FromNapiValue, Function, JsObjectValue, JsValue, Object, Unknown};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Env, Status, ValueType};
use parking_lot::Mutex;

use super::answers::vectors::{ComputedVector, VectorKey};
use super::arguments::input::Reader;
use super::helpers;
use super::host_embedder::vector;
use crate::embedding::Interrupter;
use crate::embedding::store::{StoredKey, VectorStore};

/// How long one answer may take: the next texts wait for it.
const ANSWER: Duration = Duration::from_secs(5);
/// How long it is not asked after it did not answer: a catalogue has hundreds of batches, and none should wait that long again.
const PAUSE: Duration = Duration::from_mins(1);

type Found = Vec<Option<Vec<f32>>>;
/// Weak: a store that waits to be called does not keep the process alive.
type Read = ThreadsafeFunction<Vec<VectorKey>, Unknown<'static>, FnArgs<(Vec<VectorKey>,)>, Status, false, true>;
type Write = ThreadsafeFunction<Vec<Made>, Unknown<'static>, FnArgs<(Vec<ComputedVector>,)>, Status, false, true>;
type Made = (StoredKey, Vec<f32>);

/// See the module.
pub struct HostVectors {
    read: Read,
    write: Write,
    /// Where the call that is going on is answered.
    waiting: Arc<Mutex<Option<Sender<Found>>>>,
    /// When it may be asked again.
    resume: Option<Instant>,
}

impl HostVectors {
    /// Makes both functions callable from another thread.
    pub fn new(read: Unknown<'_>, write: Unknown<'_>) -> napi::Result<Self> {
        let read = Function::<FnArgs<(Vec<VectorKey>,)>, Unknown<'static>>::from_unknown(read)?
            .build_threadsafe_function::<Vec<VectorKey>>()
            .weak::<true>()
            .callee_handled::<false>()
            .build_callback(|call| Ok(FnArgs::from((call.value,))))?;
        let write = Function::<FnArgs<(Vec<ComputedVector>,)>, Unknown<'static>>::from_unknown(write)?
            .build_threadsafe_function::<Vec<Made>>()
            .weak::<true>()
            .callee_handled::<false>()
            .build_callback(|call| Ok(FnArgs::from((call.value.into_iter().map(computed).collect::<Vec<_>>(),))))?;
        Ok(Self { read, write, waiting: Arc::default(), resume: None })
    }
}

impl VectorStore for HostVectors {
    fn read(&mut self, asked: &[StoredKey]) -> Found {
        if self.resume.is_some_and(|resume| Instant::now() < resume) {
            return Vec::new();
        }
        let (sender, receiver) = channel::<Found>();
        *self.waiting.lock() = Some(sender.clone());
        let keys = asked.iter().map(shown).collect();
        let status = self.read.call_with_return_value(keys, ThreadsafeFunctionCallMode::NonBlocking, move |returned, env| {
            match returned {
                Ok(value) => settle(&env, value, &sender),
                Err(_) => answer(&sender, Vec::new()),
            }
            Ok(())
        });
        let found = if status == Status::Ok { receiver.recv_timeout(ANSWER) } else { Ok(Vec::new()) };
        *self.waiting.lock() = None;
        self.resume = found.is_err().then(|| Instant::now() + PAUSE);
        found.unwrap_or_default()
    }

    fn write(&mut self, made: Vec<Made>) {
        let _ = self.write.call_with_return_value(made, ThreadsafeFunctionCallMode::NonBlocking, |returned, env| {
            // A promise that rejects ends no process.
            if let Ok(value) = returned
                && value.is_promise().unwrap_or(false)
            {
                let _ = helpers::settle(&env, value, |_, _| {}, |_| {});
            }
            Ok(())
        });
    }

    fn interrupter(&self) -> Option<Interrupter> {
        let waiting = Arc::clone(&self.waiting);
        Some(Arc::new(move || {
            if let Some(sender) = waiting.lock().take() {
                answer(&sender, Vec::new());
            }
        }))
    }
}

fn shown(key: &StoredKey) -> VectorKey {
    VectorKey { key: blake3::Hash::from_bytes(key.key).to_hex().to_string(), server_name: key.server.to_string() }
}

fn computed((key, vector): Made) -> ComputedVector {
    let VectorKey { key, server_name } = shown(&key);
    ComputedVector { key, server_name, vector: Float32Array::new(vector) }
}

fn answer(sender: &Sender<Found>, found: Found) {
    let _ = sender.send(found); // after the time-out nobody listens any more
}

/// Hands on what was found now, or when the promise settles.
fn settle(env: &Env, value: Unknown<'static>, sender: &Sender<Found>) {
    if !value.is_promise().unwrap_or(false) {
        answer(sender, found(env, value));
        return;
    }
    let (on_value, on_error) = (sender.clone(), sender.clone());
    let attached = helpers::settle(
        env,
        value,
        move |env, value| answer(&on_value, found(env, value)),
        move |_| answer(&on_error, Vec::new()),
    );
    if attached.is_err() {
        answer(sender, Vec::new());
    }
}

/// Reads vectors; what is no vector is absent.
fn found(env: &Env, value: Unknown<'_>) -> Found {
    // Taken before anything can throw: it takes the exception out.
    let Ok(reader) = Reader::new(env) else { return Vec::new() };
    let read = || -> napi::Result<Found> {
        if !value.is_array()? {
            return Ok(Vec::new());
        }
        let array = Object::from_unknown(value)?;
        (0..array.get_array_length()?)
            .map(|at| {
                let element: Unknown = array.get_element(at)?;
                if matches!(element.get_type()?, ValueType::Object) { vector(element) } else { Ok(None) }
            })
            .collect()
    };
    read().unwrap_or_else(|_| {
        // Pending, it would end the process.
        reader.clear_exception(value);
        Vec::new()
    })
}
