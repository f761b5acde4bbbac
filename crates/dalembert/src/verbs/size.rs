//! `size`: which motors and gears can do a motion.

use super::motion::{LimitViolation, MotionRequest};
use super::prelude::*;
use crate::motion::sizing::{self, Fit, Sizing, SizingCriterion};
use crate::motion::{MotionTable, MotorList, ProfileChoice, Time, is_file, length, worst_violations};

/// Choose motors and gears for a motion that is done over and over.
#[derive(Clone, Debug)]
pub struct SizeRequest {
    /// Which motion.
    pub motion: MotionRequest,
    /// Motors and gears to choose from.
    pub motors: MotorList,
}

impl SizeRequest {
    /// The profile to size with unless another is wanted: the smallest torques where the time is given.
    pub fn usual_profile(time: Option<Time>) -> ProfileChoice {
        if time.is_some() { ProfileChoice::MinimumTorque } else { ProfileChoice::SineOnRamp { ratio: 1.0 } }
    }
}

/// Which combinations are sufficient.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SizeOutcome {
    /// Name of the robot.
    pub robot: String,
    /// Path or file of the motion.
    pub motion: String,
    /// kg.
    pub payload: f64,
    /// From the first to the last state, s.
    pub duration: f64,
    /// Distance of the end from the start, m (rad).
    pub apart: f64,
    /// Limits of the robot file that the motion exceeds.
    pub violations: Vec<LimitViolation>,
    /// Whether the motion is possible and every joint has a motor.
    pub suffices: bool,
    /// Joints that share a motor.
    pub groups: Vec<SizeGroup>,
    /// The motion in one line.
    #[serde(skip)]
    pub caption: String,
    /// Unit of `apart`.
    #[serde(skip)]
    pub unit: &'static str,
    /// The verdict first.
    #[serde(skip)]
    findings: Vec<Finding>,
}

/// Joints that share a motor.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SizeGroup {
    /// From 1.
    pub joints: Vec<usize>,
    /// Whether they slide.
    pub slides: bool,
    /// Whether any combination is sufficient.
    pub suffices: bool,
    /// The smallest motor that suffices, with the gear that leaves the largest margin; or else what lacks least.
    pub best: Option<String>,
    /// Every motor with every gear, in the order of the list.
    pub combinations: Vec<SizeCombination>,
}

/// A motor with a gear.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SizeCombination {
    /// Name of the motor.
    pub motor: String,
    /// Name of the gear.
    pub gear: Option<String>,
    /// Motor speed over joint speed, rad/m of a spindle.
    pub ratio: f64,
    /// Whether the motor is a linear one.
    pub linear: bool,
    /// Whether it can do the motion.
    pub suffices: bool,
    /// The criterion with the least margin.
    pub tightest: TightestCriterion,
    /// Share of the heat that the motor bears.
    pub heat: f64,
    /// W.
    pub peak_power: f64,
    /// W.
    pub mean_power: f64,
    /// All criteria.
    pub criteria: [SizingCriterion; 6],
    #[serde(skip)]
    fit: Fit,
}

/// The criterion with the least margin.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct TightestCriterion {
    /// Its name.
    pub criterion: &'static str,
    /// What there is beyond what is needed, as a share of that; negative: too little.
    pub margin: f64,
}

/// Samples of a motion that is not from a file.
const SAMPLES: usize = 4000;

/// Judges every motor with every gear of a list on a motion.
pub fn size(request: &SizeRequest, observer: &mut dyn Observer) -> Result<SizeOutcome, VerbError> {
    let setup = request.motion.setup()?;
    let (robot, order, mover) = (&setup.robot, &setup.order, &setup.mover);
    let mut note = None;
    let motion = if is_file(&order.path) {
        if let Some(what) = order.beside_file() {
            return Err(VerbError::new("not-of-file", format!("{what} does not go with a motion from a file")));
        }
        let table = MotionTable::read(&order.path, robot).and_then(MotionTable::consistent);
        let table = table.map_err(|error| VerbError { hint: error.hint(), ..VerbError::new("file", error) })?;
        note = table.note().map(|note| format!("{}: {note}", order.path));
        table.targets()
    } else {
        let timed = setup.timed(observer)?;
        note = timed.note.map(|text| format!("{}: {text}", order.path_name())).or(note);
        timed.motion.samples(SAMPLES)
    };
    let sizings = sizing::size(mover, &motion, &request.motors).map_err(|error| setup.cannot(error))?;
    let violations: Vec<LimitViolation> =
        worst_violations(mover, &motion).iter().map(LimitViolation::new).filter(|v| !v.is_tolerated()).collect();
    let [duration, apart] = match &motion[..] {
        [(start, first), .., (end, last)] => {
            let apart: Vec<f64> = last.moved()[0].iter().zip(first.moved()[0]).map(|(a, b)| a - b).collect();
            [end - start, length(&apart)]
        }
        _ => [0.0, 0.0],
    };
    let out_of_range = violations.iter().find(|violation| violation.is_out_of_range());
    let by_tool = motion.first().is_none_or(|(_, target): &(f64, Target)| target.form() == Form::Tool);
    let mut findings = vec![verdict(out_of_range, &sizings)];
    findings.extend(violations.iter().filter(|violation| !violation.is_out_of_range()).map(|violation| {
        let message = format!("{}, at {} s", violation.violation, human(violation.time, 4));
        Finding { message, ..violation.finding() }
    }));
    findings.extend(setup.resized.clone());
    findings.extend(note.map(|note| Finding::new("path-deviation", Severity::Note, note)));
    Ok(SizeOutcome {
        robot: robot.name.clone(),
        motion: order.path.clone(),
        payload: setup.payload,
        duration,
        apart,
        suffices: out_of_range.is_none() && sizings.iter().all(Sizing::suffices),
        violations,
        groups: sizings.into_iter().map(group).collect(),
        caption: setup.caption(),
        unit: if by_tool { "m" } else { by_kind(&mover.joints, ["rad", "m", "rad or m"]) },
        findings,
    })
}

fn group(sizing: Sizing) -> SizeGroup {
    let combination = |fit: &Fit| {
        let (criterion, margin) = fit.tightest();
        SizeCombination {
            motor: fit.motor.clone(),
            gear: fit.gear.clone(),
            ratio: fit.ratio,
            linear: fit.linear,
            suffices: fit.suffices(),
            tightest: TightestCriterion { criterion, margin },
            heat: fit.heat(),
            peak_power: fit.peak_power.needed,
            mean_power: fit.mean_power,
            criteria: fit.criteria(),
            fit: fit.clone(),
        }
    };
    SizeGroup {
        slides: sizing.slides,
        suffices: sizing.suffices(),
        best: sizing.best().map(name),
        combinations: sizing.fits.iter().map(combination).collect(),
        joints: sizing.joints,
    }
}

fn name(fit: &Fit) -> String {
    match &fit.gear {
        Some(gear) => format!("{} with gear {gear}", fit.motor),
        None => format!("{}, direct drive", fit.motor),
    }
}

fn percent(margin: f64) -> String {
    match margin {
        margin if margin.is_infinite() => "–".to_owned(),
        margin => format!("{}{} %", if margin >= 0.0 { "+" } else { "" }, hundredths(margin)),
    }
}

/// A share in whole hundredths, and with a digit where it is less than one half.
fn hundredths(share: f64) -> String {
    let hundredths = 100.0 * share;
    if hundredths.abs() < 0.5 { human(hundredths, 1) } else { fixed(hundredths, 0) }
}

/// Whether there are motors for the motion.
fn verdict(out_of_range: Option<&LimitViolation>, sizings: &[Sizing]) -> Finding {
    if let Some(violation) = out_of_range {
        let (what, at) = (violation.violation, human(violation.time, 4));
        let message = format!("No: the motion is not for this robot, whatever the motor: {what}, at {at} s");
        return Finding { message, severity: Severity::Error, ..violation.finding() };
    }
    let found = |suffices: bool, message: String| match suffices {
        true => Finding::new("motors-sufficient", Severity::Note, message),
        false => Finding::new("no-motor-sufficient", Severity::Warning, message),
    };
    if let [all] = sizings
        && let Some(best) = all.best()
    {
        let (criterion, margin) = best.tightest();
        let verdict = if best.suffices() { "Yes" } else { "No motor is sufficient. The best" };
        let message = format!("{verdict}: {}, {} at the {criterion}", name(best), percent(margin));
        return found(best.suffices(), message).with("margin", margin).with("criterion", criterion);
    }
    let without: Vec<String> = sizings
        .iter()
        .filter(|sizing| !sizing.suffices())
        .flat_map(|sizing| sizing.joints.iter().map(usize::to_string))
        .collect();
    let (joints, s) = (without.join(", "), if without.len() == 1 { "" } else { "s" });
    match without.is_empty() {
        true => found(true, String::from("Yes: there is a motor for each joint")),
        false => found(false, format!("No motor is sufficient for joint{s} {joints}")).with("joints", joints),
    }
}

impl Outcome for SizeOutcome {
    fn metrics(&self) -> Vec<Metric> {
        let all = [("duration", self.duration, "s"), ("suffices", f64::from(u8::from(self.suffices)), "")];
        let mut all: Vec<Metric> = metrics("", all).collect();
        for (group, best) in self.groups.iter().filter_map(|group| Some((group, group.best()?))) {
            let torque = if best.linear { "N" } else { "N m" };
            let of_joint = [
                ("margin", best.tightest.margin, ""),
                ("peak_torque", best.fit.peak_torque.needed, torque),
                ("rms_torque", best.fit.rms_torque.needed, torque),
                ("mean_power", best.mean_power, "W"),
            ];
            group.joints.iter().for_each(|joint| all.extend(metrics(&format!("joint.{joint}."), of_joint)));
        }
        all
    }

    /// The verdict first.
    fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

impl SizeGroup {
    /// The smallest motor that suffices, with the gear that leaves the largest margin; or else what lacks least.
    pub fn best(&self) -> Option<&SizeCombination> {
        self.combinations.iter().max_by(|a, b| a.fit.compare(&b.fit))
    }

    fn joints(&self) -> String {
        self.joints.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
    }
}

impl SizeOutcome {
    /// How long the motion takes, and how often that is.
    pub fn pace(&self) -> String {
        let duration = human(self.duration, 5);
        if self.apart < 1e-6 {
            format!("{duration} s, {} times a minute", human(60.0 / self.duration, 4))
        } else {
            format!("{duration} s, one way: it ends {} {} from where it begins", human(self.apart, 3), self.unit)
        }
    }

    /// All combinations for joints that share a motor, or the best for each joint.
    pub fn table(&self) -> Table {
        if let [SizeGroup { slides, combinations, .. }] = &self.groups[..] {
            let rows = combinations.iter().map(|one| row(&one.fit, *slides, *slides));
            return Table::of("llrrrrrrrrl", head(*slides), rows);
        }
        let units = self.groups.iter().any(|group| group.slides);
        let of =
            |group: &SizeGroup| Some([group.joints()].into_iter().chain(row(&group.best()?.fit, group.slides, units)));
        let head = ["joint"].into_iter().chain(head(units));
        Table::of("rllrrrrrrrrl", head, self.groups.iter().filter_map(of))
    }

    /// Which combination is sufficient for which joint, and with which margin; none where all joints share a motor.
    pub fn margins(&self) -> Option<Table> {
        if self.groups.len() == 1 {
            return None;
        }
        // Joints that slide have other combinations than those that turn.
        let mut combinations: Vec<String> = Vec::new();
        for combination in self.groups.iter().flat_map(|group| group.combinations.iter().map(|one| name(&one.fit))) {
            if !combinations.contains(&combination) {
                combinations.push(combination);
            }
        }
        let row = |combination: String| {
            let of = |group: &SizeGroup| match group.combinations.iter().find(|one| name(&one.fit) == combination) {
                Some(one) if one.suffices => percent(one.tightest.margin),
                Some(_) => String::from("no"),
                None => String::from("–"),
            };
            let margins: Vec<String> = self.groups.iter().map(of).collect();
            [combination].into_iter().chain(margins)
        };
        let head = [String::new()].into_iter().chain(self.groups.iter().map(SizeGroup::joints));
        Some(Table::of(&format!("l{}", "r".repeat(self.groups.len())), head, combinations.into_iter().map(row)))
    }
}

/// Where joints slide the units stand with the numbers.
fn head(units: bool) -> [&'static str; 11] {
    let [joint, peak, rms, speed] = match units {
        true => ["joint", "peak", "RMS", "speed"],
        false => ["joint, N m", "peak, N m", "RMS, N m", "speed, 1/min"],
    };
    ["motor", "gear", joint, peak, rms, "heat", speed, "inertia", "peak, W", "mean, W", "margin"]
}

fn row(fit: &Fit, slides: bool, units: bool) -> [String; 11] {
    let (criterion, margin) = fit.tightest();
    let with = |value: f64, digits: usize, unit: &str| match units {
        true => format!("{} {unit}", human(value, digits)),
        false => human(value, digits),
    };
    let at_motor = if fit.linear { "N" } else { "N m" };
    [
        fit.motor.clone(),
        fit.gear.clone().unwrap_or_else(|| "–".to_owned()),
        with(fit.gear_torque.needed, 3, if slides { "N" } else { "N m" }),
        with(fit.peak_torque.needed, 3, at_motor),
        with(fit.rms_torque.needed, 3, at_motor),
        format!("{} %", hundredths(fit.heat())),
        match fit.linear {
            true => with(fit.speed.needed, 4, "m/s"),
            false => with(fit.speed.needed * 60.0 / std::f64::consts::TAU, 4, "1/min"),
        },
        human(fit.inertia_ratio.needed, 3),
        human(fit.peak_power.needed, 3),
        human(fit.mean_power, 3),
        format!("{} {criterion}", percent(margin)),
    ]
}
