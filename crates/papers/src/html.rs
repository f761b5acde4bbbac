//! A paper as one HTML page that needs no other file.

use super::{Ours, Paper, PaperItem, PaperRow, PaperVerdict};
use dalembert::report::chart::of_page;
use dalembert::report::escape::xml;
use dalembert::report::text::human;
use std::fmt::Write as _;

const ERRATA: &str = include_str!("../errata.md");

fn cells(tag: &str, cells: &[String]) -> String {
    cells.iter().map(|cell| format!("<{tag}>{cell}</{tag}>")).collect()
}

fn ours(row: &PaperRow) -> String {
    match &row.ours {
        Ours::Number(value) => xml(&human(*value, 5)),
        Ours::Measured(value) => {
            format!("<i title=\"measured on the machine that wrote this page\">{}</i>", human(*value, 3))
        }
        Ours::Words(words) => xml(words),
        Ours::Nothing => "–".into(),
    }
}

fn table_row(row: &PaperRow) -> String {
    let difference = row.difference.map_or(String::new(), |value| human(value, 2));
    let printed = row.printed.as_ref().map_or("–".to_owned(), |printed| xml(printed));
    let all = [xml(&row.what), printed, ours(row), difference, xml(row.unit)];
    format!("<tr>{}</tr>\n", cells("td", &all))
}

fn badge(verdict: Option<PaperVerdict>) -> String {
    let class = match verdict {
        Some(PaperVerdict::Reproduced) => "good",
        Some(PaperVerdict::Corrected) => "corrected",
        Some(PaperVerdict::NotAsPrinted) => "bad",
        Some(PaperVerdict::NotPublished) => "open",
        None => "none",
    };
    format!("<span class=\"verdict {class}\">{}</span>", verdict.map_or("a drawing", PaperVerdict::as_str))
}

impl PaperItem {
    /// Its name in links.
    fn anchor(&self) -> String {
        self.number.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    }

    /// `drawn` counts the pictures: the names of what clips them are different.
    fn to_html(&self, drawn: &mut usize) -> String {
        let mut html = format!(
            "<section id=\"{}\">\n<h2>{}: {}</h2>\n<p>{} {}{}</p>\n",
            self.anchor(),
            xml(self.number),
            xml(self.title),
            badge(self.verdict),
            xml(&self.because),
            if self.errata { " <a href=\"#errata\">The errata</a> have the evidence." } else { "" }
        );
        // Writing to a string does not fail.
        for table in &self.tables {
            let _ = write!(html, "<h3>{}</h3>\n<div class=\"wide\"><table>\n", xml(&table.title));
            let head = ["", "printed", "ours", "difference", "unit"].map(str::to_owned);
            let _ = writeln!(html, "<tr>{}</tr>", cells("th", &head));
            table.rows.iter().for_each(|row| html.push_str(&table_row(row)));
            html.push_str("</table></div>\n");
        }
        for (_, figure) in &self.figures {
            *drawn += 1;
            let _ = writeln!(html, "<figure>{}</figure>", of_page(&figure.to_svg(), *drawn));
        }
        if !self.command.is_empty() {
            let _ = writeln!(html, "<p class=\"command\"><code>{}</code></p>", xml(self.command));
        }
        html + "</section>\n"
    }
}

impl Paper {
    /// The page.
    pub fn to_html(&self) -> String {
        let mut drawn = 0;
        let entry = |item: &PaperItem| {
            let link = format!("<a href=\"#{}\">{}</a>", item.anchor(), xml(item.number));
            format!("<tr>{}</tr>\n", cells("td", &[link, xml(item.title), badge(item.verdict)]))
        };
        let contents: String = self.items.iter().map(entry).collect();
        let assumed: String = self.assumed.iter().map(|text| format!("<li>{}</li>\n", xml(text))).collect();
        let items: String = self.items.iter().map(|item| item.to_html(&mut drawn)).collect();
        format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{name}</title>\n<style>{STYLE}</style></head><body>\n\
             <h1>{citation}</h1>\n<p>{about}</p>\n<table class=\"contents\">\n{contents}</table>\n\
             <h2>What was assumed</h2>\n<ul>\n{assumed}</ul>\n{items}\
             <section id=\"errata\">\n<h2>Errata</h2>\n{errata}</section>\n\
             <footer>Written by dalembert {version}. Numbers in italics were measured on the machine that wrote the page.</footer>\n</body></html>\n",
            name = xml(self.citation),
            citation = xml(self.citation),
            about = xml(self.about),
            errata = markdown(section(ERRATA, self.errata)),
            version = env!("CARGO_PKG_VERSION"),
        )
    }
}

/// The text below a heading of the second level, up to the next one.
fn section<'t>(text: &'t str, heading: &str) -> &'t str {
    let mut parts = text.split("\n## ");
    parts.find_map(|part| part.strip_prefix(heading)?.split_once('\n')).map_or("", |(_, rest)| rest)
}

/// As much of Markdown as the errata use: headings, tables, lists, paragraphs; code, strong and links inside of them.
fn markdown(text: &str) -> String {
    let mut html = String::new();
    let mut open = "";
    // A blank line ends what is open.
    for line in text.lines().chain([""]) {
        let (kind, body) = match line.trim_end() {
            "" => ("", String::new()),
            row if row.starts_with('|') && row.chars().all(|c| "|-: ".contains(c)) => continue,
            row if row.starts_with('|') => {
                let row = row.trim_matches('|').replace("\\|", "&#124;");
                let all: Vec<String> = row.split('|').map(|cell| inline(cell.trim())).collect();
                ("table", format!("<tr>{}</tr>\n", cells(if open == "table" { "td" } else { "th" }, &all)))
            }
            item if item.starts_with("- ") || item.starts_with("* ") => {
                ("ul", format!("<li>{}</li>\n", inline(&item[2..])))
            }
            heading if heading.starts_with("### ") => ("h3", format!("<h3>{}</h3>\n", inline(&heading[4..]))),
            words => ("p", inline(words) + "\n"),
        };
        if kind != open {
            html.push_str(match open {
                "table" => "</table></div>\n",
                "ul" => "</ul>\n",
                "p" => "</p>\n",
                _ => "",
            });
            html.push_str(match kind {
                "table" => "<div class=\"wide\"><table class=\"words\">\n",
                "ul" => "<ul>\n",
                "p" => "<p>",
                _ => "",
            });
        }
        open = kind;
        html.push_str(&body);
    }
    html
}

/// Code, strong text, and links, of which the text is kept.
fn inline(text: &str) -> String {
    let text = xml(text).replace("&amp;#124;", "|");
    let mut html = String::new();
    for (k, part) in text.split('`').enumerate() {
        if k % 2 == 1 {
            let _ = write!(html, "<code>{part}</code>");
            continue;
        }
        for (k, part) in part.split("**").enumerate() {
            let part = unlinked(part);
            html += &if k % 2 == 1 { format!("<b>{part}</b>") } else { part };
        }
    }
    html
}

/// `[text](place)` becomes its text: the page has no other files.
fn unlinked(text: &str) -> String {
    let Some((before, rest)) = text.split_once('[') else { return text.to_owned() };
    match rest.split_once("](").and_then(|(words, rest)| Some((words, rest.split_once(')')?.1))) {
        Some((words, after)) => format!("{before}{words}{}", unlinked(after)),
        None => format!("{before}[{}", unlinked(rest)),
    }
}

/// White also where a reader prefers dark: the pictures are.
const STYLE: &str = "
:root{color-scheme:light}
body{font:15px/1.5 Helvetica,Arial,sans-serif;color:#222;background:#fff;max-width:1120px;margin:2rem auto;padding:0 1rem}
h1{font-size:1.35rem;line-height:1.35}h2{font-size:1.15rem;margin-top:2.2rem;border-top:1px solid #ddd;padding-top:1rem}h3{font-size:1rem;margin-bottom:.3rem}
table{border-collapse:collapse;margin:.4rem 0 1rem}
.wide{overflow-x:auto}
td,th{padding:.2rem .7rem;border-bottom:1px solid #e4e4e4;text-align:right;vertical-align:top}
th{color:#555;font-weight:600}
td:first-child,th:first-child,td:last-child,th:last-child,.words td,.words th,.contents td{text-align:left}
figure{margin:1rem 0}
svg{max-width:100%;height:auto}
.verdict{display:inline-block;font-size:.85rem;border-radius:3px;padding:0 .5em;margin-right:.3em;color:#fff;white-space:nowrap}
.good{background:#007a55}.corrected{background:#0072b2}.bad{background:#b00020}.open{background:#8a5a00}.none{background:#777}
.command code{background:#f3f3f3;padding:.2rem .5rem;display:inline-block}
code{font-family:'DejaVu Sans Mono',Consolas,monospace;font-size:.9em}
footer{margin-top:3rem;color:#666;font-size:.85rem}
";
