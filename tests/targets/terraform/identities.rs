//! Who nodes and pods are, and what they may do.

use super::samples::{self, base, workload};
use super::{Rendered, accept, at, expect};
use std::collections::BTreeMap;

const FOUNDATION: &str = "10-foundation";
const BINDINGS: &str = "35-workload-identity";
const BINDING: &str = "resource google_service_account_iam_member";

/// Two clusters whose nodes are one identity, which their workloads are too; with these further fields each.
fn two_clusters(fields: &str) -> String {
    let clusters = ["aa", "bb"].map(|name| {
        let cluster = format!(
            r#"
cluster {name} on gke {{
  network       = fabric
  zone          = "us-central1-a"
  node_identity = trainer
  {fields}
  pool p {{
    machine = "n2-standard-8"
    nodes   = 1
  }}
}}
"#
        );
        cluster + &workload(&format!("run_{name}"), &format!("{name}.p"), "")
    });
    base("us-central1") + &clusters.concat()
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
    let samples = [accept(samples::guide()), accept(samples::zoo()), accept(two_clusters(""))];
    for rendered in samples {
        let grants = grants(&rendered);
        assert!(grants.len() > 4, "{grants:?}");
        let shared: Vec<_> = grants.iter().filter(|(_, owners)| owners.len() > 1).collect();
        assert!(shared.is_empty(), "{shared:?}");
    }
}

/// A cluster that goes takes nothing from the teams of another, of this output or of any other of the project.
#[test]
fn a_team_of_two_clusters_has_a_right_of_its_own_for_each() {
    let rendered =
        accept(two_clusters("teams = { vision = team(members = [\"group:vision@example.com\"]) }"));
    assert!(rendered.resources("30-", "google_project_iam_member").is_empty());
    let grant = |cluster: &str| {
        let resource = format!("resource google_project_iam_member {cluster}_members");
        let members = rendered.block(FOUNDATION, &resource);
        let each = at(&members, "for_each");
        assert_eq!(each.matches("group:vision@example.com").count(), 1, "{each}");
        expect(&members, &[("role", "\"roles/container.clusterViewer\"")]);
        ["condition.title", "condition.expression"].map(|path| at(&members, path))
    };
    let named = |cluster: &str| {
        let expression = format!(
            r#""resource.type != \"container.googleapis.com/Cluster\" || resource.name.endsWith(\"/clusters/{cluster}\")""#
        );
        [format!("\"cluster-{cluster}-us-central1\""), expression]
    };
    assert_eq!(grant("aa"), named("aa"));
    assert_eq!(grant("bb"), named("bb"));
}

/// An identity may be called as the grant of a cluster would be.
#[test]
fn the_right_of_teams_is_told_from_an_identity_of_its_name() {
    let own = "identity aa_members {\n  roles = [\"roles/logging.logWriter\"]\n}\n";
    let text = two_clusters("teams = { vision = team(members = [\"group:vision@example.com\"]) }");
    let rendered = accept(text + own);
    let grants = rendered.resources(FOUNDATION, "google_project_iam_member");
    let has = |name: &str| grants.iter().any(|it| it == name);
    assert!(has("aa_members") && has("slipform_aa_members") && has("bb_members"), "{grants:?}");
}

#[test]
fn what_nodes_may_do_is_granted_where_their_identity_is_made() {
    let rendered = accept(two_clusters(""));
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

/// Roles that are listed are what is given besides: nodes and mounts need theirs all the same.
#[test]
fn an_account_with_a_list_of_roles_gets_what_its_nodes_and_mounts_need() {
    let listed = "identity trainer {\n  roles = [\"roles/aiplatform.user\"]\n";
    let rendered = accept(two_clusters("").replace("identity trainer {\n", listed));
    let roles = rendered.block(FOUNDATION, "resource google_project_iam_member trainer");
    let roles = at(&roles, "for_each");
    for role in
        ["aiplatform.user", "container.defaultNodeServiceAccount", "artifactregistry.reader"]
    {
        assert!(roles.contains(role), "{role}: {roles}");
    }
    assert!(!roles.contains("monitoring.metricWriter"), "{roles}");
}

#[test]
fn the_account_of_nodes_that_must_not_be_destroyed_is_not_destroyed_either() {
    let guard = |protected: bool| {
        let rendered = accept(two_clusters(&format!("deletion_protection = {protected}")));
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
    let rendered =
        accept(two_clusters("").replace("\nidentity trainer", "\nexisting identity trainer"));
    let roles = rendered.resources("", "google_project_iam_member");
    assert_eq!(roles, ["image_builds", "image_builds_source"]);
}

#[test]
fn kubernetes_accounts_of_all_clusters_are_bound_once() {
    let rendered = accept(two_clusters(""));
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
        let mut text = samples::shared();
        if cluster {
            text = text.replace("\ncluster dev", "\nexisting cluster dev");
        }
        if identity {
            text = text.replace("\nidentity reader", "\nexisting identity reader");
        }
        accept(text).resources(BINDINGS, "google_service_account_iam_member")
    };
    assert_eq!(bound(false, false), ["reader_account"]);
    assert_eq!(bound(true, false), ["reader_account"]);
    assert_eq!(bound(false, true), ["reader_account"]);
    assert!(bound(true, true).is_empty());
}

#[test]
fn the_grants_of_a_bucket_are_made_again_with_it() {
    let rendered = accept(two_clusters(""));
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
        let existing = |yes: bool| if yes { "existing " } else { "" };
        let base = base("us-central1");
        let base =
            base.replace("identity trainer", &format!("{}identity trainer", existing(whose.1)));
        let nouns = format!(
            r#"
{}bucket shards {{
  location = "us-central1"
  name     = "b-of-mine"
  access   = "{access}"
}}

cluster cc on gke {{
  network = fabric
  zone    = "us-central1-a"
  pool p {{
    machine = "n2-standard-8"
    nodes   = 1
  }}
}}
"#,
            existing(whose.0)
        );
        let read_only = if read_only { ", read_only = true" } else { "" };
        let mounts = format!("mounts = [mount(shards, \"/b\"{read_only})]");
        let rendered = accept(base + &nouns + &workload("run", "cc.p", &mounts));
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
fn a_bucket_that_is_named_by_its_address_is_granted_as_one_that_is_mounted() {
    let given = |fields: &str, argument: &str| {
        let nouns = r#"
bucket shards {
  location = "us-central1"
  name     = "b-of-mine"
  access   = "read"
}

bucket more {
  location = "us-central1"
  name     = "b-of-mine-2"
  access   = "write"
}

cluster cc on gke {
  network = fabric
  zone    = "us-central1-a"
  pool p {
    machine = "n2-standard-8"
    nodes   = 1
  }
}
"#;
        let none = if fields.contains("mounts") { "" } else { "mounts = []\n" };
        let script = format!("\"train.py\", args = {{ data = \"{argument}\" }})");
        let text = workload("run", "cc.p", &format!("{none}{fields}"));
        let text = text.replace("\"train.py\")", &script);
        let rendered = accept(base("us-central1") + nouns + &text);
        let all = rendered.resources(FOUNDATION, "google_storage_bucket_iam_member");
        let role = |name: &&str| {
            let block = format!("resource google_storage_bucket_iam_member {name}");
            format!("{name} {}", at(&rendered.block(FOUNDATION, &block), "role"))
        };
        all.iter().map(|name| role(&name.as_ref())).collect::<Vec<_>>()
    };
    let granted = |fields: &str| given(fields, "a");
    let (reads, writes) = ("\"roles/storage.objectViewer\"", "\"roles/storage.objectUser\"");
    let shards = format!("shards_trainer {reads}");
    let more = format!("more_trainer {writes}");
    assert_eq!(granted("env = { DATA = shards.url }"), [shards.as_str()]);
    assert_eq!(granted("env = { OUT = \"${more.url}/runs/1\" }"), [more.as_str()]);
    assert_eq!(given("", "${shards.url}/a,${more.url}/b").len(), 2);
    assert_eq!(granted("env = { OTHER = \"gs://b-of-mine-3/x\" }"), [""; 0]);
    // what is written to through its address is not held back by a mount that only reads
    let both = "mounts = [mount(more, \"/m\", read_only = true)]\nenv = { OUT = more.url }";
    assert_eq!(granted(both), [more.as_str()]);
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

/// Groups that decide are told of their workload's dashboard, too, and write to it as who they are.
#[test]
fn a_group_that_is_somebody_else_may_write_to_the_dashboard() {
    let text = samples::mega()
        + r#"
identity watcher {
}

workload watched on a3m.gpus {
  image     = "nvcr.io/nvidia/nemo:24.07"
  launch    = torchrun("train.py")
  nodes     = 8
  identity  = trainer
  dashboard = board
  group eval on a3m.gpus {
    image    = "nvcr.io/nvidia/nemo:24.07"
    launch   = python("eval.py")
    identity = watcher
    decides  = true
  }
}
"#;
    let rendered = accept(text);
    let roles =
        at(&rendered.block(FOUNDATION, "resource google_project_iam_member watcher"), "for_each");
    assert!(roles.contains("roles/aiplatform.user"), "{roles}");
}

#[test]
fn images_are_built_by_an_account_that_writes_to_their_repository_alone() {
    let rendered = accept(samples::mega());
    let account = rendered.block(FOUNDATION, "resource google_service_account image_builds");
    expect(&account, &[("account_id", "\"main-builds\"")]);
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
        let identity = if named { "node_identity = nodes" } else { "" };
        let nouns = format!(
            r#"
identity nodes {{
}}

cluster hpc on slurm {{
  {identity}
  partition gpu {{
    machine = "a3-megagpu-8g"
    nodes   = 2
  }}
}}
"#
        );
        let run = workload("run", "hpc.gpu", "nodes = 2").replace("  dashboard = board\n", "");
        let rendered = accept(base("us-east4") + &nouns + &run);
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
    let image = |name: &str, from: &str| {
        format!("image {name} {{\n  from = \"{from}\"\n  push_to = training\n}}\n")
    };
    let rendered = accept(
        "registry training {\n  location = \"us-east4\"\n}\n".to_owned()
            + &image("own", "us-east4-docker.pkg.dev/my-project-1/training/base:1")
            + &image("near", "us-docker.pkg.dev/my-project-1/company-base/cuda/torch:1")
            + &image("far", "us-docker.pkg.dev/other-project/base/torch:1")
            + &image("public", "nvcr.io/nvidia/nemo:24.07"),
    );
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
    let nouns = r#"
bucket made {
  location = "us-central1"
}

cluster managed on vertex {
  region  = "us-central1"
  machine = "a3-megagpu-8g"
  staging = made
}
"#;
    let text = base("us-central1") + nouns + &workload("run", "managed", "");
    let grants = grants(&accept(text));
    let admins: Vec<&str> = grants
        .keys()
        .filter(|[_, role, _]| role.contains("roles/storage.admin"))
        .map(|[on, ..]| on.trim_matches('-'))
        .collect();
    assert_eq!(admins, ["google_storage_bucket.made.id"]);
}

/// An identity that nothing runs as.
fn alone(words: &str) -> Rendered {
    accept(format!("{}\nidentity loader {{\n  {words}\n}}\n", base("us-central1")))
}

#[test]
fn rights_are_given_without_a_run_and_the_larger_one_once() {
    let rendered = alone("reads = [data]");
    let grant = "resource google_storage_bucket_iam_member data_loader";
    assert_eq!(at(&rendered.block(FOUNDATION, grant), "role"), "\"roles/storage.objectViewer\"");
    let run = "\nworkload train on cc.p {\n  image = \"python:3.12.7-slim\"\n  launch = command([\"true\"])\n  identity = loader\n  mounts = [data at \"/data\"]\n}\n";
    let rendered = accept(format!(
        "{}\nidentity loader {{\n  reads = [data]\n}}\n\ncluster cc on gke {{\n  network = fabric\n  zone = \"us-central1-a\"\n  pool p {{\n    \
         machine = \"a3-megagpu-8g\"\n    nodes = 1\n  }}\n}}\n{run}",
        base("us-central1")
    ));
    let grants = rendered.resources(FOUNDATION, "google_storage_bucket_iam_member");
    assert_eq!(grants, ["data_loader"]);
    assert_eq!(at(&rendered.block(FOUNDATION, grant), "role"), "\"roles/storage.objectUser\"");
}

#[test]
fn secrets_are_read_by_whom_it_is_said_of() {
    let rendered = alone("secrets = [\"hf-token\", \"wandb\"]");
    expect(
        &rendered.block(FOUNDATION, "resource google_secret_manager_secret_iam_member loader"),
        &[
            ("for_each", "toset([\"hf-token\", \"wandb\"])"),
            ("secret_id", "each.value"),
            ("role", "\"roles/secretmanager.secretAccessor\""),
        ],
    );
    let services = rendered.block(FOUNDATION, "resource google_project_service apis");
    assert!(at(&services, "for_each").contains("secretmanager.googleapis.com"));
}

#[test]
fn who_acts_without_a_key_is_let_in_by_name() {
    let rendered = alone(
        "federated = {\n    work = github(\"my-org/training\", ref = \"refs/heads/main\")\n    slurm = \
         oidc(\"https://keys.example.com\", \"he said \\\"x\\\"\", audience = \"cloud\", keys = \"{}\")\n  }",
    );
    let provider = "resource google_iam_workload_identity_pool_provider loader";
    let provider = rendered.block(FOUNDATION, provider);
    expect(
        &provider,
        &[
            ("workload_identity_pool_provider_id", "each.key"),
            ("attribute_condition", "each.value.condition"),
            ("oidc.issuer_uri", "each.value.issuer"),
            ("oidc.allowed_audiences", "each.value.audiences"),
            ("oidc.jwks_json", "each.value.keys"),
        ],
    );
    insta::assert_snapshot!(at(&provider, "for_each"));
    let binding = rendered.block(FOUNDATION, &format!("{BINDING} loader_federated"));
    let members = at(&binding, "for_each");
    for member in [
        "\"attribute.repository/my-org/training\" = \"principalSet\"",
        "\"subject/he said \\\"x\\\"\" = \"principal\"",
    ] {
        assert!(members.contains(member), "{members}");
    }
    let pool = "google_iam_workload_identity_pool.loader.name";
    let member = format!("\"${{each.value}}://iam.googleapis.com/${{{pool}}}/${{each.key}}\"");
    expect(&binding, &[("member", member.as_str())]);
    let services = rendered.block(FOUNDATION, "resource google_project_service apis");
    assert!(at(&services, "for_each").contains("sts.googleapis.com"));
    rendered.block(FOUNDATION, "output loader_work_provider");
}

/// Of two ways in for one repository each may go without the other.
#[test]
fn who_is_let_in_twice_is_bound_once() {
    let bound = |ways: &str| {
        let rendered = alone(&format!("federated = {{\n{ways}\n  }}"));
        let all = rendered.resources(FOUNDATION, "google_service_account_iam_member");
        let binding = rendered.block(FOUNDATION, &format!("{BINDING} loader_federated"));
        (all, at(&binding, "for_each"))
    };
    let main = "    main = github(\"my-org/training\", ref = \"refs/heads/main\")";
    let prod = "    prod = github(\"my-org/training\", environment = \"prod\")";
    let both = bound(&format!("{main}\n{prod}"));
    assert_eq!(both.0, ["loader_federated"]);
    assert_eq!(both, bound(main));
    assert_eq!(both, bound(prod));
}

#[test]
fn identities_whose_names_run_together_let_each_its_own_in() {
    let way = |identity: &str, way: &str| {
        format!(
            "identity {identity} {{\n  account = \"{}\"\n  federated = {{\n    \"{way}\" = \
             github(\"my-org/training\")\n  }}\n}}\n",
            identity.replace('_', "-")
        )
    };
    let all = way("loader_data", "work") + &way("loader", "data-work");
    let rendered = accept(format!("{}\n{all}", base("us-central1")));
    for (pool, name) in [("loader_data", "loader_data_work"), ("loader", "loader_data-work")] {
        let words = format!("resource google_iam_workload_identity_pool_provider {pool}");
        rendered.block(FOUNDATION, &words);
        rendered.block(FOUNDATION, &format!("output {name}_provider"));
    }
}

/// Whoever applies the output as such an account would take itself away half way.
#[test]
fn who_others_act_as_stays_as_long_as_a_cluster_does() {
    let federated = "identity ci {\n  federated = { work = github(\"my-org/training\", ref = \"refs/heads/main\") }\n}\n";
    let cluster = |protected: bool| {
        let cluster = "cluster aa on gke {\n  network = fabric\n  zone    = \"us-central1-a\"\n";
        let pool = "  pool p {\n    machine = \"n2-standard-8\"\n    nodes   = 1\n  }\n";
        let protection = format!("  deletion_protection = {protected}\n");
        accept(format!("{}{federated}{cluster}{protection}{pool}}}\n", base("us-central1")))
    };
    let (kept, free) = (cluster(true), cluster(false));
    let policy = "var.deletion_protection ? \"PREVENT\" : \"DELETE\"";
    for block in ["google_service_account ci", "google_iam_workload_identity_pool ci"] {
        let block = format!("resource {block}");
        expect(&kept.block(FOUNDATION, &block), &[("deletion_policy", policy)]);
        expect(&free.block(FOUNDATION, &block), &[("deletion_policy", "\"DELETE\"")]);
    }
    let account = "resource google_service_account ci";
    expect(&kept.block(FOUNDATION, account), &[("lifecycle.prevent_destroy", "true")]);
    expect(&free.block(FOUNDATION, account), &[("lifecycle", "-")]);
}

/// A cluster of Slurm whose nodes and controller are these identities, as they are declared.
fn slurm(nodes: &str, head: &str) -> Rendered {
    accept(format!(
        r#"network system {{
  region = "us-east4"
}}

{nodes}

{head}

cluster hpc on slurm {{
  network       = system
  zone          = "us-east4-b"
  node_identity = nodes
  controller    = controller(identity = head)
  release       = "25.11"
  shared        = "/home/slipform"

  partition cpu {{
    machine = "n2-standard-8"
    nodes   = 2
  }}
}}
"#
    ))
}

#[test]
fn a_controller_acts_as_its_nodes_and_as_nobody_else() {
    let act = "roles/iam.serviceAccountUser";
    let on_project = |rendered: &Rendered| {
        let roles = rendered.block(FOUNDATION, "resource google_project_iam_member head");
        at(&roles, "for_each").contains(act)
    };
    let own = slurm("identity nodes {}", "identity head {}");
    assert!(!on_project(&own));
    let acts = format!("{BINDING} nodes_acted_by_head");
    let role = format!("\"{act}\"");
    let on = ("service_account_id", "google_service_account.nodes.name");
    let expected = [on, ("role", role.as_str()), ("member", "google_service_account.head.member")];
    expect(&own.block(FOUNDATION, &acts), &expected);
    let lent = slurm("identity nodes {}", "existing identity head {}");
    let expected = [on, ("member", "data.google_service_account.head.member")];
    expect(&lent.block(FOUNDATION, &acts), &expected);
    let theirs = slurm("existing identity nodes {}", "identity head {}");
    assert!(on_project(&theirs));
    let both = slurm("existing identity nodes {}", "existing identity head {}");
    let released = both.blocks(FOUNDATION);
    let released = released.iter().filter(|it| it.identifier() == "removed");
    let released: Vec<String> = released.map(|it| at(it, "from")).collect();
    let forgotten = "google_service_account_iam_member.nodes_acted_by_head".to_owned();
    assert!(released.contains(&forgotten), "{released:?}");
}
