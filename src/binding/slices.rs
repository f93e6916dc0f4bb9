//! Long lists and large schemas are read in slices, so that no call holds the event loop.
//!
//! 3,522 tools take 25 ms, and `JSON.stringify` of a large server's schemas 20. What does not fit in a
//! call's own slice is put aside, and a timer goes on with it in later turns of the loop; the
//! job that needs it waits on its thread, so calls still take effect in their order.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use napi::Env;
use napi::bindgen_prelude::{FnArgs, Function, FunctionCallContext, JsObjectValue, Object, ObjectRef, Unknown};

use super::arguments::input::{Input, Reader};
use super::error::foreign;
use super::helpers;
use crate::error::{ErrorKind, Result};

/// How long one slice may take: a third of a frame at 60 Hz.
const SLICE: Duration = Duration::from_millis(5);

/// How long the worker waits for the next text. All calls of the process wait with it, and a thread whose event loop
/// waits for one of them would wait for ever.
const MOST_WAIT: Duration = Duration::from_secs(5);

type TimerArguments<'env> = FnArgs<(Function<'env, (), ()>, u32)>;

/// Reads one value that was put aside; it is given its position, 0 for one that stands alone.
type Read<T> = Box<dyn Fn(u32, &Input<'_, '_>) -> T>;

/// A value that was put aside, or the rest of an array.
struct Piece<T> {
    path: String,
    elements: Option<Range<u32>>,
    read: Read<T>,
}

/// What comes of values that were put aside.
pub struct Late<T> {
    receiver: Receiver<T>,
    count: usize,
}

/// Values that a call has put aside.
pub struct Later<'env, T> {
    started: Instant,
    values: RefCell<Vec<(Piece<T>, Unknown<'env>)>>,
}

impl<'env, T: Send + 'static> Later<'env, T> {
    /// Begins the call's own slice.
    pub fn new() -> Self {
        Self { started: Instant::now(), values: RefCell::default() }
    }

    /// Whether the call's own slice is used up.
    pub fn is_late(&self) -> bool {
        self.started.elapsed() >= SLICE
    }

    /// Puts a value aside.
    pub fn put(&self, input: &Input<'_, 'env>, read: impl Fn(&Input<'_, '_>) -> T + 'static) {
        let piece = Piece { path: input.path.to_string(), elements: None, read: Box::new(move |_, input| read(input)) };
        self.values.borrow_mut().push((piece, input.value()));
    }

    /// Puts the rest of an array aside, if there is one.
    pub fn put_rest(&self, array: &Input<'_, 'env>, rest: Range<u32>, read: impl Fn(u32, &Input<'_, '_>) -> T + 'static) {
        if !rest.is_empty() {
            let piece = Piece { path: array.path.to_string(), elements: Some(rest), read: Box::new(read) };
            self.values.borrow_mut().push((piece, array.value()));
        }
    }

    /// How many values were put aside.
    pub fn count(&self) -> usize {
        self.values.borrow().iter().map(|(piece, _)| piece.elements.as_ref().map_or(1, ExactSizeIterator::len)).sum()
    }

    /// Goes on with what was put aside in later turns of the event loop; `None` when nothing was.
    pub fn begin(self, env: &'env Env) -> Result<Option<Late<T>>> {
        let count = self.count();
        let values = self.values.into_inner();
        if values.is_empty() {
            return Ok(None);
        }
        let (sender, receiver) = channel();
        schedule(env, values, sender).map_err(|error| foreign(&error))?;
        Ok(Some(Late { receiver, count }))
    }
}

/// Elements of a list that one slice may be too short for: those that were read, and the rest, which is put aside.
pub fn elements<'env, T: Send + 'static>(
    input: &Input<'_, 'env>,
    most: usize,
    later: &Later<'env, Result<T>>,
    read: fn(&Input<'_, '_>) -> Result<T>,
) -> Result<Vec<T>> {
    let (list, rest) = input.elements_until(most, || later.is_late(), |_, element| read(&element))?;
    later.put_rest(input, rest, move |_, element| read(element));
    Ok(list)
}

/// Waits for the values that were put aside, in their order. Called on the worker.
/// Errors: `ERR_BUSY` when the event loop gave no time for the next one for [`MOST_WAIT`].
pub fn receive<T>(late: Option<Late<T>>) -> Result<Vec<T>> {
    let mut values = Vec::new();
    let Some(late) = late else { return Ok(values) };
    loop {
        match late.receiver.recv_timeout(MOST_WAIT) {
            Ok(value) => values.push(value),
            Err(RecvTimeoutError::Disconnected) if values.len() == late.count => return Ok(values),
            Err(RecvTimeoutError::Disconnected) => {
                let detail = format!("{} of {} values could be read", values.len(), late.count);
                return Err(ErrorKind::Internal { detail }.into());
            }
            Err(RecvTimeoutError::Timeout) => {
                return Err(ErrorKind::EventLoopBusy { waited_seconds: MOST_WAIT.as_secs() }.into());
            }
        }
    }
}

fn stop(env: &Env, kept: Option<ObjectRef<false>>, timer: Option<ObjectRef<false>>) -> napi::Result<()> {
    if let Some(kept) = kept {
        kept.unref(env)?;
    }
    if let Some(timer) = timer {
        let clear: Function<Object, ()> = helpers::function(env, "clearInterval")?;
        clear.call(timer.get_value(env)?)?;
        timer.unref(env)?;
    }
    Ok(())
}

fn schedule<T: Send + 'static>(env: &Env, values: Vec<(Piece<T>, Unknown<'_>)>, sender: Sender<T>) -> napi::Result<()> {
    let mut array = Object::new(env)?;
    let mut pieces = Vec::with_capacity(values.len());
    for (position, (piece, value)) in values.into_iter().enumerate() {
        array.set_named_property(&position.to_string(), value)?;
        pieces.push(piece);
    }
    // One reference keeps all values alive; it goes when the last one is done.
    let kept: RefCell<Option<ObjectRef<false>>> = RefCell::new(Some(array.create_ref()?));
    let timer: Rc<RefCell<Option<ObjectRef<false>>>> = Rc::default();
    let own_timer = Rc::clone(&timer);
    let sender = RefCell::new(Some(sender));
    // The piece in hand, and how many of its elements are done.
    let next = Cell::new((0, 0));
    let step = move |context: FunctionCallContext| -> napi::Result<()> {
        let env: &Env = context.env;
        let started = Instant::now();
        let is_over = || started.elapsed() >= SLICE;
        let read_next = || -> Result<()> {
            let reader = Reader::new(env)?;
            while let (Some(piece), Some(kept), Some(sender)) = (pieces.get(next.get().0), &*kept.borrow(), &*sender.borrow()) {
                let (at, done) = next.get();
                let value = kept.get_value(env).and_then(|values| values.get_named_property(&at.to_string()));
                let value = value.map_err(|error| foreign(&error))?;
                let whole = reader.root(value, &piece.path);
                // Nobody listens any more where sending fails: nothing is lost.
                let left = if let Some(Range { start, end }) = piece.elements.clone() {
                    whole.elements_within(start + done..end, is_over, |at, element| drop(sender.send((piece.read)(at, &element))))
                } else {
                    let _ = sender.send((piece.read)(0, &whole));
                    0
                };
                let all = piece.elements.as_ref().map_or(0, |elements| elements.end - elements.start);
                next.set(if left == 0 { (at + 1, 0) } else { (at, all - left) });
                if is_over() {
                    break;
                }
            }
            Ok(())
        };
        if read_next().is_err() {
            next.set((pieces.len(), 0)); // the job misses a value, and says so
        }
        if next.get().0 >= pieces.len() {
            sender.borrow_mut().take();
            stop(env, kept.borrow_mut().take(), own_timer.borrow_mut().take())?;
        }
        Ok(())
    };
    let step = env.create_function_from_closure::<(), (), _>("toolRouterSlice", step)?;
    let set_interval: Function<TimerArguments<'_>, Object> = helpers::function(env, "setInterval")?;
    *timer.borrow_mut() = Some(set_interval.call(FnArgs::from((step, 0)))?.create_ref()?);
    Ok(())
}
