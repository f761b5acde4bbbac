//! Bortoff 2018: a Delta composed of arms, its constraints stabilised, and where it is unstable.

use super::plot::{lissajous, series};
use super::{Anything, Paper, PaperFigure, PaperItem, PaperRequest, PaperRow, PaperVerdict, vanishing};
use dalembert::Vec3;
use dalembert::delta::models::bortoff::Bortoff;
use dalembert::delta::{Assembly, Branch};
use dalembert::linear::Complex;
use dalembert::mechanism::{Mechanism, Poles, add_delta};
use dalembert::report::chart::{Chart, Line, Panel, Series};
use dalembert::robot::linear_model::{Coordinates, Output};
use dalembert::robot::{JointState, Pick, Robot};
use dalembert::simulate::{
    Constrained, DormandPrince, ExplicitDelta, Minimal, SimulationRun, Stabilization, System, Variables, run,
};
use dalembert::spatial::Wrench;
use dalembert::{DeltaRobot, robots};
use std::time::{Duration, Instant};

/// The assumed robot.
pub const ROBOT: &str = include_str!("../robots/bortoff-assumed.toml");

pub(super) const PAPER: Paper = Paper {
    name: "bortoff",
    citation: "S. A. Bortoff: Object-oriented modeling and control of Delta robots. IEEE Conference on Control Technology and Applications, 2018 (MERL TR2018-126).",
    about: "Three double pendulums whose tips are held together by six constraints, stabilised by Baumgarte's method: eighteen equations that compose. The Appendix is right; the text around it has misprints. That a Delta under constant torques is unstable in a large part of its workspace is true for every robot tried. The parameters of the robot are not published.",
    assumed: &[
        "All parameters of the robot (robots/bortoff-assumed.toml), chosen so that the crossing and the poles of Figure 5 come out, as far as they can be had together.",
        "The swing that is timed: torques that hold 45°, released from angles 0.1, −0.05 and 0.03 rad off.",
    ],
    errata: "4. Bortoff 2018",
    items: Vec::new(),
    steps: &[
        ("the model", model),
        ("the formulations", formulations),
        ("kinematics by Newton's method", newton),
        ("poles", poles),
    ],
};

fn model(_: &PaperRequest) -> Result<Vec<PaperItem>, Anything> {
    let robot = robots::d3_1200()?.delta;
    let bortoff = Bortoff::new(robot.parameters());
    let mut off = 0.0_f64;
    let mut lambda = [Vec3::zero(); 2];
    for k in 0..100 {
        let t = f64::from(k) * 0.03;
        let [position, velocity, acceleration] = lissajous(t, [(0.3, 7.0, 0.0), (0.25, 11.0, 0.0), (0.1, 5.0, 0.0)]);
        let moving = robot.at_position(position + Vec3::new(0.0, 0.0, -0.85), Branch::Out)?.moving(velocity);
        let ours = Vec3(moving.torque(acceleration));
        let (torque, forces) = bortoff.inverse_dynamics(&moving.pose.nine_angles(), velocity, acceleration);
        off = off.max((Vec3(torque) - ours).norm_squared().sqrt() / ours.norm_squared().sqrt());
        lambda = forces.lambda;
    }
    let forces = (0..6).map(|k| {
        let (constraint, axis) = (k / 3 + 1, ["x₁", "x₂", "x₃"][k % 3]);
        let what = format!("λ of constraint {constraint} at the last of them, {axis}");
        PaperRow::new(what, "N", "", lambda[k / 3][k % 3])
    });
    Ok(vec![
        PaperItem::drawing("Figure 1", "a Delta robot", "A photograph."),
        PaperItem::drawing("Figure 2", "angles of an arm", "A drawing."),
        PaperItem::drawing("Figure 3", "the three arms", "A drawing; (10) has the azimuths."),
        PaperItem::new("Table I", "symbols of the parameters")
            .verdict(PaperVerdict::NotPublished, "Symbols without values. m₃ is a third of the platform's mass here and in the Appendix, but all of it in (1) and (5); inertias have the unit kg m².")
            .with_errata()
            .by("dalembert robots show robots/bortoff-assumed.toml"),
        PaperItem::new("(14)–(16), Appendix", "the model in nine angles")
            .verdict(PaperVerdict::Corrected, "The Appendix is right as printed, m₃ being a third. (4) lacks l₀ − l₃, (12) counts the constraints twice, so that its λ is half of what it should be.")
            .with_errata()
            .by("dalembert explain d3-1200")
            .table("d3-1200")
            .row("torque against the exact model, 100 states of a fast motion: largest relative difference", "", "", vanishing(off, 1e-12))
            .rows(forces),
    ])
}

/// One formulation over the swing: the run, and computing time per simulated second, ms.
struct TimedFormulation {
    name: &'static str,
    run: SimulationRun,
    milliseconds: Option<f64>,
}

const SECONDS: f64 = 2.0;

fn timed(
    name: &'static str,
    system: &mut dyn System,
    start: &[f64],
    budget: Duration,
) -> Result<TimedFormulation, Anything> {
    let times = || (0..=20).map(|i| SECONDS * f64::from(i) / 20.0);
    let mut integrator = DormandPrince::new(start.len(), 1e-6)?;
    let first = run(system, &mut integrator, start, times());
    let (begun, mut best) = (Instant::now(), None::<f64>);
    while !budget.is_zero() && (best.is_none() || begun.elapsed() < budget) {
        let from = Instant::now();
        run(system, &mut integrator, start, times());
        let took = from.elapsed().as_secs_f64();
        best = Some(best.map_or(took, |best| best.min(took)));
    }
    Ok(TimedFormulation { name, run: first, milliseconds: best.map(|seconds| 1e3 * seconds / SECONDS) })
}

fn formulations(settings: &PaperRequest) -> Result<Vec<PaperItem>, Anything> {
    let without_friction = DeltaRobot::parse(ROBOT)?
        .changed(|parameters| parameters.arms.iter_mut().for_each(|arm| arm.motor.friction = None))?;
    let robot = without_friction.delta;
    let torque = robot.at_joints([45_f64.to_radians(); 3], Assembly::Below)?.gravity_torque();
    let q = Vec3::from_fn(|i| 45_f64.to_radians() + [0.1, -0.05, 0.03][i]);
    let pose = robot.at_joints(q.0, Assembly::Below)?;
    let mut mechanism = Mechanism::new(robot.gravity());
    let parts = add_delta(&mut mechanism, "delta", &robot)?;
    let start = mechanism.assemble(0.0, &parts.coordinates(&pose), &[0.0; 9])?;
    let baumgarte = Stabilization::Baumgarte(Poles::real(-5.0, -5.0)?);
    let mut all = Vec::new();
    for (name, variables) in [
        ("Baumgarte, Lagrange (14), (15), (23)", Variables::Velocity),
        ("Baumgarte, Hamilton (17), (18), (23)", Variables::Momentum),
    ] {
        let mut system = Constrained::new(&mechanism, variables, baumgarte, &torque)?;
        let state = system.state(&start.q, &start.v)?;
        all.push(timed(name, &mut system, &state, settings.timing)?);
    }
    let (mut system, state) = Minimal::new(&mechanism, 0.0, &start.q, &start.v, &torque)?;
    all.push(timed("dummy derivatives: six states, exchanged as it moves", &mut system, &state, settings.timing)?);
    let mut system = ExplicitDelta::new(&robot, Branch::Out, Variables::Velocity, torque);
    let state = system.state(pose.position, Vec3::zero())?;
    all.push(timed("explicit, six states in closed form, of this library", &mut system, &state, settings.timing)?);
    let of = |k: usize| all.get(k).and_then(|timed| timed.milliseconds);
    let times = all
        .iter()
        .map(|timed| PaperRow::new(format!("{}: time per simulated second", timed.name), "ms", "", timed.milliseconds));
    let drift = |k: usize| 1e6 * all[k].run.constraint_drift();
    Ok(vec![
        PaperItem::new("§II-E, drift", "the constraints drift by less than microns")
            .verdict(PaperVerdict::Reproduced, "For the typical tolerance 1e-6 of the integrator, over a swing of two seconds.")
            .by("dalembert simulate robots/bortoff-assumed.toml --free --formulation baumgarte")
            .table("Largest |h|, Dormand–Prince with tolerance 1e-6")
            .row("Lagrange (\"less than microns\")", "µm", "1", drift(0))
            .row("Hamilton", "µm", "", drift(1)),
        PaperItem::new("§II-E, time", "Baumgarte's model is an order of magnitude faster than dummy derivatives")
            .verdict(PaperVerdict::NotPublished, "His times are those of Dymola with DASSL, not published. Here the same mechanism in both formulations has the same integrator; how much slower the six states are depends on how the dependent angles are solved for. The explicit model, which he holds impossible, is faster than either.")
            .by("dalembert simulate robots/bortoff-assumed.toml --free --formulation minimal")
            .table("A swing of two seconds")
            .rows(times)
            .row("dummy derivatives over Baumgarte (\"an order of magnitude\")", "", "10", of(2).zip(of(0)).map(|(a, b)| a / b)),
        PaperItem::drawing("Figure 4", "a screenshot: gravity compensation with PID", "A drawing of blocks; the law is `gravity+pid` of `dalembert simulate`."),
    ])
}

fn newton(_: &PaperRequest) -> Result<Vec<PaperItem>, Anything> {
    let robot = DeltaRobot::parse(ROBOT)?.delta;
    let model = Bortoff::new(robot.parameters());
    let at = |d: f64| {
        let position = Vec3::new(0.02 + 0.6 * d, 0.01 + 0.64 * d, -0.42 + 0.48 * d);
        robot.at_position(position, Branch::Out)
    };
    let mut rows = Vec::new();
    for (what, distance) in [("3 mm away, a millisecond at 3 m/s", 0.003), ("15 mm away", 0.015), ("50 mm away", 0.05)]
    {
        let (start, goal) = (at(0.0)?, at(distance)?);
        let forward = model.newton_forward(goal.joints(), start.nine_angles(), 1e-4)?;
        let inverse = model.newton_inverse(goal.position, start.nine_angles(), 1e-4)?;
        let off = (forward.position - goal.position).norm_squared().sqrt();
        let good = if off < 1e-7 { "yes" } else { "no" };
        let steps = format!("{}, seven decimals: {good}", forward.iterations);
        rows.push(PaperRow::new(format!("forward (28), from {what}: steps"), "", "2-3", steps.as_str()));
        rows.push(PaperRow::new(format!("inverse (29)–(31), from {what}: steps"), "", "", inverse.iterations as f64));
    }
    Ok(vec![
        PaperItem::new("§IV-A, IV-B", "Newton's method reaches seven decimals in two or three steps")
            .verdict(PaperVerdict::Corrected, "It does. (30) and (31) lack the rotations of arms 2 and 3. That the forward kinematics cannot be expressed analytically is not so: three spheres meet in two points, a quadratic equation.")
            .with_errata()
            .by("dalembert fk robots/bortoff-assumed.toml joints.csv")
            .table("bortoff-assumed")
            .rows(rows),
    ])
}

fn cross(points: &[Complex<f64>], series: usize) -> Line {
    let arm = 0.18;
    let mut lines = Vec::new();
    for p in points {
        for sign in [1.0, -1.0] {
            lines.extend([(p.re - arm, p.im - sign * arm), (p.re + arm, p.im + sign * arm), (p.re, f64::NAN)]);
        }
    }
    Line { series, points: lines }
}

/// The complex planes of Figure 5.
fn pole_chart(all: &[(f64, Vec<Complex<f64>>)]) -> Chart {
    let subtitle = "bortoff-assumed, Baumgarte's poles at −5";
    let mut chart = Chart::new("Poles of the linearised robot", subtitle, "real part, 1/s", (-8.0, 6.5));
    chart.series = vec![Series { width: 1.8, ..series("× poles", 0) }];
    let plane = |(degrees, poles): &(f64, Vec<Complex<f64>>)| {
        let lines = vec![cross(poles, 0)];
        Panel { y_range: (-7.0, 7.0), ..Panel::new(&format!("arms at {degrees}°"), "imaginary part, 1/s", lines) }
    };
    chart.panels = all.iter().map(plane).collect();
    chart
}

fn poles(_: &PaperRequest) -> Result<Vec<PaperItem>, Anything> {
    let robot = Robot::parse(ROBOT)?;
    let model = robot.build_model("exact")?;
    let linear = |degrees: f64, coordinates: Coordinates| {
        let state = robot.at_joints(&JointState::at_rest([degrees.to_radians(); 3]), &Pick::default())?;
        let held = model.gravity_torque(&state);
        Ok::<_, Anything>(robot.linearize(&state, &held, Wrench::zero(), coordinates, &[Output::Joints])?.system)
    };
    let constrained = |a: f64, b: f64| Ok::<_, Anything>(Coordinates::Constrained(Poles::real(a, b)?));
    let mut drawn = Vec::new();
    for degrees in [45.0, 0.0] {
        drawn.push((degrees, linear(degrees, constrained(-5.0, -5.0)?)?.poles()?));
    }
    let near = drawn[0].1.iter().filter(|pole| (pole.re + 5.0).hypot(pole.im) < 1e-3).count();
    let six = |degrees: f64| Ok::<_, Anything>(linear(degrees, Coordinates::Joint)?.poles()?);
    let (up, flat) = (six(45.0)?, six(0.0)?);
    let real = |low: f64, high: f64| {
        flat.iter().filter(|p| p.im == 0.0 && (low..high).contains(&p.re)).map(|p| p.re).fold(f64::NAN, f64::max)
    };
    let mean = |values: &mut dyn Iterator<Item = f64>| {
        let all: Vec<f64> = values.collect();
        all.iter().sum::<f64>() / all.len().max(1) as f64
    };
    let lateral: Vec<&Complex<f64>> = flat.iter().filter(|p| p.im > 0.0).collect();
    let crossings = robot.stability().ok_or("a Delta says where it is stable")?.crossings()?.numerical;
    let crossing = crossings.iter().find(|c| c.stable_above).map_or(f64::NAN, |c| c.angle.to_degrees());
    let distinct = linear(45.0, constrained(-4.0, -6.0)?)?;
    let hankel = distinct.balanced(None)?.hankel;
    let largest = hankel.iter().copied().fold(0.0, f64::max);
    let alive = hankel.iter().filter(|value| **value > 1e-6 * largest).count();
    Ok(vec![
        PaperItem::new("§II-E", "twelve modes of the constraints, neither controllable nor observable")
            .verdict(PaperVerdict::NotAsPrinted, "Not controllable, yes: so their Hankel singular values vanish and a truncation removes them. But half of them are seen in the joint angles and in the platform's position.")
            .with_errata()
            .by("dalembert poles robots/bortoff-assumed.toml --joints '45 deg' --formulation baumgarte --constraint-poles=-4,-6")
            .table("Eighteen states, arms at 45°")
            .row("states that torques do not reach", "", "12", 18.0 - distinct.controllable_states()? as f64)
            .row("states that joint angles do not show", "", "12", 18.0 - distinct.observable_states()? as f64)
            .row("Hankel singular values that are not zero", "", "6", alive as f64),
        PaperItem::new("Figure 5", "poles with the arms at 45° and horizontal")
            .verdict(PaperVerdict::NotPublished, "The parameters are not published; those of the assumed robot were chosen for these poles. Twelve are at −5, the six of the robot oscillate at 45°, and one is unstable with horizontal arms. The caption's four poles near −2 ± j there are not to be had together with the others: with the same masses they are faster than 3 rad/s.")
            .with_errata()
            .by("dalembert poles robots/bortoff-assumed.toml --joints '0 deg' --formulation baumgarte --constraint-poles=-5,-5")
            .table("Poles")
            .row("poles at −5", "", "12", near as f64)
            .row("45°: real part, mean of six", "1/s", "-0.5", mean(&mut up.iter().map(|p| p.re)))
            .row("45°: imaginary part, mean of six", "1/s", "5.5", mean(&mut up.iter().map(|p| p.im.abs())))
            .row("horizontal: unstable pole", "1/s", "5.2", real(0.0, 100.0))
            .row("horizontal: its counterpart", "1/s", "-6.5", real(-100.0, 0.0))
            .row("horizontal: four poles, real part", "1/s", "-2", mean(&mut lateral.iter().map(|p| p.re)))
            .row("horizontal: four poles, imaginary part", "1/s", "1", mean(&mut lateral.iter().map(|p| p.im)))
            .figure(PaperFigure::Lines(pole_chart(&drawn))),
        PaperItem::new("§IV-E", "unstable below about 22°")
            .verdict(PaperVerdict::NotPublished, "That there is such an angle holds for every robot tried, and the closed form of the stiffness shows why. Its value is that of a robot which is not published.")
            .with_errata()
            .by("dalembert stability robots/bortoff-assumed.toml")
            .table("Angle of all arms at which heave turns unstable")
            .row("bortoff-assumed", "°", "22", crossing),
        PaperItem::new("§IV-E, gravity", "gravity compensation makes every equilibrium exponentially stable")
            .verdict(PaperVerdict::NotAsPrinted, "It makes every pose an equilibrium: the stiffness is zero, so three poles are zero with damping and six without. A proportional gain, however small, is needed.")
            .with_errata()
            .by("dalembert stability robots/bortoff-assumed.toml"),
    ])
}
