//! Tests as JUnit has them: a suite for each file, a case for each run.

use super::told::Verdict;
use crate::report::forges::escaped;
use std::fmt::Write;

/// One document of all tests; `why` tells why one failed.
pub(super) fn junit(verdicts: &[Verdict<'_>], why: impl Fn(&Verdict<'_>) -> String) -> String {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(text, "<testsuites name=\"slipform test\" {}>", counts(verdicts));
    for suite in verdicts.chunk_by(|a, b| a.case.file == b.case.file) {
        let Some(first) = suite.first() else { continue };
        let file = escaped(first.case.file.as_str());
        let _ = writeln!(text, "  <testsuite name=\"{file}\" {}>", counts(suite));
        for verdict in suite {
            let name = escaped(&verdict.case.name);
            let _ = write!(text, "    <testcase classname=\"{file}\" name=\"{name}\"");
            match verdict.outcome.failure.problems.first() {
                None => text.push_str("/>\n"),
                Some(problem) => {
                    let (code, message) = (escaped(&problem.code), escaped(&problem.message));
                    let told = escaped(&why(verdict));
                    let _ = writeln!(
                        text,
                        ">\n      <failure type=\"{code}\" message=\"{message}\">{told}</failure>\n    </testcase>"
                    );
                }
            }
        }
        text.push_str("  </testsuite>\n");
    }
    text.push_str("</testsuites>\n");
    text
}

fn counts(verdicts: &[Verdict<'_>]) -> String {
    let failed = verdicts.iter().filter(|verdict| !verdict.passed()).count();
    format!("tests=\"{}\" failures=\"{failed}\" errors=\"0\"", verdicts.len())
}
