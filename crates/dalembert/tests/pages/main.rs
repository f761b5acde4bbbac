//! The pages of the documentation are true.

mod architecture;
mod docs_figures;
mod licences;
mod motion_profiles;
mod validation_page;
