//! Programs in the languages of controllers.
