//! Codes of problems, each with what it means.

/// What kind of problem a report is about: a name that stays, and what `slipform explain` says of it.
///
/// Declared by [`codes!`](crate::codes) beside what reports it. A rule is a code of its own, written in the language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Code {
    /// Stable and readable: `types/mismatch`.
    pub name: &'static str,
    /// What is wrong, as part of a sentence.
    pub what: &'static str,
    /// What is done about it.
    pub mend: &'static str,
}

impl Code {
    /// What it means, as `slipform explain` prints it.
    pub fn explained(&self) -> String {
        format!("{}\n\n{}\nhelp: {}\n", self.name, self.what, self.mend)
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Declares the codes that a module reports and the table of them, under the name that stands first. The `codes.rs` of
/// the crate lists the tables.
#[macro_export]
macro_rules! codes {
    ($table_vis:vis $table:ident; $($vis:vis $code:ident = $name:literal: $what:literal, $mend:literal;)*) => {
        $(
            #[doc = $what]
            $vis const $code: $crate::Code =
                $crate::Code { name: $name, what: $what, mend: $mend };
        )*

        $table_vis const $table: &[$crate::Code] =
            &[$($crate::Code { name: $name, what: $what, mend: $mend }),*];
    };
}
