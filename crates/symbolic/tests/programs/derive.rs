//! What can be derived of the built-in robots is, what cannot is refused with a reason; and a choice that a formula makes is
//! still made in its program.

use dalembert::delta::{Assembly, Branch};
use dalembert::serial::Serial;
use dalembert::{Vec3, robots};
use dalembert_symbolic::Effort;
use dalembert_symbolic::derive::{self, DeriveError, LIMIT, Of, Request};

/// As it comes, without a search.
const PLAIN: Effort = Effort { rounds: 0, ..Effort::QUICK };

#[test]
fn the_built_in_robots_give_every_program() {
    let puma = robots::puma560().expect("built in").arm.arm::<6>().expect("six joints");
    for (of, symbolic) in Of::ALL.into_iter().flat_map(|of| [(of, false), (of, true)]) {
        let request = Request { symbolic, effort: PLAIN, ..Request::new("puma560", of) };
        match derive::serial(&puma, &request, &mut |_| ()) {
            Ok(derived) => assert!(derived.error <= LIMIT && derived.program.parameters.is_empty() != symbolic),
            Err(DeriveError::DoesNotApply { .. }) => {
                assert!(matches!(of, Of::Ik | Of::TorqueCartesian) || (of == Of::Regressor && symbolic));
            }
            Err(error) => panic!("{error}"),
        }
    }
    for robot in [robots::asadi().expect("built in"), robots::d3_1200().expect("built in")] {
        for (of, symbolic) in Of::ALL.into_iter().flat_map(|of| [(of, false), (of, true)]) {
            let request = Request { symbolic, effort: PLAIN, ..Request::new(&robot.name, of) };
            match derive::delta(&robot.delta, &request) {
                Ok(derived) => assert!(derived.error <= LIMIT && derived.program.parameters.is_empty() != symbolic),
                Err(DeriveError::DoesNotApply { .. }) => {
                    assert_eq!(of, Of::Regressor);
                }
                Err(error) => panic!("{error}"),
            }
        }
    }
}

/// At the sample points of the graph every choice falls to one side; the other side must be in the program all the same.
/// Above the base the joint angles of the inverse kinematics are on another turn; with the elbows crossed behind the centre
/// the forward kinematics takes the other of two solutions.
#[test]
fn choices_are_kept() {
    let robot = robots::d3_1200().expect("built in").delta;
    let program = |of| {
        let request = Request { effort: Effort::QUICK, ..Request::new("d3-1200", of) };
        derive::delta(&robot, &request).expect("derivable").program
    };
    let ik = program(Of::Ik);
    for z in [0.85, 0.7, -0.7, -0.85] {
        let position = Vec3::new(0.1, -0.05, z);
        let expected = robot.at_position(position, Branch::Out).expect("reachable").joints();
        let found = ik.run(&position.0).expect("reachable");
        assert!((0..3).all(|i| (found[i] - expected[i]).abs() < 1e-12), "{z}: {found:?} {expected:?}");
    }
    let fk = program(Of::Fk);
    for q in [0.3, 1.2, 2.2, 2.5] {
        let q = Vec3::new(q, q + 0.05, q - 0.03);
        let expected = robot.at_joints(q.0, Assembly::Below).expect("assembled").position;
        let found = fk.run(&q.0).expect("assembled");
        assert!((0..3).all(|i| (found[i] - expected[i]).abs() < 1e-11), "{q:?}: {found:?} {expected:?}");
    }
}

#[test]
fn an_arm_that_moves_nothing_has_no_acceleration() {
    let mut parameters = *robots::puma560().expect("built in").arm.arm::<6>().expect("six joints").parameters();
    let last = &mut parameters.links[5];
    last.motor_inertia = 0.0;
    last.body = dalembert::serial::Body::zero();
    let arm = Serial::try_new(parameters).expect("an arm that can be");
    let request = Request { effort: PLAIN, ..Request::new("empty", Of::Acceleration) };
    let error = derive::serial(&arm, &request, &mut |_| ()).expect_err("undetermined");
    assert!(matches!(error, DeriveError::Undetermined { .. }), "{error}");
}
