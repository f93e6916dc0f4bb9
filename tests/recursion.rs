//! JSON and schemas that were written elsewhere may be nested as deep as somebody likes, so a function of `src` that walks their
//! values and calls itself, by itself or by a second one of its file, stands here with what bounds it. A search over syntax:
//! methods are told apart by their names alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use files::{files, source};
use syn::visit::{self, Visit};

mod files;

/// `serde_json` and `toml` refuse text that is nested deeper than this.
const PARSER: &str = "values of a parser that refuses more than 128 levels";
/// `schema::node` reads this deep, and keeps the rest as text.
const NODE: &str = "nodes of 64 levels";

/// File, function, and why it comes to an end before the stack does.
const ALLOWED: &[(&str, &str, &str)] = &[
    ("catalogue/canonical.rs", "push", PARSER),
    ("catalogue/canonical.rs", "push_map", PARSER),
    ("catalogue/host_schema.rs", "object", PARSER),
    ("catalogue/host_schema.rs", "plain", PARSER),
    ("catalogue/host_schema.rs", "value", PARSER),
    ("delivery/budget.rs", "keyword", "400 levels, and a number of steps"),
    ("delivery/budget.rs", "schema", "400 levels, and a number of steps"),
    ("delivery/budget.rs", "size", PARSER),
    ("document/schema.rs", "walk", "32 levels"),
    ("evidence/trees.rs", "read", "a file of ours"),
    ("results/block.rs", "without", PARSER),
    ("results/structured.rs", "cut", PARSER),
    ("schema/accepted/read.rs", "cut", NODE),
    ("schema/accepted/read.rs", "is_unsaid", PARSER),
    ("schema/accepted/references.rs", "read", PARSER),
    ("schema/accepted/root.rs", "open", PARSER),
    ("schema/accepted/walk.rs", "below", PARSER),
    ("schema/accepted/walk.rs", "each_loosened", PARSER),
    ("schema/accepted/walk.rs", "loosen", PARSER),
    ("schema/accepted/walk.rs", "loosen_all", PARSER),
    ("schema/accepted/walk.rs", "map", PARSER),
    ("schema/accepted/walk.rs", "schema", PARSER),
    ("schema/compact.rs", "survey", NODE),
    ("schema/compact.rs", "tidy", NODE),
    ("schema/node.rs", "read", NODE),
    ("schema/node.rs", "read_at", NODE),
    ("schema/node.rs", "text", NODE),
    ("schema/node.rs", "write", NODE),
    ("schema/references.rs", "read", NODE),
    ("schema/share.rs", "count", NODE),
    ("schema/share.rs", "replace", NODE),
    ("schema/signature/types.rs", "of", "levels and steps that are counted"),
    ("schema/signature/types.rs", "of_reference", "levels and steps that are counted"),
    ("schema/signature/types.rs", "of_types", "levels and steps that are counted"),
    ("schema/signature/types.rs", "read", "levels and steps that are counted"),
    ("schema/signature/types.rs", "read_one_of", "levels and steps that are counted"),
    ("shield/schema.rs", "walk", PARSER),
];

/// Types of values that hold others.
const NESTED: [&str; 5] = ["Value", "Map", "Node", "RawValue", "Table"];

#[derive(Default)]
struct Calls {
    /// What each function calls.
    of: BTreeMap<String, BTreeSet<String>>,
    /// Those that take a value that holds others.
    nested: BTreeSet<String>,
    within: Vec<String>,
    /// Whether it is an implementation of such a value.
    is_of_nested: bool,
}

/// Whether a nested type stands in a signature, or is implemented.
#[derive(Default)]
struct Types(bool);

impl<'ast> Visit<'ast> for Types {
    fn visit_ident(&mut self, name: &'ast syn::Ident) {
        self.0 |= NESTED.iter().any(|nested| name == nested);
    }
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || (attribute.path().is_ident("cfg") && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test")))
    })
}

impl Calls {
    fn enter(&mut self, signature: &syn::Signature, body: &syn::Block) {
        let name = signature.ident.to_string();
        let mut types = Types(self.is_of_nested);
        types.visit_signature(signature);
        if types.0 {
            self.nested.insert(name.clone());
        }
        self.of.entry(name.clone()).or_default();
        self.within.push(name);
        visit::visit_block(self, body);
        self.within.pop();
    }

    fn add(&mut self, name: &syn::Ident) {
        if let Some(caller) = self.within.last() {
            self.of.entry(caller.clone()).or_default().insert(name.to_string());
        }
    }
}

/// The last name of a path within this file: `read`, `Self::read`.
fn own(path: &syn::Path) -> Option<&syn::Ident> {
    let last = path.segments.last()?;
    let is_own = path.segments.len() == 1 || (path.segments.len() == 2 && path.segments[0].ident == "Self");
    is_own.then_some(&last.ident)
}

impl<'ast> Visit<'ast> for Calls {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if !is_test(&item.attrs) {
            self.enter(&item.sig, &item.block);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let mut types = Types::default();
        types.visit_type(&item.self_ty);
        self.is_of_nested = types.0;
        visit::visit_item_impl(self, item);
        self.is_of_nested = false;
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.enter(&item.sig, &item.block);
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        if let syn::Expr::Path(path) = &*call.func
            && let Some(name) = own(&path.path)
        {
            self.add(name);
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        // `self.items.len()` is another `len`; `item.write(out)` may be the own one.
        if matches!(&*call.receiver, syn::Expr::Path(path) if path.path.get_ident().is_some()) {
            self.add(&call.method);
        }
        for argument in &call.args {
            if let syn::Expr::Path(path) = argument
                && let Some(name) = own(&path.path)
            {
                self.add(name);
            }
        }
        visit::visit_expr_method_call(self, call);
    }
}

/// Functions of a text that call themselves, or one that calls them.
fn circles(text: &str) -> BTreeSet<String> {
    let mut calls = Calls::default();
    calls.visit_file(&syn::parse_file(text).unwrap());
    let calls_back = |name: &String, other: &String| calls.of.get(other).is_some_and(|calls| calls.contains(name));
    let is_in_circle = |name: &String| calls.of[name].iter().any(|other| other == name || calls_back(name, other));
    calls.nested.iter().filter(|name| is_in_circle(name)).cloned().collect()
}

#[test]
fn what_calls_itself_says_what_bounds_it() {
    let mut found = BTreeSet::new();
    for file in files(&source()).into_iter().filter(|file| !file.to_string_lossy().ends_with("tests.rs")) {
        let name = file.strip_prefix(source()).unwrap().to_string_lossy().replace('\\', "/");
        found.extend(circles(&fs::read_to_string(&file).unwrap()).into_iter().map(|function| (name.clone(), function)));
    }
    let allowed: BTreeSet<(String, String)> =
        ALLOWED.iter().map(|(file, function, _)| ((*file).into(), (*function).into())).collect();
    let new: Vec<_> = found.difference(&allowed).collect();
    let gone: Vec<_> = allowed.difference(&found).collect();
    assert!(new.is_empty() && gone.is_empty(), "without a bound here: {new:#?}; no longer there: {gone:#?}");
}

#[test]
fn the_search_sees_one_step_and_two() {
    let text = "fn a(v: &Value) { a(v) } fn b(v: &Value) { c(v) } fn c(v: &Map<K, Value>) { b(v) } fn d(v: &Value) { a(v) }
        impl Node { fn e(&self, other: &Self) { other.e(self) } fn f(&self) { self.all.iter().for_each(Self::f) } fn g(&self) {} }
        fn h(n: u8) { h(n) } #[cfg(test)] mod tests { fn i(v: &Value) { i(v) } }";
    assert_eq!(circles(text).into_iter().collect::<String>(), "abcef");
}
