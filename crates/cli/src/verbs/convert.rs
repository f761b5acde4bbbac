//! `convert`: states into another convention, or out of it.

use super::rows::over_table;
use crate::arguments::ConvertPlan;
use crate::failure::Failure;
use dalembert::verbs::convert;

pub fn run(plan: &ConvertPlan) -> Result<(), Failure> {
    over_table(&plan.table, false, false, |input, output, observer| convert(&plan.request, input, output, observer))
}
