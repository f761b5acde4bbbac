//! The papers' control experiments on our robots, as tables and charts.
//!
//! `cargo run --release -p dalembert-papers --example control -- docs/images` writes the charts there; without a folder there are
//! only the tables. What they show is told in `docs/control.md`, and `tests/papers/control.rs` holds the page to it.

mod arms;
pub mod carrying;
pub mod fast;

use dalembert::report::chart::Chart;
use dalembert_papers::{asadi, codourey, falezza};
use std::error::Error;
use std::path::PathBuf;

/// What there is to show of an experiment: its heading, its lines, its chart if any.
pub struct Shown {
    /// Name of the chart's file.
    pub name: &'static str,
    /// What it is.
    pub title: &'static str,
    /// Rows of a table, or a sentence.
    pub lines: Vec<String>,
    /// The chart.
    pub chart: Option<Chart>,
}

/// All experiments.
pub fn shown() -> Result<Vec<Shown>, Box<dyn Error>> {
    Ok(vec![
        show_regulators()?,
        show_profiles()?,
        show_circle()?,
        show_torques()?,
        show_fast()?,
        show_arms()?,
        show_carrying()?,
    ])
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).map(PathBuf::from);
    for Shown { name, title, lines, chart } in shown()? {
        println!("{title}\n\n{}\n", lines.join("\n"));
        if let (Some(folder), Some(chart)) = (&folder, chart) {
            std::fs::write(folder.join(format!("{name}.svg")), chart.draw().to_svg())?;
        }
    }
    Ok(())
}

fn show_fast() -> Result<Shown, Box<dyn Error>> {
    let mut lines = vec![
        String::from(
            "| drives | profile | Hz | feedforward, mm | its torque | limits cut | computed-torque, mm | limits cut |",
        ),
        String::from("| --- | --- | --- | --- | --- | --- | --- | --- |"),
    ];
    for fast::Fast { drives, profile, runs: [ahead, computed] } in fast::run()? {
        let (a, c) = (&ahead.summary, &computed.summary);
        lines.push(format!(
            "| {drives} | {profile} | {:.2} | {:.3} | {:.0} % | {:.1} % | {:.2} | {:.1} % |",
            1.0 / a.duration,
            1e3 * a.error_max,
            100.0 * a.used().0,
            100.0 * a.cut,
            1e3 * c.error_max,
            100.0 * c.cut
        ));
    }
    Ok(Shown { name: "control-fast", title: "250 mm there and back above 3 Hz", lines, chart: None })
}

fn show_arms() -> Result<Shown, Box<dyn Error>> {
    let mut lines = vec![
        String::from(
            "| law | known exactly: largest error, mm | RMS, mm | 2 kg known as 1.6 kg: largest, mm | RMS, mm |",
        ),
        String::from("| --- | --- | --- | --- | --- |"),
    ];
    for (law, [known, wrong]) in arms::run()? {
        let (k, w) = (&known.summary, &wrong.summary);
        let numbers = [k.error_max, k.error_rms, w.error_max, w.error_rms].map(|error| format!("{:.3}", 1e3 * error));
        lines.push(format!("| {} | {} |", law.as_str(), numbers.join(" | ")));
    }
    Ok(Shown { name: "control-arms", title: "The PUMA 560 swings", lines, chart: None })
}

fn show_carrying() -> Result<Shown, Box<dyn Error>> {
    let mut lines = vec![
        String::from("| conditions | largest error, mm | at the end, mm | squeeze off by at most, N | RMS, N |"),
        String::from("| --- | --- | --- | --- | --- |"),
    ];
    for (name, done) in carrying::all()? {
        let s = &done.summary;
        let squeeze = s.squeeze.ok_or("two robots squeeze")?;
        lines.push(format!(
            "| {name} | {:.3} | {:.3} | {:.2} | {:.2} |",
            1e3 * s.error_max,
            1e3 * s.error_end,
            squeeze.error_max,
            squeeze.error_rms
        ));
    }
    Ok(Shown { name: "control-carrying", title: "Two Deltas carry one object", lines, chart: None })
}

fn show_regulators() -> Result<Shown, Box<dyn Error>> {
    let runs = codourey::regulators::run().map_err(|error| error as Box<dyn Error>)?;
    let mut lines = vec![
        String::from("| regulator | largest error, mm | RMS, mm | peak torque, N m |"),
        String::from("| --- | --- | --- | --- |"),
    ];
    for run in &runs {
        let s = &run.summary;
        let peak = s.torque_peak.iter().copied().fold(0.0, f64::max);
        let label = &run.tuning.label;
        lines.push(format!("| {label} | {:.2} | {:.2} | {peak:.1} |", 1e3 * s.error_max, 1e3 * s.error_rms));
    }
    let chart = codourey::figure_of_regulators(&runs);
    Ok(Shown { name: "control-regulators", title: "Regulators (Codourey, Figure 7)", lines, chart: Some(chart) })
}

fn show_profiles() -> Result<Shown, Box<dyn Error>> {
    let arrivals = codourey::profiles::run().map_err(|error| error as Box<dyn Error>)?;
    let mut lines = vec![
        String::from(
            "| profile | overshoot after the arrival, mm | within 0.1 mm of rest after, ms | largest error, mm |",
        ),
        String::from("| --- | --- | --- | --- |"),
    ];
    for a in &arrivals {
        let most = 1e3 * a.run.summary.error_max;
        lines.push(format!("| {} | {:.2} | {:.0} | {most:.2} |", a.name, 1e3 * a.overshoot, 1e3 * a.settling));
    }
    let chart = codourey::figure_of_profiles(&arrivals);
    Ok(Shown { name: "control-profiles", title: "Profiles (Codourey, Figure 8)", lines, chart: Some(chart) })
}

fn show_circle() -> Result<Shown, Box<dyn Error>> {
    let circle = asadi::circle::run().map_err(|error| error as Box<dyn Error>)?;
    let lines = vec![format!(
        "The tracking error is up to {:.1} mm. The predicted torques are {:.2} N m RMS; the motors' without friction are off by {:.3} N m RMS.",
        1e3 * circle.run.summary.error_max,
        circle.size,
        circle.difference
    )];
    let chart = asadi::torques(&circle);
    Ok(Shown { name: "control-circle", title: "Circle (Asadi & Heydari, Figures 3 and 4)", lines, chart: Some(chart) })
}

fn show_torques() -> Result<Shown, Box<dyn Error>> {
    let all = falezza::torques::run().map_err(|error| error as Box<dyn Error>)?;
    let names = falezza::torques::MODELS.map(|model| format!("`{}`", model.as_str())).join(" | ");
    let mut lines = vec![format!("| motion | {names} |"), String::from("| --- | --- | --- | --- |")];
    for one in &all {
        let cells = one.errors.map(|left| left.all).map(|(mean, deviation)| format!("{mean:.2} ± {deviation:.2}"));
        lines.push(format!("| {} | {} |", one.name, cells.join(" | ")));
    }
    let longest = all.iter().filter_map(|one| one.times.last()).copied().fold(0.0, f64::max);
    let mut chart = Chart::new(
        "Torque of motor 2: models against a \"real\" robot",
        "d3-1200 with friction, elastic gears, other masses and offsets that no model knows",
        "time, s",
        (0.0, longest),
    );
    chart.series = falezza::legend();
    chart.panels = all.iter().map(|one| one.panel(one.name, 1)).collect();
    let title = "Models against a \"real\" robot (Falezza et al., Figures 7–9, Tables 3–5)";
    Ok(Shown { name: "control-torques", title, lines, chart: Some(chart) })
}
