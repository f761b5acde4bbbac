//! The PUMA 560: Armstrong, Khatib and Burdick's tables against Newton–Euler, their Table A3, and the inverse kinematics.

use dalembert::dynamics::State as _;
use dalembert::robot::Robot;
use dalembert::robot::families::chain::lumped_constants;
use dalembert::serial::puma::{Constants, PumaModel, column};
use dalembert::serial::{Body, DhConvention, InverseError, PumaBranch, PumaGeometry, Serial, SerialParameters};
use dalembert::spatial::Frame;
use dalembert::{Angle, Mat3, Sym3, Vec3, robots};
use std::f64::consts::{FRAC_PI_2, TAU};

struct Random(u64);

impl Random {
    fn within(&mut self, least: f64, most: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        least + (most - least) * ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
    fn state(&mut self, size: f64) -> [f64; 6] {
        std::array::from_fn(|_| self.within(-size, size))
    }
}

fn puma() -> Serial<f64, 6> {
    robots::puma560().unwrap().arm.arm().unwrap()
}

/// Random masses, lengths and inertias, all within what the tables assume.
fn within_assumptions(random: &mut Random) -> SerialParameters<f64, 6> {
    let mut p = *puma().parameters();
    p.gravity = Vec3([0.0, 0.0, random.within(-12.0, 12.0)]);
    for (i, link) in p.links.iter_mut().enumerate() {
        if matches!(i, 0 | 2 | 3) {
            link.dh.a = random.within(-0.5, 0.5);
        }
        if i < 4 {
            link.dh.d = random.within(-0.5, 0.5);
        }
        let mut at = || random.within(-0.3, 0.3);
        let center = [at(), at(), at()];
        let free: [bool; 3] = match i {
            0 | 2 => [false, true, true],
            1 => [true; 3],
            4 => [false; 3],
            _ => [false, false, true],
        };
        link.body.center_of_mass = Vec3(std::array::from_fn(|k| if free[k] { center[k] } else { 0.0 }));
        link.body.mass = random.within(0.1, 10.0);
        let [xx, yy, zz] = [0, 1, 2].map(|_| random.within(0.01, 1.0));
        link.body.inertia = Sym3::new([xx, if i == 5 { xx } else { yy }, zz, 0.0, 0.0, 0.0]);
        link.motor_inertia = random.within(0.0, 3.0);
    }
    p
}

fn worst(ours: &[f64], theirs: &[f64]) -> f64 {
    let scale = theirs.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    ours.iter().zip(theirs).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs())) / scale
}

/// All 153 elements of Tables A4–A7 and the torque of (1), for any parameters that the tables allow.
#[test]
fn explicit_is_exact() {
    let mut random = Random(1);
    for round in 0..200 {
        let mut p = if round == 0 { *puma().parameters() } else { within_assumptions(&mut random) };
        if round % 3 == 2 {
            // A load on the axis of joint 6.
            p.tool = Frame { rotation: Mat3::diagonal(1.0), origin: Vec3([0.0, 0.0, 0.1]) };
            p.payload = Body {
                mass: 2.5,
                center_of_mass: Vec3([0.0, 0.0, 0.05]),
                inertia: Sym3::new([0.02, 0.02, 0.01, 0.0, 0.0, 0.0]),
            };
        }
        Constants::applies_to(&p).unwrap();
        let arm = Serial::try_new(p).unwrap();
        let model = PumaModel::explicit(&p);
        let (q, qd, qdd) = (random.state(3.0), random.state(3.0), random.state(10.0));
        let pose = arm.at_joints(q).unwrap();
        let exact = pose.configuration();
        let tables = model.matrices(q);
        let scale = exact.mass_matrix.as_flattened().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        for i in 0..6 {
            for j in 0..6 {
                assert!((tables.a[i][j] - exact.mass_matrix[i][j]).abs() <= 1e-13 * scale, "a{}{}", i + 1, j + 1);
                assert!((tables.c[i][j] - exact.c(i, j)).abs() <= 1e-13 * scale, "c{}{}", i + 1, j + 1);
                for k in j + 1..6 {
                    let b = tables.b[i][column(j, k)];
                    assert!((b - exact.b(i, j, k)).abs() <= 1e-13 * scale, "b{}{}{}", i + 1, j + 1, k + 1);
                }
            }
        }
        assert!(worst(&tables.g, &exact.gravity) <= 1e-12);
        let moving = pose.moving(qd);
        assert!(worst(&tables.torque(qd, qdd), &moving.rigid_torque(qdd)) <= 1e-12);
        // crates/papers/errata.md: I19 + I20 + I21 = 0.
        let c = Constants::new(&p).inertial;
        assert!((c[18] + c[19] + c[20]).abs() <= 1e-14 * scale);
    }
}

/// Outside the assumptions the tables would be wrong: each is named.
#[test]
fn explicit_says_where_it_does_not_apply() {
    type Spoil = fn(&mut SerialParameters<f64, 6>);
    let spoil: [(&str, Option<usize>, Spoil); 15] = [
        ("convention", None, |p| p.convention = DhConvention::Standard),
        ("gravity", None, |p| p.gravity[0] = 1.0),
        ("alpha", Some(4), |p| p.links[3].dh.alpha = Angle::ZERO),
        ("theta_offset", Some(2), |p| p.links[1].dh.theta_offset = Angle::from_radians(0.1)),
        ("a", Some(2), |p| p.links[1].dh.a = 0.1),
        ("a", Some(5), |p| p.links[4].dh.a = 0.1),
        ("d", Some(5), |p| p.links[4].dh.d = 0.1),
        ("d", Some(6), |p| p.links[5].dh.d = 0.1),
        ("center_of_mass", Some(3), |p| p.links[2].body.center_of_mass[0] = 0.1),
        ("center_of_mass", Some(5), |p| p.links[4].body.center_of_mass[1] = 0.1),
        ("center_of_mass", Some(6), |p| p.links[5].body.center_of_mass[0] = 0.1),
        ("inertia", Some(4), |p| p.links[3].body.inertia.xy = 1e-4),
        ("inertia", Some(6), |p| p.links[5].body.inertia.yy = 1e-4),
        ("payload.center_of_mass", None, |p| {
            p.payload = Body { mass: 1.0, center_of_mass: Vec3([0.1, 0.0, 0.0]), inertia: Sym3::zero() }
        }),
        ("payload.inertia", None, |p| {
            p.payload =
                Body { mass: 1.0, center_of_mass: Vec3::zero(), inertia: Sym3::new([0.1, 0.2, 0.1, 0.0, 0.0, 0.0]) }
        }),
    ];
    for (field, link, spoil) in spoil {
        let mut p = *puma().parameters();
        spoil(&mut p);
        let error = Constants::applies_to(&p).unwrap_err();
        assert_eq!((error.field, error.link), (field, link), "{error}");
    }
    let robot = Robot::find("puma560").unwrap();
    for name in ["explicit", "explicit-a3", "abbreviated", "derived"] {
        assert!(robot.model(name).is_ok(), "{name}");
    }
}

/// The size of the approximation, within joint ranges: what docs/papers/armstrong.md states.
#[test]
fn abbreviation_errs_as_stated() {
    let robot = robots::puma560().unwrap();
    let mut random = Random(5);
    let (full, short) = (PumaModel::<f64>::explicit_a3(), PumaModel::<f64>::Abbreviated);
    let (mut most, mut squares) = ([0.0_f64; 6], [0.0_f64; 6]);
    const STATES: usize = 20_000;
    for _ in 0..STATES {
        let q: [f64; 6] = std::array::from_fn(|i| random.within(robot.limits[i].range[0], robot.limits[i].range[1]));
        let (qd, qdd) = (random.state(1.0), random.state(1.0));
        let (a, b) = (full.matrices(q).torque(qd, qdd), short.matrices(q).torque(qd, qdd));
        for i in 0..6 {
            most[i] = most[i].max((a[i] - b[i]).abs());
            squares[i] += (a[i] - b[i]).powi(2) / STATES as f64;
        }
    }
    println!("abbreviated against explicit-a3: max {most:.3?} N m, rms {:.4?} N m", squares.map(f64::sqrt));
    for (i, most) in most.iter().enumerate() {
        assert!(*most < [0.4, 0.6, 0.2, 0.1, 0.05, 0.07][i], "joint {}: {most}", i + 1);
    }
}

/// Table A3 from Tables 4–6: all but I1 and I3 agree (crates/papers/errata.md); the ratio of the tolerances is printed.
#[test]
fn table_a3() {
    let constants = lumped_constants(&Robot::find("puma560").unwrap()).unwrap();
    assert_eq!(constants.len(), 34);
    for c in &constants {
        println!(
            "{:4} {:10.3e} ± {:8.1e}   printed {:10.3e} ± {:8.1e}   ratio {:.2}",
            c.name,
            c.value,
            c.tolerance,
            c.printed,
            c.printed_tolerance,
            c.ratio()
        );
    }
    let outside: Vec<&str> = constants.iter().filter(|c| !c.agrees()).map(|c| c.name.as_str()).collect();
    assert_eq!(outside, ["I1", "I3"]);
}

/// "Link 3 with wrist" minus the wrist, Tables 4–6: what the paper printed for link 3 alone.
#[test]
fn link_3_without_the_wrist() {
    // Mass: 6.04 kg with the complete wrist, 2.24 kg the detached wrist, link 3 4.80 kg as printed: 6.04 − 2.24 = 3.80.
    // The masses of links 4–6 sum up to 1.25 kg, and 6.04 − 1.25 = 4.79: link 3 holds 0.99 kg of the "detached wrist".
    let (together, estimated) = (6.04_f64, 0.82 + 0.34 + 0.09);
    assert!((together - estimated - 4.80).abs() < 0.011);
    assert!((together - 2.24 - 4.80).abs() > 0.9);
    // Centre of gravity along y of frame 3; the wrist's origin is at y = −d4.
    let d4 = 0.4331;
    let wrist = (0.82 * (d4 - 0.019) + 0.34 * d4 + 0.09 * (d4 + 0.032)) / estimated;
    let alone = (together * 0.143 - estimated * wrist) / 4.80;
    println!("r_y3: {:.4} m, printed −0.070 m", -alone);
    assert!((alone - 0.070).abs() < 0.003 + 0.001);
    // Inertia about x: both about their own centres of gravity.
    let of_wrist = 1.80e-3
        + 0.30e-3
        + 0.15e-3
        + 0.82 * (d4 - 0.019 - wrist) * (d4 - 0.019 - wrist)
        + 0.34 * (d4 - wrist) * (d4 - wrist)
        + 0.09 * (d4 + 0.032 - wrist) * (d4 + 0.032 - wrist);
    let apart = 4.80 * (alone - 0.143) * (alone - 0.143) + estimated * (wrist - 0.143) * (wrist - 0.143);
    let xx = 0.192 - apart - of_wrist;
    println!("I_xx3: {xx:.4} kg m², printed 0.066 kg m²");
    assert!((xx - 0.066).abs() < 0.01);
}

fn arms() -> Vec<Serial<f64, 6>> {
    let plain = puma();
    let mut offset = *plain.parameters();
    // Everything the closed form allows at once: offsets, tool, zero angles, other signs of the twists.
    offset.links[0].dh.a = 0.07;
    offset.links[0].dh.d = 0.6;
    offset.links[1].dh.a = 0.15;
    offset.links[5].dh.d = 0.06;
    offset.tool = Frame {
        rotation: Mat3([Vec3([0.0, -1.0, 0.0]), Vec3([0.6, 0.0, -0.8]), Vec3([0.8, 0.0, 0.6])]),
        origin: Vec3([0.05, -0.1, 0.2]),
    };
    let mut arms = vec![plain];
    for signs in 0..32 {
        let mut p = offset;
        for (bit, i) in [1, 2, 3, 4, 5].into_iter().enumerate() {
            p.links[i].dh.theta_offset = Angle::from_radians(0.3 * i as f64);
            if signs >> bit & 1 == 1 {
                p.links[i].dh.alpha = if i == 2 {
                    Angle::from_radians(2.0 * FRAC_PI_2)
                } else {
                    Angle { cos: 0.0, sin: -p.links[i].dh.alpha.sin }
                };
            }
        }
        arms.push(Serial::try_new(p).unwrap());
    }
    // Corke's standard table.
    let mut corke = *puma().parameters();
    corke.convention = DhConvention::Standard;
    let rows = [
        (90.0, 0.0, 0.0),
        (0.0, 0.4318, 0.0),
        (-90.0, 0.0203, 0.15005),
        (90.0, 0.0, 0.4318),
        (-90.0, 0.0, 0.0),
        (0.0, 0.0, 0.0),
    ];
    for (link, (alpha, a, d)) in corke.links.iter_mut().zip(rows) {
        (link.dh.alpha, link.dh.a, link.dh.d) = (Angle::from_radians(f64::to_radians(alpha)), a, d);
    }
    arms.push(Serial::try_new(corke).unwrap());
    arms
}

fn apart(a: &Frame<f64>, b: &Frame<f64>) -> f64 {
    let turn =
        (0..3).flat_map(|i| (0..3).map(move |k| (i, k))).map(|(i, k)| (a.rotation[i][k] - b.rotation[i][k]).abs());
    turn.chain((0..3).map(|i| (a.origin[i] - b.origin[i]).abs())).fold(0.0, f64::max)
}

/// Every branch leads back to the tool frame, all eight differ, and one of them is where we came from.
#[test]
fn inverse_kinematics() {
    let mut random = Random(11);
    for arm in arms() {
        let geometry = PumaGeometry::new(&arm).unwrap();
        for _ in 0..30 {
            let q = random.state(3.1);
            let target = arm.at_joints(q).unwrap().tool();
            let solutions = geometry.solve(&target).unwrap();
            let mut found = Vec::new();
            for (solution, branch) in solutions.iter().zip(PumaBranch::ALL) {
                let Some(solution) = solution else { continue };
                assert_eq!(solution.branch, branch);
                let back = arm.at_joints(solution.q).unwrap().tool();
                assert!(apart(&back, &target) <= 1e-12, "{branch:?}: {:e}", apart(&back, &target));
                found.push(solution.q);
            }
            let near = |a: &[f64; 6], b: &[f64; 6]| {
                a.iter().zip(b).all(|(a, b)| ((a - b) / TAU - ((a - b) / TAU).round()).abs() < 1e-7)
            };
            assert_eq!(found.iter().filter(|other| near(other, &q)).count(), 1, "{q:?} in {found:?}");
            for i in 0..found.len() {
                for k in 0..i {
                    assert!(!near(&found[i], &found[k]));
                }
            }
        }
    }
}

#[test]
fn singular_and_out_of_reach_are_named() {
    let arm = puma();
    let geometry = PumaGeometry::new(&arm).unwrap();
    let at = |q: [f64; 6]| geometry.solve(&arm.at_joints(q).unwrap().tool());
    // Wrist: axes 4 and 6 in line.
    let wrist = at([0.3, -0.5, 0.4, 0.7, 0.0, 0.2]).unwrap();
    assert!(wrist.iter().flatten().any(|s| s.singular == [false, false, true]));
    // Elbow: stretched, q3 where the line elbow–wrist continues the upper arm.
    let stretched = 0.4331_f64.atan2(-0.0203);
    let elbow = at([0.3, -0.5, stretched, 0.7, 0.6, 0.2]).unwrap();
    assert!(elbow.iter().flatten().any(|s| s.singular[1]));
    for (q, solutions) in [([0.3, -0.5, 0.4, 0.7, 0.0, 0.2], wrist), ([0.3, -0.5, stretched, 0.7, 0.6, 0.2], elbow)] {
        let target = arm.at_joints(q).unwrap().tool();
        for solution in solutions.iter().flatten() {
            assert!(apart(&arm.at_joints(solution.q).unwrap().tool(), &target) < 1e-7);
        }
    }
    // Shoulder: the wrist centre straight beside axis 1, at the distance of the offset.
    let mut tool = arm.at_joints([0.0; 6]).unwrap().tool();
    tool.origin = Vec3([0.0, 0.1501, 0.5]);
    let shoulder = geometry.solve(&tool).unwrap();
    assert!(shoulder.iter().flatten().any(|s| s.singular[0]));
    for solution in shoulder.iter().flatten() {
        assert!(apart(&arm.at_joints(solution.q).unwrap().tool(), &tool) < 1e-7);
    }
    tool.origin = Vec3([0.0, 0.1, 0.5]);
    assert!(matches!(geometry.solve(&tool), Err(InverseError::TooNearToAxis { .. })));
    tool.origin = Vec3([2.0, 0.0, 0.5]);
    assert!(matches!(geometry.solve(&tool), Err(InverseError::OutOfReach { distance }) if distance > 1.0));
    tool.origin = Vec3([f64::NAN, 0.0, 0.5]);
    assert_eq!(geometry.solve(&tool), Err(InverseError::NotFinite));
    tool.origin = Vec3([0.5, 0.0, 0.5]);
    tool.rotation = Mat3::diagonal(2.0);
    assert!(matches!(geometry.solve(&tool), Err(InverseError::NotARotation { .. })));
    let mut other = *arm.parameters();
    other.links[4].dh.d = 0.1;
    let error = PumaGeometry::new(&Serial::try_new(other).unwrap()).unwrap_err();
    assert_eq!((error.field, error.link), ("d", 5));
}

/// However near the wrist is to its singular pose, the tool's orientation is that of the target to rounding: joints 4 and 6
/// together, not each for itself.
#[test]
fn orientation_holds_near_a_singular_wrist() {
    let arm = puma();
    let geometry = PumaGeometry::new(&arm).unwrap();
    for half_turn in [0.0, std::f64::consts::PI] {
        for k in 3..=16 {
            for sign in [-1.0, 1.0] {
                let q5 = half_turn + sign * 10f64.powi(-k);
                let q = [0.3, -0.5, 0.4, 0.7, q5, -1.2];
                let target = arm.at_joints(q).unwrap().tool();
                for solution in geometry.solve(&target).unwrap().iter().flatten() {
                    let found = arm.at_joints(solution.q).unwrap().tool();
                    let off = (0..3).flat_map(|i| (0..3).map(move |j| (i, j)));
                    let off =
                        off.fold(0.0_f64, |m, (i, j)| m.max((found.rotation[i][j] - target.rotation[i][j]).abs()));
                    // Six angles of some rad and the product of six rotations: a few dozen roundings.
                    assert!(off < 1e-14, "q5 = {q5}: {off:e}");
                }
            }
        }
    }
}
