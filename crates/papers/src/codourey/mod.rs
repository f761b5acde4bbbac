//! Codourey 1998: virtual work, a simplified model, and regulators that use it.

pub mod profiles;
pub mod regulators;

use super::plot::{line, series};
use super::{Anything, Paper, PaperFigure, PaperItem, PaperRequest, PaperRow, PaperVerdict};
use dalembert::Vec3;
use dalembert::analyze::operations;
use dalembert::control::ControlRun;
use dalembert::motion::{MotionOrder, RobotMotion, Time};
use dalembert::report::chart::{Chart, HeatAxis, HeatMap, HeatValues, Line, Panel};
use dalembert::robot::operations::{Task, cost};
use dalembert::robot::{Pick, Robot, ToolState};

pub(super) const PAPER: Paper = Paper {
    name: "codourey",
    citation: "A. Codourey: Dynamic modeling of parallel robots for computed-torque control implementation. International Journal of Robotics Research 17(12), 1998, 1325–1336.",
    about: "Virtual work for parallel robots, forearms as bars through their end accelerations, and a simplification with a third of each forearm at the platform and two thirds at the elbow that transputers could compute in a millisecond. The equations are right after their misprints are corrected; the robot's parameters are not in the paper, so the experiments are repeated with an assumed direct-drive robot.",
    assumed: &[
        "All parameters of the robot (robots/direct-drive-assumed.toml): the paper prints none.",
        "Friction, encoders and gains: the same for all regulators, 10 Hz bandwidth, critically damped.",
        "Height 50 mm and depth 450 mm of the semi-ellipse: the paper gives its width, 250 mm.",
    ],
    errata: "2. Codourey 1998",
    items: Vec::new(),
    steps: &[
        ("the mass matrix", maps),
        ("computing times", times),
        ("the regulators", figure_7),
        ("the profiles", figure_8),
        ("three cycles a second", three_hertz),
    ],
};

/// Places along each axis of Figures 4 and 5: "0 corresponding to −250 mm, and 25 to +250 mm".
const PLACES: usize = 26;
const WINDOW: f64 = 0.25;

/// The entries of (50) over a horizontal cut: nine maps, row by row.
fn mass_matrix(robot: &Robot, model: &str, z: f64) -> Result<Vec<Vec<f64>>, Anything> {
    let model = robot.build_model(model)?;
    let mut entries = vec![Vec::new(); 9];
    for v in 0..PLACES {
        for u in 0..PLACES {
            let place = |k: usize| -WINDOW + 2.0 * WINDOW * k as f64 / (PLACES - 1) as f64;
            let tool = ToolState::translating(Vec3::new(place(u), place(v), z), Vec3::zero(), Vec3::zero());
            let state = robot.at_tool(&tool, &Pick::default());
            let mass = state.ok().map(|state| model.mass_matrix(&state));
            for (k, values) in entries.iter_mut().enumerate() {
                values.push(mass.as_ref().map_or(f64::NAN, |mass| mass[k / 3][k % 3]));
            }
        }
    }
    Ok(entries)
}

fn finite(values: &[f64]) -> impl Iterator<Item = f64> + Clone + '_ {
    values.iter().copied().filter(|value| value.is_finite())
}

/// Largest over least inertia of a motor over the window, the mean of the three.
fn ratio(entries: &[Vec<f64>]) -> f64 {
    let one = |k: usize| {
        let values = finite(&entries[k]);
        values.clone().fold(0.0, f64::max) / values.fold(f64::INFINITY, f64::min)
    };
    (one(0) + one(4) + one(8)) / 3.0
}

/// The largest coupling over the largest inertia.
fn coupling(entries: &[Vec<f64>]) -> f64 {
    let most = |k: usize| finite(&entries[k]).map(f64::abs).fold(0.0, f64::max);
    [1, 2, 5].map(most).into_iter().fold(0.0, f64::max) / [0, 4, 8].map(most).into_iter().fold(0.0, f64::max)
}

fn maps(_: &PaperRequest) -> Result<Vec<PaperItem>, Anything> {
    let robot = regulators::robot()?;
    let mut items = vec![
        PaperItem::drawing("Figure 1", "velocities along a rigid bar", "A drawing of (10)."),
        PaperItem::drawing("Figure 2", "the Delta robot", "A drawing."),
        PaperItem::drawing(
            "Figure 3",
            "geometric parameters",
            "A drawing; docs/conventions.md has ours, which is the same.",
        ),
    ];
    let mut spread = Vec::new();
    for (number, title, depth, command) in [
        (
            "Figure 4",
            "mass matrix (50) at z = −230 mm",
            230,
            "dalembert map robots/direct-drive-assumed.toml mass --model codourey-simplified --at=-0.23 --x=-0.25,0.25 --y=-0.25,0.25 --count 26 --channel all --out mass.svg",
        ),
        (
            "Figure 5",
            "mass matrix (50) at z = −350 mm",
            350,
            "dalembert map robots/direct-drive-assumed.toml mass --model codourey-simplified --at=-0.35 --x=-0.25,0.25 --y=-0.25,0.25 --count 26 --channel all --out mass.svg",
        ),
    ] {
        let z = -f64::from(depth) / 1000.0;
        let entries = &mass_matrix(&robot, "codourey-simplified", z)?;
        let exact = &mass_matrix(&robot, "exact", z)?;
        spread.push(PaperRow::new(format!("at z = −{depth} mm"), "", "", ratio(entries)));
        let axis = |label: &str| HeatAxis { label: label.into(), range: (-250.0, 250.0), count: PLACES };
        let all = || entries.iter().zip(exact).flat_map(|(a, b)| finite(a).zip(finite(b)));
        let off = all().map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / all().map(|(_, b)| b).fold(0.0, f64::max);
        let maps = (0..9).map(|k| HeatMap {
            title: format!("A{}{}", k / 3 + 1, k % 3 + 1),
            subtitle: format!("kg m², z = −{depth} mm"),
            axes: [axis("x, mm"), axis("y, mm")],
            values: HeatValues::Numbers(entries[k].clone()),
        });
        let reached = finite(&entries[0]).count() as f64 / (PLACES * PLACES) as f64;
        items.push(
            PaperItem::new(number, title)
                .verdict(PaperVerdict::NotPublished, "The picture has a scale, the paper no parameters. What it is said to show holds for the assumed robot: three-fold symmetry, a ratio of inertias of about 2, more variation above than below, coupling as large as the inertias themselves. (50) itself is missing in the text at hand, and its I_bt has m_b/2 where (41) has m_b/3.")
                .with_errata()
                .by(command)
                .table("Over the window of ±250 mm")
                .row("largest over least inertia of a motor (\"about 2\")", "", "2", ratio(entries))
                .row("largest coupling over largest inertia (\"the same order of magnitude\")", "", "", coupling(entries))
                .row("part of the window that is reached", "", "", reached)
                .row("largest difference of (50) from the exact mass matrix, over its largest entry", "", "", off)
                .figure(PaperFigure::Heat(maps.collect())),
        );
    }
    items.push(
        PaperItem::new("§4.5", "more variation of the inertias in the upper part of the workspace")
            .verdict(PaperVerdict::Reproduced, "On the assumed robot too.")
            .by("dalembert paper codourey --json")
            .table("Largest over least inertia")
            .rows(spread),
    );
    Ok(items)
}

fn times(settings: &PaperRequest) -> Result<Vec<PaperItem>, Anything> {
    let robot = regulators::robot()?;
    let report = operations::report(&robot, settings.timing, true)?;
    let of = |program: &str, task| Some(1e6 * cost(&report.costs, program, task)?.seconds?);
    let model = "codourey-simplified";
    let kinematics = report.costs.iter().find(|cost| cost.task == Task::Kinematics);
    Ok(vec![
        PaperItem::drawing("Figure 6", "the control scheme", "A drawing; the law is `feedforward+mass` with its look-ahead T_m, `dalembert simulate --law feedforward+mass@2ms`."),
        PaperItem::new("Table 1", "computation time on a T800 transputer")
            .verdict(PaperVerdict::NotPublished, "A transputer is not at hand, and which formulas were counted is not said. The times of this machine show what has become of a millisecond.")
            .by("dalembert ops robots/direct-drive-assumed.toml")
            .table("Time of one evaluation")
            .row("Trajectory", "µs", "149", of("pick-and-place", Task::Motion))
            .row("Coordinate transformation", "µs", "244", kinematics.and_then(|cost| Some(1e6 * cost.seconds?)))
            .row("Dynamics", "µs", "704", of(model, Task::TorqueAlone))
            .row("Mass matrix", "µs", "233", of(model, Task::MassMatrix)),
    ])
}

/// The tracking errors of the regulators.
pub fn figure_of_regulators(runs: &[ControlRun]) -> Chart {
    let end = runs.first().map_or(0.25, |run| run.summary.duration);
    let mut chart = Chart::new(
        "Tracking error of six regulators",
        "direct-drive-assumed, semi-ellipse of 250 × 50 mm there and back in 0.25 s; the regulators know codourey-simplified",
        "time, s",
        (0.0, end + 0.1),
    );
    chart.series = runs.iter().enumerate().map(|(i, run)| series(&run.tuning.label, i)).collect();
    let errors = |from: usize| runs.iter().enumerate().skip(from).map(|(i, run)| line(run, "error", 1e3, i)).collect();
    chart.panels = vec![Panel::new("all", "mm", errors(0)), Panel::new("with the full model", "mm", errors(2))];
    chart.marks = vec![(0.5 * end, "turns back".into()), (end, "holds".into())];
    chart
}

/// Regulator 4 with accelerations by differences, and RMS and largest error of these, m/s².
fn differenced() -> Result<(ControlRun, [f64; 2]), Anything> {
    let mut experiment = regulators::experiment()?;
    let exact = experiment.motion.clone();
    experiment.motion = exact.clone().differenced(experiment.sampling.period);
    let off = |k: u32| {
        let acceleration =
            |motion: &RobotMotion| motion.point(1e-3 * f64::from(k)).map_or(Vec3::zero(), |point| point[2]);
        (acceleration(&experiment.motion) - acceleration(&exact)).norm_squared()
    };
    let squares: Vec<f64> = (2..249).map(off).collect();
    let mean = squares.iter().sum::<f64>() / squares.len() as f64;
    let most = squares.iter().copied().fold(0.0, f64::max);
    let run = regulators::feedforward(&experiment)?;
    Ok((run, [mean.sqrt(), most.sqrt()]))
}

fn figure_7(_: &PaperRequest) -> Result<Vec<PaperItem>, Anything> {
    let runs = regulators::run()?;
    let (by_differences, [rms, worst]) = differenced()?;
    let most = |k: usize| runs.get(k).map_or(f64::NAN, |run| 1e3 * run.summary.error_max);
    let errors = runs.iter().map(|run| {
        PaperRow::new(format!("{}, largest error", run.tuning.label), "mm", "", 1e3 * run.summary.error_max)
    });
    Ok(vec![
        PaperItem::new("Figure 7", "tracking errors of four regulators")
            .verdict(PaperVerdict::NotPublished, "The order is reproduced: the more complete the model, the better the tracking. The factor depends on friction, gains and inertias, which are not published; the assumed robot gains more, since nothing of its model is wrong but friction and the simplification itself.")
            .by("dalembert simulate experiments/regulators.toml")
            .table("Largest tracking error")
            .rows(errors)
            .row("regulator 1 over regulator 4 (\"a factor of 6\")", "", "6", most(0) / most(3))
            .row("with the mass matrix over without (\"not further decreased\")", "", "1", most(4) / most(3))
            .figure(PaperFigure::Lines(figure_of_regulators(&runs))),
        PaperItem::new("§4.6", "accelerations by numerical differentiation are noisy, which fast motions do not mind")
            .verdict(PaperVerdict::Reproduced, "Positions in single precision, differenced twice over a millisecond: the noise does not depend on the motion, so it matters least where accelerations are large. The tracking error of regulator 4 hardly changes.")
            .by("dalembert simulate experiments/regulators.toml --accelerations differenced")
            .table("Regulator 4")
            .row("error of the differenced acceleration, RMS", "m/s²", "", rms)
            .row("error of the differenced acceleration, largest (where the profile turns)", "m/s²", "", worst)
            .row("largest tracking error, exact accelerations", "mm", "", most(3))
            .row("largest tracking error, differenced accelerations", "mm", "", 1e3 * by_differences.summary.error_max),
    ])
}

/// The arrivals.
pub fn figure_of_profiles(arrivals: &[profiles::ProfileArrival]) -> Chart {
    let end = arrivals.first().map_or(0.25, |arrival| arrival.run.summary.duration);
    let mut chart = Chart::new(
        "Arrival with three profiles of the same duration",
        "direct-drive-assumed under regulator 4 (full-model feed-forward, T_m = 2 ms)",
        "time, s",
        (end - 0.06, end + 0.1),
    );
    chart.series = arrivals.iter().enumerate().map(|(i, arrival)| series(arrival.name, i)).collect();
    let near = |column: &str| -> Vec<Line> {
        let mut lines: Vec<Line> =
            arrivals.iter().enumerate().map(|(i, arrival)| line(&arrival.run, column, 1e3, i)).collect();
        lines.iter_mut().for_each(|line| line.points.retain(|(t, _)| (end - 0.06..end + 0.1).contains(t)));
        lines
    };
    chart.panels = vec![
        Panel::new("distance from where it should be", "mm", near("error")),
        Panel::new("along the stroke", "mm", near("error_y")),
    ];
    chart.marks = vec![(end, "arrival".into())];
    chart
}

fn figure_8(_: &PaperRequest) -> Result<Vec<PaperItem>, Anything> {
    let arrivals = profiles::run()?;
    let mut rows = Vec::new();
    for arrival in &arrivals {
        rows.push(PaperRow::new(format!("{}: overshoot", arrival.name), "mm", "", 1e3 * arrival.overshoot));
        rows.push(PaperRow::new(format!("{}: within 0.1 mm after", arrival.name), "ms", "", 1e3 * arrival.settling));
    }
    let peaks = [("parabolic", "51"), ("sine on ramp", "80"), ("sine on ramp, not symmetric", "120")];
    let accelerations = peaks.iter().zip(&arrivals).map(|((name, printed), arrival)| {
        PaperRow::new(format!("{name}: largest tangential acceleration"), "m/s²", *printed, arrival.peak)
    });
    Ok(vec![
        PaperItem::new("Figure 8", "arrival with three motion profiles")
            .verdict(PaperVerdict::NotPublished, "The three accelerations are those of one path in one time, 4, 2π and 3π L/T², as printed to the rounding. The robot is assumed. Less overshoot with the smooth and unsymmetric profile is seen here too.")
            .by("dalembert simulate experiments/regulators.toml --profile parabolic")
            .table("Accelerations of the profiles")
            .rows(accelerations)
            .table("At the end point")
            .rows(rows)
            .figure(PaperFigure::Lines(figure_of_profiles(&arrivals))),
    ])
}

fn three_hertz(_: &PaperRequest) -> Result<Vec<PaperItem>, Anything> {
    let order = MotionOrder { time: Some(Time::Cycle(1.0 / 3.2)), ..regulators::order() };
    let mut experiment = regulators::experiment()?;
    experiment.follow(&order)?;
    let run = regulators::feedforward(&experiment)?;
    run.ended.clone()?;
    let s = &run.summary;
    Ok(vec![
        PaperItem::new("§5.2", "250 mm there and back above 3 Hz")
            .verdict(PaperVerdict::NotPublished, "The assumed robot does it within its motors' limits.")
            .by("dalembert simulate experiments/regulators.toml --cycle 312.5ms --law feedforward@2ms")
            .table("Semi-ellipse of 250 mm at 3.2 Hz, regulator 4")
            .row("cycles per second (\"superior to 3 Hz\")", "Hz", "3", 1.0 / s.duration)
            .row("largest tracking error", "mm", "", 1e3 * s.error_max)
            .row("peak torque over its limit", "", "", s.used().0)
            .row("samples in which a limit cuts a torque", "", "", s.cut),
    ])
}
