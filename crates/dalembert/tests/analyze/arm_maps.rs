//! Maps of serial arms: what they say of a position is true of the arm there, by forward kinematics and inverse dynamics.

use crate::linearize::described;
use dalembert::analyze::map::{Plane, PositionGrid, map};
use dalembert::delta::Delta;
use dalembert::friction::Friction;
use dalembert::robot::families::SerialLinks;
use dalembert::robot::families::delta::Reach;
use dalembert::robot::map::{Kind, MapError, MapOptions, Reason};
use dalembert::robot::orientation::rotation;
use dalembert::robot::{Family, JointState, JointVector, Pick, Robot, ToolState};
use dalembert::serial::{PumaBranch, Serial};
use dalembert::spatial::Frame;
use dalembert::{Mat3, Vec3, robots as built_in};
use nalgebra::{DMatrix, DVector, Matrix6, Vector6};
use std::error::Error;
use std::f64::consts::PI;

/// Pointing down.
fn down() -> Mat3<f64> {
    rotation([PI, 0.0, 0.0])
}

/// The tool points down, on one branch.
fn down_on(branch: PumaBranch) -> MapOptions {
    let pick = Pick { posture: Some(branch), ..Pick::default() };
    MapOptions { pick, orientation: Some(down()), ..MapOptions::default() }
}

const SHOWN: [Kind; 8] = [
    Kind::Reach,
    Kind::Determinant,
    Kind::Condition,
    Kind::Mass,
    Kind::Gravity,
    Kind::Acceleration,
    Kind::Force,
    Kind::Resolution { step: 1e-4 },
];

/// Velocity and angular velocity of the tool per unit of each joint, by differences of the tool frame.
fn jacobian(puma: &Serial<f64, 6>, q: [f64; 6]) -> Matrix6<f64> {
    let h = 1e-6;
    let mut found = Matrix6::zeros();
    for k in 0..6 {
        let moved = |by: f64| {
            let mut q = q;
            q[k] += by;
            puma.at_joints(q).expect("any angles").tool()
        };
        let (a, b) = (moved(h), moved(-h));
        let velocity = (a.origin - b.origin) * (0.5 / h);
        // Ω = Ṙ Rᵀ is skew.
        let rate = Mat3::from_fn(|i, j| (a.rotation[i][j] - b.rotation[i][j]) * (0.5 / h));
        let middle = puma.at_joints(q).expect("any angles").tool().rotation;
        let spin = rate.product(middle.transpose());
        let omega = [spin[2][1], spin[0][2], spin[1][0]];
        (0..3).for_each(|i| {
            found[(i, k)] = velocity[i];
            found[(3 + i, k)] = omega[i];
        });
    }
    found
}

#[test]
fn what_is_mapped_is_true_of_the_arm() -> Result<(), Box<dyn Error>> {
    let puma = built_in::puma560()?;
    let robot = Robot::try_from(puma.clone())?;
    let branch = PumaBranch::ALL[0];
    let position = Vec3::new(0.45, 0.2, -0.3);
    let evaluate = |kind: Kind| -> Result<Vec<f64>, MapError> {
        let mapper = robot.field(kind, &down_on(branch))?;
        let mut values = vec![f64::NAN; mapper.channels().len()];
        mapper.evaluate(position, &mut values);
        Ok(values)
    };
    let still = ToolState::translating(position, Vec3::zero(), Vec3::zero());
    let turned = ToolState { pose: Frame { rotation: down(), origin: position }, ..still };
    let q: [f64; 6] = robot.at_tool(&turned, &down_on(branch).pick)?.joints.q.array().ok_or("six joints")?;
    let arm = puma.arm.arm::<6>().ok_or("six joints")?;
    let pose = arm.at_joints(q)?;
    let tool = pose.tool();
    assert!((tool.origin - position).norm_squared().sqrt() < 1e-12);
    for i in 0..3 {
        assert!((tool.rotation[i] - down()[i]).norm_squared().sqrt() < 1e-12);
    }
    let (mass, gravity) = (pose.mass_matrix(), pose.gravity_torque());
    let upper: Vec<f64> = (0..6).flat_map(|i| &mass[i][i..]).copied().collect();
    assert_eq!(evaluate(Kind::Mass)?, upper);
    let held = evaluate(Kind::Gravity)?;
    assert_eq!(held[..6], gravity);
    assert_eq!(held[6], gravity.iter().fold(0.0_f64, |m, g| m.max(g.abs())));
    let j = jacobian(&arm, q);
    // Differences with a step of 1e-6 know the Jacobian to about ten digits.
    assert!((evaluate(Kind::Determinant)?[0] / j.determinant().abs() - 1.0).abs() < 1e-7);
    let values = j.fixed_rows::<3>(0).into_owned().singular_values();
    assert!((evaluate(Kind::Condition)?[0] * values[2] / values[0] - 1.0).abs() < 1e-7);
    let moved = (0..64_u32).map(|signs| {
        let steps = Vector6::from_fn(|i, _| if signs >> i & 1 == 1 { -1e-4 } else { 1e-4 });
        (j.fixed_rows::<3>(0) * steps).norm()
    });
    assert!((evaluate(Kind::Resolution { step: 1e-4 })?[0] / moved.fold(0.0, f64::max) - 1.0).abs() < 1e-7);
    assert_eq!(evaluate(Kind::Reach)?, [0.0, 0.0]);
    // The motors are used up in some direction, and in none beyond. The file's friction is overcome first.
    let friction = |i: usize| puma.arm.links()[i].friction.map_or(0.0, |f| f.coulomb.max(f.static_friction));
    for (kind, value) in
        [(Kind::Acceleration, evaluate(Kind::Acceleration)?[0]), (Kind::Force, evaluate(Kind::Force)?[0])]
    {
        let mut most = 0.0_f64;
        for k in 0..20_000 {
            let z = 1.0 - (f64::from(k) + 0.5) / 10_000.0;
            let (s, c) = (2.399_963_229_728_653 * f64::from(k)).sin_cos();
            let direction = Vec3::new((1.0 - z * z).sqrt() * c, (1.0 - z * z).sqrt() * s, z) * value;
            let along = Vector6::new(direction[0], direction[1], direction[2], 0.0, 0.0, 0.0);
            for i in 0..6 {
                let torque = if kind == Kind::Force {
                    gravity[i].abs() + (j.transpose() * along)[i].abs()
                } else {
                    let qdd = j.lu().solve(&along).ok_or("regular")?;
                    let inertia: f64 = (0..6).map(|k| mass[i][k] * qdd[k]).sum();
                    gravity[i].abs() + inertia.abs() + friction(i)
                };
                most = most.max(torque / puma.limits[i].max_torque);
            }
        }
        // The directions are about 1° apart, and the torque changes with the cosine.
        assert!(most < 1.0 + 1e-7 && most > 1.0 - 1e-3, "{}: {most}", kind.as_str());
    }
    Ok(())
}

/// Reach tells why: outside the stretched arm, too near to the first axis, beyond a joint's range. Other maps have
/// numbers exactly where it is reached, and the same bits with any number of threads.
#[test]
fn reach_tells_why() -> Result<(), Box<dyn Error>> {
    let robot = Robot::try_from(built_in::puma560()?)?;
    let options = MapOptions { within_limits: true, ..down_on(PumaBranch::ALL[0]) };
    let reach = robot.field(Kind::Reach, &options)?;
    let mut values = [0.0; 2];
    reach.evaluate(Vec3::new(2.0, 0.0, 0.0), &mut values);
    assert_eq!(values[0], Reason::ToolTooFar.code() as f64);
    assert!(values[1] > 1.0);
    reach.evaluate(Vec3::new(0.0, 0.01, -0.3), &mut values);
    assert_eq!(values[0], Reason::ToolTooClose.code() as f64);
    let grid = PositionGrid::slice(&reach, Plane::Xz, Some(0.2), 40);
    let all = map(&reach, &grid, &|_| true).ok_or("interrupted")?;
    for kind in SHOWN {
        let mapper = robot.field(kind, &options)?;
        let found = map(&mapper, &grid, &|_| true).ok_or("interrupted")?;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build()?;
        let again = pool.install(|| map(&mapper, &grid, &|_| true)).ok_or("interrupted")?;
        let bits = |values: &[f64]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&found.values), bits(&again.values));
        if kind != Kind::Reach {
            for k in 0..grid.len() {
                assert_eq!(found.value(k, 0).is_nan(), all.value(k, 0) != 0.0, "{} {k}", kind.as_str());
            }
        }
    }
    let codes: std::collections::BTreeSet<usize> = (0..grid.len()).map(|k| all.value(k, 0) as usize).collect();
    assert!(codes.contains(&0) && codes.contains(&17), "{codes:?}");
    assert!(codes.iter().all(|&code| !Reason::text(code).chars().all(char::is_numeric)));
    Ok(())
}

#[test]
fn what_has_no_map_is_refused() -> Result<(), Box<dyn Error>> {
    let puma = built_in::puma560()?;
    let options = down_on(PumaBranch::ALL[0]);
    let refused = |robot: &Robot, kind, what: &str| match robot.field(kind, &options).err() {
        Some(MapError::StateError(refused)) => {
            refused.reason == dalembert::robot::Reason::NotOffered && refused.text.contains(what)
        }
        _ => false,
    };
    let robot = Robot::try_from(puma.clone())?;
    assert!(refused(&robot, Kind::Transmission, "a serial arm does not offer a map of"));
    let rest = puma.arm.surroundings();
    let with = |links: &[_]| -> Result<Robot, Box<dyn Error>> { Ok(described(&SerialLinks::try_new(links, rest)?)) };
    let five = with(&puma.arm.links()[..5])?;
    assert!(refused(&five, Kind::Mass, "six joints in a row and a spherical wrist; this one has 5 joints"));
    let mut links = puma.arm.links().to_vec();
    links[4].dh.a = 0.1;
    let skewed = with(&links)?;
    assert!(refused(&skewed, Kind::Mass, "not like the PUMA"));
    let bad = robot.field(Kind::Resolution { step: f64::NAN }, &options);
    assert!(matches!(bad, Err(MapError::BadValue { .. })));
    Ok(())
}

/// A Delta that has to overcome friction accelerates as one with weaker motors.
#[test]
fn friction_is_overcome_first() -> Result<(), Box<dyn Error>> {
    let robot = built_in::d3_1200()?;
    let mut p = *robot.delta.parameters();
    for arm in &mut p.arms {
        arm.motor.friction = Some(Friction { coulomb: 30.0, static_friction: 40.0, ..Friction::NONE });
    }
    let rough = dalembert::DeltaRobot { delta: Delta::try_new(p)?, ..built_in::d3_1200()? };
    let mut weak = built_in::d3_1200()?;
    weak.limits.iter_mut().for_each(|limit| limit.max_torque -= 40.0);
    let value = |robot: &dyn Family, kind| -> Result<f64, MapError> {
        let mut values = [0.0];
        robot.field(kind, &MapOptions::default())?.evaluate(Vec3::new(0.1, 0.0, -0.85), &mut values);
        Ok(values[0])
    };
    assert_eq!(value(&rough, Kind::Acceleration)?, value(&weak, Kind::Acceleration)?);
    assert!(value(&rough, Kind::Acceleration)? < value(&robot, Kind::Acceleration)?);
    assert_eq!(value(&rough, Kind::Force)?, value(&robot, Kind::Force)?);
    Ok(())
}

/// A platform larger than the base: the grid still covers what is reached.
#[test]
fn grids_cover_the_reach() -> Result<(), Box<dyn Error>> {
    let robot = built_in::d3_1200()?.delta;
    for (base, platform) in [(0.25, 0.1), (0.1, 0.4), (0.2, 0.2)] {
        let mut p = *robot.parameters();
        for arm in &mut p.arms {
            (arm.base_radius, arm.platform_radius) = (base, platform);
        }
        let delta = Delta::try_new(p)?;
        let robot = dalembert::DeltaRobot { delta, ..built_in::d3_1200()? };
        let (reach, grid) =
            (Reach::of(&delta), PositionGrid::volume(&robot.field(Kind::Reach, &MapOptions::default())?, 10));
        assert!(grid.axes[2].from <= reach.lowest && grid.axes[2].to >= reach.highest, "{base} {platform}: {grid:?}");
        assert!(grid.axes[0].from <= -reach.radius && grid.axes[0].to >= reach.radius);
    }
    Ok(())
}

/// Arms of other geometry, each solved in another way: parallel axes, four and five joints, a slide, seven joints by their arm angle, and a SCARA in
/// millimetres whose base is tilted and that carries something.
fn others() -> Result<Vec<Robot>, Box<dyn Error>> {
    let golden = |name: &str, changes: &[&str]| {
        let changes: Vec<String> = changes.iter().map(|change| (*change).to_owned()).collect();
        Robot::find_with(&format!("{}/../../golden/robots/{name}.toml", env!("CARGO_MANIFEST_DIR")), &changes)
    };
    Ok(vec![
        golden("ur5e", &["payload.mass=3", "payload.center_of_mass=[0.02,0,0.1]"])?,
        golden("scara", &[])?,
        Robot::parse(TILTED_SCARA)?,
        Robot::parse(FIVE)?,
        golden("stanford", &[])?,
        golden("panda", &[])?,
    ])
}

const TILTED_SCARA: &str = r#"
kind = "serial"
name = "tilted-scara"
convention = "modified-dh"
base = { position = ["100 mm", "-200 mm", "700 mm"], rpy = ["12 deg", "-7 deg", "33 deg"] }
payload = { mass = "1500 g", center_of_mass = ["10 mm", 0, "40 mm"] }
tool = { position = ["15 mm", 0, "60 mm"], rpy = ["170 deg", 0, 0] }
link = [
  { joint = "revolute", alpha = 0, a = 0, d = "180 mm", mass = "6 kg", center_of_mass = ["120 mm", 0, 0], inertia = [0.02, 0.08, 0.09] },
  { joint = "revolute", alpha = 0, d = 0, a = "225 mm", mass = "4 kg", center_of_mass = ["90 mm", 0, 0], inertia = [0.01, 0.03, 0.035] },
  { joint = "prismatic", alpha = 0, d = 0, a = "175 mm", mass = "900 g", inertia = [0.004, 0.004, 0.0003], range = ["-150 mm", "50 mm"] },
  { joint = "revolute", alpha = 0, a = 0, d = 0, mass = "200 g", inertia = [0.0002, 0.0002, 0.0001], motor_inertia = 0.002 },
]
"#;

/// A waist, three parallel joints that lift, and one that turns the tool.
const FIVE: &str = r#"
kind = "serial"
name = "five"
convention = "modified-dh"
tool = { position = [0, 0, 0.05] }
link = [
  { joint = "revolute", alpha = 0, a = 0, d = 0.2, mass = 3, inertia = [0.01, 0.01, 0.02] },
  { joint = "revolute", a = 0, d = 0, alpha = "-90 deg", mass = 2.5, center_of_mass = [0.12, 0, 0], inertia = [0.003, 0.02, 0.02] },
  { joint = "revolute", alpha = 0, d = 0, a = 0.3, mass = 1.5, center_of_mass = [0.1, 0, 0.02], inertia = [0.002, 0.01, 0.01] },
  { joint = "revolute", alpha = 0, d = 0, a = 0.25, mass = 0.6, inertia = [0.001, 0.001, 0.001] },
  { joint = "revolute", a = 0, alpha = "-90 deg", d = 0.08, mass = 0.2, inertia = [0.0001, 0.0001, 0.0001] },
]
"#;

/// Velocity and angular velocity of the tool per unit of each joint, by differences of the tool's frame.
fn differences(robot: &Robot, q: &[f64]) -> Result<DMatrix<f64>, Box<dyn Error>> {
    let h = 1e-6;
    let mut found = DMatrix::zeros(6, q.len());
    for k in 0..q.len() {
        let moved = |by: f64| {
            let joints = JointVector::from_fn(q.len(), |i| q[i] + if i == k { by } else { 0.0 });
            robot.at_joints(&JointState::at_rest(joints), &Pick::default()).map(|state| state.tool.pose)
        };
        let (a, b) = (moved(h)?, moved(-h)?);
        let velocity = (a.origin - b.origin) * (0.5 / h);
        // Ω = Ṙ Rᵀ is skew.
        let rate = Mat3::from_fn(|i, j| (a.rotation[i][j] - b.rotation[i][j]) * (0.5 / h));
        let spin = rate.product(moved(0.0)?.rotation.transpose());
        let twist = [velocity[0], velocity[1], velocity[2], spin[2][1], spin[0][2], spin[1][0]];
        twist.iter().enumerate().for_each(|(i, x)| found[(i, k)] = *x);
    }
    Ok(found)
}

fn values(robot: &Robot, kind: Kind, options: &MapOptions, place: Vec3<f64>) -> Result<Vec<f64>, MapError> {
    let field = robot.field(kind, options)?;
    let mut values = vec![f64::NAN; field.channels().len()];
    field.evaluate(place, &mut values);
    Ok(values)
}

/// The joints of a map are those of `ik`; its numbers are those of forward kinematics, mass matrix and holding torques there.
#[test]
fn arms_of_any_geometry_have_true_maps() -> Result<(), Box<dyn Error>> {
    for robot in others()? {
        let robot = with_motors(&robot)?;
        let (name, n) = (&robot.name, robot.joints().len());
        for phase in [0.4, 2.2] {
            let q = JointVector::from_fn(n, |i| {
                let [low, high] = robot.joints()[i].limits.range.map(|end| end.clamp(-1.2, 1.2));
                0.5 * (low + high) + 0.4 * (high - low) * (1.7 * i as f64 + phase).sin()
            });
            let goal = robot.at_joints(&JointState::at_rest(q), &Pick::default())?.tool.pose;
            let options = MapOptions { orientation: Some(goal.rotation), ..MapOptions::default() };
            let value = |kind| values(&robot, kind, &options, goal.origin);
            assert_eq!(value(Kind::Reach)?, [0.0, 0.0], "{name}");
            let still = ToolState { pose: goal, ..ToolState::translating(goal.origin, Vec3::zero(), Vec3::zero()) };
            // An arm like the PUMA is mapped in its first posture.
            let pick = robot.description().solutions[0].clone();
            let state = robot.at_tool(&still, &pick)?;
            let j = differences(&robot, &state.joints.q)?;
            let model = robot.model("exact")?;
            let (mass, gravity) = (model.mass_matrix(&state)?, model.gravity_torque(&state)?);
            let upper: Vec<f64> = (0..n).flat_map(|i| mass[i][i..].to_vec()).collect();
            let agree = |what: &str, a: &[f64], b: &[f64], tolerance: f64| {
                let scale = b.iter().fold(1e-3_f64, |most, x| most.max(x.abs()));
                let worst = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(a.len() == b.len() && worst <= tolerance * scale, "{name} {what}: {a:?} {b:?}");
            };
            // The joints of both are computed to rounding.
            agree("mass", &value(Kind::Mass)?, &upper, 1e-10);
            agree("gravity", &value(Kind::Gravity)?[..n], &gravity, 1e-10);
            // Differences with a step of 1e-6 know the Jacobian to about ten digits.
            let moves = j.rows(0, 3).into_owned();
            let along = moves.clone().singular_values();
            agree("condition", &value(Kind::Condition)?, &[along[0] / along[2]], 1e-6);
            let product: f64 = j.clone().singular_values().iter().product();
            agree("determinant", &value(Kind::Determinant)?, &[product], 1e-6);
            let moved = (0..1_u32 << n).map(|signs| {
                let steps = DVector::from_fn(n, |i, _| if signs >> i & 1 == 1 { -1e-4 } else { 1e-4 });
                (&moves * steps).norm()
            });
            agree("resolution", &value(Kind::Resolution { step: 1e-4 })?, &[moved.fold(0.0, f64::max)], 1e-6);
            // What the motors have left over the largest torque per newton, or per m/s² of a tool that does not turn.
            let left = |i: usize| robot.joints()[i].limits.max_torque - gravity[i].abs();
            let least = |rows: &DMatrix<f64>| {
                (0..n).map(|i| left(i) / rows.row(i).norm()).fold(f64::INFINITY, f64::min).max(0.0)
            };
            agree("force", &value(Kind::Force)?, &[least(&moves.transpose())], 1e-6);
            let straight = DMatrix::from_fn(6, 3, |i, k| f64::from(u8::from(i == k)));
            let acceleration = value(Kind::Acceleration)?[0];
            if n <= 6 {
                let qdd = j.clone().svd(true, true).solve(&straight, 1e-9)?;
                let turns = (&j * &qdd - &straight).norm() > 1e-6;
                let inertia = DMatrix::from_fn(n, n, |i, k| mass[i][k]) * qdd;
                agree("acceleration", &[acceleration], &[if turns { 0.0 } else { least(&inertia) }], 1e-6);
                assert_eq!(turns, n == 5, "{name}");
            } else {
                assert!(acceleration > 0.0, "{name}");
            }
            assert!(value(Kind::Stability)?.iter().all(|x| !x.is_nan()), "{name}");
            // Far away: no joints, no values; one slides there, if nothing stops it.
            if *name == "stanford" {
                continue;
            }
            let far = goal.origin + Vec3::new(30.0, 0.0, 0.0);
            let reach = values(&robot, Kind::Reach, &options, far)?;
            let reason = if pick.posture.is_some() { Reason::ToolTooFar } else { Reason::NoJoints };
            assert_eq!(reach[0], reason.code() as f64, "{name}");
            assert!(values(&robot, Kind::Gravity, &options, far)?.iter().all(|x| x.is_nan()), "{name}");
        }
    }
    Ok(())
}

/// The same with torque limits for all motors.
fn with_motors(robot: &Robot) -> Result<Robot, Box<dyn Error>> {
    let text = robot.to_toml().ok_or("a file")?;
    let limited = text.replace("[[link]]", "[[link]]\nmax_torque = 150");
    Ok(Robot::parse(&limited)?)
}

/// A place is reached where `ik` has joints for it, also in the planes of symmetry where solutions meet.
#[test]
fn what_is_reached_is_what_ik_reaches() -> Result<(), Box<dyn Error>> {
    for robot in others()?.into_iter().take(4) {
        let reach = robot.field(Kind::Reach, &MapOptions::default())?;
        let home = robot.home()?.tool.pose.origin;
        let mut shares = [0, 0];
        for (x, y, z) in (0..196).map(|k| (k % 7, k / 7 % 7, k / 49)) {
            let place = [x, y, z].map(|k| f64::from(k - 3));
            let place = Vec3::new(0.15 * place[0], 0.15 * place[1], home[2] + 0.1 * place[2]);
            let pose = Frame { rotation: robot.usual_orientation(), origin: place };
            let still = ToolState { pose, ..ToolState::translating(place, Vec3::zero(), Vec3::zero()) };
            let mut values = [0.0; 2];
            reach.evaluate(place, &mut values);
            let is_reached = values[0] != Reason::NoJoints.code() as f64;
            assert_eq!(is_reached, robot.at_tool(&still, &Pick::default()).is_ok(), "{} at {place:?}", robot.name);
            shares[usize::from(is_reached)] += 1;
        }
        assert!(shares.iter().all(|&share| share > 3), "{}: {shares:?}", robot.name);
    }
    Ok(())
}

/// An arm that cannot point its tool down is mapped with the tool as at home; one that can, pointing down.
#[test]
fn the_usual_orientation_is_one_that_the_arm_has() -> Result<(), Box<dyn Error>> {
    for robot in others()? {
        let home = robot.home()?.tool.pose;
        let usual = robot.usual_orientation();
        let expected = if robot.name == "tilted-scara" { home.rotation } else { down() };
        assert_eq!(usual, expected, "{}", robot.name);
        if ["scara", "tilted-scara"].contains(&robot.name.as_str()) {
            assert_eq!(values(&robot, Kind::Reach, &MapOptions::default(), home.origin)?, [0.0, 0.0]);
        }
    }
    Ok(())
}

/// Too few joints for a map, and what it would need: refused with the numbers.
#[test]
fn arms_without_a_map_say_why() -> Result<(), Box<dyn Error>> {
    let why = |robot: &Robot, options: &MapOptions| match robot.field(Kind::Mass, options).err() {
        Some(MapError::StateError(error)) => format!("{} | {}", error.text, error.hint.unwrap_or("")),
        other => format!("{other:?}"),
    };
    let file = |name: &str| Robot::load(format!("{}/../../golden/robots/{name}.toml", env!("CARGO_MANIFEST_DIR")));
    let three = why(&file("serial-b")?, &MapOptions::default());
    assert!(three.contains("with 3 joints the tool moves in 1 of 3 directions") && three.contains("`fk`"), "{three}");
    let turned = MapOptions { position: Some(Vec3::new(0.4, 0.0, 0.3)), ..MapOptions::default() };
    assert!(why(&file("scara")?, &turned).contains("turns in 1 of 3 directions while it keeps its position"));
    let posture = down_on(PumaBranch::ALL[0]);
    assert!(why(&file("scara")?, &posture).contains("named postures need an arm like the PUMA"));
    assert!(why(&file("gen3")?, &MapOptions::default()).contains("7 joints and no inverse kinematics in closed form"));
    Ok(())
}
