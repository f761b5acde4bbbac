//! ARCHITECTURE.md is true: it names what is there, all of it, and nothing that is gone.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

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
    let members: BTreeSet<String> = members().into_iter().collect();
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

/// Every member of the workspace.
fn members() -> Vec<String> {
    let manifest: toml::Table =
        fs::read_to_string(root().join("Cargo.toml")).expect("Cargo.toml").parse().expect("TOML");
    let members = manifest["workspace"]["members"].as_array().expect("members");
    members.iter().map(|member| member.as_str().expect("a path").to_owned()).collect()
}

/// A module as the path of its names from the crate's root.
type Module = Vec<String>;

/// The modules of a crate with their source.
fn modules(member: &str) -> BTreeMap<Module, PathBuf> {
    let source = root().join(member).join("src");
    let module = |file: PathBuf| {
        let below = file.strip_prefix(&source).expect("below").with_extension("");
        let mut path: Module = below.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        if path.last().is_some_and(|name| ["mod", "lib", "main"].contains(&name.as_str())) {
            path.pop();
        }
        (path, file)
    };
    sources(&source).into_iter().map(module).collect()
}

/// `a::{b, c::{d, e}}` as `a::b`, `a::c::d` and `a::c::e`.
fn leaves(tree: &str) -> Vec<Vec<String>> {
    let words = |path: &str| -> Vec<String> {
        let names = path.split("::").map(|name| name.split(" as ").next().unwrap_or("").trim().to_owned());
        names.filter(|name| !name.is_empty()).collect()
    };
    let Some(open) = tree.find('{') else { return vec![words(tree)] };
    let close = tree.rfind('}').unwrap_or(tree.len());
    let (mut depth, mut parts) = (0, vec![String::new()]);
    for sign in tree[open + 1..close].chars() {
        depth += i32::from(sign == '{') - i32::from(sign == '}');
        match sign {
            ',' if depth == 0 => parts.push(String::new()),
            _ => parts.last_mut().expect("one").push(sign),
        }
    }
    let before = words(&tree[..open]);
    let inner = parts.iter().filter(|part| !part.trim().is_empty()).flat_map(|part| leaves(part));
    inner.map(|rest| [before.clone(), rest].concat()).collect()
}

/// The modules of its crate that the code of a module names, by `use` or by a path that starts with `crate`, `self` or `super`.
fn used(module: &Module, file: &Path, all: &BTreeMap<Module, PathBuf>) -> BTreeSet<Module> {
    let lines = code(file);
    let mut paths = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let visible =
            line.strip_prefix("pub").map_or(line.as_str(), |rest| rest.trim_start_matches("(crate)").trim_start());
        if visible.starts_with("use ") || visible.starts_with("(super) use ") {
            let rest =
                std::iter::once(visible).chain(lines[i + 1..].iter().map(String::as_str)).collect::<Vec<_>>().join(" ");
            let tree = rest.split(';').next().unwrap_or("");
            paths.extend(leaves(tree.trim_start_matches("(super) ").trim_start_matches("use ")));
        }
    }
    let text = lines.join(" ");
    for word in text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')) {
        if ["crate::", "self::", "super::"].iter().any(|start| word.starts_with(start)) {
            paths.extend(leaves(word));
        }
    }
    let found = paths.into_iter().filter_map(|path| {
        let mut at = module.clone();
        let mut names = path.iter().peekable();
        match names.peek()?.as_str() {
            "crate" => (at, _) = (Vec::new(), names.next()),
            "self" => _ = names.next(),
            "super" => {
                while names.next_if(|name| *name == "super").is_some() {
                    at.pop();
                }
            }
            first if all.contains_key(&[at.clone(), vec![first.to_owned()]].concat()) => {}
            _ => return None,
        }
        while let Some(name) = names.next_if(|name| all.contains_key(&[at.clone(), vec![(*name).clone()]].concat())) {
            at.push(name.clone());
        }
        (at != *module).then_some(at)
    });
    found.collect()
}

/// Data goes one way: modules that stand side by side, in any crate and at any depth, do not use each other in a circle.
#[test]
fn no_modules_use_each_other_in_a_circle() {
    let mut circles = Vec::new();
    for member in members() {
        let all = modules(&member);
        let uses: Vec<(Module, Module)> = all
            .iter()
            .flat_map(|(module, file)| used(module, file, &all).into_iter().map(|other| (module.clone(), other)))
            .collect();
        let parents: BTreeSet<&[String]> = all.keys().filter_map(|module| Some(module.split_last()?.1)).collect();
        for parent in parents {
            let depth = parent.len();
            let child = |module: &Module| module.starts_with(parent).then(|| module.get(depth).cloned()).flatten();
            let mut edges: BTreeSet<(String, String)> =
                uses.iter().filter_map(|(one, other)| Some((child(one)?, child(other)?))).collect();
            edges.retain(|(one, other)| one != other);
            // What nobody uses, or uses nobody, is in no circle.
            loop {
                let (users, used): (BTreeSet<String>, BTreeSet<String>) = edges.iter().cloned().unzip();
                let before = edges.len();
                edges.retain(|(one, other)| used.contains(one) && users.contains(other));
                if edges.len() == before {
                    break;
                }
            }
            circles.extend(edges.into_iter().map(|edge| format!("{member}: {}::{edge:?}", parent.join("::"))));
        }
    }
    assert!(circles.is_empty(), "{circles:#?}");
}

/// Only a family's own folder knows what family a robot is of: nobody else asks for its type or names a family.
#[test]
fn nobody_asks_which_family() {
    let families = root().join("crates/robot/src/robot/families");
    let mut wrong = Vec::new();
    for member in ["robot", "dalembert", "papers", "cli", "capi"] {
        for file in sources(&root().join(format!("crates/{member}/src"))) {
            if file.starts_with(&families) {
                continue;
            }
            for line in code(&file) {
                let asks = ["families::delta", "families::chain", ".of_type", "kind().name =="];
                if asks.iter().any(|question| line.contains(question)) {
                    wrong.push(format!("{}: {line}", file.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The command and the tests are built with the same features of every dependency, so that none is compiled twice.
#[test]
fn the_command_and_the_tests_share_their_dependencies() {
    let tree = |arguments: &[&str]| -> BTreeSet<String> {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.current_dir(root()).args(["tree", "--prefix", "none", "--no-dedupe", "-f", "{p} {f}"]);
        let output = cargo.args(arguments).output().expect("cargo tree");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text").lines().map(|line| line.replace(" (*)", "")).collect()
    };
    let command = tree(&["-e", "normal,build"]);
    let tests = tree(&["--workspace", "-e", "normal,build,dev"]);
    let twice: Vec<&String> = command.difference(&tests).collect();
    assert!(twice.is_empty(), "name their features in crates/unified_features: {twice:#?}");
}

/// A crate is compiled once, for its users and for its tests alike: a test inside of it would never run.
#[test]
fn tests_stand_beside_the_source() {
    for member in members() {
        let manifest = fs::read_to_string(root().join(&member).join("Cargo.toml")).expect("a manifest");
        if !manifest.contains("test = false") {
            continue; // its own tests are run
        }
        for file in sources(&root().join(&member).join("src")) {
            let inside = code(&file).iter().any(|line| line.contains("#[test]") || line.contains("cfg(test)"));
            assert!(!inside, "{} has tests; they belong into {member}/tests", file.display());
        }
    }
}
