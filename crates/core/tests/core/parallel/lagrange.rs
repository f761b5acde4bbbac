//! The second way: Lagrange's equations from the energies of the bodies one by one, differentiated by dual numbers. Nothing of the
//! family's formulas is used: the motors' joints come from angles, velocities from derivatives of positions.

use dalembert_core::parallel::{Chain, LegParameters, Parallel};
use dalembert_core::serial::Body;
use dalembert_core::spatial::Frame;
use dalembert_core::{Dual, Mat3, Scalar, Vec3};

fn arc_cosine<S: Scalar>(x: S) -> S {
    (S::one() - x.square()).sqrt().atan2(x)
}

/// The joint, the near end of the rod (or the base joint) and the platform joint of a leg.
fn leg<S: Scalar>(leg: &LegParameters<f64>, tool: &Frame<S>) -> (S, Vec3<S>, Vec3<S>) {
    let lift = |v: Vec3<f64>| v.map(S::from_f64);
    let point = tool.point(lift(leg.platform));
    let (base, from) = (lift(leg.base), point - lift(leg.base));
    match leg.chain {
        Chain::Rotary { axis, zero, length, rod, .. } => {
            let (e, f) = (lift(zero), lift(axis.cross(zero)));
            let (p, z) = (from.dot(e), from.dot(f));
            let reach = (p.square() + z.square()).sqrt();
            let cosine = (from.norm_squared() + S::from_f64(length * length - rod.length * rod.length))
                / reach.times(2.0 * length);
            // Of the two the one with w > 0, where the elbow is turned back from the platform.
            let q = z.atan2(p) - arc_cosine(cosine);
            let (sin, cos) = q.sin_cos();
            (q, base + (e * cos + f * sin) * S::from_f64(length), point)
        }
        Chain::Slider { direction, rod, .. } => {
            let d = lift(direction);
            let along = from.dot(d);
            let across = from - d * along;
            let q = along - (S::from_f64(rod.length * rod.length) - across.norm_squared()).sqrt();
            (q, base + d * q, point)
        }
        Chain::Strut { .. } => (from.norm_squared().sqrt(), base, point),
    }
}

/// The energies so far.
struct Energies<S> {
    gravity: Vec3<f64>,
    kinetic: S,
    potential: S,
}

impl<S: Scalar> Energies<S> {
    /// A mass at a position that carries its velocity as a derivative.
    fn add(&mut self, mass: f64, at: Vec3<Dual<S, 1>>) {
        let velocity = at.map(|x| x.derivative[0]);
        self.kinetic = self.kinetic + velocity.norm_squared().times(0.5 * mass);
        self.potential = self.potential - at.map(|x| x.value).dot(self.gravity.map(S::from_f64)).times(mass);
    }

    /// A thin body along a line turns as the line does: ½ I |u̇|².
    fn add_turning(&mut self, inertia: f64, line: Vec3<Dual<S, 1>>) {
        let length = line.norm_squared().sqrt();
        let rate = line.map(|x| (x / length).derivative[0]);
        self.kinetic = self.kinetic + rate.norm_squared().times(0.5 * inertia);
    }
}

/// Kinetic and potential energy of positions that carry their velocities as a derivative, and the joints.
fn energies<S: Scalar, const N: usize>(robot: &Parallel<f64, N>, tool: &Frame<Dual<S, 1>>) -> (S, S, [Dual<S, 1>; N]) {
    let parameters = robot.parameters();
    let mut all = Energies { gravity: parameters.gravity, kinetic: S::zero(), potential: S::zero() };
    let mut joints = [Dual::constant(S::zero()); N];
    for (i, own) in parameters.legs.iter().enumerate() {
        let (q, near, far) = leg(own, tool);
        joints[i] = q;
        let base = own.base.map(|x| Dual::constant(S::from_f64(x)));
        let line = far - near;
        let at = |from: Vec3<Dual<S, 1>>, along: Vec3<Dual<S, 1>>, share: f64| from + along * Dual::from_f64(share);
        let mut spin = own.motor.rotor_inertia * own.motor.gear_ratio * own.motor.gear_ratio;
        match own.chain {
            Chain::Rotary { length, arm, rod, .. } => {
                all.add(arm.mass, at(base, near - base, arm.center_of_mass / length));
                spin += arm.inertia;
                all.add(rod.mass, at(near, line, rod.center_of_mass / rod.length));
                all.add_turning(rod.inertia, line);
            }
            Chain::Slider { carriage, rod, .. } => {
                all.add(carriage, near);
                all.add(rod.mass, at(near, line, rod.center_of_mass / rod.length));
                all.add_turning(rod.inertia, line);
            }
            Chain::Strut { cylinder, piston } => {
                let length = line.norm_squared().sqrt();
                let unit = line.map(|x| x / length);
                all.add(cylinder.mass, at(near, unit, cylinder.center_of_mass));
                all.add(piston.mass, at(far, unit, -piston.center_of_mass));
                all.add_turning(cylinder.inertia + piston.inertia, line);
            }
        }
        all.kinetic = all.kinetic + q.derivative[0].square().times(0.5 * spin);
    }
    for Body { mass, center_of_mass, inertia } in [parameters.platform, parameters.payload] {
        let center = if N > 3 { center_of_mass } else { Vec3::zero() };
        all.add(mass, tool.point(center.map(|x| Dual::constant(S::from_f64(x)))));
        if N > 3 {
            // Rᵀ Ṙ in the body's own axes.
            let (value, rate) = (tool.rotation.map(|x| x.value), tool.rotation.map(|x| x.derivative[0]));
            let skew: Mat3<S> = value.transpose().product(rate);
            let omega = Vec3([skew[2][1], skew[0][2], skew[1][0]]);
            all.kinetic = all.kinetic + omega.dot(inertia.full().map(S::from_f64) * omega).times(0.5);
        }
    }
    (all.kinetic, all.potential, joints)
}

/// The platform moved by ξ from where it is: shifted, and turned by Cayley's rotation, whose rate at ξ = 0 is ξ̇ and whose
/// second derivative is ξ̈.
fn moved<S: Scalar, const N: usize>(tool: &Frame<f64>, xi: [S; N]) -> Frame<S> {
    let at = |k: usize| if k < N { xi[k] } else { S::zero() };
    let origin = tool.origin.map(S::from_f64) + Vec3([at(0), at(1), at(2)]);
    let rotation = tool.rotation.map(S::from_f64);
    if N == 3 {
        return Frame { rotation, origin };
    }
    let a = Vec3([at(3), at(4), at(5)]).map(|x| x.times(0.5));
    let skew = Mat3::skew(a);
    let turn = (skew + skew.product(skew)) * (S::from_f64(2.0) / (S::one() + a.norm_squared()));
    Frame { rotation: (turn + Mat3::diagonal(S::one())).product(rotation), origin }
}

/// What Lagrange's equations ask for in the platform's coordinates, d/dt ∂T/∂ξ̇ − ∂T/∂ξ + ∂V/∂ξ, and ∂q/∂ξ.
/// M is N + N: derivatives with respect to coordinates and velocities.
pub fn required<const N: usize, const M: usize>(
    robot: &Parallel<f64, N>,
    tool: &Frame<f64>,
    velocity: [f64; N],
    acceleration: [f64; N],
) -> ([f64; N], [[f64; N]; N], f64, f64) {
    type Inner<const M: usize> = Dual<f64, M>;
    let xi: [Dual<Inner<M>, 1>; N] =
        core::array::from_fn(|k| Dual { value: Dual::variable(0.0, k), derivative: [Dual::constant(velocity[k])] });
    let rate: [Dual<Inner<M>, 1>; N] = core::array::from_fn(|k| Dual {
        value: Dual::variable(velocity[k], N + k),
        derivative: [Dual::constant(acceleration[k])],
    });
    // Positions with their velocities.
    let both: [Dual<Dual<Inner<M>, 1>, 1>; N] = core::array::from_fn(|k| Dual { value: xi[k], derivative: [rate[k]] });
    let (kinetic, potential, joints) = energies(robot, &moved(tool, both));
    let forces = core::array::from_fn(|k| {
        kinetic.derivative[0].derivative[N + k] - kinetic.value.derivative[k] + potential.value.derivative[k]
    });
    let jacobian = joints.map(|q| core::array::from_fn(|k| q.value.value.derivative[k]));
    (forces, jacobian, kinetic.value.value, potential.value.value)
}
