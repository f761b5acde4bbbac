//! Sensitivities and tolerances: derivatives against the complex step, first order against sampling.

#[path = "common/complex_step.rs"]
mod complex_step;

use complex_step::ComplexStep;
use dalembert::analyze::compare::compare;
use dalembert::analyze::cost::{CostReport, costs};
use dalembert::analyze::sensitivity::{
    ArmTorque, DeltaTorque, TorqueOfParameters, first_order, monte_carlo, sensitivities,
};
use dalembert::delta::{Branch, ModelName};
use dalembert::motion::{Direction, PickAndPlace};
use dalembert::proptest::{robots, states};
use dalembert::{Vec3, robots as built_in};
use proptest::prelude::*;
use std::error::Error;

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
        let torque = DeltaTorque::new(&moving, state.acceleration, state.force, per_arm);
        // What is there without changes is the torque itself, bit for bit but for the lumping order.
        let nominal: Vec<f64> = torque.torque(&vec![0.0; torque.parameters().len()]);
        let expected = moving.torque_under(state.acceleration, state.force);
        prop_assert_eq!(nominal, expected.0.to_vec());
        let off = against_the_complex_step(&torque);
        prop_assert!(off < 1e-11, "{}", off);
    }
}

#[test]
fn arm_derivatives_are_derivatives() -> Result<(), Box<dyn Error>> {
    let puma = built_in::puma560()?;
    let torque =
        ArmTorque::new(&puma, &[0.3, -0.8, 0.5, 0.2, 0.7, -0.4], &[0.5, -0.3, 0.8, 1.0, -0.6, 0.9], &[1.0; 6])?;
    let off = against_the_complex_step(&torque);
    assert!(off < 1e-12, "{off}");
    assert!(ArmTorque::new(&puma, &[0.0; 5], &[0.0; 6], &[0.0; 6]).is_err());
    Ok(())
}

/// Three arms changed alike are the sum of the three alone.
#[test]
fn arms_add_up() -> Result<(), Box<dyn Error>> {
    let robot = built_in::asadi()?.delta;
    let moving = robot.at_position(Vec3::new(0.1, 0.05, -0.45), Branch::Out)?.moving(Vec3::new(1.0, 0.5, -0.3));
    let acceleration = Vec3::new(10.0, -20.0, 30.0);
    let alike = sensitivities(&DeltaTorque::new(&moving, acceleration, Vec3::zero(), false));
    let alone = sensitivities(&DeltaTorque::new(&moving, acceleration, Vec3::zero(), true));
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
#[test]
fn puma_tolerances_by_sampling_and_to_first_order() -> Result<(), Box<dyn Error>> {
    let puma = built_in::puma560()?;
    let torque = ArmTorque::new(&puma, &[0.0, -0.8, 0.5, 0.0, 0.7, 0.0], &[1.0; 6], &[1.0; 6])?;
    let widths = torque.tolerances();
    assert!(widths.iter().filter(|w| **w > 0.0).count() > 20);
    let first = first_order(&sensitivities(&torque), widths);
    let sampled = monte_carlo(&torque, widths, 20_000, 1);
    assert_eq!(sampled.failed, 0);
    for i in 0..6 {
        let expected = first.combined[i] / 3f64.sqrt();
        println!(
            "tau{}: {:.4} ± {:.4} N m, sampled deviation {:.4}, first order {expected:.4}",
            i + 1,
            sampled.nominal[i],
            first.combined[i],
            sampled.deviation[i]
        );
        assert!((sampled.deviation[i] / expected - 1.0).abs() < 0.03, "{i}");
        assert!(sampled.range[i][1] - sampled.nominal[i] <= first.worst[i] * 1.2);
    }
    // The same numbers again, with any number of threads.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    assert_eq!(pool.install(|| monte_carlo(&torque, widths, 20_000, 1)), sampled);
    assert_ne!(monte_carlo(&torque, widths, 20_000, 2), sampled);
    Ok(())
}

/// The report: exact models cost nothing, a slower loop costs more, every model is in it.
#[test]
fn costs_of_the_published_models() -> Result<(), Box<dyn Error>> {
    let robot = built_in::d3_1200()?.delta;
    let motion = PickAndPlace {
        center: Vec3::new(0.0, 0.0, -0.85),
        width: 0.3,
        height: 0.025,
        duration: 1.0 / 6.0,
        direction: Direction::X,
    };
    let comparison = compare(&robot, Branch::Out, &[motion], 300)?;
    let (fast, slow) =
        (costs(&robot, Branch::Out, &comparison, 200.0)?, costs(&robot, Branch::Out, &comparison, 50.0)?);
    for (fast, slow) in fast.iter().zip(&slow) {
        match fast.name {
            ModelName::Asadi | ModelName::Bortoff => assert!(fast.tracking[0] < 1e-12 && fast.share < 1e-12),
            ModelName::CodoureySimplified => {
                assert!(fast.tracking[0] > 1e-6 && slow.tracking[0] > 2.0 * fast.tracking[0]);
                // A slow disturbance leaves A⁻¹Δτ/ω² at a joint; a metre of arm makes that of the platform.
                assert!(fast.tracking[0] < 1e-2);
            }
            _ => {}
        }
    }
    let report = CostReport {
        robot: "d3-1200",
        motion: "a <stroke>",
        omega: 200.0,
        comparison: &comparison,
        costs: &fast,
        figures: vec![],
    };
    let (markdown, html) = (report.to_markdown(), report.to_html(Vec::new()));
    for cost in &fast {
        assert!(markdown.contains(cost.name.as_str()) && html.contains(cost.name.as_str()));
    }
    assert!(html.contains("a &lt;stroke&gt;") && html.contains("<svg") && !html.contains("NaN"));
    Ok(())
}
