//! A system with contacts and actions: forces in its rate, touches and lift-offs as events.

use super::super::events::{Action, Events, ScheduledAction, Trigger};
use super::super::{ContactId, Energies, Residual, SimulationError, SimulationResult, System, check_length};
use super::law::{ImpactContact, solve};
use super::{ContactPoint, Contacts, Known, Measure, NamedContact, Response};
use crate::Vec3;
use crate::mechanism::dense::dot;

/// Points that reach a surface within this distance of an event touch in it together, m.
const TOGETHER: f64 = 1e-10;
/// A contact is left at this distance, m: a point that hovers at rounding distance does not chatter.
const LEFT: f64 = 1e-9;
/// How deep a contact may be at the start, m.
const DEEPEST_START: f64 = 1e-3;
/// Room for this many happenings before the list grows.
const ROOM: usize = 4096;
/// What weighs more than this gives no way to an impulse, kg: a wall against a prescribed motion.
const IMMOVABLE: f64 = 1e9;

/// A system with contacts and actions. Its state is that of the system, then the energy dissipated and the energy
/// given by prescribed motions.
pub struct WithContacts<'m, S> {
    inner: S,
    contacts: Contacts<'m>,
    actions: Vec<ScheduledAction>,
    /// What happened so far.
    pub happenings: Vec<Happening>,
    /// Keeps the load continuous where torques change.
    load: f64,
    q: Vec<f64>,
    v: Vec<f64>,
    force: Vec<f64>,
}

impl<'m, S: Touchable> WithContacts<'m, S> {
    /// The contacts' mechanism must be the system's own (or, for the explicit Delta, its
    /// [platform](super::super::ExplicitDelta::platform)).
    pub fn new(inner: S, contacts: Contacts<'m>) -> SimulationResult<Self> {
        let [nq, nv] = inner.sizes();
        for (what, given, expected) in [
            ("coordinates of the contacts' mechanism", contacts.mechanism.coordinates(), nq),
            ("velocities of the contacts' mechanism", contacts.mechanism.velocities(), nv),
        ] {
            if given != expected {
                return Err(SimulationError::WrongLength { what, given, expected });
            }
        }
        Ok(Self {
            inner,
            contacts,
            actions: Vec::new(),
            happenings: Vec::with_capacity(ROOM),
            load: 0.0,
            q: vec![0.0; nq],
            v: vec![0.0; nv],
            force: vec![0.0; nv],
        })
    }

    /// Something to be done.
    pub fn act(&mut self, when: Trigger, what: Action) -> SimulationResult<()> {
        match when {
            Trigger::Time(value) if !value.is_finite() => {
                return Err(SimulationError::BadContact { what: "time of an action", value, must: "finite" });
            }
            Trigger::Touch(contact) if contact.0 >= self.contacts.contacts.len() => {
                let (what, value) = ("number of a contact", contact.0 as f64);
                return Err(SimulationError::BadContact { what, value, must: "one of these contacts" });
            }
            _ => {}
        }
        self.inner.check_action(&what)?;
        self.actions.push(ScheduledAction { when, what });
        Ok(())
    }

    /// The state to start from, given the state of the system without contacts. Contacts that touch are closed; one
    /// that is deeper than 1 mm is refused.
    pub fn start(&mut self, time: f64, state: &[f64]) -> SimulationResult<Vec<f64>> {
        check_length("state", state, self.inner.size())?;
        let state = [state, &[0.0, 0.0]].concat();
        self.set(time, &state)?;
        let contacts = &mut self.contacts;
        contacts.look();
        for number in 0..contacts.contacts.len() {
            let depth = -contacts.least_gap(number);
            let allowed = contacts.contacts[number].deepest.min(DEEPEST_START);
            if depth > allowed || depth.is_nan() {
                let contact = contacts.contacts[number].name.clone();
                return Err(SimulationError::Inside { time, contact, depth, allowed });
            }
        }
        for point in &mut contacts.points {
            let measure = point.measure(&contacts.frames);
            let law = &contacts.contacts[point.contact].law;
            point.look(measure.map(|measure| measure.gap));
            let Some(measure) = measure else { continue };
            if measure.gap <= 0.0 {
                let speed = point.approach(&measure, &contacts.frames);
                // One that meets with an impulse does so in the first instant.
                point.closed = law.response == Response::Compliant || speed <= law.resting_speed;
                point.damping = law.damping(speed);
                point.known = Known::Rebound;
            }
            point.face(Some(measure), &contacts.frames);
        }
        Ok(state)
    }

    /// The system without its contacts.
    pub fn inner(&mut self) -> &mut S {
        &mut self.inner
    }

    /// Frames of the bodies at a state.
    fn set(&mut self, time: f64, state: &[f64]) -> SimulationResult<()> {
        self.inner.read(time, &state[..state.len() - 2], &mut self.q, &mut self.v)?;
        self.contacts.frames.set(self.contacts.mechanism, &self.q, &self.v);
        Ok(())
    }

    /// Closes what touches, opens what leaves; impulses where the law says so.
    fn touch(&mut self, time: f64, state: &mut [f64]) -> SimulationResult<()> {
        self.set(time, state)?;
        let mut impacts = Vec::new();
        let mut freed = 0.0;
        let Self { contacts, happenings, .. } = self;
        contacts.look();
        let Contacts { frames, contacts, points, .. } = contacts;
        for (number, point) in points.iter_mut().enumerate() {
            let measure = point.measure(frames);
            let contact = ContactId(point.contact);
            let speed = measure.map_or(0.0, |measure| point.approach(&measure, frames));
            let guard = point.guard(measure.map(|measure| measure.gap));
            let NamedContact { name, deepest, .. } = &contacts[point.contact];
            if let Some(Measure { gap, at, .. }) = measure
                && point.margin(measure, *deepest, frames) <= 0.0
            {
                let (contact, thickness) = (name.clone(), 2.0 * deepest);
                return Err(SimulationError::PassesThrough { time, contact, depth: -gap, at: at.0, thickness });
            }
            if point.closed {
                if guard <= 0.0 {
                    point.closed = false;
                    point.known = Known::Unseen;
                    point.look(measure.map(|measure| measure.gap));
                    // Nothing, unless an edge slides past the end of another.
                    freed += measure.map_or(0.0, |measure| contacts[point.contact].law.stored(-measure.gap));
                    happenings.push(Happening::LiftOff { time, contact });
                }
            } else if guard <= 0.0 || (guard <= TOGETHER && speed > 0.0) {
                let law = &contacts[point.contact].law;
                if law.response == Response::Impulsive && speed > law.resting_speed {
                    impacts.push(number);
                } else {
                    (point.closed, point.damping) = (true, law.damping(speed));
                    freed -= measure.map_or(0.0, |measure| law.stored(-measure.gap));
                    happenings.push(Happening::Touch { time, contact, speed });
                }
            }
            point.face(measure, frames);
        }
        state[state.len() - 2] += freed;
        if impacts.is_empty() { Ok(()) } else { self.impact(time, state, impacts) }
    }

    /// All contacts that meet, and those at rest that must not give way, in one impact.
    fn impact(&mut self, time: f64, state: &mut [f64], meeting: Vec<usize>) -> SimulationResult<()> {
        let size = state.len();
        let (inner_state, extra) = state.split_at_mut(size - 2);
        self.inner.prepare(time, inner_state)?;
        let nv = self.v.len();
        let law = |point: &ContactPoint| self.contacts.contacts[point.contact].law;
        let resting = (0..self.contacts.points.len()).filter(|&i| {
            let point = &self.contacts.points[i];
            point.closed && law(point).response == Response::Impulsive
        });
        let meets = meeting.len();
        let involved: Vec<usize> = meeting.into_iter().chain(resting).collect();
        let (mut places, mut before, mut impacts) = (Vec::new(), Vec::new(), Vec::new());
        let (mut directions, mut responses) = (Vec::new(), Vec::new());
        for (k, &number) in involved.iter().enumerate() {
            let point = &self.contacts.points[number];
            let Some(measure) = point.measure(&self.contacts.frames) else { continue };
            let velocity = point.sliding(&measure, &self.contacts.frames);
            let speed = -velocity.dot(measure.normal);
            let law = law(point);
            let target = if k < meets { law.restitution * speed } else { 0.0 };
            impacts.push(ImpactContact { target, friction: law.friction });
            let base = base(measure.normal);
            for direction in base {
                let mut along = vec![0.0; nv];
                self.contacts.push(point, measure.at, direction, &mut along);
                let mut response = along.clone();
                self.inner.respond(&mut response);
                directions.push(along);
                responses.push(response);
                before.push(velocity.dot(direction));
            }
            places.push((number, measure, base, speed));
        }
        let n = before.len();
        let mut w: Vec<f64> = (0..n * n).map(|ij| dot(&directions[ij / n], &responses[ij % n])).collect();
        for i in (0..n).filter(|i| w[i * n + i] < 1.0 / IMMOVABLE).collect::<Vec<_>>() {
            (0..n).for_each(|j| (w[i * n + j], w[j * n + i]) = (0.0, 0.0));
        }
        let impulses = solve(&w, &before, &impacts);
        let mut change = vec![0.0; nv];
        for (along, impulse) in directions.iter().zip(&impulses) {
            change.iter_mut().zip(along).for_each(|(c, g)| *c += g * impulse);
        }
        self.inner.respond(&mut change);
        extra[1] += self.inner.kick(time, inner_state, &change)?;
        for (k, (number, measure, base, speed)) in places.into_iter().enumerate() {
            let mut impulse = Vec3::zero();
            let mut after = [0.0; 3];
            for i in 0..3 {
                let row = 3 * k + i;
                after[i] = before[row] + dot(&directions[row], &change);
                // An impulse works on the mean of the speeds before and after.
                extra[0] -= 0.5 * impulses[row] * (before[row] + after[i]);
                impulse = impulse + base[i] * impulses[row];
            }
            let point = &mut self.contacts.points[number];
            let law = self.contacts.contacts[point.contact].law;
            if k < meets {
                // What an impulse cannot turn round, because nothing gives way, the compliance takes.
                let rest = if after[0] < 0.0 { speed } else { 0.0 };
                point.closed = after[0] <= law.resting_speed;
                point.damping = law.damping(rest);
                point.known = Known::Rebound;
            }
            let (contact, impulse) = (ContactId(point.contact), point.on_first(impulse));
            self.happenings.push(Happening::Impact { time, contact, speed, impulse, at: measure.at });
        }
        Ok(())
    }

    fn take(&mut self, time: f64, state: &mut [f64], what: &Action) -> SimulationResult<()> {
        let size = state.len();
        let (inner_state, extra) = state.split_at_mut(size - 2);
        match what {
            Action::Torque(torque) => {
                let before = self.inner.energies(time, inner_state)?.load;
                self.inner.set_torques(torque)?;
                self.load += before - self.inner.energies(time, inner_state)?.load;
                self.happenings.push(Happening::Torque { time });
            }
            Action::Release { ties } => {
                self.inner.switch(time, inner_state, what)?;
                self.happenings.push(Happening::Released { time, ties: ties.clone() });
            }
            Action::Attach { .. } => {
                let switched = self.inner.switch(time, inner_state, what)?;
                extra[0] += switched.lost;
                extra[1] += switched.given;
                self.happenings.push(Happening::Attached { time, switched });
            }
        }
        Ok(())
    }

    /// Actions that a touch since number `first` of the happenings sets off.
    fn react(&mut self, time: f64, state: &mut [f64], first: usize) -> SimulationResult<()> {
        let mut number = 0;
        while let Some(action) = self.actions.get(number) {
            let due = match action.when {
                Trigger::Time(at) => at <= time,
                Trigger::Touch(wanted) => self.happenings[first..].iter().any(|happening| match happening {
                    Happening::Touch { contact, .. } | Happening::Impact { contact, .. } => *contact == wanted,
                    _ => false,
                }),
            };
            if due {
                let action = self.actions.remove(number);
                self.take(time, state, &action.what)?;
            } else {
                number += 1;
            }
        }
        Ok(())
    }
}

impl Contacts<'_> {
    /// Takes notice of where the solids are.
    fn look(&mut self) {
        self.passages.iter_mut().for_each(|passage| passage.look(&self.frames));
    }

    /// What a closed point does: the force on the body that touches, and what it takes, W.
    fn action(&self, point: &ContactPoint) -> Option<(Measure, Vec3<f64>, f64)> {
        let measure = if point.closed { point.measure(&self.frames)? } else { return None };
        if measure.gap > 0.0 {
            return Some((measure, Vec3::zero(), 0.0));
        }
        let law = &self.contacts[point.contact].law;
        let velocity = point.sliding(&measure, &self.frames);
        let rate = -velocity.dot(measure.normal);
        let sliding = velocity + measure.normal * rate;
        let (elastic, normal) = law.normal(-measure.gap, rate, point.damping);
        let friction = law.friction(normal, sliding);
        let taken = (normal - elastic) * rate - friction.dot(sliding);
        Some((measure, measure.normal * normal + friction, taken))
    }

    /// A force on `a` and its opposite on `b`, along the velocities.
    fn push(&self, point: &ContactPoint, at: Vec3<f64>, force: Vec3<f64>, sum: &mut [f64]) {
        self.frames.push(self.mechanism, point.a, at, force, sum);
        self.frames.push(self.mechanism, point.b, at, -force, sum);
    }
}

impl ContactPoint {
    /// Velocity of `a` over `b` where they meet.
    fn sliding(&self, measure: &Measure, frames: &super::BodyFrames) -> Vec3<f64> {
        frames.velocity(self.a, measure.at) - frames.velocity(self.b, measure.at)
    }

    fn approach(&self, measure: &Measure, frames: &super::BodyFrames) -> f64 {
        -self.sliding(measure, frames).dot(measure.normal)
    }

    /// Positive as long as nothing happens.
    fn guard(&self, gap: Option<f64>) -> f64 {
        match gap {
            None if self.closed => -1.0,
            None => 1.0,
            Some(gap) if self.closed => LEFT - gap,
            Some(gap) if self.known == Known::Apart => gap,
            Some(gap) => gap + LEFT,
        }
    }

    /// Positive as long as it is less deep than half the thickness of the thinner side and has not come to the other side.
    fn margin(&self, measure: Option<Measure>, deepest: f64, frames: &super::BodyFrames) -> f64 {
        let Some(Measure { gap, normal, .. }) = measure.filter(|_| self.closed) else { return f64::INFINITY };
        let turned = self.facing.is_some_and(|facing| frames.frame(self.b).turn(facing).dot(normal) < -0.5);
        if turned { -1.0 } else { deepest + gap }
    }

    /// Takes notice of the side on which a closed point touches.
    fn face(&mut self, measure: Option<Measure>, frames: &super::BodyFrames) {
        let axes = &frames.frame(self.b).axes;
        let local = |measure: Measure| Vec3::from_fn(|i| axes[i].dot(measure.normal));
        self.facing = measure.filter(|_| self.closed).map(local);
    }

    /// Takes notice of where an open point is.
    fn look(&mut self, gap: Option<f64>) {
        match gap {
            None => self.known = Known::Unseen,
            Some(gap) if gap > 0.0 => self.known = Known::Apart,
            Some(_) => {}
        }
    }
}

/// The normal and two tangents.
fn base(normal: Vec3<f64>) -> [Vec3<f64>; 3] {
    let least = (0..3).fold(0, |best, i| if normal[i].abs() < normal[best].abs() { i } else { best });
    let across = normal.cross(Vec3::from_fn(|i| if i == least { 1.0 } else { 0.0 }));
    let first = across * (1.0 / across.norm_squared().sqrt());
    [normal, first, normal.cross(first)]
}

impl<S: Touchable> System for WithContacts<'_, S> {
    fn size(&self) -> usize {
        self.inner.size() + 2
    }

    /// At once; [`Action::Torque`] does it at an instant, and keeps the load continuous.
    fn set_torques(&mut self, torque: &[f64]) -> SimulationResult<()> {
        self.inner.set_torques(torque)
    }

    fn rate(&mut self, time: f64, state: &[f64], rate: &mut [f64]) -> SimulationResult<()> {
        let n = self.inner.size();
        self.set(time, state)?;
        self.force.fill(0.0);
        let mut taken = 0.0;
        for point in &self.contacts.points {
            if let Some((measure, force, power)) = self.contacts.action(point) {
                self.contacts.push(point, measure.at, force, &mut self.force);
                taken += power;
            }
        }
        self.inner.push(&self.force);
        self.inner.rate(time, &state[..n], &mut rate[..n])?;
        let (given, lost) = self.inner.powers(time, &state[..n])?;
        rate[n] = taken + lost;
        rate[n + 1] = given;
        Ok(())
    }

    fn edge(&mut self, time: f64, state: &[f64]) -> Option<SimulationError> {
        self.inner.edge(time, &state[..state.len() - 2])
    }

    fn project(&mut self, time: f64, state: &mut [f64]) -> SimulationResult<bool> {
        let n = self.inner.size();
        self.inner.project(time, &mut state[..n])
    }

    /// Contacts and actions are met step by step.
    fn interpolates(&self) -> bool {
        false
    }

    fn energies(&mut self, time: f64, state: &[f64]) -> SimulationResult<Energies> {
        let n = self.inner.size();
        self.set(time, state)?;
        let mut energies = self.inner.energies(time, &state[..n])?;
        for point in self.contacts.points.iter().filter(|point| point.closed) {
            if let Some(measure) = point.measure(&self.contacts.frames) {
                energies.potential += self.contacts.contacts[point.contact].law.stored(-measure.gap);
            }
        }
        energies.load += self.load - state[n + 1];
        energies.dissipated = state[n];
        Ok(energies)
    }

    fn residual(&mut self, time: f64, state: &[f64]) -> SimulationResult<Residual> {
        let n = self.inner.size();
        self.inner.residual(time, &state[..n])
    }

    fn contact_forces(&mut self, time: f64, state: &[f64]) -> SimulationResult<Vec<ContactForce>> {
        check_length("state", state, self.size())?;
        self.set(time, state)?;
        let empty = |(number, contact): (usize, &super::NamedContact)| ContactForce {
            contact: ContactId(number),
            name: contact.name.clone(),
            force: Vec3::zero(),
            normal: 0.0,
            points: 0,
        };
        let mut forces: Vec<ContactForce> = self.contacts.contacts.iter().enumerate().map(empty).collect();
        for point in &self.contacts.points {
            if let Some((measure, force, _)) = self.contacts.action(point) {
                let sum = &mut forces[point.contact];
                sum.force = sum.force + point.on_first(force);
                sum.normal += force.dot(measure.normal);
                sum.points += usize::from(measure.gap <= 0.0);
            }
        }
        Ok(forces)
    }

    fn events(&mut self) -> Option<&mut dyn Events> {
        Some(self)
    }
}

impl<S: Touchable> Events for WithContacts<'_, S> {
    fn guard(&mut self, time: f64, state: &[f64]) -> SimulationResult<f64> {
        self.inner.read(time, &state[..state.len() - 2], &mut self.q, &mut self.v)?;
        let Contacts { mechanism, frames, contacts, points, passages } = &mut self.contacts;
        frames.place(mechanism, &self.q);
        let unwatched = passages.iter().map(|passage| passage.guard(frames)).fold(f64::INFINITY, f64::min);
        Ok(points.iter_mut().fold(unwatched, |least, point| {
            point.seen = point.measure(frames);
            let margin = point.margin(point.seen, contacts[point.contact].deepest, frames);
            least.min(point.guard(point.seen.map(|measure| measure.gap))).min(margin)
        }))
    }

    fn appointment(&self) -> f64 {
        let time = |action: &ScheduledAction| match action.when {
            Trigger::Time(time) => time,
            Trigger::Touch(_) => f64::INFINITY,
        };
        self.actions.iter().map(time).fold(f64::INFINITY, f64::min)
    }

    fn happen(&mut self, time: f64, state: &mut [f64]) -> SimulationResult<()> {
        let first = self.happenings.len();
        self.touch(time, state)?;
        self.react(time, state, first)
    }

    fn accept(&mut self, _: f64, _: &[f64]) -> SimulationResult<()> {
        // The guard has just measured here.
        self.contacts.look();
        let Contacts { frames, points, .. } = &mut self.contacts;
        for point in points {
            if point.closed {
                point.face(point.seen, frames);
            } else {
                point.look(point.seen.map(|measure| measure.gap));
            }
        }
        Ok(())
    }
}

/// A formulation whose bodies can touch something.
pub trait Touchable: System {
    /// How many coordinates say where the bodies are, and how many velocities the forces of [`Touchable::push`] act along.
    fn sizes(&self) -> [usize; 2];

    /// Coordinates and velocities of a state.
    fn read(&mut self, time: f64, state: &[f64], q: &mut [f64], v: &mut [f64]) -> SimulationResult<()>;

    /// Forces along the velocities that count in [`System::rate`] from now on.
    fn push(&mut self, force: &[f64]);

    /// Power given by prescribed motions and power taken by friction and damping of the motors, W, at the last rate.
    fn powers(&mut self, time: f64, state: &[f64]) -> SimulationResult<(f64, f64)>;

    /// Gets ready for [`Touchable::respond`] at a state.
    fn prepare(&mut self, time: f64, state: &[f64]) -> SimulationResult<()>;

    /// The change of the velocities by an impulse along them, in place.
    fn respond(&mut self, impulse: &mut [f64]);

    /// Adds a change to the velocities; returns the energy that prescribed motions gave to it with the last
    /// [`Touchable::respond`], J.
    fn kick(&mut self, time: f64, state: &mut [f64], change: &[f64]) -> SimulationResult<f64>;

    /// Refuses an action that the system cannot do.
    fn check_action(&self, what: &Action) -> SimulationResult<()>;

    /// Closes (attaches) or opens (releases) constraints by name; impulses of all that was closed, and the energies
    /// lost and given in it.
    fn switch(&mut self, time: f64, state: &mut [f64], what: &Action) -> SimulationResult<Switched>;
}

/// What attaching or releasing did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Switched {
    /// The impulse of each constraint that was closed, N s or N m s: on its first place, base frame, as its
    /// multipliers are.
    pub impulses: Vec<(String, Vec<f64>)>,
    /// Energy lost in the impact, J.
    pub lost: f64,
    /// Energy that prescribed motions gave to it, J.
    pub given: f64,
}

/// Something that happened at an instant.
#[derive(Clone, Debug, PartialEq)]
pub enum Happening {
    /// A point touched, and its compliance counts from now on.
    Touch {
        /// s.
        time: f64,
        /// Which.
        contact: ContactId,
        /// Of the approach, m/s.
        speed: f64,
    },
    /// A point met with an impulse.
    Impact {
        /// s.
        time: f64,
        /// Which.
        contact: ContactId,
        /// Of the approach, m/s.
        speed: f64,
        /// On the body that touches, base frame, N s.
        impulse: Vec3<f64>,
        /// Where, base frame, m.
        at: Vec3<f64>,
    },
    /// A point left.
    LiftOff {
        /// s.
        time: f64,
        /// Which.
        contact: ContactId,
    },
    /// Constraints were closed.
    Attached {
        /// s.
        time: f64,
        /// With these impulses.
        switched: Switched,
    },
    /// Constraints were opened.
    Released {
        /// s.
        time: f64,
        /// Their names.
        ties: Vec<String>,
    },
    /// The torques changed.
    Torque {
        /// s.
        time: f64,
    },
}

/// Force of a contact on the body that touches, over all its points.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactForce {
    /// Which.
    pub contact: ContactId,
    /// Its name.
    pub name: String,
    /// Base frame, N.
    pub force: Vec3<f64>,
    /// Sum of the normal forces of its points, N.
    pub normal: f64,
    /// Points that touch.
    pub points: usize,
}
