//! What a state of a cell shows: the columns of the recording, and where everything is drawn.

use super::build::{Built, Handle, is_planar};
use super::{Against, BodyMotion, BodyShape, Cell, MemberKind, RobotMember, SceneBody, Tie, TieKind};
use crate::Vec3;
use crate::mechanism::MechanismError;
use crate::report::drawing::{Anchor, Drawing, Role, Shape, Track};
use crate::robot::{JointUnits, Model, State, TURN_COLUMNS, turn_row};
use crate::simulate::{Energies, Residual, Response, SurfaceShape as Touched};
use crate::spatial::Wrench;
use std::ops::Range;

/// Name, unit and meaning.
pub(super) type Heading = (String, &'static str, String);

const AXES: [&str; 3] = ["x", "y", "z"];

/// Columns as they are listed.
struct Headings {
    all: Vec<Heading>,
    /// `left.` where there are several members, else nothing.
    prefix: String,
}

impl Headings {
    fn one(&mut self, name: &str, unit: &'static str, meaning: impl Into<String>) {
        self.all.push((format!("{}{name}", self.prefix), unit, meaning.into()));
    }

    /// `stem` followed by x, y, z.
    fn axes(&mut self, stem: &str, unit: &'static str, meaning: &str) {
        for axis in AXES {
            self.one(&format!("{stem}{axis}"), unit, format!("{meaning}, {axis}"));
        }
    }

    /// `stem` followed by 1, 2, …
    fn numbered(&mut self, stem: &str, units: &[&'static str], meaning: &str) {
        for (i, unit) in units.iter().enumerate() {
            self.one(&format!("{stem}{}", i + 1), unit, format!("{meaning} {}", i + 1));
        }
    }

    /// `equations_of_motion`: its accelerations are known without a mechanism.
    fn member(&mut self, item: &MemberKind, equations_of_motion: bool) {
        match item {
            MemberKind::Robot(robot) => {
                let joints = robot.robot.joints();
                let units = |of: fn(JointUnits) -> &'static str| -> Vec<&'static str> {
                    joints.iter().map(|joint| of(joint.kind.units())).collect()
                };
                let moved = robot.robot.kind().moved;
                self.numbered("q", &units(|units| units.position), "position of joint");
                self.numbered("qd", &units(|units| units.speed), "speed of joint");
                self.axes("", "m", &format!("{moved}, scene frame"));
                self.axes("v", "m/s", &format!("{moved} velocity"));
                if robot.robot.turns_by_legs() {
                    for (name, unit, meaning) in TURN_COLUMNS {
                        self.one(name, unit, format!("{moved}, {meaning}, scene frame"));
                    }
                }
                self.numbered("tau", &units(|units| units.torque), "torque of joint");
                if equations_of_motion {
                    self.numbered("qdd", &units(|units| units.acceleration), "acceleration of joint");
                }
            }
            MemberKind::Body(body) => match body.motion {
                BodyMotion::Free => {
                    self.axes("", "m", "centre");
                    for part in ["qw", "qx", "qy", "qz"] {
                        self.one(part, "", "orientation, unit quaternion");
                    }
                    self.axes("v", "m/s", "velocity");
                    self.axes("w", "rad/s", "angular velocity, body frame");
                }
                BodyMotion::Point => {
                    self.axes("", "m", "position");
                    self.axes("v", "m/s", "velocity");
                }
                BodyMotion::Planar => {
                    self.one("x", "m", "centre, x");
                    self.one("z", "m", "centre, z");
                    self.one("angle", "rad", "angle from x towards z");
                    self.one("vx", "m/s", "velocity, x");
                    self.one("vz", "m/s", "velocity, z");
                    self.one("omega", "rad/s", "angular velocity");
                }
                BodyMotion::Pendulum { torque, .. } => {
                    self.one("angle", "rad", "angle from x towards z");
                    self.one("omega", "rad/s", "angular velocity");
                    if torque.is_some() {
                        self.one("tau", "N m", "motor torque");
                    }
                }
            },
        }
    }

    /// The multipliers of a tie.
    fn multipliers(&mut self, cell: &Cell, tie: &Tie) {
        let of = |meaning: &str| format!("{}: {meaning}", tie.name);
        match &tie.kind {
            TieKind::Coincident(a, b) if is_planar(cell, [a, b]) => {
                self.one("fx", "N", of("force on its first place, x"));
                self.one("fz", "N", of("force on its first place, z"));
            }
            TieKind::Coincident(..) => self.axes("f", "N", &of("force on its first place")),
            TieKind::Distance(..) => self.one("f", "N", of("force that pushes the ends apart")),
            TieKind::Plane(..) => self.one("fn", "N", of("force along the normal")),
            TieKind::Aligned(..) => AXES.iter().for_each(|axis| {
                let meaning = format!("torque on its second member about the {axis} axis of the first");
                self.one(&format!("m{axis}"), "N m", of(&meaning));
            }),
            TieKind::Prescribed { .. } => self.one("f", "N or N m", of("force or torque that makes the motion")),
            TieKind::Path(..) => self.axes("f", "N", &of("force that leads it")),
        }
    }
}

/// The columns of a cell; as a mechanism it has constraint forces.
pub(super) fn columns(cell: &Cell, mechanism: Option<&Built>) -> Vec<Heading> {
    let mut headings = Headings { all: Vec::new(), prefix: String::new() };
    headings.one("t", "s", "time");
    let prefix = |name: &str| if cell.members.len() > 1 { format!("{name}.") } else { String::new() };
    for member in &cell.members {
        headings.prefix = prefix(&member.name);
        headings.member(&member.item, mechanism.is_none());
    }
    if let Some(built) = mechanism {
        for (member, handle) in cell.members.iter().zip(&built.handles) {
            headings.prefix = prefix(&member.name);
            if let Handle::Robot(robot) = handle {
                robot.multipliers().iter().for_each(|(name, unit, meaning)| headings.one(name, unit, meaning));
            }
        }
        for tie in &cell.ties {
            headings.prefix = format!("{}.", tie.name);
            headings.multipliers(cell, tie);
        }
    }
    for contact in &cell.contacts {
        headings.prefix = format!("{}.", contact.name);
        headings.axes("f", "N", &format!("{}: force on what touches", contact.name));
        headings.one("fn", "N", format!("{}: sum of the normal forces", contact.name));
        if contact.law.response == Response::Impulsive {
            headings.axes("j", "N s", &format!("{}: impulses on what touches, since the start", contact.name));
            headings.one("impact", "s", format!("{}: time of its last impact, 0 before the first", contact.name));
        }
    }
    headings.prefix.clear();
    for (name, meaning) in [
        ("kinetic", "kinetic energy"),
        ("potential", "potential energy of gravity and constant forces"),
        ("load", "−τ·q of motors with constant torque, and what prescribed motions have given, negative"),
        ("dissipated", "what contacts, impacts and friction have taken since the start"),
        ("total", "sum of the four: conserved, where all that takes or gives energy is counted"),
    ] {
        headings.one(name, "J", meaning);
    }
    headings.one("drift", "m", "how far the worst constraint is off, m or rad");
    headings.one("drift_rate", "m/s", "how fast the worst constraint moves off");
    headings.all
}

pub(super) fn finish(row: &mut Vec<f64>, energies: Energies, residual: Residual) {
    row.extend([energies.kinetic, energies.potential, energies.load, energies.dissipated, energies.total()]);
    row.extend([residual.position, residual.velocity]);
}

impl Built {
    /// What the members do at coordinates and velocities; positions into the tracks.
    pub fn row(
        &self,
        cell: &Cell,
        [q, v]: [&[f64]; 2],
        row: &mut Vec<f64>,
        tracks: &mut [Track],
        own: &[Range<usize>],
    ) -> Result<(), MechanismError> {
        let mechanism = &self.mechanism;
        for ((member, handle), own) in cell.members.iter().zip(&self.handles).zip(own) {
            match (&member.item, handle) {
                (MemberKind::Robot(robot), Handle::Robot(placed)) => {
                    robot_row(robot, &placed.state(mechanism, q, v)?, row, &mut tracks[own.clone()]);
                }
                (MemberKind::Body(body), Handle::Body(part)) => {
                    let (at, rate) = mechanism.ranges(*part)?;
                    row.extend(&q[at.clone()]);
                    row.extend(&v[rate]);
                    if let BodyMotion::Pendulum { torque: Some(torque), .. } = body.motion {
                        row.push(torque);
                    }
                    // From x towards z is against the right-hand rule about y.
                    let turned = |angle: f64| [(0.5 * angle).cos(), 0.0, -(0.5 * angle).sin(), 0.0];
                    let position = mechanism.point(q, &part.at([body.center(), 0.0, 0.0]))?;
                    let coordinates = &q[at];
                    let rotation = match body.motion {
                        BodyMotion::Free => Some([3, 4, 5, 6].map(|i| coordinates[i])),
                        BodyMotion::Point => None,
                        BodyMotion::Planar => Some(turned(coordinates[2])),
                        BodyMotion::Pendulum { .. } => Some(turned(coordinates[0])),
                    };
                    for track in &mut tracks[own.clone()] {
                        track.position.push(position.0);
                        track.rotation.extend(rotation);
                    }
                }
                _ => {} // each has its own handle
            }
        }
        Ok(())
    }
}

/// The accelerations of a robot alone: what its exact model says under its torques; NaN where there are none.
pub(super) fn acceleration_row(member: &RobotMember, exact: Option<&dyn Model>, state: &State, row: &mut Vec<f64>) {
    let under = |model: &dyn Model| model.accelerated(state, &member.torque, Wrench::zero()).ok();
    match exact.and_then(under) {
        Some(state) => row.extend(state.joints.qdd.iter()),
        None => row.extend(state.joints.q.iter().map(|_| f64::NAN)),
    }
}

/// The row of a robot, and its picture.
pub(super) fn robot_row(member: &RobotMember, state: &State, row: &mut Vec<f64>, tracks: &mut [Track]) {
    let RobotMember { robot, base, torque, .. } = member;
    row.extend(state.joints.q.iter().chain(&state.joints.qd[..]));
    row.extend(base.point(state.tool.pose.origin).0);
    row.extend((base.rotation * state.tool.velocity.linear).0);
    if robot.turns_by_legs() {
        row.extend(turn_row(base.rotation, &state.tool));
    }
    row.extend(torque.iter());
    robot.draw(state, base, tracks);
}

/// Half the edge of the piece of a plane that is drawn, m.
const PIECE: f64 = 0.25;

/// The drawing of a cell, without samples yet, and the tracks of each member.
pub(super) fn drawing(cell: &Cell) -> (Drawing, Vec<Range<usize>>) {
    let mut drawing = Drawing { down: cell.gravity.0, ..Drawing::default() };
    let mut tracks = Vec::new();
    for member in &cell.members {
        let first = drawing.tracks.len();
        drawing.append(match &member.item {
            MemberKind::Robot(robot) => robot.robot.drawing(&robot.base),
            MemberKind::Body(body) => draw_body(body),
        });
        tracks.push(first..drawing.tracks.len());
    }
    for contact in &cell.contacts {
        if let Against::Surface(shape) = contact.against {
            let drawn = surface(shape);
            if !drawing.shapes.contains(&drawn) {
                drawing.shapes.push(drawn);
            }
        }
    }
    (drawing, tracks)
}

fn draw_body(body: &SceneBody) -> Drawing {
    let center = Anchor::on(0, [0.0; 3]);
    let solid = match body.shape {
        BodyShape::Box(size) => Shape::Box(Role::Body, center, size),
        BodyShape::Sphere(radius) => Shape::Sphere(Role::Body, center, radius),
        BodyShape::Point => Shape::Sphere(Role::Body, center, 0.01),
    };
    Drawing { tracks: vec![Track::default()], shapes: vec![solid, Shape::Trace(0)], ..Drawing::default() }
}

/// A surface that stands still; of a plane that is no floor a piece.
fn surface(shape: Touched) -> Shape {
    match shape {
        Touched::Plane { through: [_, _, z], normal: [0.0, 0.0, 1.0] } => Shape::Floor(z),
        Touched::Plane { through, normal } => {
            let normal = Vec3(normal);
            let aside = if normal[2].abs() < 0.9 { Vec3([0.0, 0.0, 1.0]) } else { Vec3([1.0, 0.0, 0.0]) };
            let first = aside.cross(normal);
            let first = first * (PIECE / first.norm_squared().sqrt());
            let second = normal.cross(first);
            let corner = |a: f64, b: f64| Anchor::fixed((Vec3(through) + first * a + second * b).0);
            let corners = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
            Shape::Polygon(Role::Surface, corners)
        }
        Touched::Box { center, half } => Shape::Box(Role::Surface, Anchor::fixed(center), half.map(|x| 2.0 * x)),
        Touched::Sphere { center, radius } => Shape::Sphere(Role::Surface, Anchor::fixed(center), radius),
    }
}
