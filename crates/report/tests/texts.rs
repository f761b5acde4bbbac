//! Numbers and text for people and for files: digits, aligned columns, and text of others that does nothing.

use dalembert_report::escape::{gcode, json, line, markdown, terminal, terminal_in_place, xml};
use dalembert_report::text::{DIGITS, Table, fixed, human, number, push_number, push_number_bytes};
use std::borrow::Cow;

#[test]
fn numbers_for_people() {
    assert_eq!(human(0.000123456, 4), "0.0001235");
    assert_eq!(human(-57.7, 4), "−57.7");
    assert_eq!(human(1234567.0, 4), "1234567");
    assert_eq!(human(3.6e-14, 3), "3.60e-14");
    assert_eq!(human(-1e300, 3), "−1.00e300");
    assert_eq!(human(f64::NEG_INFINITY, 3), "−∞");
    assert_eq!(fixed(-3.6e-14, 3), "−4e-14");
    assert_eq!(fixed(0.0, 3), "0.000");
}

#[test]
fn numbers_survive_the_round_trip() {
    for value in [0.1, -1.0 / 3.0, 5e-324, f64::MAX, 0.0, -0.0] {
        assert_eq!(number(value).parse::<f64>().unwrap(), value);
    }
    assert!(!number(-0.0).starts_with('-'));
}

/// Against the standard library: every size, ties, neighbours of powers of ten, every number of digits.
#[test]
fn digits_are_those_of_the_standard_library() {
    let mut seed = 1_u64;
    let mut random = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut values = vec![0.0, -0.0, 5e-324, f64::MIN_POSITIVE, f64::MAX, f64::NAN, f64::INFINITY, -f64::INFINITY];
    for power in -40..40 {
        let ten = 10_f64.powi(power);
        values.extend([ten, ten.next_up(), ten.next_down(), 9.5 * ten, 0.5 * ten, 2.5 * ten, 2_f64.powi(3 * power)]);
    }
    for _ in 0..20_000 {
        values.push((random() - 0.5) * 10_f64.powf(60.0 * random() - 30.0));
        // Quarters of integers: with 17 digits and less these are ties.
        values.push((random() * 2_f64.powf(53.0 * random())).floor() / 4.0);
        values.push(f64::from_bits((random() * u64::MAX as f64) as u64));
    }
    for digits in 1..=DIGITS {
        for &value in &values {
            let mut text = String::new();
            push_number(&mut text, value, digits);
            assert_eq!(text, format!("{:.*e}", digits - 1, value + 0.0), "{value:?} with {digits} digits");
            let mut bytes = Vec::new();
            push_number_bytes(&mut bytes, value, digits);
            assert_eq!(bytes, text.as_bytes(), "{value:?} with {digits} digits");
        }
    }
}

#[test]
fn tables_align_by_width_not_by_bytes() {
    let mut table = Table::new("lr");
    table.row(["q̇", "1"]);
    table.row(["ab", "−10"]);
    let lines: Vec<_> = table.lines().map(|(_, line)| line).collect();
    assert_eq!(lines, ["q̇     1", "ab  −10"]);
}

/// Control characters, line separators, and what turns the direction of writing (Unicode Standard Annex 9, tables 3 and 4).
fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

const NASTY: &str = "a\u{1b}[31m\r\nM3 S10000\u{202e}b\u{9b}2J\u{2028}<script>'\"&)(|`*/\u{0}";

#[test]
fn nothing_acts_in_any_format() {
    for (format, text) in [
        ("line", line(NASTY).into_owned()),
        ("terminal", terminal(NASTY).replace('\n', "")),
        ("in place", terminal_in_place(NASTY).replace('\n', "")),
        ("json", json(NASTY).replace('\n', "")),
        ("xml", xml(NASTY).replace('\n', "")),
        ("markdown", markdown(NASTY)),
        ("gcode", gcode(NASTY)),
    ] {
        assert!(!text.contains(acts), "{format}: {text:?}");
    }
    assert!(!xml(NASTY).contains(['<', '>', '"', '\'']));
    assert!(!markdown(NASTY).contains(['<', '>']) && markdown(NASTY).contains("\\|"));
    assert!(!gcode(NASTY).contains(['(', ')']));
    assert_eq!(terminal_in_place(NASTY).chars().count(), NASTY.chars().count());
    assert_eq!(line("a\tb\u{202e}"), "a\\tb\\u{202e}");
}

#[test]
fn ordinary_text_stays_as_it_is() {
    let text = "Größe: 3 kg m², q̇ → −1 µm, 日本語, עברית";
    assert!(matches!(line(text), Cow::Borrowed(_)));
    assert_eq!((xml(text), markdown(text), gcode(text)), (text.into(), text.into(), text.into()));
}

#[test]
fn a_document_keeps_its_meaning() {
    let value = serde_json::json!({ "name": NASTY });
    let safe = json(&format!("{value:#}")).into_owned();
    assert_eq!(serde_json::from_str::<serde_json::Value>(&safe).ok(), Some(value));
}
