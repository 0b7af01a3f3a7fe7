//! Who nodes and pods are, and what they may do.

use super::samples::{self, base, workload};
use super::{Rendered, accept, at, expect};
use crate::testing::{Blueprint, list, mount};
use slipform_model::{NounId, Value};
use std::collections::BTreeMap;

const FOUNDATION: &str = "10-foundation";
const BINDINGS: &str = "35-workload-identity";
const BINDING: &str = "resource google_service_account_iam_member";

/// Two clusters whose nodes are one identity, which their workloads are too.
fn two_clusters(change: impl FnOnce(&mut Blueprint, NounId, [NounId; 2])) -> Rendered {
    let mut blueprint = Blueprint::new();
    let base = base(&mut blueprint, "us-central1");
    let clusters = ["aa", "bb"].map(|name| {
        let fields = [
            ("network", blueprint.to(base.network)),
            ("zone", "us-central1-a".into()),
            ("node_identity", blueprint.to(base.identity)),
        ];
        let cluster = blueprint.noun("cluster on gke", name, &fields);
        let fields = [("machine", "n2-standard-8".into()), ("nodes", 1.into())];
        let pool = blueprint.inside(cluster, "pool", "p", &fields);
        workload(&mut blueprint, &base, &format!("run-{name}"), pool, &[]);
        cluster
    });
    change(&mut blueprint, base.identity, clusters);
    accept(blueprint)
}

/// Every grant: what is granted on, the role, who has it; and the folders that make it.
fn grants(rendered: &Rendered) -> BTreeMap<[String; 3], Vec<String>> {
    let folders = rendered.files.keys().filter_map(|path| path.strip_suffix("/versions.tf"));
    let mut grants: BTreeMap<[String; 3], Vec<String>> = BTreeMap::new();
    for folder in folders {
        let blocks = rendered.blocks(folder);
        let made = blocks.iter().filter(|block| block.identifier() == "resource");
        for block in made.filter(|block| block.labels()[0].as_str().ends_with("_iam_member")) {
            let on = ["project", "service_account_id", "bucket", "repository"];
            let on: String = on.map(|field| at(block, field).replace("data.", "")).concat();
            let member = at(block, "member").replace("data.", "");
            let each = at(block, "for_each");
            let words = each.split('"').filter(|word| word.contains('/')).map(str::to_owned);
            let mut words: Vec<String> = words.collect();
            if words.is_empty() {
                words.push(at(block, "role"));
            }
            for word in words {
                let grant = [on.clone(), word, member.clone()];
                grants.entry(grant).or_default().push(folder.to_owned());
            }
        }
    }
    grants
}

#[test]
fn a_grant_has_one_owner() {
    let samples = [accept(samples::guide()), accept(samples::zoo()), two_clusters(|_, _, _| {})];
    for rendered in samples {
        let grants = grants(&rendered);
        assert!(grants.len() > 4, "{grants:?}");
        let shared: Vec<_> = grants.iter().filter(|(_, owners)| owners.len() > 1).collect();
        assert!(shared.is_empty(), "{shared:?}");
    }
}

#[test]
fn what_nodes_may_do_is_granted_where_their_identity_is_made() {
    let rendered = two_clusters(|_, _, _| {});
    expect(
        &rendered.block("30-bb", "resource google_container_node_pool p"),
        &[("node_config.service_account", "data.google_service_account.trainer.email")],
    );
    for kind in ["google_service_account", "google_project_iam_member"] {
        assert!(rendered.resources("30-", kind).is_empty(), "{kind}");
    }
    let roles = rendered.block(FOUNDATION, "resource google_project_iam_member trainer");
    let roles = at(&roles, "for_each");
    for role in ["container.defaultNodeServiceAccount", "artifactregistry.reader", "logWriter"] {
        assert!(roles.contains(role), "{roles}");
    }
}

#[test]
fn the_account_of_nodes_that_must_not_be_destroyed_is_not_destroyed_either() {
    let guard = |protected: bool| {
        let rendered = two_clusters(|blueprint, _, clusters| {
            for cluster in clusters {
                let slipform_model::nouns::Body::GkeCluster(body) = &mut blueprint.at(cluster).body
                else {
                    panic!("a cluster")
                };
                body.deletion_protection = protected;
            }
        });
        let account = rendered.block(FOUNDATION, "resource google_service_account trainer");
        ["lifecycle.prevent_destroy", "deletion_policy"].map(|path| at(&account, path))
    };
    assert_eq!(guard(true), ["true", "var.deletion_protection ? \"PREVENT\" : \"DELETE\""]);
    assert_eq!(guard(false), ["-", "\"DELETE\""]);
    let mega = accept(samples::mega());
    let workers = mega.block(FOUNDATION, "resource google_service_account trainer");
    expect(&workers, &[("lifecycle", "-"), ("deletion_policy", "\"DELETE\"")]);
}

#[test]
fn a_cluster_without_an_identity_makes_an_account_with_its_roles() {
    let rendered = accept(samples::mega());
    assert_eq!(rendered.resources("30-a3m", "google_service_account"), ["nodes"]);
    let roles = rendered.block("30-a3m", "resource google_project_iam_member nodes");
    expect(&roles, &[("member", "google_service_account.nodes.member")]);
    let cluster = rendered.block("30-a3m", "resource google_container_cluster this");
    assert!(at(&cluster, "depends_on").contains("google_project_iam_member.nodes"));
}

#[test]
fn what_the_nodes_of_others_are_is_granted_by_others() {
    let rendered = two_clusters(|blueprint, identity, _| blueprint.at(identity).existing = true);
    let roles = rendered.resources("", "google_project_iam_member");
    assert_eq!(roles, ["image_builds", "image_builds_source"]);
}

#[test]
fn kubernetes_accounts_of_all_clusters_are_bound_once() {
    let rendered = two_clusters(|_, _, _| {});
    assert!(rendered.resources("30-", "google_service_account_iam_member").is_empty());
    let binding = rendered.block(BINDINGS, &format!("{BINDING} trainer"));
    let accounts = at(&binding, "for_each");
    assert_eq!(accounts.matches("\"default/trainer\"").count(), 1, "{accounts}");
    expect(
        &binding,
        &[
            ("role", "\"roles/iam.workloadIdentityUser\""),
            ("service_account_id", "data.google_service_account.trainer.name"),
        ],
    );
}

#[test]
fn identities_act_on_the_clusters_of_others_too() {
    let bound = |cluster: bool, identity: bool| {
        let mut blueprint = samples::shared();
        let id = |name: &str| {
            blueprint.model.nouns.iter().find(|noun| noun.name == name).map(|noun| noun.id).unwrap()
        };
        let (dev, reader) = (id("dev"), id("reader-account"));
        blueprint.at(dev).existing = cluster;
        blueprint.at(reader).existing = identity;
        accept(blueprint).resources(BINDINGS, "google_service_account_iam_member")
    };
    assert_eq!(bound(false, false), ["reader_account"]);
    assert_eq!(bound(true, false), ["reader_account"]);
    assert_eq!(bound(false, true), ["reader_account"]);
    assert!(bound(true, true).is_empty());
}

#[test]
fn the_grants_of_a_bucket_are_made_again_with_it() {
    let rendered = two_clusters(|_, _, _| {});
    let grants = rendered.resources(FOUNDATION, "google_storage_bucket_iam_member");
    assert!(!grants.is_empty());
    for grant in grants {
        let grant = format!("resource google_storage_bucket_iam_member {grant}");
        let bucket = at(&rendered.block(FOUNDATION, &grant), "bucket");
        assert_eq!(bucket, "google_storage_bucket.data.id");
    }
}

#[test]
fn identities_get_what_their_mounts_ask_and_no_more() {
    let granted = |access: &str, read_only: bool, whose: (bool, bool)| {
        let mut blueprint = Blueprint::new();
        let base = base(&mut blueprint, "us-central1");
        let fields = [
            ("location", "us-central1".into()),
            ("name", "b-of-mine".into()),
            ("access", access.into()),
        ];
        let bucket = blueprint.noun("bucket", "b", &fields);
        blueprint.at(bucket).existing = whose.0;
        blueprint.at(base.identity).existing = whose.1;
        let fields = [("network", blueprint.to(base.network)), ("zone", "us-central1-a".into())];
        let cluster = blueprint.noun("cluster on gke", "c", &fields);
        let pool = blueprint.inside(
            cluster,
            "pool",
            "p",
            &[("machine", "n2-standard-8".into()), ("nodes", 1.into())],
        );
        let Value::Variant(_, mut source) = mount(blueprint.to(bucket), "/b") else {
            panic!("a mount")
        };
        std::sync::Arc::make_mut(&mut source)["read_only"].value = read_only.into();
        let mounts = list([Value::Variant("mount".into(), source)]);
        workload(&mut blueprint, &base, "run", pool, &[("mounts", mounts)]);
        let rendered = accept(blueprint);
        let all = rendered.resources(FOUNDATION, "google_storage_bucket_iam_member");
        all.first().map(|name| {
            at(
                &rendered.block(
                    FOUNDATION,
                    &format!("resource google_storage_bucket_iam_member {name}"),
                ),
                "role",
            )
        })
    };
    let (reads, writes) = ("\"roles/storage.objectViewer\"", "\"roles/storage.objectUser\"");
    assert_eq!(granted("write", false, (false, false)).as_deref(), Some(writes));
    assert_eq!(granted("write", true, (false, false)).as_deref(), Some(reads));
    assert_eq!(granted("read", false, (false, false)).as_deref(), Some(reads));
    assert_eq!(granted("read", false, (true, false)).as_deref(), Some(reads));
    assert_eq!(granted("write", false, (false, true)).as_deref(), Some(writes));
    assert_eq!(granted("write", false, (true, true)), None);
}

#[test]
fn bindings_are_additive_and_dashboards_need_a_role() {
    let rendered = accept(samples::mega());
    let text: String = rendered.files.values().cloned().collect();
    assert!(!text.contains("_iam_binding") && !text.contains("_iam_policy"));
    let roles =
        at(&rendered.block(FOUNDATION, "resource google_project_iam_member trainer"), "for_each");
    for role in
        ["roles/aiplatform.user", "roles/logging.logWriter", "roles/monitoring.metricWriter"]
    {
        assert!(roles.contains(role), "{roles}");
    }
}

#[test]
fn images_are_built_by_an_account_that_writes_to_their_repository_alone() {
    let rendered = accept(samples::mega());
    let account = rendered.block(FOUNDATION, "resource google_service_account image_builds");
    expect(&account, &[("account_id", "\"train-builds\"")]);
    let kind = "google_artifact_registry_repository_iam_member";
    assert_eq!(rendered.resources(FOUNDATION, kind), ["training_image_builds"]);
    let writer = rendered.block(FOUNDATION, &format!("resource {kind} training_image_builds"));
    expect(
        &writer,
        &[
            ("role", "\"roles/artifactregistry.writer\""),
            ("repository", "google_artifact_registry_repository.training.name"),
            ("member", "google_service_account.image_builds.member"),
        ],
    );
    let source =
        rendered.block(FOUNDATION, "resource google_project_iam_member image_builds_source");
    assert!(at(&source, "condition.expression").contains("_cloudbuild/"));
    assert!(rendered.files["10-foundation/services.tf"].contains("cloudbuild.googleapis.com"));
}

#[test]
fn jobs_of_slurm_have_the_rights_of_their_nodes() {
    let granted = |named: bool| {
        let mut blueprint = Blueprint::new();
        let base = base(&mut blueprint, "us-east4");
        let nodes = blueprint.noun("identity", "nodes", &[]);
        let mut fields = Vec::new();
        if named {
            fields.push(("node_identity", blueprint.to(nodes)));
        }
        let hpc = blueprint.noun("cluster on slurm", "hpc", &fields);
        let fields = [("machine", "a3-megagpu-8g".into()), ("nodes", 2.into())];
        let partition = blueprint.inside(hpc, "partition", "gpu", &fields);
        workload(&mut blueprint, &base, "run", partition, &[("nodes", 2.into())]);
        let rendered = accept(blueprint);
        let mut all = rendered.resources(FOUNDATION, "google_storage_bucket_iam_member");
        let of_images = "google_artifact_registry_repository_iam_member";
        all.extend(rendered.resources(FOUNDATION, of_images));
        all
    };
    assert_eq!(granted(true), ["data_nodes", "training_nodes", "training_image_builds"]);
    assert_eq!(granted(false), ["training_image_builds"]);
}

#[test]
fn builds_read_the_images_of_the_project_that_they_start_from() {
    let mut blueprint = Blueprint::new();
    let registry = blueprint.noun("registry", "training", &[("location", "us-east4".into())]);
    let mut image = |name: &str, from: &str| {
        let fields = [("from", from.into()), ("push_to", blueprint.to(registry))];
        blueprint.noun("image", name, &fields);
    };
    image("own", "us-east4-docker.pkg.dev/my-project-1/training/base:1");
    image("near", "us-docker.pkg.dev/my-project-1/company-base/cuda/torch:1");
    image("far", "us-docker.pkg.dev/other-project/base/torch:1");
    image("public", "nvcr.io/nvidia/nemo:24.07");
    let rendered = accept(blueprint);
    let kind = "google_artifact_registry_repository_iam_member";
    let granted = rendered.resources(FOUNDATION, kind).into_iter().map(|name| {
        let block = rendered.block(FOUNDATION, &format!("resource {kind} {name}"));
        (name, at(&block, "repository"), at(&block, "role"))
    });
    let expected = [
        (
            "training_image_builds",
            "google_artifact_registry_repository.training.name",
            "\"roles/artifactregistry.writer\"",
        ),
        ("company_base_us_image_builds", "\"company-base\"", "\"roles/artifactregistry.reader\""),
    ];
    let expected = expected.map(|(a, b, c)| (a.to_owned(), b.to_owned(), c.to_owned()));
    assert_eq!(granted.collect::<Vec<_>>(), expected);
}

/// What a job shows goes over the bucket of its cluster, of which Vertex AI asks all rights, and of no other bucket.
#[test]
fn what_is_shown_goes_over_the_staging_bucket() {
    let mut blueprint = Blueprint::new();
    let base = base(&mut blueprint, "us-central1");
    let location = [("location", "us-central1".into())];
    let staging = blueprint.noun("bucket", "made", &location);
    let fields = [
        ("region", "us-central1".into()),
        ("machine", "a3-megagpu-8g".into()),
        ("staging", blueprint.to(staging)),
    ];
    let managed = blueprint.noun("cluster on vertex", "managed", &fields);
    workload(&mut blueprint, &base, "run", managed, &[]);
    let grants = grants(&accept(blueprint));
    let admins: Vec<&str> = grants
        .keys()
        .filter(|[_, role, _]| role.contains("roles/storage.admin"))
        .map(|[on, ..]| on.trim_matches('-'))
        .collect();
    assert_eq!(admins, ["google_storage_bucket.made.id"]);
}
