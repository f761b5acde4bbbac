//! `sensitivity`: sensitivity of the torque to each parameter, at a state or over a motion, and what tolerances do to it.

use super::prelude::*;
use super::states::TimedState;
use crate::analyze::sensitivity::{
    Contribution, MonteCarloResult, OverMotion, Parameter, ParameterTorque, Size, monte_carlo, over_motion,
    sensitivities,
};
use crate::analyze::weights::Weights;
use crate::report::chart::BarChart;
use crate::report::text::number;

/// Differentiate torques with respect to every parameter and propagate tolerances.
#[derive(Clone, Debug)]
pub struct SensitivityRequest {
    /// The robot.
    pub robot: Robot,
    /// One state, or those of a motion.
    pub states: Vec<TimedState>,
    /// The motion in words; none: there is one state.
    pub motion: Option<String>,
    /// Parameters of every arm of a Delta by themselves, instead of all three alike.
    pub per_arm: bool,
    /// Tolerance of lengths, masses, inertias and friction, percent; none: those of the file, or 1 where it has none.
    pub tolerance: Option<f64>,
    /// Tolerance of every angle, rad.
    pub angle_tolerance: f64,
    /// Monte Carlo samples; none: 20,000, over a motion 1,000.
    pub samples: Option<u64>,
    /// Seed of the samples.
    pub seed: u64,
}

impl SensitivityRequest {
    /// About one state, with the usual tolerances and samples.
    pub fn new(robot: Robot, state: impl Into<TimedState>) -> Self {
        let states = vec![state.into()];
        Self {
            robot,
            states,
            motion: None,
            per_arm: false,
            tolerance: None,
            angle_tolerance: 0.0,
            samples: None,
            seed: 1,
        }
    }

    /// Half widths, one per parameter.
    fn half_widths(&self, torque: &dyn ParameterTorque) -> Result<Vec<f64>, VerbError> {
        let parameters = torque.parameters();
        let percent = self.tolerance.or(assumes(torque).then_some(ASSUMED));
        if let Some(percent) = percent.filter(|percent| !(0.0..100.0).contains(percent)) {
            let problem = format!("tolerance is {percent} %, but must be zero or positive and below 100");
            let hint = "beyond that masses and lengths would be negative";
            return Err(VerbError::new("tolerance", problem).hint(hint));
        }
        let angle = self.angle_tolerance;
        if !(0.0..std::f64::consts::FRAC_PI_2).contains(&angle) {
            return Err(VerbError::new("angle-tolerance", "angle-tolerance must be below 90 deg"));
        }
        let width = |parameter: &Parameter| match percent {
            Some(percent) => parameter.half_width(percent / 100.0, angle),
            None => parameter.half_width.max(parameter.half_width(0.0, angle)),
        };
        Ok(parameters.iter().map(width).collect())
    }
}

/// Percent, of what has a tolerance that neither request nor file gives.
const ASSUMED: f64 = 1.0;

/// Whether the file gives no tolerance.
fn assumes(torque: &dyn ParameterTorque) -> bool {
    torque.parameters().iter().all(|parameter| parameter.half_width == 0.0)
}

/// Numbers of each joint: at a state, or root mean square and largest over a motion.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[allow(missing_docs)] // the names say it
pub enum JointNumbers {
    State(Vec<f64>),
    Motion(Size),
}

/// Sensitivities and tolerances of torques, N m (N).
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SensitivityOutcome {
    /// Name of the robot.
    pub robot: String,
    /// The motion in words.
    pub motion: Option<String>,
    /// How many.
    pub states: usize,
    /// What means are taken over: `time` or `rows`.
    pub means_over: Option<&'static str>,
    /// Of the torque of each joint.
    pub units: Vec<&'static str>,
    /// The torque itself.
    pub torque: JointNumbers,
    /// In the order of the file.
    pub parameters: Vec<ParameterSensitivity>,
    /// Tolerances of the torque to first order.
    pub first_order: FirstOrderTolerance,
    /// Tolerances of the torque by sampling.
    pub monte_carlo: Option<MonteCarloTolerance>,
    /// Where the tolerances are from that nobody gave.
    pub findings: Vec<Finding>,
    /// The weights of the states in words.
    #[serde(skip)]
    pub weighing: &'static str,
    #[serde(skip)]
    over: OverMotion,
}

/// The torque's sensitivity to a parameter.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ParameterSensitivity {
    /// Key of the file.
    pub name: String,
    /// SI.
    pub unit: &'static str,
    /// Value.
    pub value: f64,
    /// Half width of its tolerance.
    pub tolerance: f64,
    /// ∂τ/∂p.
    pub torque_derivative: JointNumbers,
    /// Change of the torque for the tolerance.
    pub torque_change: JointNumbers,
    /// The largest change at any joint and state.
    #[serde(skip)]
    pub effect: f64,
}

/// Tolerances of the torque to first order.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FirstOrderTolerance {
    /// By root of squares.
    pub combined: JointNumbers,
    /// Everything at its worst at once.
    pub worst: JointNumbers,
}

/// Tolerances of the torque by sampling.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MonteCarloTolerance {
    /// How many.
    pub samples: u64,
    /// The same numbers again.
    pub seed: u64,
    /// Samples in which the robot cannot be in the state or do the motion.
    pub failed: u64,
    /// Of the others.
    #[serde(flatten)]
    pub statistics: MonteCarloStatistics,
}

/// None where every sample failed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[allow(missing_docs)] // the names say it
pub enum MonteCarloStatistics {
    State { mean: Option<Vec<f64>>, standard_deviation: Option<Vec<f64>>, range: Option<Vec<[f64; 2]>> },
    Motion { standard_deviation: Option<Size>, largest_difference: Option<Vec<f64>> },
}

/// Derivatives of the torque with respect to every parameter, and what tolerances do to it.
pub fn sensitivity(request: &SensitivityRequest, observer: &mut dyn Observer) -> Result<SensitivityOutcome, VerbError> {
    let robot = &request.robot;
    if request.per_arm && robot.kind().tool_turns == ToolTurns::Freely {
        let message = "per_arm is for Delta robots: the links of a serial arm have their own parameters anyway";
        return Err(VerbError::new("per-arm", message));
    }
    let states: Vec<_> = request.states.iter().map(|row| (row.state.clone(), row.wrench)).collect();
    let torque = robot.torque_of_parameters(&states, request.per_arm);
    let torque = torque.map_err(|error| VerbError::new("sensitivity", error))?;
    let (torque, moving) = (&*torque, request.motion.is_some());
    let times: Vec<Option<f64>> = request.states.iter().map(|row| row.time.filter(|_| moving)).collect();
    let weights = Weights::of(&times).map_err(failed("times", &robot.name));
    let weights = weights.map_err(|error| error.hint("without a column `t` all rows count alike"))?;
    let widths = request.half_widths(torque)?;
    observer.progress(0.0, "differentiating and sampling");
    let units = torque.units();
    let nominal: Vec<f64> = torque.torque(&vec![0.0; widths.len()]);
    if let Some(k) = nominal.iter().position(|tau| !tau.is_finite()) {
        let message = format!("state {} has no torque: {}", k / units.len() + 1, nominal[k]);
        return Err(VerbError::new("not-finite", message));
    }
    let over = over_motion(torque, &widths, &weights);
    require_finite_effects(robot, &over)?;
    let parameter = |(c, signed): (&Contribution, Option<Vec<f64>>)| {
        let change = c.change();
        let (torque_derivative, torque_change) = match signed {
            Some(signed) => {
                let change = signed.iter().map(|t| t * c.half_width).collect();
                (JointNumbers::State(signed), JointNumbers::State(change))
            }
            None => (JointNumbers::Motion(c.slope.clone()), JointNumbers::Motion(change.clone())),
        };
        ParameterSensitivity {
            name: c.parameter.name.clone(),
            unit: c.parameter.unit,
            value: c.parameter.value,
            tolerance: c.half_width,
            torque_derivative,
            torque_change,
            effect: change.maximum.iter().fold(0.0_f64, |m, x| m.max(*x)),
        }
    };
    let signed: Vec<Option<Vec<f64>>> = match moving {
        true => vec![None; over.contributions.len()],
        false => sensitivities(torque).into_iter().map(|s| Some(s.torque)).collect(),
    };
    let size = |size: &Size, state: &[f64]| match moving {
        true => JointNumbers::Motion(size.clone()),
        false => JointNumbers::State(state.to_vec()),
    };
    let samples = request.samples.unwrap_or(if moving { 1000 } else { 20_000 });
    let sampled = (samples > 0).then(|| monte_carlo(torque, &widths, samples, request.seed));
    let assumed = (request.tolerance.is_none() && assumes(torque)).then(|| {
        let what = "of every length, mass, inertia and friction: neither the file nor the request gives any";
        let text = format!("a tolerance of ± {ASSUMED} % is assumed {what}");
        Finding::new("assumed-tolerance", Severity::Note, text).with("percent", ASSUMED)
    });
    Ok(SensitivityOutcome {
        findings: assumed.into_iter().collect(),
        robot: robot.name.clone(),
        motion: request.motion.clone(),
        states: request.states.len(),
        means_over: moving.then(|| weights.weighing.as_str()),
        torque: size(&over.torque, &nominal),
        parameters: over.contributions.iter().zip(signed).map(parameter).collect(),
        first_order: FirstOrderTolerance {
            combined: size(&over.combined, &over.combined.rms),
            worst: size(&over.worst, &over.worst.rms),
        },
        monte_carlo: sampled.map(|sampled| MonteCarloTolerance {
            samples,
            seed: request.seed,
            failed: sampled.failed,
            statistics: statistics(sampled, moving.then_some(&weights), units.len()),
        }),
        weighing: weights.weighing.text(),
        units,
        over,
    })
}

fn statistics(sampled: MonteCarloResult, motion: Option<&Weights>, joints: usize) -> MonteCarloStatistics {
    if let Some(weights) = motion {
        let (standard_deviation, largest_difference) = sampled.over(joints, weights).unzip();
        return MonteCarloStatistics::Motion { standard_deviation, largest_difference };
    }
    let found = sampled.statistics.map(|s| (s.mean, (s.deviation, s.range))).unzip();
    let (mean, (standard_deviation, range)) = (found.0, found.1.unzip());
    MonteCarloStatistics::State { mean, standard_deviation, range }
}

fn require_finite_effects(robot: &Robot, over: &OverMotion) -> Result<(), VerbError> {
    let sizes = |size: &Size| size.rms.iter().chain(&size.maximum).copied().collect::<Vec<_>>();
    for contribution in &over.contributions {
        let name = format!("the effect of {}", contribution.parameter.name);
        require_finite(&robot.name, &name, sizes(&contribution.change()))?;
    }
    let all = [&over.torque, &over.combined, &over.worst].map(sizes).concat();
    require_finite(&robot.name, "the effect of all tolerances", all)
}

impl Outcome for SensitivityOutcome {
    fn findings(&self) -> &[Finding] {
        &self.findings
    }

    fn metrics(&self) -> Vec<Metric> {
        let OverMotion { torque, combined, worst, .. } = &self.over;
        let sizes = [("torque.rms", torque), ("tolerance.combined", combined), ("tolerance.worst", worst)];
        let of = |(i, unit): (usize, &&'static str)| {
            metrics("joint.", sizes.map(|(name, size)| (format!("{}.{name}", i + 1), size.rms[i], *unit)))
        };
        self.units.iter().enumerate().flat_map(of).collect()
    }
}

impl SensitivityOutcome {
    /// Parameters with an effect, the largest first.
    pub fn ranked(&self) -> Vec<&ParameterSensitivity> {
        let most = self.parameters.iter().map(|parameter| parameter.effect).fold(0.0, f64::max);
        // What is only rounding is nothing.
        let mut ranked: Vec<_> = self.parameters.iter().filter(|parameter| parameter.effect > 1e-12 * most).collect();
        ranked.sort_by(|a, b| b.effect.total_cmp(&a.effect));
        ranked
    }

    /// The largest contributions as bars.
    pub fn chart(&self) -> BarChart {
        let title = format!("{}: what tolerances do to the torques", self.robot);
        let subtitle = match &self.motion {
            Some(what) => format!("{what}; {} states", self.states),
            None => String::from("at one state"),
        };
        self.over.to_chart(title, subtitle, &self.units, self.motion.is_some())
    }

    /// All derivatives as CSV.
    pub fn to_csv(&self) -> String {
        let columns: &[_] = match self.motion {
            Some(_) => &[("dtau", "_rms"), ("dtau", "_max"), ("change", "_rms"), ("change", "_max")],
            None => &[("dtau", "")],
        };
        let joints = 1..=self.units.len();
        let names = columns.iter().flat_map(|(stem, end)| joints.clone().map(move |i| format!(",{stem}{i}{end}")));
        let mut text = format!("parameter,unit,value,tolerance{}\n", names.collect::<String>());
        for p in &self.parameters {
            let values: Vec<f64> = match (&p.torque_derivative, &p.torque_change) {
                (JointNumbers::State(derivative), _) => derivative.clone(),
                (JointNumbers::Motion(slope), JointNumbers::Motion(change)) => {
                    [&slope.rms[..], &slope.maximum, &change.rms, &change.maximum].concat()
                }
                _ => Vec::new(),
            };
            let numbers: String =
                [p.value, p.tolerance].iter().chain(&values).map(|&x| format!(",{}", number(x))).collect();
            text += &format!("{},{}{numbers}\n", p.name, p.unit);
        }
        text
    }

    /// Torque and all its tolerances: what, and one number per joint.
    pub fn totals(&self) -> Vec<(&'static str, Vec<f64>)> {
        let OverMotion { torque, combined, worst, .. } = &self.over;
        let normal = combined.times(1.0 / 3f64.sqrt()).rms;
        let mut rows = match &self.torque {
            JointNumbers::State(nominal) => vec![
                ("torque", nominal.clone()),
                ("± combined, first order", combined.rms.clone()),
                ("± worst case, first order", worst.rms.clone()),
            ],
            JointNumbers::Motion(_) => vec![
                ("torque, RMS", torque.rms.clone()),
                ("torque, largest", torque.maximum.clone()),
                ("± combined, first order, RMS", combined.rms.clone()),
                ("± combined, first order, largest", combined.maximum.clone()),
                ("± worst case, first order, RMS", worst.rms.clone()),
                ("± worst case, first order, largest", worst.maximum.clone()),
            ],
        };
        match self.monte_carlo.as_ref().map(|sampled| &sampled.statistics) {
            Some(MonteCarloStatistics::State { standard_deviation: Some(deviation), range: Some(range), .. }) => {
                rows.push(("standard deviation, first order", normal));
                rows.push(("standard deviation, sampled", deviation.clone()));
                rows.push(("least sampled", range.iter().map(|r| r[0]).collect()));
                rows.push(("largest sampled", range.iter().map(|r| r[1]).collect()));
            }
            Some(MonteCarloStatistics::Motion {
                standard_deviation: Some(deviation),
                largest_difference: Some(largest),
            }) => {
                rows.push(("standard deviation, first order, RMS", normal));
                rows.push(("standard deviation, sampled, RMS", deviation.rms.clone()));
                rows.push(("largest difference sampled", largest.clone()));
            }
            _ => {}
        }
        rows
    }
}
