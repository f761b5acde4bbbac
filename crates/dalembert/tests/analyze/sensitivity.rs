//! Sensitivities and tolerances: derivatives against the complex step, first order against sampling. That a derivative is
//! one with respect to a number of the *file* is for `file_numbers.rs` to show.

use crate::common::complex_step::ComplexStep;
use dalembert::analyze::sensitivity::{
    ChainTorque, DeltaState, DeltaTorque, Parameter, Sensitivity, Size, TorqueOfParameters, monte_carlo, over_motion,
    sensitivities,
};
use dalembert::analyze::weights::Weights;
use dalembert::delta::Branch;
use dalembert::parameter::Tolerance;
use dalembert::robot::JointState;
use dalembert::robot::families::Follows;
use dalembert::robot::families::chain::ChainRobot;
use dalembert::spatial::Wrench;
use dalembert::{Vec3, robots as built_in};
use dalembert_proptest::{robots, states};
use proptest::prelude::*;
use std::error::Error;
use std::sync::Mutex;

/// The built-in PUMA 560.
fn puma() -> Result<ChainRobot, Box<dyn Error>> {
    Ok(ChainRobot::of_file(built_in::puma560()?)?)
}

/// A state of an arm without a force at its tool.
fn state(q: [f64; 6], qd: [f64; 6], qdd: [f64; 6]) -> (JointState, Wrench<f64>) {
    (JointState { q: q.into(), qd: qd.into(), qdd: qdd.into() }, Wrench::zero())
}

fn tolerances(torque: &impl TorqueOfParameters) -> Vec<f64> {
    torque.parameters().iter().map(|parameter| parameter.half_width).collect()
}

/// Largest difference to the complex step, over the larger of torque and derivative times parameter.
fn against_the_complex_step(torque: &impl TorqueOfParameters) -> f64 {
    let all = sensitivities(torque);
    let mut worst = 0.0_f64;
    let size = torque.torque(&vec![0.0; all.len()]).iter().fold(0.0_f64, |m, t: &f64| m.max(t.abs()));
    for (k, s) in all.iter().enumerate() {
        let scale = s.parameter.value.abs().max(0.1);
        let mut changes = vec![ComplexStep::constant(0.0); all.len()];
        changes[k] = ComplexStep::moved(0.0, 1.0);
        for (found, expected) in s.torque.iter().zip(torque.torque(&changes)) {
            let expected = expected.derivative();
            worst = worst.max((found - expected).abs() * scale / size.max(expected.abs() * scale));
        }
    }
    worst
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn delta_derivatives_are_derivatives(robot in robots(), seed in states(), per_arm in any::<bool>()) {
        let Some(state) = seed.of(&robot) else { return Ok(()) };
        let moving = robot.at_position(state.position, state.branch).unwrap().moving(state.velocity);
        let at = DeltaState::of(&moving, state.acceleration, state.force);
        let torque = DeltaTorque::new(&robot, Follows::default(), vec![at], per_arm);
        // What is there without changes is the torque itself, bit for bit but for the lumping order.
        let nominal: Vec<f64> = torque.torque(&vec![0.0; torque.parameters().len()]);
        let expected = moving.torque_under(state.acceleration, state.force);
        prop_assert_eq!(nominal, expected.to_vec());
        let off = against_the_complex_step(&torque);
        prop_assert!(off < 1e-11, "{}", off);
    }
}

#[test]
fn arm_derivatives_are_derivatives() -> Result<(), Box<dyn Error>> {
    let puma = puma()?;
    let at = state([0.3, -0.8, 0.5, 0.2, 0.7, -0.4], [0.5, -0.3, 0.8, 1.0, -0.6, 0.9], [1.0; 6]);
    let torque = ChainTorque::new(&puma, vec![at])?;
    let off = against_the_complex_step(&torque);
    assert!(off < 1e-12, "{off}");
    assert!(ChainTorque::new(&puma, vec![state([f64::NAN; 6], [0.0; 6], [0.0; 6])]).is_err());
    let short = JointState { q: [0.0; 5].into(), ..state([0.0; 6], [0.0; 6], [0.0; 6]).0 };
    assert!(ChainTorque::new(&puma, vec![(short, Wrench::zero())]).is_err());
    Ok(())
}

/// Three arms changed alike are the sum of the three alone.
#[test]
fn arms_add_up() -> Result<(), Box<dyn Error>> {
    let robot = built_in::asadi()?.delta;
    let moving = robot.at_position(Vec3::new(0.1, 0.05, -0.45), Branch::Out)?.moving(Vec3::new(1.0, 0.5, -0.3));
    let acceleration = Vec3::new(10.0, -20.0, 30.0);
    let of = |per_arm| {
        let state = DeltaState::of(&moving, acceleration, Vec3::zero());
        sensitivities(&DeltaTorque::new(&robot, Follows::default(), vec![state], per_arm))
    };
    let (alike, alone) = (of(false), of(true));
    for s in &alike {
        let parts: Vec<_> =
            alone.iter().filter(|a| a.parameter.name.starts_with(&format!("{} of arm", s.parameter.name))).collect();
        if parts.is_empty() {
            continue; // platform, payload, gravity
        }
        assert_eq!(parts.len(), 3);
        for i in 0..3 {
            let sum: f64 = parts.iter().map(|p| p.torque[i]).sum();
            assert!(
                (sum - s.torque[i]).abs() < 1e-10 * (1.0 + sum.abs()),
                "{}: {sum} {}",
                s.parameter.name,
                s.torque[i]
            );
        }
    }
    Ok(())
}

/// The paper's tolerances of the PUMA: to first order the sampled deviation is the combined one over √3. 20,000 samples
/// know a deviation to about 0.5 %; what is left is the curvature of the torque, small for a torque nearly linear in
/// masses, and products of tolerances up to 50 % of the small wrist links.
/// Tolerances of the torques to first order: by root of squares, and everything at its worst at once.
fn first_order(all: &[Sensitivity], widths: &[f64]) -> [Vec<f64>; 2] {
    let joints = 0..all[0].torque.len();
    let changes = |i: usize| all.iter().zip(widths).map(move |(s, width)| (s.torque[i] * width).abs());
    let combined = joints.clone().map(|i| changes(i).map(|x| x * x).sum::<f64>().sqrt()).collect();
    [combined, joints.map(|i| changes(i).sum()).collect()]
}

#[test]
fn puma_tolerances_by_sampling_and_to_first_order() -> Result<(), Box<dyn Error>> {
    let puma = puma()?;
    let at = state([0.0, -0.8, 0.5, 0.0, 0.7, 0.0], [1.0; 6], [1.0; 6]);
    let torque = ChainTorque::new(&puma, vec![at])?;
    let widths = &tolerances(&torque)[..];
    assert!(widths.iter().filter(|w| **w > 0.0).count() > 20);
    let [combined, worst] = first_order(&sensitivities(&torque), widths);
    let sampled = monte_carlo(&torque, widths, 20_000, 1);
    assert_eq!(sampled.failed, 0);
    let statistics = sampled.statistics.as_ref().ok_or("no sample is good")?;
    for i in 0..6 {
        let expected = combined[i] / 3f64.sqrt();
        println!(
            "tau{}: {:.4} ± {:.4} N m, sampled deviation {:.4}, first order {expected:.4}",
            i + 1,
            sampled.nominal[i],
            combined[i],
            statistics.deviation[i]
        );
        assert!((statistics.deviation[i] / expected - 1.0).abs() < 0.03, "{i}");
        assert!(statistics.range[i][1] - sampled.nominal[i] <= worst[i] * 1.2);
    }
    // The same numbers again, with any number of threads.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    assert_eq!(pool.install(|| monte_carlo(&torque, widths, 20_000, 1)), sampled);
    assert_ne!(monte_carlo(&torque, widths, 20_000, 2), sampled);
    Ok(())
}

/// A motion is its states: root mean squares and largest values of what each state says alone, and a sampled deviation
/// that is the first-order one (1000 samples know a deviation to about 2 %, four of that are allowed).
#[test]
fn a_motion_is_its_states() -> Result<(), Box<dyn Error>> {
    let puma = puma()?;
    let at = |k: usize| {
        let x = k as f64 / 10.0;
        state([x, -x, 0.5 * x, 0.2, 0.7 - x, x], [1.0, -0.5, x, 0.3, x, 0.0], [x, 2.0, -1.0, 0.0, 1.0, x])
    };
    let states: Vec<_> = (0..12).map(at).collect();
    let motion = ChainTorque::new(&puma, states.clone())?;
    let widths = &tolerances(&motion)[..];
    let weights = Weights::rows(states.len());
    let over = over_motion(&motion, widths, &weights);
    let mut alone = Vec::new();
    for state in &states {
        let torque = ChainTorque::new(&puma, vec![state.clone()])?;
        alone.push((sensitivities(&torque), first_order(&sensitivities(&torque), widths)));
    }
    let near = |a: &Size, b: &Size| {
        let far = |(a, b): (&f64, &f64)| (a - b).abs() > 1e-12 * (1.0 + b.abs());
        !a.rms.iter().zip(&b.rms).any(far) && !a.maximum.iter().zip(&b.maximum).any(far)
    };
    for (k, contribution) in over.contributions.iter().enumerate() {
        let slopes: Vec<f64> = alone.iter().flat_map(|(all, _)| all[k].torque.clone()).collect();
        assert!(near(&contribution.slope, &Size::of(&slopes, 6, &weights)), "{}", contribution.parameter.name);
    }
    let combined: Vec<f64> = alone.iter().flat_map(|(_, [combined, _])| combined.clone()).collect();
    let worst: Vec<f64> = alone.iter().flat_map(|(_, [_, worst])| worst.clone()).collect();
    assert!(
        near(&over.combined, &Size::of(&combined, 6, &weights)) && near(&over.worst, &Size::of(&worst, 6, &weights))
    );
    let (deviation, largest) = monte_carlo(&motion, widths, 1000, 1).over(6, &weights).ok_or("no sample is good")?;
    for (i, largest) in largest.iter().enumerate() {
        let expected = over.combined.rms[i] / 3f64.sqrt();
        assert!((deviation.rms[i] / expected - 1.0).abs() < 0.08, "{i}: {} {expected}", deviation.rms[i]);
        assert!(*largest > deviation.maximum[i] && *largest < 1.2 * over.worst.maximum[i]);
    }
    Ok(())
}

/// A percentage is one of amounts. Of an angle it would depend on where zero is: the symmetric pose of a symmetric robot
/// has the same tolerance at all motors, whatever their azimuths are called.
#[test]
fn percentages_know_no_angles() -> Result<(), Box<dyn Error>> {
    let robot = built_in::d3_1200()?;
    let moving = robot.delta.at_position(Vec3::new(0.0, 0.0, -0.85), Branch::Out)?.moving(Vec3::zero());
    let state = DeltaState::of(&moving, Vec3::zero(), Vec3::zero());
    let torque = DeltaTorque::new(&robot.delta, robot.follows, vec![state], true);
    for angle in [0.0, 0.01] {
        let widths: Vec<f64> = torque.parameters().iter().map(|p| p.half_width(0.01, angle)).collect();
        for (parameter, width) in torque.parameters().iter().zip(&widths) {
            match parameter.tolerance {
                Tolerance::Amount => assert_eq!(*width, 0.01 * parameter.value.abs()),
                Tolerance::Angle => assert_eq!(*width, angle),
                Tolerance::Known | Tolerance::None => assert_eq!(*width, 0.0),
            }
        }
        let [combined, _] = first_order(&sensitivities(&torque), &widths);
        for tau in &combined {
            assert!((tau - combined[0]).abs() < 1e-12 * combined[0], "{combined:?}");
        }
    }
    Ok(())
}

/// Where every changed robot fails there are no statistics, and nothing that looks like some.
#[test]
fn no_sample_no_statistics() -> Result<(), Box<dyn Error>> {
    let robot = built_in::d3_1200()?;
    let moving = robot.delta.at_position(Vec3::new(0.0, 0.0, -0.85), Branch::Out)?.moving(Vec3::zero());
    let state = DeltaState::of(&moving, Vec3::zero(), Vec3::zero());
    let torque = DeltaTorque::new(&robot.delta, robot.follows, vec![state], false);
    // Arms of hundreds of metres reach nothing near.
    let wide = |name: &str| if name == "upper_arm.length" { 1e9 } else { 0.0 };
    let widths: Vec<f64> = torque.parameters().iter().map(|p| wide(&p.name)).collect();
    let sampled = monte_carlo(&torque, &widths, 3, 1);
    assert_eq!((sampled.failed, &sampled.statistics), (3, &None));
    assert!(sampled.over(3, &Weights::rows(1)).is_none());
    Ok(())
}

/// Torques that are the changes of ten parameters, and all changes that it was asked for.
struct Changes([Parameter; 10], Mutex<Vec<f64>>);

impl dalembert::analyze::sensitivity::ParameterTorque for Changes {
    fn parameters(&self) -> &[Parameter] {
        &self.0
    }
    fn units(&self) -> Vec<&'static str> {
        vec![""; 10]
    }
    fn torque(&self, changes: &[f64]) -> Vec<f64> {
        self.1.lock().expect("one thread").extend(changes);
        changes.to_vec()
    }
    fn derivative(&self, k: usize) -> Vec<f64> {
        (0..10).map(|i| f64::from(u8::from(i == k))).collect()
    }
}

/// Mean ½, variance 1/12, no correlation between neighbours of either counter: to four standard errors.
#[test]
fn numbers_look_random() -> Result<(), Box<dyn Error>> {
    let n = 100_000;
    let parameter =
        Parameter { name: String::new(), unit: "", tolerance: Tolerance::Amount, value: 1.0, half_width: 0.5 };
    let torque = Changes(std::array::from_fn(|_| parameter.clone()), Mutex::default());
    // One thread takes the samples in their order; one more than are needed, for the lags.
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    one.install(|| monte_carlo(&torque, &[0.5; 10], n / 10 + 1, 7));
    // First of all it was asked without changes.
    let all = torque.1.into_inner()?.split_off(10);
    let value = |k: u64| all[k as usize];
    let mean = (0..n).map(value).sum::<f64>() / n as f64;
    let variance = (0..n).map(|k| value(k) * value(k)).sum::<f64>() / n as f64;
    let error = 4.0 / (12.0 * n as f64).sqrt();
    assert!(mean.abs() < error, "{mean}");
    assert!((variance - 1.0 / 12.0).abs() < 4.0 * (1.0 / 180.0 / n as f64).sqrt(), "{variance}");
    for lag in [1, 10] {
        let product = (0..n).map(|k| value(k) * value(k + lag)).sum::<f64>() / n as f64;
        assert!(product.abs() < 4.0 / 12.0 / (n as f64).sqrt(), "{lag}: {product}");
    }
    Ok(())
}
