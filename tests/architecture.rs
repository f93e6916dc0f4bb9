//! The shape of `src`: which folder may name which. Data flows one way, so no circle can form.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use files::{files, source};
use sources::{Source, arrows, circle, paths};
use syn::visit::Visit;

mod files;
mod sources;

/// Every folder, or file of its own, with those that it may name. `DESIGN.md` shows the same arrow.
const MAY_NAME: &[(&str, &str)] = &[
    ("error", ""),
    ("ablation", ""),
    ("fault", ""),
    ("degraded", ""),
    ("text", "fault"),
    ("regular_file", ""),
    ("config_file", "error regular_file"),
    ("settings", "error"),
    ("knowledge", "regular_file text"),
    ("companions", "knowledge text"),
    ("modules", "companions text"),
    ("document", "error fault text"),
    ("uses", "document"),
    ("embedding", "ablation degraded error fault regular_file text"),
    ("query", "ablation document fault text"),
    ("schema", "error settings text"),
    ("shield", "document text"),
    ("catalogue", "companions document error fault modules schema settings shield text"),
    ("ranking", "degraded document embedding fault query settings text"),
    ("evidence", "ablation document embedding query ranking regular_file text"),
    ("curation", "catalogue config_file document error fault query regular_file settings uses"),
    ("index", "catalogue document embedding fault query ranking text"),
    ("order", "ablation document embedding evidence fault index query ranking text uses"),
    ("report", "degraded fault settings"),
    ("results", "error shield text"),
    ("tool_call", "error"),
    ("delivery", "catalogue document error schema settings text tool_call"),
    (
        "session",
        "ablation catalogue degraded delivery document error evidence fault index modules order query \
         ranking report settings text tool_call uses",
    ),
    (
        "router",
        "catalogue curation degraded document embedding error evidence index order query ranking report \
         results session settings text tool_call uses",
    ),
    (
        "binding",
        "catalogue curation degraded delivery document embedding error evidence knowledge order query \
         ranking report results router schema session settings shield text",
    ),
];

/// Longer files have two themes, or tests that deserve a file.
const MOST_LINES: usize = 400;

fn rows() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    MAY_NAME.iter().map(|(folder, targets)| (*folder, targets.split_whitespace().collect()))
}

/// All files of the crate but its root, which names every folder.
fn sources() -> Vec<Source> {
    let read = |file: PathBuf| {
        let inside = file.strip_prefix(source()).unwrap().with_extension("");
        let mut module: Vec<String> = inside.iter().map(|name| name.to_str().unwrap().to_owned()).collect();
        module.pop_if(|name| name == "mod");
        Source { module, text: fs::read_to_string(&file).unwrap() }
    };
    files(&source()).into_iter().map(read).filter(|source| source.module != ["lib"]).collect()
}

#[test]
fn folders_name_only_what_stands_before_them() {
    let allowed: BTreeMap<&str, Vec<&str>> = rows().collect();
    let mut named: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let sources = sources();
    let modules = sources.iter().map(|source| source.module.clone()).collect();
    for source in &sources {
        let folder = &source.module[0];
        let Some(targets) = allowed.get(folder.as_str()) else { panic!("{folder} is no folder of the table") };
        for path in paths(source, &modules) {
            let Some(target) = path.first().filter(|target| *target != folder) else { continue };
            let known = allowed.contains_key(target.as_str());
            assert!(!known || targets.contains(&target.as_str()), "{} names {target}", source.module.join("::"));
            if known {
                named.entry(folder.clone()).or_default().insert(target.clone());
            }
        }
    }
    // A pair that nothing uses would let an arrow grow unseen.
    for (folder, targets) in rows() {
        let used: Vec<&str> = named.get(folder).into_iter().flatten().map(String::as_str).collect();
        assert_eq!(used, targets, "{folder}");
    }
}

#[test]
fn the_table_has_no_circle() {
    // Each row names only rows above it.
    let mut above = BTreeSet::new();
    for (folder, targets) in rows() {
        assert!(targets.iter().all(|target| above.contains(target)), "{folder} names something below it");
        above.insert(folder);
    }
}

/// Files count one by one here: a `mod.rs` that names a file of its folder is named by none of them.
#[test]
fn files_form_no_circle() {
    assert_eq!(circle(&arrows(&sources())), None);
}

/// The guard above is one only if it sees each way of naming a file.
#[test]
fn a_circle_that_is_added_is_found() {
    let circles = [
        ("a whole path in a use", "use crate::query::prepare;\n"),
        ("a whole path in an expression", "fn circle() { crate::query::prepare::nothing() }\n"),
        ("a path from the folder", "use super::{listed, prepare::{self}};\n"),
        ("a name that a use brought in", "fn circle() { query::prepare::nothing() }\nuse crate::{query, text};\n"),
        ("a name that a use renamed", "use crate::query as read;\nfn circle() { read::prepare::nothing() }\n"),
    ];
    for (way, circle_added) in circles {
        let mut sources = sources();
        let step = sources.iter_mut().find(|source| source.module == ["query", "small_talk"]).unwrap();
        step.text.insert_str(0, circle_added);
        let found = circle(&arrows(&sources)).unwrap_or_else(|| panic!("{way} is not seen"));
        assert!(found.contains("query::prepare") && found.contains("query::small_talk"), "{way}: {found}");
    }
}

/// Comments, literals, unit tests and other crates name no file of ours.
#[test]
fn what_names_no_file_is_no_arrow() {
    let text = "// crate::b\nuse std::b::c;\nconst B: &str = \"crate::b\";\n#[cfg(test)]\nmod tests { use crate::b; }";
    let sources = ["a", "b"].map(|name| Source { module: vec![name.to_owned()], text: text.to_owned() });
    assert!(arrows(&sources).is_empty());
}

#[test]
fn no_file_is_too_long() {
    let lines = |file: &Path| fs::read_to_string(file).unwrap().lines().count();
    let long: Vec<_> = files(&source()).into_iter().filter(|file| lines(file) > MOST_LINES).collect();
    assert!(long.is_empty(), "{long:?}");
}

/// Fields that a reader takes in at once.
const MOST_FIELDS: usize = 15;
/// Structs whose fields are what a caller or a saved state is promised, one by one.
const PROMISED: &[&str] = &["Advice", "Explanation", "LoadResult", "SavedSession", "Selection"];

/// Structs with more fields than that.
#[derive(Default)]
struct Wide(Vec<String>);

impl<'ast> Visit<'ast> for Wide {
    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        let (name, count) = (item.ident.to_string(), item.fields.len());
        if count > MOST_FIELDS && !PROMISED.contains(&name.as_str()) {
            self.0.push(format!("{name} ({count} fields)"));
        }
    }
}

fn wide_structs(text: &str) -> Vec<String> {
    let mut wide = Wide::default();
    wide.visit_file(&syn::parse_file(text).unwrap());
    wide.0
}

#[test]
fn no_struct_has_too_many_fields() {
    let wide = |fields: usize| format!("pub struct Wide<'a> {{\n{}}}\n", "    /// One: it.\n    pub one: u8,\n".repeat(fields));
    assert_eq!(wide_structs(&wide(16)), ["Wide (16 fields)"]);
    assert!(wide_structs(&wide(15)).is_empty());
    let wide: Vec<String> = files(&source()).iter().flat_map(|file| wide_structs(&fs::read_to_string(file).unwrap())).collect();
    assert!(wide.is_empty(), "{wide:?} have more than {MOST_FIELDS} fields");
}

/// DESIGN.md shows the table, a line per row.
#[test]
fn the_design_shows_the_same_arrow() {
    let design = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("DESIGN.md")).unwrap();
    for (folder, targets) in rows() {
        let names: Vec<String> = targets.iter().map(|target| format!("`{target}`")).collect();
        let row = format!("| `{folder}` | {} |", if names.is_empty() { "nothing".into() } else { names.join(", ") });
        assert!(design.contains(&row), "DESIGN.md lacks: {row}");
    }
}
