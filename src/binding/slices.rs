//! Large schemas given as objects are turned to text in slices, so that no call holds the event loop.
//!
//! `JSON.stringify` of a large server's schemas takes 20 ms. What does not fit in a call's own slice
//! is put aside, and a timer of ours goes on with it in later turns of the loop; the job that needs
//! the texts waits on the worker, so calls still take effect in their order.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use napi::Env;
use napi::bindgen_prelude::{FnArgs, Function, FunctionCallContext, JsObjectValue, Object, ObjectRef, Unknown};

use super::arguments::input::Reader;
use super::error::foreign;
use super::helpers;
use crate::error::{ErrorKind, Result};

/// How long one slice may take: a third of a frame at 60 Hz.
const SLICE: Duration = Duration::from_millis(5);

/// How long the worker waits for the next text. All calls of the process wait with it, and a thread whose event loop
/// waits for one of them would wait for ever.
const MOST_WAIT: Duration = Duration::from_secs(5);

/// What `setInterval` takes.
type TimerArguments<'env> = FnArgs<(Function<'env, (), ()>, u32)>;

/// Where a text belongs that is not there yet.
#[derive(Debug, Clone)]
pub struct Place {
    /// The server's position in the call.
    pub server: usize,
    /// The tool's position in its server.
    pub tool: usize,
    /// The path of the value, for messages.
    pub path: String,
}

/// A text that came later, or why there is none.
pub type LateText = (Place, Result<String>);

/// Values that a call has put aside.
pub struct Later<'env> {
    started: Instant,
    values: RefCell<Vec<(Place, Unknown<'env>)>>,
}

impl<'env> Later<'env> {
    /// Begins the call's own slice.
    pub fn new() -> Self {
        Self { started: Instant::now(), values: RefCell::default() }
    }

    /// Whether the call's own slice is used up.
    pub fn is_late(&self) -> bool {
        self.started.elapsed() >= SLICE
    }

    /// Puts a value aside.
    pub fn put(&self, place: Place, value: Unknown<'env>) {
        self.values.borrow_mut().push((place, value));
    }

    /// Goes on with what was put aside in later turns of the event loop; `None` when nothing was.
    pub fn begin(self, env: &'env Env) -> Result<Option<Receiver<LateText>>> {
        let values = self.values.into_inner();
        if values.is_empty() {
            return Ok(None);
        }
        let (sender, receiver) = channel();
        schedule(env, values, sender).map_err(|error| foreign(&error))?;
        Ok(Some(receiver))
    }
}

/// Waits for the texts that were put aside. Called on the worker.
///
/// # Errors
///
/// `ERR_BUSY` when the event loop gave no time for the next one for [`MOST_WAIT`].
pub fn receive(late: Option<Receiver<LateText>>) -> Result<Vec<LateText>> {
    let mut texts = Vec::new();
    let Some(late) = late else { return Ok(texts) };
    loop {
        match late.recv_timeout(MOST_WAIT) {
            Ok(text) => texts.push(text),
            Err(RecvTimeoutError::Disconnected) => return Ok(texts),
            Err(RecvTimeoutError::Timeout) => {
                return Err(ErrorKind::EventLoopBusy { waited_seconds: MOST_WAIT.as_secs() }.into());
            }
        }
    }
}

fn schedule(env: &Env, values: Vec<(Place, Unknown<'_>)>, sender: Sender<LateText>) -> napi::Result<()> {
    let mut array = Object::new(env)?;
    let mut places = Vec::with_capacity(values.len());
    for (position, (place, value)) in values.into_iter().enumerate() {
        array.set_named_property(&position.to_string(), value)?;
        places.push(place);
    }
    // One reference keeps all values alive; it goes when the last one is done.
    let kept: RefCell<Option<ObjectRef<false>>> = RefCell::new(Some(array.create_ref()?));
    let timer: Rc<RefCell<Option<ObjectRef<false>>>> = Rc::default();
    let own_timer = Rc::clone(&timer);
    let sender = RefCell::new(Some(sender));
    let next = Cell::new(0);
    let step = move |context: FunctionCallContext| -> napi::Result<()> {
        let env: &Env = context.env;
        let started = Instant::now();
        while let (Some(place), Some(kept), Some(sender)) = (places.get(next.get()), &*kept.borrow(), &*sender.borrow()) {
            let value = kept.get_value(env).and_then(|values| values.get_named_property(&next.get().to_string()));
            let text = value.map_err(|error| foreign(&error)).and_then(|value| Reader::new(env)?.late_json(value, &place.path));
            let _ = sender.send((place.clone(), text)); // nobody listens any more: nothing is lost
            next.set(next.get() + 1);
            if started.elapsed() >= SLICE {
                break;
            }
        }
        if next.get() >= places.len() {
            sender.borrow_mut().take();
            if let Some(kept) = kept.borrow_mut().take() {
                kept.unref(env)?;
            }
            if let Some(timer) = own_timer.borrow_mut().take() {
                let clear: Function<Object, ()> = helpers::function(env, "clearInterval")?;
                clear.call(timer.get_value(env)?)?;
                timer.unref(env)?;
            }
        }
        Ok(())
    };
    let step = env.create_function_from_closure::<(), (), _>("toolRouterSlice", step)?;
    let set_interval: Function<TimerArguments<'_>, Object> = helpers::function(env, "setInterval")?;
    *timer.borrow_mut() = Some(set_interval.call(FnArgs::from((step, 0)))?.create_ref()?);
    Ok(())
}
