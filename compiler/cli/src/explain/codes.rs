//! The codes of problems that are no rules: what each means and how it is mended, one line each. By code.

/// A code of the compiler itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Code {
    pub(crate) code: &'static str,
    pub(crate) what: &'static str,
    pub(crate) mend: &'static str,
}

macro_rules! codes {
    ($($code:literal: $what:literal, $mend:literal;)*) => {
        &[$(Code { code: $code, what: $what, mend: $mend }),*]
    };
}

pub(crate) const CODES: &[Code] = codes! {
    "allow/unknown": "an `allow` names a rule that does not exist", "take the code from the report that is to be allowed";
    "allow/unused": "an `allow` names a rule that is kept here anyway", "remove the `allow`";
    "assert": "an assertion of the blueprint does not hold", "change what it compares, or the assertion";
};
