//! The tables and charts of `docs/control.md` and `docs/motion.md` are what the library computes today.
//!
//! After a wanted change: `cargo run --release -p dalembert --example control -- docs/images` for the charts and the lines of the
//! page, `cargo run --release -p dalembert --example motion_profiles > docs/images/motion-profiles.svg` for the motion profiles.

use std::error::Error;
use std::path::Path;

#[path = "../../examples/control/main.rs"]
#[allow(dead_code)] // its `main`
mod example;

#[path = "../../examples/motion_profiles.rs"]
#[allow(dead_code)] // its `main`
mod motion_profiles;

const PAGE: &str = include_str!("../../../../docs/control.md");

fn stored(name: &str) -> Result<String, Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/images");
    Ok(std::fs::read_to_string(folder.join(format!("{name}.svg")))?)
}

/// Titles, legends and the numbers on the axes. The curves themselves are not compared: where gears have play and friction sticks,
/// a last digit that is rounded differently moves them by more than their thickness.
fn words(svg: &str) -> Vec<&str> {
    svg.split("<text").skip(1).filter_map(|part| part.split_once('>')?.1.split("</text>").next()).collect()
}

#[test]
fn the_papers_experiments_give_what_the_page_shows() -> Result<(), Box<dyn Error>> {
    for shown in example::shown()? {
        for line in &shown.lines {
            assert!(PAGE.contains(line.as_str()), "docs/control.md lacks: {line}");
        }
        if let Some(chart) = shown.chart {
            let (drawn, stored) = (chart.draw().to_svg(), stored(shown.name)?);
            assert_eq!(words(&drawn), words(&stored), "docs/images/{}.svg is stale", shown.name);
        }
    }
    Ok(())
}

#[test]
fn the_laws_of_time_are_drawn_as_they_are() -> Result<(), Box<dyn Error>> {
    assert!(
        motion_profiles::chart()?.draw().to_svg() == stored("motion-profiles")?,
        "docs/images/motion-profiles.svg is stale"
    );
    Ok(())
}
