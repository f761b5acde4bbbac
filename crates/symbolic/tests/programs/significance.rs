//! What is left out, and how wrong that is: the PUMA 560 against the abbreviated tables of Armstrong, Khatib and Burdick,
//! and bounds that no state breaks.

use crate::arms::puma;
use dalembert::limits::JointLimits;
use dalembert::serial::DhConvention;
use dalembert_proptest::{ArmKind, Random, RandomArm};
use dalembert_symbolic::explicit::{
    Abbreviated, Budget, Explicit, FormulaOutput, Limits, Significance, Sum, TorqueError, Velocities,
};

/// The products that a sum has, in the paper's letters.
fn products(model: &Explicit, sum: &Sum) -> Vec<String> {
    let mut all: Vec<String> = sum
        .terms
        .iter()
        .map(|term| {
            let mut words: Vec<String> =
                term.words.as_slice().iter().map(|&w| model.vocabulary.words()[w as usize].to_string()).collect();
            words.sort();
            words.join(" ")
        })
        .collect();
    all.sort();
    all
}

/// Tables A4 and A7, abbreviated: exactly the terms that are printed there. (a13 is printed with its misprinted 3.97e-3.)
#[test]
fn the_same_terms_as_the_paper_in_mass_matrix_and_gravity() {
    let (arm, _) = puma();
    let short = Explicit::of(&arm).expect("derivable").abbreviated(Significance::default()).kept;
    let mass: [(usize, usize, &[&str]); 21] = [
        (1, 1, &["", "C2 C2", "C2 S23", "S23 S23"]),
        (1, 2, &["C2", "C23", "S2"]),
        (1, 3, &["C23", "S23"]),
        (1, 4, &[]),
        (1, 5, &[]),
        (1, 6, &[]),
        (2, 2, &["", "S3"]),
        (2, 3, &["", "C3", "S3"]),
        (2, 4, &[]),
        (2, 5, &[]),
        (2, 6, &[]),
        (3, 3, &[""]),
        (3, 4, &["S4 S5"]),
        (3, 5, &["C4 C5"]),
        (3, 6, &[]),
        (4, 4, &[""]),
        (4, 5, &[]),
        (4, 6, &[]),
        (5, 5, &[""]),
        (5, 6, &[]),
        (6, 6, &[""]),
    ];
    for (i, j, printed) in mass {
        assert_eq!(products(&short, short.mass(i - 1, j - 1)), printed, "a{i}{j}");
    }
    let gravity: [&[&str]; 6] =
        [&[], &["C2", "S2", "S23"], &["C23", "S23"], &["S23 S4 S5"], &["C23 S5", "C4 C5 S23"], &[]];
    for (i, printed) in gravity.into_iter().enumerate() {
        assert_eq!(products(&short, &short.gravity[i]), printed, "g{}", i + 1);
    }
}

/// The worst error that random states at the limits show.
fn sampled(short: &Abbreviated, limits: &Limits, random: &mut Random, states: usize) -> Vec<f64> {
    let n = short.kept.count();
    let mut worst = vec![0.0f64; n];
    for _ in 0..states {
        let q: Vec<f64> = limits.position.iter().map(|&[a, b]| random.within(a, b)).collect();
        let mut signed = |size: &f64| if random.unit() < 0.5 { -*size } else { *size };
        let qd: Vec<f64> = limits.velocity.iter().map(&mut signed).collect();
        let qdd: Vec<f64> = limits.acceleration.iter().map(&mut signed).collect();
        for (worst, error) in worst.iter_mut().zip(short.dropped.at(&q).torque(&qd, &qdd)) {
            *worst = worst.max(error.abs());
        }
    }
    worst
}

fn consistent(error: &TorqueError, sampled: &[f64]) {
    for i in 0..sampled.len() {
        assert!(error.bound[i] >= error.found[i], "joint {}: {error:?}", i + 1);
        assert!(error.bound[i] >= sampled[i], "joint {}: {error:?} {sampled:?}", i + 1);
        assert!(error.found[i] >= error.rms[i], "joint {}: {error:?}", i + 1);
    }
}

/// `DALEMBERT_STATES=1000000` for more states of each model than a test has time for.
#[test]
fn no_state_breaks_the_bound() {
    let states = std::env::var("DALEMBERT_STATES").ok().and_then(|text| text.parse().ok()).unwrap_or(2_000);
    let (arm, limits) = puma();
    let model = Explicit::of(&arm).expect("derivable");
    let limits = Limits::of(&limits, &model.joints);
    let mut random = Random(1);
    let budget = Budget { boxes: 2_000, samples: 500 };
    for threshold in [0.001, 0.01, 0.1, 0.5] {
        for velocities in [Velocities::FromMass, Velocities::ByElement] {
            let short = model.abbreviated(Significance { velocities, ..Significance::at(threshold) });
            let error = short.dropped.torque_range(&limits, budget);
            consistent(&error, &sampled(&short, &limits, &mut random, states));
        }
    }
    for kind in [ArmKind::ANYTHING, ArmKind::SQUARE] {
        for convention in [DhConvention::Modified, DhConvention::Standard] {
            let arm = random.arm::<3>(kind, convention);
            let model = Explicit::of(&arm).expect("derivable");
            let limits = Limits::of(&[JointLimits::NONE; 3], &model.joints);
            let short = model.abbreviated(Significance::at(0.1));
            let error = short.dropped.torque_range(&limits, budget);
            consistent(&error, &sampled(&short, &limits, &mut random, states));
        }
    }
}

/// What is kept and what is dropped add up to the model: torques to 1e-12 of the largest, the rounding of a hundred terms.
#[test]
fn nothing_is_lost() {
    let (arm, _) = puma();
    let model = Explicit::of(&arm).expect("derivable");
    let mut random = Random(2);
    for velocities in [Velocities::FromMass, Velocities::ByElement] {
        let short = model.abbreviated(Significance { velocities, ..Significance::default() });
        for _ in 0..20 {
            let (q, qd, qdd) = (random.state::<6>(3.0), random.state::<6>(3.0), random.state::<6>(10.0));
            let [whole, kept, dropped] = [&model, &short.kept, &short.dropped].map(|m| m.at(&q).torque(&qd, &qdd));
            for i in 0..6 {
                assert!((kept[i] + dropped[i] - whole[i]).abs() <= 1e-12 * 200.0);
            }
        }
    }
}

#[test]
fn the_cheapest_model_keeps_the_wanted_error() {
    let (arm, limits) = puma();
    let model = Explicit::of(&arm).expect("derivable");
    let limits = Limits::of(&limits, &model.joints);
    let budget = Budget { boxes: 2_000, samples: 500 };
    let mut costs = Vec::new();
    for wanted in [0.1, 0.5, 2.0] {
        let cheapest = model.cheapest_within(&[wanted; 6], &limits, budget, &mut |_| ()).expect("a possible error");
        let error = cheapest.dropped.torque_range(&limits, budget);
        assert!(error.bound.iter().all(|bound| *bound <= wanted), "{error:?}");
        costs.push(cheapest.kept.formulas(FormulaOutput::Torque, 2).cost());
    }
    assert!(costs.is_sorted_by(|a, b| a > b), "{costs:?}");
    for nonsense in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = model.cheapest_within(&[1.0, 1.0, nonsense, 1.0, 1.0, 1.0], &limits, budget, &mut |_| ());
        assert_eq!(refused.expect_err("nonsense").joint, 3);
    }
}

/// The table of errors in `docs/derivation.md`, to its digits: the search is the same on every run, and rounding of sines
/// moves its results by far less than 2 %.
#[test]
fn the_errors_of_the_page() {
    const PAGE: &str = include_str!("../../../../docs/derivation.md");
    let (arm, limits) = puma();
    let model = Explicit::of(&arm).expect("derivable");
    let limits = Limits::of(&limits, &model.joints);
    let tables = [
        (
            Velocities::FromMass,
            [
                "| `FromMass`, bound | 1.00 | 0.86 | 0.28 | 0.094 | 0.107 | 0.0024 |",
                "| found | 0.64 | 0.75 | 0.24 | 0.077 | 0.082 | 0.0017 |",
                "| RMS | 0.109 | 0.212 | 0.034 | 0.0111 | 0.0120 | 0.0003 |",
            ],
        ),
        (
            Velocities::ByElement,
            [
                "| `ByElement`, bound | 0.86 | 0.80 | 0.13 | 0.057 | 0.056 | 0.0024 |",
                "| found | 0.53 | 0.71 | 0.11 | 0.053 | 0.051 | 0.0017 |",
                "| RMS | 0.105 | 0.211 | 0.023 | 0.0105 | 0.0104 | 0.0003 |",
            ],
        ),
    ];
    for (velocities, rows) in tables {
        let short = model.abbreviated(Significance { velocities, ..Significance::default() });
        let error = short.dropped.torque_range(&limits, Budget::default());
        for (row, values) in rows.iter().zip([&error.bound, &error.found, &error.rms]) {
            assert!(PAGE.contains(row), "{row}");
            let printed = row.split('|').skip(2).filter_map(|cell| cell.trim().parse::<f64>().ok());
            for (printed, value) in printed.zip(values) {
                // Half a unit of the last printed digit, and 2 %.
                assert!((printed - value).abs() <= 0.02 * value + 0.5 * unit(printed), "{row}: {values:?}");
            }
        }
    }
    fn unit(printed: f64) -> f64 {
        if printed < 0.03 { 1e-4 } else { 1e-2 }
    }
}
