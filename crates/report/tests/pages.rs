//! Pages of runs, and the drawings in them.

use dalembert_report::drawing::{Anchor, Drawing, Role, Shape, Track};
use dalembert_report::page::Page;
use dalembert_report::recording::Recording;
use serde_json::Value;
use std::error::Error;

fn html(title: &str, rows: usize) -> Result<String, Box<dyn Error>> {
    let mut recording = Recording::new([("t".to_owned(), "s", "time".to_owned())])?;
    (0..rows).try_for_each(|row| recording.push(&[row as f64]))?;
    let page = Page {
        title: title.into(),
        summary: vec![("name".into(), "value".into())],
        outcome: "{{data}}".into(),
        early: false,
        recording: &recording,
        drawing: &Drawing::default(),
    };
    Ok(page.to_html())
}

/// The rows that a page of so many shows.
fn samples(rows: usize) -> Result<Vec<u64>, Box<dyn Error>> {
    let html = html("title", rows)?;
    let data =
        html.split_once("type=\"application/json\" id=\"run\">").and_then(|(_, rest)| rest.split_once("</script>"));
    let data: Value = serde_json::from_str(data.ok_or("no data")?.0)?;
    let times = data["t"].as_array().ok_or("no times")?;
    Ok(times.iter().filter_map(Value::as_f64).map(|t| t as u64).collect())
}

#[test]
fn long_runs_are_thinned_out_with_both_ends() -> Result<(), Box<dyn Error>> {
    const MAX_SAMPLES: usize = 2000;
    assert_eq!(samples(0)?, Vec::<u64>::new());
    assert_eq!(samples(5)?, [0, 1, 2, 3, 4]);
    assert_eq!(samples(MAX_SAMPLES + 1)?.len(), MAX_SAMPLES + 1);
    for rows in [MAX_SAMPLES + 2, 10_000, 123_457] {
        let all = samples(rows)?;
        assert!(all.len() <= MAX_SAMPLES + 2, "{}", all.len());
        assert_eq!((all.first(), all.last()), (Some(&0), Some(&(rows as u64 - 1))));
    }
    Ok(())
}

#[test]
fn a_value_is_not_searched_for_names() -> Result<(), Box<dyn Error>> {
    let html = html("1{{summary}}2", 1)?;
    assert!(html.contains("1{{summary}}2") && html.contains("{{data}}") && html.matches("<th scope").count() == 1);
    Ok(())
}

#[test]
fn whatever_is_up_becomes_z() {
    let turned = |[w, x, y, z]: [f64; 4], v: [f64; 3]| {
        let cross = |a: [f64; 3], b: [f64; 3]| {
            [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
        };
        let t = cross([x, y, z], v).map(|x| 2.0 * x);
        let u = cross([x, y, z], t);
        [0, 1, 2].map(|i: usize| v[i] + w * t[i] + u[i])
    };
    for down in [[9.81, 0.0, 0.0], [0.0, -9.81, 0.0], [0.0, 0.0, 9.81], [3.0, -4.0, 5.0], [1.0, 2.0, -3.0]] {
        let size = down.iter().map(|x: &f64| x * x).sum::<f64>().sqrt();
        let turn = Drawing { down, ..Drawing::default() }.turn().expect("not upright");
        let up = turned(turn, down.map(|x| -x / size));
        assert!((up[2] - 1.0).abs() < 1e-14 && up[0].abs() + up[1].abs() < 1e-14, "{down:?}: {up:?}");
    }
    for down in [[0.0, 0.0, -9.81], [0.0; 3]] {
        assert_eq!(Drawing { down, ..Drawing::default() }.turn(), None);
    }
}

#[test]
fn a_drawing_beside_another_keeps_its_own_tracks() {
    let one = Drawing {
        tracks: vec![Track::default(); 2],
        shapes: vec![Shape::Trace(1), Shape::Line(Role::Arm, vec![Anchor::fixed([0.0; 3]), Anchor::on(1, [1.0; 3])])],
        ..Drawing::default()
    };
    let mut both = one.clone();
    both.append(one.clone());
    assert_eq!((both.tracks.len(), &both.shapes[..2]), (4, &one.shapes[..]));
    let moved = Shape::Line(Role::Arm, vec![Anchor::fixed([0.0; 3]), Anchor::on(3, [1.0; 3])]);
    assert_eq!(both.shapes[2..], [Shape::Trace(3), moved]);
}
