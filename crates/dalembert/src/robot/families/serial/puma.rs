//! The models of the PUMA 560 as a controller uses them; kinematics and friction are the arm's.

use super::models::{PumaProgram, puma_program};
use crate::dynamics::{Dynamics, Reference, State, ToolError};
use crate::robot::DoesNotApply;
use crate::serial::puma::Matrices;
use crate::serial::{Moving, Serial};
use crate::spatial::{Frame, Twist, Wrench};
