//! Drives and sensors in the loop, on one joint that is simple enough to know the answer.

use dalembert::Vec3;
use dalembert::control::{
    Backlash, ClosedLoop, ControlError, Drive, Encoder, Encoders, Gains, Impedance, InJoints, Law, Motors, Reference,
    Sample, SampledLoop, Sampling, Settings, Setup, VelocityFrom,
};
use dalembert::serial::{Body, DhConvention, DhRow, Joint, LinkParameters, Serial, SerialParameters};
use dalembert::spatial::Frame;
use dalembert::{Angle, Mat3, Sym3};

const PERIOD: f64 = 1e-3;
/// Of the joint, kg m².
const INERTIA: f64 = 2.0;
/// Mass times distance of a pendulum's mass, kg m.
const MOMENT: f64 = 0.5;

type Arm = Serial<f64, 1>;
/// q, q̇, q̈ of the reference at a time.
type Course = fn(f64) -> [f64; 3];
type Loop = Box<dyn SampledLoop>;

/// One joint about a horizontal axis, or without weight a flywheel; q = 0 with the mass beside the axis.
fn joint(gravity: f64) -> Arm {
    let mass = 1.0;
    let inertia = INERTIA - MOMENT * MOMENT / mass;
    let body = Body { mass, center_of_mass: Vec3::new(MOMENT / mass, 0.0, 0.0), inertia: Sym3::diagonal(inertia) };
    Serial::new(SerialParameters {
        convention: DhConvention::Modified,
        base: None,
        gravity: Vec3::new(0.0, -gravity, 0.0),
        links: [LinkParameters {
            coupling: None,
            joint: Joint::Revolute,
            dh: DhRow { alpha: Angle::from_radians(0.0), a: 0.0, d: 0.0, theta_offset: Angle::from_radians(0.0) },
            body,
            motor_inertia: 0.0,
            gear_ratio: 1.0,
            friction: None,
            armature: None,
            spring: None,
        }],
        tool: Frame { rotation: Mat3::diagonal(1.0), origin: Vec3::zero() },
        payload: Body::zero(),
    })
}

fn rest(_: f64) -> [f64; 3] {
    [0.0; 3]
}

fn swing(t: f64) -> [f64; 3] {
    let w = 8.0;
    [(1.0 - (w * t).cos()) * 0.3, 0.3 * w * (w * t).sin(), 0.3 * w * w * (w * t).cos()]
}

/// A control law with an ideal drive and sensor; ω = 50/s, ζ = 1.
fn setup(law: Law) -> (Law, Setup<1>) {
    let settings = Settings {
        gains: if law.integrates() { Gains::pid(50.0, 1.0, 0.2) } else { Gains::pd(50.0, 1.0) },
        impedance: Impedance::isotropic(1.0, 1.0, 1.0),
        look_ahead: 0.0,
        sampling: Sampling { period: PERIOD, delay: 0, ..Sampling::USUAL },
        drive: Drive::IDEAL,
        encoder: Encoder::IDEAL,
        following_error: 10.0,
    };
    (law, Setup { settings, inertia: [INERTIA], motors: Motors::FREE })
}

fn begin(gravity: f64, course: Course, (law, setup): (Law, Setup<1>)) -> Result<Loop, ControlError> {
    let arm = joint(gravity);
    let [q, qd, _] = course(0.0);
    let held = arm.pose_unchecked([q]).gravity_torque();
    let reference = move |_: &Arm, time: f64| {
        let [q, qd, qdd] = course(time).map(|x| [x]);
        Ok(Reference { q, qd, qdd, point: [Vec3::zero(); 3] })
    };
    Ok(Box::new(ClosedLoop::new(InJoints::new(arm), arm, reference, law, setup, [[q], [qd]], held)?))
}

fn run(closed: &mut Loop, samples: usize) -> Result<Vec<Sample>, ControlError> {
    (0..samples).map(|_| closed.step()).collect()
}

/// What the law asks for acts so many samples later, to the bit; before that the motor holds the robot.
#[test]
fn commands_are_late_by_the_delay() -> Result<(), ControlError> {
    for delay in [0, 1, 2, 7, 15] {
        let (law, mut setup) = setup(Law::ComputedTorque);
        setup.settings.gains = Gains::pd(10.0, 1.0);
        setup.settings.sampling.delay = delay;
        let all = run(&mut begin(9.81, swing, (law, setup))?, 200)?;
        for (k, sample) in all.iter().enumerate() {
            let expected = if k < delay { 9.81 * MOMENT } else { all[k - delay].asked[0] };
            assert!((sample.torque[0] - expected).abs() <= 1e-14 * expected.abs(), "delay {delay}, sample {k}");
        }
    }
    Ok(())
}

/// The torque changes by no more than its rate allows, and by just that while it is behind.
#[test]
fn the_rate_of_the_torque_is_limited() -> Result<(), ControlError> {
    let (law, mut setup) = setup(Law::ComputedTorque);
    setup.settings.drive.max_torque_rate = 2000.0;
    // It has to begin with 0.3·64·2 N m at once.
    let all = run(&mut begin(0.0, swing, (law, setup))?, 300)?;
    let steps: Vec<f64> = all.windows(2).map(|pair| (pair[1].torque[0] - pair[0].torque[0]).abs()).collect();
    let most = steps.iter().fold(0.0_f64, |most, step| most.max(*step));
    assert!((most - 2.0).abs() < 1e-9, "{most}");
    assert!(all[0].cut && !all[299].cut);
    Ok(())
}

/// A joint that cannot keep up integrates no error that it could not act upon: it overshoots no more than the same loop
/// without limits does, which lets the integral run.
#[test]
fn the_integral_does_not_wind_up() -> Result<(), ControlError> {
    let overshoot = |most: f64| -> Result<f64, ControlError> {
        let (law, mut setup) = setup(Law::Pid);
        setup.settings.drive.limited = true;
        setup.motors.max_torque = [most];
        let all = run(&mut begin(0.0, |t| [if t < 0.01 { 0.0 } else { 1.0 }, 0.0, 0.0], (law, setup))?, 3000)?;
        assert!((all[2999].q[0] - 1.0).abs() < 1e-6, "{}", all[2999].q[0]);
        Ok(all.iter().fold(0.0_f64, |most, sample| most.max(sample.q[0] - 1.0)))
    };
    let (free, weak) = (overshoot(f64::INFINITY)?, overshoot(400.0)?);
    println!("overshoot {free:.4} without limits, {weak:.4} with");
    assert!(free > 0.0 && weak <= free);
    Ok(())
}

/// Near its top speed a motor gives ever less, which is told as cut, and a flywheel ends up at that speed and not above.
#[test]
fn top_speed_is_approached_and_not_passed() -> Result<(), ControlError> {
    for law in [Law::ComputedTorque, Law::Pid] {
        let (law, mut setup) = setup(law);
        setup.settings.drive.limited = true;
        setup.motors.max_torque = [40.0];
        setup.motors.max_speed = [2.0];
        setup.settings.following_error = f64::INFINITY;
        let all = run(&mut begin(0.0, |t| [4.0 * t * t, 8.0 * t, 8.0], (law, setup))?, 1000)?;
        let fastest = all.iter().fold(0.0_f64, |most, sample| most.max(sample.qd[0].abs()));
        assert!((1.99..=2.0 + 1e-12).contains(&fastest), "{fastest}");
        assert!(all.iter().filter(|sample| sample.cut).count() > 300);
    }
    Ok(())
}

/// Behind a loose gear the joint starts at rest: the teeth are in contact, and the encoders are homed.
#[test]
fn a_loose_gear_holds_its_load_at_the_start() -> Result<(), ControlError> {
    let (law, mut setup) = setup(Law::GravityPd);
    setup.settings.drive.backlash = Some(Backlash { gap: 0.01, stiffness: 5000.0, damping: 1.0 });
    setup.motors.rotor = [0.5];
    for gravity in [9.81, -9.81, 0.0] {
        let all = run(&mut begin(gravity, rest, (law, setup))?, 300)?;
        let moved = all.iter().fold(0.0_f64, |most, sample| most.max(sample.q[0].abs()));
        // Torques balance to rounding, and the loop is stable.
        assert!(moved < 1e-12, "gravity {gravity}: {moved}");
    }
    Ok(())
}

/// The observer sees the velocity of a joint that follows, so the loop does nearly as well as with a tachometer: it believes
/// in the wanted acceleration, which a held torque gives half a sample late.
#[test]
fn an_observer_is_nearly_as_good_as_a_tachometer_where_the_model_is_right() -> Result<(), ControlError> {
    let error = |velocity| -> Result<f64, ControlError> {
        let (law, mut setup) = setup(Law::ComputedTorque);
        setup.settings.encoder.velocity = velocity;
        let all = run(&mut begin(9.81, swing, (law, setup))?, 1500)?;
        Ok(all.iter().fold(0.0_f64, |most, sample| most.max((sample.q[0] - sample.reference[0]).abs())))
    };
    let exact = error(VelocityFrom::Tachometer)?;
    let seen = error(VelocityFrom::Observer { bandwidth: 600.0 })?;
    println!("tachometer {exact:.2e} rad, observer {seen:.2e} rad");
    assert!(seen < 2.0 * exact, "{seen} {exact}");
    Ok(())
}

/// The motor that holds too much for it gives its most from the start on; and what no drive can be is refused.
#[test]
fn limits_hold_from_the_start_and_nonsense_is_refused() -> Result<(), ControlError> {
    let (law, mut weak) = setup(Law::GravityPd);
    weak.settings.drive.limited = true;
    weak.motors.max_torque = [2.0];
    weak.settings.sampling.delay = 3;
    let all = run(&mut begin(9.81, rest, (law, weak))?, 50)?;
    assert!(all.iter().all(|sample| sample.torque[0].abs() <= 2.0));

    let (law, mut coarse) = setup(Law::Pd);
    coarse.settings.drive.torque_steps = 2.5;
    assert!(matches!(begin(0.0, rest, (law, coarse)), Err(ControlError::Setting { what: "steps of the torque", .. })));
    let (law, mut many) = setup(Law::Pd);
    many.settings.sampling.substeps = 1_000_000_000;
    assert!(matches!(begin(0.0, rest, (law, many)), Err(ControlError::Setting { what: "steps per sample", .. })));
    let (law, mut stiff) = setup(Law::Pd);
    stiff.motors.rotor = [1e-9];
    stiff.settings.drive.backlash = Some(Backlash { gap: 0.0, stiffness: 1e9, damping: 1.0 });
    assert!(matches!(begin(0.0, rest, (law, stiff)), Err(ControlError::TooStiff { .. })));
    Ok(())
}

/// A gear pushes back against the twist, never pulls, and its damping takes energy and gives none.
#[test]
fn a_gear_pushes_and_dissipates() {
    let gear = Backlash { gap: 0.02, stiffness: 1000.0, damping: 5.0 };
    for k in -50..=50 {
        for r in -20..=20 {
            let (twist, rate) = (f64::from(k) * 1e-3, f64::from(r) * 0.5);
            let (torque, still) = (gear.torque(twist, rate), gear.torque(twist, 0.0));
            assert!(torque * twist >= 0.0 && (torque - still) * rate >= 0.0);
            assert!(twist.abs() > 0.01 || torque == 0.0);
        }
    }
    for torque in [-3.0, 0.0, 0.5] {
        assert!((gear.torque(gear.twist(torque), 0.0) - torque).abs() < 1e-12);
    }
}

/// Mean and variance of 10,000 normal numbers are off by about 1/√n and √(2/n).
#[test]
fn noise_is_normal_and_reproducible() {
    let draw = || {
        let mut encoders = Encoders::new(Encoder { noise: 1.0, seed: 7, ..Encoder::IDEAL }, 1e-3);
        (0..10_000).map(|_| encoders.read([0.0], [0.0], [&[0.0]; 3]).q[0]).collect::<Vec<_>>()
    };
    let all = draw();
    assert_eq!(all, draw());
    let mean = all.iter().sum::<f64>() / 1e4;
    let variance = all.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 1e4;
    assert!(mean.abs() < 0.04 && (variance - 1.0).abs() < 0.06, "{mean} {variance}");
}

/// A joint that follows its reference has no error of velocity, however it is measured.
#[test]
fn what_follows_has_no_error_of_velocity() {
    let period = 1e-3;
    for velocity in [VelocityFrom::Tachometer, VelocityFrom::Difference, VelocityFrom::Observer { bandwidth: 600.0 }] {
        let mut encoders = Encoders::new(Encoder { velocity, ..Encoder::IDEAL }, period);
        for k in 0..500 {
            let t = f64::from(k) * period;
            let (q, qd, qdd) = ([(9.0 * t).sin()], [9.0 * (9.0 * t).cos()], [-81.0 * (9.0 * t).sin()]);
            let reading = encoders.read(q, qd, [&q, &qd, &qdd]);
            // The observer takes the acceleration as linear over a sample and misses 9⁴ T³/12 = 5.5e-7 rad/s in each,
            // of which it remembers about three.
            let allowed = if matches!(velocity, VelocityFrom::Observer { .. }) { 2e-6 } else { 1e-9 };
            assert!(reading.rate[0].abs() < allowed, "{velocity:?} {k} {}", reading.rate[0]);
        }
    }
}
