//! What is derived of known arms: no panic with symbols, nothing dearer than it has to be, numbers taken as they are.

use crate::arms::{puma, searched_puma};
use crate::named_arms::{panda, ur5e};
use dalembert_core::limits::JointLimits;
use dalembert_core::serial::Serial;
use dalembert_symbolic::derive::{self, Abbreviation, Derived, Of, Request};
use dalembert_symbolic::program::{Operation, ValueSource};
use dalembert_symbolic::{Effort, Graph, Group, Program, Quantity, Target};
use std::f64::consts::FRAC_PI_2;

fn derived<const N: usize>(arm: &Serial<f64, N>, request: &Request) -> Derived {
    derive::serial(arm, request, &mut |_| ()).unwrap_or_else(|error| panic!("{}: {error}", request.of))
}

fn quick(of: Of) -> Request {
    Request { effort: Effort::QUICK, ..Request::new("arm", of) }
}

fn operations<const N: usize>(arm: &Serial<f64, N>, request: &Request) -> usize {
    derived(arm, request).program.operations().arithmetic()
}

/// Symbols may be zero where a program runs: nothing is divided by them.
#[test]
fn symbolic_programs_do_not_divide_by_parameters() {
    let few = Effort { plans: 60, shortlist: 2, finalists: 1, rounds: 2 };
    let no_division = |derived: Derived| {
        let divides = |operation: &Operation| matches!(operation, Operation::Div(..));
        assert!(!derived.program.steps.iter().any(|step| divides(&step.operation)), "{}", derived.program.name);
    };
    let request = Request { symbolic: true, effort: few, ..Request::new("arm", Of::Torque) };
    no_division(derived(&ur5e(FRAC_PI_2, true), &request));
    no_division(derived(&panda(), &Request { effort: Effort::QUICK, ..request.clone() }));
    no_division(derived(&puma().0, &Request { of: Of::Gravity, ..request.clone() }));
    no_division(derived(&puma().0, &Request { of: Of::Mass, ..request }));
}

/// A twist that is nearly a quarter turn is another twist; it is told, and taken for one on request.
#[test]
fn near_numbers_are_told_and_not_merged() {
    let request = quick(Of::Torque);
    let exact = operations(&ur5e(FRAC_PI_2, false), &request);
    for quarter in ["1.5708", "1.570796327"].map(|digits| digits.parse().unwrap()) {
        let arm = ur5e(quarter, false);
        let found = derived(&arm, &request);
        let likely_mistake = &found.near[0];
        assert!(likely_mistake.numbers.iter().any(|near| near.name == "alpha1"), "{likely_mistake}");
        assert!(likely_mistake.instead == exact && likely_mistake.operations > exact, "{likely_mistake}");
        let snapped = Request { snap: Some(likely_mistake.snap), ..request.clone() };
        assert_eq!(operations(&arm, &snapped), exact);
    }
    assert!(derived(&ur5e(FRAC_PI_2, false), &request).near.is_empty());
    // Lengths that differ in the twelfth digit.
    let mut parameters = *ur5e(FRAC_PI_2, false).parameters();
    parameters.links[1].dh.a = 0.3;
    parameters.links[2].dh.a = 0.300000000001;
    let found = derived(&Serial::new(parameters), &request);
    assert!(found.near[0].numbers.iter().any(|near| near.meant == 0.3), "{}", found.near[0]);
}

/// Bias and mass matrix in one program share their sines; accelerations are made of both.
#[test]
fn several_outputs_share_what_they_have_in_common() {
    let (arm, _) = puma();
    let alone = [Of::Mass, Of::Bias].map(|of| derived(&arm, &quick(of)).program.operations());
    let request = Request { also: vec![Of::Bias, Of::Gravity], ..quick(Of::Mass) };
    let together = derived(&arm, &request);
    let names: Vec<&str> = together.program.outputs.iter().map(|quantity| quantity.name.as_str()).collect();
    assert_eq!(names, ["m", "h", "g"]);
    assert!(together.program.operations().sin_cos < alone[0].sin_cos + alone[1].sin_cos);
    let sum = alone[0].arithmetic() + alone[1].arithmetic();
    let acceleration = operations(&arm, &quick(Of::Acceleration));
    assert!(acceleration < sum + 6 * 6 * 6, "{acceleration} {sum}");
}

/// Where sines are dear there are fewer of them, and the whole is cheaper.
#[test]
fn a_target_gets_what_is_cheap_there() {
    let effort = Effort { plans: 400, shortlist: 4, finalists: 2, rounds: 6 };
    let arm = ur5e(FRAC_PI_2, false);
    let cost = |target: Target| {
        derived(&arm, &Request { target, effort, ..Request::new("arm", Of::Mass) }).program.operations()
    };
    let (count, x86) = (cost(Target::Count), cost(Target::X86));
    assert!(x86.sin_cos <= count.sin_cos && Target::X86.cost(&x86) <= Target::X86.cost(&count), "{count} {x86}");
    let quick = derived(&arm, &quick(Of::Mass)).program.operations();
    assert!(Target::X86.cost(&x86) <= Target::X86.cost(&quick), "{quick} {x86}");
}

/// What is left out never makes a program dearer.
#[test]
fn abbreviated_programs_are_no_dearer_than_exact_ones() {
    let arm = ur5e(FRAC_PI_2, false);
    let limits = [JointLimits::NONE; 6];
    let request = quick(Of::Torque);
    let exact = operations(&arm, &request);
    for wanted in [Abbreviation::Significance(0.01), Abbreviation::MaxError(0.5)] {
        let found = derive::abbreviated(&arm, &limits, &request, &wanted, &mut |_| ()).expect("derivable");
        assert!(found.program.operations().arithmetic() <= exact, "{wanted:?}");
        let bound = found.left_out.expect("a bound").bound;
        let says = |part: &str| found.program.conventions.iter().any(|line| line.contains(part));
        match bound.iter().all(|bound| *bound == 0.0) {
            true => assert!(says("Nothing is left out")),
            false => assert!(says("speeds up to 2.000") && says("accelerations up to 10.000")),
        }
    }
    // More joints than anyone writes down: the exact program, without long thought.
    let wanted = Abbreviation::MaxError(1.0);
    let found =
        derive::abbreviated(&panda(), &[JointLimits::NONE; 7], &request, &wanted, &mut |_| ()).expect("derivable");
    assert!(found.program.operations().arithmetic() < 700);
}

/// A larger error is never dearer, and none is dearer than nothing.
#[test]
fn what_is_left_out_is_worth_it() {
    fn falls<const N: usize>(arm: &Serial<f64, N>) {
        let limits = [JointLimits::NONE; N];
        let request = quick(Of::Torque);
        let mut least = operations(arm, &request);
        for wanted in [0.02, 0.05, 0.1, 0.11, 0.2, 0.5, 0.7, 1.0, 2.0, 5.0] {
            let wanted = Abbreviation::MaxError(wanted);
            let found = derive::abbreviated(arm, &limits, &request, &wanted, &mut |_| ()).expect("derivable");
            let operations = found.program.operations().arithmetic();
            assert!(operations <= least, "{wanted:?}: {operations} after {least}");
            least = operations;
        }
    }
    falls(&crate::common::arm::<2>(4, false));
    falls(&crate::common::arm::<3>(5, true));
    falls(&crate::common::arm::<3>(6, true));
    falls(&crate::common::arm::<4>(8, true));
}

/// The recombined programs of the PUMA 560; docs/derivation.md has what the search finds.
#[test]
fn the_puma_is_as_cheap_as_its_parts() {
    let (arm, _) = puma();
    let [torque, mass, _] = searched_puma().each_ref().map(|program| program.operations().arithmetic());
    assert!(torque <= 256 && mass <= 110, "{torque} {mass}");
    for (of, most) in [(Of::Bias, 212), (Of::Coriolis, 212), (Of::Acceleration, 446)] {
        let found = operations(&arm, &Request::new("puma560", of));
        assert!(found <= most, "{of}: {found}");
    }
}

/// Where a division is dear, quotients with one divisor are one division and products; where it is not, they stay.
#[test]
fn quotients_with_one_divisor_share_a_division() {
    let program = |target: Target, count: usize| {
        let graph = Graph::for_target(target);
        let row: Vec<_> =
            (0..=count).map(|k| graph.input(&format!("x{}", k + 1), Group::Position, 1.0 + 0.3 * k as f64)).collect();
        let results: Vec<_> = (0..count).map(|k| row[k] / row[count]).collect();
        let quantities = |name, length| vec![Quantity::new(name, length, "", "")];
        let (inputs, outputs) = (quantities("x", count + 1), quantities("y", count));
        graph.cheapest(Program { inputs, outputs, ..Program::default() }, &results, &[], 3)
    };
    let counts = |program: &Program| (program.operations().divisions, program.operations().multiplications);
    for (target, count, expected) in [
        (Target::X86, 1, (1, 0)),
        (Target::X86, 2, (1, 2)),
        (Target::CortexM4f, 5, (1, 5)),
        (Target::Plc, 2, (2, 0)),
        (Target::Plc, 6, (1, 6)),
        (Target::Count, 6, (6, 0)),
    ] {
        let found = program(target, count);
        assert_eq!(counts(&found), expected, "{target:?}, {count}");
        let inputs: Vec<f64> = (0..=count).map(|k| 3.0 - k as f64 * 0.7).collect();
        for (k, y) in found.evaluate(&inputs).into_iter().enumerate() {
            let quotient = inputs[k] / inputs[count];
            // Two roundings instead of one.
            assert!((y - quotient).abs() <= 4e-16 * quotient.abs(), "{target:?}: {y} {quotient}");
        }
    }
    // Derivatives divide again and again by what their formula divides by.
    let robot = dalembert::robots::d3_1200().expect("built in").delta;
    let request = Request { target: Target::X86, ..quick(Of::TorqueDerivatives) };
    let found = derive::delta(&robot, &request).expect("derivable").program;
    let divisors: Vec<ValueSource> = found
        .steps
        .iter()
        .filter_map(|step| match step.operation {
            Operation::Div(_, divisor) => Some(divisor.place),
            _ => None,
        })
        .collect();
    let again = |k: usize| divisors[..k].contains(&divisors[k]);
    assert!(!(0..divisors.len()).any(again), "{} divisions", divisors.len());
}
