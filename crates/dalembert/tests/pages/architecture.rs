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
    for member in ["core", "symbolic", "compiled", "generated", "linear", "identify", "report", "dalembert", "cli"] {
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

/// The Rust files below a folder or the file itself.
fn sources(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut all: Vec<PathBuf> = entries.flat_map(|entry| sources(&entry)).collect();
    all.retain(|file| file.extension().is_some_and(|extension| extension == "rs"));
    all
}

/// The lines of a file that are code: comments do not use anything.
fn code(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).expect("a source file");
    text.lines().map(str::trim).filter(|line| !line.starts_with("//")).map(str::to_owned).collect()
}

/// The modules of the crate that a line names: `crate::motion`, `use crate::{motion, cell::Cell}`.
fn used(lines: &[String], modules: &[String]) -> BTreeSet<String> {
    let text = lines.join(" ");
    let mut found = BTreeSet::new();
    for (start, _) in text.match_indices("crate::") {
        let rest = &text[start + "crate::".len()..];
        let names: Vec<&str> = match rest.strip_prefix('{') {
            // The top level of a braced list.
            Some(list) => {
                let (mut depth, mut from, mut names) = (0, 0, Vec::new());
                for (at, sign) in list.char_indices() {
                    match sign {
                        '{' => depth += 1,
                        '}' if depth > 0 => depth -= 1,
                        ',' | '}' if depth == 0 => {
                            names.push(list[from..at].trim());
                            from = at + 1;
                            if sign == '}' {
                                break;
                            }
                        }
                        _ => {}
                    }
                }
                names
            }
            None => vec![rest],
        };
        for name in names {
            let word: String = name.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if modules.contains(&word) {
                found.insert(word);
            }
        }
    }
    found
}

/// Data goes one way: a module of the library uses only those that ARCHITECTURE.md lists before it.
#[test]
fn no_module_uses_a_higher_one() {
    let layers: Vec<Vec<String>> = table("Layers").into_iter().map(|row| row[0].clone()).collect();
    let modules: Vec<String> = layers.iter().flatten().cloned().collect();
    let level = |module: &str| layers.iter().position(|layer| layer.iter().any(|name| name == module));
    let source = root().join("crates/dalembert/src");
    let mut present = BTreeSet::new();
    let mut wrong = Vec::new();
    for entry in fs::read_dir(&source).expect("the source").flatten() {
        let module = entry.path().file_stem().expect("a name").to_string_lossy().into_owned();
        if module == "lib" {
            continue;
        }
        present.insert(module.clone());
        for file in sources(&entry.path()) {
            for other in used(&code(&file), &modules) {
                if other != module && level(&other) >= level(&module) {
                    wrong.push(format!("{} uses {other}", file.strip_prefix(&source).expect("below").display()));
                }
            }
        }
    }
    assert_eq!(modules.into_iter().collect::<BTreeSet<_>>(), present, "the layers list the modules");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Only a family's own folder knows what family a robot is of: nobody else asks for its type or names a family.
#[test]
fn nobody_asks_which_family() {
    let families = root().join("crates/dalembert/src/robot/families");
    let mut wrong = Vec::new();
    for member in ["dalembert", "cli"] {
        for file in sources(&root().join(format!("crates/{member}/src"))) {
            if file.starts_with(&families) {
                continue;
            }
            for line in code(&file) {
                let asks = ["families::delta", "families::chain", "of_type", "downcast_ref", "kind().name =="];
                if asks.iter().any(|question| line.contains(question)) {
                    wrong.push(format!("{}: {line}", file.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A crate is compiled once, for its users and for its tests alike: a test inside of it would never run.
#[test]
fn tests_stand_beside_the_source() {
    for member in ["core", "symbolic", "compiled", "generated", "linear", "dalembert", "cli"] {
        for file in sources(&root().join(format!("crates/{member}/src"))) {
            let inside = code(&file).iter().any(|line| line.contains("#[test]") || line.contains("cfg(test)"));
            assert!(!inside, "{} has tests; they belong into crates/{member}/tests", file.display());
        }
    }
}
