//! Runs on Vertex AI whose model is kept: what the requests say, and who sends them.

use serde_json::{Value, json};
use slipform_targets::document::to_node;
use slipform_targets::schema::Shape;
use slipform_tests::text::{Rendered, rendered};

const REQUEST: &str = "50-workloads/net/net.json";
const SUBMIT: &str = "50-workloads/net/submit.sh";

fn kept(workload: &str) -> Rendered {
    rendered(&format!(
        r#"bucket models {{
  location = "us-central1"
}}

cluster small on vertex {{
  region         = "us-central1"
  machine        = "g2-standard-12"
  staging        = models
  encryption_key = "projects/p/locations/us-central1/keyRings/r/cryptoKeys/k"
}}

workload net on small {{
  image  = "us-docker.pkg.dev/my-project/training/net:v3"
  launch = command(["python", "train.py", "--steps=$(STEPS)", "--model=$(AIP_MODEL_DIR)", "$(date)"])
  env    = {{ STEPS = 10 }}
  {workload}
}}
"#
    ))
}

/// The job is what the pipeline runs, and the model what it keeps.
#[test]
fn a_model_is_kept() {
    let out = kept(
        "title  = \"Net, weekly\"
  upload = upload(\"Net\", \"us-docker.pkg.dev/my-project/serving/net:v3\", predict = \"/predict\", health = \"/health\", port = 8080, id = \"net\")",
    );
    let request: Value = serde_json::from_str(out.file(REQUEST)).unwrap();
    assert_eq!(request["displayName"], "Net, weekly");
    assert_eq!(
        request["trainingTaskDefinition"],
        "gs://google-cloud-aiplatform/schema/trainingjob/definition/custom_task_1.0.0.yaml"
    );
    let inputs = &request["trainingTaskInputs"];
    let folder = inputs["baseOutputDirectory"]["outputUriPrefix"].as_str().unwrap();
    assert!(folder.starts_with("gs://") && folder.ends_with("/net"), "{folder}");
    assert_eq!(inputs["workerPoolSpecs"][0]["machineSpec"]["machineType"], "g2-standard-12");
    assert_eq!(
        request["modelToUpload"],
        json!({
            "displayName": "Net",
            "labels": request["labels"],
            "containerSpec": {
                "imageUri": "us-docker.pkg.dev/my-project/serving/net:v3",
                "predictRoute": "/predict",
                "healthRoute": "/health",
                "ports": [{ "containerPort": 8080 }],
            },
            "encryptionSpec": request["encryptionSpec"],
        })
    );
    assert_eq!(request["modelId"], "net");
    let page = out.file("README.md");
    assert!(page.contains("`gcloud ai models delete net --region=us-central1`"), "{page}");
    assert!(request["encryptionSpec"]["kmsKeyName"].is_string());
    let node = to_node(&request).unwrap();
    assert_eq!(Shape::of("trainingpipeline").unwrap().check(&node).len(), 0);
}

/// A version names its model in full, and has names of its own.
#[test]
fn a_version_of_a_model() {
    let out = kept(
        "upload = upload(\"Net\", \"us-docker.pkg.dev/vertex-ai/prediction/tf2-cpu.2-12:v1\", parent = \"net\", aliases = [\"next\"])",
    );
    let request: Value = serde_json::from_str(out.file(REQUEST)).unwrap();
    let model = request["parentModel"].as_str().unwrap();
    assert!(model.starts_with("projects/"), "{model}");
    assert!(model.ends_with("/locations/us-central1/models/net"), "{model}");
    assert_eq!(request["modelToUpload"]["versionAliases"], json!(["next"]));
    assert_eq!(request.get("modelId"), None);
}

/// gcloud creates no training pipeline, so nobody is offered to have it do so; the page asks the API.
#[test]
fn a_pipeline_is_sent_by_curl() {
    let out = kept(
        "upload = upload(\"Net\", \"us-docker.pkg.dev/vertex-ai/prediction/tf2-cpu.2-12:v1\")",
    );
    let submit = out.file(SUBMIT);
    assert!(submit.contains("/trainingPipelines\""), "{submit}");
    for left_out in ["--gcloud", "--config", "gcloud ai"] {
        assert!(!submit.contains(left_out), "{left_out}: {submit}");
    }
    let page = out.file("README.md");
    for part in [
        "PIPELINE=\"$(pipelines ",
        "nextPageToken",
        "backingCustomJob",
        "\"$URL/$PIPELINE:cancel\"",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

/// A model of a taken id, and a version of none, are told of before the run; the folder is that of one run.
#[test]
fn a_pipeline_is_asked_about_before_it_is_sent() {
    let image = "us-docker.pkg.dev/vertex-ai/prediction/tf2-cpu.2-12:v1";
    for (said, model, refused) in [
        (
            ", id = \"net\"",
            "model=\"projects/$project/locations/$region/models/\"net\n",
            "\n404) ;;\n200)\n",
        ),
        (", parent = \"net\"", "/locations/us-central1/models/net\n", "\n200) ;;\n404)\n"),
        ("", "", ""),
    ] {
        let out = kept(&format!("upload = upload(\"Net\", \"{image}\"{said})"));
        let submit = out.file(SUBMIT);
        assert!(submit.contains(model) && submit.contains(refused), "{said}: {submit}");
        assert_eq!(submit.contains("--write-out"), !said.is_empty(), "{said}: {submit}");
        assert!(submit.contains("run_folder=\"${RUN_FOLDER:-$(date -u "), "{said}: {submit}");
    }
}

/// What is to go is asked for page by page, and by what has not ended.
#[test]
fn pipelines_that_wait_are_cancelled_too() {
    let out = kept(
        "upload = upload(\"Net\", \"us-docker.pkg.dev/vertex-ai/prediction/tf2-cpu.2-12:v1\")",
    );
    let (_, away) = out.file("README.md").split_once("## Tear down").unwrap();
    for part in [
        "pageToken=$token",
        "display_name=\"net\" AND labels.blueprint=\"",
        "AND state!=\"PIPELINE_STATE_SUCCEEDED\"",
        "for pipeline in $(running \"$URL\"/projects/",
    ] {
        assert!(away.contains(part), "{part}: {away}");
    }
}

/// What stands in a word arrives; what Vertex AI sets itself is left to it.
#[test]
fn words_are_sent_as_they_are_written() {
    let out = kept(
        "upload = upload(\"Net\", \"us-docker.pkg.dev/vertex-ai/prediction/tf2-cpu.2-12:v1\")",
    );
    let request: Value = serde_json::from_str(out.file(REQUEST)).unwrap();
    let args = &request["trainingTaskInputs"]["workerPoolSpecs"][0]["containerSpec"]["args"];
    assert_eq!(
        *args,
        json!(["train.py", "--steps=$$(STEPS)", "--model=$(AIP_MODEL_DIR)", "$(date)"])
    );
}
