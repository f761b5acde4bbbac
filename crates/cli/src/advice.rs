//! What the options of the command can do about an error of the library, by the code of the error.

use dalembert::verbs::VerbError;

/// How an error of the library is changed for those who type options.
enum Advice {
    /// This hint instead.
    Hint(&'static str),
    /// This hint after that of the library.
    Also(&'static str),
    /// More words for the hint, where there is one.
    More(&'static str),
    /// The option that it is about, in front.
    At(&'static str),
    /// Its first word is the name of a field, and that of an option; perhaps another hint.
    Named(Option<&'static str>),
    /// In other words, perhaps with another hint.
    Words(&'static str, Option<&'static str>),
}

use Advice::{Also, At, Hint, More, Named, Words};

/// What is known about a code.
fn advice(code: &str) -> Option<Advice> {
    Some(match code {
        // Motions.
        "no-duration" => Hint("give --cycle"),
        "too-many-rows" => Hint("give a larger --every"),
        "position-out-of-range" => Hint("give another --center, --direction or path"),
        "payload" => At("--payload"),
        "every" => Named(None),
        "rate" => Hint("give another --rate"),
        // Simulations.
        "known-robot" => At("--known, --known-payload"),
        "explicit-formulation" => Hint("use --formulation projected or baumgarte for a scene"),
        "rattle" => Hint(
            "rattle goes with --formulation hamiltonian, without free bodies, contacts, friction and prescribed motions; dormand-prince goes with everything",
        ),
        "minimal-formulation" => Hint("--formulation minimal does not go with free bodies: use projected or baumgarte"),
        "out-of-reach" => Hint("give another --center, or a smaller --width; `check` shows the reach"),
        "singular-reference" => {
            Hint("give another --path or --center: no motor helps there; `map` shows where a robot is singular")
        }
        // Tables of states.
        "bad-columns" => At("--columns"),
        "missing-rates" => {
            Also("positions over time become states by `dalembert trajectory ROBOT --path TABLE --out states.csv`")
        }
        "no-programs" => At("--by programs"),
        "model-does-not-apply" => Also("`dalembert check ROBOT` lists the models that apply"),
        "only-exact" => Also("leave out `--model`"),
        "no-such-columns" => Also("leave out `--details`, `--breakdown`, `--tensions` and `--lambda`"),
        "no-tool-space" => Also("leave out `--space`"),
        "text-in-parquet" => Also("write CSV, or leave out `--limits`"),
        "joints-disagree" => Also(
            "`--branch in` if the elbows point inward, `--from joints` if the joint columns are right; else remove the columns q1, qd1, …",
        ),
        "tool-disagrees" => {
            Also("`--assembly above` if the platform is above the elbows; else remove the Cartesian columns")
        }
        "singular" => Also("`ik --details` shows the margins of a Delta or a parallel robot"),
        "limit-violation" => Also("without `--enforce-limits` a limit that is exceeded is only a warning"),
        // Derived programs.
        "inline-not-c" => Hint("add `--emit c`"),
        "domain-without-abbreviation" => Hint("add `--max-error TORQUE` or `--significance SHARE`"),
        "no-explicit-model" => Hint("`--emit listing` writes the program"),
        "explicit-model-only" => Hint("leave `--of`, `--significance` and `--max-error` out, or use `--emit listing`"),
        "one-function-a-file" => {
            Hint("`--out FILE` or a directory gives each its own file; or name one `--of`, or add `--together`")
        }
        "parameters-without-derivatives" => {
            Hint("add `--of torque-parameter-derivatives` or `--of acceleration-parameter-derivatives` to `--by`")
        }
        // Comparisons.
        "stroke-out-of-reach" => More(": change --z, --width or --height"),
        "log-too-long" => Hint("compare a part of it: --from, --to"),
        "mixed-elbows" => Hint("`--branch in` if they all point inward; the published models know no mixed elbows"),
        "no-times" => Hint("tracking errors need times; `trajectory --out` writes them"),
        "no-published-model" => {
            Hint("Armstrong's models are for arms like the PUMA 560; `derive` writes an exact program of any arm")
        }
        // Maps.
        "range-across" => Named(Some("--at says where the slice is")),
        "nothing-reached" => Hint("change --at or --plane; of a serial arm also --orientation or --posture"),
        // Linear models.
        "input-size" => At("--input-size"),
        "output-size" => At("--output-size"),
        "place" => At("--place"),
        "reduced-motion" => Words("--order and --part are for a model about one state, not for a motion", None),
        "order" => Words(
            "--order is 0, but a model has at least one state",
            Some("`--order 1` keeps the one that matters most"),
        ),
        "lqr" => Words("--lqr weighs angles and rates, which the states of --order and --part are not", None),
        "not-stable" => Hint(
            "damp the motors (--damping), choose a stable pose (`dalembert stability`), or reduce its stable part: --part stable with --order",
        ),
        "uneven-steps" => Hint("--step is the time from row to row of the file, to the last row too"),
        // Tolerances.
        "tolerance" => Named(None),
        "angle-tolerance" => Named(None),
        "per-arm" => {
            Words("`--per-arm` is for Delta robots: the links of a serial arm have their own parameters anyway", None)
        }
        // Logs and measurements.
        "log-at-rest" => More(" --position, --position-unit"),
        "log-too-short" => More("; `excite` finds one"),
        "log-numbers" => More(" --time, --time-unit, --rate"),
        "log-no-torque" => More(": --torque"),
        "no-regressor" => More(": --friction linear"),
        "log-missing" => More(": --position, --torque"),
        "numbers" => More(" (--fit, --no-offsets)"),
        _ => return None,
    })
}

/// The same error with what the options of the command can do about it.
pub fn advised(mut error: VerbError) -> VerbError {
    match advice(&error.code) {
        None => {}
        Some(Hint(hint)) => error.hint = Some(hint.to_owned()),
        Some(Also(hint)) => error.hint = Some(error.hint.map_or(hint.to_owned(), |first| format!("{first}; {hint}"))),
        Some(More(words)) => error.hint = error.hint.map(|hint| hint + words),
        Some(At(option)) => error.message = format!("{option}: {}", error.message),
        Some(Named(hint)) => {
            error.message = format!("--{}", error.message);
            error.hint = hint.map(str::to_owned).or(error.hint);
        }
        Some(Words(message, hint)) => {
            error.message = message.to_owned();
            error.hint = hint.map(str::to_owned).or(error.hint);
        }
    }
    error
}
