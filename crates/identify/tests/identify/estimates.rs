//! Estimates against known truth: least squares, base parameters, bodies that can be, friction's speed.

use super::Random;
use dalembert_identify::base::BaseParameters;
use dalembert_identify::consistent::{self, DefiniteBlock, Prior};
use dalembert_identify::friction::{
    FrictionResidual, covariance_with_speed, sign, sign_slope, stribeck, stribeck_slope,
};
use dalembert_identify::least_squares::{self, Compressed};
use nalgebra::{DMatrix, DVector};

fn matrix(random: &mut Random, rows: usize, columns: usize) -> DMatrix<f64> {
    DMatrix::from_fn(rows, columns, |_, _| random.normal())
}

/// Compressed in pieces, rows say the same as all at once.
#[test]
fn pieces_say_the_same_as_the_whole() {
    let mut random = Random::new(4);
    let y = matrix(&mut random, 300, 7);
    let truth = DVector::from_fn(7, |k, _| k as f64 - 2.5);
    let tau = &y * &truth + DVector::from_fn(300, |_, _| 0.1 * random.normal());
    let whole = Compressed::new(&y, &tau).unwrap();
    let mut pieces = Compressed::empty(7);
    for k in 0..3 {
        let part = Compressed::new(&y.rows(100 * k, 100).into_owned(), &tau.rows(100 * k, 100).into_owned()).unwrap();
        pieces.merge(&part, 1.0);
    }
    let exact = (tau.clone() - &y * &truth).norm_squared();
    for all in [&whole, &pieces] {
        assert!((all.error(&truth) - exact).abs() < 1e-10 * exact);
        assert_eq!(all.rows, 300);
    }
    let [a, b] = [&whole, &pieces].map(|all| least_squares::solve(all).unwrap().parameters);
    assert!((a - b).norm() < 1e-12);
}

/// Two kinds of rows, one ten times as noisy: weights are found, and deviations of the parameters are true.
#[test]
fn reweighting_finds_the_noise_and_true_deviations() {
    let truth = DVector::from_vec(vec![1.0, -2.0, 0.5]);
    let (runs, mut far, mut ratio) = (400, 0, 0.0);
    for run in 0..runs {
        let mut random = Random::new(100 + run);
        let groups: Vec<Compressed> = [0.1, 1.0]
            .iter()
            .map(|noise| {
                let y = matrix(&mut random, 150, 3);
                let tau = &y * &truth + DVector::from_fn(150, |_, _| noise * random.normal());
                Compressed::new(&y, &tau).unwrap()
            })
            .collect();
        let (found, deviations) = least_squares::reweighted(&groups, 30).unwrap();
        ratio += deviations[1] / deviations[0] / runs as f64;
        for k in 0..3 {
            let off = (found.parameters[k] - truth[k]).abs() / found.covariance[(k, k)].sqrt();
            far += usize::from(off > 2.0);
        }
    }
    assert!((9.0..11.0).contains(&ratio), "{ratio}");
    // Beyond two deviations: 4.55 %.
    let share = far as f64 / (3 * runs) as f64;
    assert!((0.03..0.07).contains(&share), "{share}");
}

/// Planted dependencies come out as they were planted.
#[test]
fn base_parameters_of_planted_dependencies() {
    let mut random = Random::new(5);
    let free = matrix(&mut random, 100, 4);
    let mut y = DMatrix::zeros(100, 7);
    for (to, from) in [(0, 0), (2, 1), (3, 2), (6, 3)] {
        y.set_column(to, &free.column(from));
    }
    // Column 4 = 2 × column 0 − column 3; column 5 = 0.25 × column 2; column 1 is zero.
    y.set_column(4, &(free.column(0) * 2.0 - free.column(2)));
    y.set_column(5, &(free.column(1) * 0.25));
    let base = BaseParameters::of(&y);
    assert_eq!((base.independent.as_slice(), base.dependent.as_slice()), (&[0, 2, 3, 6][..], &[4, 5][..]));
    assert_eq!(base.silent, [1]);
    let all = DVector::from_vec(vec![1.0, 9.0, 3.0, 4.0, 10.0, 8.0, 7.0]);
    let expected = DVector::from_vec(vec![21.0, 5.0, -6.0, 7.0]);
    assert!((base.values(&all) - &expected).norm() < 1e-12);
    assert!((base.matrix(7) * all - expected).norm() < 1e-12);
    assert_eq!(base.terms(1).len(), 1);
}

/// m, m c, I about the origin of point masses: what a body is.
fn body(random: &mut Random) -> Vec<f64> {
    let mut all = vec![0.0; 10];
    for _ in 0..5 {
        let m = 0.2 + random.uniform();
        let r = [0, 1, 2].map(|_| 0.3 * random.normal());
        all[0] += m;
        (0..3).for_each(|k| all[1 + k] += m * r[k]);
        let square: f64 = r.iter().map(|x| x * x).sum();
        (0..3).for_each(|k| all[4 + k] += m * (square - r[k] * r[k]));
        all[7] -= m * r[0] * r[1];
        all[8] -= m * r[1] * r[2];
        all[9] -= m * r[0] * r[2];
    }
    all
}

fn block() -> DefiniteBlock {
    DefiniteBlock::body(0, [1, 2, 3], [4, 5, 6, 7, 8, 9])
}

/// With good data and next to no prior the truth comes back; with no data at all the prior does; whatever the data, the body
/// can be.
#[test]
fn bodies_are_found_and_can_be() {
    let mut random = Random::new(6);
    for seed in 0..20 {
        let truth = DVector::from_vec(body(&mut random));
        let near = DVector::from_vec(body(&mut random));
        assert!(block().margin(&truth) > 0.0);
        let y = matrix(&mut random, 60, 10);
        let rows = Compressed::new(&(&y * 1e4), &(&y * &truth * 1e4)).unwrap();
        let prior = Prior { blocks: vec![(block(), 1.0)], parameters: near.clone(), springs: DVector::zeros(10) };
        let found = consistent::solve(&rows, &prior, 1e-3).unwrap();
        assert!(
            (&found.parameters - &truth).norm() < 1e-6 * truth.norm(),
            "{seed}: {:e}",
            (&found.parameters - &truth).norm()
        );
        let nothing = Compressed::new(&DMatrix::zeros(12, 10), &DVector::zeros(12)).unwrap();
        let found = consistent::solve(&nothing, &prior, 1.0).unwrap();
        assert!((&found.parameters - &near).norm() < 1e-6 * near.norm());
        // Data that asks for a negative mass.
        let wrong = Compressed::new(&y, &(-(&y * &truth))).unwrap();
        let found = consistent::solve(&wrong, &prior, 1e-2).unwrap();
        assert!(block().margin(&found.parameters) > 0.0);
    }
}

/// Many bodies of which the data tells some combinations very well and others hardly, some of them with the numbers of bodies that
/// cannot be: whatever the weight, the least place is found.
#[test]
fn badly_conditioned_data_with_impossible_bodies_is_fitted() {
    const BODIES: usize = 6;
    let n = 10 * BODIES;
    for seed in 0..2 {
        let mut random = Random::new(300 + seed);
        let near = DVector::from_vec((0..BODIES).flat_map(|_| body(&mut random)).collect());
        let size = |k: usize| if k < 45 { 1e4 * 10f64.powf(-7.0 * k as f64 / 45.0) } else { 0.0 };
        let turned = matrix(&mut random, n, n).qr().q();
        let y = DMatrix::from_fn(n, n, |i, k| turned[(i, k)] * size(i));
        let wanted = DVector::from_fn(n, |k, _| near[k] * (1.0 + 0.3 * random.normal()));
        let tau = &y * &wanted + DVector::from_fn(n, |_, _| random.normal());
        let rows = Compressed::new(&y, &tau).unwrap();
        let blocks = (0..BODIES).map(|b| {
            let entries = block().entries.into_iter().map(|(i, k, p, factor)| (i, k, p + 10 * b, factor)).collect();
            (DefiniteBlock { size: 4, entries }, 1.0)
        });
        let prior = Prior { blocks: blocks.collect(), parameters: near, springs: DVector::zeros(n) };
        for weight in [1e-3, 10.0, 1e3] {
            let found = consistent::solve(&rows, &prior, weight).unwrap_or_else(|e| panic!("{seed}, {weight}: {e}"));
            for (block, _) in &prior.blocks {
                // Eigenvalues are known to rounding.
                assert!(block.margin(&found.parameters) > -1e-15, "{seed}, {weight}");
            }
        }
    }
}

/// A load and frictions that are thousands of times what is guessed, of which the torques want a point mass on the border of what
/// can be: Newton's steps alone come too near to the border and creep away from it.
#[test]
fn what_is_far_from_every_guess_and_on_the_border_is_found() {
    const NUMBERS: usize = 18;
    let n = 10 + NUMBERS;
    for seed in 0..6 {
        let mut random = Random::new(500 + seed);
        let mut truth = DVector::from_element(n, 0.0);
        let (mass, center) = (150.0, [0.3, -0.2, 0.4]);
        truth[0] = mass;
        for k in 0..3 {
            truth[1 + k] = mass * center[k];
            truth[4 + k] = mass * (0.29 - center[k] * center[k]);
        }
        [truth[7], truth[8], truth[9]] = [0.06, 0.08, -0.12].map(|product| mass * product);
        (10..n).for_each(|k| truth[k] = if k % 3 == 0 { 0.0 } else { 400.0 * random.uniform() });
        let mut near = DVector::from_element(n, 0.01);
        near.rows_mut(0, 10).fill(0.0);
        block().make_possible(&mut near, 1.0, 0.1);
        // Each joint has frictions of its own; all have the load.
        let y = DMatrix::from_fn(1200, n, |row, k| match k {
            0..10 => random.normal(),
            _ if (k - 10) / 3 == row % 6 => random.normal(),
            _ => 0.0,
        });
        let tau = &y * &truth + DVector::from_fn(1200, |_, _| random.normal());
        let rows = Compressed::new(&y, &tau).unwrap();
        let numbers = (10..n).map(|k| (DefiniteBlock::positive(k), 1e-2));
        let prior = Prior {
            blocks: std::iter::once((block(), 1e-2)).chain(numbers).collect(),
            parameters: near,
            springs: DVector::zeros(n),
        };
        let found = consistent::solve(&rows, &prior, 1.0).unwrap_or_else(|e| panic!("{seed}: {e}"));
        let left = (rows.error(&found.parameters) / 1200.0).sqrt();
        assert!((0.9..1.1).contains(&left), "{seed}: {left} are left of noise of 1");
        assert!(prior.blocks.iter().all(|(block, _)| block.margin(&found.parameters) > 0.0));
    }
}

/// The gradient of the objective is zero at the solution: the divergence and its derivative belong together. A weight in
/// between gives something in between.
#[test]
fn the_weight_goes_from_the_data_to_the_prior() {
    let mut random = Random::new(7);
    let (truth, near) = (DVector::from_vec(body(&mut random)), DVector::from_vec(body(&mut random)));
    let y = matrix(&mut random, 30, 10);
    let rows = Compressed::new(&y, &(&y * &truth)).unwrap();
    let prior = Prior { blocks: vec![(block(), 1.0)], parameters: near.clone(), springs: DVector::zeros(10) };
    let mut last = -1.0;
    for weight in [1e-4, 1e-2, 1.0, 1e2, 1e5] {
        let found = consistent::solve(&rows, &prior, weight).unwrap().parameters;
        let distance = rows.error(&found);
        assert!(distance >= last - 1e-9, "{weight}: {distance} after {last}");
        last = distance;
    }
    let far = consistent::solve(&rows, &prior, 1e8).unwrap().parameters;
    assert!((far - near).norm() < 1e-3);
}

/// A body on a line, a number, and parameters made possible.
#[test]
fn impossible_bodies_are_made_possible() {
    let line = DefiniteBlock::line([0, 1, 2]);
    let mut parameters = DVector::from_vec(vec![2.0, 1.0, 0.1]);
    assert!(line.margin(&parameters) < 0.0);
    line.make_possible(&mut parameters, 1.0, 0.1);
    // m c²  + m r²: 0.5 + 0.02.
    assert!((parameters[2] - 0.52).abs() < 1e-12 && parameters[0] == 2.0 && (parameters[1] - 1.0).abs() < 1e-12);
    let mut zeros = DVector::zeros(10);
    block().make_possible(&mut zeros, 1.5, 0.1);
    assert_eq!(zeros[0], 1.5);
    assert!((zeros[4] - 1.5 * 0.02).abs() < 1e-12, "a ball of this radius of gyration in every direction: 2 m r²");
    let mut random = Random::new(8);
    let fine = DVector::from_vec(body(&mut random));
    let mut same = fine.clone();
    block().make_possible(&mut same, 1.0, 1e-3);
    assert_eq!(same, fine);
}

#[test]
fn stribeck_speed_is_found() {
    let mut random = Random::new(9);
    let speeds: Vec<f64> = (0..2000).map(|k| 3.0 * (f64::from(k) * 0.01).sin()).collect();
    let fixed = DMatrix::from_fn(2000, 3, |k, j| match j {
        0 => speeds[k],
        1 => sign(speeds[k], 0.02),
        _ => 1.0,
    });
    let clean = DVector::from_iterator(
        2000,
        speeds.iter().map(|&v| 0.8 * v + 2.0 * sign(v, 0.02) + 1.5 * stribeck(v, 0.02, 0.35) + 0.1),
    );
    let part = |at: f64| DVector::from_iterator(2000, speeds.iter().map(|&v| stribeck(v, 0.02, at)));
    let rest = FrictionResidual::new(&fixed, &clean).unwrap();
    let found = rest.speed(part, [0.05, 3.0]).unwrap();
    assert!((found.at - 0.35).abs() < 1e-4, "{}", found.at);
    assert!(found.value < 1e-6 * rest.left());
    let noisy = clean + DVector::from_fn(2000, |_, _| 0.05 * random.normal());
    let found = FrictionResidual::new(&fixed, &noisy).unwrap().speed(part, [0.05, 3.0]).unwrap();
    assert!((found.at - 0.35).abs() < 0.02, "{}", found.at);
}

/// The speed of a wide tanh, and that Stribeck's part of such a friction would be negative: it rises with the speed.
#[test]
fn the_speed_of_a_tanh_is_found() {
    let mut random = Random::new(19);
    let speeds = DVector::from_fn(2000, |k, _| 3.0 * (k as f64 * 0.01).sin());
    let tau = speeds.map(|v| 0.8 * v + 2.0 * sign(v, 0.4) + 0.1 + 0.05 * random.normal());
    let others = DMatrix::from_columns(&[speeds.clone(), DVector::from_element(2000, 1.0)]);
    let rest = FrictionResidual::new(&others, &tau).unwrap();
    let found = rest.speed(|at| speeds.map(|v| sign(v, at)), [0.02, 2.0]).unwrap();
    let [_, factor] = rest.with(&speeds.map(|v| sign(v, found.at)));
    assert!((found.at - 0.4).abs() < 0.02 && (factor - 2.0).abs() < 0.05, "{found:?}");
    assert!((found.value / (2000.0 * 0.0025) - 1.0).abs() < 0.1, "{}", found.value);
    let dry = rest.and(&speeds.map(|v| sign(v, 0.02)));
    assert!((dry.left() - rest.with(&speeds.map(|v| sign(v, 0.02)))[0]).abs() < 1e-9 * dry.left());
    let falls = dry.speed(|at| speeds.map(|v| stribeck(v, 0.02, at)), [0.05, 2.0]).unwrap();
    let [_, factor] = dry.with(&speeds.map(|v| stribeck(v, 0.02, falls.at)));
    assert!(factor < 0.0 && falls.value > found.value, "{falls:?}");
    // The slope is the derivative.
    let (v, at, h) = (0.3, 0.4, 1e-5);
    let difference = (sign(v, at + h) - sign(v, at - h)) / (2.0 * h);
    assert!((sign_slope(v, at) - difference).abs() < 1e-8);
}

/// Of columns whose parameters are nothing, or next to nothing, none is left; those that matter are found as they are.
#[test]
fn essential_parameters_are_those_that_matter() {
    let mut random = Random::new(31);
    let truth = DVector::from_vec(vec![3.0, 0.0, -1.0, 0.001, 0.0, 2.0]);
    let y = matrix(&mut random, 500, 6);
    let tau = &y * &truth + DVector::from_fn(500, |_, _| 0.5 * random.normal());
    let rows = least_squares::weighted(&[Compressed::new(&y, &tau).unwrap()], &[0.5]);
    let (kept, found) = least_squares::essential(&rows, 0.1, &[1.0; 6]).unwrap();
    assert_eq!(kept, [0, 2, 5]);
    for (k, &column) in kept.iter().enumerate() {
        assert!((found.parameters[k] - truth[column]).abs() < 4.0 * found.covariance[(k, k)].sqrt());
    }
    // Deviations that are ten times as large leave less; nobody is left out of a set of one.
    let (fewer, _) = least_squares::essential(&rows, 0.1, &[10.0; 6]).unwrap();
    assert!(fewer.len() < 3 && !fewer.is_empty(), "{fewer:?}");
    assert!(least_squares::essential(&rows, 0.0, &[1.0; 6]).is_err());
}

/// A curve of friction with its speed, fitted 300 times: each of its four numbers is as far off as its deviation says.
#[test]
fn the_speed_of_friction_has_a_true_deviation() {
    const RUNS: usize = 300;
    let truth = [0.8, 2.0, 1.5, 0.3];
    let mut squares = [0.0; 4];
    for run in 0..RUNS {
        let mut random = Random::new(500 + run as u64);
        let speeds: Vec<f64> = (0..600).map(|k| 2.0 * ((k as f64 + 0.5) / 300.0 - 1.0)).collect();
        let column = |f: &dyn Fn(f64) -> f64| DVector::from_iterator(speeds.len(), speeds.iter().map(|&v| f(v)));
        let torque = |v: f64| truth[0] * v + truth[1] * sign(v, 1e-3) + truth[2] * stribeck(v, 1e-3, truth[3]);
        let tau = column(&torque).map(|tau| tau + 0.1 * random.normal());
        let fixed = DMatrix::from_columns(&[column(&|v| v), column(&|v| sign(v, 1e-3))]);
        let part = |at: f64| column(&|v| stribeck(v, 1e-3, at));
        let found = FrictionResidual::new(&fixed, &tau).unwrap().speed(part, [0.05, 1.0]).unwrap();
        let mut y = fixed.insert_column(2, 0.0);
        y.set_column(2, &column(&|v| stribeck(v, 1e-3, found.at)));
        let parameters = least_squares::solve(&Compressed::new(&y, &tau).unwrap()).unwrap().parameters;
        let left = &tau - &y * &parameters;
        let slope = column(&|v| stribeck_slope(v, 1e-3, found.at)) * parameters[2];
        let covariance = covariance_with_speed(&y, &slope, &left, &[0, 1, 2]).unwrap();
        let values = [parameters[0], parameters[1], parameters[2], found.at];
        for k in 0..4 {
            squares[k] += ((values[k] - truth[k]) / covariance[(k, k)].sqrt()).powi(2) / RUNS as f64;
        }
    }
    // The mean of 300 squares of normal numbers is known to 8 %; what is left is the curve's own curvature.
    for (k, square) in squares.iter().enumerate() {
        assert!((0.75..1.3).contains(square), "{k}: {square}");
    }
}
