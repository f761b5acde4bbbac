//! What counts as rest.

use dalembert::control::{Encoder, HeldJoint, Hold, RestVerdict};
use dalembert::limits::JointLimits;
use dalembert::robot::{Joint, JointKind};

/// A second of hold in steps of a millisecond; the motors have 40 N m.
fn verdict(q: impl Fn(f64) -> [f64; 2], torque: impl Fn(f64) -> f64, cut: f64) -> RestVerdict {
    let times: Vec<f64> = (0..=1000).map(|k| f64::from(k) * 1e-3).collect();
    let limits = JointLimits { max_torque: 40.0, ..JointLimits::NONE };
    let kinds = [JointKind::Revolute, JointKind::Prismatic];
    let of = |i: usize| -> Vec<f64> { times.iter().map(|t| q(*t)[i]).collect() };
    let (columns, torque): ([Vec<f64>; 2], Vec<f64>) = ([of(0), of(1)], times.iter().map(|t| torque(*t)).collect());
    let still = vec![0.0; times.len()];
    let joints = (0..2).map(|i| HeldJoint {
        joint: Joint { kind: kinds[i], limits, friction: None, rotor_inertia: 0.0, coupling: None },
        q: &columns[i],
        torque: if i == 0 { &torque } else { &still },
        torque_peak: 40.0,
    });
    Hold { times: &times, joints: joints.collect(), cut }.verdict(&Encoder::IDEAL)
}

#[test]
fn creeping_is_no_swinging_and_a_tremble_is_no_turn() {
    // One joint creeps, the other trembles below 1e-4.
    let creep = verdict(|t| [1e-2 * (-t).exp(), 2e-5 * (200.0 * t).sin()], |_| 1.0, 0.0);
    assert!(matches!(creep, RestVerdict::Creeps(it) if (1e-4..1e-2).contains(&it.by) && it.joint == 1), "{creep}");
    let settled = verdict(|t| [1e-2 * (-20.0 * t).exp(), 2e-5 * (200.0 * t).sin()], |_| 1.0, 0.0);
    assert_eq!(settled, RestVerdict::Settled);
    let falls = verdict(|t| [0.0, 0.1 * t], |_| 40.0, 0.99);
    assert!(matches!(falls, RestVerdict::Saturates(it) if it.joint == 2 && it.unit == "m"), "{falls}");
    assert!(falls.to_string().contains("joint 2 by 0.0249 m; limits cut its torques in 99 % of the hold"), "{falls}");
}

#[test]
fn what_swings_on_is_told_from_what_grows_or_decays() {
    let omega = 60.0;
    for (damping, name) in [
        (-0.03, "divergence"),
        (-0.005, "limit cycle"),
        (0.0, "limit cycle"),
        (0.01, "limit cycle"),
        (0.05, "decaying"),
    ] {
        let run = verdict(|t| [0.02 * (-damping * omega * t).exp() * (omega * t).cos(), 0.0], |_| 1.0, 0.0);
        assert_eq!(run.as_str(), name, "{damping}: {run}");
        let hertz = run.unrest().and_then(|it| it.frequency).expect("a frequency");
        assert!((hertz / 9.549 - 1.0).abs() < 0.02, "{hertz}");
    }
    // A limit cycle of a few samples, and one that is slower than a quarter of the hold.
    for omega in [1000.0, 20.0] {
        let run = verdict(|t| [0.0, 0.1 * (omega * t).sin()], |_| 1.0, 0.9);
        let RestVerdict::LimitCycle(it) = run else { panic!("{omega}: {run}") };
        assert!((0.19..0.201).contains(&it.by) && it.joint == 2 && it.unit == "m" && it.cut == 0.9, "{run}");
        assert!(it.frequency.is_some_and(|hertz| (hertz * std::f64::consts::TAU / omega - 1.0).abs() < 0.02), "{run}");
    }
    // Swings of changing size are no decay because the last one is small.
    let wild = verdict(|t| [0.1 * (60.0 * t).sin() * (1.0 + 0.6 * (23.0 * t).cos()), 0.0], |_| 1.0, 0.99);
    assert!(matches!(wild, RestVerdict::LimitCycle(_)), "{wild}");
}

#[test]
fn hammering_motors_are_no_rest() {
    let hammers = verdict(|_| [0.0; 2], |t| if (t * 100.0).fract() < 0.5 { 30.0 } else { -30.0 }, 0.0);
    let RestVerdict::Hammers(it) = hammers else { panic!("{hammers}") };
    assert!(it.by == 60.0 && it.unit == "N m" && it.frequency.is_some_and(|f| (f - 100.0).abs() < 2.0), "{it}");
    // A motor of 40 N m that works by 0.2 N m rests.
    assert_eq!(verdict(|_| [0.0; 2], |t| 0.1 * (600.0 * t).sin(), 0.0), RestVerdict::Settled);
}
