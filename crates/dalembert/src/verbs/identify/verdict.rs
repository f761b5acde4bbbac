//! The verdict: one table of rules, each with its limits, its sentence and its advice.
//!
//! The rules are in `log_rules` and `fit_rules`. A rule looks for cases. The measure of a case against the rule's limits is its grade; the numbers of a case fill the `{places}` of
//! the sentence and of the advice.

use crate::report::text::human;
use crate::verbs::{Finding, FindingValue, Severity};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// How grave a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// As it should be.
    Good,
    /// Worth knowing.
    Note,
    /// The result suffers.
    Weak,
    /// The result must not be used.
    Bad,
}

impl Grade {
    /// As JSON has it.
    pub fn as_str(self) -> &'static str {
        ["good", "note", "weak", "bad"][self as usize]
    }
}

/// A finding of the verdict.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct IdentifyFinding {
    /// How grave it is.
    #[schemars(with = "String")]
    pub grade: Grade,
    /// In short: `thin excitation`.
    pub name: String,
    /// What was found, with its numbers.
    pub text: String,
    /// What to do; may be empty.
    pub advice: String,
    /// In kebab-case: `thin-excitation`.
    pub code: &'static str,
    /// The numbers and names of the sentence.
    pub values: BTreeMap<Cow<'static, str>, FindingValue>,
}

impl IdentifyFinding {
    /// As every verb has findings.
    pub fn common(&self) -> Finding {
        let severity = match self.grade {
            Grade::Good | Grade::Note => Severity::Note,
            Grade::Weak => Severity::Warning,
            Grade::Bad => Severity::Error,
        };
        Finding { code: self.code.into(), severity, message: self.text.clone(), values: self.values.clone() }
    }
}

/// What a rule found: a measure for its grade, and what its sentence says.
pub(super) struct Case {
    pub measure: f64,
    /// In place of the rule's code.
    code: Option<&'static str>,
    /// In place of the rule's advice.
    advice: Option<Cow<'static, str>>,
    values: BTreeMap<Cow<'static, str>, FindingValue>,
    texts: Vec<(&'static str, String)>,
}

pub(super) fn case(measure: f64) -> Case {
    Case { measure, code: None, advice: None, values: BTreeMap::new(), texts: Vec::new() }
}

impl Case {
    /// A number, printed with so many digits.
    pub fn number(mut self, name: &'static str, value: f64, digits: usize) -> Self {
        self.values.insert(name.into(), value.into());
        self.texts.push((name, human(value, digits)));
        self
    }

    pub fn count(mut self, name: &'static str, value: usize) -> Self {
        self.values.insert(name.into(), value.into());
        self.texts.push((name, value.to_string()));
        self
    }

    pub fn joint(self, joint: usize) -> Self {
        self.count("joint", joint + 1)
    }

    pub fn text(mut self, name: &'static str, value: impl Into<String>) -> Self {
        let value = value.into();
        self.values.insert(name.into(), value.clone().into());
        self.texts.push((name, value));
        self
    }

    pub fn code(mut self, code: &'static str) -> Self {
        self.code = Some(code);
        self
    }

    pub fn advice(mut self, advice: impl Into<Cow<'static, str>>) -> Self {
        self.advice = Some(advice.into());
        self
    }

    pub fn filled(&self, sentence: &str) -> String {
        self.texts.iter().fold(sentence.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
    }
}

/// A rule: what is looked for, its grade, its sentence and advice.
pub(super) struct Rule<E> {
    pub code: &'static str,
    /// Measures above these are good, a note, weak, bad.
    pub limits: [f64; 4],
    pub sentence: &'static str,
    pub advice: &'static str,
    pub cases: fn(&E) -> Vec<Case>,
}

impl<E> Rule<E> {
    pub fn findings(&self, evidence: &E) -> Vec<IdentifyFinding> {
        const GRADES: [Grade; 4] = [Grade::Good, Grade::Note, Grade::Weak, Grade::Bad];
        let finding = |case: Case| {
            let grade = (0..4).rev().find(|&k| case.measure > self.limits[k]).map(|k| GRADES[k])?;
            let code = case.code.unwrap_or(self.code);
            let advice = case.filled(case.advice.as_deref().unwrap_or(self.advice));
            let text = case.filled(self.sentence);
            Some(IdentifyFinding { grade, name: code.replace('-', " "), text, advice, code, values: case.values })
        };
        (self.cases)(evidence).into_iter().filter_map(finding).collect()
    }
}

pub(super) const NEVER: f64 = f64::INFINITY;
/// Whatever the measure.
pub(super) const NOTE: [f64; 4] = [NEVER, f64::NEG_INFINITY, NEVER, NEVER];
pub(super) const WEAK: [f64; 4] = [NEVER, NEVER, f64::NEG_INFINITY, NEVER];
pub(super) const BAD: [f64; 4] = [NEVER, NEVER, NEVER, f64::NEG_INFINITY];
/// Measures 1 and 2.
pub(super) const WEAK_OR_BAD: [f64; 4] = [NEVER, NEVER, 0.5, 1.5];

/// Residual on held-out data, in per cent: up to the first good, up to the second usable, beyond the third bad.
pub(super) const LEVELS: [f64; 3] = [10.0, 20.0, 35.0];
/// Share of the torques at their limit: above the first the fit suffers, above the second it is one of the limit.
pub(super) const CUT: [f64; 2] = [0.05, 0.15];
