//! Armstrong's bench against closed forms and integrated swings.

use dalembert_identify::bench::{Toleranced, TwoWires, break_away, stiffness_step, torsion};

fn exact(value: f64) -> Toleranced {
    Toleranced::new(value, 0.0)
}

/// A swing integrated in time (Runge–Kutta): its period goes in, its inertia comes out, whatever the amplitude.
#[test]
fn two_wires_give_the_inertia_of_an_integrated_swing() {
    let (m, r, l, g, inertia) = (17.4, 0.25, 0.9, 9.81, 0.54);
    for amplitude in [0.05, 0.4, 1.0] {
        // θ̈ from ½(I + m h′²)θ̇² + m g h: with h′ and h″ by their formulas.
        let rate = |theta: f64, omega: f64| {
            let root = (l * l - 4.0 * r * r * (0.5 * theta).sin().powi(2)).sqrt();
            let slope = r * r * theta.sin() / root;
            let curve = r * r * theta.cos() / root + slope * slope / root;
            -(m * g * slope + m * slope * curve * omega * omega) / (inertia + m * slope * slope)
        };
        let (mut theta, mut omega, mut t, h) = (amplitude, 0.0, 0.0, 1e-5);
        // To the first passage through zero: a quarter.
        let quarter = loop {
            let k1 = (omega, rate(theta, omega));
            let k2 = (omega + 0.5 * h * k1.1, rate(theta + 0.5 * h * k1.0, omega + 0.5 * h * k1.1));
            let k3 = (omega + 0.5 * h * k2.1, rate(theta + 0.5 * h * k2.0, omega + 0.5 * h * k2.1));
            let k4 = (omega + h * k3.1, rate(theta + h * k3.0, omega + h * k3.1));
            let next = theta + h / 6.0 * (k1.0 + 2.0 * (k2.0 + k3.0) + k4.0);
            if next <= 0.0 {
                break t + h * theta / (theta - next);
            }
            omega += h / 6.0 * (k1.1 + 2.0 * (k2.1 + k3.1) + k4.1);
            (theta, t) = (next, t + h);
        };
        let wires = TwoWires {
            mass: exact(m),
            radius: exact(r),
            length: exact(l),
            period: exact(4.0 * quarter),
            amplitude,
            gravity: g,
        };
        let found = wires.inertia().unwrap();
        assert!((found.corrected.value - inertia).abs() < 1e-7 * inertia, "{amplitude}: {}", found.corrected.value);
        // (11) is off by about a²/8 of it, less what leaning wires give back.
        let off = (found.inertia.value / inertia - 1.0).abs();
        assert!(off < 0.2 * amplitude * amplitude, "{amplitude}: {off}");
    }
}

/// Relative tolerances of (11) by root of squares: mass once, radius twice, length once, period twice.
#[test]
fn tolerances_go_by_root_of_squares() {
    let wires = TwoWires {
        mass: Toleranced::new(17.4, 0.174),
        radius: Toleranced::new(0.25, 0.001),
        length: Toleranced::new(0.9, 0.002),
        period: Toleranced::new(1.33, 0.004),
        amplitude: 0.0,
        gravity: 9.81,
    };
    let found = wires.inertia().unwrap().inertia;
    let share =
        [0.01_f64, 2.0 * 0.001 / 0.25, 0.002 / 0.9, 2.0 * 0.004 / 1.33].iter().map(|x| x * x).sum::<f64>().sqrt();
    assert!((found.tolerance / found.value - share).abs() < 1e-6, "{} and {share}", found.tolerance / found.value);
    assert!(TwoWires { period: exact(-1.0), ..wires }.inertia().is_err());
    assert!(TwoWires { amplitude: 4.0, ..wires }.inertia().is_err());
}

/// A damped oscillator in closed form.
#[test]
fn a_torsional_spring_gives_inertia_and_damping() {
    let (inertia, damping, k) = (1.49_f64, 0.8_f64, 120.0_f64);
    let sigma = damping / (2.0 * inertia);
    let w = (k / inertia - sigma * sigma).sqrt();
    let period = std::f64::consts::TAU / w;
    let found =
        torsion(exact(k), exact(period), Toleranced::new(0.35, 0.02), Some(exact((sigma * period).exp()))).unwrap();
    assert!((found.total.value - inertia).abs() < 1e-12);
    assert!((found.drive.value - (inertia - 0.35)).abs() < 1e-12 && (found.drive.tolerance - 0.02).abs() < 1e-9);
    assert!((found.damping.unwrap().value - damping).abs() < 1e-12);
    let periods = [120.0_f64, 260.0].map(|k| exact(std::f64::consts::TAU / ((k + 7.0) / inertia).sqrt()));
    let found = stiffness_step([exact(120.0), exact(260.0)], periods).unwrap();
    assert!((found.value - inertia).abs() < 1e-12, "an unknown stiffness of 7 does not matter");
    assert!(torsion(exact(k), exact(period), exact(0.0), Some(exact(0.5))).is_err());
}

#[test]
fn break_away_torques() {
    let found = break_away(&[6.0, 6.4, 6.2], &[-5.0, -5.2, -4.8]).unwrap();
    assert!((found.friction.value - 5.6).abs() < 1e-12 && (found.holding.value - 0.6).abs() < 1e-12);
    assert!((found.scatter - 0.2).abs() < 1e-12);
    assert!((found.friction.tolerance - 0.5 * (2.0 * 0.04 / 3.0_f64).sqrt()).abs() < 1e-12);
    assert!(break_away(&[1.0], &[-1.0, -1.0]).is_err());
}
