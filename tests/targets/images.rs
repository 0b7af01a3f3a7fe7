//! Images: their Dockerfiles and builds.

use slipform_tests::text::{Rendered, rendered};

/// The image `nemo` with these fields, pushed to a repository.
fn image(fields: &str) -> Rendered {
    let fields: String = fields.lines().map(|line| format!("  {}\n", line.trim())).collect();
    rendered(&format!(
        "image nemo {{\n  from = \"nvcr.io/nvidia/nemo:24.07\"\n  push_to = registry(\"us-east4\", \"training\")\n{fields}}}\n"
    ))
}

const BUILD: &str = "20-images/nemo/cloudbuild.yaml";

#[test]
fn an_image_is_built_in_the_order_of_its_fields() {
    let out = image(
        "system_packages = [\"git\", \"libaio-dev\"]
        packages = [\"hydra-core==1.3.2\", \"numpy==2.1.0\"]
        run = [\"ldconfig\", \"cat <<X\\nhi\\nX\"]
        copy = { src = \"/app\" }
        env = { GREETING = \"say \\\"\\$HOME\\\"\" }
        workdir = \"/app\"",
    );
    insta::assert_snapshot!(out.shown(&["20-images/nemo/Dockerfile"]));
}

/// The build pushes what containers name, as an account of its own.
#[test]
fn the_build_pushes_what_containers_name() {
    let out = image("platform = \"arm64\"");
    insta::assert_snapshot!(out.shown(&[BUILD]));
    for name in ["gcr.io/cloud-builders/docker", "tonistiigi/binfmt"] {
        let uses: Vec<&str> = out.file(BUILD).split(name).skip(1).collect();
        assert!(!uses.is_empty() && uses.iter().all(|rest| rest.starts_with(':')), "{name}");
    }
}

#[test]
fn an_image_that_is_only_a_name_has_no_files() {
    let out = rendered("image nemo {\n  from = \"nvcr.io/nvidia/nemo:24.07\"\n}\n");
    assert!(out.output.artifacts.is_empty());
}
