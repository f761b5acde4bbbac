//! The matrix Y of serial arms: mass, first moments and inertia of every link and of the payload, and the rotors.

use super::{SerialArm, array};
use crate::robot::regressor::{Matter, Owner, Regressor, Term, Unit, fill_by_units};
use crate::robot::{Family, Impossible, State};
use crate::serial::{self, Body, LinkParameters, Serial, SerialParameters};
use crate::{Sym3, Vec3};

/// Names and places of a body's terms in the order of columns; the mass, which first moments are without, is built first.
const INERTIAS: [(&str, usize); 6] = [("xx", 0), ("xy", 3), ("xz", 5), ("yy", 1), ("yz", 4), ("zz", 2)];
const AXES: [&str; 3] = ["x", "y", "z"];
/// Terms of a body: six inertias, three moments, the mass.
const TERMS: usize = 10;

#[derive(Debug)]
struct ArmRegressor<const N: usize> {
    arm: SerialArm<N>,
    terms: Vec<Term>,
    matter: Vec<(String, Matter)>,
    units: Vec<Unit<Serial<f64, N>>>,
    /// Where each unit's column goes: masses are computed before what is without them.
    places: Vec<usize>,
}

/// A body of mass 1 at a point, without inertia about the origin.
fn mass_at(point: Vec3<f64>) -> Body<f64> {
    Body { mass: 1.0, center_of_mass: point, inertia: Sym3::point_mass(point) * -1.0 }
}

/// m, m c and the inertia about the origin, in the order of columns.
fn values(body: &Body<f64>) -> [f64; TERMS] {
    let Body { mass, center_of_mass: c, inertia } = *body;
    let about_origin = (inertia + Sym3::point_mass(c) * mass).entries();
    let mut all = [0.0; TERMS];
    for (k, (_, place)) in INERTIAS.iter().enumerate() {
        all[k] = about_origin[*place];
    }
    for k in 0..3 {
        all[6 + k] = mass * c[k];
    }
    all[9] = mass;
    all
}

/// The body with these terms.
fn body(values: &[f64], name: &str) -> Result<Body<f64>, Impossible> {
    let mass = values[9];
    if values.iter().all(|value| *value == 0.0) {
        return Ok(Body::zero());
    }
    if mass.is_nan() || mass <= 0.0 {
        return Err(Impossible(format!("{name} would have the mass {mass} kg")));
    }
    let center_of_mass = Vec3::from_fn(|k| values[6 + k] / mass);
    let mut about_origin = [0.0; 6];
    for (k, (_, place)) in INERTIAS.iter().enumerate() {
        about_origin[*place] = values[k];
    }
    let inertia = Sym3::new(about_origin) + Sym3::point_mass(center_of_mass) * -mass;
    Ok(Body { mass, center_of_mass, inertia })
}

impl<const N: usize> SerialArm<N> {
    pub(super) fn matrix(&self) -> Box<dyn Regressor> {
        let own = self.arm.parameters();
        let empty = |link: LinkParameters<f64>| LinkParameters {
            body: Body::zero(),
            motor_inertia: 0.0,
            friction: None,
            armature: None,
            ..link
        };
        let nothing = SerialParameters { links: own.links.map(empty), payload: Body::zero(), ..*own };
        let mut all = ArmRegressor {
            arm: self.clone(),
            terms: Vec::new(),
            matter: Vec::new(),
            units: Vec::new(),
            places: Vec::new(),
        };
        for i in 0..N {
            let number = (i + 1).to_string();
            let about = format!("link {number}");
            all.add_body(&number, about, Owner::Body, &own.links[i].body, |body| {
                let mut parameters = nothing;
                parameters.links[i].body = body;
                parameters
            });
            let mut parameters = nothing;
            parameters.links[i].motor_inertia = 1.0;
            parameters.links[i].armature = own.links[i].armature;
            let unit = if own.links[i].joint == serial::Joint::Revolute { "kg m^2" } else { "kg" };
            all.places.push(all.terms.len());
            all.units.push(Unit { robot: Serial::new(parameters), minus: None });
            all.matter.push((format!("rotor {number}"), Matter::Positive(all.terms.len())));
            all.terms.push(Term {
                name: format!("Ia{number}"),
                unit,
                meaning: format!("rotor and drive of joint {number}, at the joint"),
                value: own.links[i].motor_inertia,
                owner: Owner::Rotor(i),
            });
        }
        all.add_body("_payload", "payload".into(), Owner::Payload, &own.payload, |body| SerialParameters {
            payload: body,
            ..nothing
        });
        Box::new(all)
    }
}

impl<const N: usize> ArmRegressor<N> {
    fn add_body(
        &mut self,
        number: &str,
        about: String,
        owner: Owner,
        own: &Body<f64>,
        arm: impl Fn(Body<f64>) -> SerialParameters<f64, N>,
    ) {
        let (first, mass) = (self.terms.len(), self.units.len());
        let mut unit = |place: usize, body: Body<f64>, minus: Option<usize>| {
            self.places.push(first + place);
            self.units.push(Unit { robot: Serial::new(arm(body)), minus });
        };
        unit(9, mass_at(Vec3::zero()), None);
        for k in 0..3 {
            unit(6 + k, mass_at(Vec3::from_fn(|i| if i == k { 1.0 } else { 0.0 })), Some(mass));
        }
        for (k, (_, place)) in INERTIAS.iter().enumerate() {
            let mut entries = [0.0; 6];
            entries[*place] = 1.0;
            unit(k, Body { inertia: Sym3::new(entries), ..Body::zero() }, None);
        }
        let values = values(own);
        let mut term = |name: String, unit, meaning: String, value| {
            self.terms.push(Term { name, unit, meaning: format!("{about}, {meaning}"), value, owner });
        };
        for (k, (axes, _)) in INERTIAS.iter().enumerate() {
            let meaning = format!("inertia {axes} about the origin of its frame");
            term(format!("I{axes}{number}"), "kg m^2", meaning, values[k]);
        }
        for (k, axis) in AXES.iter().enumerate() {
            term(format!("m{axis}{number}"), "kg m", format!("first moment along {axis}"), values[6 + k]);
        }
        term(format!("m{number}"), "kg", "mass".into(), values[9]);
        // xx, yy, zz, xy, yz, xz among xx, xy, xz, yy, yz, zz.
        let inertia = [0, 3, 5, 1, 4, 2].map(|k| first + k);
        let matter = Matter::Body { mass: first + 9, moments: [6, 7, 8].map(|k| first + k), inertia };
        self.matter.push((about, matter));
    }
}

impl<const N: usize> Regressor for ArmRegressor<N> {
    fn terms(&self) -> &[Term] {
        &self.terms
    }

    fn matter(&self) -> &[(String, Matter)] {
        &self.matter
    }

    fn fill(&self, state: &State, y: &mut [f64]) {
        let [q, qd, qdd] = [&state.joints.q, &state.joints.qd, &state.joints.qdd].map(array::<N>);
        let width = self.units.len();
        let mut built = vec![0.0; N * width];
        fill_by_units(&self.units, N, &mut built, |arm, torque| {
            torque.copy_from_slice(&arm.pose_unchecked(q).moving(qd).rigid_torque(qdd));
        });
        for i in 0..N {
            for (k, place) in self.places.iter().enumerate() {
                y[i * width + place] = built[i * width + k];
            }
        }
    }

    fn robot(&self, values: &[f64]) -> Result<Box<dyn Family>, Impossible> {
        let part = |first: usize| values.get(first..first + TERMS).unwrap_or(&[0.0; TERMS]);
        let mut bodies = [Body::zero(); N];
        for (i, place) in bodies.iter_mut().enumerate() {
            *place = body(part(i * (TERMS + 1)), &format!("link {}", i + 1))?;
        }
        let payload = body(part(N * (TERMS + 1)), "the payload")?;
        let rotor = |i: usize| values.get(i * (TERMS + 1) + TERMS).copied().unwrap_or(0.0);
        self.arm.changed(|parameters| {
            for (i, link) in parameters.links.iter_mut().enumerate() {
                (link.body, link.motor_inertia) = (bodies[i], rotor(i));
            }
            parameters.payload = payload;
        })
    }
}
