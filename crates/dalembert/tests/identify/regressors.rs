//! Y π is the torque, for random robots of every family; the rank is the number of combinations that torques tell.
//!
//! The columns come from the torque formula itself, of robots that are zero but for a one: what is tested is that nothing is
//! lost, counted twice or in the wrong frame. A wrong Steiner term, say, is off in the first digits.

use dalembert::DeltaRobot;
use dalembert::delta::Delta;
use dalembert::identify::columns::{ColumnLayout, Parameterization};
use dalembert::identify::numerics::base::BaseParameters;
use dalembert::limits::JointLimits;
use dalembert::robot::families::{LinkTolerances, SerialLinks, Surroundings};
use dalembert::robot::regressor::Owner;
use dalembert::robot::{JointState, JointVector, Pick, Robot, State, ToolState};
use dalembert::serial::{DhConvention, LinkParameters, Serial};
use dalembert::spatial::Wrench;
use dalembert::{SerialRobot, robots as built_in};
use dalembert_proptest::{ArmKind, Random, RandomArm, robots, states};
use nalgebra::DMatrix;
use proptest::prelude::*;

fn arm<const N: usize>(arm: &Serial<f64, N>) -> Robot {
    let p = arm.parameters();
    let rest = Surroundings {
        convention: p.convention,
        base: p.base,
        gravity: p.gravity,
        links: [],
        tool: p.tool,
        payload: p.payload,
    };
    let file = SerialRobot {
        name: format!("random {N}"),
        source: None,
        arm: SerialLinks::try_new(&p.links, rest).unwrap(),
        limits: vec![JointLimits::NONE; N],
        tolerances: vec![LinkTolerances::default(); N],
        static_follows: vec![false; N],
        warnings: Vec::new(),
    };
    Robot::try_from(file).unwrap()
}

/// Y π against the model's torque less its friction, and both after the way to a robot and back; the largest distance over
/// the largest torque.
fn off(robot: &Robot, state: &State) -> f64 {
    let exact = robot.model("exact").unwrap();
    let torque = exact.torque(state, Wrench::zero());
    let regressor = robot.regressor().unwrap();
    let values: Vec<f64> = regressor.terms().iter().map(|term| term.value).collect();
    let (n, p) = (torque.len(), values.len());
    let mut y = vec![0.0; n * p];
    regressor.fill(state, &mut y);
    let again = robot_of(robot, &values);
    let again = again.model("exact").unwrap().torque(state, Wrench::zero());
    // The size of what is added up: rounding is relative to that.
    let size = |i: usize| (0..p).map(|k| (y[i * p + k] * values[k]).abs()).fold(torque[i].abs(), f64::max);
    (0..n)
        .map(|i| {
            let product: f64 = (0..p).map(|k| y[i * p + k] * values[k]).sum();
            (product - torque[i]).abs().max((again[i] - torque[i]).abs()) / size(i).max(1e-3)
        })
        .fold(0.0, f64::max)
}

fn robot_of(robot: &Robot, values: &[f64]) -> Robot {
    let family = robot.regressor().unwrap().robot(values).unwrap();
    Robot::parse(&family.to_toml("again", None).unwrap()).unwrap()
}

fn arms_of<const N: usize>(random: &mut Random) {
    for convention in [DhConvention::Modified, DhConvention::Standard] {
        for _ in 0..20 {
            let robot = arm(&random.arm::<N>(ArmKind::ANYTHING, convention));
            let [q, qd, qdd] = [3.0, 5.0, 20.0].map(|size| random.state::<N>(size).into());
            let state = robot.at_joints(&JointState { q, qd, qdd }, &Pick::default()).unwrap();
            let off = off(&robot, &state);
            assert!(off < 1e-12, "{N} joints, {convention:?}: {off:e}");
        }
    }
}

#[test]
fn of_random_arms() {
    let mut random = Random(11);
    arms_of::<1>(&mut random);
    arms_of::<2>(&mut random);
    arms_of::<4>(&mut random);
    arms_of::<6>(&mut random);
    arms_of::<7>(&mut random);
}

/// With damping of passive joints; friction of motors is not in Y, so there is none.
fn delta(robot: &Delta<f64>, damping: f64) -> Robot {
    let mut parameters = *robot.parameters();
    for arm in &mut parameters.arms {
        (arm.motor.friction, arm.passive_damping) = (None, (damping > 0.0).then_some(damping));
    }
    Robot::from(DeltaRobot { delta: Delta::new(parameters), ..built_in::asadi().unwrap() })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn of_random_deltas(robot in robots(), seed in states(), damping in 0.0..0.1_f64) {
        let Some(state) = seed.of(&robot) else { return Ok(()) };
        let robot = delta(&robot, if damping < 0.05 { 0.0 } else { damping });
        let tool = ToolState::translating(state.position, state.velocity, state.acceleration);
        let state = robot.at_tool(&tool, &Pick::default()).unwrap();
        let off = off(&robot, &state);
        prop_assert!(off < 1e-12, "{off:e}");
    }
}

/// Parallel robots of every kind of leg, their masses, centres and inertias at random, at random places near home.
#[test]
fn of_random_parallel_robots() {
    let mut random = Random(23);
    for name in ["hexa", "hexaglide", "stewart", "linear-delta"] {
        let file = Robot::find(name).unwrap();
        for _ in 0..10 {
            let terms = file.regressor().unwrap();
            let mut values: Vec<f64> = terms.terms().iter().map(|term| term.value).collect();
            // Every body of another density: it stays one that can be.
            for (_, matter) in terms.matter() {
                let density = random.within(0.5, 2.0);
                matter.terms().into_iter().for_each(|k| values[k] *= density);
            }
            // A payload too, as a body that can be.
            for (k, term) in terms.terms().iter().enumerate().filter(|(_, term)| term.owner == Owner::Payload) {
                let body =
                    [("m_", 2.0), ("mx", 0.1), ("my", -0.06), ("mz", -0.2), ("Ixx", 0.1), ("Iyy", 0.09), ("Izz", 0.08)];
                let of = body.iter().find(|(start, _)| term.name.starts_with(start));
                values[k] = of.map_or(0.0, |(_, value)| *value);
            }
            let robot = robot_of(&file, &values).with_frictions(&|_| None).unwrap();
            let robot = Robot::parse(&robot.family().to_toml(name, None).unwrap()).unwrap();
            let mut tool = robot.home().unwrap().tool;
            tool.pose.origin = tool.pose.origin + random.vector(0.02);
            tool.velocity.linear = random.vector(1.0);
            tool.acceleration.linear = random.vector(10.0);
            if robot.joints().len() > 3 {
                (tool.velocity.angular, tool.acceleration.angular) = (random.vector(1.0), random.vector(10.0));
            }
            let given = robot.at_tool(&tool, &Pick::default()).unwrap();
            let joints = robot.at_joints(&given.joints, &Pick::default()).unwrap();
            for state in [given, joints] {
                let off = off(&robot, &state);
                assert!(off < 1e-12, "{name}: {off:e}");
            }
        }
    }
}

/// The rank of columns of length 1 by their singular values, and the last of these over the first lost one: how clear it is.
fn rank(y: &DMatrix<f64>) -> (usize, f64) {
    let lengths: Vec<f64> = y.column_iter().map(|column| column.norm().max(f64::MIN_POSITIVE)).collect();
    let scaled = DMatrix::from_fn(y.nrows(), y.ncols(), |i, j| y[(i, j)] / lengths[j]);
    let mut values: Vec<f64> = scaled.singular_values().iter().copied().collect();
    values.sort_by(|a, b| b.total_cmp(a));
    let rank = values.iter().filter(|value| **value > 1e-9 * values[0]).count();
    (rank, values.get(rank).map_or(f64::INFINITY, |lost| values[rank - 1] / lost))
}

/// Base parameters of the bodies alone, without rotors and payload; they are as many as the rank.
fn bodies(robot: &Robot) -> (BaseParameters, Vec<String>) {
    let layout = ColumnLayout::new(robot, &Parameterization::default()).unwrap();
    let all = layout.random_rows(robot);
    let terms = robot.regressor().unwrap();
    let of_bodies: Vec<usize> = (0..layout.columns.len())
        .filter(|&k| terms.terms().iter().any(|term| term.owner == Owner::Body && term.name == layout.columns[k].name))
        .collect();
    let names = of_bodies.iter().map(|&k| layout.columns[k].name.clone()).collect();
    let of_bodies = all.select_columns(&of_bodies);
    let (base, (rank, gap)) = (BaseParameters::of(&of_bodies), rank(&of_bodies));
    assert_eq!(base.independent.len(), rank);
    assert!(gap > 1e4, "{gap:e}");
    (base, names)
}

/// Without rotors the PUMA 560 has 36 base inertial parameters (Mayeda, Yoshida, Osuka 1990, IEEE Trans. Robotics and
/// Automation 6(3): 7 N − 4 β₁ − 2 β₂ … for arms with parallel and perpendicular axes; Khalil and Dombre 2004, Modeling,
/// Identification and Control of Robots, §9.4.5, for arms with these axes). The regrouping relations are Gautier and
/// Khalil's 1990, (9): Iyy_j goes with Ixx_j, and m_j and mz_j with the link before.
#[test]
fn the_puma_has_thirty_six_and_groups_as_the_literature_has_it() {
    let robot = Robot::find("puma560").unwrap();
    let (base, names) = bodies(&robot);
    assert_eq!(base.independent.len(), 36);
    let place = |name: &str| names.iter().position(|other| other == name).unwrap();
    let factor = |of: &str, group: &str| {
        let row = base.independent.iter().position(|&k| k == place(group)).unwrap();
        base.terms(row).iter().find(|(k, _)| *k == place(of)).map_or(0.0, |term| term.1)
    };
    // Gautier and Khalil: XXR_j = XX_j − YY_j; ZZR_(j−1) = … + YY_j; with r_j, d_j the offset and the length before joint j.
    for j in 2..=6 {
        let (yy, xx) = (format!("Iyy{j}"), format!("Ixx{j}"));
        assert!((factor(&yy, &xx) + 1.0).abs() < 1e-9, "{yy} in {xx}: {}", factor(&yy, &xx));
    }
    // The mass of link 3 in MX_2: d_3 = 0.4318 m; in ZZ_2: d_3².
    assert!((factor("m3", "mx2") - 0.4318).abs() < 1e-9);
    assert!((factor("m3", "Izz2") - 0.4318_f64.powi(2)).abs() < 1e-9);
}

/// Gautier and Khalil's regrouping relations (1990, Direct calculation of minimum set of inertial parameters of serial robots, IEEE
/// Trans. Robotics and Automation 6(3), those for revolute joints; also in Khalil and Dombre 2004, chapter 9), written as they are published and
/// not from our columns: what they move from link j to link j − 1 changes none of our base parameters, whatever the bodies are. What is left is the
/// published set: for j ≥ 2 no YY_j, MZ_j, M_j, and of link 1 its ZZ alone.
#[test]
fn published_regroupings_leave_every_base_parameter_as_it_is() {
    let (base, names) = bodies(&Robot::find("puma560").unwrap());
    let place = |name: &str, j: usize| names.iter().position(|other| *other == format!("{name}{j}")).unwrap();
    // α_j, d_j, r_j of Khalil's notation: the file's alpha, a, d.
    let turn = std::f64::consts::FRAC_PI_2;
    let axes = [(0.0, 0.0, 0.0), (-turn, 0.0, 0.2435), (0.0, 0.4318, -0.0934), (turn, -0.0203, 0.4331)];
    let axes = [&axes[..], &[(-turn, 0.0, 0.0), (turn, 0.0, 0.0)]].concat();
    let mut random = Random(77);
    for _ in 0..20 {
        let before = nalgebra::DVector::from_fn(names.len(), |_, _| random.within(-1.0, 1.0));
        let mut all = before.clone();
        for j in (2..=6).rev() {
            let (alpha, d, r) = axes[j - 1];
            let (s, c) = (f64::sin(alpha), f64::cos(alpha));
            let [yy, mz, m] = ["Iyy", "mz", "m"].map(|name| std::mem::take(&mut all[place(name, j)]));
            all[place("Ixx", j)] -= yy;
            let along = yy + 2.0 * r * mz + r * r * m;
            for (name, more) in [
                ("Ixx", along),
                ("Ixy", d * s * (mz + r * m)),
                ("Ixz", -d * c * (mz + r * m)),
                ("Iyy", c * c * along + d * d * m),
                ("Iyz", c * s * along),
                ("Izz", s * s * along + d * d * m),
                ("mx", d * m),
                ("my", -s * (mz + r * m)),
                ("mz", c * (mz + r * m)),
                ("m", m),
            ] {
                all[place(name, j - 1)] += more;
            }
        }
        let (own, published) = (base.values(&before), base.values(&all));
        // Groupings come from a decomposition of random states: known to some thousand roundings.
        assert!((&own - &published).amax() < 1e-9 * own.amax(), "{:e}", (&own - &published).amax());
    }
    let mut left_out: Vec<&str> = base.dependent.iter().map(|&k| names[k].as_str()).collect();
    let mut expected: Vec<String> = (2..=6).flat_map(|j| ["Iyy", "mz", "m"].map(|name| format!("{name}{j}"))).collect();
    left_out.sort_unstable();
    expected.sort_unstable();
    assert_eq!(left_out, expected);
    assert_eq!(base.silent.len(), 9);
}

#[test]
fn an_arm_of_general_axes_has_seven_for_each_joint_but_the_first() {
    // Revolute joints about axes in general directions: 1 for the first with a vertical axis, 3 of gravity with a tilted one.
    // Some random arms have parallel axes, which are told less of.
    let kind = ArmKind { prismatic: 0.0, square: false, armatures: 0.0 };
    let skew = (5..).map(|seed| Random(seed).arm::<4>(kind, DhConvention::Modified));
    let turned = |links: &[LinkParameters<f64>]| links[1..].iter().all(|link| link.dh.alpha.sin.abs() > 0.1);
    let general = arm(&skew.into_iter().find(|arm| turned(&arm.parameters().links)).unwrap());
    let (base, _) = bodies(&general);
    assert!(
        base.independent.len() <= 3 + 3 * 7 && base.independent.len() >= 1 + 3 * 7 - 3,
        "{}",
        base.independent.len()
    );
}

/// What torques tell of a Delta: of every arm its inertia, its first moment and the rod's coupling mass, and one mass at the
/// platform: ten. The rods' own mass is not told apart from arm and platform, and neither is the rotor's inertia from the
/// arm's.
#[test]
fn a_delta_has_ten_and_rods_hide_between_arms_and_platform() {
    let robot = Robot::find("d3-1200").unwrap();
    let (base, names) = bodies(&robot);
    assert_eq!(base.independent.len(), 10, "{:?}", base.independent.iter().map(|&k| &names[k]).collect::<Vec<_>>());
    let layout =
        ColumnLayout::new(&robot, &Parameterization { stribeck: false, tanh: false, ..Parameterization::default() })
            .unwrap();
    let all = BaseParameters::of(&layout.random_rows(&robot));
    // Viscous and Coulomb friction and an offset of each motor besides.
    assert_eq!(all.independent.len(), 10 + 9);
    let name = |k: usize| layout.columns[k].name.as_str();
    assert!(all.dependent.iter().any(|&k| name(k) == "m_platform"), "the platform's mass goes with the rods'");
    assert!(all.dependent.iter().any(|&k| name(k) == "Ia1"), "the rotor's inertia goes with the arm's");
    assert!(all.silent.iter().any(|&k| name(k) == "m_arm1"), "the arm's mass alone does nothing: its moment does");
}

/// With a shaft from the base and with a motor on the platform, with tools and payloads off the axis: Y π is the torque, and a robot
/// made of its terms is the same robot.
#[test]
fn of_fourth_axes() {
    let text = include_str!("../../../../robots/d3-1200-fourth-axis-assumed.toml");
    let tool = text.replace(r#"["0 m", "0 m", "-30 mm"]"#, "[0.03, -0.02, 0.01]");
    let carried =
        "\n[payload]\nmass = 1.3\n[fourth_axis.payload]\ncenter_of_mass = [-0.05, 0.04, 0]\ninertia = 0.004\n";
    let on_platform = tool.split("[fourth_axis.shaft]").next().unwrap();
    let on_platform = on_platform.replace("gear_ratio = 5", "gear_ratio = -5\nmass = 0.4");
    let mut random = Random(5);
    for text in [&tool, &on_platform] {
        let bare = Robot::parse(&(text.clone() + carried)).unwrap().with_frictions(&|_| None).unwrap();
        let robot = Robot::parse(&bare.family().to_toml("bare", None).unwrap()).unwrap();
        let center = robot.workspace().unwrap().center;
        for _ in 0..50 {
            let [place, velocity, acceleration] = [0.15, 2.0, 20.0].map(|size| random.vector(size));
            let turn = [3.0, 10.0, 100.0].map(|size| random.within(-size, size));
            let tool = ToolState::translating(center + place, velocity, acceleration).turned(turn);
            let state = robot.at_tool(&tool, &Pick::default()).unwrap();
            let off = off(&robot, &state);
            assert!(off < 1e-12, "{off:e}");
        }
        // What the tool weighs is told with the platform; its moments and its inertia are told by the fourth motor.
        let parameterization = Parameterization { stribeck: false, ..Parameterization::default() };
        let layout = ColumnLayout::new(&robot, &parameterization).unwrap();
        let y = layout.random_rows(&robot);
        let base = BaseParameters::of(&y);
        let names: Vec<&str> = base.independent.iter().map(|&k| layout.columns[k].name.as_str()).collect();
        assert!(names.contains(&"mx_tool") && names.contains(&"my_tool") && !names.contains(&"m_tool"), "{names:?}");
        assert_eq!(rank(&y).0, base.independent.len());
    }
}

/// Σ weights · Y, which arms and trees compute without Y, is that of Y: with branches, sliding joints, springs and spinning armatures.
#[test]
fn what_is_weighed_is_the_product_with_y() {
    let link = |k: usize, more: &str| {
        let joint = if k == 2 { "prismatic" } else { "revolute" };
        let alpha = [0.3, 1.2, -0.7, 0.9, -1.1][k];
        let center = format!("[0.0{}, -0.02, 0.03]", k + 1);
        format!(
            "[[link]]\njoint = \"{joint}\"\nalpha = {alpha}\na = 0.2\nd = 0.1\nmass = {}\ncenter_of_mass = {center}\n\
             inertia = [0.02, 0.03, 0.04, 0.001, -0.002, 0.003]\nmotor_inertia = 0.1\ngear_ratio = 50\n{more}\n",
            k + 1
        )
    };
    let spring = "spring = { stiffness = 3.0, rest = 0.2, sine = 1.5, constant = 0.7 }";
    let armature = "armature = { carrier = 1, axis = [0.6, 0.0, 0.8] }";
    let arm = [link(0, ""), link(1, spring), link(2, ""), link(3, armature)].concat();
    let tree = [link(0, ""), link(1, spring), link(2, ""), link(3, "parent = 1"), link(4, armature)].concat();
    let mut random = Random(8);
    for convention in ["modified-dh", "standard-dh"] {
        for links in [&arm, &tree] {
            let text = format!("kind = \"serial\"\nname = \"weighed\"\nconvention = \"{convention}\"\n{links}");
            let robot = Robot::parse(&text).unwrap_or_else(|error| panic!("{error}"));
            let (regressor, n) = (robot.regressor().unwrap(), robot.joints().len());
            let numbers =
                |size: f64, random: &mut Random| -> Vec<f64> { (0..n).map(|_| random.within(-size, size)).collect() };
            let [q, qd, qdd] = [2.0, 3.0, 10.0].map(|size| JointVector::new(&numbers(size, &mut random)));
            let state = robot.at_joints(&JointState { q, qd, qdd }, &Pick::default()).unwrap();
            let mut y = vec![0.0; n * regressor.terms().len()];
            regressor.fill(&state, &mut y);
            let weights: Vec<f64> = y.iter().map(|_| random.within(-1.0, 1.0)).collect();
            let product: f64 = y.iter().zip(&weights).map(|(y, weight)| y * weight).sum();
            let size: f64 = y.iter().zip(&weights).map(|(y, weight)| (y * weight).abs()).sum();
            let weighed = regressor.weighed(weights)(&state);
            assert!((weighed - product).abs() < 1e-13 * size, "{convention}, {n} joints: {weighed} {product}");
        }
    }
}
