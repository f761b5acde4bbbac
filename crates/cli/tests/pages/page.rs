//! A page of documentation: the files it shows, its commands and what it says that they print.

use std::fs;
use std::path::{Path, PathBuf};

/// What stands on a page, in order.
pub enum Item {
    /// A file that the page shows.
    File { name: String, text: String },
    /// A command of a block, and what the page shows of its output.
    Command { line: usize, command: String, shown: Option<Shown> },
    /// What stands between backticks in a sentence.
    Inline { line: usize, text: String },
}

/// The lines of a page that show what a command prints: the number of the first one, from 0, and their text.
pub struct Shown {
    pub first: usize,
    pub indent: usize,
    pub lines: Vec<String>,
}

pub struct Page {
    pub name: String,
    pub path: PathBuf,
    pub lines: Vec<String>,
    pub items: Vec<Item>,
}

impl Page {
    pub fn read(name: String, path: &Path) -> Self {
        let text = fs::read_to_string(path).expect("a page");
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let items = items(&name, &lines);
        Self { name, path: path.to_owned(), lines, items }
    }

    /// Every command line with its line on the page: of blocks, and between backticks.
    pub fn commands(&self) -> impl Iterator<Item = (usize, &str)> {
        self.items.iter().filter_map(|item| match item {
            Item::File { .. } => None,
            Item::Command { line, command, .. } => Some((*line, command.as_str())),
            Item::Inline { line, text } => Some((*line, text.as_str())),
        })
    }
}

fn items(name: &str, lines: &[String]) -> Vec<Item> {
    let mut items = Vec::new();
    let (mut at, mut sentence) = (0, 0);
    while at < lines.len() {
        let trimmed = lines[at].trim_start();
        let Some(info) = trimmed.strip_prefix("```") else {
            at += 1;
            continue;
        };
        inline(&lines[sentence..at], sentence, &mut items);
        let indent = lines[at].len() - trimmed.len();
        let length = lines[at + 1..].iter().position(|line| line.trim_start().starts_with("```"));
        let end = at + 1 + length.unwrap_or_else(|| panic!("{name}:{}: a block without an end", at + 1));
        let block: Vec<&str> =
            lines[at + 1..end].iter().map(|line| line.get(indent..).unwrap_or(line.trim_start())).collect();
        let (language, file) = (info.split(' ').next().unwrap_or(""), info.split("file=").nth(1));
        if let Some(file) = file {
            items.push(Item::File { name: file.trim().to_owned(), text: block.join("\n") + "\n" });
        } else if language == "sh" {
            let none = |line, command: String| Item::Command { line, command, shown: None };
            items.extend(joined(&block).into_iter().map(|(line, text)| none(at + 2 + line, text)));
        } else if block.first().is_some_and(|line| line.starts_with("$ ")) {
            session(&block, at + 1, indent, &mut items);
        } else {
            let stray = block.iter().position(|line| line.starts_with("dalembert ") || line.starts_with("$ "));
            assert!(
                stray.is_none(),
                "{name}:{}: a command in a block that is neither `sh` nor begins with `$ `",
                at + 1
            );
        }
        at = end + 1;
        sentence = at;
    }
    inline(&lines[sentence..], sentence, &mut items);
    items
}

/// The commands of a block: one a line, or several lines while a quotation is open or a line ends in `\`.
fn joined(block: &[&str]) -> Vec<(usize, String)> {
    let (mut commands, mut open, mut first) = (Vec::new(), String::new(), 0);
    for (number, line) in block.iter().enumerate() {
        if open.is_empty() {
            first = number;
        }
        open += line;
        if crate::shell::is_open(&open) || line.ends_with('\\') {
            open += "\n";
        } else if !std::mem::take(&mut open).trim().is_empty() {
            commands.push((first, block[first..=number].join("\n")));
        }
    }
    commands
}

/// Commands after `$ ` with what they print.
fn session(block: &[&str], first: usize, indent: usize, items: &mut Vec<Item>) {
    let starts: Vec<usize> = (0..block.len()).filter(|&at| block[at].starts_with("$ ")).collect();
    for (index, &start) in starts.iter().enumerate() {
        let end = starts.get(index + 1).copied().unwrap_or(block.len());
        let lines: Vec<String> = block[start + 1..end].iter().map(|line| (*line).to_owned()).collect();
        let shown = (!lines.is_empty()).then_some(Shown { first: first + start + 1, indent, lines });
        items.push(Item::Command { line: first + start + 1, command: block[start][2..].to_owned(), shown });
    }
}

/// What stands between backticks, line by line or across the end of a line.
fn inline(lines: &[String], first: usize, items: &mut Vec<Item>) {
    let stray = lines.iter().position(|line| line.starts_with("    dalembert ") || line.starts_with("    $ "));
    assert!(stray.is_none(), "line {}: a command that is in no block", first + 1 + stray.unwrap_or(0));
    let text = lines.join("\n");
    let mut line = first + 1;
    for (number, part) in text.split('`').enumerate() {
        if number % 2 == 1 && !part.is_empty() && !part.contains("\n\n") {
            items.push(Item::Inline { line, text: part.replace('\n', " ") });
        }
        line += part.matches('\n').count();
    }
}
