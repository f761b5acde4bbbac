//! A tree of links under control: an arm of eight joints as an arm and as a tree, whose loop has more joints than the tree.

use dalembert::control::{Backlash, Drive, Encoder, Gains, Impedance, Law, Sample, Sampling, Settings};
use dalembert::robot::closed_loop::{LoopScratch, LoopTask};
use dalembert::robot::{JointState, JointVector, Pick, Robot, Target};
use std::error::Error;
use std::path::PathBuf;

fn settings() -> Settings {
    Settings {
        gains: Gains::pd(30.0, 1.0),
        impedance: Impedance::isotropic(1000.0, 1.0, 2.0),
        look_ahead: 0.0,
        sampling: Sampling::USUAL,
        drive: Drive::IDEAL,
        encoder: Encoder::IDEAL,
        following_error: 1.0,
    }
}

/// A motion of so many joints.
fn motion(joints: usize) -> impl Fn(f64) -> Target + Send + Sync {
    move |t: f64| {
        let wave = |order: i32| {
            JointVector::from_fn(joints, |i| {
                let w = 1.0 + 0.5 * i as f64;
                let (sin, cos) = (w * t).sin_cos();
                match order {
                    0 => 0.2 * (1.0 - cos),
                    1 => 0.2 * w * sin,
                    _ => 0.2 * w * w * cos,
                }
            })
        };
        Target::Joints(JointState { q: wave(0), qd: wave(1), qdd: wave(2) })
    }
}

fn run(
    robot: &Robot,
    known: &Robot,
    law: Law,
    settings: Settings,
    steps: usize,
) -> Result<Vec<Sample>, Box<dyn Error>> {
    let (motion, pick, room) = (motion(robot.joints().len()), Pick::default(), LoopScratch::default());
    let (known, model) = (known.family(), "newton-euler");
    let task = LoopTask { known, model, motion: &motion, pick: &pick, law: &law, settings, room: &room };
    let mut closed = robot.closed_loop(&task)?;
    Ok((0..steps).map(|_| closed.step()).collect::<Result<_, _>>()?)
}

#[test]
fn an_arm_as_a_tree_is_controlled_alike() -> Result<(), Box<dyn Error>> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../golden/robots/serial-h.toml");
    let text = std::fs::read_to_string(path)?;
    let arm = Robot::parse(&text)?;
    let tree = Robot::parse(&text.replacen("[tool]", "tool = { name = \"second\" }\n\n[tool]", 1))?;
    for law in [Law::Pd, Law::Feedforward, Law::ComputedTorque] {
        // The controller knows another payload, so that the errors are not zero.
        let [one, other] =
            [&arm, &tree].map(|robot| run(robot, &robot.with_payload(1.0).unwrap(), law, settings(), 200));
        let (one, other) = (one?, other?);
        for (a, b) in one.iter().zip(&other) {
            for (a, b) in [(&a.q, &b.q), (&a.qd, &b.qd), (&a.reference, &b.reference), (&a.torque, &b.torque)] {
                assert_eq!((a.len(), b.len()), (8, 8));
                let size = a.iter().fold(1.0, |size: f64, x| size.max(x.abs()));
                // Rounding, which a loop of 200 samples does not let grow much.
                assert!(a.iter().zip(b.iter()).all(|(a, b)| (a - b).abs() < 1e-9 * size), "{law:?}: {a:?} {b:?}");
            }
            assert!((a.point[0] - b.point[0]).norm_squared().sqrt() < 1e-9);
        }
    }
    // Laws that steer the tool and gears with play are those of the arm; another number of joints is refused.
    let backlash = Some(Backlash { gap: 1e-3, stiffness: 1e4, damping: 10.0 });
    let played = Settings { drive: Drive { backlash, ..Drive::IDEAL }, ..settings() };
    for (law, settings) in [(Law::Pd, played), (Law::Cartesian, settings()), (Law::Impedance, settings())] {
        assert!(tree.refuses(&law).is_none());
        let (one, other) = match [&arm, &tree].map(|robot| run(robot, robot, law, settings, 8)) {
            [Ok(one), Ok(other)] => (one, other),
            // A singular pose is one for both.
            [one, other] => {
                assert_eq!(one.err().map(|error| error.to_string()), other.err().map(|error| error.to_string()));
                continue;
            }
        };
        for (a, b) in one.iter().zip(&other) {
            let size = a.torque.iter().fold(1.0, |size: f64, x| size.max(x.abs()));
            assert!(a.torque.iter().zip(b.torque.iter()).all(|(a, b)| (a - b).abs() < 1e-6 * size), "{law:?}");
        }
    }
    let long = Robot::load(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../golden/robots/tree-e.toml"))?;
    assert!(run(&long, &tree, Law::Pd, settings(), 1).is_err());
    let samples = run(&long, &long, Law::ComputedTorque, settings(), 50)?;
    assert!(samples.iter().all(|sample| sample.q.len() == 24 && sample.error().norm_squared() < 1e-6));
    Ok(())
}
