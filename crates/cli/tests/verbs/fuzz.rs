//! Command lines with mistakes: every run ends in time with a code that means something, and what it prints are numbers.

#[path = "../../../dalembert/tests/common/mutation.rs"]
mod mutation;

use mutation::{NUMBERS, Random, cases, mutated, seed};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Verbs with what they need; R is a robot, I a table, O a new file.
const VERBS: [&str; 22] = [
    "check R",
    "robots show R",
    "ik R -i I",
    "fk R -i I",
    "torque R -i I",
    "accel R -i I",
    "mass R -i I",
    "convert R -i I --to klipper",
    "convert R -i I --from twincat",
    "explain R",
    "compare R --samples 9",
    "ops R --no-timing --quick",
    "simulate R --free --duration 0.01",
    "trajectory R",
    "size R",
    "linearize R",
    "poles R",
    "stability R",
    "map R reach --count 4",
    "map R mass --count 4",
    "sensitivity R --samples 9",
    "cycle R --count 2",
];

/// Options; N is a number, L a list of numbers.
const OPTIONS: [&str; 44] = [
    "--json",
    "--tool",
    "--details",
    "--limits",
    "--enforce-limits",
    "--skip-bad",
    "--upside-down",
    "--branch in",
    "--assembly above",
    "--model codourey",
    "--model exact",
    "--from joints",
    "--from cartesian",
    "--space cartesian",
    "--breakdown",
    "--tensions",
    "--height N",
    "--width N",
    "--z N",
    "--duration N",
    "--bandwidth N",
    "--payload N",
    "--damping N",
    "--position L",
    "--velocity L",
    "--acceleration L",
    "--joints L",
    "--joint-velocity L",
    "--torque L",
    "--force L",
    "--step N",
    "--order N",
    "--lqr L",
    "--place L",
    "--speed N",
    "--jerk N",
    "--center L",
    "--direction L",
    "--path line",
    "--path joints:L/L",
    "--profile double-s",
    "--profile time-optimal",
    "--plot O.svg",
    "--out O.csv",
];

const ROBOTS: [&str; 4] = ["d3-1200", "asadi", "puma560", "r.toml"];

fn number(random: &mut Random) -> String {
    let usual = ["0.1", "0.3", "-0.8", "1", "2", "0.05 m", "100", "45 deg"];
    if random.below(4) == 0 { random.one(&NUMBERS).trim_matches('"').to_owned() } else { random.one(&usual).to_owned() }
}

fn filled(word: &str, k: usize, random: &mut Random) -> String {
    match word {
        "R" => random.one(&ROBOTS).to_owned(),
        "I" => "i.csv".to_owned(),
        "N" => number(random),
        "L" => (0..[1, 2, 3, 3, 3, 6][random.below(6)]).map(|_| number(random)).collect::<Vec<_>>().join(","),
        "joints:L/L" => format!("joints:{}/{}", filled("L", k, random), filled("L", k, random)),
        word => word.replace('O', &format!("o{k}")),
    }
}

fn command_line(random: &mut Random) -> Vec<String> {
    let mut parts = vec![random.one(&VERBS)];
    parts.extend((0..random.below(4)).map(|_| random.one(&OPTIONS)));
    let words: Vec<&str> = parts.iter().flat_map(|part| part.split(' ')).collect();
    words.iter().enumerate().map(|(k, word)| filled(word, k, random)).collect()
}

/// Runs it for at most a minute: its code and what it printed.
fn run(folder: &Path, arguments: &[String]) -> (Option<i32>, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_dalembert"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(fs::File::create(folder.join("stdout")).expect("a file"))
        .stderr(fs::File::create(folder.join("stderr")).expect("a file"))
        .spawn()
        .expect("the command starts");
    let start = Instant::now();
    let code = loop {
        if let Some(status) = child.try_wait().expect("a child") {
            break status.code();
        }
        if start.elapsed() > Duration::from_secs(60) {
            let _ = child.kill();
            let _ = child.wait();
            panic!("{arguments:?} does not end");
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let text = |name: &str| String::from_utf8_lossy(&fs::read(folder.join(name)).expect("a file")).into_owned();
    (code, text("stdout"), text("stderr"))
}

/// Whether a text has a word for what is no number.
fn has_none(text: &str) -> bool {
    let word = |c: char| !c.is_alphanumeric();
    text.split(word).any(|word| ["NaN", "nan", "inf"].contains(&word))
}

#[test]
fn command_lines_with_mistakes() {
    let folder = tempfile::tempdir().expect("a folder");
    let shipped = |path: &str| {
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robots").join(path)).expect("a file")
    };
    let robots = [shipped("asadi.toml"), shipped("d3-1200.toml"), shipped("puma560.toml")];
    let robots: Vec<&str> = robots.iter().map(String::as_str).collect();
    let table = "x,y,z,q1,q2,q3,vx,vy,vz,ax,ay,az,tau1,tau2,tau3\n0,0,-0.8,0.1,0.1,0.1,0,0,0,0,0,0,1,1,1\n";
    let mut random = Random(seed());
    let mut codes = std::collections::BTreeMap::new();
    let start = Instant::now();
    let count = cases(60);
    for k in 0..count {
        let robot = random.one(&robots);
        fs::write(folder.path().join("r.toml"), mutated(robot, &robots, &mut random)).expect("a file");
        let input = if random.below(2) == 0 { table.to_owned() } else { mutated(table, &["x,y,z\n"], &mut random) };
        fs::write(folder.path().join("i.csv"), input).expect("a file");
        let arguments = command_line(&mut random);
        let (code, out, error) = run(folder.path(), &arguments);
        let told = || {
            let robot = fs::read_to_string(folder.path().join("r.toml")).unwrap_or_default();
            format!("run {k}, {arguments:?}: {code:?}\n{out}\n{error}\n{robot}")
        };
        assert!(matches!(code, Some(0..=2)) && !error.contains("internal error"), "{}", told());
        assert!(code == Some(0) || !error.is_empty(), "{}", told());
        // What stands in a table and is not read passes through as it is.
        if code == Some(0) && !arguments.iter().any(|argument| argument == "i.csv") {
            assert!(!has_none(&out), "{}", told());
        }
        for entry in fs::read_dir(folder.path()).expect("a folder").flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            assert!(!name.starts_with(".dalembert-"), "{}", told());
            if name.starts_with('o') {
                assert!(!has_none(&fs::read_to_string(entry.path()).unwrap_or_default()), "{name}: {}", told());
                fs::remove_file(entry.path()).expect("a file");
            }
        }
        *codes.entry(code).or_insert(0) += 1;
    }
    println!("{count} runs in {:?}, by their codes {codes:?}", start.elapsed());
}
