//! Programs as texts, with their figures, without a file being written.

use dalembert::robot::Robot;
use dalembert::symbolic::derive::{Of, Request};
use dalembert::symbolic::print::Precision;
use dalembert::symbolic::{Effort, Target};
use dalembert::verbs::derive::{DeriveLanguage, DeriveRequest, derive};
use dalembert::verbs::{Observer, Outcome};
use std::error::Error;

fn quick(robot: &str) -> Result<DeriveRequest, Box<dyn Error>> {
    let request = DeriveRequest::new(Robot::find(robot)?);
    let options = Request { effort: Effort::QUICK, target: Target::X86, ..request.options };
    Ok(DeriveRequest { of: vec![Of::Gravity], options, ..request })
}

#[test]
fn c_is_a_source_and_a_header() -> Result<(), Box<dyn Error>> {
    let (language, precision) = (DeriveLanguage::C, Precision::Float);
    let request = DeriveRequest { language, precision, file: Some("out/arm.c".into()), ..quick("puma560")? };
    let outcome = derive(&request, &mut ())?;
    let names: Vec<&str> = outcome.files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["out/arm.c", "out/arm.h"]);
    assert!(outcome.files[0].text.contains("#include \"arm.h\"") && outcome.files[1].text.contains("float"));
    let program = &outcome.programs[0];
    assert!(program.largest_difference < 1e-11 && program.single_precision.is_some());
    let json = serde_json::to_value(&outcome)?;
    assert_eq!(json["files"], serde_json::json!(["out/arm.c", "out/arm.h"]));
    assert_eq!(json["programs"][0]["name"], "puma560_gravity");
    assert!(json["programs"][0].get("program").is_none());
    let metric = outcome.metrics().into_iter().find(|metric| metric.name == "puma560_gravity.arithmetic");
    assert_eq!(metric.map(|metric| metric.value), Some(program.arithmetic as f64));
    Ok(())
}

/// A twist that is nearly a quarter turn is named, with what would take it for one.
#[test]
fn numbers_near_to_others_are_findings() -> Result<(), Box<dyn Error>> {
    let robot = Robot::find_with("puma560", &[String::from("link.2.alpha=-1.5707")])?;
    let options = quick("puma560")?.options;
    let outcome = derive(&DeriveRequest { of: vec![Of::Gravity], options, ..DeriveRequest::new(robot) }, &mut ())?;
    let [finding] = outcome.findings() else { return Err(format!("{:?}", outcome.findings()).into()) };
    assert_eq!(finding.code, "near-number");
    assert!(finding.message.contains("alpha2") && finding.values.contains_key("snap"), "{finding:?}");
    Ok(())
}

#[test]
fn what_does_not_go_together_has_a_code() -> Result<(), Box<dyn Error>> {
    let refused = |request: DeriveRequest| derive(&request, &mut ()).err().map(|error| error.code.into_owned());
    let request = DeriveRequest { inline: true, ..quick("puma560")? };
    assert_eq!(refused(request).as_deref(), Some("inline-not-c"));
    let request = DeriveRequest { language: DeriveLanguage::Markdown, ..quick("puma560")? };
    assert_eq!(refused(request).as_deref(), Some("explicit-model-only"));
    let request = DeriveRequest { of: vec![Of::Ik], ..quick("puma560")? };
    assert_eq!(refused(request).as_deref(), Some("cannot-derive"));
    struct Stopped;
    impl Observer for Stopped {
        fn cancelled(&self) -> bool {
            true
        }
    }
    assert_eq!(derive(&quick("puma560")?, &mut Stopped).err().map(|error| error.code), Some("cancelled".into()));
    Ok(())
}
