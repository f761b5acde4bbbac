//! What a state of a cell shows: the columns of the recording, and where everything is drawn.

use super::build::{Built, Handle, is_planar};
use super::{BodyMotion, Cell, Item, TieKind};
use crate::Vec3;
use crate::arm::ArmVisitor;
use crate::mechanism::Dynamics;
use crate::report::drawing::Track;
use crate::serial::{Joint, LinkParameters, Serial};
use crate::simulate::{Energies, Residual, SimulationError};

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

    fn member(&mut self, item: &Item) {
        match item {
            Item::Delta(_) => {
                self.numbered("q", &["rad"; 3], "joint angle");
                self.numbered("qd", &["rad/s"; 3], "joint velocity");
                self.axes("", "m", "platform, scene frame");
                self.axes("v", "m/s", "platform velocity");
                self.numbered("tau", &["N m"; 3], "motor torque");
            }
            Item::Arm(arm) => {
                let units = |turns: &'static str, slides: &'static str| -> Vec<&'static str> {
                    let unit = |link: &LinkParameters<f64>| if link.joint == Joint::Revolute { turns } else { slides };
                    arm.arm.links().iter().map(unit).collect()
                };
                self.numbered("q", &units("rad", "m"), "joint");
                self.numbered("qd", &units("rad/s", "m/s"), "joint velocity");
                self.axes("", "m", "tool, scene frame");
                self.axes("v", "m/s", "tool velocity");
                self.numbered("tau", &units("N m", "N"), "joint torque");
            }
            Item::Body(body) => match body.motion {
                BodyMotion::Free(..) => {
                    self.axes("", "m", "centre");
                    for part in ["qw", "qx", "qy", "qz"] {
                        self.one(part, "", "orientation, unit quaternion");
                    }
                    self.axes("v", "m/s", "velocity");
                    self.axes("w", "rad/s", "angular velocity, body frame");
                }
                BodyMotion::Point(..) => {
                    self.axes("", "m", "position");
                    self.axes("v", "m/s", "velocity");
                }
                BodyMotion::Planar(..) => {
                    self.one("x", "m", "centre, x");
                    self.one("z", "m", "centre, z");
                    self.one("angle", "rad", "angle from x towards z");
                    self.one("vx", "m/s", "velocity, x");
                    self.one("vz", "m/s", "velocity, z");
                    self.one("omega", "rad/s", "angular velocity");
                }
                BodyMotion::Pendulum(_, _, _, torque) => {
                    self.one("angle", "rad", "angle from x towards z");
                    self.one("omega", "rad/s", "angular velocity");
                    if torque.is_some() {
                        self.one("tau", "N m", "motor torque");
                    }
                }
            },
        }
    }
}

/// The columns of a cell; `multipliers` where the formulation has constraint forces.
pub(super) fn columns(cell: &Cell, multipliers: bool) -> Vec<Heading> {
    let mut headings = Headings { all: Vec::new(), prefix: String::new() };
    headings.one("t", "s", "time");
    let prefix = |name: &str| if cell.members.len() > 1 { format!("{name}.") } else { String::new() };
    for member in &cell.members {
        headings.prefix = prefix(&member.name);
        headings.member(&member.item);
    }
    if multipliers {
        for member in cell.members.iter().filter(|member| matches!(member.item, Item::Delta(_))) {
            headings.prefix = prefix(&member.name);
            for other in [2, 3] {
                let meaning = format!("force that joins tip {other} to tip 1, on tip 1");
                headings.axes(&format!("tips1{other}.f"), "N", &meaning);
            }
        }
        for tie in &cell.ties {
            headings.prefix = format!("{}.", tie.name);
            for (name, unit, meaning) in tie_rows(cell, &tie.kind) {
                headings.one(name, unit, format!("{}: {meaning}", tie.name));
            }
        }
    }
    for contact in &cell.contacts {
        headings.prefix = format!("{}.", contact.name);
        headings.axes("f", "N", &format!("{}: force on what touches", contact.name));
        headings.one("fn", "N", format!("{}: sum of the normal forces", contact.name));
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

/// The multipliers of a tie.
fn tie_rows(cell: &Cell, kind: &TieKind) -> Vec<(&'static str, &'static str, &'static str)> {
    let (x, y, z) = (
        ("fx", "N", "force on its first place, x"),
        ("fy", "N", "force on its first place, y"),
        ("fz", "N", "force on its first place, z"),
    );
    match kind {
        TieKind::Coincident(a, b) if is_planar(cell, [a, b]) => vec![x, z],
        TieKind::Coincident(..) => vec![x, y, z],
        TieKind::Distance(..) => vec![("f", "N", "force that pushes the ends apart")],
        TieKind::Plane(..) => vec![("fn", "N", "force along the normal")],
        TieKind::Aligned(..) => vec![
            ("mx", "N m", "torque on its second member about the x axis of the first"),
            ("my", "N m", "torque on its second member about the y axis of the first"),
            ("mz", "N m", "torque on its second member about the z axis of the first"),
        ],
        TieKind::Prescribed { .. } => vec![("f", "N or N m", "force or torque that makes the motion")],
        TieKind::Path(..) => vec![
            ("fx", "N", "force that leads it, x"),
            ("fy", "N", "force that leads it, y"),
            ("fz", "N", "force that leads it, z"),
        ],
    }
}

pub(super) fn finish(row: &mut Vec<f64>, energies: Energies, residual: Residual) {
    row.extend([energies.kinetic, energies.potential, energies.load, energies.dissipated, energies.total()]);
    row.extend([residual.position, residual.velocity]);
}

/// Reads the states of a mechanism.
pub(super) struct Observer<'m> {
    pub dynamics: Dynamics<'m>,
    built: &'m Built,
}

impl<'m> Observer<'m> {
    pub fn new(built: &'m Built) -> Self {
        Self { dynamics: Dynamics::new(&built.mechanism), built }
    }

    /// The motors' torques.
    pub fn torque(&self) -> &'m [f64] {
        &self.built.torque
    }

    /// What the members do at coordinates and velocities; positions into the tracks.
    pub fn row(
        &mut self,
        cell: &Cell,
        time: f64,
        q: &[f64],
        v: &[f64],
        row: &mut Vec<f64>,
        tracks: &mut [Track],
    ) -> Result<(), SimulationError> {
        let located = |cause| SimulationError::Mechanism { time, cause };
        let built = self.built;
        let mut tracks = tracks.iter_mut();
        let mut put = |position: Vec3<f64>, rotation: Option<[f64; 4]>| {
            if let Some(track) = tracks.next() {
                track.position.push(position.0);
                track.rotation.extend(rotation);
            }
        };
        row.push(time);
        for (member, handle) in cell.members.iter().zip(&built.handles) {
            match (&member.item, handle) {
                (Item::Delta(delta), Handle::Delta(parts)) => {
                    let ranges = parts.arms.map(|arm| built.mechanism.ranges(arm));
                    for values in [q, v] {
                        for range in &ranges {
                            let (at, _) = range.as_ref().map_err(|cause| located(cause.clone()))?;
                            row.push(values[at.start]); // a Delta has as many velocities as coordinates
                        }
                    }
                    let place = parts.platform();
                    let platform = built.mechanism.point(q, &place).map_err(located)?;
                    row.extend(platform.0);
                    row.extend(self.dynamics.point_velocity(q, v, &place).map_err(located)?.0);
                    row.extend(delta.torque);
                    put(platform, None);
                    for arm in parts.arms {
                        put(built.mechanism.point(q, &arm.on_body(1, [0.0; 3])).map_err(located)?, None);
                    }
                }
                (Item::Arm(arm), Handle::Part(part)) => {
                    let (at, rate) = built.mechanism.ranges(*part).map_err(located)?;
                    row.extend(&q[at]);
                    row.extend(&v[rate]);
                    let tool = built.mechanism.point(q, &part.origin()).map_err(located)?;
                    row.extend(tool.0);
                    row.extend(self.dynamics.point_velocity(q, v, &part.origin()).map_err(located)?.0);
                    row.extend(&arm.torque);
                    for link in 1..=arm.arm.joints() {
                        put(built.mechanism.point(q, &part.on_body(link, [0.0; 3])).map_err(located)?, None);
                    }
                    put(tool, None);
                }
                (Item::Body(body), Handle::Part(part)) => {
                    let (at, rate) = built.mechanism.ranges(*part).map_err(located)?;
                    row.extend(&q[at.clone()]);
                    row.extend(&v[rate]);
                    if let BodyMotion::Pendulum(_, _, _, Some(torque)) = body.motion {
                        row.push(torque);
                    }
                    let center = part.at([body.center(), 0.0, 0.0]);
                    let position = built.mechanism.point(q, &center).map_err(located)?;
                    // From x towards z is against the right-hand rule about y.
                    let turned = |angle: f64| [(0.5 * angle).cos(), 0.0, -(0.5 * angle).sin(), 0.0];
                    let own = &q[at];
                    let rotation = match body.motion {
                        BodyMotion::Free(..) => Some([own[3], own[4], own[5], own[6]]),
                        BodyMotion::Point(..) => None,
                        BodyMotion::Planar(..) => Some(turned(own[2])),
                        BodyMotion::Pendulum(..) => Some(turned(own[0])),
                    };
                    put(position, rotation);
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// The row of a serial arm, without energies and drift; the origins of its frames, and of its tool, into the tracks.
pub(super) fn arm_row(
    member: &super::ArmMember,
    time: f64,
    state: &[f64],
    row: &mut Vec<f64>,
    tracks: &mut [Track],
) -> Result<(), SimulationError> {
    struct Points<'a>(&'a [f64]);
    impl ArmVisitor for Points<'_> {
        type Output = Result<(Vec<Vec3<f64>>, Vec3<f64>), crate::arm::ArmError>;
        fn visit<const N: usize>(self, arm: &Serial<f64, N>) -> Self::Output {
            let pose = arm.at_joints(std::array::from_fn(|i| self.0[i]))?;
            let mut points: Vec<Vec3<f64>> = pose.frames().iter().map(|frame| frame.origin).collect();
            points.push(pose.tool().origin);
            let moving = pose.try_moving(std::array::from_fn(|i| self.0[N + i]))?;
            Ok((points, moving.tool_velocity().linear))
        }
    }
    let (points, velocity) = member.arm.visit(Points(state)).map_err(|cause| SimulationError::Arm { time, cause })?;
    let points: Vec<Vec3<f64>> = points.into_iter().map(|point| member.base.point(point)).collect();
    row.push(time);
    row.extend(state);
    row.extend(points.last().map_or([0.0; 3], |tool| tool.0));
    row.extend((member.base.rotation * velocity).0);
    row.extend(&member.torque);
    for (track, point) in tracks.iter_mut().zip(points) {
        track.position.push(point.0);
    }
    Ok(())
}
