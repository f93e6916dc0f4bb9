//! What the loader lends each environment: functions of JavaScript, taken before anybody can replace them.

use std::cell::RefCell;

use napi::Env;
use napi::bindgen_prelude::{FnArgs, Function, FunctionCallContext, JsObjectValue, Object, ObjectRef, Unknown};

thread_local! {
    /// Never freed: it lives as long as its environment does.
    static HELPERS: RefCell<Option<ObjectRef<false>>> = const { RefCell::new(None) };
}

/// Keeps what the loader lends.
pub fn keep(helpers: &Object<'_>) -> napi::Result<()> {
    let kept = helpers.create_ref()?;
    HELPERS.with(|place| *place.borrow_mut() = Some(kept));
    Ok(())
}

/// A function by its name: the lent one, or the global one where nothing was lent.
pub fn function<'env, Args, Return>(env: &'env Env, name: &str) -> napi::Result<Function<'env, Args, Return>>
where
    Args: napi::bindgen_prelude::JsValuesTupleIntoVec,
    Return: napi::bindgen_prelude::FromNapiValue,
{
    HELPERS.with(|place| match &*place.borrow() {
        Some(helpers) => helpers.get_value(env)?.get_named_property(name),
        None => env.get_global()?.get_named_property(name),
    })
}

type OnValue<'env> = Function<'env, FnArgs<(Unknown<'env>,)>, ()>;
type OnError<'env> = Function<'env, FnArgs<(Option<String>,)>, ()>;
type Settle<'env> = FnArgs<(Unknown<'env>, OnValue<'env>, OnError<'env>)>;

/// Calls one of two functions when a promise settles, with its value or with the text of its error. Whatever the promise
/// and its error do when they are looked at, nothing is thrown and nothing is left unhandled.
pub fn settle(
    env: &Env,
    promise: Unknown<'_>,
    on_value: impl Fn(&Env, Unknown<'_>) + 'static,
    on_error: impl Fn(Option<String>) + 'static,
) -> napi::Result<()> {
    let on_value = env.create_function_from_closure("toolRouterValue", move |context: FunctionCallContext| {
        on_value(context.env, context.get::<Unknown>(0)?);
        Ok(())
    })?;
    let on_error = env.create_function_from_closure("toolRouterError", move |context: FunctionCallContext| {
        on_error(context.get::<Option<String>>(0).ok().flatten());
        Ok(())
    })?;
    let settle: Function<Settle<'_>, ()> = function(env, "settle")?;
    settle.call(FnArgs::from((promise, on_value, on_error)))
}
