//! One page as a session: its files are written, its commands run, and what they print is compared with what it shows.

use crate::page::{Item, Page, Shown};
use crate::shell::{Plan, plan, simple_commands};
use crate::{NOT_RUN, root};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use std::{env, fs};

/// Folders of the repository that a page's folder has, too.
const FOLDERS: &[&str] = &["robots", "experiments", "scenes", "motors", "tools/story"];

/// The command that runs: the one of this build, or the one that the environment names.
pub fn dalembert() -> PathBuf {
    env::var_os("DALEMBERT").map_or_else(|| env!("CARGO_BIN_EXE_dalembert").into(), PathBuf::from)
}

/// Runs a page; what fails, with its line. With `update` the page is rewritten instead where it shows something else.
pub fn run(page: &Page, update: bool) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    prepare(folder.path());
    let (mut failures, mut lines, mut ran) = (Vec::new(), page.lines.clone(), HashSet::new());
    let mut replaced: Vec<(&Shown, Vec<String>)> = Vec::new();
    for item in &page.items {
        let (line, text, shown) = match item {
            Item::File { name, text } => {
                fs::write(folder.path().join(name), text).expect("a file of the page");
                continue;
            }
            Item::Command { line, command, shown } => (*line, command.as_str(), shown.as_ref()),
            Item::Inline { line, text } if is_complete(text) && ran.insert(text) => (*line, text.as_str(), None),
            Item::Inline { .. } => continue,
        };
        if NOT_RUN.iter().any(|(name, start, _)| page.name == *name && text.starts_with(start)) {
            continue;
        }
        let mut fail = |what: &str| failures.push(format!("{}:{line}: {text}\n{what}", page.name));
        let command = match plan(text) {
            Plan::Run(command) => command,
            Plan::Leave => continue,
            Plan::Unknown(program) => {
                fail(&format!("`{program}` is a program that tests/pages/shell.rs does not list"));
                continue;
            }
        };
        let (good, printed) = execute(folder.path(), &command);
        let wanted = !shown.is_some_and(|shown| shown.lines[0].starts_with("error"));
        if good != wanted {
            fail(&format!("{}\n{printed}", if good { "does not fail, as the page says" } else { "fails" }));
            continue;
        }
        let Some(shown) = shown else { continue };
        let printed: Vec<&str> = printed.lines().map(str::trim_end).collect();
        if !matches(&shown.lines, &printed) {
            if update {
                replaced.push((shown, renewed(&shown.lines, &printed)));
            } else {
                fail(&format!("the page shows\n{}\nand it prints\n{}", shown.lines.join("\n"), printed.join("\n")));
            }
        }
    }
    for (shown, new) in replaced.iter().rev() {
        let indented = new.iter().map(|line| format!("{}{line}", " ".repeat(shown.indent)));
        lines.splice(shown.first..shown.first + shown.lines.len(), indented);
    }
    if !replaced.is_empty() {
        fs::write(&page.path, lines.join("\n") + "\n").expect("the page can be written");
    }
    failures.extend(stale_pictures(page, folder.path(), update));
    failures
}

/// The folder of a page: what the repository has, the command, and a place for pictures.
fn prepare(folder: &Path) {
    fn copy(from: &Path, to: &Path) {
        fs::create_dir_all(to).expect("a folder");
        for entry in fs::read_dir(from).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            let to = to.join(entry.file_name().expect("a name"));
            if entry.is_dir() {
                copy(&entry, &to);
            } else {
                fs::copy(&entry, &to).expect("a copy");
            }
        }
    }
    for name in FOLDERS {
        copy(&root().join(name), &folder.join(name));
    }
    fs::create_dir_all(folder.join("docs/images")).expect("a folder");
    fs::create_dir(folder.join(".bin")).expect("a folder");
    let (command, link) = (fs::canonicalize(dalembert()).expect("the command"), folder.join(".bin/dalembert"));
    fs::hard_link(&command, &link).or_else(|_| fs::copy(&command, &link).map(drop)).expect("the command");
}

/// Whether the command went well, and what it printed on both streams.
fn execute(folder: &Path, command: &str) -> (bool, String) {
    let path = format!("{}:{}", folder.join(".bin").display(), env::var("PATH").unwrap_or_default());
    let started = Instant::now();
    let output = Command::new("bash")
        .args(["-c", &format!("set -o pipefail; exec 2>&1\n{command}")])
        .current_dir(folder)
        .env("PATH", path)
        .env("COLUMNS", "100")
        .env("DALEMBERT_CACHE", folder.join(".cache"))
        .stdin(Stdio::null())
        .output()
        .expect("bash starts");
    println!("{:6.2} s  {command}", started.elapsed().as_secs_f64());
    (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether what stands between backticks is a command that can run: not a pattern, and not a verb alone.
fn is_complete(text: &str) -> bool {
    let commands = simple_commands(text);
    let Some([program, verb, rest @ ..]) = commands.first().map(Vec::as_slice) else { return false };
    let pattern = |word: &String| word.contains('…') || word.chars().all(|c| c.is_ascii_uppercase());
    let alone = rest.first().is_none_or(|word| word.starts_with('-')) || verb == "bench" && rest.len() == 1;
    program == "dalembert" && !alone && !rest.iter().any(pattern)
}

/// Whether lines are what a page shows.
fn matches(shown: &[String], printed: &[&str]) -> bool {
    match shown {
        [] => printed.iter().all(|line| line.is_empty()),
        [dots, rest @ ..] if dots.trim() == "…" => (0..=printed.len()).any(|at| matches(rest, &printed[at..])),
        [first, rest @ ..] => printed.first().is_some_and(|line| fits(first, line)) && matches(rest, &printed[1..]),
    }
}

/// Whether a line is what a page shows, in which `…` stands for any text.
fn fits(shown: &str, line: &str) -> bool {
    let mut parts = shown.trim_end().split('…');
    let Some(mut rest) = line.strip_prefix(parts.next().unwrap_or("")) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

/// What a page should show: everything that is printed, or, where it leaves lines out, those that it shows with today's figures. A line
/// whose like is not printed stays as it is, and fails in the next run.
fn renewed(shown: &[String], printed: &[&str]) -> Vec<String> {
    let dots = |line: &String| line.trim() == "…";
    if !shown.iter().any(dots) {
        let renewed = |(at, line): (usize, &&str)| shown.get(at).map_or_else(|| (*line).into(), |old| renew(old, line));
        return printed.iter().enumerate().map(renewed).collect();
    }
    let (mut new, mut after) = (Vec::<String>::new(), 0);
    for old in shown {
        let like = |same: fn(&str, &str) -> bool| (after..printed.len()).find(|&at| same(old, printed[at]));
        let found = like(fits).or_else(|| like(|old, line| skeleton(old) == skeleton(&renew(old, line))));
        match found.or_else(|| like(|old, line| label(old) == label(line))) {
            Some(at) if !dots(old) => {
                if at > after && !new.last().is_some_and(dots) {
                    new.push("…".into());
                }
                new.push(renew(old, printed[at]));
                after = at + 1;
            }
            _ => new.push(old.clone()),
        }
    }
    new
}

/// A printed line for one that a page shows: the same words of it, where the page leaves the rest out.
fn renew(old: &str, line: &str) -> String {
    match old.split_once('…') {
        _ if fits(old, line) => old.to_owned(),
        Some((start, end)) if !start.trim().is_empty() => {
            let last = line.split_whitespace().nth(start.split_whitespace().count() - 1);
            let kept = last.map_or(line, |word| &line[..word.as_ptr() as usize - line.as_ptr() as usize + word.len()]);
            format!("{} …{end}", kept)
        }
        _ => line.to_owned(),
    }
}

/// A line without its figures.
fn skeleton(line: &str) -> String {
    let plain = line.replace(|c: char| c.is_ascii_digit() || "−-.".contains(c), "");
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What a line is about: its words before the first figure.
fn label(line: &str) -> &str {
    let end = line.find(|c: char| c.is_ascii_digit() || c == '−').unwrap_or(line.len());
    if line[..end].trim().is_empty() { line } else { &line[..end] }
}

/// Pictures that commands of the page drew into `docs/images` are those of the repository.
fn stale_pictures(page: &Page, folder: &Path, update: bool) -> Vec<String> {
    let mut stale = Vec::new();
    for entry in fs::read_dir(folder.join("docs/images")).expect("a folder").map(|entry| entry.expect("an entry")) {
        let stored = root().join("docs/images").join(entry.file_name());
        let (new, old) = (fs::read(entry.path()).expect("a picture"), fs::read(&stored).unwrap_or_default());
        if new != old && update {
            fs::write(&stored, new).expect("the picture can be written");
        } else if new != old {
            stale.push(format!("{}: docs/images/{} is stale", page.name, entry.file_name().to_string_lossy()));
        }
    }
    stale
}
