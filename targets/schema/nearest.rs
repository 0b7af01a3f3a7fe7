//! The known name that a misspelt one was probably meant to be.

pub(super) use slipform_source::nearest;
