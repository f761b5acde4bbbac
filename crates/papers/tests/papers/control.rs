//! The papers' control experiments: their findings, and the tables and charts of `docs/control.md`.
//!
//! After a wanted change: `cargo run --release -p dalembert-papers --example control -- docs/images` for the charts and the lines of
//! the page.

use super::example::{fast, shown};
use dalembert::control::{Backlash, Experiment, Law};
use dalembert::motion::{MotionOrder, Time};
use dalembert::robot::Robot;
use dalembert_papers::codourey::regulators;
use std::error::Error;
use std::path::Path;

const PAGE: &str = include_str!("../../../../docs/control.md");

fn stored(name: &str) -> Result<String, Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/images");
    Ok(std::fs::read_to_string(folder.join(format!("{name}.svg")))?)
}

/// Titles, legends and the numbers on the axes. The curves themselves are not compared: where gears have play and friction sticks,
/// a last digit that is rounded differently moves them by more than their thickness.
fn words(svg: &str) -> Vec<&str> {
    svg.split("<text").skip(1).filter_map(|part| part.split_once('>')?.1.split("</text>").next()).collect()
}

#[test]
fn the_papers_experiments_give_what_the_page_shows() -> Result<(), Box<dyn Error>> {
    let mut lacks = Vec::new();
    for shown in shown()? {
        lacks.extend(shown.lines.into_iter().filter(|line| !PAGE.contains(line.as_str())));
        if let Some(chart) = shown.chart {
            let (drawn, stored) = (chart.draw().to_svg(), stored(shown.name)?);
            assert_eq!(words(&drawn), words(&stored), "docs/images/{}.svg is stale", shown.name);
        }
    }
    assert!(lacks.is_empty(), "docs/control.md lacks:\n{}", lacks.join("\n"));
    Ok(())
}

/// Codourey 1998, Figure 7, under the stated conditions: the paper's factor is 6, and the more the model knows, the smaller
/// the error. The mass matrix in the loop changes nothing further (his text, and An, Atkeson & Hollerbach). Computed torque
/// without a look ahead is no better than the feed-forward without T_m: the current's rise hurts both alike.
#[test]
fn full_model_feedforward_beats_pd_by_six() -> Result<(), Box<dyn Error>> {
    let runs = regulators::run().map_err(|error| error as Box<dyn Error>)?;
    let error: Vec<f64> = runs.iter().map(|run| run.summary.error_max).collect();
    for run in &runs {
        assert_eq!((run.ended.clone(), run.summary.cut), (Ok(()), 0.0), "{}", run.tuning.label);
        assert!(run.summary.acceleration_peak > 100.0);
        println!("{:30} {:.3} mm", run.tuning.label, 1e3 * run.summary.error_max);
    }
    let [pd, acceleration, feedforward, shifted, mass, computed] = error[..] else { return Err("six runs".into()) };
    assert!(pd / shifted >= 6.0, "{}", pd / shifted);
    assert!(pd > acceleration && acceleration > feedforward && feedforward > shifted, "{error:?}");
    assert!((mass / shifted - 1.0).abs() < 0.1, "{error:?}");
    assert!((computed / feedforward - 1.0).abs() < 0.25, "{error:?}");
    Ok(())
}

/// 250 mm there and back above 3 Hz, in closed loop: with the limits of the robot file and with those of the AKM44G behind 1:25.
/// The time-optimal motion needs a share of the limits and smooth torques, then it is followed as well as a slow one: the drive
/// cuts nothing while the feed-forward looks ahead. With all of the limits something is cut.
#[test]
fn pick_and_place_above_three_hertz() -> Result<(), Box<dyn Error>> {
    for fast::Fast { drives, profile, runs } in fast::run()? {
        let [ahead, computed] = &runs;
        for run in &runs {
            let s = &run.summary;
            let (torque, speed) = s.used();
            assert!(run.ended.is_ok() && torque <= 1.0 && speed < 1.0, "{drives}, {profile}: {s:?}");
            assert!(1.0 / s.duration > 3.0, "{drives}, {profile}: {} s", s.duration);
        }
        let error = [ahead.summary.error_max, computed.summary.error_max];
        let cut = ahead.summary.cut;
        match profile {
            _ if profile.starts_with("sine") => {
                assert!(cut == 0.0 && error[0] < 5e-5 && error[1] < 1.5e-3, "{error:?}")
            }
            _ if profile.contains("all of") => assert!(cut > 0.0, "{drives}, {profile}: {cut}"),
            _ if profile.contains("not smoothed") => assert!(error[0] > 5e-4, "{error:?}"),
            _ => assert!(cut == 0.0 && error[0] < 5e-4, "{drives}, {profile}: {error:?} {cut}"),
        }
    }
    Ok(())
}

/// With a stiff gear without play the robot moves as without a gear; with play it is worse. Tolerance: the gear twists by
/// torque over stiffness, 30 N m / 2e4 N m/rad = 1.5 mrad, times an arm of 0.24 m.
#[test]
fn a_gear_without_play_is_no_gear() -> Result<(), Box<dyn Error>> {
    let mut experiment = regulators::experiment().map_err(|error| error as Box<dyn Error>)?;
    let tuning = experiment.tuning(Law::ComputedTorque);
    let error = |experiment: &Experiment| -> Result<f64, Box<dyn Error>> {
        let run = experiment.run(&tuning, &mut |_| true)?;
        run.ended?;
        Ok(run.summary.error_max)
    };
    let direct = error(&experiment)?;
    let gear = |gap: f64| Some(Backlash { gap, stiffness: 2e4, damping: 2.0 });
    experiment.drive.backlash = gear(0.0);
    let tight = error(&experiment)?;
    experiment.drive.backlash = gear(0.02);
    let loose = error(&experiment)?;
    assert!((tight - direct).abs() < 4e-4, "{tight} {direct}");
    assert!(loose > tight + 5e-4, "{loose} {tight}");
    let mut free = experiment.clone();
    free.robot = Robot::find("d3-1200")?;
    free.known = free.robot.clone();
    free.follow(&MotionOrder { time: Some(Time::Cycle(0.5)), ..MotionOrder::default() })?;
    let refused = free.run(&tuning, &mut |_| true).err().map(|error| error.to_string());
    assert!(refused.is_some_and(|error| error.contains("no rotor inertia")));
    Ok(())
}
