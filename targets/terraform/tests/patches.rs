//! `patch` blocks: applied where they fit, refused where they do not.

use super::samples;
use super::{Rendered, expect, render};
use crate::testing::{list, record, seconds, variant};
use slipform_model::Value;

fn patched(noun: &str, target: &str, patch: Value) -> Rendered {
    let mut blueprint = samples::zoo();
    let id = blueprint.model.nouns.iter().find(|it| it.name == noun).unwrap().id;
    blueprint.patch(id, target, patch);
    render(blueprint)
}

#[test]
fn a_patch_merges_into_its_block() {
    let config = record(&[("disk_size_gb", 900.into()), ("tags", list(["training".into()]))]);
    let rendered =
        patched("cpu", "node_pool", record(&[("node_config", config), ("node_count", 5.into())]));
    assert_eq!(rendered.codes(), [""; 0]);
    expect(
        &rendered.block("30-zoo", "resource google_container_node_pool cpu"),
        &[
            ("node_count", "5"),
            ("node_config.disk_size_gb", "900"),
            ("node_config.machine_type", "\"n2-standard-8\""),
            ("node_config.tags", "[\n  \"training\"\n]"),
        ],
    );
    let autoscaling = record(&[(
        "cluster_autoscaling",
        record(&[("autoscaling_profile", "OPTIMIZE_UTILIZATION".into())]),
    )]);
    expect(
        &patched("zoo", "cluster", autoscaling)
            .block("30-zoo", "resource google_container_cluster this"),
        &[
            ("cluster_autoscaling.autoscaling_profile", "\"OPTIMIZE_UTILIZATION\""),
            ("name", "\"zoo\""),
        ],
    );
    let retention =
        record(&[("retention_policy", record(&[("retention_period", "${evil}".into())]))]);
    let bucket = patched("data", "bucket", retention);
    assert!(bucket.files["10-foundation/storage.tf"].contains("retention_period = \"$${evil}\""));
    expect(
        &patched("home", "filesystem", record(&[("protocol", "NFS_V4_1".into())]))
            .block("10-foundation", "resource google_filestore_instance home"),
        &[("protocol", "\"NFS_V4_1\"")],
    );
}

#[test]
fn a_patch_that_does_not_fit_is_refused_at_its_place() {
    let cases = [
        ("cpu", "node_pool", record(&[("node_cuont", 5.into())]), "patch/unknown-field"),
        (
            "cpu",
            "node_pool",
            record(&[("node_config", record(&[("machine", "n1".into())]))]),
            "patch/unknown-field",
        ),
        ("cpu", "node_pool", record(&[("node_count", "many".into())]), "patch/wrong-value"),
        ("data", "bucket", record(&[("labels", 3.into())]), "patch/wrong-value"),
        ("data", "bucket", record(&[("labels", Value::word("spot"))]), "patch/value"),
    ];
    for (noun, target, patch, code) in cases {
        let rendered = patched(noun, target, patch.clone());
        assert_eq!(rendered.codes(), [code], "{patch}");
    }
    let misspelt = patched("cpu", "node_pool", record(&[("node_cuont", 5.into())]));
    assert!(misspelt.output.diagnostics[0].help[0].contains("`node_count`"));
}

#[test]
fn durations_are_seconds_and_what_is_not_made_is_not_patched() {
    let timeouts = record(&[("timeouts", record(&[("create", seconds(7200))]))]);
    expect(
        &patched("cpu", "node_pool", timeouts)
            .block("30-zoo", "resource google_container_node_pool cpu"),
        &[("timeouts.create", "\"7200s\""), ("timeouts.update", "\"2h\"")],
    );
    let mut blueprint = samples::shared();
    let network = blueprint.model.nouns[0].id;
    blueprint.patch(network, "network", record(&[("mtu", 1460.into())]));
    let storage = variant("nfs", &[("server", "10.0.0.5".into()), ("export", "/home".into())]);
    let nfs = blueprint.noun("filesystem", "nfs", &[("storage", storage)]);
    blueprint.patch(nfs, "filesystem", record(&[("tier", "ZONAL".into())]));
    assert_eq!(render(blueprint).codes(), ["terraform/patch-of-nothing"; 2]);
}
