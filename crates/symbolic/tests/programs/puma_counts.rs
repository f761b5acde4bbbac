//! The figures of `docs/derivation.md` on the PUMA 560: constants of Table A2 found, Christoffel symbols and operations
//! counted.

use crate::arms::puma;
use dalembert::serial::Serial;
use dalembert::serial::puma::Constants;
use dalembert_proptest::Random;
use dalembert_symbolic::explicit::{
    Budget, ChristoffelCounts, Explicit, FormulaOutput, Limits, Polynomials, Significance, Velocities, constants,
    counts, full_matrix,
};
use dalembert_symbolic::{Program, Quantity, Target};

const PAGE: &str = include_str!("../../../../docs/derivation.md");

/// Every constant of Table A2 is found in the coefficients, with numbers that are in no relation but those that the paper
/// assumes: 26 of them as they are, or twice or half as large, and I_2 and I_19 as sums or differences of two.
#[test]
fn table_a2_is_found() {
    let (arm, _) = puma();
    let mut random = Random(1);
    let mut p = *arm.parameters();
    for link in &mut p.links {
        let mut vary = |x: &mut f64| *x *= random.within(0.5, 1.5);
        vary(&mut link.dh.a);
        vary(&mut link.dh.d);
        vary(&mut link.body.mass);
        link.body.center_of_mass = link.body.center_of_mass.map(|mut x| {
            vary(&mut x);
            x
        });
        let i = &mut link.body.inertia;
        [&mut i.xx, &mut i.yy, &mut i.zz].into_iter().for_each(&mut vary);
    }
    p.links[5].body.inertia.yy = p.links[5].body.inertia.xx;
    Constants::applies_to(&p).expect("within the paper's assumptions");
    let table = Constants::new(&p);
    let ours = constants(&Polynomials::symbolic(&Serial::new(p)).expect("derivable"));
    assert_eq!((ours.inertial.len(), ours.gravitational.len(), ours.motors.len()), (22, 5, 6));
    let same = |a: f64, b: f64| (a - b).abs() <= 1e-12 * b.abs();
    let mut indirect = Vec::new();
    for (number, &value) in table.inertial.iter().enumerate() {
        let direct = |v: f64| [1.0, 2.0, 0.5].iter().any(|f| same(f * v.abs(), value.abs()));
        if ours.inertial.iter().any(|ours| direct(ours.value)) {
            continue;
        }
        let pairs = ours.inertial.iter().flat_map(|a| ours.inertial.iter().map(move |b| (a.value, b.value)));
        assert!(pairs.into_iter().any(|(a, b)| same((a - b).abs(), value.abs()) || same((a + b).abs(), value.abs())));
        indirect.push(number + 1);
    }
    assert_eq!(indirect, [2, 19]);
    for value in table.gravitational {
        assert!(ours.gravitational.iter().any(|ours| same(ours.value.abs(), value.abs())), "{value}");
    }
    let of = |name: &str| ours.inertial.iter().find(|c| c.formula == name);
    assert!(of("a2 m6 rz6").is_some(), "I_16 has its formula");
    // Table A4's a16 = I23 (C23 C5 − S23 C4 S5).
    let a16 = ours.equations.iter().find(|equation| equation.name == "a16").expect("not zero");
    let name = &of("Izz6").expect("I_23").name;
    assert_eq!(a16.text, format!("{name} C23 C5 - {name} S23 C4 S5"));
    // What differentiation adds are sums of these.
    assert!((1..=3).contains(&ours.velocity.len()), "{:?}", ours.velocity);
}

#[test]
fn christoffel_symbols() {
    let (arm, _) = puma();
    let expected = ChristoffelCounts {
        possible: 126,
        nonzero: 84,
        distinct: 35,
        distinct_with_sign: 57,
        derivatives: 48,
        distinct_derivatives: 43,
    };
    assert_eq!(counts(&Polynomials::numeric(&arm).expect("derivable")), expected);
    assert_eq!(counts(&Polynomials::symbolic(&arm).expect("derivable")), expected);
}

/// What the program costs as it is printed, and that it computes what it should, to 1e-12 of the largest output.
fn cost(model: &Explicit, output: FormulaOutput) -> usize {
    let moving = output == FormulaOutput::Torque;
    let names: &[&str] = if moving { &["q", "qd", "qdd"] } else { &["q"] };
    let inputs = names.iter().map(|name| Quantity::new(name, 6, "", "")).collect();
    let outputs = vec![Quantity::new("out", if output == FormulaOutput::Mass { 36 } else { 6 }, "", "")];
    let program = model.program(output, Program { inputs, outputs, ..Program::default() }, Target::Count, 64, 12);
    let mut random = Random(7);
    for _ in 0..10 {
        let state: [f64; 18] = random.state(3.0);
        let elements = model.at(&state[..6]);
        let expected = match output {
            FormulaOutput::Mass => full_matrix(6, &elements.mass),
            FormulaOutput::Gravity => elements.gravity,
            _ => elements.torque(&state[6..12], &state[12..]),
        };
        let scale = expected.iter().fold(0.0f64, |most, x| most.max(x.abs()));
        let found = program.evaluate(&state[..6 * names.len()]);
        assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() <= 1e-12 * scale), "{found:?} {expected:?}");
    }
    program.operations().arithmetic()
}

#[test]
fn operations() {
    let (arm, _) = puma();
    let full = Explicit::of(&arm).expect("derivable");
    let short = full.abbreviated(Significance::default()).kept;
    let by_element = Significance { velocities: Velocities::ByElement, ..Significance::default() };
    let printed_way = full.abbreviated(by_element).kept;
    let figures = [
        ("gravity", &full, FormulaOutput::Gravity, 19),
        ("mass matrix", &full, FormulaOutput::Mass, 109),
        ("abbreviated gravity", &short, FormulaOutput::Gravity, 16),
        ("abbreviated mass matrix", &short, FormulaOutput::Mass, 26),
        ("abbreviated torque", &short, FormulaOutput::Torque, 129),
        ("abbreviated torque, element by element", &printed_way, FormulaOutput::Torque, 220),
    ];
    for (what, model, output, expected) in figures {
        assert_eq!(cost(model, output), expected, "{what}");
        assert!(PAGE.contains(&format!("| {what} | {expected} |")), "docs/derivation.md: {what}");
    }
}

/// What a wanted error costs.
#[test]
fn operations_for_an_error() {
    let (arm, limits) = puma();
    let model = Explicit::of(&arm).expect("derivable");
    let limits = Limits::of(&limits, &model.joints);
    for (wanted, operations) in [(0.2, 148), (0.5, 103), (1.0, 83)] {
        let found =
            model.cheapest_within(&[wanted; 6], &limits, Budget::default(), &mut |_| ()).expect("a possible error");
        let error = found.dropped.torque_range(&limits, Budget::default());
        assert!(error.bound.iter().all(|bound| *bound <= wanted));
        assert_eq!(cost(&found.kept, FormulaOutput::Torque), operations, "{wanted} N m");
        assert!(PAGE.contains(&format!("| {wanted} N m | {operations} |")), "docs/derivation.md: {wanted} N m");
    }
}
