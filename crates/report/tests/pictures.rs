//! Every kind of chart is a whole SVG document, and a PNG file of twice its size.

use dalembert_report::chart::{
    BarChart, BarPanel, COLORS, Chart, ChartBar, HeatAxis, HeatMap, HeatValues, Line, Panel, Picture, Series,
};
use std::error::Error;

const LONG: &str = "a title with “quotes”, 10 < 20 kg m², q̇ and so many words that it needs more than one row of text";

fn lines() -> Picture {
    let points = |f: fn(f64) -> f64| (0..200).map(|k| (f64::from(k) / 199.0, f(f64::from(k) / 20.0))).collect();
    let series = |k: usize, dash| Series { name: format!("series {k}"), color: COLORS[k], width: 1.5, dash };
    let panel = |title: &str| Panel {
        title: title.into(),
        y_label: "torque, N m".into(),
        y_range: (-1.1, 1.1),
        lines: vec![
            Line { series: 0, points: points(f64::sin) },
            Line { series: 1, points: points(|x| (x * x).cos()) },
        ],
    };
    let chart = Chart {
        title: LONG.into(),
        subtitle: LONG.into(),
        x_label: "time, s".into(),
        x_range: (0.0, 1.0),
        x_decades: false,
        columns: 2,
        panels: ["Joint 1", "Joint 2", "Joint 3", "Joint 4"].map(panel).into(),
        series: vec![series(0, ""), series(1, "7 3"), Series { name: "× poles".into(), ..series(2, "") }],
        marks: vec![(0.25, "a mark".into())],
        notes: vec!["Not shown: nothing.".into()],
    };
    chart.draw()
}

fn bars() -> Picture {
    let bar = |name: &str, value: f64, strong| ChartBar { name: name.into(), value, most: 1.6 * value, strong };
    let panel = |size: f64| BarPanel {
        title: "Joint 1".into(),
        about: "torque: RMS 18.9, at most 27 N m".into(),
        x_label: "change of the torque, N m".into(),
        bars: vec![bar("all", size, true), bar("link1.motor_inertia ± 0.27 kg m²", 0.8 * size, false)],
    };
    BarChart { title: LONG.into(), subtitle: String::new(), panels: vec![panel(1.3), panel(2e-7)], note: LONG.into() }
        .draw()
}

fn axes(count: usize) -> [HeatAxis; 2] {
    ["x, m", "z, m"].map(|label| HeatAxis { label: label.into(), range: (-0.5, 0.6), count })
}

fn numbers(count: usize) -> Option<Picture> {
    let value = |k: usize| {
        let [x, y] = [k % count, k / count].map(|i| 2.0 * i as f64 / (count - 1) as f64 - 1.0);
        if x * x + y * y < 0.9 { x - 2.0 * y * y } else { f64::NAN }
    };
    let values = HeatValues::Numbers((0..count * count).map(value).collect());
    HeatMap { title: "numbers".into(), subtitle: LONG.into(), axes: axes(count), values }.draw()
}

fn kinds() -> Option<Picture> {
    let known = vec![(0xf4f4f4, "reached".into()), (0x0072b2, "too far".into()), (0xd55e00, "never".into())];
    let values = HeatValues::Kinds((0..400).map(|k| usize::from(k % 20 > 12)).collect(), known);
    HeatMap { title: "kinds".into(), subtitle: String::new(), axes: axes(20), values }.draw()
}

#[test]
fn charts_are_whole_in_both_formats() -> Result<(), Box<dyn Error>> {
    let missing = "no picture";
    for (name, picture) in [
        ("lines", lines()),
        ("bars", bars()),
        ("field", numbers(60).ok_or(missing)?),
        ("written", numbers(9).ok_or(missing)?),
        ("kinds", kinds().ok_or(missing)?),
    ] {
        let svg = picture.to_svg();
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n") && !svg.contains("NaN"), "{name}");
        assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count(), "{name}");
        let png = picture.to_png()?;
        assert!(png.starts_with(b"\x89PNG\r\n"), "{name}");
        let side = |name: &str| svg.split_once(&format!(" {name}=\"")).and_then(|(_, rest)| rest.split('"').next());
        for (side, at) in [(side("width"), 16), (side("height"), 20)] {
            let pixels = u32::from_be_bytes(png[at..at + 4].try_into()?);
            assert_eq!(f64::from(pixels), 2.0 * side.ok_or(missing)?.parse::<f64>()?, "{name}");
        }
        // To look at: DALEMBERT_PICTURES=folder.
        if let Some(folder) = std::env::var_os("DALEMBERT_PICTURES") {
            std::fs::write(std::path::Path::new(&folder).join(format!("{name}.png")), png)?;
        }
    }
    Ok(())
}

#[test]
fn only_what_occurs_is_in_the_legend() -> Result<(), Box<dyn Error>> {
    let svg = kinds().ok_or("no picture")?.to_svg();
    assert!(svg.contains(">too far<") && !svg.contains(">never<"));
    let nothing = HeatValues::Numbers(vec![f64::NAN; 4]);
    let map = HeatMap { title: String::new(), subtitle: String::new(), axes: axes(2), values: nothing };
    assert!(map.draw().is_none());
    Ok(())
}
