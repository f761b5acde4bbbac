//! Numbers with units.
//!
//! A power of ten is not multiplied but moved into the decimal exponent before the number is parsed, so that
//! `"375 mm"` is the double nearest to 0.375 and not the rounded product of two rounded factors.

use crate::parameter;
use std::f64::consts::PI;

/// What a field of a robot file measures. Of two with the same unit, the first is what it is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names say it
pub enum Dimension {
    Length,
    Angle,
    Mass,
    Inertia,
    Torque,
    AngularSpeed,
    Damping,
    Acceleration,
    Ratio,
    Force,
    Speed,
    LinearDamping,
    Time,
    Frequency,
    Stiffness,
    RotationalStiffness,
    Power,
    TorqueRate,
    Jerk,
    AngularAcceleration,
    AngularJerk,
    /// Motor turns per joint turn.
    GearRatio,
    /// Motor angle per way of a joint that slides; a lead, the way of one turn, says the same.
    SlideRatio,
    /// Of a motor that moves a joint which slides: of its rotor, or the mass of a linear motor.
    SlideRotor,
    /// A part of a whole.
    Share,
}

/// Exponents of metre, kilogram, second and radian.
type Exponents = [i32; 4];

/// Of each dimension, in their order: its name with an article, the unit of a bare number, how to write one, and its exponents.
const DIMENSIONS: [(Dimension, &str, &str, &str, Exponents); 25] = [
    (Dimension::Length, "a length", "m", "0.375 or \"375 mm\"", [1, 0, 0, 0]),
    (Dimension::Angle, "an angle", "rad", "0.5 or \"30 deg\"", [0, 0, 0, 1]),
    (Dimension::Mass, "a mass", "kg", "0.39 or \"390 g\"", [0, 1, 0, 0]),
    (Dimension::Inertia, "a moment of inertia", "kg m^2", "0.035 or \"0.4 g m^2\"", [2, 1, 0, 0]),
    (Dimension::Torque, "a torque", "N m", "80 or \"80 N m\"", [2, 1, -2, 0]),
    (Dimension::AngularSpeed, "an angular speed", "rad/s", "30 or \"300 rpm\"", [0, 0, -1, 1]),
    (Dimension::Damping, "a rotational damping", "N m s/rad", "0.3 or \"0.3 N m s/rad\"", [2, 1, -1, -1]),
    (Dimension::Acceleration, "an acceleration", "m/s^2", "9.81 or \"9.81 m/s^2\"", [1, 0, -2, 0]),
    (Dimension::Ratio, "a plain number", "1", "12.5", [0, 0, 0, 0]),
    (Dimension::Force, "a force", "N", "80 or \"80 N\"", [1, 1, -2, 0]),
    (Dimension::Speed, "a speed", "m/s", "0.5 or \"0.5 m/s\"", [1, 0, -1, 0]),
    (Dimension::LinearDamping, "a damping", "N s/m", "20 or \"20 N s/m\"", [0, 1, -1, 0]),
    (Dimension::Time, "a time", "s", "2 or \"500 ms\"", [0, 0, 1, 0]),
    (Dimension::Frequency, "a frequency", "Hz", "12 or \"12 Hz\"", [0, 0, -1, 0]),
    (Dimension::Stiffness, "a stiffness", "N/m", "4000 or \"4 kN/m\"", [0, 1, -2, 0]),
    (Dimension::RotationalStiffness, "a rotational stiffness", "N m/rad", "5000 or \"5 kNm/rad\"", [2, 1, -2, -1]),
    (Dimension::Power, "a power", "W", "1500 or \"1.5 kW\"", [2, 1, -3, 0]),
    (Dimension::TorqueRate, "a rate of torque", "N m/s", "20000 or \"20 kNm/s\"", [2, 1, -3, 0]),
    (Dimension::Jerk, "a jerk", "m/s^3", "3000 or \"3000 m/s^3\"", [1, 0, -3, 0]),
    (Dimension::AngularAcceleration, "an angular acceleration", "rad/s^2", "500 or \"500 rad/s^2\"", [0, 0, -2, 1]),
    (Dimension::AngularJerk, "an angular jerk", "rad/s^3", "20000 or \"20000 rad/s^3\"", [0, 0, -3, 1]),
    (Dimension::GearRatio, "a gear ratio", "1", "20 or \"1:20\"", [0, 0, 0, 0]),
    (
        Dimension::SlideRatio,
        "a gear ratio in rad/m or a lead",
        "rad/m",
        "400, \"400 rad/m\" or \"5 mm\"",
        [-1, 0, 0, 1],
    ),
    (
        Dimension::SlideRotor,
        "a rotor's inertia or a linear motor's mass",
        "kg m^2",
        "1e-4, \"1 kg cm^2\" or \"16.5 kg\"",
        [2, 1, 0, 0],
    ),
    (Dimension::Share, "a share", "1", "0.97 or \"97 %\"", [0, 0, 0, 0]),
];

// A dimension is its own place in the table.
const _: () = {
    let mut i = 0;
    while i < DIMENSIONS.len() {
        assert!(DIMENSIONS[i].0 as usize == i);
        i += 1;
    }
};

impl Dimension {
    /// What a number of a robot's table measures, at a joint that turns or slides.
    pub(in crate::robot) fn of(unit: parameter::Unit, slides: bool) -> Self {
        use parameter::Unit;
        let at_joint = |turning, sliding| if slides { sliding } else { turning };
        match unit {
            Unit::Length => Self::Length,
            Unit::Angle => Self::Angle,
            Unit::Mass => Self::Mass,
            Unit::Inertia => Self::Inertia,
            Unit::Acceleration => Self::Acceleration,
            Unit::Ratio => Self::Ratio,
            Unit::Damping => at_joint(Self::Damping, Self::LinearDamping),
            Unit::Torque => at_joint(Self::Torque, Self::Force),
            Unit::Speed => at_joint(Self::AngularSpeed, Self::Speed),
            Unit::MotorInertia => at_joint(Self::Inertia, Self::Mass),
            Unit::RotorInertia => at_joint(Self::Inertia, Self::SlideRotor),
            Unit::GearRatio => at_joint(Self::GearRatio, Self::SlideRatio),
            Unit::Stiffness => at_joint(Self::RotationalStiffness, Self::Stiffness),
            Unit::Position => at_joint(Self::Angle, Self::Length),
        }
    }

    /// With its article, for messages.
    pub fn name(self) -> &'static str {
        DIMENSIONS[self as usize].1
    }

    /// The unit of a bare number.
    pub fn si(self) -> &'static str {
        DIMENSIONS[self as usize].2
    }

    /// How to write one.
    pub fn example(self) -> &'static str {
        DIMENSIONS[self as usize].3
    }

    /// The unit in which people write it: that of the example.
    fn usual(self) -> &'static str {
        let text = self.example().split('"').nth(1);
        text.and_then(|text| text.split_once(' ')).map_or(self.si(), |(_, unit)| unit)
    }

    fn exponents(self) -> Exponents {
        DIMENSIONS[self as usize].4
    }

    /// Whether a unit is one of this but for a radian that is left out, as in `1/s` for `rad/s`.
    fn fits_without_radian(self, unit: Exponents) -> bool {
        let [own @ .., own_angle] = self.exponents();
        let [rest @ .., angle] = unit;
        // Of 200 1/m nobody knows whether they are turns or radians.
        let known = self != Self::SlideRatio;
        known && own == rest && own != [0; 3] && own_angle != 0 && angle == 0
    }

    /// What a unit measures, in words.
    fn describe(unit: Exponents) -> String {
        let found = DIMENSIONS.iter().find(|(.., exponents)| *exponents == unit);
        found.map_or("something else", |(_, name, ..)| name).to_owned()
    }
}

/// A product of units: its size is `factor`·10^`power` in SI.
#[derive(Clone, Copy, Debug, PartialEq)]
struct UnitFactors {
    factor: f64,
    power: i32,
    exponents: Exponents,
    /// Time is in plain seconds, if it is in it.
    seconds: bool,
}

impl UnitFactors {
    const ONE: Self = Self { factor: 1.0, power: 0, exponents: [0; 4], seconds: true };

    /// `self` · `other`^`exponent`.
    fn times(self, other: Self, exponent: i32) -> Self {
        let mut exponents = self.exponents;
        for (own, other) in exponents.iter_mut().zip(other.exponents) {
            *own += other * exponent;
        }
        Self {
            factor: self.factor * other.factor.powi(exponent),
            power: self.power + other.power * exponent,
            exponents,
            seconds: self.seconds && other.seconds,
        }
    }
}

const LENGTH: Exponents = [1, 0, 0, 0];
const MASS: Exponents = [0, 1, 0, 0];
const TIME: Exponents = [0, 0, 1, 0];
const FREQUENCY: Exponents = [0, 0, -1, 0];
const ANGLE: Exponents = [0, 0, 0, 1];
const FORCE: Exponents = [1, 1, -2, 0];
const TORQUE: Exponents = [2, 1, -2, 0];
const SPEED: Exponents = [0, 0, -1, 1];
const POWER: Exponents = [2, 1, -3, 0];

/// The units a file may use: symbol, factor, power of ten, what it measures.
const UNITS: [(&str, f64, i32, Exponents); 42] = [
    ("m", 1.0, 0, LENGTH),
    ("dm", 1.0, -1, LENGTH),
    ("cm", 1.0, -2, LENGTH),
    ("mm", 1.0, -3, LENGTH),
    ("um", 1.0, -6, LENGTH),
    ("µm", 1.0, -6, LENGTH), // micro sign
    ("μm", 1.0, -6, LENGTH), // Greek mu
    ("in", 254.0, -4, LENGTH),
    ("ft", 3048.0, -4, LENGTH),
    ("kg", 1.0, 0, MASS),
    ("g", 1.0, -3, MASS),
    ("mg", 1.0, -6, MASS),
    ("t", 1.0, 3, MASS),
    ("lb", 45_359_237.0, -8, MASS),
    ("oz", 28_349_523_125.0, -12, MASS),
    ("s", 1.0, 0, TIME),
    ("ms", 1.0, -3, TIME),
    ("us", 1.0, -6, TIME),
    ("µs", 1.0, -6, TIME),
    ("min", 60.0, 0, TIME),
    ("Hz", 1.0, 0, FREQUENCY),
    ("kHz", 1.0, 3, FREQUENCY),
    ("rad", 1.0, 0, ANGLE),
    ("mrad", 1.0, -3, ANGLE),
    ("deg", PI / 180.0, 0, ANGLE),
    ("°", PI / 180.0, 0, ANGLE),
    ("rev", 2.0 * PI, 0, ANGLE),
    ("rpm", PI / 30.0, 0, SPEED),
    ("N", 1.0, 0, FORCE),
    ("kN", 1.0, 3, FORCE),
    ("mN", 1.0, -3, FORCE),
    ("kgf", 980_665.0, -5, FORCE),
    ("gf", 980_665.0, -8, FORCE),
    ("lbf", 44_482_216_152_605.0, -13, FORCE),
    ("ozf", 2_780_138_509_537_812.5, -16, FORCE),
    ("Nm", 1.0, 0, TORQUE),
    ("kNm", 1.0, 3, TORQUE),
    ("Ncm", 1.0, -2, TORQUE),
    ("Nmm", 1.0, -3, TORQUE),
    ("mNm", 1.0, -3, TORQUE),
    ("W", 1.0, 0, POWER),
    ("kW", 1.0, 3, POWER),
];

fn unit(symbol: &str) -> Option<UnitFactors> {
    let &(_, factor, power, exponents) = UNITS.iter().find(|(name, ..)| *name == symbol)?;
    // A hertz is a turn, not a radian, per second.
    let seconds = symbol == "s" || ![TIME, FREQUENCY].contains(&exponents);
    Some(UnitFactors { factor, power, exponents, seconds })
}

/// m/s²: a kilogram-force is the weight of a kilogram where gravity is this.
const STANDARD_GRAVITY: f64 = 9.80665;

/// What the sheets of gears and servos have: a ratio of 1:20 or 20:1, both motor turns to joint turns; a share in percent; the time
/// for 60°.
fn of_data_sheets(number: &str, rest: &str, dimension: Dimension) -> Option<f64> {
    let text = number;
    let number: f64 = text.parse().ok()?;
    let value = match dimension {
        Dimension::Share if rest == "%" => shift_decimal(text, -2)?,
        Dimension::Ratio | Dimension::GearRatio => {
            let other: f64 = rest.strip_prefix(':')?.trim().parse().ok()?;
            (number.min(other) == 1.0).then(|| number.max(other))?
        }
        Dimension::AngularSpeed => {
            let angle = rest.strip_prefix("sec").or(rest.strip_prefix('s'))?.trim_start().strip_prefix('/')?;
            let unit = angle.trim_start().strip_prefix("60")?.trim_start();
            ["°", "deg"].contains(&unit).then(|| PI / 3.0 / number)?
        }
        _ => return None,
    };
    value.is_finite().then_some(value)
}

/// The unit that was meant, written in another way or mistyped.
fn meant(symbol: &str) -> Option<&'static str> {
    const WORDS: [(&str, &str); 16] = [
        ("meter", "m"),
        ("metre", "m"),
        ("millimeter", "mm"),
        ("millimetre", "mm"),
        ("inch", "in"),
        ("gram", "g"),
        ("kilogram", "kg"),
        ("pound", "lb"),
        ("ounce", "oz"),
        ("sec", "s"),
        ("second", "s"),
        ("radian", "rad"),
        ("degree", "deg"),
        ("turn", "rev"),
        ("newton", "N"),
        ("watt", "W"),
    ];
    let lower = symbol.to_lowercase();
    let singular = lower.strip_suffix('s').unwrap_or(&lower);
    let words = WORDS.iter().find(|(word, _)| *word == singular || *word == lower).map(|(_, unit)| *unit);
    let other_case = || UNITS.iter().map(|(unit, ..)| *unit).find(|unit| unit.to_lowercase() == lower);
    words.or_else(other_case)
}

/// Their symbols, each once.
fn known_units() -> String {
    let typed = UNITS.iter().map(|(symbol, ..)| *symbol).filter(|symbol| symbol.is_ascii());
    typed.collect::<Vec<_>>().join(", ")
}

/// Why a string is not the quantity that a field needs.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{problem}; {hint}")]
pub struct QuantityError {
    /// What is wrong.
    pub problem: String,
    /// How it might be mended.
    pub hint: String,
}

/// A quantity as it is typed: a bare number in SI, or a number with its unit. Always finite.
pub fn quantity(text: &str, dimension: Dimension) -> Result<f64, QuantityError> {
    let value = match text.trim().parse::<f64>() {
        Ok(value) => value,
        Err(_) => parse(text, dimension)?,
    };
    if value.is_finite() {
        return Ok(value);
    }
    let hint = format!("write {}, as in {}", dimension.name(), dimension.example());
    Err(QuantityError { problem: format!("\"{text}\" is not a finite number"), hint })
}

/// A string with its unit, in SI.
pub(in crate::robot) fn parse(text: &str, dimension: Dimension) -> Result<f64, QuantityError> {
    let fail = |problem: String, hint: String| Err(QuantityError { problem, hint });
    let example = || format!("write {}, as in {}", dimension.name(), dimension.example());
    let text = text.trim();
    let (number, rest) = split_number(text);
    if number.is_empty() {
        return fail(format!("\"{text}\" does not start with a number"), example());
    }
    if rest.starts_with([',', '_', '.']) {
        return fail(format!("\"{text}\" is not a number with a unit"), "the decimal sign is a point".to_owned());
    }
    if let Some(value) = of_data_sheets(number, rest.trim(), dimension) {
        return Ok(value);
    }
    if rest.trim().is_empty() {
        return fail(
            format!("\"{text}\" has no unit"),
            match dimension {
                Dimension::Share => format!("write \"{number} %\", or without quotes a part of one, as in 0.97"),
                Dimension::Ratio | Dimension::GearRatio => format!("write {number} without quotes"),
                _ => format!(
                    "give its unit, as in \"{number} {}\"; without quotes {number} is in {}",
                    dimension.usual(),
                    dimension.si()
                ),
            },
        );
    }
    if let Some((_, what)) =
        [(':', "a ratio"), ('%', "a share")].iter().find(|(sign, _)| rest.trim().starts_with(*sign))
    {
        return match dimension {
            Dimension::Ratio | Dimension::GearRatio if *what == "a ratio" => {
                fail(format!("one side of the ratio \"{text}\" must be 1"), example())
            }
            _ => fail(format!("\"{text}\" is {what}, but {} is needed", dimension.name()), example()),
        };
    }
    let unit = match parse_unit(rest) {
        Ok(unit) => unit,
        Err(symbol) => {
            return fail(
                format!("unknown unit \"{symbol}\""),
                match meant(symbol) {
                    Some(meant) => format!("did you mean \"{meant}\"? {}", example()),
                    None => {
                        format!("known are {} and their products, as in \"0.4 g m^2\"; {}", known_units(), example())
                    }
                },
            );
        }
    };
    if dimension.exponents() == [0; 4] && unit.exponents == [0; 4] {
        return fail(
            format!("\"{text}\" is a ratio of units, but a plain number is needed"),
            format!("compute it and write the number without quotes, as in {}", dimension.example()),
        );
    }
    let without_radian = dimension.fits_without_radian(unit.exponents);
    // A motor's 3000 1/min are turns, an angular frequency of 50 1/s are radians.
    let turns = without_radian && dimension == Dimension::AngularSpeed && unit.factor == 1.0 / 60.0;
    if without_radian && !unit.seconds && !turns {
        let hint = match dimension {
            Dimension::AngularSpeed => {
                format!(
                    "turns are written \"{number} rpm\" or \"{number} rev/s\", radians per minute \"{number} rad/min\""
                )
            }
            _ => example(),
        };
        return fail(format!("\"{text}\" leaves the angle out, which only goes with seconds"), hint);
    }
    // A spindle's 5 mm, or 5 mm/rev, is the way of one turn.
    let lead = dimension == Dimension::SlideRatio && [LENGTH, [1, 0, 0, -1]].contains(&unit.exponents);
    if lead {
        let way = shift_decimal(number, unit.power).map(|value| value * unit.factor);
        let turn = if unit.exponents == LENGTH { 2.0 * PI } else { 1.0 };
        return match way.filter(|way| *way != 0.0) {
            Some(way) => Ok(turn / way),
            None => fail(format!("a lead of \"{text}\" moves nothing"), example()),
        };
    }
    // A torque of 20 kg cm, as the sheets of servos have it, is that of a weight.
    let weight = dimension == Dimension::Torque && unit.exponents == [1, 1, 0, 0];
    let unit = match (turns, weight) {
        (true, _) => UnitFactors { factor: PI / 30.0, ..unit },
        (_, true) => UnitFactors { factor: unit.factor * STANDARD_GRAVITY, exponents: TORQUE, ..unit },
        // The mass of a linear motor is what its inertia is at a ratio of one.
        _ if dimension == Dimension::SlideRotor && unit.exponents == MASS => {
            UnitFactors { exponents: dimension.exponents(), ..unit }
        }
        _ => unit,
    };
    if !without_radian && dimension.exponents() != unit.exponents {
        return fail(
            format!("\"{text}\" is {}, but {} is needed", Dimension::describe(unit.exponents), dimension.name()),
            example(),
        );
    }
    match shift_decimal(number, unit.power) {
        // Multiplying by one would be harmless; it is left out to say that nothing is rounded twice.
        Some(value) if unit.factor == 1.0 => Ok(value),
        Some(value) => Ok(value * unit.factor),
        None => fail(format!("\"{number}\" is not a number"), example()),
    }
}

/// The decimal number at the start of a text, and what follows it.
fn split_number(text: &str) -> (&str, &str) {
    let bytes = text.as_bytes();
    let digits = |from: usize| from + bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let signed = |at: usize| at + usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
    let start = signed(0);
    let mut end = digits(start);
    let mut any = end > start;
    if bytes.get(end) == Some(&b'.') {
        let after = digits(end + 1);
        any |= after > end + 1;
        end = after;
    }
    if !any {
        return ("", text);
    }
    // An exponent needs digits: in "2 e" there is none.
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let from = signed(end + 1);
        let after = digits(from);
        if after > from {
            end = after;
        }
    }
    text.split_at(end)
}

/// The number · 10^`power`, rounded once.
fn shift_decimal(number: &str, power: i32) -> Option<f64> {
    let (mantissa, exponent) = match number.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (number, 0),
    };
    format!("{mantissa}e{}", exponent.checked_add(power)?).parse().ok()
}

/// A product of units such as `g m^2`, `N m s/rad`, `kg·mm²`, `1/s`. A slash divides by the one unit behind it. The
/// error is the part that was not understood.
fn parse_unit(text: &str) -> Result<UnitFactors, &str> {
    let mut product = UnitFactors::ONE;
    let mut rest = text.trim();
    let mut sign = 1;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('/') {
            if sign < 0 {
                return Err(rest);
            }
            sign = -1;
            rest = after.trim_start();
            continue;
        }
        // A hyphen as in "oz-in".
        if let Some(after) = rest.strip_prefix(['*', '·', '⋅', '-']) {
            rest = after.trim_start();
            continue;
        }
        let is_letter = |c: char| c.is_alphabetic() || c == '°';
        let length = rest.find(|c| !is_letter(c)).unwrap_or(rest.len());
        let (symbol, after) = rest.split_at(length);
        // "1/s"
        if symbol.is_empty() {
            match rest.strip_prefix('1') {
                Some(after) if after.trim_start().starts_with('/') && sign > 0 => {
                    rest = after.trim_start();
                    continue;
                }
                _ => return Err(rest),
            }
        }
        let Some(known) = unit(symbol) else { return Err(symbol) };
        let (exponent, after) = split_exponent(after).ok_or(rest)?;
        product = product.times(known, sign * exponent);
        sign = 1;
        rest = after.trim_start();
    }
    if sign < 0 { Err(text) } else { Ok(product) }
}

/// `^2`, `²`, `2`, `^-1` or nothing. Only small exponents: nothing measured has others.
fn split_exponent(text: &str) -> Option<(i32, &str)> {
    for (sign, exponent) in [("²", 2), ("³", 3), ("⁻¹", -1), ("⁻²", -2)] {
        if let Some(rest) = text.strip_prefix(sign) {
            return Some((exponent, rest));
        }
    }
    let (marked, body) = match text.strip_prefix('^') {
        Some(body) => (true, body),
        None => (false, text),
    };
    let length = usize::from(marked && body.starts_with('-'));
    let end = length + body[length..].bytes().take_while(u8::is_ascii_digit).count();
    if end == length {
        return if marked { None } else { Some((1, text)) };
    }
    let exponent: i32 = body[..end].parse().ok()?;
    (exponent.abs() <= 4).then_some((exponent, &body[end..]))
}
