//! An embedder of the host's: a JavaScript function, called from the embedding thread.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use napi::bindgen_prelude::{FnArgs, FromNapiValue, Function, JsObjectValue, JsValue, Object, Unknown};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Env, Status, ValueType};

use parking_lot::Mutex;

use super::arguments::input::Reader;
use super::helpers;
use crate::embedding::{Batch, Embedder, Interrupter};
use crate::error::{Error, ErrorKind, Result};

type Answer = std::result::Result<Vec<Vec<f32>>, String>;
/// Weak: an embedder that waits to be called does not keep the process alive.
type HostFunction = ThreadsafeFunction<Vec<String>, Unknown<'static>, FnArgs<(Vec<String>,)>, Status, false, true>;

/// How the function is to be called.
pub struct HostOptions {
    pub model_id: Option<String>,
    pub batch_size: usize,
    pub timeout: Duration,
}

/// See the module.
pub struct HostEmbedder {
    function: Arc<HostFunction>,
    options: HostOptions,
    id: String,
    dimensions: usize,
    /// Where the call that is going on is answered.
    waiting: Arc<Mutex<Option<Sender<Answer>>>>,
}

/// Makes the function callable from another thread.
pub fn callable(function: Unknown<'_>) -> napi::Result<HostFunction> {
    let function = Function::<FnArgs<(Vec<String>,)>, Unknown<'static>>::from_unknown(function)?;
    function
        .build_threadsafe_function::<Vec<String>>()
        .weak::<true>()
        .callee_handled::<false>()
        .build_callback(|call| Ok(FnArgs::from((call.value,))))
}

impl HostEmbedder {
    /// Asks for a first vector, which tells how long vectors are. Called on the embedding thread.
    pub fn probe(function: HostFunction, options: HostOptions, unique: &str) -> Result<Self> {
        let id = options.model_id.clone().unwrap_or_else(|| format!("host-{unique}"));
        let mut embedder = Self { function: Arc::new(function), options, id, dimensions: 0, waiting: Arc::default() };
        let vectors = embedder.call(&["search the issues of a repository"])?;
        embedder.dimensions = match vectors.as_slice() {
            [vector] if !vector.is_empty() => vector.len(),
            [_] => return Err(failed("vectors[0]: expected at least one dimension, got 0")),
            _ => return Err(failed(&format!("expected 1 vectors, got {}", vectors.len()))),
        };
        Ok(embedder)
    }

    fn call(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let (sender, receiver) = channel::<Answer>();
        *self.waiting.lock() = Some(sender.clone());
        let answered = self.call_and_wait(texts, sender, &receiver);
        *self.waiting.lock() = None;
        answered
    }

    fn call_and_wait(&self, texts: &[&str], sender: Sender<Answer>, receiver: &Receiver<Answer>) -> Result<Vec<Vec<f32>>> {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        let status =
            self.function.call_with_return_value(texts, ThreadsafeFunctionCallMode::NonBlocking, move |returned, env| {
                match returned {
                    Ok(value) => settle(&env, value, &sender),
                    Err(error) => answer(&sender, Err(format!("the embedder threw: {}", error.reason))),
                }
                Ok(())
            });
        if status != Status::Ok {
            return Err(failed("the JavaScript thread that set the embedder has ended"));
        }
        match receiver.recv_timeout(self.options.timeout) {
            Ok(Ok(vectors)) => Ok(vectors),
            Ok(Err(detail)) => Err(failed(&detail)),
            Err(RecvTimeoutError::Timeout) => {
                Err(failed(&format!("the embedder did not settle within timeoutMs, {} ms", self.options.timeout.as_millis())))
            }
            Err(RecvTimeoutError::Disconnected) => Err(failed("the JavaScript thread that set the embedder has ended")),
        }
    }
}

impl Embedder for HostEmbedder {
    fn id(&self) -> &str {
        &self.id
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn batch(&self) -> Batch {
        Batch { texts: self.options.batch_size, bytes: None }
    }

    fn cacheable(&self) -> bool {
        self.options.model_id.is_some()
    }

    fn interrupter(&self) -> Option<Interrupter> {
        let waiting = Arc::clone(&self.waiting);
        Some(Arc::new(move || {
            if let Some(sender) = waiting.lock().take() {
                answer(&sender, Err("the embedder was replaced meanwhile".into()));
            }
        }))
    }

    fn embed(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        self.call(texts)
    }
}

fn failed(detail: &str) -> Error {
    ErrorKind::EmbeddingFailed { detail: detail.to_owned() }.into()
}

fn answer(sender: &Sender<Answer>, value: Answer) {
    let _ = sender.send(value); // after the time-out nobody listens any more
}

/// Hands on the vectors now, or when the promise settles.
fn settle(env: &Env, value: Unknown<'static>, sender: &Sender<Answer>) {
    if !value.is_promise().unwrap_or(false) {
        answer(sender, vectors(env, value));
        return;
    }
    let (on_value, on_error) = (sender.clone(), sender.clone());
    let attached = helpers::settle(
        env,
        value,
        move |env, value| answer(&on_value, vectors(env, value)),
        move |text| {
            let text = text.map_or_else(|| "without a text".into(), |text| crate::error::shorten(&text, 200));
            answer(&on_error, Err(format!("the embedder rejected: {text}")));
        },
    );
    if let Err(error) = attached {
        answer(sender, Err(format!("the embedder's promise cannot be awaited: {error}")));
    }
}

fn vectors(env: &Env, value: Unknown<'_>) -> Answer {
    let expected = |got: &str| Err(format!("expected an array of vectors, got {got}"));
    // Taken before anything can throw: it takes the exception out.
    let Ok(reader) = Reader::new(env) else { return expected("an environment that has ended") };
    if !value.is_array().unwrap_or(false) {
        let thenable = is_thenable(value).unwrap_or_else(|_| {
            reader.clear_exception(value);
            false
        });
        return expected(if thenable {
            "an object with `then` that is not a Promise; return Promise.resolve(it)"
        } else {
            "something else"
        });
    }
    let read = || -> napi::Result<Answer> {
        let array = Object::from_unknown(value)?;
        let mut vectors = Vec::new();
        for at in 0..array.get_array_length()? {
            match vector(array.get_element(at)?)? {
                Some(vector) => vectors.push(vector),
                None => return Ok(Err(format!("vectors[{at}]: expected an array of numbers, got something else"))),
            }
        }
        Ok(Ok(vectors))
    };
    read().unwrap_or_else(|_| {
        // Pending, it would end the process.
        reader.clear_exception(value);
        Err("the vectors cannot be read: an element throws".into())
    })
}

fn is_thenable(value: Unknown<'_>) -> napi::Result<bool> {
    if !matches!(value.get_type()?, ValueType::Object | ValueType::Function) {
        return Ok(false);
    }
    let then: Unknown = Object::from_unknown(value)?.get_named_property("then")?;
    Ok(then.get_type()? == ValueType::Function)
}

/// Numbers in any of the forms that a vector has; `None` for anything else.
pub fn vector(value: Unknown<'_>) -> napi::Result<Option<Vec<f32>>> {
    if value.is_typedarray()? {
        if let Ok(numbers) = napi::bindgen_prelude::Float32Array::from_unknown(value) {
            return Ok(Some(numbers.to_vec()));
        }
        if let Ok(numbers) = napi::bindgen_prelude::Float64Array::from_unknown(value) {
            return Ok(Some(numbers.iter().map(|number| narrow(*number)).collect()));
        }
        return Ok(None);
    }
    if !value.is_array()? {
        return Ok(None);
    }
    let array = Object::from_unknown(value)?;
    let mut numbers = Vec::new();
    for at in 0..array.get_array_length()? {
        let number: Unknown = array.get_element(at)?;
        if number.get_type()? != ValueType::Number {
            return Ok(None);
        }
        numbers.push(narrow(f64::from_unknown(number)?));
    }
    Ok(Some(numbers))
}

#[expect(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    reason = "vectors are f32; the checks refuse what is not finite"
)]
fn narrow(number: f64) -> f32 {
    number as f32
}
