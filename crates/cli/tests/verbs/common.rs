//! The command as tests run it.

use serde_json::Value;
use std::error::Error;
use std::process::{Command, Output};

pub type Done = Result<(), Box<dyn Error>>;

pub fn command(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dalembert")).args(arguments).output().expect("the command starts")
}

pub fn json(arguments: &[&str]) -> Result<Value, Box<dyn Error>> {
    let output = command(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(serde_json::from_slice(&output.stdout)?)
}

pub fn refused(arguments: &[&str], needle: &str) {
    let output = command(arguments);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {text}");
    assert!(text.contains(needle) && !text.contains("internal error"), "{arguments:?}: {text}");
}

pub fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}
