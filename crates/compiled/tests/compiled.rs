//! Compiled programs against the program itself, step by step, and against Newton–Euler, which shares nothing with it; one state,
//! columns and rows to the bit.

#[path = "../src/flow.rs"]
#[allow(dead_code)]
mod flow;
#[path = "../src/real.rs"]
#[allow(dead_code)]
mod real;
mod software;

use dalembert_compiled::{Compiled, LayoutError, Machine};
use dalembert_core::serial::{Body, DhConvention, DhRow, Joint, LinkParameters, Serial, SerialParameters};
use dalembert_core::spatial::Frame;
use dalembert_core::{Angle, Mat3, Sym3, Vec3};
use dalembert_symbolic::derive::{Of, Request, serial};
use dalembert_symbolic::program::{Check, Operation, Quantity, Step, Value, ValueSource as Source};
use dalembert_symbolic::{Effort, Program};
use proptest::prelude::*;
use std::f64::consts::{FRAC_PI_2, TAU};

/// An arm from numbers in 0…1, ten per joint; one joint of four slides, and half of the twists are quarter turns.
fn arm<const N: usize>(numbers: &[f64]) -> Serial<f64, N> {
    let links = std::array::from_fn(|i| {
        let x = &numbers[10 * i..];
        let quarter = x[1] < 0.5;
        LinkParameters {
            coupling: None,
            joint: if x[0] < 0.25 { Joint::Prismatic } else { Joint::Revolute },
            dh: DhRow {
                alpha: Angle::from_radians(if quarter { FRAC_PI_2 * (8.0 * x[1]).floor() } else { TAU * x[1] }),
                a: x[2] - 0.3,
                d: x[3] - 0.3,
                theta_offset: Angle::from_radians(if quarter { 0.0 } else { TAU * x[4] }),
            },
            body: Body {
                mass: 0.5 + x[5],
                center_of_mass: Vec3([0.2 * x[6], 0.2 * x[7], 0.2 * x[8]]),
                inertia: Sym3::new([0.02, 0.03, 0.04, 0.001, 0.002, 0.003]),
            },
            motor_inertia: x[9],
            gear_ratio: 50.0,
            friction: None,
            armature: None,
            spring: None,
        }
    });
    let tool = Frame { rotation: Mat3::diagonal(1.0), origin: Vec3([0.05, 0.02, 0.1]) };
    let gravity = Vec3([0.0, 0.0, -9.81]);
    Serial::new(SerialParameters {
        convention: DhConvention::Modified,
        base: None,
        gravity,
        links,
        tool,
        payload: Body::zero(),
    })
}

fn compiled<const N: usize>(arm: &Serial<f64, N>, of: Of) -> Compiled {
    let request = Request { effort: Effort::QUICK, ..Request::new("random", of) };
    Compiled::new(serial(arm, &request, &mut |_| {}).unwrap().program).unwrap()
}

/// SplitMix64, from −1 to 1.
fn random(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *seed;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// Whether two numbers have the same bits, or are both none.
fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// One state, columns, rows and views of so many states, on every machine that is here, have the same bits; returned are those of the rows.
fn all_layouts(compiled: &Compiled, inputs: &[f64], states: usize) -> Vec<f64> {
    let tiles = layouts(&compiled.on(Machine::Tiles).unwrap(), inputs, states);
    for machine in Machine::ALL.into_iter().filter(|machine| machine.is_available()) {
        let other = compiled.on(machine).unwrap();
        assert_eq!(other.machine(), machine);
        for (k, (a, b)) in layouts(&other, inputs, states).iter().zip(&tiles).enumerate() {
            assert!(same(*a, *b), "number {k} of {machine:?}: {a} and {b}");
        }
    }
    tiles
}

fn layouts(compiled: &Compiled, inputs: &[f64], states: usize) -> Vec<f64> {
    let (width, results) = (compiled.inputs(), compiled.outputs());
    let mut scratch = compiled.scratch();
    let mut rows = vec![0.0; states * results];
    compiled.rows(inputs, &mut rows, &mut scratch).unwrap();
    let columns: Vec<Vec<f64>> = (0..width).map(|i| (0..states).map(|k| inputs[k * width + i]).collect()).collect();
    let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    let mut found = vec![vec![0.0; states]; results];
    let mut views: Vec<&mut [f64]> = found.iter_mut().map(Vec::as_mut_slice).collect();
    compiled.columns(&columns, &mut views, &mut scratch).unwrap();
    // Rows backwards with a gap, inputs as columns of their own or of the rows, by turns.
    let wide = results + 3;
    let mut far = vec![7.0; states * wide];
    let input = |i: usize| match i % 2 {
        0 => (columns[i].as_ptr(), 1),
        _ => (inputs.as_ptr().wrapping_add(i), width as isize),
    };
    let views: Vec<(*const f64, isize)> = (0..width).map(input).collect();
    let last = far.as_mut_ptr().wrapping_add(states.saturating_sub(1) * wide);
    let places: Vec<(*mut f64, isize)> = (0..results).map(|r| (last.wrapping_add(r), -(wide as isize))).collect();
    // SAFETY: every view has as many states, and those of the results are in `far`.
    #[allow(unsafe_code)]
    unsafe { compiled.addresses(states, &views, &places, &mut compiled.scratches(3)) }.unwrap();
    assert!(far.chunks(wide).all(|row| row[results..] == [7.0; 3]), "what is between the views stays");
    for k in 0..states {
        let mut one = vec![0.0; results];
        compiled.one(&inputs[k * width..(k + 1) * width], &mut one, &mut scratch).unwrap();
        for (r, &one) in one.iter().enumerate() {
            let all = [rows[k * results + r], found[r][k], far[(states - 1 - k) * wide + r]];
            assert!(all.iter().all(|&x| same(x, one)), "state {k}, result {r}: {one} and {all:?}");
        }
    }
    rows
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Torque, mass matrix and acceleration of random arms. Tolerance: a few hundred roundings of the largest term.
    #[test]
    fn random_arms(numbers in proptest::collection::vec(0.0..1.0, 40), states in 1..150_usize, seed: u64) {
        let arm = arm::<4>(&numbers);
        let [torque, mass, acceleration] = [Of::Torque, Of::Mass, Of::Acceleration].map(|of| compiled(&arm, of));
        let mut seed = seed;
        let inputs: Vec<f64> = (0..12 * states).map(|_| 3.0 * random(&mut seed)).collect();
        let torques = all_layouts(&torque, &inputs, states);
        let poses: Vec<f64> = inputs.chunks(12).flat_map(|state| state[..4].to_vec()).collect();
        let masses = all_layouts(&mass, &poses, states);
        let accelerations = all_layouts(&acceleration, &inputs, states);
        for k in 0..states {
            let part = |j: usize| -> [f64; 4] { std::array::from_fn(|i| inputs[12 * k + 4 * j + i]) };
            let moving = arm.pose_unchecked(part(0)).moving(part(1));
            let close = |found: &[f64], expected: &[f64], tolerance: f64| {
                let size = expected.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
                found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= tolerance * size)
            };
            prop_assert!(close(&torques[4 * k..4 * k + 4], &moving.torque(part(2)), 1e-12));
            let expected: Vec<f64> = moving.pose.mass_matrix().into_iter().flatten().collect();
            prop_assert!(close(&masses[16 * k..16 * k + 16], &expected, 1e-12));
            // Through the mass matrix, whose condition is at most some thousands here.
            let found: [f64; 4] = std::array::from_fn(|i| accelerations[4 * k + i]);
            prop_assert!(close(&moving.torque(found), &part(2), 1e-9));
        }
    }
}

fn quantity(name: &str, length: usize) -> Quantity {
    Quantity::new(name, length, "", "")
}

fn of(place: Source) -> Value {
    Value { negated: false, place }
}

fn less(place: Source) -> Value {
    Value { negated: true, place }
}

/// Every operation with columns and numbers in every place, and signs: against the program itself. Once with functions that are called
/// and once without: then rows have code of their own.
#[test]
fn every_operation() {
    operations(|_| true);
    operations(|operation| !matches!(operation, Operation::Atan2(..) | Operation::Tanh(_) | Operation::Exp(_)));
}

fn operations(kept: impl Fn(&Operation) -> bool) {
    use Operation::*;
    let (x, y, z, k, l) =
        (Source::Input(0), Source::Input(1), Source::Input(2), Source::Number(0.75), Source::Number(1.25));
    let mut operations = vec![
        Add(of(x), of(y)),
        Add(of(x), less(y)),
        Add(less(x), of(y)),
        Add(of(x), of(k)),
        Add(of(x), less(k)),
        Add(less(x), of(k)),
        Mul(of(x), of(y)),
        Mul(of(x), of(x)),
        Mul(of(k), of(y)),
        Div(of(x), of(y)),
        Div(of(k), of(y)),
        Div(of(x), of(k)),
        Neg(of(x)),
        Sin(of(x)),
        Cos(of(x)),
        Sin(of(y)),
        Cos(of(z)),
        Sqrt(of(y)),
        Atan2(of(x), of(y)),
        Atan2(of(x), of(k)),
        Tanh(of(x)),
        Exp(of(z)),
        SelectLt([of(x), of(y), of(z), of(k)]),
        SelectLt([of(x), of(k), of(l), of(x)]),
        Mul(less(x), of(y)),
        Mul(less(x), less(k)),
        Add(less(x), less(y)),
        Sin(of(x)),
        Sin(less(x)),
        Cos(less(x)),
        Exp(less(z)),
        Tanh(less(y)),
        Atan2(less(x), less(y)),
        Div(less(x), of(y)),
        SelectLt([less(x), less(y), less(z), of(x)]),
        Sin(of(k)),
        Cos(of(l)),
        Mul(of(k), of(l)),
    ];
    operations.retain(kept);
    let mut results: Vec<Value> = (0..operations.len()).map(|i| of(Source::Step(i))).collect();
    // Products that only a sum reads.
    for (a, b) in [(x, y), (x, x), (k, y), (y, l)] {
        for other in [of(z), less(z), of(k), less(k), of(x), less(x)] {
            for negated in [false, true] {
                if negated && other.negated {
                    continue;
                }
                operations.push(Mul(of(a), of(b)));
                let product = Value { negated, place: Source::Step(operations.len() - 1) };
                operations.push(if results.len().is_multiple_of(2) {
                    Add(product, other)
                } else {
                    Add(other, product)
                });
                results.push(Value {
                    negated: results.len().is_multiple_of(3),
                    place: Source::Step(operations.len() - 1),
                });
            }
        }
    }
    results.extend([of(x), less(y), of(k), less(l)]);
    let steps = operations.into_iter().enumerate();
    let steps = steps.map(|(i, operation)| Step { name: format!("t{i}"), operation, constant: false }).collect();
    let program = Program {
        inputs: vec![quantity("x", 3)],
        outputs: vec![quantity("y", results.len())],
        steps,
        results,
        ..Program::default()
    };
    let compiled = Compiled::new(program.clone()).unwrap();
    let mut seed = 3;
    let states = 130;
    let inputs: Vec<f64> = (0..3 * states).map(|_| 1.5 + random(&mut seed)).collect();
    let found = all_layouts(&compiled, &inputs, states);
    for (state, found) in inputs.chunks(3).zip(found.chunks(compiled.outputs())) {
        // A fused product is rounded once less.
        for (i, (a, b)) in program.evaluate(state).iter().zip(found).enumerate() {
            assert!((a - b).abs() <= 4e-16 * (1.0 + 8.0 * a.abs()), "result {i} of {state:?}: {a} and {b}");
        }
    }
}

/// Random sums and products with any signs and numbers, most of which are a part of another: they are joined in another order than the
/// program's, and mean the same. Tolerance: a rounding for each step, of the result that no sign makes smaller.
#[test]
fn sums_and_products_are_joined_in_any_order() {
    const STEPS: usize = 60;
    let mut seed = 5;
    for _ in 0..300 {
        let mut pick = |below: usize| ((random(&mut seed) + 1.0) / 2.0 * below as f64) as usize;
        let mut operations: Vec<Operation> = Vec::new();
        for k in 0..STEPS {
            let mut value = || {
                let place = match pick(8) {
                    0 => Source::Number(0.5 + pick(4) as f64),
                    1..=3 => Source::Input(pick(3)),
                    // What was just computed, so that trees grow deep.
                    _ if k > 0 => Source::Step(k - 1 - pick(k.min(6))),
                    _ => Source::Input(pick(3)),
                };
                Value { negated: pick(3) == 0, place }
            };
            let (a, b) = (value(), value());
            operations.push(if pick(5) < 3 { Operation::Add(a, b) } else { Operation::Mul(a, b) });
        }
        let read = |i: usize| {
            operations.iter().flat_map(Operation::values).filter(|value| value.place == Source::Step(i)).count()
        };
        let results: Vec<Value> =
            (0..STEPS).filter(|&i| read(i) == 0 || i % 20 == 7).map(|i| of(Source::Step(i))).collect();
        let program = |signs: bool| {
            let sign = |value: Value| Value { negated: signs && value.negated, ..value };
            let steps = operations.iter().map(|operation| match *operation {
                Operation::Add(a, b) => Operation::Add(sign(a), sign(b)),
                Operation::Mul(a, b) => Operation::Mul(sign(a), sign(b)),
                other => other,
            });
            Program {
                inputs: vec![quantity("x", 3)],
                outputs: vec![quantity("y", results.len())],
                steps: steps.map(|operation| Step { name: String::new(), operation, constant: false }).collect(),
                results: results.clone(),
                ..Program::default()
            }
        };
        let state = [0.3, 0.7, 1.1];
        let found = all_layouts(&Compiled::new(program(true)).unwrap(), &state.repeat(9), 9);
        let (expected, sizes) = (program(true).evaluate(&state), program(false).evaluate(&state));
        for ((a, b), size) in found.iter().zip(&expected).zip(&sizes) {
            // A result that overflows does so either way.
            let close = (a - b).abs() <= STEPS as f64 * f64::EPSILON * size || !size.is_finite();
            assert!(close, "{a} and {b} of {size}: {operations:?}");
        }
    }
}

/// A product and the sum that reads it are rounded once, on every machine: (1 + ε)(1 − ε) − 1 is −ε², and 0 if the product is
/// rounded by itself.
#[test]
fn fused_is_rounded_once() {
    let (x, y, z) = (Source::Input(0), Source::Input(1), Source::Input(2));
    let product = Step { name: "p".into(), operation: Operation::Mul(of(x), of(y)), constant: false };
    let sum = Step { name: "s".into(), operation: Operation::Add(of(Source::Step(0)), less(z)), constant: false };
    let program = Program {
        inputs: vec![quantity("x", 3)],
        outputs: vec![quantity("y", 1)],
        steps: vec![product, sum],
        results: vec![of(Source::Step(1))],
        ..Program::default()
    };
    let small = 2.0_f64.powi(-30);
    let inputs = [1.0 + small, 1.0 - small, 1.0].repeat(200);
    let found = all_layouts(&Compiled::new(program.clone()).unwrap(), &inputs, 200);
    assert!(found.iter().all(|x| *x == -small * small), "{:?}", found[0]);
    assert_eq!(program.evaluate(&inputs[..3]), [0.0]);
}

/// The processor's fused instruction and the one in software agree to the bit, over all sizes: what a program gives does not depend
/// on which of them a machine has.
#[test]
fn hardware_and_software_fuse_alike() {
    let mut seed = 11;
    let mut number = || {
        let size = (400.0 * random(&mut seed)).round() as i32;
        random(&mut seed) * 2.0_f64.powi(size)
    };
    for _ in 0..300_000 {
        let (a, b) = (number(), number());
        // Sometimes what is added cancels the product but for its rounding.
        for c in [number(), -(a * b), (a * b).next_up(), f64::MIN_POSITIVE / 3.0] {
            assert_eq!(a.mul_add(b, c).to_bits(), libm::fma(a, b, c).to_bits(), "{a:e} · {b:e} + {c:e}");
        }
    }
}

/// Whole programs with every fused operation in software have the bits of the processor's, on every machine and in every layout: derivatives
/// of an acceleration have fused products of all kinds, sines, divisions and large sums.
#[test]
fn programs_in_software_have_the_same_bits() {
    for of in [Of::Torque, Of::Mass, Of::Acceleration, Of::AccelerationDerivatives] {
        let compiled = compiled(&arm::<4>(&[0.6, 0.2, 0.7, 0.4, 0.9].repeat(8)), of);
        let (states, width, results) = (37, compiled.inputs(), compiled.outputs());
        let mut seed = 3;
        let inputs: Vec<f64> = (0..width * states).map(|_| 4.0 * random(&mut seed)).collect();
        let found = all_layouts(&compiled, &inputs, states);
        for (k, state) in inputs.chunks(width).enumerate() {
            for (r, soft) in software::results(compiled.program(), state).into_iter().enumerate() {
                let hard = found[k * results + r];
                assert!(same(hard, soft), "{}, state {k}, result {r}: {hard:e}, in software {soft:e}", of.as_str());
            }
        }
    }
}

/// Columns whose distance is a power of two, as arrays of 512 states have them, fall into the same places of the cache and go another way;
/// the bits stay, and so does what lies behind the states that are asked for.
#[test]
fn columns_that_are_a_power_of_two_apart() {
    let compiled = compiled(&arm::<4>(&[0.6, 0.2, 0.7, 0.4, 0.9].repeat(8)), Of::Mass);
    let (apart, width, results) = (512, compiled.inputs(), compiled.outputs());
    assert_eq!((width, results), (4, 16));
    let mut seed = 4;
    let inputs: Vec<f64> = (0..width * apart).map(|_| 4.0 * random(&mut seed)).collect();
    for states in [512, 509, 64, 63, 1] {
        let mut found = vec![7.0; results * apart];
        let columns: Vec<&[f64]> = inputs.chunks(apart).map(|column| &column[..states]).collect();
        let mut views: Vec<&mut [f64]> = found.chunks_mut(apart).map(|column| &mut column[..states]).collect();
        compiled.columns(&columns, &mut views, &mut compiled.scratch()).unwrap();
        for k in 0..states {
            let mut one = vec![0.0; results];
            let state: Vec<f64> = columns.iter().map(|column| column[k]).collect();
            compiled.one(&state, &mut one, &mut compiled.scratch()).unwrap();
            assert!((0..results).all(|r| same(found[r * apart + k], one[r])), "state {k} of {states}");
        }
        assert!(found.chunks(apart).all(|column| column[states..].iter().all(|x| *x == 7.0)), "{states} states");
    }
}

/// Room that another program made is refused.
#[test]
fn scratch_of_another_program_is_refused() {
    let [a, b] = [0.3, 0.6].map(|x| compiled(&arm::<2>(&[x; 20]), Of::Torque));
    let found = a.one(&[0.0; 6], &mut [0.0; 2], &mut b.scratch());
    assert_eq!(found, Err(LayoutError::Scratch));
}

/// A state that fails a check is NaN in every result, and its neighbours are not.
#[test]
fn what_a_check_refuses_is_not_a_number() {
    let x = Source::Input(0);
    let program = Program {
        inputs: vec![quantity("x", 3)],
        outputs: vec![quantity("y", 3)],
        steps: vec![Step { name: "t".into(), operation: Operation::Sqrt(of(x)), constant: false }],
        checks: vec![Check { margin: of(x), least: 0.5, sized: false, code: 1, meaning: String::new() }],
        results: vec![of(Source::Step(0)), of(Source::Number(7.0)), less(Source::Input(2))],
        ..Program::default()
    };
    let compiled = Compiled::new(program).unwrap();
    let inputs: Vec<f64> = (0..300).map(|k| if k % 3 == 0 { f64::from(k % 7) } else { f64::from(k) }).collect();
    for ((k, found), state) in all_layouts(&compiled, &inputs, 100).chunks(3).enumerate().zip(inputs.chunks(3)) {
        if state[0] > 0.5 {
            assert_eq!(found, [state[0].sqrt(), 7.0, -state[2]], "{k}");
        } else {
            assert!(found.iter().all(|x| x.is_nan()), "{k}: {found:?}");
        }
    }
}

/// Numbers that do not fit are refused; no state is no work.
#[test]
fn layouts_are_checked() {
    let compiled = compiled(&arm::<2>(&[0.6; 20]), Of::Torque);
    let mut scratch = compiled.scratch();
    assert_eq!((compiled.inputs(), compiled.outputs()), (6, 2));
    let few = compiled.one(&[0.0; 5], &mut [0.0; 2], &mut scratch);
    assert_eq!(few, Err(LayoutError::Number { what: "inputs", expected: 6, found: 5 }));
    assert!(compiled.rows(&[0.0; 13], &mut [0.0; 4], &mut scratch).is_err());
    assert!(compiled.rows(&[0.0; 12], &mut [0.0; 3], &mut scratch).is_err());
    assert!(compiled.rows(&[], &mut [], &mut scratch).is_ok());
    let (a, b) = ([0.0; 3], [0.0; 4]);
    let mut out = [[0.0; 3]; 2];
    let mut views: Vec<&mut [f64]> = out.iter_mut().map(|column| column.as_mut_slice()).collect();
    let uneven = compiled.columns(&[&a, &a, &a, &b, &a, &a], &mut views, &mut scratch);
    assert_eq!(uneven, Err(LayoutError::Length { expected: 3, found: 4 }));
}

/// An angle that has turned more often than fast sines count, and no number at all: the right sine, and the same bits everywhere.
#[test]
fn angles_of_many_turns() {
    let x = Source::Input(0);
    let sum = Step { name: "s".into(), operation: Operation::Add(of(x), of(Source::Input(1))), constant: false };
    let step = |name: &str, operation| Step { name: name.into(), operation, constant: false };
    let program = Program {
        inputs: vec![quantity("x", 2)],
        outputs: vec![quantity("y", 3)],
        steps: vec![
            sum,
            step("a", Operation::Sin(of(x))),
            step("b", Operation::Cos(of(Source::Step(0)))),
            step("c", Operation::Sin(of(Source::Step(0)))),
        ],
        results: vec![of(Source::Step(1)), of(Source::Step(2)), less(Source::Step(3))],
        ..Program::default()
    };
    let compiled = Compiled::new(program).unwrap();
    let mut inputs: Vec<f64> = (0..300).map(|k| f64::from(k) * 0.7 - 100.0).collect();
    inputs[40] = 1e6;
    inputs[141] = -3e9;
    inputs[142] = f64::NAN;
    inputs[299] = f64::INFINITY;
    let found = all_layouts(&compiled, &inputs, 150);
    for (state, found) in inputs.chunks(2).zip(found.chunks(3)) {
        let angle = state[0] + state[1];
        for (expected, found) in [libm::sin(state[0]), libm::cos(angle), -libm::sin(angle)].into_iter().zip(found) {
            let apart = (expected - found).abs();
            assert!(apart <= 2.3e-16 || (expected.is_nan() && found.is_nan()), "{state:?}: {expected} and {found}");
        }
    }
}

/// An angle that is no number hides none that has turned too often, wherever the two are: in one register, in two, first or last.
#[test]
fn no_number_hides_no_angle_of_many_turns() {
    const ANGLES: usize = 6;
    const FAR: f64 = 3e17;
    let sines = (0..ANGLES).map(|i| Step {
        name: format!("s{i}"),
        operation: Operation::Sin(of(Source::Input(i))),
        constant: false,
    });
    let program = Program {
        inputs: vec![quantity("x", ANGLES)],
        outputs: vec![quantity("y", ANGLES)],
        steps: sines.collect(),
        results: (0..ANGLES).map(|i| of(Source::Step(i))).collect(),
        ..Program::default()
    };
    let compiled = Compiled::new(program).unwrap();
    let pairs = (0..ANGLES * ANGLES).map(|k| (k / ANGLES, k % ANGLES)).filter(|(none, far)| none != far);
    for (none, far) in pairs {
        let mut inputs: Vec<f64> = (0..ANGLES * 9).map(|k| 0.1 * k as f64).collect();
        inputs[4 * ANGLES + none] = f64::NAN;
        inputs[4 * ANGLES + far] = FAR;
        let found = all_layouts(&compiled, &inputs, 9);
        for (x, y) in inputs.iter().zip(&found) {
            let close = (libm::sin(*x) - y).abs() <= 2.3e-16 || (x.is_nan() && y.is_nan());
            assert!(close, "angle {none} is none: sin {x} = {y}");
        }
        let single = compiled.single().unwrap();
        let inputs: Vec<f32> = inputs.iter().map(|&x| x as f32).collect();
        let mut found = vec![0.0; inputs.len()];
        single.rows(&inputs, &mut found, &mut single.scratch()).unwrap();
        let expected = libm::sin(f64::from(FAR as f32)) as f32;
        assert!((found[4 * ANGLES + far] - expected).abs() <= 1.2e-7, "single precision, angle {none} is none");
    }
}

/// Outputs that would be written over one another or over inputs are refused: several threads would race for them.
#[test]
fn overlapping_views_are_refused() {
    let compiled = compiled(&arm::<2>(&[0.6; 20]), Of::Torque);
    let states = 100;
    let mut memory = vec![0.5; 40 * states];
    let at = |memory: &mut Vec<f64>, start: usize| memory.as_mut_ptr().wrapping_add(start);
    let mut run = |inputs: [(usize, isize); 6], outputs: [(usize, isize); 2]| {
        let inputs = inputs.map(|(start, stride)| (at(&mut memory, start).cast_const(), stride));
        let outputs = outputs.map(|(start, stride)| (at(&mut memory, start), stride));
        // SAFETY: all views are within `memory`; those that overlap are what is tested.
        #[allow(unsafe_code)]
        unsafe {
            compiled.addresses(states, &inputs, &outputs, &mut compiled.scratches(2))
        }
    };
    let rows = [0, 1, 2, 3, 4, 5].map(|k| (k, 8));
    let overlap = |output, what, other| Err(LayoutError::Overlap { output, what, other });
    // Results beside the inputs in the same rows, in columns behind, backwards, and between each other.
    assert_eq!(run(rows, [(6, 8), (7, 8)]), Ok(()));
    assert_eq!(run(rows, [(800, 1), (900, 1)]), Ok(()));
    assert_eq!(run(rows, [(899, -1), (900, 1)]), Ok(()));
    assert_eq!(run(rows, [(800, 2), (801, 2)]), Ok(()));
    // Inputs may share memory.
    assert_eq!(run([(0, 0); 6], [(800, 2), (801, 2)]), Ok(()));
    assert_eq!(run(rows, [(800, 0), (900, 1)]), overlap(0, "output", 0));
    assert_eq!(run(rows, [(800, 1), (899, 1)]), overlap(1, "output", 0));
    assert_eq!(run(rows, [(800, 2), (802, 2)]), overlap(1, "output", 0));
    assert_eq!(run(rows, [(998, -2), (800, 4)]), overlap(1, "output", 0));
    assert_eq!(run(rows, [(6, 8), (5, 8)]), overlap(1, "input", 5));
    assert_eq!(run(rows, [(795, 1), (900, 1)]), overlap(0, "input", 3));
}

/// The bits of a state do not depend on how many come with it, nor on how many threads share them.
#[test]
fn any_number_of_rows_gives_the_same_bits() {
    for of in [Of::Torque, Of::Acceleration] {
        let compiled = compiled(&arm::<3>(&[0.6, 0.2, 0.7, 0.4, 0.9].repeat(6)), of);
        let (states, width, results) = (5000, compiled.inputs(), compiled.outputs());
        let mut seed = 8;
        let inputs: Vec<f64> = (0..width * states).map(|_| 3.0 * random(&mut seed)).collect();
        let (mut one, mut scratch) = (vec![0.0; results * states], compiled.scratch());
        for (state, result) in inputs.chunks(width).zip(one.chunks_mut(results)) {
            compiled.one(state, result, &mut scratch).unwrap();
        }
        for (block, threads) in [1, 7, 1000, 5000].into_iter().flat_map(|block| [(block, 1), (block, 2)]) {
            let (mut found, mut scratches) = (vec![0.0; results * states], compiled.scratches(threads));
            for (rows, results) in inputs.chunks(width * block).zip(found.chunks_mut(results * block)) {
                compiled.rows(rows, results, &mut scratches).unwrap();
            }
            assert!(one.iter().zip(&found).all(|(a, b)| same(*a, *b)), "{of:?}: {threads} threads, blocks of {block}");
        }
    }
}

/// Batches that are large enough for threads have the bits of those that are not, in every layout.
#[test]
fn threads_change_no_bit() {
    let compiled = compiled(&arm::<3>(&[0.6; 30]), Of::Torque);
    let (states, width) = (40_001, compiled.inputs());
    let mut seed = 5;
    let inputs: Vec<f64> = (0..width * states).map(|_| 3.0 * random(&mut seed)).collect();
    let (mut alone, mut together) = (vec![0.0; 3 * states], vec![0.0; 3 * states]);
    compiled.rows(&inputs, &mut alone, &mut compiled.scratch()).unwrap();
    compiled.rows(&inputs, &mut together, &mut compiled.scratches(3)).unwrap();
    assert!(alone.iter().zip(&together).all(|(a, b)| a.to_bits() == b.to_bits()));
    let columns: Vec<Vec<f64>> = (0..width).map(|i| inputs.iter().skip(i).step_by(width).copied().collect()).collect();
    let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    let mut found = vec![vec![0.0; states]; 3];
    let mut views: Vec<&mut [f64]> = found.iter_mut().map(Vec::as_mut_slice).collect();
    compiled.columns(&columns, &mut views, &mut compiled.scratches(4)).unwrap();
    assert!((0..states).all(|k| (0..3).all(|r| found[r][k].to_bits() == alone[3 * k + r].to_bits())));
}

/// A program in `f32`: the same bits on every machine and in every layout, and as far from `f64` as 24 bits are.
#[test]
fn single_precision() {
    for of in [Of::Torque, Of::Mass, Of::Acceleration] {
        let compiled = compiled(&arm::<4>(&[0.6, 0.2, 0.7, 0.4, 0.9].repeat(8)), of);
        let single = compiled.single().unwrap();
        let (width, results, states) = (single.inputs(), single.outputs(), 203);
        let mut seed = 9;
        let inputs: Vec<f32> = (0..width * states).map(|_| 3.0 * random(&mut seed) as f32).collect();
        let doubles: Vec<f64> = inputs.iter().map(|&x| f64::from(x)).collect();
        let mut expected = vec![0.0; results * states];
        compiled.rows(&doubles, &mut expected, &mut compiled.scratch()).unwrap();
        let mut before: Option<Vec<f32>> = None;
        for machine in Machine::ALL.into_iter().filter(|machine| machine.is_available()) {
            let single = single.on(machine).unwrap();
            let mut scratch = single.scratch();
            let mut rows = vec![0.0_f32; results * states];
            single.rows(&inputs, &mut rows, &mut scratch).unwrap();
            for (state, row) in inputs.chunks(width).zip(rows.chunks(results)) {
                let mut one = vec![0.0; results];
                single.one(state, &mut one, &mut scratch).unwrap();
                assert_eq!(one, row, "{machine:?}");
            }
            if let Some(before) = &before {
                assert!(before.iter().zip(&rows).all(|(a, b)| a.to_bits() == b.to_bits()), "{machine:?}");
            }
            before = Some(rows);
        }
        let found = before.unwrap();
        for (expected, found) in expected.chunks(results).zip(found.chunks(results)) {
            let size = expected.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
            // Some hundreds of roundings of 6e-8; accelerations through a mass matrix whose condition is some hundreds.
            let most = if of == Of::Acceleration { 2e-3 } else { 1e-5 };
            for (a, b) in expected.iter().zip(found) {
                assert!((a - f64::from(*b)).abs() <= most * size, "{of:?}: {a} and {b}");
            }
        }
    }
}
