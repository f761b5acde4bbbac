//! Cells that run: every formulation tells the same motion, the recording is what the models say, scenes do what their
//! first lines promise, and what ends early keeps what there was.

use dalembert::cell::{
    Cell, CellError, CellRun, CellSettings, Formulation, IntegrationMethod, Scene, StartPose, StartTorque,
};
use dalembert::delta::Branch;
use dalembert::dynamics::State as _;
use dalembert::mechanism::Poles;
use dalembert::robot::Robot;
use dalembert::simulate::SimulationError;
use dalembert::spatial::Wrench;
use dalembert::{Vec3, robots};
use std::error::Error;
use std::path::{Path, PathBuf};

type Tested = Result<(), Box<dyn Error>>;

pub(super) fn column<'a>(outcome: &'a CellRun, name: &str) -> &'a [f64] {
    outcome.recording.column(name).unwrap_or_else(|| panic!("no column {name}"))
}

pub(super) fn last(outcome: &CellRun, name: &str) -> f64 {
    *column(outcome, name).last().expect("a row")
}

fn vector(outcome: &CellRun, names: [&str; 3], row: usize) -> Vec3<f64> {
    Vec3(names.map(|name| column(outcome, name)[row]))
}

fn swing(robot: &str, settings: CellSettings) -> Result<CellRun, Box<dyn Error>> {
    let cell = Cell::of_robot(&Robot::find(robot)?, None, None)?;
    Ok(cell.run(&settings, &mut |_| true)?)
}

/// Five derivations, one motion: as far apart as the tolerance of the integrator lets them be.
#[test]
fn every_formulation_records_the_same_swing() -> Tested {
    let settings = CellSettings { duration: 0.3, every: 0.01, ..CellSettings::default() };
    let explicit = swing("d3-1200", settings)?;
    explicit.ended.clone()?;
    for formulation in Formulation::ALL {
        let outcome = swing("d3-1200", CellSettings { formulation: Some(formulation), ..settings })?;
        outcome.ended.clone()?;
        for name in ["q1", "q2", "q3", "qd1", "qd2", "qd3", "x", "y", "z", "vx", "vy", "vz", "kinetic"] {
            for (a, b) in column(&outcome, name).iter().zip(column(&explicit, name)) {
                assert!((a - b).abs() < 1e-9, "{formulation:?} {name}: {a} {b}");
            }
        }
        assert!(outcome.summary.relative_energy_drift().is_some_and(|drift| drift < 1e-9), "{:?}", outcome.summary);
        assert!(outcome.summary.constraint_drift < 1e-12, "{:?}", outcome.summary);
        let has_forces = outcome.recording.column("tips12.fx").is_some();
        assert_eq!(has_forces, formulation != Formulation::Explicit);
    }
    Ok(())
}

/// The columns belong together: q and q̇ are those of the position and velocity beside them.
#[test]
fn the_recording_is_consistent_with_the_kinematics() -> Tested {
    let robot = robots::asadi()?.delta;
    let outcome = swing("asadi", CellSettings { duration: 0.2, every: 0.05, ..CellSettings::default() })?;
    outcome.ended.clone()?;
    assert_eq!(column(&outcome, "t"), [0.0, 0.05, 0.1, 0.15, 0.2]);
    for row in 0..outcome.recording.rows() {
        let moving = robot.at_position(vector(&outcome, ["x", "y", "z"], row), Branch::Out)?.moving(vector(
            &outcome,
            ["vx", "vy", "vz"],
            row,
        ));
        let off = Vec3(moving.pose.joints()) - vector(&outcome, ["q1", "q2", "q3"], row);
        let rate = Vec3(moving.joint_velocity()) - vector(&outcome, ["qd1", "qd2", "qd3"], row);
        assert!(off.norm_squared().sqrt() < 1e-13 && rate.norm_squared().sqrt() < 1e-13);
        let kinetic = column(&outcome, "kinetic")[row];
        assert!((moving.kinetic_energy() - kinetic).abs() < 1e-15, "{kinetic}");
    }
    Ok(())
}

/// A robot that stands elsewhere, turned, does the same there.
#[test]
fn a_placed_robot_moves_as_at_home() -> Tested {
    let run = |placement: &str| -> Result<CellRun, Box<dyn Error>> {
        let text = format!(
            "kind = \"scene\"\nname = \"placed\"\n[run]\nduration = 0.2\nevery = 0.1\n[[robot]]\nrobot = \"d3-1200\"\n{placement}\n\
             start = {{ position = [0.1, 0.05, -1.0], velocity = [0.2, -0.1, 0] }}\n\
             [[push]]\nplace = \"d3-1200\"\nforce = [0, 0, 3]\n"
        );
        let scene = Scene::parse(&text, None)?;
        Ok(scene.cell.run(&scene.settings, &mut |_| true)?)
    };
    let (home, placed) = (run("")?, run("position = [1.0, -2.0, 3.0]\nrotation = \"40 deg\"")?);
    let (sin, cos) = 40_f64.to_radians().sin_cos();
    for row in 0..home.recording.rows() {
        let [x, y, z] = vector(&home, ["x", "y", "z"], row).0;
        let expected = Vec3::new(1.0 + cos * x - sin * y, -2.0 + sin * x + cos * y, 3.0 + z);
        let off = vector(&placed, ["x", "y", "z"], row) - expected;
        assert!(off.norm_squared().sqrt() < 1e-11, "{off:?}");
        for name in ["q1", "qd2", "tau3"] {
            assert!((column(&home, name)[row] - column(&placed, name)[row]).abs() < 1e-10, "{name}");
        }
    }
    Ok(())
}

#[test]
fn a_serial_arm_swings_and_keeps_its_energy() -> Tested {
    let outcome = swing("puma560", CellSettings { duration: 1.0, every: 0.1, ..CellSettings::default() })?;
    outcome.ended.clone()?;
    assert!(outcome.summary.kinetic_range > 1.0);
    assert!(outcome.summary.relative_energy_drift().is_some_and(|drift| drift < 1e-11), "{:?}", outcome.summary);
    // Held, it stays.
    let puma = Robot::find("puma560")?;
    let start = StartPose::Joints(vec![0.3; 6], vec![0.0; 6]);
    let held = Cell::of_robot(&puma, Some(&start), Some(&StartTorque::Hold))?;
    let outcome = held.run(&CellSettings { duration: 0.1, every: 0.1, ..CellSettings::default() }, &mut |_| true)?;
    assert!((last(&outcome, "q2") - 0.3).abs() < 1e-12);
    Ok(())
}

pub(super) fn scenes() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes")
}

pub(super) fn scene(name: &str) -> Result<CellRun, Box<dyn Error>> {
    let scene = Scene::load(scenes().join(format!("{name}.toml")))?;
    assert_eq!(scene.cell.name, name);
    let outcome = scene.cell.run(&scene.settings, &mut |_| true)?;
    outcome.ended.clone()?;
    let summary = &outcome.summary;
    println!("{name}: energy {:?}, constraints {:.1e}", summary.relative_energy_drift(), summary.constraint_drift);
    // Everything that takes or gives energy is counted, so it is conserved to the tolerance of the scene.
    assert!(summary.exchanges.is_empty());
    assert!(summary.relative_energy_drift().is_some_and(|drift| drift < 1e-6), "{summary:?}");
    assert!(summary.constraint_drift < 1e-12, "{summary:?}");
    Ok(outcome)
}

/// The tests below run every file; a new one needs a test of its own.
#[test]
fn every_scene_has_its_test() -> Tested {
    let mut names: Vec<String> = std::fs::read_dir(scenes())?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<Result<_, std::io::Error>>()?;
    names.sort();
    let tested = [
        "bar-across-a-rail.toml",
        "brick-stack.toml",
        "delta-presses-a-wall.toml",
        "drop.toml",
        "five-bar.toml",
        "hexapod-presses-a-wall.toml",
        "overhanging-stack.toml",
        "peg-in-a-slot.toml",
        "pick-and-place.toml",
        "plate-on-a-post.toml",
        "puma-slides-on-a-table.toml",
        "slider-crank.toml",
        "two-deltas-carry-a-bar.toml",
    ];
    assert_eq!(names, tested);
    Ok(())
}

/// The grips are where the ends of the bar are, and by symmetry both carry half.
#[test]
fn two_deltas_carry_a_bar() -> Tested {
    let outcome = scene("two-deltas-carry-a-bar")?;
    for row in (0..outcome.recording.rows()).step_by(100) {
        let left = vector(&outcome, ["left.x", "left.y", "left.z"], row);
        let right = vector(&outcome, ["right.x", "right.y", "right.z"], row);
        let bar = vector(&outcome, ["bar.x", "bar.y", "bar.z"], row);
        let middle = (left + right) * 0.5 - bar;
        assert!(middle.norm_squared().sqrt() < 1e-12);
        assert!(((left - right).norm_squared().sqrt() - 0.9).abs() < 1e-12);
        let (a, b) = (column(&outcome, "left grip.fz")[row], column(&outcome, "right grip.fz")[row]);
        assert!((a - b).abs() < 1e-6 && a < -5.0, "{a} {b}");
    }
    Ok(())
}

/// The upper brick comes to rest on the lower one, and the table carries both.
#[test]
fn a_brick_comes_to_rest_on_another() -> Tested {
    let outcome = scene("brick-stack")?;
    let weight = 0.0025 * 9.81;
    assert!((last(&outcome, "upper.z") - 0.0144).abs() < 1e-5);
    assert!((last(&outcome, "upper on lower.fn") - weight).abs() < 1e-4 * weight);
    assert!((last(&outcome, "lower on table.fn") - 2.0 * weight).abs() < 1e-4 * weight);
    assert_eq!(last(&outcome, "upper on table.fn"), 0.0);
    Ok(())
}

/// What the motors push beyond holding, the wall takes: 20 N, less what the moved pose makes of the torques.
#[test]
fn a_delta_presses_a_wall() -> Tested {
    let outcome = scene("delta-presses-a-wall")?;
    assert!((last(&outcome, "press.fn") - 20.0).abs() < 0.2, "{}", last(&outcome, "press.fn"));
    assert!((last(&outcome, "x") - 0.15).abs() < 5e-4);
    Ok(())
}

/// Free fall after the release, and a bounce that has the restitution of the contact.
#[test]
fn a_dropped_ball_bounces() -> Tested {
    let outcome = scene("drop")?;
    let (t, vz, force) = (column(&outcome, "t"), column(&outcome, "ball.vz"), column(&outcome, "gripper.fz"));
    let released = t.iter().position(|&t| t >= 0.1).ok_or("no release")?;
    assert!(force[released - 1].abs() > 1.9 && force[released..].iter().all(|&f| f == 0.0));
    let bounce = vz.iter().position(|&v| v > 0.1).ok_or("no bounce")?;
    let speed = (2.0 * 9.81 * (1.3 - 0.03 - 1.04_f64)).sqrt();
    // At most a row, 1 ms, of gravity lies between the bounce and the row after it.
    assert!((vz[bounce] - 0.7 * speed).abs() < 0.011, "{} {}", vz[bounce], 0.7 * speed);
    Ok(())
}

#[test]
fn a_brick_is_picked_and_placed() -> Tested {
    let outcome = scene("pick-and-place")?;
    let (t, force) = (column(&outcome, "t"), column(&outcome, "suction.fz"));
    for (t, force) in t.iter().zip(force) {
        let held = (0.351..1.349).contains(t);
        assert!(held || *t > 0.349 && *t < 1.351 || *force == 0.0, "{t} {force}");
    }
    let place = vector(&outcome, ["brick.x", "brick.y", "brick.z"], outcome.recording.rows() - 1);
    assert!((place - Vec3::new(-0.12, 0.0, -0.97)).norm_squared().sqrt() < 1e-4, "{place:?}");
    assert!((last(&outcome, "brick on other.fn") - 0.06 * 9.81).abs() < 1e-3);
    Ok(())
}

/// The tool stays on the table; the table bears what the motors press, and inertia.
#[test]
fn a_puma_slides_on_a_table() -> Tested {
    let outcome = scene("puma-slides-on-a-table")?;
    let (x, y) = (column(&outcome, "x"), column(&outcome, "y"));
    let way = (last(&outcome, "x") - x[0]).hypot(last(&outcome, "y") - y[0]);
    assert!(way > 0.4, "{way}");
    assert!(column(&outcome, "z").iter().all(|z| z.abs() < 1e-12));
    // The table's force is the one that keeps the tool from accelerating through it, by the articulated bodies.
    let arm = robots::puma560()?.arm.arm::<6>().ok_or("six joints")?;
    for row in (0..outcome.recording.rows()).step_by(100) {
        let six = |stem: &str| std::array::from_fn::<f64, 6, _>(|i| column(&outcome, &format!("{stem}{}", i + 1))[row]);
        let normal = column(&outcome, "table.fn")[row];
        let moving = arm.at_joints(six("q"))?.moving(six("qd"));
        let wrench = Wrench { force: Vec3::new(0.0, 0.0, normal), moment: Vec3::zero() };
        let reaction = moving.pose.torque_of_wrench(wrench);
        let torque = six("tau");
        let qdd = moving.acceleration(std::array::from_fn(|i| torque[i] + reaction[i]));
        let through = moving.tool_acceleration(qdd).linear[2];
        // Accelerations of some 10 m/s² cancel; light wrist joints make the rounding a hundred times larger.
        assert!(normal > 25.0 && through.abs() < 1e-11, "{normal} {through}");
    }
    // In the report the arm has a track for each of its six links and one for the tool.
    assert_eq!(outcome.drawing.tracks.len(), 7);
    let tool = &outcome.drawing.tracks[6].position;
    assert_eq!(tool.last().map(|point| point[0]), Some(last(&outcome, "x")));
    Ok(())
}

fn arm_scene(more: &str) -> Result<CellRun, Box<dyn Error>> {
    let text = format!(
        "kind = \"scene\"\nname = \"arm\"\ngravity = [0, 0, -3]\n[run]\nduration = 0.2\nevery = 0.1\n[[robot]]\n\
         name = \"arm\"\nrobot = \"puma560\"\nposition = [0.3, -0.2, 0.535]\nrotation = \"40 deg\"\n\
         start = {{ joints = [0, 0.4, 2.2, 0, 0.54, 0] }}\n{more}"
    );
    let scene = Scene::parse(&text, None)?;
    let outcome = scene.cell.run(&scene.settings, &mut |_| true)?;
    outcome.ended.clone()?;
    Ok(outcome)
}

/// Articulated bodies alone, and a part of a mechanism beside a body that does not matter: one motion, in one place.
#[test]
fn a_serial_arm_moves_alike_alone_and_in_company() -> Tested {
    let alone = arm_scene("")?;
    let other = "[[body]]\nname = \"far\"\nshape = \"point\"\nmass = 1\nposition = [9, 0, 0]\n";
    let together = arm_scene(other)?;
    for name in ["q2", "q5", "qd3", "x", "y", "z", "vx", "vy", "vz"] {
        for (a, b) in column(&alone, name).iter().zip(column(&together, &format!("arm.{name}"))) {
            // Both at the tightest tolerance, 1e-13 for each of about thirty steps.
            assert!((a - b).abs() < 1e-11, "{name}: {a} {b}");
        }
    }
    for (a, b) in alone.drawing.tracks.iter().zip(&together.drawing.tracks) {
        assert!((Vec3(a.position[2]) - Vec3(b.position[2])).norm_squared().sqrt() < 1e-11);
    }
    // The file's gravity does not count: 3 m/s² on what hangs there, not 9.81.
    let puma = Robot::find("puma560")?;
    let start = StartPose::Joints(vec![0.0, 0.4, 2.2, 0.0, 0.54, 0.0], vec![0.0; 6]);
    let heavy = Cell::of_robot(&puma, Some(&start), Some(&StartTorque::Zero))?;
    let heavy = heavy.run(&CellSettings { duration: 0.2, every: 0.1, ..CellSettings::default() }, &mut |_| true)?;
    assert!(last(&heavy, "kinetic") > 5.0 * last(&alone, "kinetic"));
    Ok(())
}

/// The tool comes down on a table: force balance in the end, all energy counted on the way.
#[test]
fn a_serial_arm_touches() -> Tested {
    let outcome = arm_scene(
        "torque = \"hold\"\npush = [0, 0, -10]\n[[surface]]\nname = \"table\"\nshape = \"plane\"\n\
         [[contact]]\nof = \"arm\"\non = \"table\"\nrestitution = 0.1\nfriction = 0.4\n",
    )?;
    assert!(column(&outcome, "arm on table.fn")[0] == 0.0);
    assert!(outcome.summary.exchanges.is_empty() && last(&outcome, "dissipated") > 0.0);
    assert!(outcome.summary.relative_energy_drift().is_some_and(|drift| drift < 1e-9), "{:?}", outcome.summary);
    Ok(())
}

/// A leaning hexapod with a gripped block comes to rest against a wall: force balance there and in the grip, all energy counted.
#[test]
fn a_hexapod_grips_and_touches() -> Tested {
    let outcome = scene("hexapod-presses-a-wall")?;
    assert!(column(&outcome, "press.fn")[0] == 0.0);
    // 3 kN but for what the push turns and the block still moves.
    assert!((last(&outcome, "press.fn") / 3000.0 - 1.0).abs() < 0.03, "{}", last(&outcome, "press.fn"));
    assert!((last(&outcome, "grip.fz") / -981.0 - 1.0).abs() < 0.001, "{}", last(&outcome, "grip.fz"));
    assert!(outcome.summary.relative_energy_drift().is_some_and(|drift| drift < 1e-8), "{:?}", outcome.summary);
    Ok(())
}

/// A parallel robot alone, by its own dynamics and as a part whose rods are constraints, on a base of its own.
#[test]
fn parallel_robots_move_alike_alone_and_as_parts() -> Tested {
    for (robot, start) in [
        ("linear-delta", "position = [0.02, 0.01, 0.15], velocity = [0.1, 0, 0]"),
        ("hexa", "position = [0.02, 0.01, -0.5], rpy = [0.1, 0, 0.05], angular_velocity = [0, 0.3, 0]"),
        ("stewart", "position = [0.02, 0.01, 2.1], rpy = [0.1, 0, 0.05], velocity = [0.1, 0, 0]"),
    ] {
        let run = |formulation: &str| -> Result<CellRun, Box<dyn Error>> {
            let text = format!(
                "kind = \"scene\"\nname = \"placed\"\n[run]\nduration = 0.04\nevery = 0.02\nformulation = \"{formulation}\"\n\
                 [[robot]]\nrobot = \"{robot}\"\nposition = [1.0, -2.0, 3.0]\nrotation = \"40 deg\"\nstart = {{ {start} }}\n"
            );
            let scene = Scene::parse(&text, None)?;
            Ok(scene.cell.run(&scene.settings, &mut |_| true)?)
        };
        let (explicit, projected) = (run("explicit")?, run("projected")?);
        for name in ["x", "y", "z", "vx", "q1", "qd3"] {
            let [a, b] = [&explicit, &projected].map(|outcome| last(outcome, name));
            assert!((a - b).abs() < 1e-10, "{robot}, {name}: {a} {b}");
        }
        for (a, b) in explicit.drawing.tracks.iter().zip(&projected.drawing.tracks) {
            assert!((Vec3(a.position[1]) - Vec3(b.position[1])).norm_squared().sqrt() < 1e-10, "{robot}");
        }
    }
    Ok(())
}

/// A robot that stands elsewhere is recorded and drawn there, in every formulation.
#[test]
fn the_closed_form_records_where_the_robot_stands() -> Tested {
    let run = |formulation: &str| -> Result<CellRun, Box<dyn Error>> {
        let text = format!(
            "kind = \"scene\"\nname = \"placed\"\n[run]\nduration = 0.1\nevery = 0.1\nformulation = \"{formulation}\"\n\
             [[robot]]\nrobot = \"d3-1200\"\nposition = [1.0, -2.0, 3.0]\nrotation = \"40 deg\"\n\
             start = {{ position = [0.1, 0.05, -1.0], velocity = [0.2, -0.1, 0] }}\n"
        );
        let scene = Scene::parse(&text, None)?;
        Ok(scene.cell.run(&scene.settings, &mut |_| true)?)
    };
    let (explicit, projected) = (run("explicit")?, run("projected")?);
    for name in ["x", "y", "z", "vx", "q1"] {
        assert!((last(&explicit, name) - last(&projected, name)).abs() < 1e-11, "{name}");
    }
    for (a, b) in explicit.drawing.tracks.iter().zip(&projected.drawing.tracks) {
        assert!((Vec3(a.position[1]) - Vec3(b.position[1])).norm_squared().sqrt() < 1e-11);
    }
    Ok(())
}

/// Every integrator tells the swing of the tightest one, as well as its order and step, or tolerance, let it.
#[test]
fn every_integrator_records_the_same_swing() -> Tested {
    let settings = CellSettings { duration: 0.3, every: 0.05, ..CellSettings::default() };
    let exact = swing("d3-1200", settings)?;
    for method in IntegrationMethod::ALL {
        let outcome = swing("d3-1200", CellSettings { method, ..settings })?;
        outcome.ended.clone()?;
        // Second order at 1 ms: ω²h²/12 of the motion with ω of some 10/s; radau: its tolerance, 1e-8, and some.
        let allowed = match method {
            IntegrationMethod::Midpoint(_) | IntegrationMethod::Rattle(_) => 3e-6,
            _ => 1e-7,
        };
        for name in ["q1", "x", "z"] {
            let off = (last(&outcome, name) - last(&exact, name)).abs();
            assert!(off < allowed, "{method:?} {name}: {off:.1e}");
        }
        assert_eq!(outcome.summary.rejected.is_some(), method.is_adaptive());
        let hamiltonian = matches!(method, IntegrationMethod::Rattle(_));
        assert_eq!(outcome.summary.formulation == Formulation::Hamiltonian, hamiltonian);
        assert!(outcome.summary.constraint_drift < 1e-12);
    }
    Ok(())
}

/// Radau's steps follow the motion, not the fast poles.
#[test]
fn radau_runs_fast_poles() -> Tested {
    let settings = CellSettings {
        formulation: Some(Formulation::Baumgarte),
        poles: Poles::real(-1e4, -1e4)?,
        duration: 0.2,
        every: 0.2,
        method: IntegrationMethod::Radau(1e-8),
        ..CellSettings::default()
    };
    let stiff = swing("d3-1200", settings)?;
    stiff.ended.clone()?;
    let explicit = swing("d3-1200", CellSettings { method: IntegrationMethod::DormandPrince(1e-8), ..settings })?;
    assert!(stiff.summary.steps * 10 < explicit.summary.steps, "{:?} {:?}", stiff.summary, explicit.summary);
    Ok(())
}

#[test]
fn rattle_is_refused_where_it_does_not_apply() -> Tested {
    let refused = |cell: &Cell, formulation| {
        let settings = CellSettings { formulation, method: IntegrationMethod::Rattle(1e-3), ..CellSettings::default() };
        match cell.run(&settings, &mut |_| true) {
            Err(CellError::NotForRattle { why }) => why,
            other => format!("{other:?}"),
        }
    };
    let delta = Cell::of_robot(&Robot::find("d3-1200")?, None, None)?;
    for formulation in Formulation::ALL.into_iter().filter(|&f| f != Formulation::Hamiltonian) {
        assert!(refused(&delta, Some(formulation)).contains("hamiltonian"));
    }
    for (name, why) in [
        ("two-deltas-carry-a-bar", "`bar` has a quaternion"),
        ("drop", "contacts"),
        ("slider-crank", "a prescribed motion"),
    ] {
        let cell = Scene::load(scenes().join(format!("{name}.toml")))?.cell;
        assert!(refused(&cell, None).contains(why), "{}", refused(&cell, None));
    }
    Ok(())
}

/// Where steps end at the rows, rounding may leave a remainder that is too small for a step: it is part of the last one.
#[test]
fn rows_that_steps_end_at_are_reached() -> Tested {
    let settings = CellSettings { formulation: Some(Formulation::Minimal), duration: 0.5, ..CellSettings::default() };
    for robot in ["puma560", "d3-1200"] {
        swing(robot, settings)?.ended?;
    }
    Ok(())
}

/// Rods keep their lengths: pins are where both bodies say.
#[test]
fn planar_loops_stay_closed() -> Tested {
    let outcome = scene("slider-crank")?;
    assert!(outcome.summary.was_repaired());
    let crank = |row: usize| column(&outcome, "crank.angle")[row];
    for row in (0..outcome.recording.rows()).step_by(97) {
        let (sin, cos) = crank(row).sin_cos();
        let along = (0.3_f64 * 0.3 - 0.01 * sin * sin).sqrt();
        assert!((column(&outcome, "slider.x")[row] - (0.1 * cos + along)).abs() < 1e-12);
    }
    scene("five-bar").map(drop)
}

#[test]
fn what_ends_early_keeps_what_there_was() -> Tested {
    let robot = Robot::find("d3-1200")?;
    let falling = Cell::of_robot(&robot, None, Some(&StartTorque::Zero))?;
    // At the tightest tolerance rounding keeps the steps from getting to the edge: that must not take forever.
    for method in
        [IntegrationMethod::DormandPrince(1e-13), IntegrationMethod::DormandPrince(1e-9), IntegrationMethod::Rk4(1e-3)]
    {
        let outcome = falling.run(&CellSettings { method, ..CellSettings::default() }, &mut |_| true)?;
        let Err(SimulationError::StateError { time, .. }) = outcome.ended else {
            return Err(format!("{method:?}: {:?}", outcome.ended).into());
        };
        assert!((0.2..0.3).contains(&time));
        assert!((outcome.summary.reached - time).abs() < 2e-3 && outcome.recording.rows() > 240);
    }
    let swinging = Cell::of_robot(&robot, None, None)?;
    let outcome = swinging.run(&CellSettings::default(), &mut |time| time < 0.5)?;
    assert!(matches!(outcome.ended, Err(SimulationError::Interrupted { .. })));
    assert!(outcome.recording.rows() > 490 && outcome.recording.rows() < 502);
    Ok(())
}

#[test]
fn what_cannot_begin_is_refused() -> Tested {
    let robot = Robot::find("d3-1200")?;
    let cell = Cell::of_robot(&robot, None, None)?;
    let refused = |settings: CellSettings| cell.run(&settings, &mut |_| true).err();
    for duration in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let settings = CellSettings { duration, ..CellSettings::default() };
        assert!(matches!(refused(settings), Some(CellError::BadTime { .. })), "{duration}");
    }
    let endless = CellSettings { duration: 1e6, every: 1e-3, ..CellSettings::default() };
    assert!(matches!(refused(endless), Some(CellError::TooLong { .. })));
    let two = Scene::load(scenes().join("two-deltas-carry-a-bar.toml"))?;
    let run = |formulation| {
        let settings = CellSettings { formulation: Some(formulation), ..two.settings };
        two.cell.run(&settings, &mut |_| true).err()
    };
    assert_eq!(run(Formulation::Explicit), Some(CellError::NotExplicit));
    assert!(matches!(run(Formulation::Minimal), Some(CellError::Simulation(SimulationError::NotPlain { .. }))));
    // The same grip twice is named.
    let mut twice = two.cell.clone();
    let mut again = twice.ties[0].clone();
    again.name = String::from("again");
    twice.ties.push(again);
    let error = twice.run(&two.settings, &mut |_| true).err().map(|error| error.to_string()).unwrap_or_default();
    assert!(error.contains("`again`") && error.contains("redundant"), "{error}");
    Ok(())
}
