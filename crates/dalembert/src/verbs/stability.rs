//! `stability`: does a robot stay where constant torques hold it?

use super::linear::DryFriction;
use super::prelude::*;
use crate::robot::linear_model::LinearizeError;
use crate::robot::stability::{AtRest, Crossing, Crossings, Equilibrium, Held, Verdict};

/// Stability of a robot under constant torques.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StabilityRequest {
    /// The robot.
    #[serde(with = "super::source")]
    pub robot: Robot,
    /// Find the equilibria under this torque, N m (N), one number per joint.
    #[serde(default)]
    pub torque: Option<Vec<f64>>,
}

/// Stability at poses over the workspace.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[allow(clippy::large_enum_variant)]
pub enum StabilityOutcome {
    /// Of a robot with three alike arms, all at one angle.
    Symmetric(SymmetricStability),
    /// In the middle of the workspace, or at home.
    General(GeneralStability),
}

/// Three alike arms at one angle.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SymmetricStability {
    /// Name of the robot.
    #[serde(rename = "robot")]
    pub name: String,
    /// Angle of all arms where the heave mode changes, rad; of several the one next to the arms hanging down.
    pub symmetric_crossing_rad: Option<f64>,
    /// The same from the closed form.
    pub symmetric_crossing_closed_form_rad: Option<f64>,
    /// Whether the heave mode is stable above it.
    pub stable_above: Option<bool>,
    /// All crossings.
    pub symmetric_crossings: Vec<Crossing>,
    /// Why there is no symmetric pose.
    pub not_symmetric: Option<String>,
    /// Joints that dry friction holds.
    pub dry_friction: Option<DryFriction>,
    /// From −30° to 80°.
    pub symmetric_poses: Vec<SymmetricPose>,
    /// Under the given torque.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equilibria: Option<Vec<EquilibriumPose>>,
    /// The closed form of each crossing, rad.
    #[serde(skip)]
    pub closed_form: Vec<f64>,
    #[serde(skip)]
    robot: Robot,
    #[serde(skip)]
    findings: Vec<Finding>,
}

/// Any other robot.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GeneralStability {
    /// Name of the robot.
    #[serde(rename = "robot")]
    pub name: String,
    /// Joints that dry friction holds.
    pub dry_friction: Option<DryFriction>,
    /// The lowest first.
    pub poses: Vec<WorkspacePose>,
    /// Under the given torque.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equilibria: Option<Vec<EquilibriumPose>>,
    /// Unit of a stiffness.
    #[serde(skip)]
    pub unit: String,
    #[serde(skip)]
    robot: Robot,
    #[serde(skip)]
    findings: Vec<Finding>,
}

/// How stable a robot is at a pose.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PoseStability {
    /// Eigenvalues of the stiffness under a constant torque, N m/rad (N/m), the least first.
    pub stiffnesses: Vec<f64>,
    /// Fastest growth, 1/s.
    pub growth: f64,
    /// Least gain at every joint that takes the instability away, N m/rad.
    pub least_gain: f64,
    /// Whether all directions pull back.
    pub stable: bool,
    /// `stable`, `neutral` or `unstable`.
    pub verdict: &'static str,
    /// Poles that are zero with gravity compensated.
    pub zero_poles_with_gravity_compensation: usize,
    /// Stiffness of all arms together.
    #[serde(skip)]
    pub heave: f64,
}

/// All arms at one angle.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[allow(missing_docs)] // the names say it
pub struct SymmetricPose {
    #[serde(flatten)]
    pub stability: PoseStability,
    pub angle_rad: f64,
    #[serde(skip)]
    pub degrees: f64,
}

/// A pose in the middle of the workspace.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WorkspacePose {
    /// How stable it is.
    #[serde(flatten)]
    pub stability: PoseStability,
    /// Of the tool, m.
    pub position: [f64; 3],
    /// rad (m).
    pub joints: Vec<f64>,
}

/// A pose that given torques hold.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EquilibriumPose {
    /// rad (m).
    pub joints: Vec<f64>,
    /// Of the tool, m.
    pub position: [f64; 3],
    /// The least, N m/rad (N/m).
    pub stiffness: f64,
    /// 1/s.
    pub growth: f64,
    /// Whether all directions pull back.
    pub stable: bool,
    /// `stable`, `neutral` or `unstable`.
    pub verdict: &'static str,
    /// Whether the joints are within their ranges.
    pub within_joint_ranges: bool,
}

impl PoseStability {
    fn new(robot: &Robot, rest: &AtRest) -> Result<Self, VerbError> {
        let (stiffnesses, growth, least_gain) = (rest.stiffnesses(), rest.growth(), rest.least_gain());
        let numbers = stiffnesses.iter().copied().chain([growth, least_gain]);
        require_finite(&robot.name, "stiffness or growth", numbers)?;
        Ok(Self {
            stiffnesses,
            growth,
            least_gain,
            stable: rest.verdict() == Verdict::Stable,
            verdict: rest.verdict().as_str(),
            zero_poles_with_gravity_compensation: rest.gravity_compensated().zero_poles(),
            heave: rest.heave(),
        })
    }
}

fn equilibria(robot: &Robot, found: &[Equilibrium]) -> Vec<EquilibriumPose> {
    let inside = |([low, high], &q): ([f64; 2], &f64)| (low..=high).contains(&q);
    let ranges: Vec<[f64; 2]> = robot.joints().iter().map(|joint| joint.limits.range).collect();
    let one = |e: &Equilibrium| EquilibriumPose {
        joints: e.joints.to_vec(),
        position: e.position.0,
        stiffness: e.stiffness,
        growth: e.growth,
        stable: e.verdict == Verdict::Stable,
        verdict: e.verdict.as_str(),
        within_joint_ranges: ranges.iter().copied().zip(e.joints.iter()).all(inside),
    };
    found.iter().map(one).collect()
}

/// Stiffness, growth and least gain under the torques that hold each pose, and the equilibria under a given torque.
pub fn stability(request: &StabilityRequest, observer: &mut dyn Observer) -> Result<StabilityOutcome, VerbError> {
    let robot = &request.robot;
    let joints = robot.joints();
    if let Some(torque) = request.torque.as_ref().filter(|torque| torque.len() != joints.len()) {
        let message = format!("{} torques are needed, here are {}", joints.len(), torque.len());
        return Err(VerbError::new("torque", message));
    }
    stage(observer, 0.0, "stability")?;
    let torque = request.torque.as_deref().map(JointVector::new);
    let dry_friction = DryFriction::new(&joints, &vec![0.0; joints.len()]);
    let findings: Vec<Finding> = dry_friction.iter().map(|friction| friction.finding(false)).collect();
    let Some(stability) = robot.stability() else {
        let held = held(robot)?;
        let pose = |state: &State| {
            Ok(WorkspacePose {
                stability: PoseStability::new(robot, &held.at(state).map_err(failed("stability", &robot.name))?)?,
                position: state.tool.pose.origin.0,
                joints: state.joints.q.to_vec(),
            })
        };
        let units = |of: fn(JointUnits) -> &'static str| units_of(&joints, of);
        let starts = torque.as_ref().map(|_| heights(robot, 24)).transpose()?;
        return Ok(StabilityOutcome::General(GeneralStability {
            name: robot.name.clone(),
            dry_friction,
            poses: heights(robot, 12)?.iter().map(pose).collect::<Result<_, VerbError>>()?,
            equilibria: torque.zip(starts).map(|(tau, from)| equilibria(robot, &held.equilibria(&tau, &from))),
            unit: format!("{} per {}", units(|of| of.torque), units(|of| of.position)),
            robot: robot.clone(),
            findings,
        }));
    };
    let (crossings, not_symmetric) = match stability.crossings() {
        Ok(crossings) => (crossings, None),
        Err(reason) => (Crossings { closed_form: Vec::new(), numerical: Vec::new() }, Some(reason.to_string())),
    };
    let Crossings { closed_form, numerical } = crossings;
    let pose = |k: i32| {
        let degrees = 10.0 * f64::from(k);
        let rest = stability.with_arms_at(degrees.to_radians())?;
        Some(PoseStability::new(robot, &rest).map(|stability| SymmetricPose {
            stability,
            angle_rad: degrees.to_radians(),
            degrees,
        }))
    };
    Ok(StabilityOutcome::Symmetric(SymmetricStability {
        name: robot.name.clone(),
        symmetric_crossing_rad: numerical.first().map(|c| c.angle),
        symmetric_crossing_closed_form_rad: closed_form.first().map(|c| c.angle),
        stable_above: numerical.first().map(|c| c.stable_above),
        symmetric_crossings: numerical,
        not_symmetric,
        dry_friction,
        symmetric_poses: (-3..=8).filter_map(pose).collect::<Result<_, VerbError>>()?,
        equilibria: torque.map(|torque| equilibria(robot, &stability.equilibria(&torque))),
        closed_form: closed_form.iter().map(|c| c.angle).collect(),
        robot: robot.clone(),
        findings,
    }))
}

fn held(robot: &Robot) -> Result<Held<'_>, VerbError> {
    Held::of(robot.family()).map_err(failed("stability", &robot.name))
}

/// Poses straight below and above each other in the middle of the workspace, lowest first; home alone where nothing says how far it is.
fn heights(robot: &Robot, count: u32) -> Result<Vec<State>, VerbError> {
    let home = robot.home().map_err(failed("no-home", &robot.name))?;
    let Some(workspace) = robot.workspace() else { return Ok(vec![home]) };
    let [low, high] = workspace.heights;
    let at = |k: u32| {
        // Not at the very ends, which are singular.
        let share = (f64::from(k) + 0.5) / f64::from(count);
        let mut tool = home.tool;
        tool.pose.origin = Vec3::new(workspace.center[0], workspace.center[1], low + share * (high - low));
        robot.at_tool(&tool, &home.pick).ok()
    };
    let states: Vec<State> = (0..count).filter_map(at).collect();
    Ok(if states.is_empty() { vec![home] } else { states })
}

impl Outcome for StabilityOutcome {
    fn metrics(&self) -> Vec<Metric> {
        let (crossing, poses): (_, Vec<&PoseStability>) = match self {
            Self::Symmetric(own) => {
                (own.symmetric_crossing_rad, own.symmetric_poses.iter().map(|pose| &pose.stability).collect())
            }
            Self::General(own) => (None, own.poses.iter().map(|pose| &pose.stability).collect()),
        };
        let growth = poses.iter().map(|pose| pose.growth).fold(0.0, f64::max);
        let gain = poses.iter().map(|pose| pose.least_gain).fold(0.0, f64::max);
        let stable = poses.iter().filter(|pose| pose.stable).count() as f64 / poses.len() as f64;
        let crossing = crossing.map(|angle| ("symmetric_crossing", angle, "rad"));
        let numbers = [("growth", growth, "1/s"), ("least_gain", gain, ""), ("stable", stable, "")];
        metrics("", crossing.into_iter().chain(numbers)).collect()
    }

    fn findings(&self) -> &[Finding] {
        match self {
            Self::Symmetric(own) => &own.findings,
            Self::General(own) => &own.findings,
        }
    }
}

impl StabilityOutcome {
    /// Stiffness and growth over the angle of all arms, or over the height.
    pub fn chart(&self) -> Result<Chart, VerbError> {
        let own = match self {
            Self::Symmetric(own) => own,
            Self::General(GeneralStability { name, robot, .. }) => {
                let held = held(robot)?;
                let pose = |state: State| Ok((state.tool.pose.origin[2], held.at(&state)?));
                let poses = heights(robot, 200)?.into_iter().map(pose).collect::<Result<Vec<_>, LinearizeError>>();
                let poses = poses.map_err(failed("stability", name))?;
                let least: Curve<'_> = ("least stiffness", &|rest| rest.stiffnesses()[0]);
                let panels = [("Least stiffness", "SI"), ("Fastest growth", "1/s")];
                return Ok(draw([name, "in the middle of the workspace", "height, m"], panels, &poses, &[least]));
            }
        };
        let at = |degrees: f64| Some((degrees, own.robot.stability()?.with_arms_at(degrees.to_radians())?));
        let poses: Vec<_> = (-120..=340).filter_map(|k| at(0.25 * f64::from(k))).collect();
        // Of a symmetric robot two eigenvalues of K are equal and have names.
        let lateral = |rest: &AtRest| (0..3).map(|i| rest.stiffness[(i, i)]).sum::<f64>() / 2.0 - rest.heave() / 2.0;
        let curves: &[Curve<'_>] = match own.not_symmetric {
            None => &[("heave: all arms together", &AtRest::heave), ("lateral: arms against each other", &lateral)],
            Some(_) => &[
                ("least stiffness", &|rest| rest.stiffnesses()[0]),
                ("middle stiffness", &|rest| rest.stiffnesses()[1]),
                ("largest stiffness", &|rest| rest.stiffnesses()[2]),
            ],
        };
        let words = [&own.name, "all arms at one angle", "angle of the arms, deg (0 horizontal, 90 straight down)"];
        let panels = [("Stiffness", "N m/rad"), ("Fastest growth", "1/s")];
        let degrees = own.symmetric_crossings.iter().map(|c| c.angle.to_degrees());
        let marks = degrees.map(|degrees| (degrees, format!("{degrees:.2}°"))).collect();
        Ok(Chart { marks, ..draw(words, panels, &poses, curves) })
    }
}

/// A stiffness by name.
type Curve<'a> = (&'static str, &'a dyn Fn(&AtRest) -> f64);

/// Stiffnesses and growth over a coordinate of poses; `words`: the robot, which poses, the coordinate.
fn draw(
    [name, what, x_label]: [&str; 3],
    panels: [(&str, &str); 2],
    poses: &[(f64, AtRest)],
    curves: &[Curve<'_>],
) -> Chart {
    let line = |series: usize, value: &dyn Fn(&AtRest) -> f64| Line {
        series,
        points: poses.iter().map(|(x, rest)| (*x, value(rest))).collect(),
    };
    // In the legend growth and zero follow the first two.
    let first = curves.len().min(2);
    let mut legend: Vec<_> =
        curves.iter().zip([0, 1, 3]).map(|((name, _), k)| Series::new(*name, COLORS[k], 1.8)).collect();
    legend.splice(first..first, [Series::new("growth", COLORS[2], 1.8), Series::new("zero", "#999", 0.8)]);
    let places = (0..first).chain([first + 2]);
    let mut stiffness: Vec<Line> = curves.iter().zip(places).map(|((_, value), k)| line(k, value)).collect();
    stiffness.push(line(first + 1, &|_| 0.0));
    let lines = [stiffness, vec![line(first, &AtRest::growth)]];
    let ends = (poses.first().map_or(0.0, |pose| pose.0), poses.last().map_or(1.0, |pose| pose.0));
    let subtitle = format!("{what}; unstable where a stiffness is negative");
    Chart {
        panels: panels.into_iter().zip(lines).map(|((title, unit), lines)| Panel::new(title, unit, lines)).collect(),
        series: legend,
        ..Chart::new(format!("{name}: stability under a constant torque"), subtitle, x_label, ends)
    }
}
