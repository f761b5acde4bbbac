//! Gravity by composite first moments: the links from joint i on weigh on it like one body.

use super::arm::SymbolicArm;
use super::frames::LinkFrames;
use super::plan::LumpingPlan;
use crate::Expr;
use dalembert_core::{Scalar, Vec3};

/// The torques that hold the arm: τ_i = z·(h × a) with the first moment h of all links from i on, a = −gravity.
pub(crate) fn gravity_torque<'g>(arm: &SymbolicArm<'g>, q: &[Expr<'g>], plan: &LumpingPlan) -> Vec<Expr<'g>> {
    let n = arm.joints();
    let frames = LinkFrames::new(arm, q, &plan.grouped);
    let mut up = -arm.gravity;
    let directions: Vec<Vec3<Expr<'g>>> = (0..n)
        .map(|i| {
            up = frames.down(i, up);
            up
        })
        .collect();
    let mut torque = vec![Expr::zero(); n];
    let (mut mass, mut moment) = (Expr::zero(), Vec3::zero());
    for i in (0..n).rev() {
        let body = frames.body(i, arm.links[i].body);
        mass = mass + body.mass;
        moment = moment + body.moment;
        let a = directions[i];
        torque[i] = if arm.links[i].revolute { moment[0] * a[1] - moment[1] * a[0] } else { mass * a[2] };
        moment = frames.up(i, moment) + frames.p[i] * mass;
    }
    torque
}
