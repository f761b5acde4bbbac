//! The figures of `docs/validation.md`, computed anew.
//!
//! Everything here is the library's own arithmetic on stored data and fixed random numbers: no clock, no other library, no
//! function of the platform. The tables come out the same everywhere, rounding noise included.
//!
//! `cargo run --release -p dalembert --example validation` prints them; `UPDATE_DOCS=1 cargo test -p dalembert --test
//! validation_page` writes them into the page.

use dalembert::analyze::compare::Difference;
use dalembert::analyze::operations;
use dalembert::delta::models::bortoff::{Bortoff, NineAngles};
use dalembert::delta::{ArmParameters, Branch, Delta, ModelName, Moving};
use dalembert::motion::{Direction, PickAndPlace, PlatformState};
use dalembert::robot::Robot;
use dalembert::robot::families::delta::operations::{SYMMETRIC, published};
use dalembert::robot::operations::{Task, cost as cost_of};
use dalembert::{Dual, Mat3, Scalar, Vec3};
use dalembert_proptest::{SampledState, robots, states, symmetric_robots};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use std::error::Error;
use std::f64::consts::TAU;
use std::time::Duration;

#[path = "../tests/common/golden.rs"]
mod golden;
#[path = "../tests/common/independent.rs"]
mod independent;
#[path = "../tests/common/linkages.rs"]
mod linkages;
#[path = "../tests/common/motions.rs"]
mod motions;
#[path = "../tests/common/swing.rs"]
mod swing;
#[path = "../../core/tests/core/ulps.rs"]
mod ulps;

use independent::{
    along_the_motion, codourey_mass_matrix, condition, euler_lagrange, largest, norm, rates, torque_scale,
    with_uniform_rods,
};

type Anything = Box<dyn Error>;

#[allow(dead_code)] // the test that includes this file only wants the report
fn main() -> Result<(), Anything> {
    for (name, text) in report()? {
        println!("## {name}\n\n{text}");
    }
    Ok(())
}

/// The blocks of the page by their names, as Markdown.
pub fn report() -> Result<Vec<(&'static str, String)>, Anything> {
    Ok(vec![
        ("golden", golden_tables()),
        ("libraries", library_table()),
        ("models", model_table()),
        ("approximations", approximation_table()?),
        ("mass matrix", mass_matrix_table()?),
        ("printed", printed_table()?),
        ("random robots", random_table()?),
        ("swing", swing_table()?),
        ("motions", motion_table()?),
        ("newton", newton_table()?),
        ("sine", sine_table()),
        ("operations", operation_table()?),
    ])
}

// Tables and figures.

/// A Markdown table.
struct Table(String);

impl Table {
    fn new(header: &[&str]) -> Self {
        let mut table = Self(String::new());
        table.row(header);
        table.row(&vec!["---"; header.len()]);
        table
    }

    fn row(&mut self, cells: &[impl AsRef<str>]) {
        let cells: Vec<&str> = cells.iter().map(AsRef::as_ref).collect();
        self.0 += &format!("| {} |\n", cells.join(" | "));
    }
}

/// A rounding error: two digits.
fn tiny(x: f64) -> String {
    if x == 0.0 { "0".into() } else { format!("{x:.1e}") }
}

/// A figure with `digits` significant digits, as a plain decimal where that is readable.
fn rounded(x: f64, digits: i32) -> String {
    let text = format!("{x:.*e}", digits as usize - 1);
    let exponent: i32 = text.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0);
    if !(-3..=3).contains(&exponent) {
        return tiny(x);
    }
    let decimals = (digits - 1 - exponent).max(0);
    text.parse().map_or(text, |x: f64| format!("{x:.*}", decimals as usize))
}

/// max / rms, N m.
fn pair(difference: &Difference) -> String {
    format!("{} / {}", rounded(difference.maximum, 3), rounded(difference.rms, 3))
}

// (a), (b): golden data.

fn golden_tables() -> String {
    let shown = |errors: &golden::Errors, columns: &[&str]| -> Vec<String> {
        columns.iter().map(|column| errors.worst.get(column).map_or("–".into(), |&error| tiny(error))).collect()
    };
    let line = |name: &str, errors: &golden::Errors, columns: &[&str]| {
        [vec![name.to_owned(), errors.rows.to_string()], shown(errors, columns)].concat()
    };
    let mut out = String::from(
        "Inverse dynamics, files `delta-…-dynamics.csv`, from the Cartesian state (left) and from the joint state (right):\n\n",
    );
    let mut table = Table::new(&[
        "robot",
        "rows",
        "q",
        "q̇",
        "q̈",
        "τ",
        "Ẍ from τ",
        "X from q",
        "Ẋ from q̇",
        "Ẍ from q̈",
        "τ from q, q̇, q̈",
    ]);
    let columns = [
        "q",
        "qd",
        "qdd",
        "tau",
        "acceleration",
        "position from q",
        "velocity from qd",
        "acceleration from qdd",
        "tau from joints",
    ];
    for name in golden::ROBOTS {
        let errors = golden::dynamics(&format!("delta-{name}-dynamics.csv"), &golden::robot(name), Branch::Out);
        table.row(&line(name, &errors, &columns));
    }
    let errors = golden::dynamics("delta-generic-elbow-in-dynamics.csv", &golden::robot("generic"), Branch::In);
    table.row(&line("generic, elbows in", &errors, &columns));
    out += &table.0;

    out += "\nJoint-space mass matrix and holding torques, files `delta-…-mass-gravity.csv`:\n\n";
    let mut table = Table::new(&["robot", "rows", "M", "g", "M from q", "g from q"]);
    for name in golden::ROBOTS.into_iter().filter(|&name| name != "friction") {
        let errors = golden::mass_and_gravity(&format!("delta-{name}-mass-gravity.csv"), &golden::robot(name));
        table.row(&line(name, &errors, &["M", "g", "M from q", "g from q"]));
    }
    out += &table.0;

    out += "\nForward dynamics, files `delta-…-forward.csv`:\n\n";
    let mut table = Table::new(&["robot", "rows", "Ẍ", "q̈"]);
    for name in golden::ROBOTS {
        let errors = golden::forward(&format!("delta-{name}-forward.csv"), &golden::robot(name));
        table.row(&line(name, &errors, &["acceleration", "qdd"]));
    }
    out + &table.0
}

fn library_table() -> String {
    let mut table = Table::new(&["τ of", "asadi", "d3-1200", "generic"]);
    for (library, title) in [("pinocchio", "Pinocchio 4.1.0"), ("mujoco", "MuJoCo 4.0.0")] {
        let errors = golden::LIBRARY_ROBOTS.map(|name| {
            let file = format!("delta-{name}-{library}.csv");
            tiny(golden::library(&file, &golden::robot(name)).worst["tau"])
        });
        table.row(&[vec![title.to_owned()], errors.into()].concat());
    }
    table.0
}

// (c), (g): the published models.

fn model_table() -> String {
    let mut table = Table::new(&[&["model"][..], &golden::ROBOTS].concat());
    for name in ModelName::ALL {
        let cells = golden::ROBOTS.map(|robot| match name.applies_to(golden::robot(robot).delta.parameters()) {
            Ok(()) => rounded(golden::model(name, robot).worst["tau"], 2),
            Err(_) => "does not apply".into(),
        });
        table.row(&[vec![format!("`{}`", name.as_str())], cells.into()].concat());
    }
    table.0
}

/// A robot with the pick-and-place of the errata, §5: one stroke of 300 × 25 mm in 1/6 s along x, one along y.
struct Bench {
    robot: Delta<f64>,
    motion: Vec<PlatformState>,
    /// Radius, m, and heights, m, of the cylinder that counts as its workspace.
    workspace: (f64, [f64; 2]),
}

impl Bench {
    fn new(name: &str, z: f64, workspace: (f64, [f64; 2])) -> Self {
        const STEPS: u32 = 300;
        let stroke = |direction| PickAndPlace {
            center: Vec3::new(0.0, 0.0, z),
            width: 0.3,
            height: 0.025,
            stroke: 1.0 / 6.0,
            direction,
        };
        let samples =
            |stroke: PickAndPlace| (0..=STEPS).map(move |k| stroke.at(f64::from(k) / f64::from(STEPS) * stroke.stroke));
        let motion = samples(stroke(Direction::X)).chain(samples(stroke(Direction::Y))).collect();
        Self { robot: golden::robot(name).delta, motion, workspace }
    }

    /// asadi and d3-1200.
    fn both() -> [Self; 2] {
        [Self::new("asadi", -0.45, (0.2, [-0.56, -0.36])), Self::new("d3-1200", -0.85, (0.45, [-1.05, -0.7]))]
    }

    /// Something along the motion, less the exact torque.
    fn difference(
        &self,
        torque: impl Fn(Moving<'_, f64>, Vec3<f64>) -> Result<Vec3<f64>, Anything>,
    ) -> Result<Difference, Anything> {
        let mut differences = Vec::new();
        for state in &self.motion {
            let moving = self.robot.at_position(state.position, Branch::Out)?.moving(state.velocity);
            differences.extend((torque(moving, state.acceleration)? - Vec3(moving.torque(state.acceleration))).0);
        }
        Ok(Difference::of(differences.into_iter().map(|x| (1.0, x))))
    }

    /// The exact torque itself.
    fn torque(&self) -> Result<Difference, Anything> {
        self.difference(|moving, acceleration| Ok(Vec3(moving.torque(acceleration)) * 2.0))
    }

    fn model(&self, name: ModelName) -> Result<Difference, Anything> {
        name.applies_to(self.robot.parameters())?;
        let model = name.build(self.robot.parameters());
        self.difference(|moving, acceleration| Ok(Vec3(model.as_model().torque(&moving, acceleration, Vec3::zero()))))
    }

    /// The robot with every arm changed.
    fn with(&self, change: impl Fn(&mut ArmParameters<f64>)) -> Delta<f64> {
        let mut parameters = *self.robot.parameters();
        parameters.arms.iter_mut().for_each(change);
        Delta::new(parameters)
    }

    /// The exact model of another robot, whose every arm is changed.
    fn changed(&self, change: impl Fn(&mut ArmParameters<f64>)) -> Result<Difference, Anything> {
        let other = self.with(change);
        self.difference(|moving, acceleration| {
            let pose = other.at_position(moving.pose.position, Branch::Out)?;
            Ok(Vec3(pose.moving(moving.velocity).torque(acceleration)))
        })
    }

    /// Positions in the middles of cells of equal volume.
    fn positions(&self) -> impl Iterator<Item = Vec3<f64>> {
        const CELLS: [u32; 3] = [10, 24, 14];
        let (radius, [low, high]) = self.workspace;
        let middle = |k: u32, axis: usize| (f64::from(k) + 0.5) / f64::from(CELLS[axis]);
        (0..CELLS.iter().product()).map(move |cell| {
            let r = radius * middle(cell % CELLS[0], 0).sqrt();
            let (sin, cos) = Scalar::sin_cos(TAU * middle(cell / CELLS[0] % CELLS[1], 1));
            Vec3::new(r * cos, r * sin, low + (high - low) * middle(cell / (CELLS[0] * CELLS[1]), 2))
        })
    }

    /// Relative error of a joint-space mass matrix in the 2-norm over the workspace: max / mean, %.
    fn mass_matrix_error(&self, other: impl Fn(Vec3<f64>) -> Result<Mat3<f64>, Anything>) -> Result<String, Anything> {
        let (mut worst, mut sum, mut count) = (0.0_f64, 0.0, 0.0);
        for position in self.positions() {
            let exact = self.robot.at_position(position, Branch::Out)?.mass_matrix();
            let error = two_norm(other(position)? - exact) / two_norm(exact);
            (worst, sum, count) = (worst.max(error), sum + error, count + 1.0);
        }
        Ok(format!("{} % / {} %", rounded(100.0 * worst, 2), rounded(100.0 * sum / count, 2)))
    }
}

/// Largest singular value, by power iteration on AᵀA.
fn two_norm(a: Mat3<f64>) -> f64 {
    let square = a.transpose().product(a);
    let mut v = Vec3::new(1.0, 0.7, 0.4);
    let mut size = 0.0;
    for _ in 0..60 {
        size = v.norm_squared().sqrt();
        v = square * (v * (1.0 / size));
        size = v.norm_squared().sqrt();
    }
    size.sqrt()
}

/// Two half masses at the ends of the rod, which is a rod with I = m L²/4.
fn half_and_half(arm: &mut ArmParameters<f64>) {
    arm.forearm.center_of_mass = arm.forearm.length / 2.0;
    arm.forearm.inertia = arm.forearm.mass * arm.forearm.length * arm.forearm.length / 4.0;
}

fn massless(arm: &mut ArmParameters<f64>) {
    (arm.forearm.mass, arm.forearm.inertia) = (0.0, 0.0);
}

const COMPARED: [&str; 5] = ["N m, max / rms", "asadi", "independent", "d3-1200", "independent"];

fn approximation_table() -> Result<String, Anything> {
    let benches = Bench::both();
    let mut table = Table::new(&COMPARED);
    let mut row = |title: &str, found: [Difference; 2], independent: [&str; 2]| {
        table.row(&[title, &pair(&found[0]), independent[0], &pair(&found[1]), independent[1]]);
    };
    let models = |name| -> Result<[Difference; 2], Anything> { Ok([benches[0].model(name)?, benches[1].model(name)?]) };
    let changed = |change: fn(&mut ArmParameters<f64>)| -> Result<[Difference; 2], Anything> {
        Ok([benches[0].changed(change)?, benches[1].changed(change)?])
    };
    row("the torque itself", [benches[0].torque()?, benches[1].torque()?], ["38.4 / 18.0", "57.7 / 23.9"]);
    row("`asadi`", models(ModelName::Asadi)?, ["2e-14 / 5e-15", "4e-14 / 7e-15"]);
    row("`bortoff`", models(ModelName::Bortoff)?, ["–", "–"]);
    row("`codourey`, uniform bars", models(ModelName::Codourey)?, ["0.747 / 0.391", "exact"]);
    row("`falezza-complete`, uniform rods", models(ModelName::FalezzaComplete)?, ["–", "4e-14 / 7e-15"]);
    row(
        "`codourey-simplified`, a third and two thirds",
        models(ModelName::CodoureySimplified)?,
        ["0.420 / 0.207", "1.510 / 0.640"],
    );
    row("half and half, true upper arm", changed(half_and_half)?, ["0.494 / 0.258", "5.077 / 2.620"]);
    row(
        "`falezza-simplified`, half and half, uniform upper arm",
        models(ModelName::FalezzaSimplified)?,
        ["0.552 / 0.277", "7.431 / 3.305"],
    );
    row("massless forearms", changed(massless)?, ["3.614 / 1.557", "18.09 / 7.41"]);
    Ok(table.0)
}

fn mass_matrix_table() -> Result<String, Anything> {
    let benches = Bench::both();
    let mut table = Table::new(&["max / mean", "asadi", "independent", "d3-1200", "independent"]);
    let simplified = |bench: &Bench| {
        let model = ModelName::CodoureySimplified.build(bench.robot.parameters());
        bench.mass_matrix_error(|position| {
            Ok(model.as_model().mass_matrix(&bench.robot.at_position(position, Branch::Out)?))
        })
    };
    let halves = |bench: &Bench| {
        let robot = bench.with(half_and_half);
        bench.mass_matrix_error(|position| Ok(robot.at_position(position, Branch::Out)?.mass_matrix()))
    };
    let [asadi, d3] = &benches;
    table.row(&["`codourey-simplified`", &simplified(asadi)?, "2.6 % / 1.8 %", &simplified(d3)?, "6.9 % / 2.8 %"]);
    table.row(&["half and half", &halves(asadi)?, "2.1 % / 1.7 %", &halves(d3)?, "14.5 % / 10.1 %"]);
    Ok(table.0)
}

fn printed_table() -> Result<String, Anything> {
    let [asadi, d3] = Bench::both();
    let mut table = Table::new(&COMPARED);
    let mut row = |title: &str, found: [Difference; 2], independent: [&str; 2]| {
        table.row(&[title, &pair(&found[0]), independent[0], &pair(&found[1]), independent[1]]);
    };
    let both = |name| -> Result<[Difference; 2], Anything> { Ok([asadi.model(name)?, d3.model(name)?]) };
    row("`falezza-complete-printed`", both(ModelName::FalezzaCompletePrinted)?, ["21.0 / 6.26", "61.6 / 16.5"]);
    row("`falezza-simplified-printed`", both(ModelName::FalezzaSimplifiedPrinted)?, ["–", "191.8 / 92.8"]);
    // The independent figure on asadi left the rotor out of the model.
    let bare = |bench: &Bench| {
        let model = ModelName::FalezzaSimplifiedPrinted.build(bench.robot.parameters());
        bench.difference(|moving, acceleration| Ok(Vec3(model.as_model().bare_torque(&moving, acceleration))))
    };
    row("the same without the rotor", [bare(&asadi)?, bare(&d3)?], ["78.8 / 37.8", "191.8 / 92.8"]);
    Ok(table.0)
}

// (d): random robots.

/// What was compared with what, how often, and the worst error over scale and condition number.
struct Identity {
    title: &'static str,
    cases: u32,
    worst: f64,
}

/// One robot in one state.
struct Case<'r> {
    robot: &'r Delta<f64>,
    state: SampledState,
    moving: Moving<'r, f64>,
    condition: f64,
    scale: f64,
}

impl<'r> Case<'r> {
    fn new(robot: &'r Delta<f64>, state: SampledState) -> Result<Self, Anything> {
        let moving = robot.at_position(state.position, Branch::Out)?.moving(state.velocity);
        let scale = torque_scale(&moving, state.acceleration, Vec3::zero());
        Ok(Self { robot, state, moving, condition: condition(&moving.pose), scale })
    }

    fn exact(&self) -> Vec3<f64> {
        Vec3(self.moving.torque(self.state.acceleration))
    }

    /// Error of a torque over its largest term and the condition number.
    fn torque(&self, other: Vec3<f64>) -> f64 {
        largest(&(other - self.exact()).0) / (self.condition * self.scale)
    }

    fn model(&self, name: ModelName) -> f64 {
        let model = name.build(self.robot.parameters());
        self.torque(Vec3(model.as_model().torque(&self.moving, self.state.acceleration, Vec3::zero())))
    }

    fn euler_lagrange(&self) -> f64 {
        self.torque(Vec3(self.moving.pose.torque_of_wrench(euler_lagrange(self.robot.parameters(), &self.state))))
    }

    /// Codourey (14), (15), for uniform rods.
    fn codourey_lagrange(&self) -> f64 {
        let (q, qd) = (self.moving.pose.joints(), self.moving.joint_velocity());
        let qdd = self.moving.joint_acceleration(self.state.acceleration);
        let a = codourey_mass_matrix(self.robot.parameters(), Vec3(Dual::<f64, 3>::variables(q)));
        let (value, by) = (a.map(|entry| entry.value), |k: usize| a.map(|entry| entry.derivative[k]));
        let rate = by(0) * qd[0] + by(1) * qd[1] + by(2) * qd[2];
        let gradient = Vec3::from_fn(|k| Vec3(qd).dot(by(k) * Vec3(qd)) * 0.5);
        let lagrange = value * Vec3(qdd) + rate * Vec3(qd) - gradient + Vec3(self.moving.pose.gravity_torque());
        let scale = self.scale.max(largest(&(rate * Vec3(qd)).0)).max(largest(&(value * Vec3(qdd)).0));
        self.torque(lagrange) * self.scale / scale
    }

    fn round_trip(&self) -> f64 {
        let back = self.moving.acceleration(self.exact().0);
        let mass = self.moving.pose.mass_matrix();
        let inverse = norm(mass.inverse());
        let scale = largest(&self.state.acceleration.0)
            .max(largest(&self.moving.platform_acceleration([0.0; 3]).0))
            .max(inverse * self.scale * norm(self.moving.pose.inverse_jacobian()));
        largest(&(back - self.state.acceleration).0) / (self.condition * norm(mass) * inverse * scale)
    }

    fn skew(&self) -> f64 {
        let (lifted, position, _) = along_the_motion(self.robot, &self.state);
        let rate = rates(lifted.pose_unchecked(position, Branch::Out).mass_matrix());
        let c = self.moving.coriolis_matrix();
        let n = rate - c * 2.0;
        let scale = largest(rate.0.iter().chain(&c.0).flat_map(|row| &row.0));
        largest((n + n.transpose()).0.iter().flat_map(|row| &row.0)) / (self.condition * scale)
    }

    fn power(&self) -> f64 {
        let (lifted, position, velocity) = along_the_motion(self.robot, &self.state);
        let dual = lifted.pose_unchecked(position, Branch::Out).moving(velocity);
        let stored = dual.kinetic_energy().derivative[0] + dual.pose.potential_energy().derivative[0];
        let qd = self.moving.joint_velocity();
        (stored - self.exact().dot(Vec3(qd))).abs() / (self.condition * self.scale * largest(&qd))
    }

    fn fast(&self) -> f64 {
        let SampledState { position, velocity, acceleration, .. } = self.state;
        self.robot.symmetric().map_or(f64::NAN, |fast| self.torque(Vec3(fast.torque(position, velocity, acceleration))))
    }
}

type Check = (&'static str, fn(&Case<'_>) -> f64);

fn draw<T>(from: &impl Strategy<Value = T>, runner: &mut TestRunner) -> Result<T, Anything> {
    Ok(from.new_tree(runner).map_err(|reason| reason.message().to_owned())?.current())
}

/// 1,000 robots of a kind, each in one state if it can be in it.
fn sample(
    kind: impl Strategy<Value = Delta<f64>>,
    change: fn(&Delta<f64>) -> Delta<f64>,
    checks: &[Check],
) -> Result<Vec<Identity>, Anything> {
    const ROBOTS: usize = 1000;
    let mut runner = TestRunner::deterministic();
    let mut found: Vec<_> = checks.iter().map(|&(title, _)| Identity { title, cases: 0, worst: 0.0 }).collect();
    for _ in 0..ROBOTS {
        let robot = change(&draw(&kind, &mut runner)?);
        let Some(state) = draw(&states(), &mut runner)?.of(&robot) else { continue };
        let case = Case::new(&robot, state)?;
        for (identity, (_, error)) in found.iter_mut().zip(checks) {
            let error = error(&case);
            identity.cases += 1;
            identity.worst = identity.worst.max(if error.is_nan() { f64::INFINITY } else { error });
        }
    }
    Ok(found)
}

fn random_table() -> Result<String, Anything> {
    let mut found = sample(
        robots(),
        |&robot| robot,
        &[
            ("τ: Euler–Lagrange in x, y, z, energies differentiated twice by dual numbers", |case| {
                case.euler_lagrange()
            }),
            ("τ: `asadi`", |case| case.model(ModelName::Asadi)),
            ("τ: `bortoff`", |case| case.model(ModelName::Bortoff)),
            ("Ẍ: forward dynamics of the inverse dynamics", |case| case.round_trip()),
            ("Ṁ − 2C is skew", |case| case.skew()),
            ("d(T + V)/dt = τ·q̇", |case| case.power()),
        ],
    )?;
    found.extend(sample(
        robots(),
        with_uniform_rods,
        &[
            ("τ, uniform rods: `codourey`", |case| case.model(ModelName::Codourey)),
            ("τ, uniform rods: Codourey's Lagrange form (15), his A differentiated", |case| case.codourey_lagrange()),
            ("τ, uniform rods: `falezza-complete`", |case| case.model(ModelName::FalezzaComplete)),
        ],
    )?);
    found.extend(sample(
        symmetric_robots(),
        |&robot| robot,
        &[("τ, symmetric robots: the fast path", |case| case.fast())],
    )?);
    let mut table = Table::new(&["`exact` against", "robots", "worst error / (scale · condition)"]);
    for identity in found {
        table.row(&[identity.title, &identity.cases.to_string(), &tiny(identity.worst)]);
    }
    Ok(table.0)
}

// (e): energy.

fn swing_table() -> Result<String, Anything> {
    let mut table = Table::new(&["robot", "largest kinetic energy", "largest drift of T + V − τ·q", "ratio"]);
    for name in ["asadi", "d3-1200"] {
        let energy = swing::swing(&golden::robot(name).delta)?;
        table.row(&[
            name,
            &format!("{} J", rounded(energy.range, 2)),
            &format!("{} J", tiny(energy.drift)),
            &tiny(energy.drift / energy.range),
        ]);
    }
    Ok(table.0)
}

/// Motions of closed loops against those of other libraries.
fn motion_table() -> Result<String, Anything> {
    let mut table = Table::new(&["motion", "from Pinocchio's", "from MuJoCo's", "our loops open by"]);
    for motion in motions::MOTIONS {
        let [pinocchio, mujoco] = motions::LIBRARIES.map(|library| motions::compare(motion, library));
        let (pinocchio, mujoco) = (pinocchio?, mujoco?);
        let closure = pinocchio.closure.max(mujoco.closure);
        table.row(&[motion, &tiny(pinocchio.largest), &tiny(mujoco.largest), &format!("{} m", tiny(closure))]);
    }
    Ok(table.0)
}

// (f): Bortoff's Newton iterations.

/// Newton steps until seven decimals are right (m or rad); `None` if it does not get there.
fn newton_steps(
    mut step: impl FnMut(NineAngles<f64>) -> Option<(NineAngles<f64>, f64)>,
    start: NineAngles<f64>,
) -> Option<usize> {
    let mut angles = start;
    for steps in 1..=50 {
        let (next, error) = step(angles)?;
        if error < 0.5e-7 {
            return Some(steps);
        }
        angles = next;
    }
    None
}

/// How often each number of steps occurs.
fn distribution(steps: &[Option<usize>]) -> String {
    let mut shown = Vec::new();
    for count in (1..=50).map(Some).chain([None]) {
        match (count, steps.iter().filter(|&&found| found == count).count()) {
            (_, 0) => {}
            (Some(count), times) => shown.push(format!("{count} ({times}×)")),
            (None, times) => shown.push(format!("elsewhere or nowhere ({times}×)")),
        }
    }
    shown.join(", ")
}

fn newton_table() -> Result<String, Anything> {
    let mut table = Table::new(&["start", "robot", "starts", "steps forward", "steps inverse"]);
    // At 3 m/s; `None` is the middle of the workspace.
    for (title, distance) in [
        ("1 ms ago, 3 mm away", Some(0.003)),
        ("5 ms ago, 15 mm away", Some(0.015)),
        ("20 ms ago, 60 mm away", Some(0.06)),
        ("the middle of the workspace", None),
    ] {
        for (name, middle) in [("asadi", -0.45), ("d3-1200", -0.85)] {
            let robot = golden::robot(name);
            let model = Bortoff::new(robot.delta.parameters());
            let (mut forward, mut inverse) = (Vec::new(), Vec::new());
            for (goal, row) in golden::states(name, &robot) {
                let goal = goal.pose;
                let speed = row.velocity().norm_squared().sqrt();
                let from = distance.map_or(Vec3::new(0.0, 0.0, middle), |distance: f64| {
                    goal.position - row.velocity() * (distance / speed)
                });
                let Ok(start) = robot.delta.at_position(from, Branch::Out) else { continue };
                let start = start.nine_angles();
                let q = goal.joints();
                // A tolerance that every step meets: one step at a time.
                forward.push(newton_steps(
                    |angles| {
                        let solution = model.newton_forward(q, angles, f64::INFINITY).ok()?;
                        Some((solution.angles, largest(&(solution.position - goal.position).0)))
                    },
                    start,
                ));
                inverse.push(newton_steps(
                    |angles| {
                        let solution = model.newton_inverse(goal.position, angles, f64::INFINITY).ok()?;
                        let off = Vec3::from_fn(|i| {
                            let off = solution.angles.0[i][0] - q[i];
                            off - TAU * (off / TAU).round()
                        });
                        Some((solution.angles, largest(&off.0)))
                    },
                    start,
                ));
            }
            table.row(&[title, name, &forward.len().to_string(), &distribution(&forward), &distribution(&inverse)]);
        }
    }
    Ok(table.0)
}

// (h), (i).

fn sine_table() -> String {
    let (count, worst) = ulps::worst();
    let mut table = Table::new(&["", "angles", "worst error"]);
    table.row(&["sine and cosine", &count.to_string(), &format!("{} ulp", rounded(worst, 2))]);
    table.0
}

fn operation_table() -> Result<String, Anything> {
    let report = operations::report(&Robot::find("d3-1200")?, Duration::ZERO, true)?;
    let cost =
        |program: &str, task| cost_of(&report.costs, program, task).map(|cost| cost.operations).ok_or("not counted");
    let mut table =
        Table::new(&["`exact`, d3-1200", "×", "±", "÷", "√", "together", "goal or known", "any robot's formula"]);
    for (title, task, known) in [
        ("torque from the Cartesian state", Task::Torque, "259"),
        ("torque, everything given as in Table 6", Task::TorqueAlone, "137"),
        ("forward dynamics from the Cartesian state", Task::Acceleration, "306"),
        ("joint-space mass matrix", Task::MassMatrix, "193"),
        ("holding torques", Task::Gravity, "104"),
    ] {
        let fast = cost(SYMMETRIC, task)?;
        let cells = [
            fast.multiplications,
            fast.additions + fast.subtractions,
            fast.divisions,
            fast.square_roots,
            fast.arithmetic(),
        ];
        let cells = cells.map(|count| count.to_string()).to_vec();
        let general = cost(ModelName::Exact.as_str(), task)?.arithmetic().to_string();
        table.row(&[vec![title.to_owned()], cells, vec![known.to_owned(), general]].concat());
    }
    let mut out = table.0;

    out +=
        "\nTorque of every model, d3-1200, arithmetic operations and pairs of sine and cosine or other functions:\n\n";
    let mut table =
        Table::new(&["model", "from the Cartesian state", "after the kinematics", "published (Falezza, Table 6)"]);
    let shown = |program: &str, task| -> Result<String, Anything> {
        let found = cost(program, task)?;
        let functions = found.sin_cos + found.other;
        Ok(if functions == 0 {
            found.arithmetic().to_string()
        } else {
            format!("{} + {functions}", found.arithmetic())
        })
    };
    for program in [SYMMETRIC].into_iter().chain(ModelName::ALL.map(ModelName::as_str)) {
        let published = published::FALEZZA.iter().find(|row| row.model == program).map(|row| {
            let [add, subtract, multiply, divide, sine, cosine] = row.operations;
            format!("{} + {}", add + subtract + multiply + divide, sine + cosine)
        });
        let published = published.unwrap_or_else(|| "–".into());
        table.row(&[program, &shown(program, Task::Torque)?, &shown(program, Task::TorqueAlone)?, &published]);
    }
    out += &table.0;
    Ok(out)
}
