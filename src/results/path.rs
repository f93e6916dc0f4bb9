//! Paths into JSON: `$.items[3].title`, `items[*].id`, `$["a key"][10:20]`, `$.items[?(@.state == "open")].id`. A part of
//! RFC 9535.

use std::cmp::Ordering;
use std::ops::Range;

use serde_json::Value;

use super::json::{Members, Type, unescaped};
use super::json_passages::step;
use crate::error::Refusal;

/// One step of a path.
#[derive(Debug, Clone, PartialEq)]
enum Step {
    Key(String),
    /// From the first to before the second element; of `[3]`, one.
    Elements(usize, usize),
    All,
    /// Members that fit each of these.
    Filter(Vec<Test>),
}

/// What a member has to have: something at a path in it, or what compares so with a value.
#[derive(Debug, Clone, PartialEq)]
struct Test {
    keys: Vec<String>,
    compared: Option<(&'static str, Value)>,
}

/// Longer ones first, as one begins with the other.
const OPERATORS: [&str; 6] = ["==", "!=", "<=", ">=", "<", ">"];

/// Values that a path may lead to: more are not asked for in earnest.
const MOST_VALUES: usize = 10_000;
/// Steps of a path: a parser refuses deeper values.
const MOST_STEPS: usize = 128;
/// Keys that a refusal names.
const SHOWN_KEYS: usize = 12;

/// Reads a path; `None` for anything else.
fn read(path: &str) -> Option<Vec<Step>> {
    let mut rest = path.trim();
    rest = rest.strip_prefix('$').unwrap_or(rest);
    let mut steps = Vec::new();
    while !rest.is_empty() {
        let (step, after) = if let Some(inside) = rest.strip_prefix('[') { bracket(inside)? } else { key(rest)? };
        steps.push(step);
        rest = after;
        if steps.len() > MOST_STEPS {
            return None;
        }
    }
    Some(steps)
}

fn key(rest: &str) -> Option<(Step, &str)> {
    let rest = rest.strip_prefix('.').unwrap_or(rest);
    let end = rest.find(['.', '[']).unwrap_or(rest.len());
    let key = &rest[..end];
    let step = if key == "*" { Step::All } else { Step::Key(key.to_owned()) };
    (!key.is_empty()).then_some((step, &rest[end..]))
}

fn bracket(inside: &str) -> Option<(Step, &str)> {
    if let Some(filter) = inside.trim_start().strip_prefix('?') {
        return tests(filter);
    }
    if inside.starts_with('"') {
        let end = super::json::value_at_start(inside)?;
        let key = serde_json::from_str(&inside[..end]).ok()?;
        return Some((Step::Key(key), inside[end..].strip_prefix(']')?));
    }
    let (written, after) = inside.split_once(']')?;
    let written = written.trim();
    if let Some(key) = written.strip_prefix('\'').and_then(|key| key.strip_suffix('\'')) {
        return Some((Step::Key(key.to_owned()), after));
    }
    if matches!(written, "" | "*") {
        return Some((Step::All, after));
    }
    let step = match written.split_once(':') {
        Some((first, last)) => {
            let number = |text: &str, default: usize| if text.is_empty() { Some(default) } else { text.parse().ok() };
            Step::Elements(number(first.trim(), 0)?, number(last.trim(), usize::MAX)?)
        }
        None => written.parse().ok().map(|at: usize| Step::Elements(at, at.saturating_add(1)))?,
    };
    Some((step, after))
}

/// What stands behind `[?`, in parentheses or without.
fn tests(filter: &str) -> Option<(Step, &str)> {
    let opened = filter.trim_start().strip_prefix('(');
    let mut rest = opened.unwrap_or(filter);
    let mut tests = Vec::new();
    loop {
        let (test, after) = test(rest)?;
        tests.push(test);
        rest = after.trim_start();
        let Some(next) = rest.strip_prefix("&&") else { break };
        rest = next;
        if tests.len() == MOST_STEPS {
            return None;
        }
    }
    if opened.is_some() {
        rest = rest.strip_prefix(')')?.trim_start();
    }
    Some((Step::Filter(tests), rest.strip_prefix(']')?))
}

fn test(rest: &str) -> Option<(Test, &str)> {
    let mut rest = rest.trim_start().strip_prefix('@')?;
    let mut keys = Vec::new();
    loop {
        if let Some(inside) = rest.strip_prefix('[') {
            let (Value::String(key), after) = literal(inside)? else { return None };
            keys.push(key);
            rest = after.trim_start().strip_prefix(']')?;
        } else if let Some(named) = rest.strip_prefix('.') {
            let end = named.find(|c: char| c.is_whitespace() || ".[]()=!<>&".contains(c)).unwrap_or(named.len());
            keys.push((end > 0).then(|| named[..end].to_owned())?);
            rest = &named[end..];
        } else {
            break;
        }
    }
    rest = rest.trim_start();
    let Some(operator) = OPERATORS.into_iter().find(|operator| rest.starts_with(operator)) else {
        return Some((Test { keys, compared: None }, rest));
    };
    let (value, after) = literal(&rest[operator.len()..])?;
    Some((Test { keys, compared: Some((operator, value)) }, after))
}

/// A text in quotes of either kind, a number, `true`, `false` or `null`, and what stands behind it.
fn literal(rest: &str) -> Option<(Value, &str)> {
    let rest = rest.trim_start();
    if let Some(quoted) = rest.strip_prefix('\'') {
        let (text, after) = quoted.split_once('\'')?;
        return Some((Value::String(text.to_owned()), after));
    }
    let end = if rest.starts_with('"') {
        super::json::value_at_start(rest)?
    } else {
        rest.find(|c: char| c.is_whitespace() || ")]&".contains(c))?
    };
    let value: Value = serde_json::from_str(&rest[..end]).ok()?;
    (!value.is_array() && !value.is_object()).then_some((value, &rest[end..]))
}

impl Test {
    fn fits(&self, text: &str, value: &Range<usize>) -> bool {
        let mut at = value.clone();
        for key in &self.keys {
            let found =
                Members::of(text, &at).find(|member| member.key.as_ref().is_some_and(|own| unescaped(text, own) == key.as_str()));
            let Some(member) = found else { return self.compared.as_ref().is_some_and(|(operator, _)| *operator == "!=") };
            at = member.value;
        }
        let Some((operator, wanted)) = &self.compared else { return true };
        let is_scalar = !matches!(Type::of(text, &at), Type::Array | Type::Object);
        let own = is_scalar.then(|| serde_json::from_str::<Value>(&text[at]).ok()).flatten();
        let order = own.as_ref().and_then(|own| compared(own, wanted));
        match *operator {
            "==" => order == Some(Ordering::Equal),
            "!=" => order != Some(Ordering::Equal),
            "<" => order == Some(Ordering::Less),
            "<=" => order.is_some_and(Ordering::is_le),
            ">" => order == Some(Ordering::Greater),
            _ => order.is_some_and(Ordering::is_ge),
        }
    }
}

/// Numbers and texts have an order; other values are the same or not. Those of different kinds are neither.
fn compared(own: &Value, wanted: &Value) -> Option<Ordering> {
    match (own, wanted) {
        (Value::Number(own), Value::Number(wanted)) => own.as_f64()?.partial_cmp(&wanted.as_f64()?),
        (Value::String(own), Value::String(wanted)) => Some(own.cmp(wanted)),
        _ => (own == wanted).then_some(Ordering::Equal),
    }
}

/// The values that a path leads to, each with its own path.
///
/// # Errors
///
/// A refusal that says how far the path goes, and what there is.
pub fn values(text: &str, root: Range<usize>, path: &str, field: &str) -> Result<Vec<(String, Range<usize>)>, Refusal> {
    let steps = read(path).ok_or_else(|| Refusal::new(field, "a path such as $.items[3].title", format!("{path:?}")))?;
    let mut found = vec![("$".to_owned(), root)];
    for wanted in &steps {
        let mut next = Vec::new();
        for (path, value) in &found {
            let kind = Type::of(text, value);
            for (index, member) in Members::of(text, value).enumerate() {
                let fits = match wanted {
                    Step::All => true,
                    Step::Elements(first, last) => kind == Type::Array && (*first..*last).contains(&index),
                    Step::Filter(tests) => tests.iter().all(|test| test.fits(text, &member.value)),
                    Step::Key(key) => member.key.as_ref().is_some_and(|own| unescaped(text, own) == key.as_str()),
                };
                if fits && next.len() < MOST_VALUES {
                    next.push((step(text, path, &member, index), member.value));
                }
            }
        }
        if next.is_empty() {
            let (at, value) = &found[0];
            return Err(Refusal::new(
                field,
                format!("a path into the result, where {at} is {}", holds(text, value)),
                format!("{path:?}"),
            ));
        }
        found = next;
    }
    Ok(found)
}

/// What a value holds, in a few words.
fn holds(text: &str, value: &Range<usize>) -> String {
    let kind = Type::of(text, value);
    let members = || Members::of(text, value);
    match kind {
        Type::Array => format!("an array of {}", members().count()),
        Type::Object => {
            let key = |key: Range<usize>| unescaped(text, &key).chars().take(40).collect::<String>();
            let keys: Vec<String> = members().filter_map(|member| member.key).take(SHOWN_KEYS).map(key).collect();
            format!("an object with the keys {}", keys.join(", "))
        }
        kind => format!("a {}", kind.name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{"items": [{"id": 1, "a b": {"c": null}}, {"id": 2}, {"id": 3}], "total": 3}"#;

    fn found(path: &str) -> Vec<(String, &'static str)> {
        let values = values(TEXT, 0..TEXT.len(), path, "readResult.path").unwrap();
        values.into_iter().map(|(path, value)| (path, &TEXT[value])).collect()
    }

    #[test]
    fn a_path_leads_to_values_with_their_own_paths() {
        assert_eq!(found("$.total"), [("$.total".to_owned(), "3")]);
        assert_eq!(found("items[1].id"), [("$.items[1].id".to_owned(), "2")]);
        assert_eq!(found("$.items[*].id").iter().map(|(_, value)| *value).collect::<String>(), "123");
        assert_eq!(found("$['items'][1:].id").iter().map(|(_, value)| *value).collect::<String>(), "23");
        assert_eq!(found("$.items[0][\"a b\"].c"), [("$.items[0][\"a b\"].c".to_owned(), "null")]);
        assert_eq!(found("$")[0].1, TEXT);
    }

    #[test]
    fn a_filter_takes_the_members_that_fit_it() {
        const ISSUES: &str = r#"{"items": [{"id": 1, "state": "open", "by": {"name": "Ann"}, "n": 5}, {"id": 2, "state": "shut", "n": 7.5},
            {"id": 3, "state": "open", "draft": true, "n": null}, {"id": 4}]}"#;
        let ids = |filter: &str| {
            let path = format!("$.items[{filter}].id");
            let found = values(ISSUES, 0..ISSUES.len(), &path, "readResult.path").unwrap_or_default();
            found.into_iter().map(|(_, value)| &ISSUES[value]).collect::<String>()
        };
        for (filter, wanted) in [
            ("?(@.state==\"open\")", "13"),
            ("?@.state == 'open'", "13"),
            ("? ( @.state != \"open\" ) ", "24"),
            ("?@.by.name=='Ann'", "1"),
            ("?@['by']['name']=='Ann'", "1"),
            ("?@.n", "123"),
            ("?@.n>5", "2"),
            ("?@.n>=5", "12"),
            ("?@.n<'5'", ""),
            ("?@.n==null", "3"),
            ("?(@.state=='open' && @.draft)", "3"),
            ("?@.draft==true", "3"),
            ("?@.state>'p'", "2"),
            ("?@.by=='Ann'", ""),
        ] {
            assert_eq!(ids(filter), wanted, "{filter}");
        }
        for wrong in ["?", "?@.state==", "?(@.state=='open'", "?@.a==[1]", "?state=='open'", "?@.a=1", "?@.", "?@.a=='"] {
            assert!(read(&format!("$[{wrong}]")).is_none(), "{wrong}");
        }
        let refused = values(ISSUES, 0..ISSUES.len(), "$.items[?@.state=='gone']", "readResult.path").unwrap_err().to_string();
        assert!(refused.contains("where $.items is an array of 4"));
    }

    #[test]
    fn a_path_that_leads_nowhere_says_what_there_is() {
        let refused = |path: &str| values(TEXT, 0..TEXT.len(), path, "readResult.path").unwrap_err().to_string();
        assert_eq!(
            refused("$.itemz"),
            "readResult.path: expected a path into the result, where $ is an object with the keys items, total, got \"$.itemz\""
        );
        assert!(refused("$.items[9]").contains("where $.items is an array of 3"));
        for wrong in ["$[", "$..a", "[x]", "$[\"a]", "[1:2:3]"] {
            assert!(refused(wrong).contains("a path such as"), "{wrong}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_path_is_read_or_refused(path in "[$.\\[\\]*:0-9a-c\"' é?@()=<&]{0,20}") {
            let _ = values(TEXT, 0..TEXT.len(), &path, "readResult.path");
        }
    }
}
