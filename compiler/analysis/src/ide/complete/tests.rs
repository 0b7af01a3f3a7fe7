//! What is offered at `$0` of a text that is being typed.

use super::{Completion, complete};
use crate::{Depth, Options, Stages, analyse, analyse_in_stages};
use slipform_source::MemoryWorld;

/// What is offered at the mark of a text.
struct Offered(Vec<(u8, String)>, String);

fn at(marked: &str) -> Offered {
    let found = completions(marked);
    Offered(found.into_iter().map(|it| (it.rank, it.label)).collect(), marked.to_owned())
}

fn completions(marked: &str) -> Vec<Completion> {
    let offset = marked.find("$0").expect("a mark");
    let text = marked.replacen("$0", "", 1);
    let world = MemoryWorld::new([("main.bp", text)]);
    let options = Options { path: "main.bp".into(), editor: true, ..Options::default() };
    let analysis = analyse(&world, &options);
    let file = analysis.trees.last().expect("a tree").file;
    complete(&analysis, file, offset).found
}

impl Offered {
    /// What fits best is just this, in order.
    fn first(self, labels: &str) -> Self {
        let best = self.0.first().map(|(rank, _)| *rank);
        let found = self.0.iter().filter(|(rank, _)| Some(*rank) == best);
        let found: Vec<&str> = found.map(|(_, label)| label.as_str()).collect();
        assert_eq!(found.join(", "), labels, "offered first in\n{}", self.1);
        self
    }

    fn has(self, labels: &[&str]) -> Self {
        for label in labels {
            let found = self.labels().any(|it| it == *label);
            assert!(found, "`{label}` is missing among {:?} of\n{}", self.0, self.1);
        }
        self
    }

    fn lacks(self, labels: &[&str]) -> Self {
        for label in labels {
            assert!(self.labels().all(|it| it != *label), "`{label}` is too much in\n{}", self.1);
        }
        self
    }

    fn labels(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(_, label)| label.as_str())
    }
}

/// A cluster with pools, and `$body` behind it.
fn behind_a_cluster(body: &str) -> Offered {
    at(&format!(
        "network net {{\n  region = \"us-east4\"\n}}\ncluster c on gke {{\n  network = net\n  \
         pool gpus {{\n    machine = \"a3-megagpu-8g\"\n    nodes = 2\n  }}\n}}\n{body}"
    ))
}

#[test]
fn a_statement_begins_with_what_its_block_takes() {
    at("$0").has(&["network", "cluster on gke", "param", "let", "use"]).lacks(&["pool", "nodes"]);
    at("netw$0\n").has(&["network", "existing"]);
    at("network net {\n  $0\n}\n").first("region").has(&["subnet", "allow"]).lacks(&["free"]);
    at("network net {\n  subnet = \n  $0\n}\n").first("region").lacks(&["subnet"]);
    at("network net {\n  $0\n}\n").has(&["was"]);
    at("network net {\n  was = \"a\"\n  $0\n}\n").lacks(&["was"]);
    at("component c {\n  network n {\n    region = \"us-east4\"\n  }\n}\nc x {\n  $0\n}\n")
        .has(&["was"]);
}

#[test]
fn a_member_is_one_of_what_stands_before_the_dot() {
    for body in [
        "let a = c.$0\n",
        "let a = c.gp$0\n",
        "workload w on c.gpus {\n  env = { A = c.$0 }\n}\n",
        "workload w on c.gpus {\n  env = { A = \"${c.$0}\" }\n}\n",
        "workload w on c.gpus {\n  env = { A = f( c.$0\n",
        "let a = [1, c.$0]\n",
        "for a in c.$0",
        "if c.$0",
        "param p: int = 1 where c.$0\n",
        "param p: int = c.$0",
        "let a = c.$0gpus.nodes\n",
        "let a = { b = 1, d = c.$0\n",
        "workload w on c.gpus {\n  launch = torchrun(c.$0\n  nodes = 1\n}\n",
        "workload w on c.gpus {\n  launch = torchrun(\"a\", args = { b = c.$0 })\n}\n",
        "workload w on c.gpus {\n  nodes = 1\n  patch jobset {\n    a = c.$0\n  }\n}\n",
        "let a = min(1, c.$0",
        "assert c.$0\n",
        "output o = (c.$0\n",
        "let a = if c.$0 { 1 } else { 2 }\n",
    ] {
        behind_a_cluster(body).has(&["gpus", "network"]).lacks(&["let", "min"]);
    }
    for body in ["workload w on c.$0 {\n}\n", "workload w on c.$0"] {
        behind_a_cluster(body).has(&["gpus"]).lacks(&["network", "let"]);
    }
    for body in [
        "let a = c.gpus.$0\n",
        "let a = 1 + c.gpus.$0\n",
        "let a = not c.gpus.$0\n",
        "let a = c.gpus.nodes == c.gpus.$0\n",
        "let b = c.\nlet a = c.gpus.$0\n",
        "let a = c.gpus.$0 + 1\n",
        "workload w on c.gpus {\n  nodes = = 3\n  restarts = c.gpus.$0\n  nodes\n}\n",
    ] {
        behind_a_cluster(body).has(&["nodes", "machine"]).lacks(&["c", "let", "chips"]);
    }
    behind_a_cluster("let a = [c.gpus][0].$0\n").has(&["nodes"]);
    behind_a_cluster("let a = (if true { c.gpus } else { c.gpus }).$0\n").has(&["nodes"]);
    behind_a_cluster("rule r on pool {\n  when spec.$0\n}\n").has(&["vcpus", "chips"]);
    behind_a_cluster("rule r on pool {\n  label spec.$0\n}\n").has(&["vcpus", "chips"]);
    behind_a_cluster("rule r on pool {\n  fix set spec.$0\n}\n").has(&["vcpus", "chips"]);
    behind_a_cluster("assert c.gpus.$0\n").has(&["nodes", "chips"]);
    behind_a_cluster("let a = c.gpus.capacity.$0\n").lacks(&["nodes", "let"]);
}

#[test]
fn a_value_fits_its_field() {
    behind_a_cluster("workload w on $0 {\n}\n").has(&["c.gpus"]);
    behind_a_cluster("workload w on c.gpus {\n  launch = $0\n}\n")
        .has(&["torchrun", "srun", "command"]);
    behind_a_cluster("workload w on c.gpus {\n  fabric = $0\n}\n").has(&["auto"]);
    at("cluster c on gke {\n  release = \"$0\"\n}\n").has(&["rapid", "stable"]).lacks(&["auto"]);
    at("cluster c on gke {\n  pool p {\n    capacity = $0\n  }\n}\n").has(&["spot", "flex_start"]);
    at("cluster c on gke {\n  pool p {\n    machine = \"a3-mega$0\"\n  }\n}\n")
        .has(&["a3-megagpu-8g"]);
    at("let n = $0\n").has(&["min", "if"]);
    at("let n = 1\nlet m = n + $0\n").has(&["n"]);
}

#[test]
fn brackets_know_what_they_hold() {
    at("cluster c on gke {\n  pool p {\n    capacity = reservation($0\n  }\n}\n")
        .has(&["name", "block"]);
    at("cluster c on gke {\n  pool p {\n    capacity = reservation(name = \"r\", $0)\n  }\n}\n")
        .has(&["block"])
        .lacks(&["name"]);
    behind_a_cluster("workload w on c.gpus {\n  parallel = { ten$0 }\n}\n").has(&["tensor"]);
    behind_a_cluster("workload w on c.gpus {\n  mounts = [$0]\n}\n").has(&["mount"]);
}

#[test]
fn words_behind_words_are_known() {
    at("cluster c on $0").first("gke, slurm, vertex");
    at("param p: $0\n").has(&["int", "Size", "ProjectId", "network"]).lacks(&["min"]);
    at("existing $0\n").has(&["network", "bucket"]).lacks(&["let"]);
    at("use std.$0\n").has(&["std.components"]);
    at("network net {\n  allow $0\n}\n").lacks(&["region"]);
}

#[test]
fn nothing_is_offered_in_a_comment_or_a_number() {
    at("# a$0\n").first("");
    at("let a = 12$0\n").first("");
}

#[test]
fn the_machine_around_decides_which_facts_fit() {
    let machine = "machine = \"ct5lp-hightpu-4t\"";
    for body in [
        format!("{machine}\n    topology = $0\n  }}\n}}\n"),
        format!("{machine}\n    topology = 4$0\n  }}\n}}\n"),
        format!("{machine}\n    topology = $0"),
        format!("{machine}\n    topology = 2x$0\n    nodes = = 3\n"),
        format!("topology = $0\n    {machine}\n  }}\n}}\n"),
        format!("topology = $0\n    nodes = \n    {machine}\n"),
        format!("labels = {{ a = \"b\" }}\n    {machine}\n    topology = $0\n    slices = 2\n}}\n"),
    ] {
        at(&format!("cluster c on gke {{\n  pool p {{\n    {body}"))
            .has(&["4x4"])
            .lacks(&["2x2x1", "4x4x4"]);
    }
    at("cluster c on gke {\n  pool p {\n    topology = $0\n  }\n}\n").has(&["4x4", "2x2x1"]);
}

#[test]
fn a_block_that_is_not_closed_takes_what_it_would_take() {
    at("network net {\n  $0\ncluster c on gke {\n}\n").has(&["region"]).lacks(&["pool"]);
    at("network net {\n  region = \"us-east4\"\n$0").has(&["subnet"]).lacks(&["region"]);
    at("network net {\n$0  region = \"us-east4\"\n}\n").has(&["subnet"]);
    at("network net {$0").first("region").lacks(&["param"]);
    at("cluster c on gke {\n  pool p {\n    nodes = 1\n    $0")
        .has(&["machine"])
        .lacks(&["nodes", "network"]);
    behind_a_cluster("workload w on c.gpus { nodes = 1\n  if true {\n    $0")
        .has(&["launch"])
        .lacks(&["nodes"]);
    behind_a_cluster("rule a/b on pool {$0").has(&["when", "require"]).lacks(&["let a", "nodes"]);
    at("component c {\n  size: int\n  $0").has(&["network", "let"]).lacks(&["size"]);
}

#[test]
fn a_key_without_a_value_is_a_key_all_the_same() {
    let around = |value: &str| behind_a_cluster(&format!("workload w on c.gpus {{\n  {value}"));
    for value in [
        "parallel = { tensor = , $0 }\n}\n",
        "parallel = {\n    tensor =\n    $0\n  }\n}\n",
        "parallel = { $0, tensor = 8\n",
        "parallel = { tensor = 8, $0",
        "parallel = { tensor, pi$0 }\n}\n",
    ] {
        around(value).has(&["pipeline"]).lacks(&["tensor", "if"]);
    }
    around("parallel = { tensor = $0 }\n}\n").has(&["min"]).lacks(&["pipeline", "c.network"]);
    around("nodes =\n  $0\n}\n").has(&["launch"]).lacks(&["nodes"]);
    around("env = { $0 }\n}\n").has(&["NCCL_DEBUG"]).lacks(&["c", "if"]);
    around("env = { A = $0, B = 1 }\n}\n").has(&["c"]);
}

#[test]
fn a_list_offers_constructors_between_any_brackets() {
    let around = |value: &str| behind_a_cluster(&format!("workload w on c.gpus {{\n  {value}"));
    for value in [
        "mounts = [$0\n  nodes = 1\n}\n",
        "mounts = [mount(net, \"/a\"), $0",
        "mounts = [\n    scratch(1TiB) at \"/a\",\n    $0\n  ]\n}\n",
        "mounts = [if true { $0 } else { }]\n}\n",
        "mounts = [for x in [1] { $0 }]\n}\n",
    ] {
        around(value).has(&["mount"]).lacks(&["nodes", "launch"]);
    }
    around("mounts = [mount(net, \"/a\", $0").has(&["folder"]).lacks(&["path", "source", "nodes"]);
    around("mounts = [mount(net, path = \"/a\", $0)]\n").has(&["folder"]).lacks(&["path"]);
}

#[test]
fn the_use_of_a_component_knows_its_fields() {
    let within = |body: &str| {
        behind_a_cluster(&format!(
            "component bench {{\n  place: pool\n  size: int = 1\n  mode: \"all\" | \"one\" = \"all\"\n  \
             size_of: {{ low: int, high: int }}?\n}}\n{body}"
        ))
    };
    within("bench b on $0").has(&["c.gpus"]).lacks(&["net"]);
    within("bench b on c.gpus {\n  size = 1\n  $0").first("mode, size_of").lacks(&["place"]);
    within("bench b on c.gpus {\n  mode = \"$0\n}\n").first("all, one");
    within("bench b on c.gpus {\n  mode = $0\n  size = 2\n").first("\"all\", \"one\"");
    within("bench b on c.gpus {\n  size_of = { low = 1, $0").first("high");
    within("ben$0").has(&["bench"]);
}

#[test]
fn behind_on_stands_what_it_may_be_on() {
    at("cluster c on g$0 {\n").first("gke, slurm, vertex");
    at("existing cluster c on $0\n").first("gke, slurm, vertex");
    behind_a_cluster("workload w on $0\n  nodes = 1\n}\n").has(&["c.gpus"]).lacks(&["net", "gke"]);
    at("rule a/b on $0\n").has(&["pool", "cluster"]).lacks(&["let"]);
    at("rule a/b on cluster.$0 {\n}\n").first("gke, slurm, vertex");
    at("rule a/b on workload | po$0 {\n").has(&["pool"]).lacks(&["let"]);
    at("rule a/b on pool | cluster.$0 {\n").first("gke, slurm, vertex");
    at("kind rack in $0 {\n").has(&["cluster"]).lacks(&["pool"]);
}

#[test]
fn a_patch_has_values_and_nothing_that_is_known_of_keys() {
    let around = |body: &str| behind_a_cluster(&format!("workload w on c.gpus {{\n  {body}"));
    around("patch $0").first("");
    around("patch jobset {\n    $0\n  }\n}\n").first("");
    around("patch jobset {\n    spec = { $0 }\n  }\n}\n").first("");
    around("patch jobset {\n    suspend = $0").has(&["c", "net"]);
}

#[test]
fn nothing_follows_a_value_on_its_line() {
    for text in [
        "let a $0",
        "let a = \"b\"$0\n",
        "let a = [1 $0]\n",
        "type Zone $0\n",
        "network net $0\n",
        "network $0\n",
        "network net {\n  region = \"us-east4\" $0\n}\n",
        "cluster c on gke {\n  pool p {\n    capacity = reservation(\"r\" $0)\n",
    ] {
        at(text).first("");
    }
    for text in ["let a = [for i i$0n 0..3 { i }]\n", "for a $0\n", "for a, b $0 {\n}\n"] {
        at(text).first("in");
    }
    for text in ["for a, $0\n", "for $0\n", "# for a $0\n", "let a = \"for a $0\"\n"] {
        at(text).lacks(&["in"]);
    }
}

#[test]
fn the_type_that_is_written_decides_what_fits() {
    at("let zones: [Zone] = [\"us-east4-a\", \"$0").has(&["us-central1-a"]).lacks(&["us-central1"]);
    at("param mode: \"low\" | \"high\" = \"$0\n").first("high, low");
    at("component c {\n  sizes: [\"low\" | \"high\"] = [$0]\n}\n").first("\"high\", \"low\"");
    at("type Sizes = { low: in$0 }\n").has(&["int"]).lacks(&["min"]);
}

#[test]
fn rounds_and_lines_of_a_rule_name_things() {
    behind_a_cluster("let a = [for it in [c.gpus] { it.$0 }]\n").has(&["nodes"]);
    behind_a_cluster("let a = [for it in [c.gpus] if it.$0").has(&["nodes"]);
    at("let a = [for zone in [1] { [for k, v in { b = zone } { $0").has(&["zone", "k", "v"]);
    at("let a = [for zone in [$0] { zone }]\n").lacks(&["zone"]);
    at("rule a/b on pool {\n  let many = nodes\n  for one in 1..3\n  require $0\n  let late = 1\n}\n")
        .has(&["many", "one", "nodes", "self", "cluster"])
        .lacks(&["late"]);
    at("rule a/b on pool {\n  require self.$0").has(&["nodes", "chips"]);
}

#[test]
fn facts_of_the_project_are_known_before_anything_is_evaluated() {
    let facts =
        "[[machine]]\nname = \"rack-7\"\nlike = \"hgx-h100\"\nvcpus = 192\nmemory_gib = 1536\n";
    let text = "cluster floor on slurm {\n  partition p {\n    machine = \"\"\n  }\n}\n";
    let world = MemoryWorld::new([("main.bp", text), ("catalog.local.toml", facts)]);
    let options = Options { path: "main.bp".into(), editor: true, ..Options::default() };
    let stages = Stages { checked: &mut |_, _| {}, wanted: &|| Depth::Names, ahead: None };
    let analysis = analyse_in_stages(&world, &options, &mut slipform_syntax::parse, stages);
    assert!(analysis.plan.is_none());
    let file = analysis.trees.last().expect("a tree").file;
    let offset = text.find("\"\"").expect("a text") + 1;
    let found = complete(&analysis, file, offset).found;
    assert!(found.iter().any(|it| it.label == "rack-7"), "{found:?}");
}

#[test]
fn a_word_of_any_letters_is_replaced_as_a_whole() {
    let marked = "let größe = 1\nlet c = grö$0\n";
    let found = completions(marked);
    let size = found.iter().find(|it| it.label == "größe").expect("the name");
    assert_eq!(marked.get(size.replace.range()), Some("grö"));
}

#[test]
fn a_condition_knows_nothing_of_its_branches() {
    for text in [
        "let flag = true\nif $0 {\n  let inner = 1\n}\n",
        "let flag = true\nif fl$0 {\n  let inner = 1\n}\n",
        "let flag = true\nif flag and $0 {\n  bucket inner {\n  }\n}\n",
        "let flag = true\nfor item in $0 {\n  let inner = item\n}\n",
        "let flag = true\nfor item in [fl$0] {\n  let inner = item\n}\n",
    ] {
        at(text).has(&["flag"]).lacks(&["inner", "item"]);
    }
    at("for item in [1] by $0 {\n  let inner = item\n}\n").has(&["item"]).lacks(&["inner"]);
    at("for item in [1] {\n  let inner = it$0\n}\n").has(&["item"]);
}

/// What is offered at the mark of a test of a small project.
fn in_test(marked: &str) -> Offered {
    let text = marked.replacen("$0", "", 1);
    let main = "param keep: Duration = 1d\nbucket data {\n  location = \"us-east4\"\n}\n";
    let world = MemoryWorld::new([
        ("main.bp", main),
        ("slipform.toml", "[env.dev.params]\n[env.prod.params]\n"),
        ("tests/it.test.bp", &text),
    ]);
    let test = Some("tests/it.test.bp".into());
    let analysis = analyse(&world, &Options { test, editor: true, ..Options::default() });
    let file = analysis.trees.last().expect("a tree").file;
    let offset = marked.find("$0").expect("a mark");
    let found = complete(&analysis, file, offset).found;
    let told = found.into_iter().map(|it| (it.rank, it.insert));
    Offered(told.collect(), marked.to_owned())
}

#[test]
fn a_test_is_completed_by_what_its_project_has() {
    in_test("test a {\n  $0\n}\n")
        .first("environments = [$0], params = { $0 }, refused = [$0], renders = [$0]");
    in_test("test a {\n  refused = [\"x\"]\n  re$0\n}\n").has(&["renders = [$0]"]);
    in_test("test a {\n  environments = [$0]\n}\n").first("\"dev\", \"prod\"");
    in_test("test a {\n  environments = [\"p$0\"]\n}\n").first("dev, prod");
    in_test("test a {\n  params = { k$0 }\n}\n").first("keep = [$0]");
    in_test("test a {\n  params = { keep = [$0] }\n}\n").lacks(&["keep = [$0]"]);
    in_test("test a {\n  renders = [da$0]\n}\n").first("data");
    in_test("test a {\n  refused = [\"tpu/$0\"]\n}\n").has(&["tpu/hosts"]);
    in_test("test a {\n}\nlet x = $0\n").lacks(&["renders = [$0]"]);
}

#[test]
fn words_go_on_behind_what_they_suit() {
    let params = "param many: int = 1\nparam on: bool = true\nparam late: Duration?\n";
    let behind = |body: &str| at(&format!("{params}{body}"));
    behind("let a = if on $0 { 1 } else { 2 }\n").first("and, or");
    behind("let a = if late $0 { 1 } else { 2 }\n").first("in, is not set, is set");
    behind("let a = if many > 1 and on $0").first("and, or");
    behind("if on {\n} $0\n").first("else");
    behind("if on {\n  bucket a {\n    location = \"us\"\n  }\n} $0 {\n}\n").first("else");
    behind("if on {\n} else $0\n").first("if");
    behind("let a = if on { 1 } $0\n").first("else");
    behind("param more: int $0\n").first("in, where");
    behind("param more: string $0\n").first("matching, where");
    behind("param more: int = 4 $0\n").first("where");
    behind("let a = [for one in [1] $0 { one }]\n").first("if");
    behind("for one in [1] $0 {\n}\n").first("by");
    behind_a_cluster("workload w on c.gpus {\n  mounts = [scratch(1TiB) $0]\n}\n").first("at");
    behind_a_cluster("workload w on c.gpus {\n  nodes = 1 $0\n}\n").first("");
    at("component x {\n  place: pool\n}\nx y $0\n").first("on");
}

#[test]
fn what_is_sought_goes_first() {
    let params = "param mode: \"fast\" | \"slow\" = \"fast\"\nparam many: int = 1 where $w\n\
                  param on: bool = true\nparam late: Duration?\nlet sizes = { small = 1 }\n";
    let with = |body: &str| at(&format!("{}{body}", params.replace("$w", "true")));
    with("if $0 {\n}\n").first("on");
    with("let a = not $0\n").first("on");
    with("assert $0\n").first("on");
    with("if $0 is set {\n}\n").first("late");
    with("if $0 == \"fast\" {\n}\n").first("mode");
    with("let a = $0 == \"slow\"\n").first("mode");
    with("let a = \"${$0}\"\n").has(&["many"]);
    with("let a = $0.small\n").first("sizes");
    with("let a = si$0[\"small\"]\n").first("sizes");
    with("let a = sizes[\"$0\"]\n").first("small");
    with("let a = [for size in $0 { size }]\n").first("sizes");
    with("let a = if on { 7d } else { $0 }\n").has(&["late"]);
    with("let a = if on { spot } else { $0 }\n").has(&["on_demand", "reservation"]);
    with("let a = [\"x\", $0]\n").has(&["mode"]);
    with("let a = $0\n").first("if").has(&["spot", "mount", "true", "mode"]);
    at(&params.replace("$w", "$0 > 0")).has(&["many"]);
    behind_a_cluster("let a = chips($0)\n").has(&["if"]);
    behind_a_cluster("bucket b {\n  location = \"us\"\n}\nlet a = \"${b.$0}\"\n").has(&["url"]);
}

#[test]
fn texts_are_those_that_the_blueprint_says_elsewhere() {
    let pool = "cluster c on gke {\n  pool gpus {\n    machine = \"a3-megagpu-8g\"\n  }\n  \
                queue q {\n    pools = [gpus]\n    namespaces = [\"research\"]\n    \
                priorities = { urgent = 9 }\n  }\n}\n";
    let run = |line: &str| at(&format!("{pool}workload w on c.gpus {{\n  {line}\n}}\n"));
    run("namespace = \"$0\"").has(&["research"]);
    run("priority = \"$0\"").has(&["urgent"]);
    run("priority = $0").has(&["\"urgent\""]);
    at("identity a {\n  roles = [\"$0\"]\n}\n").has(&["roles/storage.objectViewer"]);
    let env = "workload v on c.gpus {\n  env = { TOKEN = \"t\" }\n}\n";
    at(&format!("{pool}{env}workload w on c.gpus {{\n  env = {{ $0 }}\n}}\n")).first("TOKEN");
    at("let sizes = { small = { low = 1 }, large = { $0 } }\n").first("low");
    behind_a_cluster(
        "workload w on c.gpus {\n  mounts = [mount(net, \"/data\")]\n  \
                      workdir = $0\n}\n",
    )
    .lacks(&["net"]);
}

#[test]
fn a_noun_goes_before_its_facts_and_a_rule_that_reports_before_others() {
    at("param node: MachineType = \"a3-megagpu-8g\"\ncluster c on gke {\n  pool p {\n    \
        machine = $0\n  }\n}\n")
    .first("node");
    at("type Mine = int\nparam machine: $0\n").first("MachineType").has(&["Mine"]);
    at("network net {\n  region = \"us-east4\"\n  subnet = 10.0.0.0/20\n  \
        pods = 10.0.0.0/14\n  allow $0\n}\n")
    .first("network/pods-overlap-nodes");
}

#[test]
fn what_is_refused_right_after_is_not_offered() {
    let inside = |body: &str| {
        at(&format!(
            "network net {{\n  region = \"us-east4\"\n  pods = 10.64.0.0/14\n  services = 10.68.0.0/20\n}}\n\
             cluster c on gke {{\n  network = net\n  zone = \"us-east4-a\"\n  pool gpus {{\n    machine = \"a3-megagpu-8g\"\n    nodes = 2\n  }}\n}}\n{body}"
        ))
    };
    inside("workload w on c.gpus {\n  image = $0\n}\n").lacks(&["no_container", "squashfs"]);
    at("cluster c on slurm {\n  partition p {\n    machine = \"hgx-h100\"\n    nodes = 1\n  }\n}\nworkload w on c.p {\n  image = $0\n}\n")
        .has(&["no_container", "squashfs"]);
    inside("bucket b {\n  location = \"us-east4\"\n  soft_delete = $0\n}\n")
        .has(&["7d", "0s"])
        .lacks(&["1h"]);
    // while a line is missing nothing follows, and what is written says the region
    let zone = "network net {\n  region = \"us-east5\"\n}\ncluster c on gke {\n  network = net\n  zone = \"$0\"\n}\n";
    at(zone).has(&["us-east5-a"]).lacks(&["us-east4-a", "europe-west4-a"]);
    let made = "network net {\n  region = \"us-east4\"\n}\ncluster c on slurm {\n  network = net\n  zone = \"us-east4-a\"\n  $0\n}\n";
    let insert = |marked: &str, label: &str| {
        let found = completions(marked).into_iter().find(|it| it.label == label);
        found.expect("an offer").insert
    };
    assert!(!insert(made, "release").contains("23.11"), "{}", insert(made, "release"));
    let pool = "network net {\n  region = \"us-east4\"\n}\ncluster c on gke {\n  network = net\n  pool p {\n    machine = \"a3-megagpu-8g\"\n    $0\n  }\n}\n";
    assert!(!insert(pool, "disk_type").contains("pd-standard"), "{}", insert(pool, "disk_type"));
    let gke = "cluster c on gke {\n  $0\n}\n";
    assert!(
        insert(gke, "release").starts_with("release = \"${1|regular,"),
        "{}",
        insert(gke, "release")
    );
}

#[test]
fn a_place_is_asked_for_in_front_of_a_body_too() {
    at("cluster a3m $0").has(&["on"]);
    at("cluster a3m $0 {\n  zone = \"us-east4-a\"\n}\n").has(&["on"]);
    at("cluster a3m $0\n  zone = \"us-east4-a\"\n}\n").has(&["on"]);
    at("cluster a3m o$0 {\n  zone = \"us-east4-a\"\n}\n").has(&["on"]);
    behind_a_cluster("workload w $0 {\n  nodes = 1\n}\n").has(&["on"]);
}

#[test]
fn a_secret_is_offered_in_front_of_its_name() {
    let of = |body: &str| {
        at(&format!(
            "use std.components.{{megatron}}\ncluster c on slurm {{\n  partition p {{\n    machine = \"hgx-h100\"\n    nodes = 1\n  }}\n}}\n{body}"
        ))
    };
    of("workload w on c.p {\n  image = no_container\n  env = { HF_TOKEN = $0(\"hf-token\") }\n}\n")
        .has(&["secret"]);
    of("megatron w on c.p {\n  env = { HF_TOKEN = $0(\"hf-token\") }\n}\n").has(&["secret"]);
    of("megatron w on c.p {\n  env = { HF_TOKEN = $0(\"hf-token\") }  # the tokenizer\n  max_run = 6d\n}\n").has(&["secret"]);
}
