//! The verdict in words: is it to be trusted, and what would make it better.

use super::columns::{Mode, What};
use super::doubts::{Doubt, Fault, clipped, doubts, sizes};
use super::fit::{Data, Fitted};
use super::outcome::{Finding, Grade, Identified};
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
const LATE: [f64; 2] = [10.0, 30.0];
/// Share of the torques at their limit: above the first the fit suffers, above the second it is one of the limit.
const CUT: [f64; 2] = [0.05, 0.15];
/// Condition number of the base regressor with columns of length 1 beyond which excitation is thin.
const THIN: f64 = 200.0;

/// Measured torques over those of the robot file's bodies, either way, where all joints say the same: above the first the file is a
/// guess or the unit is wrong, above the second it is the unit. The same of the joint that is least off where the joints differ.
const OTHER_SIZE: [f64; 2] = [1.6, 4.0];
const OTHER_SIZES: [f64; 2] = [8.0, 50.0];
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
    let percent = |x: f64| format!("{} %", human(x, 3));
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
        let Some(found) = found else { continue };
        let text = format!(
            "the torque of joint {} stays near {} for {} % of the rows, where the others say that it is {} on average",
            joint + 1,
            human(found.limit, 3),
            human(100.0 * found.share, 2),
            human(found.wanted, 3)
        );
        let grade = if found.share > CUT[1] { Grade::Bad } else { Grade::Weak };
        say(grade, "saturated", text, "does the sensor or the log have a limit? Move slower, or with less load");
    }
    size(&sizes(data, of_file), &mut say);
    let explained = fit <= UNEXPLAINED[0] && result.fit.joints().into_iter().all(|left| left <= LOST[1]);
    faults(result.mode, &doubts(data, fitted, explained), &mut say);
    let all_rows: Vec<usize> = (0..data.len()).collect();
    for joint in 0..result.fit.torques.len() {
        let torque = data.measured(joint, &all_rows, 0.0);
        if torque.max() - torque.min() < 1e-6 * torque.amax() {
            let text = format!("the torque of joint {} is always {}", joint + 1, human(torque.mean(), 4));
            say(Grade::Bad, "constant torque", text, "is this the column of a measured torque? --torque");
        }
    }
    let most: f64 = result.fit.torques.iter().sum();
    for (joint, left) in result.fit.joints().into_iter().enumerate() {
        let [odd, wrong] = if result.fit.torques[joint] > 0.01 * most { LOST } else { WORSE };
        if left > odd {
            let how = if left > LOST[1] { "hardly anything" } else { "not enough" };
            let grade = if left > wrong { Grade::Bad } else { Grade::Weak };
            let text = format!("{how} of the torque of joint {} is explained: {} are left", joint + 1, percent(left));
            let advice = "check the sign, unit and order of its position and torque, its gear and its zero offset";
            say(grade, "unexplained", text, advice);
        }
    }
    if fit > UNEXPLAINED[0] {
        let grade = if fit > UNEXPLAINED[1] { Grade::Bad } else { Grade::Weak };
        let text =
            format!("no parameters explain the torques well: {} are left even where they were fitted", percent(fit));
        let advice = "check the order, signs and units of positions and torques, gears and zero offsets, the kinematics of the \
                      robot file, and whether these torques belong to this motion";
        say(grade, "unexplained", text, advice);
    } else if let Some(plain) = fitted.plain.as_ref().filter(|_| !unconstrained && result.mode == Mode::Full) {
        let energy: f64 = (0..result.fit.errors.len())
            .map(|joint| result.fit.errors[joint] / fitted.deviations[joint].powi(2).max(f64::MIN_POSITIVE))
            .sum();
        let ratio = (energy / plain.estimate.error.max(f64::MIN_POSITIVE)).sqrt();
        if ratio > 1.6 && fit > 5.0 {
            let text = format!(
                "only bodies that cannot exist explain the torques: those that can leave {} times as much",
                human(ratio, 3)
            );
            let advice = "a torque or position with the wrong sign, a wrong gear ratio or zero offset, or a wrong length does that";
            say(Grade::Weak, "impossible bodies", text, advice);
        }
    }
    excitation(result, fitted, data, &mut say);
    let delay = result.delay * 1e3;
    if delay.abs() > 0.3 {
        let text = format!(
            "the torque is {} ms {} than the motion; it was shifted back",
            human(delay.abs(), 3),
            if delay > 0.0 { "later" } else { "earlier" }
        );
        let (grade, advice) = match delay.abs() {
            late if late > LATE[1] => {
                (Grade::Bad, "no drive is so late: log torques and positions with the same clock")
            }
            late if late > LATE[0] => (Grade::Weak, "are torques and positions logged with the same clock?"),
            _ => (Grade::Note, ""),
        };
        say(grade, "delay", text, advice);
    }
    biased(result, &mut say);
    friction(result, data, fitted, &mut say);
    if unseen.is_finite() && unseen > 1.7 * fit + 1.0 {
        let text = format!("what was fitted is left to {}, what was not seen to {}", percent(fit), percent(unseen));
        let advice = "the parts differ: longer or livelier motions, or fewer parameters (--mode gray), predict better";
        say(Grade::Weak, "does not carry over", text, advice);
    }
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

type Say<'s> = dyn FnMut(Grade, &'static str, String, &str) + 's;

/// Whether the torques are as large as the robot file's.
fn size(sizes: &[Option<f64>], say: &mut Say<'_>) {
    let mut told: Vec<f64> = sizes.iter().flatten().map(|size| size.abs()).collect();
    told.sort_by(f64::total_cmp);
    let Some(&middle) = told.get(told.len() / 2).filter(|middle| **middle > 0.0) else { return };
    let alike = told.iter().filter(|size| (**size / middle).max(middle / **size) < ALIKE).count();
    let same = told.len() > 1 && alike * 4 >= told.len() * 3;
    // What is carried and not in the file is large at the tool and small at the base; a unit is wrong everywhere.
    let off = |size: f64| size.max(1.0 / size.max(f64::MIN_POSITIVE));
    let least =
        if same { middle } else { told.iter().copied().min_by(|a, b| off(*a).total_cmp(&off(*b))).unwrap_or(1.0) };
    let [odd, wrong] = if same { OTHER_SIZE } else { OTHER_SIZES };
    let most = told.last().copied().unwrap_or(1.0);
    if off(least) > odd {
        let grade = if off(least) > wrong { Grade::Bad } else { Grade::Weak };
        let how = if same { "at all joints alike" } else { "and more, or less, at the other joints" };
        let text = format!("the torques are {} times those of the robot file's bodies, {how}", human(least, 2));
        let advice = "are they in another unit (mN m, N cm), of the motors before the gear, or currents? (--torque-unit, --gear, \
                      --torque-constant); or is the robot file only a guess?";
        say(grade, "other size", text, advice);
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

/// What would explain the torques better.
fn faults(mode: Mode, doubts: &[Doubt], say: &mut Say<'_>) {
    for (k, Doubt { fault, before, after }) in doubts.iter().enumerate() {
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
            Fault::Sign(joint, which) => (
                "sign",
                format!("the sign of the {} of joint {} turned", of(which), joint + 1),
                "--gear -1 for a joint turns both its position and its torque, --torque-constant -1 its torque"
                    .to_owned(),
            ),
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
    let stribeck = fitted.stribeck.iter().filter(|speed| speed.is_none()).count();
    let open =
        data.layout.columns.iter().filter(|column| matches!(column.what, What::Stribeck(_))).count().min(stribeck);
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
        let speeds = DVector::from_vec(data.speeds(other, rows));
        let signs = speeds.map(f64::signum);
        let basis = orthonormal(&DMatrix::from_columns(&[speeds, signs]));
        (other, basis.tr_mul(left).norm_squared() / energy.max(f64::MIN_POSITIVE))
    };
    let others = (0..data.layout.joints()).filter(|&other| other != joint);
    others.map(share).max_by(|a, b| a.1.total_cmp(&b.1))
}

/// Whether what is left looks like friction: a function of the joint's speed.
fn friction(result: &Identified, data: &Data<'_>, fitted: &Fitted, say: &mut Say<'_>) {
    const BINS: usize = 15;
    let all: Vec<usize> = (0..data.len()).collect();
    for joint in 0..result.fit.errors.len() {
        if data.friction_columns(joint).is_empty() || result.fit.joints()[joint] < 3.0 {
            continue;
        }
        let Ok((predicted, measured)) = data.predict(fitted, joint, &all) else { continue };
        let speeds = data.speeds(joint, &all);
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
