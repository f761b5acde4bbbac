//! Where a recording and its report go, and what is said of them.

use super::arguments::SimulateArguments;
use crate::failure::Failure;
use crate::output::{Screen, Sink, resolve};
use dalembert::report::recording::Recording;
use serde_json::Value;

/// Where a recording goes.
pub struct Out {
    name: String,
    #[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "CSV is all there is then"))]
    parquet: bool,
}

/// What a simulation leaves behind; `-` is standard output.
pub struct Outputs {
    pub out: Option<Out>,
    pub report: Option<String>,
    pub json: bool,
}

/// The files of [`Outputs`], open.
pub struct Sinks<'o> {
    out: Option<(Sink, &'o Out)>,
    report: Option<Sink>,
}

impl Outputs {
    /// All files can be written, or nothing is computed.
    pub fn open(&self) -> Result<Sinks<'_>, Failure> {
        let out = self.out.as_ref().map(|out| Ok::<_, Failure>((Sink::new(&out.name)?, out))).transpose()?;
        Ok(Sinks { out, report: self.report.as_deref().map(Sink::new).transpose()? })
    }

    fn names(&self) -> [(Option<&String>, &'static str); 2] {
        [(self.out.as_ref().map(|out| &out.name), "recording"), (self.report.as_ref(), "report")]
    }

    /// To standard output goes one thing: the summary, or the file that was asked for there.
    pub fn tell(&self, screen: &mut Screen, json: impl FnOnce() -> Value, text: impl FnOnce(&mut Screen)) {
        if self.names().iter().any(|(name, _)| name.is_some_and(|name| name == "-")) {
            return;
        }
        if self.json {
            return screen.json(&json());
        }
        text(screen);
        for (name, what) in self.names() {
            if let Some(name) = name {
                screen.line(format!("  {what}: {name}"));
            }
        }
    }
}

impl Sinks<'_> {
    /// Both, or none of them appears.
    pub fn write(self, recording: &Recording, page: impl FnOnce() -> String) -> Result<(), Failure> {
        let Self { mut out, mut report } = self;
        if let Some((sink, out)) = &mut out {
            #[cfg(feature = "parquet")]
            let written = if out.parquet { recording.write_parquet(sink) } else { recording.write_csv(sink) };
            #[cfg(not(feature = "parquet"))]
            let written = recording.write_csv(sink);
            written.map_err(|error| Failure::io(&format!("cannot write {}", out.name), error))?;
        }
        if let Some(sink) = &mut report {
            sink.text(&page())?;
        }
        out.map(|(sink, _)| sink).into_iter().chain(report).try_for_each(Sink::finish)
    }
}

impl SimulateArguments {
    pub(super) fn outputs(&self) -> Result<Outputs, Failure> {
        let ends = |name: &str, ending: &str| name.to_ascii_lowercase().ends_with(ending);
        let out = match &self.out {
            None => None,
            Some(name) if name == "-" || ends(name, ".csv") => Some(Out { name: name.clone(), parquet: false }),
            Some(name) if ends(name, ".parquet") && cfg!(feature = "parquet") => {
                Some(Out { name: name.clone(), parquet: true })
            }
            Some(name) => {
                let known = if cfg!(feature = "parquet") { "`.csv` or `.parquet`" } else { "`.csv`" };
                return Err(Failure::new(format!("cannot record to {name}: its ending says no known format"))
                    .hint(format!("give a name that ends in {known}, or - for CSV on standard output")));
            }
        };
        if let Some(report) = &self.report
            && report != "-"
            && !ends(report, ".html")
            && !ends(report, ".htm")
        {
            return Err(Failure::new(format!("cannot report to {report}: the report is HTML"))
                .hint("give a name that ends in `.html`"));
        }
        if self.json && [&self.out, &self.report].into_iter().flatten().any(|name| name == "-") {
            return Err(Failure::new(crate::output::TWICE));
        }
        if let (Some(out), Some(report)) = (&out, &self.report)
            && (out.name == *report || (out.name != "-" && report != "-" && resolve(&out.name) == resolve(report)))
        {
            return Err(Failure::new(format!("recording and report cannot both go to {report}")));
        }
        Ok(Outputs { out, report: self.report.clone(), json: self.json })
    }
}
