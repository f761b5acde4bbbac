//! The licences and the origin of everything that is linked in, held to `deny.toml` where `cargo deny` is not installed too.

use serde_json::Value;
use std::error::Error;
use std::process::Command;

fn output(program: &str, arguments: &[&str]) -> Result<String, Box<dyn Error>> {
    let output = Command::new(program).args(arguments).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// Whether a licence expression (SPDX: OR, AND, WITH, parentheses; an older `/` is OR) can be met. OR binds least.
fn is_met(expression: &str, allowed: &[&str]) -> bool {
    let text = expression.trim();
    for (operator, any) in [(" OR ", true), ("/", true), (" AND ", false)] {
        let mut depth = 0;
        let outside = text.char_indices().find(|&(at, sign)| {
            depth += i32::from(sign == '(') - i32::from(sign == ')');
            depth == 0 && text[at..].starts_with(operator)
        });
        if let Some((at, _)) = outside {
            let (first, rest) = (is_met(&text[..at], allowed), is_met(&text[at + operator.len()..], allowed));
            return if any { first || rest } else { first && rest };
        }
    }
    match text.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        Some(inner) => is_met(inner, allowed),
        None => allowed.contains(&text),
    }
}

#[test]
fn licences_and_sources_are_allowed() -> Result<(), Box<dyn Error>> {
    let rules = std::fs::read_to_string("../../deny.toml")?;
    let list = rules.split_once("allow = [").and_then(|(_, rest)| rest.split_once(']')).ok_or("a list")?.0;
    let allowed: Vec<&str> = list.split('"').skip(1).step_by(2).collect();
    assert!(allowed.len() > 5 && allowed.contains(&"MIT"), "{allowed:?}");
    for (expression, met) in [
        ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
        ("MIT AND GPL-3.0", false),
        ("GPL-3.0 OR Zlib", true),
        ("Unlicense/MIT", true),
        ("GPL-3.0 AND (MIT OR Zlib)", false),
    ] {
        assert_eq!(is_met(expression, &allowed), met, "{expression}");
    }
    let host = output("rustc", &["-vV"])?;
    let host = host.lines().find_map(|line| line.strip_prefix("host: ")).ok_or("a host")?;
    let metadata = output(
        env!("CARGO"),
        &["metadata", "--offline", "--locked", "--format-version", "1", "--filter-platform", host],
    )?;
    let metadata: Value = serde_json::from_str(&metadata)?;
    let packages = metadata["packages"].as_array().ok_or("packages")?;
    assert!(packages.len() > 50);
    for package in packages {
        let name = &package["name"];
        let licence = package["license"].as_str().unwrap_or("");
        assert!(is_met(licence, &allowed), "{name}: {licence}");
        let source = package["source"].as_str().unwrap_or("registry");
        assert!(source.starts_with("registry") || source.starts_with("sparse"), "{name}: {source}");
    }
    Ok(())
}
