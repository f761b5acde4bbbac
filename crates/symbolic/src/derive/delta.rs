//! Programs of Delta robots.

use super::closed::{self, ClosedLoops, ClosedRobot, given_platform};
use super::formulas::RobotFormulas;
use super::quantities::inputs_of;
use super::symbols::{self, Make};
use super::{DeriveError, Derived, Of, ParameterColumn, Request};
use crate::expr::Expr;
use crate::extract::Random;
use crate::program::{Program, Quantity};
use crate::recorded::{self, FormulaTape, RecordedRow, RecordedScalar};
use dalembert_core::delta::{Assembly, Branch, Delta, Pose, SINGULAR};
use dalembert_core::parameter::Visit;
use dalembert_core::{Mat3, Scalar, Vec3};

/// What codes mean, from 1: the first three are of the arms.
const REFUSALS: [&str; 6] = [
    "arm 1: out of reach, or stretched",
    "arm 2: out of reach, or stretched",
    "arm 3: out of reach, or stretched",
    "singular: the forearms do not hold the platform",
    "the forearms cannot meet at these joint angles",
    "the elbows lie on one line",
];
const PLATFORM: u32 = 4;
const APART: u32 = 5;
const ELBOWS_IN_LINE: u32 = 6;

/// The program of a Delta robot.
pub fn delta(robot: &Delta<f64>, request: &Request) -> Result<Derived, DeriveError> {
    let all = request.all();
    if all.len() > 1 && all.iter().any(|of| given_platform(*of)) {
        let reason = "`torque-cartesian` and `ik` take the platform pose and cannot be combined with other quantities";
        return Err(DeriveError::refused(request.of, reason));
    }
    if all.contains(&Of::Regressor) {
        let reason = "its columns are the parameters of the robot's `regressor`: derive it through the robot";
        return Err(DeriveError::refused(Of::Regressor, reason));
    }
    closed::derived(&DeltaFormulas { robot: *robot, request })
}

/// Y of τ = Y β, without friction of the motors: the robot's `regressor` as a program.
pub fn delta_regressor(
    robot: &Delta<f64>,
    columns: &[ParameterColumn<Delta<f64>>],
    request: &Request,
) -> Result<Derived, DeriveError> {
    let moving = Request { of: Of::Torque, also: Vec::new(), ..request.clone() };
    let of = |robot: &Delta<f64>| DeltaFormulas { robot: *robot, request: &moving };
    let columns = columns.iter().map(|column| (of(&column.robot), column.name.as_str(), column.less));
    closed::regressor(&of(robot), columns, request)
}

#[derive(Clone, Copy)]
struct DeltaFormulas<'r> {
    robot: Delta<f64>,
    request: &'r Request,
}

/// Position, velocity or acceleration of the inputs.
fn part<S: Scalar>(inputs: &[S], k: usize) -> [S; 3] {
    [inputs[3 * k], inputs[3 * k + 1], inputs[3 * k + 2]]
}

impl DeltaFormulas<'_> {
    /// Records a formula, with all inputs.
    fn recorded(
        &self,
        formula: &dyn for<'t> Fn(&Delta<RecordedScalar<'t>>, &[RecordedScalar<'t>]) -> RecordedRow<'t>,
    ) -> Program {
        let tape = FormulaTape::default();
        let mut parameters = self.robot.parameters().lift();
        tape.parameters(|visit| parameters.visit(visit));
        tape.program(&formula(&Delta::new(parameters), &tape.inputs(12)))
    }

    /// Positions are those of the tool point.
    fn has_tool(&self) -> bool {
        self.robot.parameters().tool != Vec3::zero()
    }

    fn with(&self, robot: Delta<f64>) -> Box<dyn ClosedLoops + '_> {
        Box::new(Self { robot, ..*self })
    }
}

impl RobotFormulas for DeltaFormulas<'_> {
    fn count(&self) -> usize {
        3
    }

    fn visit(&self, visit: &mut Visit<'_, f64>) {
        { *self.robot.parameters() }.visit(visit);
    }

    fn record(&self, of: Of) -> Program {
        let has_tool = self.has_tool();
        self.recorded(&|robot, inputs| {
            let [q, qd, qdd, tau] = [0, 1, 2, 3].map(|k| part(inputs, k));
            if given_platform(of) {
                let platform = if has_tool { robot.platform_of(Vec3(q)) } else { Vec3(q) };
                let pose = robot.pose_unchecked(platform, self.request.branch);
                if of == Of::Ik {
                    return pose.joints().to_vec();
                }
                let moving = pose.moving(Vec3(qd));
                return [moving.torque(Vec3(qdd)), moving.joint_velocity()].concat();
            }
            let (pose, _) = robot.pose_from_joints_unchecked(q, self.request.assembly);
            let flat = |matrix: Mat3<_>| matrix.0.into_iter().flat_map(|row| row.0).collect();
            match of {
                Of::Fk => if has_tool { pose.tool() } else { pose.position }.0.to_vec(),
                Of::Jacobian => flat(pose.inverse_jacobian()),
                Of::Mass => flat(pose.mass_matrix()),
                Of::Gravity => pose.gravity_torque().to_vec(),
                Of::Coriolis => pose.moving_joints(qd).coriolis().to_vec(),
                Of::Acceleration => {
                    let moving = pose.moving_joints(qd);
                    moving.joint_acceleration(moving.acceleration(tau)).to_vec()
                }
                _ => {
                    let qdd = if of == Of::Bias { [RecordedScalar::zero(); 3] } else { qdd };
                    let moving = pose.moving_joints(qd);
                    moving.torque(moving.platform_acceleration(qdd)).to_vec()
                }
            }
        })
    }
}

impl ClosedLoops for DeltaFormulas<'_> {
    fn about(&self) -> ClosedRobot<'_> {
        let frictions = self.robot.parameters().arms.map(|arm| arm.motor.friction).to_vec();
        ClosedRobot { request: self.request, leg: "arm", slides: vec![false; 3], frictions, pose: 3 }
    }

    fn without_friction(&self) -> Box<dyn ClosedLoops + '_> {
        let mut parameters = *self.robot.parameters();
        parameters.arms.iter_mut().for_each(|arm| arm.motor.friction = None);
        self.with(Delta::new(parameters))
    }

    fn lifted<'g>(&self, make: Option<&mut Make<'_, Expr<'g>>>) -> Vec<Expr<'g>> {
        let mut parameters = match make {
            Some(make) => symbols::delta(self.robot.parameters(), make),
            None => self.robot.parameters().lift(),
        };
        symbols::on_circle(|visit| parameters.visit(visit));
        // What is lumped of symbols comes before the inputs.
        recorded::numbers(|visit| { *Delta::new(parameters).parameters() }.visit(visit))
    }

    fn sampled(&self, make: &mut Make<'_, f64>) -> Box<dyn ClosedLoops + '_> {
        self.with(Delta::new(symbols::delta(self.robot.parameters(), make)))
    }

    /// Of symmetric robots the library has a shorter formula.
    fn remember(&self, variables: &[Expr<'_>]) {
        let Request { of, symbolic, branch, .. } = *self.request;
        if of == Of::TorqueCartesian
            && !symbolic
            && branch == Branch::Out
            && !self.has_tool()
            && let Some(fast) = self.robot.symmetric_lifted::<Expr<'_>>()
        {
            let [x, v, a] = [0, 1, 2].map(|k| Vec3(part(variables, k)));
            fast.torque(x, v, a);
        }
    }

    fn record_margins(&self) -> (Program, Vec<u32>) {
        let Request { of, branch, assembly, .. } = *self.request;
        let held = of != Of::Ik && self.request.all()[..] != [Of::Fk];
        let mut codes = if given_platform(of) { Vec::new() } else { vec![ELBOWS_IN_LINE, APART] };
        let has_tool = self.has_tool();
        let program = self.recorded(&|robot, inputs| {
            if given_platform(of) {
                let point = Vec3(part(inputs, 0));
                let pose = robot.pose_unchecked(if has_tool { robot.platform_of(point) } else { point }, branch);
                let reach = pose.arms.iter().map(|arm| arm.discriminant);
                return reach.chain(held.then(|| pose.rod_determinant())).collect();
            }
            let (pose, meeting) = robot.pose_from_joints_unchecked(part(inputs, 0), assembly);
            // The same cross product that the formula divides by: shared with it.
            let [a, b, c] = pose.arms.map(|arm| arm.elbow);
            let mut margins = vec![(b - a).cross(c - a).norm_squared(), meeting];
            if held {
                margins.extend(pose.arms.iter().map(|arm| arm.transmission));
                margins.push(pose.rod_determinant());
            }
            margins
        });
        codes.extend(1..=(program.results.len() - codes.len()) as u32);
        (program, codes)
    }

    fn refusal(&self, code: u32) -> (String, f64) {
        let least = match code {
            PLATFORM => SINGULAR,
            // Given the platform, the margin is the square of the lever already.
            1..PLATFORM if !given_platform(self.request.of) => {
                let arm = &self.robot.lumped_arms()[code as usize - 1];
                arm.la * arm.lb * SINGULAR
            }
            _ => 0.0,
        };
        (REFUSALS[code as usize - 1].to_owned(), least)
    }

    fn pose(&self) -> [Vec<Quantity>; 2] {
        let point = if self.has_tool() { "tool point" } else { "platform" };
        let x = Quantity::new("x", 3, &format!("position of the {point}, base frame"), "m");
        [vec![x], vec![self.about().joints().positions()]]
    }

    fn conventions(&self) -> Vec<String> {
        let elbows = match self.request.branch {
            Branch::Out => "out",
            Branch::In => "in",
        };
        let platform = match self.request.assembly {
            Assembly::Below => "below",
            Assembly::Above => "above",
        };
        let choice = match self.request.of {
            Of::TorqueCartesian | Of::Ik => format!("Elbows {elbows}."),
            _ => format!("The platform is {platform} the plane of the elbows."),
        };
        vec![
            "SI units and radians; torques at the joint side of the gear.".into(),
            "Base frame with z up, the platform at negative z; a joint angle is 0 horizontally outward, positive downward."
                .into(),
            choice,
        ]
    }

    fn state(&self, random: &mut Random) -> Result<Vec<f64>, DeriveError> {
        const TRIES: usize = 100_000;
        /// Least sine of the angles at which arms and rods meet, so that the formula loses one digit at most.
        const CLEAR: f64 = 0.1;
        let robot = &self.robot;
        let arms = robot.lumped_arms();
        let size = arms.iter().fold(f64::INFINITY, |least, arm| least.min(arm.la));
        let longest = arms.iter().fold(0.0_f64, |most, arm| most.max(arm.la + arm.lb));
        for attempt in 0..TRIES {
            // Nearer to the axis, if it does not reach far; now and then above the base, where a robot can get there.
            let above = if attempt % 7 == 6 { -1.0 } else { 1.0 };
            let reach = size * if attempt % 2 == 0 { 0.6 } else { 0.1 };
            let position = Vec3::new(
                reach * random.signed(),
                reach * random.signed(),
                -0.5 * longest * above * (1.0 + random.signed()),
            );
            let Ok(pose) = robot.at_position(position, self.request.branch) else { continue };
            let clear = |pose: &Pose<'_, f64>| {
                let levers = pose.transmission_margins();
                (0..3).all(|i| levers[i].abs() > CLEAR) && pose.rod_determinant().abs() > CLEAR
            };
            if !clear(&pose) {
                continue;
            }
            // Now and then near standstill, where friction changes its sign.
            let rubs = robot.parameters().arms.iter().any(|arm| arm.motor.friction.is_some());
            let slow = if rubs && random.signed() > 0.5 { 1e-3 } else { 1.0 };
            let motion: [f64; 6] =
                std::array::from_fn(|k| random.signed() * size * if k < 3 { 5.0 * slow } else { 50.0 });
            let [velocity, acceleration] = [0, 3].map(|k| Vec3([motion[k], motion[k + 1], motion[k + 2]]));
            let moving = pose.moving(velocity);
            let joined = |rows: &[[f64; 3]]| Ok(rows.concat());
            match self.request.of {
                Of::Ik => return joined(&[pose.tool().0]),
                Of::TorqueCartesian => return joined(&[pose.tool().0, velocity.0, acceleration.0]),
                _ => {}
            }
            let q = pose.joints();
            // The joints must lead back to a pose on the asked side.
            let Ok(again) = robot.at_joints(q, self.request.assembly) else { continue };
            if !clear(&again) {
                continue;
            }
            let (qd, qdd) = (moving.joint_velocity(), moving.joint_acceleration(acceleration));
            return Ok(inputs_of(&self.request.all(), &[q, qd, qdd, moving.torque(acceleration)]));
        }
        Err(DeriveError::NoPose { of: self.request.of, tried: TRIES })
    }
}
