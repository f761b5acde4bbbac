//! Every published model against the exact one along a motion: the Tables 3–5 of Falezza et al. 2022, without the measurement
//! noise; of arms like the PUMA 560 Armstrong's models.

use super::weights::Weights;
use crate::Vec3;
use crate::motion::{PickAndPlace, PlatformState};
use crate::report::chart::{COLORS, Chart, Line, Panel, Series, range_of};
use crate::report::text::{human, push_numbers};
use crate::robot::{DoesNotApply, Form, Pick, Robot, State, StateError, ToolState, units_of};
use crate::spatial::Wrench;

/// A state of a robot at a time.
#[derive(Clone, Debug, PartialEq)]
pub struct Timed {
    /// s.
    pub t: f64,
    /// The state.
    pub state: State,
    /// What the environment pushes on the tool with.
    pub wrench: Wrench<f64>,
}

/// A motion that leaves the workspace.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the motion leaves the workspace at ({}, {}, {}) m, {} s after its start: {source}", human(position[0], 5), human(position[1], 5), human(position[2], 5), human(*t, 4))]
pub struct LeavesWorkspace {
    /// When, s.
    pub t: f64,
    /// Where, m.
    pub position: Vec3<f64>,
    /// Why the robot cannot be there, and by how much.
    pub source: StateError,
}

/// Strokes forth and back, one after the other, with `steps` samples per stroke.
pub fn pick_and_place(
    robot: &Robot,
    pick: &Pick,
    motions: &[PickAndPlace],
    steps: u32,
) -> Result<Vec<Timed>, LeavesWorkspace> {
    let steps = steps.max(2);
    let mut start = 0.0;
    let mut all = Vec::new();
    for path in motions {
        for k in 0..2 * steps {
            let t = f64::from(k) / f64::from(steps) * path.stroke;
            let PlatformState { position, velocity, acceleration } = path.at(t);
            let t = start + t;
            let state = robot
                .at_tool(&ToolState::translating(position, velocity, acceleration), pick)
                .map_err(|source| LeavesWorkspace { t, position, source })?;
            all.push(Timed { t, state, wrench: Wrench::zero() });
        }
        start += 2.0 * path.stroke;
    }
    Ok(all)
}

/// Runs every model over a motion; the first one of the robot's models is the exact one.
pub fn compare(robot: &Robot, motion: &[Timed]) -> Result<Comparison, DoesNotApply> {
    let (exact, joints) = (robot.build_model("exact")?, robot.joints().len());
    let is_there = |part: fn(&Wrench<f64>) -> Vec3<f64>| motion.iter().any(|timed| part(&timed.wrench) != Vec3::zero());
    let pushed = [is_there(|wrench| wrench.force), is_there(|wrench| wrench.moment)];
    let columns = columns(robot.kind().form, joints, pushed);
    let rows = |width: usize, of: &dyn Fn(&Timed, &mut Vec<f64>)| Rows::of(width, motion, of);
    let samples = Samples {
        t: motion.iter().map(|timed| timed.t).collect(),
        state: rows(columns.len(), &|timed, row| {
            values(robot.kind().form, &timed.state, row);
            let Wrench { force, moment } = timed.wrench;
            let parts = [force, moment].into_iter().zip(pushed).filter(|(_, is_there)| *is_there);
            row.extend(parts.flat_map(|(part, _)| part.0));
        }),
        exact: rows(joints, &|timed, row| row.extend_from_slice(&exact.torque(&timed.state, timed.wrench))),
        dissipation: rows(joints, &|timed, row| row.extend_from_slice(&exact.friction(&timed.state))),
        mass: rows(joints * joints, &|timed, row| {
            exact.mass_matrix(&timed.state).iter().for_each(|of_joint| row.extend_from_slice(of_joint));
        }),
        // What unit forces ask of the joints.
        jacobian: rows(3 * joints, &|timed, row| {
            let unit = |axis: usize| Vec3::from_fn(|k| f64::from(u8::from(k == axis)));
            let axes = [0, 1, 2].map(|axis| exact.torque_of_wrench(&timed.state, Wrench::force(unit(axis))));
            row.extend((0..joints).flat_map(|i| axes.each_ref().map(|axis| axis[i])));
        }),
    };
    let others = robot.models().iter().filter(|spec| !spec.is_called("exact"));
    let torques = others.map(|spec| {
        let torques = robot
            .build_model(spec.name)
            .map_err(|error| error.to_string())
            .map(|model| rows(joints, &|timed, row| row.extend_from_slice(&model.torque(&timed.state, timed.wrench))));
        (spec.name, torques)
    });
    let reference = robot.models().iter().find(|spec| spec.is_called("exact")).map_or("exact", |spec| spec.name);
    let unit = units_of(&robot.joints(), |units| units.torque);
    Ok(Comparison::new((reference, unit), columns, samples, torques.collect()))
}

/// The numbers of a state in the form in which the robot usually takes it.
fn values(form: Form, state: &State, row: &mut Vec<f64>) {
    let State { joints, tool, .. } = state;
    match form {
        Form::Tool => {
            row.extend([tool.pose.origin, tool.velocity.linear, tool.acceleration.linear].iter().flat_map(|v| v.0));
        }
        Form::Joints => [&joints.q, &joints.qd, &joints.qdd].iter().for_each(|part| row.extend_from_slice(part)),
    }
}

/// Their columns.
fn columns(form: Form, joints: usize, pushed: [bool; 2]) -> Vec<String> {
    let mut columns: Vec<String> = match form {
        Form::Tool => ["x", "y", "z", "vx", "vy", "vz", "ax", "ay", "az"].map(String::from).to_vec(),
        Form::Joints => {
            ["q", "qd", "qdd"].into_iter().flat_map(|stem| (1..=joints).map(move |i| format!("{stem}{i}"))).collect()
        }
    };
    for (names, _) in [["fx", "fy", "fz"], ["mx", "my", "mz"]].into_iter().zip(pushed).filter(|(_, is_there)| *is_there)
    {
        columns.extend(names.map(String::from));
    }
    columns
}

/// One row per sample, all of one width.
#[derive(Clone, Debug)]
pub struct Rows {
    width: usize,
    values: Vec<f64>,
}

impl Rows {
    fn of(width: usize, motion: &[Timed], row: &dyn Fn(&Timed, &mut Vec<f64>)) -> Self {
        let mut values = Vec::with_capacity(width * motion.len());
        motion.iter().for_each(|timed| row(timed, &mut values));
        Self { width, values }
    }

    /// Some of the rows.
    fn kept(&self, kept: &[usize]) -> Self {
        Self { width: self.width, values: kept.iter().flat_map(|&sample| self.row(sample)).copied().collect() }
    }

    /// Every column through a filter.
    fn filtered(&self, filter: &dyn Fn(&[f64]) -> Vec<f64>) -> Self {
        let mut values = self.values.clone();
        for column in 0..self.width {
            let series: Vec<f64> = self.values.iter().skip(column).step_by(self.width).copied().collect();
            let places = values.iter_mut().skip(column).step_by(self.width);
            places.zip(filter(&series)).for_each(|(value, new)| *value = new);
        }
        Self { width: self.width, values }
    }

    /// The row of a sample.
    pub fn row(&self, sample: usize) -> &[f64] {
        &self.values[sample * self.width..(sample + 1) * self.width]
    }
}

/// The samples of the motion.
#[derive(Clone, Debug)]
pub struct Samples {
    /// Times, s.
    pub t: Vec<f64>,
    /// The states, one value per column.
    pub state: Rows,
    /// Torques of the exact model, one per joint, N m.
    pub exact: Rows,
    /// What friction and damping have in them, N m.
    pub dissipation: Rows,
    /// Mass matrices in the joints, row by row, kg m².
    pub mass: Rows,
    /// How the platform or the tool moves with each joint, x, y and z, m/rad.
    pub jacobian: Rows,
}

impl Samples {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.t.len()
    }
}

/// Difference of a model to `exact`, model − exact, N m.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, schemars::JsonSchema)]
pub struct Difference {
    /// Mean.
    pub mean: f64,
    /// Standard deviation about the mean.
    pub standard_deviation: f64,
    /// Largest magnitude.
    pub maximum: f64,
    /// Root mean square.
    pub rms: f64,
}

impl Difference {
    /// The statistics of some values, each with its weight.
    pub fn of(values: impl Iterator<Item = (f64, f64)> + Clone) -> Self {
        let whole = values.clone().map(|(weight, _)| weight).sum::<f64>();
        let whole = if whole > 0.0 { whole } else { 1.0 };
        let average = |of: &dyn Fn(f64) -> f64| values.clone().map(|(weight, x)| weight * of(x)).sum::<f64>() / whole;
        let mean = average(&|x| x);
        Self {
            mean,
            standard_deviation: average(&|x| (x - mean) * (x - mean)).sqrt(),
            maximum: values.clone().map(|(_, x)| x.abs()).fold(0.0, f64::max),
            rms: average(&|x| x * x).sqrt(),
        }
    }
}

/// Statistics over a motion.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, schemars::JsonSchema)]
pub struct Summary {
    /// Per joint.
    pub joints: Vec<Difference>,
    /// Over all joints.
    pub all: Difference,
}

impl Summary {
    /// Of a value of each sample and joint.
    fn of(joints: usize, weights: &Weights, value: impl Fn(usize, usize) -> f64) -> Self {
        let (shares, value) = (&weights.shares, &value);
        let of_joint =
            |i: usize| Difference::of(shares.iter().enumerate().map(move |(k, &share)| (share, value(k, i))));
        let of_sample = |(k, &share): (usize, &f64)| (0..joints).map(move |i| (share, value(k, i)));
        Self {
            joints: (0..joints).map(of_joint).collect(),
            all: Difference::of(shares.iter().enumerate().flat_map(of_sample)),
        }
    }
}

/// One model along the motion.
#[derive(Clone, Debug)]
pub struct Compared {
    /// Torques, one row per sample, N m.
    pub torque: Rows,
    /// What they differ by from the exact ones.
    pub difference: Summary,
}

/// A model against measured torques.
#[derive(Clone, Debug, PartialEq, serde::Serialize, schemars::JsonSchema)]
pub struct Measured {
    /// Model − measured, N m (N).
    #[serde(flatten)]
    pub difference: Summary,
    /// The model.
    pub name: &'static str,
    /// 100 ‖τ̂ − τ‖/‖τ‖ over all joints.
    pub percent: f64,
    /// The same for each joint.
    pub percent_by_joint: Vec<f64>,
}

/// All models along the motion.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The exact model's name.
    pub reference: &'static str,
    /// The unit of the torques: `N m`, of joints that slide `N`.
    pub unit: String,
    /// The columns of a sample's state.
    pub columns: Vec<String>,
    /// The samples, with the torques of the exact model.
    pub samples: Samples,
    /// How much each of them counts: by time, or all alike where the times are not in order.
    pub weights: Weights,
    /// Those torques.
    pub exact: Summary,
    /// The same without friction and damping, which all models have alike.
    pub rigid: Summary,
    /// The other models, or why they do not apply.
    pub models: Vec<(&'static str, Result<Compared, String>)>,
}

impl Comparison {
    fn new(
        (reference, unit): (&'static str, String),
        columns: Vec<String>,
        samples: Samples,
        torques: Vec<(&'static str, Result<Rows, String>)>,
    ) -> Self {
        let weights = Weights::by_time(&samples.t).unwrap_or_else(|_| Weights::rows(samples.count()));
        let joints = samples.exact.width;
        let exact = |k: usize, i: usize| samples.exact.row(k)[i];
        let compared = |torque: Rows| {
            let difference = Summary::of(joints, &weights, |k, i| torque.row(k)[i] - exact(k, i));
            Compared { difference, torque }
        };
        let models = torques.into_iter().map(|(name, torque)| (name, torque.map(&compared))).collect();
        let rigid = Summary::of(joints, &weights, |k, i| exact(k, i) - samples.dissipation.row(k)[i]);
        let exact = Summary::of(joints, &weights, exact);
        Self { reference, unit, columns, exact, rigid, models, samples, weights }
    }

    /// The same with all torques through a filter, as measured ones went, at some of the samples.
    #[must_use]
    pub fn filtered(self, filter: &dyn Fn(&[f64]) -> Vec<f64>, kept: &[usize]) -> Self {
        let pick = |rows: &Rows| rows.kept(kept);
        let torque = |rows: &Rows| rows.filtered(filter).kept(kept);
        let Samples { t, state, exact, dissipation, mass, jacobian } = &self.samples;
        let samples = Samples {
            t: kept.iter().map(|&k| t[k]).collect(),
            state: pick(state),
            exact: torque(exact),
            dissipation: torque(dissipation),
            mass: pick(mass),
            jacobian: pick(jacobian),
        };
        let models = self.models.into_iter().map(|(name, result)| (name, result.map(|own| torque(&own.torque))));
        Self::new((self.reference, self.unit), self.columns, samples, models.collect())
    }

    /// Every model against torques that were measured, one row for each sample: model − measured, and 100 ‖τ̂ − τ‖/‖τ‖ over
    /// all joints and of each.
    pub fn against(&self, measured: &[Vec<f64>]) -> Vec<Measured> {
        let joints = self.joints();
        let at = |k: usize, i: usize| measured.get(k).and_then(|row| row.get(i)).copied().unwrap_or(f64::NAN);
        let size = Summary::of(joints, &self.weights, at);
        let of = |name: &'static str, torques: &Rows| {
            let difference = Summary::of(joints, &self.weights, |k, i| torques.row(k)[i] - at(k, i));
            let percent = |difference: &Difference, size: &Difference| 100.0 * difference.rms / size.rms;
            let percent_by_joint = difference.joints.iter().zip(&size.joints).map(|(d, s)| percent(d, s)).collect();
            Measured { name, percent: percent(&difference.all, &size.all), percent_by_joint, difference }
        };
        let exact = of(self.reference, &self.samples.exact);
        let others = self.models.iter().filter_map(|(name, result)| Some(of(name, &result.as_ref().ok()?.torque)));
        std::iter::once(exact).chain(others).collect()
    }

    /// How many joints.
    pub fn joints(&self) -> usize {
        self.exact.joints.len()
    }

    /// The motion and the torques of all models as CSV: `t`, the state, `tau1 …` of the exact model, and for each other
    /// model `tau1_NAME …`.
    pub fn to_csv(&self) -> String {
        let joints = 1..=self.joints();
        let mut names = vec![String::from("t")];
        names.extend(self.columns.iter().cloned());
        names.extend(joints.clone().map(|i| format!("tau{i}")));
        let applicable: Vec<_> =
            self.models.iter().filter_map(|(name, result)| Some((name, result.as_ref().ok()?))).collect();
        for (name, _) in &applicable {
            names.extend(joints.clone().map(|i| format!("tau{i}_{name}")));
        }
        let mut text = names.join(",") + "\n";
        let Samples { t, state, exact, .. } = &self.samples;
        for (k, t) in t.iter().enumerate() {
            let others = applicable.iter().flat_map(|(_, compared)| compared.torque.row(k));
            let fields = std::iter::once(t).chain(state.row(k)).chain(exact.row(k)).chain(others);
            push_numbers(&mut text, fields.map(|&value| Some(value)));
        }
        text
    }

    /// Torques (left) and differences to the exact model (right), one row per joint. Models equal to it, and
    /// those that are off by more than half the largest torque and would flatten all others, are named below.
    pub fn to_chart(&self, title: &str, subtitle: &str, marks: Vec<(f64, String)>) -> Chart {
        let mut series = vec![Series { name: self.reference.into(), color: "#000", width: 2.4, dash: "" }];
        let mut notes = Vec::new();
        let unit = &self.unit;
        let mut equal: Vec<&str> = Vec::new();
        let mut drawn: Vec<&Compared> = Vec::new();
        for (name, result) in &self.models {
            match result {
                Err(reason) => notes.push(format!("Not shown: {reason}.")),
                Ok(compared) if compared.difference.all.maximum < 1e-9 * self.exact.all.maximum => equal.push(name),
                Ok(compared) if compared.difference.all.maximum > 0.5 * self.exact.all.maximum => {
                    notes.push(format!(
                        "Not shown: {name}, up to {} {unit} off (RMS {} {unit}).",
                        human(compared.difference.all.maximum, 3),
                        human(compared.difference.all.rms, 3)
                    ));
                }
                Ok(compared) => {
                    const DASHES: [&str; 4] = ["", "7 3", "2 3", "9 3 2 3"];
                    let k = drawn.len();
                    series.push(Series {
                        name: format!("{name} (RMS {} {unit})", human(compared.difference.all.rms, 3)),
                        color: COLORS[k % COLORS.len()],
                        width: 1.5,
                        dash: DASHES[k % DASHES.len()],
                    });
                    drawn.push(compared);
                }
            }
        }
        if !equal.is_empty() {
            notes.insert(0, format!("Equal to {}, to rounding: {}.", self.reference, equal.join(", ")));
        }
        let Samples { t: times, exact, .. } = &self.samples;
        let line = |series: usize, value: &dyn Fn(usize) -> f64| Line {
            series,
            points: times.iter().enumerate().map(|(k, &t)| (t, value(k))).collect(),
        };
        let mut panels = Vec::new();
        for i in 0..self.joints() {
            let mut torques = vec![line(0, &|k| exact.row(k)[i])];
            let mut differences = vec![line(0, &|_| 0.0)];
            for (s, compared) in drawn.iter().enumerate() {
                torques.push(line(s + 1, &|k| compared.torque.row(k)[i]));
                differences.push(line(s + 1, &|k| compared.torque.row(k)[i] - exact.row(k)[i]));
            }
            for (title, y_label, lines) in [
                (format!("Joint {}: torque", i + 1), format!("torque, {unit}"), torques),
                (format!("Joint {}: model − {}", i + 1, self.reference), format!("difference, {unit}"), differences),
            ] {
                let y_range = range_of(lines.iter().flat_map(|line| line.points.iter().map(|point| point.1)));
                panels.push(Panel { title, y_label, y_range, lines });
            }
        }
        let ends = |end: Option<&f64>, default| end.copied().unwrap_or(default);
        Chart {
            title: title.into(),
            subtitle: subtitle.into(),
            x_label: "time, s".into(),
            x_decades: false,
            x_range: (ends(times.first(), 0.0), ends(times.last(), 1.0)),
            columns: 2,
            panels,
            series,
            marks,
            notes,
        }
    }
}
