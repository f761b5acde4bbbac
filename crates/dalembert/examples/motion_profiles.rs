//! The motion profiles side by side, over 250 mm in the time that gives the sine on ramp the 80 m/s² of Codourey's Figure 8:
//! `cargo run --release -p dalembert --example motion_profiles > docs/images/motion-profiles.svg`.

use dalembert::motion::{MotionLimits, Profile, ProfileError};
use dalembert::report::chart::{COLORS, Chart, Line, Panel, Series, range_of};

fn main() -> Result<(), ProfileError> {
    print!("{}", chart()?.draw().to_svg());
    Ok(())
}

/// All laws.
pub fn chart() -> Result<Chart, ProfileError> {
    let distance = 0.25;
    let duration = (2.0 * std::f64::consts::PI * distance / 80.0_f64).sqrt();
    let (speed, acceleration) = (1.5 * distance / duration, 6.0 * distance / (duration * duration));
    let jerk = 10.0 * acceleration / duration;
    let double_s = Profile::double_s(distance, MotionLimits { speed, acceleration, jerk })?;
    let laws = [
        ("parabolic", Profile::parabolic(distance, duration)?),
        ("sine on ramp", Profile::sine_on_ramp(distance, duration, 1.0)?),
        ("sine on ramp, 2 : 1", Profile::sine_on_ramp(distance, duration, 2.0)?),
        ("3-4-5", Profile::polynomial345(distance, duration)?),
        ("4-5-6-7", Profile::polynomial4567(distance, duration)?),
        ("double-S", double_s.stretched(duration / double_s.duration())),
    ];
    let panel = |title: &str, unit: &str, pick: fn(&Profile, f64) -> f64| {
        let lines: Vec<Line> = laws
            .iter()
            .enumerate()
            .map(|(series, (_, law))| {
                let points = (0..=800).map(|k| duration * f64::from(k) / 800.0).map(|t| (t, pick(law, t)));
                Line { series, points: points.collect() }
            })
            .collect();
        let y_range = range_of(lines.iter().flat_map(|line| line.points.iter().map(|p| p.1)));
        Panel { title: title.to_owned(), y_label: unit.to_owned(), y_range, lines }
    };
    Ok(Chart {
        title: "Motion profiles".to_owned(),
        subtitle: format!("250 mm in {duration:.4} s"),
        x_label: "time, s".to_owned(),
        x_decades: false,
        x_range: (0.0, duration),
        columns: 1,
        panels: vec![
            panel("Speed", "m/s", |law, t| law.at(t).rate),
            panel("Acceleration", "m/s²", |law, t| law.at(t).acceleration),
        ],
        series: laws
            .iter()
            .enumerate()
            .map(|(i, (name, _))| Series { name: (*name).to_owned(), color: COLORS[i], width: 1.8, dash: "" })
            .collect(),
        marks: Vec::new(),
        notes: Vec::new(),
    })
}
