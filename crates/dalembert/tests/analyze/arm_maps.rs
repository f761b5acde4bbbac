//! Maps of serial arms: what they say of a position is true of the arm there, by forward kinematics and inverse dynamics.

use crate::linearize::described;
use dalembert::analyze::map::{Plane, PositionGrid, map};
use dalembert::delta::Delta;
use dalembert::friction::Friction;
use dalembert::robot::families::SerialLinks;
use dalembert::robot::families::delta::Reach;
use dalembert::robot::map::{Kind, MapError, MapOptions, Reason};
use dalembert::robot::orientation::rotation;
use dalembert::robot::{Family, Pick, Robot, ToolState};
use dalembert::serial::{PumaBranch, Serial};
use dalembert::spatial::Frame;
use dalembert::{Mat3, Vec3, robots as built_in};
use nalgebra::{Matrix6, Vector6};
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
