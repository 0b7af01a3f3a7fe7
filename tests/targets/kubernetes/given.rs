//! What pods are given beside their command, where a blueprint says it.

use super::samples::run;
use slipform_tests::text::rendered_unjudged;

const JOBSET: &str = "50-workloads/run/base/jobset.yaml";

/// The commands of the page between two headings.
fn between<'a>(page: &'a str, from: &str, to: &str) -> &'a str {
    let (_, rest) = page.split_once(from).unwrap_or_else(|| panic!("no `{from}` in\n{page}"));
    rest.split_once(to).unwrap_or_else(|| panic!("no `{to}` in\n{rest}")).0
}

#[test]
fn what_someone_else_makes_is_mounted_and_the_page_asks_for_it() {
    let out = rendered_unjudged(&run(
        "nodes = 2
mounts = [mount(claim(\"home\"), \"/home\"), mount(claim(\"home\"), \"/old\", folder = \"old\", read_only = true), mount(config_map(\"settings\"), \"/settings\"), mount(secret_files(\"certificates\"), \"/certificates\"), mount(secret_files(\"token\"), \"/token\"), mount(host_path(\"/var/cache\"), \"/cache\")]
env = { TOKEN = secret(\"token\") }",
    ));
    let page = out.file("README.md");
    let asked = between(page, "nothing here makes, once.", "\n```\n");
    for command in [
        "kubectl get persistentvolumeclaim home --namespace=default\n",
        "kubectl create configmap settings --namespace=default --from-file=\"$FILES_SETTINGS\"\n",
        "kubectl create secret generic certificates --namespace=default --from-file=\"$FILES_CERTIFICATES\"",
    ] {
        assert_eq!(page.matches(command.trim_end()).count(), 1, "{command}\n{page}");
        assert!(asked.contains(command), "{command}\n{asked}");
    }
    assert!(!asked.contains("generic token"), "{asked}");
    insta::assert_snapshot!(out.shown(&[JOBSET]));
}
