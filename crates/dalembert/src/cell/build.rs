//! From a cell to a mechanism and its contacts.

use super::{Against, BodyMotion, BodyShape, Cell, CellError, Contact, MemberKind, SceneBody, Spot, Tie, TieKind};
use crate::Vec3;
use crate::mechanism::{
    Aligned, BodyPoint, Coincident, Distance, FreeBody, Guided, Mechanism, MechanismError, OnPlane, PartId, Pendulum,
    PlanarBody, PointMass, Prescribed, Waypoints,
};
use crate::robot::MountedRobot;
use crate::simulate::{Ball, ContactGeometry, Contacts, Surface, SurfaceShape};

const AXES: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Tie {
    /// The names of the constraints that it is made of.
    pub(super) fn equations(&self) -> Vec<String> {
        match self.kind {
            TieKind::Path(..) => ["x", "y", "z"].map(|axis| format!("{} {axis}", self.name)).into(),
            _ => vec![self.name.clone()],
        }
    }
}

/// Where a member is in the mechanism.
pub(super) enum Handle {
    Robot(Box<dyn MountedRobot>),
    Body(PartId),
}

/// A mechanism, and where the members are in it.
pub(super) struct Built {
    pub mechanism: Mechanism,
    pub handles: Vec<Handle>,
    pub torque: Vec<f64>,
}

impl Built {
    /// A point of a member: of a robot its tool.
    fn point(&self, member: usize, offset: [f64; 3]) -> BodyPoint {
        match &self.handles[member] {
            Handle::Robot(robot) => robot.place(offset),
            Handle::Body(part) => part.at(offset),
        }
    }

    /// The part that a member touches and is held with, and which of its bodies it is.
    fn body(&self, member: usize) -> Result<(PartId, usize), MechanismError> {
        match self.point(member, [0.0; 3]) {
            BodyPoint::On { part, body, .. } => Ok((part, body)),
            BodyPoint::Fixed(_) => Err(MechanismError::UnknownPart { part: member }),
        }
    }

    /// The place of a spot.
    pub fn place(&self, cell: &Cell, spot: &Spot) -> BodyPoint {
        match *spot {
            Spot::Fixed(point) => BodyPoint::Fixed(point),
            Spot::On { member, offset: [x, y, z] } => {
                let center = match &cell.members[member].item {
                    MemberKind::Body(body) => body.center(),
                    MemberKind::Robot(_) => 0.0,
                };
                self.point(member, [x + center, y, z])
            }
        }
    }
}

/// The mechanism of a cell.
pub(super) fn build(cell: &Cell) -> Result<Built, CellError> {
    let mut built = Built { mechanism: Mechanism::new(cell.gravity), handles: Vec::new(), torque: Vec::new() };
    let m = &mut built.mechanism;
    for member in &cell.members {
        let handle = match &member.item {
            MemberKind::Robot(robot) => {
                built.torque.extend(&robot.torque[..]);
                Handle::Robot(robot.robot.add_to(m, &member.name, robot.base)?)
            }
            MemberKind::Body(body) => {
                let (part, torque) = add_body(m, &member.name, body)?;
                built.torque.extend(torque);
                Handle::Body(part)
            }
        };
        built.handles.push(handle);
    }
    for tie in &cell.ties {
        constrain(&mut built, cell, tie)?;
    }
    for push in &cell.pushes {
        let place = built.place(cell, &push.at);
        built.mechanism.push(place, Vec3(push.force))?;
    }
    Ok(built)
}

fn add_body(m: &mut Mechanism, name: &str, body: &SceneBody) -> Result<(PartId, Option<f64>), MechanismError> {
    let SceneBody { mass, inertia, .. } = *body;
    Ok(match body.motion {
        BodyMotion::Free => (m.add(name, FreeBody { mass, inertia }), None),
        BodyMotion::Point => (m.add(name, PointMass { mass }), None),
        BodyMotion::Planar => (m.add(name, PlanarBody { mass, inertia: inertia[1] }), None),
        BodyMotion::Pendulum { pivot, torque } => {
            let center_of_mass = body.center();
            let inertia = inertia[1] + mass * center_of_mass * center_of_mass; // Steiner
            let part = m.add(name, Pendulum { pivot, mass, center_of_mass, inertia });
            if torque.is_some() {
                m.drive(part, 0)?;
            }
            (part, torque)
        }
    })
}

/// Whether everything that moves in a joint moves in the x–z plane.
pub(super) fn is_planar(cell: &Cell, spots: [&Spot; 2]) -> bool {
    let moving = spots.iter().filter_map(|spot| match spot {
        Spot::Fixed(_) => None,
        Spot::On { member, .. } => Some(&cell.members[*member].item),
    });
    moving.into_iter().all(|item| matches!(item, MemberKind::Body(body) if body.is_planar()))
}

fn constrain(built: &mut Built, cell: &Cell, tie: &Tie) -> Result<(), MechanismError> {
    let (name, open) = (tie.name.clone(), tie.open);
    let place = |spot: &Spot| built.place(cell, spot);
    match &tie.kind {
        TieKind::Coincident(a, b) => {
            let (first, second) = (place(a), place(b));
            // A planar joint has no equation across the plane: it would be inactive.
            let joint = if is_planar(cell, [a, b]) { Coincident::planar } else { Coincident::new };
            built.mechanism.tie(name, joint(first, second), open)
        }
        TieKind::Distance(a, b, length) => {
            let rod = Distance { a: place(a), b: place(b), length: *length };
            built.mechanism.tie(name, rod, open)
        }
        TieKind::Plane(spot, through, normal) => {
            let plane = OnPlane { place: place(spot), through: *through, normal: *normal };
            built.mechanism.tie(name, plane, open)
        }
        TieKind::Aligned(a, b) => {
            let [q, _] = start(cell, built);
            let hold = Aligned::as_at(&built.mechanism, &q, built.body(*a)?, built.body(*b)?)?;
            built.mechanism.tie(name, hold, open)
        }
        TieKind::Prescribed { member, coordinate, motion } => {
            let (part, coordinate) = match &built.handles[*member] {
                Handle::Robot(robot) => {
                    let missing = || MechanismError::UnknownCoordinate {
                        part: cell.members[*member].name.clone(),
                        index: *coordinate,
                    };
                    robot.joint(*coordinate).ok_or_else(missing)?
                }
                Handle::Body(part) => (*part, *coordinate),
            };
            built.mechanism.tie(name, Prescribed { part, coordinate, motion: *motion }, open)
        }
        TieKind::Path(spot, points) => {
            let place = place(spot);
            for (name, along) in tie.equations().into_iter().zip(AXES) {
                let way: Vec<(f64, f64)> = points.iter().map(|(time, point)| (*time, dot(*point, along))).collect();
                built.mechanism.tie(name, Guided { place, along, motion: Waypoints::new(&way)? }, open)?;
            }
            Ok(())
        }
    }
}

/// Coordinates and velocities of all members where they start.
pub(super) fn start(cell: &Cell, built: &Built) -> [Vec<f64>; 2] {
    let (mut q, mut v) = (Vec::new(), Vec::new());
    for (member, handle) in cell.members.iter().zip(&built.handles) {
        match (&member.item, handle) {
            (MemberKind::Robot(robot), Handle::Robot(placed)) => {
                let [own, rates] = placed.coordinates(&robot.start);
                q.extend(own);
                v.extend(rates);
            }
            (MemberKind::Robot(_), Handle::Body(_)) => {} // a robot has its own handle
            (MemberKind::Body(body), _) => {
                q.extend(&body.q);
                v.extend(&body.v);
            }
        }
    }
    [q, v]
}

/// What may touch, in the order of the cell.
pub(super) fn contacts<'m>(cell: &Cell, built: &'m Built) -> Result<Contacts<'m>, CellError> {
    let mut contacts = Contacts::new(&built.mechanism);
    for Contact { name, spot, against, law } in &cell.contacts {
        let on = match *against {
            Against::Surface(shape) => Surface::fixed(shape).into(),
            Against::Member(member) => side(cell, built, &Spot::On { member, offset: [0.0; 3] })?,
        };
        contacts.add(name, side(cell, built, spot)?, on, *law)?;
    }
    Ok(contacts)
}

/// What a member touches with: a body with its shape, a robot with a point.
fn side(cell: &Cell, built: &Built, spot: &Spot) -> Result<ContactGeometry, CellError> {
    let place = built.place(cell, spot);
    if let Spot::On { member, .. } = *spot
        && let MemberKind::Body(body) = &cell.members[member].item
    {
        match body.shape {
            BodyShape::Box(size) => {
                let shape = SurfaceShape::Box { center: [body.center(), 0.0, 0.0], half: size.map(|edge| 0.5 * edge) };
                return Ok(Surface { on: Some(built.body(member)?), shape }.into());
            }
            BodyShape::Sphere(radius) => return Ok(Ball { center: place, radius }.into()),
            BodyShape::Point => {}
        }
    }
    Ok(Ball::point(place).into())
}
