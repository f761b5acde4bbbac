//! What a command line runs: its programs and words.

/// Programs beside `dalembert` that run as they are on the page.
const RUN: &[&str] = &["printf", "cut", "head", "awk", "sed", "grep", "cp", "cc", "./main", "python3"];

/// Programs that do not run here, and why.
const LEFT_OUT: &[(&str, &str)] = &[
    ("cargo", "builds and tests of this repository, which continuous integration runs itself"),
    ("bash", "`.ci/run`: the whole of continuous integration"),
    ("tools/", "scripts that install other programs, or build the library"),
];

/// What becomes of a command line.
pub enum Plan {
    /// Runs in the folder of the page.
    Run(String),
    /// One of the programs that are left out.
    Leave,
    /// A program that no list has.
    Unknown(String),
}

pub fn plan(command: &str) -> Plan {
    if let Some(arguments) = command.strip_prefix("cargo run --release -- ") {
        return Plan::Run(format!("dalembert {arguments}"));
    }
    let programs: Vec<String> = simple_commands(command).iter().filter_map(|words| words.first().cloned()).collect();
    let left_out = |program: &String| LEFT_OUT.iter().any(|(name, _)| program.starts_with(name));
    if programs.iter().any(left_out) {
        return Plan::Leave;
    }
    let known = |program: &&String| *program == "dalembert" || RUN.contains(&program.as_str());
    match programs.iter().find(|program| !known(program)) {
        Some(program) => Plan::Unknown(program.clone()),
        None => Plan::Run(command.to_owned()),
    }
}

/// Whether a quotation is open at the end.
pub fn is_open(text: &str) -> bool {
    let mut quote = None;
    let mut before = ' ';
    for letter in text.chars() {
        match quote {
            Some(open) if letter == open => quote = None,
            None if letter == '\'' || letter == '"' => quote = Some(letter),
            None if letter == '#' && before.is_whitespace() => return false,
            _ => {}
        }
        before = letter;
    }
    quote.is_some()
}

/// The words of each command between pipes, without redirections, assignments before a program and comments. Quotation marks are removed.
pub fn simple_commands(text: &str) -> Vec<Vec<String>> {
    let (mut commands, mut words, mut word, mut quote) = (Vec::new(), Vec::new(), None::<String>, None);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => break,
            (None, '\\') if letters.peek() == Some(&'\n') => {}
            (None, '|' | ';' | '&' | '\n') => {
                words.extend(word.take());
                commands.push(std::mem::take(&mut words));
            }
            (None, _) if letter.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    commands.push(words);
    for words in &mut commands {
        let assignments =
            words.iter().take_while(|word| word.split_once('=').is_some_and(|(name, _)| is_variable(name)));
        words.drain(..assignments.count());
        if let Some(at) = words.iter().position(|word| word.starts_with('>') || word.starts_with("2>")) {
            words.truncate(at);
        }
    }
    commands.retain(|words| !words.is_empty());
    commands
}

fn is_variable(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}
