//! Planar linkages that several tests use.
#![allow(dead_code)] // each program uses its part

use dalembert::Vec3;
use dalembert::mechanism::{
    BodyPoint, Coincident, Mechanism, MechanismError, OnPlane, PartId, Pendulum, PlanarBody, PointMass,
};

pub const GRAVITY: Vec3<f64> = Vec3([0.0, 0.0, -9.81]);

/// A bar of a planar linkage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkageBar {
    /// Between its pins, m.
    pub length: f64,
    /// kg.
    pub mass: f64,
    /// From its first pin towards the second, m.
    pub center_of_mass: f64,
    /// About its centre of mass, kg m².
    pub inertia: f64,
}

impl LinkageBar {
    /// Turning about its first pin.
    fn crank(&self, pivot: [f64; 3]) -> Pendulum {
        let inertia = self.inertia + self.mass * self.center_of_mass * self.center_of_mass;
        Pendulum { pivot, mass: self.mass, center_of_mass: self.center_of_mass, inertia }
    }

    fn free(&self) -> PlanarBody {
        PlanarBody { mass: self.mass, inertia: self.inertia }
    }

    /// Its pins on the part of [`LinkageBar::free`].
    fn pins(&self, part: PartId) -> [BodyPoint; 2] {
        [-self.center_of_mass, self.length - self.center_of_mass].map(|x| part.at([x, 0.0, 0.0]))
    }
}

/// A slider-crank in the x–z plane: the crank turns about the origin, the slider runs along x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SliderCrank {
    /// Driven.
    pub crank: LinkageBar,
    /// From crank to slider.
    pub rod: LinkageBar,
    /// kg.
    pub slider: f64,
}

impl SliderCrank {
    /// Adds it: crank (its angle), rod (x, z, angle), slider (x, y, z); a motor on the crank.
    pub fn add(&self, mechanism: &mut Mechanism) -> Result<[PartId; 3], MechanismError> {
        let crank = mechanism.add("crank", self.crank.crank([0.0; 3]));
        let rod = mechanism.add("rod", self.rod.free());
        let slider = mechanism.add("slider", PointMass { mass: self.slider });
        let pins = self.rod.pins(rod);
        let rail = |normal| OnPlane { place: slider.origin(), through: [0.0; 3], normal };
        mechanism.constrain("crank pin", Coincident::planar(crank.at([self.crank.length, 0.0, 0.0]), pins[0]))?;
        mechanism.constrain("piston pin", Coincident::planar(pins[1], slider.origin()))?;
        mechanism.constrain("guide", rail([0.0, 0.0, 1.0]))?;
        mechanism.constrain("side", rail([0.0, 1.0, 0.0]))?;
        mechanism.drive(crank, 0)?;
        Ok([crank, rod, slider])
    }
}

/// A five-bar in the x–z plane: two driven cranks on the x axis, two rods that meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FiveBar {
    /// Of the two pivots, m.
    pub pivots: [f64; 2],
    /// Driven.
    pub cranks: [LinkageBar; 2],
    /// From the cranks to the tip.
    pub rods: [LinkageBar; 2],
}

impl FiveBar {
    /// Adds it: two cranks (their angles), two rods (x, z, angle); a motor on each crank. The tip is the second pin of
    /// the rods.
    pub fn add(&self, mechanism: &mut Mechanism) -> Result<[PartId; 4], MechanismError> {
        let side = ["left", "right"];
        let cranks = [0, 1]
            .map(|i| mechanism.add(format!("{} crank", side[i]), self.cranks[i].crank([self.pivots[i], 0.0, 0.0])));
        let rods = [0, 1].map(|i| mechanism.add(format!("{} rod", side[i]), self.rods[i].free()));
        let pins = [0, 1].map(|i| self.rods[i].pins(rods[i]));
        for i in 0..2 {
            let elbow = cranks[i].at([self.cranks[i].length, 0.0, 0.0]);
            mechanism.constrain(format!("{} elbow", side[i]), Coincident::planar(elbow, pins[i][0]))?;
            mechanism.drive(cranks[i], 0)?;
        }
        mechanism.constrain("tip", Coincident::planar(pins[0][1], pins[1][1]))?;
        Ok([cranks[0], cranks[1], rods[0], rods[1]])
    }
}

/// A bar with its centre of mass in the middle.
const fn bar(length: f64, mass: f64, inertia: f64) -> LinkageBar {
    LinkageBar { length, mass, center_of_mass: length / 2.0, inertia }
}

/// That of `tools/oracle/motions.py`.
pub const SLIDER_CRANK: SliderCrank =
    SliderCrank { crank: bar(0.1, 1.0, 0.002), rod: bar(0.3, 0.8, 0.006), slider: 2.0 };

pub const FIVE_BAR: FiveBar = FiveBar {
    pivots: [-0.15, 0.15],
    cranks: [bar(0.2, 0.5, 0.002), bar(0.2, 0.6, 0.003)],
    rods: [bar(0.3, 0.3, 0.004), bar(0.3, 0.35, 0.005)],
};
