//! The words of the APIs that are written: labels, annotations and controllers. Facts that change (versions, images,
//! limits) are not here but in the catalog.

pub(crate) const NODE_POOL: &str = "cloud.google.com/gke-nodepool";
pub(crate) const ACCELERATOR: &str = "cloud.google.com/gke-accelerator";
pub(crate) const PLATFORM: &str = "kubernetes.io/arch";
pub(crate) const GPU: &str = "nvidia.com/gpu";

pub(crate) const JOBSET: &str = "JobSet";
pub(crate) const EXCLUSIVE_TOPOLOGY: &str = "alpha.jobset.sigs.k8s.io/exclusive-topology";
/// The downward path of the replica's number in its replicated job.
pub(crate) const JOB_INDEX: &str = "metadata.annotations['jobset.sigs.k8s.io/job-index']";
/// The downward path of the pod's number in its Job.
pub(crate) const COMPLETION_INDEX: &str =
    "metadata.annotations['batch.kubernetes.io/job-completion-index']";
/// The downward path of what tells a JobSet from every other, also of its name.
pub(crate) const JOBSET_UID: &str = "metadata.labels['jobset.sigs.k8s.io/jobset-uid']";
/// The downward path of the number of restarts before.
pub(crate) const RESTART_ATTEMPT: &str = "metadata.labels['jobset.sigs.k8s.io/restart-attempt']";

pub(crate) const QUEUE_NAME: &str = "kueue.x-k8s.io/queue-name";
pub(crate) const QUEUE_PRIORITY: &str = "kueue.x-k8s.io/priority-class";
pub(crate) const MAX_EXECUTION: &str = "kueue.x-k8s.io/max-exec-time-seconds";
pub(crate) const MAX_RUN_DURATION: &str = "provreq.kueue.x-k8s.io/maxRunDurationSeconds";
pub(crate) const TOPOLOGY_REQUIRED: &str = "kueue.x-k8s.io/podset-required-topology";
pub(crate) const TOPOLOGY_PREFERRED: &str = "kueue.x-k8s.io/podset-preferred-topology";
pub(crate) const TOPOLOGY_OF_SLICES: &str = "kueue.x-k8s.io/podset-slice-required-topology";
pub(crate) const TOPOLOGY_SLICE: &str = "kueue.x-k8s.io/podset-slice-size";
pub(crate) const TOPOLOGY_ANYWHERE: &str = "kueue.x-k8s.io/podset-unconstrained-topology";
pub(crate) const TOPOLOGY_LAYERS: &str =
    "kueue.x-k8s.io/podset-slice-required-topology-constraints";
pub(crate) const PRIORITY_CLASSES: &str = "priorityclasses.scheduling.k8s.io";
/// The shape of the slice that a pod is of, where slices are joined and cut.
pub(crate) const SLICE_TOPOLOGY: &str = "cloud.google.com/gke-tpu-slice-topology";
/// The check that waits for such slices.
pub(crate) const SLICES: &str = "tpu-slices";
pub(crate) const QUEUE_MANAGED: &str = "kueue-managed";
/// Pod Security (Kubernetes: "Pod Security Admission"): what refuses pods of a namespace, and what only warns whoever applies them.
pub(crate) const SECURITY_ENFORCED: &str = "pod-security.kubernetes.io/enforce";
pub(crate) const SECURITY_WARNS: &str = "pod-security.kubernetes.io/warn";
/// No folders, networks and processes of the node, no privileges.
pub(crate) const BASELINE: &str = "baseline";
/// The ConfigMap of Kueue's release, the file in it, and the Deployment that reads it.
pub(crate) const KUEUE_CONFIGURATION: &str = "kueue-manager-config";
pub(crate) const KUEUE_FILE: &str = "controller_manager_config.yaml";
pub(crate) const KUEUE_MANAGER: &str = "kueue-controller-manager";
/// The gate of Kueue behind which it counts what claims share of one device.
pub(crate) const COUNTS_SHARED: &str = "KueueDRAIntegrationConsumableCapacity";
/// The gate of Kueue that keeps it from waiting for pods where it does so by itself.
pub(crate) const WAITS_FOR_NONE: &str = "DisableWaitForPodsReady";
/// The gate of Kueue behind which it places groups of nodes within groups.
pub(crate) const PLACES_LAYERS: &str = "TASMultiLayerTopology";
/// On pods that are to start again when it changes.
pub(crate) const CONFIGURATION: &str = "slipform/configuration";

pub(crate) const PROVISIONING_CLASS: &str = "queued-provisioning.gke.io";
pub(crate) const PROVISIONING_CONTROLLER: &str = "kueue.x-k8s.io/provisioning-request";
pub(crate) const MULTIKUEUE: &str = "kueue.x-k8s.io/multikueue";
/// The label of the flavor of what is handed on, which no pod asks for.
pub(crate) const HANDED_ON: &str = "slipform-handed-on";
/// What secrets begin with by which Kueue reaches other clusters.
pub(crate) const KUBECONFIG: &str = "kubeconfig-";
pub(crate) const PROVISIONED_NODES: &str = "autoscaling.gke.io/provisioning-request";

pub(crate) const DEFAULT_INTERFACE: &str = "networking.gke.io/default-interface";
pub(crate) const INTERFACES: &str = "networking.gke.io/interfaces";
pub(crate) const NETWORK_GROUP: &str = "networking.gke.io";
pub(crate) const DEVICES: &str = "devices.gke.io/container.";

pub(crate) const ACTS_AS: &str = "iam.gke.io/gcp-service-account";
pub(crate) const NAMESPACE_NAME: &str = "kubernetes.io/metadata.name";
pub(crate) const APP_NAME: &str = "app.kubernetes.io/name";
pub(crate) const MANAGED_BY: &str = "app.kubernetes.io/managed-by";
pub(crate) const PART_OF: &str = "app.kubernetes.io/part-of";
pub(crate) const REVISION: &str = "app.kubernetes.io/version";
/// Kustomize reads objects with this annotation and leaves them out of what it writes.
pub(crate) const LOCAL_CONFIG: &str = "config.kubernetes.io/local-config";
