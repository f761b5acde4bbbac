//! What the command prints for people, held to the letter: helps and reports. `TRYCMD=overwrite cargo test -p
//! dalembert-cli --test verbs reports::` writes them anew; read the difference before committing it.

#[test]
fn printed_output() {
    trycmd::TestCases::new().env("COLUMNS", "100").case("tests/printed/*.trycmd");
}
