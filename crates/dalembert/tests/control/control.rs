//! Robots under control: the laws agree where they must, the loop does what linear theory says, and the faults of real
//! drives and sensors make a run worse, never meaningless.

#![allow(clippy::type_complexity)] // tables of faults and what they do

use crate::common::pushed;
use dalembert::control::{
    CarriedObject, ClosedLoop, ControlLaw, Drive, Encoder, Experiment, ExperimentFile, Feedback, Gains, Impedance, Law,
    Motors, Reference, RestVerdict, SampledLoop, Sampling, Settings, Setup, SimulationFile, VelocityFrom,
    carry_together,
};
use dalembert::limits::JointLimits;

use dalembert::delta::DeltaModel;
use dalembert::delta::models::Exact;
use dalembert::delta::{Assembly, Branch};
use dalembert::motion::named::Measures;
use dalembert::motion::{Dwell, MotionOrder, ProfileChoice, RobotMotion, Time};
use dalembert::robot::Robot;
use dalembert::robot::families::delta::DeltaPlant;
use dalembert::{Dual, Vec3, robots};
use dalembert_proptest::{robots as random_robots, states};
use proptest::prelude::*;
use std::error::Error;
use std::f64::consts::TAU;

const MODEL_BASED: [Law; 5] =
    [Law::Feedforward, Law::FeedforwardMass, Law::ComputedTorque, Law::Cartesian, Law::Impedance];

fn situation(q: Vec3<f64>, qd: Vec3<f64>, wanted: &Reference<f64, 3>) -> Feedback<'_, f64, 3> {
    Feedback {
        q: q.0,
        qd: qd.0,
        configuration: q.0,
        rate: std::array::from_fn(|i| wanted.qd[i] - qd[i]),
        integral: [0.0; 3],
        reference: wanted,
        ahead: wanted,
        inertia: [0.1, 0.2, 0.3],
        gains: Gains::pd(50.0, 0.8),
        impedance: Impedance::isotropic(4000.0, 0.7, 2.0),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// On the motion all laws that know the model give its torque; off it, the regulators add what the table says.
    /// Tolerance: forward kinematics and the inverse back amplify rounding by the condition of the pose, at most about 1e4
    /// over these states.
    #[test]
    fn laws_agree_on_the_motion(robot in random_robots(), seed in states()) {
        let Some(state) = seed.of(&robot) else { return Ok(()) };
        let moving = robot.at_position(state.position, Branch::Out).expect("in reach").moving(state.velocity);
        if moving.pose.assembly() != Assembly::Below {
            return Ok(());
        }
        let wanted = Reference {
            q: moving.pose.joints(),
            qd: moving.joint_velocity(),
            qdd: moving.joint_acceleration(state.acceleration),
            point: [state.position, state.velocity, state.acceleration],
        };
        let model = DeltaModel { robot, model: Exact, assembly: Assembly::Below, branch: Branch::Out };
        let torque = moving.torque(state.acceleration);
        let now = situation(Vec3(wanted.q), Vec3(wanted.qd), &wanted);
        let scale = 1.0 + Vec3(torque).norm_squared().sqrt();
        for law in MODEL_BASED {
            let given = Vec3(law.torque(&now, &model));
            let off = (given - Vec3(torque)).norm_squared().sqrt();
            prop_assert!(off < 1e-8 * scale, "{}: {given:?} against {torque:?}", law.as_str());
        }
        let gravity = Vec3(Law::GravityPd.torque(&now, &model));
        prop_assert!((gravity - Vec3(moving.pose.gravity_torque())).norm_squared().sqrt() < 1e-8 * scale);
        // The regulator's part through the mass matrix: A k_p e.
        let off = Vec3([1e-3, -2e-3, 1.5e-3]);
        let q = (Vec3(wanted.q) - off).0;
        let shifted = Feedback { q, configuration: q, ..now };
        let pose = robot.at_joints(shifted.q, Assembly::Below).expect("near");
        let expected = Vec3(torque) + pose.mass_matrix() * (off * 2500.0);
        let given = Vec3(Law::FeedforwardMass.torque(&shifted, &model));
        prop_assert!((given - expected).norm_squared().sqrt() < 1e-7 * scale, "{given:?} against {expected:?}");
    }

    /// Two Deltas with their shares of the object: both platforms accelerate as the regulator wants, and the object gets what
    /// it needs.
    #[test]
    fn two_deltas_move_one_object(robot in random_robots(), seed in states(), share in 0.1..0.9, mass in 0.1..2.0) {
        let Some(state) = seed.of(&robot) else { return Ok(()) };
        let moving = robot.at_position(state.position, Branch::Out).expect("in reach").moving(state.velocity);
        if moving.pose.assembly() != Assembly::Below {
            return Ok(());
        }
        let model = DeltaModel { robot, model: Exact, assembly: Assembly::Below, branch: Branch::Out };
        let joints = [moving.pose.joints(), moving.joint_velocity()];
        let (gravity, squeeze) = (robot.gravity(), Vec3([3.0, 0.0, 0.0]));
        let (error, rate) = (Vec3([2e-3, -1e-3, 3e-3]), Vec3([0.1, 0.2, -0.3]));
        let steered = state.acceleration + error * 1600.0 + rate * 80.0; // ω², 2ζω
        let object = CarriedObject {
            mass,
            gravity,
            offsets: [state.position, state.position],
            share,
            squeeze,
            reference: [error, state.velocity + rate, state.acceleration],
        };
        let torques = carry_together(&object, Gains::pd(40.0, 1.0), [&model, &model], [joints, joints]);
        let needed = (steered - gravity) * mass;
        for (torque, force) in torques.into_iter().zip([needed * share + squeeze, needed * (1.0 - share) - squeeze]) {
            // What the platform gives to the object, it feels with the other sign.
            let dissipation = moving.dissipation_torque();
            let reached = moving.acceleration_under((Vec3(torque) + Vec3(dissipation)).0, -force);
            let off = (reached - steered).norm_squared().sqrt();
            prop_assert!(off < 1e-7 * (1.0 + steered.norm_squared().sqrt()), "{off}");
        }
    }
}

/// A law is generic like every formula: its derivative by the joint is −Î k_p.
#[test]
fn a_law_can_be_differentiated() -> Result<(), Box<dyn Error>> {
    type D = Dual<f64, 1>;
    let robot = robots::d3_1200()?.delta.lift::<D>();
    let constant = |value: f64| D { value, derivative: [0.0] };
    let model = DeltaModel { robot, model: Exact, assembly: Assembly::Below, branch: Branch::Out };
    let wanted = Reference {
        q: [constant(0.4); 3],
        qd: [constant(0.0); 3],
        qdd: [constant(0.0); 3],
        point: [Vec3([constant(0.0); 3]); 3],
    };
    let now = Feedback {
        q: [D { value: 0.39, derivative: [1.0] }, constant(0.4), constant(0.4)],
        qd: [constant(0.0); 3],
        configuration: [constant(0.4); 3],
        rate: [constant(0.0); 3],
        integral: [constant(0.0); 3],
        reference: &wanted,
        ahead: &wanted,
        inertia: [constant(0.2); 3],
        gains: Gains::pd(constant(50.0), constant(1.0)),
        impedance: Impedance::isotropic(constant(1000.0), constant(1.0), constant(1.0)),
    };
    let torque = Law::Pd.torque(&now, &model);
    assert_eq!((torque[0].derivative[0], torque[1].derivative[0]), (-0.2 * 2500.0, 0.0));
    Ok(())
}

fn setup<const N: usize>(bandwidth: f64, damping: f64, period: f64) -> Setup<N> {
    let settings = Settings {
        gains: Gains::pd(bandwidth, damping),
        impedance: Impedance::isotropic(5000.0, damping, 2.0),
        look_ahead: 0.0,
        sampling: Sampling { period, delay: 0, substeps: 1, ..Sampling::USUAL },
        drive: Drive::IDEAL,
        encoder: Encoder::IDEAL,
        following_error: 1.0,
    };
    Setup { settings, inertia: [0.2; N], motors: Motors::FREE }
}

/// Computed torque makes every joint ë + 2ζω ė + ω² e = 0, whatever the robot. Sampling adds terms of the order of the
/// period: halving it halves the distance to the solution, and at 10 kHz that is below 1 % of the start.
#[test]
fn computed_torque_is_linear_and_decoupled() -> Result<(), Box<dyn Error>> {
    let robot = robots::d3_1200()?.delta;
    let (omega, zeta) = (60.0_f64, 0.5_f64);
    let rest = Vec3([0.05, -0.08, -0.85]);
    let wanted = robot.at_position(rest, Branch::Out)?;
    let off = Vec3([0.03, -0.02, 0.01]);
    let start = robot.at_joints((Vec3(wanted.joints()) - off).0, Assembly::Below)?;
    let worst = |period: f64| -> Result<f64, Box<dyn Error>> {
        let model = DeltaModel { robot, model: Exact, assembly: Assembly::Below, branch: Branch::Out };
        let reference = |_: &_, _| {
            Ok(Reference { q: wanted.joints(), qd: [0.0; 3], qdd: [0.0; 3], point: [rest, Vec3::zero(), Vec3::zero()] })
        };
        let plant = DeltaPlant::new(&robot, Branch::Out);
        let (setup, at) = (setup(omega, zeta, period), [start.position.0, [0.0; 3]]);
        let mut closed = ClosedLoop::new(plant, model, reference, Law::ComputedTorque, setup, at, [0.0; 3])?;
        let damped = omega * (1.0 - zeta * zeta).sqrt();
        let mut worst = 0.0_f64;
        while closed.time() < 0.1 {
            let sample = closed.step()?;
            let phase = damped * sample.time;
            let left = (-zeta * omega * sample.time).exp() * (phase.cos() + zeta * omega / damped * phase.sin());
            for i in 0..3 {
                let error = sample.reference[i] - sample.q[i];
                worst = worst.max((error - off[i] * left).abs());
            }
        }
        Ok(worst)
    };
    let (coarse, fine) = (worst(2e-4)?, worst(1e-4)?);
    assert!(fine < 3e-4 && (1.8..2.2).contains(&(coarse / fine)), "{coarse} {fine}");
    Ok(())
}

fn holding() -> Result<Experiment, Box<dyn Error>> {
    let rest = Dwell { position: Vec3([0.05, 0.0, -0.85]), duration: 0.8 };
    let mut experiment = Experiment::new(Robot::find("d3-1200")?, "hold", RobotMotion::translating(rest));
    (experiment.drive, experiment.encoder) = (Drive::IDEAL, Encoder::IDEAL);
    Ok(experiment)
}

/// A push of 20 N on a tool of 4000 N/m moves it by 5 mm, in the direction of the push.
#[test]
fn impedance_is_the_stiffness_that_was_asked_for() -> Result<(), Box<dyn Error>> {
    // In 0.7 s the transient has decayed by more than 1e-9.
    pushed::moves_by_force_over_stiffness(&mut holding()?, 1e-8)
}

/// A velocity that lags by half a sample is compared with a reference that lags as much: it costs nothing, in joints or at the
/// platform.
#[test]
fn a_difference_quotient_is_as_good_as_a_tachometer() -> Result<(), Box<dyn Error>> {
    let robot = Robot::find("d3-1200")?;
    let order = MotionOrder { time: Some(Time::Cycle(0.6)), ..MotionOrder::default() };
    let mut experiment = Experiment::ordered(robot, &order)?;
    experiment.drive = Drive::IDEAL;
    experiment.sampling.delay = 0;
    for law in [Law::ComputedTorque, Law::Cartesian, Law::Impedance] {
        let mut error = |velocity| -> Result<f64, Box<dyn Error>> {
            experiment.encoder = Encoder { velocity, ..Encoder::IDEAL };
            let run = experiment.run(&experiment.tuning(law), &mut |_| true)?;
            run.ended?;
            Ok(run.summary.error_max)
        };
        let (exact, lagging) = (error(VelocityFrom::Tachometer)?, error(VelocityFrom::Difference)?);
        assert!((lagging / exact - 1.0).abs() < 0.1, "{}: {lagging} {exact}", law.as_str());
    }
    Ok(())
}

/// An integral removes what gravity and a payload leave behind; a PD alone does not.
#[test]
fn only_an_integral_removes_a_constant_load() -> Result<(), Box<dyn Error>> {
    let mut experiment = holding()?;
    experiment.robot = experiment.robot.with_payload(1.0)?;
    experiment.slow_pole = 0.5;
    let end = |law: Law| -> Result<f64, Box<dyn Error>> {
        let run = experiment.run(&experiment.tuning(law), &mut |_| true)?;
        run.ended?;
        Ok(run.summary.error_end)
    };
    // 9.81 N over some 2e4 N/m; and what 0.8 s of a pole at 38 rad/s leave of that.
    assert!(end(Law::GravityPd)? > 2e-4 && end(Law::Pd)? > 2e-4);
    assert!(end(Law::GravityPid)? < 1e-6 && end(Law::Pid)? < 1e-6);
    Ok(())
}

fn cycle_of_half_a_second() -> MotionOrder {
    MotionOrder { time: Some(Time::Cycle(0.5)), ..MotionOrder::default() }
}

/// Changes the limits of every motor.
fn limit(experiment: &mut Experiment, change: fn(&mut JointLimits)) {
    let mut delta: dalembert::DeltaRobot = experiment.robot.of_type().cloned().expect("a Delta");
    delta.limits.iter_mut().for_each(change);
    experiment.robot = delta.into();
}

/// Every law with every fault, and all faults together: it comes to rest or is reported as not, and no number is NaN.
#[test]
fn faults_are_survived_or_reported() -> Result<(), Box<dyn Error>> {
    let robot = Robot::find("d3-1200")?.with_payload(1.0)?;
    let base = Experiment::ordered(robot.clone(), &cycle_of_half_a_second())?;
    let wrong = robot.with_payload(0.8)?;
    let faults: [(&str, &dyn Fn(&mut Experiment)); 7] = [
        ("20 % wrong payload", &|e| e.known = wrong.clone()),
        ("saturated motors", &|e| limit(e, |limits| limits.max_torque = 35.0)),
        ("slow motors", &|e| limit(e, |limits| limits.max_speed = 5.0)),
        ("12 bits", &|e| e.encoder.counts = 4096.0),
        ("noise and an observer", &|e| {
            e.encoder =
                Encoder { noise: 2e-4, velocity: VelocityFrom::Observer { bandwidth: 800.0 }, ..Encoder::USUAL };
        }),
        ("2 samples of delay", &|e| e.sampling.delay = 2),
        ("far too much bandwidth", &|e| e.bandwidth = TAU * 80.0),
    ];
    let check = |name: &str, experiment: &Experiment| -> Result<(), Box<dyn Error>> {
        for law in Law::ALL {
            let run = experiment.run(&experiment.tuning(law), &mut |_| true)?;
            let finite = run.recording.columns().iter().all(|column| column.values.iter().all(|x| x.is_finite()));
            assert!(finite && run.summary.error_max.is_finite(), "{name}, {}", law.as_str());
            match run.summary.verdict {
                RestVerdict::Settled => assert!(run.ended.is_ok()),
                RestVerdict::Lost => assert!(run.ended.is_err()),
                verdict => {
                    let unrest = verdict.unrest().expect("there was a hold");
                    assert!(run.ended.is_ok() && unrest.by > 0.0 && unrest.joint > 0, "{verdict}");
                }
            }
            println!("{name:24} {:18} {:8.3} mm, {}", law.as_str(), 1e3 * run.summary.error_max, run.summary.verdict);
        }
        Ok(())
    };
    let mut all = base.clone();
    for (name, fault) in &faults {
        let mut experiment = base.clone();
        fault(&mut experiment);
        check(name, &experiment)?;
        if *name != "far too much bandwidth" {
            fault(&mut all);
        } else {
            // What is unstable is called so.
            let run = experiment.run(&experiment.tuning(Law::ComputedTorque), &mut |_| true)?;
            let verdict = run.summary.verdict;
            assert!(
                matches!(verdict, RestVerdict::Lost | RestVerdict::LimitCycle(_) | RestVerdict::Diverges(_)),
                "{verdict}"
            );
        }
    }
    check("all but the last", &all)
}

/// What cannot be is refused with its numbers.
#[test]
fn impossible_settings_are_refused() -> Result<(), Box<dyn Error>> {
    let order = MotionOrder { profile: ProfileChoice::Polynomial345, ..cycle_of_half_a_second() };
    let good = Experiment::ordered(Robot::find("d3-1200")?, &order)?;
    let bad: [(&dyn Fn(&mut Experiment), &str); 6] = [
        (&|e| e.sampling.period = 0.0, "sampling period is 0, but must be positive and finite"),
        (&|e| e.sampling.delay = 99, "delay in samples is 99, but must be at most 15"),
        (&|e| e.drive.current_rise = -1.0, "current rise is -1"),
        (&|e| e.encoder.noise = f64::NAN, "encoder noise is NaN"),
        (&|e| e.bandwidth = f64::INFINITY, "bandwidth is inf"),
        (&|e| e.hold = -1.0, "time to hold is -1"),
    ];
    for (change, expected) in bad {
        let mut experiment = good.clone();
        change(&mut experiment);
        let error = experiment.run(&good.tuning(Law::Pd), &mut |_| true).err().map(|error| error.to_string());
        assert!(error.as_deref().is_some_and(|text| text.contains(expected)), "{error:?}");
    }
    let mut far = good.clone();
    far.follow(&MotionOrder { measures: Measures { width: Some(2.0), ..Measures::default() }, ..order })?;
    let error = far.run(&good.tuning(Law::Pd), &mut |_| true).err().map(|error| error.to_string());
    assert!(error.as_deref().is_some_and(|text| text.contains("the motion leaves the workspace")), "{error:?}");
    Ok(())
}

fn runs(file: &ExperimentFile) -> Result<(), Box<dyn Error>> {
    for tuning in file.tunings()? {
        let run = file.experiment.run(&tuning, &mut |_| true)?;
        assert_eq!(run.ended, Ok(()), "{} {}", file.experiment.name, tuning.label);
    }
    Ok(())
}

/// A motion through a singular pose is refused as such, wherever it lies between the samples: rods that do not hold the platform
/// (type 2), and a reference that goes over to another solution of the kinematics.
#[test]
fn references_through_singular_poses_are_refused() -> Result<(), Box<dyn Error>> {
    // Rods of 0.4 m are level with a platform 0.4 m below the base.
    let text = "kind = \"delta\"\nname = \"short rods\"\n[base]\nradius = 0.2\n[upper_arm]\nlength = 0.5\nmass = 1\n\
                center_of_mass = 0.2\ninertia = 0.03\n[forearm]\nlength = 0.4\nmass = 0.3\n[platform]\nradius = 0.1\nmass = 1\n";
    let mut experiment = Experiment::resting(Robot::parse(text)?);
    let order = MotionOrder {
        path: String::from("line:0,0,-0.3/0.01,0,-0.5"),
        time: Some(Time::Cycle(1.0)),
        profile: ProfileChoice::Polynomial345,
        ..MotionOrder::usual(&experiment.robot.kind())
    };
    experiment.follow(&order)?;
    let run = experiment.run(&experiment.tuning(Law::ComputedTorque), &mut |_| true)?;
    let error = run.ended.expect_err("through a type-2 singularity").to_string();
    assert!(error.contains("singular pose") && error.contains("type 2"), "{error}");

    let robot = dalembert::robots::d3_1200()?.delta;
    let rest = Vec3([0.05, -0.08, -0.85]);
    let wanted = robot.at_position(rest, Branch::Out)?;
    let model = DeltaModel { robot, model: Exact, assembly: Assembly::Below, branch: Branch::Out };
    let reference = |_: &_, time: f64| {
        let mut q = wanted.joints();
        q[1] += if time > 0.0105 { 0.3 } else { 0.0 };
        // The tool goes on evenly; a tool that steps with its joints is a step, and allowed.
        let velocity = Vec3([0.001, 0.0, 0.0]);
        Ok(Reference { q, qd: [0.0; 3], qdd: [0.0; 3], point: [rest + velocity * time, velocity, Vec3::zero()] })
    };
    let (plant, at) = (DeltaPlant::new(&robot, Branch::Out), [rest.0, [0.0; 3]]);
    let setup = setup(60.0, 1.0, 1e-3);
    let mut closed = ClosedLoop::new(plant, model, reference, Law::ComputedTorque, setup, at, [0.0; 3])?;
    let error = (0..20).find_map(|_| closed.step().err()).ok_or("it jumps")?.to_string();
    assert!(error.contains("at 0.0110 s") && error.contains("reference of joint 2 jumps by 0.300 rad"), "{error}");
    Ok(())
}

/// What is called a wrong payload shows one: no limit cuts a torque, the robot comes to rest, and the error is many times that of
/// a controller which knows the truth.
#[test]
fn a_wrong_payload_is_what_its_experiments_show() -> Result<(), Box<dyn Error>> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
    for name in ["wrong-payload.toml", "puma-wrong-payload.toml"] {
        let path = folder.join(name).display().to_string();
        let SimulationFile::Experiment(mut file) = SimulationFile::find_with(&path, &[])? else {
            return Err("no experiment".into());
        };
        let error = |experiment: &Experiment| -> Result<f64, Box<dyn Error>> {
            let run = experiment.run(&experiment.tuning(Law::Feedforward), &mut |_| true)?;
            let s = run.summary;
            assert_eq!((run.ended, s.cut, s.verdict), (Ok(()), 0.0, RestVerdict::Settled), "{name}");
            Ok(s.error_max)
        };
        let wrong = error(&file.experiment)?;
        file.experiment.known = file.experiment.robot.clone();
        let right = error(&file.experiment)?;
        assert!(wrong > 50.0 * right, "{name}: {wrong} {right}");
    }
    Ok(())
}

/// The files that come with the project run.
#[test]
fn experiment_files_run() -> Result<(), Box<dyn Error>> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
    let mut count = 0;
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        match SimulationFile::find_with(&path.display().to_string(), &[])? {
            SimulationFile::Experiment(file) => runs(&file)?,
            _ => return Err("no experiment".into()),
        }
        count += 1;
    }
    assert!(count >= 5);
    Ok(())
}
