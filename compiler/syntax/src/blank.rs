//! What counts as blank: the spaces of the grammar, not all that Unicode calls white.

/// Spaces, tabs and line ends.
pub(crate) const BLANK: [char; 4] = [' ', '\t', '\r', '\n'];
