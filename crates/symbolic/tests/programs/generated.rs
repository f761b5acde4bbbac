//! The checked-in programs are what the derivation gives today.

use dalembert::robots;
use dalembert_symbolic::derive::{self, Of, Request};
use dalembert_symbolic::print;
use std::path::Path;

#[test]
fn generated_programs_are_up_to_date() {
    let robot = robots::puma560().expect("built in");
    let arm = robot.arm.arm::<6>().expect("six joints");
    let programs: Vec<_> = [Of::Torque, Of::Mass, Of::Gravity]
        .into_iter()
        .map(|of| {
            let request = Request { source: robot.source.clone(), ..Request::new(&robot.name, of) };
            derive::serial(&arm, &request, &mut |_| ()).expect("derivable").program
        })
        .collect();
    let text = print::rust::print(&programs);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../generated/src/puma560.rs");
    if std::env::var_os("UPDATE_GENERATED").is_some() {
        std::fs::write(&path, &text).expect("written");
    }
    let stored = std::fs::read_to_string(&path).expect("the stored program");
    assert!(stored == text, "derived anew it differs: see the head of crates/generated/src/lib.rs");
}
