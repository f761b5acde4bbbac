//! Planar linkages against closed forms: bodies placed by hand, torques by d'Alembert's principle.

use crate::common::linkages;
use dalembert::mechanism::{D1, D2, Mechanism, MechanismDynamics, MechanismError, PartId, Prescribed, Swing};
use dalembert::simulate::{Constrained, DormandPrince, Minimal, Stabilization, Variables, run};
use dalembert::{Dual, Scalar};
use std::error::Error;

use crate::common::linkages::GRAVITY;

fn largest<'a>(values: impl IntoIterator<Item = &'a f64>) -> f64 {
    values.into_iter().fold(0.0, |m: f64, x| m.max(x.abs()))
}

/// The constraints hold.
fn assert_closed(m: &Mechanism, time: f64, q: &[f64], v: &[f64]) {
    let off = MechanismDynamics::new(m).residual(time, q, v);
    assert!(off.0 <= 1e-12 && off.1 <= 1e-12, "{off:?}");
}

/// Bodies of a planar mechanism in closed form: (x, z, angle) of each from the driven angles.
trait Closed<const N: usize> {
    fn bodies<S: Scalar>(&self, u: [S; N]) -> Vec<[S; 3]>;
    /// (mass, inertia) of each.
    fn masses(&self) -> Vec<[f64; 2]>;

    /// Torques of d'Alembert's principle: Σ m(a − g)·∂x/∂u + I α ∂θ/∂u.
    fn torque(&self, u: [f64; N], ud: [f64; N], udd: [f64; N]) -> [f64; N] {
        let moving: [D2; N] = std::array::from_fn(|i| Dual {
            value: Dual { value: u[i], derivative: [ud[i]] },
            derivative: [Dual { value: ud[i], derivative: [udd[i]] }],
        });
        let accelerations = self.bodies(moving);
        let masses = self.masses();
        std::array::from_fn(|k| {
            let seeded: [D1; N] =
                std::array::from_fn(|i| Dual { value: u[i], derivative: [if i == k { 1.0 } else { 0.0 }] });
            let slopes = self.bodies(seeded);
            (0..masses.len())
                .map(|b| {
                    let a = |c: usize| accelerations[b][c].derivative[0].derivative[0];
                    let s = |c: usize| slopes[b][c].derivative[0];
                    let [mass, inertia] = masses[b];
                    mass * (a(0) * s(0) + (a(1) + 9.81) * s(1)) + inertia * a(2) * s(2)
                })
                .sum()
        })
    }
}

struct SliderCrank;
const CRANK: f64 = linkages::SLIDER_CRANK.crank.length;
const ROD: f64 = linkages::SLIDER_CRANK.rod.length;

impl Closed<1> for SliderCrank {
    fn bodies<S: Scalar>(&self, [u]: [S; 1]) -> Vec<[S; 3]> {
        let (sin, cos) = u.sin_cos();
        let (pin_x, pin_z) = (cos.times(CRANK), sin.times(CRANK));
        let along = (S::from_f64(ROD * ROD) - pin_z.square()).sqrt();
        let angle = (-pin_z).atan2(along);
        vec![
            [pin_x.times(0.5), pin_z.times(0.5), u],
            [pin_x + along.times(0.5), pin_z.times(0.5), angle],
            [pin_x + along, S::zero(), S::zero()],
        ]
    }
    fn masses(&self) -> Vec<[f64; 2]> {
        vec![[1.0, 0.002], [0.8, 0.006], [2.0, 0.0]]
    }
}

fn slider_crank() -> Result<(Mechanism, PartId), MechanismError> {
    let mut m = Mechanism::new(GRAVITY);
    let [crank, ..] = linkages::SLIDER_CRANK.add(&mut m)?;
    Ok((m, crank))
}

/// Coordinates, velocities and accelerations of the slider-crank from its closed form.
fn slider_crank_motion(u: f64, ud: f64, udd: f64) -> [Vec<f64>; 3] {
    let moving: D2 =
        Dual { value: Dual { value: u, derivative: [ud] }, derivative: [Dual { value: ud, derivative: [udd] }] };
    let [crank, rod, slider] = SliderCrank.bodies([moving])[..] else { return [vec![], vec![], vec![]] };
    let numbers = [crank[2], rod[0], rod[1], rod[2], slider[0], D2::zero(), slider[1]];
    [
        numbers.iter().map(|x| x.value.value).collect(),
        numbers.iter().map(|x| x.value.derivative[0]).collect(),
        numbers.iter().map(|x| x.derivative[0].derivative[0]).collect(),
    ]
}

#[test]
fn slider_crank_is_its_closed_form() -> Result<(), Box<dyn Error>> {
    let (m, crank) = slider_crank()?;
    assert_eq!((m.freedoms(), m.motors()), (1, 1));
    for (u, ud, udd) in [(0.3, 0.0, 0.0), (1.2, 20.0, 50.0), (-2.5, -7.0, 300.0)] {
        let [q, v, a] = slider_crank_motion(u, ud, udd);
        assert_closed(&m, 0.0, &q, &v);
        let [expected] = SliderCrank.torque([u], [ud], [udd]);
        let required = m.inverse_dynamics(0.0, &q, &v, &a)?;
        assert!((required.torque[0] - expected).abs() < 1e-11 * expected.abs().max(1.0), "{required:?} {expected}");
        let (found, _) = m.acceleration(0.0, &q, &v, &[expected])?;
        assert!((found[0] - udd).abs() < 1e-10 * udd.abs().max(10.0), "{} {udd}", found[0]);
    }
    // A prescribed crank: the multiplier is the motor's torque, the motion is kept.
    let mut driven = slider_crank()?.0;
    let motion = Swing { offset: 0.4, rate: 10.0, amplitude: 0.2, frequency: 5.0, phase: 0.0 };
    driven.constrain("motor", Prescribed { part: crank, coordinate: 0, motion })?;
    let time = 0.7_f64;
    let at = |t: f64| 0.4 + 10.0 * t + 0.2 * (5.0 * t).sin();
    let (ud, udd) = (10.0 + (5.0 * time).cos(), -5.0 * (5.0 * time).sin());
    let [q, v, a] = slider_crank_motion(at(time), ud, udd);
    assert_closed(&driven, time, &q, &v);
    let (found, forces) = driven.acceleration(time, &q, &v, &[0.0])?;
    let [expected] = SliderCrank.torque([at(time)], [ud], [udd]);
    assert!((forces[4].values[0] - expected).abs() < 1e-10 * expected.abs(), "{forces:?} {expected}");
    assert!(found.iter().zip(&a).all(|(x, y)| (x - y).abs() < 1e-9 * largest(&a)));
    Ok(())
}

/// A crank that turns fully has no one set of independent coordinates that does not include the crank angle; started
/// with the slider as the only good choice, the choice is exchanged and the motion stays right.
#[test]
fn independent_coordinates_are_exchanged() -> Result<(), Box<dyn Error>> {
    let (m, _) = slider_crank()?;
    let [q, v, _] = slider_crank_motion(1.5, 15.0, 0.0);
    let start = m.assemble(0.0, &q, &v)?;
    let (mut minimal, state) = Minimal::new(&m, 0.0, &start.q, &start.v, &[0.0])?;
    let mut integrator = DormandPrince::new(2, 1e-12)?;
    let times = || (0..=100).map(|i| f64::from(i) * 0.02);
    let turning = run(&mut minimal, &mut integrator, &state, times());
    turning.ended.clone()?;
    let mut projected = Constrained::new(&m, Variables::Velocity, Stabilization::Projection, &[0.0])?;
    let state = projected.state(&start.q, &start.v)?;
    let mut integrator = DormandPrince::new(14, 1e-12)?;
    let reference = run(&mut projected, &mut integrator, &state, times());
    reference.ended.clone()?;
    let last = minimal.full(2.0, &turning.states[100])?[0][4];
    println!(
        "{} exchanges, slider {} and {}, energy {:.1e}",
        minimal.exchanges,
        last,
        reference.states[100][4],
        turning.energy_drift()
    );
    assert!((last - reference.states[100][4]).abs() < 1e-7);
    assert!(turning.energy_drift() < 1e-8 * turning.kinetic_range());
    Ok(())
}

struct FiveBar;
const BASE: f64 = linkages::FIVE_BAR.pivots[1];
const NEAR: f64 = linkages::FIVE_BAR.cranks[0].length;
const FAR: f64 = linkages::FIVE_BAR.rods[0].length;

impl Closed<2> for FiveBar {
    fn bodies<S: Scalar>(&self, [left, right]: [S; 2]) -> Vec<[S; 3]> {
        let elbow = |u: S, base: f64| {
            let (sin, cos) = u.sin_cos();
            [S::from_f64(base) + cos.times(NEAR), sin.times(NEAR)]
        };
        let (a, b) = (elbow(left, -BASE), elbow(right, BASE));
        // The upper of the two points at distance FAR from both elbows.
        let (dx, dz) = (b[0] - a[0], b[1] - a[1]);
        let square = dx.square() + dz.square();
        let height = (S::from_f64(FAR * FAR) / square - S::from_f64(0.25)).sqrt();
        let tip = [a[0] + dx.times(0.5) - dz * height, a[1] + dz.times(0.5) + dx * height];
        let half = |from: [S; 2], u: Option<S>, base: f64| match u {
            Some(u) => [(from[0] + S::from_f64(base)).times(0.5), from[1].times(0.5), u],
            None => [
                (from[0] + tip[0]).times(0.5),
                (from[1] + tip[1]).times(0.5),
                (tip[1] - from[1]).atan2(tip[0] - from[0]),
            ],
        };
        vec![half(a, Some(left), -BASE), half(b, Some(right), BASE), half(a, None, 0.0), half(b, None, 0.0)]
    }
    fn masses(&self) -> Vec<[f64; 2]> {
        vec![[0.5, 0.002], [0.6, 0.003], [0.3, 0.004], [0.35, 0.005]]
    }
}

#[test]
fn five_bar_is_its_closed_form() -> Result<(), Box<dyn Error>> {
    let mut m = Mechanism::new(GRAVITY);
    linkages::FIVE_BAR.add(&mut m)?;
    assert_eq!(m.freedoms(), 2);
    for (u, ud, udd) in [([2.2, 0.9], [0.0, 0.0], [0.0, 0.0]), ([1.9, 1.4], [3.0, -5.0], [40.0, 15.0])] {
        let moving: [D2; 2] = std::array::from_fn(|i| Dual {
            value: Dual { value: u[i], derivative: [ud[i]] },
            derivative: [Dual { value: ud[i], derivative: [udd[i]] }],
        });
        let bodies = FiveBar.bodies(moving);
        let numbers: Vec<D2> = [moving[0], moving[1]].into_iter().chain(bodies[2]).chain(bodies[3]).collect();
        let q: Vec<f64> = numbers.iter().map(|x| x.value.value).collect();
        let v: Vec<f64> = numbers.iter().map(|x| x.value.derivative[0]).collect();
        let a: Vec<f64> = numbers.iter().map(|x| x.derivative[0].derivative[0]).collect();
        assert_closed(&m, 0.0, &q, &v);
        let expected = FiveBar.torque(u, ud, udd);
        let required = m.inverse_dynamics(0.0, &q, &v, &a)?;
        for i in 0..2 {
            assert!((required.torque[i] - expected[i]).abs() < 1e-11 * largest(&expected), "{required:?} {expected:?}");
        }
    }
    Ok(())
}

/// A start that misses is repaired, and the repair says by how much.
#[test]
fn a_start_that_misses_is_repaired() -> Result<(), Box<dyn Error>> {
    let (m, _) = slider_crank()?;
    let [mut q, v, _] = slider_crank_motion(0.5, 1.0, 0.0);
    q[4] += 1e-3;
    assert!((m.assemble(0.0, &q, &v)?.repaired_position - 1e-3).abs() < 1e-12);
    Ok(())
}
