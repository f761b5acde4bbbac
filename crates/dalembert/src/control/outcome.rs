//! What came out of a run: its recording, its summary, its verdict.

use super::closed_loop::{ControlError, Sample};
use super::{Experiment, Law, Tuning};
use crate::Vec3;
use crate::cell::{Cell, StartPose};
use crate::delta::{Branch, Delta, Limits};
use crate::describe::AnyRobot;
use crate::record::drawing::Drawing;
use crate::record::report::Report;
use crate::record::{Recording, RecordingError, human};
use std::time::Duration;

/// Holding still, a joint may tremble by this before the loop counts as oscillating: about 0.006°, or three counts.
const TREMBLE: f64 = 1e-4;

/// Whether the robot came to rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// It did.
    Settled,
    /// It will: a joint still moved by so much in the last quarter of the hold, rad, and less from quarter to quarter.
    Settling(f64),
    /// A joint swings by so much in the last quarter of the hold, rad: no less than in the quarter before, or to and fro
    /// with at least a third of that.
    Oscillates(f64),
    /// The run ended early.
    Lost,
    /// There was no hold to tell.
    Unknown,
}

/// The figures of a run.
#[derive(Clone, Copy, Debug)]
pub struct Summary {
    /// Of the motion, s.
    pub duration: f64,
    /// How far the run came, s.
    pub reached: f64,
    /// Largest distance of the platform from where it should be, m, over motion and hold.
    pub error_max: f64,
    /// When that was, s.
    pub error_max_at: f64,
    /// Root mean square of that distance over the motion, m.
    pub error_rms: f64,
    /// At the end of the hold, m.
    pub error_end: f64,
    /// Largest error of a joint, rad.
    pub joint_error_max: f64,
    /// Largest torque of each motor, N m.
    pub torque_peak: [f64; 3],
    /// Root mean square over the motion, N m.
    pub torque_rms: [f64; 3],
    /// Largest speed of each joint, rad/s.
    pub speed_peak: [f64; 3],
    /// Largest mechanical power of all motors together, W.
    pub power_peak: f64,
    /// Mean of the positive part of that power, W: what the supply gives if nothing is recovered.
    pub power_mean: f64,
    /// Largest acceleration that was asked of the platform, m/s².
    pub acceleration_peak: f64,
    /// Part of the samples in which a limit cut a torque.
    pub cut: f64,
    /// Least distance of a joint to the end of its range, rad; infinite where there is none.
    pub range_margin: f64,
    /// Runge–Kutta steps per sample.
    pub substeps: usize,
    /// Whether it came to rest.
    pub verdict: Verdict,
    /// Simulated seconds per second of computing, recording included.
    pub real_time_factor: f64,
    limits: [Limits; 3],
}

impl Summary {
    /// The largest part of its limit that any motor used: peak torque, speed.
    pub fn used(&self) -> (f64, f64) {
        let most = |values: [f64; 3], limit: fn(&Limits) -> f64| {
            values.iter().zip(&self.limits).map(|(value, limits)| value / limit(limits)).fold(0.0, f64::max)
        };
        (most(self.torque_peak, |limits| limits.max_torque), most(self.speed_peak, |limits| limits.max_speed))
    }
}

/// A run, also one that ended early.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Of the law and its gains.
    pub tuning: Tuning,
    /// The figures.
    pub summary: Summary,
    /// A row per sample.
    pub recording: Recording,
    /// Where everything was.
    pub drawing: Drawing,
    /// Why it ended before its time.
    pub ended: Result<(), ControlError>,
}

/// Sums up while the loop runs.
pub(super) struct Collector<'e> {
    experiment: &'e Experiment,
    tuning: Tuning,
    robot: Delta<f64>,
    branch: Branch,
    recording: Recording,
    drawing: Drawing,
    summary: Summary,
    samples: usize,
    moving: usize,
    errors: f64,
    torques: [f64; 3],
    power: f64,
    cuts: usize,
    /// Least and largest joints in the last two quarters of the hold.
    swings: [Option<[[f64; 3]; 2]>; 2],
    /// How often each joint turned back in the last quarter, and where it was going.
    turns: [(u32, f64); 3],
    ranges: [[f64; 2]; 3],
}

const COLUMNS: [(&str, &str, &str); 32] = [
    ("t", "s", "time"),
    ("error", "m", "distance of the platform from where it should be"),
    ("error_x", "m", "platform minus wanted, x"),
    ("error_y", "m", "platform minus wanted, y"),
    ("error_z", "m", "platform minus wanted, z"),
    ("error_q1", "rad", "wanted minus true joint angle 1"),
    ("error_q2", "rad", "wanted minus true joint angle 2"),
    ("error_q3", "rad", "wanted minus true joint angle 3"),
    ("x", "m", "platform, x"),
    ("y", "m", "platform, y"),
    ("z", "m", "platform, z"),
    ("x_wanted", "m", "wanted, x"),
    ("y_wanted", "m", "wanted, y"),
    ("z_wanted", "m", "wanted, z"),
    ("vx", "m/s", "platform velocity, x"),
    ("vy", "m/s", "platform velocity, y"),
    ("vz", "m/s", "platform velocity, z"),
    ("q1", "rad", "joint angle 1"),
    ("q2", "rad", "joint angle 2"),
    ("q3", "rad", "joint angle 3"),
    ("qd1", "rad/s", "joint velocity 1"),
    ("qd2", "rad/s", "joint velocity 2"),
    ("qd3", "rad/s", "joint velocity 3"),
    ("tau1", "N m", "motor torque 1"),
    ("tau2", "N m", "motor torque 2"),
    ("tau3", "N m", "motor torque 3"),
    ("asked1", "N m", "torque that the law asks for 1"),
    ("asked2", "N m", "torque that the law asks for 2"),
    ("asked3", "N m", "torque that the law asks for 3"),
    ("power1", "W", "mechanical power of motor 1"),
    ("power2", "W", "mechanical power of motor 2"),
    ("power3", "W", "mechanical power of motor 3"),
];

impl<'e> Collector<'e> {
    pub fn new(experiment: &'e Experiment, tuning: &Tuning, substeps: usize, samples: usize) -> Self {
        let robot = &experiment.robot;
        let columns = COLUMNS.map(|(name, unit, meaning)| (name.to_owned(), unit, meaning.to_owned()));
        let start = StartPose::Position(experiment.motion.at(0.0).position, Vec3::zero());
        let drawn = Cell::alone(&AnyRobot::Delta(Box::new(robot.clone())), Some(&start), None);
        Self {
            experiment,
            tuning: tuning.clone(),
            robot: robot.delta,
            branch: experiment.branch,
            // The names above are distinct; a test runs this.
            recording: Recording::new(columns).unwrap_or_default(),
            drawing: drawn.map(|cell| cell.drawing()).unwrap_or_default(),
            summary: Summary {
                duration: experiment.motion.duration(),
                reached: 0.0,
                error_max: 0.0,
                error_max_at: 0.0,
                error_rms: 0.0,
                error_end: 0.0,
                joint_error_max: 0.0,
                torque_peak: [0.0; 3],
                torque_rms: [0.0; 3],
                speed_peak: [0.0; 3],
                power_peak: 0.0,
                power_mean: 0.0,
                acceleration_peak: 0.0,
                cut: 0.0,
                range_margin: f64::INFINITY,
                substeps,
                verdict: Verdict::Unknown,
                real_time_factor: 0.0,
                limits: robot.limits,
            },
            samples: samples + 1,
            moving: 0,
            errors: 0.0,
            torques: [0.0; 3],
            power: 0.0,
            cuts: 0,
            swings: [None; 2],
            turns: [(0, 0.0); 3],
            ranges: robot.limits.map(|limits| limits.range),
        }
    }

    pub fn add(&mut self, sample: &Sample<3>) {
        let Sample { time, q, qd, point, wanted, torque, asked, cut } = *sample;
        let error = sample.error();
        let distance = error.norm_squared().sqrt();
        let powers: [f64; 3] = std::array::from_fn(|i| torque[i] * qd[i]);
        let power: f64 = powers.iter().sum();
        let s = &mut self.summary;
        if distance > s.error_max {
            (s.error_max, s.error_max_at) = (distance, time);
        }
        (s.error_end, s.reached) = (distance, time);
        let e_q: [f64; 3] = std::array::from_fn(|i| wanted.q[i] - q[i]);
        for i in 0..3 {
            s.joint_error_max = s.joint_error_max.max(e_q[i].abs());
            s.torque_peak[i] = s.torque_peak[i].max(torque[i].abs());
            s.speed_peak[i] = s.speed_peak[i].max(qd[i].abs());
            s.range_margin = s.range_margin.min(q[i] - self.ranges[i][0]).min(self.ranges[i][1] - q[i]);
        }
        s.power_peak = s.power_peak.max(power);
        s.acceleration_peak = s.acceleration_peak.max(wanted.point[2].norm_squared().sqrt());
        self.cuts += usize::from(cut.contains(&true));
        if time < self.summary.duration {
            self.moving += 1;
            self.errors += distance * distance;
            self.power += power.max(0.0);
            for i in 0..3 {
                self.torques[i] += torque[i] * torque[i];
            }
        } else if time > self.summary.duration + 0.5 * self.experiment.hold {
            let last = time > self.summary.duration + 0.75 * self.experiment.hold;
            let [low, high] = self.swings[usize::from(last)].get_or_insert([q, q]);
            for i in 0..3 {
                (low[i], high[i]) = (low[i].min(q[i]), high[i].max(q[i]));
                let (turns, going) = &mut self.turns[i];
                *turns += u32::from(last && *going * qd[i] < 0.0);
                *going = qd[i];
            }
        }
        let parts: [&[f64]; 11] = [
            &[time, distance],
            &error.0,
            &e_q,
            &point[0].0,
            &wanted.point[0].0,
            &point[1].0,
            &q,
            &qd,
            &torque,
            &asked,
            &powers,
        ];
        // A row has as many numbers as there are columns: it is never refused.
        let _ = self.recording.push(&parts.concat());
        let pose = self.robot.pose_unchecked(point[0], self.branch);
        let places = std::iter::once(pose.position).chain(pose.arms.iter().map(|arm| arm.elbow));
        for (track, place) in self.drawing.tracks.iter_mut().zip(places) {
            track.position.push(place.0);
        }
    }

    pub fn finish(mut self, ended: Result<(), ControlError>, took: Duration) -> Outcome {
        let s = &mut self.summary;
        let moving = self.moving.max(1) as f64;
        s.error_rms = (self.errors / moving).sqrt();
        s.torque_rms = self.torques.map(|sum| (sum / moving).sqrt());
        s.power_mean = self.power / moving;
        s.cut = self.cuts as f64 / self.samples as f64;
        s.real_time_factor = s.reached / took.as_secs_f64().max(1e-9);
        let counts = self.experiment.encoder.counts;
        let tremble = if counts > 0.0 { TREMBLE.max(3.0 * std::f64::consts::TAU / counts) } else { TREMBLE };
        let largest = |[low, high]: [[f64; 3]; 2]| (0..3).map(|i| high[i] - low[i]).fold(0.0, f64::max);
        // What decays is smaller each time; what creeps to its place does not turn back, or once.
        let swings = self.turns.iter().any(|(turns, _)| *turns >= 3);
        s.verdict = match (&ended, self.swings.map(|swing| swing.map(largest))) {
            (Err(_), _) => Verdict::Lost,
            (Ok(()), [Some(_), Some(last)]) if last <= tremble => Verdict::Settled,
            (Ok(()), [Some(before), Some(last)]) => {
                let goes_on = last > 0.9 * before || (swings && last > before / 3.0);
                if goes_on { Verdict::Oscillates(last) } else { Verdict::Settling(last) }
            }
            (Ok(()), _) => Verdict::Unknown,
        };
        Outcome { tuning: self.tuning, summary: self.summary, recording: self.recording, drawing: self.drawing, ended }
    }
}

fn three(values: [f64; 3], digits: usize) -> String {
    values.map(|value| human(value, digits)).join(", ")
}

fn percent(part: f64) -> String {
    format!("{} %", human(100.0 * part, 3))
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Settled => f.write_str("came to rest"),
            Self::Settling(swing) => write!(f, "is still settling, by {} rad", human(*swing, 2)),
            Self::Oscillates(swing) => write!(f, "does NOT come to rest: swings by {} rad", human(*swing, 2)),
            Self::Lost => f.write_str("is NOT stable: the run ended early"),
            Self::Unknown => f.write_str("ended as planned; no hold to see it come to rest"),
        }
    }
}

impl Outcome {
    /// Names and values, the most important first.
    pub fn lines(&self, experiment: &Experiment) -> Vec<(String, String)> {
        let s = &self.summary;
        let (torque, speed) = s.used();
        let e = experiment;
        let cycle = s.duration / e.cycles as f64;
        let of = |part: f64, what: &str| {
            if part > 0.0 { format!(" ({} of the limit)", percent(part)) } else { format!(" (no limit of {what})") }
        };
        let model = if self.tuning.law.as_str().starts_with("pd") || self.tuning.law == Law::Pid {
            String::from("none (Î from the model at the start)")
        } else {
            e.model.as_str().to_owned()
        };
        let mut law = format!("{}, {} Hz", self.tuning.label, human(e.bandwidth / std::f64::consts::TAU, 4));
        if self.tuning.law.looks_ahead() {
            law = format!("{law}, T_m {} ms", human(1e3 * self.tuning.look_ahead, 4));
        }
        let mut lines = vec![
            ("robot", e.robot.name.clone()),
            ("motion", format!("{}, up to {} m/s²", e.motion_name, human(s.acceleration_peak, 4))),
            ("law", law),
            ("controller's model", model),
            ("cycle time", format!("{} s ({} per minute)", human(cycle, 5), human(60.0 / cycle, 4))),
            (
                "tracking error",
                format!(
                    "{} mm at most (at {} s), {} mm RMS",
                    mm(s.error_max),
                    human(s.error_max_at, 4),
                    mm(s.error_rms)
                ),
            ),
            ("error at the end", format!("{} mm", mm(s.error_end))),
            ("peak torque", format!("{} N m{}", three(s.torque_peak, 4), of(torque, "torque"))),
            ("RMS torque", format!("{} N m", three(s.torque_rms, 4))),
            ("peak speed", format!("{} rad/s{}", three(s.speed_peak, 4), of(speed, "speed"))),
            ("power", format!("{} W at most, {} W mean", human(s.power_peak, 4), human(s.power_mean, 4))),
        ];
        if s.range_margin.is_finite() {
            lines.push(("margin of the joints", format!("{}°", human(s.range_margin.to_degrees(), 3))));
        }
        if s.cut > 0.0 {
            lines.push(("limits cut", format!("{} of the samples", percent(s.cut))));
        }
        lines.push(("drive", self.drive(e)));
        lines.push(("verdict", s.verdict.to_string()));
        lines.push((
            "computing",
            format!("{} times real time, {} Runge–Kutta steps per sample", human(s.real_time_factor, 2), s.substeps),
        ));
        lines.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    fn drive(&self, e: &Experiment) -> String {
        let mut parts = vec![
            format!("{} Hz", human(1.0 / e.sampling.period, 4)),
            format!("delay {} sample{}", e.sampling.delay, if e.sampling.delay == 1 { "" } else { "s" }),
            format!("current rise {} ms", human(1e3 * e.drive.current_rise, 3)),
        ];
        if e.drive.torque_steps > 0.0 {
            parts.push(format!("torque in {} steps", human(e.drive.torque_steps, 5)));
        }
        if e.encoder.counts > 0.0 {
            parts.push(format!("encoder of {} bits", human(e.encoder.counts.log2(), 3)));
        }
        parts.join(", ")
    }

    /// The run to look at.
    pub fn report(&self, experiment: &Experiment) -> Report<'_> {
        Report {
            title: format!("{}: {} under {}", experiment.robot.name, experiment.motion_name, self.tuning.label),
            summary: self.lines(experiment),
            outcome: match &self.ended {
                Ok(()) => format!("{} s simulated: the robot {}", human(self.summary.reached, 4), self.summary.verdict),
                Err(error) => format!("ended early: {error}"),
            },
            early: self.ended.is_err(),
            recording: &self.recording,
            drawing: &self.drawing,
        }
    }
}

/// Millimetres with three digits.
fn mm(metres: f64) -> String {
    human(1e3 * metres, 3)
}

/// One recording of several runs: the tracking errors beside each other, then the torques of each.
pub fn comparison(runs: &[Outcome]) -> Result<Recording, RecordingError> {
    let mut columns = vec![(String::from("t"), "s", String::from("time"))];
    for run in runs {
        let label = &run.tuning.label;
        columns.push((format!("error.{label}"), "m", format!("distance from where it should be, {label}")));
    }
    for run in runs {
        let label = &run.tuning.label;
        columns.extend((1..=3).map(|i| (format!("{label}.tau{i}"), "N m", format!("motor torque {i}, {label}"))));
    }
    let mut recording = Recording::new(columns)?;
    let longest = runs.iter().max_by_key(|run| run.recording.rows());
    let times = longest.and_then(|run| run.recording.column("t")).unwrap_or(&[]);
    let mut row = Vec::new();
    for (k, &time) in times.iter().enumerate() {
        // What ended early is missing from there on.
        let value = |run: &Outcome, name: &str| {
            run.recording.column(name).and_then(|column| column.get(k)).copied().unwrap_or(f64::NAN)
        };
        row.clear();
        row.push(time);
        row.extend(runs.iter().map(|run| value(run, "error")));
        for run in runs {
            row.extend(["tau1", "tau2", "tau3"].map(|name| value(run, name)));
        }
        recording.push(&row)?;
    }
    Ok(recording)
}

/// The report of several runs beside each other; `recording` is their [`comparison`].
pub fn comparison_report<'r>(
    experiment: &Experiment,
    runs: &'r [Outcome],
    recording: &'r Recording,
) -> Option<Report<'r>> {
    // The one that came farthest is played back, of several the most precise.
    let shown = runs.iter().max_by(|a, b| {
        let key = |run: &Outcome| (run.summary.reached, -run.summary.error_max);
        key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal)
    })?;
    let mut summary = vec![
        (String::from("robot"), experiment.robot.name.clone()),
        (String::from("motion"), experiment.motion_name.clone()),
        (String::from("controller's model"), experiment.model.as_str().to_owned()),
    ];
    summary.extend(runs.iter().map(|run| {
        let s = &run.summary;
        let peak = s.torque_peak.into_iter().fold(0.0, f64::max);
        let text = format!(
            "error {} mm at most, {} mm RMS; torque up to {} N m; {}",
            mm(s.error_max),
            mm(s.error_rms),
            human(peak, 4),
            run.ended.as_ref().map_or_else(ToString::to_string, |()| s.verdict.to_string())
        );
        (run.tuning.label.clone(), text)
    }));
    summary.push((String::from("played back"), shown.tuning.label.clone()));
    Some(Report {
        title: format!("{}: {} laws compared", experiment.robot.name, runs.len()),
        summary,
        outcome: format!("{} s simulated with each law", human(shown.summary.reached, 4)),
        early: runs.iter().any(|run| run.ended.is_err()),
        recording,
        drawing: &shown.drawing,
    })
}
