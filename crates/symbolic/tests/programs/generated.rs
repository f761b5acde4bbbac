//! The checked-in programs are what the derivation gives today.

use crate::arms::searched_puma;
use dalembert_symbolic::print;
use std::path::Path;

#[test]
fn generated_programs_are_up_to_date() {
    let text = print::rust::print(searched_puma());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../generated/src/puma560.rs");
    if std::env::var_os("UPDATE_GENERATED").is_some() {
        std::fs::write(&path, &text).expect("written");
    }
    let stored = std::fs::read_to_string(&path).expect("the stored program");
    assert!(stored == text, "derived anew it differs: see the head of crates/generated/src/lib.rs");
}
