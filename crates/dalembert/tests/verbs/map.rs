//! Maps: ranges, reasons, usable regions; the same numbers with any number of threads.

use super::{Anything, keys, metric};
use dalembert::robot::Robot;
use dalembert::robot::map::Kind;
use dalembert::verbs::Outcome;
use dalembert::verbs::map::{MapFile, MapFormat, MapRequest, map, map_into};

#[test]
fn a_map_of_reach_has_shares_and_a_usable_region() -> Result<(), Anything> {
    let request = MapRequest { count: 30, ..MapRequest::new(Robot::find("d3-1200")?, Kind::Reach) };
    let outcome = map(&request, &mut ())?;
    let all: f64 = outcome.shares().iter().map(|(_, share)| share).sum();
    assert!((all - 1.0).abs() < 1e-12 && metric(&outcome, "reached") > 0.1);
    assert!(outcome.reach.as_ref().is_some_and(|reach| reach.usable.is_some()) && outcome.picture().is_ok());
    let last = ["channels", "x", "y", "z", "reasons", "reason_numbers", "usable"];
    assert_eq!(keys(&outcome)[3..], last);
    Ok(())
}

#[test]
fn a_volume_is_streamed_and_does_not_depend_on_threads() -> Result<(), Anything> {
    let request = MapRequest { count: 12, plane: None, ..MapRequest::new(Robot::find("d3-1200")?, Kind::Mass) };
    let text = |threads| -> Result<_, Anything> {
        let mut bytes = Vec::new();
        let mut files = [MapFile { name: "map.csv".into(), format: MapFormat::Csv, output: &mut bytes }];
        let outcome = map_into(&MapRequest { threads, ..request.clone() }, &mut files, &mut ())?;
        Ok((bytes, metric(&outcome, "inertia_ratio")))
    };
    let (one, ratio) = text(Some(1))?;
    assert!(one == text(Some(3))?.0 && one.starts_with(b"x,y,z,M11") && ratio > 1.0);
    let wrong = MapRequest { ranges: [Some([0.1, -0.1]), None, None], ..request };
    assert_eq!(map(&wrong, &mut ()).expect_err("a range backwards").code, "range");
    Ok(())
}

/// The largest holding torque is a force where all joints slide; an empty slice says where it is, in metres.
#[test]
fn units_of_slides_and_of_an_empty_slice() -> Result<(), Anything> {
    let of = |name: &str| -> Result<_, Anything> {
        Ok(map(&MapRequest { count: 6, ..MapRequest::new(Robot::find(name)?, Kind::Gravity) }, &mut ())?)
    };
    for (name, unit) in [("linear-delta", "N"), ("d3-1200", "N m")] {
        let outcome = of(name)?;
        assert!(outcome.channels.iter().all(|channel| channel.unit == unit), "{name}: {:?}", outcome.channels);
    }
    let request = MapRequest { count: 6, at: Some(-850.0), ..MapRequest::new(Robot::find("d3-1200")?, Kind::Mass) };
    let outcome = map(&request, &mut ())?;
    let [found] = outcome.findings() else { return Err(format!("{:?}", outcome.findings()).into()) };
    assert_eq!(found.message, "nothing is reached here, where z is −850 m");
    Ok(())
}
