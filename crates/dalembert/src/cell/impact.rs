//! Impacts of contacts that answer with impulses, as a run recorded them.

use super::Cell;
use crate::Vec3;
use crate::simulate::{ContactForce, Happening, Response};

/// An impact of one contact: all its points that took part at one instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpactRecord {
    /// s.
    pub time: f64,
    /// Number of the contact in the cell.
    pub contact: usize,
    /// Of the approach, at the fastest of its points, m/s.
    pub speed: f64,
    /// On what touches, scene frame, N s.
    pub impulse: Vec3<f64>,
    /// Where: the point at which the impulses of its points act together, scene frame, m.
    pub at: Vec3<f64>,
}

/// The impacts of a run so far.
#[derive(Default)]
pub(super) struct Impacts {
    pub all: Vec<ImpactRecord>,
    /// Of each contact: its impulses since the start, and the time of the last.
    sums: Vec<(Vec3<f64>, f64)>,
    /// Sizes of the impulses of the last one.
    weight: f64,
    /// Happenings that were looked at.
    seen: usize,
}

impl Impacts {
    /// Takes what has happened since.
    pub fn take(&mut self, happenings: &[Happening]) {
        for happening in &happenings[self.seen..] {
            let Happening::Impact { time, contact, speed, impulse, at } = *happening else { continue };
            let weight = impulse.norm_squared().sqrt();
            self.sums.resize(self.sums.len().max(contact.0 + 1), (Vec3::zero(), 0.0));
            let (sum, last) = &mut self.sums[contact.0];
            (*sum, *last) = (*sum + impulse, time);
            match self.all.last_mut() {
                Some(last) if last.time == time && last.contact == contact.0 => {
                    last.speed = last.speed.max(speed);
                    last.impulse = last.impulse + impulse;
                    self.weight += weight;
                    if self.weight > 0.0 {
                        last.at = last.at + (at - last.at) * (weight / self.weight);
                    }
                }
                _ => {
                    self.all.push(ImpactRecord { time, contact: contact.0, speed, impulse, at });
                    self.weight = weight;
                }
            }
        }
        self.seen = happenings.len();
    }

    /// What a row says of the contacts.
    pub fn row(&self, cell: &Cell, forces: &[ContactForce], row: &mut Vec<f64>) {
        for (number, (contact, force)) in cell.contacts.iter().zip(forces).enumerate() {
            row.extend([force.force[0], force.force[1], force.force[2], force.normal]);
            if contact.law.response == Response::Impulsive {
                let (sum, last) = self.sums.get(number).copied().unwrap_or((Vec3::zero(), 0.0));
                row.extend(sum.0);
                row.push(last);
            }
        }
    }
}
