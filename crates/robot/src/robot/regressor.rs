//! Torques as a product of a matrix that knows the state and a vector that knows the bodies: τ = Y(q, q̇, q̈) π + friction.
//!
//! A rigid-body torque is linear in mass m, first moment m c and inertia about the origin of every body, in the inertia of
//! every rotor, and in damping. A column of Y is therefore the torque formula itself, of a robot whose parameters are zero
//! but for a one: nothing is derived twice, and Y π is the torque to rounding. First moments have no body of their own: the
//! column of m c_x is that of the mass 1 at x = 1 without inertia about the origin, minus that of the mass 1 at the origin. Where links
//! move alike whatever they weigh, in arms and trees, how they move is computed once and only what the one asks for is passed on.

use super::{Family, InvalidParameters, State};
use crate::serial::Body;
use crate::symbolic::derive::RegressorColumn;
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

/// Terms that together have to be those of a body that can be.
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

    /// The same where so many terms come before its own.
    pub(crate) fn after(&self, count: usize) -> Self {
        match *self {
            Self::Body { mass, moments, inertia } => Self::Body {
                mass: mass + count,
                moments: moments.map(|k| k + count),
                inertia: inertia.map(|k| k + count),
            },
            Self::Line(terms) => Self::Line(terms.map(|k| k + count)),
            Self::Planar(terms) => Self::Planar(terms.map(|k| k + count)),
            Self::Positive(term) => Self::Positive(term + count),
        }
    }
}

/// The matrix Y of a robot.
pub trait Regressor: Debug + Send + Sync {
    /// Its columns.
    fn terms(&self) -> &[Term];

    /// What its columns are made of, with the name of each: `link 2`.
    fn matter(&self) -> &[(String, Matter)];

    /// Y in a state of the robot, row by row: a row per joint, a number per term. `y` has room for all of them.
    fn fill(&self, state: &State, y: &mut [f64]);

    /// Σ weights · Y as a function of the state, with a weight for every number of Y. Families that can, need less time for it than for Y.
    fn weighed(&self, weights: Vec<f64>) -> Box<dyn Fn(&State) -> f64 + '_> {
        Box::new(move |state| {
            let mut y = vec![0.0; weights.len()];
            self.fill(state, &mut y);
            y.iter().zip(&weights).map(|(y, weight)| y * weight).sum()
        })
    }

    /// The same robot with other values of its terms, one for each; its friction stays.
    fn robot(&self, values: &[f64]) -> Result<Box<dyn Family>, InvalidParameters>;
}

/// Names and places of a body's inertias in the order of columns.
const INERTIAS: [(&str, usize); 6] = [("xx", 0), ("xy", 3), ("xz", 5), ("yy", 1), ("yz", 4), ("zz", 2)];
const AXES: [&str; 3] = ["x", "y", "z"];
/// Terms of a body: six inertias, three moments, the mass.
const TERMS: usize = 10;

/// A robot whose parameters are zero but for a one, the column that it gives, and the earlier one that it is to be without.
#[derive(Clone, Debug)]
struct Unit<R> {
    robot: R,
    place: usize,
    minus: Option<usize>,
}

/// The columns of a family whose formulas are `R`, put together body by body.
#[derive(Clone, Debug)]
pub(crate) struct Columns<R> {
    pub terms: Vec<Term>,
    pub matter: Vec<(String, Matter)>,
    units: Vec<Unit<R>>,
}

impl<R> Columns<R> {
    pub fn new() -> Self {
        Self { terms: Vec::new(), matter: Vec::new(), units: Vec::new() }
    }

    fn unit(&mut self, place: usize, robot: R, minus: Option<usize>) {
        self.units.push(Unit { robot, place, minus });
    }

    /// A number that is not negative; `robot` has it as 1.
    pub fn number(&mut self, name: String, unit: &'static str, about: String, value: f64, owner: Owner, robot: R) {
        let place = self.terms.len();
        self.unit(place, robot, None);
        self.matter.push((about.clone(), Matter::Positive(place)));
        self.terms.push(Term { name, unit, meaning: about, value, tolerance: 0.0, owner });
    }

    /// A body on a line with its mass, centre and inertia about it; names end with `_symbol`, `end` is what they are measured
    /// from.
    pub fn line(&mut self, symbol: &str, about: String, end: &str, own: [f64; 3], robot: impl Fn([f64; 3]) -> R) {
        let [mass, center, inertia] = own;
        let first = self.terms.len();
        let mut term = |name: &str, unit, meaning: String, value| {
            let (name, meaning) = (format!("{name}_{symbol}"), format!("{about}, {meaning}"));
            self.terms.push(Term { name, unit, meaning, value, tolerance: 0.0, owner: Owner::Body });
        };
        term("m", "kg", "mass".into(), mass);
        term("mx", "kg m", "first moment along it".into(), mass * center);
        term("I", "kg m^2", format!("inertia about its {end}"), inertia + mass * center * center);
        self.unit(first, robot([1.0, 0.0, 0.0]), None);
        self.unit(first + 1, robot([1.0, 1.0, -1.0]), Some(first));
        self.unit(first + 2, robot([0.0, 0.0, 1.0]), None);
        self.matter.push((about, Matter::Line([first, first + 1, first + 2])));
    }

    /// A body that turns about an axis, with its mass, place and inertia about its own centre; names end with `_symbol`. Its mass may be a
    /// term of others.
    pub fn planar(
        &mut self,
        symbol: &str,
        about: &str,
        owner: Owner,
        own: [f64; 4],
        weighs: bool,
        robot: impl Fn([f64; 4]) -> R,
    ) {
        let [mass, x, y, inertia] = own;
        let mut term = |name: &str, unit, meaning: &str, value: f64| {
            let (name, meaning) = (format!("{name}_{symbol}"), format!("{about}, {meaning}"));
            self.terms.push(Term { name, unit, meaning, value, tolerance: 0.0, owner });
            self.terms.len() - 1
        };
        let weighs = weighs.then(|| term("m", "kg", "mass", mass));
        let moments = [
            term("mx", "kg m", "first moment along x", mass * x),
            term("my", "kg m", "first moment along y", mass * y),
        ];
        let turns = term("I", "kg m^2", "inertia about the axis", inertia + mass * (x * x + y * y));
        if let Some(place) = weighs {
            self.unit(place, robot([1.0, 0.0, 0.0, 0.0]), None);
        }
        // A mass at a distance of 1, without inertia about the axis.
        self.unit(moments[0], robot([1.0, 1.0, 0.0, -1.0]), weighs);
        self.unit(moments[1], robot([1.0, 0.0, 1.0, -1.0]), weighs);
        self.unit(turns, robot([0.0, 0.0, 0.0, 1.0]), None);
        if let Some(mass) = weighs {
            self.matter.push((about.to_owned(), Matter::Planar([mass, moments[0], moments[1], turns])));
        }
    }

    /// A body in space; names end with `symbol`.
    pub fn body(&mut self, symbol: &str, about: String, owner: Owner, own: &Body<f64>, robot: impl Fn(Body<f64>) -> R) {
        let first = self.terms.len();
        let mass_at = |point: Vec3<f64>| {
            robot(Body { mass: 1.0, center_of_mass: point, inertia: Sym3::point_mass(point) * -1.0 })
        };
        self.unit(first + 9, mass_at(Vec3::zero()), None);
        for k in 0..3 {
            let point = Vec3::from_fn(|i| if i == k { 1.0 } else { 0.0 });
            self.unit(first + 6 + k, mass_at(point), Some(first + 9));
        }
        for (k, (_, place)) in INERTIAS.iter().enumerate() {
            let mut entries = [0.0; 6];
            entries[*place] = 1.0;
            self.unit(first + k, robot(Body { inertia: Sym3::new(entries), ..Body::zero() }), None);
        }
        let Body { mass, center_of_mass, inertia } = *own;
        let about_origin = (inertia + Sym3::point_mass(center_of_mass) * mass).entries();
        let mut term = |name: String, unit, meaning: String, value| {
            let meaning = format!("{about}, {meaning}");
            self.terms.push(Term { name, unit, meaning, value, tolerance: 0.0, owner });
        };
        for (axes, place) in INERTIAS {
            let meaning = format!("inertia {axes} about the origin of its frame");
            term(format!("I{axes}{symbol}"), "kg m^2", meaning, about_origin[place]);
        }
        for (k, axis) in AXES.iter().enumerate() {
            term(format!("m{axis}{symbol}"), "kg m", format!("first moment along {axis}"), mass * center_of_mass[k]);
        }
        term(format!("m{symbol}"), "kg", "mass".into(), mass);
        // xx, yy, zz, xy, yz, xz among xx, xy, xz, yy, yz, zz.
        let inertia = [0, 3, 5, 1, 4, 2].map(|k| first + k);
        let matter = Matter::Body { mass: first + 9, moments: [6, 7, 8].map(|k| first + k), inertia };
        self.matter.push((about, matter));
    }

    /// How well the file knows the body in space and the number that came last: half widths of the mass, of the inertias xx, yy and zz
    /// about the centre of mass, and of the number.
    pub fn known_to(&mut self, own: &Body<f64>, mass: f64, inertia: [f64; 3], number: f64) {
        let Some(first) = self.terms.len().checked_sub(TERMS + 1) else { return };
        let share = |half_width: f64, value: f64| if value == 0.0 { 0.0 } else { half_width / value.abs() };
        let entries = own.inertia.entries();
        for (axis, place) in [0, 3, 5].into_iter().enumerate() {
            self.terms[first + place].tolerance = share(inertia[axis], entries[axis]);
        }
        self.terms[first + 9].tolerance = share(mass, own.mass);
        let last = &mut self.terms[first + TERMS];
        last.tolerance = share(number, last.value);
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
    pub fn programs(self) -> Vec<RegressorColumn<R>> {
        let mut units = self.units;
        units.sort_by_key(|unit| unit.place);
        let named = units.into_iter().zip(self.terms);
        named.map(|(unit, term)| RegressorColumn { name: term.name, robot: unit.robot, less: unit.minus }).collect()
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

/// Values of terms in their order, taken body by body.
pub(crate) struct Values<'v>(pub &'v [f64]);

impl Values<'_> {
    fn take<const K: usize>(&mut self) -> [f64; K] {
        let taken = std::array::from_fn(|k| self.0.get(k).copied().unwrap_or(0.0));
        self.0 = self.0.get(K..).unwrap_or_default();
        taken
    }

    pub fn number(&mut self) -> f64 {
        let [number] = self.take();
        number
    }

    /// Mass, centre and inertia about it of a body on a line.
    pub fn line(&mut self, name: &str) -> Result<[f64; 3], InvalidParameters> {
        let [mass, moment, inertia] = self.take();
        if [mass, moment, inertia] == [0.0; 3] {
            return Ok([0.0; 3]);
        }
        let center = moment / positive(mass, name)?;
        Ok([mass, center, inertia - moment * center])
    }

    /// Place and inertia about the own centre of a body that turns about an axis and weighs this.
    pub fn planar(&mut self, mass: f64, name: &str) -> Result<[f64; 3], InvalidParameters> {
        let [mx, my, inertia] = self.take();
        if [mx, my] == [0.0; 2] {
            return Ok([0.0, 0.0, inertia]);
        }
        let [x, y] = [mx, my].map(|moment| moment / mass);
        positive(mass, name)?;
        Ok([x, y, inertia - mx * x - my * y])
    }

    pub fn body(&mut self, name: &str) -> Result<Body<f64>, InvalidParameters> {
        let values: [f64; TERMS] = self.take();
        // A link may have an inertia alone, as the first one of Armstrong's PUMA has.
        let weighs = values[6..] != [0.0; TERMS - 6];
        let mass = if weighs { positive(values[9], name)? } else { 0.0 };
        let center_of_mass = Vec3::from_fn(|k| if weighs { values[6 + k] / mass } else { 0.0 });
        let mut about_origin = [0.0; 6];
        for (k, (_, place)) in INERTIAS.iter().enumerate() {
            about_origin[*place] = values[k];
        }
        let inertia = Sym3::new(about_origin) + Sym3::point_mass(center_of_mass) * -mass;
        Ok(Body { mass, center_of_mass, inertia })
    }
}

fn positive(mass: f64, name: &str) -> Result<f64, InvalidParameters> {
    if mass > 0.0 { Ok(mass) } else { Err(InvalidParameters(format!("{name} would have the mass {mass} kg"))) }
}
