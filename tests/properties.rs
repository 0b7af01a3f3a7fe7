//! What holds of any text and of any value.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "what a test takes for granted fails it"
)]

use hcl::eval::{Context, Evaluate};
use proptest::prelude::*;
use slipform_tests::{checked_text, files, root};

const BLUEPRINT: &str = r#"
param project: ProjectId = "my-project"

network net {
  region   = "us-east4"
  pods     = 10.64.0.0/14
  services = 10.1.0.0/20
}

cluster gpu on gke {
  network = net
  zone    = "us-east4-a"
  pool gpus {
    machine  = "a3-megagpu-8g"
    nodes    = 2
    capacity = reservation("r")
    patch node_pool {
      node_config = { metadata = { note = METADATA } }
    }
  }
}

workload w on gpu.gpus {
  image  = "nvcr.io/nvidia/nemo:24.07"
  nodes  = 2
  launch = torchrun("train.py", args = { note = VALUE })
  env    = { NOTE = VALUE }
}
"#;

/// A value as a string literal of the language.
fn literal(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' | '$' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => quoted.push_str(&format!("\\u{{{:x}}}", c as u32)),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// What is rendered where a workload in a place is launched so.
fn rendered_with(launch: &str, value: &str, place: &str) -> Vec<slipform_targets::Artifact> {
    let usual = "torchrun(\"train.py\", args = { note = VALUE })";
    rendered_of(&BLUEPRINT.replace(usual, launch), value, "plain", place)
}

/// What is rendered where a workload in a place is given a value, and the nodes of a pool a value of their metadata.
fn rendered(value: &str, metadata: &str, place: &str) -> Vec<slipform_targets::Artifact> {
    rendered_of(BLUEPRINT, value, metadata, place)
}

fn rendered_of(
    blueprint: &str,
    value: &str,
    metadata: &str,
    place: &str,
) -> Vec<slipform_targets::Artifact> {
    let text = blueprint.replace("VALUE", &literal(value)).replace("METADATA", &literal(metadata));
    let text = match place {
        "gke" => text,
        "slurm" => {
            text.replace("workload w on gpu.gpus", "workload w on hpc.a3")
                + "cluster hpc on slurm {\n  partition a3 {\n    machine = \"a3-megagpu-8g\"\n    nodes = 2\n  }\n}\n"
        }
        _ => {
            text.replace("workload w on gpu.gpus", "workload w on managed")
                + "cluster managed on vertex {\n  region = \"us-east4\"\n  machine = \"a3-megagpu-8g\"\n}\n"
        }
    };
    let (analysis, output) = checked_text(&text);
    assert!(!analysis.has_errors(), "{:#?}", analysis.diagnostics);
    output.artifacts
}

/// What is rendered where a second group of a job is given a value, and its first one another.
fn of_group(value: &str) -> Vec<slipform_targets::Artifact> {
    let text = BLUEPRINT.replace("VALUE", "\"other\"").replace("METADATA", "\"m\"");
    let text = text.replace("workload w on gpu.gpus", "workload w on hpc.a3");
    let group = format!(
        "\n  group second on hpc.a3 {{\n    image = \"a:1\"\n    nodes = 1\n    launch = python(\"a.py\", args = {{ note = {0} }})\n    env = {{ NOTE = {0} }}\n  }}\n",
        literal(value)
    );
    let cluster = "cluster hpc on slurm {\n  partition a3 {\n    machine = \"a3-megagpu-8g\"\n    nodes = 4\n  }\n}\n";
    let head = "workload w on hpc.a3 {";
    let text = text.replace(head, &format!("{head}{group}")) + cluster;
    let (analysis, output) = checked_text(&text);
    assert!(!analysis.has_errors(), "{:#?}", analysis.diagnostics);
    output.artifacts
}

/// The file of a path that ends so.
fn file<'a>(artifacts: &'a [slipform_targets::Artifact], ending: &str) -> &'a str {
    let found = artifacts.iter().find(|artifact| artifact.path.as_str().ends_with(ending));
    &found.unwrap_or_else(|| panic!("no file ends in {ending}")).content
}

/// The words of a shell script, their quoting undone, expansions left as they are.
fn words(script: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = script.chars();
    while let Some(c) = chars.next() {
        match c {
            '#' if word.is_none() => drop(chars.by_ref().find(|c| *c == '\n')),
            '\'' => word.get_or_insert_default().extend(chars.by_ref().take_while(|c| *c != '\'')),
            '"' => quoted(word.get_or_insert_default(), &mut chars),
            '\\' => word.get_or_insert_default().extend(chars.next().filter(|c| *c != '\n')),
            c if c.is_ascii_whitespace() => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// The rest of a string in double quotes.
fn quoted(word: &mut String, chars: &mut std::str::Chars<'_>) {
    while let Some(c) = chars.next().filter(|c| *c != '"') {
        match c {
            '\\' => word.extend(chars.next()),
            c => word.push(c),
        }
    }
}

/// The values of a key in the objects that an attribute of this name holds, wherever blocks have one.
fn entries(body: &hcl::Body, attribute: &str, key: &str, found: &mut Vec<String>) {
    for attribute in body.attributes().filter(|it| it.key() == attribute) {
        let hcl::Expression::Object(object) = attribute.expr() else { continue };
        let value = object.iter().find(|(name, _)| name.to_string() == key).map(|(_, value)| value);
        let value = value.map(|value| value.evaluate(&Context::new()).unwrap());
        found.extend(value.iter().filter_map(|value| value.as_str()).map(str::to_owned));
    }
    body.blocks().for_each(|block| entries(block.body(), attribute, key, found));
}

/// The strings of a document, wherever they are.
fn strings(value: &serde_yaml::Value, found: &mut Vec<String>) {
    match value {
        serde_yaml::Value::String(text) => found.push(text.clone()),
        serde_yaml::Value::Sequence(items) => items.iter().for_each(|item| strings(item, found)),
        serde_yaml::Value::Mapping(map) => map.values().for_each(|item| strings(item, found)),
        _ => {}
    }
}

/// What Kubernetes and Vertex AI make of a text: a doubled dollar is one. `None` where `$(NAME)` would be replaced.
fn expanded(text: &str) -> Option<String> {
    let halved = text
        .split("$$")
        .map(|part| (!part.contains("$(")).then_some(part))
        .collect::<Option<Vec<_>>>();
    halved.map(|parts| parts.join("$"))
}

/// The instructions of a Dockerfile: continued lines joined, comments and blank lines left out.
fn instructions(text: &str) -> Vec<String> {
    let mut instructions = vec![String::new()];
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let last = instructions.last_mut().unwrap();
        match line.strip_suffix('\\') {
            Some(part) => last.push_str(part),
            None => {
                last.push_str(line);
                instructions.push(String::new());
            }
        }
    }
    instructions.retain(|line| !line.is_empty());
    instructions
}

/// A word of an instruction that expands variables, with escapes resolved; `None` where something would expand.
fn unescaped(word: &str) -> Option<String> {
    let mut out = String::new();
    let mut chars = word.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.push(chars.next()?),
            '$' | '"' | '\'' => return None,
            c => out.push(c),
        }
    }
    Some(out)
}

/// What stands in double quotes behind `ENV NAME=`; `None` where the quotes end early or something expands.
fn in_quotes(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.push(chars.next().filter(|c| matches!(c, '"' | '$' | '\\'))?),
            '$' | '"' => return None,
            c => out.push(c),
        }
    }
    Some(out)
}

/// What a Slurm cluster with a folder renders to, and the codes of what is refused.
fn of_folder(folder: &str, existing: &str) -> (Vec<slipform_targets::Artifact>, Vec<String>) {
    let text = BLUEPRINT.replace("VALUE", "\"v\"").replace("METADATA", "\"m\"");
    let text = text.replace("workload w on gpu.gpus", "workload w on hpc.a3");
    let fields = format!("  controllers = [\"a\", \"b\"]\n  shared = {}\n", literal(folder));
    let partition = "  partition a3 {\n    machine = \"a3-megagpu-8g\"\n    nodes = 2\n  }\n}\n";
    let cluster = format!("{existing}cluster hpc on slurm {{\n{fields}{partition}");
    let (analysis, output) = checked_text(&(text + &cluster));
    let errors = analysis.diagnostics.iter();
    let errors = errors.filter(|it| it.severity == slipform_model::Severity::Error);
    (output.artifacts, errors.map(|it| it.code.to_string()).collect())
}

/// The Dockerfile of an image with these fields.
fn dockerfile(fields: &str) -> String {
    let head = "param project: ProjectId = \"my-project\"\nimage nemo {\n  from = \"nvcr.io/nvidia/nemo:24.07\"\n";
    let push = "  push_to = registry(\"us-east4\", \"training\")\n";
    let (analysis, output) = checked_text(&format!("{head}{push}  {fields}\n}}\n"));
    assert!(!analysis.has_errors(), "{:#?}", analysis.diagnostics);
    file(&output.artifacts, "Dockerfile").to_owned()
}

/// Places that a rule may name, and what is written of a workload there: a field's value or a part of it, what is under another
/// name, or the header where nothing is.
const PLACES: [(&str, &str); 9] = [
    ("image", "\"a:1\""),
    ("env", "{ NOTE = VALUE }"),
    ("env[\"NOTE\"]", "VALUE"),
    ("launch.script", "\"train.py\""),
    ("mounts[1].path", "\"/b\""),
    ("mounts[0].source", "scratch(1GiB)"),
    ("place", "managed"),
    ("place.region", "\"us-east4\""),
    ("restarts", "workload w on managed"),
];

/// What is said beside the places of a rule that a workload breaks, and what stands there.
fn labels(value: &str, texts: [&str; 2], [one, other]: [&str; 2]) -> Vec<(String, String)> {
    let [first, second] = texts.map(literal);
    // what stands in front is as long as the value
    let cluster = format!(
        "# {}\ncluster managed on vertex {{\n  region = \"us-east4\"\n  machine = \"a3-megagpu-8g\"\n}}\n",
        value.replace('\n', " ")
    );
    let workload = "workload w on managed {\n  image = \"a:1\"\n  env = { NOTE = VALUE }\n  launch = python(\"train.py\")\n  \
        mounts = [mount(scratch(1GiB), \"/a\"), mount(scratch(1GiB), \"/b\")]\n}\n";
    let workload = workload.replace("VALUE", &literal(value));
    let rule = format!(
        "## A.\n##\n## Why: b.\nrule own/told on workload {{\n  let said = {second}\n  require image == \"\"\n  error \"no\"\n  \
        label {one} {first}\n  label {other} \"${{said}}\"\n}}\n"
    );
    let (analysis, _) = checked_text(&(cluster + &workload + &rule));
    let mut told = analysis.diagnostics.iter().filter(|it| it.code == "own/told");
    let report = told.next().unwrap_or_else(|| panic!("{:#?}", analysis.diagnostics));
    let at = |span: slipform_source::Span| {
        analysis.sources.get(span.file).unwrap().text.get(span.range()).unwrap().to_owned()
    };
    report.labels.iter().map(|label| (at(label.span), label.text.clone())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_value_arrives_in_a_jobset_as_it_was_written(value in "[ -~\n\u{e9}]{0,24}") {
        let artifacts = rendered(&value, "plain", "gke");
        let document: serde_yaml::Value = serde_yaml::from_str(file(&artifacts, "w/base/jobset.yaml")).unwrap();
        let mut found = Vec::new();
        strings(&document, &mut found);
        prop_assert!(found.iter().any(|text| expanded(text).as_ref() == Some(&value)), "{value:?} is not in {found:?}");
    }

    #[test]
    fn a_value_arrives_in_a_vertex_payload_as_it_was_written(value in "[ -~\n\u{e9}]{0,24}") {
        let artifacts = rendered(&value, "plain", "vertex");
        let payload: serde_json::Value = serde_json::from_str(file(&artifacts, "w/w.json")).unwrap();
        let document: serde_yaml::Value = serde_yaml::from_str(&payload.to_string()).unwrap();
        let mut found = Vec::new();
        strings(&document, &mut found);
        prop_assert!(found.iter().any(|text| expanded(text).as_ref() == Some(&value)), "{value:?} is not in {found:?}");
    }

    #[test]
    fn a_value_arrives_in_a_batch_script_as_it_was_written(value in "[ -~\n\u{e9}]{0,24}") {
        let artifacts = rendered(&value, "plain", "slurm");
        let found = words(file(&artifacts, "w/w.sbatch"));
        for word in [format!("NOTE={value}"), format!("--note={value}")] {
            prop_assert!(found.contains(&word), "{word:?} is not in {found:?}");
        }
    }

    #[test]
    fn words_around_a_script_arrive_as_they_were_written(value in "[ -~\n\u{e9}]{0,24}", place in 0usize..3) {
        let place = ["gke", "slurm", "vertex"][place];
        let launch = "torchrun(\"train.py\", argv = [VALUE, node_rank], args = { note = VALUE }, options = \"plain\")\n  \
            setup = [[\"a\", VALUE]]\n  cleanup = [[\"b\", VALUE]]";
        let artifacts = rendered_with(launch, &value, place);
        let plain = format!("note={value}");
        match place {
            "slurm" => {
                let script = file(&artifacts, "w/w.sbatch");
                let found = words(script);
                for word in [&value, &plain] {
                    prop_assert!(found.contains(word), "{word:?} is not in {found:?}");
                }
                // the script of the tasks is one word, and its words are quoted in it
                let task = found.iter().find(|word| word.contains("exec torchrun")).unwrap();
                let inner = words(task);
                prop_assert_eq!(inner.iter().filter(|word| **word == value).count() >= 2, true, "{:?}", inner);
            }
            _ => {
                let ending = if place == "gke" { "w/base/jobset.yaml" } else { "w/w.json" };
                let document: serde_yaml::Value = serde_yaml::from_str(file(&artifacts, ending)).unwrap();
                let mut found = Vec::new();
                strings(&document, &mut found);
                // Vertex AI expands variables in those of a container, not in its words
                let read = |text: &String| if place == "gke" { expanded(text) } else { Some(text.clone()) };
                let arrived = |word: &String| found.iter().filter(|text| read(text).as_ref() == Some(word)).count();
                prop_assert!(arrived(&value) >= 3 && arrived(&plain) >= 1, "{value:?} is not in {found:?}");
            }
        }
    }

    #[test]
    fn a_value_of_a_second_group_arrives_as_it_was_written(value in "[ -~\n\u{e9}]{0,24}") {
        let artifacts = of_group(&value);
        let found = words(file(&artifacts, "w/w.sbatch"));
        for word in [format!("variables_1+=(NOTE={value})"), format!("--note={value}")] {
            prop_assert!(found.contains(&word), "{word:?} is not in {found:?}");
        }
    }

    #[test]
    fn a_folder_arrives_in_a_submit_script_as_it_was_written(name in "[ -+\\--9;-~\u{e9}]{0,16}") {
        let folder = format!("/{name}x");
        let (artifacts, errors) = of_folder(&folder, "existing ");
        prop_assert_eq!(errors, [""; 0]);
        let found = words(file(&artifacts, "w/submit.sh"));
        let image = format!("image={folder}/");
        prop_assert!(found.iter().any(|word| word.starts_with(&image)), "{image:?} is not in {found:?}");
    }

    #[test]
    fn a_folder_arrives_in_a_slurm_configuration_or_is_refused(name in "[ -+\\--9;-~\u{e9}]{0,4}") {
        let folder = format!("/{name}x");
        let (artifacts, errors) = of_folder(&folder, "");
        if errors.is_empty() {
            let setting = format!("StateSaveLocation={folder}/slurmctld/hpc");
            let lines: Vec<&str> = file(&artifacts, "/slurm.conf").lines().collect();
            prop_assert!(lines.contains(&setting.as_str()), "{setting:?} is not in {lines:#?}");
            prop_assert!(!name.contains([' ', '#', '"', '\\']), "Slurm reads {setting:?} otherwise");
        } else {
            prop_assert_eq!(errors, ["text/spelling"]);
        }
    }

    #[test]
    fn a_patched_value_arrives_in_a_node_pool_as_it_was_written(value in "[ -~\n\u{e9}]{0,24}") {
        let artifacts = rendered("plain", &value, "gke");
        let body = hcl::parse(file(&artifacts, "30-gpu/node_pools.tf")).unwrap();
        let mut found = Vec::new();
        entries(&body, "metadata", "note", &mut found);
        prop_assert_eq!(found, [value]);
    }

    #[test]
    fn what_a_rule_says_of_a_place_stands_there_as_it_was_written(
        value in "[ -~\n\u{e9}]{0,24}",
        texts in ["([ -~\n\u{e9}]{1,24})?", "([ -~\n\u{e9}]{1,24})?"],
        place in 0..PLACES.len(),
        another in prop::option::of(0..PLACES.len()),
    ) {
        let places = [place, another.unwrap_or(place)];
        let found = labels(&value, [&texts[0], &texts[1]], places.map(|place| PLACES[place].0));
        let written = places.map(|place| PLACES[place].1.replace("VALUE", &literal(&value)));
        let [first, second] = &texts;
        let said = if places[0] != places[1] {
            vec![first.clone(), second.clone()]
        } else if first.is_empty() || second.is_empty() || first == second {
            // one place is shown once, with all that is said of it
            vec![if first.is_empty() { second.clone() } else { first.clone() }]
        } else {
            vec![format!("{first}, {second}")]
        };
        prop_assert_eq!(found, written.into_iter().zip(said).collect::<Vec<_>>());
    }

    #[test]
    fn a_command_stays_one_instruction(command in "([ -~]|\n|\\\\|<<|[-#\\[ ]){0,24}") {
        // what no shell reads to its end is refused, unless somebody means it
        let meant = "allow script/unclosed \"any text\"";
        let text = dockerfile(&format!("run = [{}]\n  {meant}", literal(&command)));
        let found = instructions(&text);
        prop_assert_eq!(found.len(), 2, "{}", text);
        let run = found[1].strip_prefix("RUN ").unwrap();
        match serde_json::from_str::<Vec<String>>(run) {
            Ok(words) => prop_assert_eq!(&words[2], &command),
            Err(_) => prop_assert_eq!(run, &command),
        }
    }

    #[test]
    fn copied_paths_and_variables_stand_for_themselves(value in "([ -~\u{e9}]|[$\"'\\\\{}]){0,24}") {
        let value_text = literal(&value);
        let text = dockerfile(&format!("copy = {{ {value_text} = \"/app\" }}\n  env = {{ A = {value_text} }}"));
        let found = instructions(&text);
        prop_assert_eq!(found.len(), 3, "{}", text);
        let words: Vec<String> = serde_json::from_str(found[1].strip_prefix("COPY ").unwrap()).unwrap();
        prop_assert_eq!(unescaped(&words[0]), Some(value.clone()));
        let quoted = found[2].strip_prefix("ENV A=\"").and_then(|rest| rest.strip_suffix('"')).unwrap();
        prop_assert_eq!(in_quotes(quoted), Some(value));
    }

    #[test]
    fn a_word_of_a_rank_arrives_and_leaves_its_script_alone(word in "([ -~\u{e9}\n]|\\$\\(HOME\\)|\\$\\$){0,16}") {
        let main = |word: &str| {
            let text = BLUEPRINT.replace("VALUE", "\"v\"").replace("METADATA", "\"m\"");
            let launch = format!("srun([\"echo\", {}])", literal(word));
            let (analysis, output) = checked_text(&text.replace("torchrun(\"train.py\", args = { note = \"v\" })", &launch));
            assert!(!analysis.has_errors(), "{:#?}", analysis.diagnostics);
            let document: serde_yaml::Value =
                serde_yaml::from_str(file(&output.artifacts, "w/base/jobset.yaml").split("\n---\n").next().unwrap()).unwrap();
            let pod = &document["spec"]["replicatedJobs"][0]["template"]["spec"]["template"];
            pod["spec"]["containers"][0].clone()
        };
        let (plain, rank) = (main("plain"), main(&word));
        prop_assert_eq!(expanded(rank["args"][1].as_str().unwrap()), Some(word));
        prop_assert_eq!(&rank["command"], &plain["command"]);
    }

    #[test]
    fn no_text_makes_the_analysis_panic(cut in 0usize..6000, junk in "[ -~\n]{0,12}") {
        for path in files("blueprints", ".bp") {
            let text = std::fs::read_to_string(root().join(path)).unwrap();
            let at = text.char_indices().map(|(at, _)| at).take_while(|at| *at <= cut).last().unwrap_or(0);
            let (head, tail) = text.split_at(at);
            let (analysis, _) = checked_text(&format!("{head}{junk}{tail}"));
            for report in &analysis.diagnostics {
                for label in &report.labels {
                    let file = analysis.sources.get(label.span.file).unwrap();
                    prop_assert!(file.text.get(label.span.range()).is_some(), "{report:?} points outside of its text");
                }
            }
        }
    }
}
