//! Asadi and Heydari 2020: the explicit model with three masses per forearm, and a circle.

pub mod circle;

use super::plot::{lissajous, series, torque_panel};
use super::{Anything, Paper, PaperFigure, PaperItem, PaperRequest, PaperVerdict, vanishing};
use dalembert::Vec3;
use dalembert::analyze::operations;
use dalembert::delta::models::asadi::Asadi;
use dalembert::delta::{Branch, ModelName};
use dalembert::report::chart::{Chart, Line, Panel, Series};
use dalembert::robot::Robot;
use dalembert::robot::operations::{Task, cost};
use dalembert::robots;

pub(super) const PAPER: Paper = Paper {
    name: "asadi",
    citation: "F. Asadi, A. Heydari: Analytical dynamic modeling of Delta robot with experimental verification. Proc. IMechE Part K: Journal of Multi-body Dynamics 234(3), 2020, 623–630.",
    about: "M(X) Ẍ + C Ẋ + G − F = Jᵀ(τ − τ_fric), all matrices written out, each forearm replaced by three point masses. With four misprints corrected the model is exact; the experiment, a slow circle, tests gravity and little else.",
    assumed: &[
        "Friction of the motors (Stribeck's law) and play of the gears: the paper identifies the first and blames the second, but prints no numbers.",
        "Gains: such that the joint loop settles in the 120 ms that the paper mentions.",
        "The circle begins and ends at rest (a sine-on-ramp over the whole turn); the paper asks for x = 250 cos t from the start.",
        "r_a = r_b as printed, so that R = 0.",
    ],
    errata: "1. Asadi & Heydari 2020",
    items: Vec::new(),
    steps: &[("the model", model), ("the circle", the_circle), ("what it costs", costs), ("the robot", appendix)],
};

fn model(_: &PaperRequest) -> Result<Vec<PaperItem>, Anything> {
    let robot = robots::asadi()?.delta;
    let asadi = Asadi::new(robot.parameters());
    let built = ModelName::Asadi.build(robot.parameters());
    let (mut off, mut size, mut unsymmetric, mut not_skew) = (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64);
    // Along a Lissajous figure through the workspace, fast enough that every term counts.
    for k in 0..200 {
        let t = f64::from(k) * 0.01;
        let [position, velocity, acceleration] =
            lissajous(t, [(0.15, 17.0, 0.0), (0.15, 13.0, 1.0), (0.06, 11.0, 2.0)]);
        let at = |h: f64| {
            let place = position + velocity * h + Vec3::new(0.0, 0.0, -0.45);
            Ok::<_, Anything>(asadi.explicit(&robot.at_position(place, Branch::Out)?.moving(velocity)))
        };
        let pose = robot.at_position(position + Vec3::new(0.0, 0.0, -0.45), Branch::Out)?;
        let moving = pose.moving(velocity);
        let ours = Vec3(moving.torque(acceleration));
        let theirs = Vec3(built.as_model().torque(&moving, acceleration, Vec3::zero()));
        off = off.max((theirs - ours).norm_squared().sqrt());
        size = size.max(ours.norm_squared().sqrt());
        // Ṁ by central differences along the velocity.
        let h = 1e-5;
        let (before, here, after) = (at(-h)?, at(0.0)?, at(h)?);
        for i in 0..3 {
            for j in 0..3 {
                let rate = |i: usize, j: usize| (after.m.0[i][j] - before.m.0[i][j]) / (2.0 * h);
                unsymmetric = unsymmetric.max((here.m.0[i][j] - here.m.0[j][i]).abs() / here.m.0[0][0]);
                let skew = rate(i, j) + rate(j, i) - 2.0 * (here.c.0[i][j] + here.c.0[j][i]);
                not_skew = not_skew.max(skew.abs() / here.c.0.iter().flat_map(|row| row.0).fold(1.0, f64::max));
            }
        }
    }
    Ok(vec![
        PaperItem::drawing("Figure 1", "structure of the Delta robot", "The robot file draws it: `dalembert simulate asadi --free`."),
        PaperItem::drawing("Figure 2", "frames of a leg", "The map to our frame is in docs/papers/asadi.md, and tested."),
        PaperItem::new("(39)–(42)", "the explicit model")
            .verdict(PaperVerdict::Corrected, "Four misprints change numbers: m_B for m_A in (40), the sign of gravity that (42) needs, the pair's mass under the name of a point mass, and the shape of (10). With them the model is exact for every rod.")
            .with_errata()
            .by("dalembert compare asadi")
            .table("200 states of a fast motion against the exact model")
            .row("largest difference of the torques over the largest torque", "", "", vanishing(off / size, 1e-13))
            .row("M − Mᵀ, over M", "", "", vanishing(unsymmetric, 1e-14))
            .row("symmetric part of Ṁ − 2C, over C (Ṁ by differences)", "", "", vanishing(not_skew, 1e-6)),
    ])
}

fn the_circle(_: &PaperRequest) -> Result<Vec<PaperItem>, Anything> {
    let circle = circle::run()?;
    let column = |name: &str| circle.run.recording.column(name).unwrap_or(&[]);
    let every = column("x").len().div_ceil(1500).max(1);
    let path = column("x").iter().zip(column("y")).step_by(every).map(|(x, y)| (1e3 * x, 1e3 * y)).collect();
    let wanted = (0..=360).map(|k| f64::from(k).to_radians()).map(|a| (250.0 * a.cos(), 250.0 * a.sin())).collect();
    let subtitle = "asadi, joint PD, one turn in 2π s, z = −450 mm";
    let mut trajectory = Chart::new("Trajectory of the platform", subtitle, "x, mm", (-720.0, 720.0));
    trajectory.series = vec![series("travelled", 0), Series { dash: "4 4", ..series("asked for", 7) }];
    trajectory.panels = vec![Panel::new(
        "from above",
        "y, mm",
        vec![Line { series: 1, points: wanted }, Line { series: 0, points: path }],
    )];
    // As high as wide, so that a circle is one.
    trajectory.panels[0].y_range = (-274.0, 274.0);
    let radius = |k: usize| 1e3 * column("x")[k].hypot(column("y")[k]);
    let radii = || (0..column("x").len()).map(radius);
    Ok(vec![
        PaperItem::new("Figure 3", "trajectory of the platform under joint PD")
            .verdict(PaperVerdict::NotPublished, "The circle is given, gains and friction are not. With those assumed the platform follows it as a PD regulator does that knows nothing of the robot's weight: it hangs low and lags.")
            .by("dalembert simulate experiments/circle.toml")
            .table("The circle")
            .row("radius asked for", "mm", "250", 250.0)
            .row("largest radius travelled", "mm", "", radii().fold(0.0, f64::max))
            .row("least radius travelled", "mm", "", radii().fold(f64::INFINITY, f64::min))
            .row("largest tracking error", "mm", "", 1e3 * circle.run.summary.error_max)
            .figure(PaperFigure::Lines(trajectory)),
        PaperItem::new("Figure 4", "measured and predicted torque")
            .verdict(PaperVerdict::NotPublished, "The measured torques are a picture in the paper. Measured here are those of a simulated robot with friction and play in its gears; friction is subtracted as the paper does it, and the play leaves the bumps that the paper sees where the torque turns.")
            .by("dalembert simulate experiments/circle.toml")
            .table("Torques over one turn")
            .row("predicted by (39) for the motion made, RMS", "N m", "", circle.size)
            .row("measured less predicted, RMS", "N m", "", circle.difference)
            .row("the part of the torque that is not gravity, RMS", "N m", "", circle.dynamic)
            .figure(PaperFigure::Lines(torques(&circle))),
    ])
}

/// Measured and predicted torques of the three motors.
pub fn torques(circle: &circle::Circle) -> Chart {
    let mut chart = Chart::new(
        "Torques over a circle of radius 250 mm",
        "asadi, joint PD, one turn in 2π s; friction subtracted, backlash of the gear left in",
        "time, s",
        (0.0, circle.run.summary.duration),
    );
    chart.series = vec![
        series("motors, without friction", 0),
        Series { dash: "5 3", ..series("predicted by exact for the motion made", 1) },
    ];
    let series: [&[Vec3<f64>]; 2] = [&circle.measured, &circle.predicted];
    let panel = |motor: usize| torque_panel(&format!("motor {}", motor + 1), &circle.times, &series, motor);
    chart.panels = (0..3).map(panel).collect();
    chart
}

fn costs(settings: &PaperRequest) -> Result<Vec<PaperItem>, Anything> {
    let robot = Robot::find("asadi")?;
    let report = operations::report(&robot, settings.timing, true)?;
    let of = |model: &str| cost(&report.costs, model, Task::Torque);
    let seconds = |model: &str| of(model)?.seconds;
    let counted = |model: &str| of(model).map_or(f64::NAN, |cost| f64::from(cost.operations.arithmetic()));
    let ratio = seconds("asadi").zip(seconds("falezza-simplified")).map(|(a, b)| a / b);
    Ok(vec![
        PaperItem::new("Evaluation", "computing time: 105 % longer than a simplified implicit model")
            .verdict(PaperVerdict::NotPublished, "The implicit model is that of Brinker et al., by Lagrange's equations with half masses; falezza-simplified is of that kind. Neither code nor machine is published. The ratio depends on how both are written: here the explicit matrices cost more, since all of M and C are formed.")
            .by("dalembert ops asadi")
            .table("Torques of a state, kinematics included")
            .row("time of (39) over that of the simplified implicit model", "", "2.05", ratio)
            .row("operations of (39) over those of the simplified implicit model", "", "", counted("asadi") / counted("falezza-simplified"))
            .row("operations of (39)", "", "", counted("asadi"))
            .row("operations of the exact model of this library", "", "", counted("exact")),
    ])
}

fn appendix(_: &PaperRequest) -> Result<Vec<PaperItem>, Anything> {
    let robot = robots::asadi()?.delta;
    let [m_c, m_a, m_k] = Asadi::new(robot.parameters()).three_masses()[0];
    let arm = &robot.parameters().arms[0];
    Ok(vec![
        PaperItem::new("Appendix", "parameters of the robot")
            .verdict(PaperVerdict::Corrected, "The mass that is called m_K is that of the pair, M_K of (22); the point masses follow from it. I_K is printed with a point too many, and 1.17 % above twice the inertia of one rod.")
            .with_errata()
            .by("dalembert robots show asadi")
            .table("As the robot file has them")
            .row("l_L", "m", "0.2", arm.upper_arm.length)
            .row("l_K", "m", ".52", arm.forearm.length)
            .row("M_K, printed as m_K = 2 × 0.05788", "kg", "0.11576", arm.forearm.mass)
            .row("I_K, printed as .5.74769459 × 10⁻³", "kg m²", "", arm.forearm.inertia)
            .row("twice the printed inertia of one rod", "kg m²", "", 2.0 * 2_840_617e-9)
            .row("I_L, about the centre of mass", "kg m²", "6.4345319e-4", arm.upper_arm.inertia)
            .row("I_mo", "kg m²", "0.0465475", arm.motor.rotor_inertia)
            .row("m_P", "kg", "1.055", robot.parameters().platform_mass)
            .row("r_L", "", "0.3933", arm.upper_arm.center_of_mass / arm.upper_arm.length)
            .table("The three masses of a forearm, (22)")
            .row("m_C, at the elbow", "kg", "", m_c)
            .row("m_A, at the platform", "kg", "", m_a)
            .row("m_K, between them", "kg", "", m_k),
    ])
}
