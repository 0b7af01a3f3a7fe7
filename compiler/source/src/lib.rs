//! Files, positions in them, and the one door through which sources come in.
//!
//! Everything that points into a text does so with a [`Span`]: a file and two byte offsets. Lines and
//! columns exist only at the edges (printing, the editor) and are computed by [`LineIndex`].
//! Nothing here knows what a blueprint is.

mod code;
mod lines;
mod nearest;
mod span;
mod world;

pub use code::Code;
pub use lines::{Encoding, LineIndex, Position};
pub use nearest::{nearest, similar};
pub use span::{FileId, SPANNED, Span, Spanned};
pub use world::{MAX_FILE_BYTES, MemoryWorld, ReadError, SourceFile, Sources, Text, World};
