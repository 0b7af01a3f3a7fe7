//! What someone else owns by now, and was made here before.

#[path = "../../coverage/nouns.rs"]
#[allow(dead_code, reason = "fields are changed elsewhere")]
mod nouns;

use super::{accept, samples};
use nouns::SUBJECTS;
use slipform_tests::checked_text;
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

/// The text, where someone else owns a noun that it made.
fn handed_over(text: &str, kind: &str, name: &str) -> String {
    let names = match kind {
        "network" => {
            "  subnet_name = \"nodes\"\n  pods_name = \"pods\"\n  services_name = \"services\"\n"
        }
        _ => "",
    };
    // what a dashboard of others is called is known to nobody here, so nothing may ask for it
    let unasked = text
        .replace("  dashboard = board\n", "")
        .replace("output board_name = board.resource\n", "");
    let text = if kind == "dashboard" { &unasked } else { text };
    let head = format!("\n{kind} {name} {{\n");
    assert!(text.contains(&head), "{head}");
    text.replace(&head, &format!("\nexisting {kind} {name} {{\n{names}"))
}

#[test]
fn whatever_a_noun_consists_of_is_forgotten_once_it_is_someone_elses() {
    let kinds =
        ["network", "bucket", "filesystem", "registry", "identity", "dashboard", "reservation"];
    let mut forgotten = BTreeSet::new();
    for sample in [samples::mega(), samples::zoo()] {
        let whole = accept(&sample);
        let plan = &whole.text.planned.plan;
        let before = resources(&foundation(accept(&sample)));
        for noun in plan.model.nouns.iter().filter(|noun| kinds.contains(&noun.body.kind())) {
            let files =
                foundation(accept(handed_over(&sample, noun.body.kind(), &noun.outside.name)));
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

/// What a noun may consist of is what any of its words makes, whether they are left out when it is handed over or not.
#[test]
fn no_word_makes_what_is_destroyed_when_its_noun_is_handed_over() {
    let kinds =
        ["network", "bucket", "filesystem", "registry", "identity", "dashboard", "reservation"];
    // something of its own keeps the root
    let kept = "\nbucket kept {\n  location = \"us-east5\"\n}\n";
    let files = |text: &str| -> Option<Vec<(String, String)>> {
        let (analysis, output) = checked_text(&format!("{text}{kept}"));
        let files = output.artifacts.iter().map(|it| (it.path.to_string(), it.content.clone()));
        let files = files.filter(|(path, _)| path.starts_with("10-foundation/"));
        (!analysis.has_errors()).then(|| files.collect())
    };
    let mut forgotten = BTreeSet::new();
    for subject in SUBJECTS.iter().filter(|subject| kinds.contains(&subject.kind)) {
        for (field, before, after) in subject.changes {
            for line in [before, after] {
                let Some(made) = files(&subject.with(field, line)) else { continue };
                let made = resources(&made).into_iter();
                let made = made.filter(|(origin, _)| origin.starts_with(subject.kind));
                let made: Vec<String> = made.map(|(_, address)| address).collect();
                for handed in [subject.existing(field, line), subject.existing("", "")] {
                    let Some(handed) = files(&handed) else { continue };
                    let still: BTreeSet<String> =
                        resources(&handed).into_iter().map(|(_, address)| address).collect();
                    let released = released(&handed);
                    // what is granted on others, or to others, comes and goes with the word that says so
                    let granted = |address: &&String| {
                        ["google_storage_bucket_iam", "google_artifact_registry_repository_iam"]
                            .iter()
                            .any(|kind| address.starts_with(kind))
                    };
                    let gone = made.iter().filter(|address| !still.contains(*address));
                    for address in gone.filter(|address| !granted(address)) {
                        assert!(
                            released.contains(address),
                            "{} {field}: {line}: {address} is destroyed",
                            subject.kind
                        );
                        forgotten.insert(address.split('.').next().unwrap().to_owned());
                    }
                }
            }
        }
    }
    for kind in ["compute_address", "compute_firewall", "storage_anywhere_cache"] {
        assert!(forgotten.contains(&format!("google_{kind}")), "{kind} {forgotten:?}");
    }
    assert!(forgotten.contains("google_iam_workload_identity_pool_provider"), "{forgotten:?}");
}

#[test]
fn what_one_of_others_was_granted_on_another_is_forgotten() {
    let text = |head: &str| {
        format!(
            "{head}bucket data {{\n  location = \"us-central1\"\n}}\n\n{head}registry images {{\n  location = \"us-central1\"\n}}\n\n\
             {head}identity loader {{\n  reads = [data, images]\n}}\n\nbucket own {{\n  location = \"us-central1\"\n}}\n"
        )
    };
    let made = resources(&foundation(accept(text(""))));
    let released = released(&foundation(accept(text("existing "))));
    let granted: Vec<&String> =
        made.iter().map(|(_, it)| it).filter(|it| it.contains("_loader")).collect();
    assert_eq!(granted.len(), 2, "{granted:?}");
    assert!(granted.iter().all(|it| released.contains(*it)), "{released:?}");
}

#[test]
fn a_pool_is_forgotten_in_the_root_of_its_cluster() {
    let theirs = "  existing pool l4 {\n    allow cluster/existing-pool \"the cluster stays\"\n";
    let rendered = accept(samples::shared().replace("  pool l4 {\n", theirs));
    let released = &rendered.files["30-dev/released.tf"];
    assert!(released.contains("# cluster dev, pool l4\nremoved {"), "{released}");
    assert!(released.contains("from = google_container_node_pool.l4\n"), "{released}");
}
