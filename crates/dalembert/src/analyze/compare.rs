//! Every published model against `exact` along a motion: the Tables 3–5 of Falezza et al. 2022, without the measurement
//! noise.

use crate::motion::{PickAndPlace, PlatformState};
use crate::record::plot::{COLORS, Chart, Line, Panel, Series, range_of};
use crate::record::{human, number};
use dalembert_core::Vec3;
use dalembert_core::delta::{Branch, Delta, KinematicsError, ModelDoesNotApply, ModelName};

/// A sample of the motion.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Time from the start of the first motion, s.
    pub t: f64,
    /// Which motion, from 0.
    pub motion: usize,
    /// The platform.
    pub state: PlatformState,
    /// Torques of `exact`, N m.
    pub exact: Vec3<f64>,
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
    /// The statistics of some values.
    pub fn of(values: impl Iterator<Item = f64> + Clone) -> Self {
        let count = values.clone().count().max(1) as f64;
        let mean = values.clone().sum::<f64>() / count;
        let square = |x: f64| x * x;
        Self {
            mean,
            standard_deviation: (values.clone().map(|x| square(x - mean)).sum::<f64>() / count).sqrt(),
            maximum: values.clone().map(f64::abs).fold(0.0, f64::max),
            rms: (values.map(square).sum::<f64>() / count).sqrt(),
        }
    }
}

/// One model along the motion.
#[derive(Clone, Debug)]
pub struct Compared {
    /// Torques, one per sample, N m.
    pub torque: Vec<Vec3<f64>>,
    /// Per joint.
    pub joints: [Difference; 3],
    /// Over all joints.
    pub all: Difference,
}

/// All models along the motion.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The samples, with the torques of `exact`.
    pub samples: Vec<Sample>,
    /// The torques of `exact` themselves, per joint and over all.
    pub exact: ([Difference; 3], Difference),
    /// The other models, or why they do not apply.
    pub models: Vec<(ModelName, Result<Compared, ModelDoesNotApply>)>,
}

/// A motion that leaves the workspace.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the motion leaves the workspace at ({}, {}, {}) m, {} s after its start: {source}", human(position[0], 5), human(position[1], 5), human(position[2], 5), human(*t, 4))]
pub struct LeavesWorkspace {
    /// Which motion, from 0.
    pub motion: usize,
    /// When, s.
    pub t: f64,
    /// Where, m.
    pub position: Vec3<f64>,
    /// Which arm, and by how much.
    pub source: KinematicsError,
}

/// Runs every model over the motions, one after the other, with `steps` samples per stroke.
pub fn compare(
    robot: &Delta<f64>,
    branch: Branch,
    motions: &[PickAndPlace],
    steps: u32,
) -> Result<Comparison, LeavesWorkspace> {
    let steps = steps.max(2);
    let others = || ModelName::ALL.into_iter().filter(|&name| name != ModelName::Exact);
    let built: Vec<_> =
        others().map(|name| (name, name.applies_to(robot.parameters()), name.build(robot.parameters()))).collect();
    let mut torques: Vec<Vec<Vec3<f64>>> = vec![Vec::new(); built.len()];
    let mut samples = Vec::new();
    let mut start = 0.0;
    for (motion, path) in motions.iter().enumerate() {
        for k in 0..2 * steps {
            let t = f64::from(k) / f64::from(steps) * path.duration;
            let state = path.at(t);
            let leaves = |source| LeavesWorkspace { motion, t, position: state.position, source };
            let moving = robot
                .at_position(state.position, branch)
                .and_then(|pose| pose.try_moving(state.velocity))
                .map_err(leaves)?;
            samples.push(Sample { t: start + t, motion, state, exact: moving.torque(state.acceleration) });
            for ((_, applies, model), torque) in built.iter().zip(&mut torques) {
                if applies.is_ok() {
                    torque.push(model.as_model().torque(&moving, state.acceleration, Vec3::zero()));
                }
            }
        }
        start += 2.0 * path.duration;
    }
    let joint = |i: usize| Difference::of(samples.iter().map(|sample| sample.exact[i]));
    let exact = ([0, 1, 2].map(joint), Difference::of(samples.iter().flat_map(|sample| sample.exact.0)));
    let models = built
        .into_iter()
        .zip(torques)
        .map(|((name, applies, _), torque)| {
            let compared = applies.map(|()| {
                let differences: Vec<_> =
                    torque.iter().zip(&samples).map(|(tau, sample)| *tau - sample.exact).collect();
                Compared {
                    joints: [0, 1, 2].map(|i| Difference::of(differences.iter().map(|d| d[i]))),
                    all: Difference::of(differences.iter().flat_map(|d| d.0)),
                    torque,
                }
            });
            (name, compared)
        })
        .collect();
    Ok(Comparison { samples, exact, models })
}

impl Comparison {
    /// The motion and the torques of all models as CSV: `t`, the Cartesian state, `tau1…3` of `exact`, and for each
    /// model `tau1_NAME …`.
    pub fn to_csv(&self) -> String {
        let mut names: Vec<String> = "t,x,y,z,vx,vy,vz,ax,ay,az,tau1,tau2,tau3".split(',').map(String::from).collect();
        let applicable: Vec<_> = self
            .models
            .iter()
            .filter_map(|(name, result)| result.as_ref().ok().map(|compared| (name, compared)))
            .collect();
        for (name, _) in &applicable {
            names.extend((1..=3).map(|i| format!("tau{i}_{}", name.as_str())));
        }
        let mut text = names.join(",") + "\n";
        for (k, sample) in self.samples.iter().enumerate() {
            let PlatformState { position, velocity, acceleration } = sample.state;
            let own = [position, velocity, acceleration, sample.exact];
            let others = applicable.iter().map(|(_, compared)| compared.torque[k]);
            let fields: Vec<String> =
                core::iter::once(sample.t).chain(own.into_iter().chain(others).flat_map(|v| v.0)).map(number).collect();
            text += &fields.join(",");
            text.push('\n');
        }
        text
    }

    /// Torques (left) and differences to `exact` (right), one row per joint. Models equal to `exact`, and
    /// those that are off by more than half the largest torque and would flatten all others, are named below.
    pub fn to_chart(&self, title: &str, subtitle: &str, marks: Vec<(f64, String)>) -> Chart {
        let mut series = vec![Series { name: "exact".into(), color: "#000", width: 2.4, dash: "" }];
        let mut notes = Vec::new();
        let mut equal: Vec<&str> = Vec::new();
        let mut drawn: Vec<&Compared> = Vec::new();
        for (name, result) in &self.models {
            match result {
                Err(reason) => notes.push(format!("Not shown: {reason}.")),
                Ok(compared) if compared.all.maximum < 1e-9 * self.exact.1.maximum => equal.push(name.as_str()),
                Ok(compared) if compared.all.maximum > 0.5 * self.exact.1.maximum => notes.push(format!(
                    "Not shown: {}, up to {} N m off (RMS {} N m).",
                    name.as_str(),
                    human(compared.all.maximum, 3),
                    human(compared.all.rms, 3)
                )),
                Ok(compared) => {
                    const DASHES: [&str; 4] = ["", "7 3", "2 3", "9 3 2 3"];
                    let k = drawn.len();
                    series.push(Series {
                        name: format!("{} (RMS {} N m)", name.as_str(), human(compared.all.rms, 3)),
                        color: COLORS[k % COLORS.len()],
                        width: 1.5,
                        dash: DASHES[k % DASHES.len()],
                    });
                    drawn.push(compared);
                }
            }
        }
        if !equal.is_empty() {
            notes.insert(0, format!("Equal to exact, to rounding: {}.", equal.join(", ")));
        }
        let time = |k: usize| self.samples[k].t;
        let line = |series: usize, value: &dyn Fn(usize) -> f64| Line {
            series,
            points: (0..self.samples.len()).map(|k| (time(k), value(k))).collect(),
        };
        let mut panels = Vec::new();
        for i in 0..3 {
            let mut torques = vec![line(0, &|k| self.samples[k].exact[i])];
            let mut differences = vec![line(0, &|_| 0.0)];
            for (s, compared) in drawn.iter().enumerate() {
                torques.push(line(s + 1, &|k| compared.torque[k][i]));
                differences.push(line(s + 1, &|k| compared.torque[k][i] - self.samples[k].exact[i]));
            }
            for (title, y_label, lines) in [
                (format!("Joint {}: torque", i + 1), "torque, N m", torques),
                (format!("Joint {}: model − exact", i + 1), "difference, N m", differences),
            ] {
                let y_range = range_of(lines.iter().flat_map(|line| line.points.iter().map(|point| point.1)));
                panels.push(Panel { title, y_label: y_label.into(), y_range, lines });
            }
        }
        let last = self.samples.last().map_or(1.0, |sample| sample.t);
        Chart {
            title: title.into(),
            subtitle: subtitle.into(),
            x_label: "time, s".into(),
            x_range: (0.0, last),
            columns: 2,
            panels,
            series,
            marks,
            notes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::Direction;
    use crate::robots;

    fn usual(z: f64) -> [PickAndPlace; 2] {
        [Direction::X, Direction::Y].map(|direction| PickAndPlace {
            center: Vec3::new(0.0, 0.0, z),
            width: 0.3,
            height: 0.025,
            duration: 1.0 / 6.0,
            direction,
        })
    }

    /// Section 5 of `docs/errata.md`, computed there by another program: torque max/RMS 57.7/23.9 N m (d3-1200) and
    /// 38.4/18.0 N m (asadi); Codourey's 1/3–2/3 split is off by 1.510/0.640 and 0.420/0.207 N m.
    #[test]
    fn agrees_with_the_table_of_the_errata() {
        let near = |a: f64, b: f64, tolerance: f64| assert!((a - b).abs() < tolerance, "{a} {b}");
        for (robot, z, [max, rms], [off_max, off_rms]) in [
            (robots::d3_1200().unwrap(), -0.85, [57.7, 23.9], [1.510, 0.640]),
            (robots::asadi().unwrap(), -0.45, [38.4, 18.0], [0.420, 0.207]),
        ] {
            let comparison = compare(&robot.delta, Branch::Out, &usual(z), 500).unwrap();
            near(comparison.exact.1.maximum, max, 0.06);
            near(comparison.exact.1.rms, rms, 0.06);
            for (name, result) in &comparison.models {
                let compared = result.as_ref().unwrap();
                match name {
                    ModelName::CodoureySimplified => {
                        near(compared.all.maximum, off_max, 0.002);
                        near(compared.all.rms, off_rms, 0.002);
                    }
                    ModelName::Asadi | ModelName::Bortoff => assert!(compared.all.maximum < 1e-11),
                    _ => {}
                }
            }
        }
    }

    /// The torques of a robot of a few grams have digits in the legend too.
    #[test]
    fn the_legend_shows_small_differences() {
        let mut parameters = *robots::d3_1200().unwrap().delta.parameters();
        parameters.platform_mass *= 1e-4;
        for arm in &mut parameters.arms {
            arm.upper_arm.mass *= 1e-4;
            arm.upper_arm.inertia *= 1e-4;
            arm.forearm.mass *= 1e-4;
            arm.forearm.inertia *= 1e-4;
        }
        let robot = Delta::try_new(parameters).unwrap();
        let comparison = compare(&robot, Branch::Out, &usual(-0.85), 100).unwrap();
        let svg = comparison.to_chart("", "", vec![]).to_svg();
        assert!(svg.contains("codourey-simplified (RMS 6.4") && !svg.contains("RMS 0.00 "), "{svg}");
    }

    #[test]
    fn a_motion_out_of_reach_says_where_and_by_how_much() {
        let robot = robots::asadi().unwrap();
        let error = compare(&robot.delta, Branch::Out, &usual(-0.71), 100).unwrap_err();
        assert!(matches!(error.source, KinematicsError::OutOfReach { .. }));
        assert!(error.to_string().contains("would have to be"), "{error}");
    }
}
