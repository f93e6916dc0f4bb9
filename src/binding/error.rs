//! The one way in which an error reaches JavaScript.

use std::error::Error as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

use napi::bindgen_prelude::{FromNapiValue, JsObjectValue, JsValue, Object, PromiseRaw};
use napi::{Env, Status};

use crate::error::{Error, ErrorKind, Result};

/// Builds `Error { name: 'ToolRouterError', code, message, cause? }`.
pub fn to_js(env: &Env, error: &Error) -> napi::Error {
    object(env, error).map_or_else(|_| plain(error.to_string()), |object| napi::Error::from(object.to_unknown()))
}

fn plain(text: String) -> napi::Error {
    napi::Error::new(Status::GenericFailure, text)
}

/// The error as JavaScript has it. Its stack is that of the call under way, if there is one.
fn object<'env>(env: &'env Env, error: &Error) -> napi::Result<Object<'env>> {
    let mut object = env.create_error(plain(error.to_string()))?;
    object.set_named_property("name", "ToolRouterError")?;
    object.set_named_property("code", error.code())?;
    if let Some(cause) = error.source() {
        object.set_named_property("cause", env.create_error(plain(cause.to_string()))?)?;
    }
    Ok(object)
}

/// A promise that is rejected now, while the caller's line is on the stack: a thread could tell only that it failed.
pub fn rejected<'env>(env: &'env Env, error: &Error) -> napi::Result<Object<'env>> {
    let promise = PromiseRaw::<()>::reject(env, object(env, error)?)?;
    Object::from_unknown(promise.to_unknown())
}

/// Runs the body of a synchronous method.
pub fn sync<T>(env: &Env, body: impl FnOnce() -> Result<T>) -> napi::Result<T> {
    contain(body).map_err(|error| to_js(env, &error))
}

/// Turns a panic into `ERR_INTERNAL`.
pub fn contain<T>(body: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        let text =
            panic.downcast_ref::<&str>().map(|text| (*text).to_owned()).or_else(|| panic.downcast_ref::<String>().cloned());
        Err(ErrorKind::Internal { detail: text.unwrap_or_else(|| "a panic without a text".into()) }.into())
    })
}

/// An error of napi itself, while a value was read or written.
pub fn foreign(error: &napi::Error) -> Error {
    ErrorKind::Internal { detail: format!("Node-API: {error}") }.into()
}
