//! The figures of `docs/validation.md` are what the library computes today.
//!
//! Each block of the page between `<!-- figures: NAME -->` and `<!-- /figures -->` is the text that
//! `examples/validation.rs` makes for NAME, letter by letter; its arithmetic is the same on every platform.
//!
//! After a wanted change: `UPDATE_DOCS=1 cargo test -p dalembert --test pages validation_page::`, and read what has changed.

use std::path::PathBuf;

#[path = "../../examples/validation.rs"]
mod validation;

const END: &str = "<!-- /figures -->";

/// What stands before and after the text of a block, and the text itself.
fn split<'p>(page: &'p str, name: &str) -> Option<[&'p str; 3]> {
    let marker = format!("<!-- figures: {name} -->\n\n");
    let start = page.find(&marker)? + marker.len();
    let end = start + page[start..].find(END)?;
    Some([&page[..start], &page[start..end], &page[end..]])
}

#[test]
fn the_page_shows_what_is_computed() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/validation.md");
    let stored = std::fs::read_to_string(&path).expect("docs/validation.md");
    let report = validation::report().expect("the robots are in reach of their states");
    let blocks = stored.lines().filter(|line| line.starts_with("<!-- figures: ")).count();
    assert_eq!(blocks, report.len(), "a block of docs/validation.md that nobody makes");
    let mut page = stored.clone();
    for (name, text) in &report {
        let Some([before, _, after]) = split(&page, name) else { panic!("docs/validation.md has no block `{name}`") };
        page = format!("{before}{text}\n{after}");
    }
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, page).expect("docs/validation.md can be written");
        return;
    }
    for (name, text) in &report {
        let [_, shown, _] = split(&stored, name).expect("found above");
        assert_eq!(shown, format!("{text}\n"), "docs/validation.md, block `{name}` is stale; UPDATE_DOCS=1 renews it");
    }
}
