//! Motion profiles: how far along its path a motion is at each time. All of them begin and end at rest.
//!
//! `docs/motion.md` has their formulas, with the distance D, the duration T and τ = t/T, and how Codourey's Figure 8 shows that the
//! sine on ramp is his. The *nonsymmetrical* sine on ramp takes each half of the sine over its own time: with the peak of the
//! acceleration r times that of the deceleration, it accelerates for T/(1 + r).

use std::f64::consts::PI;

/// How far, how fast.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathProgress {
    /// m (or whatever the path's parameter is).
    pub s: f64,
    /// ṡ, m/s.
    pub rate: f64,
    /// s̈, m/s².
    pub acceleration: f64,
    /// s⃛, m/s³; where it jumps, the one that follows.
    pub jerk: f64,
}

impl PathProgress {
    fn still(s: f64) -> Self {
        Self { s, rate: 0.0, acceleration: 0.0, jerk: 0.0 }
    }
}

/// What may be done at most; infinity for no limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionLimits {
    /// m/s.
    pub speed: f64,
    /// m/s².
    pub acceleration: f64,
    /// m/s³.
    pub jerk: f64,
}

impl MotionLimits {
    /// None at all.
    pub const NONE: Self = Self { speed: f64::INFINITY, acceleration: f64::INFINITY, jerk: f64::INFINITY };

    /// The shape of a double-S that is told nothing: 1.5 : 6 : 60 of the distance and second.
    pub(super) fn usual(distance: f64) -> Self {
        Self { speed: 1.5 * distance, acceleration: 6.0 * distance, jerk: 60.0 * distance }
    }

    /// Both these and others.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            speed: self.speed.min(other.speed),
            acceleration: self.acceleration.min(other.acceleration),
            jerk: self.jerk.min(other.jerk),
        }
    }
}

/// Why there is no such profile.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum ProfileError {
    #[error("{what} is {value}, but must be positive{}", if value.is_infinite() { " and finite" } else { "" })]
    NotPositive { what: &'static str, value: f64 },
    #[error("without a limit on acceleration or jerk the motion would take no time")]
    NoLimit,
    #[error("the profile covers {found} m, but the path has {length} m")]
    OtherLength { found: f64, length: f64 },
}

/// A motion profile from rest to rest over a distance.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    shape: ProfileShape,
    distance: f64,
    duration: f64,
}

#[derive(Clone, Debug, PartialEq)]
enum ProfileShape {
    /// Constant jerk in each piece.
    Pieces(Vec<ProfilePiece>),
    Polynomial345,
    Polynomial4567,
    /// The share of the time that accelerates.
    Sine {
        share: f64,
    },
}

/// From the state at `start` on: s + v t + a t²/2 + j t³/6.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ProfilePiece {
    start: f64,
    first: PathProgress,
}

impl ProfilePiece {
    fn at(&self, t: f64) -> PathProgress {
        let t = t - self.start;
        let PathProgress { s, rate, acceleration: a, jerk: j } = self.first;
        PathProgress {
            s: s + t * (rate + t * (0.5 * a + t * (j / 6.0))),
            rate: rate + t * (a + t * (0.5 * j)),
            acceleration: a + t * j,
            jerk: j,
        }
    }
}

pub(super) fn positive(what: &'static str, value: f64) -> Result<f64, ProfileError> {
    if value > 0.0 && value.is_finite() { Ok(value) } else { Err(ProfileError::NotPositive { what, value }) }
}

fn limit(what: &'static str, value: f64) -> Result<f64, ProfileError> {
    if value > 0.0 { Ok(value) } else { Err(ProfileError::NotPositive { what, value }) }
}

impl Profile {
    /// Constant acceleration over one half of the time, the same deceleration over the other.
    pub fn parabolic(distance: f64, duration: f64) -> Result<Self, ProfileError> {
        let (half, distance) = (0.5 * positive("duration", duration)?, positive("distance", distance)?);
        let a = distance / (half * half);
        Ok(Self::from_pieces(distance, [(half, a, 0.0), (half, -a, 0.0)]))
    }

    /// As fast as speed and acceleration allow.
    pub fn trapezoidal(distance: f64, speed: f64, acceleration: f64) -> Result<Self, ProfileError> {
        Self::double_s(distance, MotionLimits { speed, acceleration, jerk: f64::INFINITY })
    }

    /// 10τ³ − 15τ⁴ + 6τ⁵: no acceleration at the ends.
    pub fn polynomial345(distance: f64, duration: f64) -> Result<Self, ProfileError> {
        Self::timed(ProfileShape::Polynomial345, distance, duration)
    }

    /// 35τ⁴ − 84τ⁵ + 70τ⁶ − 20τ⁷: neither acceleration nor jerk at the ends.
    pub fn polynomial4567(distance: f64, duration: f64) -> Result<Self, ProfileError> {
        Self::timed(ProfileShape::Polynomial4567, distance, duration)
    }

    /// Sine on ramp, with the peak of the acceleration `ratio` times that of the deceleration (1: symmetric).
    pub fn sine_on_ramp(distance: f64, duration: f64, ratio: f64) -> Result<Self, ProfileError> {
        let share = 1.0 / (1.0 + positive("ratio", ratio)?);
        Self::timed(ProfileShape::Sine { share }, distance, duration)
    }

    /// As fast as speed, acceleration and jerk allow (double-S).
    ///
    /// Infinite limits are none; without a jerk limit the profile is the trapezoidal one. Acceleration takes T_a, of which T_j
    /// at either end is spent on the jerk, and reaches the speed v = a(T_a − T_j); rest to rest it is symmetric:
    ///
    /// ```text
    /// D = v (T_a + T_v)                                                                                      (1)
    /// ```
    pub fn double_s(distance: f64, limits: MotionLimits) -> Result<Self, ProfileError> {
        let distance = positive("distance", distance)?;
        let speed = limit("speed", limits.speed)?;
        let most = limit("acceleration", limits.acceleration)?;
        let jerk = limit("jerk", limits.jerk)?;
        if most.is_infinite() && jerk.is_infinite() {
            return Err(ProfileError::NoLimit);
        }
        // To the full speed, with or without a time at the full acceleration.
        let (mut tj, mut ta) = if speed.is_infinite() {
            (0.0, f64::INFINITY)
        } else if speed * jerk > most * most {
            (most / jerk, speed / most + most / jerk)
        } else {
            ((speed / jerk).sqrt(), 2.0 * (speed / jerk).sqrt())
        };
        let mut cruise = distance / speed - ta;
        if cruise <= 0.0 {
            // (1) with T_v = 0 and v = a(T_a − T_j).
            cruise = 0.0;
            tj = most / jerk;
            ta = 0.5 * (tj + (tj * tj + 4.0 * distance / most).sqrt());
            if ta <= 2.0 * tj {
                tj = (distance / (2.0 * jerk)).cbrt();
                ta = 2.0 * tj;
            }
        }
        let peak = distance / ((ta + cruise) * (ta - tj));
        let (flat, rise) = (ta - 2.0 * tj, if tj > 0.0 { peak / tj } else { 0.0 });
        let half = |sign: f64| [(tj, 0.0, sign * rise), (flat, sign * peak, 0.0), (tj, sign * peak, -sign * rise)];
        let [a, b, c] = half(1.0);
        let [d, e, f] = half(-1.0);
        Ok(Self::from_pieces(distance, [a, b, c, (cruise, 0.0, 0.0), d, e, f]))
    }

    fn timed(shape: ProfileShape, distance: f64, duration: f64) -> Result<Self, ProfileError> {
        let (distance, duration) = (positive("distance", distance)?, positive("duration", duration)?);
        Ok(Self { shape, distance, duration })
    }

    /// Pieces (duration, acceleration at the beginning, jerk), from rest; those without duration are left out.
    pub(super) fn from_pieces(distance: f64, pieces: impl IntoIterator<Item = (f64, f64, f64)>) -> Self {
        let mut now = PathProgress::still(0.0);
        let (mut start, mut list) = (0.0, Vec::new());
        for (duration, acceleration, jerk) in pieces {
            if duration > 0.0 {
                let piece = ProfilePiece { start, first: PathProgress { acceleration, jerk, ..now } };
                start += duration;
                now = piece.at(start);
                list.push(piece);
            }
        }
        Self { shape: ProfileShape::Pieces(list), distance, duration: start }
    }

    /// Constant acceleration between points (s, ṡ²), from rest to rest: ṡ² is linear in s there.
    pub(super) fn through(s: &[f64], squares: &[f64]) -> Self {
        let mut start = 0.0;
        let pieces = s.windows(2).zip(squares.windows(2)).map(|(s, x)| {
            let (width, rates) = (s[1] - s[0], [x[0].sqrt(), x[1].sqrt()]);
            let acceleration = (x[1] - x[0]) / (2.0 * width);
            let first = PathProgress { s: s[0], rate: rates[0], acceleration, jerk: 0.0 };
            let piece = ProfilePiece { start, first };
            start += 2.0 * width / (rates[0] + rates[1]);
            piece
        });
        let pieces = pieces.collect();
        Self { shape: ProfileShape::Pieces(pieces), distance: s.last().copied().unwrap_or(0.0), duration: start }
    }

    /// D, m.
    pub fn distance(&self) -> f64 {
        self.distance
    }

    /// T, s.
    pub fn duration(&self) -> f64 {
        self.duration
    }

    /// The same profile over `factor` times the duration.
    #[must_use]
    pub fn stretched(&self, factor: f64) -> Self {
        let mut shape = self.shape.clone();
        if let ProfileShape::Pieces(pieces) = &mut shape {
            for ProfilePiece { start, first } in pieces {
                *start *= factor;
                first.rate /= factor;
                first.acceleration /= factor * factor;
                first.jerk /= factor * factor * factor;
            }
        }
        Self { shape, distance: self.distance, duration: self.duration * factor }
    }

    /// The progress at time `t`; before the start and after the end it rests.
    pub fn at(&self, t: f64) -> PathProgress {
        let (distance, duration) = (self.distance, self.duration);
        if t < 0.0 {
            return PathProgress::still(0.0);
        }
        if t > duration {
            return PathProgress::still(distance);
        }
        let x = t / duration;
        let scaled = |[s, rate, acceleration, jerk]: [f64; 4]| PathProgress {
            s: distance * s,
            rate: distance / duration * rate,
            acceleration: distance / (duration * duration) * acceleration,
            jerk: distance / duration.powi(3) * jerk,
        };
        match &self.shape {
            ProfileShape::Pieces(pieces) => {
                let index = pieces.partition_point(|piece| piece.start <= t).saturating_sub(1);
                let mut now = pieces[index].at(t);
                now.s = now.s.clamp(0.0, distance);
                now
            }
            ProfileShape::Polynomial345 => scaled([
                x * x * x * (10.0 + x * (6.0 * x - 15.0)),
                30.0 * x * x * (1.0 - x) * (1.0 - x),
                60.0 * x * (1.0 - x) * (1.0 - 2.0 * x),
                60.0 * (1.0 - 6.0 * x * (1.0 - x)),
            ]),
            ProfileShape::Polynomial4567 => {
                let rest = x * (1.0 - x);
                scaled([
                    x * x * x * x * (35.0 + x * (-84.0 + x * (70.0 - 20.0 * x))),
                    140.0 * rest * rest * rest,
                    420.0 * rest * rest * (1.0 - 2.0 * x),
                    840.0 * rest * (1.0 - 5.0 * rest),
                ])
            }
            &ProfileShape::Sine { share } => {
                // One half of the sine over `span`; the second half is the first seen from the end.
                let (y, span, sign) = if x < share { (x, share, 1.0) } else { (1.0 - x, 1.0 - share, -1.0) };
                let (sin, cos) = (PI * y / span).sin_cos();
                let s = y - span / PI * sin;
                let turn = PI / span;
                scaled([if sign > 0.0 { s } else { 1.0 - s }, 1.0 - cos, sign * turn * sin, turn * turn * cos])
            }
        }
    }

    /// Largest |s⃛|, m/s³; infinite where the acceleration jumps, at the ends too.
    pub fn peak_jerk(&self) -> f64 {
        let scale = self.distance / self.duration.powi(3);
        match &self.shape {
            ProfileShape::Pieces(pieces) => {
                let most =
                    |value: fn(&ProfilePiece) -> f64| pieces.iter().map(value).fold(0.0, |most, x| x.abs().max(most));
                // Each piece begins with the acceleration that the one before has come to, but for rounding.
                let rounding = 1e-6 * most(|piece| piece.first.acceleration);
                let ends = pieces.iter().skip(1).map(|piece| piece.start).chain([self.duration]);
                let mut before = 0.0;
                for (piece, end) in pieces.iter().zip(ends) {
                    if (piece.first.acceleration - before).abs() > rounding {
                        return f64::INFINITY;
                    }
                    before = piece.at(end).acceleration;
                }
                if before.abs() > rounding { f64::INFINITY } else { most(|piece| piece.first.jerk) }
            }
            // At both ends.
            ProfileShape::Polynomial345 => 60.0 * scale,
            // 840 r (1 − 5r) with r = τ(1 − τ): in the middle.
            ProfileShape::Polynomial4567 => 52.5 * scale,
            // At the end of the shorter half.
            ProfileShape::Sine { share } => (PI / share.min(1.0 - share)).powi(2) * scale,
        }
    }

    /// Times inside at which the acceleration or its derivative jumps.
    pub fn breaks(&self) -> Vec<f64> {
        match &self.shape {
            ProfileShape::Pieces(pieces) => pieces.iter().skip(1).map(|piece| piece.start).collect(),
            ProfileShape::Polynomial345 | ProfileShape::Polynomial4567 => Vec::new(),
            ProfileShape::Sine { share } => vec![share * self.duration],
        }
    }

    /// The breaks and both ends.
    pub(super) fn ends(&self) -> Vec<f64> {
        [vec![0.0], self.breaks(), vec![self.duration]].concat()
    }

    /// The time at which `s` is reached: by bisection, to the last digits.
    pub fn time_of(&self, s: f64) -> f64 {
        let (mut low, mut high) = (0.0, self.duration);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if self.at(middle).s < s {
                low = middle;
            } else {
                high = middle;
            }
        }
        0.5 * (low + high)
    }

    /// The profile averaged over a sliding window of `window` seconds: it takes that much longer, its acceleration is
    /// continuous where it jumped, and no larger.
    ///
    /// For profiles of constant acceleration in pieces the result is exact: with S(t) = 1/w ∫ s over the window,
    ///
    /// ```text
    /// Ṡ = (s(t) − s(t − w))/w,   S̈ = (ṡ(t) − ṡ(t − w))/w,   jerk = (s̈(t) − s̈(t − w))/w                        (2)
    /// ```
    pub(super) fn averaged(&self, window: f64) -> Self {
        let mut times = self.ends();
        let shifted: Vec<f64> = times.iter().map(|t| t + window).collect();
        times.extend(shifted);
        times.sort_by(f64::total_cmp);
        let pieces = times.windows(2).filter(|pair| pair[1] > pair[0]).map(|pair| {
            let (start, middle) = (pair[0], 0.5 * (pair[0] + pair[1]));
            let jerk = (self.at(middle).acceleration - self.at(middle - window).acceleration) / window;
            let acceleration = (self.at(start).rate - self.at(start - window).rate) / window;
            (pair[1] - pair[0], acceleration, jerk)
        });
        Self::from_pieces(self.distance, pieces)
    }
}
