//! `paper`: a paper's tables and figures again, ours beside the printed ones.

use crate::prelude::*;
use dalembert::suggest;
use dalembert_papers::{PAPERS, Paper, PaperRequest, PaperVerdict, paper};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

#[derive(Args)]
#[command(after_help = "\
Runs the experiments of a paper and writes FOLDER/NAME.html, a self-contained page. It has every numbered table and figure, \
printed and computed values, their difference, a verdict with its reason, errata and assumptions. The numbers of every \
figure go to FOLDER/NAME-figure-N.csv.

Examples:
  dalembert paper codourey
  dalembert paper all --out pages
  dalembert paper falezza --json                          the tables, no files")]
pub struct PaperArguments {
    /// asadi, armstrong, bortoff, codourey, falezza, or all
    name: String,
    /// Folder of the pages; created if missing
    #[arg(short, long, value_name = "FOLDER", default_value = "papers", conflicts_with = "json")]
    out: String,
    /// Time spent on each speed measurement, ms; 0: none
    #[arg(long, value_name = "MS", default_value = "20", value_parser = clap::value_parser!(u64).range(0..=10_000))]
    milliseconds: u64,
    /// Print JSON instead
    #[arg(long)]
    json: bool,
}

fn wanted(name: &str) -> Result<Vec<Paper>, Failure> {
    let found: Vec<Paper> = PAPERS.into_iter().filter(|paper| name == "all" || name == paper.name).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let names: Vec<&str> = PAPERS.iter().map(|paper| paper.name).chain(["all"]).collect();
    let near = suggest::closest(name, names.iter().copied());
    let hint = near.map_or(format!("there are {}", names.join(", ")), |near| format!("did you mean `{near}`?"));
    Err(Failure::new(format!("there is no paper `{name}`")).hint(hint))
}

fn write(folder: &Path, name: &str, text: &str) -> Result<(), Failure> {
    let mut sink = Sink::new(&folder.join(name).display().to_string())?;
    sink.text(text)?;
    sink.finish()
}

fn tell(paper: &Paper, screen: &mut Screen) {
    screen.heading(paper.citation);
    let mut table = Table::new("lll");
    for item in &paper.items {
        table.row([item.number, item.verdict.map_or("–", PaperVerdict::as_str), item.title]);
    }
    screen.table(&table);
}

pub fn run(arguments: &PaperArguments, screen: &mut Screen) -> Result<(), Failure> {
    let papers = wanted(&arguments.name)?;
    let folder = Path::new(&arguments.out);
    if !arguments.json {
        std::fs::create_dir_all(folder)
            .map_err(|error| Failure::io(&format!("cannot make the folder {}", arguments.out), error))?;
    }
    let mut all = Vec::new();
    for (k, wanted) in papers.into_iter().enumerate() {
        let request = PaperRequest { paper: wanted, timing: Duration::from_millis(arguments.milliseconds) };
        let paper = paper(&request, &mut Progress::stoppable("papers"))?;
        if arguments.json {
            all.push(paper);
            continue;
        }
        let page = format!("{}.html", paper.name);
        write(folder, &page, &paper.to_html())?;
        for (file, figure) in paper.items.iter().flat_map(|item| &item.figures) {
            write(folder, file, &figure.to_csv())?;
        }
        if k > 0 {
            screen.line("");
        }
        tell(&paper, screen);
        screen.line(format!("  {}", folder.join(page).display()));
    }
    if arguments.json {
        screen.outcome(&BTreeMap::from([("papers", all)]))?;
    }
    Ok(())
}
