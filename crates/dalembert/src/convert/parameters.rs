//! What conventions call the numbers of a robot, and their units: one table for each convention.
//!
//! - **LinuxCNC**, `src/emc/kinematics/rotarydeltakins-common.h` of its repository (C. Radek, 2013), its head comment and its
//!   equations: z up, origin in the plane of the hips; a thigh is at 0° when horizontal outward and turns positive with the knee
//!   down; degrees; joint 0 swings in the YZ plane with its knee at −y; joint 1 is at 30°, joint 2 at 150°. Its "platform" is the
//!   fixed one, on top. Assumed: lengths in mm; LinuxCNC has machine units, mm or inch. Of two revisions that were read, one
//!   (`0e94dfbc`) computes with z *down* and joints 1 and 2 exchanged although its comment says the same as the other
//!   (`5983acda`); this is the other, whose comment and code agree.
//! - **Klipper**, `docs/Config_Reference.md` ("Rotary delta Kinematics"), `klippy/kinematics/rotary_delta.py` (`elbow_coord`) and
//!   `klippy/chelper/kin_rotary_delta.c` of its repository (K. O'Connor, 2019–2021): z up from the *bed*, arms at `angle` (30°,
//!   150°, 270° by default), stepper positions in *radians*, zero horizontal outward and positive with the elbow **up**. Only the
//!   difference of the radii is known; `shoulder_height` is that of
//!   [`Converter::with_height`](super::Converter::with_height). A torque is positive as its angle is.
//! - **Trossen**, the tutorial of the Trossen Robotics forum (mzavatsky, 2009), its `delta_calcForward` and `delta_calcAngleYZ` as
//!   copied in many public repositories: z up, origin in the plane of the motor axes, θ₁ in the YZ plane with the elbow at −y, θ₂
//!   at 30°, θ₃ at 150°; degrees, positive with the elbow down. Assumed: lengths in mm; the code works in any unit. Some copies
//!   write tan 30° as `0.57735`, which is off by 5e-7.
//! - **TwinCAT** 3, TF5112, "3D-Delta Type 1 (P_3C)": the page of that name in Beckhoff's Information System (TF5110–TF5113
//!   Kinematic Transformation), motor axes in degrees. **Assumed**, because the page shows it only in a diagram that could not be
//!   seen: the zero and sense of the motor angles (taken as ours), the axes of the machine coordinate system (z up) and the place
//!   of M1 (along +x), M2, M3 (120° and 240°). Check these three on the machine before trusting a converted state; the parameters
//!   do not depend on them. The page has no centre of mass of the inner arm, which is listed here with its parameters, and no inertia
//!   of the outer one: the rods are uniform. The rotor is a matter of TwinCAT's drive settings.
//! - **Asadi & Heydari 2020**, (1)–(4), (22), (26) and the Appendix; the map is tested in `crates/papers/errata.md`, §1. Its z points
//!   **down**, its arms along y′ of the frame turned by φ_i. The Appendix calls the pair's mass `m_K`, which elsewhere is another mass.
//! - **Bortoff 2018**, (1)–(5), (10), (11) and Table I; the map is tested in `crates/papers/errata.md`, §4. Its x₃ points **down**,
//!   x₁ = x, x₂ = y; arm 1 is in the x₂–x₃ plane, arms 2 and 3 follow by ±120°; the motor angle φ₁ is q and u is τ. Table I prints
//!   N m/s² for the inertias; they are in kg m². J₁ has the rotor in it: the paper does not distinguish them.
//! - **Falezza et al. 2022**, (2), (6), (7), T₁ and Table 1. The print mixes z up and z down; the coherent reading
//!   (`crates/papers/errata.md`, §3) is z **down**, θ = q positive with the elbow down, τ the same. Its rods are homogeneous.

use super::{Convention, ConvertError, turn};
use crate::Vec3;
use crate::delta::{ArmParameters, Azimuth, Forearm, Motor, Parameters, UpperArm};
use NumberPlace::{Each, Every, Whole};
use std::f64::consts::FRAC_PI_2;

pub(super) type ArmNumbers = ArmParameters<f64>;

/// A number of an arm: its key in robot files, how it is read and how it is set.
pub(super) type OfArm = (&'static str, fn(&ArmNumbers) -> f64, fn(&mut ArmNumbers, f64));

/// Where a number of a convention is in a robot.
pub(super) enum NumberPlace {
    /// The same in every arm.
    Every(OfArm),
    /// One for each arm.
    Each(OfArm),
    /// Of the whole robot.
    Whole(fn(&Parameters<f64>) -> f64, fn(&mut Parameters<f64>, f64)),
}

const BASE: OfArm = ("base.radius", |arm| arm.base_radius, |arm, x| arm.base_radius = x);
const PLATFORM: OfArm = ("platform.radius", |arm| arm.platform_radius, |arm, x| arm.platform_radius = x);
const AZIMUTH: OfArm = ("base.azimuths", |arm| arm.azimuth.radians(), |arm, x| arm.azimuth = Azimuth::from_radians(x));
const UPPER_ARM: OfArm = ("upper_arm.length", |arm| arm.upper_arm.length, |arm, x| arm.upper_arm.length = x);
const UPPER_CENTER: OfArm =
    ("upper_arm.center_of_mass", |arm| arm.upper_arm.center_of_mass, |arm, x| arm.upper_arm.center_of_mass = x);
const UPPER_MASS: OfArm = ("upper_arm.mass", |arm| arm.upper_arm.mass, |arm, x| arm.upper_arm.mass = x);
const UPPER_INERTIA: OfArm = ("upper_arm.inertia", |arm| arm.upper_arm.inertia, |arm, x| arm.upper_arm.inertia = x);
const FOREARM: OfArm = ("forearm.length", |arm| arm.forearm.length, |arm, x| arm.forearm.length = x);
const FOREARM_CENTER: OfArm =
    ("forearm.center_of_mass", |arm| arm.forearm.center_of_mass, |arm, x| arm.forearm.center_of_mass = x);
const FOREARM_MASS: OfArm = ("forearm.mass", |arm| arm.forearm.mass, |arm, x| arm.forearm.mass = x);
const FOREARM_INERTIA: OfArm = ("forearm.inertia", |arm| arm.forearm.inertia, |arm, x| arm.forearm.inertia = x);
/// Of a rod that is the same all along: what a source means that gives length and mass only.
const UNIFORM_ROD: OfArm =
    ("forearm.mass", |arm| arm.forearm.mass, |arm, x| arm.forearm = uniform_rod(arm.forearm.length, x));
const SHOULDER_RADIUS: OfArm = (
    "base.radius − platform.radius",
    |arm| arm.base_radius - arm.platform_radius,
    |arm, x| (arm.base_radius, arm.platform_radius) = (x, 0.0),
);
const DEGREES: OfArm = (
    "base.azimuths",
    |arm| arm.azimuth.radians().to_degrees().rem_euclid(360.0),
    |arm, x| arm.azimuth = Azimuth::from_radians(x.to_radians()),
);
const INERTIA_AT_MOTOR: OfArm = (
    "upper_arm.inertia",
    |ArmNumbers { upper_arm: arm, .. }| arm.inertia + arm.mass * arm.center_of_mass * arm.center_of_mass,
    |ArmNumbers { upper_arm: arm, .. }, x| arm.inertia = x - arm.mass * arm.center_of_mass * arm.center_of_mass,
);
const ELBOW_MASS: OfArm = (
    "upper_arm.elbow_mass",
    |arm| arm.upper_arm.mass_at_elbow(),
    |arm, x| arm.upper_arm.elbow_mass = (x != 0.0).then_some(x),
);
const PHI: OfArm = (
    "base.azimuths",
    |arm| arm.azimuth.radians() - FRAC_PI_2,
    |arm, x| arm.azimuth = Azimuth::from_radians(x + FRAC_PI_2),
);
const UPPER_RATIO: OfArm = (
    "upper_arm.center_of_mass",
    |ArmNumbers { upper_arm, .. }| upper_arm.center_of_mass / upper_arm.length,
    |ArmNumbers { upper_arm, .. }, x| upper_arm.center_of_mass = x * upper_arm.length,
);
const ROD_RATIO: OfArm =
    ("forearm.center_of_mass", |arm| arm.rod_ratio(), |arm, x| arm.forearm.center_of_mass = x * arm.forearm.length);
const ROTOR_AT_JOINT: OfArm = (
    "motor.rotor_inertia",
    |arm| arm.reflected_rotor_inertia(),
    |arm, x| (arm.motor.rotor_inertia, arm.motor.gear_ratio) = (x, 1.0),
);
const INERTIA_WITH_ROTOR: OfArm = (
    "upper_arm.inertia",
    |arm| arm.upper_arm.inertia + arm.reflected_rotor_inertia(),
    |arm, x| arm.upper_arm.inertia = x,
);
const PLATFORM_MASS: NumberPlace = Whole(|p| p.platform_mass, |p, x| p.platform_mass = x);
/// Along its +z.
const GRAVITY: NumberPlace = Whole(|p| -p.gravity[2], |p, x| p.gravity = Vec3::new(0.0, 0.0, -x));

/// A name, how many of its units make one of ours, and the number. What depends on others follows them.
pub(super) type ConventionRow = (&'static str, f64, NumberPlace);

const MM: f64 = 1000.0;
/// 2√3: the side of an equilateral triangle over the distance from its centre to a side.
const SIDE_PER_RADIUS: f64 = 3.464_101_615_137_754_6;

pub(super) const LINUXCNC: &[ConventionRow] = &[
    ("platformradius", MM, Every(BASE)),
    ("thighlength", MM, Every(UPPER_ARM)),
    ("shinlength", MM, Every(FOREARM)),
    ("footradius", MM, Every(PLATFORM)),
];
pub(super) const KLIPPER: &[ConventionRow] = &[
    ("shoulder_radius", MM, Every(SHOULDER_RADIUS)),
    ("upper_arm_length", MM, Each(UPPER_ARM)),
    ("lower_arm_length", MM, Each(FOREARM)),
    ("angle", 1.0, Each(DEGREES)),
];
pub(super) const TROSSEN: &[ConventionRow] = &[
    // The sides of the triangles of base and platform.
    ("f", MM * SIDE_PER_RADIUS, Every(BASE)),
    ("e", MM * SIDE_PER_RADIUS, Every(PLATFORM)),
    ("rf", MM, Every(UPPER_ARM)),
    ("re", MM, Every(FOREARM)),
];
pub(super) const TWINCAT: &[ConventionRow] = &[
    ("Inner arm length", MM, Every(UPPER_ARM)),
    ("Outer arm length", MM, Every(FOREARM)),
    ("Displacement", MM, Every(BASE)),
    ("TCP displacement", MM, Every(PLATFORM)),
    ("Inner arm mass", 1.0, Every(UPPER_MASS)),
    // Not one of TwinCAT's; from the motor axis, m.
    ("Inner arm centre of mass", 1.0, Every(UPPER_CENTER)),
    // About the motor axis, kg mm². A negative one is not caught here but by `Delta::try_new`.
    ("Inner arm moment of inertia", MM * MM, Every(INERTIA_AT_MOTOR)),
    // Of both bars.
    ("Outer arm mass", 1.0, Every(UNIFORM_ROD)),
    ("Link mass", 1.0, Every(ELBOW_MASS)),
    ("TCP mass", 1.0, PLATFORM_MASS),
];
pub(super) const ASADI: &[ConventionRow] = &[
    ("r_b", 1.0, Every(BASE)),
    ("r_a", 1.0, Every(PLATFORM)),
    ("phi", 1.0, Each(PHI)),
    ("l_L", 1.0, Every(UPPER_ARM)),
    ("r_L", 1.0, Every(UPPER_RATIO)),
    ("m_L", 1.0, Every(UPPER_MASS)),
    ("I_L", 1.0, Every(UPPER_INERTIA)),
    ("l_K", 1.0, Every(FOREARM)),
    ("r_K", 1.0, Every(ROD_RATIO)),
    ("M_K", 1.0, Every(FOREARM_MASS)),
    ("I_K", 1.0, Every(FOREARM_INERTIA)),
    // At the joint.
    ("I_mo", 1.0, Every(ROTOR_AT_JOINT)),
    ("m_P", 1.0, PLATFORM_MASS),
    ("g", 1.0, GRAVITY),
];
pub(super) const BORTOFF: &[ConventionRow] = &[
    ("l0", 1.0, Every(BASE)),
    ("l1", 1.0, Every(UPPER_ARM)),
    ("l2", 1.0, Every(FOREARM)),
    ("l3", 1.0, Every(PLATFORM)),
    ("lc1", 1.0, Every(UPPER_CENTER)),
    ("lc2", 1.0, Every(FOREARM_CENTER)),
    ("m1", 1.0, Every(UPPER_MASS)),
    ("m2", 1.0, Every(FOREARM_MASS)),
    // A third of the platform.
    ("m3", 1.0, Whole(|p| p.platform_mass / 3.0, |p, x| p.platform_mass = 3.0 * x)),
    ("J1", 1.0, Every(INERTIA_WITH_ROTOR)),
    ("J2", 1.0, Every(FOREARM_INERTIA)),
    ("a", 1.0, GRAVITY),
];
pub(super) const FALEZZA: &[ConventionRow] = &[
    ("r_f", 1.0, Every(BASE)),
    ("r_e", 1.0, Every(PLATFORM)),
    ("alpha", 1.0, Each(AZIMUTH)),
    ("l_1", 1.0, Every(UPPER_ARM)),
    ("a_1", 1.0, Every(UPPER_CENTER)),
    ("m_1", 1.0, Every(UPPER_MASS)),
    // About the centre of mass, by T₁.
    ("I_1", 1.0, Every(UPPER_INERTIA)),
    ("l_2", 1.0, Every(FOREARM)),
    ("m_2", 1.0, Every(UNIFORM_ROD)),
    ("m_0", 1.0, PLATFORM_MASS),
    ("I_3", 1.0, Every(("motor.rotor_inertia", |arm| arm.motor.rotor_inertia, |arm, x| arm.motor.rotor_inertia = x))),
    ("k_r", 1.0, Every(("motor.gear_ratio", |arm| arm.motor.gear_ratio, |arm, x| arm.motor.gear_ratio = x))),
    ("g", 1.0, GRAVITY),
];

fn rows(convention: Convention) -> &'static [ConventionRow] {
    convention.described().2
}

/// A robot as a convention describes it: its numbers by its names, in its units.
#[derive(Clone, Debug, PartialEq)]
pub struct ConventionParameters {
    convention: Convention,
    /// In the order of its table; three equal ones where it has one number for all arms.
    values: Vec<[f64; 3]>,
}

impl ConventionParameters {
    /// These numbers, all that the convention has; none where one is missing.
    pub fn new(convention: Convention, numbers: &[(&str, [f64; 3])]) -> Option<Self> {
        let given = |name: &str| numbers.iter().find(|(given, _)| *given == name).map(|(_, value)| *value);
        let values = rows(convention).iter().map(|(name, ..)| given(name)).collect::<Option<_>>()?;
        Some(Self { convention, values })
    }

    /// From ours. What the convention cannot say is an error: rather that than a robot that silently became lighter.
    pub fn of(convention: Convention, p: &Parameters<f64>) -> Result<Self, ConvertError> {
        let refuse = |field, reason| Err(ConvertError::CannotSay { convention: convention.name(), field, reason });
        if !matches!(convention, Convention::LinuxCnc | Convention::Klipper | Convention::Trossen) {
            refuse_extras(convention, p)?;
        }
        if convention == Convention::TwinCat && p.arms.iter().any(|arm| arm.motor.rotor_inertia != 0.0) {
            return refuse("motor.rotor_inertia", "it belongs to the drive's settings; make it zero here");
        }
        turn(convention, p.arms.map(|arm| arm.azimuth))?;
        let value = |(_, per_unit, number): &ConventionRow| {
            let value = match number {
                Every((field, get, _)) => [alike(convention, field, p.arms.each_ref().map(get))?; 3],
                Each((_, get, _)) => p.arms.each_ref().map(get),
                Whole(get, _) => [get(p); 3],
            };
            Ok(value.map(|x| x * per_unit))
        };
        let values = rows(convention).iter().map(value).collect::<Result<Vec<[f64; 3]>, _>>()?;
        if convention == Convention::Klipper && values[0][0] <= 0.0 {
            let reason = "it must be smaller than base.radius: Klipper wants a positive shoulder_radius";
            return refuse("platform.radius", reason);
        }
        Ok(Self { convention, values })
    }

    /// The names of a convention's numbers, in the order of its table, and whether each arm has one of its own.
    pub fn names(convention: Convention) -> impl Iterator<Item = (&'static str, bool)> {
        rows(convention).iter().map(|(name, _, number)| (*name, matches!(number, Each(_))))
    }

    /// A number by its name: one for each arm, the same for all three where the convention has one for all.
    pub fn get(&self, name: &str) -> Option<[f64; 3]> {
        let place = rows(self.convention).iter().position(|(known, ..)| *known == name)?;
        self.values.get(place).copied()
    }

    /// In our terms; what the convention does not say is zero. Its arms are where it has them.
    pub fn to_canonical(&self) -> Parameters<f64> {
        let arm = ArmNumbers {
            azimuth: Azimuth { cos: 1.0, sin: 0.0 },
            base_radius: 0.0,
            platform_radius: 0.0,
            upper_arm: UpperArm {
                length: 0.0,
                mass: 0.0,
                center_of_mass: 0.0,
                center_of_mass_offset: None,
                inertia: 0.0,
                elbow_mass: None,
            },
            forearm: uniform_rod(0.0, 0.0),
            motor: Motor { rotor_inertia: 0.0, gear_ratio: 1.0, friction: None },
            passive_damping: None,
            zero_offset: None,
        };
        let gravity = Vec3::new(0.0, 0.0, -9.81);
        self.onto(Parameters { gravity, arms: [arm; 3], platform_mass: 0.0, payload_mass: 0.0, tool: Vec3::zero() })
    }

    /// Another robot with these numbers: its masses stay where the convention has none.
    pub fn onto(&self, mut p: Parameters<f64>) -> Parameters<f64> {
        if let Some(places) = self.convention.axes().azimuths {
            p.arms.iter_mut().zip(places).for_each(|(arm, degrees)| (AZIMUTH.2)(arm, degrees.to_radians()));
        }
        for ((_, per_unit, number), values) in rows(self.convention).iter().zip(&self.values) {
            // Division, so that 375 mm is 0.375 m.
            let ours = values.map(|x| x / per_unit);
            match number {
                Every((_, _, set)) | Each((_, _, set)) => {
                    p.arms.iter_mut().zip(ours).for_each(|(arm, value)| set(arm, value));
                }
                Whole(_, set) => set(&mut p, ours[0]),
            }
        }
        p
    }
}

/// The one value of three equal ones.
fn alike(convention: Convention, field: &'static str, values: [f64; 3]) -> Result<f64, ConvertError> {
    let near = |value: f64| (value - values[0]).abs() <= 1e-12 * values[0].abs();
    if near(values[1]) && near(values[2]) {
        Ok(values[0])
    } else {
        Err(ConvertError::ArmsDiffer { convention: convention.name(), field, values })
    }
}

/// Refuses what no paper and no controller has.
fn refuse_extras(convention: Convention, p: &Parameters<f64>) -> Result<(), ConvertError> {
    const UNKNOWN: &str = "it knows nothing of the kind";
    let any = |has: fn(&ArmNumbers) -> bool| p.arms.iter().any(has);
    let is_uniform = |ArmNumbers { forearm: rod, .. }: &ArmNumbers| {
        let uniform = uniform_rod(rod.length, rod.mass);
        (rod.center_of_mass - uniform.center_of_mass).abs() <= 1e-9 * rod.length
            && (rod.inertia - uniform.inertia).abs() <= 1e-9 * uniform.inertia
    };
    let [x, y, z] = p.gravity.0;
    let extras = [
        ("gravity", x != 0.0 || y != 0.0 || z > 0.0, "its robots hang upright"),
        ("payload.mass", p.payload_mass != 0.0, UNKNOWN),
        ("platform.tool", p.tool.0 != [0.0; 3], UNKNOWN),
        ("motor.friction", any(|arm| arm.motor.friction.is_some()), UNKNOWN),
        ("joints.zero_offset", any(|arm| arm.zero_offset.is_some()), "its readings are those of the arms"),
        ("joints.passive_damping", any(|arm| arm.passive_damping.is_some()), UNKNOWN),
        (
            "upper_arm.center_of_mass_offset",
            any(|arm| arm.upper_arm.is_off_line()),
            "its upper arms have their centres of mass on their lines",
        ),
        (
            "upper_arm.elbow_mass",
            // TwinCAT has a link mass.
            any(|arm| arm.upper_arm.mass_at_elbow() != 0.0) && convention != Convention::TwinCat,
            "add it to the upper arm's mass, centre of mass and inertia",
        ),
        (
            "forearm.inertia",
            matches!(convention, Convention::Falezza | Convention::TwinCat) && !p.arms.iter().all(is_uniform),
            "its rods are uniform, these are not",
        ),
    ];
    match extras.into_iter().find(|(_, is_there, _)| *is_there) {
        Some((field, _, reason)) => Err(ConvertError::CannotSay { convention: convention.name(), field, reason }),
        None => Ok(()),
    }
}

fn uniform_rod(length: f64, mass: f64) -> Forearm<f64> {
    Forearm { length, mass, center_of_mass: length / 2.0, inertia: mass * length * length / 12.0 }
}
