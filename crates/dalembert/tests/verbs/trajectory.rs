//! A trajectory, what it demands of the joints, and limits as findings or as an error.

use super::{Anything, keys, metric};
use dalembert::Vec3;
use dalembert::motion::{EXCESS, MotionTable, ProfileChoice, Time};
use dalembert::robot::Robot;
use dalembert::verbs::motion::{MotionRequest, plan};
use dalembert::verbs::trajectory::{TrajectoryRequest, trajectory};
use dalembert::verbs::{Observer, Outcome, Severity};

fn fast(cycle: f64) -> Result<TrajectoryRequest, Anything> {
    let mut motion = MotionRequest::new(Robot::find("d3-1200")?);
    motion.order.time = Some(Time::Cycle(cycle));
    Ok(TrajectoryRequest::new(motion))
}

#[test]
fn a_planned_motion_has_metrics_a_table_a_chart_and_gcode() -> Result<(), Anything> {
    let mut request = TrajectoryRequest::new(MotionRequest::new(Robot::find("d3-1200")?));
    request.motion.order.profile = ProfileChoice::TimeOptimal(None);
    let outcome = trajectory(&request, &mut ())?;
    let planned = plan(&request.motion, &mut ())?;
    assert_eq!(metric(&outcome, "duration"), planned.timed.motion.duration());
    assert!(outcome.findings().is_empty() && outcome.limit_active.is_some_and(|share| share > 0.9));
    let recording = outcome.recording()?;
    assert_eq!(recording.columns().len(), 1 + 9 + 12);
    assert!(outcome.gcode()?.contains("G93") && outcome.chart().panels.len() == 3);
    let first = ["robot", "path", "profile", "payload", "center", "held", "length", "duration", "strokes"];
    assert_eq!(keys(&outcome)[..9], first);
    Ok(())
}

#[test]
fn a_limit_that_is_exceeded_is_a_finding_or_an_error() -> Result<(), Anything> {
    let mut request = fast(0.15)?;
    let outcome = trajectory(&request, &mut ())?;
    let exceeded = outcome.findings().iter().find(|finding| finding.code == "limit-exceeded");
    assert!(exceeded.is_some_and(|finding| finding.severity == Severity::Warning));
    request.enforce_limits = true;
    let error = trajectory(&request, &mut ()).expect_err("it is refused");
    assert_eq!(error.code, "limit-exceeded");
    request.every = Some(1.0);
    assert_eq!(trajectory(&request, &mut ()).expect_err("one row").code, "every");
    Ok(())
}

/// Between the two ends the legs do not hold the platform: a motor would need 3 MN on the way.
#[test]
fn a_path_through_a_singular_pose_is_refused_with_its_place() -> Result<(), Anything> {
    let mut motion = MotionRequest::new(Robot::find("hexaglide")?);
    motion.order.path = String::from("line:0,0,-0.6/-0.26,0.28,-0.5");
    motion.order.time = Some(Time::Cycle(10.0));
    let error = trajectory(&TrajectoryRequest::new(motion), &mut ()).expect_err("it is refused");
    assert!(error.message.contains("type 2") && error.message.contains("at (-0.2"), "{}", error.message);
    Ok(())
}

/// The file of the fastest motion reads back as a motion within the limits, between its rows too: of 80 N m the one of the D3-1200
/// would ask for 128, were the jumps of its acceleration between two rows.
#[test]
fn the_fastest_motion_reads_back_within_the_limits() -> Result<(), Anything> {
    let directory = tempfile::tempdir()?;
    for name in ["d3-1200", "asadi", "linear-delta", "hexa", "hexaglide", "stewart", "puma560"] {
        let robot = Robot::find(name)?;
        let mut request = TrajectoryRequest::new(MotionRequest::new(robot.clone()));
        request.motion.order.profile = ProfileChoice::TimeOptimal(None);
        request.enforce_limits = true;
        let outcome = match trajectory(&request, &mut ()) {
            Err(error) if error.message.contains("would take no time") => continue,
            outcome => outcome?,
        };
        let recording = outcome.recording()?;
        let mover = &outcome.plan.setup.mover;
        for (i, joint) in mover.joints.iter().enumerate() {
            for (stem, limit) in [("tau", joint.limits.max_torque), ("qd", joint.limits.max_speed)] {
                let column = recording.column(&format!("{stem}{}", i + 1)).ok_or("no column")?;
                let most = column.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
                // Of a profile that is in the limits at five places of each of its pieces.
                assert!(most <= limit * (1.0 + 1e-6), "{name}, {stem}{}: {most} of {limit}", i + 1);
            }
        }
        let path = directory.path().join(format!("{name}.csv"));
        recording.write_csv(&mut std::fs::File::create(&path)?)?;
        let read = MotionTable::read(&path.to_string_lossy(), &robot)?.motion()?;
        let mut times = read.breaks();
        times.insert(0, 0.0);
        times.push(read.duration());
        let mut worst = 0.0_f64;
        for pair in times.windows(2) {
            // Where a polynomial of fifth degree swings most when there is a jump.
            for part in [0.2, 0.65] {
                let load = mover.load_of(&read.at(pair[0] + part * (pair[1] - pair[0])))?;
                worst = worst.max(mover.tightest(&load).0);
            }
        }
        println!("{name}: {} rows, {worst} of the limits", recording.rows());
        assert!(worst <= 1.0 + EXCESS, "{name}: {worst} of the limits");
    }
    Ok(())
}

/// A motion by name is as large as its name says wherever there is room, and says where it is not.
#[test]
fn a_motion_is_smaller_only_where_there_is_no_room() -> Result<(), Anything> {
    let ordered = |name: &str, width: Option<f64>| -> Result<_, Anything> {
        let mut request = MotionRequest::new(Robot::find(name)?);
        request.order.path = String::from("pick-and-place");
        request.order.measures.width = width;
        let setup = request.setup()?;
        Ok((setup.order.measures, setup.resized))
    };
    let (measures, resized) = ordered("linear-delta", None)?;
    assert_eq!([measures.width, measures.height], [Some(0.1525), Some(0.0125)]);
    let resized = resized.ok_or("nothing is said")?;
    assert!(resized.code == "motion-resized" && resized.message.contains("pick-and-place 25/305/25 mm"), "{resized:?}");
    // Another width changes nothing else.
    let (measures, resized) = ordered("linear-delta", Some(0.1))?;
    assert!([measures.width, measures.height] == [Some(0.1), None] && resized.is_none());
    for name in ["d3-1200", "asadi", "hexa", "hexaglide", "stewart"] {
        let (measures, resized) = ordered(name, None)?;
        assert!(measures.width.is_none() && resized.is_none(), "{name}");
    }
    // Wherever it has room, also where that is not in the middle of the workspace.
    let changes = ["link1.a=0.5", "link2.a=0.45", "link3.range=[0.0,0.15]", "link2.range=[-1.8,1.8]"].map(String::from);
    let scara = Robot::find_with(concat!(env!("CARGO_MANIFEST_DIR"), "/../../golden/robots/scara.toml"), &changes)?;
    let mut request = MotionRequest::new(scara);
    request.order.path = String::from("pick-and-place");
    assert!(request.setup()?.resized.is_some());
    request.order.center = Some(Vec3::new(0.76, 0.0, 0.28));
    let setup = request.setup()?;
    assert!(setup.order.measures.width.is_none() && setup.resized.is_none());
    Ok(())
}

/// The shares that it was told.
#[derive(Default)]
struct Shares(Vec<f64>);

impl Observer for Shares {
    fn progress(&mut self, share: f64, stage: &str) {
        assert_eq!(stage, "planning the motion");
        self.0.push(share);
    }
}

#[test]
fn planning_says_how_far_it_is() -> Result<(), Anything> {
    for (profile, jerk) in [
        (ProfileChoice::TimeOptimal(None), None),
        (ProfileChoice::TimeOptimal(None), Some(3e4)),
        (ProfileChoice::SineOnRamp { ratio: 1.0 }, None),
    ] {
        let mut request = TrajectoryRequest::new(MotionRequest::new(Robot::find("d3-1200")?));
        (request.motion.order.profile, request.motion.order.jerk) = (profile, jerk);
        let mut shares = Shares::default();
        trajectory(&request, &mut shares)?;
        let Shares(shares) = shares;
        assert!(shares.is_sorted() && shares.iter().all(|share| (0.0..=1.0).contains(share)), "{shares:?}");
        assert!(shares.iter().any(|share| *share >= 0.5), "{shares:?}");
    }
    Ok(())
}
