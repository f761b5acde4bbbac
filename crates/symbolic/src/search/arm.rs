//! The arm that a program is searched for: constants as expressions, and the freedoms that change nothing.
//!
//! A body is its mass m, first moment h = ∫ r dm and second moment Σ = ∫ r rᵀ dm about the origin of its frame. Whatever is
//! spread along the axis of a revolute joint (a mass at the origin, a first moment h_z, a rod Σ_zz) may belong to the link
//! before or behind the joint, for it does not notice the joint's motion. So m, h_z and Σ_zz of every link are free: the
//! base parameters of Khalil and Kleinfinger (1987) set them to zero, but other values can make others vanish. The origin of
//! a frame may also slide along its axis, and the unit of length is free where no joint slides.

use crate::Expr;
use dalembert_core::friction::Friction;
use dalembert_core::serial::{self, Joint};
use dalembert_core::spring::Spring;
use dalembert_core::{Scalar, Sym3, Vec3};

type E<'g> = Expr<'g>;

/// Mass, first and second moments about the origin of a frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MassMoments<'g> {
    pub mass: E<'g>,
    pub moment: Vec3<E<'g>>,
    pub second: Sym3<E<'g>>,
}

/// A link and the joint before it. Its frame is that of Craig's convention.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SymbolicLink<'g> {
    pub revolute: bool,
    /// Sine and cosine of the twist before the joint.
    pub alpha: (E<'g>, E<'g>),
    /// Sine and cosine of what is added to q; of the constant angle of a prismatic joint.
    pub theta: (E<'g>, E<'g>),
    /// Origin of the frame in the frame before, at q = 0.
    pub origin: Vec3<E<'g>>,
    pub body: MassMoments<'g>,
    pub motor: E<'g>,
    pub friction: Option<Friction<E<'g>>>,
    pub spring: Option<Spring<E<'g>>>,
    /// Carrier and angular momentum per joint speed of the armature.
    pub spin: Option<(Option<usize>, Vec3<E<'g>>)>,
    /// Second moments that are not in the body.
    pub pair: Option<PairedMoments<'g>>,
}

/// Second moments s (p eᵀ + e pᵀ) + t (q zᵀ + z qᵀ), q = z × p, where p is the origin of the next frame and e an axis of this one: what
/// accelerates p is known, so they cost less than as entries of their own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairedMoments<'g> {
    pub axis: usize,
    pub along: E<'g>,
    pub across: E<'g>,
}

/// A serial arm.
#[derive(Clone, Debug)]
pub(crate) struct SymbolicArm<'g> {
    pub links: Vec<SymbolicLink<'g>>,
    pub gravity: Vec3<E<'g>>,
}

impl<'g> MassMoments<'g> {
    pub fn plus(self, other: Self) -> Self {
        Self { mass: self.mass + other.mass, moment: self.moment + other.moment, second: self.second + other.second }
    }

    /// About an origin that lies at `shift` in the old frame.
    pub fn about(self, shift: Vec3<E<'g>>) -> Self {
        let (m, h) = (self.mass, self.moment);
        Self {
            mass: m,
            moment: h - shift * m,
            second: self.second - Sym3::symmetric_outer(h, shift) + Sym3::square(shift) * m,
        }
    }
}

impl<'g> SymbolicArm<'g> {
    pub fn new(links: &[serial::Link<E<'g>>], gravity: Vec3<E<'g>>) -> Self {
        let links = links.iter().map(|link| {
            let i = link.inertia.inertia;
            let trace = (i.xx + i.yy + i.zz).times(0.5);
            SymbolicLink {
                revolute: link.joint == Joint::Revolute,
                alpha: (link.alpha.sin, link.alpha.cos),
                theta: (link.theta.sin, link.theta.cos),
                origin: Vec3([link.a, -(link.d * link.alpha.sin), link.d * link.alpha.cos]),
                body: MassMoments {
                    mass: link.inertia.mass,
                    moment: link.inertia.moment,
                    second: Sym3::new([trace - i.xx, trace - i.yy, trace - i.zz, -i.xy, -i.yz, -i.xz]),
                },
                motor: link.motor,
                friction: link.friction,
                spring: link.spring,
                spin: link.spin.map(|spin| (spin.carrier, spin.momentum)),
                pair: None,
            }
        });
        Self { links: links.collect(), gravity }
    }

    pub fn joints(&self) -> usize {
        self.links.len()
    }

    /// The axis of joint `i` in the frame of the link before.
    pub fn axis(&self, i: usize) -> Vec3<E<'g>> {
        let (sin, cos) = self.links[i].alpha;
        Vec3([E::zero(), -sin, cos])
    }

    /// Gravity of size 1 along its largest component and everything so much heavier: for gravity alone.
    pub fn weigh(&mut self) {
        let size = self.gravity.0.into_iter().max_by(|a, b| a.sample().abs().total_cmp(&b.sample().abs()));
        let Some(size) = size.filter(|size| size.as_number().is_some() && !size.is_zero()) else { return };
        self.gravity = self.gravity * (E::one() / size);
        for link in &mut self.links {
            let body = &mut link.body;
            *body = MassMoments { mass: body.mass * size, moment: body.moment * size, second: body.second * size };
        }
    }

    /// Lengths in units of `unit`; torques stay as they are, so masses are in units of 1/`unit`².
    pub fn rescale(&mut self, unit: E<'g>) {
        let inverse = E::one() / unit;
        for link in &mut self.links {
            link.origin = link.origin * inverse;
            link.body.mass = link.body.mass * unit * unit;
            link.body.moment = link.body.moment * unit;
            link.pair =
                link.pair.map(|pair| PairedMoments { along: pair.along * unit, across: pair.across * unit, ..pair });
        }
        self.gravity = self.gravity * inverse;
    }

    /// Slides the origin of frame `i` along its axis.
    pub fn slide(&mut self, i: usize, by: E<'g>) {
        let along = Vec3([E::zero(), E::zero(), by]);
        self.links[i].origin = self.links[i].origin + self.axis(i) * by;
        self.links[i].body = self.links[i].body.about(along);
        if let Some(next) = self.links.get_mut(i + 1) {
            next.origin = next.origin - along;
        }
    }

    /// Moves what is spread along the axis of revolute joint `i` to the link before.
    pub fn move_down(&mut self, i: usize, mass: E<'g>, moment: E<'g>, second: E<'g>) {
        let (axis, p) = (self.axis(i), self.links[i].origin);
        let body = &mut self.links[i].body;
        body.mass = body.mass - mass;
        body.moment[2] = body.moment[2] - moment;
        body.second.zz = body.second.zz - second;
        if i > 0 {
            let before = &mut self.links[i - 1].body;
            *before = before.plus(MassMoments {
                mass,
                moment: p * mass + axis * moment,
                second: Sym3::square(p) * mass + Sym3::symmetric_outer(p, axis) * moment + Sym3::square(axis) * second,
            });
        }
    }

    /// Takes s (p eᵀ + e pᵀ) out of the second moments of link `i`, so much that one of their entries vanishes: p is the origin of the
    /// next frame, whose acceleration is known, and e an axis of this one.
    pub fn pair(&mut self, i: usize, axis: usize, entry: usize) -> Option<()> {
        let next = self.links.get(i + 1).filter(|next| next.revolute)?;
        let mut e = Vec3::zero();
        e[axis] = E::one();
        let both = Sym3::symmetric_outer(next.origin, e);
        let size = quotient(self.links[i].body.second.entries()[entry], both.entries()[entry])?;
        let link = &mut self.links[i];
        link.body.second = link.body.second - both * size;
        link.pair = Some(PairedMoments { axis, along: size, across: E::zero() });
        Some(())
    }

    /// Takes all second moments with the axis of link `i` out of its body.
    pub fn pair_all(&mut self, i: usize) -> Option<()> {
        let p = self.links.get(i + 1).filter(|next| next.revolute)?.origin;
        let link = &mut self.links[i];
        let (x, y) = (link.body.second.xz, link.body.second.yz);
        let square = p[0] * p[0] + p[1] * p[1];
        let across = quotient(y * p[0] - x * p[1], square)?;
        let along = quotient(x * p[0] + y * p[1], square)?;
        let second = &mut link.body.second;
        (second.xz, second.yz) = (E::zero(), E::zero());
        second.zz = second.zz - along * p[2].times(2.0);
        link.pair = Some(PairedMoments { axis: 2, along, across });
        Some(())
    }

    /// Moves the second moments of a link behind a prismatic joint, which does not turn it, to the link before.
    pub fn move_down_second(&mut self, i: usize) {
        let second = self.links[i].body.second;
        self.links[i].body.second = Sym3::zero();
        if i > 0 {
            let columns = [0, 1, 2].map(|k| {
                let mut unit = Vec3::zero();
                unit[k] = E::one();
                tilt(self.links[i].alpha, turn(self.links[i].theta, unit))
            });
            let [xx, yy, zz, xy, yz, xz] = second.entries();
            let [x, y, z] = columns;
            let turned = Sym3::square(x) * xx
                + Sym3::square(y) * yy
                + Sym3::square(z) * zz
                + Sym3::symmetric_outer(x, y) * xy
                + Sym3::symmetric_outer(y, z) * yz
                + Sym3::symmetric_outer(x, z) * xz;
            let before = &mut self.links[i - 1].body;
            before.second = before.second + turned;
        }
    }
}

/// Sine and cosine.
pub(crate) type Turn<'g> = (E<'g>, E<'g>);

/// v turned about z.
pub(crate) fn turn<'g>((s, c): Turn<'g>, v: Vec3<E<'g>>) -> Vec3<E<'g>> {
    Vec3([c * v[0] - s * v[1], s * v[0] + c * v[1], v[2]])
}

/// Rx(α) v.
pub(crate) fn tilt<'g>((s, c): Turn<'g>, v: Vec3<E<'g>>) -> Vec3<E<'g>> {
    Vec3([v[0], c * v[1] - s * v[2], s * v[1] + c * v[2]])
}

/// By numbers only: a parameter may be zero where the program runs.
pub(crate) fn quotient<'g>(a: Expr<'g>, b: Expr<'g>) -> Option<Expr<'g>> {
    (b.as_number().is_some() && !b.is_zero() && !a.is_zero()).then(|| a / b)
}
