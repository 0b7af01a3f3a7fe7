//! What a `patch` block may say, for whoever writes one: the documents of a noun, and the fields of each.

use crate::schema::{Document, Inside, InsideField, Shape, sbatch};
use crate::{TARGETS, kubernetes, terraform, toolkit};

/// The documents that a noun of a kind may patch.
pub fn documents(kind: &str) -> impl Iterator<Item = &'static str> {
    let all = TARGETS.iter().flat_map(|target| target.patches());
    all.filter(move |(_, of)| *of == kind).map(|(document, _)| *document)
}

/// What may stand at a path of keys in a document.
pub fn at(document: &str, path: &[String]) -> Inside {
    if document == "sbatch" {
        return if path.is_empty() { options() } else { Inside::default() };
    }
    let mut found = Inside::default();
    for inside in shapes(document).into_iter().map(|shape| shape.at(path)) {
        let new = |field: &InsideField| found.fields.iter().all(|it| it.name != field.name);
        let fields: Vec<InsideField> = inside.fields.into_iter().filter(new).collect();
        found.fields.extend(fields);
        found.words.extend(inside.words);
    }
    found
}

fn shapes(document: &str) -> Vec<Shape> {
    match document {
        "custom_job" => vec![Shape::document(Document::CustomJob)],
        "tuning_job" => vec![Shape::document(Document::TuningJob)],
        "training_pipeline" => vec![Shape::document(Document::TrainingPipeline)],
        _ => kubernetes::patch::shape(document)
            .into_iter()
            .chain(terraform::patch::shapes(document))
            .chain(toolkit::patch::shape(document))
            .collect(),
    }
}

/// The options of sbatch, as a blueprint writes them.
fn options() -> Inside {
    let option = |option: sbatch::SbatchOption| InsideField {
        name: option.name.replace('-', "_").into(),
        kind: match option.argument {
            sbatch::Argument::Required => "a value",
            sbatch::Argument::Optional => "a value, or true",
            sbatch::Argument::None => "true",
        },
        required: false,
        holds_fields: false,
    };
    Inside { fields: sbatch::options().map(option).collect(), words: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_document_that_can_be_patched_has_fields() {
        for target in TARGETS {
            for (document, kind) in target.patches() {
                assert!(documents(kind).any(|known| known == *document), "{document}");
                assert!(!at(document, &[]).fields.is_empty(), "{document}");
            }
        }
        let path = ["spec", "replicatedJobs", "template"].map(str::to_owned);
        assert!(at("jobset", &path).fields.iter().any(|field| field.name == "spec"));
        let path = ["management", "auto_repair"].map(str::to_owned);
        assert_eq!(at("node_pool", &path), Inside::default());
    }
}
