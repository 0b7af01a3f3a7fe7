//! Teams: who works in which namespace, what it may hold, who reaches its pods, and what names no priority.

use super::{documents, file, object, rendered, yaml};

/// A team with a wall and limits, one that only has members, and one in a namespace that someone else makes.
const TEAMS: &str = r#"
network fabric {
  region   = "us-east4"
  pods     = 10.64.0.0/14
  services = 10.68.0.0/20
}

cluster main on gke {
  network          = fabric
  zone             = "us-east4-a"
  default_priority = "low"
  teams            = {
    vision = team(
      members  = ["group:vision@example.com", "user:ann@example.com"],
      isolated = true,
      runs     = 20,
      pods     = 400,
      services = 20,
      claims   = 10,
    ),
    guests = team(members = ["serviceAccount:ci@my-project-1.iam.gserviceaccount.com"], made = false),
  }
  pool gpus {
    machine  = "a3-megagpu-8g"
    nodes    = 8
    capacity = reservation("a3m")
  }
  for name in ["vision", "guests"] {
    queue q {
      pools      = [gpus]
      namespaces = [name]
      open_to    = { team = name }
      cohort     = "everyone"
    }
  }
}
"#;

const OBJECTS: &str = "40-main-queues/teams.yaml";

#[test]
fn a_team_has_a_role_limits_and_a_wall_in_its_namespace() {
    let out = rendered(TEAMS);
    let text = file(&out, OBJECTS);
    let own: Vec<&str> =
        text.split("---\n").filter(|it| it.contains("namespace: vision")).collect();
    insta::assert_snapshot!(own.join("---\n"));
    let others: Vec<String> = documents(&out, OBJECTS)
        .iter()
        .filter(|it| it["metadata"]["namespace"] == "guests")
        .map(|it| it["kind"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(others, ["Role", "RoleBinding"]);
}

#[test]
fn a_namespace_that_someone_else_makes_is_asked_for_and_not_made() {
    let out = rendered(TEAMS);
    let namespaces = documents(&out, "40-main-queues/namespaces.yaml");
    let names: Vec<&str> =
        namespaces.iter().map(|it| it["metadata"]["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["vision"]);
    let install = file(&out, "40-main-queues/install.sh");
    assert!(install.contains("kubectl get namespace guests >/dev/null || {"), "{install}");
    assert!(!install.contains("kubectl get namespace vision"), "{install}");
    let page = file(&out, "README.md");
    let said = "have to be there first: `guests`, with the labels `team=guests`.";
    assert!(page.contains(said), "{page}");
}

#[test]
fn what_names_no_priority_has_that_of_the_cluster_and_takes_no_place_on_nodes() {
    let out = rendered(TEAMS);
    let class = object(&out, "40-main-queues/queues.yaml", "PriorityClass", "low");
    assert_eq!((&class["value"], &class["globalDefault"]), (&yaml("250"), &yaml("true")));
    assert_eq!(class["preemptionPolicy"], "Never");
}

#[test]
fn members_find_the_cluster_and_gke_knows_their_groups() {
    let out = rendered(TEAMS);
    let cluster = file(&out, "30-main/cluster.tf");
    assert!(cluster.contains("security_group = \"gke-security-groups@example.com\""), "{cluster}");
    let iam = file(&out, "10-foundation/iam.tf");
    let members = iam.split("\"main_members\"").nth(1).unwrap();
    for member in ["group:vision@example.com", "user:ann@example.com", "serviceAccount:ci@"] {
        assert!(members.contains(member), "{members}");
    }
    assert!(members.contains("roles/container.clusterViewer"), "{members}");
}

/// What has the node is refused where nothing needs it, and warned of where a fabric or a run does.
#[test]
fn a_namespace_of_a_team_is_held_to_the_baseline() {
    let labels = |text: &str| {
        let out = rendered(text);
        let namespaces = object(&out, "40-main-queues/namespaces.yaml", "Namespace", "vision");
        let label = |mode: &str| {
            let key = format!("pod-security.kubernetes.io/{mode}");
            namespaces["metadata"]["labels"][key.as_str()].as_str().map(str::to_owned)
        };
        (label("enforce"), label("warn"))
    };
    let baseline = || Some("baseline".to_owned());
    assert_eq!(labels(TEAMS), (None, baseline()), "TCPXO has folders of the node");
    let plain = TEAMS
        .replace("\"a3-megagpu-8g\"", "\"g2-standard-48\"")
        .replace("reservation(\"a3m\")", "spot");
    assert_eq!(labels(&plain), (baseline(), None));
    let run = "workload tool on main.gpus {\n  image = \"python:3.12\"\n  launch = command([\"python\"])\n  queue = main.q[\"vision\"]\n  namespace = \"vision\"\n";
    assert_eq!(labels(&format!("{plain}{run}}}\n")), (baseline(), None));
    assert_eq!(labels(&format!("{plain}{run}  privileged = true\n}}\n")), (None, baseline()));
}
