//! Every kind of chart is a whole SVG document, and a PNG file of twice its size; ticks are round, and no text is cut off.

#[path = "../src/chart/axis.rs"]
#[allow(dead_code)]
mod axis;
#[path = "../src/chart/letters.rs"]
#[allow(dead_code)]
mod letters;

use axis::{tick_text, ticks};
use dalembert_report::chart::{
    BarChart, BarPanel, COLORS, Chart, ChartBar, HeatAxis, HeatMap, HeatValues, Line, Panel, Picture, Series,
};
use resvg::tiny_skia::Pixmap;
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

/// Texts that do not lie wholly inside: a number that is cut off reads as another number.
fn cut_off(svg: &str) -> Vec<&str> {
    let number = |text: &str| text.parse::<f64>().unwrap_or(f64::NAN);
    let after = |text: &'_ str, start: &str| {
        let (_, rest) = text.split_once(start)?;
        Some(number(rest.split(['"', ' ', ')']).next()?))
    };
    let (width, height) = (after(svg, " width=\"").unwrap(), after(svg, " height=\"").unwrap());
    let inside = |line: &&str| {
        let (style, text) = line.strip_suffix("</text>").and_then(|line| line.split_once('>')).unwrap();
        let size = after(style, "font-size=\"").unwrap_or(12.0);
        let bold = if style.contains("bold") { 0.04 * text.chars().count() as f64 } else { 0.0 };
        let long = size * (letters::width(text) + bold);
        let from = match style {
            style if style.contains("middle") => -0.5 * long,
            style if style.contains("\"end\"") => -long,
            _ => 0.0,
        };
        let [left, right, top, bottom] = match style.split_once("translate(") {
            Some((_, rest)) => {
                let (x, y) = rest.split_once(')').and_then(|(place, _)| place.split_once(' ')).unwrap();
                [number(x) - 0.8 * size, number(x) + 0.25 * size, number(y) - from - long, number(y) - from]
            }
            None => {
                let (x, y) = (after(style, " x=\"").unwrap(), after(style, " y=\"").unwrap());
                [x + from, x + from + long, y - 0.8 * size, y + 0.25 * size]
            }
        };
        left >= 0.0 && top >= 0.0 && right <= width && bottom <= height
    };
    svg.lines().filter(|line| line.starts_with("<text")).filter(|line| !inside(line)).collect()
}

fn small_chart(points: Vec<(f64, f64)>) -> Chart {
    Chart {
        title: "a < b".into(),
        subtitle: String::new(),
        x_label: "t, s".into(),
        x_range: (0.0, 1.0),
        x_decades: false,
        columns: 1,
        panels: vec![Panel {
            title: "p".into(),
            y_label: "N m".into(),
            y_range: (-1.0, 1.0),
            lines: vec![Line { series: 0, points }],
        }],
        series: vec![Series { name: "s".into(), color: COLORS[0], width: 1.0, dash: "" }],
        marks: vec![(0.0, "mark".into())],
        notes: vec![],
    }
}

/// A label that is cut off is another number.
#[test]
fn no_number_of_a_chart_is_cut_off() {
    for range in [(-8e-11, 3e-11), (-1.000001e9, -1e9), (-123456.789, 123456.789), (1.0, 1.000001), (-1e300, 1e300)] {
        let mut chart = small_chart(vec![]);
        chart.panels[0].y_range = range;
        chart.x_range = range;
        chart.marks.clear();
        chart.columns = 2;
        chart.panels = vec![chart.panels[0].clone(); 3];
        let picture = chart.draw();
        assert_eq!(cut_off(&picture.to_svg()), Vec::<&str>::new(), "{range:?}");
        assert!(picture.is_finite());
    }
}

/// A label that is cut off is another number, and so are two that overlap.
#[test]
fn no_number_of_a_map_is_cut_off() {
    for size in [1e-11, 1.0, 123456.789, 1e250] {
        for count in [2, 15, 40] {
            let axis = |label: &str| HeatAxis { label: label.into(), range: (-0.8 * size, 1.00001 * size), count };
            let value = |k: usize| size * (k as f64 - 3.0) / 7.0;
            let map = HeatMap {
                title: "t".into(),
                subtitle: String::new(),
                axes: [axis("x, m"), axis("y, m")],
                values: HeatValues::Numbers((0..count * count).map(value).collect()),
            };
            let picture = map.draw().unwrap();
            let svg = picture.to_svg();
            assert_eq!(cut_off(&svg), Vec::<&str>::new(), "{size:e} {count}");
            assert!(picture.is_finite());
            // Contour lines are drawn where the values are not written.
            let written = !svg.contains("stroke-opacity=\"0.55\"");
            assert!(!written || count == 2 || size == 1.0, "{size:e} {count}");
        }
    }
}

/// A mark stands at the top, or below the lines that run there.
#[test]
fn marks_keep_clear_of_the_lines() {
    let height = |y: f64| {
        let svg = small_chart((0..=100).map(|k| (f64::from(k) / 100.0, y)).collect()).draw().to_svg();
        let line = svg.lines().find(|line| line.ends_with(">mark</text>")).unwrap();
        line.split("y=\"").nth(1).unwrap().split('"').next().unwrap().parse::<f64>().unwrap()
    };
    assert_eq!(height(-0.5), height(-0.9));
    assert!(height(0.95) > height(-0.5));
}

#[test]
fn text_is_escaped_and_gaps_are_gaps() {
    let svg = small_chart(vec![(0.0, 0.0), (0.5, f64::NAN), (1.0, 0.5)]).draw().to_svg();
    assert!(svg.contains("a &lt; b") && !svg.contains("NaN"));
    assert_eq!(svg.matches("M").count(), 2, "two pen-down moves");
}

/// The outlines of a PNG file are aligned as the texts of the SVG document are.
#[test]
fn aligned_letters_keep_to_their_side() -> Result<(), Box<dyn Error>> {
    let bar = |name: &str| ChartBar { name: name.into(), value: 0.0, most: 1.0, strong: false };
    let names = ["−0.25", "a name that is much longer"];
    let panel =
        BarPanel { title: String::new(), about: String::new(), x_label: "nmn".into(), bars: names.map(bar).into() };
    let chart = BarChart { title: String::new(), subtitle: String::new(), panels: vec![panel], note: String::new() };
    let picture = chart.draw();
    let svg = picture.to_svg();
    let png = Pixmap::decode_png(&picture.to_png()?)?;
    for (text, start) in [("−0.25", -1.0), ("nmn", -0.5)] {
        let line = svg.lines().find(|line| line.ends_with(&format!(">{text}</text>"))).ok_or("no text")?;
        let place = |name: &str| line.split_once(&format!(" {name}=\"")).and_then(|(_, rest)| rest.split('"').next());
        let [x, y] = [place("x"), place("y")].map(|place| place.and_then(|place| place.parse::<f64>().ok()));
        let (x, y) = (x.ok_or("no x")?, y.ok_or("no y")?);
        let inked = |column: u32| {
            let rows = (2.0 * (y - 10.0)) as u32..(2.0 * (y + 1.0)) as u32;
            rows.filter_map(|row| png.pixel(column, row)).any(|pixel| pixel.red() < 160)
        };
        let width = 12.0 * letters::width(text);
        let (from, to) = (x + start * width, x + (1.0 + start) * width);
        let near = (2.0 * (from - 10.0)) as u32..(2.0 * (to + 3.0)) as u32;
        let columns: Vec<u32> = near.filter(|column| inked(*column)).collect();
        let (first, last) = (columns.first().ok_or("no ink")?, columns.last().ok_or("no ink")?);
        // A letter begins and ends a little inside of its width.
        let (first, last) = (0.5 * f64::from(*first), 0.5 * f64::from(last + 1));
        assert!((0.0..2.0).contains(&(first - from)) && (0.0..2.0).contains(&(to - last)), "{text}: {first} … {last}");
    }
    Ok(())
}

#[test]
fn ticks_are_round_and_inside() {
    assert_eq!(ticks((0.0, 1.0), 5), [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]);
    assert_eq!(ticks((-7.0, 12.0), 4), [-5.0, 0.0, 5.0, 10.0]);
    let all = ticks((-7.0, 12.0), 4);
    assert_eq!(tick_text(-5.0, &all), "−5");
    assert_eq!(tick_text(0.6000000000000001, &ticks((0.0, 1.0), 5)), "0.6");
}

/// Very small and very large ranges have readable ticks too.
#[test]
fn tick_texts_stay_short() {
    let texts = |range| {
        let all = ticks(range, 4);
        all.iter().map(|&x| tick_text(x, &all)).collect::<Vec<_>>()
    };
    assert_eq!(texts((-1e-15, 1e-15)), ["−1e−15", "−5e−16", "0", "5e−16", "1e−15"]);
    assert_eq!(texts((0.0, 4e9)), ["0", "1e9", "2e9", "3e9", "4e9"]);
    assert_eq!(texts((-8e-11, 0.0)), ["−8e−11", "−6e−11", "−4e−11", "−2e−11", "0"]);
    assert_eq!(texts((1.0, 1.000004)), ["1e0", "1.000001e0", "1.000002e0", "1.000003e0", "1.000004e0"]);
}

/// Every text reads back as the value of its tick, to a small share of a step.
#[test]
fn tick_texts_are_their_numbers() {
    for exponent in -20..20 {
        for (low, high) in [(-8.0, 3.0), (-1.0, 1.0), (0.99, 1.01), (-1.00001, -0.99999), (123.456, 123.457)] {
            let size = 10f64.powi(exponent);
            let all = ticks((low * size, high * size), 5);
            let step = all[1] - all[0];
            for &value in &all {
                let text = tick_text(value, &all);
                let read: f64 = text.replace('−', "-").parse().unwrap();
                assert!((read - value).abs() < 1e-3 * step, "{value:e} is written {text}");
            }
        }
    }
}
