//! The published models, one file each, and the one list of their names.

pub mod asadi;
pub mod bortoff;
pub mod codourey;
pub mod falezza;

use super::model::{Model, ModelDoesNotApply, additions, is_upright};
use super::{Moving, Parameters, Pose};
use crate::algebra::{Mat3, Vec3, difference};
use crate::scalar::Scalar;

/// The name of a model. A bare name is the corrected model, `-printed` the literal one where they differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ModelName {
    /// Ours: no approximation.
    #[default]
    Exact,
    /// Asadi & Heydari 2020, explicit M, C, G.
    Asadi,
    /// Bortoff 2018, nine coordinates and constraint forces.
    Bortoff,
    /// Codourey 1998 (57), forearms as uniform bars.
    Codourey,
    /// Codourey 1998 (58), a third of the forearm at the platform, two thirds at the elbow.
    CodoureySimplified,
    /// Falezza et al. 2022, complete model, corrected.
    FalezzaComplete,
    /// Falezza et al. 2022, complete model as printed.
    FalezzaCompletePrinted,
    /// Falezza et al. 2022, simplified model, corrected.
    FalezzaSimplified,
    /// Falezza et al. 2022, simplified model as printed.
    FalezzaSimplifiedPrinted,
}

impl ModelName {
    /// All of them, `exact` first.
    pub const ALL: [Self; 9] = [
        Self::Exact,
        Self::Asadi,
        Self::Bortoff,
        Self::Codourey,
        Self::CodoureySimplified,
        Self::FalezzaComplete,
        Self::FalezzaCompletePrinted,
        Self::FalezzaSimplified,
        Self::FalezzaSimplifiedPrinted,
    ];

    /// As it is typed on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Asadi => "asadi",
            Self::Bortoff => "bortoff",
            Self::Codourey => "codourey",
            Self::CodoureySimplified => "codourey-simplified",
            Self::FalezzaComplete => "falezza-complete",
            Self::FalezzaCompletePrinted => "falezza-complete-printed",
            Self::FalezzaSimplified => "falezza-simplified",
            Self::FalezzaSimplifiedPrinted => "falezza-simplified-printed",
        }
    }

    /// The model with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|model| model.as_str() == name)
    }

    /// Whether the model can represent a robot with these parameters; if not, which field it cannot take.
    pub fn applies_to(self, parameters: &Parameters<f64>) -> Result<(), ModelDoesNotApply> {
        let refuse = |field, reason| Err(ModelDoesNotApply { model: self.as_str(), field, reason });
        match self {
            Self::Codourey
            | Self::CodoureySimplified
            | Self::FalezzaComplete
            | Self::FalezzaCompletePrinted
            | Self::FalezzaSimplified
            | Self::FalezzaSimplifiedPrinted
                if parameters.arms.iter().any(|arm| arm.upper_arm.is_off_line()) =>
            {
                refuse(
                    "upper_arm.center_of_mass_offset",
                    "is not 0: the upper arms of the paper have their centres of mass on their lines",
                )
            }
            Self::Asadi
                if parameters.arms.iter().any(|arm| {
                    let ratio = arm.rod_ratio();
                    !(ratio > 0.0 && ratio < 1.0)
                }) =>
            {
                refuse("forearm.center_of_mass", "at a joint: the three-mass split (22) is singular there")
            }
            Self::FalezzaCompletePrinted | Self::FalezzaSimplifiedPrinted if !is_upright(parameters) => {
                refuse("gravity", "is not along −z: the printed equations know no other mounting")
            }
            _ => Ok(()),
        }
    }

    /// The model, with its constants made from the robot's parameters. Unchecked: see [`ModelName::applies_to`].
    pub fn build<S: Scalar>(self, parameters: &Parameters<S>) -> AnyModel<S> {
        match self {
            Self::Exact => AnyModel::Exact,
            Self::Asadi => AnyModel::Asadi(asadi::Asadi::new(parameters)),
            Self::Bortoff => AnyModel::Bortoff(bortoff::Bortoff::new(parameters)),
            Self::Codourey => AnyModel::Codourey(codourey::Codourey::new(parameters)),
            Self::CodoureySimplified => AnyModel::CodoureySimplified(codourey::CodoureySimplified::new(parameters)),
            Self::FalezzaComplete => AnyModel::FalezzaComplete(falezza::Complete::new(parameters)),
            Self::FalezzaCompletePrinted => AnyModel::FalezzaCompletePrinted(falezza::CompletePrinted::new(parameters)),
            Self::FalezzaSimplified => AnyModel::FalezzaSimplified(falezza::Simplified::new(parameters, false)),
            Self::FalezzaSimplifiedPrinted => AnyModel::FalezzaSimplified(falezza::Simplified::new(parameters, true)),
        }
    }
}

/// One of the models, chosen at run time, without allocation.
#[derive(Clone, Copy, Debug)]
pub enum AnyModel<S> {
    /// `exact`
    Exact,
    /// `asadi`
    Asadi(asadi::Asadi<S>),
    /// `bortoff`
    Bortoff(bortoff::Bortoff<S>),
    /// `codourey`
    Codourey(codourey::Codourey<S>),
    /// `codourey-simplified`
    CodoureySimplified(codourey::CodoureySimplified<S>),
    /// `falezza-complete`
    FalezzaComplete(falezza::Complete<S>),
    /// `falezza-complete-printed`
    FalezzaCompletePrinted(falezza::CompletePrinted<S>),
    /// `falezza-simplified`, and as printed
    FalezzaSimplified(falezza::Simplified<S>),
}

impl<S: Scalar> AnyModel<S> {
    /// The model behind its interface.
    pub fn as_model(&self) -> &dyn Model<S> {
        match self {
            Self::Exact => &Exact,
            Self::Asadi(model) => model,
            Self::Bortoff(model) => model,
            Self::Codourey(model) => model,
            Self::CodoureySimplified(model) => model,
            Self::FalezzaComplete(model) => model,
            Self::FalezzaCompletePrinted(model) => model,
            Self::FalezzaSimplified(model) => model,
        }
    }
}

/// The same without a virtual call for `exact`, which a control loop evaluates a thousand times a second.
impl<S: Scalar> Model<S> for AnyModel<S> {
    fn bare_torque(&self, moving: &Moving<'_, S>, acceleration: Vec3<S>) -> [S; 3] {
        self.as_model().bare_torque(moving, acceleration)
    }
    #[inline(always)]
    fn rigid_torque(&self, moving: &Moving<'_, S>, acceleration: Vec3<S>, force: Vec3<S>) -> [S; 3] {
        match self {
            Self::Exact => moving.rigid_torque(acceleration, force),
            other => other.as_model().rigid_torque(moving, acceleration, force),
        }
    }
    fn gravity_torque(&self, pose: &Pose<'_, S>) -> [S; 3] {
        self.as_model().gravity_torque(pose)
    }
    fn mass_matrix(&self, pose: &Pose<'_, S>) -> Mat3<S> {
        self.as_model().mass_matrix(pose)
    }
    fn cartesian_mass_matrix(&self, pose: &Pose<'_, S>) -> Mat3<S> {
        self.as_model().cartesian_mass_matrix(pose)
    }
    fn coriolis(&self, moving: &Moving<'_, S>) -> [S; 3] {
        self.as_model().coriolis(moving)
    }
    fn coriolis_matrix(&self, moving: &Moving<'_, S>) -> Mat3<S> {
        self.as_model().coriolis_matrix(moving)
    }
    fn cartesian_coriolis_matrix(&self, moving: &Moving<'_, S>) -> Mat3<S> {
        self.as_model().cartesian_coriolis_matrix(moving)
    }
    fn acceleration(&self, moving: &Moving<'_, S>, torque: [S; 3], force: Vec3<S>) -> Vec3<S> {
        self.as_model().acceleration(moving, torque, force)
    }
}

/// The model `exact` as a [`Model`]; its formulas are methods of [`Pose`] and [`Moving`].
#[derive(Clone, Copy, Debug)]
pub struct Exact;

impl<S: Scalar> Model<S> for Exact {
    fn bare_torque(&self, moving: &Moving<'_, S>, acceleration: Vec3<S>) -> [S; 3] {
        difference(moving.rigid_torque(acceleration, Vec3::zero()), additions(moving, acceleration, Vec3::zero()))
    }
    fn rigid_torque(&self, moving: &Moving<'_, S>, acceleration: Vec3<S>, force: Vec3<S>) -> [S; 3] {
        moving.rigid_torque(acceleration, force)
    }
    fn gravity_torque(&self, pose: &Pose<'_, S>) -> [S; 3] {
        pose.gravity_torque()
    }
    fn mass_matrix(&self, pose: &Pose<'_, S>) -> Mat3<S> {
        pose.mass_matrix()
    }
    fn cartesian_mass_matrix(&self, pose: &Pose<'_, S>) -> Mat3<S> {
        pose.cartesian_mass_matrix()
    }
    fn coriolis(&self, moving: &Moving<'_, S>) -> [S; 3] {
        moving.coriolis()
    }
    fn coriolis_matrix(&self, moving: &Moving<'_, S>) -> Mat3<S> {
        moving.coriolis_matrix()
    }
    fn cartesian_coriolis_matrix(&self, moving: &Moving<'_, S>) -> Mat3<S> {
        moving.cartesian_coriolis_matrix()
    }
    fn acceleration(&self, moving: &Moving<'_, S>, torque: [S; 3], force: Vec3<S>) -> Vec3<S> {
        moving.acceleration_under(torque, force)
    }
}
