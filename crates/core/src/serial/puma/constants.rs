//! Tables A2 and A3: the lumped constants, and what they assume.
//!
//! Corrected against the print (probable misreadings of subscripts): r_z2 → r_x2 in I2, I3, I4, I11 and g1; the sign of
//! m2 r_x2² in I3; I_zz3 → I_xx3 in I7; the sign of m3 r_y3 r_z3 in I8; I_xx6 − I_zz6 → I_zz6 − I_xx6 in I20.

use crate::algebra::Mat3;
use crate::array::map;
use crate::scalar::Scalar;
use crate::serial::{DhConvention, Inertia, Joint, SerialParameters};
use core::fmt;

/// The constants of Table A2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constants<S> {
    /// I_1 … I_23, kg m².
    pub inertial: [S; 23],
    /// I_m1 … I_m6, kg m².
    pub motor: [S; 6],
    /// g_1 … g_5, N m.
    pub gravitational: [S; 5],
}

/// An assumption of the tables that a robot breaks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DoesNotApply {
    /// The field, as robot files name it.
    pub field: &'static str,
    /// The link, from 1, where it belongs to one.
    pub link: Option<usize>,
    /// What the tables assume.
    pub assumed: &'static str,
}

impl fmt::Display for DoesNotApply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the PUMA 560 models assume `{}`", self.field)?;
        if let Some(link) = self.link {
            write!(f, " of link {link}")?;
        }
        write!(f, " to be {}", self.assumed)
    }
}

impl core::error::Error for DoesNotApply {}

/// Link 6 with the payload, about its own centre of mass.
struct Last<S> {
    mass: S,
    r_z: S,
    xx: S,
    zz: S,
}

impl<S: Scalar> Last<S> {
    fn new(p: &SerialParameters<S, 6>) -> Self {
        let body = &p.links[5].body;
        let carried = Inertia::new(&p.payload, &p.tool);
        // First moments and inertias about the origin add up; then back to the common centre of mass.
        let mass = body.mass + carried.mass;
        let moment = body.mass * body.center_of_mass[2] + carried.moment[2];
        let about_origin = body.inertia.xx + body.mass * body.center_of_mass[2].square() + carried.inertia.xx;
        let r_z = moment / mass;
        Self { mass, r_z, xx: about_origin - moment * r_z, zz: body.inertia.zz + carried.inertia.zz }
    }
}

impl<S: Scalar> Constants<S> {
    /// Table A2, corrected.
    pub fn new(p: &SerialParameters<S, 6>) -> Self {
        let [_, l2, l3, l4, ..] = &p.links;
        let (a2, a3) = (l3.dh.a, l4.dh.a);
        let (d2, d3, d4) = (l2.dh.d, l3.dh.d, l4.dh.d);
        let [b1, b2, b3, b4, b5] = map([0, 1, 2, 3, 4], |i: usize| p.links[i].body);
        let six = Last::new(p);
        let (m2, m3, m4, m5, m6) = (b2.mass, b3.mass, b4.mass, b5.mass, six.mass);
        let (rx2, ry2, rz2) = (b2.center_of_mass[0], b2.center_of_mass[1], b2.center_of_mass[2]);
        let (ry3, rz3) = (b3.center_of_mass[1], b3.center_of_mass[2]);
        let (rz4, rz6) = (b4.center_of_mass[2], six.r_z);
        let (i2, i3, i4, i5) = (b2.inertia, b3.inertia, b4.inertia, b5.inertia);
        let (xx6, zz6) = (six.xx, six.zz);
        let m56 = m5 + m6;
        let m456 = m4 + m56;
        let m3456 = m3 + m456;
        let d23 = d2 + d3;
        let m6rz6 = m6 * rz6;
        let sq = |x: S| x * x;
        let twice = |x: S| x.times(2.0);
        let inertial = [
            b1.inertia.zz
                + b1.mass * sq(b1.center_of_mass[1])
                + m2 * sq(d2)
                + m456 * sq(a3)
                + m2 * sq(rz2)
                + m3456 * sq(d23)
                + i2.xx
                + i3.yy
                + twice(m2 * d2 * rz2)
                + m2 * sq(ry2)
                + m3 * sq(rz3)
                + twice(m3 * d23 * rz3)
                + i4.zz
                + i5.yy
                + zz6,
            i2.zz + m2 * (sq(rx2) + sq(ry2)) + m3456 * sq(a2),
            i2.yy - i2.xx + m3456 * sq(a2) + m2 * sq(rx2) - m2 * sq(ry2),
            m2 * rx2 * (d2 + rz2) + m3 * a2 * rz3 + m3456 * a2 * d23,
            -(m3 * a2 * ry3) + m456 * a2 * d4 + m4 * a2 * rz4,
            i3.zz + m3 * sq(ry3) + m456 * sq(a3) + m4 * sq(d4 + rz4) + i4.yy + m56 * sq(d4) + i5.zz + m6rz6 * rz6 + xx6,
            m3 * sq(ry3) + i3.xx - i3.yy + m4 * sq(rz4) + twice(m4 * d4 * rz4) + m456 * (sq(d4) - sq(a3)) + i4.yy
                - i4.zz
                + i5.zz
                - i5.yy
                + m6rz6 * rz6
                - zz6
                + xx6,
            -(m4 * d23 * (d4 + rz4)) - m56 * d23 * d4 + m3 * ry3 * rz3 + m3 * d23 * ry3,
            m2 * ry2 * (d2 + rz2),
            twice(m4 * a3 * rz4) + twice(m456 * a3 * d4),
            -twice(m2 * rx2 * ry2),
            m456 * a2 * a3,
            m456 * a3 * d23,
            i4.zz + i5.yy + zz6,
            m6rz6 * d4,
            m6rz6 * a2,
            i5.zz + xx6 + m6rz6 * rz6,
            m6rz6 * d23,
            i4.yy - i4.xx + i5.zz - i5.yy + m6rz6 * rz6 + xx6 - zz6,
            i5.yy - i5.xx - m6rz6 * rz6 + zz6 - xx6,
            i4.xx - i4.yy + i5.xx - i5.zz,
            m6rz6 * a3,
            zz6,
        ];
        let g = -p.gravity[2];
        Self {
            inertial,
            motor: map(p.links, |link| link.motor_inertia),
            gravitational: [
                -(g * (m3456 * a2 + m2 * rx2)),
                g * (m3 * ry3 - m456 * d4 - m4 * rz4),
                g * m2 * ry2,
                -(g * m456 * a3),
                -(g * m6rz6),
            ],
        }
    }

    /// Table A3 as printed.
    pub fn printed() -> Self {
        let table = |values: [f64; 23]| map(values, S::from_f64);
        Self {
            inertial: table([
                1.43, 1.75, 1.38, 6.90e-1, 3.72e-1, 3.33e-1, 2.98e-1, -1.34e-1, 2.38e-2, -2.13e-2, -1.42e-2, -1.10e-2,
                -3.79e-3, 1.64e-3, 1.25e-3, 1.24e-3, 6.42e-4, 4.31e-4, 3.00e-4, -2.02e-4, -1.00e-4, -5.80e-5, 4.00e-5,
            ]),
            motor: map([1.14, 4.71, 8.27e-1, 2.00e-1, 1.79e-1, 1.93e-1], S::from_f64),
            gravitational: map([-37.2, -8.44, 1.02, 2.49e-1, -2.82e-2], S::from_f64),
        }
    }
}

impl Constants<f64> {
    /// The ± of Table A3 as printed: of I_1 … I_23, I_m1 … I_m6, g_1 … g_5.
    pub fn printed_tolerance() -> Self {
        Self {
            inertial: [
                0.05, 0.07, 0.05, 0.20e-1, 0.31e-1, 0.16e-1, 0.29e-1, 0.14e-1, 1.20e-2, 0.22e-2, 0.70e-2, 0.11e-2,
                0.90e-3, 0.07e-3, 0.30e-3, 0.30e-3, 3.00e-4, 1.30e-4, 14.0e-4, 8.00e-4, 6.00e-4, 1.50e-5, 2.00e-5,
            ],
            motor: [0.27, 0.54, 0.93e-1, 0.16e-1, 0.14e-1, 0.16e-1],
            gravitational: [0.05, 0.20, 0.50, 0.25e-1, 0.56e-2],
        }
    }

    /// Whether Tables A2–A7 are exact for an arm with these parameters. The payload counts as part of link 6.
    pub fn applies_to(p: &SerialParameters<f64, 6>) -> Result<(), DoesNotApply> {
        let ensure = |ok: bool, field, link: usize, assumed| {
            if ok { Ok(()) } else { Err(DoesNotApply { field, link: (link > 0).then_some(link), assumed }) }
        };
        ensure(p.convention == DhConvention::Modified, "convention", 0, "\"modified-dh\"")?;
        ensure(p.gravity[0] == 0.0 && p.gravity[1] == 0.0, "gravity", 0, "along the base's z axis")?;
        let turned = p.base.is_some_and(|base| base.rotation != Mat3::diagonal(1.0));
        ensure(!turned, "base.rpy", 0, "zero: gravity along the base's z axis")?;
        // Sines of alpha_0 … alpha_5: 0, −90°, 0, 90°, −90°, 90°.
        let twists = [[1.0, 0.0], [0.0, -1.0], [1.0, 0.0], [0.0, 1.0], [0.0, -1.0], [0.0, 1.0]];
        for (i, (link, [cos, sin])) in p.links.iter().zip(twists).enumerate() {
            let n = i + 1;
            ensure(link.joint == Joint::Revolute, "joint", n, "revolute")?;
            ensure(link.armature.is_none(), "armature", n, "left out: the tables neglect gyroscopic forces")?;
            ensure(link.coupling.is_none(), "coupling", n, "left out: the tables know none")?;
            ensure(link.spring.is_none(), "spring", n, "left out: the tables know none")?;
            ensure([link.dh.alpha.cos, link.dh.alpha.sin] == [cos, sin], "alpha", n, "that of Table A1")?;
            ensure([link.dh.theta_offset.cos, link.dh.theta_offset.sin] == [1.0, 0.0], "theta_offset", n, "zero")?;
            // a_0 and d_1 move the arm as a whole; a_2, a_3, d_2, d_3, d_4 are in Table A2.
            ensure(!matches!(i, 1 | 4 | 5) || link.dh.a == 0.0, "a", n, "zero")?;
            ensure(!matches!(i, 4 | 5) || link.dh.d == 0.0, "d", n, "zero")?;
            let [x, y, z] = link.body.center_of_mass.0;
            let weighs = link.body.mass != 0.0;
            let on = match i {
                0 => x == 0.0,
                1 => true,
                2 => x == 0.0,
                4 => x == 0.0 && y == 0.0 && z == 0.0,
                _ => x == 0.0 && y == 0.0,
            };
            let assumed = match i {
                0 | 2 => "zero in x",
                4 => "zero",
                _ => "on the joint's axis",
            };
            ensure(on || !weighs, "center_of_mass", n, assumed)?;
            let [xx, yy, _, xy, yz, xz] = link.body.inertia.entries();
            ensure(i == 0 || [xy, yz, xz] == [0.0; 3], "inertia", n, "diagonal")?;
            ensure(i != 5 || xx == yy, "inertia", n, "symmetric: I_xx = I_yy")?;
        }
        let carried = Inertia::new(&p.payload, &p.tool);
        let [x, y, _] = carried.moment.0;
        ensure(x == 0.0 && y == 0.0, "payload.center_of_mass", 0, "on the axis of joint 6")?;
        let [xx, yy, _, xy, yz, xz] = carried.inertia.entries();
        let symmetric = (xx - yy).abs() <= 1e-12 * xx.abs() && [xy, yz, xz] == [0.0; 3];
        ensure(symmetric, "payload.inertia", 0, "symmetric about the axis of joint 6")?;
        let mass = p.links[5].body.mass + p.payload.mass;
        ensure(mass > 0.0, "mass", 6, "positive")
    }
}
