//! The papers' control experiments on our robots, as tables and charts.
//!
//! `cargo run --release -p dalembert --example control -- docs/images` writes the charts there; without a folder there are
//! only the tables. What they show is told in `docs/control.md`.

mod circle;
mod plotting;
mod profiles;
mod regulators;
mod torques;

use dalembert::Vec3;
use dalembert::record::plot::{Chart, Line, Series};
use plotting::{chart, line, panel, series};
use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).map(PathBuf::from);
    for (name, chart) in [
        ("control-regulators", show_regulators()?),
        ("control-profiles", show_profiles()?),
        ("control-circle", show_circle()?),
        ("control-torques", show_torques()?),
    ] {
        if let Some(folder) = &folder {
            std::fs::write(folder.join(format!("{name}.svg")), chart.to_svg())?;
        }
    }
    Ok(())
}

fn show_regulators() -> Result<Chart, Box<dyn Error>> {
    let runs = regulators::run()?;
    println!("Regulators (Codourey, Figure 7)\n");
    println!("| regulator | largest error, mm | RMS, mm | peak torque, N m |\n| --- | --- | --- | --- |");
    for run in &runs {
        let s = &run.summary;
        let peak = s.torque_peak.iter().copied().fold(0.0, f64::max);
        println!("| {} | {:.2} | {:.2} | {peak:.1} |", run.tuning.label, 1e3 * s.error_max, 1e3 * s.error_rms);
    }
    println!("\nup to {:.0} m/s²\n", runs[0].summary.acceleration_peak);
    let end = runs[0].summary.duration;
    let mut chart = chart(
        "Tracking error of the regulators",
        "direct-drive-assumed, semi-ellipse 250 × 50 mm and back, sine on ramp; model codourey-simplified, robot exact with friction, 2 ms current rise",
        (0.0, end + 0.1),
        1,
    );
    chart.series = runs.iter().enumerate().map(|(i, run)| series(&run.tuning.label, i)).collect();
    let errors = |from: usize| runs.iter().enumerate().skip(from).map(|(i, run)| line(run, "error", 1e3, i)).collect();
    chart.panels = vec![panel("all", "mm", errors(0)), panel("with the full model", "mm", errors(2))];
    chart.marks = vec![(0.5 * end, "turns back".into()), (end, "holds".into())];
    Ok(chart)
}

fn show_profiles() -> Result<Chart, Box<dyn Error>> {
    let arrivals = profiles::run()?;
    println!("Profiles (Codourey, Figure 8)\n");
    println!(
        "| profile | overshoot after the arrival, mm | within 0.1 mm of rest after, ms | largest error, mm |\n| --- | --- | --- | --- |"
    );
    for a in &arrivals {
        let most = 1e3 * a.run.summary.error_max;
        println!("| {} | {:.2} | {:.0} | {most:.2} |", a.name, 1e3 * a.overshoot, 1e3 * a.settling);
    }
    println!();
    let end = arrivals[0].run.summary.duration;
    let mut chart = chart(
        "Arrival with three profiles of the same duration",
        "direct-drive-assumed under regulator 4 (full-model feed-forward, T_m = 2 ms)",
        (end - 0.06, end + 0.1),
        1,
    );
    chart.series = arrivals.iter().enumerate().map(|(i, arrival)| series(arrival.name, i)).collect();
    let near = |column: &str| -> Vec<Line> {
        let all = arrivals.iter().enumerate().map(|(i, arrival)| line(&arrival.run, column, 1e3, i));
        all.map(|mut line| {
            line.points.retain(|(t, _)| *t > end - 0.06);
            line
        })
        .collect()
    };
    chart.panels = vec![
        panel("distance from where it should be", "mm", near("error")),
        panel("along the stroke", "mm", near("error_y")),
    ];
    chart.marks = vec![(end, "arrival".into())];
    Ok(chart)
}

/// Torques of one motor, thinned out to what a chart can show.
fn torque_lines(times: &[f64], torques: &[Vec3<f64>], motor: usize, series: usize) -> Line {
    let points = times.iter().zip(torques).step_by(times.len().div_ceil(700));
    Line { series, points: points.map(|(t, torque)| (*t, torque[motor])).collect() }
}

fn show_circle() -> Result<Chart, Box<dyn Error>> {
    let circle = circle::run()?;
    println!("Circle (Asadi & Heydari, Figures 3 and 4)\n");
    println!(
        "tracking error up to {:.2} mm; predicted torques {:.3} N m RMS, motors minus friction off by {:.3} N m RMS\n",
        1e3 * circle.run.summary.error_max,
        circle.size,
        circle.difference
    );
    let mut chart = chart(
        "Torques over a circle of radius 250 mm",
        "asadi, joint PD, one turn in 2π s; friction subtracted, backlash of the gear left in",
        (0.0, circle.run.summary.duration),
        1,
    );
    chart.series = vec![
        series("motors, without friction", 0),
        Series { dash: "5 3", ..series("predicted by exact for the motion made", 1) },
    ];
    chart.panels = (0..3)
        .map(|motor| {
            let lines = vec![
                torque_lines(&circle.times, &circle.measured, motor, 0),
                torque_lines(&circle.times, &circle.predicted, motor, 1),
            ];
            panel(&format!("motor {}", motor + 1), "N m", lines)
        })
        .collect();
    Ok(chart)
}

fn show_torques() -> Result<Chart, Box<dyn Error>> {
    let all = torques::run()?;
    println!("Models against a \"real\" robot (Falezza et al., Figures 7–9, Tables 3–5)\n");
    println!("Mean and standard deviation of |measured − predicted|, N m\n");
    println!("| motion | {} |", torques::MODELS.map(|model| format!("`{}`", model.as_str())).join(" | "));
    println!("| --- | --- | --- | --- |");
    for one in &all {
        let cells = one.errors.map(|(mean, deviation)| format!("{mean:.2} ± {deviation:.2}"));
        println!("| {} | {} |", one.name, cells.join(" | "));
    }
    println!(
        "\ntracking error up to {}",
        all.iter().map(|one| format!("{:.2} mm", 1e3 * one.run.summary.error_max)).collect::<Vec<_>>().join(", ")
    );
    let longest = all.iter().filter_map(|one| one.times.last()).copied().fold(0.0, f64::max);
    let mut chart = chart(
        "Torque of motor 2: models against a \"real\" robot",
        "d3-1200 with friction, rotors, other masses and offsets that no model knows",
        (0.0, longest),
        1,
    );
    chart.series = vec![
        series("measured", 0),
        Series { dash: "2 3", ..series("falezza-simplified", 1) },
        series("falezza-complete", 2),
    ];
    chart.panels = all
        .iter()
        .map(|one| {
            let lines = vec![
                torque_lines(&one.times, &one.measured, 1, 0),
                torque_lines(&one.times, &one.predicted[0], 1, 1),
                torque_lines(&one.times, &one.predicted[1], 1, 2),
            ];
            panel(one.name, "N m", lines)
        })
        .collect();
    Ok(chart)
}
