//! The words of the language: what each does, and how it is written.

use slipform_syntax::tree::ClauseWord;

/// A word, how it is written, and what it does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word {
    pub(crate) word: &'static str,
    /// The form of the statement, for hovers.
    pub(crate) form: &'static str,
    pub(crate) doc: &'static str,
    /// What is inserted, with places to fill in; empty where the word stands for itself.
    pub(crate) snippet: &'static str,
    /// How often it starts a statement at the top of a file.
    pub(crate) top: Top,
    /// It starts a statement inside of a block of declarations.
    pub(crate) inside: bool,
}

/// How many blueprints begin statements with a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Top {
    /// Most of them.
    Often,
    /// Those that add to the language, or borrow from others.
    Seldom,
    /// It stands elsewhere.
    Never,
}

macro_rules! words {
    ($($word:literal $form:literal $doc:literal $snippet:literal $top:ident $inside:literal;)*) => {
        /// Every word, statements first.
        pub(crate) const WORDS: &[Word] = &[$(Word {
            word: $word, form: $form, doc: $doc, snippet: $snippet, top: Top::$top, inside: $inside,
        },)*];
    };
}

words! {
    "use" "use std.components.{nccl_test}" "Brings in what another file or the standard library declares." "use ${1:std.components}.{${2:name}}" Often false;
    "param" "param nodes: int = 16 where nodes >= 1" "A value that is given from outside: in `slipform.toml`, or with `--set name=value`." "param ${1:name}: ${2:int}" Often false;
    "let" "let name = value" "A name for a value." "let ${1:name} = $0" Often true;
    "output" "output name = value" "A value that Terraform and the manifest show once everything is made." "output ${1:name} = $0" Often false;
    "assert" "assert condition, \"message\"" "What must hold of this blueprint. It may speak of everything that follows from it." "assert ${1:condition}, \"${2:message}\"" Seldom true;
    "type" "type Slices = int in 1..256" "A type of one's own." "type ${1:Name} = $0" Seldom false;
    "kind" "kind name { field: Type = default }" "Declares a kind of noun: the fields that may be written in it." "kind ${1:name} {\n  ${2:field}: ${3:Type}\n}" Seldom false;
    "rule" "rule area/name on kind { require condition }" "What must hold of every noun of a kind." "rule ${1:area}/${2:name} on ${3:pool} {\n  require ${4:condition}\n  error   \"${5:message}\"\n}" Seldom false;
    "component" "component name { fields, then nouns }" "A noun of one's own: typed fields in, other nouns out." "component ${1:name} {\n  ${2:field}: ${3:Type}\n  $0\n}" Seldom false;
    "existing" "existing network shared { }" "Names what someone else owns: it is referred to and never made." "existing ${1:network} ${2:name} {\n  $0\n}" Seldom true;
    "for" "for zone in zones { }" "Declares once a round. What is declared goes by its key: `c[\"us-east4-a\"]`, `slice[0]`." "for ${1:item} in ${2:items} {\n  $0\n}" Often true;
    "if" "if condition { } else { }" "Declares, or sets, only where a condition holds. In expressions both branches are needed." "if ${1:condition} {\n  $0\n}" Often true;
    "patch" "patch jobset { spec = { suspend = true } }" "Merges something into what a target writes, checked against the target's schema." "patch ${1:target} {\n  $0\n}" Never true;
    "allow" "allow area/rule \"reason\"" "Lets this noun break a rule, for a written reason." "allow ${1:area/rule} \"${2:reason}\"" Never true;
    "derived" "derived name: Type" "A field that the compiler computes." "" Never false;
    "else" "if condition { a } else { b }" "What stands where the condition does not hold." "" Never false;
    "on" "workload train on cluster.pool { }" "The platform of a cluster, or the place of a workload." "" Never false;
    "in" "a in list, for a in list" "Whether something is in a list or a range; what a loop walks." "" Never false;
    "at" "data at \"/data\"" "Mounts something at a path." "" Never false;
    "as" "use networks as n" "Another name for what is brought in." "" Never false;
    "by" "for zone in zones by zone.name { }" "The key of a round of a loop." "" Never false;
    "where" "param nodes: int where nodes >= 1" "What must hold of a parameter." "" Never false;
    "is" "reserved is set" "Whether an optional value is there: `is set`, `is not set`." "" Never false;
    "set" "reserved is set" "Whether an optional value is there: `is set`, `is not set`." "" Never false;
    "and" "a and b" "Whether both hold." "" Never false;
    "or" "a or b" "Whether one of both holds." "" Never false;
    "not" "not a" "Whether something does not hold." "" Never false;
    "true" "true" "It holds." "" Never false;
    "false" "false" "It does not hold." "" Never false;
    "auto" "nodes = auto" "The compiler chooses, by what the rest of the blueprint says." "" Never false;
    "deferred" "deferred string" "A value that exists only once Terraform has made it." "" Never false;
    "matching" "string matching \"^[a-z]+$\"" "Limits a text by a regular expression." "" Never false;
}

/// The word of this name.
pub(crate) fn find(word: &str) -> Option<&'static Word> {
    WORDS.iter().find(|known| known.word == word)
}

/// How a line of a rule is written, and what it does.
pub(crate) fn clause(word: ClauseWord) -> (&'static str, &'static str) {
    match word {
        ClauseWord::When => ("when condition", "The rule is silent where this does not hold."),
        ClauseWord::Let => ("let name = value", "A name for the lines that follow."),
        ClauseWord::For => ("for name in list", "The rule is tried once a round."),
        ClauseWord::Require => ("require condition", "What must hold."),
        ClauseWord::Error => {
            ("error \"text\"", "What is said where it does not; it stops a build.")
        }
        ClauseWord::Warning => {
            ("warning \"text\"", "What is said where it does not; it does not stop a build.")
        }
        ClauseWord::Label => {
            ("label place \"text\"", "A place to point at, and what is to be seen there.")
        }
        ClauseWord::Help => ("help \"text\"", "What to do about it."),
        ClauseWord::Fix => (
            "fix set place = value",
            "The edit that mends it: `fix remove place`, `fix set place = value`.",
        ),
        ClauseWord::Symptom => {
            ("symptom \"text\"", "What is found in logs where the rule is not kept.")
        }
        ClauseWord::Since => ("since 2026", "The edition that the rule came with."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use slipform_syntax::operators::{BINARY, PREFIX, TEST, is_operator_word};

    #[test]
    fn every_word_that_is_an_operator_is_explained() {
        let spelled =
            BINARY.iter().map(|it| it.spelling).chain(PREFIX.iter().map(|it| it.spelling));
        for word in spelled.chain([TEST]).filter(|spelling| is_operator_word(spelling)) {
            assert!(find(word).is_some(), "{word}");
        }
    }
}
