//! Polynomials as people write them: sums of products of sines and cosines, S23 C4 S5.
//!
//! The normal form has cos 2φ where a person writes 1 − 2 SS, 2 CC − 1, or sin φ_a sin φ_b for cosines of a sum and a
//! difference. Which of these is shorter differs from entry to entry, so it is chosen for each: the writing with the fewest
//! terms.

use super::polynomial::{JointAngles, MAX_JOINTS, Polynomial};
use dalembert_core::Scalar;
use dalembert_core::serial::Joint;
use std::collections::HashMap;
use std::fmt;

/// A sum of joint angles: how often each θ is in it.
pub type AngleSum = [i8; MAX_JOINTS];

/// A factor that varies with the joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Word {
    /// sin of a sum of joint angles.
    Sin(AngleSum),
    /// cos of a sum of joint angles.
    Cos(AngleSum),
    /// cos of twice a sum of joint angles, evaluated as 1 − 2 sin².
    Double(AngleSum),
    /// The position of a prismatic joint, from 0.
    Slide(usize),
}

impl fmt::Display for Word {
    /// As the paper: S23, C223; `C2·23` for a double angle, `m` before what is subtracted, `q4` for a sliding joint.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (letter, angle) = match self {
            Self::Slide(joint) => return write!(f, "q{}", joint + 1),
            Self::Sin(angle) => ("S", angle),
            Self::Cos(angle) => ("C", angle),
            Self::Double(angle) => ("C2·", angle),
        };
        f.write_str(letter)?;
        for (j, &times) in angle.iter().enumerate() {
            for _ in 0..times.unsigned_abs() {
                write!(f, "{}{}", if times < 0 { "m" } else { "" }, j + 1)?;
            }
        }
        Ok(())
    }
}

impl Word {
    /// The joints that it depends on, from 0.
    pub(crate) fn joints(&self) -> impl Iterator<Item = usize> {
        (0..MAX_JOINTS).filter(move |&j| match self {
            Self::Sin(sum) | Self::Cos(sum) | Self::Double(sum) => sum[j] != 0,
            Self::Slide(joint) => *joint == j,
        })
    }

    /// Its value at a pose.
    pub(crate) fn value(&self, joints: &JointAngles, q: &[f64]) -> f64 {
        let angle = |sum: &AngleSum| -> f64 {
            (0..joints.count()).map(|j| f64::from(sum[j]) * (q[j] + joints.offsets[j])).sum()
        };
        match self {
            Self::Sin(sum) => Scalar::sin_cos(angle(sum)).0,
            Self::Cos(sum) => Scalar::sin_cos(angle(sum)).1,
            Self::Double(sum) => Scalar::sin_cos(2.0 * angle(sum)).1,
            Self::Slide(joint) => q[*joint],
        }
    }

    fn polynomial(&self, joints: &JointAngles) -> Polynomial {
        match self {
            Self::Sin(angle) => Polynomial::of_sum(joints, angle, true),
            Self::Cos(angle) => Polynomial::of_sum(joints, angle, false),
            Self::Double(angle) => Polynomial::of_sum(joints, &angle.map(|times| 2 * times), false),
            Self::Slide(joint) => Polynomial::slide(*joint),
        }
    }
}

/// The words of a model.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    words: Vec<Word>,
    numbers: HashMap<Word, u8>,
}

impl Vocabulary {
    /// The words in the order of their numbers.
    pub fn words(&self) -> &[Word] {
        &self.words
    }

    fn number(&mut self, word: Word) -> u8 {
        let next = self.words.len() as u8;
        let number = *self.numbers.entry(word).or_insert(next);
        if number == next {
            self.words.push(word);
        }
        number
    }

    /// The values of those words that are needed at a pose, for any scalar; zero for the others.
    pub(crate) fn evaluate<S: Scalar>(&self, joints: &JointAngles, q: &[S], needed: impl Fn(usize) -> bool) -> Vec<S> {
        let mut angles: HashMap<AngleSum, (S, S)> = HashMap::new();
        let mut of =
            |angle: &AngleSum| *angles.entry(*angle).or_insert_with(|| sum_of_angles(joints, angle, q).sin_cos());
        self.words
            .iter()
            .enumerate()
            .map(|(number, word)| match word {
                _ if !needed(number) => S::zero(),
                Word::Sin(angle) => of(angle).0,
                Word::Cos(angle) => of(angle).1,
                Word::Double(angle) => {
                    let sin = of(angle).0;
                    S::one() - (sin * sin).times(2.0)
                }
                Word::Slide(joint) => q[*joint],
            })
            .collect()
    }
}

/// The angle itself. Sums begin at the last joint, so that q2 + q23 uses q23.
pub(crate) fn sum_of_angles<S: Scalar>(joints: &JointAngles, angle: &AngleSum, q: &[S]) -> S {
    let mut left = *angle;
    let mut sum: Option<S> = None;
    while left.iter().any(|&times| times != 0) {
        // Each round takes every angle that is left once: 2 q2 + q3 = q2 + (q2 + q3).
        let mut round: Option<S> = None;
        for j in 0..joints.count() {
            if left[j] == 0 {
                continue;
            }
            let theta = if joints.offsets[j] == 0.0 { q[j] } else { q[j] + S::from_f64(joints.offsets[j]) };
            let theta = if left[j] < 0 { -theta } else { theta };
            left[j] -= left[j].signum();
            round = Some(round.map_or(theta, |sum| sum + theta));
        }
        sum = match (sum, round) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        };
    }
    sum.unwrap_or(S::zero())
}

/// The most factors in a term: a mass matrix has at most two per joint.
const MAX_WORDS: usize = 2 * MAX_JOINTS;

/// A product of words: their numbers in order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Words {
    numbers: [u8; MAX_WORDS],
    count: u8,
}

impl fmt::Debug for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_slice().fmt(f)
    }
}

impl Words {
    const NONE: Self = Self { numbers: [u8::MAX; MAX_WORDS], count: 0 };

    /// The numbers of the words, with repetition.
    pub fn as_slice(&self) -> &[u8] {
        &self.numbers[..self.count as usize]
    }

    fn push(&mut self, number: u8) {
        let mut at = self.count as usize;
        if at == MAX_WORDS {
            return; // the degree of a mass matrix does not allow it
        }
        while at > 0 && self.numbers[at - 1] > number {
            self.numbers[at] = self.numbers[at - 1];
            at -= 1;
        }
        self.numbers[at] = number;
        self.count += 1;
    }

    /// The product of their values.
    pub fn value<S: Scalar>(&self, values: &[S]) -> Option<S> {
        self.as_slice().iter().map(|&w| values[w as usize]).reduce(|a, b| a * b)
    }
}

/// coefficient × symbols × words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrigTerm {
    /// The factors.
    pub words: Words,
    /// A product of symbolic parameters, 0 for none.
    pub symbols: u32,
    /// The number in front.
    pub coefficient: f64,
}

impl TrigTerm {
    /// The largest it can be where the words can have these sizes.
    pub(crate) fn size(&self, most: &[f64]) -> f64 {
        self.words.value(most).unwrap_or(1.0) * self.coefficient.abs()
    }
}

/// A sum of terms.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sum {
    /// The terms.
    pub terms: Vec<TrigTerm>,
}

impl Sum {
    /// Its value where the words have these.
    pub fn evaluate<S: Scalar>(&self, values: &[S]) -> S {
        self.terms
            .iter()
            .fold(S::zero(), |sum, term| sum + term.words.value(values).unwrap_or(S::one()).times(term.coefficient))
    }

    /// The largest coefficient, without sign.
    pub fn largest(&self) -> f64 {
        self.terms.iter().fold(0.0, |most, term| most.max(term.coefficient.abs()))
    }

    /// Back to the normal form.
    pub fn polynomial(&self, joints: &JointAngles, vocabulary: &Vocabulary) -> Polynomial {
        let words: Vec<Polynomial> = vocabulary.words.iter().map(|word| word.polynomial(joints)).collect();
        let terms = self.terms.iter().map(|term| {
            let product = term.words.as_slice().iter().fold(Polynomial::symbols(term.symbols), |product, &w| {
                // Words have no symbols: one of the two numbers is 0, which stands for 1.
                product.times(&words[w as usize], joints, |a, b| a + b)
            });
            product.scaled(term.coefficient)
        });
        Polynomial::sum(terms)
    }

    fn collect(mut terms: Vec<TrigTerm>) -> Self {
        terms.sort_unstable_by_key(|term| (term.words, term.symbols));
        let largest = terms.iter().fold(0.0f64, |most, term| most.max(term.coefficient.abs()));
        let mut kept: Vec<TrigTerm> = Vec::with_capacity(terms.len());
        for term in terms {
            match kept.last_mut() {
                Some(last) if last.words == term.words && last.symbols == term.symbols => {
                    last.coefficient += term.coefficient;
                }
                _ => kept.push(term),
            }
        }
        // What has cancelled by writing it another way.
        kept.retain(|term| term.coefficient.abs() > 1e-13 * largest);
        Self { terms: kept }
    }
}

/// How cos 2φ is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Square {
    /// 1 − 2 SS.
    Sines,
    /// 2 CC − 1.
    Cosines,
    /// A word of its own.
    Double,
}

/// How an entry is written.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Notation {
    squares: [Square; MAX_JOINTS],
    /// For the run that begins with joint j: products of the sines and cosines of two angles, not of sum and difference.
    products: [bool; MAX_JOINTS],
}

/// Above this many terms an entry is not tried in several writings.
const TRIED: usize = 500;

/// The shortest of the writings of a polynomial.
pub(crate) fn write(polynomial: &Polynomial, joints: &JointAngles, vocabulary: &mut Vocabulary) -> Sum {
    let mut style = Notation { squares: [Square::Sines; MAX_JOINTS], products: [false; MAX_JOINTS] };
    if polynomial.terms().len() <= TRIED {
        style = shortest(polynomial, joints, style);
    }
    write_as(polynomial, joints, &style, vocabulary)
}

/// Terms, factors, and the sum of the coefficients.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
struct Length(usize, usize, f64);

fn shortest(polynomial: &Polynomial, joints: &JointAngles, start: Notation) -> Notation {
    let mut scratch = Vocabulary::default();
    let mut length = |style: &Notation| {
        let sum = write_as(polynomial, joints, style, &mut scratch);
        let mut words = sum.terms.iter().map(|term| term.words).collect::<Vec<_>>();
        words.dedup();
        // A double angle is 1 − 2 SS: three operations.
        let price = |&w: &u8| if matches!(scratch.words[w as usize], Word::Double(_)) { 3 } else { 1 };
        let factors = words.iter().flat_map(|w| w.as_slice()).map(price).sum::<usize>();
        // What cancels less is better: 2.7 + 1.6 CC rather than 4.3 − 1.6 SS.
        Length(words.len(), factors, sum.terms.iter().map(|term| term.coefficient.abs()).sum())
    };
    let (mut style, mut best) = (start, length(&start));
    // Joint by joint, twice: the choice of one depends a little on the others.
    for _ in 0..2 {
        let before = style;
        for j in 0..joints.count() {
            for square in [Square::Cosines, Square::Sines, Square::Double] {
                let mut other = style;
                other.squares[j] = square;
                let found = length(&other);
                if found < best {
                    (style, best) = (other, found);
                }
            }
            let mut other = style;
            other.products[j] = !other.products[j];
            let found = length(&other);
            if found < best {
                (style, best) = (other, found);
            }
        }
        if style == before {
            break;
        }
    }
    style
}

fn write_as(polynomial: &Polynomial, joints: &JointAngles, style: &Notation, vocabulary: &mut Vocabulary) -> Sum {
    let mut terms = Vec::with_capacity(polynomial.terms().len());
    let mut parts: Vec<(Words, f64)> = Vec::new();
    for term in polynomial.terms() {
        parts.clear();
        parts.push((Words::NONE, term.coefficient));
        for j in (0..joints.count()).filter(|&j| joints.kinds[j] == Joint::Prismatic) {
            for _ in 0..term.monomial.k[j] {
                let word = vocabulary.number(Word::Slide(j));
                parts.iter_mut().for_each(|part| part.0.push(word));
            }
        }
        for (first, run) in joints.runs() {
            let k = term.monomial.part(run);
            let sine = term.monomial.sine >> first & 1 == 1;
            let used: Vec<usize> = (0..joints.count()).filter(|&j| k[j] != 0).collect();
            let single = |j: usize| {
                let mut one = [0; MAX_JOINTS];
                one[j] = 1;
                joints.in_thetas(&one, run)
            };
            let whole = || joints.in_thetas(&k, run);
            let mut times = |choices: &[(f64, &[Word])]| {
                let old = std::mem::take(&mut parts);
                for (words, coefficient) in old {
                    for (factor, more) in choices {
                        let mut words = words;
                        more.iter().for_each(|&word| words.push(vocabulary.number(word)));
                        parts.push((words, coefficient * factor));
                    }
                }
            };
            use Word::{Cos, Double, Sin};
            match (&used[..], sine) {
                ([], _) => {}
                (&[j], true) if k[j] == 2 => {
                    let a = single(j);
                    times(&[(2.0, &[Sin(a), Cos(a)])]);
                }
                (&[j], false) if k[j] == 2 => {
                    let a = single(j);
                    match style.squares[j] {
                        Square::Sines => times(&[(1.0, &[]), (-2.0, &[Sin(a), Sin(a)])]),
                        Square::Cosines => times(&[(-1.0, &[]), (2.0, &[Cos(a), Cos(a)])]),
                        Square::Double => times(&[(1.0, &[Double(a)])]),
                    }
                }
                // With the last k positive: cos(b ± a), sin(b ± a).
                (&[i, j], _) if style.products[first] && k[i].abs() == 1 && k[j] == 1 => {
                    let (a, b, sign) = (single(i), single(j), f64::from(k[i]));
                    match sine {
                        false => times(&[(1.0, &[Cos(a), Cos(b)]), (-sign, &[Sin(a), Sin(b)])]),
                        true => times(&[(1.0, &[Cos(a), Sin(b)]), (sign, &[Sin(a), Cos(b)])]),
                    }
                }
                // In the paper's order of signs: the first joint positive.
                (_, sine) => {
                    let (angle, sign) = positive(whole());
                    match sine {
                        false => times(&[(1.0, &[Cos(angle)])]),
                        true => times(&[(sign, &[Sin(angle)])]),
                    }
                }
            }
        }
        terms.extend(parts.iter().map(|&(words, coefficient)| TrigTerm { words, symbols: term.symbols, coefficient }));
    }
    Sum::collect(terms)
}

/// An angle with its first entry positive, and the sign that took.
fn positive(angle: AngleSum) -> (AngleSum, f64) {
    match angle.iter().find(|&&times| times != 0) {
        Some(&times) if times < 0 => (angle.map(|t| -t), -1.0),
        _ => (angle, 1.0),
    }
}
