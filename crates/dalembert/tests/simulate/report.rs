//! The report is whole, needs nothing from outside, and runs in a browser where there is one.

use dalembert::cell::{Cell, CellRun, CellSettings, Scene};
use dalembert::control::{ExperimentFile, Law, comparison, comparison_report};
use dalembert::robot;
use dalembert::robot::Robot;
use dalembert::spatial::Frame;
use dalembert::{Mat3, Vec3, robots};
use serde_json::Value;
use std::error::Error;
use std::path::Path;
use std::process::Command;

fn scene(name: &str) -> Result<(Cell, CellSettings), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../scenes/{name}.toml"));
    let Scene { cell, settings } = Scene::load(path)?;
    Ok((cell, settings))
}

fn swing() -> Result<(Cell, CellSettings), Box<dyn Error>> {
    let cell = Cell::of_robot(&robot::Robot::find("d3-1200")?, None, None)?;
    // More rows than a report shows.
    Ok((cell, CellSettings { duration: 0.5, every: 1e-4, ..CellSettings::default() }))
}

fn html(cell: &Cell, settings: &CellSettings) -> Result<(CellRun, String), Box<dyn Error>> {
    let outcome = cell.run(settings, &mut |_| true)?;
    let html = outcome.report(cell, settings).to_html();
    Ok((outcome, html))
}

fn data(html: &str) -> Result<Value, Box<dyn Error>> {
    let (_, after) = html.split_once("<script type=\"application/json\" id=\"run\">").ok_or("no data")?;
    let (json, _) = after.split_once("</script>").ok_or("no end")?;
    Ok(serde_json::from_str(json)?)
}

fn length(value: &Value) -> usize {
    value.as_array().map_or(0, Vec::len)
}

/// A robot under control, alone and with two laws beside each other; and two robots with one object.
fn controlled() -> Result<[(String, String); 3], Box<dyn Error>> {
    let file = ExperimentFile::usual(Robot::find("d3-1200")?)?;
    let experiment = &file.experiment;
    let runs =
        [Law::Feedforward, Law::ComputedTorque].map(|law| experiment.run(&experiment.tuning(law), &mut |_| true));
    let [first, second] = runs;
    let runs = [first?, second?];
    let recording = comparison(&runs)?;
    let both = comparison_report(experiment, &runs, &recording).ok_or("two runs")?;
    let one = runs[1].report(experiment).to_html();
    let text = include_str!("../../../../experiments/two-deltas-carry.toml");
    let pair = ExperimentFile::parse(text, None)?.experiment;
    let carried = pair.run(&pair.tuning(Law::Cartesian), &mut |_| true)?.report(&pair).to_html();
    Ok([
        (String::from("controlled"), one),
        (String::from("compared"), both.to_html()),
        (String::from("carried"), carried),
    ])
}

#[test]
fn a_controlled_robot_shows_its_tracking_error() -> Result<(), Box<dyn Error>> {
    for (name, html) in controlled()? {
        let data = data(&html)?;
        let plots = data["plots"].as_array().ok_or("no plots")?;
        let error = plots.iter().find(|plot| plot["title"] == "Tracking error").ok_or("no tracking error")?;
        assert_eq!(length(&error["lines"]), if name == "compared" { 2 } else { 4 });
        assert_eq!(plots.iter().any(|plot| plot["title"] == "Squeeze"), name == "carried");
        // Platform and elbows of each robot, and the object.
        assert_eq!(length(&data["scene"]["tracks"]), if name == "carried" { 9 } else { 4 });
        assert!(length(&data["scene"]["shapes"]) > 10 && html.contains("http:").eq(&false));
    }
    Ok(())
}

#[test]
fn the_report_is_whole_and_stands_alone() -> Result<(), Box<dyn Error>> {
    for (cell, settings) in [swing()?, scene("drop")?] {
        let (outcome, html) = html(&cell, &settings)?;
        for outside in ["http:", "https:", "src=", "url(", "@import", "import(", "fetch(", "XMLHttp", "{{", "}}\n"] {
            assert!(!html.contains(outside), "{outside}");
        }
        assert!(html.starts_with("<!doctype html>") && html.trim_end().ends_with("</html>"));
        for tag in ["html", "head", "body", "main", "table", "style"] {
            let count = |text: &str| html.matches(text).count();
            assert_eq!((count(&format!("<{tag}>")) + count(&format!("<{tag} ")), count(&format!("</{tag}>"))), (1, 1));
        }
        // The page is the same for the same run: the time that it took is left out.
        let lines = outcome.lines(&cell, &settings).into_iter();
        for (name, value) in lines.filter(|(name, _)| name != "time per simulated second") {
            assert!(
                html.contains(&format!("<tr><th scope=\"row\">{name}</th><td>{value}</td></tr>")),
                "{name}: {value}"
            );
        }
        let data = data(&html)?;
        let samples = length(&data["t"]);
        let rows = outcome.recording.rows();
        assert!(samples > 400 && samples <= 2002 && samples <= rows);
        assert_eq!(html.contains(&format!("show {samples} of {rows} rows")), samples < rows);
        assert_eq!(data["t"][samples - 1].as_f64(), Some(settings.duration));
        assert_eq!(length(&data["columns"]), outcome.recording.columns().len());
        for plot in data["plots"].as_array().ok_or("no plots")? {
            for line in plot["lines"].as_array().ok_or("no lines")? {
                assert!(line["y"].is_number() || length(&line["y"]) == samples, "{}", line["name"]);
            }
        }
        let tracks = data["scene"]["tracks"].as_array().ok_or("no tracks")?;
        assert!(tracks.iter().all(|track| length(&track["p"]) == 3 * samples));
        for shape in data["scene"]["shapes"].as_array().ok_or("no shapes")? {
            for anchor in shape["points"].as_array().unwrap_or(&Vec::new()) {
                assert!(anchor[0].as_i64().is_some_and(|track| track < tracks.len() as i64));
            }
        }
        assert!(html.len() < 1_500_000, "{}", html.len());
    }
    Ok(())
}

/// Names come from files of other people.
#[test]
fn a_name_cannot_break_the_page() -> Result<(), Box<dyn Error>> {
    let (mut cell, mut settings) = swing()?;
    cell.name = String::from("</script><b>\"&{{data}}");
    settings.duration = 0.01;
    let (_, html) = html(&cell, &settings)?;
    assert!(html.contains("<h1>&lt;/script&gt;&lt;b&gt;&quot;&amp;{{data}}</h1>"));
    assert_eq!(data(&html)?["title"], "</script><b>\"&{{data}}");
    assert_eq!(html.matches("</script>").count(), 2);
    Ok(())
}

fn browser() -> Option<&'static str> {
    ["chromium", "chromium-browser", "google-chrome"]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success()))
}

/// Counts the drawn pixels of every canvas, after playing and zooming a little.
const PROBE: &str = r#"<script>
addEventListener("load", () => setTimeout(() => {
  document.getElementById("play").click();
  document.querySelector(".plot canvas").dispatchEvent(new KeyboardEvent("keydown", { key: "+" }));
  setTimeout(() => {
    const ink = [...document.querySelectorAll("canvas")].map((canvas) => {
      const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
      let count = 0;
      for (let i = 3; i < pixels.length; i += 4) if (pixels[i] > 0) count++;
      return count;
    });
    document.body.dataset.ink = ink.join(" ");
    document.body.dataset.clock = document.getElementById("clock").textContent;
  }, 500);
}, 200));
</script></body>"#;

/// What the browser makes of a page, and what it has to say about it.
///
/// A browser on a busy machine may give up before the page has spoken; that says nothing about the page, so it is
/// asked again.
fn shown(browser: &str, folder: &Path, page: &Path) -> Result<(String, String), Box<dyn Error>> {
    let mut answer = (String::new(), String::new());
    for attempt in 0..3 {
        let output = Command::new(browser)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-quic"])
            .args(["--virtual-time-budget=4000", "--enable-logging=stderr"])
            .arg(format!("--user-data-dir={}", folder.join(format!("profile{attempt}")).display()))
            .args(["--window-size=1200,1400", "--dump-dom"])
            .arg(format!("file://{}", page.canonicalize()?.display()))
            .output()?;
        answer = (String::from_utf8_lossy(&output.stdout).into(), String::from_utf8_lossy(&output.stderr).into());
        if answer.0.contains("data-ink=\"") || answer.1.contains("CONSOLE") {
            break;
        }
    }
    Ok(answer)
}

#[test]
fn the_report_runs_in_a_browser() -> Result<(), Box<dyn Error>> {
    let Some(browser) = browser() else {
        println!("skipped: there is no chromium here");
        return Ok(());
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report");
    std::fs::create_dir_all(&folder)?;
    let mut pages = Vec::new();
    for (cell, settings) in [swing()?, scene("drop")?, scene("slider-crank")?] {
        pages.push((cell.name.clone(), html(&cell, &settings)?.1));
    }
    pages.extend(controlled()?);
    for (number, (name, html)) in pages.into_iter().enumerate() {
        let path = folder.join(format!("{number}.html"));
        std::fs::write(&path, html.replace("</body>", PROBE))?;
        let (page, log) = shown(browser, &folder, &path)?;
        assert!(!log.contains("CONSOLE"), "{name}: {log}");
        let (_, ink) = page.split_once("data-ink=\"").ok_or_else(|| format!("{name}: no ink in the page: {log}"))?;
        let ink: Vec<usize> = ink.split('"').next().unwrap_or("").split(' ').filter_map(|n| n.parse().ok()).collect();
        println!("{name}: {ink:?}");
        assert!(ink.len() > 3 && ink.iter().all(|&pixels| pixels > 1000), "{name}: {ink:?}");
    }
    Ok(())
}

/// In the playback a link is turned as the arm turns it, whatever the base.
#[test]
fn a_quaternion_turns_as_its_matrix() -> Result<(), Box<dyn Error>> {
    let robot = Robot::find("puma560")?;
    let home = robot.home()?;
    let arm = robots::puma560()?.arm.arm::<6>().ok_or("six joints")?;
    let frames = arm.pose_unchecked(std::array::from_fn(|i| home.joints.q[i])).frames();
    for k in 0..200 {
        let angles = [0.37, 1.13, 2.71].map(|rate| (rate * f64::from(k)).sin() * 3.1);
        let about = |axis: usize, angle: f64| {
            let (sin, cos) = angle.sin_cos();
            let (a, b) = ((axis + 1) % 3, (axis + 2) % 3);
            let mut rows = Mat3::diagonal(1.0).0;
            (rows[a][a], rows[a][b], rows[b][a], rows[b][b]) = (cos, -sin, sin, cos);
            Mat3(rows)
        };
        let rotation = about(0, angles[0]).product(about(1, angles[1])).product(about(2, angles[2]));
        let base = Frame { rotation, origin: Vec3::zero() };
        let mut tracks = robot.drawing(&base).tracks;
        robot.draw(&home, &base, &mut tracks);
        for (track, frame) in tracks.iter().zip(frames) {
            let rotation = base.then(&frame).rotation;
            let [w, x, y, z] = track.rotation[0];
            let (u, v) = (Vec3::new(x, y, z), Vec3::new(0.3, -0.7, 0.2));
            let t = u.cross(v) * 2.0;
            let turned = v + t * w + u.cross(t);
            assert!((turned - rotation * v).norm_squared().sqrt() < 1e-14);
        }
    }
    Ok(())
}
