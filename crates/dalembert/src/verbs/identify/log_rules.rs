//! Rules on a log by itself.

use super::IdentifyLog;
use super::verdict::{CUT, Case, IdentifyFinding, NEVER, NOTE, Rule, WEAK, case};
use crate::identify::prepare::{Health, LoggedRates};

impl IdentifyLog {
    const RULES: [Rule<Self>; 12] = [
        Rule {
            code: "stamps",
            limits: [NEVER, 0.0, 0.01, NEVER],
            sentence: "{log}: the times of {rows} rows jump back, or far ahead alone, and were left out; the first is row {first}",
            advice: "are several runs in one file? Give them as several logs",
            cases: |e| {
                let share = e.health.backward as f64 / e.health.rows.max(1) as f64;
                let first = e.health.first_backward.unwrap_or(0);
                vec![case(share).text("log", &e.name).count("rows", e.health.backward).count("first", first)]
            },
        },
        Rule {
            code: "rates",
            limits: NOTE,
            sentence: "{log}: velocities and accelerations are those of the log, which has only {rate} rows per second",
            advice: "",
            cases: |e| {
                let used = e.health.rates == Some(LoggedRates::Used);
                let one = || case(1.0).text("log", &e.name).number("rate", 1.0 / e.health.step, 3);
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
                    let one = case(1.0).text("log", &e.name).joint(joint);
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
            cases: missing_numbers,
        },
        Rule {
            code: "wrapped",
            limits: [NEVER, 0.0, NEVER, NEVER],
            sentence: "{log}: the positions of joint {joint} jump by a turn {jumps} times and were unwrapped",
            advice: "",
            cases: |e| each(e, &e.health.wrapped, |jumps| case(*jumps as f64).count("jumps", *jumps)),
        },
        Rule {
            code: "repeated-rows",
            limits: [NEVER, 1.0, NEVER, NEVER],
            sentence: "{log}: positions and torques repeat for {rows} rows at a time; one of them was used",
            advice: "log as fast as they are measured",
            cases: |e| vec![case(e.health.repeats as f64).text("log", &e.name).count("rows", e.health.repeats)],
        },
        Rule {
            code: "jitter",
            limits: [NEVER, 0.2, NEVER, NEVER],
            sentence: "{log}: time stamps are off by up to {share} % of a step; resampled",
            advice: "",
            cases: |e| vec![case(e.health.jitter).text("log", &e.name).number("share", 100.0 * e.health.jitter, 3)],
        },
        Rule {
            code: "gaps",
            limits: [NEVER, 0.0, NEVER, NEVER],
            sentence: "{log}: {count} gaps, the longest {longest} s; the samples next to them were left out",
            advice: "",
            cases: |e| {
                let Health { gaps, longest_gap, .. } = &e.health;
                vec![case(*gaps as f64).text("log", &e.name).count("count", *gaps).number("longest", *longest_gap, 3)]
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
                let [q, tau] = [0, 1].map(|k| e.health.outliers.iter().map(|one| one[k]).sum::<usize>());
                vec![case((q + tau) as f64).text("log", &e.name).count("positions", q).count("torques", tau)]
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
            cases: |e| vec![case(e.health.rest).text("log", &e.name).number("share", 100.0 * e.health.rest, 3)],
        },
    ];
}

/// A case for each joint of a log.
fn each<T>(e: &IdentifyLog, values: &[T], one: impl Fn(&T) -> Case) -> Vec<Case> {
    values.iter().enumerate().map(|(joint, value)| one(value).text("log", &e.name).joint(joint)).collect()
}

/// What is wrong with a log by itself.
pub(crate) fn log_findings(log: &IdentifyLog) -> Vec<IdentifyFinding> {
    IdentifyLog::RULES.iter().flat_map(|rule| rule.findings(log)).collect()
}

fn missing_numbers(e: &IdentifyLog) -> Vec<Case> {
    let mut missing: Vec<(String, usize)> = Vec::new();
    for (joint, counts) in e.health.missing.iter().enumerate() {
        let of = |(what, rows): (&str, &usize)| (format!("the {what} of joint {}", joint + 1), *rows);
        missing.extend(["positions", "torques"].into_iter().zip(counts).map(of));
    }
    missing.push(("the times".to_owned(), e.health.unstamped));
    missing.retain(|(_, rows)| *rows > 0);
    let most = missing.iter().map(|(_, rows)| *rows).max().unwrap_or(0);
    let list: Vec<String> = missing.iter().map(|(what, rows)| format!("{rows} in {what}")).collect();
    let one = case(most as f64 / e.health.rows.max(1) as f64).text("log", &e.name);
    vec![one.count("rows", e.health.rows).text("list", list.join(", "))]
}
