//! Options that the pages and the help name exist.

use crate::page::Page;
use crate::session::dalembert;
use crate::shell::simple_commands;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Options of other programs that a page names alone.
const OF_OTHERS: &[&str] = &["--release", "--test", "--nocapture"];

/// The options of each verb, by the words that call it (`check`, `bench two-wire`), and what its help says.
pub struct Help(BTreeMap<String, (BTreeSet<String>, String)>);

impl Help {
    pub fn read() -> Self {
        let mut all = BTreeMap::new();
        let mut open: Vec<String> = verbs(&help(&[]));
        while let Some(verb) = open.pop() {
            let text = help(&verb.split(' ').collect::<Vec<_>>());
            open.extend(verbs(&text).iter().map(|inner| format!("{verb} {inner}")));
            all.insert(verb, (options(&text), text));
        }
        all.insert("help".to_owned(), Default::default());
        Self(all)
    }

    /// The verb that these words call.
    fn verb(&self, words: &[String]) -> Option<&BTreeSet<String>> {
        let two = words.get(..2).and_then(|two| self.0.get(&two.join(" ")));
        two.or_else(|| self.0.get(words.first()?)).map(|(options, _)| options)
    }

    fn has(&self, words: &[String], option: &str) -> bool {
        match self.verb(words) {
            Some(options) => options.contains(option),
            None => self.0.values().any(|(options, _)| options.contains(option)) || OF_OTHERS.contains(&option),
        }
    }

    /// Options on a page that no verb has, or not the one that they stand with.
    pub fn wrong(&self, page: &Page) -> Vec<String> {
        let mut wrong = Vec::new();
        for (line, text) in page.commands() {
            for words in simple_commands(text) {
                let words = match words[0].as_str() {
                    "dalembert"
                        if words.len() > 1 && self.verb(&words[1..]).is_none() && !words[1].starts_with(['-', '…']) =>
                    {
                        wrong.push(format!("{}:{line}: `{}` is not a verb", page.name, words[1]));
                        continue;
                    }
                    "dalembert" => &words[1..],
                    "cargo" | "cc" | "chromium" | "arm-none-eabi-gcc" => continue,
                    _ => &words[..],
                };
                let missing = named(&words.join(" ")).into_iter().filter(|option| !self.has(words, option));
                wrong.extend(missing.map(|option| format!("{}:{line}: no `{option}` in `{text}`", page.name)));
            }
        }
        wrong
    }

    /// Options that the help names and no verb has. Examples are checked by their verb.
    pub fn wrong_in_help(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        for (verb, (_, text)) in &self.0 {
            for line in text.lines() {
                let example = line.trim().strip_prefix("dalembert ").map(simple_commands);
                let words = example.and_then(|commands| commands.into_iter().next()).unwrap_or_default();
                let missing = named(line).into_iter().filter(|option| !self.has(&words, option));
                wrong.extend(missing.map(|option| format!("help {verb}: no `{option}` in `{}`", line.trim())));
            }
        }
        wrong
    }
}

fn help(verb: &[&str]) -> String {
    let output =
        Command::new(dalembert()).arg("help").args(verb).env("COLUMNS", "200").output().expect("the command starts");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The verbs that a help lists.
fn verbs(help: &str) -> Vec<String> {
    let list = help.split("Commands:\n").nth(1).unwrap_or("").lines().take_while(|line| !line.is_empty());
    let names = list.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").map(str::to_owned).collect()
}

/// The options that a help lists, with their aliases.
fn options(help: &str) -> BTreeSet<String> {
    let listed = |line: &&str| line.trim_start().starts_with('-') || line.contains("[alias");
    help.lines().filter(listed).flat_map(named).chain(["--help".into(), "--version".into()]).collect()
}

/// Every `--option` of a text.
fn named(text: &str) -> Vec<String> {
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let starts = text.match_indices("--").map(|(at, _)| at);
    let own = |&at: &usize| !text[..at].ends_with(|c: char| c == '-' || c.is_alphanumeric());
    let option = |at: usize| text[at..].chars().take_while(|&c| is_part(c)).collect::<String>();
    let option = |at: usize| option(at).trim_end_matches('-').to_owned();
    starts.filter(own).map(option).filter(|option| option.len() > 2).collect()
}
