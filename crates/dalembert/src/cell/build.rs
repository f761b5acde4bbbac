//! From a cell to a mechanism with the ties that hold at a time.

use super::{Body, BodyMotion, Cell, CellError, DeltaMember, Item, Spot, Tie, TieKind};
use crate::delta::models::bortoff::Bortoff;
use crate::mechanism::{
    Coincident, DeltaParts, Distance, Mechanism, MechanismError, OnPlane, PartId, Place, PointMass, Prescribed,
    add_delta,
};
use crate::{Dual, Vec3};

/// Where a member is in the mechanism.
pub(super) enum Handle {
    Delta(DeltaParts),
    Part(PartId),
}

/// A mechanism, where the members are in it, and which ties hold.
pub(super) struct Built {
    pub mechanism: Mechanism,
    pub handles: Vec<Handle>,
    /// Numbers of the ties that hold, in the order of their equations.
    pub ties: Vec<usize>,
    pub torque: Vec<f64>,
}

impl Built {
    /// The place of a spot.
    pub fn place(&self, cell: &Cell, spot: &Spot) -> Place {
        match *spot {
            Spot::Fixed(point) => Place::Fixed(point),
            Spot::On { member, offset } => match (&self.handles[member], &cell.members[member].item) {
                // The platform only translates: the base's place is one more offset.
                (Handle::Delta(parts), Item::Delta(delta)) => {
                    parts.arms[0].at(std::array::from_fn(|i| offset[i] + delta.origin[i]))
                }
                (Handle::Delta(parts), _) => parts.platform(),
                (Handle::Part(part), Item::Body(body)) => {
                    part.at([offset[0] + body.center(), offset[1], offset[2]])
                }
                (Handle::Part(part), _) => part.at(offset),
            },
        }
    }
}

/// The mechanism of a cell with these ties.
pub(super) fn build(cell: &Cell, holds: &[bool]) -> Result<Built, CellError> {
    let mut built = Built {
        mechanism: Mechanism::new(cell.gravity),
        handles: Vec::new(),
        ties: Vec::new(),
        torque: Vec::new(),
    };
    let m = &mut built.mechanism;
    for member in &cell.members {
        let handle = match &member.item {
            Item::Delta(delta) => {
                built.torque.extend(delta.torque.0);
                Handle::Delta(add_delta(m, &member.name, &delta.delta)?)
            }
            Item::Arm(_) => return Err(CellError::ArmNotAlone { name: member.name.clone() }),
            Item::Body(body) => {
                let (part, torque) = add_body(m, &member.name, body)?;
                built.torque.extend(torque);
                Handle::Part(part)
            }
        };
        built.handles.push(handle);
    }
    for (number, tie) in cell.ties.iter().enumerate().filter(|&(number, _)| holds[number]) {
        constrain(&mut built, cell, tie)?;
        built.ties.push(number);
    }
    for push in &cell.pushes {
        let place = built.place(cell, &push.at);
        built.mechanism.push(place, Vec3(push.force))?;
    }
    Ok(built)
}

fn add_body(m: &mut Mechanism, name: &str, body: &Body) -> Result<(PartId, Option<f64>), MechanismError> {
    Ok(match body.motion {
        BodyMotion::Free(..) => (m.add(name, body.free()), None),
        BodyMotion::Point(..) => (m.add(name, PointMass { mass: body.mass }), None),
        BodyMotion::Planar(..) => (m.add(name, body.planar()), None),
        BodyMotion::Pendulum(pivot, _, _, torque) => {
            let part = m.add(name, body.pendulum(pivot));
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
    moving.into_iter().all(|item| matches!(item, Item::Body(body) if body.is_planar()))
}

fn constrain(built: &mut Built, cell: &Cell, tie: &Tie) -> Result<(), MechanismError> {
    let place = |spot: &Spot| built.place(cell, spot);
    match &tie.kind {
        TieKind::Coincident(a, b) => {
            let (first, second) = (place(a), place(b));
            // A planar joint has no equation across the plane: it would be inactive.
            let joint = if is_planar(cell, [a, b]) {
                Coincident::planar(first, second)
            } else {
                Coincident::new(first, second)
            };
            built.mechanism.constrain(&tie.name, joint)
        }
        TieKind::Distance(a, b, length) => {
            let rod = Distance { a: place(a), b: place(b), length: *length };
            built.mechanism.constrain(&tie.name, rod)
        }
        TieKind::Plane(spot, through, normal) => {
            let plane = OnPlane { place: place(spot), through: *through, normal: *normal };
            built.mechanism.constrain(&tie.name, plane)
        }
        TieKind::Prescribed { member, coordinate, motion } => {
            let (part, coordinate) = match &built.handles[*member] {
                Handle::Delta(parts) => {
                    let missing = || MechanismError::UnknownCoordinate {
                        part: cell.members[*member].name.clone(),
                        index: *coordinate,
                    };
                    (*parts.arms.get(*coordinate).ok_or_else(missing)?, 0)
                }
                Handle::Part(part) => (*part, *coordinate),
            };
            built.mechanism.constrain(&tie.name, Prescribed { part, coordinate, motion: *motion })
        }
    }
}

/// Coordinates and velocities of all members where they start.
pub(super) fn start(cell: &Cell, built: &Built) -> Result<(Vec<f64>, Vec<f64>), CellError> {
    let (mut q, mut v) = (Vec::new(), Vec::new());
    for (member, handle) in cell.members.iter().zip(&built.handles) {
        match (&member.item, handle) {
            (Item::Delta(delta), Handle::Delta(parts)) => {
                let pose = delta.pose(&member.name)?;
                q.extend(parts.coordinates(&pose));
                v.extend(nine_rates(delta));
            }
            (Item::Body(body), _) => match body.motion {
                BodyMotion::Free(x, rotation, dx, omega) => {
                    q.extend(x.into_iter().chain(rotation));
                    v.extend(dx.into_iter().chain(omega));
                }
                BodyMotion::Point(x, dx) | BodyMotion::Planar(x, dx) => {
                    q.extend(x);
                    v.extend(dx);
                }
                BodyMotion::Pendulum(_, angle, rate, _) => {
                    q.push(angle);
                    v.push(rate);
                }
            },
            _ => return Err(CellError::ArmNotAlone { name: member.name.clone() }),
        }
    }
    Ok((q, v))
}

/// Velocities of the nine angles of a Delta: its own geometry differentiated along the motion.
fn nine_rates(member: &DeltaMember) -> Vec<f64> {
    let lifted: crate::delta::Delta<Dual<f64, 1>> = member.delta.lift();
    let along = Vec3::from_fn(|i| Dual { value: member.position[i], derivative: [member.velocity[i]] });
    let pose = lifted.pose_unchecked(along, member.branch);
    let angles = Bortoff::new(lifted.parameters()).nine_angles(along, pose.joints());
    angles.0.iter().flat_map(|arm| arm.0.map(|angle| angle.derivative[0])).collect()
}
