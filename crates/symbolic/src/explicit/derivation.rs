//! Step 1: mass matrix and gravity as trigonometric polynomials, by running the formulas of `dalembert-core`; and
//! step 3: the Christoffel symbols as their derivatives.

use super::polynomial::{JointAngles, MAX_JOINTS, Polynomial};
use super::scalar::{Arena, NotPolynomial, SymbolTable, Trig};
use dalembert_core::chain::{Chain, ChainParameters};
use dalembert_core::serial::{Body, DhConvention};
use dalembert_core::{Scalar, Sym3, Vec3};

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
        Self::derive(&arm.into(), |_, parameters| parameters.map(Trig::from_f64))
    }

    /// With the parameters of the arm as symbols. Zeros stay zeros, and moments of inertia of a link that are equal
    /// become one symbol; twists, offsets of angles and the tool frame stay numbers.
    pub fn symbolic(arm: impl Into<Chain<f64>>) -> Result<Self, NotDerivable> {
        Self::derive(&arm.into(), symbols)
    }

    fn derive(
        arm: &Chain<f64>,
        lift: impl for<'a> Fn(&'a Arena, ChainParameters<f64>) -> ChainParameters<Trig<'a>>,
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
        let arena = Arena::new(joints, MAX_TERMS);
        let (mass, gravity) = {
            let robot = arm.with_numbers(lift(&arena, plain));
            let q: Vec<Trig<'_>> = (0..n).map(|j| arena.joint(j)).collect();
            let polynomial = |entry: &Trig<'_>| (*entry.polynomial()).clone();
            let matrix = robot.mass_matrix(&q).unwrap_or_default();
            let upper = matrix.iter().enumerate().filter(|(k, _)| k / n <= k % n).map(|(_, entry)| polynomial(entry));
            let gravity = robot.gravity_torque(&q).unwrap_or_default();
            (upper.collect::<Vec<_>>(), gravity.iter().map(polynomial).collect::<Vec<_>>())
        };
        match arena.failure() {
            Some(NotPolynomial::Function(what)) => return Err(NotDerivable::Function(what)),
            Some(NotPolynomial::Size) => return Err(NotDerivable::Size(MAX_TERMS)),
            None => {}
        }
        let finite = |p: &Polynomial| p.terms().iter().all(|term| term.coefficient.is_finite());
        if !mass.iter().chain(&gravity).all(finite) {
            return Err(NotDerivable::NotFinite);
        }
        let cleaned = |all: Vec<Polynomial>| all.into_iter().map(Polynomial::cleaned).collect();
        let (mass, gravity) = (cleaned(mass), cleaned(gravity));
        let (joints, symbols) = (arena.joints.clone(), arena.symbols.into_inner());
        Ok(Self { joints, mass, gravity, symbols })
    }

    /// How many joints.
    pub fn len(&self) -> usize {
        self.joints.len()
    }

    /// None at all.
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty()
    }

    /// a_ij; indices from 0.
    pub fn mass(&self, i: usize, j: usize) -> &Polynomial {
        &self.mass[entry(self.len(), i, j)]
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

/// Every parameter that is not zero as a symbol.
fn symbols(arena: &Arena, given: ChainParameters<f64>) -> ChainParameters<Trig<'_>> {
    let parameters = &given.whole;
    let symbol = |name: String, value: f64| match value {
        0.0 => Trig::zero(),
        _ => arena.symbol(name, value),
    };
    let body = |body: Body<f64>, which: &str| {
        let names = ["xx", "yy", "zz", "xy", "yz", "xz"];
        let values = body.inertia.entries();
        let mut entries = [Trig::zero(); 6];
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
    let mut made = given.map(Trig::from_f64);
    made.whole.gravity = match parameters.gravity.0 {
        [0.0, 0.0, z] if z < 0.0 => Vec3([Trig::zero(), Trig::zero(), -symbol("g".into(), -z)]),
        [x, y, z] => Vec3([symbol("gx".into(), x), symbol("gy".into(), y), symbol("gz".into(), z)]),
    };
    made.whole.payload = body(parameters.payload, "p");
    for (i, (branch, given)) in made.links.iter_mut().zip(&given.links).enumerate() {
        let (link, given, n) = (&mut branch.link, &given.link, i + 1);
        let before = if parameters.convention == DhConvention::Modified { i } else { n };
        link.dh.a = symbol(format!("a{before}"), given.dh.a);
        link.dh.d = symbol(format!("d{n}"), given.dh.d);
        link.body = body(given.body, &n.to_string());
        link.motor_inertia = symbol(format!("Im{n}"), given.motor_inertia);
        (link.friction, link.spring, branch.mount, branch.tip) = (None, None, None, None);
    }
    made
}
