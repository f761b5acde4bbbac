//! What can be chosen freely, as small numbers that a search can change.

use super::arm::{SymbolicArm, quotient};
use crate::Expr;
use crate::extract::Random;
use dalembert_core::{Scalar, Sym3, Vec3};
use std::hash::{Hash, Hasher};

/// How many choices there are for the slide of an origin.
const SLIDES: u8 = 6;
/// … for the mass or first moment that is moved along an axis.
const MOVES: u8 = 12;
/// … of them for a mass, which can also make the link's own spread about its centre vanish.
const MASSES: u8 = MOVES + 3;
/// … for the second moment.
const SECONDS: u8 = MOVES + 4;

/// … for second moments that are taken as a pair with the origin of the next frame: all with the axis, or
/// three axes and six entries.
const PAIRS: u8 = 20;

/// … for the unit of length, metres apart.
const UNITS: u8 = 20;

/// All choices. The default is the base parameters: everything that can be moved to the base is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LumpingPlan {
    /// Links that are expressed in the frame of their group.
    pub grouped: Vec<bool>,
    /// Links whose mass is taken to be at their centre of mass.
    pub centred: Vec<bool>,
    /// Per joint: slide, mass, first and second moment along the axis.
    pub joints: Vec<[u8; 4]>,
    /// Per joint: which second moments are a pair with the origin of the next frame; 0: none.
    pub pairs: Vec<u8>,
    /// Which constant becomes 1 by the unit of length; 0: metres.
    pub unit: u8,
}

impl LumpingPlan {
    pub fn new(joints: usize) -> Self {
        Self {
            grouped: vec![false; joints],
            centred: vec![false; joints],
            joints: vec![[0; 4]; joints],
            pairs: vec![0; joints],
            unit: 0,
        }
    }

    /// Every plan that differs in one choice.
    pub fn neighbours(&self) -> Vec<Self> {
        let mut all = Vec::new();
        let mut add = |change: &dyn Fn(&mut Self)| {
            let mut other = self.clone();
            change(&mut other);
            all.push(other);
        };
        for i in 0..self.grouped.len() {
            add(&|other| other.grouped[i] = !other.grouped[i]);
            add(&|other| other.centred[i] = !other.centred[i]);
            for (k, limit) in [SLIDES, MASSES, MOVES, SECONDS].into_iter().enumerate() {
                for choice in (0..limit).filter(|choice| *choice != self.joints[i][k]) {
                    add(&|other| other.joints[i][k] = choice);
                }
            }
        }
        for i in 0..self.pairs.len() {
            for choice in (0..PAIRS).filter(|choice| *choice != self.pairs[i]) {
                add(&|other| other.pairs[i] = choice);
            }
        }
        for unit in (0..=UNITS).filter(|unit| *unit != self.unit) {
            add(&|other| other.unit = unit);
        }
        all
    }

    /// A plan that differs in one choice.
    pub fn neighbour(&self, random: &mut Random) -> Self {
        let mut other = self.clone();
        let i = random.below(self.joints.len());
        match random.below(14) {
            0 => other.grouped[i] = !other.grouped[i],
            1 => other.centred[i] = !other.centred[i],
            2 => other.unit = random.below(usize::from(UNITS) + 1) as u8,
            3 | 4 => other.joints[i][0] = random.below(usize::from(SLIDES)) as u8,
            5 | 6 => other.joints[i][1] = random.below(usize::from(MASSES)) as u8,
            12 | 13 => other.pairs[i] = if random.below(3) == 0 { 0 } else { random.below(usize::from(PAIRS)) as u8 },
            7 | 8 => other.joints[i][2] = random.below(usize::from(MOVES)) as u8,
            _ => other.joints[i][3] = random.below(usize::from(SECONDS)) as u8,
        }
        other
    }

    /// Equal for arms that give the same program with this self.
    pub fn key(&self, arm: &SymbolicArm<'_>) -> u64 {
        let mut hasher = std::hash::DefaultHasher::new();
        let mut add = |x: Expr<'_>| x.value().exact.hash(&mut hasher);
        for (link, &centred) in arm.links.iter().zip(&self.centred) {
            link.origin.0.into_iter().chain(link.body.moment.0).chain(link.body.second.entries()).for_each(&mut add);
            add(link.body.mass);
            if let Some(pair) = link.pair {
                [pair.along, pair.across, Expr::from_f64(pair.axis as f64)].into_iter().for_each(&mut add);
            }
            add(Expr::from_f64(f64::from(u8::from(centred && !link.body.mass.is_zero()))));
        }
        arm.gravity.0.into_iter().for_each(&mut add);
        self.grouped.hash(&mut hasher);
        hasher.finish()
    }

    /// The arm with the choices made; `None` where one makes no sense for this arm.
    pub fn apply<'g>(&self, mut arm: SymbolicArm<'g>) -> Option<SymbolicArm<'g>> {
        let all_revolute = arm.links.iter().all(|link| link.revolute);
        for i in (0..arm.joints()).rev() {
            let [slide, mass, moment, second] = self.joints[i];
            if !arm.links[i].revolute {
                if [slide, mass, moment, second] != [0; 4] || self.pairs[i] != 0 {
                    return None;
                }
                arm.move_down_second(i);
                continue;
            }
            self::slide(&mut arm, i, slide)?;
            let p = arm.links[i].origin;
            let axis = arm.axis(i);
            let own = arm.links[i].body;
            let by = match mass.checked_sub(MOVES) {
                None => amount(&arm, i, mass, own.mass, p, Sym3::square(p))?,
                // h_x²/Σ_xx, h_y²/Σ_yy, h_x h_y/Σ_xy: the mass that, at its centre, has this second moment already.
                Some(which) => {
                    let (h, s) = (own.moment, own.second);
                    let (product, entry) =
                        [(h[0] * h[0], s.xx), (h[1] * h[1], s.yy), (h[0] * h[1], s.xy)][usize::from(which)];
                    own.mass - quotient(product, entry)?
                }
            };
            arm.move_down(i, by, Expr::zero(), Expr::zero());
            let mixed = Sym3::symmetric_outer(p, axis);
            let by = amount(&arm, i, moment, arm.links[i].body.moment[2], axis, mixed)?;
            arm.move_down(i, Expr::zero(), by, Expr::zero());
            if let Some(pair) = self.pairs[i].checked_sub(1) {
                if slide == SLIDES - 1 {
                    return None;
                }
                match pair {
                    0 => arm.pair_all(i)?,
                    other => arm.pair(i, usize::from((other - 1) % 3), usize::from((other - 1) / 3))?,
                }
            }
            let own = arm.links[i].body.second;
            let by = match second.checked_sub(MOVES) {
                None => amount(&arm, i, second, own.zz, Vec3::zero(), Sym3::square(axis))?,
                Some(which) => own.zz - *[own.xx, -own.xx, own.yy, -own.yy].get(usize::from(which))?,
            };
            arm.move_down(i, Expr::zero(), Expr::zero(), by);
            if slide == SLIDES - 1 {
                let by = quotient(arm.links[i].body.moment[2], arm.links[i].body.mass)?;
                arm.slide(i, by);
            }
        }
        if self.unit > 0 {
            if !all_revolute {
                return None;
            }
            let unit = unit(&arm, usize::from(self.unit) - 1)?;
            arm.rescale(unit);
        }
        Some(arm)
    }
}

/// The unit of length that makes one of the arm's constants 1: a length, a first moment, a mass, or how far a centre of mass is; none
/// of those that another link has too.
fn unit<'g>(arm: &SymbolicArm<'g>, number: usize) -> Option<Expr<'g>> {
    /// What becomes 1: a, 1/a, 1/√a, a/b.
    #[derive(Clone, Copy, PartialEq)]
    enum Made {
        Length,
        Moment,
        Mass,
        Center,
    }
    let mut all: Vec<(Made, Expr<'g>, Expr<'g>)> = Vec::new();
    let mut add = |made: Made, a: Expr<'g>, b: Expr<'g>| {
        // Not a parameter, which may be zero.
        let usable = [a, b].iter().all(|x| x.as_number().is_some() && !x.is_zero());
        let same = |x: Expr<'g>, y: Expr<'g>| (x - y).is_zero() || (x + y).is_zero();
        if usable && !all.iter().any(|&(other, x, y)| other == made && same(x, a) && same(y, b)) {
            all.push((made, a, b));
        }
    };
    for link in &arm.links {
        let (mass, one) = (link.body.mass, Expr::one());
        for k in 0..3 {
            add(Made::Length, link.origin[k], one);
            add(Made::Moment, link.body.moment[k], one);
        }
        if mass.sample() > 0.0 {
            add(Made::Mass, mass, one);
        }
        for k in 0..3 {
            add(Made::Center, link.body.moment[k], mass);
        }
    }
    let &(made, a, b) = all.get(number)?;
    let unit = match made {
        Made::Length => a,
        Made::Moment => Expr::one() / a,
        Made::Mass => Expr::one() / a.sqrt(),
        Made::Center => a / b,
    };
    (unit.sample().abs() != 1.0 && unit.sample().is_finite()).then_some(unit)
}

fn slide<'g>(arm: &mut SymbolicArm<'g>, i: usize, choice: u8) -> Option<()> {
    let body = arm.links[i].body;
    let by = match choice {
        0 | 5 => return Some(()),
        1 => -arm.axis(i).dot(arm.links[i].origin),
        2 => quotient(body.second.xz, body.moment[0])?,
        3 => quotient(body.second.yz, body.moment[1])?,
        4 => quotient(body.moment[2], body.mass)?,
        _ => return None,
    };
    if by.is_zero() {
        return None; // the same as no slide
    }
    arm.slide(i, by);
    Some(())
}

/// What is to be moved down: all that there is, nothing, or what makes an entry of the body before vanish that changes
/// with it by `moment` and `second`.
fn amount<'g>(
    arm: &SymbolicArm<'g>,
    i: usize,
    choice: u8,
    all: Expr<'g>,
    moment: Vec3<Expr<'g>>,
    second: Sym3<Expr<'g>>,
) -> Option<Expr<'g>> {
    match choice {
        0 => Some(all),
        1 if all.is_zero() => None,
        1 => Some(Expr::zero()),
        _ => {
            let before = &arm.links[i.checked_sub(1)?].body;
            let k = usize::from(choice - 2);
            // The difference of Σ_xx and Σ_yy is what turns.
            let difference = |s: Sym3<Expr<'g>>| s.entries().into_iter().chain([s.xx - s.yy]);
            let entries = before.moment.0.into_iter().chain(difference(before.second));
            let changes = moment.0.into_iter().chain(difference(second));
            let (entry, change) = entries.zip(changes).nth(k)?;
            quotient(-entry, change)
        }
    }
}
