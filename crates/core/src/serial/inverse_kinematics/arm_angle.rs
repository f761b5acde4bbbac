//! Arms with seven joints whose first three axes meet in a shoulder S and last three in a wrist W. With the tool held, the elbow E goes
//! round the line from S to W; the arm angle ψ says where it is (Kreutz-Delgado, Long and Seraji, Int. J. Robotics Research 11
//! (1992), section 3; Shimizu et al., IEEE Trans. Robotics 24 (2008), section III). With v = W − S, n = v/|v|, u = E − S and the first axis h:
//!
//! ```text
//! A = h × v,  B = u × v,  tan ψ = n·(A × B)/(A·B)                                                            (1)
//! ψ̇ = n·(B × Ḃ)/B² − n·(A × Ȧ)/A²                                                                           (2)
//! |E_4(q_4) W − S| = |W − S|:  q_4;  R_1 R_2 R_3 from n and ψ;  R_5 R_6 R_7 from the tool                    (3)
//! ```
//!
//! ψ is undetermined where the arm is stretched and where W is on the first axis.

use super::chain::{MAX_JOINTS, Screw, ScrewChain, size};
use super::closed::{Candidates, euler, meet_all};
use super::equations::Curve;
use crate::algebra::{Mat3, Vec3};
use crate::scalar::{Dual, Scalar};
use crate::spatial::Frame;

/// Below this sine between two of h, u and v the angle is undetermined: six of sixteen digits would be gone.
const UNDETERMINED: f64 = 1e-6;

/// Shoulder, elbow and wrist at q = 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArmAngle {
    shoulder: Vec3<f64>,
    elbow: Vec3<f64>,
    wrist: Vec3<f64>,
}

/// u and v, and how they change.
struct Triangle<S> {
    u: [Vec3<S>; 2],
    v: [Vec3<S>; 2],
}

/// ψ̇, (2).
fn rate<S: Scalar>(h: Vec3<S>, t: &Triangle<S>) -> S {
    let ([u, ud], [v, vd]) = (t.u, t.v);
    let spin = |c: Vec3<S>, cd: Vec3<S>| v.dot(c.cross(cd)) / c.norm_squared();
    let of_elbow = spin(u.cross(v), ud.cross(v) + u.cross(vd));
    (of_elbow - spin(h.cross(v), h.cross(vd))) / v.norm_squared().sqrt()
}

impl ArmAngle {
    /// If the arm is such a one.
    pub fn new(chain: &ScrewChain) -> Option<Self> {
        if chain.joints != 7 {
            return None;
        }
        let [one, two, three, four, five, six, seven, _] = &chain.screws;
        let shoulder = meet_all(chain.length, one, two, three)?;
        let wrist = meet_all(chain.length, five, six, seven)?;
        let elbow = four.point + four.axis * four.axis.dot(shoulder - four.point);
        (four.turns && size(elbow - shoulder) > UNDETERMINED * chain.length).then_some(Self { shoulder, elbow, wrist })
    }

    /// u and v at `q`.
    fn sides(&self, screws: &[Screw; MAX_JOINTS], q: &[f64; MAX_JOINTS]) -> [Vec3<f64>; 2] {
        let to_elbow = (0..3).fold(Frame::identity(), |moved, i| moved.then(&screws[i].motion(q[i])));
        let to_wrist = to_elbow.then(&screws[3].motion(q[3]));
        [to_elbow.point(self.elbow) - self.shoulder, to_wrist.point(self.wrist) - self.shoulder]
    }

    /// (1) at `q`, where it is determined.
    pub fn at(&self, chain: &ScrewChain, q: &[f64; MAX_JOINTS]) -> Option<f64> {
        let h = chain.screws[0].axis;
        let [u, v] = self.sides(&chain.screws, q);
        let (a, b) = (h.cross(v), u.cross(v));
        let determined = size(a) > UNDETERMINED * size(v) && size(b) > UNDETERMINED * size(u) * size(v);
        determined.then(|| libm::atan2(v.dot(a.cross(b)) / size(v), a.dot(b)))
    }

    /// ∂ψ/∂q.
    pub fn gradient(&self, chain: &ScrewChain, q: &[f64; MAX_JOINTS]) -> [f64; MAX_JOINTS] {
        let [u, v] = self.sides(&chain.screws, q);
        let (elbow, wrist) = (self.shoulder + u, self.shoulder + v);
        let mut moved = Frame::identity();
        let mut gradient = [0.0; MAX_JOINTS];
        for i in 0..4 {
            let screw = chain.screws[i].moved(&moved);
            moved = moved.then(&chain.screws[i].motion(q[i]));
            let speed = |point: Vec3<f64>| screw.axis.cross(point - screw.point);
            let ud = if i < 3 { speed(elbow) } else { Vec3::zero() };
            gradient[i] = rate(chain.screws[0].axis, &Triangle { u: [u, ud], v: [v, speed(wrist)] });
        }
        gradient
    }

    /// ψ̈ with joints that move at `qd` without acceleration.
    pub fn drift(&self, chain: &ScrewChain, q: &[f64; MAX_JOINTS], qd: &[f64; MAX_JOINTS]) -> f64 {
        // Points of the links that carry them: velocity, and acceleration without that of joints, joint by joint.
        let motion = |point: Vec3<f64>, joints: usize| {
            let mut moved = Frame::identity();
            let (mut omega, mut alpha) = (Vec3::zero(), Vec3::zero());
            // Of the point as fixed to the link, expressed by those of its place on the axis before.
            let (mut place, mut velocity, mut acceleration) = (chain.screws[0].point, Vec3::zero(), Vec3::zero());
            let mut go = |to: Vec3<f64>, omega: Vec3<f64>, alpha: Vec3<f64>| {
                let arm = to - place;
                velocity = velocity + omega.cross(arm);
                acceleration = acceleration + alpha.cross(arm) + omega.cross(omega.cross(arm));
                place = to;
                [place, velocity, acceleration]
            };
            for i in 0..joints {
                let screw = chain.screws[i].moved(&moved);
                go(screw.point, omega, alpha);
                moved = moved.then(&chain.screws[i].motion(q[i]));
                alpha = alpha + omega.cross(screw.axis * qd[i]);
                omega = omega + screw.axis * qd[i];
            }
            let [place, velocity, acceleration] = go(moved.point(point), omega, alpha);
            [place - self.shoulder, velocity, acceleration]
        };
        let dual = |value: Vec3<f64>, derivative: Vec3<f64>| {
            Vec3::from_fn(|i| Dual { value: value[i], derivative: [derivative[i]] })
        };
        let side = |[u, ud, udd]: [Vec3<f64>; 3]| [dual(u, ud), dual(ud, udd)];
        let triangle = Triangle { u: side(motion(self.elbow, 3)), v: side(motion(self.wrist, 4)) };
        rate(dual(chain.screws[0].axis, Vec3::zero()), &triangle).derivative[0]
    }

    /// (3) with the arm angle ψ; `None` where it is undetermined.
    pub fn candidates(
        &self,
        chain: &ScrewChain,
        target: &Frame<f64>,
        angle: f64,
        seed: &[f64; MAX_JOINTS],
    ) -> Option<Candidates> {
        let mut found = Candidates::new();
        let moved = target.then(&chain.zero.inverse());
        let v = moved.point(self.wrist) - self.shoulder;
        let h = chain.screws[0].axis;
        let base = frame_of(v, h)?;
        let [one, two, three, four, five, six, seven, _] = &chain.screws;
        let around = Curve::of_point(four, self.wrist, 1.0).distance_squared(self.shoulder);
        for &q4 in around.equal_to(v.norm_squared(), v.norm_squared(), seed[3]).as_slice() {
            let fourth = four.motion(q4);
            let body = frame_of(fourth.point(self.wrist) - self.shoulder, self.elbow - self.shoulder)?;
            // From A to B by ψ about n: the second axes of both frames are along them.
            let about = super::chain::turned(Vec3([1.0, 0.0, 0.0]), angle);
            let arm = base.product(about).product(body.transpose());
            let rest = arm.product(fourth.rotation).transpose().product(moved.rotation);
            euler([one, two, three], &arm, [seed[0], seed[1]], true, &mut |[q1, q2, q3]| {
                euler([five, six, seven], &rest, [seed[4], seed[5]], true, &mut |[q5, q6, q7]| {
                    found.push([q1, q2, q3, q4, q5, q6, q7, 0.0]);
                });
            });
        }
        Some(found)
    }
}

/// Axes along v, w × v and the third; `None` where w is along v.
fn frame_of(v: Vec3<f64>, w: Vec3<f64>) -> Option<Mat3<f64>> {
    let across = w.cross(v);
    let sine = size(across);
    if sine <= UNDETERMINED * size(v) * size(w) {
        return None;
    }
    let (first, second) = (v * (1.0 / size(v)), across * (1.0 / sine));
    Some(Mat3::from_columns([first, second, first.cross(second)]))
}
