//! What a fourth axis is made of.

use crate::algebra::Vec3;
use crate::friction::{self, Friction};
use crate::parameter::Must::{Finite, NotNegative, NotZero, Positive};
use crate::parameter::Tolerance::{Amount, Known};
use crate::parameter::{
    AXES, ByFunction, ByVisit, Convert, Field, ParameterError, PartKind, Place, Unit, Visit, numbers,
};
use crate::scalar::Scalar;

static MOTOR: [Field; 2] = [
    Field::new(
        "fourth_axis.motor.rotor_inertia",
        "ic",
        "rotor inertia, motor side",
        Unit::RotorInertia,
        NotNegative,
        Amount,
    ),
    Field::new("fourth_axis.motor.gear_ratio", "nc", "gear ratio", Unit::GearRatio, NotZero, Known),
];

static MOTOR_MASS: Field =
    Field::new("fourth_axis.motor.mass", "mc", "mass of the motor on the platform", Unit::Mass, NotNegative, Amount);

static FRICTION: [Field; 5] = [
    Field { key: "fourth_axis.motor.friction.viscous", ..friction::FIELDS[0] },
    Field { key: "fourth_axis.motor.friction.coulomb", ..friction::FIELDS[1] },
    Field { key: "fourth_axis.motor.friction.static", ..friction::FIELDS[2] },
    Field { key: "fourth_axis.motor.friction.stribeck_velocity", ..friction::FIELDS[3] },
    Field { key: "fourth_axis.motor.friction.smoothing_velocity", ..friction::FIELDS[4] },
];

static TOOL_MASS: Field = Field::new("fourth_axis.tool.mass", "mt", "tool mass", Unit::Mass, NotNegative, Amount);

static TOOL: [Field; 2] = [
    Field::new("fourth_axis.tool.center_of_mass", "rt", "tool centre of mass", Unit::Length, Finite, Amount)
        .with_components(&AXES),
    Field::new("fourth_axis.tool.inertia", "it", "tool inertia, own centre", Unit::Inertia, NotNegative, Amount),
];

static PAYLOAD: [Field; 2] = [
    Field::new("fourth_axis.payload.center_of_mass", "rl", "payload centre of mass", Unit::Length, Finite, Amount)
        .with_components(&AXES),
    Field::new("fourth_axis.payload.inertia", "il", "payload inertia, own centre", Unit::Inertia, NotNegative, Amount),
];

static SHAFT: [Field; 2] = [
    Field::new("fourth_axis.shaft.base_joint", "b", "upper joint", Unit::Length, Finite, Amount).with_components(&AXES),
    Field::new("fourth_axis.shaft.platform_joint", "h", "height of the lower joint", Unit::Length, Finite, Amount),
];

static TUBE: [Field; 4] = [
    Field::new("fourth_axis.shaft.tube.mass", "m1", "tube mass", Unit::Mass, NotNegative, Amount),
    Field::new("fourth_axis.shaft.tube.center_of_mass", "d1", "tube centre of mass", Unit::Length, Finite, Amount),
    Field::new("fourth_axis.shaft.tube.inertia", "j1", "tube inertia, transverse", Unit::Inertia, NotNegative, Amount),
    Field::new("fourth_axis.shaft.tube.axial_inertia", "i1", "tube inertia, axial", Unit::Inertia, NotNegative, Amount),
];

static ROD: [Field; 4] = [
    Field::new("fourth_axis.shaft.rod.mass", "m2", "rod mass", Unit::Mass, NotNegative, Amount),
    Field::new("fourth_axis.shaft.rod.center_of_mass", "d2", "rod centre of mass", Unit::Length, Finite, Amount),
    Field::new("fourth_axis.shaft.rod.inertia", "j2", "rod inertia, transverse", Unit::Inertia, NotNegative, Amount),
    Field::new("fourth_axis.shaft.rod.axial_inertia", "i2", "rod inertia, axial", Unit::Inertia, NotNegative, Amount),
];

/// The drive of the axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AxisMotor<S> {
    /// At the motor side of the gear, kg m².
    pub rotor_inertia: S,
    /// Motor speed over tool speed.
    pub gear_ratio: S,
    /// At the tool side; `None` costs nothing.
    pub friction: Option<Friction<S>>,
    /// kg; of a motor on the platform. One on the base moves nothing but its rotor.
    pub mass: S,
}

/// What turns with the tool.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TurningLoad<S> {
    /// Centre of mass from the platform's centre at c = 0, m. Its height is without effect: the platform does not tilt.
    pub center_of_mass: Vec3<S>,
    /// About its own centre of mass, parallel to the axis, kg m².
    pub inertia: S,
}

/// One of the two parts of the shaft, a body that is the same all around.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShaftBody<S> {
    /// kg.
    pub mass: S,
    /// From the joint at its end along the shaft, m.
    pub center_of_mass: S,
    /// About the centre of mass, across the shaft, kg m².
    pub inertia: S,
    /// About the shaft's axis, kg m².
    pub axial_inertia: S,
}

/// A telescopic shaft between two universal joints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shaft<S> {
    /// B, base frame, m.
    pub base_joint: Vec3<S>,
    /// h, height of P above the centre of the platform, m.
    pub platform_joint: S,
    /// The upper part, from B.
    pub tube: ShaftBody<S>,
    /// The lower part, from P.
    pub rod: ShaftBody<S>,
}

/// A fourth axis as it is described.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FourthAxis<S> {
    /// The shaft from a motor on the base; `None`: the motor is on the platform.
    pub shaft: Option<Shaft<S>>,
    /// The drive.
    pub motor: AxisMotor<S>,
    /// kg.
    pub tool_mass: S,
    /// The tool.
    pub tool: TurningLoad<S>,
    /// What the robot carries; how much it weighs is the robot's own number.
    pub payload: TurningLoad<S>,
}

impl<S: Scalar> ShaftBody<S> {
    fn convert<T: Scalar>(&self, fields: &'static [Field; 4], each: &mut dyn Convert<S, T>) -> ShaftBody<T> {
        let given = [self.mass, self.center_of_mass, self.inertia, self.axial_inertia];
        let [mass, center_of_mass, inertia, axial_inertia] = numbers(each, fields, Place::WHOLE, given);
        ShaftBody { mass, center_of_mass, inertia, axial_inertia }
    }
}

impl<S: Scalar> TurningLoad<S> {
    fn convert<T: Scalar>(
        &self,
        [center, inertia]: &'static [Field; 2],
        each: &mut dyn Convert<S, T>,
    ) -> TurningLoad<T> {
        TurningLoad {
            center_of_mass: each.vector(center, Place::WHOLE, self.center_of_mass),
            inertia: each.number(inertia, Place::WHOLE, self.inertia),
        }
    }
}

impl<S: Scalar> FourthAxis<S> {
    fn convert<T: Scalar>(&self, each: &mut dyn Convert<S, T>) -> FourthAxis<T> {
        let (whole, motor) = (Place::WHOLE, &self.motor);
        let [base, platform] = &SHAFT;
        let shaft = self.shaft.map(|shaft| Shaft {
            base_joint: each.vector(base, whole, shaft.base_joint),
            platform_joint: each.number(platform, whole, shaft.platform_joint),
            tube: shaft.tube.convert(&TUBE, each),
            rod: shaft.rod.convert(&ROD, each),
        });
        FourthAxis {
            motor: AxisMotor {
                mass: match shaft {
                    None => each.number(&MOTOR_MASS, whole, motor.mass),
                    Some(_) => each.unlisted(motor.mass),
                },
                rotor_inertia: each.number(&MOTOR[0], whole, motor.rotor_inertia),
                gear_ratio: each.number(&MOTOR[1], whole, motor.gear_ratio),
                friction: motor.friction.map(|own| own.convert(&FRICTION, whole, each)),
            },
            shaft,
            tool_mass: each.number(&TOOL_MASS, whole, self.tool_mass),
            tool: self.tool.convert(&TOOL, each),
            payload: self.payload.convert(&PAYLOAD, each),
        }
    }

    /// Visits every number that the axis has.
    pub fn visit(&mut self, visit: &mut Visit<'_, S>) {
        *self = self.convert(&mut ByVisit(visit));
    }

    /// Every parameter as a scalar of another kind.
    pub fn map<T: Scalar>(self, f: impl FnMut(S) -> T) -> FourthAxis<T> {
        self.convert(&mut ByFunction(f))
    }

    /// Rotor inertia as the tool feels it.
    #[inline(always)]
    pub fn reflected_rotor_inertia(&self) -> S {
        self.motor.rotor_inertia * self.motor.gear_ratio.square()
    }
}

impl FourthAxis<f64> {
    /// What an empty file says: its defaults, every part that it can have (with a shaft or without), and NaN for what a file
    /// must say.
    pub fn of_empty_file(with_shaft: bool) -> Self {
        const ASKED: f64 = f64::NAN;
        let body = ShaftBody { mass: ASKED, center_of_mass: ASKED, inertia: ASKED, axial_inertia: ASKED };
        let shaft = Shaft { base_joint: Vec3([ASKED; 3]), platform_joint: 0.0, tube: body, rod: body };
        Self {
            shaft: with_shaft.then_some(shaft),
            motor: AxisMotor {
                rotor_inertia: 0.0,
                gear_ratio: 1.0,
                friction: Some(Friction::of_empty_file()),
                mass: if with_shaft { 0.0 } else { ASKED },
            },
            tool_mass: 0.0,
            tool: TurningLoad { center_of_mass: Vec3([0.0; 3]), inertia: ASKED },
            payload: TurningLoad { center_of_mass: Vec3([0.0; 3]), inertia: 0.0 },
        }
    }

    /// Refuses what no axis can be.
    pub fn check(&self) -> Result<(), ParameterError> {
        let kind = PartKind::FourthAxis;
        kind.ensure_each(|visit| { *self }.visit(visit))?;
        for (body, field) in self.shaft.iter().flat_map(|shaft| [(shaft.tube, &TUBE[3]), (shaft.rod, &ROD[3])]) {
            // Of any body two moments of inertia are at least the third.
            let fits = body.axial_inertia <= 2.0 * body.inertia * (1.0 + 4.0 * f64::EPSILON);
            kind.ensure(fits, field.key, None, body.axial_inertia, "at most twice the transverse inertia")?;
        }
        let [x, y, _] = self.tool.center_of_mass.0;
        let axial = self.shaft.map_or(0.0, |shaft| shaft.tube.axial_inertia + shaft.rod.axial_inertia);
        let own = self.tool.inertia + self.tool_mass * (x * x + y * y) + self.reflected_rotor_inertia() + axial;
        let must = "positive, where neither rotor nor shaft has an inertia";
        kind.ensure(Positive.holds(own), TOOL[1].key, None, self.tool.inertia, must)
    }
}
