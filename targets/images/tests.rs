//! Images rendered and read back as Docker reads them.

use super::Images;
use crate::testing::{Blueprint, Fields, list, record, variant};
use crate::{Output, Target};
use proptest::prelude::*;
use slipform_model::Value;

fn image(fields: Fields<'_>) -> Output {
    let mut blueprint = Blueprint::new();
    let mut all = vec![("from", Value::from("nvcr.io/nvidia/nemo:24.07"))];
    all.extend(fields.iter().cloned());
    blueprint.noun("image", "nemo", &all);
    let mut out = Output::default();
    Images.render(blueprint.plan().sound().unwrap(), &mut out);
    out
}

fn registry() -> Value {
    variant("registry", &[("location", "us-east4".into()), ("repository", "training".into())])
}

fn dockerfile(fields: Fields<'_>) -> String {
    let mut all = vec![("push_to", registry())];
    all.extend(fields.iter().cloned());
    let out = image(&all);
    assert_eq!(out.diagnostics, []);
    out.artifacts[0].content.clone()
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

#[test]
fn an_image_is_built_in_the_order_of_its_fields() {
    let text = dockerfile(&[
        ("system_packages", list(["git".into(), "libaio-dev".into()])),
        ("packages", list(["hydra-core==1.3.2".into(), "numpy>=1.26,<2".into()])),
        ("run", list(["ldconfig".into(), "cat <<X\nhi\nX".into()])),
        ("copy", record(&[("src", "/app".into())])),
        ("env", record(&[("GREETING", "say \"$HOME\"".into())])),
        ("workdir", "/app".into()),
    ]);
    insta::assert_snapshot!(text);
}

#[test]
fn the_build_pushes_what_containers_name() {
    let out = image(&[("push_to", registry()), ("platform", "arm64".into())]);
    assert_eq!(out.artifacts[1].path, "20-images/nemo/cloudbuild.yaml");
    insta::assert_snapshot!(out.artifacts[1].content);
}

#[test]
fn a_build_runs_as_an_account_of_its_own_with_steps_that_do_not_change() {
    let build = &image(&[("push_to", registry()), ("platform", "arm64".into())]).artifacts[1];
    let account =
        "projects/my-project-1/serviceAccounts/train-builds@my-project-1.iam.gserviceaccount.com";
    assert!(build.content.contains(&format!("serviceAccount: {account}")), "{}", build.content);
    assert!(build.content.contains("logging: CLOUD_LOGGING_ONLY"), "{}", build.content);
    for name in ["gcr.io/cloud-builders/docker", "tonistiigi/binfmt"] {
        let uses: Vec<&str> = build.content.split(name).skip(1).collect();
        assert!(!uses.is_empty() && uses.iter().all(|rest| rest.starts_with(':')), "{name}");
    }
}

#[test]
fn an_image_that_is_only_a_name_has_no_files() {
    assert_eq!(image(&[]), Output::default());
}

#[test]
fn what_is_added_must_be_pushed() {
    let out = image(&[("packages", list(["numpy==2.0".into()]))]);
    assert!(out.artifacts.is_empty());
    assert_eq!(out.diagnostics[0].code, "image/push-to");
}

#[test]
fn a_variable_of_two_lines_has_no_form() {
    let out = image(&[("push_to", registry()), ("env", record(&[("A", "x\nRUN id".into())]))]);
    assert!(out.artifacts.is_empty());
    assert_eq!(out.diagnostics[0].code, "text/spelling");
}

proptest! {
    #[test]
    fn a_command_stays_one_instruction(command in "(\\PC|\n|\\\\|<<|[-#\\[ ])*") {
        let text = dockerfile(&[("run", list([command.as_str().into()]))]);
        let found = instructions(&text);
        prop_assert_eq!(found.len(), 2, "{}", text);
        let run = found[1].strip_prefix("RUN ").unwrap();
        match serde_json::from_str::<Vec<String>>(run) {
            Ok(words) => prop_assert_eq!(&words[2], &command),
            Err(_) => prop_assert_eq!(run, &command),
        }
    }

    #[test]
    fn copied_paths_and_variables_stand_for_themselves(value in "(\\PC|[$\"'\\\\{}])*") {
        let text = dockerfile(&[
            ("copy", record(&[(&value, "/app".into())])),
            ("env", record(&[("A", value.as_str().into())])),
        ]);
        let found = instructions(&text);
        prop_assert_eq!(found.len(), 3, "{}", text);
        let words: Vec<String> = serde_json::from_str(found[1].strip_prefix("COPY ").unwrap()).unwrap();
        prop_assert_eq!(unescaped(&words[0]), Some(value.clone()));
        let quoted = found[2].strip_prefix("ENV A=\"").and_then(|rest| rest.strip_suffix('"')).unwrap();
        prop_assert_eq!(in_quotes(quoted), Some(value));
    }
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
