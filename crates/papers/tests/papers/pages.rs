//! The papers' pages: their figures are what is stored, the table of `docs/papers/README.md` is what they say, and what the
//! documentation of the papers' models names is there.
//!
//! After a wanted change: `INSTA_UPDATE=always UPDATE_DOCS=1 cargo test --release -p dalembert-papers --test papers pages::`, then look
//! at the diff.

use dalembert::report::text::human;
use dalembert_papers::{Ours, PAPERS, Paper, PaperRequest, PaperVerdict, paper};
use std::collections::HashSet;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every printed value and ours, but for times of this machine.
fn stored(paper: &Paper) -> String {
    let mut text = String::new();
    for item in &paper.items {
        let _ = writeln!(text, "{}: {}", item.number, item.verdict.map_or("a drawing", PaperVerdict::as_str));
        for row in item.tables.iter().flat_map(|table| &table.rows) {
            let ours = match &row.ours {
                Ours::Number(value) => human(*value, 3),
                Ours::Words(words) => words.clone(),
                Ours::Measured(_) | Ours::Nothing => continue,
            };
            let printed = row.printed.as_deref().unwrap_or("–");
            let _ = writeln!(text, "  {} | {printed} | {ours} {}", row.what, row.unit);
        }
    }
    text
}

/// The rows of the table in `docs/papers/README.md`.
fn overview(paper: &Paper) -> String {
    let mut text = String::new();
    for item in &paper.items {
        let verdict = item.verdict.map_or("a drawing", PaperVerdict::as_str);
        let command = if item.command.is_empty() { item.because.clone() } else { format!("`{}`", item.command) };
        let name = paper.name;
        let _ = writeln!(text, "| [{name}]({name}.md) | {} | {} | {verdict} | {command} |", item.number, item.title);
    }
    text
}

const HEAD: &str = "| paper | | what | verdict | command, or why there is none |\n| --- | --- | --- | --- | --- |\n";

#[test]
fn pages_give_what_is_stored() -> Result<(), Box<dyn Error>> {
    let mut table = String::from(HEAD);
    for wanted in PAPERS {
        let name = wanted.name;
        let paper = paper(&PaperRequest { paper: wanted, timing: Duration::ZERO }, &mut ())?;
        insta::assert_snapshot!(name, stored(&paper));
        table += &overview(&paper);
        let html = paper.to_html();
        for wrong in ["NaN", "inf ", "src=", "<script", "<td></td><td>–</td><td>–</td>"] {
            assert!(!html.contains(wrong), "{name}: {wrong}");
        }
        for (figure, drawn) in paper.items.iter().flat_map(|item| &item.figures) {
            assert!(drawn.to_svg().contains("<path"), "{figure} is empty");
            assert!(drawn.to_csv().lines().count() > 2, "{figure} has no numbers");
        }
        // Every item of the contents is there, and a picture has its own clips.
        assert_eq!(html.matches("<section id=").count(), paper.items.len() + 1);
        let clips: Vec<&str> =
            html.split("<clipPath id=\"").skip(1).filter_map(|part| part.split('"').next()).collect();
        assert_eq!(clips.iter().collect::<HashSet<_>>().len(), clips.len(), "clips of one name");
    }
    let path = root().join("docs/papers/README.md");
    let page = fs::read_to_string(&path)?;
    let (before, rest) = page.split_once(HEAD).ok_or("the page has no table")?;
    let after = rest.split_once("\n\n").map_or("", |(_, after)| after);
    let wanted = format!("{before}{table}\n{after}");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &wanted)?;
    } else {
        assert_eq!(page, wanted, "docs/papers/README.md is stale");
    }
    Ok(())
}

/// All Rust sources of the library.
fn sources() -> Result<String, Box<dyn Error>> {
    fn read(folder: &Path, all: &mut String) -> Result<(), Box<dyn Error>> {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                read(&path, all)?;
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                // Comments name what they want; code has it.
                for line in fs::read_to_string(&path)?.lines().filter(|line| !line.trim_start().starts_with("//")) {
                    all.push_str(line);
                    all.push('\n');
                }
            }
        }
        Ok(())
    }
    let mut all = String::new();
    for name in ["core", "mechanism", "robot", "dalembert", "symbolic", "identify", "linear"] {
        read(&root().join("crates").join(name).join("src"), &mut all)?;
    }
    Ok(all)
}

/// What stands between backticks, without what is around names in links to code.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// A name of code: `Type::name`, `Type`, `name`, `value.field`.
fn names(quoted: &str) -> Vec<&str> {
    let is_name = |part: &&str| {
        part.chars().next().is_some_and(|c| c.is_ascii_alphabetic())
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let parts: Vec<&str> = quoted.split("::").flat_map(|part| part.split('.')).collect();
    let file =
        ["toml", "rs", "md", "csv", "html", "m", "py"].iter().any(|ending| quoted.ends_with(&format!(".{ending}")));
    if quoted.contains([' ', '/', '-', '(', '=']) || file || !parts.iter().all(is_name) {
        return Vec::new();
    }
    // Symbols of the papers: `X`, `m_C`, `k_ii`, `I23`, `DAMPING`.
    let symbol = |part: &&&str| {
        let letter = part.split('_').next().is_some_and(|first| first.len() == 1) && part.contains('_');
        part.len() <= 2 || letter || !part.chars().any(|c| c.is_ascii_lowercase())
    };
    if parts.len() == 1 && parts.iter().any(|part| symbol(&part) || part.chars().any(|c| c.is_ascii_digit())) {
        return Vec::new();
    }
    parts
}

/// The heads of the papers' models and the pages of the papers name only what exists.
#[test]
fn what_the_papers_documentation_names_exists() -> Result<(), Box<dyn Error>> {
    let sources = sources()?;
    let words: HashSet<&str> = sources.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
    let robots = fs::read_dir(root().join("robots"))?
        .filter_map(|entry| Some(entry.ok()?.path().file_stem()?.to_str()?.to_owned()));
    let robots: Vec<String> = robots.collect();
    let mut texts = Vec::new();
    for folder in
        ["crates/core/src/delta/models", "crates/core/src/delta/models/falezza", "crates/core/src/serial/puma"]
    {
        for entry in fs::read_dir(root().join(folder))? {
            let path = entry?.path();
            if path.extension().is_some_and(|ending| ending == "rs") {
                let text = fs::read_to_string(&path)?;
                let head = text.lines().filter_map(|line| line.strip_prefix("//!")).collect::<Vec<_>>().join("\n");
                texts.push((path, head));
            }
        }
    }
    for entry in fs::read_dir(root().join("docs/papers"))? {
        let path = entry?.path();
        texts.push((path.clone(), fs::read_to_string(&path)?));
    }
    let mut missing = Vec::new();
    for (path, text) in &texts {
        for quoted in quoted(text) {
            for name in names(quoted) {
                // A field is one of what stands before it.
                let field = !quoted.contains('.') || sources.contains(quoted);
                if !(robots.iter().any(|robot| robot == name) || words.contains(name) && field) {
                    missing.push(format!(
                        "{}: `{quoted}`: there is no `{name}`",
                        path.file_name().unwrap_or_default().display()
                    ));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    Ok(())
}
