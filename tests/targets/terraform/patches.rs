//! `patch` blocks: applied where they fit, refused where they do not.

use super::samples;
use super::{Rendered, accept, expect};
use slipform_tests::text::rendered_despite;

/// The zoo with a patch in the noun that starts with this line.
fn patched(head: &str, target: &str, patch: &str) -> Rendered {
    accept(with_patch(&samples::zoo(), head, target, patch))
}

fn with_patch(text: &str, head: &str, target: &str, patch: &str) -> String {
    let line = format!("{head} {{\n");
    assert!(text.contains(&line), "{line}");
    text.replacen(&line, &format!("{line}    patch {target} {{\n{patch}\n    }}\n"), 1)
}

#[test]
fn a_patch_merges_into_its_block() {
    let config = "node_config = { disk_size_gb = 900, tags = [\"training\"] }\nnode_count = 5";
    let text =
        with_patch(&samples::zoo(), "  pool cpu", "node_pool", &config.replace('\n', "\n    "));
    let allow = "  pool cpu {\n    allow patch/owned \"as the cloud has it\"\n";
    let rendered = accept(text.replacen("  pool cpu {\n", allow, 1));
    expect(
        &rendered.block("30-zoo", "resource google_container_node_pool cpu"),
        &[
            ("node_count", "5"),
            ("node_config.disk_size_gb", "900"),
            ("node_config.machine_type", "\"n2-standard-8\""),
            ("node_config.tags", "[\n  \"training\"\n]"),
        ],
    );
    let autoscaling =
        "    cluster_autoscaling = { autoscaling_profile = \"OPTIMIZE_UTILIZATION\" }";
    expect(
        &patched("cluster zoo on gke", "cluster", autoscaling)
            .block("30-zoo", "resource google_container_cluster this"),
        &[
            ("cluster_autoscaling.autoscaling_profile", "\"OPTIMIZE_UTILIZATION\""),
            ("name", "\"zoo\""),
        ],
    );
    let pages = "    website = { main_page_suffix = \"\\${evil}\" }";
    let bucket = patched("bucket data", "bucket", pages);
    assert!(bucket.files["10-foundation/storage.tf"].contains("main_page_suffix = \"$${evil}\""));
    expect(
        &patched("filesystem home", "filesystem", "    protocol = \"NFS_V4_1\"")
            .block("10-foundation", "resource google_filestore_instance home"),
        &[("protocol", "\"NFS_V4_1\"")],
    );
}

#[test]
fn a_patch_that_does_not_fit_is_refused_at_its_place() {
    for (head, target, patch, code) in [
        ("  pool gpus", "node_pool", "node_cuont = 5", "patch/unknown-field"),
        ("  pool gpus", "node_pool", "node_config = { machine = \"n1\" }", "patch/unknown-field"),
        ("  pool gpus", "node_pool", "node_count = \"many\"", "patch/wrong-value"),
        ("bucket data", "bucket", "labels = 3", "patch/wrong-value"),
    ] {
        let text = with_patch(&samples::mega(), head, target, &format!("    {patch}"));
        let found = rendered_despite(&text, &[code]);
        assert_eq!(found.codes, [code], "{patch}");
        if patch.starts_with("node_cuont") {
            assert!(found.output.diagnostics[0].help[0].contains("`node_count`"));
        }
    }
}

#[test]
fn durations_are_seconds_and_what_is_not_made_is_not_patched() {
    expect(
        &patched("  pool cpu", "node_pool", "    timeouts = { create = 2h }")
            .block("30-zoo", "resource google_container_node_pool cpu"),
        &[("timeouts.create", "\"7200s\""), ("timeouts.update", "\"2h\"")],
    );
    let nfs = "\nfilesystem nfs {\n  storage = nfs(\"10.0.0.5\", \"/home\")\n  patch filesystem {\n    tier = \"ZONAL\"\n  }\n}\n";
    let text =
        with_patch(&samples::shared(), "existing network shared", "network", "    mtu = 1460");
    let found = rendered_despite(&(text + nfs), &["terraform/patch-of-nothing"]);
    assert_eq!(found.codes, ["terraform/patch-of-nothing"; 2]);
}
