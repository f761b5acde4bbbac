//! Falezza et al. 2022.

use super::super::{Model, Moving, Parameters};
use crate::algebra::Vec3;
use crate::scalar::Scalar;
macro_rules! pending {
    ($($name:ident),*) => {$(
        /// Pending.
        #[derive(Clone, Copy, Debug)]
        pub struct $name<S>(S);
        impl<S: Scalar> $name<S> {
            /// Pending.
            pub fn new(parameters: &Parameters<S>) -> Self { Self(parameters.platform_mass) }
        }
        impl<S: Scalar> Model<S> for $name<S> {
            fn bare_torque(&self, moving: &Moving<'_, S>, acceleration: Vec3<S>) -> Vec3<S> { moving.pose.carry(acceleration) }
        }
    )*};
}
pending!(Complete, CompletePrinted, Simplified, SimplifiedPrinted);
