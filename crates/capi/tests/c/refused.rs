//! What C gives wrongly, or cannot see coming, has a status and a message: no NaN reaches a drive, no size overflows.

use dalembert_c::*;
use std::ffi::{CStr, CString, c_char};
use std::ptr::{null, null_mut};

fn message() -> String {
    // SAFETY: a string of the library, read before the next call.
    unsafe { CStr::from_ptr(dalembert_message()) }.to_str().expect("UTF-8").to_owned()
}

fn opened(name: &str) -> *mut Opened {
    let (name, mut robot) = (CString::new(name).expect("a name"), null_mut());
    assert_eq!(dalembert_open(name.as_ptr(), null(), &mut robot), Status::Ok, "{}", message());
    robot
}

fn compiled(robot: *const Opened, quantity: &CStr) -> *mut ProgramHandle {
    let mut program = null_mut();
    assert_eq!(dalembert_compile(robot, quantity.as_ptr(), 0, &mut program), Status::Ok, "{}", message());
    program
}

/// The status, and a part of what the message says.
fn refused(status: Status, expected: Status, part: &str) {
    assert!(status == expected && message().contains(part), "{status:?}: {}", message());
}

#[test]
fn what_is_not_finite_is_refused_everywhere() {
    use Status::NotFinite;
    for name in ["puma560", "d3-1200", "linear-delta", "hexaglide"] {
        let robot = opened(name);
        let joints = dalembert_joints(robot);
        let home = dalembert::robot::Robot::find(name).expect("a robot").home().expect("a home").joints.q;
        let (q, zero) = (home.to_vec(), vec![0.0; joints]);
        let mut tool = dalembert_tool_at(0.0, 0.0, 0.0);
        assert_eq!(dalembert_forward_kinematics(robot, q.as_ptr(), null(), null(), &mut tool), Status::Ok);
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let with = |values: &[f64], k: usize| -> Vec<f64> {
                values.iter().enumerate().map(|(i, &x)| if i == k { bad } else { x }).collect()
            };
            let last = with(&zero, joints - 1);
            let at = with(&q, joints - 1);
            let mut tau = vec![7.0_f64; joints * joints];
            let mut torque = |q: &[f64], qd: &[f64], qdd: &[f64], wrench: *const CWrench| {
                dalembert_torque(robot, q.as_ptr(), qd.as_ptr(), qdd.as_ptr(), wrench, tau.as_mut_ptr())
            };
            refused(torque(&at, &zero, &zero, null()), NotFinite, "q[");
            refused(torque(&q, &last, &zero, null()), NotFinite, "qd[");
            refused(torque(&q, &zero, &last, null()), NotFinite, "qdd[");
            let force = CWrench { force: [0.0, bad, 0.0], moment: [0.0; 3] };
            let moment = CWrench { force: [0.0; 3], moment: [bad, 0.0, 0.0] };
            refused(torque(&q, &zero, &zero, &force), NotFinite, "wrench.force[1]");
            refused(torque(&q, &zero, &zero, &moment), NotFinite, "wrench.moment[0]");
            let (q, last) = (q.as_ptr(), last.as_ptr());
            let to = tau.as_mut_ptr();
            refused(dalembert_acceleration(robot, q, null(), last, null(), to), NotFinite, "tau[");
            refused(dalembert_acceleration(robot, q, last, zero.as_ptr(), null(), to), NotFinite, "qd[");
            refused(dalembert_gravity(robot, at.as_ptr(), to), NotFinite, "q[");
            refused(dalembert_mass_matrix(robot, at.as_ptr(), to), NotFinite, "q[");
            refused(
                dalembert_inverse_kinematics(robot, &tool, at.as_ptr(), to, null_mut(), null_mut()),
                NotFinite,
                "near_q[",
            );
            let moving = Tool { angular_acceleration: [0.0, 0.0, bad], ..tool };
            refused(dalembert_torque_of_tool(robot, &moving, null(), to), NotFinite, "tool.angular_acceleration[2]");
            let turned = Tool { rotation: [bad; 9], ..tool };
            refused(
                dalembert_inverse_kinematics(robot, &turned, null(), to, null_mut(), null_mut()),
                NotFinite,
                "rotation",
            );
            assert!(tau.iter().all(|x| *x == 7.0), "{name}: outputs stay as they were");
        }
        // Finite numbers whose results are not.
        let (fast, mut tau) = (vec![1e200; joints], vec![7.0_f64; joints * joints]);
        let status = dalembert_torque(robot, q.as_ptr(), fast.as_ptr(), zero.as_ptr(), null(), tau.as_mut_ptr());
        refused(status, NotFinite, "not a finite number");
        let status = dalembert_acceleration(robot, q.as_ptr(), fast.as_ptr(), zero.as_ptr(), null(), tau.as_mut_ptr());
        refused(status, NotFinite, "not a finite number");
        let status = dalembert_forward_kinematics(robot, q.as_ptr(), fast.as_ptr(), zero.as_ptr(), &mut tool);
        refused(status, NotFinite, "not a finite number");
        assert!(tau.iter().all(|x| *x == 7.0), "{name}: outputs stay as they were");
        dalembert_close(robot);
    }
}

#[test]
fn programs_refuse_what_is_not_finite() {
    let robot = opened("puma560");
    let program = compiled(robot, c"torque");
    let (width, results) = (dalembert_program_inputs(program), dalembert_program_outputs(program));
    let mut states = vec![0.3; 5 * width];
    let mut tau = vec![7.0; 5 * results];
    let (from, to) = (states.as_mut_ptr(), tau.as_mut_ptr());
    // SAFETY: of the states, here and below; results are read within their array.
    let set = |k: usize, x: f64| unsafe { from.add(k).write(x) };
    // SAFETY: as above.
    let result = |k: usize| unsafe { to.add(k).read() };
    for (bad, part) in [(f64::NAN, "inputs[7] is NaN"), (1e200, "outputs[")] {
        set(7, bad);
        refused(dalembert_run(program, from, to), Status::NotFinite, part);
        assert!(result(0) == 7.0, "the output stays as it was");
        set(7, 0.3);
    }
    assert_eq!((dalembert_run(program, from, to), message().as_str()), (Status::Ok, ""), "no message after a success");
    // Of a batch all that can be computed is.
    set(2 * width + 7, f64::NAN);
    refused(
        dalembert_run_rows(program, 5, from, to),
        Status::NotFinite,
        "1 state has no finite result; the first is number 2",
    );
    let rows: Vec<bool> = (0..5).map(|k| result(k * results).is_finite()).collect();
    assert_eq!(rows, [true, true, false, true, true]);
    dalembert_program_close(program);
    dalembert_close(robot);
}

#[test]
fn sizes_and_addresses_are_checked() {
    let robot = opened("puma560");
    let program = compiled(robot, c"gravity");
    let (width, results) = (dalembert_program_inputs(program), dalembert_program_outputs(program));
    let mut memory = vec![0.3; 100 * (width + results)];
    let first = memory.as_mut_ptr();
    let at = |k: usize| first.wrapping_add(k);
    let mut inputs: Vec<*const f64> = (0..width).map(|i| at(10 * i).cast_const()).collect();
    let mut outputs: Vec<*mut f64> = (0..results).map(|i| at(10 * (width + i))).collect();
    let strides = vec![1_isize; width.max(results)];
    let huge = [1 << 45, 1 << 60, usize::MAX, usize::MAX / 18 + 2];
    let columns = |states, inputs: &[*const f64], outputs: &[*mut f64]| {
        dalembert_run_columns(program, states, inputs.as_ptr(), outputs.as_ptr())
    };
    let strided = |states, inputs: &[*const f64], strides: &[isize], outputs: &[*mut f64]| {
        let strides = strides.as_ptr();
        dalembert_run_strided(program, states, inputs.as_ptr(), strides, outputs.as_ptr(), strides)
    };
    assert_eq!((columns(10, &inputs, &outputs), message().as_str()), (Status::Ok, ""));
    assert_eq!(strided(10, &inputs, &strides, &outputs), Status::Ok);
    for states in huge {
        refused(dalembert_run_rows(program, states, first, at(1000)), Status::Columns, "more than fit the memory");
        refused(columns(states, &inputs, &outputs), Status::Columns, "more than fit the memory");
        refused(strided(states, &inputs, &strides, &outputs), Status::Columns, "more than fit the memory");
        let status = dalembert_torques(robot, states, 6, inputs.repeat(3).as_ptr(), outputs.as_ptr());
        refused(status, Status::Columns, "more than fit the memory");
        let status = dalembert_torques(robot, 1, states, inputs.as_ptr(), outputs.as_ptr());
        refused(status, Status::Columns, "components");
    }
    refused(strided(10, &inputs, &vec![isize::MIN; width], &outputs), Status::Columns, "more than fit the memory");
    // Overlaps, and NULL between addresses.
    let [kept, shared] = [outputs[1], outputs[0]];
    outputs[1] = shared;
    refused(columns(10, &inputs, &outputs), Status::Columns, "output 1 overlaps output 0");
    outputs[1] = inputs[2].cast_mut();
    refused(columns(10, &inputs, &outputs), Status::Columns, "output 1 overlaps input 2");
    outputs[1] = null_mut();
    refused(strided(10, &inputs, &strides, &outputs), Status::NullPointer, "`outputs[1]` is NULL");
    refused(columns(10, &inputs, &outputs), Status::NullPointer, "`outputs[1]` is NULL");
    let status = dalembert_torques(robot, 10, 2, inputs.as_ptr(), outputs.as_ptr());
    refused(status, Status::NullPointer, "`tau[1]` is NULL");
    outputs[1] = kept;
    inputs[3] = null();
    refused(strided(10, &inputs, &strides, &outputs), Status::NullPointer, "`inputs[3]` is NULL");
    refused(dalembert_run_rows(program, 10, first, at(10)), Status::Columns, "overlap");
    dalembert_program_close(program);
    dalembert_close(robot);
}

/// Torques may take the place of a whole column of the states; other overlaps would change states before they are read.
#[test]
fn torques_overlap_whole_columns_only() {
    const ROWS: usize = 10;
    let robot = opened("puma560");
    let mut memory = vec![0.3; 24 * ROWS];
    let first = memory.as_mut_ptr();
    let at = |k: usize| first.wrapping_add(k);
    // SAFETY: within the memory.
    let number = |k: usize| unsafe { at(k).read() };
    let states: Vec<*const f64> = (0..18).map(|i| at(ROWS * i).cast_const()).collect();
    let torques = |tau: [usize; 6]| dalembert_torques(robot, ROWS, 6, states.as_ptr(), tau.map(at).as_ptr());
    assert_eq!(torques([180, 190, 200, 210, 220, 230]), Status::Ok);
    let expected: Vec<f64> = (180..240).map(number).collect();
    refused(torques([180, 190, 200, 205, 220, 230]), Status::Columns, "tau[3] overlaps tau[2]");
    refused(torques([180, 190, 190, 210, 220, 230]), Status::Columns, "tau[2] overlaps tau[1]");
    refused(torques([190, 175, 200, 210, 220, 230]), Status::Columns, "tau[1] overlaps states[17]");
    assert_eq!(torques([0, 100, 40, 170, 220, 20]), Status::Ok);
    for (column, expected) in [0, 100, 40, 170, 220, 20].into_iter().zip(expected.chunks(ROWS)) {
        assert!((0..ROWS).all(|k| number(column + k) == expected[k]));
    }
    dalembert_close(robot);
}

/// A handle is NULL after a failure, so that what was never opened can be closed.
#[test]
fn handles_are_null_after_a_failure() {
    let dangling = std::ptr::dangling_mut::<Opened>();
    let mut robot = dangling;
    refused(dalembert_open(c"no-such-robot".as_ptr(), null(), &mut robot), Status::NotLoaded, "no-such-robot");
    assert!(robot.is_null());
    dalembert_close(robot);
    let robot = opened("puma560");
    assert_eq!(message(), "", "no message after a success");
    let mut program = std::ptr::dangling_mut::<ProgramHandle>();
    let name: *const c_char = c"no-such-quantity".as_ptr();
    refused(dalembert_compile(robot, name, 0, &mut program), Status::NotOffered, "no-such-quantity");
    assert!(program.is_null());
    refused(dalembert_program_copy(null(), &mut program), Status::NullPointer, "program");
    dalembert_program_close(program);
    dalembert_close(robot);
}

/// Elbows in are as near as elbows out, if that is where the joints are.
#[test]
fn the_nearest_solution_of_a_delta() {
    let robot = opened("d3-1200");
    let tool = dalembert_tool_at(0.05, -0.03, -0.75);
    let mut out = [0.0; 3];
    assert_eq!(
        dalembert_inverse_kinematics(robot, &tool, null(), out.as_mut_ptr(), null_mut(), null_mut()),
        Status::Ok
    );
    let found = dalembert::robot::Robot::find("d3-1200").expect("a robot");
    let pick = dalembert::robot::Pick { elbows: Some(dalembert::delta::Branch::In), ..Default::default() };
    let inside = found.at_tool(&dalembert::robot::ToolState::from(&tool), &pick).expect("a solution").joints.q;
    assert!((0..3).all(|i| (inside[i] - out[i]).abs() > 0.1), "two different solutions");
    for near in [&out[..], &inside] {
        let mut q = [0.0; 3];
        let to = q.as_mut_ptr();
        assert_eq!(dalembert_inverse_kinematics(robot, &tool, near.as_ptr(), to, null_mut(), null_mut()), Status::Ok);
        assert_eq!(q[..], *near);
    }
    dalembert_close(robot);
}
