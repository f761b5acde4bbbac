//! Random serial arms by a seed. No strategies: how many joints an arm has is part of its type, and there is little to
//! shrink in one.

use dalembert_core::serial::{Armature, Body, DhConvention, DhRow, Joint, LinkParameters, Serial, SerialParameters};

use dalembert_core::spatial::Frame;
use dalembert_core::{Angle, Mat3, Sym3, Vec3};

/// A small generator of its own (SplitMix64), so that a seed is an arm for ever.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

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

impl Random {
    /// Even between 0 and 1.
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Even between two numbers.
    pub fn within(&mut self, least: f64, most: f64) -> f64 {
        least + (most - least) * self.unit()
    }

    /// Three numbers of at most this size.
    pub fn vector(&mut self, size: f64) -> Vec3<f64> {
        Vec3([self.within(-size, size), self.within(-size, size), self.within(-size, size)])
    }

    /// N numbers of at most this size.
    pub fn state<const N: usize>(&mut self, size: f64) -> [f64; N] {
        std::array::from_fn(|_| self.within(-size, size))
    }

    /// With this chance; where there is none nothing is drawn.
    fn happens(&mut self, chance: f64) -> bool {
        chance > 0.0 && self.unit() < chance
    }

    fn angle(&mut self, square: bool) -> f64 {
        // Some exact quarter turns, as real arms have.
        if square || self.unit() < 0.5 {
            self.within(-2.5, 2.5).round() * std::f64::consts::FRAC_PI_2
        } else {
            self.within(-3.0, 3.0)
        }
    }

    fn rotation(&mut self) -> Mat3<f64> {
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
        let [a, b, c] = [0, 1, 2].map(|_| self.within(-3.0, 3.0));
        turn(0, 1, a).product(turn(1, 2, b)).product(turn(0, 2, c))
    }

    /// A body that can exist: principal moments within the triangle inequality, turned anyhow.
    fn body(&mut self) -> Body<f64> {
        let [x, y, z] = [0, 1, 2].map(|_| self.within(0.01, 0.2));
        let principal = Sym3::new([y + z, x + z, x + y, 0.0, 0.0, 0.0]);
        Body {
            mass: self.within(0.5, 10.0),
            center_of_mass: self.vector(0.3),
            inertia: principal.turned(self.rotation()),
        }
    }

    /// An arm with tool, payload, motors and tilted gravity.
    pub fn arm<const N: usize>(&mut self, kind: ArmKind, convention: DhConvention) -> Serial<f64, N> {
        let links = std::array::from_fn(|i| LinkParameters {
            joint: if self.happens(kind.prismatic) { Joint::Prismatic } else { Joint::Revolute },
            dh: DhRow {
                alpha: Angle::from_radians(self.angle(kind.square)),
                a: self.within(-0.5, 0.5),
                d: self.within(-0.5, 0.5),
                theta_offset: Angle::from_radians(self.angle(kind.square)),
            },
            body: self.body(),
            motor_inertia: self.within(0.0, 2.0),
            gear_ratio: self.within(20.0, 80.0),
            friction: None,
            spring: None,
            armature: self.happens(kind.armatures).then(|| {
                let axis = self.vector(1.0);
                let length = axis.norm_squared().sqrt();
                Armature { carrier: (self.unit() * (i as f64 + 1.999)) as usize, axis: axis * (1.0 / length) }
            }),
        });
        Serial::new(SerialParameters {
            convention,
            gravity: self.vector(10.0),
            links,
            tool: Frame { rotation: self.rotation(), origin: self.vector(0.4) },
            payload: self.body(),
        })
    }
}
