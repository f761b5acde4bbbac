//! Where a recording and its report go, and what is said of them.

use crate::failure::Failure;
use crate::output::{Screen, Sink, human};
use dalembert::report::recording::Recording;
use dalembert::verbs::simulate::SimulateOutcome;

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
    /// Each name says by its ending what it is for.
    pub fn new(out: Option<&String>, report: Option<&String>, json: bool) -> Result<Self, Failure> {
        let ends = |name: &str, ending: &str| name.to_ascii_lowercase().ends_with(ending);
        let recorded = match out {
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
        if let Some(report) = report
            && report != "-"
            && !ends(report, ".html")
            && !ends(report, ".htm")
        {
            return Err(Failure::new(format!("cannot report to {report}: the report is HTML"))
                .hint("give a name that ends in `.html`"));
        }
        if json && [out, report].into_iter().flatten().any(|name| name == "-") {
            return Err(Failure::new(crate::output::TWICE));
        }
        Ok(Self { out: recorded, report: report.cloned(), json })
    }

    /// All files can be written, or nothing is computed.
    pub fn open(&self) -> Result<Sinks<'_>, Failure> {
        let out = self.out.as_ref().map(|out| Ok::<_, Failure>((Sink::new(&out.name)?, out))).transpose()?;
        Ok(Sinks { out, report: self.report.as_deref().map(Sink::new).transpose()? })
    }

    fn names(&self) -> [(Option<&String>, &'static str); 2] {
        [(self.out.as_ref().map(|out| &out.name), "recording"), (self.report.as_ref(), "report")]
    }

    /// To standard output goes one thing: the summary, or the file that was asked for there. What is told at the end of an
    /// interrupted run names its files.
    pub fn tell(&self, screen: &mut Screen, is_interrupted: bool, outcome: &SimulateOutcome) -> Result<(), Failure> {
        let names = self.names();
        if names.iter().any(|(name, _)| name.is_some_and(|name| name == "-")) {
            return Ok(());
        }
        if self.json {
            return screen.outcome(outcome);
        }
        let (heading, tables) = outcome.tables();
        screen.heading(heading);
        tables.iter().for_each(|table| screen.table(table));
        if let SimulateOutcome::Control(control) = outcome
            && outcome.needs_longer_hold()
        {
            screen.line(format!("  --hold holds longer than {} s", human(control.hold, 3)));
        }
        for (name, what) in names.into_iter().filter(|_| !is_interrupted) {
            if let Some(name) = name {
                screen.line(format!("  {what}: {name}"));
            }
        }
        Ok(())
    }

    /// Whether there is a file.
    pub fn is_any(&self) -> bool {
        self.out.is_some() || self.report.is_some()
    }
}

impl Sinks<'_> {
    /// Writes both, and then lets them appear. Of an interrupted run nothing replaces what is there already: what it has goes
    /// beside it, and the names are told.
    pub fn write(
        self,
        recording: &Recording,
        page: impl FnOnce() -> String,
        is_interrupted: bool,
    ) -> Result<String, Failure> {
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
        let mut names = Vec::new();
        for sink in out.map(|(sink, _)| sink).into_iter().chain(report) {
            match is_interrupted {
                true => names.push(sink.finish_partial()?),
                false => sink.finish()?,
            }
        }
        Ok(if names.is_empty() { String::new() } else { format!(" to {}", names.join(" and ")) })
    }
}
