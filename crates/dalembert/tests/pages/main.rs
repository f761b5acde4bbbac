//! The pages of the documentation are true.

mod architecture;
mod control_figures;
mod docs_figures;
mod licences;
mod papers;
mod validation_page;
