//! Real arms by their published tables of Denavit and Hartenberg, kinematics only. Also taken in by the tests of the library.
#![allow(dead_code)] // each program uses its part

use dalembert_core::algebra::Angle;
use dalembert_core::serial::{Body, DhConvention, DhRow, Joint, LinkParameters, Serial, SerialParameters};
use dalembert_core::spatial::Frame;
use dalembert_core::{Mat3, Vec3};

/// α in degrees, a and d in metres, θ offset in degrees, whether it slides, range in degrees or metres.
pub type Row = (f64, f64, f64, f64, bool, [f64; 2]);

/// An arm.
#[derive(Clone, Debug)]
pub struct Table {
    pub name: &'static str,
    /// Written into robot files.
    pub source: &'static str,
    pub convention: DhConvention,
    pub rows: Vec<Row>,
    /// Of the tool along z of the last frame, m.
    pub tool: f64,
}

const R: bool = false;
const P: bool = true;
const FULL: [f64; 2] = [-180.0, 180.0];

/// All of them.
pub fn tables() -> Vec<Table> {
    use DhConvention::{Modified, Standard};
    let table =
        |name, source, convention, rows: &[Row], tool| Table { name, source, convention, rows: rows.to_vec(), tool };
    vec![
        table(
            "ur5e",
            "Universal Robots, DH parameters for calculations of kinematics and dynamics, UR5e",
            Standard,
            &[
                (90.0, 0.0, 0.1625, 0.0, R, FULL),
                (0.0, -0.425, 0.0, 0.0, R, FULL),
                (0.0, -0.3922, 0.0, 0.0, R, FULL),
                (90.0, 0.0, 0.1333, 0.0, R, FULL),
                (-90.0, 0.0, 0.0997, 0.0, R, FULL),
                (0.0, 0.0, 0.0996, 0.0, R, FULL),
            ],
            0.0,
        ),
        table(
            "panda",
            "Franka Control Interface documentation, robot and interface specifications",
            Modified,
            &[
                (0.0, 0.0, 0.333, 0.0, R, [-166.0, 166.0]),
                (-90.0, 0.0, 0.0, 0.0, R, [-101.0, 101.0]),
                (90.0, 0.0, 0.316, 0.0, R, [-166.0, 166.0]),
                (90.0, 0.0825, 0.0, 0.0, R, [-176.0, -4.0]),
                (-90.0, -0.0825, 0.384, 0.0, R, [-166.0, 166.0]),
                (90.0, 0.0, 0.0, 0.0, R, [-1.0, 215.0]),
                (90.0, 0.088, 0.0, 0.0, R, [-166.0, 166.0]),
            ],
            0.107,
        ),
        table(
            "iiwa",
            "KUKA LBR iiwa 7 R800; Faria et al., Mechanism and Machine Theory 121 (2018), table 1",
            Standard,
            &[
                (-90.0, 0.0, 0.34, 0.0, R, [-170.0, 170.0]),
                (90.0, 0.0, 0.0, 0.0, R, [-120.0, 120.0]),
                (90.0, 0.0, 0.4, 0.0, R, [-170.0, 170.0]),
                (-90.0, 0.0, 0.0, 0.0, R, [-120.0, 120.0]),
                (-90.0, 0.0, 0.4, 0.0, R, [-170.0, 170.0]),
                (90.0, 0.0, 0.0, 0.0, R, [-120.0, 120.0]),
                (0.0, 0.0, 0.126, 0.0, R, [-175.0, 175.0]),
            ],
            0.0,
        ),
        table(
            "stanford",
            "Stanford arm; Paul 1981, and Corke's Robotics Toolbox, mdl_stanford",
            Standard,
            &[
                (-90.0, 0.0, 0.412, 0.0, R, [-170.0, 170.0]),
                (90.0, 0.0, 0.154, 0.0, R, [-170.0, 170.0]),
                (0.0, 0.0, 0.0, -90.0, P, [0.3048, 1.27]),
                (-90.0, 0.0, 0.0, 0.0, R, [-170.0, 170.0]),
                (90.0, 0.0, 0.0, 0.0, R, [-90.0, 90.0]),
                (0.0, 0.0, 0.263, 0.0, R, [-170.0, 170.0]),
            ],
            0.0,
        ),
        table(
            "scara",
            "Adept Cobra 600; Corke's Robotics Toolbox, mdl_cobra600",
            Standard,
            &[
                (0.0, 0.325, 0.387, 0.0, R, [-50.0, 50.0]),
                (180.0, 0.275, 0.0, 0.0, R, [-88.0, 88.0]),
                (0.0, 0.0, 0.0, 0.0, P, [0.0, 0.21]),
                (0.0, 0.0, 0.0, 0.0, R, FULL),
            ],
            0.0,
        ),
        table(
            "scara-rrrp",
            "the same with the slide at the end, as Craig 2005, exercise 3.17, has it",
            Standard,
            &[
                (0.0, 0.325, 0.387, 0.0, R, [-50.0, 50.0]),
                (180.0, 0.275, 0.0, 0.0, R, [-88.0, 88.0]),
                (0.0, 0.0, 0.0, 0.0, R, FULL),
                (0.0, 0.0, 0.0, 0.0, P, [0.0, 0.21]),
            ],
            0.0,
        ),
        table(
            "gantry",
            "three slides as Siciliano et al. 2009, section 2.9.6, has them, with the spherical wrist of section 2.9.7",
            Standard,
            &[
                (-90.0, 0.0, 0.0, 0.0, P, [0.0, 1.5]),
                (90.0, 0.0, 0.0, -90.0, P, [0.0, 2.0]),
                (0.0, 0.0, 0.0, 0.0, P, [0.0, 1.0]),
                (-90.0, 0.0, 0.0, 0.0, R, FULL),
                (90.0, 0.0, 0.0, 0.0, R, FULL),
                (0.0, 0.0, 0.15, 0.0, R, FULL),
            ],
            0.0,
        ),
        table(
            "puma",
            "PUMA 560; Corke's Robotics Toolbox, mdl_puma560",
            Standard,
            &[
                (90.0, 0.0, 0.0, 0.0, R, [-160.0, 160.0]),
                (0.0, 0.4318, 0.0, 0.0, R, [-110.0, 110.0]),
                (-90.0, 0.0203, 0.15005, 0.0, R, [-135.0, 135.0]),
                (90.0, 0.0, 0.4318, 0.0, R, FULL),
                (-90.0, 0.0, 0.0, 0.0, R, [-100.0, 100.0]),
                (0.0, 0.0, 0.0, 0.0, R, FULL),
            ],
            0.0,
        ),
        table(
            "youbot",
            "KUKA youBot arm, five joints; KUKA youBot user manual, section on kinematics",
            Standard,
            &[
                (90.0, 0.033, 0.147, 0.0, R, [-169.0, 169.0]),
                (0.0, 0.155, 0.0, 90.0, R, [-65.0, 90.0]),
                (0.0, 0.135, 0.0, 0.0, R, [-151.0, 146.0]),
                (90.0, 0.0, 0.0, 90.0, R, [-102.0, 102.0]),
                (0.0, 0.0, 0.2175, 0.0, R, [-167.0, 167.0]),
            ],
            0.0,
        ),
        table(
            "four",
            "ROBOTIS OpenMANIPULATOR-X e-manual, four joints: a swivel and three parallel axes",
            Standard,
            &[
                (90.0, 0.012, 0.077, 0.0, R, FULL),
                (0.0, 0.13, 0.0, 79.38, R, [-117.0, 90.0]),
                (0.0, 0.124, 0.0, -79.38, R, [-90.0, 87.0]),
                (0.0, 0.126, 0.0, 0.0, R, [-103.0, 114.0]),
            ],
            0.0,
        ),
        table(
            "skew",
            "a shoulder of three skew axes and a spherical wrist: Pieper's equation of degree four",
            Modified,
            &[
                (10.0, 0.1, 0.3, 20.0, R, FULL),
                (-70.0, 0.2, 0.1, -30.0, R, FULL),
                (50.0, 0.4, -0.15, 40.0, R, FULL),
                (80.0, 0.1, 0.35, 0.0, R, FULL),
                (-60.0, 0.0, 0.0, 15.0, R, FULL),
                (75.0, 0.0, 0.2, 0.0, R, FULL),
            ],
            0.1,
        ),
        table(
            "parallel",
            "three parallel axes between skew ones: Elias and Wen's subproblem 6 with its equation of degree four",
            Modified,
            &[
                (0.0, 0.0, 0.2, 20.0, R, FULL),
                (-70.0, 0.1, 0.1, -30.0, R, FULL),
                (0.0, 0.4, 0.15, 40.0, R, FULL),
                (180.0, 0.35, 0.1, 0.0, R, FULL),
                (-60.0, 0.1, 0.2, 15.0, R, FULL),
                (75.0, 0.15, 0.2, 0.0, R, FULL),
            ],
            0.1,
        ),
        table(
            "general",
            "a general arm with six joints, drawn once",
            Modified,
            &[
                (10.0, 0.1, 0.3, 20.0, R, FULL),
                (-70.0, 0.2, 0.1, -30.0, R, FULL),
                (50.0, 0.4, -0.15, 40.0, R, FULL),
                (80.0, 0.1, 0.35, 0.0, R, FULL),
                (-60.0, 0.15, 0.1, 15.0, R, FULL),
                (75.0, 0.1, 0.2, 0.0, R, FULL),
            ],
            0.1,
        ),
    ]
}

/// The arm of that name.
pub fn table(name: &str) -> Table {
    tables().into_iter().find(|table| table.name == name).expect("there is one")
}

/// The ranges, rad and m.
pub fn ranges<const N: usize>(table: &Table) -> [[f64; 2]; N] {
    std::array::from_fn(|i| {
        let (.., slides, range) = table.rows[i];
        if slides { range } else { range.map(f64::to_radians) }
    })
}

/// Its formulas; it weighs nothing.
pub fn arm<const N: usize>(table: &Table) -> Serial<f64, N> {
    let angle = |degrees: f64| Angle::from_radians(degrees.to_radians());
    let links = std::array::from_fn(|i| {
        let (alpha, a, d, theta, slides, _) = table.rows[i];
        LinkParameters {
            coupling: None,
            joint: if slides { Joint::Prismatic } else { Joint::Revolute },
            dh: DhRow { alpha: angle(alpha), a, d, theta_offset: angle(theta) },
            body: Body::zero(),
            motor_inertia: 0.0,
            gear_ratio: 1.0,
            friction: None,
            armature: None,
            spring: None,
        }
    });
    let tool = Frame { rotation: Mat3::diagonal(1.0), origin: Vec3([0.0, 0.0, table.tool]) };
    let parameters = SerialParameters {
        convention: table.convention,
        base: None,
        gravity: Vec3([0.0, 0.0, -9.81]),
        links,
        tool,
        payload: Body::zero(),
    };
    Serial::try_new(parameters).expect("such an arm can be")
}
