//! Roots as they are printed, and read back by an independent reader of the language.

mod abroad;
mod cluster;
mod disks;
mod foundation;
mod gcloud;
mod ground;
mod identities;
mod machines;
mod outputs;
mod patches;
mod released;
mod reservations;
mod samples;

use hcl::structure::{Block, Structure};
use slipform_tests::text::{Rendered as Text, rendered_despite, rendered_unjudged};
use std::collections::BTreeMap;

/// What a blueprint becomes: its files for Terraform, and all of it.
struct Rendered {
    files: BTreeMap<String, String>,
    text: Text,
}

/// Whatever rules warn of: these tests try machines in one zone that are offered elsewhere.
fn accept(text: impl AsRef<str>) -> Rendered {
    of(rendered_unjudged(text.as_ref()))
}

fn of(text: Text) -> Rendered {
    let roots = ["10-", "30-", "35-"];
    let files = text.output.artifacts.iter();
    let files = files.filter(|file| roots.iter().any(|root| file.path.as_str().starts_with(root)));
    let files = files.map(|file| (file.path.to_string(), file.content.clone())).collect();
    Rendered { files, text }
}

/// What is refused with these codes.
fn refuse(text: &str, codes: &[&str]) {
    let found = rendered_despite(text, codes);
    assert_eq!(found.codes, codes, "{text}");
}

impl Rendered {
    /// Every block of every file of a folder.
    fn blocks(&self, folder: &str) -> Vec<Block> {
        let files =
            self.files.iter().filter(|(path, _)| path.starts_with(folder) && path.ends_with(".tf"));
        let blocks = files.flat_map(|(path, content)| {
            let body =
                hcl::parse(content).unwrap_or_else(|error| panic!("{path}: {error}\n{content}"));
            body.into_blocks().collect::<Vec<_>>()
        });
        blocks.collect()
    }

    /// The labels of the resources of a kind.
    fn resources(&self, folder: &str, kind: &str) -> Vec<String> {
        let all = self.blocks(folder);
        let all =
            all.iter().filter(|block| block.identifier() == "resource" && label(block, 0) == kind);
        all.map(|block| label(block, 1)).collect()
    }

    /// The block with these words in front: `resource google_storage_bucket data`.
    fn block(&self, folder: &str, words: &str) -> Block {
        let mut words = words.split(' ');
        let (kind, labels) = (words.next().unwrap(), words.collect::<Vec<_>>());
        let same = |block: &Block| {
            block.identifier() == kind && (0..labels.len()).all(|at| label(block, at) == labels[at])
        };
        let found = self.blocks(folder).into_iter().find(same);
        found.unwrap_or_else(|| panic!("no {kind} {labels:?} in {folder}"))
    }
}

fn label(block: &Block, at: usize) -> String {
    block.labels().get(at).map(|label| label.as_str().to_owned()).unwrap_or_default()
}

/// The value at a path of blocks, the first of each, and an attribute; printed, `-` where it is not there.
fn at(block: &Block, path: &str) -> String {
    let (head, rest) = path.split_once('.').map_or((path, None), |(head, rest)| (head, Some(rest)));
    let found = block.body().iter().find_map(|member| match (member, rest) {
        (Structure::Attribute(attribute), None) if attribute.key() == head => {
            Some(hcl::format::to_string(attribute.expr()).unwrap())
        }
        (Structure::Block(block), Some(rest)) if block.identifier() == head => {
            Some(at(block, rest))
        }
        (Structure::Block(block), None) if block.identifier() == head => Some("{}".to_owned()),
        _ => None,
    });
    found.unwrap_or_else(|| "-".to_owned())
}

/// Holds a block to `path = value`, where `-` means that it must not be there.
fn expect(block: &Block, expected: &[(&str, &str)]) {
    for (path, value) in expected {
        assert_eq!(at(block, path), *value, "{path} of {:?}", label(block, 1));
    }
}

fn sample_roots() -> Vec<(&'static str, Rendered)> {
    [("mega", samples::mega()), ("zoo", samples::zoo()), ("shared", samples::shared())]
        .map(|(name, text)| (name, accept(text)))
        .into()
}

#[test]
fn every_block_names_the_noun_that_asked_for_it() {
    let unasked = ["versions.tf", "variables.tf", "terraform.tfvars"];
    let kinds = slipform_model::nouns::Body::KINDS;
    let names_a_noun = |line: &str| {
        let words = line.strip_prefix("# ").and_then(|line| line.split_once(' '));
        words.is_some_and(|(kind, name)| {
            kinds.iter().any(|(known, _)| *known == kind) && !name.is_empty()
        })
    };
    for (name, rendered) in sample_roots() {
        let roots = rendered.files.iter().filter(|(path, _)| path.contains(".tf"));
        for (path, content) in roots {
            hcl::parse(content).unwrap_or_else(|error| panic!("{name}/{path}: {error}"));
            if unasked.iter().any(|file| path.ends_with(file)) {
                continue;
            }
            let mut above = "";
            for line in content.lines() {
                let statement = line.starts_with("output") && path.ends_with("outputs.tf");
                if line.ends_with('{')
                    && line.starts_with(|c: char| c.is_ascii_lowercase())
                    && !statement
                {
                    assert!(names_a_noun(above), "{name}/{path}: {above}: {line}");
                }
                above = line;
            }
        }
    }
}

#[test]
fn values_are_given_to_declared_variables_only_and_to_all_of_them() {
    for (name, rendered) in sample_roots() {
        let roots = rendered.files.keys().filter_map(|path| path.strip_suffix("/versions.tf"));
        for root in roots {
            let values = hcl::parse(&rendered.files[&format!("{root}/terraform.tfvars")]).unwrap();
            let values: Vec<String> = values.attributes().map(|it| it.key().to_owned()).collect();
            let blocks = rendered.blocks(root);
            let variables = blocks.iter().filter(|block| block.identifier() == "variable");
            let variables: Vec<String> = variables.map(|block| label(block, 0)).collect();
            assert_eq!(values, variables, "{name}/{root}");
        }
    }
}

#[test]
fn text_of_a_blueprint_never_becomes_an_interpolation() {
    let rendered = accept(samples::mega());
    assert!(rendered.files.values().any(|it| it.contains(r#"display_name = "$${danger}""#)));
}

#[test]
fn nothing_on_google_cloud_needs_no_root() {
    let text = "cluster hpc on slurm {\n  partition l4 {\n    machine = \"hgx-h100\"\n    nodes = 1\n  }\n}\n";
    let rendered = accept(text);
    assert!(rendered.files.keys().all(|path| path.starts_with("30-hpc/")));
    refuse(&format!("{text}output answer = 42\n"), &["terraform/output-nowhere"]);
}
