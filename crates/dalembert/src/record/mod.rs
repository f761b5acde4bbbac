//! Names of the models of serial arms, and roll, pitch and yaw.

pub mod serial_states;
