//! Files, names, numbers and signals that mean no good, or that somebody typed by mistake.

use crate::common::{Done, command};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn dalembert(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dalembert"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    dalembert(folder, arguments).output().expect("the command starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn shipped(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)).expect("a shipped file")
}

/// A folder with a robot, states, a motion, an experiment and a scene that name the robot, and motors.
fn folder() -> std::io::Result<tempfile::TempDir> {
    let folder = tempfile::tempdir()?;
    let put = |name: &str, text: &str| fs::write(folder.path().join(name), text);
    put("r.toml", &shipped("robots/d3-1200.toml"))?;
    put("s.csv", "x,y,z\n0,0,-0.8\n0.1,0,-0.8\n")?;
    put("m.toml", &shipped("motors/akm44g.toml"))?;
    put("e.toml", "kind = \"experiment\"\nrobot = \"r.toml\"\n")?;
    put("c.toml", "kind = \"scene\"\nname = \"c\"\n[[robot]]\nrobot = \"r.toml\"\nname = \"r\"\n")?;
    Ok(folder)
}

/// No verb writes over what it reads, by whatever name; the file stays, and the message names it.
#[test]
fn an_output_that_is_an_input_is_refused() -> Done {
    let folder = folder()?;
    let place = folder.path();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("r.toml", place.join("link.toml"))?;
        fs::hard_link(place.join("r.toml"), place.join("hard.toml"))?;
        std::os::unix::fs::symlink(".", place.join("here"))?;
    }
    let before = fs::read(place.join("r.toml"))?;
    let absolute = place.join("r.toml").display().to_string();
    let mut all: Vec<Vec<&str>> = vec![
        vec!["ik", "r.toml", "-i", "s.csv", "-o", "r.toml"],
        vec!["ik", "r.toml", "-i", "s.csv", "-o", "./r.toml"],
        vec!["ik", "./r.toml", "-i", "s.csv", "-o", &absolute],
        vec!["ik", "d3-1200", "-i", "s.csv", "-o", "s.csv"],
        vec!["convert", "r.toml", "-i", "s.csv", "--to", "klipper", "-o", "r.toml"],
        vec!["derive", "r.toml", "--quick", "-o", "r.toml"],
        vec!["trajectory", "r.toml", "--out", "r.toml"],
        vec!["trajectory", "r.toml", "--gcode", "r.toml"],
        vec!["compare", "r.toml", "--out", "r.toml"],
        vec!["cycle", "r.toml", "--count", "2", "--out", "r.toml"],
        vec!["sensitivity", "r.toml", "--out", "r.toml"],
        vec!["linearize", "r.toml", "--response", "r.toml"],
        vec!["simulate", "e.toml", "--report", "x.html", "--out", "e.toml"],
        vec!["simulate", "r.toml", "--known", "hard.toml", "--out", "hard.toml"],
    ];
    #[cfg(unix)]
    all.extend([
        vec!["ik", "r.toml", "-i", "s.csv", "-o", "link.toml"],
        vec!["ik", "r.toml", "-i", "s.csv", "-o", "hard.toml"],
        vec!["ik", "link.toml", "-i", "s.csv", "-o", "here/r.toml"],
    ]);
    for arguments in &all {
        let output = run(place, arguments);
        let error = text(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{arguments:?}: {error}");
        assert!(
            error.contains("which this run reads") || error.contains("this run reads it"),
            "{arguments:?}: {error}"
        );
        assert_eq!(fs::read(place.join("r.toml"))?, before, "{arguments:?}");
    }
    // Files with another ending than the verb's own, by a link: `r.csv` is the robot.
    #[cfg(unix)]
    for (target, link, arguments) in [
        ("r.toml", "a.csv", vec!["simulate", "e.toml", "--out", "a.csv"]),
        ("r.toml", "b.csv", vec!["simulate", "c.toml", "--out", "b.csv"]),
        ("m.toml", "d.csv", vec!["trajectory", "r.toml", "--out", "d.csv", "--path", "m.toml"]),
        ("r.toml", "p.svg", vec!["map", "r.toml", "reach", "--count", "3", "--out", "p.svg"]),
    ] {
        std::os::unix::fs::symlink(target, place.join(link))?;
        let error = text(&run(place, &arguments).stderr);
        assert!(error.contains("this run reads"), "{arguments:?}: {error}");
        assert_eq!(fs::read(place.join("r.toml"))?, before, "{arguments:?}");
    }
    // A redirected standard input is an input, too.
    #[cfg(target_os = "linux")]
    {
        let input = fs::File::open(place.join("s.csv"))?;
        let output = dalembert(place, &["ik", "r.toml", "-o", "s.csv"]).stdin(input).output()?;
        assert!(text(&output.stderr).contains("standard input, which this run reads"), "{}", text(&output.stderr));
    }
    // A built-in robot is no file, and an older output is no input.
    for _ in 0..2 {
        let output = run(place, &["ik", "asadi", "-i", "s.csv", "--skip-bad", "-o", "asadi"]);
        assert_eq!(output.status.code(), Some(1), "out of reach: {}", text(&output.stderr));
        let output = run(place, &["ik", "d3-1200", "-i", "s.csv", "-o", "d3-1200"]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
    Ok(())
}

#[test]
fn two_outputs_that_are_one_file_are_refused() -> Done {
    let folder = folder()?;
    for arguments in [
        &["map", "r.toml", "reach", "--count", "3", "--out", "a.csv", "--out", "./a.csv"][..],
        &["compare", "r.toml", "--out", "a.svg", "--plot", "a.svg"],
        &["compare", "r.toml", "--plot", "a.html", "--report", "a.html"],
        &["cycle", "r.toml", "--count", "2", "--out", "a.svg", "--plot", "./a.svg"],
        &["linearize", "r.toml", "--out", "a.json", "--response", "a.json"],
        &["simulate", "r.toml", "--free", "--out", "-", "--report", "-"],
    ] {
        let output = run(folder.path(), arguments);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(error.contains("two outputs cannot both go to"), "{arguments:?}: {error}");
        assert!(!folder.path().join("a.csv").exists());
    }
    Ok(())
}

/// Every option that takes a file is known to be read or written.
#[test]
fn every_file_of_the_command_line_is_read_or_written() {
    const WRITTEN: [&str; 6] = ["--out", "--plot", "--report", "--gcode", "--response", "--gains"];
    const READ: [&str; 6] = ["--input", "--states", "--motors", "--map", "--torque-file", "--motion"];
    let verbs = text(&command(&["--help"]).stdout);
    let verbs = verbs.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    for verb in verbs.filter_map(|line| line.split_whitespace().next()) {
        let help = text(&command(&["help", verb]).stdout);
        for line in help.lines().filter(|line| line.trim_start().starts_with('-') && line.contains("<FILE>")) {
            let option = line.split_whitespace().find(|word| word.starts_with("--")).unwrap_or("");
            assert!(WRITTEN.contains(&option) || READ.contains(&option), "{verb}: {line}");
        }
    }
}

#[test]
fn a_directory_that_is_not_there_is_no_file() -> Done {
    let folder = folder()?;
    for arguments in [
        &["ik", "r.toml", "-i", "s.csv", "-o", "x/"][..],
        &["derive", "r.toml", "--quick", "--of", "ik", "-o", "x/"],
        &["derive", "r.toml", "--quick", "--of", "ik", "--emit", "c", "-o", "x/"],
        &["compare", "r.toml", "--out", "x/"],
    ] {
        let output = run(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(text(&output.stderr).contains("cannot write x/: it names a directory"), "{}", text(&output.stderr));
        assert_eq!(fs::read_dir(folder.path())?.count(), 5, "{arguments:?}");
    }
    Ok(())
}

/// A name with everything that acts somewhere and is no control character: those are refused.
const NAME: &str = "a[31mbM3 S10000\\u202ec\\u2066J<script>x</script>(LOGOPEN,x)*/";

fn named_badly() -> String {
    shipped("robots/d3-1200.toml").replace("name = \"d3-1200\"", &format!("name = \"{NAME}\""))
}

fn acts(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t') || "\u{202e}\u{2028}\u{2066}".contains(c)
}

/// Neither the name of a robot nor what stands in a file, a table or an option acts on the terminal or in any file.
#[test]
fn text_of_others_does_nothing() -> Done {
    let folder = folder()?;
    let place = folder.path();
    fs::write(place.join("n.toml"), named_badly())?;
    fs::write(place.join("c.toml"), named_badly().replace(NAME, "a\\u001b[31mb\\rM3\\u009b2J"))?;
    fs::write(place.join("k.toml"), named_badly().replace("[base]", "\"\\u001b[2Jbase\" = 1\n[base]"))?;
    fs::write(place.join("v.toml"), named_badly().replace("\"0.94 kg\"", "\"1 \\u001b[31mkg\""))?;
    fs::write(place.join("raw.toml"), "kind = \"del\u{1b}ta\"\n")?;
    fs::write(place.join("bad.csv"), "x,y,\u{1b}[31mz\n0,0,\u{9b}31m\n")?;
    fs::write(place.join("bad2.csv"), "x,y,z\n0,0,\u{1b}[31m\n")?;
    for arguments in [
        &["check", "n.toml"][..],
        &["check", "n.toml", "--json"],
        &["explain", "n.toml"],
        &["stability", "n.toml", "--plot", "s.svg"],
        &["compare", "n.toml", "--samples", "9", "--plot", "c.svg", "--report", "c.html"],
        &["compare", "n.toml", "--samples", "9", "--report", "c.md"],
        &["trajectory", "n.toml", "--gcode", "t.ngc", "--plot", "t.svg"],
        &["map", "n.toml", "reach", "--count", "4", "--out", "m.svg"],
        &["simulate", "n.toml", "--free", "--duration", "0.01", "--report", "r.html"],
        &["derive", "n.toml", "--quick", "--of", "ik", "-o", "d.rs"],
        &["derive", "n.toml", "--quick", "--of", "ik", "--emit", "c", "-o", "d.c"],
        &["derive", "n.toml", "--quick", "--of", "ik", "--emit", "st", "-o", "d.st"],
        &["derive", "n.toml", "--quick", "--of", "ik", "--emit", "latex", "-o", "d.tex"],
        &["check", "c.toml"],
        &["check", "k.toml"],
        &["check", "v.toml"],
        &["check", "raw.toml"],
        &["check", "\u{1b}[31m.toml"],
        &["\u{1b}[31m"],
        &["ik", "d3-1200", "--\u{1b}[31m"],
        &["ik", "d3-1200", "-i", "bad.csv"],
        &["ik", "d3-1200", "-i", "bad2.csv", "--skip-bad"],
        &["ik", "d3-1200", "-i", "s.csv", "-o", "no\u{1b}/x.csv"],
        &["explain", "d3-1200", "--position", "\u{1b}[31m"],
        &["linearize", "d3-1200", "--joints", "\u{202e}1"],
    ] {
        let output = run(place, arguments);
        let shown = [text(&output.stdout), text(&output.stderr)];
        assert!(!shown.iter().any(|text| text.contains(acts)), "{arguments:?}: {shown:?}");
        assert!(!shown[1].contains("internal error"), "{shown:?}");
    }
    for name in
        ["s.svg", "c.svg", "c.html", "c.md", "t.ngc", "t.svg", "m.svg", "r.html", "d.rs", "d.c", "d.h", "d.st", "d.tex"]
    {
        let file = fs::read_to_string(place.join(name)).map_err(|error| format!("{name}: {error}"))?;
        assert!(!file.contains(acts), "{name}");
        assert!(!file.contains("\nM3"), "{name}");
        let is_markup = [".svg", ".html", ".md"].iter().any(|ending| name.ends_with(ending));
        assert!(!is_markup || !file.contains("<script>x"), "{name}");
    }
    let gcode = fs::read_to_string(place.join("t.ngc"))?;
    assert!(gcode.starts_with("(motion of a") && !gcode.contains("(LOGOPEN"), "{}", &gcode[..200]);
    assert!(gcode.lines().all(|line| line.starts_with(['(', 'G', 'M']) && !line.starts_with("M3")));
    // The programs are the same as those of a robot with a good name, but for their comments.
    fs::write(place.join("good.toml"), named_badly().replace(NAME, "good"))?;
    for (language, ending) in [("rust", "rs"), ("c", "c"), ("st", "st")] {
        let file = format!("g.{ending}");
        run(place, &["derive", "good.toml", "--quick", "--of", "ik", "--emit", language, "-o", &file]);
        let lines = |name: &str| fs::read_to_string(place.join(name)).map(|text| text.lines().count());
        let difference = lines(&file)?.abs_diff(lines(&format!("d.{ending}"))?);
        assert!(difference <= 1, "{language}: a long name may wrap once, not {difference} times");
    }
    Ok(())
}

/// An SVG document and a page are well-formed: every element is closed, in order, and no text has a bare sign.
#[test]
fn pictures_are_well_formed() -> Done {
    let folder = folder()?;
    fs::write(folder.path().join("n.toml"), named_badly())?;
    let output = run(folder.path(), &["stability", "n.toml", "--plot", "s.svg"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let svg = fs::read_to_string(folder.path().join("s.svg"))?;
    let mut open: Vec<&str> = Vec::new();
    for part in svg.split('<').skip(1) {
        let (tag, after) = part.split_once('>').ok_or("a tag ends")?;
        assert!(!after.contains('>'), "{after}");
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or("");
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
    Ok(())
}

#[cfg(unix)]
fn signal(child: &std::process::Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status().expect("kill");
    assert!(sent.success());
}

#[cfg(unix)]
fn leavings(folder: &Path) -> usize {
    let names = fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.file_name());
    names.filter(|name| name.to_string_lossy().starts_with(".dalembert-")).count()
}

/// Starts a run and waits until its temporary file is there.
#[cfg(unix)]
fn begun(folder: &Path, arguments: &[&str]) -> std::process::Child {
    let mut child = dalembert(folder, arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let start = Instant::now();
    while leavings(folder) == 0 {
        assert!(
            child.try_wait().expect("a child").is_none() && start.elapsed() < Duration::from_secs(60),
            "{arguments:?}"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(200));
    child
}

/// Ctrl-C and SIGTERM end every verb, and nothing is left; the old file stays as it was.
#[cfg(unix)]
#[test]
fn signals_leave_nothing_behind() -> Done {
    for (name, arguments) in [
        ("-INT", &["ik", "r.toml", "-i", "endless", "-o", "o.csv"][..]),
        ("-TERM", &["mass", "r.toml", "-i", "endless", "-o", "o.csv"]),
        ("-TERM", &["sensitivity", "r.toml", "--samples", "100000000", "--out", "o.csv"]),
        ("-INT", &["cycle", "r.toml", "--count", "100", "--out", "o.csv"]),
    ] {
        let folder = folder()?;
        fs::write(folder.path().join("o.csv"), "old\n")?;
        // Its writer is there and says nothing more.
        let fifo = folder.path().join("endless");
        assert!(Command::new("mkfifo").arg(&fifo).status()?.success());
        let writer = std::thread::spawn(move || {
            use std::io::Write;
            let mut file = fs::OpenOptions::new().write(true).open(fifo)?;
            file.write_all(b"x,y,z\n0,0,-0.8\n")?;
            std::thread::sleep(Duration::from_secs(5));
            Ok::<_, std::io::Error>(())
        });
        let child = begun(folder.path(), arguments);
        signal(&child, name);
        let output = child.wait_with_output()?;
        assert_eq!(output.status.code(), Some(130), "{arguments:?}: {}", text(&output.stderr));
        assert_eq!(leavings(folder.path()), 0, "{arguments:?}");
        assert_eq!(fs::read_to_string(folder.path().join("o.csv"))?, "old\n", "{arguments:?}");
        drop(writer);
    }
    Ok(())
}

/// What an interrupted simulation has goes beside an older file that is complete.
#[cfg(unix)]
#[test]
fn a_part_does_not_replace_a_whole() -> Done {
    for name in ["-TERM", "-INT"] {
        let folder = folder()?;
        fs::write(folder.path().join("run.csv"), "old\n")?;
        let arguments = ["simulate", "r.toml", "--free", "--duration", "8e4", "--every", "1", "--out", "run.csv"];
        let child = begun(folder.path(), &arguments);
        std::thread::sleep(Duration::from_secs(1));
        signal(&child, name);
        let output = child.wait_with_output()?;
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{error}");
        assert!(error.contains("to run.partial.csv"), "{error}");
        assert_eq!(fs::read_to_string(folder.path().join("run.csv"))?, "old\n");
        assert!(fs::read_to_string(folder.path().join("run.partial.csv"))?.starts_with("t,"));
        assert_eq!(leavings(folder.path()), 0);
    }
    Ok(())
}

/// A killed run cannot clean up; the next one does, but not what a living one still needs.
#[cfg(unix)]
#[test]
fn the_next_run_sweeps_what_a_killed_one_left() -> Done {
    let folder = folder()?;
    let long = ["simulate", "r.toml", "--free", "--duration", "8e4", "--every", "1", "--out", "long.csv"];
    let killed = begun(folder.path(), &long);
    signal(&killed, "-KILL");
    killed.wait_with_output()?;
    assert_eq!(leavings(folder.path()), 1);
    // A file of somebody else, whatever its name begins with, is none of ours.
    fs::write(folder.path().join(".dalembert-notes"), "mine")?;
    let living = dalembert(folder.path(), &long).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    std::thread::sleep(Duration::from_secs(1));
    let output = run(folder.path(), &["ik", "r.toml", "-i", "s.csv", "-o", "o.csv"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(leavings(folder.path()), 2, "that of the living run, and the notes");
    signal(&living, "-INT");
    let output = living.wait_with_output()?;
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    assert!(folder.path().join("long.csv").exists() && folder.path().join(".dalembert-notes").exists());
    assert_eq!(leavings(folder.path()), 1);
    Ok(())
}

/// Waits for a command that must end by itself.
fn ends(mut command: Command) -> Output {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command starts");
    let start = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        if start.elapsed() > Duration::from_secs(60) {
            let _ = child.kill();
            panic!("{command:?} does not end");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.wait_with_output().expect("its output")
}

/// What has no end is refused with the limit.
#[cfg(target_os = "linux")]
#[test]
fn endless_inputs_end() -> Done {
    let folder = folder()?;
    for name in ["zero.npy", "zero.mat", "zero.parquet"] {
        std::os::unix::fs::symlink("/dev/zero", folder.path().join(name))?;
    }
    for (arguments, part) in [
        (&["check", "/dev/zero"][..], "more than 16 MiB"),
        (&["simulate", "/dev/zero"], "more than 16 MiB"),
        (&["size", "r.toml", "--motors", "/dev/zero"], "more than 16 MiB"),
        (&["ik", "r.toml", "-i", "/dev/zero"], "longer than 16 MiB"),
        (&["linearize", "r.toml", "--states", "/dev/zero"], "longer than 16 MiB"),
        (&["identify", "r.toml", "s.csv", "--map", "/dev/zero"], "more than 16 MiB"),
        (&["ik", "r.toml", "-i", "zero.npy"], "no regular file"),
        (&["smooth", "zero.mat"], "no regular file"),
        (&["ik", "r.toml", "-i", "zero.parquet"], "no regular file"),
    ] {
        let output = ends(dalembert(folder.path(), arguments));
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {error}");
        assert!(error.contains(part) && error.len() < 2000, "{arguments:?}: {error}");
    }
    // A pipe that is never closed, and a quote that is never closed.
    for (start, line) in [("", "0,0,-0.8 "), ("\"", "a\n")] {
        let mut child = dalembert(folder.path(), &["ik", "r.toml"]);
        let mut child = child.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let mut input = child.stdin.take().ok_or("an input")?;
        use std::io::Write;
        input.write_all(format!("x,y,z\n{start}").as_bytes())?;
        let block = line.repeat(100_000);
        let start = Instant::now();
        while input.write_all(block.as_bytes()).is_ok() {
            assert!(start.elapsed() < Duration::from_secs(60), "it reads on");
        }
        let error = text(&child.wait_with_output()?.stderr);
        assert!(error.contains("longer than 16 MiB"), "{error}");
    }
    Ok(())
}

/// Numbers beyond 1e154, whose squares are none: an answer or an error, in time.
#[test]
fn overflow_ends_with_an_error() -> Done {
    let folder = folder()?;
    let arm = shipped("robots/puma560.toml");
    fs::write(
        folder.path().join("arm.toml"),
        arm.replace("inertia = [0.0, 0.0, 0.35]", "inertia = [0.0, 0.0, 1e200]"),
    )?;
    fs::write(folder.path().join("heavy.toml"), shipped("robots/d3-1200.toml").replace("\"0.94 kg\"", "1e200"))?;
    for arguments in [
        &["poles", "d3-1200", "--joints", "0.5", "--damping", "1e155"][..],
        &["linearize", "d3-1200", "--joints", "0.5", "--damping", "1e155"],
        &["linearize", "d3-1200", "--joints", "0.5", "--damping", "1e149", "--lqr", "1e200,1,1e-200"],
        &["poles", "d3-1200", "--joints", "0.5", "--payload", "1e200"],
        &["compare", "heavy.toml", "--plot", "o.svg", "--out", "o.csv"],
        &["compare", "heavy.toml", "--json"],
        &["stability", "heavy.toml", "--plot", "o.svg"],
        &["stability", "d3-1200", "--payload", "1e300", "--json"],
        &["explain", "heavy.toml"],
        &["explain", "d3-1200", "--velocity", "1e200,0,0", "--json"],
        &["check", "arm.toml"],
        &["sensitivity", "arm.toml"],
        &["map", "heavy.toml", "mass", "--count", "3", "--out", "o.csv"],
        &["simulate", "heavy.toml", "--free", "--duration", "0.01", "--out", "o.csv"],
        &["trajectory", "heavy.toml", "--out", "o.csv"],
        &["size", "arm.toml"],
    ] {
        let output = ends(dalembert(folder.path(), arguments));
        let error = text(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{arguments:?}: {error}");
        assert!(!folder.path().join("o.svg").exists() && !folder.path().join("o.csv").exists(), "{arguments:?}");
    }
    Ok(())
}

/// A map of reach has a number everywhere, at singular positions too.
#[test]
fn maps_of_reach_have_numbers_everywhere() -> Done {
    let folder = folder()?;
    for robot in ["asadi", "d3-1200", "puma560"] {
        let arguments = ["map", robot, "reach", "--count", "5", "--volume", "--out", "o.csv"];
        assert!(run(folder.path(), &arguments).status.success(), "{robot}");
        let file = fs::read_to_string(folder.path().join("o.csv"))?;
        assert_eq!(file.lines().count(), 126);
        let finite = |line: &str| line.split(',').all(|cell| cell.parse::<f64>().is_ok_and(f64::is_finite));
        assert!(file.lines().skip(1).all(finite), "{robot}");
    }
    Ok(())
}

/// The same run gives the same page, byte by byte.
#[test]
fn reports_are_reproducible() -> Done {
    let folder = folder()?;
    for arguments in [
        &["simulate", "r.toml", "--free", "--duration", "0.05"][..],
        &["simulate", "r.toml", "--cycle", "1 s"],
        &["simulate", "r.toml", "--cycle", "1 s", "--compare", "pd,feedforward"],
    ] {
        let pages: Vec<Vec<u8>> = ["a.html", "b.html"]
            .into_iter()
            .map(|name| {
                let output = run(folder.path(), &[arguments, &["--report", name]].concat());
                assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
                fs::read(folder.path().join(name))
            })
            .collect::<Result<_, _>>()?;
        assert!(pages[0] == pages[1], "{arguments:?}");
    }
    Ok(())
}

/// A live pipe gets each row before the next one is there.
#[test]
fn a_stream_answers_row_by_row() -> Done {
    use std::io::{BufRead, BufReader, Write};
    for (arguments, header) in
        [(&["ik", "d3-1200", "--stream"][..], true), (&["ik", "d3-1200", "--stream", "--json"], false)]
    {
        let mut child = Command::new(env!("CARGO_BIN_EXE_dalembert"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut input = child.stdin.take().ok_or("an input")?;
        let mut lines = BufReader::new(child.stdout.take().ok_or("an output")?).lines();
        input.write_all(b"x,y,z\n")?;
        if header {
            assert_eq!(lines.next().ok_or("a header")??, "x,y,z,q1,q2,q3");
        }
        for x in ["0", "0.1", "0.2"] {
            input.write_all(format!("{x},0,-0.8\n").as_bytes())?;
            // It would wait for ever if the row were held back.
            let line = lines.next().ok_or("a row")??;
            assert!(line.starts_with(&if header { format!("{x},0,-0.8,") } else { format!("{{\"x\":{x},") }), "{line}");
        }
        drop(input);
        assert!(lines.next().is_none() && child.wait()?.success());
    }
    let folder = folder()?;
    let output = run(folder.path(), &["ik", "r.toml", "-i", "s.csv", "--stream", "-o", "x.csv"]);
    assert!(text(&output.stderr).contains("--stream is for standard output"));
    Ok(())
}

/// What cannot be written is an error: on a full disk, and where standard output is closed.
#[test]
#[cfg(target_os = "linux")]
fn output_that_goes_nowhere_is_an_error() -> Done {
    let folder = folder()?;
    for arguments in
        ["check r.toml", "ik r.toml -i s.csv", "check r.toml --json", "trajectory r.toml --out -", "--help"]
    {
        for (redirection, reason) in [(">/dev/full", "No space left"), (">&-", "Bad file descriptor")] {
            let line = format!("{} {arguments} {redirection}", env!("CARGO_BIN_EXE_dalembert"));
            let output = Command::new("sh").args(["-c", &line]).current_dir(folder.path()).output()?;
            let error = text(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{line}: {error}");
            assert!(error.contains("standard output") || error.contains("cannot write"), "{line}: {error}");
            assert!(error.contains(reason) || error.contains("disk is full"), "{line}: {error}");
        }
    }
    // Nothing is printed: nothing is lost.
    let line = format!("{} ik r.toml -i s.csv -o x.csv >&-", env!("CARGO_BIN_EXE_dalembert"));
    let output = Command::new("sh").args(["-c", &line]).current_dir(folder.path()).output()?;
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    Ok(())
}

/// A Parquet file with a changed byte at which its reader panics is a mistake in the file, which is named.
#[test]
#[cfg(feature = "parquet")]
fn a_broken_parquet_file_is_a_mistake() -> Done {
    let folder = folder()?;
    let made = run(folder.path(), &["ik", "r.toml", "-i", "s.csv", "-o", "good.parquet"]);
    assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
    let good = fs::read(folder.path().join("good.parquet"))?;
    let footer = good.len() - 8 - u32::from_le_bytes(good[good.len() - 8..good.len() - 4].try_into()?) as usize;
    for place in (footer..good.len()).step_by(good.len() / 40) {
        let mut bytes = good.clone();
        bytes[place] = 0xff;
        fs::write(folder.path().join("bad.parquet"), bytes)?;
        let output = run(folder.path(), &["fk", "r.toml", "-i", "bad.parquet"]);
        let error = text(&output.stderr);
        assert!(!error.contains("internal error") && !error.contains("panicked"), "{place}: {error}");
        match output.status.code() {
            Some(0) => {}
            code => assert!(code == Some(1) && error.contains("bad.parquet"), "{place}: {code:?} {error}"),
        }
    }
    Ok(())
}

/// A name with a line break is refused at its place: it would break the lines that it stands in.
#[test]
fn a_name_stands_in_one_line() -> Done {
    let folder = folder()?;
    let broken = shipped("robots/d3-1200.toml").replace("name = \"d3-1200\"", "name = \"a\\nb\"");
    fs::write(folder.path().join("n.toml"), broken)?;
    fs::write(folder.path().join("s.toml"), "kind = \"scene\"\nname = \"a\\nb\"\n[[robot]]\nrobot = \"r.toml\"\n")?;
    fs::write(folder.path().join("e.toml"), "kind = \"experiment\"\nname = \"a\\nb\"\nrobot = \"r.toml\"\n")?;
    for arguments in [["check", "n.toml"], ["simulate", "s.toml"], ["simulate", "e.toml"]] {
        let output = run(folder.path(), &arguments);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {error}");
        assert!(error.contains("`name` has a line break") && error.contains("line "), "{arguments:?}: {error}");
    }
    Ok(())
}

/// Numbers that overflow are refused with the numbers that are to blame, not printed as infinite.
#[test]
fn results_that_are_not_finite_are_refused() -> Done {
    let folder = folder()?;
    for (line, needle) in [
        ("bench two-wire --mass 1e300 --radius 1e300 --length 1 --period 1", "inertia for small angles"),
        ("bench torsion --stiffness 120:1e308% --period 0.7 --arm 1", "total inertia"),
        ("trajectory d3-1200 --profile double-s --jerk 1e300", "duration of the motion"),
        ("simulate d3-1200 --profile double-s --jerk 1e300", "duration of the motion"),
        ("check stewart --set home.position=[0,0,1e200]", "home.position is 1e200"),
        ("check hexaglide --set home.position=[0,0,1e200]", "home.position is 1e200"),
    ] {
        let output = run(folder.path(), &line.split(' ').collect::<Vec<_>>());
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{line}: {error}");
        assert!(error.contains(needle) && !error.contains("NaN") && !error.contains("inf "), "{line}: {error}");
    }
    Ok(())
}

/// A blend of nanometres is a motion or an error in words, not one about NaN.
#[test]
fn a_tiny_blend_has_no_place_that_is_not_a_number() -> Done {
    let line = "trajectory d3-1200 --path joints:0.1,0.2,0.3/0.3,0.3,0.3/0.3,0.5,0.3 --blend 1e-9 --profile time-optimal --jerk 2e4";
    let output = command(&line.split(' ').collect::<Vec<_>>());
    let all = text(&output.stdout) + &text(&output.stderr);
    assert!(!all.contains("NaN") && !all.contains("internal error") && output.status.code() < Some(2), "{all}");
    Ok(())
}

/// What JSON says is JSON, whatever the name.
#[test]
fn json_keeps_the_name() -> Done {
    let folder = folder()?;
    fs::write(folder.path().join("n.toml"), named_badly())?;
    let output = run(folder.path(), &["check", "n.toml", "--json"]);
    let value: Value = serde_json::from_slice(&output.stdout)?;
    assert_eq!(value["name"], "a[31mbM3 S10000\u{202e}c\u{2066}J<script>x</script>(LOGOPEN,x)*/");
    Ok(())
}
