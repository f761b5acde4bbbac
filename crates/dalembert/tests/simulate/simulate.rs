//! The same motion by every formulation and integrator.
//!
//! *Swing*: a constant torque that holds q = 45° on all arms, no friction, start at rest at q = 45° + (0.1, −0.05,
//! 0.03) rad. T + V − τ·q is conserved. The formulations share nothing but the robot's file: platform coordinates with
//! the exact model here, nine angles with six constraints there. A wrong term moves the platform by centimetres
//! within a second; the formulations agree to 1e-8 m.

use dalembert::delta::Branch;
use dalembert::mechanism::Poles;
use dalembert::simulate::{
    Constrained, Contacts, DormandPrince, ExplicitChain, ExplicitDelta, ImplicitMidpoint, Integrator, Minimal, Rk4,
    Simulation, SimulationError, SimulationRun, Stabilization, System, Variables, WithContacts, run,
};
use dalembert::{Vec3, robots};
use std::error::Error;

use crate::common::swinging::{Swing, swing};

fn times(end: f64, count: usize) -> impl Iterator<Item = f64> {
    (0..=count).map(move |i| end * i as f64 / count as f64)
}

fn constrained(
    swing: &Swing,
    variables: Variables,
    stabilization: Stabilization,
) -> Result<(Constrained<'_>, Vec<f64>), Box<dyn Error>> {
    let mut system = Constrained::new(&swing.mechanism, variables, stabilization, &swing.torque)?;
    let state = system.state(&swing.q, &[0.0; 9])?;
    Ok((system, state))
}

fn adaptive(system: &mut dyn System, start: &[f64], end: f64, count: usize) -> Result<SimulationRun, Box<dyn Error>> {
    let mut integrator = DormandPrince::new(system.size(), DormandPrince::TOLERANCE)?;
    let run = run(system, &mut integrator, start, times(end, count));
    run.ended.clone()?;
    Ok(run)
}

#[test]
fn formulations_agree_on_the_swing() -> Result<(), Box<dyn Error>> {
    for robot in [robots::d3_1200()?, robots::asadi()?] {
        let swing = swing(&robot)?;
        let (mut system, start) = swing.explicit(Variables::Velocity)?;
        let reference = adaptive(&mut system, &start, 2.0, 40)?;
        println!(
            "{}: explicit: energy {:.1e} J of {:.2} J",
            robot.name,
            reference.energy_drift(),
            reference.kinetic_range()
        );
        assert!(reference.energy_drift() < 1e-9 * reference.kinetic_range());
        let check = |name: &str,
                     run: &SimulationRun,
                     platform: &mut dyn FnMut(usize) -> Result<Vec3<f64>, Box<dyn Error>>,
                     drift: f64| {
            let mut apart = 0.0_f64;
            for k in 0..run.times.len() {
                let expected = &reference.states[k];
                let there = platform(k)?;
                apart = (0..3).fold(apart, |m, i| m.max((there[i] - expected[i]).abs()));
            }
            let energy = run.energy_drift() / run.kinetic_range();
            println!(
                "{}: {name}: apart {apart:.1e} m, energy {energy:.1e}, constraint {:.1e} m",
                robot.name,
                run.constraint_drift()
            );
            assert!(apart < 1e-8, "{name}: {apart}");
            assert!(energy < 1e-8, "{name}: {energy}");
            assert!(run.constraint_drift() < drift, "{name}: {}", run.constraint_drift());
            Ok::<(), Box<dyn Error>>(())
        };
        let baumgarte = Stabilization::Baumgarte(Poles::real(-5.0, -5.0)?);
        let (mut system, start) = swing.explicit(Variables::Momentum)?;
        let run = adaptive(&mut system, &start, 2.0, 40)?;
        check("explicit, momentum", &run, &mut |k| Ok(Vec3::from_fn(|i| run.states[k][i])), 1e-14)?;
        for (name, variables, stabilization, drift) in [
            ("baumgarte", Variables::Velocity, baumgarte, 1e-9),
            ("projected", Variables::Velocity, Stabilization::Projection, 1e-14),
            ("hamiltonian, baumgarte", Variables::Momentum, baumgarte, 1e-9),
            ("hamiltonian, projected", Variables::Momentum, Stabilization::Projection, 1e-14),
        ] {
            let (mut system, start) = constrained(&swing, variables, stabilization)?;
            let run = adaptive(&mut system, &start, 2.0, 40)?;
            check(name, &run, &mut |k| swing.platform(&run.states[k]), drift)?;
        }
        let (mut system, start) = Minimal::new(&swing.mechanism, 0.0, &swing.q, &[0.0; 9], &swing.torque)?;
        let run = adaptive(&mut system, &start, 2.0, 40)?;
        assert_eq!(system.exchanges, 0, "one choice serves the whole swing");
        check("minimal", &run, &mut |k| swing.platform(system.full(run.times[k], &run.states[k])?[0]), 1e-13)?;
    }
    Ok(())
}

/// Every formulation under every integrator converges to the same motion, at the integrator's order.
#[test]
fn fixed_steps_converge_at_their_order() -> Result<(), Box<dyn Error>> {
    let swing = swing(&robots::d3_1200()?)?;
    let (mut system, start) = swing.explicit(Variables::Velocity)?;
    let reference = adaptive(&mut system, &start, 0.5, 1)?.states[1].clone();
    let off = |q: Vec3<f64>| (0..3).fold(0.0_f64, |m, i| m.max((q[i] - reference[i]).abs()));
    let order = |rk4: bool, projected: bool| -> Result<f64, Box<dyn Error>> {
        let mut errors = Vec::new();
        for step in [5e-3, 2.5e-3] {
            let (mut system, start) = if projected {
                let (system, start) = constrained(&swing, Variables::Velocity, Stabilization::Projection)?;
                (Box::new(system) as Box<dyn System>, start)
            } else {
                let (system, start) = swing.explicit(Variables::Momentum)?;
                (Box::new(system) as Box<dyn System>, start.to_vec())
            };
            let mut integrator: Box<dyn Integrator> = if rk4 {
                Box::new(Rk4::new(start.len(), step)?)
            } else {
                Box::new(ImplicitMidpoint::new(start.len(), step)?)
            };
            let run = run(system.as_mut(), integrator.as_mut(), &start, [0.0, 0.5]);
            run.ended?;
            let last = &run.states[1];
            errors.push(off(if projected { swing.platform(last)? } else { Vec3::from_fn(|i| last[i]) }));
        }
        Ok((errors[0] / errors[1]).log2())
    };
    for projected in [false, true] {
        let (fourth, second) = (order(true, projected)?, order(false, projected)?);
        println!("projected {projected}: observed orders {fourth:.2}, {second:.2}");
        assert!((fourth - 4.0).abs() < 0.3, "{fourth}");
        assert!((second - 2.0).abs() < 0.2, "{second}");
    }
    Ok(())
}

/// 100 s. The symplectic integrator's energy error swings but has no trend: the mean over the last tenth is not
/// farther off than the mean over the first.
#[test]
fn a_hundred_seconds() -> Result<(), Box<dyn Error>> {
    for robot in [robots::d3_1200()?, robots::asadi()?] {
        let swing = swing(&robot)?;
        let (mut system, start) = swing.explicit(Variables::Velocity)?;
        let long = adaptive(&mut system, &start, 100.0, 2000)?;
        let relative = long.energy_drift() / long.kinetic_range();
        println!("{}: adaptive: {relative:.1e} of the range of T", robot.name);
        assert!(relative < 1e-9, "{relative}");

        let (mut system, start) = swing.explicit(Variables::Momentum)?;
        let mut midpoint = ImplicitMidpoint::new(6, 1e-3)?;
        let long = run(&mut system, &mut midpoint, &start, times(100.0, 20_000));
        long.ended.clone()?;
        let error: Vec<f64> =
            long.energies.iter().map(|e| (e.total() - long.energies[0].total()) / long.kinetic_range()).collect();
        let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
        let bound = error.iter().fold(0.0_f64, |m, e| m.max(e.abs()));
        let trend = (mean(&error[18_000..]) - mean(&error[..2000])).abs();
        println!("{}: symplectic: within {bound:.1e}, trend {trend:.1e} of the range of T in 100 s", robot.name);
        assert!(bound < 1e-3, "{bound}");
        assert!(trend < 0.1 * bound, "{trend} of {bound}");
    }
    Ok(())
}

/// Without torque the explicit Delta falls until an arm is stretched: a named error, and what there was before. The
/// nine-angle model has no such edge (Bortoff, II-D: "no singularities"); it swings through.
#[test]
fn a_falling_delta_ends_with_a_named_error_and_the_data_so_far() -> Result<(), Box<dyn Error>> {
    for robot in [robots::d3_1200()?, robots::asadi()?] {
        let swing = swing(&robot)?;
        let mut system = ExplicitDelta::new(&swing.robot, Branch::Out, Variables::Velocity, [0.0; 3]);
        let start = system.state(swing.position, Vec3::zero())?;
        let mut fixed = Rk4::new(6, 1e-3)?;
        let mut adaptive = DormandPrince::new(6, 1e-9)?;
        let mut ends = Vec::new();
        for integrator in [&mut fixed as &mut dyn Integrator, &mut adaptive] {
            let run = run(&mut system, integrator, &start, times(1.0, 100));
            let Err(error) = &run.ended else { return Err("still falling after a second".into()) };
            println!("{}: {error}; {} rows", robot.name, run.times.len());
            let SimulationError::StateError { time, .. } = error else { return Err("a cause of kinematics".into()) };
            ends.push(*time);
            assert!(run.times.len() > 20 && run.times.len() == run.states.len());
            assert!(error.to_string().contains("arm"));
        }
        // A fixed step does not get past the edge unnoticed.
        assert!(ends[0] < 0.5 && (ends[0] - ends[1]).abs() < 3e-3, "{ends:?}");
        let mut free = Constrained::new(&swing.mechanism, Variables::Velocity, Stabilization::Projection, &[0.0; 3])?;
        let state = free.state(&swing.q, &[0.0; 9])?;
        let mut integrator = DormandPrince::new(18, 1e-10)?;
        let run = run(&mut free, &mut integrator, &state, times(1.0, 100));
        println!("{}: nine angles: {:?}, drift {:.1e} J", robot.name, run.ended, run.energy_drift());
    }
    Ok(())
}

/// Results at requested times are interpolated; they agree with steps that end there.
#[test]
fn dense_output_is_as_good_as_the_steps() -> Result<(), Box<dyn Error>> {
    let swing = swing(&robots::d3_1200()?)?;
    let (mut system, start) = swing.explicit(Variables::Velocity)?;
    let mut dense = DormandPrince::new(6, 1e-10)?;
    let interpolated = run(&mut system, &mut dense, &start, times(1.0, 1000));
    let mut landing = DormandPrince::new(6, 1e-12)?;
    landing.dense = false;
    let landed = run(&mut system, &mut landing, &start, times(1.0, 1000));
    let apart = interpolated.states.iter().flatten().zip(landed.states.iter().flatten());
    let apart = apart.fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
    println!("apart {apart:.1e}, {} steps for 1000 results", dense.pace.taken);
    assert!(apart < 1e-8, "{apart}");
    assert!(dense.pace.taken < 700);
    Ok(())
}

/// A torque that is set counts from there on, whatever the integrator knows of the step before: one torque and its
/// opposite in turn, through one simulation and through a new one each time. An integrator that goes on with the old step
/// ends millimetres away.
#[test]
fn a_torque_counts_from_when_it_is_set() -> Result<(), Box<dyn Error>> {
    const SPANS: usize = 12;
    const SPAN: f64 = 5e-3;
    fn turned(base: &[f64], span: usize) -> Vec<f64> {
        let by = if span.is_multiple_of(2) { 2.0 } else { -2.0 };
        base.iter().map(|torque| torque + by).collect()
    }
    type Way = fn(&mut dyn System, &mut dyn Integrator, Vec<f64>, &[f64]) -> Result<Vec<f64>, SimulationError>;
    let one: Way = |system, integrator, start, base| {
        let mut simulation = Simulation::new(system, integrator, 0.0, &start)?;
        for span in 0..SPANS {
            simulation.system().set_torques(&turned(base, span))?;
            simulation.advance((span + 1) as f64 * SPAN)?;
        }
        Ok(simulation.state().to_vec())
    };
    let anew: Way = |system, integrator, start, base| {
        let mut state = start;
        for span in 0..SPANS {
            system.set_torques(&turned(base, span))?;
            let mut simulation = Simulation::new(system, integrator, span as f64 * SPAN, &state)?;
            simulation.advance((span + 1) as f64 * SPAN)?;
            state = simulation.state().to_vec();
        }
        Ok(state)
    };
    let bare: Way = |system, integrator, mut state, base| {
        for span in 0..SPANS {
            system.set_torques(&turned(base, span))?;
            integrator.advance(system, span as f64 * SPAN, (span + 1) as f64 * SPAN, &mut state)?;
        }
        Ok(state)
    };
    let swing = swing(&robots::d3_1200()?)?;
    let (explicit, start) = swing.explicit(Variables::Velocity)?;
    let (tied, tied_start) = constrained(&swing, Variables::Velocity, Stabilization::Projection)?;
    let (minimal, minimal_start) = Minimal::new(&swing.mechanism, 0.0, &swing.q, &[0.0; 9], &swing.torque)?;
    let arm = robots::puma560()?.arm.arm::<6>().ok_or("six joints")?;
    let held = arm.at_joints([0.1, -0.4, 0.3, 0.2, 0.5, 0.1])?.gravity_torque();
    let arm_start = [0.1, -0.4, 0.3, 0.2, 0.5, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let (platform, _) = explicit.platform();
    let mut touching = WithContacts::new(explicit, Contacts::new(&platform))?;
    let touching_start = touching.start(0.0, &start)?;
    // A name, the system, its start and its torques.
    type Case<'a> = (&'a str, Box<dyn System + 'a>, Vec<f64>, &'a [f64]);
    let systems: [Case<'_>; 5] = [
        ("explicit Delta", Box::new(explicit), start.to_vec(), &swing.torque),
        ("constrained", Box::new(tied), tied_start, &swing.torque),
        ("minimal", Box::new(minimal), minimal_start, &swing.torque),
        ("arm", Box::new(ExplicitChain::new(&arm, vec![0.0; 6])), arm_start.to_vec(), &held),
        ("with contacts", Box::new(touching), touching_start, &swing.torque),
    ];
    for (name, mut system, start, base) in systems {
        // A step of a millisecond is exact to 1e-11 here.
        let expected = bare(&mut *system, &mut Rk4::new(start.len(), 5e-4)?, start.clone(), base)?;
        for (way, how) in [(one, "one simulation"), (anew, "new simulations"), (bare, "the integrator")] {
            if name == "with contacts" && how == "the integrator" {
                continue; // events need a simulation
            }
            let mut integrator = DormandPrince::new(start.len(), 1e-12)?;
            let ended = way(&mut *system, &mut integrator, start.clone(), base)?;
            let apart = expected.iter().zip(&ended).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
            assert!(apart < 1e-8, "{name}, {how}: {apart:e}");
        }
    }
    Ok(())
}

#[test]
fn bad_input_is_refused() -> Result<(), Box<dyn Error>> {
    assert!(matches!(Rk4::new(6, 0.0), Err(SimulationError::BadStep { .. })));
    assert!(matches!(DormandPrince::new(6, f64::NAN), Err(SimulationError::BadStep { .. })));
    let swing = swing(&robots::d3_1200()?)?;
    let (mut system, _) = swing.explicit(Variables::Velocity)?;
    let mut rk4 = Rk4::new(6, 1e-3)?;
    let short = run(&mut system, &mut rk4, &[0.0; 5], [0.0, 1.0]);
    assert!(matches!(short.ended, Err(SimulationError::WrongLength { expected: 6, .. })));
    assert!(Poles::real(-5.0, 5.0).is_err());
    let wrong = Constrained::new(&swing.mechanism, Variables::Velocity, Stabilization::Projection, &[0.0; 2]);
    assert!(matches!(wrong.map(|_| ()), Err(SimulationError::WrongLength { .. })));
    Ok(())
}
