//! Torques as a product of a matrix that knows the state and a vector that knows the bodies: τ = Y(q, q̇, q̈) π + friction.
//!
//! A rigid-body torque is linear in mass m, first moment m c and inertia about the origin of every body, in the inertia of
//! every rotor, and in damping. A column of Y is therefore the torque formula itself, of a robot whose parameters are zero
//! but for a one: nothing is derived twice, and Y π is the torque to rounding. First moments have no body of their own: the
//! column of m c_x is that of the mass 1 at x = 1 without inertia about the origin, minus that of the mass 1 at the origin. Where links
//! move alike whatever they weigh, in arms and trees, how they move is computed once and only what the one asks for is passed on.

use super::{Family, InvalidParameters, State};
use crate::parameter::{AXES, TENSOR};
use crate::serial::Body;
use crate::symbolic::derive::ParameterColumn;
use crate::{Sym3, Vec3};
use std::fmt::Debug;

/// What a term of the torque belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A moving body.
    Body,
    /// The rotor and drive of a joint, from 0.
    Rotor(usize),
    /// What the tool carries.
    Payload,
    /// Damping beside the friction of the motors.
    Damping,
    /// The springs of a joint as they are: a factor of one.
    Spring,
}

/// A parameter that torques are linear in, with its column of Y.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// As papers and columns call it: `Ixx2`, `mz3`, `Ia1`.
    pub name: String,
    /// SI.
    pub unit: &'static str,
    /// In words: `link 2, inertia xx about the origin of its frame`.
    pub meaning: String,
    /// What the robot has.
    pub value: f64,
    /// The half width of the tolerance that its file gives, as a share of the value; zero where it gives none. Of an inertia that about
    /// the centre of mass.
    pub tolerance: f64,
    /// What it belongs to.
    pub owner: Owner,
}

/// Terms that together must be physically consistent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matter {
    /// A body in space.
    Body {
        /// m.
        mass: usize,
        /// m c.
        moments: [usize; 3],
        /// About the origin, with the signs of a tensor: xx, yy, zz, xy, yz, xz.
        inertia: [usize; 6],
    },
    /// A body on a line: mass, first moment, inertia about the origin.
    Line([usize; 3]),
    /// A body that turns about an axis: mass, first moments across the axis, inertia about it.
    Planar([usize; 4]),
    /// A number that is not negative.
    Positive(usize),
}

impl Matter {
    /// Its terms.
    pub fn terms(&self) -> Vec<usize> {
        match *self {
            Self::Body { mass, moments, inertia } => [&[mass][..], &moments, &inertia].concat(),
            Self::Line(terms) => terms.to_vec(),
            Self::Planar(terms) => terms.to_vec(),
            Self::Positive(term) => vec![term],
        }
    }
}

/// The matrix Y of a robot.
#[allow(clippy::type_complexity)] // the functions are what they are
pub struct Regressor {
    terms: Vec<Term>,
    matter: Vec<(String, Matter)>,
    fill: Box<dyn Fn(&State, &mut [f64]) + Send + Sync>,
    robot: Box<WithTerms>,
    weigh: Option<Box<Weigh>>,
}

type WithTerms = dyn Fn(&[f64]) -> Result<Box<dyn Family>, InvalidParameters> + Send + Sync;
type Weigh = dyn Fn(&[f64]) -> Box<dyn Fn(&State) -> f64> + Send + Sync;

impl Debug for Regressor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Regressor").field("terms", &self.terms).field("matter", &self.matter).finish_non_exhaustive()
    }
}

impl Regressor {
    /// With these columns: `fill` computes Y in a state, `robot` has other values of the terms.
    pub(crate) fn new(
        terms: Vec<Term>,
        matter: Vec<(String, Matter)>,
        fill: impl Fn(&State, &mut [f64]) + Send + Sync + 'static,
        robot: impl Fn(&[f64]) -> Result<Box<dyn Family>, InvalidParameters> + Send + Sync + 'static,
    ) -> Self {
        Self { terms, matter, fill: Box::new(fill), robot: Box::new(robot), weigh: None }
    }

    /// The same with a faster way to Σ weights · Y.
    pub(crate) fn weighed_by(
        self,
        weigh: impl Fn(&[f64]) -> Box<dyn Fn(&State) -> f64> + Send + Sync + 'static,
    ) -> Self {
        Self { weigh: Some(Box::new(weigh)), ..self }
    }

    /// Its columns.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// What its columns are made of, with the name of each: `link 2`.
    pub fn matter(&self) -> &[(String, Matter)] {
        &self.matter
    }

    /// Y in a state of the robot, row by row: a row per joint, a number per term. `y` has room for all of them.
    pub fn fill(&self, state: &State, y: &mut [f64]) {
        (self.fill)(state, y);
    }

    /// Σ weights · Y as a function of the state, with a weight for every number of Y. Families that can, need less time for it than for Y.
    pub fn weighed(&self, weights: Vec<f64>) -> Box<dyn Fn(&State) -> f64 + '_> {
        if let Some(weigh) = &self.weigh {
            return weigh(&weights);
        }
        Box::new(move |state| {
            let mut y = vec![0.0; weights.len()];
            self.fill(state, &mut y);
            y.iter().zip(&weights).map(|(y, weight)| y * weight).sum()
        })
    }

    /// The same robot with other values of its terms, one for each; its friction stays.
    pub fn robot(&self, values: &[f64]) -> Result<Box<dyn Family>, InvalidParameters> {
        (self.robot)(values)
    }
}

/// Most numbers of a part: mass, centre of mass and tensor of a body.
const TERMS: usize = 10;

/// The inertias about the origin of a mass at a place: on a line, in a plane or in space.
fn of_point(mass: f64, center: &[f64]) -> Vec<f64> {
    match *center {
        [x] => vec![mass * x * x],
        [x, y] => vec![mass * (x * x + y * y)],
        [x, y, z] => (Sym3::point_mass(Vec3([x, y, z])) * mass).entries().to_vec(),
        _ => Vec::new(),
    }
}

/// A part of a robot that its torques are linear in, with its numbers where they can be read and set.
#[allow(clippy::type_complexity)] // as above
pub(crate) struct MassPart<'p> {
    /// Names of terms end with it; that of a single number is it.
    pub symbol: String,
    pub about: String,
    pub owner: Owner,
    /// The link that it is on, from 0, where that matters.
    pub link: usize,
    /// Half widths of the file's tolerances: of the mass and of the inertias xx, yy and zz about the centre of mass; or of the number.
    pub known: [f64; 4],
    pub shape: PartShape,
    pub numbers: Vec<f64>,
    pub set: Box<dyn FnMut(&[f64]) + 'p>,
}

/// What the numbers of a part are.
#[derive(Clone, Copy)]
pub(crate) enum PartShape {
    /// One that is not negative, with its unit.
    One(&'static str),
    /// Mass, centre and inertia about it of a body on a line; what these are measured from.
    Line(&'static str),
    /// Mass, place and inertia about its own centre of a body that turns about an axis; whether its mass is a term of its own.
    Planar(bool),
    /// Mass, centre of mass and inertia about it, xx, yy, zz, xy, yz and xz, of a body in space.
    Body,
}

impl PartShape {
    /// The terms of its mass, where that is a term of its own, of its first moments and of its inertias.
    fn places(self) -> (Option<usize>, &'static [usize], &'static [usize]) {
        match self {
            Self::One(_) => (Some(0), &[], &[]),
            Self::Line(_) => (Some(0), &[1], &[2]),
            Self::Planar(true) => (Some(0), &[1, 2], &[3]),
            Self::Planar(false) => (None, &[0, 1], &[2]),
            // xx, xy, xz, yy, yz, zz.
            Self::Body => (Some(9), &[6, 7, 8], &[0, 3, 5, 1, 4, 2]),
        }
    }
}

impl<'p> MassPart<'p> {
    /// A number that is not negative; `set` puts another one in its place.
    pub fn number(
        symbol: String,
        unit: &'static str,
        about: String,
        owner: Owner,
        value: f64,
        mut set: impl FnMut(f64) + 'p,
    ) -> Self {
        let set = Box::new(move |numbers: &[f64]| set(numbers[0]));
        Self { symbol, about, owner, link: 0, known: [0.0; 4], shape: PartShape::One(unit), numbers: vec![value], set }
    }

    /// The rotor of a joint (from 0) behind a gear: `value` is its inertia at the joint.
    pub fn rotor(joint: usize, unit: &'static str, value: f64, rotor: &'p mut f64, gear_ratio: f64) -> Self {
        let (n, set) = (joint + 1, move |value: f64| *rotor = value / gear_ratio.powi(2));
        let about = format!("rotor and drive of joint {n}, at the joint");
        Self::number(format!("Ia{n}"), unit, about, Owner::Rotor(joint), value, set)
    }

    /// A body on a line with its mass, centre and inertia about it; `end` is what they are measured from.
    pub fn line(symbol: String, about: String, end: &'static str, numbers: [&'p mut f64; 3]) -> Self {
        Self::shaped(symbol, about, Owner::Body, PartShape::Line(end), numbers)
    }

    /// A body that turns about an axis, with its mass, place and inertia about its own centre. Its mass may be a term of others.
    pub fn planar(symbol: &str, about: &str, owner: Owner, numbers: [&'p mut f64; 4], weighs: bool) -> Self {
        Self::shaped(symbol.to_owned(), about.to_owned(), owner, PartShape::Planar(weighs), numbers)
    }

    /// A body in space.
    pub fn body(symbol: String, about: String, owner: Owner, body: &'p mut Body<f64>) -> Self {
        let Body { mass, center_of_mass: Vec3([x, y, z]), inertia: Sym3 { xx, yy, zz, xy, yz, xz } } = body;
        Self::shaped(symbol, about, owner, PartShape::Body, [mass, x, y, z, xx, yy, zz, xy, yz, xz])
    }

    fn shaped<const K: usize>(
        symbol: String,
        about: String,
        owner: Owner,
        shape: PartShape,
        mut places: [&'p mut f64; K],
    ) -> Self {
        let numbers = places.iter().map(|place| **place).collect();
        let set = Box::new(move |numbers: &[f64]| places.iter_mut().zip(numbers).for_each(|(place, x)| **place = *x));
        Self { symbol, about, owner, link: 0, known: [0.0; 4], shape, numbers, set }
    }

    /// The numbers of robots that give its columns: which of its terms, and the one that it is to be without. A mass at a distance of 1
    /// has no inertia about the origin.
    fn units(&self) -> Vec<(usize, Vec<f64>, Option<usize>)> {
        let (mass, moments, inertias) = self.shape.places();
        let unit = |k: usize, count: usize| (0..count).map(|i| f64::from(u8::from(i == k))).collect::<Vec<f64>>();
        let point = |center: Vec<f64>| [&[1.0][..], &center, &of_point(-1.0, &center)].concat();
        let count = moments.len();
        let alone = mass.map(|place| (place, point(vec![0.0; count]), None));
        let first = moments.iter().enumerate().map(|(k, place)| (*place, point(unit(k, count)), mass));
        let numbers = 1 + count + inertias.len();
        let second = inertias.iter().enumerate().map(|(k, place)| (*place, unit(1 + count + k, numbers), None));
        alone.into_iter().chain(first).chain(second).collect()
    }

    /// Its terms, with the tolerances of the file, and what they have to be together; `first` terms come before.
    fn terms(&self, first: usize) -> (Vec<Term>, Option<Matter>) {
        let Self { symbol, about, owner, known, shape, .. } = self;
        let (mass, moments, inertias) = shape.places();
        let term = |stem: String, unit, meaning: &str, value: f64, [half_width, of]: [f64; 2]| Term {
            name: format!("{stem}{symbol}"),
            unit,
            meaning: if meaning.is_empty() { about.clone() } else { format!("{about}, {meaning}") },
            value,
            tolerance: if of == 0.0 { 0.0 } else { half_width / of.abs() },
            owner: *owner,
        };
        let (number, (center, own)) = (self.numbers[0], self.numbers[1..].split_at(moments.len()));
        let (bar, is_line) = (if let PartShape::Body = shape { "" } else { "_" }, moments.len() == 1);
        let mut terms = Vec::new();
        terms.extend(mass.map(|place| match shape {
            PartShape::One(unit) => (place, term(String::new(), unit, "", number, [known[0], number])),
            _ => (place, term(format!("m{bar}"), "kg", "mass", number, [known[0], number])),
        }));
        for ((place, axis), center) in moments.iter().zip(AXES).zip(center) {
            let meaning = format!("first moment along {}", if is_line { "it" } else { axis });
            terms.push((*place, term(format!("m{axis}{bar}"), "kg m", &meaning, number * center, [0.0; 2])));
        }
        for (k, (place, point)) in inertias.iter().zip(of_point(number, center)).enumerate() {
            let (axes, meaning) = match shape {
                PartShape::Line(end) => ("", format!("inertia about its {end}")),
                PartShape::Body => (TENSOR[k], format!("inertia {} about the origin of its frame", TENSOR[k])),
                _ => ("", String::from("inertia about the axis")),
            };
            let known = if axes.is_empty() || k >= 3 { [0.0; 2] } else { [known[1 + k], own[k]] };
            terms.push((*place, term(format!("I{axes}{bar}"), "kg m^2", &meaning, own[k] + point, known)));
        }
        terms.sort_by_key(|(place, _)| *place);
        let matter = match shape {
            PartShape::One(_) => Some(Matter::Positive(first)),
            PartShape::Line(_) => Some(Matter::Line([0, 1, 2].map(|k| first + k))),
            PartShape::Planar(weighs) => weighs.then(|| Matter::Planar([0, 1, 2, 3].map(|k| first + k))),
            PartShape::Body => {
                let (moments, inertia) = ([6, 7, 8].map(|k| first + k), [0, 3, 5, 1, 4, 2].map(|k| first + k));
                Some(Matter::Body { mass: first + 9, moments, inertia })
            }
        };
        (terms.into_iter().map(|(_, term)| term).collect(), matter)
    }

    /// Sets its numbers to those of the next terms.
    fn take(mut self, values: &mut &[f64]) -> Result<(), InvalidParameters> {
        let (mass, moments, inertias) = self.shape.places();
        let count = usize::from(mass.is_some()) + moments.len() + inertias.len();
        let (own, rest) = values.split_at(count.min(values.len()));
        *values = rest;
        let of = |place: usize| own.get(place).copied().unwrap_or(0.0);
        let mass = mass.map_or(self.numbers[0], of);
        let [mut center, mut inertia] = [moments, inertias].map(|all| all.iter().map(|&k| of(k)).collect::<Vec<f64>>());
        let still = center.iter().all(|moment| *moment == 0.0);
        // A link may have an inertia alone, as the first one of Armstrong's PUMA has.
        let as_they_are = match self.shape {
            PartShape::One(_) => true,
            PartShape::Line(_) => own.iter().all(|value| *value == 0.0),
            PartShape::Planar(_) => still,
            PartShape::Body => still && mass == 0.0,
        };
        if !as_they_are {
            if mass.is_nan() || mass <= 0.0 {
                let is_one_of_many = self.owner != Owner::Payload && self.about.ends_with(|c: char| c.is_ascii_digit());
                let the = if is_one_of_many { "" } else { "the " };
                return Err(InvalidParameters(format!("{the}{} would have the mass {mass} kg", self.about)));
            }
            center.iter_mut().for_each(|moment| *moment /= mass);
            inertia.iter_mut().zip(of_point(-mass, &center)).for_each(|(inertia, point)| *inertia += point);
        }
        (self.set)(&[&[mass][..], &center, &inertia].concat());
        Ok(())
    }
}

/// Sets parts to the values of their terms.
pub(crate) fn set_terms(parts: Vec<MassPart<'_>>, mut values: &[f64]) -> Result<(), InvalidParameters> {
    parts.into_iter().try_for_each(|part| part.take(&mut values))
}

/// A robot whose parameters are zero but for a one, the column that it gives, and the earlier one that it is to be without.
#[derive(Clone, Debug)]
struct Unit<R> {
    robot: R,
    place: usize,
    minus: Option<usize>,
}

/// The columns of a family whose formulas are `R`, part by part.
#[derive(Clone, Debug)]
pub(crate) struct Columns<R> {
    pub terms: Vec<Term>,
    pub matter: Vec<(String, Matter)>,
    units: Vec<Unit<R>>,
}

impl<R> Columns<R> {
    /// The columns of a family's parts, which `parts` finds in the parameters `own`; these have no friction. `build` makes of parameters
    /// in which one part alone weighs what its column is computed with. So many terms come `before`.
    pub fn of<F, P: Clone>(
        family: &F,
        own: &P,
        parts: for<'p> fn(&F, &'p mut P) -> Vec<MassPart<'p>>,
        build: impl Fn(&MassPart<'_>, P) -> R,
        before: usize,
    ) -> Self {
        let (mut whole, mut nothing) = (own.clone(), own.clone());
        parts(family, &mut nothing).iter_mut().for_each(|part| (part.set)(&[0.0; TERMS]));
        let mut all = Self { terms: Vec::new(), matter: Vec::new(), units: Vec::new() };
        for (k, part) in parts(family, &mut whole).into_iter().enumerate() {
            let first = all.terms.len();
            for (place, numbers, minus) in part.units() {
                let mut parameters = nothing.clone();
                (parts(family, &mut parameters)[k].set)(&numbers);
                let minus = minus.map(|place| first + place);
                all.units.push(Unit { robot: build(&part, parameters), place: first + place, minus });
            }
            let (terms, matter) = part.terms(before + first);
            all.terms.extend(terms);
            all.matter.extend(matter.map(|matter| (part.about, matter)));
        }
        all
    }

    /// What gives columns, with its weight where the columns have these.
    pub fn weighed(&self, weights: &[f64]) -> impl Iterator<Item = (&R, f64)> {
        let mut own = weights.to_vec();
        for unit in &self.units {
            if let Some(other) = unit.minus {
                own[other] -= weights[unit.place];
            }
        }
        self.units.iter().map(move |unit| (&unit.robot, own[unit.place]))
    }

    /// The robots whose torques the columns are, for programs.
    pub fn programs(self) -> Vec<ParameterColumn<R>> {
        let mut units = self.units;
        units.sort_by_key(|unit| unit.place);
        let named = units.into_iter().zip(self.terms);
        named.map(|(unit, term)| ParameterColumn { name: term.name, robot: unit.robot, less: unit.minus }).collect()
    }

    /// Y: `torque` is the formula of the family, of a robot in a state, without friction of motors.
    pub fn fill(&self, joints: usize, y: &mut [f64], torque: impl Fn(&R, &mut [f64])) {
        let width = self.units.len();
        let mut column = [0.0; super::MAX_JOINTS];
        for Unit { robot, place, minus } in &self.units {
            torque(robot, &mut column[..joints]);
            for (i, value) in column[..joints].iter().enumerate() {
                let less = minus.map_or(0.0, |other| y[i * width + other]);
                y[i * width + place] = value - less;
            }
        }
    }
}
