//! Values for controllers, read back as the controllers do.
//!
//! A printer that was built otherwise than its file says is measured at some readings of its joints. What is printed for the
//! controller is put into the controller's own kinematics, written here once more from its sources: towers, spheres, switches.
//! There the tool has to be where the printer's was, to what the noise of the measurement leaves.

use dalembert::Vec3;
use dalembert::identify::calibrate::{Calibration, CalibrationPoint, CalibrationSetup, calibrate};
use dalembert::identify::firmware::Firmware;
use dalembert::robot::{JointState, JointVector, Pick, Robot};
use dalembert_proptest::Random;

fn normal(random: &mut Random) -> f64 {
    (0..12).map(|_| random.unit()).sum::<f64>() - 6.0
}

fn place(robot: &Robot, q: &[f64]) -> Vec3<f64> {
    robot.at_joints(&JointState::at_rest(JointVector::new(q)), &Pick::default()).unwrap().tool.pose.origin
}

/// The lower of the two points at these distances from three centres.
fn below(centers: [[f64; 3]; 3], distances: [f64; 3]) -> Vec3<f64> {
    let [a, b, c] = centers.map(|own| Vec3::new(own[0], own[1], own[2]));
    let (ab, ac) = (b - a, c - a);
    let d = ab.norm_squared().sqrt();
    let ex = ab * (1.0 / d);
    let i = ex.dot(ac);
    let ey = ac - ex * i;
    let ey = ey * (1.0 / ey.norm_squared().sqrt());
    let (ez, j) = (ex.cross(ey), ey.dot(ac));
    let [ra, rb, rc] = distances.map(|r| r * r);
    let x = (ra - rb + d * d) / (2.0 * d);
    let y = (ra - rc + i * i + j * j - 2.0 * i * x) / (2.0 * j);
    let z = (ra - x * x - y * y).sqrt();
    let both = [z, -z].map(|z| a + ex * x + ey * y + ez * z);
    if both[0][2] < both[1][2] { both[0] } else { both[1] }
}

/// The number after a word, mm or degrees.
fn after(text: &str, word: &str) -> f64 {
    let rest = &text[text.find(word).unwrap_or_else(|| panic!("{word} in {text}")) + word.len()..];
    let end = rest.find(|c: char| !(c.is_ascii_digit() || "+-.".contains(c))).unwrap_or(rest.len());
    rest[..end].parse().unwrap_or_else(|_| panic!("{word} in {text}"))
}

const ZEROS: [f64; 3] = [0.0011, -0.0007, 0.0004];
const SWITCHES: [f64; 3] = [0.46, 0.46, 0.46];

/// The printer of the file, and as it was built: radius, rods and the third tower's place are off.
fn printers() -> [Robot; 2] {
    let file = Robot::find("linear-delta").unwrap();
    let (radius, angles) = (0.1578_f64, [0.0_f64, 120.0, 240.4]);
    let off = |number: &dalembert::robot::Number| {
        let (Some(part), component) = (number.place.part, number.place.component) else { return 0.0 };
        let (sin, cos) = angles[part].to_radians().sin_cos();
        // The platform's joints are where they were; what counts is the difference.
        let (osin, ocos) = (120.0 * part as f64).to_radians().sin_cos();
        match (number.field.key, component) {
            ("base", Some(0)) => 0.033 * ocos + (radius - 0.033) * cos - 0.157 * ocos,
            ("base", Some(1)) => 0.033 * osin + (radius - 0.033) * sin - 0.157 * osin,
            ("rod.length", None) => [0.0006, -0.0004, 0.0001][part],
            _ => 0.0,
        }
    };
    let built = Robot::parse(&file.moved(&off).unwrap().family().to_toml("as built", None).unwrap()).unwrap();
    [file, built]
}

fn measured(truth: &Robot, zeros: [f64; 3], low: f64, high: f64, noise: f64) -> Vec<CalibrationPoint> {
    let mut random = Random(11);
    (0..30)
        .map(|_| {
            let q: Vec<f64> = (0..3).map(|_| random.within(low, high)).collect();
            let moved: Vec<f64> = q.iter().zip(zeros).map(|(q, zero)| q + zero).collect();
            let seen = place(truth, &moved).map(|x| x + noise * normal(&mut random));
            CalibrationPoint { q, place: seen.0.map(Some), distance: None }
        })
        .collect()
}

fn calibrated(file: &Robot, readings: &[CalibrationPoint], firmware: Firmware, plate: bool) -> Calibration {
    let tied = Some(firmware.numbers(file).unwrap());
    calibrate(file, readings, &CalibrationSetup { tied, level: true, plate, ..CalibrationSetup::default() }).unwrap()
}

/// How far the controller's tool is from the printer's, at most, m.
fn farthest(truth: &Robot, zeros: [f64; 3], low: f64, high: f64, controller: impl Fn(&[f64]) -> Vec3<f64>) -> f64 {
    let mut random = Random(99);
    let off = (0..50).map(|_| {
        let q: Vec<f64> = (0..3).map(|_| random.within(low, high)).collect();
        let moved: Vec<f64> = q.iter().zip(zeros).map(|(q, zero)| q + zero).collect();
        (place(truth, &moved) - controller(&q)).norm_squared().sqrt()
    });
    off.fold(0.0, f64::max)
}

/// Klipper: towers at `angle` on `delta_radius`, carriages at position_endstop + √(arm² − radius²) less what they have moved.
fn klipper(text: &str, reading: &[f64]) -> Vec3<f64> {
    let radius = after(text, "delta_radius: ") / 1e3;
    let steppers: Vec<&str> = text.split("[stepper_").skip(1).collect();
    let arm = |i: usize| after(steppers[i], "arm_length: ") / 1e3;
    let centers = std::array::from_fn(|i| {
        let (sin, cos) = after(steppers[i], "angle: ").to_radians().sin_cos();
        let end = after(steppers[i], "position_endstop: ") / 1e3 + (arm(i).powi(2) - radius * radius).sqrt();
        [radius * cos, radius * sin, end - (SWITCHES[i] - reading[i])]
    });
    below(centers, std::array::from_fn(arm))
}

/// Marlin: towers at 210°, 330°, 90° and trims, all carriages at H + √(rod² − R²) after they have moved down by M666.
fn marlin(text: &str, reading: &[f64]) -> Vec3<f64> {
    let line = text.lines().find(|line| line.starts_with("M665")).unwrap();
    let ends = text.lines().find(|line| line.starts_with("M666")).unwrap();
    let of = |line: &str, letter: &str| after(line, &format!(" {letter}"));
    let (radius, rod, height) = (of(line, "R") / 1e3, of(line, "L") / 1e3, of(line, "H") / 1e3);
    let own = |i: usize| rod + of(line, ["A", "B", "C"][i]) / 1e3;
    let centers = std::array::from_fn(|i| {
        let angle = [210.0, 330.0, 90.0][i] + of(line, ["X", "Y", "Z"][i]);
        let adjusted = of(ends, ["X", "Y", "Z"][i]) / 1e3;
        assert!(adjusted <= 0.0, "{ends}");
        // It stood at its switch, which is higher than where all are at home by what it moved down.
        let switch = height + (own(i).powi(2) - radius * radius).sqrt() - adjusted;
        [radius * angle.to_radians().cos(), radius * angle.to_radians().sin(), switch - (SWITCHES[i] - reading[i])]
    });
    let found = below(centers, std::array::from_fn(own));
    // Back into the frame of the robot file.
    let (sin, cos) = after(text, "turned by ").to_radians().sin_cos();
    Vec3::new(cos * found[0] + sin * found[1], cos * found[1] - sin * found[0], found[2])
}

#[test]
fn printers_are_where_their_firmware_believes_them() {
    let [file, truth] = printers();
    let (low, high) = (0.30, 0.42);
    assert!(farthest(&truth, ZEROS, low, high, |q| place(&file, q)) > 1e-3, "the file is off");
    let readings = measured(&truth, ZEROS, low, high, 1e-5);
    for (firmware, controller) in
        [(Firmware::Klipper, klipper as fn(&str, &[f64]) -> Vec3<f64>), (Firmware::Marlin, marlin)]
    {
        let found = calibrated(&file, &readings, firmware, false);
        let text = firmware.text(&found, Some(SWITCHES), 0.0).unwrap();
        let off = farthest(&truth, ZEROS, low, high, |q| controller(&text, q));
        // Noise of 10 µm over 90 numbers, and a turn of 0.4° that is fitted along its tangent: 124 mm · (0.4°)²/2 = 3 µm.
        assert!(off < 5e-5, "{firmware:?}: {off}\n{text}");
    }
    // Without switches it says what it needs, and no height.
    let found = calibrated(&file, &readings, Firmware::Klipper, false);
    let text = Firmware::Klipper.text(&found, None, 0.0).unwrap();
    assert!(
        text.contains("# position_endstop: follows from the joints' readings") && !text.contains("\nposition_endstop"),
        "{text}"
    );
    // LinuxCNC has one radius, one rod and no angles: what is left is what it cannot say.
    let found = calibrated(&file, &readings, Firmware::LinuxCnc, false);
    let text = Firmware::LinuxCnc.text(&found, Some(SWITCHES), 0.0).unwrap();
    assert!(after(&text, "lineardeltakins.L ") > 249.0 && text.contains("[JOINT_2] HOME_OFFSET = "), "{text}");
    assert!(found.numbers.iter().all(|number| !number.name.contains("angle")), "{:?}", found.numbers);
}

/// Probing the bed alone: rods cannot be told from the radius and the zeros, which is said, and the bed is flat afterwards.
#[test]
fn a_probed_bed_is_flat_afterwards() {
    let [file, truth] = printers();
    let mut random = Random(5);
    let readings: Vec<CalibrationPoint> = (0..25)
        .map(|k| {
            let (r, angle) = (0.02 * f64::from(k % 5), 1.3 * f64::from(k));
            let at = Vec3::new(r * angle.cos(), r * angle.sin(), 5e-6 * normal(&mut random));
            let tool = dalembert::robot::ToolState::translating(at, Vec3::zero(), Vec3::zero());
            let q = truth.at_tool(&tool, &Pick::default()).unwrap().joints.q.to_vec();
            let q = q.iter().zip(ZEROS).map(|(q, zero)| q - zero).collect();
            CalibrationPoint { q, place: [None; 3], distance: None }
        })
        .collect();
    let found = calibrated(&file, &readings, Firmware::Klipper, true);
    // The touches of a plane tell 48 µm of what is wrong; afterwards the noise of 5 µm is left.
    assert!(found.before > 4e-5 && found.after < 1e-5, "{} → {}", found.before, found.after);
    let text = Firmware::Klipper.text(&found, Some(SWITCHES), found.plate.unwrap()).unwrap();
    for reading in &readings {
        let z = klipper(&text, &reading.q)[2];
        assert!(z.abs() < 5e-5, "{z}\n{text}");
    }
}

/// A Delta whose arms turn, for Klipper's `rotary_delta`: elbows at `angle`, angles counted upward from the switch.
#[test]
fn turning_arms_are_where_klipper_believes_them() {
    let lists =
        ["upper_arm.length=[0.3756, 0.3744, 0.3752]", "forearm.length=[0.9008, 0.8995, 0.9002]", "base.radius=0.2507"];
    let file = Robot::find("d3-1200").unwrap();
    let truth = Robot::find_with("d3-1200", &lists.map(str::to_owned)).unwrap();
    let (zeros, ends, bed) = ([0.004, -0.003, 0.002], [-0.5, -0.45, -0.5], -1.1);
    let readings = measured(&truth, zeros, 0.0, 1.0, 2e-5);
    let found = calibrated(&file, &readings, Firmware::Klipper, false);
    let text = Firmware::Klipper.text(&found, Some(ends), bed).unwrap();
    let (radius, height) = (after(&text, "shoulder_radius: ") / 1e3, after(&text, "shoulder_height: ") / 1e3);
    let steppers: Vec<&str> = text.split("[stepper_").skip(1).collect();
    let of = |i: usize, word: &str| after(steppers[i], word);
    let controller = |reading: &[f64]| {
        let centers = std::array::from_fn(|i| {
            let (arm, rod) = (of(i, "upper_arm_length: ") / 1e3, of(i, "lower_arm_length: ") / 1e3);
            let end = of(i, "position_endstop: ") / 1e3;
            // The angle at which this arm alone has the tool on the axis at that height, by halving.
            let tool = |up: f64| height + arm * up.sin() - (rod * rod - (radius + arm * up.cos()).powi(2)).sqrt();
            let (mut a, mut b) = (0.1, 1.0);
            for _ in 0..60 {
                let middle: f64 = 0.5 * (a + b);
                if tool(middle) < end { a = middle } else { b = middle }
            }
            let up = a + (ends[i] - reading[i]);
            let (sin, cos) = of(i, "angle: ").to_radians().sin_cos();
            let out = radius + arm * up.cos();
            [out * cos, out * sin, height + arm * up.sin()]
        });
        below(centers, std::array::from_fn(|i| of(i, "lower_arm_length: ") / 1e3)) + Vec3::new(0.0, 0.0, bed)
    };
    let off = farthest(&truth, zeros, 0.0, 1.0, controller);
    assert!(off < 1.5e-4, "{off}\n{text}");
    assert!(Firmware::Marlin.numbers(&file).unwrap_err().to_string().contains("Marlin"));
    assert!(Firmware::Klipper.numbers(&Robot::find("puma560").unwrap()).is_err());
}
