//! A control law around a torque: as its formula says, with the reference differentiated by dual numbers.

use crate::common::{Case, Random, all_cases, arm};
use dalembert_core::{Dual, Scalar};
use dalembert_symbolic::Effort;
use dalembert_symbolic::derive::{self, Of, Request};
use dalembert_symbolic::law::computed_torque;

type Twice = Dual<Dual<f64, 1>, 1>;

/// The reference and its two derivatives, from the powers of s.
fn reference(start: f64, goal: f64, time: f64, duration: f64) -> [f64; 3] {
    if time <= 0.0 || time >= duration {
        return [if time <= 0.0 { start } else { goal }, 0.0, 0.0];
    }
    let s = Twice::variable(Dual::variable(time, 0), 0) / Twice::from_f64(duration);
    let cube = s * s * s;
    let of = |k: f64| Twice::from_f64(k);
    let b = of(10.0) * cube - of(15.0) * cube * s + of(6.0) * cube * s * s;
    let r = of(start) + of(goal - start) * b;
    [r.value.value, r.derivative[0].value, r.derivative[0].derivative[0]]
}

/// An arm with friction under computed torque: while it moves, before and after.
pub fn case() -> Case {
    const N: usize = 2;
    let arm = arm::<N>(2, false);
    let request = Request { effort: Effort { rounds: 0, ..Effort::QUICK }, ..Request::new("two-law", Of::Torque) };
    let torque = derive::serial(&arm, &request, &mut |_| ()).expect("derived").program;
    let program = computed_torque(&torque).expect("a torque");
    let mut random = Random(23);
    let mut row = |scale: f64| -> [f64; N] { std::array::from_fn(|_| scale * random.signed()) };
    let rows = (0..14).map(|k| {
        let (q, qd, start, goal) = (row(3.0), row(2.0), row(3.0), row(3.0));
        let (time, duration) = (0.2 * f64::from(k) - 0.4, 1.5);
        let (kp, kd) = (row(100.0), row(20.0));
        let r: [[f64; 3]; N] = std::array::from_fn(|i| reference(start[i], goal[i], time, duration));
        let wanted = std::array::from_fn(|i| r[i][2] + kd[i] * (r[i][1] - qd[i]) + kp[i] * (r[i][0] - q[i]));
        let tau = arm.pose_unchecked(q).moving(qd).torque(wanted);
        let inputs = [&q[..], &qd, &start, &goal, &[time], &[duration], &kp, &kd].concat();
        (inputs, tau.into_iter().chain(r.map(|r| r[0])).collect())
    });
    let mut still = vec![0.5; 14];
    still[9] = 0.0;
    Case { program, rows: rows.collect(), refused: vec![still] }
}

/// Only torques of joints become controllers.
#[test]
fn other_programs_have_no_law() {
    for case in all_cases() {
        let of_joints = case.program.inputs.iter().map(|input| input.name.as_str()).eq(["q", "qd", "qdd"]);
        let is_torque = of_joints && case.program.name.ends_with("_torque");
        assert_eq!(computed_torque(&case.program).is_some(), is_torque, "{}", case.program.name);
    }
}
