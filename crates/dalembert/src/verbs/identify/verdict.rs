//! The verdict: one table of rules, each with its limits, its sentence and its advice.
//!
//! A rule looks for cases. The measure of a case against the rule's limits is its grade; the numbers of a case fill the `{places}` of
//! the sentence and of the advice.

use super::IdentifyOutcome;
use super::evidence::{self, Evidence, ResidualCause};
use crate::identify::columns::FitMode;
use crate::identify::diagnostics::{Clipped, Diagnosis, Fault};
use crate::identify::fit::LONGEST_DELAY;
use crate::identify::prepare::{Health, LoggedRates};
use crate::report::text::human;
use crate::verbs::{Finding, FindingValue, Severity};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// How grave a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// As it should be.
    Good,
    /// Worth knowing.
    Note,
    /// The result suffers.
    Weak,
    /// The result must not be used.
    Bad,
}

impl Grade {
    /// As JSON has it.
    pub fn as_str(self) -> &'static str {
        ["good", "note", "weak", "bad"][self as usize]
    }
}

impl Serialize for Grade {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A finding of the verdict.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct IdentifyFinding {
    /// How grave it is.
    pub grade: Grade,
    /// In short: `thin excitation`.
    pub name: String,
    /// What was found, with its numbers.
    pub text: String,
    /// What to do; may be empty.
    pub advice: String,
    /// In kebab-case: `thin-excitation`.
    pub code: &'static str,
    /// The numbers and names of the sentence.
    pub values: BTreeMap<Cow<'static, str>, FindingValue>,
}

impl IdentifyFinding {
    /// As every verb has findings.
    pub fn common(&self) -> Finding {
        let severity = match self.grade {
            Grade::Good | Grade::Note => Severity::Note,
            Grade::Weak => Severity::Warning,
            Grade::Bad => Severity::Error,
        };
        Finding { code: self.code.into(), severity, message: self.text.clone(), values: self.values.clone() }
    }
}

/// What a rule found: a measure for its grade, and what its sentence says.
pub(super) struct Case {
    pub measure: f64,
    /// In place of the rule's code.
    code: Option<&'static str>,
    /// In place of the rule's advice.
    advice: Option<Cow<'static, str>>,
    values: BTreeMap<Cow<'static, str>, FindingValue>,
    texts: Vec<(&'static str, String)>,
}

pub(super) fn case(measure: f64) -> Case {
    Case { measure, code: None, advice: None, values: BTreeMap::new(), texts: Vec::new() }
}

impl Case {
    /// A number, said with so many digits.
    pub fn number(mut self, name: &'static str, value: f64, digits: usize) -> Self {
        self.values.insert(name.into(), value.into());
        self.texts.push((name, human(value, digits)));
        self
    }

    pub fn joint(self, joint: usize) -> Self {
        self.number("joint", (joint + 1) as f64, 3)
    }

    pub fn text(mut self, name: &'static str, value: impl Into<String>) -> Self {
        let value = value.into();
        self.values.insert(name.into(), value.clone().into());
        self.texts.push((name, value));
        self
    }

    fn advice(mut self, advice: impl Into<Cow<'static, str>>) -> Self {
        self.advice = Some(advice.into());
        self
    }

    fn said(&self, sentence: &str) -> String {
        self.texts.iter().fold(sentence.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
    }
}

/// A rule: what is looked for, how grave it is, what is said.
struct Rule<E> {
    code: &'static str,
    /// Measures above these are good, a note, weak, bad.
    limits: [f64; 4],
    sentence: &'static str,
    advice: &'static str,
    cases: fn(&E) -> Vec<Case>,
}

impl<E> Rule<E> {
    fn findings(&self, evidence: &E) -> Vec<IdentifyFinding> {
        const GRADES: [Grade; 4] = [Grade::Good, Grade::Note, Grade::Weak, Grade::Bad];
        let finding = |case: Case| {
            let grade = (0..4).rev().find(|&k| case.measure > self.limits[k]).map(|k| GRADES[k])?;
            let code = case.code.unwrap_or(self.code);
            let advice = case.said(case.advice.as_deref().unwrap_or(self.advice));
            let text = case.said(self.sentence);
            Some(IdentifyFinding { grade, name: code.replace('-', " "), text, advice, code, values: case.values })
        };
        (self.cases)(evidence).into_iter().filter_map(finding).collect()
    }
}

const NEVER: f64 = f64::INFINITY;
/// Whatever the measure.
const NOTE: [f64; 4] = [NEVER, f64::NEG_INFINITY, NEVER, NEVER];
const WEAK: [f64; 4] = [NEVER, NEVER, f64::NEG_INFINITY, NEVER];
const BAD: [f64; 4] = [NEVER, NEVER, NEVER, f64::NEG_INFINITY];
/// Measures 1 and 2.
const WEAK_OR_BAD: [f64; 4] = [NEVER, NEVER, 0.5, 1.5];

/// Residual on held-out data, in per cent: up to the first good, up to the second usable, beyond the third bad.
const LEVELS: [f64; 3] = [10.0, 20.0, 35.0];
/// Residual on the fitted data: above the first the torques are not explained well, above the second not at all.
pub(super) const UNEXPLAINED: [f64; 2] = [20.0, 35.0];
/// The same of one joint; and of one whose torque is small compared with the others', which in many a sound log is mostly noise.
pub(super) const LOST: [f64; 2] = [45.0, 70.0];
const LOST_OF_SMALL: [f64; 2] = [90.0, 120.0];
/// Delays of the torque, ms: above the first they are odd, above the second torque and motion do not belong together.
const LATE: [f64; 2] = [15.0, 30.0];
/// Share of the torques at their limit: above the first the fit suffers, above the second it is one of the limit.
const CUT: [f64; 2] = [0.05, 0.15];
/// Condition number of the base regressor with columns of length 1 beyond which excitation is thin.
const THIN: f64 = 200.0;
/// Measured torques over those of the robot file's bodies, either way, where all joints agree: above the first the file is a guess or
/// the unit is wrong, above the second it is the unit. The same of the joint that is least off where they differ, and of one joint.
const OTHER_SIZE: [f64; 2] = [1.6, 4.0];
pub(super) const OTHER_SIZES: [f64; 2] = [8.0, 50.0];
pub(super) const ONE_SIZE: [f64; 2] = [5.0, 20.0];

const CHECK_JOINT: &str = "check the sign, unit and order of its position and torque, its gear and its zero offset";
const EXCITE: &str =
    "measure along an optimal excitation trajectory; the robot file decides what the log does not determine";

/// A log and its quality.
pub(crate) struct LogEvidence<'a> {
    pub name: &'a str,
    pub health: &'a Health,
}

impl LogEvidence<'_> {
    /// Rules on a log by itself.
    const RULES: [Rule<Self>; 12] = [
        Rule {
            code: "stamps",
            limits: [NEVER, 0.0, 0.01, NEVER],
            sentence: "{log}: {rows} rows are not later than the row before and were left out",
            advice: "are several runs in one file? Give them as several logs",
            cases: |e| {
                let share = e.health.backward as f64 / e.health.rows.max(1) as f64;
                vec![case(share).text("log", e.name).number("rows", e.health.backward as f64, 9)]
            },
        },
        Rule {
            code: "rates",
            limits: NOTE,
            sentence: "{log}: velocities and accelerations are those of the log, which has only {rate} rows per second",
            advice: "",
            cases: |e| {
                let used = e.health.rates == Some(LoggedRates::Used);
                let one = || case(1.0).text("log", e.name).number("rate", 1.0 / e.health.step, 3);
                used.then(one).into_iter().collect()
            },
        },
        Rule {
            code: "rates",
            limits: WEAK,
            sentence: "{log}: the logged velocities and accelerations of joint {joint} are inconsistent with its positions ({velocity} % and \
                   {acceleration} % off); all were computed from the positions",
            advice: "are they in the same unit, measured, and of the same time?",
            cases: |e| match e.health.rates {
                Some(LoggedRates::Apart { joint, off: [velocity, acceleration] }) => {
                    let one = case(1.0).text("log", e.name).joint(joint);
                    vec![one.number("velocity", 100.0 * velocity, 3).number("acceleration", 100.0 * acceleration, 3)]
                }
                _ => Vec::new(),
            },
        },
        Rule {
            code: "missing-numbers",
            limits: [NEVER, 0.0, 0.2, NEVER],
            sentence: "{log}: of {rows} rows some have no number and were left out: {list}",
            advice: "",
            cases: evidence::missing_numbers,
        },
        Rule {
            code: "wrapped",
            limits: [NEVER, 0.0, NEVER, NEVER],
            sentence: "{log}: the positions of joint {joint} jump by a turn {jumps} times and were unwrapped",
            advice: "",
            cases: |e| each(e, &e.health.wrapped, |jumps| case(*jumps as f64).number("jumps", *jumps as f64, 9)),
        },
        Rule {
            code: "repeated-rows",
            limits: [NEVER, 1.0, NEVER, NEVER],
            sentence: "{log}: positions and torques repeat for {rows} rows at a time; one of them was used",
            advice: "log as fast as they are measured",
            cases: |e| {
                vec![case(e.health.repeats as f64).text("log", e.name).number("rows", e.health.repeats as f64, 9)]
            },
        },
        Rule {
            code: "jitter",
            limits: [NEVER, 0.2, NEVER, NEVER],
            sentence: "{log}: time stamps are off by up to {share} % of a step; resampled",
            advice: "",
            cases: |e| vec![case(e.health.jitter).text("log", e.name).number("share", 100.0 * e.health.jitter, 3)],
        },
        Rule {
            code: "gaps",
            limits: [NEVER, 0.0, NEVER, NEVER],
            sentence: "{log}: {count} gaps, the longest {longest} s; the samples next to them were left out",
            advice: "",
            cases: |e| {
                let Health { gaps, longest_gap, .. } = e.health;
                vec![case(*gaps as f64).text("log", e.name).number("count", *gaps as f64, 9).number(
                    "longest",
                    *longest_gap,
                    3,
                )]
            },
        },
        Rule {
            code: "saturated",
            limits: [NEVER, 0.005, CUT[0], CUT[1]],
            sentence: "{log}: the torque of joint {joint} is at its limit for {share} % of the time",
            advice: "move slower, or leave these times out",
            cases: |e| each(e, &e.health.saturated, |share| case(*share).number("share", 100.0 * share, 3)),
        },
        Rule {
            code: "outliers",
            limits: [NEVER, 0.0, NEVER, NEVER],
            sentence: "{log}: {positions} positions and {torques} torques are outliers and were left out",
            advice: "",
            cases: |e| {
                let [q, tau] = [0, 1].map(|k| e.health.outliers.iter().map(|one| one[k]).sum::<usize>() as f64);
                vec![case(q + tau).text("log", e.name).number("positions", q, 9).number("torques", tau, 9)]
            },
        },
        Rule {
            code: "thin-excitation",
            limits: WEAK,
            sentence: "{log}: joint {joint} hardly moves: at most {speed} rad/s",
            advice: "move every joint, best along an optimal excitation trajectory",
            cases: |e| {
                let fastest = e.health.speeds.iter().copied().fold(0.0, f64::max);
                let slow = each(e, &e.health.speeds, |speed| case(0.01 * fastest - speed).number("speed", *speed, 3));
                slow.into_iter().filter(|case| case.measure > 0.0).collect()
            },
        },
        Rule {
            code: "standstill",
            limits: [NEVER, 0.5, NEVER, NEVER],
            sentence: "{log}: the robot is at rest for {share} % of the time, which was left out",
            advice: "",
            cases: |e| vec![case(e.health.rest).text("log", e.name).number("share", 100.0 * e.health.rest, 3)],
        },
    ];
}

/// A case for each joint of a log.
fn each<T>(e: &LogEvidence<'_>, values: &[T], one: impl Fn(&T) -> Case) -> Vec<Case> {
    values.iter().enumerate().map(|(joint, value)| one(value).text("log", e.name).joint(joint)).collect()
}

/// What is wrong with a log by itself.
pub(crate) fn log_findings(evidence: &LogEvidence<'_>) -> Vec<IdentifyFinding> {
    LogEvidence::RULES.iter().flat_map(|rule| rule.findings(evidence)).collect()
}

impl Evidence<'_> {
    /// The rule of the score, which decides unless another finding is worse.
    const PREDICTION: Rule<Self> = Rule {
        code: "prediction",
        limits: [f64::NEG_INFINITY, LEVELS[0], LEVELS[1], LEVELS[2]],
        sentence: "residual on {data}: {residual} % of the torque",
        advice: "",
        cases: |e| {
            let scores = &e.outcome.scores;
            let [held_out, score] = [scores.held_out.percent(), scores.decisive()];
            let data = if held_out.is_finite() { "held-out data" } else { "the fitted data, none being held out" };
            let advice = match score {
                score if score <= LEVELS[0] => "",
                score if score <= LEVELS[1] => "usable, not good: see the other findings",
                _ => "do not use it for control before the other findings are dealt with",
            };
            let measure = if score.is_nan() { NEVER } else { score };
            vec![case(measure).text("data", data).number("residual", score, 3).advice(advice)]
        },
    };

    /// Rules on the fit.
    const RULES: [Rule<Self>; 28] = [
        Rule {
            code: "short",
            limits: WEAK,
            sentence: "only {seconds} s of motion",
            advice: "measure at least 10 s of lively motion",
            cases: |e| {
                let seconds = e.outcome.seconds;
                (seconds < 3.0).then(|| case(1.0).number("seconds", seconds, 3)).into_iter().collect()
            },
        },
        Rule {
            code: "wrong-kinematics",
            limits: [NEVER, NEVER, 0.001, 0.02],
            sentence: "the robot cannot reach {share} % of the measured states",
            advice: "check lengths, zero offsets, signs and units of the positions",
            cases: |e| vec![case(e.data.refused).number("share", 100.0 * e.data.refused, 3)],
        },
        Rule {
            code: "saturated",
            limits: [NEVER, NEVER, 0.0, CUT[1]],
            sentence: "the torque of joint {joint} stays near {limit} for {share} % of the rows, where the model fitted to the other rows predicts {predicted} on \
                   average",
            advice: "does the sensor or the log have a limit? Move slower, or with less load",
            cases: |e| {
                // A joint that is not explained is not predicted either.
                let residuals = e.outcome.scores.fit.joints();
                let one = |(joint, clipped): (usize, &Option<Clipped>)| {
                    let clipped = clipped.filter(|_| residuals[joint] < LOST[1])?;
                    let one = case(clipped.share).joint(joint).number("limit", clipped.limit, 3);
                    Some(one.number("share", 100.0 * clipped.share, 2).number("predicted", clipped.wanted, 3))
                };
                e.clipped.iter().enumerate().filter_map(one).collect()
            },
        },
        Rule {
            code: "other-size",
            limits: [NEVER, NEVER, OTHER_SIZE[0], OTHER_SIZE[1]],
            sentence: "the torques are {factor} times those of the robot file's bodies, at all joints alike",
            advice: OTHER_UNIT,
            cases: |e| e.scale.alike.map(|factor| case(off(factor)).number("factor", factor, 2)).into_iter().collect(),
        },
        Rule {
            code: "other-size",
            limits: [NEVER, NEVER, OTHER_SIZES[0], OTHER_SIZES[1]],
            sentence: "the torques are {factor} times those of the robot file's bodies, and further off at the other joints",
            advice: OTHER_UNIT,
            cases: |e| e.scale.least.map(|factor| case(off(factor)).number("factor", factor, 2)).into_iter().collect(),
        },
        Rule {
            code: "other-size",
            limits: [NEVER, NEVER, ONE_SIZE[0], ONE_SIZE[1]],
            sentence: "the torque of joint {joint} is {factor} times what the robot file's bodies and rotor need for this motion",
            advice: "is its torque or its position in another unit (mN m, degrees), on the motor side of the gear, or a current? Or is the rotor of the \
                 file on the motor side?",
            cases: |e| {
                let one =
                    |(joint, factor): &(usize, f64)| case(off(*factor)).joint(*joint).number("factor", *factor, 2);
                e.scale.joints.iter().map(one).collect()
            },
        },
        Rule {
            code: "payload",
            limits: [NEVER, OTHER_SIZES[0], NEVER, NEVER],
            sentence: "the torques are up to {factor} times those of the robot file's bodies, at one joint {least} times",
            advice: "is there a payload that the file does not have?",
            cases: |e| {
                let one = |[least, most]: [f64; 2]| case(most).number("factor", most, 2).number("least", least, 2);
                e.scale.payload.map(one).into_iter().collect()
            },
        },
        Rule {
            code: "beyond-limits",
            limits: [NEVER, NEVER, 0.01, NEVER],
            sentence: "joint {joint} exceeds its range of {low} … {high} {unit} for {share} % of the rows, by up to {far} {unit}",
            advice: "are its positions in another unit, those of the motor, or from another zero?",
            cases: beyond_limits,
        },
        Rule {
            code: "likely-mistake",
            limits: WEAK_OR_BAD,
            sentence: "{also}with {change} the residual would be {after} % instead of {before} % (mean over the joints)",
            advice: "",
            cases: likely_mistakes,
        },
        Rule {
            code: "constant-torque",
            limits: BAD,
            sentence: "the torque of joint {joint} is always {torque}",
            advice: "is this the column of a measured torque?",
            cases: |e| {
                let one = |(joint, torque): (usize, &Option<f64>)| {
                    Some(case(1.0).joint(joint).number("torque", (*torque)?, 4))
                };
                e.constant.iter().enumerate().filter_map(one).collect()
            },
        },
        Rule {
            code: "unexplained",
            limits: [NEVER, NEVER, LOST[0], LOST[1]],
            sentence: "{how} of the torque of joint {joint} is explained: the residual is {residual} %",
            advice: CHECK_JOINT,
            cases: |e| unexplained(e, true),
        },
        Rule {
            code: "unexplained",
            limits: [NEVER, LOST[0], LOST_OF_SMALL[0], LOST_OF_SMALL[1]],
            sentence: "{how} of the torque of joint {joint}, which is small compared with the others, is explained: the residual is {residual} %",
            advice: CHECK_JOINT,
            cases: |e| unexplained(e, false),
        },
        Rule {
            code: "unexplained",
            limits: [NEVER, NEVER, LOST[0], NEVER],
            sentence: "the residual of joint {joint} on held-out data is {residual} %",
            advice: "did something change during the log? Compare its folds; longer logs help",
            cases: |e| {
                let scores = &e.outcome.scores;
                let (fit, held_out) = (scores.fit.joints(), scores.held_out.joints());
                let large = (0..fit.len()).filter(|&joint| e.is_large(joint) && fit[joint] <= LOST[0]);
                large.map(|joint| case(held_out[joint]).joint(joint).number("residual", held_out[joint], 3)).collect()
            },
        },
        Rule {
            code: "unexplained",
            limits: [NEVER, NEVER, UNEXPLAINED[0], UNEXPLAINED[1]],
            sentence: "no parameters explain the torques well: the residual on the fitted data is {residual} %",
            advice: "check the order, signs and units of positions and torques, gears and zero offsets, the kinematics of the robot file, and whether these \
                 torques belong to this motion",
            cases: |e| vec![case(e.fit()).number("residual", e.fit(), 3)],
        },
        Rule {
            code: "impossible-bodies",
            limits: WEAK,
            sentence: "the fit needs physically inconsistent parameters: physically consistent ones leave {factor} times the residual",
            advice: "a torque or position with the wrong sign, a wrong gear ratio or zero offset, or a wrong length does that",
            cases: |e| {
                let ratio = e.inconsistent.filter(|_| e.fit() > 5.0 && e.fit() <= UNEXPLAINED[0]);
                ratio.map(|ratio| case(1.0).number("factor", ratio, 3)).into_iter().collect()
            },
        },
        Rule {
            code: "thin-excitation",
            limits: WEAK,
            sentence: "this log determines {determined} of {all} identifiable combinations of parameters",
            advice: EXCITE,
            cases: evidence::undetermined,
        },
        Rule {
            code: "thin-excitation",
            limits: [NEVER, 0.5, 1.5, NEVER],
            sentence: "the motion is a poor excitation: condition number {condition}; σ exceeds half the value for {vague} of {all} combinations",
            advice: EXCITE,
            cases: |e| {
                let (base, condition) = (&e.outcome.base, e.outcome.condition);
                let is_vague = |pair: Option<[f64; 2]>| pair.is_none_or(|[value, sigma]| sigma > 0.5 * value.abs());
                let vague = base.iter().filter(|base| is_vague(base.least_squares)).count();
                // A large condition number alone is a robot whose parameters look alike; thin is what leaves many of them open.
                let open = vague * 5 > base.len() * 2;
                let measure = if condition > 10.0 * THIN && open { 2.0 } else { 1.0 };
                let one = || {
                    case(measure).number("condition", condition, 3).number("vague", vague as f64, 9).number(
                        "all",
                        base.len() as f64,
                        9,
                    )
                };
                (e.outcome.mode == FitMode::Full && condition > THIN).then(one).into_iter().collect()
            },
        },
        Rule {
            code: "delay",
            limits: [NEVER, 0.3, LATE[0], LATE[1]],
            sentence: "the torque is {least}{delay} ms {how} than the motion; this was compensated",
            advice: "",
            cases: |e| {
                let (delay, late) = (e.outcome.delay * 1e3, e.outcome.delay.abs() * 1e3);
                // Below the step of the log a delay is not known.
                let step = e.outcome.logs.iter().map(|log| 1e3 * log.health.step).fold(0.0, f64::max);
                let measure = if late > step { late } else { late.min(LATE[0]) };
                let advice = match measure {
                    late if late > LATE[1] => {
                        "no drive is so slow: log torques and positions with the same clock, and measured positions, not commands"
                    }
                    late if late > LATE[0] => "are torques and positions logged with the same clock?",
                    _ => "",
                };
                let least = if late > 0.98e3 * LONGEST_DELAY { "at least " } else { "" };
                let one = case(measure).number("delay", late, 3).text("least", least).text("how", later(delay));
                vec![one.advice(advice)]
            },
        },
        Rule {
            code: "delay",
            limits: [NEVER, NEVER, 0.0, LATE[1]],
            sentence: "the torque of joint {joint} is {delay} ms {how} than those of the others",
            advice: "log all torques at the same times; only the delay of the others was compensated",
            cases: |e| {
                let late = e.data.late_joints(e.fitted).unwrap_or_default();
                let one = |(joint, apart): (usize, f64)| {
                    case(1e3 * apart.abs()).joint(joint).number("delay", 1e3 * apart.abs(), 3).text("how", later(apart))
                };
                late.into_iter().map(one).collect()
            },
        },
        Rule {
            code: "bias",
            limits: WEAK,
            sentence: "{count} of {all} base parameters by least squares differ by more than σ from those by instrumental variables",
            advice: "noise of the positions biases them: a lower cut-off frequency reduces it, and the instrumental estimates are free of it",
            cases: evidence::biased,
        },
        Rule {
            code: "friction",
            limits: NOTE,
            sentence: "the friction of {of} {list} rises with the speed; the robot file has the nearest Coulomb friction times tanh(q̇/v_0) instead, at most {off} \
                   {unit} off{that}",
            advice: "",
            cases: evidence::rising_friction,
        },
        Rule {
            code: "coupled-motor",
            limits: [NEVER, 0.3, 0.6, NEVER],
            sentence: "{share} % of the residual of joint {joint} goes with the speed of joint {other}",
            advice: "if a motor turns with both joints, add it to the motors",
            cases: |e| {
                let one = |cause: &ResidualCause| match cause {
                    ResidualCause::OtherSpeed { joint, other, share } => {
                        let (a, b) = (joint.min(other) + 1, joint.max(other) + 1);
                        let one = case(*share).joint(*joint).number("other", (other + 1) as f64, 3);
                        Some(one.number("share", 100.0 * share, 2).text("motor", format!("{b}=q{a}+q{b}")))
                    }
                    _ => None,
                };
                e.causes.iter().filter_map(one).collect()
            },
        },
        Rule {
            code: "counterbalance",
            limits: NOTE,
            sentence: "{share} % of the residual of joint {joint} goes with its position",
            advice: "does it have a counterbalance or a spring?",
            cases: |e| {
                let one = |cause: &ResidualCause| match cause {
                    ResidualCause::Position { joint, share } => {
                        Some(case(1.0).joint(*joint).number("share", 100.0 * share, 2))
                    }
                    _ => None,
                };
                e.causes.iter().filter_map(one).collect()
            },
        },
        Rule {
            code: "friction",
            limits: NOTE,
            sentence: "{share} % of the residual of joint {joint} goes with its speed",
            advice: "its friction has another shape than the fitted one: see the curve in the report",
            cases: |e| {
                let one = |cause: &ResidualCause| match cause {
                    ResidualCause::Speed { joint, share } => {
                        Some(case(1.0).joint(*joint).number("share", 100.0 * share, 2))
                    }
                    _ => None,
                };
                e.causes.iter().filter_map(one).collect()
            },
        },
        Rule {
            code: "does-not-carry-over",
            limits: WEAK,
            sentence: "the residual is {fit} % on the fitted data, but {held_out} % on held-out data",
            advice: "the folds differ: longer or livelier motions, or fewer parameters, predict better; of a short log hold out less at a time",
            cases: |e| {
                let (fit, held_out) = (e.fit(), e.outcome.scores.held_out.percent());
                let differ = held_out.is_finite() && held_out > 1.7 * fit + 1.0;
                let one = || case(1.0).number("fit", fit, 3).number("held_out", held_out, 3);
                differ.then(one).into_iter().collect()
            },
        },
        Rule {
            code: "payload",
            limits: NOTE,
            sentence: "errors of the robot file's bodies are attributed to the payload, and its σ does not include them",
            advice: "logs without and with the payload separate the two",
            cases: |e| {
                let held = matches!(e.outcome.mode, FitMode::Gray | FitMode::Factors | FitMode::Payload);
                let known = e.outcome.parameters.iter().any(|found| found.name == "m_payload");
                let alone = e.data.layout.parameterization.loaded.is_empty();
                (held && alone && known).then(|| case(1.0)).into_iter().collect()
            },
        },
        Rule {
            code: "robot-file",
            limits: NOTE,
            sentence: "the residual of the identified robot file by itself is {written} %, that of the fit {fit} %: {why}",
            advice: "all parameters are in the report and in the JSON",
            cases: evidence::not_in_the_file,
        },
        Rule {
            code: "no-robot",
            limits: BAD,
            sentence: "no robot has these parameters: {reason}",
            advice: "fit with a prior",
            cases: |e| {
                e.outcome
                    .robot
                    .as_ref()
                    .err()
                    .map(|reason| case(1.0).text("reason", reason.clone()))
                    .into_iter()
                    .collect()
            },
        },
    ];
}

const OTHER_UNIT: &str = "are they in another unit (mN m, N cm), on the motor side of the gear, or currents? Is there a payload that the file does not \
                          have? Or is the robot file only a guess?";

fn later(delay: f64) -> &'static str {
    if delay > 0.0 { "later" } else { "earlier" }
}

/// How far from one a factor is, either way.
pub(super) fn off(factor: f64) -> f64 {
    factor.abs().max(1.0 / factor.abs().max(f64::MIN_POSITIVE))
}

fn unexplained(e: &Evidence<'_>, large: bool) -> Vec<Case> {
    let one = |(joint, residual): (usize, f64)| {
        let how = match residual {
            _ if residual > 100.0 => "nothing",
            _ if residual > LOST[1] => "hardly anything",
            _ if large => "not enough",
            _ => "little",
        };
        case(residual).text("how", how).joint(joint).number("residual", residual, 3)
    };
    let joints = e.outcome.scores.fit.joints().into_iter().enumerate();
    joints.filter(|(joint, _)| e.is_large(*joint) == large).map(one).collect()
}

/// Joints beyond the ranges of the robot file.
fn beyond_limits(e: &Evidence<'_>) -> Vec<Case> {
    /// As a share of the range.
    const BEYOND: f64 = 0.1;
    let one = |(joint, own): (usize, &crate::robot::Joint)| {
        let [low, high] = own.limits.range;
        let beyond = BEYOND * (high - low);
        let positions = || e.data.rows.iter().map(|(run, sample)| e.data.runs[*run].q[joint][*sample]);
        let outside = positions().filter(|q| *q < low - beyond || *q > high + beyond).count();
        let share = outside as f64 / e.data.len().max(1) as f64;
        let far = positions().fold(0.0_f64, |far, q| if q.abs() > far.abs() { q } else { far });
        let one = case(share).joint(joint).number("low", low, 3).number("high", high, 3).number("far", far, 4);
        let one = one.number("share", 100.0 * share, 2).text("unit", own.kind.units().position);
        beyond.is_finite().then_some(one)
    };
    e.data.robot.joints().iter().enumerate().filter_map(one).collect()
}

/// A mistake in the log or the robot file that would explain the residual.
fn likely_mistakes(e: &Evidence<'_>) -> Vec<Case> {
    /// A zero that is further off, rad, makes another robot of it.
    const FAR_ZERO: f64 = 0.05;
    let one = |(k, Diagnosis { fault, before, after }): (usize, &Diagnosis)| {
        // The file's bodies alone do not condemn a log unless they explain it.
        let small = match fault {
            Fault::Zero(_, by) => by.abs() < FAR_ZERO,
            Fault::FileZero(..) => *after > 0.5 * *before,
            _ => false,
        };
        // Bodies that are held at wrong values look like many a fault.
        let grade = if small || e.outcome.mode != FitMode::Full { 1.0 } else { 2.0 };
        let one = case(grade).text("also", if k > 0 { "and " } else { "" });
        let one = one.number("before", 100.0 * before, 2).number("after", 100.0 * after, 2);
        mistake(one, fault, e.data.joints())
    };
    e.diagnoses.iter().enumerate().map(one).collect()
}

fn mistake(one: Case, fault: &Fault, joints: usize) -> Case {
    let of = |which: &[bool; 2]| {
        let named: Vec<&str> = (0..2).filter(|&k| which[k]).map(|k| ["position", "torque"][k]).collect();
        named.join(" and ")
    };
    let (code, one, change, advice) = match fault {
        Fault::Zero(joint, by) => (
            "zero-offset",
            one.joint(*joint).number("offset", *by, 3),
            "{offset} rad added to the positions of joint {joint}".to_owned(),
            "add it to the zero offset, or correct the zero of the robot file",
        ),
        Fault::FileZero(joint, by) => (
            "zero-offset",
            one.joint(*joint).number("offset", *by, 3),
            "{offset} rad added to the positions of joint {joint} and the robot file's bodies".to_owned(),
            "is the zero of this joint that of the robot file? The identified bodies are rotated by as much",
        ),
        Fault::Scale(joint, by) => (
            "scale",
            one.joint(*joint).number("factor", by.exp(), 3),
            "the positions of joint {joint} times {factor}".to_owned(),
            "are its gear ratio and its unit right?",
        ),
        Fault::Sign(joint, which) => {
            let list: Vec<&str> = (0..joints).map(|i| if i == *joint { "-1" } else { "1" }).collect();
            // A gear of −1 inverts position and torque, a torque constant of −1 the torque alone.
            let one = if which[0] { one.text("gear", list.join(",")) } else { one };
            let one = if which[0] != which[1] { one.text("torque_constant", list.join(",")) } else { one };
            let change = format!("the sign of the {} of joint {{joint}} inverted", of(which));
            ("sign", one.joint(*joint), change, "invert it by the sign of gear and torque constant")
        }
        Fault::Order([a, b], which) => {
            let change = format!("the {} of joints {{joint}} and {{other}} exchanged", of(which));
            let one = one.joint(*a).number("other", (b + 1) as f64, 3);
            ("order", one, change, "name the columns in the order of the joints")
        }
        Fault::Gravity(gravity) => {
            let change = format!("gravity along [{}]", [0, 1, 2].map(|k| human(gravity[k], 3)).join(", "));
            ("gravity", one, change, "how is the robot mounted? See `gravity` of the robot file")
        }
    };
    let change = one.said(&change);
    Case { code: Some(code), ..one.text("change", change).advice(advice) }
}

/// All findings, the gravest first.
pub(super) fn findings(e: &Evidence<'_>) -> Vec<IdentifyFinding> {
    let mut all = Evidence::PREDICTION.findings(e);
    for log in &e.outcome.logs {
        all.extend(log_findings(&LogEvidence { name: &log.name, health: &log.health }));
    }
    all.extend(Evidence::RULES.iter().flat_map(|rule| rule.findings(e)));
    all.sort_by_key(|finding| std::cmp::Reverse(finding.grade));
    all
}

/// The verdict in a word.
pub(super) fn word(outcome: &IdentifyOutcome) -> &'static str {
    match outcome.grade() {
        Grade::Good if outcome.scores.decisive() > LEVELS[0] => "usable",
        grade => grade.as_str(),
    }
}
