//! Two Deltas that carry one object: what moves is a mechanism that shares no formula with the law, so where both agree, both
//! are right; and what cannot be is refused by name.

use super::example::carrying::{run, with_payload};
use dalembert::Vec3;
use dalembert::control::{
    Backlash, ControlError, ControlRun, Drive, Encoder, Experiment, ExperimentFile, Law, Pair, Push, Squeeze,
};
use dalembert::robot::Robot;
use dalembert::robot::file::FileError;
use std::error::Error;

/// The pair that a robot is, changed.
fn changed(robot: &Robot, change: impl FnOnce(&mut Pair)) -> Robot {
    let mut pair = Pair::of(robot).expect("a pair").clone();
    change(&mut pair);
    Robot::from(pair)
}

fn ideal() -> Result<Experiment, Box<dyn Error>> {
    let mut both = with_payload()?;
    (both.drive, both.encoder, both.sampling.delay) = (Drive::IDEAL, Encoder::IDEAL, 0);
    Ok(both)
}

fn squeeze(done: &ControlRun) -> Squeeze {
    done.summary.squeeze.expect("two robots squeeze")
}

/// Without faults the object follows, and the squeeze is what was asked for, at every sample to rounding: a wrong share, a
/// wrong offset or a lost term of either robot would show as newtons. Tolerance: the grips' forces are solved from
/// equations with rods of a condition of some 1e3, at torques of some 30 N m.
#[test]
fn the_object_follows_and_is_squeezed_as_asked() -> Result<(), Box<dyn Error>> {
    let mut both = ideal()?;
    for (share, asked) in [(0.5, Vec3::zero()), (0.3, Vec3([15.0, -4.0, 2.0]))] {
        both.known = changed(&both.known, |pair| (pair.share, pair.squeeze) = (share, asked));
        let done = run(&both)?;
        done.ended.clone()?;
        let (error, off) = (done.summary.error_max, squeeze(&done).error_max);
        assert!(error < 2e-4 && off < 1e-8, "{error} {off}");
        assert_eq!(squeeze(&done).reference, asked);
    }
    Ok(())
}

/// With usual drives and sensors and an object that is 20 % heavier than believed it follows still; the squeeze is off by
/// newtons, since each drive delays its own robot.
#[test]
fn the_object_may_be_heavier_than_believed() -> Result<(), Box<dyn Error>> {
    let mut both = with_payload()?;
    let exact = run(&both)?;
    both.known = both.known.with_payload(1.2)?;
    let wrong = run(&both)?;
    for (name, done) in [("exact", &exact), ("20 % wrong", &wrong)] {
        done.ended.clone()?;
        let finite = done.recording.columns().iter().all(|column| column.values.iter().all(|x| x.is_finite()));
        assert!(finite && done.summary.error_max < 5e-3 && squeeze(done).error_max < 15.0, "{name}");
    }
    assert!(wrong.summary.error_end > exact.summary.error_end);
    Ok(())
}

/// A push on the object that both hold at rest moves it by what the loop's stiffness lets it. The law sees the error E of the
/// object, so that F = (m + m₁ + m₂) k_p E with the masses M of both robots that the object feels; they come from the closed
/// form, which the mechanism does not use. Tolerance: sampling and the mass matrix that changes over the 0.1 mm of the error.
#[test]
fn a_push_is_answered_by_the_masses_of_all() -> Result<(), Box<dyn Error>> {
    use dalembert::motion::{Dwell, RobotMotion};
    use dalembert::robot::{Pick, Target, ToolState};
    let mut both = ideal()?;
    let at = Vec3([0.0, 0.05, -0.85]);
    both.motion = RobotMotion::translating(Dwell { position: at, duration: 0.5 });
    let force = 10.0;
    both.pushes = vec![Push { start: 0.0, duration: 10.0, force: Vec3([0.0, 0.0, force]) }];
    let done = run(&both)?;
    let mut mass = [[0.0; 3]; 3];
    for carrier in &Pair::of(&both.known).ok_or("a pair")?.carriers {
        let held = Target::Tool(ToolState::translating(at + carrier.offset(), Vec3::zero(), Vec3::zero()));
        let state = carrier.robot.at(&held, &Pick::default())?;
        let apparent_mass = carrier.robot.build_model("exact")?.tool_mass(&state).ok_or("a platform has a mass")?.mass;
        (0..9).for_each(|k| mass[k / 3][k % 3] += apparent_mass[k / 3][k % 3]);
    }
    (0..3).for_each(|k| mass[k][k] += both.known.payload());
    // Where the object settles, k_p M E = F; E = −(what it is off).
    let last = |name: &str| done.recording.column(name).and_then(|column| column.last().copied()).unwrap_or(f64::NAN);
    let off = ["error_x", "error_y", "error_z"].map(last);
    let square = both.bandwidth * both.bandwidth;
    for k in 0..3 {
        let held: f64 = (0..3).map(|i| mass[k][i] * off[i] * square).sum();
        let wanted = if k == 2 { force } else { 0.0 };
        assert!((held - wanted).abs() < 2e-3 * force, "{k}: {held} against {wanted}");
    }
    Ok(())
}

#[test]
fn what_cannot_be_is_refused() -> Result<(), Box<dyn Error>> {
    let refused = |change: fn(&mut Experiment)| -> Result<String, Box<dyn Error>> {
        let mut both = with_payload()?;
        change(&mut both);
        Ok(run(&both).err().map_or(String::from("it ran"), |error| error.to_string()))
    };
    assert_eq!(
        refused(|both| both.known = changed(&both.known, |pair| pair.share = 1.5))?,
        "share is 1.5, but must be 0 to 1"
    );
    assert_eq!(
        refused(|both| both.robot = changed(&both.robot, |pair| pair.mass = 0.0))?,
        "mass of the object is 0, but must be positive and finite"
    );
    let far = refused(|both| {
        both.robot = changed(&both.robot, |pair| pair.carriers[1].base = Vec3([3.0, 0.0, 0.0]));
    })?;
    assert!(far.starts_with("carrier 2 cannot reach its grip at 0.0000 s of the motion"), "{far}");
    let gear = Backlash { gap: 1e-3, stiffness: 1e4, damping: 1.0 };
    let loose = refused(|both| both.drive.backlash = Some(Backlash { gap: 1e-3, stiffness: 1e4, damping: 1.0 }))?;
    assert!(loose.starts_with(&format!("backlash is {}", gear.gap)), "{loose}");
    let both = with_payload()?;
    let other = both.run(&both.tuning(Law::Pd), &mut |_| true).err();
    assert!(matches!(&other, Some(ControlError::LawDoesNotApply { law, .. }) if law == "pd"), "{other:?}");
    Ok(())
}

const FILE: &str = include_str!("../../../../experiments/two-deltas-carry.toml");

fn parse(text: &str) -> Result<ExperimentFile, FileError> {
    ExperimentFile::parse(text, None)
}

/// The file says what the library is told, and the run is the same.
#[test]
fn a_file_says_it_all() -> Result<(), Box<dyn Error>> {
    let file = parse(FILE)?;
    let name = &file.experiment.robot.name;
    let Pair { carriers, mass, share, squeeze } = Pair::of(&file.experiment.robot).ok_or("a pair")?;
    assert_eq!((name.as_str(), *mass, *share, squeeze.0), ("d3-1200 and d3-1200", 1.5, 0.5, [15.0, 0.0, 0.0]));
    assert_eq!(
        carriers.each_ref().map(|c| (c.base.0, c.grip.0)).map(|(b, g)| [b[0], g[0]]),
        [[-0.7, -0.42], [0.7, 0.42]]
    );
    assert_eq!(file.tunings()?[0].law.built_in(), Some(Law::Cartesian));
    let told =
        parse(&format!("{FILE}\n[controller]\npayload = \"1.2 kg\"\nbandwidth = \"15 Hz\"\n[plant]\npayload = 2"))?;
    assert_eq!((told.experiment.robot.payload(), told.experiment.known.payload()), (2.0, 1.2));
    let mut direct = Experiment::new(file.experiment.robot.clone(), "the same", file.experiment.motion.clone());
    direct.known = direct.known.with_payload(1.2)?;
    let mut known = file.clone();
    known.knowledge.payload = Some(1.2);
    known.set_up()?;
    let [a, b] = [run(&direct)?, run(&known.experiment)?].map(|done| done.summary);
    assert_eq!((a.error_max, a.squeeze, a.torque_peak), (b.error_max, b.squeeze, b.torque_peak));
    Ok(())
}

/// What makes no sense is refused at its place in the file.
#[test]
fn files_are_refused_by_name() {
    let of = |from: &str, to: &str| {
        assert!(FILE.contains(from), "{from}");
        let error = parse(&FILE.replacen(from, to, 1)).expect_err(to);
        (error.location.line, error.problem)
    };
    let second = FILE.rfind("[[carrier]]").expect("two");
    let (first, rest) = FILE.split_at(second);
    let alone = parse(&[first, &rest[rest.find("[object]").expect("there")..]].concat()).expect_err("one robot");
    assert_eq!(alone.problem, "two robots carry an object, here are 1");
    let (line, far) = of("base = [\"700 mm\", 0, 0]", "base = [\"2 m\", 0, 0]");
    assert!(line == 12 && far.starts_with("carrier 2 cannot reach its grip at"), "{line}: {far}");
    assert_eq!(
        of("base = [\"700 mm\", 0, 0]", "base = [\"-700 mm\", 0, 0]").1,
        "both carriers stand at the same place"
    );
    assert_eq!(of("mass = \"1.5 kg\"\n", "").1, "[object] has no `mass`");
    assert_eq!(of("mass = \"1.5 kg\"", "mass = 0").1, "`object.mass` is 0, but must be positive");
    assert_eq!(of("share = 0.5 ", "share = 1.5 ").1, "`object.share` is 1.5, but must be 0 to 1");
    assert_eq!(of("grip = [\"420 mm\", 0, 0]", "").1, "[carrier.2] has no `grip`");
    assert!(of("cycle = \"800 ms\"", "").1.starts_with("a shortest time does not go with an object"));
    assert!(
        of("cycle = \"800 ms\"", "profile = \"time-optimal\"\ncycle = 1").1.starts_with("the profile time-optimal")
    );
    assert!(
        of("[motion]", "[controller]\nlaws = [\"pd\"]\n[motion]").1.starts_with("the control law `pd` does not apply")
    );
    assert_eq!(of("name = ", "robot = \"d3-1200\"\nname = ").1, "unknown key `robot` at the top");
}
