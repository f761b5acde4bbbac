//! The formulas of a planar five-bar, for any scalar: two motors on the base, two upper links, two rods that meet at the tool.
//!
//! The robot moves in the vertical plane y = 0. Motor i stands at x = ∓b; q_i = 0 points along +x, positive is upward. As for
//! the Delta (`crates/papers/errata.md`, §0), a uniform rod of mass m is two end masses m/3 with the coupling m/6.

use dalembert::dynamics::{Dynamics, State};
use dalembert::spatial::{Frame, Twist, Wrench};
use dalembert::{Scalar, Vec3};

/// What the robot is made of.
#[derive(Clone, Copy, Debug)]
pub struct FiveBar<S> {
    /// Half the distance between the motors, m.
    pub half_base: S,
    /// Of the driven links, m.
    pub link: S,
    /// Of the rods, m.
    pub rod: S,
    /// Of a driven link about its motor axis, with the rotor, kg m².
    pub inertia: S,
    /// First moment of a driven link about its motor axis, kg m.
    pub moment: S,
    /// Of a rod, kg.
    pub rod_mass: S,
    /// At the tool, payload included, kg.
    pub tool_mass: S,
    /// Viscous friction at a motor, N m s/rad.
    pub viscous: S,
}

impl FiveBar<f64> {
    /// The same robot for another scalar.
    pub fn lift<S: Scalar>(&self) -> FiveBar<S> {
        let of = S::from_f64;
        FiveBar {
            half_base: of(self.half_base),
            link: of(self.link),
            rod: of(self.rod),
            inertia: of(self.inertia),
            moment: of(self.moment),
            rod_mass: of(self.rod_mass),
            tool_mass: of(self.tool_mass),
            viscous: of(self.viscous),
        }
    }
}

/// The robot in a state.
#[derive(Clone, Copy, Debug)]
pub struct Moving<'a, S> {
    robot: &'a FiveBar<S>,
    q: [S; 2],
    qd: [S; 2],
    /// Derivative of each elbow with respect to its joint, and its negative second derivative.
    across: [Vec3<S>; 2],
    along: [Vec3<S>; 2],
    /// From each elbow to the tool.
    rods: [Vec3<S>; 2],
    tool: Vec3<S>,
    velocity: Vec3<S>,
    /// The rods' conditions r_i·Ṫ = r_i·ė_i: twice the area that the rods span.
    area: S,
}

/// Of the Earth, along −z, m/s².
pub const GRAVITY: f64 = 9.81;

impl<S: Scalar> FiveBar<S> {
    /// Where the driven links end.
    pub fn elbows(&self, q: [S; 2]) -> [Vec3<S>; 2] {
        let base = [-self.half_base, self.half_base];
        let along = self.along(q);
        std::array::from_fn(|i| along[i] + Vec3::new(base[i], S::zero(), S::zero()))
    }

    fn along(&self, q: [S; 2]) -> [Vec3<S>; 2] {
        q.map(|q| {
            let (sin, cos) = q.sin_cos();
            Vec3::new(cos, S::zero(), sin) * self.link
        })
    }

    /// The tool above the line through the elbows. NaN where the rods do not meet.
    fn moving(&self, q: [S; 2], qd: [S; 2]) -> Moving<'_, S> {
        let along = self.along(q);
        let across = along.map(|e| Vec3::new(-e[2], S::zero(), e[0]));
        let elbows = self.elbows(q);
        let apart = elbows[1] - elbows[0];
        let square = apart.norm_squared();
        let height = (self.rod.square() / square - S::from_f64(0.25)).sqrt();
        let up = Vec3::new(-apart[2], S::zero(), apart[0]);
        let tool = elbows[0] + apart * S::from_f64(0.5) + up * height;
        let rods = elbows.map(|elbow| tool - elbow);
        let area = rods[0][0] * rods[1][2] - rods[0][2] * rods[1][0];
        let mut moving = Moving { robot: self, q, qd, across, along, rods, tool, velocity: Vec3::zero(), area };
        moving.velocity = moving.carried(qd.map(|_| S::zero()), qd);
        moving
    }
}

impl<S: Scalar> Moving<'_, S> {
    /// The vector v with r_i·v = c_i + r_i·e'_i x_i: what the rods make of the elbows' motion.
    fn carried(&self, c: [S; 2], x: [S; 2]) -> Vec3<S> {
        let [a, b] = self.rods;
        let right: [S; 2] = std::array::from_fn(|i| c[i] + self.rods[i].dot(self.across[i]) * x[i]);
        let solved = |p: S, q: S| p / self.area * right[0] + q / self.area * right[1];
        Vec3::new(solved(b[2], -a[2]), S::zero(), solved(-b[0], a[0]))
    }

    /// Acceleration of an elbow.
    fn elbow(&self, i: usize, qdd: S) -> Vec3<S> {
        self.across[i] * qdd - self.along[i] * self.qd[i].square()
    }

    /// Acceleration of the tool: the rods' conditions differentiated once more.
    fn acceleration(&self, qdd: [S; 2]) -> Vec3<S> {
        let conditions = std::array::from_fn(|i| {
            let relative = self.velocity - self.across[i] * self.qd[i];
            -relative.norm_squared() - self.rods[i].dot(self.along[i]) * self.qd[i].square()
        });
        self.carried(conditions, qdd)
    }

    /// Torques of a force at the tool: Jᵀ f.
    fn torque_of(&self, force: Vec3<S>) -> [S; 2] {
        std::array::from_fn(|i| {
            let unit = std::array::from_fn(|k| if k == i { S::one() } else { S::zero() });
            self.carried([S::zero(); 2], unit).dot(force)
        })
    }
}

impl<S: Scalar> Dynamics<S, 2> for FiveBar<S> {
    type At<'a>
        = Moving<'a, S>
    where
        Self: 'a;

    fn at_joints(&self, q: [S; 2], qd: [S; 2]) -> Moving<'_, S> {
        self.moving(q, qd)
    }
}

impl<S: Scalar> State<S, 2> for Moving<'_, S> {
    fn joints(&self) -> ([S; 2], [S; 2]) {
        (self.q, self.qd)
    }

    /// d'Alembert: what the masses resist with, through the velocities that the joints give them.
    fn rigid_torque(&self, qdd: [S; 2]) -> [S; 2] {
        let FiveBar { inertia, link, rod_mass, tool_mass, .. } = *self.robot;
        let (third, sixth) = (rod_mass.times(1.0 / 3.0), rod_mass.times(1.0 / 6.0));
        let tool = self.acceleration(qdd);
        let elbows: [Vec3<S>; 2] = std::array::from_fn(|i| self.elbow(i, qdd[i]));
        let resisting = tool * (tool_mass + third + third) + (elbows[0] + elbows[1]) * sixth;
        let (carried, gravity) = (self.torque_of(resisting), self.gravity());
        std::array::from_fn(|i| {
            (inertia + third * link.square()) * qdd[i] + self.across[i].dot(tool) * sixth + carried[i] + gravity[i]
        })
    }

    fn gravity(&self) -> [S; 2] {
        let FiveBar { moment, link, rod_mass, tool_mass, .. } = *self.robot;
        let up = |mass: S| Vec3::new(S::zero(), S::zero(), mass.times(GRAVITY));
        let carried = self.torque_of(up(tool_mass + rod_mass));
        std::array::from_fn(|i| {
            let at_elbow = self.across[i].dot(up(rod_mass.times(0.5)));
            carried[i] + at_elbow + self.across[i].dot(up(moment / link))
        })
    }

    fn tool(&self) -> Frame<S> {
        Frame::at(self.tool)
    }

    fn tool_velocity(&self) -> Twist<S> {
        Twist::translation(self.velocity)
    }

    fn tool_acceleration(&self, qdd: [S; 2]) -> Twist<S> {
        Twist::translation(self.acceleration(qdd))
    }

    fn torque_of_wrench(&self, wrench: Wrench<S>) -> [S; 2] {
        self.torque_of(wrench.force)
    }

    fn friction(&self) -> [S; 2] {
        self.qd.map(|qd| self.robot.viscous * qd)
    }
}
