//! Trigonometric polynomials in normal form.
//!
//! The angles of parallel joints that follow each other are added up: φ_j = ± θ_i ± … ± θ_j within such a *run* (a joint
//! without parallel neighbours is a run of its own). A monomial is a product over the runs of one cos(k·φ) or sin(k·φ)
//! each, k integer, and of powers of the sliding joints. As functions these are independent, so two polynomials are equal
//! if and only if their coefficients are: the form decides equality. Sums of angles (S23, C223) appear in it by
//! themselves. Per joint at most five functions occur in a mass matrix (1, cos φ, sin φ, cos 2φ, sin 2φ), which bounds the
//! size: 5^(n−1) terms in its largest entry, whatever the inertias are.

use dalembert_core::chain::ChainParameters;
use dalembert_core::serial::{DhConvention, Joint};

/// The most joints: those of a robot file.
pub const MAX_JOINTS: usize = 8;

/// Cancelled by rounding: a sum this small against what was added up.
const ZERO: f64 = 1e-14;

/// The joints of an arm as the angles of trigonometric polynomials.
#[derive(Clone, Debug, PartialEq)]
pub struct JointAngles {
    /// What each joint does.
    pub kinds: Vec<Joint>,
    /// Angle θ_j = q_j + this, where the offset is no multiple of a quarter turn (those are signs and swaps).
    pub offsets: Vec<f64>,
    /// The joints of the run that a joint is in, as bits; 0 for prismatic ones.
    runs: Vec<u8>,
    /// Direction of the axis against the first one of the run.
    signs: Vec<i8>,
}

impl JointAngles {
    /// The joints of an arm, and its parameters without the offsets that are kept here.
    pub fn new(parameters: &ChainParameters<f64>) -> (Self, ChainParameters<f64>) {
        let mut plain = parameters.clone();
        let links = &mut plain.links;
        let kinds: Vec<Joint> = links.iter().map(|branch| branch.link.joint).collect();
        let n = kinds.len();
        let mut offsets = vec![0.0; n];
        let (mut runs, mut signs) = (vec![0u8; n], vec![1i8; n]);
        let mut previous: Option<usize> = None;
        // The axis before the next joint, in the frame of the last revolute one, is found by turning back.
        for j in 0..n {
            if kinds[j] == Joint::Prismatic {
                continue;
            }
            let offset = &mut links[j].link.dh.theta_offset;
            if offset.cos != 0.0 && offset.sin != 0.0 {
                offsets[j] = offset.radians();
                *offset = dalembert_core::Angle::ZERO;
            }
            runs[j] = 1 << j;
            if let Some(i) = previous {
                let axis = axis_seen_from(parameters, i, j);
                if axis[0].abs() < 1e-12 && axis[1].abs() < 1e-12 {
                    let members = runs[i] | 1 << j;
                    signs[j] = if axis[2] > 0.0 { signs[i] } else { -signs[i] };
                    (0..=j).filter(|&m| members >> m & 1 == 1).for_each(|m| runs[m] = members);
                }
            }
            previous = Some(j);
        }
        (Self { kinds, offsets, runs, signs }, plain)
    }

    /// How many.
    pub fn count(&self) -> usize {
        self.kinds.len()
    }

    /// The first joint of each run with the members of the run.
    pub(crate) fn runs(&self) -> impl Iterator<Item = (usize, u8)> {
        (0..self.count()).map(|j| (j, self.runs[j])).filter(|&(j, run)| run.trailing_zeros() as usize == j)
    }

    /// The angle before joint `j` in its run.
    fn before(&self, j: usize) -> Option<usize> {
        let earlier = self.runs[j] & ((1 << j) - 1);
        (earlier != 0).then(|| 7 - earlier.leading_zeros() as usize)
    }

    /// θ of joint `j` as a combination of φ: ± (φ_j − φ_before).
    fn theta(&self, j: usize) -> [i8; MAX_JOINTS] {
        let mut k = [0; MAX_JOINTS];
        k[j] = self.signs[j];
        if let Some(i) = self.before(j) {
            k[i] = -self.signs[j];
        }
        k
    }

    /// A combination of φ as one of θ: φ_j contains ± θ_i of all i ≤ j of its run.
    pub(crate) fn in_thetas(&self, k: &[i8; MAX_JOINTS], run: u8) -> [i8; MAX_JOINTS] {
        let mut theta = [0; MAX_JOINTS];
        for i in (0..self.count()).filter(|&i| run >> i & 1 == 1) {
            theta[i] = self.signs[i] * self.rate(k, i);
        }
        theta
    }

    /// Σ of k over the angles of the run that joint `j` moves.
    fn rate(&self, k: &[i8; MAX_JOINTS], j: usize) -> i8 {
        (j..self.count()).filter(|&m| self.runs[j] >> m & 1 == 1).map(|m| k[m]).sum()
    }
}

/// The axis of joint `j` in the frame of the revolute joint `i` before it; the joints between slide.
fn axis_seen_from(parameters: &ChainParameters<f64>, i: usize, j: usize) -> [f64; 3] {
    let row = |m: usize| parameters.links[m].link.dh;
    let mut v = [0.0, 0.0, 1.0];
    for m in (i + 1..=j).rev() {
        if m < j {
            let t = row(m).theta_offset;
            v = [t.cos * v[0] - t.sin * v[1], t.sin * v[0] + t.cos * v[1], v[2]];
        }
        let a = match parameters.whole.convention {
            DhConvention::Modified => row(m).alpha,
            DhConvention::Standard => row(m - 1).alpha,
        };
        v = [v[0], a.cos * v[1] - a.sin * v[2], a.sin * v[1] + a.cos * v[2]];
    }
    v
}

/// A product of one cosine or sine per run and of powers of sliding joints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Monomial {
    /// Revolute: how often φ_j is in the angle of its run; prismatic: the exponent of q_j.
    pub(crate) k: [i8; MAX_JOINTS],
    /// Bit j: the run that begins with joint j has a sine, not a cosine.
    pub(crate) sine: u8,
}

impl Monomial {
    /// The part that belongs to a run.
    pub(crate) fn part(&self, run: u8) -> [i8; MAX_JOINTS] {
        std::array::from_fn(|j| if run >> j & 1 == 1 { self.k[j] } else { 0 })
    }

    /// Puts cos(k·φ) or sin(k·φ) of a run, with the last entry of k positive; the factor is the sign, 0 for sin 0.
    fn put(&mut self, first: usize, run: u8, k: [i8; MAX_JOINTS], sine: bool) -> f64 {
        let last = (0..MAX_JOINTS).rev().find(|&j| run >> j & 1 == 1 && k[j] != 0);
        let negative = last.is_some_and(|j| k[j] < 0);
        for j in (0..MAX_JOINTS).filter(|&j| run >> j & 1 == 1) {
            self.k[j] = if negative { -k[j] } else { k[j] };
        }
        self.sine &= !(1 << first);
        match (sine, last) {
            (true, None) => 0.0,
            (true, Some(_)) => {
                self.sine |= 1 << first;
                if negative { -1.0 } else { 1.0 }
            }
            (false, _) => 1.0,
        }
    }

    /// The products of two monomials add up to this: at most 2 per run.
    fn product(&self, other: &Self, joints: &JointAngles, mut out: impl FnMut(Self, f64)) {
        let mut parts: [(Self, f64); 1 << MAX_JOINTS] = [(Self::default(), 0.0); 1 << MAX_JOINTS];
        let mut count = 1;
        parts[0] = (*self, 1.0);
        for j in (0..joints.count()).filter(|&j| joints.runs[j] == 0) {
            parts[0].0.k[j] += other.k[j];
        }
        for (first, run) in joints.runs() {
            let (a, b) = (self.part(run), other.part(run));
            let zero = [0; MAX_JOINTS];
            if b == zero {
                continue;
            }
            let (sine_a, sine_b) = (self.sine >> first & 1 == 1, other.sine >> first & 1 == 1);
            if a == zero {
                for part in &mut parts[..count] {
                    part.1 *= part.0.put(first, run, b, sine_b);
                }
                continue;
            }
            // cos a cos b = ½ [cos(a−b) + cos(a+b)] and so on.
            let plus: [i8; MAX_JOINTS] = std::array::from_fn(|j| a[j] + b[j]);
            let minus: [i8; MAX_JOINTS] = std::array::from_fn(|j| a[j] - b[j]);
            let sine = sine_a != sine_b;
            let (of_plus, of_minus) = match (sine_a, sine_b) {
                (false, false) | (true, false) => (0.5, 0.5),
                (true, true) => (-0.5, 0.5),
                (false, true) => (0.5, -0.5),
            };
            for p in 0..count {
                let (monomial, factor) = parts[p];
                let mut second = monomial;
                parts[p].1 = factor * of_plus * parts[p].0.put(first, run, plus, sine);
                let sign = second.put(first, run, minus, sine);
                parts[count + p] = (second, factor * of_minus * sign);
            }
            count *= 2;
        }
        parts[..count].iter().filter(|part| part.1 != 0.0).for_each(|part| out(part.0, part.1));
    }
}

/// One term: coefficient × symbols × monomial. Without symbolic parameters `symbols` is 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PolynomialTerm {
    /// What varies with the joints.
    pub monomial: Monomial,
    /// A product of symbols, by its number.
    pub symbols: u32,
    /// The number in front.
    pub coefficient: f64,
}

/// A trigonometric polynomial: its terms in order, none zero, no two alike.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Polynomial {
    pub(crate) terms: Vec<PolynomialTerm>,
}

impl Polynomial {
    fn term(monomial: Monomial, symbols: u32, coefficient: f64) -> Self {
        Self { terms: vec![PolynomialTerm { monomial, symbols, coefficient }] }
    }

    /// A number.
    pub fn number(value: f64) -> Self {
        if value == 0.0 { Self::default() } else { Self::term(Monomial::default(), 0, value) }
    }

    /// A product of symbols.
    pub(crate) fn symbols(symbols: u32) -> Self {
        Self::term(Monomial::default(), symbols, 1.0)
    }

    /// The position of a prismatic joint.
    pub(crate) fn slide(joint: usize) -> Self {
        let mut monomial = Monomial::default();
        monomial.k[joint] = 1;
        Self::term(monomial, 0, 1.0)
    }

    /// Sine or cosine of a sum of angles θ of one run.
    pub(crate) fn of_sum(joints: &JointAngles, sum: &[i8; MAX_JOINTS], sine: bool) -> Self {
        let Some(joint) = sum.iter().position(|&times| times != 0) else {
            return Self::number(if sine { 0.0 } else { 1.0 });
        };
        let run = joints.runs[joint];
        let mut k = [0; MAX_JOINTS];
        for j in (0..joints.count()).filter(|&j| run >> j & 1 == 1) {
            let theta = joints.theta(j);
            (0..MAX_JOINTS).for_each(|m| k[m] += sum[j] * theta[m]);
        }
        let mut monomial = Monomial::default();
        let coefficient = monomial.put(run.trailing_zeros() as usize, run, k, sine);
        Self::term(monomial, 0, coefficient)
    }

    /// The sum of many.
    pub(crate) fn sum(polynomials: impl Iterator<Item = Self>) -> Self {
        Self::collect(polynomials.flat_map(|p| p.terms).collect())
    }

    /// The terms in order.
    pub fn terms(&self) -> &[PolynomialTerm] {
        &self.terms
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// The number, if it is one.
    pub fn as_number(&self) -> Option<f64> {
        match self.terms[..] {
            [] => Some(0.0),
            [term] if term.symbols == 0 && term.monomial == Monomial::default() => Some(term.coefficient),
            _ => None,
        }
    }

    /// The largest coefficient, without sign.
    pub fn largest(&self) -> f64 {
        self.terms.iter().fold(0.0, |most, term| most.max(term.coefficient.abs()))
    }

    fn collect(mut terms: Vec<PolynomialTerm>) -> Self {
        terms.sort_unstable_by_key(|term| (term.monomial, term.symbols));
        let mut kept: usize = 0;
        let mut i = 0;
        while i < terms.len() {
            let PolynomialTerm { monomial, symbols, coefficient } = terms[i];
            let (mut sum, mut size) = (coefficient, coefficient.abs());
            i += 1;
            while i < terms.len() && terms[i].monomial == monomial && terms[i].symbols == symbols {
                sum += terms[i].coefficient;
                size += terms[i].coefficient.abs();
                i += 1;
            }
            // What is not a number stays and is seen.
            if sum.abs() > ZERO * size || sum.is_nan() {
                terms[kept] = PolynomialTerm { monomial, symbols, coefficient: sum };
                kept += 1;
            }
        }
        terms.truncate(kept);
        Self { terms }
    }

    /// `self` + `factor` × `other`.
    pub fn plus(&self, other: &Self, factor: f64) -> Self {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        terms.extend_from_slice(&self.terms);
        terms.extend(other.terms.iter().map(|t| PolynomialTerm { coefficient: t.coefficient * factor, ..*t }));
        Self::collect(terms)
    }

    /// `factor` × `self`.
    pub fn scaled(&self, factor: f64) -> Self {
        if factor == 0.0 {
            return Self::default();
        }
        let terms = self.terms.iter().map(|t| PolynomialTerm { coefficient: t.coefficient * factor, ..*t });
        Self { terms: terms.collect() }
    }

    /// The product; `multiply` multiplies products of symbols.
    pub(crate) fn times(&self, other: &Self, joints: &JointAngles, mut multiply: impl FnMut(u32, u32) -> u32) -> Self {
        let mut terms = Vec::with_capacity(2 * self.terms.len() * other.terms.len());
        for a in &self.terms {
            for b in &other.terms {
                let symbols = multiply(a.symbols, b.symbols);
                let coefficient = a.coefficient * b.coefficient;
                a.monomial.product(&b.monomial, joints, |monomial, factor| {
                    terms.push(PolynomialTerm { monomial, symbols, coefficient: coefficient * factor });
                });
            }
        }
        Self::collect(terms)
    }

    /// The derivative by the position of joint `j`.
    pub fn derivative(&self, joints: &JointAngles, j: usize) -> Self {
        let run = joints.runs[j];
        let mut terms = Vec::new();
        for term in &self.terms {
            let mut monomial = term.monomial;
            let factor = if run == 0 {
                let power = monomial.k[j];
                monomial.k[j] = (power - 1).max(0);
                f64::from(power)
            } else {
                let first = run.trailing_zeros();
                let rate = f64::from(joints.signs[j] * joints.rate(&monomial.part(run), j));
                monomial.sine ^= 1 << first;
                if monomial.sine >> first & 1 == 1 { -rate } else { rate }
            };
            if factor != 0.0 {
                terms.push(PolynomialTerm { monomial, coefficient: term.coefficient * factor, ..*term });
            }
        }
        Self::collect(terms)
    }

    /// Without what rounding has left: terms below 1e-13 of the largest.
    pub(crate) fn cleaned(mut self) -> Self {
        let least = 1e-13 * self.largest();
        self.terms.retain(|term| term.coefficient.abs() > least);
        self
    }
}
