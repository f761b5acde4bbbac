//! The columns of Y for open chains: the inertial parameters of links and motors.

use super::formula::{ChainFormulas, conventions, numbers_of, quantities, rows};
use super::{changed, numbers, rigid_part};
use crate::derive::quantities::inputs_of;
use crate::derive::regressor::{ColumnTorque, ENOUGH, Regressed, program};
use crate::derive::{DeriveError, Derived, Of, Request, symbols};
use crate::extract::Random;
use crate::graph::Graph;
use dalembert_core::chain::{Chain, ChainParameters};
use dalembert_core::serial::Body;
use dalembert_core::{Sym3, Vec3};

/// A parameter that torques are linear in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InertialQuantity {
    /// About the origin of the frame: xx, yy, zz, xy, yz, xz.
    Inertia(usize),
    Moment(usize),
    Mass,
    Motor,
}

#[derive(Clone, Copy, Debug)]
struct InertialParameter {
    link: usize,
    /// Without the number of the link.
    name: &'static str,
    kind: InertialQuantity,
}

/// In this order columns are kept as long as they are no sums of those before: what is spread along an axis comes last, since
/// the links before the joint can have it, and links from the last to the first.
fn terms(joints: usize) -> Vec<InertialParameter> {
    use InertialQuantity::{Inertia, Mass, Moment, Motor};
    let first = [
        ("Ixx", Inertia(0)),
        ("Ixy", Inertia(3)),
        ("Ixz", Inertia(5)),
        ("Iyz", Inertia(4)),
        ("Izz", Inertia(2)),
        ("mx", Moment(0)),
        ("my", Moment(1)),
        ("Ia", Motor),
    ];
    let last = [("Iyy", Inertia(1)), ("mz", Moment(2)), ("m", Mass)];
    let mut all = Vec::new();
    for kinds in [&first[..], &last[..]] {
        for link in (0..joints).rev() {
            all.extend(kinds.iter().map(|&(name, kind)| InertialParameter { link, name, kind }));
        }
    }
    all
}

/// Where the mass of a link is among the terms of an arm.
fn mass_term(terms: &[InertialParameter], link: usize) -> Option<usize> {
    terms.iter().position(|term| term.link == link && term.kind == InertialQuantity::Mass)
}

/// The arm of one term; of a first moment with a mass that it is to be without.
fn unit(arm: &Chain<f64>, term: InertialParameter) -> Chain<f64> {
    let one_of = |parameters: &mut ChainParameters<f64>| {
        for branch in &mut parameters.links {
            let link = &mut branch.link;
            (link.body, link.motor_inertia) = (Body::zero(), 0.0);
            (link.friction, link.armature, link.spring) = (None, None, None);
            branch.tip.iter_mut().for_each(|tip| tip.payload = Body::zero());
        }
        parameters.whole.payload = Body::zero();
        let link = &mut parameters.links[term.link].link;
        let one = |k: usize| Vec3::from_fn(|i| if i == k { 1.0 } else { 0.0 });
        let mass_at =
            |point: Vec3<f64>| Body { mass: 1.0, center_of_mass: point, inertia: Sym3::point_mass(point) * -1.0 };
        match term.kind {
            InertialQuantity::Inertia(k) => {
                link.body.inertia = Sym3::new(std::array::from_fn(|i| if i == k { 1.0 } else { 0.0 }));
            }
            InertialQuantity::Moment(k) => link.body = mass_at(one(k)),
            InertialQuantity::Mass => link.body = mass_at(Vec3::zero()),
            InertialQuantity::Motor => link.motor_inertia = 1.0,
        }
    };
    changed(arm, one_of)
}

/// The program of Y for an arm.
pub(super) fn regressor(arm: &Chain<f64>, request: &Request) -> Result<Derived, DeriveError> {
    if arm.links().iter().any(|link| link.spin.is_some()) {
        let reason = "armatures have angular momentum, for which there is no column";
        return Err(DeriveError::refused(Of::Regressor, reason));
    }
    // Springs depend on no parameter of a body: their torque stands beside Y β.
    let n = arm.joints();
    let rigid = changed(&rigid_part(arm), |parameters| {
        parameters.links.iter_mut().for_each(|branch| branch.link.spring = None);
    });
    let column = |arm: &Chain<f64>, name: &str, less: Option<usize>| {
        ColumnTorque::new(&ChainFormulas(arm), numbers_of(&numbers(arm)), name, less)
    };
    let terms = terms(n);
    let columns = terms.iter().map(|term| {
        let less = mass_term(&terms, term.link).filter(|_| matches!(term.kind, InertialQuantity::Moment(_)));
        column(&unit(&rigid, *term), &format!("{}{}", term.name, term.link + 1), less)
    });
    let graph = Graph::for_target(request.target);
    let moving = [Of::Torque];
    let mut random = Random::new(1);
    let states: Vec<Vec<f64>> = (0..ENOUGH).map(|_| inputs_of(&moving, &rows(&rigid, &mut random))).collect();
    let inputs = quantities(&rigid, &moving).0;
    let variables = symbols::inputs(&graph, &inputs, &states[0]);
    program(Regressed {
        graph: &graph,
        request,
        joints: n,
        inputs,
        columns: columns.collect(),
        rigid: column(&rigid, "", None),
        states,
        variables,
        checks: Vec::new(),
        conventions: conventions(arm),
    })
}
