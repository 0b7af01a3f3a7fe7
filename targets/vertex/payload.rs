//! The request that creates a custom job, a hyperparameter tuning job or a training pipeline, field by field as the API names them.

use super::study::StudySpec;
use serde::Serialize;
use slipform_model::Duration;
use slipform_model::nouns::ModelUpload;
use std::collections::BTreeMap;

/// A custom job.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CustomJob {
    pub(crate) display_name: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) job_spec: JobSpec,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) encryption_spec: Option<EncryptionSpec>,
}

/// Custom jobs that differ in their parameters.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TuningJob {
    pub(crate) display_name: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) study_spec: StudySpec,
    pub(crate) max_trial_count: i64,
    pub(crate) parallel_trial_count: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) max_failed_trial_count: Option<i64>,
    pub(crate) trial_job_spec: JobSpec,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) encryption_spec: Option<EncryptionSpec>,
}

/// A custom job, and the model that is kept once it has ended well.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TrainingPipeline {
    pub(crate) display_name: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) training_task_definition: String,
    pub(crate) training_task_inputs: JobSpec,
    pub(crate) model_to_upload: Model,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) model_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) parent_model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) encryption_spec: Option<EncryptionSpec>,
}

/// A model of the registry. Where its files are is for the pipeline to say.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Model {
    pub(crate) display_name: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) container_spec: ModelContainer,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) version_aliases: Vec<String>,
    /// The pipeline's own is not the model's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) encryption_spec: Option<EncryptionSpec>,
}

/// What serves a model.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ModelContainer {
    pub(crate) image_uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) predict_route: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) health_route: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) ports: Vec<ModelPort>,
}

/// A port that a server listens on.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ModelPort {
    pub(crate) container_port: i64,
}

impl Model {
    /// What a blueprint says of it.
    pub(crate) fn new(
        upload: &ModelUpload,
        labels: BTreeMap<String, String>,
        encryption_spec: Option<EncryptionSpec>,
    ) -> Self {
        // whose version it is, and its id, are said beside it
        let ModelUpload::Upload { title, image, predict, health, port, id: _, parent: _, aliases } =
            upload;
        Self {
            display_name: title.clone(),
            labels,
            container_spec: ModelContainer {
                image_uri: image.clone(),
                predict_route: predict.clone(),
                health_route: health.clone(),
                ports: port
                    .map(|container_port| ModelPort { container_port })
                    .into_iter()
                    .collect(),
            },
            version_aliases: aliases.clone(),
            encryption_spec,
        }
    }
}

/// What is sent.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Payload {
    /// One run.
    Custom(Box<CustomJob>),
    /// Many trials.
    Tuning(Box<TuningJob>),
    /// One run, and its model.
    Pipeline(Box<TrainingPipeline>),
}

/// The key that what a job keeps is encrypted with.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EncryptionSpec {
    pub(crate) kms_key_name: String,
}

/// What runs, and how.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct JobSpec {
    /// The primary, the workers, the servers, the evaluators.
    pub(crate) worker_pool_specs: Vec<PoolPlace>,
    pub(crate) scheduling: Scheduling,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) service_account: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) network: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) reserved_ip_ranges: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) psc_interface_config: Option<PscInterfaceConfig>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) base_output_directory: Option<OutputDirectory>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tensorboard: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) enable_web_access: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) enable_dashboard_access: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) experiment: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) experiment_run: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) persistent_resource_id: Option<String>,
}

/// An interface on a network of one's own.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PscInterfaceConfig {
    pub(crate) network_attachment: String,
}

/// The place of a worker pool, which tells what its replicas are for.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum PoolPlace {
    /// With its pool.
    Taken(Box<WorkerPool>),
    /// Kept free, so that the next one has its own number.
    Empty {},
}

/// Identical replicas.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WorkerPool {
    pub(crate) machine_spec: MachineSpec,
    pub(crate) replica_count: i64,
    pub(crate) disk_spec: DiskSpec,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) nfs_mounts: Vec<NfsMount>,
    #[serde(flatten)]
    pub(crate) task: Task,
}

/// What a replica runs.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Task {
    /// An image.
    ContainerSpec(ContainerSpec),
    /// Packages that an image installs.
    PythonPackageSpec(PythonPackageSpec),
}

/// A module of packages that one of Google's prebuilt images installs.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PythonPackageSpec {
    pub(crate) executor_image_uri: String,
    pub(crate) package_uris: Vec<String>,
    pub(crate) python_module: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) args: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) env: Vec<EnvVar>,
}

/// The machine of a replica.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MachineSpec {
    pub(crate) machine_type: String,
    /// With a count, or neither.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) accelerator_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) accelerator_count: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tpu_topology: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reservation_affinity: Option<ReservationAffinity>,
}

/// The reservation that machines come from.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReservationAffinity {
    pub(crate) reservation_affinity_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) key: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) values: Vec<String>,
}

/// The boot disk.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DiskSpec {
    pub(crate) boot_disk_type: &'static str,
    pub(crate) boot_disk_size_gb: u64,
}

/// A share of a file server.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NfsMount {
    pub(crate) server: String,
    pub(crate) path: String,
    /// The name of the folder under the root of such mounts.
    pub(crate) mount_point: String,
}

/// The container of a replica.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ContainerSpec {
    pub(crate) image_uri: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) command: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) args: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) env: Vec<EnvVar>,
}

/// A variable.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub(crate) struct EnvVar {
    pub(crate) name: String,
    pub(crate) value: String,
}

/// When machines are taken, and for how long.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Scheduling {
    pub(crate) strategy: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) timeout: Option<String>,
    /// With flex-start only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) max_wait_duration: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) restart_job_on_worker_restart: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) disable_retries: bool,
}

/// Where a job puts what it makes.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OutputDirectory {
    pub(crate) output_uri_prefix: String,
}

/// `7200s`, the one form of the API.
pub(crate) fn duration_text(duration: Duration) -> String {
    format!("{}s", duration.0)
}

/// The value of a variable that must arrive as it is: `$(NAME)` would be replaced, and `$$` read as one sign. What Vertex AI sets
/// itself is left to it, as in words: `$(AIP_CHECKPOINT_DIR)/hf` is a folder of the run.
pub(crate) fn literal(text: &str) -> String {
    let plain = |text: &str| text.replace('$', "$$");
    if !text.contains("$(") && !text.contains("$$") {
        return text.to_owned();
    }
    let mut parts = text.split(OF_SERVICE);
    let mut spelled = plain(parts.next().unwrap_or_default());
    for part in parts {
        match part.split_once(')') {
            Some((name, rest)) => spelled += &format!("{OF_SERVICE}{name}){}", plain(rest)),
            None => spelled += &plain(&format!("{OF_SERVICE}{part}")),
        }
    }
    spelled
}

/// How a variable that Vertex AI sets is named in a value.
const OF_SERVICE: &str = "$(AIP_";

/// A word of a command that must arrive as it is: `$(NAME)` would be replaced by a variable of the container. What Vertex AI sets itself
/// is left to it: `$(AIP_MODEL_DIR)` is how programs that read no variables are told of it.
pub(crate) fn unreplaced(text: &str, is_variable: impl Fn(&str) -> bool) -> String {
    let mut parts = text.split("$(");
    let mut spelled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let replaced = part.split_once(')').is_some_and(|(name, _)| is_variable(name));
        // of signs in front of it each pair is read as one, too
        let before = spelled.chars().rev().take_while(|it| *it == '$').count();
        spelled.push_str(&"$".repeat(if replaced { before + 1 } else { 0 }));
        spelled.push_str("$(");
        spelled.push_str(part);
    }
    spelled
}

#[cfg(test)]
mod tests {
    use super::{literal, unreplaced};

    #[test]
    fn values_arrive_as_they_were_written() {
        assert_eq!(literal("$HOME"), "$HOME");
        assert_eq!(literal("$(HOME) $$"), "$$(HOME) $$$$");
        assert_eq!(literal("$(AIP_MODEL_DIR)/$(HOME)"), "$(AIP_MODEL_DIR)/$$(HOME)");
        assert_eq!(literal("$(AIP_MODEL_DIR"), "$$(AIP_MODEL_DIR");
    }

    #[test]
    fn words_arrive_as_they_were_written() {
        let known = |text| unreplaced(text, |name| name == "STEPS");
        assert_eq!(known("--steps=$(STEPS)"), "--steps=$$(STEPS)");
        assert_eq!(known("--steps=$$(STEPS)"), "--steps=$$$$(STEPS)");
        assert_eq!(known("echo $(date) $STEPS $((1 + 2))"), "echo $(date) $STEPS $((1 + 2))");
        assert_eq!(known("--model=$(AIP_MODEL_DIR)/$(STEPS"), "--model=$(AIP_MODEL_DIR)/$(STEPS");
    }
}
