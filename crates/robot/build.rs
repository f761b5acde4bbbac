//! A hash of the sources that programs are derived, kept and checked with: part of the key of cached programs. Where the other crates are not
//! beside this one, their version stands for them.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let folders = ["../core/src", "../symbolic/src", "../compiled/src", "../generated/src", "src"];
    let mut files = Vec::new();
    for folder in folders.map(|folder| here.join(folder)).into_iter().filter(|folder| folder.is_dir()) {
        println!("cargo:rerun-if-changed={}", folder.display());
        collect(&folder, &mut files)?;
    }
    files.sort();
    // Fowler, Noll and Vo's hash, 64 bits.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for file in files {
        for byte in fs::read(file)? {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    println!("cargo:rustc-env=DALEMBERT_SOURCES={hash:016x}");
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { collect(&path, files)? } else { files.push(path) }
    }
    Ok(())
}
