//! Every published model against the exact one along a motion: the Tables 3–5 of Falezza et al. 2022, without the measurement
//! noise; of arms like the PUMA 560 Armstrong's models.

use super::weights::Weights;
use crate::Vec3;
use crate::motion::{PickAndPlace, PlatformState};
use crate::report::chart::{COLORS, Chart, Line, Panel, Series, range_of};
use crate::report::text::{human, push_numbers};
use crate::robot::{DoesNotApply, Form, Pick, Refused, Robot, State, ToolState};
use crate::spatial::Wrench;

/// A state of a robot at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timed {
    /// s.
    pub t: f64,
    /// The state.
    pub state: State,
    /// Force of the environment on the tool, N.
    pub force: Vec3<f64>,
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
    pub source: Refused,
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
            all.push(Timed { t, state, force: Vec3::zero() });
        }
        start += 2.0 * path.stroke;
    }
    Ok(all)
}

/// Runs every model over a motion; the first one of the robot's models is the exact one.
pub fn compare(robot: &Robot, motion: &[Timed]) -> Result<Comparison, DoesNotApply> {
    let (exact, joints) = (robot.model("exact")?, robot.joints().len());
    let forced = motion.iter().any(|timed| timed.force != Vec3::zero());
    let pushed = |force: Vec3<f64>| Wrench { force, moment: Vec3::zero() };
    let sample = |Timed { t, state, force }: &Timed| {
        // The rows of the Jacobian: what unit forces ask of the joints.
        let rows = [0, 1, 2].map(|axis| robot.carry(state, pushed(Vec3::from_fn(|k| f64::from(u8::from(k == axis))))));
        let mut values = values(robot.kind().form, state);
        if forced {
            values.extend(force.0);
        }
        Sample {
            t: *t,
            state: values,
            exact: exact.torque(state, pushed(*force)).to_vec(),
            dissipation: exact.friction(state).to_vec(),
            mass: exact.mass_matrix(state).iter().flat_map(|row| row.to_vec()).collect(),
            jacobian: (0..joints).map(|i| Vec3::from_fn(|axis| rows[axis][i])).collect(),
        }
    };
    let others = robot.models().iter().filter(|spec| !spec.is_called("exact"));
    let torques = others.map(|spec| {
        let torques = robot.model(spec.name).map_err(|error| error.to_string()).map(|model| {
            let torque = |timed: &Timed| model.torque(&timed.state, pushed(timed.force)).to_vec();
            motion.iter().map(torque).collect()
        });
        (spec.name, torques)
    });
    let reference = robot.models().iter().find(|spec| spec.is_called("exact")).map_or("exact", |spec| spec.name);
    let samples = motion.iter().map(sample).collect();
    Ok(Comparison::new(reference, columns(robot.kind().form, joints, forced), samples, torques.collect()))
}

/// The numbers of a state in the form in which the robot usually takes it.
fn values(form: Form, state: &State) -> Vec<f64> {
    let State { joints, tool, .. } = state;
    match form {
        Form::Tool => {
            [tool.pose.origin, tool.velocity.linear, tool.acceleration.linear].map(|vector| vector.0).concat()
        }
        Form::Joints => [&joints.q[..], &joints.qd, &joints.qdd].concat(),
    }
}

/// Their columns.
fn columns(form: Form, joints: usize, forced: bool) -> Vec<String> {
    let mut columns: Vec<String> = match form {
        Form::Tool => ["x", "y", "z", "vx", "vy", "vz", "ax", "ay", "az"].map(String::from).to_vec(),
        Form::Joints => {
            ["q", "qd", "qdd"].into_iter().flat_map(|stem| (1..=joints).map(move |i| format!("{stem}{i}"))).collect()
        }
    };
    if forced {
        columns.extend(["fx", "fy", "fz"].map(String::from));
    }
    columns
}

/// A sample of the motion.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Time, s.
    pub t: f64,
    /// The state, one value per column.
    pub state: Vec<f64>,
    /// Torques of the exact model, one per joint, N m.
    pub exact: Vec<f64>,
    /// What friction and damping have in them, N m.
    pub dissipation: Vec<f64>,
    /// Mass matrix in the joints, row by row, kg m².
    pub mass: Vec<f64>,
    /// How the platform or the tool moves with each joint, m/rad.
    pub jacobian: Vec<Vec3<f64>>,
}

/// Difference of a model to `exact`, model − exact, N m.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
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

/// One row per sample, one value per joint.
type Rows = Vec<Vec<f64>>;

/// Statistics over a motion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Per joint.
    pub joints: Vec<Difference>,
    /// Over all joints.
    pub all: Difference,
}

impl Summary {
    /// Of one row per sample, one value per joint.
    fn of(rows: &[Vec<f64>], weights: &Weights) -> Self {
        let joints = rows.first().map_or(0, Vec::len);
        let weighed = || weights.shares().iter().copied().zip(rows);
        Self {
            joints: (0..joints).map(|i| Difference::of(weighed().map(|(weight, row)| (weight, row[i])))).collect(),
            all: Difference::of(weighed().flat_map(|(weight, row)| row.iter().map(move |&x| (weight, x)))),
        }
    }
}

/// One model along the motion.
#[derive(Clone, Debug)]
pub struct Compared {
    /// Torques, one row per sample, N m.
    pub torque: Vec<Vec<f64>>,
    /// What they differ by from the exact ones.
    pub difference: Summary,
}

/// All models along the motion.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The exact model's name.
    pub reference: &'static str,
    /// The columns of a sample's state.
    pub columns: Vec<String>,
    /// The samples, with the torques of the exact model.
    pub samples: Vec<Sample>,
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
        reference: &'static str,
        columns: Vec<String>,
        samples: Vec<Sample>,
        torques: Vec<(&'static str, Result<Rows, String>)>,
    ) -> Self {
        let times: Vec<f64> = samples.iter().map(|sample| sample.t).collect();
        let weights = Weights::by_time(&times).unwrap_or_else(|_| Weights::rows(times.len()));
        let less = |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a - b).collect() };
        let exact: Vec<Vec<f64>> = samples.iter().map(|sample| sample.exact.clone()).collect();
        let rigid: Vec<Vec<f64>> = samples.iter().map(|sample| less(&sample.exact, &sample.dissipation)).collect();
        let compared = |torque: Vec<Vec<f64>>| {
            let differences: Vec<Vec<f64>> = torque.iter().zip(&exact).map(|(tau, exact)| less(tau, exact)).collect();
            Compared { difference: Summary::of(&differences, &weights), torque }
        };
        let models = torques.into_iter().map(|(name, torque)| (name, torque.map(&compared))).collect();
        let [exact, rigid] = [&exact, &rigid].map(|rows| Summary::of(rows, &weights));
        Self { reference, columns, exact, rigid, models, samples, weights }
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
        for (k, sample) in self.samples.iter().enumerate() {
            let others = applicable.iter().flat_map(|(_, compared)| &compared.torque[k]);
            let fields = std::iter::once(&sample.t).chain(&sample.state).chain(&sample.exact).chain(others);
            push_numbers(&mut text, fields.map(|&value| Some(value)));
        }
        text
    }

    /// Torques (left) and differences to the exact model (right), one row per joint. Models equal to it, and
    /// those that are off by more than half the largest torque and would flatten all others, are named below.
    pub fn to_chart(&self, title: &str, subtitle: &str, marks: Vec<(f64, String)>) -> Chart {
        let mut series = vec![Series { name: self.reference.into(), color: "#000", width: 2.4, dash: "" }];
        let mut notes = Vec::new();
        let mut equal: Vec<&str> = Vec::new();
        let mut drawn: Vec<&Compared> = Vec::new();
        for (name, result) in &self.models {
            match result {
                Err(reason) => notes.push(format!("Not shown: {reason}.")),
                Ok(compared) if compared.difference.all.maximum < 1e-9 * self.exact.all.maximum => equal.push(name),
                Ok(compared) if compared.difference.all.maximum > 0.5 * self.exact.all.maximum => {
                    notes.push(format!(
                        "Not shown: {name}, up to {} N m off (RMS {} N m).",
                        human(compared.difference.all.maximum, 3),
                        human(compared.difference.all.rms, 3)
                    ));
                }
                Ok(compared) => {
                    const DASHES: [&str; 4] = ["", "7 3", "2 3", "9 3 2 3"];
                    let k = drawn.len();
                    series.push(Series {
                        name: format!("{name} (RMS {} N m)", human(compared.difference.all.rms, 3)),
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
        let time = |k: usize| self.samples[k].t;
        let line = |series: usize, value: &dyn Fn(usize) -> f64| Line {
            series,
            points: (0..self.samples.len()).map(|k| (time(k), value(k))).collect(),
        };
        let mut panels = Vec::new();
        for i in 0..self.joints() {
            let mut torques = vec![line(0, &|k| self.samples[k].exact[i])];
            let mut differences = vec![line(0, &|_| 0.0)];
            for (s, compared) in drawn.iter().enumerate() {
                torques.push(line(s + 1, &|k| compared.torque[k][i]));
                differences.push(line(s + 1, &|k| compared.torque[k][i] - self.samples[k].exact[i]));
            }
            for (title, y_label, lines) in [
                (format!("Joint {}: torque", i + 1), "torque, N m", torques),
                (format!("Joint {}: model − {}", i + 1, self.reference), "difference, N m", differences),
            ] {
                let y_range = range_of(lines.iter().flat_map(|line| line.points.iter().map(|point| point.1)));
                panels.push(Panel { title, y_label: y_label.into(), y_range, lines });
            }
        }
        let ends = |end: Option<&Sample>, default| end.map_or(default, |sample| sample.t);
        Chart {
            title: title.into(),
            subtitle: subtitle.into(),
            x_label: "time, s".into(),
            x_decades: false,
            x_range: (ends(self.samples.first(), 0.0), ends(self.samples.last(), 1.0)),
            columns: 2,
            panels,
            series,
            marks,
            notes,
        }
    }
}
