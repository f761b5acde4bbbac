//! Motions that are searched for to identify robots.
//!
//! A motion is worth its search if it tells more than what one gets by chance: more than twice the information per parameter
//! of the best of 1,000 random motions of the same kind. It is good for nothing if it breaks something: every limit is looked at
//! in rows as a controller would get them, by differences of what is written, not by what the search believes.

use dalembert::identify::Contents;
use dalembert::identify::excite::{ExciteOptions, excite};
use dalembert::robot::{JointState, JointVector, Pick, Robot, violations};
use dalembert::spatial::Wrench;

#[test]
fn found_motions_tell_twice_as_much_as_random_ones_and_keep_all_limits() {
    for name in ["d3-1200", "puma560"] {
        let robot = Robot::find(name).unwrap();
        let contents = Contents { stribeck: false, ..Contents::default() };
        // The command's own options for the Delta; the PUMA's, which take five times as long, are measured in docs/identification.md.
        let fewer = ExciteOptions { random: 300, steps: 60, ..ExciteOptions::default() };
        let options = if name == "puma560" { fewer } else { ExciteOptions::default() };
        let found = excite(&robot, &contents, &options, &|_| ()).unwrap();
        assert!(found.best_random.gain > 2.0, "{name}: {}", found.best_random.gain);
        assert!(found.condition < 60.0, "{name}: {}", found.condition);
        // What the robot does every day tells less, or leaves something open.
        let usual = found.usual.as_ref().unwrap();
        assert!(usual.told < found.expected.len() || usual.gain > 2.0, "{name}: {}", usual.gain);
        assert!(found.expected.iter().all(|e| e.sigma.is_finite() && e.sigma > 0.0), "{name}");
        let better = found.expected.iter().zip(&found.best_random.sigma).filter(|(e, s)| s.is_none_or(|s| e.sigma < s));
        assert!(better.count() * 2 > found.expected.len(), "{name}: most parameters are told better");
        // As rows of 2 kHz: positions alone, everything else by differences.
        let step = 5e-4;
        let rows = (found.motion.period / step).round() as usize;
        let q: Vec<JointVector> = (0..=rows).map(|k| found.motion.at(k as f64 * step).q).collect();
        let (exact, joints, n) = (robot.model("exact").unwrap(), robot.joints(), robot.joints().len());
        let room = robot.workspace();
        for k in 1..rows {
            let of = |f: &dyn Fn(usize) -> f64| JointVector::from_fn(n, f);
            let qd = of(&|i| (q[k + 1][i] - q[k - 1][i]) / (2.0 * step));
            let qdd = of(&|i| (q[k + 1][i] - 2.0 * q[k][i] + q[k - 1][i]) / (step * step));
            let state =
                robot.at_joints(&JointState { q: q[k].clone(), qd: qd.clone(), qdd }, &Pick::default()).unwrap();
            let tau = exact.torque(&state, Wrench::zero());
            let balls = robot.ball_angles(&state);
            let beyond = violations(&joints, &q[k], balls.as_deref(), Some(&qd), Some(&tau));
            assert!(beyond.is_empty(), "{name} at {}: {}", k as f64 * step, beyond[0]);
            if let Some(room) = &room {
                assert!((state.tool.pose.origin - room.center).norm_squared().sqrt() < room.radius, "{name}: {k}");
            }
        }
        // At rest and without acceleration at both ends; a difference over 0.5 ms is off by jerk times the step.
        for edge in [found.motion.at(0.0), found.motion.at(found.motion.period)] {
            assert!((0..n).all(|i| edge.qd[i].abs() < 1e-12 && edge.qdd[i].abs() < 1e-10), "{name}");
        }
        assert!((0..n).all(|i| (q[rows][i] - q[0][i]).abs() < 1e-12), "{name}: it ends where it starts");
    }
}
