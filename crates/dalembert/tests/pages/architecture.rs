//! ARCHITECTURE.md is true: it names what is there, all of it, and nothing that is gone.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page() -> String {
    fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md")
}

/// The rows below a heading, as the backticked words of their cells.
fn table(heading: &str) -> Vec<Vec<Vec<String>>> {
    let page = page();
    let start = page.find(&format!("## {heading}")).expect("the heading");
    let section = &page[start + 3..];
    let section = &section[..section.find("\n## ").unwrap_or(section.len())];
    let quoted = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    section
        .lines()
        .filter(|line| line.starts_with('|'))
        .skip(2)
        .map(|line| line.trim_matches('|').split('|').map(quoted).collect())
        .collect()
}

#[test]
fn the_crate_table_is_the_workspace() {
    let manifest: toml::Table =
        fs::read_to_string(root().join("Cargo.toml")).expect("Cargo.toml").parse().expect("TOML");
    let members: BTreeSet<String> = manifest["workspace"]["members"]
        .as_array()
        .expect("members")
        .iter()
        .map(|member| member.as_str().expect("a path").to_owned())
        .collect();
    let rows = table("Crates");
    let named: BTreeSet<String> = rows.iter().map(|row| row[0][0].clone()).collect();
    assert_eq!(named, members);
    for row in rows {
        let manifest: toml::Table =
            fs::read_to_string(root().join(&row[0][0]).join("Cargo.toml")).expect("a manifest").parse().expect("TOML");
        assert_eq!(manifest["package"]["name"].as_str(), Some(row[1][0].as_str()));
    }
}

#[test]
fn the_module_table_is_the_source() {
    let named: BTreeSet<String> = table("Modules").iter().map(|row| row[0][0].clone()).collect();
    let mut present = BTreeSet::new();
    for member in ["core", "symbolic", "generated", "linear", "report", "dalembert", "cli"] {
        let source = format!("crates/{member}/src");
        for entry in fs::read_dir(root().join(&source)).expect("the source") {
            let name = entry.expect("an entry").file_name().into_string().expect("a name");
            if name != "lib.rs" && name != "main.rs" {
                present.insert(format!("{source}/{name}"));
            }
        }
    }
    assert_eq!(named, present);
}

#[test]
fn every_path_that_the_page_names_exists() {
    let page = page();
    let paths = page.split('`').skip(1).step_by(2).filter(|word| word.contains('/') && !word.contains(' '));
    let mut count = 0;
    for path in paths {
        assert!(root().join(path).exists(), "{path}");
        count += 1;
    }
    assert!(count > 20);
}
