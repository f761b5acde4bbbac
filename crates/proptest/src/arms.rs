//! Random serial arms by a seed. No strategies: how many joints an arm has is part of its type, and there is little to
//! shrink in one.

use dalembert_core::random::Random;
use dalembert_core::serial::{Armature, Body, DhConvention, DhRow, Joint, LinkParameters, Serial, SerialParameters};
use dalembert_core::spatial::Frame;
use dalembert_core::{Angle, Mat3, Sym3};

/// What a random arm is like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArmKind {
    /// Share of joints that slide.
    pub prismatic: f64,
    /// Twists and offsets in quarter turns only; else half of them are any angle.
    pub square: bool,
    /// Share of links whose motor sits on an earlier one, its armature turning about some axis.
    pub armatures: f64,
}

impl ArmKind {
    /// Revolute and prismatic joints, any twists, offsets and inertias, armatures.
    pub const ANYTHING: Self = Self { prismatic: 0.3, square: false, armatures: 0.3 };
    /// Revolute, twists in quarter turns, full inertias: like real arms.
    pub const SQUARE: Self = Self { prismatic: 0.0, square: true, armatures: 0.0 };
}

/// Random arms: a seed is an arm for ever.
pub trait RandomArm {
    /// An arm with tool, payload, motors and tilted gravity.
    fn arm<const N: usize>(&mut self, kind: ArmKind, convention: DhConvention) -> Serial<f64, N>;
}

/// With this chance; where there is none nothing is drawn.
fn happens(random: &mut Random, chance: f64) -> bool {
    chance > 0.0 && random.unit() < chance
}

fn angle(random: &mut Random, square: bool) -> f64 {
    // Some exact quarter turns, as real arms have.
    if square || random.unit() < 0.5 {
        random.within(-2.5, 2.5).round() * std::f64::consts::FRAC_PI_2
    } else {
        random.within(-3.0, 3.0)
    }
}

fn rotation(random: &mut Random) -> Mat3<f64> {
    let turn = |a: usize, b: usize, angle: f64| {
        let (s, c) = angle.sin_cos();
        Mat3::from_fn(|i, j| match (i, j) {
            (i, j) if i == j && (i == a || i == b) => c,
            (i, j) if (i, j) == (a, b) => -s,
            (i, j) if (i, j) == (b, a) => s,
            (i, j) if i == j => 1.0,
            _ => 0.0,
        })
    };
    let [a, b, c] = [0, 1, 2].map(|_| random.within(-3.0, 3.0));
    turn(0, 1, a).product(turn(1, 2, b)).product(turn(0, 2, c))
}

/// A body that can exist: principal moments within the triangle inequality, turned anyhow.
fn body(random: &mut Random) -> Body<f64> {
    let [x, y, z] = [0, 1, 2].map(|_| random.within(0.01, 0.2));
    let principal = Sym3::new([y + z, x + z, x + y, 0.0, 0.0, 0.0]);
    Body {
        mass: random.within(0.5, 10.0),
        center_of_mass: random.vector(0.3),
        inertia: principal.turned(rotation(random)),
    }
}

impl RandomArm for Random {
    fn arm<const N: usize>(&mut self, kind: ArmKind, convention: DhConvention) -> Serial<f64, N> {
        let links = std::array::from_fn(|i| LinkParameters {
            coupling: None,
            joint: if happens(self, kind.prismatic) { Joint::Prismatic } else { Joint::Revolute },
            dh: DhRow {
                alpha: Angle::from_radians(angle(self, kind.square)),
                a: self.within(-0.5, 0.5),
                d: self.within(-0.5, 0.5),
                theta_offset: Angle::from_radians(angle(self, kind.square)),
            },
            body: body(self),
            motor_inertia: self.within(0.0, 2.0),
            gear_ratio: self.within(20.0, 80.0),
            friction: None,
            spring: None,
            armature: happens(self, kind.armatures).then(|| {
                let axis = self.vector(1.0);
                let length = axis.norm_squared().sqrt();
                Armature { carrier: (self.unit() * (i as f64 + 1.999)) as usize, axis: axis * (1.0 / length) }
            }),
        });
        Serial::new(SerialParameters {
            convention,
            base: None,
            gravity: self.vector(10.0),
            links,
            tool: Frame { rotation: rotation(self), origin: self.vector(0.4) },
            payload: body(self),
        })
    }
}
