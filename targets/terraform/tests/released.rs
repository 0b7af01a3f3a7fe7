//! What someone else owns by now, and was made here before.

use super::{accept, render, samples};
use crate::testing::Blueprint;
use std::collections::BTreeSet;

/// The addresses of a kind of block in a root: `resource`, with the comment above each, or what `removed` names.
fn resources(files: &[(String, String)]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (_, content) in files {
        let mut above = "";
        for line in content.lines() {
            let words: Vec<&str> = line.split('"').collect();
            if let ["resource ", kind, " ", label, " {"] = words.as_slice() {
                found.push((above.trim_start_matches("# ").to_owned(), format!("{kind}.{label}")));
            }
            above = line;
        }
    }
    found
}

fn released(files: &[(String, String)]) -> BTreeSet<String> {
    let lines = files.iter().filter(|(path, _)| path.ends_with("/released.tf"));
    let lines = lines.flat_map(|(_, content)| content.lines());
    lines.filter_map(|line| line.trim().strip_prefix("from = ")).map(str::to_owned).collect()
}

fn foundation(rendered: super::Rendered) -> Vec<(String, String)> {
    rendered.files.into_iter().filter(|(path, _)| path.starts_with("10-foundation/")).collect()
}

#[test]
fn whatever_a_noun_consists_of_is_forgotten_once_it_is_someone_elses() {
    let kinds = ["network", "bucket", "filesystem", "registry", "identity", "dashboard"];
    let mut forgotten = BTreeSet::new();
    for sample in [samples::mega as fn() -> Blueprint, samples::zoo] {
        let before = resources(&foundation(accept(sample())));
        for noun in
            sample().plan().model.nouns.iter().filter(|noun| kinds.contains(&noun.body.kind()))
        {
            let mut blueprint = sample();
            blueprint.at(noun.id).existing = true;
            let files = foundation(render(blueprint));
            let still: BTreeSet<String> =
                resources(&files).into_iter().map(|(_, address)| address).collect();
            let released = released(&files);
            assert_eq!(released.intersection(&still).next(), None, "{}", noun.path);
            let its = before.iter().filter(|(origin, _)| *origin == noun.origin);
            for (_, address) in its.filter(|(_, address)| !still.contains(address)) {
                // What is granted on a noun, or to it on another one, comes and goes with who uses it.
                let is_grant = address.contains("_iam_member.")
                    && !address.starts_with("google_project_iam_member.");
                assert!(
                    is_grant || released.contains(address),
                    "{}: {address} is destroyed",
                    noun.path
                );
            }
            forgotten.extend(released);
        }
    }
    for kind in ["google_filestore_instance.", "google_compute_network.", "google_storage_bucket."]
    {
        assert!(forgotten.iter().any(|address| address.starts_with(kind)), "{kind}");
    }
}

#[test]
fn a_pool_is_forgotten_in_the_root_of_its_cluster() {
    let mut blueprint = samples::shared();
    let plan = samples::shared().plan();
    let pool = plan.model.nouns.iter().find(|noun| noun.body.kind() == "pool").unwrap().id;
    blueprint.at(pool).existing = true;
    let rendered = render(blueprint);
    let released = &rendered.files["30-dev/released.tf"];
    assert!(released.contains("# cluster dev, pool l4\nremoved {"), "{released}");
    assert!(released.contains("from = google_container_node_pool.l4\n"), "{released}");
}
