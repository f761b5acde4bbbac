//! Torques by term and by body. They are sums over what the bodies weigh and the springs, so that the share of one is the torque of the chain in
//! which there is nothing else.

use super::kernel::Kernel;
use super::{ChainRobot, three};
use crate::chain::{Chain, ToolOwner};
use crate::robot::{JointVector, State};
use crate::serial::Body;
use crate::spatial::Wrench;

/// What has a share in the torque.
#[derive(Clone, Copy, PartialEq)]
enum Share {
    /// The springs and counterbalances of the joints.
    Springs,
    /// Motors and drives, as the joints feel them.
    Rotors,
    /// One link, from 0.
    Link(usize),
    /// What one tool carries.
    Payload(ToolOwner),
}

impl ChainRobot {
    /// The chain in which only this has a share.
    fn only(&self, share: Share) -> Chain<f64> {
        let mut parameters = self.chain.parameters().clone();
        for (i, branch) in parameters.links.iter_mut().enumerate() {
            let link = &mut branch.link;
            if share != Share::Springs {
                link.spring = None;
            }
            if share != Share::Rotors {
                (link.motor_inertia, link.armature) = (0.0, None);
            }
            if share != Share::Link(i) {
                link.body = Body::zero();
            }
            if let Some(tip) = branch.tip.as_mut().filter(|_| share != Share::Payload(ToolOwner::Link(i))) {
                tip.payload = Body::zero();
            }
        }
        if share != Share::Payload(ToolOwner::Whole) {
            parameters.whole.payload = Body::zero();
        }
        self.chain.with_numbers(parameters)
    }

    /// The torques of a state in parts, each under the end of its name: five terms and the springs, which add up to the torque, then the bodies,
    /// which add up to inertia, Coriolis and gravity.
    pub(super) fn breakdown(&self, state: &State, wrench: Wrench<f64>) -> Vec<(String, JointVector)> {
        let (kernel, [q, qd, qdd]) = (&self.kernel, three(&state.joints));
        let joints = qdd.len();
        let still = JointVector::zero(joints);
        let of = |share| Kernel::rigid_torque(&self.only(share), [q, qd, qdd]);
        let difference = |a: &[f64], b: &[f64]| JointVector::from_fn(joints, |i| a[i] - b[i]);
        let (mass, held) = (kernel.mass_matrix(q), kernel.gravity_torque(q));
        let springs = of(Share::Springs);
        let terms = [
            ("inertia", JointVector::from_fn(joints, |i| mass[i].iter().zip(qdd).map(|(m, qdd)| m * qdd).sum())),
            ("coriolis", difference(&kernel.rigid_torque([q, qd, &still]), &held)),
            ("gravity", difference(&held, &springs)),
            ("springs", springs),
            ("friction", kernel.friction(qd)),
            ("external", difference(&still, &kernel.torque_of_wrench(q, wrench))),
        ];
        let links = (0..joints).map(|i| (format!("link{}", i + 1), of(Share::Link(i))));
        let payloads = self.file.arm.tools().into_iter().map(|(name, owner)| {
            let name = if self.is_arm() { String::from("payload") } else { format!("{name}_payload") };
            (name, of(Share::Payload(owner)))
        });
        let bodies = [(String::from("rotors"), of(Share::Rotors))].into_iter().chain(links).chain(payloads);
        terms.map(|(name, torque)| (name.to_owned(), torque)).into_iter().chain(bodies).collect()
    }
}
