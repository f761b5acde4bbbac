//! What is wrong with a signal is found and told.

use dalembert_identify::search::least;
use dalembert_identify::signal;
use dalembert_identify::{IdentifyError, folds};

#[test]
fn stamps_tell_jitter_gaps_and_steps_back() {
    let mut times: Vec<f64> = (0..1000).map(|k| f64::from(k) * 1e-3).collect();
    times[10] += 2e-4;
    times[500] = times[499];
    for time in &mut times[700..] {
        *time += 0.05;
    }
    let found = signal::stamps(&times).unwrap();
    assert!((found.step - 1e-3).abs() < 1e-9);
    assert!((found.jitter - 1.0).abs() < 1e-6, "after the row that stood still: {}", found.jitter);
    assert_eq!(found.wrong, [500]);
    assert_eq!(found.gaps.len(), 1);
    assert_eq!(found.gaps[0].0, 699);
    assert!((found.gaps[0].1 - 0.051).abs() < 1e-9);
    assert!(matches!(signal::stamps(&times[..3]), Err(IdentifyError::TooFew { found: 3, .. })));
    assert!(signal::stamps(&[f64::NAN; 20]).is_err());
    let falling: Vec<f64> = (0..20).map(|k| -f64::from(k)).collect();
    for times in [&[1.0; 20][..], &falling] {
        let text = signal::stamps(times).unwrap_err().to_string();
        assert_eq!(text, "steps of a log whose times rise: 0 where at least 1 are needed");
    }
}

#[test]
fn resampling_is_exact_for_straight_lines_and_leaves_gaps() {
    let times = [0.0, 0.9, 2.2, 2.9, 4.0, 9.0, 10.0];
    let values = times.map(|t| 2.0 * t + 1.0);
    let found = signal::resample(&times, &values, 0.0, 1.0, 11, 2.0).unwrap();
    for (k, value) in found.iter().enumerate() {
        let t = k as f64;
        match (5..=8).contains(&k) {
            true => assert!(value.is_nan(), "{k}"),
            false => assert!((value - (2.0 * t + 1.0)).abs() < 1e-12, "{k}"),
        }
    }
}

#[test]
fn outliers_limits_and_rest() {
    let mut values: Vec<f64> = (0..500).map(|k| (f64::from(k) * 0.02).sin()).collect();
    assert!(signal::outliers(&values, 12.0).is_empty());
    values[250] += 1.0;
    assert_eq!(signal::outliers(&values, 12.0), [250]);
    let cut: Vec<f64> = (0..500).map(|k| (f64::from(k) * 0.02).sin().clamp(-0.9, 0.9)).collect();
    assert!(signal::saturated(&cut, 5) > 0.2);
    let free: Vec<f64> = (0..500).map(|k| (f64::from(k) * 0.5).sin()).collect();
    assert!(signal::saturated(&free, 5) < 0.01);
    assert_eq!(signal::saturated(&[1.0; 10], 5), 0.0);
    let speed: Vec<f64> = (0..100).map(|k| if (40..60).contains(&k) { 1.0 } else { 0.0 }).collect();
    let moving = signal::moving(&[&speed], &[0.1], 5);
    assert!(!moving[34] && moving[35] && moving[64] && !moving[65]);
}

/// A smooth peak is no limit, however long it lasts, in counts too; a plateau that is cut is one.
#[test]
fn only_a_plateau_that_is_cut_is_a_limit() {
    let slow: Vec<f64> = (0..20_000).map(|k| (f64::from(k) * 1e-3).sin()).collect();
    assert_eq!(signal::saturated(&slow, 5), 0.0);
    for bits in [8, 10, 12, 16] {
        let count = 2.0 / f64::from(1 << bits);
        let counted: Vec<f64> = slow.iter().map(|x| (x / count).round() * count).collect();
        assert_eq!(signal::saturated(&counted, 5), 0.0, "{bits} bits");
    }
    for limit in [0.5, 0.9, 0.97] {
        let cut: Vec<f64> = slow.iter().map(|x| x.clamp(-limit, limit)).collect();
        let share = cut.iter().filter(|x| x.abs() >= limit).count() as f64 / cut.len() as f64;
        assert!((signal::saturated(&cut, 5) - share).abs() < 0.02, "{limit}: {share}");
    }
}

/// Angles that are wrapped come back to what they were, with holes and a spike of a turn; those that jump otherwise stay.
#[test]
fn wrapped_angles_come_back() {
    use std::f64::consts::{PI, TAU};
    let times: Vec<f64> = (0..5000).map(|k| f64::from(k) * 1e-3).collect();
    let truth: Vec<f64> = times.iter().map(|t| 2.5 + 6.0 * (1.3 * t).sin() + 0.4 * t).collect();
    for wrap in [|q: f64| (q + PI).rem_euclid(TAU) - PI, |q: f64| q.rem_euclid(TAU)] {
        let mut values: Vec<f64> = truth.iter().map(|q| wrap(*q)).collect();
        values[700..705].fill(f64::NAN);
        values[1300] += TAU;
        let first = ((values[0] - truth[0]) / TAU).round() * TAU;
        let jumps = signal::unwrap(&times, &mut values);
        assert!(jumps >= 3, "{jumps}");
        for (k, (value, truth)) in values.iter().zip(&truth).enumerate().filter(|(_, (value, _))| !value.is_nan()) {
            assert!((value - first - truth).abs() < 1e-9, "{k}: {value} for {truth}");
        }
    }
    let mut smooth = truth.clone();
    assert_eq!(signal::unwrap(&times, &mut smooth), 0);
    // Two radians from one sample to the next: nobody can tell how many turns that was.
    let fast: Vec<f64> = times.iter().map(|t| (2000.0 * t).rem_euclid(TAU)).collect();
    let mut same = fast.clone();
    assert_eq!((signal::unwrap(&times, &mut same), same), (0, fast));
    // A step by something else than a turn is an outlier or an error, no turn.
    let mut step = truth.clone();
    step[2000..].iter_mut().for_each(|q| *q += 4.5);
    assert_eq!(signal::unwrap(&times, &mut step), 0);
    // Across a gap a joint may have gone anywhere, unless its angle is wrapped elsewhere.
    let mut times = times;
    times[2000..].iter_mut().for_each(|t| *t += 3.0);
    let mut gone = truth.clone();
    gone[2000..].iter_mut().for_each(|q| *q += TAU);
    assert_eq!(signal::unwrap(&times, &mut gone), 0);
}

#[test]
fn parts_of_time_and_the_least_of_a_function() {
    assert_eq!(folds::in_places(&[0, 1, 2, 3, 4, 5, 6], 3, 1), [0, 0, 0, 1, 1, 2, 2]);
    assert_eq!(folds::in_places(&[0, 1, 2, 3, 0, 1, 2, 3], 2, 2), [0, 1, 0, 1, 0, 1, 0, 1]);
    assert_eq!(folds::at_instants(&[0.0, 1.0, 2.0], &[1.0]), [0, 1, 1]);
    assert!((folds::score(0.04, 4.0) - 10.0).abs() < 1e-12);
    let found = least(-3.0, 3.0, 13, |x| (x - 0.7).powi(2) + 2.0);
    assert!((found.at - 0.7).abs() < 1e-4 && (found.value - 2.0).abs() < 1e-8);
    assert!(least(-1.0, 1.0, 5, |_| f64::NAN).value.is_infinite());
}

/// Positions that are measured every fifth row repeat; those of coarse encoders, and those at rest, do not.
#[test]
fn repeated_rows_are_told_from_coarse_encoders() {
    let moving = |every: usize, count: f64| -> Vec<Vec<f64>> {
        let at = |i: usize, k: usize| (0.7 + 0.2 * i as f64) * (k as f64 * 1e-3 * (1.0 + i as f64)).sin();
        (0..4).map(|i| (0..3000).map(|k| (at(i, k / every * every) / count).round() * count).collect()).collect()
    };
    assert_eq!(signal::repeats(&moving(5, 1e-6)), 5);
    assert_eq!(signal::repeats(&moving(1, 1e-6)), 1);
    assert_eq!(signal::repeats(&moving(1, 2e-3)), 1);
    assert_eq!(signal::repeats(&vec![vec![0.3; 3000]; 4]), 1);
    assert_eq!(signal::repeats(&[]), 1);
}

/// Positions and velocities of joints that each move by five sines; `base` is the frequency that all have in common, where there is one, Hz.
fn sines(random: &mut u64, joints: usize, base: Option<f64>, seconds: f64) -> Vec<Vec<f64>> {
    let mut draw = || {
        *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*random >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut all = Vec::new();
    for _ in 0..joints {
        let mut term = |h: i32| {
            let frequency = base.map_or(0.1 + 2.0 * draw(), |base| base * f64::from(h));
            [0.3 + draw(), std::f64::consts::TAU * frequency, 6.0 * draw()]
        };
        let terms: Vec<[f64; 3]> = (1..=5).map(&mut term).collect();
        let times = (0..(seconds * 200.0) as usize).map(|k| k as f64 * 5e-3);
        let q = times.clone().map(|t| terms.iter().map(|[a, w, p]| a * (w * t + p).sin() / w).sum());
        let qd = times.map(|t| terms.iter().map(|[a, w, p]| a * (w * t + p).cos()).sum());
        all.extend([q.collect(), qd.collect()]);
    }
    all
}

/// Motions that repeat are found with their period, also where a log is no whole number of them; of motions that do not, hardly any is
/// taken for one: 1 % of 300 with one to seven joints.
#[test]
fn repetition_is_found_and_hardly_ever_imagined() {
    let mut random = 5;
    let mut alarms = 0;
    for k in 0..300 {
        let [one, other] = [0, 1].map(|_| sines(&mut random, 1 + k % 7, None, 8.0));
        alarms += usize::from(folds::period(&one).is_some()) + usize::from(folds::shift(&one, &other).is_some());
    }
    println!("{alarms} false alarms of 600");
    assert!(alarms <= 6, "{alarms}");
    for k in 0..60 {
        let base = [0.17, 0.31, 0.8, 1.3][k % 4];
        let mut all = sines(&mut random, 2 + k % 5, Some(base), 8.0);
        let period = 200.0 / base;
        // Two per cent of noise.
        for (i, value) in all.iter_mut().flatten().enumerate() {
            *value *= 1.0 + 0.02 * ((i * 7919 % 1000) as f64 / 500.0 - 1.0);
        }
        let found = folds::period(&all).unwrap_or_else(|| panic!("{base} Hz, {k}"));
        assert!((found as f64 - period).abs() < 2.0, "{found} for {period}");
        let later: Vec<Vec<f64>> = all.iter().map(|signal| signal[300..].to_vec()).collect();
        let shift = folds::shift(&all, &later).unwrap() as f64 - 300.0;
        assert!((shift - (shift / period).round() * period).abs() < 4.0, "{shift}");
    }
}
