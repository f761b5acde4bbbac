//! Every robot that is built in gives every program that it has, and each does what its formula does.

use dalembert::robots;
use dalembert_symbolic::Effort;
use dalembert_symbolic::derive::{self, DeriveError, Of, Request};

#[test]
fn the_built_in_robots_give_every_program() {
    let puma = robots::puma560().expect("built in");
    let puma = puma.arm.six().expect("six joints");
    for of in Of::ALL {
        for symbolic in [false, true] {
            let request =
                Request { symbolic, effort: Effort { rounds: 0, ..Effort::QUICK }, ..Request::new("puma560", of) };
            match derive::serial(puma, &request, &mut |_| ()) {
                Ok(derived) => println!("{of} {symbolic}: {} {:.1e}", derived.program.operations(), derived.error),
                Err(DeriveError::DoesNotApply { .. }) => assert!(matches!(of, Of::Ik | Of::TorqueCartesian)),
                Err(error) => panic!("{error}"),
            }
        }
    }
    for robot in [robots::asadi().expect("built in"), robots::d3_1200().expect("built in")] {
        for of in Of::ALL {
            for symbolic in [false, true] {
                let request = Request {
                    symbolic,
                    effort: Effort { rounds: 0, ..Effort::QUICK },
                    ..Request::new(&robot.name, of)
                };
                let derived = derive::delta(&robot.delta, &request).unwrap_or_else(|error| panic!("{error}"));
                println!("{} {of} {symbolic}: {} {:.1e}", robot.name, derived.program.operations(), derived.error);
            }
        }
    }
}
