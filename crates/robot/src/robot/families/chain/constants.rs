//! Armstrong's Table A3 again: the lumped constants of an arm like the PUMA 560 and how well they are known, by RMS
//! combination of the measurement tolerances (paper, section 5), beside what the paper prints.

use super::ChainRobot;
use crate::Dual;
use crate::robot::Robot;
use crate::serial::SerialParameters;
use crate::serial::puma::{Constants, DoesNotApply};

/// One constant.
#[derive(Clone, Debug, PartialEq)]
pub struct LumpedConstant {
    /// `I1` … `I23`, `Im1` … `Im6`, `g1` … `g5`.
    pub name: String,
    /// From the robot's parameters, Table A2; kg m² or N m.
    pub value: f64,
    /// Half width from the robot's tolerances.
    pub tolerance: f64,
    /// Table A3.
    pub printed: f64,
    /// The ± of Table A3.
    pub printed_tolerance: f64,
}

impl LumpedConstant {
    /// Our ± over the printed one.
    pub fn ratio(&self) -> f64 {
        self.tolerance / self.printed_tolerance
    }

    /// Whether the printed value lies within the printed tolerance of ours, to the three digits that are printed.
    pub fn agrees(&self) -> bool {
        (self.value - self.printed).abs() <= self.printed_tolerance + 0.005 * self.printed.abs()
    }
}

/// The constants of an arm with six joints, with their tolerances.
pub fn lumped_constants(robot: &Robot) -> Result<Vec<LumpedConstant>, DoesNotApply> {
    robot.of_type().map_or(Err(NOT_SIX), constants_of)
}

const NOT_SIX: DoesNotApply = DoesNotApply { field: "link", link: None, assumed: "six links" };

pub(super) fn constants_of(robot: &ChainRobot) -> Result<Vec<LumpedConstant>, DoesNotApply> {
    type Slope = Dual<f64, 1>;
    let arm = robot.chain.serial::<6>().ok_or(NOT_SIX)?;
    let parameters = arm.parameters();
    Constants::applies_to(parameters)?;
    let list = |c: &Constants<f64>| [c.inertial.as_slice(), &c.motor, &c.gravitational].concat();
    let values = list(&Constants::new(parameters));
    let mut squares = vec![0.0; values.len()];
    let lifted: SerialParameters<Slope, 6> = parameters.lift();
    // One measured number after the other.
    let mut vary = |half_width: f64, number: &dyn Fn(&mut SerialParameters<Slope, 6>) -> &mut Slope| {
        if half_width == 0.0 {
            return;
        }
        let mut moved = lifted;
        number(&mut moved).derivative = [half_width];
        let constants = Constants::new(&moved);
        let slopes = constants.inertial.iter().chain(&constants.motor).chain(&constants.gravitational);
        for (square, slope) in squares.iter_mut().zip(slopes) {
            *square += slope.derivative[0] * slope.derivative[0];
        }
    };
    for (i, (tolerance, link)) in robot.file.tolerances.iter().zip(&parameters.links).enumerate() {
        let body = &link.body;
        vary(tolerance.mass.of(body.mass), &|p| &mut p.links[i].body.mass);
        for k in 0..3 {
            // What the tables assume to be zero by construction has no tolerance.
            let at = body.center_of_mass[k];
            let half_width = if at == 0.0 { 0.0 } else { tolerance.center_of_mass[k].of(at) };
            vary(half_width, &|p| &mut p.links[i].body.center_of_mass.0[k]);
        }
        let [xx, yy, zz, ..] = tolerance.inertia;
        vary(xx.of(body.inertia.xx), &|p| &mut p.links[i].body.inertia.xx);
        vary(yy.of(body.inertia.yy), &|p| &mut p.links[i].body.inertia.yy);
        vary(zz.of(body.inertia.zz), &|p| &mut p.links[i].body.inertia.zz);
        vary(tolerance.motor_inertia.of(link.motor_inertia), &|p| &mut p.links[i].motor_inertia);
    }
    let names = (1..=23).map(|i| format!("I{i}")).chain((1..=6).map(|i| format!("Im{i}")));
    let names = names.chain((1..=5).map(|i| format!("g{i}")));
    let (printed, widths) = (list(&Constants::printed()), list(&Constants::printed_tolerance()));
    Ok(names
        .enumerate()
        .map(|(i, name)| LumpedConstant {
            name,
            value: values[i],
            tolerance: squares[i].sqrt(),
            printed: printed[i],
            printed_tolerance: widths[i],
        })
        .collect())
}
