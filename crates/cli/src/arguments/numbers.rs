//! Numbers of options, with or without their units; which options were given.

use crate::failure::Failure;
use dalembert::Vec3;
use dalembert::robot::file::{Dimension, quantity};

/// One number.
pub fn number(option: &str, text: &str, dimension: Dimension) -> Result<f64, Failure> {
    quantity(text, dimension).map_err(|error| Failure::new(format!("--{option}: {}", error.problem)).hint(error.hint))
}

/// One that is positive.
pub fn positive(option: &str, text: &str, dimension: Dimension) -> Result<f64, Failure> {
    match number(option, text, dimension)? {
        value if value > 0.0 => Ok(value),
        value => Err(Failure::new(format!("--{option} is {value}, but must be positive"))),
    }
}

/// One that is zero or positive.
pub fn not_negative(option: &str, text: &str, dimension: Dimension) -> Result<f64, Failure> {
    match number(option, text, dimension)? {
        value if value >= 0.0 && value.is_finite() => Ok(value),
        value => Err(Failure::new(format!("--{option} is {value}, but must be zero or positive"))),
    }
}

/// Any number of them, separated by commas, each with what it measures.
pub fn numbers(option: &str, text: &str, dimension: impl Fn(usize) -> Dimension) -> Result<Vec<f64>, Failure> {
    text.split(',').enumerate().map(|(i, part)| number(option, part, dimension(i))).collect()
}

/// One for each dimension; one stands for all.
pub fn one_each(option: &str, text: &str, dimensions: &[Dimension]) -> Result<Vec<f64>, Failure> {
    let parts: Vec<&str> = text.split(',').collect();
    let count = dimensions.len();
    if parts.len() != count && parts.len() != 1 {
        return Err(Failure::new(format!("--{option}: {count} numbers are needed, here are {}", parts.len())));
    }
    let one = |(k, &dimension): (usize, &Dimension)| number(option, parts[k.min(parts.len() - 1)], dimension);
    dimensions.iter().enumerate().map(one).collect()
}

/// Three; `what` says which.
pub fn three(option: &str, text: &str, dimension: Dimension, what: &str) -> Result<Vec3<f64>, Failure> {
    match numbers(option, text, |_| dimension)?[..] {
        [x, y, z] => Ok(Vec3::new(x, y, z)),
        ref many => Err(Failure::new(format!("--{option}: {what}, but `{text}` has {}", many.len()))),
    }
}

/// Those of some options that were given, as they are typed: `given!(self; path, cycle)`.
macro_rules! given {
    ($arguments:expr; $($option:ident),+ $(,)?) => {
        [$((stringify!($option), $arguments.$option.is_some())),+]
            .into_iter()
            .filter(|(_, given)| *given)
            .map(|(option, _)| option.replace('_', "-"))
    };
}
pub(crate) use given;
