//! Every command line of README.md and of the pages of documentation runs, and prints what its page shows.
//!
//! A page is a session in one folder, from its first line to its last. How it is marked:
//!
//! - A block whose info string has `file=NAME` (```` ```toml file=my-robot.toml ````) is that file of the folder. Markdown shows nothing
//!   of it. The folder also has the repository's `robots`, `experiments`, `scenes` and `motors`, and `docs/images` for pictures.
//! - Every line of a `sh` block is a command, which has to succeed.
//! - In a `text` block a line with `$ ` is a command, and the lines after it are what it prints, on both streams. A line `…` stands for
//!   any lines, an `…` within a line for any text. What begins with `error` has to fail.
//! - A command between backticks in a sentence or in a table runs too, unless it is a pattern (`dalembert compare ROBOT`) or a verb alone.
//!
//! Programs other than `dalembert` are listed in `shell.rs`; one that is not is a failure. Commands that cannot run are listed here.
//!
//! After a wanted change: `UPDATE_DOCS=1 cargo test --release -p dalembert-cli --test pages`, then review the diff. It writes what is
//! printed into the pages and the pictures into `docs/images`. `DALEMBERT=PATH` runs another build of the command, `DALEMBERT_PAGE=motion`
//! only the pages whose name has this.

mod options;
mod page;
mod session;
mod shell;

use page::Page;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, thread};

/// Commands that do not run here: the page, how the command begins, and why.
const NOT_RUN: &[(&str, &str, &str)] = &[
    ("docs/c.md", "", "tests of crates/capi build the C library and programs against it"),
    ("docs/identification.md", "dalembert identify tx40.toml", "the public log of the arm is not in the repository"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All pages: what the repository's folders have, but for the list of changes, which names what is gone.
fn pages() -> Vec<Page> {
    fn markdown(folder: &Path, all: &mut Vec<PathBuf>) {
        let mut entries: Vec<_> =
            fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
        entries.sort();
        for path in entries {
            if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
                markdown(&path, all);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                all.push(path);
            }
        }
    }
    let mut paths: Vec<PathBuf> =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|name| root().join(name)).into();
    markdown(&root().join("docs"), &mut paths);
    markdown(&root().join("crates"), &mut paths);
    let name = |path: &Path| path.strip_prefix(root()).expect("below the root").to_string_lossy().replace('\\', "/");
    paths.iter().map(|path| Page::read(name(path), path)).collect()
}

#[test]
fn every_command_runs_and_prints_what_its_page_shows() {
    let mut pages = pages();
    if let Ok(part) = env::var("DALEMBERT_PAGE") {
        pages.retain(|page| page.name.contains(&part));
    }
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let update = env::var_os("UPDATE_DOCS").is_some();
    let workers = thread::available_parallelism().map_or(2, usize::from).min(4);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(page) = pages.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = session::run(page, update);
                    failures.lock().expect("no panic").extend(found);
                }
            });
        }
    });
    let mut failures = failures.into_inner().expect("no panic");
    failures.sort();
    let unused = NOT_RUN.iter().filter(|(name, start, _)| {
        pages.iter().any(|page| page.name == *name && !page.commands().any(|(_, command)| command.starts_with(start)))
    });
    failures.extend(unused.map(|(name, start, _)| format!("{name}: no command begins with `{start}`")));
    assert!(failures.is_empty(), "{} failures\n\n{}", failures.len(), failures.join("\n\n"));
}

#[test]
fn every_option_in_the_pages_exists() {
    let help = options::Help::read();
    let failures: Vec<String> = pages().iter().flat_map(|page| help.wrong(page)).chain(help.wrong_in_help()).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
