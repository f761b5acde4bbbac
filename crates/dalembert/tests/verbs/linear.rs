//! Linear models and poles.

use super::{Anything, keys, metric};
use dalembert::Vec3;
use dalembert::control::{
    Drive, Encoder, Gains, Impedance, Law, LoopScratch, LoopTask, Sampling, Settings, VelocityFrom,
};
use dalembert::linear::ExportFormat;
use dalembert::robot::{JointState, Pick, Robot, Target};
use dalembert::verbs::linear::linearize::{FeedbackRequest, LinearizeOutcome, LinearizeRequest, linearize};
use dalembert::verbs::linear::poles::{PolesOutcome, poles};
use dalembert::verbs::linear::under_law::{LawPoles, LawPolesRequest, law_poles};
use dalembert::verbs::linear::{LinearModelRequest, ModelPart};

fn request() -> Result<LinearModelRequest, Anything> {
    let robot = Robot::find("d3-1200")?;
    let state = robot.at_joints(&JointState::at_rest([0.0; 3]), &Pick::default())?;
    Ok(LinearModelRequest::new(robot, state))
}

#[test]
fn a_delta_with_horizontal_arms_falls_and_a_gain_holds_it() -> Result<(), Anything> {
    let outcome = poles(&request()?, &mut ())?;
    // Bortoff 2018, IV-D.
    assert!((metric(&outcome, "largest_real_part") - 2.95).abs() < 0.005);
    let PolesOutcome::Point(point) = &outcome else { return Err("one state".into()) };
    assert!(point.kalman.controllable_observable == 6 && point.groups().iter().any(|group| group.behaviour == "grows"));
    let feedback = Some(FeedbackRequest::Lqr([100.0, 1.0, 0.01]));
    let held = linearize(&LinearizeRequest { model: request()?, step: None, feedback }, &mut ())?;
    let LinearizeOutcome::Point(point) = &held else { return Err("one state".into()) };
    assert!(point.closed_loop_poles.iter().flatten().all(|pole| pole[0] < 0.0));
    assert_eq!(keys(&held)[..5], ["A", "B", "C", "D", "Ts"]);
    assert!(!held.export(ExportFormat::Mat)?.is_empty());
    Ok(())
}

#[test]
fn an_unstable_model_is_not_truncated_but_its_stable_part_is() -> Result<(), Anything> {
    let full = LinearModelRequest { order: Some(1), ..request()? };
    assert_eq!(poles(&full, &mut ()).expect_err("it is unstable").code, "not-stable");
    let reduced = LinearModelRequest { part: Some(ModelPart::Stable), ..full };
    let PolesOutcome::Point(point) = poles(&reduced, &mut ())? else { return Err("one state".into()) };
    assert_eq!(point.states, 1);
    Ok(())
}

/// A link of inertia 0.02 + 2·0.1² about its axis, which is horizontal unless there is no gravity.
fn pendulum(gravity: f64) -> Result<Robot, Anything> {
    Ok(Robot::parse(&format!(
        "kind = \"serial\"\nname = \"pendulum\"\nconvention = \"modified-dh\"\ngravity = [0.0, -{gravity:?}, 0.0]\n\
         [[link]]\njoint = \"revolute\"\nalpha = 0.0\na = 0.0\nd = 0.0\nmass = 2.0\ncenter_of_mass = [0.1, 0.0, 0.0]\n\
         inertia = [0.02, 0.02, 0.02]\n[tool]\nposition = [0.3, 0.0, 0.0]\n"
    ))?)
}

/// Under PD without any delay: z² − (2 − k_d T − k_p T²/2) z + 1 − k_d T + k_p T²/2 = 0.
#[test]
fn poles_of_one_joint_under_pd_are_those_of_the_formula() -> Result<(), Anything> {
    let robot = pendulum(0.0)?;
    let state = robot.home()?;
    let mut request = LawPolesRequest::new(robot, state, Law::Pd);
    (request.current_rise, request.velocity, request.sampling.delay) = (0.0, VelocityFrom::Tachometer, 0);
    (request.damping_ratio, request.sampling.period) = (0.6, 5e-3);
    let (t, Gains { proportional, derivative, .. }) = (5e-3, Gains::pd(request.bandwidth, 0.6));
    let [b, c] = [2.0 - derivative * t - 0.5 * proportional * t * t, 1.0 - derivative * t + 0.5 * proportional * t * t];
    let outcome: LawPoles = law_poles(&request, &mut ())?;
    assert_eq!(outcome.poles.len(), 2);
    for pole in &outcome.poles {
        let [re, im] = [0.5 * b, (c - 0.25 * b * b).sqrt().copysign(pole.z[1])];
        assert!((pole.z[0] - re).hypot(pole.z[1] - im) < 1e-12, "{pole:?} {re} {im}");
    }
    // Faster than its sampling allows.
    request.bandwidth = 600.0;
    assert!(!law_poles(&request, &mut ())?.stable && outcome.stable);
    request.law = Law::Impedance;
    assert_eq!(law_poles(&request, &mut ()).expect_err("not offered").code, "law");
    Ok(())
}

/// After a push the loop that `simulate` runs comes back as its slowest pole says.
#[test]
fn a_simulated_loop_decays_as_its_slowest_pole() -> Result<(), Anything> {
    let robot = pendulum(9.81)?;
    let state = robot.at_joints(&JointState::at_rest([0.4]), &Pick::default())?;
    for (law, delay) in [(Law::GravityPid, 0), (Law::GravityPid, 2), (Law::Pid, 1)] {
        let mut request = LawPolesRequest::new(robot.clone(), state.clone(), law);
        (request.sampling.delay, request.bandwidth) = (delay, 40.0);
        let poles = law_poles(&request, &mut ())?;
        assert!(poles.stable && poles.poles[0].z[1] == 0.0, "{law:?}: {:?}", poles.poles);
        let settings = Settings {
            gains: Gains::pid(request.bandwidth, request.damping_ratio, request.slow_pole),
            impedance: Impedance::isotropic(0.0, 1.0, 0.0),
            look_ahead: 0.0,
            sampling: Sampling { delay, ..Sampling::USUAL },
            drive: Drive { current_rise: request.current_rise, ..Drive::IDEAL },
            encoder: Encoder { velocity: request.velocity, ..Encoder::IDEAL },
            following_error: 1.0,
        };
        let (target, pick, room) = (state.joints.clone(), Pick::default(), LoopScratch::default());
        let motion = move |_: f64| Target::Joints(target.clone());
        let model = robot.models()[0].name;
        let known = robot.family();
        let task = LoopTask { known, model, motion: &motion, pick: &pick, law: &law, settings, room: &room };
        let mut closed = robot.closed_loop(&task)?;
        // A small one: the model is linear.
        closed.push(Vec3::new(0.0, 1e-3, 0.0));
        for _ in 0..200 {
            closed.step()?;
        }
        closed.push(Vec3::zero());
        let mut error = || closed.step().map(|sample| sample.q[0] - sample.reference[0]);
        let all = (0..1200).map(|_| error()).collect::<Result<Vec<f64>, _>>()?;
        let found = (all[1100] / all[700]).powf(1.0 / 400.0);
        assert!((found - poles.poles[0].magnitude).abs() < 1e-6, "{law:?}, {delay}: {found} {:?}", poles.poles[0]);
    }
    Ok(())
}
