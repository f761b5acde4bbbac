//! A conveyor that moves while the robot picks.
//!
//! The motion is a travel to the part and back, plus an offset c(t) along the belt. On the way there c goes from rest to
//! the belt's velocity v_b and meets the part where it is then (c = 0); while the robot picks, c = v_b t; on the way back c
//! goes to rest at 0 again. Each way is the quintic with these ends and no acceleration there, so the sum is C² wherever
//! the travel is.

use super::{Motion, Point, Rest, State};
use dalembert_core::Vec3;

/// To a part on a moving belt, with it while it is picked, and back.
#[derive(Clone, Debug)]
pub struct ConveyorPick<There, Back> {
    /// From the place to where the part is when it is met.
    pub there: There,
    /// s, with the belt.
    pub picking: f64,
    /// From there back to the place.
    pub back: Back,
    /// Velocity of the belt, m/s.
    pub belt: Vec3<f64>,
}

/// c, ċ, c̈ of the quintic over `duration` from (c₀, v₀) to (c₁, v₁) without acceleration at both ends.
fn quintic(t: f64, duration: f64, from: (f64, f64), to: (f64, f64)) -> [f64; 3] {
    let (h, u) = (to.0 - from.0 - from.1 * duration, (to.1 - from.1) * duration);
    let x = t / duration;
    // h and u are what is left to go and to speed up when the start goes on as a straight line.
    let (a, b, c) = (10.0 * h - 4.0 * u, -15.0 * h + 7.0 * u, 6.0 * h - 3.0 * u);
    [
        from.0 + from.1 * t + x * x * x * (a + x * (b + x * c)),
        from.1 + x * x * (3.0 * a + x * (4.0 * b + x * 5.0 * c)) / duration,
        x * (6.0 * a + x * (12.0 * b + x * 20.0 * c)) / (duration * duration),
    ]
}

impl<There, Back> Motion for ConveyorPick<There, Back>
where
    There: Motion<Point = Vec3<f64>>,
    Back: Motion<Point = Vec3<f64>>,
{
    type Point = Vec3<f64>;

    fn duration(&self) -> f64 {
        self.there.duration() + self.picking + self.back.duration()
    }

    fn at(&self, t: f64) -> State<Vec3<f64>> {
        let (met, left) = (self.there.duration(), self.there.duration() + self.picking);
        let ridden = self.picking;
        let (state, [c, v, a]) = if t < 0.0 || t > self.duration() {
            (if t < 0.0 { self.there.at(t) } else { self.back.at(t - left) }, [0.0; 3])
        } else if t < met {
            (self.there.at(t), quintic(t, met, (0.0, 0.0), (0.0, 1.0)))
        } else if t < left {
            let rest = Rest { position: self.there.at(met).position, duration: ridden };
            (rest.at(t - met), [t - met, 1.0, 0.0])
        } else {
            (self.back.at(t - left), quintic(t - left, self.back.duration(), (ridden, 1.0), (0.0, 0.0)))
        };
        State {
            position: state.position.plus(c, self.belt),
            velocity: state.velocity.plus(v, self.belt),
            acceleration: state.acceleration.plus(a, self.belt),
        }
    }

    fn breaks(&self) -> Vec<f64> {
        let (met, left) = (self.there.duration(), self.there.duration() + self.picking);
        let mut times = self.there.breaks();
        times.push(met);
        times.push(left);
        times.extend(self.back.breaks().into_iter().map(|t| left + t));
        times
    }
}
