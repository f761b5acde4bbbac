//! What counts as rest.

use dalembert::control::{Encoder, Rest, Verdict};

/// A second of hold in steps of a millisecond.
fn verdict(q: impl Fn(f64) -> [f64; 2], torque: impl Fn(f64) -> f64) -> Verdict {
    let mut rest = Rest::after(0.5, 1.0, &Encoder::IDEAL, 2);
    for k in 0..=1500 {
        let t = f64::from(k) * 1e-3;
        rest.add(t, &q(t), &[torque(t), 0.0]);
    }
    rest.verdict(&[40.0, 40.0])
}

#[test]
fn creeping_is_no_swinging_and_a_tremble_is_no_turn() {
    // One joint creeps, the other trembles below 1e-4 rad.
    let creep = verdict(|t| [1e-2 * (-t).exp(), 2e-5 * (200.0 * t).sin()], |_| 1.0);
    assert!(matches!(creep, Verdict::StillMoves(way) if (1e-4..1e-2).contains(&way)), "{creep}");
    assert_eq!(verdict(|t| [1e-2 * (-20.0 * t).exp(), 2e-5 * (200.0 * t).sin()], |_| 1.0), Verdict::Settled);
}

#[test]
fn what_swings_on_is_told_from_what_decays() {
    let omega = 60.0;
    for (damping, swings) in [(-0.01, true), (0.0, true), (0.01, true), (0.1, false)] {
        let run = verdict(|t| [0.02 * (-damping * omega * (t - 0.5)).exp() * (omega * t).cos(), 0.0], |_| 1.0);
        assert_eq!(matches!(run, Verdict::Oscillates(swing) if swing > 1e-4), swings, "{damping}: {run}");
    }
    // A limit cycle of a single sample's length, and one that is slower than a quarter of the hold.
    for omega in [3000.0, 20.0] {
        let run = verdict(|t| [0.0, 0.1 * (omega * t).sin()], |_| 1.0);
        assert!(matches!(run, Verdict::Oscillates(swing) if (0.15..0.21).contains(&swing)), "{omega}: {run}");
    }
}

#[test]
fn hammering_motors_are_no_rest() {
    let hammers = verdict(|_| [0.0; 2], |t| if (t * 500.0).fract() < 0.5 { 30.0 } else { -30.0 });
    assert_eq!(hammers, Verdict::Hammers(60.0));
    assert_eq!(verdict(|_| [0.0; 2], |t| (600.0 * t).sin()), Verdict::Settled);
}
