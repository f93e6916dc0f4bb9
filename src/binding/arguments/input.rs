//! Values from JavaScript, read with their path.

use std::cell::OnceCell;
use std::fmt;
use std::ops::Range;
use std::time::Duration;

use napi::bindgen_prelude::{FromNapiValue, Function, JsObjectValue, JsValue, Object, Unknown};
use napi::{Env, ValueType};

use crate::binding::error::foreign;
use crate::catalogue::name::near;
use crate::error::{Error, Result, shorten};
use crate::settings::MAX_COUNT;

/// Where a value stands; written out only when it is wrong.
#[derive(Clone, Copy)]
pub enum Path<'p> {
    /// An argument.
    Root(&'p str),
    /// A property of another value.
    Key(&'p Path<'p>, &'p str),
    /// An element of another value.
    Element(&'p Path<'p>, u32),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root(name) => f.write_str(name),
            Self::Key(parent, name) => write!(f, "{parent}.{name}"),
            Self::Element(parent, at) => write!(f, "{parent}[{at}]"),
        }
    }
}

/// What reading needs of the environment.
pub struct Reader<'env> {
    stringify: Function<'env, Unknown<'env>, Unknown<'env>>,
    /// What somebody has added to every object: old polyfills do.
    inherited: Vec<String>,
}

impl<'env> Reader<'env> {
    pub fn new(env: &'env Env) -> Result<Self> {
        let read = || {
            let global = env.get_global()?;
            let json: Object = global.get_named_property("JSON")?;
            let objects: Function<'env, Unknown<'env>, Unknown<'env>> = global.get_named_property("Object")?;
            let of_all: Object = objects.get_named_property("prototype")?;
            Ok(Self { stringify: json.get_named_property("stringify")?, inherited: Object::keys(&of_all)? })
        };
        read().map_err(|error: napi::Error| foreign(&error))
    }

    /// Takes out an exception that reading a value left pending: any call of a function does.
    pub fn clear_exception(&self, value: Unknown<'env>) {
        let _ = self.stringify.call(value);
    }

    /// An argument to read.
    pub fn root<'r>(&'r self, value: Unknown<'env>, name: &'r str) -> Input<'r, 'env> {
        Input::new(self, value, Path::Root(name))
    }
}

/// A value and its path.
pub struct Input<'r, 'env> {
    reader: &'r Reader<'env>,
    value: Unknown<'env>,
    /// Its path in the arguments.
    pub path: Path<'r>,
    kind: ValueType,
    /// The value as an object, once it was asked for a property.
    as_object: OnceCell<Object<'env>>,
}

impl<'r, 'env> Input<'r, 'env> {
    fn new(reader: &'r Reader<'env>, value: Unknown<'env>, path: Path<'r>) -> Self {
        // Asked for once: each question to the environment costs as much as reading a short text.
        Self { reader, value, path, kind: value.get_type().unwrap_or(ValueType::Unknown), as_object: OnceCell::new() }
    }
}

impl<'env> Input<'_, 'env> {
    /// An error at this path.
    pub fn wrong(&self, expected: impl Into<String>) -> Error {
        Error::invalid(self.path.to_string(), expected, self.describe())
    }

    fn describe(&self) -> String {
        match self.kind {
            ValueType::Undefined => "undefined".into(),
            ValueType::Null => "null".into(),
            ValueType::Boolean => bool::from_unknown(self.value).map_or_else(|_| "a boolean".into(), |value| value.to_string()),
            ValueType::Number => f64::from_unknown(self.value).map_or_else(|_| "a number".into(), written),
            ValueType::String => {
                String::from_unknown(self.value).map_or_else(|_| "a string".into(), |text| format!("{:?}", shorten(&text, 80)))
            }
            ValueType::Object if self.value.is_array().unwrap_or(false) => "an array".into(),
            ValueType::Object => "an object".into(),
            ValueType::Function => "a function".into(),
            ValueType::Symbol => "a symbol".into(),
            ValueType::BigInt => "a bigint".into(),
            _ => "something else".into(),
        }
    }

    pub fn is_undefined(&self) -> bool {
        self.kind == ValueType::Undefined
    }

    pub fn is_null(&self) -> bool {
        self.kind == ValueType::Null
    }

    pub fn is_text(&self) -> bool {
        self.kind == ValueType::String
    }

    pub fn is_array(&self) -> bool {
        self.value.is_array().unwrap_or(false)
    }

    pub fn is_boolean(&self) -> bool {
        self.kind == ValueType::Boolean
    }

    /// Text without lone surrogates, which UTF-8 cannot hold.
    pub fn text(&self) -> Result<String> {
        if !self.is_text() {
            return Err(self.wrong("text"));
        }
        let text = String::from_unknown(self.value).map_err(|error| foreign(&error))?;
        // Node replaces a lone surrogate by U+FFFD; only then a second look is needed.
        if text.contains('\u{fffd}') {
            let units =
                napi::JsString::from_unknown(self.value).and_then(napi::JsString::into_utf16).map_err(|error| foreign(&error))?;
            let units = units.as_slice();
            let units = units.strip_suffix(&[0]).unwrap_or(units);
            if let Some(Err(lone)) = char::decode_utf16(units.iter().copied()).find(std::result::Result::is_err) {
                let expected = "text that UTF-8 can hold";
                return Err(Error::invalid(
                    self.path.to_string(),
                    expected,
                    format!("the lone surrogate U+{:04X}", lone.unpaired_surrogate()),
                ));
            }
        }
        Ok(text)
    }

    /// Text with something in it.
    pub fn name(&self) -> Result<String> {
        let text = self.text()?;
        if text.trim().is_empty() { Err(self.wrong("a name")) } else { Ok(text) }
    }

    pub fn boolean(&self) -> Result<bool> {
        if !self.is_boolean() {
            return Err(self.wrong("true or false"));
        }
        bool::from_unknown(self.value).map_err(|error| foreign(&error))
    }

    /// A whole number within bounds.
    pub fn count(&self, least: usize, most: usize) -> Result<usize> {
        let whole = self.number().filter(|number| number.fract() == 0.0 && (0.0..=9_007_199_254_740_991.0).contains(number));
        let count = whole.and_then(|_| usize::try_from(i64::from_unknown(self.value).ok()?).ok());
        count.filter(|count| (least..=most).contains(count)).ok_or_else(|| {
            let range = if most == MAX_COUNT {
                format!("an integer of at least {least}")
            } else {
                format!("an integer from {least} to {most}")
            };
            self.wrong(range)
        })
    }

    /// A whole number of milliseconds within bounds.
    pub fn milliseconds(&self, least: usize, most: usize) -> Result<Duration> {
        Ok(Duration::from_millis(u64::try_from(self.count(least, most)?).unwrap_or(u64::MAX)))
    }

    /// A number within bounds.
    pub fn ratio(&self, least: f64, most: f64) -> Result<f64> {
        self.number()
            .filter(|number| (least..=most).contains(number))
            .ok_or_else(|| self.wrong(format!("a number from {least} to {most}")))
    }

    fn number(&self) -> Option<f64> {
        (self.kind == ValueType::Number).then(|| f64::from_unknown(self.value).ok()).flatten()
    }

    /// One of a few names.
    pub fn one_of<T: Copy>(&self, names: &[(&str, T)]) -> Result<T> {
        let text = if self.is_text() { String::from_unknown(self.value).ok() } else { None };
        let found = text.and_then(|text| names.iter().find(|(name, _)| *name == text));
        found.map(|(_, value)| *value).ok_or_else(|| {
            let listed: Vec<String> = names.iter().map(|(name, _)| format!("'{name}'")).collect();
            self.wrong(listed.join(" or "))
        })
    }

    fn object(&self) -> Result<Object<'env>> {
        if let Some(object) = self.as_object.get() {
            return Ok(*object);
        }
        if self.kind != ValueType::Object || self.is_array() {
            return Err(self.wrong("an object"));
        }
        let object = Object::from_unknown(self.value).map_err(|error| foreign(&error))?;
        Ok(*self.as_object.get_or_init(|| object))
    }

    /// Whether an object has a property only because every object has.
    fn is_inherited(&self, name: &str) -> Result<bool> {
        if !self.reader.inherited.iter().any(|inherited| inherited == name) {
            return Ok(false);
        }
        self.object()?.has_own_property(name).map(|own| !own).map_err(|_| self.threw(name))
    }

    /// A value that may be left out.
    pub fn optional<T>(self, read: impl FnOnce(Self) -> Result<T>) -> Result<Option<T>> {
        if self.is_undefined() { Ok(None) } else { read(self).map(Some) }
    }

    /// Reads a property and hands it on; `None` when it, or all of the value, is undefined.
    pub fn field<T>(&self, name: &str, read: impl FnOnce(Input<'_, 'env>) -> Result<T>) -> Result<Option<T>> {
        if self.is_undefined() {
            return Ok(None);
        }
        let value: Unknown = self.object()?.get_named_property(name).map_err(|_| self.threw(name))?;
        let input = Input::new(self.reader, value, Path::Key(&self.path, name));
        if input.is_undefined() || self.is_inherited(name)? { Ok(None) } else { read(input).map(Some) }
    }

    /// Reads a property into its place, which stays as it is when there is none.
    pub fn set<T>(&self, name: &str, place: &mut T, read: impl FnOnce(Input<'_, 'env>) -> Result<T>) -> Result<()> {
        if let Some(value) = self.field(name, read)? {
            *place = value;
        }
        Ok(())
    }

    /// Reads a property that must be there.
    pub fn required<T>(&self, name: &str, read: impl FnOnce(Input<'_, 'env>) -> Result<T>) -> Result<T> {
        let value: Unknown = self.object()?.get_named_property(name).map_err(|_| self.threw(name))?;
        read(Input::new(self.reader, value, Path::Key(&self.path, name)))
    }

    /// A getter or proxy threw: its exception is still pending, and any call takes it out.
    fn threw(&self, name: &str) -> Error {
        self.reader.clear_exception(self.value);
        Error::invalid(Path::Key(&self.path, name).to_string(), "a value that can be read", "a getter that throws")
    }

    /// Refuses keys that are not among the known ones: a misspelt option must not be ignored.
    pub fn only_keys(&self, known: &[&str]) -> Result<()> {
        let keys = self.keys()?;
        let Some(key) = keys.iter().find(|key| !known.contains(&key.as_str())) else { return Ok(()) };
        let all = known.join(", ");
        let (expected, hint) = match near(key, known.iter().copied(), 1).pop() {
            Some(near) => (format!("{near} or another of the keys {all}"), format!("; did you mean {near}?")),
            None => (format!("only the keys {all}"), String::new()),
        };
        Err(Error::invalid(self.path.to_string(), expected, format!("the key {key:?}{hint}")))
    }

    /// The same for options that may be left out altogether: then each has its default.
    pub fn only_options(&self, known: &[&str]) -> Result<()> {
        if self.is_undefined() { Ok(()) } else { self.only_keys(known) }
    }

    /// Its own keys.
    pub fn keys(&self) -> Result<Vec<String>> {
        let mut keys = Object::keys(&self.object()?).map_err(|_| self.threw("(keys)"))?;
        if !self.reader.inherited.is_empty() {
            let own = keys.into_iter().filter_map(|key| match self.is_inherited(&key) {
                Ok(inherited) => (!inherited).then_some(Ok(key)),
                Err(error) => Some(Err(error)),
            });
            keys = own.collect::<Result<_>>()?;
        }
        match keys.iter().find(|key| key.contains('\0')) {
            Some(key) => Err(Error::invalid(self.path.to_string(), "keys without U+0000", format!("the key {key:?}"))),
            None => Ok(keys),
        }
    }

    /// Reads each property.
    pub fn entries<T>(&self, read: impl Fn(Input<'_, 'env>) -> Result<T>) -> Result<Vec<(String, T)>> {
        self.keys()?.into_iter().map(|key| Ok((key.clone(), self.required(&key, &read)?))).collect()
    }

    /// Reads each element; `read` is given its position.
    pub fn elements<T>(&self, most: usize, read: impl FnMut(u32, Input<'_, 'env>) -> Result<T>) -> Result<Vec<T>> {
        Ok(self.elements_until(most, || false, read)?.0)
    }

    /// Reads elements until it is time to stop. Answers with the places of those that are left.
    pub fn elements_until<T>(
        &self,
        most: usize,
        is_over: impl Fn() -> bool,
        mut read: impl FnMut(u32, Input<'_, 'env>) -> Result<T>,
    ) -> Result<(Vec<T>, Range<u32>)> {
        if !self.is_array() {
            return Err(self.wrong("an array"));
        }
        let array = Object::from_unknown(self.value).map_err(|error| foreign(&error))?;
        let length = array.get_array_length().map_err(|error| foreign(&error))?;
        if usize::try_from(length).map_or(true, |length| length > most) {
            return Err(Error::invalid(self.path.to_string(), format!("at most {most} elements"), length));
        }
        let mut list = Vec::new();
        for at in 0..length {
            if is_over() {
                return Ok((list, at..length));
            }
            list.push(read(at, self.element(&array, at)?)?);
        }
        Ok((list, length..length))
    }

    /// Reads elements of an array that was looked at before, until it is time to stop: at least one, so that each slice
    /// goes on. Answers how many are left. An element that is gone since, or whose getter throws, is read as undefined.
    pub fn elements_within(
        &self,
        places: Range<u32>,
        is_over: impl Fn() -> bool,
        mut read: impl FnMut(u32, Input<'_, 'env>),
    ) -> u32 {
        let Ok(array) = Object::from_unknown(self.value) else { return 0 };
        let end = places.end;
        for at in places {
            read(at, self.element(&array, at).unwrap_or_else(|_| self.undefined(at)));
            if is_over() {
                return end - at - 1;
            }
        }
        0
    }

    fn undefined(&self, at: u32) -> Input<'_, 'env> {
        let path = Path::Element(&self.path, at);
        Input { reader: self.reader, value: self.value, path, kind: ValueType::Undefined, as_object: OnceCell::new() }
    }

    fn element(&self, array: &Object<'env>, at: u32) -> Result<Input<'_, 'env>> {
        let value: Unknown = array.get_element(at).map_err(|_| self.threw("(element)"))?;
        Ok(Input::new(self.reader, value, Path::Element(&self.path, at)))
    }

    /// A list of texts.
    pub fn texts(&self, most: usize) -> Result<Vec<String>> {
        self.elements(most, |_, element| element.text())
    }

    /// Whether it is an object, which takes long to turn to text.
    pub fn is_object(&self) -> bool {
        self.kind == ValueType::Object
    }

    /// The value as it is.
    pub fn value(&self) -> Unknown<'env> {
        self.value
    }

    /// JSON as text, or as a value that is turned to text once; `JSON.stringify` keeps its order.
    pub fn json(&self) -> Result<String> {
        match self.kind {
            ValueType::String => self.text(),
            ValueType::Object => {
                let text = self.reader.stringify.call(self.value).map_err(|error| {
                    Error::invalid(self.path.to_string(), "a value that JSON.stringify takes", shorten(&error.reason, 80))
                })?;
                Input::new(self.reader, text, self.path).text()
            }
            _ => Err(self.wrong("JSON as text or as an object")),
        }
    }

    /// The function itself.
    pub fn function(&self) -> Result<Unknown<'env>> {
        if self.kind == ValueType::Function { Ok(self.value) } else { Err(self.wrong("a function")) }
    }
}

/// A number as JavaScript writes it.
fn written(number: f64) -> String {
    if number.is_infinite() { if number > 0.0 { "Infinity".into() } else { "-Infinity".into() } } else { number.to_string() }
}
