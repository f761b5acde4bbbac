//! Numbers with units.

use dalembert::DeltaRobot;
use dalembert::robot::file::{Dimension, quantity};
use std::f64::consts::PI;

const FILE: &str = r#"kind = "delta"
name = "plain"
base.radius = 0.25
upper_arm = { length = "375 mm", mass = 1.40, center_of_mass = 0.122, inertia = 0.035 }
forearm = { length = 0.9, mass = 0.39 }
platform = { radius = 0.1, mass = 0.94 }
"#;

#[test]
fn powers_of_ten_are_rounded_once() {
    for (text, dimension, expected) in [
        ("375 mm", Dimension::Length, 0.375),
        ("375mm", Dimension::Length, 0.375),
        ("0.1 mm", Dimension::Length, 0.0001),
        ("12.2 cm", Dimension::Length, 0.122),
        ("1e3 mm", Dimension::Length, 1.0),
        ("-50 mm", Dimension::Length, -0.05),
        ("0.4 g m^2", Dimension::Inertia, 0.0004),
        ("0.4 g m²", Dimension::Inertia, 0.0004),
        ("0.4 g*m2", Dimension::Inertia, 0.0004),
        ("35000 kg mm^2", Dimension::Inertia, 0.035),
        ("1.40 kg", Dimension::Mass, 1.4),
        ("390 g", Dimension::Mass, 0.39),
        ("80 N m", Dimension::Torque, 80.0),
        ("80 Nm", Dimension::Torque, 80.0),
        ("80 kg m^2/s^2", Dimension::Torque, 80.0),
        ("0.3 N m s/rad", Dimension::Damping, 0.3),
        ("12 Hz", Dimension::Frequency, 12.0),
        ("1.5 kHz", Dimension::Frequency, 1500.0),
        ("4 kN/m", Dimension::Stiffness, 4000.0),
        ("5 kNm/rad", Dimension::RotationalStiffness, 5000.0),
        ("20 N m/ms", Dimension::TorqueRate, 20000.0),
        ("3 m/s^3", Dimension::Jerk, 3.0),
        ("1.5 kW", Dimension::Power, 1500.0),
        ("0.3 Nm s", Dimension::Damping, 0.3),
        ("3 rad/s", Dimension::AngularSpeed, 3.0),
        ("3 1/s", Dimension::AngularSpeed, 3.0),
        ("3 s^-1", Dimension::AngularSpeed, 3.0),
        ("9.81 m/s^2", Dimension::Acceleration, 9.81),
        ("9.81 m/s/s", Dimension::Acceleration, 9.81),
        ("10 in", Dimension::Length, 0.254),
    ] {
        assert_eq!(quantity(text, dimension), Ok(expected), "{text}");
    }
}

#[test]
fn angles_and_speeds() {
    assert_eq!(quantity("180 deg", Dimension::Angle), Ok(PI));
    assert_eq!(quantity("90°", Dimension::Angle), Ok(PI / 2.0));
    let rpm = quantity("60 rpm", Dimension::AngularSpeed).unwrap();
    assert!((rpm - 2.0 * PI).abs() < 1e-15);
    let turns = quantity("60 rev/min", Dimension::AngularSpeed).unwrap();
    assert!((turns - 2.0 * PI).abs() < 1e-14);
    let slow = quantity("180 deg/s", Dimension::AngularSpeed).unwrap();
    assert!((slow - PI).abs() < 1e-15);
}

#[test]
fn all_units_are_told() {
    let hint = quantity("3 furlong", Dimension::Length).unwrap_err().hint;
    for unit in [" dm,", " t,", " kN,", " Ncm,"] {
        assert!(hint.contains(unit), "{hint}");
    }
    for (text, dimension, meant) in [
        ("5 MM", Dimension::Length, "\"mm\""),
        ("5 Kg", Dimension::Mass, "\"kg\""),
        ("5 meters", Dimension::Length, "\"m\""),
        ("5 degrees", Dimension::Angle, "\"deg\""),
        ("5 sec", Dimension::Time, "\"s\""),
        ("5 RPM", Dimension::AngularSpeed, "\"rpm\""),
    ] {
        let hint = quantity(text, dimension).unwrap_err().hint;
        assert!(hint.starts_with(&format!("did you mean {meant}?")), "{text}: {hint}");
    }
}

/// What stands on the sheets of motors, gears and servos.
#[test]
fn units_of_data_sheets() {
    let near = |text: &str, dimension, expected: f64| {
        let value = quantity(text, dimension).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!((value - expected).abs() <= 4.0 * f64::EPSILON * expected.abs(), "{text}: {value} {expected}");
    };
    let kgf_cm = 9.80665 * 0.01;
    for text in ["10 kgf cm", "10 kgf·cm", "10 kgf-cm", "10 kg cm", "10 kg-cm", "0.1 kg m", "10000 gf cm"] {
        near(text, Dimension::Torque, 10.0 * kgf_cm);
    }
    let ozf_in = 0.028349523125 * 9.80665 * 0.0254;
    for text in ["50 oz in", "50 oz-in", "50 ozf in", "3.125 lbf in", "3.125 lb-in"] {
        near(text, Dimension::Torque, 50.0 * ozf_in);
    }
    near("2 lbf ft", Dimension::Torque, 2.0 * 16.0 * 12.0 * ozf_in);
    near("5 kgf", Dimension::Force, 5.0 * 9.80665);
    for text in ["3000 rpm", "3000 1/min", "3000/min", "3000 min^-1", "3000 min⁻¹", "50 rev/s"] {
        near(text, Dimension::AngularSpeed, 100.0 * PI);
    }
    for text in ["0.12 s/60°", "0.12s/60deg", "0.12 sec/60°", "0.12 s / 60 deg"] {
        near(text, Dimension::AngularSpeed, PI / 3.0 / 0.12);
    }
    for text in ["1:20", "20:1", "1 : 20"] {
        near(text, Dimension::Ratio, 20.0);
    }
    // Three to two may be either way round; a force of five kilograms may be a mass.
    for (text, dimension) in
        [("3:2", Dimension::Ratio), ("5 kg", Dimension::Force), ("0 s/60°", Dimension::AngularSpeed)]
    {
        assert!(quantity(text, dimension).is_err(), "{text}");
    }
}

#[test]
fn what_does_not_fit_is_named() {
    for (text, dimension, fragment) in [
        ("3 1/ms", Dimension::AngularSpeed, "leaves the angle out"),
        ("3 Nm ms", Dimension::Damping, "leaves the angle out"),
        ("5 m/m", Dimension::Angle, "a plain number, but an angle"),
        ("5 deg/rad", Dimension::Ratio, "a ratio of units"),
        ("10 kg/kg", Dimension::Ratio, "a ratio of units"),
        ("2 kg", Dimension::Length, "a mass, but a length"),
        ("2 m", Dimension::Ratio, "a length, but a plain number"),
        ("3 m/s", Dimension::AngularSpeed, "a speed, but an angular speed"),
        ("375 mn", Dimension::Length, "unknown unit \"mn\""),
        ("mm", Dimension::Length, "does not start with a number"),
        ("3,5 mm", Dimension::Length, "not a number with a unit"),
        ("3 m^", Dimension::Length, "unknown unit"),
        ("3 /", Dimension::Length, "unknown unit"),
        ("3 m//s", Dimension::Length, "unknown unit"),
        ("3 m^99", Dimension::Length, "unknown unit"),
        ("", Dimension::Length, "does not start with a number"),
        ("inf m", Dimension::Length, "does not start with a number"),
        ("1e99999999999 m", Dimension::Length, "is not a number"),
    ] {
        let error = quantity(text, dimension).unwrap_err();
        assert!(error.problem.contains(fragment), "{text}: {}", error.problem);
    }
    // A text of a file; a bare number that is typed is in SI.
    let error = DeltaRobot::parse(&FILE.replace("375 mm", "0.375")).unwrap_err();
    assert!(error.problem.contains("has no unit"), "{}", error.problem);
}
