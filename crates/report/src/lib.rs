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
mod marks;
pub mod page;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod recording;
pub mod table;
pub mod text;
