//! What several test programs share.

pub mod straightforward;
