//! Long tables: rows by compiled programs, in blocks on all processors, and programs that are kept for the next time.

use crate::command::{bad, root, run, text};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Some blocks of rows.
const MANY: usize = 6_000;

/// Runs `dalembert` with programs kept in this directory.
fn run_kept(cache: &Path, arguments: &str, input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_dalembert"))
        .args(arguments.split_whitespace())
        .env("DALEMBERT_CACHE", cache)
        .current_dir(root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    // A child that refuses its input may be gone before it reads.
    let _ = writer.join().unwrap();
    output
}

/// What is printed, and what is told beside warnings of the robot file and of limits.
fn good(output: &Output) -> (String, String) {
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{told}");
    let told = told.lines().filter(|line| !line.starts_with("warning:")).map(|line| format!("{line}\n")).collect();
    (text(&output.stdout), told)
}

/// States of a PUMA, some of them bad, with text that passes through, ends of lines and quotes of every kind.
fn states(rows: usize) -> String {
    let mut table = String::from("note,t");
    for stem in ["q", "qd", "qdd", "tau"] {
        (1..=6).for_each(|i| table += &format!(",{stem}{i}"));
    }
    table += "\r\n";
    for k in 0..rows {
        table += ["a", "\"b, c\"", "\"say \"\"so\"\"\"", "", " blank "][k % 5];
        table += &format!(",{k}");
        for c in 0..24 {
            let value = ((31 * k + 7 * c) as f64).sin() * [1.0, 2.0, 5.0, 20.0][c / 6];
            let text = match k % 997 {
                13 if c == 3 => String::from("nan"),
                14 if c == 9 => String::new(),
                15 if c == 2 => String::from(" 0.5 "),
                _ => [format!("{value:?}"), format!("{value:.3}"), format!("{value:e}")][(k + c) % 3].clone(),
            };
            table += &format!(",{text}");
        }
        table += [",", "\n", "\r\n", "\n\n"][if k % 997 == 16 { 0 } else { 1 + k % 3 }];
        table += if k % 997 == 16 { "\n" } else { "" };
    }
    table
}

/// Two tables agree: texts to the letter, the last `computed` fields to so many parts of the largest of them.
fn same(a: &str, b: &str, computed: usize, tolerance: f64) {
    assert_eq!(a.lines().count(), b.lines().count());
    for (a, b) in a.lines().zip(b.lines()).skip(1) {
        let tail = |line: &str| -> (String, Vec<f64>) {
            let fields: Vec<&str> = line.split(',').collect();
            let (text, numbers) = fields.split_at(fields.len() - computed);
            (text.join(","), numbers.iter().map(|number| number.parse().unwrap()).collect())
        };
        let ((text, numbers), (other, others)) = (tail(a), tail(b));
        assert_eq!(text, other);
        let size = others.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
        assert!(numbers.iter().zip(&others).all(|(x, y)| (x - y).abs() <= tolerance * size), "{a}\n{b}");
    }
}

/// A long table goes through programs in blocks, and a stream row by row through the formulas: the same rows, the same messages.
#[test]
fn long_tables_by_programs_are_streams_by_formulas() {
    let table = states(MANY);
    let off = Path::new("off");
    for (verb, computed, tolerance) in [("torque", 6, 1e-13), ("accel", 6, 1e-10), ("mass", 27, 1e-13)] {
        let columns = match verb {
            "torque" => String::from("--columns note,t,q3,tau1,tau2,tau3,tau4,tau5,tau6"),
            "accel" => String::from("--columns note,t,q3,qdd1,qdd2,qdd3,qdd4,qdd5,qdd6"),
            _ => String::new(),
        };
        let command = format!("{verb} puma560 --skip-bad {columns}");
        let (fast, told) = good(&run_kept(off, &format!("{command} --by programs --verbose"), &table));
        let (slow, said) = good(&run_kept(off, &format!("{command} --by formulas --stream"), &table));
        same(&fast, &slow, computed, tolerance);
        let (first, rest) = told.split_once('\n').unwrap();
        assert!(first.contains("operations, derived quickly; ready in"), "{first}");
        assert_eq!(rest, said);
        assert!(said.contains("is not a finite number") && said.contains("fields where the header has 26"), "{said}");
    }
}

/// Tables go by the formulas unless programs are asked for, which not everything has; `--verbose` says how.
#[test]
fn what_is_not_by_programs_is_told() {
    let table = states(50);
    let told = |arguments: &str, input: &str| text(&run(&format!("{arguments} --verbose"), input).stderr);
    let few = told("torque puma560 --skip-bad --no-cache", &table);
    assert!(few.contains("row by row by the formulas"), "{few}");
    let delta = "x,y,z\n0,0,-0.8\n";
    let more = "there is no program for this robot, model or output";
    assert!(told("ik d3-1200", delta).contains("row by row by the formulas"), "{}", told("ik d3-1200", delta));
    assert!(told("mass d3-1200 --by formulas", delta).contains("by the formulas"));
    bad(1, "mass d3-1200 --by programs", delta, &[more, "serial arms"]);
    bad(2, "ik d3-1200 --by programs", delta, &["--by"]);
}

/// The same bytes with one thread and with several, as CSV, JSON lines and from a file.
#[test]
fn threads_do_not_change_a_byte() {
    let table = states(MANY);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("states.csv");
    fs::write(&path, &table).unwrap();
    for format in ["", "--json"] {
        let command = format!("torque puma560 --skip-bad --limits --by programs {format}");
        let (piped, _) = good(&run_kept(Path::new("off"), &command, &table));
        let alone = Command::new(env!("CARGO_BIN_EXE_dalembert"))
            .args(command.split_whitespace())
            .args(["--input", path.to_str().unwrap()])
            .env("RAYON_NUM_THREADS", "1")
            .env("DALEMBERT_CACHE", "off")
            .output()
            .unwrap();
        assert!(good(&alone).0 == piped, "{format}");
    }
}

/// No rows, one row, no line break at the end, carriage returns only.
#[test]
fn small_tables_are_tables() {
    let row = "0,0,-0.8";
    let one = good(&run("ik d3-1200", &format!("x,y,z\n{row}\n"))).0;
    for table in [format!("x,y,z\n{row}"), format!("x,y,z\r{row}\r"), format!("\u{feff}x,y,z\r\n\r\n{row}\r\n\r\n")] {
        assert_eq!(good(&run("ik d3-1200", &table)).0, one, "{table:?}");
    }
    for table in ["x,y,z\n", "x,y,z", "x,y,z\r\n\r\n"] {
        let output = run("ik d3-1200", table);
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output.stderr).contains("a header but no rows"), "{}", text(&output.stderr));
    }
}

/// What others may change or own is not used, and what is kept is for its owner alone.
#[cfg(unix)]
fn others_are_not_trusted(cache: &Path, file: &Path, whole: &str, told: impl Fn(&str)) {
    use std::os::unix::fs::{PermissionsExt, chown, symlink};
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    assert_eq!((mode(cache), mode(file)), (0o700, 0o600));
    fs::write(file, whole).unwrap();
    told("from the cache");
    for (path, usual) in [(cache, 0o700), (file, 0o600)] {
        set(path, usual | 0o022);
        told("may be changed by other users");
        set(path, usual);
        // Only who runs everything may give a file away.
        if chown(path, Some(12_345), None).is_ok() {
            told("belongs to another user");
            chown(path, Some(0), None).unwrap();
        }
    }
    let elsewhere = cache.with_extension("elsewhere");
    fs::rename(file, &elsewhere).unwrap();
    symlink(&elsewhere, file).unwrap();
    told("is not a regular file");
    fs::remove_file(file).unwrap();
    fs::rename(&elsewhere, file).unwrap();
    told("from the cache");
}

/// A row has the same bytes alone, among few and among many, with a program in the cache or without one.
#[test]
fn a_row_has_the_same_bytes_in_every_table() {
    let directory = tempfile::tempdir().unwrap();
    let kept = directory.path().join("kept");
    let robot = "golden/robots/serial-b.toml";
    good(&run_kept(&kept, &format!("derive {robot} --cache --of torque"), ""));
    let header = "q1,q2,q3,qd1,qd2,qd3,qdd1,qdd2,qdd3\n";
    let row = |k: usize| (0..9).map(|c| format!("{}", ((5 * k + c) as f64).sin())).collect::<Vec<_>>().join(",") + "\n";
    let rows: Vec<String> = (0..5000).map(row).collect();
    let command = format!("torque {robot}");
    let all = good(&run_kept(&kept, &command, &(header.to_owned() + &rows.concat()))).0;
    let all: Vec<&str> = all.lines().collect();
    for (start, count) in [(0, 1), (4999, 1), (7, 7), (1000, 1000), (0, 5000)] {
        let table = header.to_owned() + &rows[start..start + count].concat();
        for (cache, threads) in [(kept.as_path(), "2"), (Path::new("off"), "1")] {
            let mut child = Command::new(env!("CARGO_BIN_EXE_dalembert"))
                .args(command.split(' '))
                .env("DALEMBERT_CACHE", cache)
                .env("RAYON_NUM_THREADS", threads)
                .current_dir(root())
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            let (mut stdin, table) = (child.stdin.take().unwrap(), table.clone());
            let writer = std::thread::spawn(move || stdin.write_all(table.as_bytes()));
            let output = child.wait_with_output().unwrap();
            writer.join().unwrap().unwrap();
            let found = text(&output.stdout);
            let found: Vec<&str> = found.lines().skip(1).collect();
            assert!(found == all[1 + start..1 + start + count], "{count} rows from {start}, {threads} threads");
        }
    }
}

/// `derive --cache` keeps a program, long tables use it, and what is damaged, foreign or wrong is told and left out.
#[test]
fn searched_programs_are_kept_and_found() {
    let directory = tempfile::tempdir().unwrap();
    let cache = directory.path().join("kept");
    let robot = "golden/robots/serial-b.toml";
    let (none, told) = good(&run_kept(&cache, &format!("derive {robot} --cache --of torque"), ""));
    assert_eq!(none, "");
    assert!(told.contains("torque: ") && told.contains("operations"), "{told}");
    let files = || fs::read_dir(&cache).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    let file = files().pop().unwrap();
    assert_eq!(files().len(), 1);
    assert!(file.to_str().unwrap().contains("torque-") && file.extension().is_some_and(|end| end == "json"));

    let n = 3;
    let names = ["q", "qd", "qdd"].iter().flat_map(|stem| (1..=n).map(move |i| format!("{stem}{i}")));
    let mut table = names.collect::<Vec<_>>().join(",") + "\n";
    for k in 0..MANY {
        table += &(0..3 * n).map(|c| format!("{:.4}", ((5 * k + c) as f64).sin())).collect::<Vec<_>>().join(",");
        table.push('\n');
    }
    let command = format!("torque {robot} --verbose --by programs");
    let (kept, told) = good(&run_kept(&cache, &command, &table));
    assert!(told.contains("from the cache"), "{told}");
    let (quick, told) = good(&run_kept(&cache, &format!("{command} --no-cache"), &table));
    assert!(told.contains("derived quickly; ready"), "{told}");
    same(&kept, &quick, n, 1e-12);
    // Another payload is another robot.
    let told = good(&run_kept(&cache, &format!("{command} --payload 1"), &table)).1;
    assert!(told.contains("derived quickly; ready"), "{told}");

    let whole = fs::read_to_string(&file).unwrap();
    let cut = whole[..whole.len() / 2].to_owned();
    let other = whole.replacen("\"dalembert\":\"", "\"dalembert\":\"0", 1);
    // One operation is another, with the checksum of what it was and of what it is.
    let edited = whole.replacen("multiply", "add", 1);
    let mut wrong: serde_json::Value = serde_json::from_str(&edited).unwrap();
    let letters =
        ["dalembert", "of", "robot", "program"].map(|key| wrong[key].as_str().unwrap().to_owned() + "\n").concat();
    let fold = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    wrong["checksum"] = format!("{:016x}", letters.bytes().fold(0xcbf2_9ce4_8422_2325, fold)).into();
    let wrong = wrong.to_string();
    for (text, problem) in [
        (cut, "is damaged"),
        (String::from("{}"), "is damaged: its format"),
        (other, "is of another robot or build"),
        (edited, "is damaged: its checksum"),
        (wrong, "does not give what the robot's exact model gives"),
    ] {
        fs::write(&file, text).unwrap();
        let (rows, told) = good(&run_kept(&cache, &command, &table));
        assert!(told.contains("derived quickly (not used: ") && told.contains(problem), "{told}");
        assert!(rows == quick);
        // Without `--verbose` nothing is said.
        assert_eq!(good(&run_kept(&cache, &format!("torque {robot} --by programs"), &table)).1, "");
    }
    #[cfg(unix)]
    others_are_not_trusted(&cache, &file, &whole, |problem| {
        let told = good(&run_kept(&cache, &command, &table)).1;
        assert!(
            told.contains(problem) && told.contains(if problem == "from the cache" { "" } else { "not used" }),
            "{told}"
        );
    });
    fs::write(&file, whole).unwrap();
    // What would not be found again is refused before a search, and nothing is left behind.
    let refused = |of: &str, parts: [&str; 2]| {
        let output = run_kept(&cache, &format!("derive {robot} --cache --of {of}"), "");
        let told = text(&output.stderr);
        assert!(output.status.code() == Some(1) && parts.iter().all(|part| told.contains(part)), "{told}");
        assert_eq!(files(), std::slice::from_ref(&file));
    };
    refused("fk", ["the exact model gives no fk to confirm a program with", "can be kept: torque, "]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let set = |mode| fs::set_permissions(&cache, fs::Permissions::from_mode(mode)).unwrap();
        set(0o777);
        refused("gravity", ["the directory may be changed by other users", "chmod go-w"]);
        set(0o700);
    }
    let output = run_kept(Path::new("off"), &format!("derive {robot} --cache"), "");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("DALEMBERT_CACHE"), "{}", text(&output.stderr));
    let output = run_kept(&file, &format!("derive {robot} --cache --of gravity"), "");
    assert_eq!(output.status.code(), Some(1), "a file is no directory");
    for option in ["--quick", "--emit c", "-o x.rs"] {
        assert_eq!(
            run_kept(&cache, &format!("derive {robot} --cache {option}"), "").status.code(),
            Some(2),
            "{option}"
        );
    }
}
