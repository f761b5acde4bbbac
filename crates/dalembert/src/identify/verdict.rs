//! The verdict in words: is it to be trusted, and what would make it better.

use super::columns::{ColumnQuantity, Mode};
use super::diagnostics::{Doubt, Fault, clipped, diagnostics, inertias, sizes};
use super::fit::{Data, Fitted, LONGEST_DELAY};
use super::friction::nearest_tanh;
use super::outcome::{Finding, Grade, Identified, fastest};
use super::prepare::Rates;
use crate::report::text::human;
use dalembert_identify::friction::orthonormal;
use nalgebra::{DMatrix, DVector};

/// Held-out errors, in per cent: up to the first the result is good, up to the second usable, beyond the third bad.
pub(super) const LEVELS: [f64; 3] = [10.0, 20.0, 35.0];
/// Of the fit itself: above the first no parameters explain the torques well, above the second they do not at all.
const UNEXPLAINED: [f64; 2] = [20.0, 35.0];
/// Of the fit of one joint: above the first its torque is explained badly, above the second not at all.
const LOST: [f64; 2] = [45.0, 70.0];
/// Of a joint whose torque is small beside the others', which is mostly noise in many a sound log: above the first nothing of it is
/// explained, above the second zero would predict it better.
const WORSE: [f64; 2] = [90.0, 120.0];
/// Delays of the torque, ms: above the first they are odd, above the second torque and motion do not belong together.
const LATE: [f64; 2] = [15.0, 30.0];
/// Share of the torques at their limit: above the first the fit suffers, above the second it is one of the limit.
const CUT: [f64; 2] = [0.05, 0.15];
/// Condition number of the base regressor with columns of length 1 beyond which excitation is thin.
const THIN: f64 = 200.0;

/// Measured torques over those of the robot file's bodies, either way, where all joints say the same: above the first the file is a
/// guess or the unit is wrong, above the second it is the unit. The same of the joint that is least off where the joints differ.
const OTHER_SIZE: [f64; 2] = [1.6, 4.0];
const OTHER_SIZES: [f64; 2] = [8.0, 50.0];
/// The same of one joint, where the others differ; a payload that the file does not have makes no more of the torque of the last joints.
const ONE_SIZE: [f64; 2] = [5.0, 20.0];
const NO_PAYLOAD: f64 = 200.0;
/// As a share of its range a joint may be beyond it.
const BEYOND: f64 = 0.1;
/// The robot file leaves more than this many times what the fit leaves: something is not in it.
const WRITTEN: f64 = 1.1;
/// Bodies that can be leave more than this many times what others leave.
const IMPOSSIBLE: f64 = 1.6;
/// Factors that differ by less than this say the same.
const ALIKE: f64 = 1.5;
/// A zero that is further off, rad, makes another robot of it.
const FAR_ZERO: f64 = 0.05;

pub(super) fn findings(
    result: &Identified,
    data: &Data<'_>,
    fitted: &Fitted,
    of_file: &Fitted,
    unconstrained: bool,
) -> Vec<Finding> {
    let mut all = Vec::new();
    let mut say = |grade, name, text: String, advice: &str| {
        all.push(Finding { grade, name, text, advice: advice.to_owned() });
    };
    let (fit, unseen) = (result.fit.percent(), result.held_out.percent());
    let score = if unseen.is_finite() { unseen } else { fit };
    let what =
        if unseen.is_finite() { "unseen torques" } else { "the torques that it was fitted to, none being left out," };
    if score <= LEVELS[0] {
        say(Grade::Good, "prediction", format!("the model predicts {what} to {}", percent(score)), "");
    } else if score <= LEVELS[1] {
        let text = format!("the model predicts {what} to {}: usable, not good", percent(score));
        say(Grade::Note, "prediction", text, "see what the other findings say");
    } else {
        let grade = if score <= LEVELS[2] { Grade::Weak } else { Grade::Bad };
        let text = format!("the model predicts {what} to {} only", percent(score));
        say(grade, "prediction", text, "do not use it for control before the other findings are dealt with");
    }
    logs(result, &mut say);
    if data.refused > 0.001 {
        let text = format!("the robot cannot be in {} of the measured states", percent(100.0 * data.refused));
        let grade = if data.refused > 0.02 { Grade::Bad } else { Grade::Weak };
        say(
            grade,
            "wrong kinematics",
            text,
            "check lengths, zero offsets (--offset), signs and units of the positions",
        );
    }
    for (joint, found) in clipped(data, fitted).into_iter().enumerate() {
        // What is not explained is not predicted either.
        let Some(found) = found.filter(|_| result.fit.joints()[joint] < LOST[1]) else { continue };
        let text = format!(
            "the torque of joint {} stays near {} for {} % of the rows, while the model of the other rows predicts {} there on average",
            joint + 1,
            human(found.limit, 3),
            human(100.0 * found.share, 2),
            human(found.wanted, 3)
        );
        let grade = if found.share > CUT[1] { Grade::Bad } else { Grade::Weak };
        say(grade, "saturated", text, "does the sensor or the log have a limit? Move slower, or with less load");
    }
    // A payload that is fitted, and explains the torques, may be what makes them larger than the file's.
    let carries = result.mode != Mode::Full && fit <= LEVELS[0];
    if !carries {
        size(&sizes(data, of_file), &inertias(data, fitted, of_file), &mut say);
    }
    beyond_limits(data, &mut say);
    let explained = fit <= UNEXPLAINED[0] && result.fit.joints().into_iter().all(|left| left <= LOST[1]);
    // How many times as much bodies that can be leave as others do.
    let impossible = fitted.plain.as_ref().filter(|_| !unconstrained && result.mode == Mode::Full).map(|plain| {
        let energy: f64 = (0..result.fit.errors.len())
            .map(|joint| result.fit.errors[joint] / fitted.deviations[joint].powi(2).max(f64::MIN_POSITIVE))
            .sum();
        (energy / plain.estimate.error.max(f64::MIN_POSITIVE)).sqrt()
    });
    let impossible = impossible.filter(|ratio| *ratio > IMPOSSIBLE);
    faults(
        result.mode,
        data.joints(),
        &diagnostics(data, fitted, explained, impossible.is_some() && fit > 1.0),
        &mut say,
    );
    let all_rows: Vec<usize> = (0..data.len()).collect();
    for joint in 0..result.fit.torques.len() {
        let torque = data.measured(joint, &all_rows, 0.0);
        if torque.max() - torque.min() < 1e-6 * torque.amax() {
            let text = format!("the torque of joint {} is always {}", joint + 1, human(torque.mean(), 4));
            say(Grade::Bad, "constant torque", text, "is this the column of a measured torque? --torque");
        }
    }
    let most: f64 = result.fit.torques.iter().sum();
    let not_seen = result.held_out.joints();
    for (joint, left) in result.fit.joints().into_iter().enumerate() {
        let large = result.fit.torques[joint] > 0.01 * most;
        let [odd, wrong] = if large { LOST } else { WORSE };
        let advice = "check the sign, unit and order of its position and torque, its gear and its zero offset";
        if left > odd {
            let how = match left {
                _ if left > 100.0 => "nothing",
                _ if left > LOST[1] => "hardly anything",
                _ => "not enough",
            };
            let grade = if left > wrong { Grade::Bad } else { Grade::Weak };
            let text = format!("{how} of the torque of joint {} is explained: {} are left", joint + 1, percent(left));
            say(grade, "unexplained", text, advice);
        } else if large && not_seen[joint] > LOST[0] {
            let text =
                format!("the unseen torque of joint {} is predicted to {} only", joint + 1, percent(not_seen[joint]));
            say(
                Grade::Weak,
                "unexplained",
                text,
                "did something change during the log? Compare its parts; longer logs help",
            );
        } else if left > LOST[0] {
            let text = format!(
                "little of the torque of joint {} is explained: {} are left; it is small beside the others",
                joint + 1,
                percent(left)
            );
            say(Grade::Note, "unexplained", text, advice);
        }
    }
    if fit > UNEXPLAINED[0] {
        let grade = if fit > UNEXPLAINED[1] { Grade::Bad } else { Grade::Weak };
        let text =
            format!("no parameters explain the torques well: {} are left even where they were fitted", percent(fit));
        let advice = "check the order, signs and units of positions and torques, gears and zero offsets, the kinematics of the \
                      robot file, and whether these torques belong to this motion";
        say(grade, "unexplained", text, advice);
    } else if let Some(ratio) = impossible.filter(|_| fit > 5.0) {
        let text = format!(
            "only bodies that cannot exist explain the torques: those that can leave {} times as much",
            human(ratio, 3)
        );
        let advice =
            "a torque or position with the wrong sign, a wrong gear ratio or zero offset, or a wrong length does that";
        say(Grade::Weak, "impossible bodies", text, advice);
    }
    excitation(result, fitted, data, &mut say);
    let delay = result.delay * 1e3;
    if delay.abs() > 0.3 {
        // The search ends there.
        let least = if delay.abs() > 0.98e3 * LONGEST_DELAY { "at least " } else { "" };
        let text = format!(
            "the torque is {least}{} ms {} than the motion; it was shifted back",
            human(delay.abs(), 3),
            if delay > 0.0 { "later" } else { "earlier" }
        );
        // Between two samples nobody knows.
        let step = result.health.iter().map(|(_, health)| 1e3 * health.step).fold(0.0, f64::max);
        let [odd, wrong] = LATE.map(|limit| limit.max(step));
        let (grade, advice) = match delay.abs() {
            late if late > wrong => (
                Grade::Bad,
                "no drive is so slow: log torques and positions with the same clock, and measured positions, not commands",
            ),
            late if late > odd => (Grade::Weak, "are torques and positions logged with the same clock?"),
            _ => (Grade::Note, ""),
        };
        say(grade, "delay", text, advice);
    }
    for (joint, apart) in data.late_joints(fitted).unwrap_or_default() {
        let (late, how) = (1e3 * apart.abs(), if apart > 0.0 { "later" } else { "earlier" });
        let text = format!("the torque of joint {} is {} ms {how} than those of the others", joint + 1, human(late, 3));
        let grade = if late > LATE[1] { Grade::Bad } else { Grade::Weak };
        say(grade, "delay", text, "log all torques at the same times; only those of the others were shifted back");
    }
    biased(result, &mut say);
    friction(result, data, fitted, &mut say);
    if unseen.is_finite() && unseen > 1.7 * fit + 1.0 {
        let text = format!("what was fitted is left to {}, what was not seen to {}", percent(fit), percent(unseen));
        let advice = match result.mode {
            Mode::Full => {
                "the parts differ: longer or livelier motions, or fewer parameters (--mode gray), predict better; of a short log leave out less at a time (--folds 4)"
            }
            _ => {
                "the parts differ: longer or livelier motions predict better; of a short log leave out less at a time (--folds 4)"
            }
        };
        say(Grade::Weak, "does not carry over", text, advice);
    }
    payload(result, data, &mut say);
    left_out(result, data, &mut say);
    if let Err(reason) = &result.robot {
        say(
            Grade::Bad,
            "no robot",
            format!("there is no robot with these parameters: {reason}"),
            "fit with a prior (leave out --prior none)",
        );
    }
    all.sort_by_key(|finding| std::cmp::Reverse(finding.grade));
    all
}

fn percent(share: f64) -> String {
    format!("{} %", human(share, 3))
}

type Say<'s> = dyn FnMut(Grade, &'static str, String, &str) + 's;

/// How far from one a factor is, either way.
fn off(size: f64) -> f64 {
    size.abs().max(1.0 / size.abs().max(f64::MIN_POSITIVE))
}

/// Whether the torques are as large as the robot file's: at all joints alike, at one joint, at those near to a payload.
fn size(sizes: &[Option<f64>], inertias: &[Option<f64>], say: &mut Say<'_>) {
    let mut told: Vec<f64> = sizes.iter().flatten().map(|size| size.abs()).collect();
    told.sort_by(f64::total_cmp);
    let Some(&middle) = told.get(told.len() / 2).filter(|middle| **middle > 0.0) else {
        return size_of_each(&odd_joints(sizes, inertias), say);
    };
    let alike = told.iter().filter(|size| (**size / middle).max(middle / **size) < ALIKE).count();
    let same = told.len() > 1 && alike * 4 >= told.len() * 3;
    // What is carried and not in the file is large at the tool and small at the base; a unit is wrong everywhere.
    let least =
        if same { middle } else { told.iter().copied().min_by(|a, b| off(*a).total_cmp(&off(*b))).unwrap_or(1.0) };
    let [odd, wrong] = if same { OTHER_SIZE } else { OTHER_SIZES };
    let most = told.last().copied().unwrap_or(1.0);
    let equations_of_motion = odd_joints(sizes, inertias);
    if off(least) > odd {
        let grade = if off(least) > wrong { Grade::Bad } else { Grade::Weak };
        let how = if same { "at all joints alike" } else { "and more, or less, at the other joints" };
        let text = format!("the torques are {} times those of the robot file's bodies, {how}", human(least, 2));
        let advice = "are they in another unit (mN m, N cm), of the motors before the gear, or currents? (--torque-unit, --gear, \
                      --torque-constant); does the robot carry something that its file does not have ([payload], --mode gray)? Or is the \
                      robot file only a guess?";
        say(grade, "other size", text, advice);
    } else if !equations_of_motion.is_empty() {
        size_of_each(&equations_of_motion, say);
    } else if most > OTHER_SIZES[0] {
        let text = format!(
            "the torques are up to {} times those of the robot file's bodies, at one joint {} times",
            human(most, 2),
            human(least, 2)
        );
        let advice = "does the robot carry something that the file does not have? (`[payload]`, --mode gray, --loaded)";
        say(Grade::Note, "payload", text, advice);
    }
}

/// Joints whose torque is not as large as the robot file's, with the factor: by what goes with that of its bodies, and by the inertia
/// about the joint where the file has a rotor there.
fn odd_joints(sizes: &[Option<f64>], inertias: &[Option<f64>]) -> Vec<(usize, f64)> {
    let odd = |size: f64| off(size) > ONE_SIZE[0];
    let factor = |joint: usize| match (sizes[joint].map(f64::abs), inertias[joint]) {
        (Some(size), _) if !odd(size) => None,
        (Some(size), inertia) => {
            // A payload makes torques larger, more so at the joints behind, but hardly an inertia with a rotor.
            let as_the_file = |other: &Option<f64>| other.is_some_and(|size| off(size) < 0.5 * ONE_SIZE[0]);
            let equations_of_motion = sizes[joint + 1..].iter().any(as_the_file);
            let heavy = inertia.is_some_and(|inertia| odd(inertia) && inertia > 1.0);
            (size < 1.0 || heavy || equations_of_motion || size > NO_PAYLOAD).then_some(size)
        }
        (None, inertia) => inertia.filter(|inertia| odd(*inertia)),
    };
    (0..sizes.len()).filter_map(|joint| Some((joint, factor(joint)?))).collect()
}

fn size_of_each(odd: &[(usize, f64)], say: &mut Say<'_>) {
    for &(joint, factor) in odd {
        let grade = if off(factor) > ONE_SIZE[1] { Grade::Bad } else { Grade::Weak };
        let text = format!(
            "the torque of joint {} is {} times what the robot file's bodies and rotor take for this motion",
            joint + 1,
            human(factor, 2)
        );
        let advice = "is its torque or its position in another unit (mN m, degrees), of the motor before the gear, or a current? \
                      (--gear, --torque-constant: one number for each joint); or is the rotor of the file at the motor side?";
        say(grade, "other size", text, advice);
    }
}

/// Whether joints are where the robot file says that they cannot go.
fn beyond_limits(data: &Data<'_>, say: &mut Say<'_>) {
    for (joint, own) in data.robot.joints().iter().enumerate() {
        let [low, high] = own.limits.range;
        let beyond = BEYOND * (high - low);
        if !beyond.is_finite() {
            continue;
        }
        let positions = || data.rows.iter().map(|(run, sample)| data.runs[*run].q[joint][*sample]);
        let outside = positions().filter(|q| *q < low - beyond || *q > high + beyond).count();
        let share = outside as f64 / data.len().max(1) as f64;
        if share > 0.01 {
            let far = positions().fold(0.0_f64, |far, q| if q.abs() > far.abs() { q } else { far });
            let unit = own.kind.units().position;
            let text = format!(
                "joint {} is beyond its range of {} … {} {unit} for {} % of the rows, as far as {} {unit}",
                joint + 1,
                human(low, 3),
                human(high, 3),
                human(100.0 * share, 2),
                human(far, 4)
            );
            let advice = "are its positions in another unit (--position-unit), of the motor (--gear), or from another zero (--offset)?";
            say(Grade::Weak, "beyond limits", text, advice);
        }
    }
}

/// What would explain the torques better.
fn faults(mode: Mode, joints: usize, diagnostics: &[Doubt], say: &mut Say<'_>) {
    for (k, Doubt { fault, before, after }) in diagnostics.iter().enumerate() {
        const WHAT: [&str; 2] = ["position", "torque"];
        let of = |which: &[bool; 2]| {
            let named: Vec<&str> = (0..2).filter(|&k| which[k]).map(|k| WHAT[k]).collect();
            named.join(" and ")
        };
        let (name, what, advice) = match fault {
            Fault::Zero(joint, by) => (
                "zero offset",
                format!("{} rad added to the positions of joint {}", human(*by, 3), joint + 1),
                "add it (--offset), or mend the zero of the robot file".to_owned(),
            ),
            Fault::FileZero(joint, by) => (
                "zero offset",
                format!("{} rad added to the positions of joint {} and the robot file's bodies", human(*by, 3), joint + 1),
                "is the zero of this joint that of the robot file? (--offset); the bodies that were found are turned by as much".to_owned(),
            ),
            Fault::Scale(joint, by) => (
                "scale",
                format!("the positions of joint {} times {}", joint + 1, human(by.exp(), 3)),
                "is its gear ratio right (--gear), and its unit?".to_owned(),
            ),
            Fault::Sign(joint, which) => {
                let list: Vec<&str> = (0..joints).map(|i| if i == *joint { "-1" } else { "1" }).collect();
                let (gear, constant) = (format!("--gear={}", list.join(",")), format!("--torque-constant={}", list.join(",")));
                let advice = match which {
                    [true, true] => gear,
                    [false, true] => constant,
                    // The gear turns both, the constant turns the torque back.
                    _ => format!("{gear} {constant}"),
                };
                ("sign", format!("the sign of the {} of joint {} turned", of(which), joint + 1), advice)
            }
            Fault::Order([a, b], which) => (
                "order",
                format!("the {} of joints {} and {} exchanged", of(which), a + 1, b + 1),
                "name the columns in the order of the joints: --position, --torque".to_owned(),
            ),
            Fault::Gravity(gravity) => (
                "gravity",
                format!("gravity along [{}]", [0, 1, 2].map(|k| human(gravity[k], 3)).join(", ")),
                "how is the robot mounted? `gravity` of the robot file".to_owned(),
            ),
        };
        // The file's bodies are not known so well that they alone could condemn a log, unless they explain it.
        let small = match fault {
            Fault::Zero(_, by) => by.abs() < FAR_ZERO,
            Fault::FileZero(..) => *after > 0.5 * *before,
            _ => false,
        };
        // Bodies that are held wrongly look like many a fault.
        let grade = if small || mode != Mode::Full { Grade::Weak } else { Grade::Bad };
        let also = if k > 0 { "; and " } else { "" };
        let percent = |x: f64| format!("{} %", human(100.0 * x, 2));
        let text = format!(
            "{also}with {what}, {} of the torques would be left instead of {} (mean over the joints)",
            percent(*after),
            percent(*before)
        );
        say(grade, name, text.trim_start_matches("; ").to_owned(), &advice);
    }
}

/// What is wrong with the logs themselves.
fn logs(result: &Identified, say: &mut Say<'_>) {
    for (name, health) in &result.health {
        let share = health.backward as f64 / health.rows.max(1) as f64;
        if health.backward > 0 {
            let grade = if share > 0.01 { Grade::Weak } else { Grade::Note };
            let text = format!("{name}: {} rows are not later than the one before, and were left out", health.backward);
            say(grade, "stamps", text, "are several runs in one file? Give them as several files");
        }
        match health.rates {
            None => {}
            Some(Rates::Used) => {
                let text = format!(
                    "{name}: velocities and accelerations are those of the log, which has only {} rows a second",
                    human(1.0 / health.step, 3)
                );
                say(Grade::Note, "rates", text, "");
            }
            Some(Rates::Apart { joint, off }) => {
                let [speed, acceleration] = off.map(|off| percent(100.0 * off));
                let text = format!(
                    "{name}: the logged velocities and accelerations of joint {} do not belong to its positions ({speed} and {acceleration} \
                     off); all were computed from the positions",
                    joint + 1
                );
                say(Grade::Weak, "rates", text, "are they in the same unit, measured, and of the same time?");
            }
        }
        let mut missing: Vec<(String, usize)> = Vec::new();
        for (joint, [positions, torques]) in health.missing.iter().enumerate() {
            missing.push((format!("the positions of joint {}", joint + 1), *positions));
            missing.push((format!("the torques of joint {}", joint + 1), *torques));
        }
        missing.push(("the times".to_owned(), health.unstamped));
        missing.retain(|(_, rows)| *rows > 0);
        if let Some((_, most)) = missing.iter().max_by_key(|(_, rows)| *rows) {
            let grade = if *most * 5 > health.rows { Grade::Weak } else { Grade::Note };
            let list: Vec<String> = missing.iter().map(|(what, rows)| format!("{rows} in {what}")).collect();
            let text =
                format!("{name}: of {} rows some have no number and were left out: {}", health.rows, list.join(", "));
            say(grade, "missing numbers", text, "");
        }
        for (joint, jumps) in health.wrapped.iter().enumerate().filter(|(_, jumps)| **jumps > 0) {
            let text = format!(
                "{name}: the positions of joint {} jump by a turn {jumps} times; they were unwrapped",
                joint + 1
            );
            say(Grade::Note, "wrapped", text, "");
        }
        if health.repeats > 1 {
            let text = format!(
                "{name}: positions and torques are the same for {} rows at a time; one of them was used",
                health.repeats
            );
            say(Grade::Note, "repeated rows", text, "log as fast as they are measured");
        }
        if health.jitter > 0.2 {
            let text =
                format!("{name}: stamps are off by up to {} % of a step; resampled", human(100.0 * health.jitter, 3));
            say(Grade::Note, "jitter", text, "");
        }
        if health.gaps.0 > 0 {
            let text = format!(
                "{name}: {} gaps, the longest {} s; what is beside them was left out",
                health.gaps.0,
                human(health.gaps.1, 3)
            );
            say(Grade::Note, "gaps", text, "");
        }
        for (joint, share) in health.saturated.iter().enumerate().filter(|(_, share)| **share > 0.005) {
            let text = format!(
                "{name}: the torque of joint {} stands at its limit for {} %",
                joint + 1,
                human(100.0 * share, 3)
            );
            let grade = match *share {
                share if share > CUT[1] => Grade::Bad,
                share if share > CUT[0] => Grade::Weak,
                _ => Grade::Note,
            };
            say(grade, "saturated", text, "move slower, or leave these times out (--from, --to)");
        }
        let off = health.outliers.iter().fold([0, 0], |sum, one| [sum[0] + one[0], sum[1] + one[1]]);
        if off != [0, 0] {
            let text = format!("{name}: {} positions and {} torques stand alone and were left out", off[0], off[1]);
            say(Grade::Note, "outliers", text, "");
        }
        let fastest = health.speeds.iter().copied().fold(0.0, f64::max);
        for (joint, speed) in health.speeds.iter().enumerate().filter(|(_, speed)| **speed < 0.01 * fastest) {
            let text = format!("{name}: joint {} hardly moves: at most {} rad/s", joint + 1, human(*speed, 3));
            say(Grade::Weak, "thin excitation", text, "move every joint; `excite` finds a motion that tells most");
        }
        if health.rest > 0.5 {
            say(
                Grade::Note,
                "standstill",
                format!("{name}: nothing moves for {} % of the time; that was left out", human(100.0 * health.rest, 3)),
                "",
            );
        }
    }
    if result.seconds < 3.0 {
        let text = format!("only {} s of motion", human(result.seconds, 3));
        say(Grade::Weak, "short", text, "measure at least 10 s of lively motion");
    }
}

/// Whether noise of the positions makes a difference: least squares and instrumental variables differ (Durbin, Wu, Hausman). Where it
/// makes none both have the same noise, and differ by far less than σ.
fn biased(result: &Identified, say: &mut Say<'_>) {
    let off = |base: &&super::outcome::Grouped| match (base.plain, base.instrumental) {
        (Some([value, _]), Some([other, sigma])) => (value - other).abs() > sigma,
        _ => false,
    };
    let asked = result.base.iter().filter(|base| base.instrumental.is_some()).count();
    let count = result.base.iter().filter(off).count();
    if count * 5 > asked {
        let text = format!(
            "{count} of {asked} base parameters by least squares are more than σ from those by instrumental variables"
        );
        let advice = "noise of the positions is taken for motion: a lower --cutoff lets less of it through, and the \
                      instrumental column is free of it";
        say(Grade::Weak, "bias", text, advice);
    }
}

fn excitation(result: &Identified, fitted: &Fitted, data: &Data<'_>, say: &mut Say<'_>) {
    if result.mode != Mode::Full {
        return;
    }
    let advice = "`excite` finds a motion that tells most; the robot file decides what the log does not tell";
    let told = fitted.plain.as_ref().map_or(0, |plain| plain.columns.len());
    let telling = data.structure.independent.len();
    let stribeck = fitted.speeds.stribeck.iter().filter(|speed| speed.is_none()).count();
    let open = data
        .layout
        .columns
        .iter()
        .filter(|column| matches!(column.quantity, ColumnQuantity::Stribeck(_)))
        .count()
        .min(stribeck);
    if told + open < telling {
        let text = format!("this log tells {told} of {telling} combinations of parameters");
        say(Grade::Weak, "thin excitation", text, advice);
    }
    let vague =
        result.base.iter().filter(|base| base.plain.is_none_or(|[value, sigma]| sigma > 0.5 * value.abs())).count();
    if result.condition > THIN {
        let text = format!(
            "the motion tells parameters apart badly: condition {}, and σ is above half the value for {vague} of {} combinations",
            human(result.condition, 3),
            result.base.len()
        );
        // A large number alone is a robot whose parameters look alike; thin is what leaves many of them open.
        let open = vague * 5 > result.base.len() * 2;
        let grade = if result.condition > 10.0 * THIN && open { Grade::Weak } else { Grade::Note };
        say(grade, "thin excitation", text, advice);
    }
}

/// The other joint whose speed and its sign explain most of what is left at a joint, and the share of it that they explain.
fn coupled(data: &Data<'_>, joint: usize, left: &DVector<f64>, rows: &[usize]) -> Option<(usize, f64)> {
    let energy = left.norm_squared();
    let share = |other: usize| {
        let speeds = DVector::from_vec(data.speeds_of(other, rows));
        let signs = speeds.map(f64::signum);
        let basis = orthonormal(&DMatrix::from_columns(&[speeds, signs]));
        (other, basis.tr_mul(left).norm_squared() / energy.max(f64::MIN_POSITIVE))
    };
    let others = (0..data.layout.joints()).filter(|&other| other != joint);
    others.map(share).max_by(|a, b| a.1.total_cmp(&b.1))
}

/// The share of what is left at a joint that a sine and a cosine of its position explain, where no counterbalance was fitted.
fn balanced(data: &Data<'_>, joint: usize, left: &DVector<f64>, rows: &[usize]) -> Option<f64> {
    let parameterization = &data.layout.parameterization;
    if parameterization.counterbalances.contains(&joint) || parameterization.springs.contains(&joint) {
        return None;
    }
    let q = rows.iter().map(|&row| data.runs[data.rows[row].0].q[joint][data.rows[row].1]);
    let q = DVector::from_iterator(rows.len(), q);
    let basis = orthonormal(&DMatrix::from_columns(&[q.map(f64::sin), q.map(f64::cos)]));
    Some(basis.tr_mul(left).norm_squared() / left.norm_squared().max(f64::MIN_POSITIVE))
}

/// Friction that rises with the speed, which robot files hold as a tanh.
fn rising(result: &Identified, data: &Data<'_>, say: &mut Say<'_>) {
    let joints = data.robot.joints();
    // Joint by joint, and how far off the file is at most.
    let off: Vec<(usize, f64)> = result
        .friction
        .iter()
        .filter_map(|curve| {
            let [more, at] = curve.stribeck().filter(|[more, _]| *more < 0.0)?;
            let [_, off] = nearest_tanh(curve.values[1], [more, at], fastest(data, curve.joint));
            Some((curve.joint, off))
        })
        .collect();
    let most = off.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1));
    let Some((worst, most)) = most else { return };
    let numbers: Vec<String> = off.iter().map(|(joint, _)| (joint + 1).to_string()).collect();
    let unit = joints[worst].kind.units().torque;
    let (of, that) =
        if off.len() > 1 { ("joints", format!(" (joint {})", worst + 1)) } else { ("joint", String::new()) };
    let text = format!(
        "that of {of} {} rises with the speed; the robot file has the nearest Coulomb friction times tanh(q̇/v_0) instead, at most {} \
         {unit} off{that}",
        numbers.join(", "),
        human(most, 2),
    );
    say(Grade::Note, "friction", text, "");
}

/// A payload that was found while the bodies were held.
fn payload(result: &Identified, data: &Data<'_>, say: &mut Say<'_>) {
    let held = matches!(result.mode, Mode::Gray | Mode::Factors | Mode::Payload);
    if held
        && data.layout.parameterization.loaded.is_empty()
        && result.parameters.iter().any(|found| found.name == "m_payload")
    {
        let text = "what the robot file's bodies are wrong by is taken for payload, and its σ does not know of that"
            .to_owned();
        let advice = "logs without and with the payload tell it apart: identify ROBOT EMPTY.csv --loaded LOADED.csv";
        say(Grade::Note, "payload", text, advice);
    }
}

/// What the robot file cannot hold, where that counts.
fn left_out(result: &Identified, data: &Data<'_>, say: &mut Say<'_>) {
    let (fit, Some(written)) = (result.fit.percent(), result.written.as_ref().map(super::fit::Score::percent)) else {
        return;
    };
    if written < WRITTEN * fit + 0.3 {
        return;
    }
    let parameterization = &data.layout.parameterization;
    let motors =
        parameterization.motors.iter().map(|motor| format!("motor {}, which turns with several joints", motor.number));
    let mut lost: Vec<String> = motors.collect();
    let holds_springs = data.robot.with_springs(&|_, spring| spring).is_ok();
    if !holds_springs {
        let at = |joints: &[usize]| joints.iter().map(|i| (i + 1).to_string()).collect::<Vec<_>>().join(", ");
        for (what, joints) in
            [("counterbalance", &parameterization.counterbalances), ("spring", &parameterization.springs)]
        {
            if !joints.is_empty() {
                lost.push(format!("the {what} of joint {}", at(joints)));
            }
        }
        lost.push("constant torques".to_owned());
    }
    let why = if lost.is_empty() {
        "its friction is another one".to_owned()
    } else {
        format!("it cannot hold {}", lost.join(", "))
    };
    let text = format!(
        "the identified robot file by itself leaves {} of the torques where the fit leaves {}: {why}",
        percent(written),
        percent(fit)
    );
    say(Grade::Note, "robot file", text, "all parameters are in the report and in --json");
}

/// Whether what is left looks like friction: a function of the joint's speed.
fn friction(result: &Identified, data: &Data<'_>, fitted: &Fitted, say: &mut Say<'_>) {
    const BINS: usize = 15;
    rising(result, data, say);
    let all: Vec<usize> = (0..data.len()).collect();
    for joint in 0..result.fit.errors.len() {
        if data.friction_columns(joint).is_empty() || result.fit.joints()[joint] < 3.0 {
            continue;
        }
        let Ok((predicted, measured)) = data.predict(fitted, joint, &all) else { continue };
        let speeds = data.speeds_of(joint, &all);
        let fastest = speeds.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        let mut bins = vec![(0.0, 0.0); BINS];
        for k in 0..all.len() {
            let place = ((speeds[k] / fastest + 1.0) * 0.5 * BINS as f64) as usize;
            let bin = &mut bins[place.min(BINS - 1)];
            (bin.0, bin.1) = (bin.0 + measured[k] - predicted[k], bin.1 + 1.0);
        }
        let explained: f64 = bins.iter().filter(|bin| bin.1 > 0.0).map(|bin| bin.0 * bin.0 / bin.1).sum();
        let left_over = measured - predicted;
        let left = left_over.norm_squared();
        // Fifteen means take about fifteen rows' worth of anything.
        let share = (explained / left.max(f64::MIN_POSITIVE) - BINS as f64 / all.len() as f64).max(0.0);
        if let Some((other, share)) = coupled(data, joint, &left_over, &all).filter(|(_, share)| *share > 0.3) {
            let text = format!(
                "{} % of what is left at joint {} goes with the speed of joint {}",
                human(100.0 * share, 2),
                joint + 1,
                other + 1
            );
            let (a, b) = (joint.min(other) + 1, joint.max(other) + 1);
            let advice = format!("if a motor turns with both, say so: --motor {b}=q{a}+q{b}");
            say(if share > 0.6 { Grade::Weak } else { Grade::Note }, "coupled motor", text, &advice);
        } else if let Some(share) = balanced(data, joint, &left_over, &all).filter(|share| *share > 0.5) {
            let text =
                format!("{} % of what is left at joint {} goes with its position", human(100.0 * share, 2), joint + 1);
            let advice = format!("has it a counterbalance or a spring? --counterbalance {0}, --spring {0}", joint + 1);
            say(Grade::Note, "counterbalance", text, &advice);
        } else if share > 0.15 {
            let text =
                format!("{} % of what is left at joint {} goes with its speed", human(100.0 * share, 2), joint + 1);
            say(
                Grade::Note,
                "friction",
                text,
                "its friction has another shape than the one fitted: see the curve in the report",
            );
        }
    }
}
