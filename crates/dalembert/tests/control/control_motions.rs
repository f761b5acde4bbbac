//! Motions in closed loop: planned so that the controller can follow, described by the words of `docs/control.md`.

use dalembert::Vec3;
use dalembert::control::{Drive, Experiment, ExperimentFile, Law, RestVerdict};
use dalembert::motion::named::{Measures, TaskError};
use dalembert::motion::{BeltError, EXCESS, MotionOrder, MotionSurvey, OrderError, ProfileChoice};
use dalembert::robot::{Pick, Robot};
use std::error::Error;

/// The experiment that the documentation prints is one, and it is what it says: the defaults but for what a comment marks.
#[test]
fn the_documented_experiment_is_one() -> Result<(), Box<dyn Error>> {
    let page = include_str!("../../../../docs/control.md");
    let (_, after) = page.split_once("```toml\n").ok_or("no experiment")?;
    let (text, _) = after.split_once("```").ok_or("no end")?;
    let ExperimentFile { experiment: e, order, laws, .. } = ExperimentFile::parse(text, None)?;
    let usual = ExperimentFile::usual(Robot::find("d3-1200")?)?;
    assert_eq!((order.profile, order.cycles, laws), (usual.order.profile, usual.order.cycles, usual.laws));
    assert_eq!(order.share, Some(Experiment::SHARE));
    let u = &usual.experiment;
    assert_eq!((e.sampling, e.encoder, e.hold, e.bandwidth), (u.sampling, u.encoder, u.hold, u.bandwidth));
    assert_eq!(e.drive, Drive { max_torque_rate: 2e4, ..u.drive });
    assert_eq!((e.damping_ratio, e.slow_pole, e.following_error), (u.damping_ratio, u.slow_pole, u.following_error));
    assert_eq!((e.robot.payload(), e.known.payload()), (1.0, 0.8));
    // What a comment hides can be said too, with what has a use for it; and is refused without.
    let law = |name: &str| vec![("laws = [\"computed-torque\"]", format!("laws = [\"{name}\"]"))];
    let profile = |name: &str| ("profile = \"sine-on-ramp\"", format!("profile = \"{name}\""));
    let (no_ratio, no_share) = (("ratio = 1", String::new()), ("share = 0.7", String::new()));
    for (hidden, changes) in [
        ("slow_pole = 0.2", law("pid")),
        ("stiffness = \"4000 N/m\"", law("impedance")),
        ("look_ahead = \"2 ms\"", law("feedforward")),
        ("observer_bandwidth = \"100 Hz\"", vec![("velocity = \"difference\"", "velocity = \"observer\"".into())]),
        ("cycle = \"500 ms\"", vec![no_share.clone()]),
        ("smoothing = \"5 ms\"", vec![profile("time-optimal"), no_ratio.clone()]),
    ] {
        let comment = format!("\n# {hidden}");
        assert!(text.contains(&comment), "{hidden}");
        let shown = text.replacen(&comment, &format!("\n{hidden}"), 1);
        assert!(ExperimentFile::parse(&shown, None).is_err(), "{hidden} is of no use");
        let useful = changes.iter().fold(shown, |text, (from, to)| text.replacen(from, to, 1));
        ExperimentFile::parse(&useful, None).map_err(|error| format!("{hidden}: {error}"))?;
    }
    // Limits of the tool go with every profile.
    for hidden in ["acceleration = 50", "jerk = 3000"] {
        let shown = text.replacen(&format!("\n# {hidden}"), &format!("\n{hidden}"), 1);
        assert_ne!(shown, text, "{hidden}");
        ExperimentFile::parse(&shown, None).map_err(|error| format!("{hidden}: {error}"))?;
    }
    Ok(())
}

/// A motion over and over is the motion, and what does not end where it begins is not repeated.
#[test]
fn cycles_are_the_motion_again() -> Result<(), Box<dyn Error>> {
    let (robot, pick) = (Robot::find("d3-1200")?, Pick::default());
    let once = MotionOrder { path: "conveyor".into(), ..MotionOrder::default() };
    let thrice = MotionOrder { cycles: 3, ..once.clone() }.timed(&robot, &pick, 1.0)?.motion;
    let once = once.timed(&robot, &pick, 1.0)?.motion;
    let period = once.duration();
    assert!((thrice.duration() - 3.0 * period).abs() < 1e-12);
    for k in 0..300 {
        let t = period * (f64::from(k) + 0.5) / 100.0;
        let [one, all] = [once.at(t % period), thrice.at(t)].map(|target| Vec3::from_fn(|i| target.moved()[2][i]));
        // The remainder of the division is the one rounding: times jerk.
        assert!((one - all).norm_squared().sqrt() < 1e-6, "{t}");
    }
    assert_eq!(thrice.at(4.0 * period).moved()[0], once.at(2.0 * period).moved()[0]);
    assert_eq!(thrice.breaks().len(), 3 * once.breaks().len() + 2);
    Ok(())
}

const DIRECT: &str = include_str!("../../../../robots/direct-drive-assumed.toml");

const DESK: &str = "kind = \"delta\"\nname = \"desk\"\n[base]\nradius = \"60 mm\"\n[upper_arm]\nlength = \"90 mm\"\nmass = \"40 g\"\ncenter_of_mass = \"45 mm\"\ninertia = \"0.03 g m^2\"\n[forearm]\nlength = \"200 mm\"\nmass = \"18 g\"\n[platform]\nradius = \"25 mm\"\nmass = \"45 g\"\n";

/// `[plant] friction` is in the units of the joints: a force where they slide.
#[test]
fn friction_of_a_sliding_joint_is_a_force() -> Result<(), Box<dyn Error>> {
    let text = |robot: &str, friction: &str| {
        format!("kind = \"experiment\"\nrobot = \"{robot}\"\n[plant]\nfriction = {{ {friction} }}\n")
    };
    let force = "viscous = \"20 N s/m\", coulomb = \"5 N\", smoothing_velocity = \"2 mm/s\"";
    let torque = "viscous = \"0.2 N m s/rad\", coulomb = \"50 N cm\", smoothing_velocity = \"0.02 rad/s\"";
    for (robot, friction, other, known) in
        [("linear-delta", force, torque, [20.0, 5.0, 0.002]), ("d3-1200", torque, force, [0.2, 0.5, 0.02])]
    {
        let file = ExperimentFile::parse(&text(robot, friction), None)?;
        for joint in file.experiment.robot.joints() {
            let found = joint.friction.ok_or("friction")?;
            assert_eq!([found.viscous, found.coulomb, found.smoothing_velocity], known, "{robot}");
        }
        let error = ExperimentFile::parse(&text(robot, other), None).err().ok_or("another unit")?.to_string();
        assert!(error.contains("plant.friction"), "{error}");
    }
    Ok(())
}

/// What a robot does unless told otherwise leaves its controller something: no limit cuts a torque, and it comes to rest. Without
/// limits each stroke takes 0.3 s; a cycle that does not fit is refused with the place.
#[test]
fn every_robot_can_do_its_usual_motion() -> Result<(), Box<dyn Error>> {
    for robot in [Robot::find("d3-1200")?, Robot::find("asadi")?, Robot::parse(DIRECT)?] {
        let mut file = ExperimentFile::usual(robot)?;
        file.experiment.hold = 1.0; // dry friction lets a regulator without an integral creep home
        let run = file.experiment.run(&file.tunings()?[0], &mut |_| true)?;
        assert_eq!(
            (run.ended, run.summary.cut, run.summary.verdict),
            (Ok(()), 0.0, RestVerdict::Settled),
            "{}",
            file.experiment.name
        );
        // Planned with 0.7, and the regulator's part on top.
        assert!((0.6..0.95).contains(&run.summary.used().0), "{}: {:?}", file.experiment.name, run.summary.used());
    }
    let desk = Robot::parse(DESK)?;
    let wide = MotionOrder { measures: Measures { width: Some(0.5), ..Measures::default() }, ..MotionOrder::default() };
    let refused = Experiment::ordered(desk.clone(), &wide).err().map(|error| error.to_string());
    assert!(refused.as_deref().is_some_and(|text| text.contains("the path at s = 0.0000 m")), "{refused:?}");
    let experiment = Experiment::ordered(desk, &MotionOrder::default())?;
    assert!((experiment.motion.duration() - 2.0 * Experiment::STROKES[0]).abs() < 1e-12);
    let run = experiment.run(&experiment.tuning(Law::ComputedTorque), &mut |_| true)?;
    // 1.10 mm, of accelerations of 38 m/s² where the path bends: a plain bound.
    assert!(run.ended.is_ok() && run.summary.error_max < 1.2e-3, "{:?}", run.summary);
    Ok(())
}

/// A belt's acceleration comes on top of the path's: the ways to it are longer than without, and no limit is passed. Where a way
/// with the belt leaves a range that the path alone keeps, it is refused with the place.
#[test]
fn belts_are_in_the_limits() -> Result<(), Box<dyn Error>> {
    let (robot, pick) = (Robot::find("d3-1200")?, Pick::default());
    let fastest = MotionOrder { profile: ProfileChoice::TimeOptimal(None), ..MotionOrder::default() };
    let alone = fastest.timed(&robot, &pick, 1.0)?.motion.duration();
    let conveyor = MotionOrder { path: "conveyor".into(), ..fastest };
    let timed = conveyor.timed(&robot, &pick, 1.0)?;
    assert!(timed.strokes.iter().sum::<f64>() > 1.005 * alone, "{:?} {alone}", timed.strokes);
    let mover = conveyor.mover(&robot, &pick)?;
    for (time, exceeded) in MotionSurvey::of(&mover, &timed.motion, 4000)?.violations {
        assert!(exceeded.value.abs() <= exceeded.limit.abs() * (1.0 + EXCESS), "{time}: {exceeded}");
    }
    // On the way there the offset is behind: the belt runs along y, so a stroke at the edge in −y leaves it.
    let mut refused = 0;
    for k in 0..40 {
        let center = Some(Vec3::new(0.0, -0.5 - 0.01 * f64::from(k), -0.88));
        let at =
            |path: &str| MotionOrder { path: path.into(), center, ..MotionOrder::default() }.timed(&robot, &pick, 1.0);
        if let (Ok(_), Err(error)) = (at("pick-and-place"), at("conveyor")) {
            let OrderError::Task(TaskError::Belt(BeltError::Limit { .. } | BeltError::CannotDo { .. })) = &error else {
                return Err(error.into());
            };
            assert!(error.to_string().contains("on the way"), "{error}");
            refused += 1;
        }
    }
    assert!(refused > 0);
    Ok(())
}

/// A law that is misspelt in a file is found at its line; one with a time looks ahead by it.
#[test]
fn laws_of_an_experiment_file() {
    let text = r#"
kind = "experiment"
robot = "d3-1200"
[motion]
cycle = "500 ms"
[controller]
laws = ["pd", "feedforwad"]
"#;
    let error = ExperimentFile::parse(text, None).unwrap_err();
    assert_eq!((error.location.line, error.hint.as_deref()), (7, Some("did you mean `feedforward`?")));
    let file = ExperimentFile::parse(&text.replace("feedforwad", "feedforward@2ms"), None).unwrap();
    assert_eq!(file.tunings().unwrap()[1].look_ahead, 2e-3);
}
