//! Step 1: mass matrix and gravity as trigonometric polynomials, by running the formulas of `dalembert-core`; and
//! step 3: the Christoffel symbols as their derivatives.

use super::polynomial::{JointAngles, MAX_JOINTS, Polynomial};
use super::symbols::SymbolTable;
use crate::program::{Operation, Program, Step, Value, ValueSource};
use crate::recorded::{FormulaTape, RecordedScalar};
use dalembert_core::chain::{Chain, ChainParameters};
use dalembert_core::serial::{Body, DhConvention, Joint};
use dalembert_core::{Scalar, Sym3, Vec3};
use std::borrow::Cow;

/// The most terms that a derivation may hold at a time: about 1 GB.
const MAX_TERMS: usize = 40_000_000;

/// Why an arm has no explicit model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotDerivable {
    /// Too many joints.
    #[error("explicit models are derived for 1 to {MAX_JOINTS} joints, not {0}; use the recursive model")]
    Joints(usize),
    /// A structure that runs of parallel axes are not found in.
    #[error("explicit models are derived for links in a row without mounts; `derive` writes programs for any chain")]
    Branches,
    /// Too many terms.
    #[error("the explicit model has more than {0} terms; use the recursive model, or numbers instead of symbols")]
    Size(usize),
    /// What is no polynomial in sines and cosines.
    #[error("an explicit model cannot contain {0}")]
    Function(&'static str),
    /// A parameter that is not a number.
    #[error("a parameter is not finite")]
    NotFinite,
}

/// Mass matrix and gravity of an arm in normal form.
#[derive(Clone, Debug)]
pub struct Polynomials {
    /// The joints.
    pub joints: JointAngles,
    /// a_ij, the upper triangle by rows.
    pub mass: Vec<Polynomial>,
    /// g_i.
    pub gravity: Vec<Polynomial>,
    /// The symbols of the coefficients.
    pub symbols: SymbolTable,
}

impl Polynomials {
    /// With numbers as coefficients.
    pub fn numeric(arm: impl Into<Chain<f64>>) -> Result<Self, NotDerivable> {
        Self::derive(&arm.into(), |_, _, parameters| parameters.map(RecordedScalar::from_f64))
    }

    /// With the parameters of the arm as symbols. Zeros stay zeros, and moments of inertia of a link that are equal
    /// become one symbol; twists, offsets of angles and the tool frame stay numbers.
    pub fn symbolic(arm: impl Into<Chain<f64>>) -> Result<Self, NotDerivable> {
        Self::derive(&arm.into(), symbols)
    }

    fn derive(
        arm: &Chain<f64>,
        lift: impl for<'t> Fn(
            &'t FormulaTape,
            &mut SymbolTable,
            ChainParameters<f64>,
        ) -> ChainParameters<RecordedScalar<'t>>,
    ) -> Result<Self, NotDerivable> {
        let n = arm.joints();
        if !arm.is_in_a_row() {
            return Err(NotDerivable::Branches);
        }
        if !(1..=MAX_JOINTS).contains(&n) {
            return Err(NotDerivable::Joints(n));
        }
        if arm.links().iter().any(|link| link.spring.is_some()) {
            return Err(NotDerivable::Function("a spring or counterbalance"));
        }
        let (joints, plain) = JointAngles::new(arm.parameters());
        let (tape, mut symbols) = (FormulaTape::default(), SymbolTable::default());
        let robot = arm.with_numbers(lift(&tape, &mut symbols, plain));
        let q = tape.inputs(n);
        let matrix = robot.mass_matrix(&q).unwrap_or_default();
        let upper = matrix.into_iter().enumerate().filter(|(k, _)| k / n <= k % n).map(|(_, entry)| entry);
        let results: Vec<_> = upper.chain(robot.gravity_torque(&q).unwrap_or_default()).collect();
        let mut mass = evaluated(&tape.program(&results), &joints, &mut symbols)?;
        let finite = |p: &Polynomial| p.terms().iter().all(|term| term.coefficient.is_finite());
        if !mass.iter().all(finite) {
            return Err(NotDerivable::NotFinite);
        }
        mass = mass.into_iter().map(Polynomial::cleaned).collect();
        let gravity = mass.split_off(mass.len() - n);
        Ok(Self { joints, mass, gravity, symbols })
    }

    /// How many joints.
    pub fn count(&self) -> usize {
        self.joints.count()
    }

    /// a_ij; indices from 0.
    pub fn mass(&self, i: usize, j: usize) -> &Polynomial {
        &self.mass[entry(self.count(), i, j)]
    }

    /// ∂a_ij/∂q_k.
    pub fn derivative(&self, i: usize, j: usize, k: usize) -> Polynomial {
        self.mass(i, j).derivative(&self.joints, k)
    }

    /// The Christoffel symbol β^(i,jk) of Armstrong, Khatib and Burdick (6); indices from 0.
    pub fn christoffel(&self, i: usize, j: usize, k: usize) -> Polynomial {
        let (ij, ik, jk) = (self.derivative(i, j, k), self.derivative(i, k, j), self.derivative(j, k, i));
        // Rounding is judged by what has cancelled.
        let least = 1e-13 * ij.largest().max(ik.largest()).max(jk.largest());
        let mut symbol = ij.plus(&ik, 1.0).plus(&jk, -1.0).scaled(0.5);
        symbol.terms.retain(|term| term.coefficient.abs() > least);
        symbol
    }

    /// The coefficient of q̇_j q̇_k, j ≤ k, in torque i: b_ijk = 2 β^(i,jk) for j < k and c_ij = β^(i,jj), (4) and (5).
    pub fn velocity(&self, i: usize, j: usize, k: usize) -> Polynomial {
        let symbol = self.christoffel(i, j, k);
        if j == k { symbol } else { symbol.scaled(2.0) }
    }
}

/// Where the entry i, j of a symmetric n × n matrix is in its upper triangle by rows.
pub(crate) fn entry(n: usize, i: usize, j: usize) -> usize {
    let (i, j) = (i.min(j), i.max(j));
    i * (2 * n - i + 1) / 2 + j - i
}

/// What a program with joints as its inputs and symbols as its parameters gives.
fn evaluated(
    program: &Program,
    joints: &JointAngles,
    symbols: &mut SymbolTable,
) -> Result<Vec<Polynomial>, NotDerivable> {
    let refused = NotDerivable::Function;
    let mut done: Vec<Polynomial> = Vec::with_capacity(program.steps.len());
    let mut size = 0;
    for Step { operation, .. } in &program.steps {
        let number = |value: Value| {
            let size = match value.place {
                ValueSource::Number(x) => Some(x),
                ValueSource::Step(i) => done[i].as_number(),
                ValueSource::Parameter(_) | ValueSource::Input(_) => None,
            };
            size.map(|x| if value.negated { -x } else { x })
        };
        let of = |value: Value| polynomial(value, &done, joints);
        let angle = |sine: bool, angle: Value, what| match angle {
            Value { negated: false, place: ValueSource::Input(j) } if joints.kinds[j] == Joint::Revolute => {
                Ok(Polynomial::of_sum(joints, &std::array::from_fn(|k| i8::from(k == j)), sine))
            }
            _ => Err(refused(what)),
        };
        let made = match *operation {
            operation if operation.values().into_iter().all(|value| number(value).is_some()) => {
                Polynomial::number(operation.result(|value| number(value).unwrap_or(f64::NAN)))
            }
            Operation::Add(a, b) => {
                let (sign, a, b) = (if b.negated { -1.0 } else { 1.0 }, of(a)?, of(b.unsigned())?);
                a.plus(&b, sign)
            }
            Operation::Mul(a, b) => match (number(a), number(b)) {
                (Some(factor), _) => of(b)?.scaled(factor),
                (_, Some(factor)) => of(a)?.scaled(factor),
                _ => {
                    let (a, b) = (of(a)?, of(b)?);
                    a.times(&b, joints, |a, b| symbols.multiply(a, b))
                }
            },
            Operation::Div(a, b) => match number(b) {
                Some(divisor) => of(a)?.scaled(1.0 / divisor),
                None => return Err(refused("division")),
            },
            Operation::Neg(a) => of(a.minus())?.into_owned(),
            Operation::Sin(a) => angle(true, a, "the sine of an expression that is not a joint angle")?,
            Operation::Cos(a) => angle(false, a, "the cosine of an expression that is not a joint angle")?,
            Operation::Sqrt(_) => return Err(refused("a square root")),
            Operation::Atan2(..) => return Err(refused("an arc tangent")),
            Operation::Tanh(_) => return Err(refused("a hyperbolic tangent")),
            Operation::Exp(_) => return Err(refused("an exponential function")),
            Operation::SelectLt(_) => return Err(refused("a choice")),
        };
        size += if made.as_number().is_some() { 0 } else { made.terms().len() };
        if size > MAX_TERMS {
            return Err(NotDerivable::Size(MAX_TERMS));
        }
        done.push(made);
    }
    program.results.iter().map(|&result| Ok(polynomial(result, &done, joints)?.into_owned())).collect()
}

fn polynomial<'d>(
    value: Value,
    done: &'d [Polynomial],
    joints: &JointAngles,
) -> Result<Cow<'d, Polynomial>, NotDerivable> {
    let polynomial = match value.place {
        ValueSource::Number(x) => Cow::Owned(Polynomial::number(x)),
        ValueSource::Parameter(i) => Cow::Owned(Polynomial::symbols(i as u32 + 1)),
        ValueSource::Input(j) if joints.kinds[j] == Joint::Prismatic => Cow::Owned(Polynomial::slide(j)),
        ValueSource::Input(_) => return Err(NotDerivable::Function("arithmetic with an angle")),
        ValueSource::Step(i) => Cow::Borrowed(&done[i]),
    };
    Ok(if value.negated { Cow::Owned(polynomial.scaled(-1.0)) } else { polynomial })
}

/// Every parameter that is not zero as a symbol.
fn symbols<'t>(
    tape: &'t FormulaTape,
    symbols: &mut SymbolTable,
    mut given: ChainParameters<f64>,
) -> ChainParameters<RecordedScalar<'t>> {
    // Of the base, the dynamics know only how gravity stands in it.
    (given.whole.gravity, given.whole.base) = (given.whole.base_gravity(), None);
    let parameters = &given.whole;
    let mut symbol = |name: String, value: f64| {
        if value == 0.0 {
            return RecordedScalar::zero();
        }
        symbols.add(name, value);
        tape.value(ValueSource::Parameter(symbols.symbols.len() - 1))
    };
    let body = |body: Body<f64>, which: &str, symbol: &mut dyn FnMut(String, f64) -> RecordedScalar<'t>| {
        let names = ["xx", "yy", "zz", "xy", "yz", "xz"];
        let values = body.inertia.entries();
        let mut entries = [RecordedScalar::zero(); 6];
        for e in 0..6 {
            let equal = (0..e.min(3)).find(|&other| e < 3 && values[other] == values[e]);
            entries[e] = match equal {
                Some(other) => entries[other],
                None => symbol(format!("I{}{which}", names[e]), values[e]),
            };
        }
        let axes = ["x", "y", "z"];
        let center = body.center_of_mass;
        Body {
            mass: symbol(format!("m{which}"), body.mass),
            center_of_mass: Vec3::from_fn(|k| symbol(format!("r{}{which}", axes[k]), center[k])),
            inertia: Sym3::new(entries),
        }
    };
    let mut made = given.map(RecordedScalar::from_f64);
    made.whole.gravity = match parameters.gravity.0 {
        [0.0, 0.0, z] if z < 0.0 => Vec3([RecordedScalar::zero(), RecordedScalar::zero(), -symbol("g".into(), -z)]),
        [x, y, z] => Vec3([symbol("gx".into(), x), symbol("gy".into(), y), symbol("gz".into(), z)]),
    };
    made.whole.payload = body(parameters.payload, "p", &mut symbol);
    for (i, (branch, given)) in made.links.iter_mut().zip(&given.links).enumerate() {
        let (link, given, n) = (&mut branch.link, &given.link, i + 1);
        let before = if parameters.convention == DhConvention::Modified { i } else { n };
        link.dh.a = symbol(format!("a{before}"), given.dh.a);
        link.dh.d = symbol(format!("d{n}"), given.dh.d);
        link.body = body(given.body, &n.to_string(), &mut symbol);
        link.motor_inertia = symbol(format!("Im{n}"), given.motor_inertia);
        (link.friction, link.spring, branch.mount, branch.tip) = (None, None, None, None);
    }
    made
}
