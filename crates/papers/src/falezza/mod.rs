//! Falezza et al. 2022: a simplified and a complete inverse model, compared with the torques of a D3-1200.

pub mod torques;

use super::plot::series;
use super::{Anything, Ours, Paper, PaperFigure, PaperItem, PaperRequest, PaperRow, PaperVerdict, vanishing};
use dalembert::Vec3;
use dalembert::analyze::operations;
use dalembert::delta::models::falezza::{Complete, CompletePrinted};
use dalembert::delta::{Branch, ModelName};
use dalembert::motion::{Direction, MotionOrder, MotorList, PickAndPlace, PlatformState, ProfileChoice, Time};
use dalembert::report::chart::{Chart, Line, Panel, Series};
use dalembert::report::text::human;
use dalembert::robot::operations::{Task, cost};
use dalembert::robot::{Pick, Robot};
use dalembert::robots;
use torques::{TorqueErrors, TorqueProfiles};

pub(super) const PAPER: Paper = Paper {
    name: "falezza",
    citation: "F. Falezza, F. Vesentini, A. Di Flumeri, L. Leopardi, G. Fiori, G. Mistrorigo, R. Muradore: A novel inverse dynamic model for 3-DoF delta robots. Mechatronics, 2022, 102752.",
    about: "The usual simplified model M_s (forearms as two half masses) against a complete one M_f (uniform rods). The idea of M_f is sound, and corrected it is exact; as printed its equations cannot be used. The measured torques are not published: the tables are repeated against a simulated robot with friction, gears that give way, other masses, offsets and noise.",
    assumed: &[
        "α = 0°, 120°, 240°; I₁ about the centre of mass of the arm.",
        "The real robot: friction, rotors behind gears of 1:25 that give way, masses a few per cent off, offsets and noise of the current sensors. No model knows any of it.",
        "The trajectories: of the kind that the paper describes. Their numbers are not published.",
    ],
    errata: "3. Falezza et al. 2022",
    items: Vec::new(),
    steps: &[
        ("the drawings", drawings),
        ("the robot", parameters),
        ("the models", models),
        ("torques of three motions", measured),
        ("what they cost", costs),
    ],
};

fn drawings(_: &PaperRequest) -> Result<Vec<PaperItem>, Anything> {
    let robot = robots::d3_1200()?.delta;
    let pose = robot.at_position(Vec3::new(0.0, 0.0, -0.85), Branch::Out)?;
    let right = Complete::new(robot.parameters()).angles(&pose);
    let printed = CompletePrinted::new(robot.parameters()).angles(&pose);
    let mut rows = Vec::new();
    for arm in 0..3 {
        let of = |name: &str, what: &str| format!("{name} of arm {}, {what}", arm + 1);
        rows.push(PaperRow::new(of("γ", "(12) corrected"), "°", "", right[arm].gamma.to_degrees()));
        rows.push(PaperRow::new(of("γ", "(12) as printed"), "°", "", printed[arm].gamma.to_degrees()));
        rows.push(PaperRow::new(of("ψ", "(12) corrected"), "°", "", right[arm].psi.to_degrees()));
        rows.push(PaperRow::new(of("ψ", "(12) as printed"), "°", "", printed[arm].psi.to_degrees()));
    }
    Ok(vec![
        PaperItem::drawing("Figure 1", "a Delta robot", "A photograph."),
        PaperItem::drawing("Figure 2", "geometry", "A drawing."),
        PaperItem::drawing("Figure 3", "centres of mass", "A drawing of (6) and (7)."),
        PaperItem::new("Figure 4", "the passive angles γ and ψ")
            .verdict(PaperVerdict::NotAsPrinted, "(12) takes arc cosines of projections on the global planes without normalising them. With the platform in the middle every forearm lies in its arm's plane, so ψ = 0 and γ is the same for all; as printed neither holds.")
            .with_errata()
            .by("dalembert explain d3-1200 --position 0,0,-0.85")
            .table("Platform at (0, 0, −0.85 m)")
            .rows(rows),
        PaperItem::drawing("Figure 5", "the CAD model of the D3-1200", "A drawing."),
    ])
}

fn parameters(_: &PaperRequest) -> Result<Vec<PaperItem>, Anything> {
    let robot = robots::d3_1200()?;
    let parameters = robot.delta.parameters();
    let arm = &parameters.arms[0];
    Ok(vec![
        PaperItem::new("Table 1", "parameters of the D3-1200")
            .verdict(PaperVerdict::Reproduced, "The robot file. Whether I₁ is about the centre of mass is not said; T₁ makes it so.")
            .with_errata()
            .by("dalembert robots show d3-1200")
            .table("As the robot file has them")
            .row("r_f", "m", "0.25", arm.base_radius)
            .row("r_e", "m", "0.1", arm.platform_radius)
            .row("l_1", "m", "0.375", arm.upper_arm.length)
            .row("l_2", "m", "0.9", arm.forearm.length)
            .row("a_1", "m", "0.122", arm.upper_arm.center_of_mass)
            .row("a_2", "m", "0.45", arm.forearm.center_of_mass)
            .row("m_0", "kg", "0.94", parameters.platform_mass)
            .row("m_1", "kg", "1.40", arm.upper_arm.mass)
            .row("m_2", "kg", "0.39", arm.forearm.mass)
            .row("I_1", "kg m²", "0.035", arm.upper_arm.inertia),
        PaperItem::new("Table 2", "electromechanical parameters: 150 cycles a minute, 4 kg, three AKM44G")
            .verdict(PaperVerdict::NotPublished, "The cycle, the gears and the data of the motors are not printed. For the 25/305/25 mm cycle by the motion of least torque the D3-1200 needs these torques at its joints. The 80 N m of the robot file are assumed, and are what an empty robot needs and more; with 4 kg a drive of 1:25 or more gives what is needed.")
            .by("dalembert size d3-1200 --cycle 0.4 --payload 4")
            .table("150 cycles a minute")
            .row("largest torque of a joint, empty", "N m", "", peak_torque(0.0)?)
            .row("largest torque of a joint, with 4 kg", "N m", "", peak_torque(4.0)?)
            .row("what the robot file allows (assumed)", "N m", "", robot.limits[0].max_torque)
            .row("what an AKM44G gives through 1:25 (assumed data)", "N m", "", through_gear()?),
    ])
}

/// Of 150 cycles a minute by the motion of least torque, with a payload, N m.
fn peak_torque(payload: f64) -> Result<f64, Anything> {
    let robot = Robot::find("d3-1200")?.with_payload(payload)?;
    let order = MotionOrder {
        path: "pick-and-place".into(),
        profile: ProfileChoice::MinimumTorque,
        time: Some(Time::Cycle(0.4)),
        ..MotionOrder::default()
    };
    let pick = Pick::default();
    let mut most = 0.0_f64;
    for (_, target) in order.timed(&robot, &pick, 1.0)?.motion.samples(400) {
        most = robot.joint_load(&target, &pick)?.torque.iter().fold(most, |most, torque| most.max(torque.abs()));
    }
    Ok(most)
}

/// Peak torque of the motor behind a gear of 1:25, N m.
fn through_gear() -> Result<f64, Anything> {
    let list = MotorList::find("akm44g")?;
    let gear = list.gears.iter().find(|gear| gear.ratio == 25.0).ok_or("a gear of 1:25")?;
    let motor = list.motors.first().ok_or("a motor")?;
    Ok(motor.peak_torque * gear.ratio * gear.efficiency)
}

/// The motion of the errata, §5.
fn states() -> impl Iterator<Item = PlatformState> {
    [Direction::X, Direction::Y].into_iter().flat_map(|direction| {
        let motion = PickAndPlace {
            center: Vec3::new(0.0, 0.0, -0.85),
            width: 0.3,
            height: 0.025,
            stroke: 1.0 / 6.0,
            direction,
        };
        (0..=400).map(move |k| motion.at(f64::from(k) / 2400.0))
    })
}

fn models(_: &PaperRequest) -> Result<Vec<PaperItem>, Anything> {
    let robot = robots::d3_1200()?.delta;
    let names = [
        ("M_f corrected", ModelName::FalezzaComplete),
        ("M_s corrected", ModelName::FalezzaSimplified),
        ("M_f as printed", ModelName::FalezzaCompletePrinted),
        ("M_s as printed", ModelName::FalezzaSimplifiedPrinted),
    ];
    let mut rows = Vec::new();
    let mut sizes = [0.0_f64; 2];
    for (k, (name, model)) in names.into_iter().enumerate() {
        let model = model.build(robot.parameters());
        let (mut most, mut sum, mut own, mut exact, mut count) = (0.0_f64, 0.0, 0.0, 0.0, 0.0);
        for PlatformState { position, velocity, acceleration } in states() {
            let moving = robot.at_position(position, Branch::Out)?.moving(velocity);
            let right = Vec3(moving.torque(acceleration));
            let theirs = Vec3(model.as_model().torque(&moving, acceleration, Vec3::zero()));
            let off = theirs - right;
            most = off.0.iter().fold(most, |most, x| most.max(x.abs()));
            (sum, own, exact, count) =
                (sum + off.norm_squared(), own + theirs.norm_squared(), exact + right.norm_squared(), count + 3.0);
        }
        let rms = |sum: f64| (sum / count).sqrt();
        if k == 1 {
            sizes = [rms(own), rms(exact)];
        }
        let small = |value: f64| if value < 1e-12 { vanishing(value, 1e-12) } else { Ours::Words(human(value, 4)) };
        rows.push(PaperRow::new(format!("{name}: largest error"), "N m", "", small(most)));
        rows.push(PaperRow::new(format!("{name}: RMS error"), "N m", "", small(rms(sum))));
    }
    Ok(vec![
        PaperItem::new("(1)–(30)", "the two models")
            .verdict(PaperVerdict::Corrected, "Corrected, M_f is exact for uniform rods and M_s for two half masses. Letter by letter, M_f misses the torque by two thirds of it and M_s by four times of it.")
            .with_errata()
            .by("dalembert compare d3-1200")
            .table("300 × 25 mm in 1/6 s, against the exact model")
            .rows(rows),
        PaperItem::new("§5.1", "half masses underestimate the torque")
            .verdict(PaperVerdict::NotAsPrinted, "Half masses at the ends have three times the transverse inertia of a uniform rod: M_s overestimates. Gravity of half masses is exact. The means of the paper's Tables 3–5 differ between the models by 8.2 to 9.7 N m on every joint; that is what a reversed sign of the gravity of M_s makes, as v_i is printed.")
            .with_errata()
            .by("dalembert compare d3-1200")
            .table("The same motion")
            .row("torque of M_s, RMS", "N m", "", sizes[0])
            .row("torque of the exact model, RMS", "N m", "", sizes[1]),
        PaperItem::new("Remark 1", "no form B(θ)θ̈ + C(θ, θ̇)θ̇ + g(θ)")
            .verdict(PaperVerdict::NotAsPrinted, "The platform is where three spheres meet, a quadratic equation, and the passive angles follow from it; so B, C and g are functions of the joints. `dalembert mass` prints B and g.")
            .with_errata()
            .by("dalembert mass d3-1200 states.csv"),
    ])
}

/// Torques of one motion: measured and by both models, motor by motor.
fn figure_of_torques(one: &TorqueProfiles, title: &str) -> Chart {
    let end = one.times.last().copied().unwrap_or(1.0);
    let subtitle = "d3-1200 with friction, elastic gears, other masses, offsets and noise that no model knows";
    let mut chart = Chart::new(title, subtitle, "time, s", (0.0, end));
    chart.series = legend();
    chart.panels = [0, 1, 2].map(|motor| one.panel(&format!("motor {}", motor + 1), motor)).into();
    chart
}

/// Measured and both models.
pub fn legend() -> Vec<Series> {
    vec![
        series("measured", 0),
        Series { dash: "2 3", ..series("falezza-simplified", 1) },
        series("falezza-complete", 2),
    ]
}

/// Means with a bar of one standard deviation to each side, model by model.
fn bars(all: &[TorqueProfiles]) -> Chart {
    let title = "Mean of measured minus model, and its standard deviation";
    let mut chart = Chart::new(title, "joint 1, 2, 3 and all together", "joint; 4: all", (0.5, 4.5));
    chart.series = vec![series("falezza-simplified", 1), series("falezza-complete", 2)];
    let line = |one: &TorqueProfiles, model: usize| {
        let TorqueErrors { joints, all } = one.errors[model];
        let mut points = Vec::new();
        for (k, (mean, deviation)) in joints.into_iter().chain([all]).enumerate() {
            let x = k as f64 + 0.9 + 0.2 * model as f64;
            points.extend([(x, mean - deviation), (x, mean + deviation), (x, f64::NAN)]);
            points.extend([(x - 0.07, mean), (x + 0.07, mean), (x, f64::NAN)]);
        }
        Line { series: model, points }
    };
    chart.panels = all.iter().map(|one| Panel::new(one.name, "N m", vec![line(one, 0), line(one, 1)])).collect();
    chart
}

/// The printed means and standard deviations: M_f, then M_s; joints 1, 2, 3.
const PRINTED: [[[[&str; 3]; 2]; 2]; 3] = [
    [[["0.63", "-2.99", "-3.77"], ["6.42", "7.79", "6.61"]], [["10.17", "5.74", "4.85"], ["11.66", "13.23", "9.51"]]],
    [
        [["2.41", "-1.43", "-2.18"], ["14.27", "12.62", "11.60"]],
        [["12.13", "7.25", "6.02"], ["27.72", "23.74", "23.87"]],
    ],
    [[["1.46", "-3.69", "-1.76"], ["2.17", "2.95", "2.52"]], [["11.01", "4.93", "7.36"], ["2.36", "3.37", "2.68"]]],
];

fn measured(_: &PaperRequest) -> Result<Vec<PaperItem>, Anything> {
    let all = torques::run()?;
    let mut paths = Chart::new("The three trajectories", "of the kinds of the paper", "x, mm", (-650.0, 650.0));
    paths.columns = 3;
    paths.series = vec![series("platform", 0)];
    let path = |one: &TorqueProfiles| {
        let every = one.positions.len().div_ceil(1500).max(1);
        let points = one.positions.iter().step_by(every).map(|p| (1e3 * p[0], 1e3 * p[2])).collect();
        Panel::new(one.name, "z, mm", vec![Line { series: 0, points }])
    };
    paths.panels = all.iter().map(path).collect();
    let because = "The measurements are not published, so the printed numbers cannot come out: ours are those of the assumed robot. That the mean of M_s differs from that of M_f by some nine N m in the paper is not seen, and cannot be: half masses weigh what the rods weigh.";
    let mut items = vec![
        PaperItem::new("Figure 6", "the three trajectories")
            .verdict(PaperVerdict::NotPublished, "Pictures in the paper; ours are of the same kinds.")
            .by("dalembert trajectory d3-1200 --path falezza-conveyor")
            .figure(PaperFigure::Lines(paths)),
    ];
    let numbers = [("Table 3", "errors over Υ₁"), ("Table 4", "errors over Υ₂"), ("Table 5", "errors over Υ₃")];
    for (((number, title), one), printed) in numbers.into_iter().zip(&all).zip(PRINTED) {
        let mut rows = Vec::new();
        for (model, name, printed) in [(1, "M_f", printed[0]), (0, "M_s", printed[1])] {
            let left = one.errors[model];
            for (part, what) in ["mean", "standard deviation"].into_iter().enumerate() {
                let pick = |pair: (f64, f64)| if part == 0 { pair.0 } else { pair.1 };
                for joint in 0..3 {
                    let what = format!("{name}, {what}, joint {}", joint + 1);
                    rows.push(PaperRow::new(what, "N m", printed[part][joint], pick(left.joints[joint])));
                }
                rows.push(PaperRow::new(format!("{name}, {what}, all joints"), "N m", "", pick(left.all)));
            }
        }
        items.push(
            PaperItem::new(number, title)
                .verdict(PaperVerdict::NotPublished, because)
                .with_errata()
                .by("dalembert paper falezza --json")
                .table(format!("Measured minus model, {}", one.name))
                .rows(rows),
        );
    }
    let figures = [
        ("Figure 7", "torques over Υ₁", "Torques between two conveyors"),
        ("Figure 8", "torques over Υ₂", "Torques in the middle of the workspace"),
        ("Figure 9", "torques over Υ₃", "Torques near the limits of the workspace"),
    ];
    for ((number, title, heading), one) in figures.into_iter().zip(&all) {
        items.push(
            PaperItem::new(number, title)
                .verdict(PaperVerdict::NotPublished, "Overlays as in the paper, of the assumed robot.")
                .by("dalembert paper falezza")
                .figure(PaperFigure::Lines(figure_of_torques(one, heading))),
        );
    }
    items.push(
        PaperItem::new("Figure 10", "mean errors with standard deviations")
            .verdict(PaperVerdict::NotPublished, "The bars of Tables 3–5 as they are here.")
            .by("dalembert paper falezza")
            .figure(PaperFigure::Lines(bars(&all))),
    );
    Ok(items)
}

fn costs(settings: &PaperRequest) -> Result<Vec<PaperItem>, Anything> {
    let robot = Robot::find("d3-1200")?;
    let report = operations::report(&robot, settings.timing, true)?;
    let of = |model: &str| cost(&report.costs, model, Task::TorqueAlone);
    let rate = |model: &str| of(model)?.seconds.map(|seconds| 1e-3 / seconds);
    let mut rows = Vec::new();
    let published = [
        ("M_s", "falezza-simplified", ["50", "27", "79", "6", "7", "9"]),
        ("M_f", "falezza-complete", ["669", "477", "2029", "2016", "12", "15"]),
    ];
    for (name, model, printed) in published {
        let Some(cost) = of(model) else { continue };
        let o = &cost.operations;
        let ours = [o.additions, o.subtractions, o.multiplications, o.divisions, o.sin_cos, o.sin_cos];
        for ((what, printed), ours) in ["+", "−", "×", "÷", "sin", "cos"].into_iter().zip(printed).zip(ours) {
            rows.push(PaperRow::new(format!("{name}: {what}"), "", printed, f64::from(ours)));
        }
    }
    let ratio = rate("falezza-complete").zip(rate("falezza-simplified")).map(|(f, s)| f / s);
    Ok(vec![
        PaperItem::new("Table 6", "number of operations")
            .verdict(PaperVerdict::NotPublished, "Counted by the paper in a C++ program that is not published. After the kinematics ours need no sine or cosine, and thirteen divisions instead of 2,016. The complexity printed beside the table, 1176 n, contradicts it: 669 + 477 = 1146.")
            .with_errata()
            .by("dalembert ops d3-1200 --no-timing")
            .table("Counts after the kinematics")
            .rows(rows),
        PaperItem::new("Table 7", "evaluation rates")
            .verdict(PaperVerdict::NotPublished, "Of a 2.5 GHz core and a program that is not published; ours are of this machine, the best of many short runs.")
            .by("dalembert ops d3-1200")
            .table("One state at a time")
            .row("M_s, average", "kHz", "32.10", rate("falezza-simplified"))
            .row("M_s, maximum", "kHz", "35.97", Ours::Nothing)
            .row("M_f, average", "kHz", "4.65", rate("falezza-complete"))
            .row("M_f, maximum", "kHz", "5.02", Ours::Nothing)
            .row("M_f over M_s, average (\"speed-up of 0.1449\")", "", "0.1449", ratio)
            .row("the exact model, average", "kHz", "", rate("exact")),
    ])
}
