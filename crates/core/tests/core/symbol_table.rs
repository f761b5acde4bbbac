//! The documentation names things that exist.
//!
//! A symbol table goes stale at the first renaming unless something reads it. This test takes every `Type::member` of
//! the pages below and looks for it in the source of this crate: a member written `fn member`, `pub member:` or, for an
//! enum, as a variant, inside an item that belongs to `Type`. In the symbol table of `docs/conventions.md` the member
//! has to be public too, since that is where a user looks his names up.

use dalembert_core::delta::ModelName;
use std::fs;
use std::path::{Path, PathBuf};

const PAGES: [&str; 6] = [
    "conventions.md",
    "../crates/papers/errata.md",
    "papers/armstrong.md",
    "papers/asadi.md",
    "papers/bortoff.md",
    "papers/codourey.md",
];

fn page(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("the source directory").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// A struct, enum, trait or impl: the words of its head and its lines.
struct Item {
    words: Vec<String>,
    of_trait: bool,
    lines: Vec<String>,
}

/// All items of the crate. The source is formatted, so an item starts in the first column and ends at a `}` there.
fn items() -> Vec<Item> {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    let mut items = Vec::new();
    for file in files {
        let text = fs::read_to_string(file).expect("a source file");
        let mut lines = text.lines();
        while let Some(head) = lines.next() {
            let starts = ["impl", "pub struct ", "struct ", "pub enum ", "enum ", "pub trait "];
            if !head.ends_with('{') || !starts.iter().any(|start| head.starts_with(start)) {
                continue;
            }
            items.push(Item {
                words: words(head),
                of_trait: head.contains(" for ") || head.starts_with("pub trait"),
                lines: lines.by_ref().take_while(|line| *line != "}").map(|line| line.trim().to_owned()).collect(),
            });
        }
    }
    items
}

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).map(str::to_owned).collect()
}

impl Item {
    fn has(&self, member: &str, public: bool) -> bool {
        self.lines.iter().any(|line| {
            let shown = line.strip_prefix("pub ");
            let declared = shown.unwrap_or(line);
            let function = declared
                .strip_prefix("fn ")
                .and_then(|rest| rest.strip_prefix(member))
                .is_some_and(|rest| rest.starts_with(['(', '<']));
            let field = shown.and_then(|rest| rest.strip_prefix(member)).is_some_and(|rest| rest.starts_with(':'));
            let variant = line.strip_prefix(member).is_some_and(|rest| rest == "," || rest.starts_with([' ', '(']));
            field || variant || (function && (!public || shown.is_some() || self.of_trait))
        })
    }
}

/// What stands between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

fn assert_exists(items: &[Item], name: &str, public: bool, place: &str) {
    let Some((kind, member)) = name.split_once("::") else { return };
    let found = items.iter().any(|item| item.words.iter().any(|word| word == kind) && item.has(member, public));
    assert!(found, "{place} names `{name}`, which crates/core/src does not have");
}

#[test]
fn every_symbol_exists_and_is_public() {
    let items = items();
    let text = page("conventions.md");
    let rows = text.lines().skip_while(|line| !line.contains("| name in code |")).skip(2);
    let names: Vec<_> = rows
        .take_while(|line| line.starts_with('|'))
        .flat_map(|row| quoted(row.split('|').nth(2).expect("a second column")))
        .collect();
    assert!(names.len() > 60, "only {} names found: has the table moved?", names.len());
    for name in names {
        assert!(name.contains("::"), "`{name}` does not say where it belongs");
        assert_exists(&items, name, true, "the symbol table");
    }
}

#[test]
fn every_item_that_the_pages_name_exists() {
    let items = items();
    for name in PAGES {
        let text = page(name);
        for quote in quoted(&text).filter(|quote| !quote.contains(['/', ' ', '\n'])) {
            assert_exists(&items, quote, false, name);
        }
    }
}

#[test]
fn the_table_of_models_is_the_list_of_models() {
    let text = page("conventions.md");
    let rows = text.lines().skip_while(|line| !line.starts_with("| name | source |")).skip(2);
    let listed: Vec<_> = rows.take_while(|line| line.starts_with('|')).filter_map(|row| quoted(row).next()).collect();
    assert_eq!(listed, ModelName::ALL.map(ModelName::as_str));
}
