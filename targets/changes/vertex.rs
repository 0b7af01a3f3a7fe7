//! Jobs of Vertex AI that are left behind, and what cancels them.

use crate::{File, quoted};
use serde_json::Value;

/// Jobs that a request made, as its script says it.
struct Jobs<'a> {
    request: &'a Value,
    /// What people see them called.
    title: &'a str,
    region: Option<&'a str>,
    project: Option<&'a str>,
}

/// The commands that cancel the jobs of a request: those of this blueprint and environment alone, by its labels.
pub(crate) fn cancelled(name: &str, request: &str, files: &[File<'_>]) -> Vec<String> {
    let request: Value = serde_json::from_str(request).unwrap_or_default();
    let said = |word: &str| {
        let scripts = files.iter().filter(|file| file.path.ends_with(".sh"));
        let mut lines = scripts.flat_map(|file| file.text.lines());
        lines.find_map(|line| line.strip_prefix(word)?.strip_prefix('='))
    };
    let title = request.get("displayName").and_then(Value::as_str).unwrap_or(name);
    let jobs = Jobs { request: &request, title, region: said("region"), project: said("project") };
    match jobs.is("trainingTaskInputs") {
        true => jobs.asked_for(),
        false => vec![
            jobs.listed(if jobs.is("studySpec") { "hp-tuning-jobs" } else { "custom-jobs" }, name),
        ],
    }
}

impl Jobs<'_> {
    /// Whether the request has a field that tells of which collection it is.
    fn is(&self, field: &str) -> bool {
        self.request.get(field).is_some()
    }

    /// ` AND labels.blueprint="train" AND labels.environment="default"`
    fn labels(&self) -> String {
        let labels = self.request.get("labels");
        let of = |key: &'static str| Some((key, labels?.get(key)?.as_str()?));
        let labels = ["blueprint", "environment"].into_iter().filter_map(of);
        labels.map(|(key, value)| format!(" AND labels.{key}=\"{value}\"")).collect()
    }

    /// What gcloud has commands for.
    fn listed(&self, command: &str, name: &str) -> String {
        let option = |word: &str, said: Option<&str>| {
            said.map_or_else(String::new, |it| format!(" --{word}={it}"))
        };
        let title = if self.title == name { name.to_owned() } else { format!("{:?}", self.title) };
        let (region, project) = (option("region", self.region), option("project", self.project));
        let filter = quoted(&format!("displayName={title}{} AND {JOBS_GO_ON}", self.labels()));
        format!(
            "gcloud ai {command} list{region}{project} --filter={filter} --format='value(name)' | xargs -r -n1 gcloud ai {command} cancel"
        )
    }

    /// Training pipelines, which gcloud knows nothing of: the API is asked.
    fn asked_for(&self) -> Vec<String> {
        let region = self.region.unwrap_or("REGION");
        let project = self.project.unwrap_or("\"$(gcloud config get-value project)\"");
        let url = format!("https://{region}-aiplatform.googleapis.com/v1");
        let filter =
            format!("filter=display_name={:?}{} AND {PIPELINES_GO_ON}", self.title, self.labels());
        vec![
            format!(
                "{ASK} --get {url}/projects/{project}/locations/{region}/trainingPipelines --data-urlencode {}",
                quoted(&filter)
            ),
            format!("{ASK} --request POST --data '' \"{url}/$NAME:cancel\"  # of each name"),
        ]
    }
}

/// Those that have not ended, as gcloud's filters say it.
const JOBS_GO_ON: &str = "state:(JOB_STATE_RUNNING JOB_STATE_PENDING JOB_STATE_QUEUED)";

/// The same, as the API's do.
const PIPELINES_GO_ON: &str = "(state=\"PIPELINE_STATE_RUNNING\" OR state=\"PIPELINE_STATE_PENDING\" OR state=\"PIPELINE_STATE_QUEUED\")";

const ASK: &str =
    "curl --fail-with-body --header \"Authorization: Bearer $(gcloud auth print-access-token)\"";
