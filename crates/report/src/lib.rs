//! This crate shows results as tables, recordings, charts, drawings in space and HTML pages. Nothing here knows a robot.
//!
//! A chart becomes a [`chart::Picture`], and that an SVG document or, with the feature `png`, a PNG file. A run becomes a
//! [`recording::Recording`] (CSV, with the feature `parquet` also Parquet) and a [`page::Page`].

#[cfg(feature = "arrays")]
pub mod arrays;
pub mod chart;
mod decimal;
pub mod drawing;
pub mod escape;
pub mod foreign;
pub mod page;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod recording;
pub mod table;
pub mod text;

use std::fs::File;
use std::io;
use std::path::Path;

/// Opens a file that is read whole or from its end: devices and pipes, which have none, are refused.
#[cfg(any(feature = "arrays", feature = "parquet"))]
pub fn open_regular(file: &Path) -> io::Result<File> {
    match file.metadata()?.is_file() {
        true => File::open(file),
        false => Err(io::Error::other("it is no regular file: only CSV is read from pipes and devices")),
    }
}

/// The text of a table file: CSV as it is, a Parquet file or one of arrays (`.mat`, `.npy`, `.npz`) as the CSV that it would be.
pub fn open_table(file: &Path) -> io::Result<Box<dyn io::Read + Send>> {
    let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
    Ok(match ending.as_str() {
        #[cfg(feature = "parquet")]
        "parquet" => Box::new(parquet::to_csv(open_regular(file)?)?),
        #[cfg(feature = "arrays")]
        ending if arrays::is_arrays(ending) => {
            let table = arrays::read(ending, open_regular(file)?).map_err(|error| match error {
                arrays::ArraysError::Read(error) => error,
                error => io::Error::new(io::ErrorKind::InvalidData, error),
            })?;
            Box::new(arrays::to_csv(table))
        }
        _ => Box::new(File::open(file)?),
    })
}
