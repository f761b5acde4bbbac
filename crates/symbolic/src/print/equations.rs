//! The explicit model of an arm as a person writes it: lumped constants with formula and value, and every element that is not
//! zero as a sum of products of them with S2 = sin θ2, C23 = cos(θ2 + θ3) … (Armstrong, Khatib and Burdick 1986, Tables A2–A7).

use super::VERSION;
use super::latex::{escaped, number};
use crate::explicit::{LumpedConstants, NamedConstant};
use dalembert_report::escape;
use std::fmt::Write;

/// What the equations are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EquationFormat {
    /// A document of its own.
    Latex,
    /// Headings, tables and lists.
    Markdown,
    /// Lines.
    Text,
}

/// The model of the robot with this name.
pub fn print(robot: &str, source: Option<&str>, model: &LumpedConstants, format: EquationFormat) -> String {
    let (robot, source) = (escape::line(robot), source.map(escape::line));
    let from = source.map(|source| format!(" ({source})")).unwrap_or_default();
    let head = [
        format!("Robot: {robot}{from}"),
        format!("Derived by dalembert {VERSION}. SI units and radians."),
        "Joint friction is not included.".to_owned(),
    ];
    let parts = [
        ("Motors", &model.motors),
        ("Constants of the inertia matrix, kg m^2 (kg m, kg)", &model.inertial),
        ("Constants of the velocity terms only", &model.velocity),
        ("Constants of gravity, N m (N)", &model.gravitational),
    ];
    let kinds = [("Inertia", 'a'), ("Coriolis", 'b'), ("Centrifugal", 'c'), ("Gravity", 'g')];
    let mut text = String::new();
    match format {
        EquationFormat::Latex => {
            text.push_str(
                "\\documentclass[a4paper]{article}\n\\usepackage[T1]{fontenc}\n\\usepackage[margin=20mm]{geometry}\n\
                 \\usepackage{amsmath}\n\\setlength{\\parindent}{0pt}\n\\setlength{\\parskip}{3pt}\n\\raggedright\n\
                 \\begin{document}\n",
            );
            let _ = writeln!(text, "\\section*{{Explicit model: {}}}", escaped(&robot));
            head.iter().for_each(|line| {
                let _ = writeln!(text, "{}\\\\", escaped(line));
            });
            text.push_str(
                "\\[ \\tau_i = \\sum_j a_{ij} \\ddot q_j + \\sum_{j<k} b_{ijk} \\dot q_j \\dot q_k + \
                 \\sum_j c_{ij} \\dot q_j^2 + g_i \\]\n\
                 $S_{jk} = \\sin(\\theta_j + \\theta_k)$, $C_{jk} = \\cos(\\theta_j + \\theta_k)$; \
                 $\\theta_j = q_j$ plus the offset of its row; $a_{ij} = a_{ji}$; what is not listed is zero.\n",
            );
        }
        EquationFormat::Markdown => {
            let _ = writeln!(text, "# Explicit model: {robot}\n");
            head.iter().for_each(|line| {
                let _ = writeln!(text, "{line}  ");
            });
            let _ = writeln!(text, "\n{RULE}");
        }
        EquationFormat::Text => {
            let _ = writeln!(text, "Explicit model: {robot}\n\n{}\n\n{RULE}", head.join("\n"));
        }
    }
    let heading = |text: &mut String, title: &str| {
        let _ = match format {
            EquationFormat::Latex => writeln!(text, "\\subsection*{{{}}}", escaped(title)),
            EquationFormat::Markdown => writeln!(text, "\n## {title}\n"),
            EquationFormat::Text => writeln!(text, "\n{title}\n"),
        };
    };
    for (title, constants) in parts.into_iter().filter(|(_, constants)| !constants.is_empty()) {
        heading(&mut text, title);
        if format == EquationFormat::Markdown {
            text.push_str("| constant | value | formula |\n| --- | --- | --- |\n");
        }
        constants.iter().for_each(|constant| one(&mut text, constant, format));
    }
    for (title, letter) in kinds {
        let all: Vec<_> = model.equations.iter().filter(|equation| equation.name.starts_with(letter)).collect();
        if all.is_empty() {
            continue;
        }
        heading(&mut text, title);
        for equation in all {
            let _ = match format {
                EquationFormat::Latex => writeln!(text, "${} = {}$\\par", math(&equation.name), math(&equation.text)),
                EquationFormat::Markdown => writeln!(text, "- `{}` = {}", equation.name, equation.text),
                EquationFormat::Text => writeln!(text, "{:<5} = {}", equation.name, equation.text),
            };
        }
    }
    if format == EquationFormat::Latex {
        text.push_str("\\end{document}\n");
    }
    text
}

const RULE: &str = "tau_i = sum_j a_ij qdd_j + sum_(j<k) b_ijk qd_j qd_k + sum_j c_ij qd_j^2 + g_i, with S23 = sin(theta2 + theta3), \
C223 = cos(2 theta2 + theta3), S2m3 = sin(theta2 - theta3), theta_j = q_j plus the offset of its row; a_ij = a_ji; \
what is not listed is zero.";

fn one(text: &mut String, constant: &NamedConstant, format: EquationFormat) {
    let NamedConstant { name, formula, value, .. } = constant;
    let value = short(*value);
    let _ = match format {
        EquationFormat::Latex if name == formula => writeln!(text, "${} = {}$\\par", math(name), number(&value)),
        EquationFormat::Latex => writeln!(text, "${} = {} = {}$\\par", math(name), math(formula), number(&value)),
        EquationFormat::Markdown => writeln!(text, "| {name} | {value} | {formula} |"),
        EquationFormat::Text => writeln!(text, "{name:<5} = {value:<12} = {formula}"),
    };
}

/// To six digits.
fn short(value: f64) -> String {
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    if (1e-3..1e6).contains(&rounded.abs()) { format!("{rounded}") } else { format!("{rounded:e}") }
}

/// A sum of products of words, as these have been written, in LaTeX: `2 I5 C2 S23` as 2 I_{5} C_{2} S_{23}.
fn math(sum: &str) -> String {
    let words = sum.split(' ').map(|word| {
        if matches!(word, "+" | "-") || word.is_empty() {
            return word.to_owned();
        }
        let (sign, word) = word.strip_prefix('-').map_or(("", word), |rest| ("-", rest));
        let power = word.chars().filter(|&c| c == '²').count();
        let word: String = word.chars().filter(|&c| c != '²').collect();
        let body = if word.starts_with(|c: char| c.is_ascii_digit()) {
            number(&word)
        } else {
            let (head, index) = word.split_at(1);
            let is_trigonometric = matches!(head, "S" | "C");
            let index = index.replace('·', "\\cdot ");
            let index = if is_trigonometric { index.replace('m', "-") } else { index };
            if index.is_empty() { head.to_owned() } else { format!("{head}_{{{index}}}") }
        };
        format!("{sign}{body}{}", if power > 0 { format!("^{{{}}}", power + 1) } else { String::new() })
    });
    let words: Vec<String> = words.collect();
    // Products may not be broken between lines, sums may.
    words.join(" \\, ").replace(" \\, + \\, ", " + ").replace(" \\, - \\, ", " - ")
}
