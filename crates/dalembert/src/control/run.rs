//! The run of an experiment, and what is noted while its loop runs, whatever the robot.

use super::experiment::{Experiment, all_true};
use super::outcome::{ControlRun, ControlSummary, NEAR, Squeeze};
use super::rest::{HeldJoint, Hold, RestVerdict};
use super::{Columns, ControlError, LoopScratch, Sample, SampledLoop, Tuning};
use crate::report::drawing::Drawing;
use crate::report::recording::Recording;
use crate::robot::{JointKind, JointState, JointUnits, JointVector, Robot, State, TURN_COLUMNS, ToolState, turn_row};
use crate::spatial::Frame;
use crate::{Mat3, Vec3};
use std::time::Duration;

/// More samples than this are not recorded.
const MOST_SAMPLES: f64 = 2e6;

/// Fewer samples than this do not show what a motion does.
const LEAST_SAMPLES: f64 = 20.0;

impl Experiment {
    /// Runs it under one law over the motion and the hold, and sums it up. `go_on` gets the time and may end the run.
    pub fn run(&self, tuning: &Tuning, go_on: &mut dyn FnMut(f64) -> bool) -> Result<ControlRun, ControlError> {
        self.check()?;
        let room = LoopScratch::default();
        let mut closed = self.closed_loop(tuning, &room)?;
        let moving = self.motion.duration() / self.sampling.period;
        let samples = ((self.motion.duration() + self.hold) / self.sampling.period).round();
        let (enough, few) = (moving >= LEAST_SAMPLES, (1.0..=MOST_SAMPLES).contains(&samples));
        all_true([
            ("number of samples during the motion", moving, enough, "at least 20: what is between is not seen"),
            ("number of samples", samples, few, "1 to 2,000,000"),
        ])?;
        let mut collector = Collector::new(self, tuning, &*closed);
        let begun = std::time::Instant::now();
        let mut ended = Ok(());
        for _ in 0..=samples as u64 {
            let time = closed.time();
            if !go_on(time) {
                ended = Err(ControlError::Interrupted { time });
                break;
            }
            closed.push(self.force(time));
            match closed.step() {
                Ok(sample) => collector.add(&sample, closed.values()),
                Err(error) => {
                    ended = Err(error);
                    break;
                }
            }
        }
        Ok(collector.finish(ended, begun.elapsed()))
    }

    /// What the environment pushes with from a sample to the next, the mean: a short push keeps its impulse.
    fn force(&self, time: f64) -> Vec3<f64> {
        let period = self.sampling.period;
        self.pushes.iter().fold(Vec3::zero(), |sum, push| {
            let overlap = (push.start + push.duration).min(time + period) - push.start.max(time);
            sum + push.force * (overlap.max(0.0) / period)
        })
    }
}

/// Sums up while the loop runs.
struct Collector<'e> {
    experiment: &'e Experiment,
    tuning: Tuning,
    drawing: Drawing,
    recording: Recording,
    row: Vec<f64>,
    summary: ControlSummary,
    seen: usize,
    moving: usize,
    errors: f64,
    torques: Vec<f64>,
    power: f64,
    /// Samples in which a limit cut a torque: of all, and of the hold.
    cuts: [usize; 2],
}

/// Names, units and meanings.
fn columns(robot: &Robot, more: Columns) -> Columns {
    let moved = robot.kind().moved;
    let kinds: Vec<JointKind> = robot.joints().iter().map(|joint| joint.kind).collect();
    let axes = |before: &str, after: &str, unit, meaning: &str| -> Columns {
        ["x", "y", "z"].map(|axis| (format!("{before}{axis}{after}"), unit, format!("{meaning}, {axis}"))).into()
    };
    let joints = |name: &str, unit: fn(JointUnits) -> &'static str, meaning: [&str; 2]| -> Columns {
        let column = |(i, kind): (usize, &JointKind)| {
            let meaning = meaning[usize::from(*kind == JointKind::Prismatic)];
            (format!("{name}{}", i + 1), unit(kind.units()), format!("{meaning} {}", i + 1))
        };
        kinds.iter().enumerate().map(column).collect()
    };
    let first = vec![
        (String::from("t"), "s", String::from("time")),
        (String::from("error"), "m", format!("tracking error of the {moved}")),
    ];
    let turned: Columns = match robot.turns_by_legs() {
        true => TURN_COLUMNS.map(|(name, unit, meaning)| (name.to_owned(), unit, format!("{moved}, {meaning}"))).into(),
        false => Columns::new(),
    };
    [
        first,
        axes("error_", "", "m", &format!("{moved} minus reference")),
        joints("error_q", |of| of.position, ["joint angle minus reference", "joint position minus reference"]),
        axes("", "", "m", moved),
        axes("", "_reference", "m", "reference"),
        axes("v", "", "m/s", &format!("{moved} velocity")),
        turned,
        joints("q", |of| of.position, ["joint angle", "joint position"]),
        joints("qd", |of| of.speed, ["joint velocity"; 2]),
        joints("tau", |of| of.torque, ["motor torque", "motor force"]),
        joints("asked", |of| of.torque, ["torque that the law asks for", "force that the law asks for"]),
        joints("power", |_| "W", ["mechanical power of motor"; 2]),
        more,
    ]
    .concat()
}

impl<'e> Collector<'e> {
    pub fn new(experiment: &'e Experiment, tuning: &Tuning, closed: &dyn SampledLoop) -> Self {
        let robot = &experiment.robot;
        let joints = robot.joints();
        let count = joints.len();
        Self {
            experiment,
            tuning: tuning.clone(),
            drawing: Drawing { down: robot.gravity().0, ..robot.drawing(&Frame::identity()) },
            // The names above are distinct; a test runs this.
            recording: Recording::new(columns(&experiment.robot, closed.columns())).unwrap_or_default(),
            row: Vec::new(),
            summary: ControlSummary {
                duration: experiment.motion.duration(),
                cycle_time: experiment.motion.duration() / experiment.cycles.max(1) as f64,
                joint_error_peak: vec![0.0; count],
                torque_peak: vec![0.0; count],
                motor_power_peak: vec![0.0; count],
                speed_peak: vec![0.0; count],
                range_margin: f64::INFINITY,
                substeps: closed.substeps(),
                squeeze: closed.squeeze().map(|reference| Squeeze { reference, error_max: 0.0, error_rms: 0.0 }),
                joints,
                ..ControlSummary::default()
            },
            seen: 0,
            moving: 0,
            errors: 0.0,
            torques: vec![0.0; count],
            power: 0.0,
            cuts: [0; 2],
        }
    }

    pub fn add(&mut self, sample: &Sample, more: &[f64]) {
        let Sample { time, q, qd, point, reference, reference_point, torque, asked, cut } = sample;
        let (time, count) = (*time, q.len());
        let error = sample.error();
        let distance = error.norm_squared().sqrt();
        let powers = JointVector::from_fn(count, |i| torque[i] * qd[i]);
        let power: f64 = powers.iter().sum();
        let s = &mut self.summary;
        if distance > s.error_max {
            (s.error_max, s.error_max_at) = (distance, time);
        }
        (s.error_end, s.reached) = (distance, time);
        let e_q = JointVector::from_fn(count, |i| q[i] - reference[i]);
        for i in 0..count {
            s.joint_error_peak[i] = s.joint_error_peak[i].max(e_q[i].abs());
            s.torque_peak[i] = s.torque_peak[i].max(torque[i].abs());
            s.motor_power_peak[i] = s.motor_power_peak[i].max(powers[i]);
            s.speed_peak[i] = s.speed_peak[i].max(qd[i].abs());
            if s.joints[i].kind == JointKind::Revolute {
                let [low, high] = s.joints[i].limits.range;
                s.range_margin = s.range_margin.min(q[i] - low).min(high - q[i]);
            }
        }
        s.power_peak = s.power_peak.max(power);
        s.acceleration_peak = s.acceleration_peak.max(reference_point[2].norm_squared().sqrt());
        self.seen += 1;
        self.cuts[0] += usize::from(*cut);
        self.cuts[1] += usize::from(*cut && time > self.summary.duration);
        if time < self.summary.duration {
            self.moving += 1;
            self.errors += distance * distance;
            self.power += power.max(0.0);
            for i in 0..count {
                self.torques[i] += torque[i] * torque[i];
            }
        }
        // Legs that turn a platform say how; where none can be said the numbers are none.
        let Experiment { robot, pick, .. } = self.experiment;
        let zero = JointVector::zero(count);
        let moving = robot.turns_by_legs().then(|| {
            let joints = JointState { q: q.clone(), qd: qd.clone(), qdd: zero };
            robot.at_joints(&joints, pick).ok().map(|state| state.tool)
        });
        let turned =
            moving.as_ref().map(|tool| tool.as_ref().map_or([f64::NAN; 6], |tool| turn_row(Mat3::diagonal(1.0), tool)));
        let parts: [&[f64]; 13] = [
            &[time, distance],
            &error.0,
            &e_q,
            &point[0].0,
            &reference_point[0].0,
            &point[1].0,
            turned.as_ref().map_or(&[], |turned| turned),
            q,
            qd,
            torque,
            asked,
            &powers,
            more,
        ];
        // A row has as many numbers as there are columns: it is never refused.
        self.row.clear();
        parts.iter().for_each(|part| self.row.extend_from_slice(part));
        let _ = self.recording.push(&self.row);
        // What is needed of a state to draw it, at rest and unchecked.
        let tool = moving.flatten().unwrap_or_else(|| ToolState::translating(point[0], Vec3::zero(), Vec3::zero()));
        let drawn = State::new(robot.kind().form, pick.clone(), JointState::at_rest(q.clone()), tool);
        robot.draw(&drawn, &Frame::identity(), &mut self.drawing.tracks);
    }

    pub fn finish(mut self, ended: Result<(), ControlError>, took: Duration) -> ControlRun {
        let s = &mut self.summary;
        let moving = self.moving.max(1) as f64;
        s.error_rms = (self.errors / moving).sqrt();
        s.torque_rms = self.torques.iter().map(|sum| (sum / moving).sqrt()).collect();
        s.power_mean = self.power / moving;
        s.cut = self.cuts[0] as f64 / self.seen.max(1) as f64;
        s.real_time_factor = s.reached / took.as_secs_f64().max(1e-9);
        if let Some(squeeze) = &mut s.squeeze {
            let off = self.recording.column("squeeze_error").unwrap_or(&[]);
            squeeze.error_max = off.iter().copied().fold(0.0, f64::max);
            squeeze.error_rms = (off.iter().map(|x| x * x).sum::<f64>() / off.len().max(1) as f64).sqrt();
        }
        self.summary.verdict = match ended {
            Ok(()) => self.hold().verdict(&self.experiment.encoder),
            Err(ControlError::Interrupted { .. }) => RestVerdict::Unknown,
            Err(_) => RestVerdict::Lost,
        };
        if ended.is_ok() {
            (self.summary.overshoot, self.summary.settling) = self.arrival().unwrap_or_default();
        }
        let Self { tuning, summary, recording, drawing, .. } = self;
        ControlRun { tuning, summary, recording, drawing, ended }
    }

    /// Overshoot, about the place where it ends, and settling time, about the target.
    fn arrival(&self) -> Option<(Option<f64>, Option<f64>)> {
        let [x, y, z] = ["error_x", "error_y", "error_z"].map(|name| self.recording.column(name));
        let (axes, times) = ([x?, y?, z?], self.recording.column("t")?);
        let end = times.len().checked_sub(1)?;
        let off = |k: usize| Vec3::from_fn(|i| axes[i][k] - axes[i][end]).norm_squared().sqrt();
        let start = times.partition_point(|time| *time < self.summary.duration);
        let far = |k: &usize| Vec3::from_fn(|i| axes[i][*k]).norm_squared().sqrt() > NEAR;
        let settling = match (start..=end).rev().find(far) {
            Some(last) if last == end => None,
            last => Some(last.map_or(0.0, |k| times[k] - self.summary.duration)),
        };
        Some((Some((start..=end).map(off).fold(0.0, f64::max)), settling))
    }

    /// What was recorded after the motion.
    fn hold(&self) -> Hold<'_> {
        let all = |name: &str| self.recording.column(name).unwrap_or(&[]);
        let start = all("t").partition_point(|time| *time <= self.summary.duration);
        let held = |name: String| all(&name).get(start..).unwrap_or(&[]);
        let times = held(String::from("t"));
        let joints = self.summary.joints.iter().enumerate().map(|(i, joint)| HeldJoint {
            joint: *joint,
            q: held(format!("q{}", i + 1)),
            torque: held(format!("tau{}", i + 1)),
            torque_peak: self.summary.torque_peak[i],
        });
        Hold { times, joints: joints.collect(), cut: self.cuts[1] as f64 / times.len().max(1) as f64 }
    }
}
