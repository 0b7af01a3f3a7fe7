//! Runs that are tuned on Vertex AI: what the requests say, and the words of their clusters.

use serde_json::Value;
use slipform_targets::document::to_node;
use slipform_targets::schema::Shape;
use slipform_tests::text::{Rendered, rendered_despite};

const REQUEST: &str = "50-workloads/tune/tune.json";
const SUBMIT: &str = "50-workloads/tune/submit.sh";

fn tuned(cluster: &str, workload: &str) -> Rendered {
    let said = workload.contains("launch =");
    let launch = if said { "" } else { "  launch = torchrun(\"finetune.py\")\n" };
    let text = format!(
        r#"bucket results {{
  location = "us-central1"
}}

cluster managed on vertex {{
  region  = "us-central1"
  machine = "a2-highgpu-1g"
  {cluster}
}}

workload tune on managed {{
  image  = "us-docker.pkg.dev/my-project/training/lora:v1"
{launch}  {workload}
}}
"#
    );
    rendered_despite(&text, &["vertex/unsupported"])
}

const STUDY: &str = r#"tuning = {
    metrics    = { eval_loss = "minimize" }
    parameters = {
      learning_rate = double(0.00001, 0.001, scale = "log")
      rank          = discrete([4, 8, 16, 32, 64], scale = "log")
      more_epochs   = integer(0, 4)
      optimizer     = categorical(["adamw", "sgd"])
      momentum      = double(0.8, 0.999, scale = "reverse_log", under = parent("optimizer", ["sgd"]))
      nesterov      = categorical(["yes", "no"], under = parent("optimizer", ["sgd"]))
      decay         = double(0, 0.1, under = parent("more_epochs", [1, 2, 3, 4]))
      dropout       = discrete([0, 0.05], under = parent("rank", [32, 64]))
    }
    trials         = 40
    parallel       = 4
    failures       = 6
    measurement    = "best"
    early_stopping = convex(max_steps = 1000, learning_rate = "learning_rate")
  }"#;

/// All types and scales, and parameters that count under others.
#[test]
fn a_study() {
    let out = tuned(
        "staging = results
  staging_folder = \"lora/2026\"",
        &format!("title = \"LoRA, tuned\"\n  {STUDY}"),
    );
    insta::assert_snapshot!(out.shown(&[REQUEST, SUBMIT]));
    let request: Value = serde_json::from_str(out.file(REQUEST)).unwrap();
    let faults = Shape::of("hyperparametertuningjob").unwrap().check(&to_node(&request).unwrap());
    assert_eq!(faults, []);
}

/// A launcher is put into the trials' job, and Terraform's values there, too.
#[test]
fn trials_have_a_launcher() {
    let out = tuned(
        "",
        &format!("nodes = 2\n  restarts = 1\n  env = {{ KEY = secret(\"key\") }}\n  {STUDY}"),
    );
    let request: Value = serde_json::from_str(out.file(REQUEST)).unwrap();
    let pools = request.pointer("/trialJobSpec/workerPoolSpecs").unwrap().as_array().unwrap();
    assert_eq!(pools.len(), 2);
    assert!(out.file(SUBMIT).contains("job[\"trialJobSpec\"][\"workerPoolSpecs\"]"));
}

/// Trials are counted from 1 in each study, and the folder of a trial is called by its number.
#[test]
fn each_study_has_a_folder() {
    let out = tuned("staging = results", STUDY);
    let submit = out.file(SUBMIT);
    for part in [
        "run_folder=\"${RUN_FOLDER:-$(date -u ",
        "folder = job[\"trialJobSpec\"][\"baseOutputDirectory\"]",
    ] {
        assert!(submit.contains(part), "{part}: {submit}");
    }
    let nowhere = tuned("", STUDY);
    assert!(!nowhere.file(SUBMIT).contains("run_folder"));
}

/// Two environments of one project have jobs of the same name.
#[test]
fn commands_are_about_jobs_of_this_blueprint() {
    let out = tuned("labels = { environment = \"night\" }", STUDY);
    let (forth, back) = out.file("README.md").split_once("## Tear down").unwrap();
    let own = "AND labels.environment=\"night\"";
    assert!(forth.contains("LABELS='labels.blueprint=\""), "{forth}");
    assert!(forth.contains(own) && forth.contains("displayName=$RUN AND $LABELS\""), "{forth}");
    let cancel = back.lines().find(|line| line.contains("cancel")).unwrap();
    assert!(cancel.contains(own), "{cancel}");
}

/// Hydra reads `lr=0.1`, and Vertex AI gives `--lr=0.1`.
#[test]
fn parameters_are_spelled_as_the_program_reads_its_options() {
    let plain = "launch = python(\"train.py\", args = { steps = 10 }, options = \"plain\")";
    let out = tuned("", &format!("{plain}\n  {STUDY}"));
    let launcher = out.file("50-workloads/tune/launch.sh");
    let spelled = "parameters=(\"${@:4}\")\nset -- \"${@:1:3}\" \"${parameters[@]#--}\"\n";
    assert!(launcher.contains(spelled), "{launcher}");
}

#[test]
fn a_patch_is_of_the_job_that_is_made() {
    let limited = "patch tuning_job {
    studySpec = { studyStoppingConfig = { maxNumTrialsNoProgress = 10 } }
  }";
    let request: Value =
        serde_json::from_str(tuned("", &format!("{STUDY}\n  {limited}")).file(REQUEST)).unwrap();
    let stopping = &request["studySpec"]["studyStoppingConfig"]["maxNumTrialsNoProgress"];
    assert_eq!(stopping.as_i64(), Some(10));
}

/// Of the whole job.
#[test]
fn a_job_says_what_its_cluster_says() {
    let text = r#"cluster managed on vertex {
  region              = "us-central1"
  machine             = "a3-highgpu-8g"
  capacity            = flex_start(max = 3d)
  max_wait            = 2d
  network             = "projects/123/global/networks/training"
  reserved_ranges     = ["first", "second"]
  persistent_resource = "kept"
  encryption_key      = "projects/my-project/locations/us-central1/keyRings/r/cryptoKeys/k"
  web_access          = true
}

workload train on managed {
  title  = "Pre-training: 70b"
  image  = "us-docker.pkg.dev/my-project/training/lora:v1"
  launch = torchrun("train.py")
}

cluster apart on vertex {
  region             = "us-central1"
  machine            = "a3-highgpu-8g"
  network_attachment = "projects/my-project/regions/us-central1/networkAttachments/jobs"
}

workload other on apart {
  image  = "us-docker.pkg.dev/my-project/training/lora:v1"
  launch = torchrun("train.py")
}
"#;
    let out = rendered_despite(text, &["vertex/unsupported"]);
    let shown = [
        "50-workloads/train/train.json",
        "50-workloads/train/submit.sh",
        "50-workloads/other/other.json",
    ];
    insta::assert_snapshot!(out.shown(&shown));
}
