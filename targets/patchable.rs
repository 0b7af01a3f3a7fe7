//! What a `patch` block may say, for whoever writes one: the documents of a noun, and the fields of each.

use crate::schema::{Document, Inside, InsideField, Shape, sbatch, slurm_conf};
use crate::{TARGETS, kubernetes, slurm, terraform, toolkit};

const SBATCH: &str = "sbatch";

/// The documents that a noun of a kind may patch.
pub fn documents(kind: &str) -> impl Iterator<Item = &'static str> {
    let all = TARGETS.iter().flat_map(|target| target.patches());
    all.filter(move |(_, of)| *of == kind).map(|(document, _)| *document)
}

/// What may stand at a path of keys in a document.
pub fn at(document: &str, path: &[String]) -> Inside {
    if document == SBATCH {
        return match path {
            [] => options(),
            [option] => {
                let words = sbatch::words(&option_of(option)).to_vec();
                Inside { words, ..Inside::default() }
            }
            _ => Inside::default(),
        };
    }
    let mut found = Inside::default();
    for inside in shapes(document).into_iter().map(|shape| shape.at(path)) {
        let new = |field: &InsideField| found.fields.iter().all(|it| it.name != field.name);
        let fields: Vec<InsideField> = inside.fields.into_iter().filter(new).collect();
        found.fields.extend(fields);
        found.words.extend(inside.words);
        found.under_each_key = found.under_each_key.or(inside.under_each_key);
    }
    found
}

/// The page on which the consumer describes what stands at a path of keys.
pub fn page(document: &str, path: &[String]) -> Option<String> {
    if document == SBATCH {
        let anchor = path.first().map(|option| format!("#OPT_{}", option_of(option)));
        return Some(format!(
            "https://slurm.schedmd.com/sbatch.html{}",
            anchor.unwrap_or_default()
        ));
    }
    let has = |shape: &Shape| match path.split_last() {
        Some((key, around)) => {
            let inside = shape.at(around);
            inside.under_each_key.is_some() || inside.fields.iter().any(|it| it.name == *key)
        }
        None => true,
    };
    shapes(document).into_iter().find(has)?.page(path)
}

/// What is told of a key of a document that is an option of sbatch, or a setting that not every release of Slurm has: the releases that have it,
/// and the form of its value.
pub fn option(document: &str, key: &str) -> Option<String> {
    if let Some(file) = slurm_conf::file(document) {
        let setting = file.setting(key)?;
        let since = setting.since.map(|since| format!(", from Slurm {since} on"));
        let until = setting.until.map(|until| format!(", up to Slurm {until}"));
        let told = since.or(until)?;
        return Some(format!("`{key}` of {}{told}", file.name));
    }
    let name = Some(option_of(key)).filter(|_| document == SBATCH)?;
    let option = sbatch::option(&name)?;
    let until = option.until.map(|until| format!(", up to {until}")).unwrap_or_default();
    let of = format!("`--{name}` of sbatch, from Slurm {} on{until}", option.since);
    Some(sbatch::wanted(&name).map_or(of.clone(), |wanted| format!("{of}; its value: {wanted}")))
}

/// What sbatch calls a key.
fn option_of(key: &str) -> String {
    key.replace('_', "-")
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
            .chain(slurm::patch::shape(document))
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
        default: None,
        holds_fields: false,
    };
    Inside { fields: sbatch::options().map(option).collect(), ..Inside::default() }
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
        for document in ["jobset", "cluster_queue", "node_set"] {
            assert!(page(document, &["no_such_field".to_owned()]).is_none());
        }
        let path = ["spec", "replicatedJobs", "template"].map(str::to_owned);
        assert!(at("jobset", &path).fields.iter().any(|field| field.name == "spec"));
        let path = ["management", "auto_repair"].map(str::to_owned);
        assert_eq!(at("node_pool", &path), Inside::default());
    }

    /// Every key of a document, at every depth; records that hold themselves are not gone into for ever.
    fn keys(document: &str, path: &mut Vec<String>, on: &mut dyn FnMut(&[String], &InsideField)) {
        for field in at(document, path).fields {
            let again = path.iter().filter(|key| **key == *field.name).count() > 2;
            path.push(field.name.clone().into_owned());
            on(path, &field);
            if !again {
                keys(document, path, on);
            }
            path.pop();
        }
    }

    #[test]
    fn every_key_at_every_depth_has_a_page() {
        let mut deepest = 0;
        for (document, _) in TARGETS.iter().flat_map(|target| target.patches()) {
            let mut count = 0;
            keys(document, &mut Vec::new(), &mut |path, field| {
                let page = page(document, path);
                let known = page.as_ref().is_some_and(|it| it.starts_with("https://"));
                assert!(known && !page.unwrap_or_default().contains('{'), "{document}: {path:?}");
                assert!(!field.kind.is_empty(), "{document}: {path:?}");
                deepest = deepest.max(path.len());
                count += 1;
            });
            assert!(count > 4, "{document} has {count} keys");
        }
        assert!(deepest > 10, "{deepest}");
    }
}
