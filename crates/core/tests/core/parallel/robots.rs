//! Random parallel robots and states, the same on every run.

use dalembert_core::delta::{Branch, Motor};
use dalembert_core::friction::Friction;
use dalembert_core::parallel::{Chain, LegParameters, Parallel, ParallelParameters, Rod, SlenderBody};
use dalembert_core::serial::Body;
use dalembert_core::spatial::{Frame, Twist, Wrench, roll_pitch_yaw};
use dalembert_core::{Angle, Mat3, Sym3, Vec3};

/// Knuth's linear congruential generator.
pub struct Dice(pub u64);

impl Dice {
    pub fn within(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        low + (high - low) * ((self.0 >> 11) as f64 / (1_u64 << 53) as f64)
    }

    pub fn vector(&mut self, size: f64) -> Vec3<f64> {
        Vec3::from_fn(|_| self.within(-size, size))
    }

    pub fn twist(&mut self, linear: f64, angular: f64) -> Twist<f64> {
        Twist { linear: self.vector(linear), angular: self.vector(angular) }
    }

    pub fn wrench(&mut self) -> Wrench<f64> {
        Wrench { force: self.vector(30.0), moment: self.vector(5.0) }
    }

    pub fn rotation(&mut self, size: f64) -> Mat3<f64> {
        roll_pitch_yaw([0; 3].map(|_| Angle::from_radians(self.within(-size, size))))
    }

    fn bar(&mut self, length: f64) -> SlenderBody<f64> {
        let mass = self.within(0.1, 2.0);
        SlenderBody {
            mass,
            center_of_mass: self.within(0.1, 0.9) * length,
            inertia: mass * self.within(0.01, 0.1) * length * length,
        }
    }

    fn rod(&mut self, length: f64) -> Rod<f64> {
        let SlenderBody { mass, center_of_mass, inertia } = self.bar(length);
        Rod { length, mass, center_of_mass, inertia }
    }

    /// A rotation's inertia: that of a few points.
    pub fn body(&mut self) -> Body<f64> {
        let mut inertia = Sym3::zero();
        for _ in 0..4 {
            inertia = inertia + Sym3::point_mass(self.vector(0.1)) * self.within(0.1, 0.5);
        }
        Body { mass: self.within(0.3, 3.0), center_of_mass: self.vector(0.05), inertia }
    }
}

/// What the legs of a random robot are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Rotary,
    Slider,
    Strut,
    Mixed,
}

pub const KINDS: [Kind; 4] = [Kind::Rotary, Kind::Slider, Kind::Strut, Kind::Mixed];

fn unit(v: Vec3<f64>) -> Vec3<f64> {
    v * (1.0 / v.norm_squared().sqrt())
}

/// A robot whose platform hangs about 0.6 m below its base, on legs in three directions, none exactly like the other.
pub fn robot<const N: usize>(dice: &mut Dice, kind: Kind, friction: bool) -> Parallel<f64, N> {
    loop {
        let home = Frame {
            rotation: if N > 3 { dice.rotation(0.2) } else { Mat3::diagonal(1.0) },
            origin: Vec3::new(0.0, 0.0, -0.6) + dice.vector(0.05),
        };
        let legs = core::array::from_fn(|i| {
            let pairs = if N > 3 { i / 2 } else { i };
            let side = if N == 3 {
                0.0
            } else if i % 2 == 0 {
                0.25
            } else {
                -0.25
            };
            let azimuth = 2.094 * pairs as f64;
            let on = |radius: f64, turn: f64| {
                let (sin, cos) = f64::sin_cos(azimuth + turn);
                Vec3::new(radius * cos, radius * sin, 0.0)
            };
            let base = on(0.3, side) + dice.vector(0.03);
            let platform = on(0.12, if N > 3 { 4.0 * side } else { 0.0 }) + dice.vector(0.02);
            let out = unit(on(1.0, 0.0) + dice.vector(0.1));
            let point = home.point(platform);
            let which = match kind {
                Kind::Mixed => [Kind::Rotary, Kind::Slider, Kind::Strut][(i + pairs) % 3],
                kind => kind,
            };
            let chain = match which {
                Kind::Rotary => {
                    let tangent = unit(Vec3::new(-out[1], out[0], 0.0) + dice.vector(0.1));
                    let zero = unit(out - tangent * out.dot(tangent));
                    let length = dice.within(0.15, 0.25);
                    let near = base + zero * length;
                    let rod = ((point - near).norm_squared()).sqrt() * dice.within(0.97, 1.03);
                    Chain::Rotary { axis: tangent, zero, length, arm: dice.bar(length), rod: dice.rod(rod) }
                }
                Kind::Slider => {
                    let direction = unit(Vec3::new(0.0, 0.0, -1.0) + dice.vector(0.5));
                    let near = base + direction * 0.1;
                    let rod = ((point - near).norm_squared()).sqrt() * dice.within(0.97, 1.03);
                    Chain::Slider { direction, carriage: dice.within(0.2, 2.0), rod: dice.rod(rod) }
                }
                _ => Chain::Strut { cylinder: dice.bar(0.4), piston: dice.bar(0.3) },
            };
            let friction = friction.then(|| Friction {
                viscous: dice.within(0.0, 0.5),
                coulomb: dice.within(0.0, 0.5),
                static_friction: dice.within(0.5, 0.6),
                ..Friction::NONE
            });
            let motor = Motor { rotor_inertia: dice.within(0.0, 1e-4), gear_ratio: dice.within(1.0, 30.0), friction };
            LegParameters { base, platform, chain, motor, branch: Branch::Out }
        });
        let parameters = ParallelParameters {
            gravity: Vec3::new(0.3, -0.2, -9.7),
            legs,
            platform: dice.body(),
            payload: dice.body(),
            home,
        };
        if let Ok(robot) = Parallel::try_new(parameters)
            && robot.at_tool(home).is_ok_and(|pose| pose.determinant().abs() > if N > 3 { 2e-3 } else { 0.05 })
        {
            return robot;
        }
    }
}

/// A pose about home that the robot can be in, well away from singular ones.
pub fn tool<const N: usize>(dice: &mut Dice, robot: &Parallel<f64, N>) -> Frame<f64> {
    loop {
        let home = robot.home();
        let rotation = if N > 3 { dice.rotation(0.25).product(home.rotation) } else { home.rotation };
        let tool = Frame { rotation, origin: home.origin + dice.vector(0.08) };
        let least = if N > 3 { 2e-3 } else { 0.05 };
        if let Ok(pose) = robot.at_tool(tool)
            && pose.determinant().abs() > least
            && pose.transmission_margins().iter().all(|margin| margin.abs() > 0.05)
        {
            return tool;
        }
    }
}
