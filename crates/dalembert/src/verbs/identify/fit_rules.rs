//! Rules on a fit.

use super::evidence::{self, Evidence, LOST, ONE_SIZE, OTHER_SIZES, ResidualCause, ResidualSignal, UNEXPLAINED, off};
use super::verdict::{BAD, CUT, Case, LEVELS, NEVER, NOTE, Rule, WEAK, WEAK_OR_BAD, case};
use crate::identify::columns::FitMode;
use crate::identify::diagnostics::{Clipped, Diagnosis, Fault, clipped, diagnostics};
use crate::identify::fit::{LONGEST_DELAY, Score};
use crate::report::text::human;
use crate::robot::Joint;

/// [`LOST`] of a joint whose torque is small compared with the others', which in many a sound log is mostly noise.
const LOST_OF_SMALL: [f64; 2] = [90.0, 120.0];
/// Delays of the torque, ms: above the first they are odd, above the second torque and motion do not belong together.
const LATE: [f64; 2] = [15.0, 30.0];
/// Condition number of the base regressor with columns of length 1 beyond which excitation is thin.
const THIN: f64 = 200.0;
/// Measured torques over those of the robot file's bodies, either way, where all joints agree: above the first the file is a guess or
/// the unit is wrong, above the second it is the unit.
const OTHER_SIZE: [f64; 2] = [1.6, 4.0];

const CHECK_JOINT: &str = "check the sign, unit and order of its position and torque, its gear and its zero offset";
const EXCITE: &str =
    "measure along an optimal excitation trajectory; the robot file decides what the log does not determine";

impl Evidence<'_> {
    /// The rule of the score, which decides unless another finding is worse.
    pub(super) const PREDICTION: Rule<Self> = Rule {
        code: "prediction",
        limits: [f64::NEG_INFINITY, LEVELS[0], LEVELS[1], LEVELS[2]],
        sentence: "residual on {data}: {residual} % of the torque{size}",
        advice: "",
        cases: |e| {
            let scores = &e.outcome.scores;
            let [held_out, score] = [&scores.held_out, scores.decisive()].map(Score::percent);
            let data = if held_out.is_finite() { "held-out data" } else { "the fitted data, none being held out" };
            let advice = match score {
                score if score <= LEVELS[0] => "",
                score if score <= LEVELS[1] => "usable, not good: see the other findings",
                _ => "do not use it for control before the other findings are dealt with",
            };
            let measure = if score.is_nan() { NEVER } else { score };
            // Of a motion with smaller torques the share is larger. Forces and torques have no common size.
            let mut units = e.data.robot.joints().into_iter().map(|joint| joint.kind.units().torque);
            let [left, torque] = scores.decisive().rms().map(|rms| human(rms, 3));
            let unit = units.next().filter(|first| units.all(|unit| unit == *first));
            let size = unit.map_or(String::new(), |unit| format!(" (RMS {left} of {torque} {unit})"));
            vec![case(measure).text("data", data).number("residual", score, 3).text("size", size).advice(advice)]
        },
    };

    pub(super) const RULES: [Rule<Self>; 30] = [
        Rule {
            code: "repeated-motion",
            limits: NOTE,
            sentence: "{log}: the motion {repeats} {period} s",
            advice: "one long motion that does not repeat shows more, and another motion is the better test",
            cases: |e| {
                let repetition = &e.data.repetition;
                let of = |k: usize| {
                    let run = &e.data.runs[k];
                    let first = repetition.motion_of.iter().position(|motion| *motion == repetition.motion_of[k]);
                    let (repeats, seconds) = match (repetition.periods[k], first) {
                        (Some(period), _) => ("repeats after", period),
                        (None, Some(first)) if first < k => ("is that of another log, for", run.seconds()),
                        _ => return None,
                    };
                    let one = case(1.0).text("log", &run.name).text("repeats", repeats);
                    Some(one.number("period", seconds, 4))
                };
                (0..e.data.runs.len()).filter_map(of).collect()
            },
        },
        Rule {
            code: "repeated-motion",
            limits: [NEVER, NEVER, 0.5, NEVER],
            sentence: "{share} % of a held-out fold repeats the motion that was fitted: its residual is not that of another motion",
            advice: "let the folds be chosen, or hold out another motion",
            cases: |e| vec![case(e.outcome.seen).number("share", 100.0 * e.outcome.seen, 2)],
        },
        Rule {
            code: "short",
            limits: [NEVER, NEVER, -3.0, NEVER],
            sentence: "only {seconds} s of motion",
            advice: "measure at least 10 s of lively motion",
            cases: |e| vec![case(-e.outcome.seconds).number("seconds", e.outcome.seconds, 3)],
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
                let one = |(joint, clipped): (usize, Option<Clipped>)| {
                    let clipped = clipped.filter(|_| residuals[joint] < LOST[1])?;
                    let one = case(clipped.share).joint(joint).number("limit", clipped.limit, 3);
                    Some(one.number("share", 100.0 * clipped.share, 2).number("predicted", clipped.wanted, 3))
                };
                clipped(e.data, e.fitted).into_iter().enumerate().filter_map(one).collect()
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
                let rows = e.data.all();
                let one = |joint: usize| {
                    let torque = e.data.measured(joint, &rows, 0.0);
                    let constant = torque.max() - torque.min() < 1e-6 * torque.amax();
                    constant.then(|| case(1.0).joint(joint).number("torque", torque.mean(), 4))
                };
                (0..e.data.joints()).filter_map(one).collect()
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
                let one =
                    || case(measure).number("condition", condition, 3).count("vague", vague).count("all", base.len());
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
            cases: |e| causes(e, |with| matches!(with, ResidualSignal::SpeedOf(_))),
        },
        Rule {
            code: "counterbalance",
            limits: NOTE,
            sentence: "{share} % of the residual of joint {joint} goes with its position",
            advice: "does it have a counterbalance or a spring?",
            cases: |e| causes(e, |with| with == ResidualSignal::Position),
        },
        Rule {
            code: "friction",
            limits: NOTE,
            sentence: "{share} % of the residual of joint {joint} goes with its speed",
            advice: "its friction has another shape than the fitted one: see the curve in the report",
            cases: |e| causes(e, |with| with == ResidualSignal::Speed),
        },
        Rule {
            code: "does-not-carry-over",
            limits: [NEVER, NEVER, 1.0, NEVER],
            sentence: "the residual is {fit} % on the fitted data, but {held_out} % on held-out data",
            advice: "the folds differ: longer or livelier motions, or fewer parameters, predict better; of a short log hold out less at a time",
            cases: |e| {
                let (fit, held_out) = (e.fit(), e.outcome.scores.held_out.percent());
                vec![case(held_out - 1.7 * fit).number("fit", fit, 3).number("held_out", held_out, 3)]
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
            advice: "without a prior: fit with one; otherwise the log does not fit the robot, see the other findings",
            cases: |e| {
                e.outcome.robot.as_ref().err().map(|reason| case(1.0).text("reason", reason)).into_iter().collect()
            },
        },
    ];
}

const OTHER_UNIT: &str = "are they in another unit (mN m, N cm), on the motor side of the gear, or currents? Is there a payload that the file does not \
                          have? Or is the robot file only a guess?";

fn later(delay: f64) -> &'static str {
    if delay > 0.0 { "later" } else { "earlier" }
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

/// Residuals that go with a signal.
fn causes(e: &Evidence<'_>, wanted: fn(ResidualSignal) -> bool) -> Vec<Case> {
    let one = |cause: &ResidualCause| {
        let one = case(cause.share).joint(cause.joint).number("share", 100.0 * cause.share, 2);
        let ResidualSignal::SpeedOf(other) = cause.with else { return one };
        let (a, b) = (cause.joint.min(other) + 1, cause.joint.max(other) + 1);
        one.count("other", other + 1).text("motor", format!("{b}=q{a}+q{b}"))
    };
    e.causes.iter().filter(|cause| wanted(cause.with)).map(one).collect()
}

/// Joints beyond the ranges of the robot file.
fn beyond_limits(e: &Evidence<'_>) -> Vec<Case> {
    /// As a share of the range.
    const BEYOND: f64 = 0.1;
    let one = |(joint, own): (usize, &Joint)| {
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
    let fit = &e.outcome.scores.fit;
    let explained = fit.percent() <= UNEXPLAINED[0] && fit.joints().into_iter().all(|residual| residual <= LOST[1]);
    let one = |(k, Diagnosis { fault, before, after }): (usize, Diagnosis)| {
        // The file's bodies alone do not condemn a log unless they explain it.
        let small = match fault {
            Fault::Zero(_, by) => by.abs() < FAR_ZERO,
            Fault::FileZero(..) => after > 0.5 * before,
            _ => false,
        };
        // Bodies that are held at wrong values look like many a fault.
        let grade = if small || e.outcome.mode != FitMode::Full { 1.0 } else { 2.0 };
        let one = case(grade).text("also", if k > 0 { "and " } else { "" });
        let one = one.number("before", 100.0 * before, 2).number("after", 100.0 * after, 2);
        mistake(one, &fault, e.data.joints())
    };
    let inconsistent = e.inconsistent.is_some() && fit.percent() > 1.0;
    diagnostics(e.data, e.fitted, explained, inconsistent).into_iter().enumerate().map(one).collect()
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
            let one = one.joint(*a).count("other", b + 1);
            ("order", one, change, "name the columns in the order of the joints")
        }
        Fault::Gravity(gravity) => {
            let change = format!("gravity along [{}]", [0, 1, 2].map(|k| human(gravity[k], 3)).join(", "));
            ("gravity", one, change, "how is the robot mounted? See `gravity` of the robot file")
        }
    };
    let change = one.filled(&change);
    one.code(code).text("change", change).advice(advice)
}
