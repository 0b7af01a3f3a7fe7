//! Every blueprint in the README and the book compiles: what people copy must work.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "what a test takes for granted fails it"
)]

use slipform_tests::{checked_text, files, reports, root};

/// The ```` ```bp ```` blocks of a page. One that is marked `bp fragment` or `bp wrong` is not a whole program.
fn blocks(text: &str) -> Vec<(usize, String, String)> {
    let mut found = Vec::new();
    let mut open: Option<(usize, String, String)> = None;
    for (at, line) in text.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(info)) if info == "bp" || info.starts_with("bp ") => {
                open =
                    Some((at + 1, info.trim_start_matches("bp").trim().to_owned(), String::new()));
            }
            (None, Some(_)) => open = Some((at + 1, "other".to_owned(), String::new())),
            (Some(_), Some(_)) => found.extend(open.take()),
            (Some((_, _, block)), None) => {
                block.push_str(line);
                block.push('\n');
            }
            (None, None) => {}
        }
    }
    found
}

#[test]
fn every_blueprint_on_every_page_compiles() {
    let mut pages = files("docs", ".md");
    pages.push("README.md".into());
    let mut compiled = 0;
    for page in pages {
        let text = std::fs::read_to_string(root().join(&page)).unwrap();
        for (line, mark, block) in blocks(&text) {
            let (analysis, _) = match mark.as_str() {
                "" | "wrong" => checked_text(&block),
                "fragment" => {
                    let tree = slipform_syntax::parse(slipform_source::FileId(0), &block);
                    assert!(tree.problems.is_empty(), "{page}:{line}: {:?}", tree.problems);
                    continue;
                }
                _ => continue,
            };
            let found = reports(&analysis);
            let errors = found.iter().any(|report| report.severity == "error");
            assert_eq!(errors, mark == "wrong", "{page}:{line}: {found:#?}");
            compiled += 1;
        }
    }
    assert!(compiled > 3, "only {compiled} blueprints were found");
}

/// Every example of Cluster Toolkit v1.95 that makes a Slurm cluster, an image or plain instances.
const OF_TOOLKIT: &[&str] = &[
    "AMD/hpc-amd-slurm",
    "a3high-slurm-blueprint",
    "a3mega-slurm-blueprint",
    "a3mega-slurm-gcsfuse-lssd-blueprint",
    "a3ultra-slurm-blueprint",
    "a3ultra-vm",
    "a4high-slurm-blueprint",
    "a4high-vm",
    "a4x-vm",
    "a4xhigh-slurm-blueprint",
    "a4xmax-bm-slurm-blueprint",
    "af3-slurm",
    "batch-mpi",
    "build-service-images/a3m",
    "build-service-images/a4x",
    "build-service-images/common",
    "cae/cae-slurm",
    "client-google-cloud-storage",
    "eda/eda-all-on-cloud",
    "eda/eda-hybrid-cloud",
    "h4d-vm",
    "hcls-blueprint",
    "hpc-build-slurm-image",
    "hpc-enterprise-slurm",
    "hpc-slurm-gromacs",
    "hpc-slurm-h4d",
    "hpc-slurm-ha",
    "hpc-slurm-kms",
    "hpc-slurm-local-ssd",
    "hpc-slurm-ramble-gromacs",
    "hpc-slurm-sharedvpc",
    "hpc-slurm-ubuntu2204",
    "hpc-slurm.yaml",
    "hpc-slurm6-apptainer",
    "hpc-slurm6-tpu-maxtext",
    "hpc-slurm6-tpu.yaml",
    "htc-htcondor",
    "htc-slurm",
    "image-builder",
    "ml-slurm-g4-vgpu",
    "ml-slurm-g4.yaml",
    "ml-slurm.yaml",
    "netapp-volumes",
    "pfs-managed-lustre-slurm",
    "pfs-managed-lustre-vm",
    "rapid-storage-slurm",
    "slurm-gke/slurm-gke",
    "sycomp/sycomp-storage-slurm",
    "tutorial-fluent",
    "tutorial-starccm",
];
/// Those that words alone do not write.
const WITH_A_PATCH: &[&str] =
    &["hpc-slurm-kms", "hpc-slurm-local-ssd", "htc-slurm", "slurm-gke/slurm-gke"];
/// How many there may be of these.
const PATCHED_AT_MOST: usize = 5;

/// The page names each, its blueprints have no report, and no patch but where it says so.
#[test]
fn examples_of_slurm_images_and_instances_are_written_here() {
    let page = std::fs::read_to_string(root().join("docs/how-to/slurm-examples.md")).unwrap();
    for name in OF_TOOLKIT {
        assert!(page.contains(&format!("`{name}")) || page.contains(&format!("/{name}")), "{name}");
    }
    assert!(WITH_A_PATCH.len() <= PATCHED_AT_MOST);
    let (plain, patched) = page.split_once("\n## With a patch\n").unwrap();
    for name in WITH_A_PATCH {
        assert!(patched.contains(&format!("`{name}")), "{name}");
    }
    for (line, mark, block) in blocks(&page).into_iter().filter(|(_, mark, _)| mark != "other") {
        let (analysis, _) = checked_text(&block);
        let found = reports(&analysis);
        assert!(mark.is_empty() && found.is_empty(), "{line}: {found:#?}");
    }
    assert!(!blocks(plain).iter().any(|(_, _, block)| block.contains("patch ")));
}
