//! Motions from files: what is between the rows is as near as its order says, a robot follows the file as it follows the motion
//! behind it, and a file that is no motion is refused with line and column.

use dalembert::Vec3;
use dalembert::control::{Experiment, ExperimentFile, Law};
use dalembert::motion::{Motion, MotionOrder, MotionState, Point, Polyline, Profile, SampledMotion, Time, Travel};
use dalembert::robot::{JointVector, Robot, Target};
use std::error::Error;
use std::f64::consts::TAU;
use std::path::{Path, PathBuf};

type Done = Result<(), Box<dyn Error>>;

/// A whole turn of a cosine: smooth everywhere, at rest at both ends.
fn turn(t: f64) -> MotionState<JointVector> {
    let (sin, cos) = (TAU * t).sin_cos();
    let one = |x: f64| JointVector::from([x]);
    MotionState { position: one(1.0 - cos), velocity: one(TAU * sin), acceleration: one(TAU * TAU * cos) }
}

/// The largest differences of position, velocity and acceleration from what is behind the rows.
fn off(rows: usize) -> Result<[f64; 3], Box<dyn Error>> {
    let times: Vec<f64> = (0..=rows).map(|k| k as f64 / rows as f64).collect();
    let states: Vec<_> = times.iter().map(|t| turn(*t)).collect();
    let motion = SampledMotion::new(&times, &states)?;
    let mut worst = [0.0_f64; 3];
    for k in 0..=10_000 {
        let t = f64::from(k) * 1e-4;
        let (found, wanted) = (motion.at(t), turn(t));
        let all = [
            (found.position, wanted.position),
            (found.velocity, wanted.velocity),
            (found.acceleration, wanted.acceleration),
        ];
        for (worst, (found, wanted)) in worst.iter_mut().zip(all) {
            *worst = worst.max((found[0] - wanted[0]).abs());
        }
    }
    Ok(worst)
}

/// Orders six, five and four; the position within h⁶/46080 of the sixth derivative, which is at most (2π)⁶ here.
#[test]
fn the_orders_are_six_five_four() -> Done {
    let (coarse, fine) = (off(20)?, off(40)?);
    for (k, order) in [6, 5, 4].into_iter().enumerate() {
        let found = (coarse[k] / fine[k]).log2();
        assert!((found - f64::from(order)).abs() < 0.1, "{found} instead of {order}");
    }
    assert!(coarse[0] <= TAU.powi(6) / 20_f64.powi(6) / 46080.0, "{}", coarse[0]);
    Ok(())
}

/// A 3-4-5 polynomial on a line is a polynomial of fifth degree in time: five rows, unevenly spaced, give all of it.
/// Tolerance: rounding of positions near 1 m, divided by the shortest h² = 1e-4 s² for accelerations.
#[test]
fn a_polynomial_of_fifth_degree_comes_back() -> Done {
    let line = Polyline::new(&[Vec3([0.1, 0.2, -0.9]), Vec3([-0.1, 0.1, -0.8])], 0.01)?;
    let motion = Travel::new(line, |length| Profile::polynomial345(length, 0.4))?;
    let times = [0.0, 0.01, 0.1, 0.27, 0.4];
    let states = times.map(|t| motion.at(t));
    let read = SampledMotion::new(&times.map(|t| t + 7.0), &states)?; // whenever it begins
    assert!((read.duration() - 0.4).abs() < 1e-14 && read.breaks().len() == 3);
    for k in 0..=400 {
        let t = f64::from(k) * 1e-3;
        let (a, b) = (motion.at(t), read.at(t));
        for (a, b, tolerance) in
            [(a.position, b.position, 1e-13), (a.velocity, b.velocity, 1e-11), (a.acceleration, b.acceleration, 1e-9)]
        {
            assert!(a.plus(-1.0, &b).length() < tolerance, "at {t}: {a:?} {b:?}");
        }
    }
    for t in [-1.0, 2.0] {
        assert_eq!(read.at(t).velocity, Vec3::zero());
    }
    Ok(())
}

/// A motion as `trajectory` writes it.
fn written(folder: &Path, experiment: &Experiment, every: f64) -> Result<PathBuf, Box<dyn Error>> {
    let mut text = match experiment.motion.at(0.0) {
        Target::Tool(_) => String::from("t,x,y,z,vx,vy,vz,ax,ay,az"),
        Target::Joints(joints) => {
            let names = |stem: &str| -> String { (1..=joints.q.len()).map(|i| format!(",{stem}{i}")).collect() };
            format!("t{}{}{}", names("q"), names("qd"), names("qdd"))
        }
    };
    let duration = experiment.motion.duration();
    for k in 0..=(duration / every - 1e-9).ceil() as usize {
        let t = (k as f64 * every).min(duration);
        let numbers = experiment.motion.at(t).moved().concat();
        let fields: Vec<String> =
            [vec![t], numbers].concat().into_iter().map(dalembert::report::text::number).collect();
        text = format!("{text}\n{}", fields.join(","));
    }
    let path = folder.join("motion.csv");
    std::fs::write(&path, text)?;
    Ok(path)
}

/// The largest tracking errors of the direct run and of that from rows.
fn both(name: &str, path: &str, law: Law, every: f64) -> Result<[f64; 2], Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let order = MotionOrder { path: path.to_owned(), cycles: 2, ..MotionOrder::default() };
    let mut experiment = Experiment::ordered(Robot::find(name)?, &order)?;
    let error = |experiment: &Experiment| -> Result<f64, Box<dyn Error>> {
        let run = experiment.run(&experiment.tuning(law), &mut |_| true)?;
        run.ended?;
        Ok(run.summary.error_max)
    };
    let direct = error(&experiment)?;
    let file = written(folder.path(), &experiment, every)?;
    experiment.follow(&MotionOrder { path: file.display().to_string(), ..MotionOrder::default() })?;
    Ok([direct, error(&experiment)?])
}

/// Where the controller looks only at times of rows, the run is the same but for the last bits of a motion that is found in
/// pieces. A law that looks between them sees the interpolation. On a circle, and on the swing of an arm, that is of fourth
/// order or better in the accelerations, and 4 and 8 ms leave some 1e-14 and 1e-12 m. The pick-and-place cycle's jerk jumps at its blends, of
/// first order: 4 ms cost 1.4 µm. A wrong coefficient would cost the tracking error of an unknown motion, 1e-4 m and more.
#[test]
fn a_robot_follows_a_file_as_the_motion_behind_it() -> Done {
    for (path, tolerance) in [("pick-and-place", 3e-6), ("circle", 1e-12)] {
        let [direct, file] = both("d3-1200", path, Law::ComputedTorque, 1e-3)?;
        assert!((direct - file).abs() < 1e-9 * direct, "{path}: {direct} {file}");
        let [direct, file] = both("d3-1200", path, Law::Feedforward, 4e-3)?;
        assert!((direct - file).abs() < tolerance, "{path}: {direct} {file}");
    }
    let [direct, file] = both("puma560", "swing", Law::ComputedTorque, 1e-3)?;
    assert!((direct - file).abs() < 1e-9 * direct, "{direct} {file}");
    let [direct, file] = both("puma560", "swing", Law::ComputedTorque, 8e-3)?;
    assert!((direct - file).abs() < 1e-11, "{direct} {file}");
    Ok(())
}

/// What is wrong with a file, and where.
#[test]
fn bad_files_are_refused_with_their_place() -> Done {
    let folder = tempfile::tempdir()?;
    let order = MotionOrder { time: Some(Time::Cycle(0.6)), ..MotionOrder::default() };
    let experiment = Experiment::ordered(Robot::find("d3-1200")?, &order)?;
    let good = std::fs::read_to_string(written(folder.path(), &experiment, 0.01)?)?;
    let path = folder.path().join("bad.csv");
    let refused = |text: &str| -> Result<String, Box<dyn Error>> {
        std::fs::write(&path, text)?;
        let order = MotionOrder { path: path.display().to_string(), ..MotionOrder::default() };
        let error = experiment.clone().follow(&order).err().map_or(String::from("it went"), |error| error.to_string());
        Ok(error.replace(&path.display().to_string(), "bad.csv"))
    };
    assert_eq!(refused(&good)?, "it went");
    let lines: Vec<&str> = good.lines().collect();
    // Line 30 with one field changed: 0 is the time, then x,y,z, vx,vy,vz, ax,ay,az.
    let changed = |field: usize, change: &dyn Fn(f64) -> String| -> String {
        let mut fields: Vec<String> = lines[29].split(',').map(str::to_owned).collect();
        fields[field] = change(fields[field].parse().unwrap_or(f64::NAN));
        let mut lines = lines.clone();
        let line = fields.join(",");
        lines[29] = &line;
        lines.join("\n")
    };
    assert!(
        refused(&changed(0, &|t| (t - 0.02).to_string()))?
            .starts_with("bad.csv, line 30, column `t`: the time is 0.26"),
    );
    assert_eq!(refused(&changed(4, &|_| "NaN".into()))?, "bad.csv: line 30, column `vx`: `NaN` is not a finite number");
    assert_eq!(refused(&changed(8, &|_| "fast".into()))?, "bad.csv: line 30, column `ay`: `fast` is not a number");
    let apart = refused(&changed(3, &|z| (z + 0.01).to_string()))?;
    assert!(apart.starts_with("bad.csv, line 30, column `z`: it moves by"), "{apart}");
    let far = refused(&changed(3, &|_| "-3".into()))?;
    assert!(far.starts_with("bad.csv, line 30, columns `x,y,z`: "), "{far}");
    let fast = refused(&changed(4, &|_| "500".into()))?;
    assert!(fast.starts_with("bad.csv, line 30, columns `vx,vy,vz`: speed of joint"), "{fast}");
    assert_eq!(refused(&good.replacen(",ax,", ",bx,", 1))?, "bad.csv: there is no column `ax`");
    let moving = refused(&lines[..30].join("\n"))?;
    assert!(moving.starts_with("bad.csv, line 30, column `vz`: the motion moves at"), "{moving}");
    assert_eq!(refused(&lines[..2].join("\n"))?, "bad.csv: a motion needs two rows or more, here are 1");
    assert!(refused("")?.starts_with("bad.csv: the input is empty"));
    std::fs::write(&path, &good)?;
    let slower = MotionOrder { path: path.display().to_string(), ..order };
    let slower = experiment.clone().follow(&slower).err().map(|error| error.to_string());
    assert_eq!(slower.as_deref(), Some("a time of the cycle does not go with a motion from a file, which has its own"));
    std::fs::remove_file(&path)?;
    let missing =
        experiment.clone().follow(&MotionOrder { path: path.display().to_string(), ..MotionOrder::default() });
    assert!(missing.is_err_and(|error| error.to_string().contains("cannot be read")));
    Ok(())
}

/// An experiment file finds the motion beside it, and says where a key does not go with it.
#[test]
fn an_experiment_file_names_the_motion_beside_it() -> Done {
    let folder = tempfile::tempdir()?;
    let experiment = Experiment::ordered(Robot::find("d3-1200")?, &MotionOrder::default())?;
    written(folder.path(), &experiment, 1e-3)?;
    let text = "kind = \"experiment\"\nrobot = \"d3-1200\"\n[motion]\npath = \"motion.csv\"\n";
    let file: ExperimentFile = ExperimentFile::parse(text, Some(folder.path()))?;
    let (read, planned) = (&file.experiment.motion, &experiment.motion);
    assert!((read.duration() - planned.duration()).abs() < 1e-12);
    assert!((0..3).all(|i| (read.at(0.1).moved()[0][i] - planned.at(0.1).moved()[0][i]).abs() < 1e-9));
    assert!(file.experiment.motion_name.ends_with("motion.csv"));
    let error = ExperimentFile::parse(&format!("{text}cycle = 1\n"), Some(folder.path())).expect_err("two times");
    assert_eq!(error.location.line, 5, "{error}");
    let error = ExperimentFile::parse(&text.replace("motion.csv", "no.csv"), Some(folder.path())).expect_err("no file");
    assert!(error.location.line == 4 && error.problem.starts_with("no.csv: cannot be read"), "{error}");
    Ok(())
}
