//! What is noted while a loop runs, whatever the robot.

use super::Tuning;
use super::closed_loop::{ControlError, Sample};
use super::experiment::{Experiment, Subject};
use super::outcome::{Outcome, Summary};
use super::rest::{Rest, Verdict};
use crate::Vec3;
use crate::report::drawing::{Drawing, Track};
use crate::report::recording::Recording;
use std::time::Duration;

/// Told a sample and what to do with a place, says the places of the tracks in their order.
pub(super) type Places<'p, const N: usize> = dyn Fn(&Sample<N>, &mut [Track]) + 'p;

/// Name, unit and meaning of a column.
pub(super) type Columns = Vec<(String, &'static str, String)>;

/// What goes from sample to sample and is recorded.
pub(super) trait Sampled<const N: usize> {
    /// Of the next sample, s.
    fn time(&self) -> f64;
    /// Steps per sample.
    fn substeps(&self) -> usize;
    /// What the environment pushes with from now on, N.
    fn push(&mut self, force: Vec3<f64>);
    /// To the next sample; what there was at this one.
    fn step(&mut self) -> Result<Sample<N>, ControlError>;
    /// What is recorded besides.
    fn more_columns(&self) -> Columns {
        Vec::new()
    }
    /// Their numbers at the last sample.
    fn more(&self) -> &[f64] {
        &[]
    }
}

/// How a run is drawn.
pub(super) struct Stage<'p, const N: usize> {
    /// Without samples yet.
    pub drawing: Drawing,
    /// Where its tracks are.
    pub places: &'p Places<'p, N>,
}

/// Sums up while the loop runs.
pub(super) struct Collector<'e, const N: usize> {
    tuning: Tuning,
    stage: Stage<'e, N>,
    rest: Rest<N>,
    recording: Recording,
    summary: Summary,
    seen: usize,
    moving: usize,
    errors: f64,
    torques: [f64; N],
    power: f64,
    cuts: usize,
    ranges: [[f64; 2]; N],
}

/// Names, units and meanings.
fn columns<R: Subject>(robot: &R, more: Columns) -> Columns {
    let controlled = R::CONTROLLED;
    let slides = robot.slides();
    let axes = |before: &str, after: &str, unit, meaning: &str| -> Columns {
        ["x", "y", "z"].map(|axis| (format!("{before}{axis}{after}"), unit, format!("{meaning}, {axis}"))).into()
    };
    let joints = |name: &str, [turning, sliding]: [&'static str; 2], meaning: [&str; 2]| -> Columns {
        let column = |(i, &slides): (usize, &bool)| {
            let (unit, meaning) = if slides { (sliding, meaning[1]) } else { (turning, meaning[0]) };
            (format!("{name}{}", i + 1), unit, format!("{meaning} {}", i + 1))
        };
        slides.iter().enumerate().map(column).collect()
    };
    let (place, effort) = (["rad", "m"], ["N m", "N"]);
    let first = vec![
        (String::from("t"), "s", String::from("time")),
        (String::from("error"), "m", format!("distance of the {controlled} from where it should be")),
    ];
    [
        first,
        axes("error_", "", "m", &format!("{controlled} minus wanted")),
        joints("error_q", place, ["joint angle minus wanted", "joint position minus wanted"]),
        axes("", "", "m", controlled),
        axes("", "_wanted", "m", "wanted"),
        axes("v", "", "m/s", &format!("{controlled} velocity")),
        joints("q", place, ["joint angle", "joint position"]),
        joints("qd", ["rad/s", "m/s"], ["joint velocity"; 2]),
        joints("tau", effort, ["motor torque", "motor force"]),
        joints("asked", effort, ["torque that the law asks for", "force that the law asks for"]),
        joints("power", ["W"; 2], ["mechanical power of motor"; 2]),
        more,
    ]
    .concat()
}

impl<'e, const N: usize> Collector<'e, N> {
    pub fn new<R: Subject>(
        experiment: &Experiment<R>,
        tuning: &Tuning,
        stage: Stage<'e, N>,
        closed: &impl Sampled<N>,
    ) -> Self {
        let (limits, slides) = (experiment.robot.limits(), experiment.robot.slides());
        Self {
            tuning: tuning.clone(),
            stage,
            rest: Rest::after(experiment.motion.duration(), experiment.hold, &experiment.encoder),
            // The names above are distinct; a test runs this.
            recording: Recording::new(columns(&experiment.robot, closed.more_columns())).unwrap_or_default(),
            ranges: std::array::from_fn(|i| match (limits.get(i), slides.get(i)) {
                (Some(limits), Some(false)) => limits.range,
                _ => [f64::NEG_INFINITY, f64::INFINITY],
            }),
            summary: Summary {
                duration: experiment.motion.duration(),
                cycle_time: experiment.motion.duration() / experiment.cycles.max(1) as f64,
                reached: 0.0,
                error_max: 0.0,
                error_max_at: 0.0,
                error_rms: 0.0,
                error_end: 0.0,
                joint_error_max: 0.0,
                torque_peak: vec![0.0; N],
                torque_rms: vec![0.0; N],
                speed_peak: vec![0.0; N],
                power_peak: 0.0,
                power_mean: 0.0,
                acceleration_peak: 0.0,
                cut: 0.0,
                range_margin: f64::INFINITY,
                substeps: closed.substeps(),
                verdict: Verdict::Unknown,
                real_time_factor: 0.0,
                squeeze: None,
                limits,
            },
            seen: 0,
            moving: 0,
            errors: 0.0,
            torques: [0.0; N],
            power: 0.0,
            cuts: 0,
        }
    }

    pub fn add(&mut self, sample: &Sample<N>, more: &[f64]) {
        let Sample { time, q, qd, point, wanted, torque, asked, cut } = *sample;
        let error = sample.error();
        let distance = error.norm_squared().sqrt();
        let powers: [f64; N] = std::array::from_fn(|i| torque[i] * qd[i]);
        let power: f64 = powers.iter().sum();
        let s = &mut self.summary;
        if distance > s.error_max {
            (s.error_max, s.error_max_at) = (distance, time);
        }
        (s.error_end, s.reached) = (distance, time);
        let e_q: [f64; N] = std::array::from_fn(|i| q[i] - wanted.q[i]);
        for i in 0..N {
            s.joint_error_max = s.joint_error_max.max(e_q[i].abs());
            s.torque_peak[i] = s.torque_peak[i].max(torque[i].abs());
            s.speed_peak[i] = s.speed_peak[i].max(qd[i].abs());
            s.range_margin = s.range_margin.min(q[i] - self.ranges[i][0]).min(self.ranges[i][1] - q[i]);
        }
        s.power_peak = s.power_peak.max(power);
        s.acceleration_peak = s.acceleration_peak.max(wanted.point[2].norm_squared().sqrt());
        self.seen += 1;
        self.cuts += usize::from(cut.contains(&true));
        if time < self.summary.duration {
            self.moving += 1;
            self.errors += distance * distance;
            self.power += power.max(0.0);
            for i in 0..N {
                self.torques[i] += torque[i] * torque[i];
            }
        }
        self.rest.add(time, &q, &torque);
        let parts: [&[f64]; 12] = [
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
            more,
        ];
        // A row has as many numbers as there are columns: it is never refused.
        let _ = self.recording.push(&parts.concat());
        let Stage { drawing, places } = &mut self.stage;
        places(sample, &mut drawing.tracks);
    }

    pub fn finish(mut self, ended: Result<(), ControlError>, took: Duration) -> Outcome {
        let s = &mut self.summary;
        let moving = self.moving.max(1) as f64;
        s.error_rms = (self.errors / moving).sqrt();
        s.torque_rms = self.torques.iter().map(|sum| (sum / moving).sqrt()).collect();
        s.power_mean = self.power / moving;
        s.cut = self.cuts as f64 / self.seen.max(1) as f64;
        s.real_time_factor = s.reached / took.as_secs_f64().max(1e-9);
        s.verdict = if ended.is_ok() { self.rest.verdict(&s.torque_peak) } else { Verdict::Lost };
        let Self { tuning, summary, recording, stage, .. } = self;
        Outcome { tuning, summary, recording, drawing: stage.drawing, ended }
    }
}
