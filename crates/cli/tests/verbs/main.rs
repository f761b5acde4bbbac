//! The command from outside, verb by verb.

mod analysis;
mod analysis_answers;
mod command;
mod common;
mod control;
mod derive;
mod fuzz;
mod hostile;
mod measured;
mod motion;
mod newcomers;
mod papers;
mod parallel;
mod programs;
mod reports;
mod rows;
mod schemas;
mod serial;
mod simulate;
mod tool_point;
mod trees;
mod turning;
mod worth;
