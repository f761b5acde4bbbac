//! Random motions of robots of all families along random paths, by every profile, with random limits of speed, acceleration and
//! jerk of what moves and of the joints: differentiated numerically at 10 µs, every limit holds to 0.1 %, and no profile is
//! faster than the time-optimal one.
//!
//! `DALEMBERT_MOTIONS` is how many motions there are; without it there are a few.

use dalembert::motion::{MotionOrder, ProfileChoice, RobotMotion};
use dalembert::robot::{Pick, Robot, ToolTurns};

/// The velocity of what moves, and those of the joints.
type Row = (Vec<f64>, Vec<f64>);

struct Random(u64);

impl Random {
    /// SplitMix64.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    fn chance(&mut self, part: f64) -> bool {
        self.unit() < part
    }
}

const PROFILES: [ProfileChoice; 7] = [
    ProfileChoice::TimeOptimal(None),
    ProfileChoice::Parabolic,
    ProfileChoice::Trapezoidal(None),
    ProfileChoice::Polynomial345,
    ProfileChoice::Polynomial4567,
    ProfileChoice::SineOnRamp { ratio: 1.0 },
    ProfileChoice::DoubleS(None),
];

/// Largest speed, acceleration and jerk of what moves, and of the joints where those are wanted, by differences of velocities
/// that are 10 µs apart.
fn peaks(robot: &Robot, pick: &Pick, motion: &RobotMotion, joints: bool) -> ([f64; 3], [f64; 3]) {
    const H: f64 = 1e-5;
    let velocity = |t: f64| {
        let target = motion.at(t);
        let moved = target.moved()[1].to_vec();
        let joints = if joints { robot.joint_load(&target, pick).unwrap().joints.qd.to_vec() } else { Vec::new() };
        (moved, joints)
    };
    let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let most = |x: &[f64]| x.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let mut all = ([0.0_f64; 3], [0.0_f64; 3]);
    let mut last: Vec<Row> = Vec::new();
    for k in 0..=(motion.duration() / H) as usize {
        last.push(velocity(k as f64 * H));
        if last.len() > 3 {
            last.remove(0);
        }
        let see = |seen: &mut [f64; 3], of: fn(&Row) -> &Vec<f64>, size: &dyn Fn(&[f64]) -> f64| {
            let rows: Vec<&Vec<f64>> = last.iter().map(of).collect();
            let apart = |f: &dyn Fn(usize) -> f64| size(&(0..rows[0].len()).map(f).collect::<Vec<f64>>());
            let n = rows.len();
            seen[0] = seen[0].max(size(rows[n - 1]));
            if n > 1 {
                seen[1] = seen[1].max(apart(&|i| (rows[n - 1][i] - rows[n - 2][i]) / H));
            }
            if n > 2 {
                seen[2] = seen[2].max(apart(&|i| (rows[2][i] - 2.0 * rows[1][i] + rows[0][i]) / (H * H)));
            }
        };
        see(&mut all.0, |row| &row.0, &norm);
        see(&mut all.1, |row| &row.1, &most);
    }
    all
}

fn point(random: &mut Random, center: [f64; 3], room: f64) -> String {
    let part = |random: &mut Random, size: f64| random.between(-size, size) * room;
    let [x, y, z] = [part(random, 0.5), part(random, 0.5), part(random, 0.25)];
    format!("{},{},{}", center[0] + x, center[1] + y, center[2] + z)
}

/// A path of the tool or of the joints, as it is typed.
fn path(random: &mut Random, robot: &Robot, name: &str) -> String {
    let kind = robot.kind();
    let of_joints = name.contains("serial") || random.chance(0.3);
    let count = if random.chance(0.5) { 2 } else { 4 };
    if of_joints {
        let joints = robot.joints();
        let pose = |random: &mut Random| {
            let each = joints.iter().map(|joint| {
                let [low, high] = joint.limits.range;
                let (middle, half) =
                    if (high - low).is_finite() { (0.5 * (low + high), 0.25 * (high - low)) } else { (0.0, 1.0) };
                (middle + random.between(-1.0, 1.0) * half.min(0.5)).to_string()
            });
            each.collect::<Vec<_>>().join(",")
        };
        let poses: Vec<String> = (0..count).map(|_| pose(random)).collect();
        return format!("joints:{}", poses.join("/"));
    }
    let room = dalembert::motion::Mover::of_tool(robot, None, &Pick::default()).unwrap().room();
    let named = ["pick-and-place", "semi-ellipse", "circle"];
    match random.next() % 3 {
        0 if kind.tool_turns != ToolTurns::Freely => named[(random.next() % 3) as usize].to_owned(),
        _ => {
            let points: Vec<String> = (0..count).map(|_| point(random, room.0.0, 0.6 * room.1)).collect();
            format!("{}:{}", if count == 2 { "line" } else { "polyline" }, points.join("/"))
        }
    }
}

#[test]
fn every_limit_holds_and_nothing_is_faster_than_time_optimal() {
    let wanted: usize = std::env::var("DALEMBERT_MOTIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(21);
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");
    let robots = [
        "d3-1200",
        "asadi",
        "puma560",
        "robots/direct-drive-assumed.toml",
        "golden/robots/mini.toml",
        "golden/robots/serial-b.toml",
        "golden/robots/serial-e.toml",
    ];
    let mut random = Random(12);
    let (mut done, mut slowest, mut refused) = (0, 0.0_f64, 0);
    'cases: for case in 0.. {
        if done >= wanted {
            break;
        }
        let name = robots[case % robots.len()];
        let found = if name.ends_with(".toml") { Robot::find(&format!("{folder}{name}")) } else { Robot::find(name) };
        let robot = found.unwrap();
        let path = path(&mut random, &robot, name);
        let usual = MotionOrder { profile: ProfileChoice::Polynomial345, ..MotionOrder::along(path.clone()) };
        // Without limits of the motor, one second.
        let free = [None, Some(dalembert::motion::Time::Stroke(1.0))]
            .into_iter()
            .find_map(|time| MotionOrder { time, ..usual.clone() }.timed(&robot, &Pick::default(), 1.0).ok());
        let Some(free) = free else {
            refused += 1;
            assert!(refused < wanted, "too many random paths cannot be done");
            continue;
        };
        let (moved, joints) = peaks(&robot, &free.pick, &free.motion, true);
        let mut limit = |peak: f64, power: i32| {
            random.chance(0.5).then(|| peak * random.between(0.4, 1.0).powi(power)).filter(|limit| *limit > 0.0)
        };
        let order = MotionOrder {
            speed: limit(moved[0], 1),
            acceleration: Some(limit(moved[1], 2).unwrap_or(2.0 * moved[1])),
            jerk: limit(moved[2], 3),
            joint_speed: limit(joints[0], 1),
            joint_acceleration: limit(joints[1], 2),
            joint_jerk: limit(joints[2], 3),
            ..usual
        };
        let jerk = order.jerk.is_some() || order.joint_jerk.is_some();
        let mut fastest = f64::INFINITY;
        for profile in PROFILES {
            let order = MotionOrder { profile, ..order.clone() };
            let jumps = matches!(profile, ProfileChoice::Parabolic | ProfileChoice::Trapezoidal(_))
                || (profile == ProfileChoice::DoubleS(None) && order.jerk.is_none());
            let timed = match order.timed(&robot, &Pick::default(), 1.0) {
                Ok(timed) => timed,
                Err(error) if jumps && jerk => {
                    assert!(error.to_string().contains("jumps"), "{name}, {order:?}: {error}");
                    continue;
                }
                Err(error) if profile == ProfileChoice::TimeOptimal(None) => {
                    println!("{name}, {path}: {error}");
                    continue 'cases;
                }
                Err(error) => panic!("{name}, {order:?}: {error}"),
            };
            let of_joints =
                order.joint_speed.is_some() || order.joint_acceleration.is_some() || order.joint_jerk.is_some();
            let (moved, joints) = peaks(&robot, &timed.pick, &timed.motion, of_joints);
            for (what, seen, limit) in [
                ("speed", moved[0], order.speed),
                ("acceleration", moved[1], order.acceleration),
                ("jerk", moved[2], order.jerk),
                ("joint speed", joints[0], order.joint_speed),
                ("joint acceleration", joints[1], order.joint_acceleration),
                ("joint jerk", joints[2], order.joint_jerk),
            ] {
                if let Some(limit) = limit {
                    assert!(seen <= 1.001 * limit, "{name}, {order:?}: {what} {seen} of {limit}");
                }
            }
            let duration = timed.motion.duration();
            if profile == ProfileChoice::TimeOptimal(None) {
                fastest = duration;
            }
            slowest = slowest.max(fastest / duration);
            assert!(fastest <= duration * 1.001, "{name}, {order:?}: {fastest} s against {duration} s");
            done += 1;
        }
    }
    println!("{done} motions, {refused} paths out of reach, time-optimal at most {slowest:.5} of the fastest other");
}

/// The blend of a corner that almost turns back is sharp for half a millisecond of a motion of three seconds: its jerk counts.
#[test]
fn a_narrow_corner_is_not_passed_unseen() {
    let robot = Robot::find(concat!(env!("CARGO_MANIFEST_DIR"), "/../../robots/direct-drive-assumed.toml")).unwrap();
    let points = "-0.0267,-0.0106,-0.4545/0.0637,0.025,-0.424/-0.1124,-0.0086,-0.4787/0.088,0.0061,-0.3978";
    let order = MotionOrder {
        profile: ProfileChoice::TimeOptimal(None),
        speed: Some(0.22),
        jerk: Some(527_654.0),
        ..MotionOrder::along(format!("polyline:{points}"))
    };
    let timed = order.timed(&robot, &Pick::default(), 1.0).unwrap();
    let (moved, _) = peaks(&robot, &timed.pick, &timed.motion, false);
    assert!(moved[0] <= 0.22 * 1.001 && moved[2] <= 527_654.0 * 1.001, "{moved:?}");
}
