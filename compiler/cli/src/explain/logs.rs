//! What logs say that no rule prevents: why not, and the page that says what to do. What a rule prevents stands with the rule, as its
//! `symptom`. Lines of `tests/cli/logs.tsv` hold both.

/// A text of logs that no rule knows, or not alone.
pub(super) struct Known {
    /// What logs say, each a text by itself.
    pub(super) said: &'static [&'static str],
    /// What meets it, or why nothing does.
    pub(super) why: &'static str,
    /// The page of the book that says more.
    pub(super) page: &'static str,
}

const MISTAKES: &str = "docs/explanation/mistakes.md";
const CAPACITY: &str = "docs/how-to/choose-a-capacity.md";
const APPLY: &str = "docs/how-to/apply-the-output.md";
const STORAGE: &str = "docs/how-to/storage.md";
const KUEUE: &str = "docs/how-to/ask-kueue.md";
const NCCL: &str = "docs/how-to/run-nccl-tests.md";
const SLURM: &str = "docs/how-to/slurm-jobs.md";
const CHANGE: &str = "docs/how-to/read-a-change.md";
const PODS: &str = "docs/explanation/pods.md";

/// By who says it.
pub(super) const KNOWN: &[Known] = &[
    // NCCL and CUDA
    Known {
        said: &[
            "CUDA out of memory",
            "CUDA_ERROR_OUT_OF_MEMORY",
            "RESOURCE_EXHAUSTED: Out of memory",
        ],
        why: "Rules know what a run takes of an accelerator's memory where its `model` says what it is like, and not else. A smaller batch, more parallelism, more nodes or a machine with more memory mends it.",
        page: "docs/how-to/fit-a-model.md",
    },
    Known {
        said: &[
            "CUDA driver version is insufficient for CUDA runtime version",
            "unsupported toolchain",
        ],
        why: "No rule prevents it: the name of an image seldom tells its CUDA, and GKE chooses the driver by the version of the node. A pool has the newest one of its version unless `driver` says `\"default\"`, and a higher `version` of the cluster brings newer ones.",
        page: MISTAKES,
    },
    Known {
        said: &["no kernel image is available for execution on the device"],
        why: "Rules hold images that name their CUDA or release, and builds that name their GPUs, against the machine. What else an image was compiled for no name tells.",
        page: MISTAKES,
    },
    Known {
        said: &[
            "ibv_reg_mr_iova2 failed",
            "ibv_reg_mr failed",
            "failed with error Cannot allocate memory",
        ],
        why: "Never rendered without the right to lock memory where the network stack needs it: pods have it from the catalog, and jobs of Slurm from their cluster. A patch takes it away, or a limit of a Slurm cluster that exists.",
        page: MISTAKES,
    },
    Known {
        said: &[
            "NET/Plugin: Could not find",
            "NET/Plugin: No plugin found",
            "NET/IB : No device found",
            "Using network Socket",
        ],
        why: "On a machine with a fast network this is the slow one. What pods need for the fast one is rendered, so look for what hides it: variables of the image or of `env`, another library path, `fabric = \"off\"`. A test of the network says how fast it is.",
        page: NCCL,
    },
    Known {
        said: &[
            "Watchdog caught collective operation timeout",
            "unhandled system error",
            "ncclSystemError",
            "ncclRemoteError",
            "ncclInternalError",
            "remote process exited or there was a network error",
        ],
        why: "No rule prevents it: one of the others ended, stood still or cannot be reached, and this is what the rest sees. The rank that stopped first says why; `NCCL_DEBUG = \"INFO\"` in `env` says more, and a test of the network tells whether the nodes reach each other at all.",
        page: NCCL,
    },
    Known {
        said: &["socketStartConnect: Connect to", "No route to host"],
        why: "Networks of a blueprint have firewall rules that let nodes and pods reach each other. Of an `existing` network its owner has them.",
        page: "docs/how-to/share-a-network.md",
    },
    Known {
        said: &["Invalid IPCidrRange", "Cidr overlap", "for master is not available in network"],
        why: "Ranges of one blueprint are held apart by rules. This one is of something that they do not see: another blueprint, a network of somebody else's that is peered, or what was made by hand. Another `subnet`, `pods`, `services`, `accelerators` or `control_plane` that is free there mends it.",
        page: "docs/how-to/share-a-network.md",
    },
    // PyTorch
    Known {
        said: &["expected, but not set"],
        why: "`RANK`, `WORLD_SIZE` and `LOCAL_RANK` come from `torchrun(...)`, which starts a process for each GPU. `MASTER_ADDR` and `MASTER_PORT` are set for every run of several nodes, whatever starts it.",
        page: PODS,
    },
    Known {
        said: &[
            "The client socket has timed out",
            "The client socket has failed to connect to",
            "RendezvousConnectionError",
            "RendezvousTimeoutError",
        ],
        why: "Names and ports are rendered, so that nodes find each other. What is left: the first node did not start, since its pod waits for a node, its image was not pulled, or its program ended before; that one's log and events say why.",
        page: PODS,
    },
    Known {
        said: &["out of shared memory", "Error while creating shared memory segment"],
        why: "Pods have a share of their node's memory at `/dev/shm` by themselves, and not the 64 MiB of a bare container; `shared_memory` says another.",
        page: PODS,
    },
    // the scheduler and the kubelet
    Known {
        said: &["untolerated taint"],
        why: "Never rendered for runs of a blueprint: what their pods tolerate follows from the pool that they name. So it is a pool that they did not name, a taint that somebody put on nodes by hand, or a pod of something else; taints of one's own are `taints` of the pool.",
        page: MISTAKES,
    },
    Known {
        said: &["Insufficient nvidia.com/gpu", "Insufficient google.com/tpu"],
        why: "A run that fits its pool waits where others hold the nodes. A queue admits runs one after the other, whole, and says which it waits for.",
        page: "docs/how-to/queues-for-teams.md",
    },
    Known {
        said: &["OOMKilled"],
        why: "No rule prevents the rest of it: a program took more memory than its pod has, which is what the node leaves, or the `memory` of the workload. Workers of data loaders and caches of buckets count, too.",
        page: PODS,
    },
    Known {
        said: &["didn't have free ports for the requested pod ports"],
        why: "Pods on the network of their node say their ports, so that the scheduler keeps two of them apart. There is no node left without one: wait for the other run, give the pool more nodes, or say `host_network = false`.",
        page: PODS,
    },
    Known {
        said: &["volume node affinity conflict"],
        why: "No rule prevents it: the disk of somebody else's claim lies in another zone than the pool. What a blueprint makes is shared, and has no zone.",
        page: STORAGE,
    },
    Known {
        said: &[
            "failed to authorize: failed to fetch",
            "ErrImagePull",
            "ImagePullBackOff",
            "denied: Permission \"artifactregistry.repositories.downloadArtifacts\" denied",
        ],
        why: "Never rendered for registries of the blueprint: nodes may read them. To those of other projects their owner lets the account of the nodes, which the README of the output names.",
        page: APPLY,
    },
    Known {
        said: &[
            "secret ... not found",
            "configmap ... not found",
            "persistentvolumeclaim ... not found",
            "serviceaccount ... not found",
        ],
        why: "No rule prevents it: what somebody else makes is named in the blueprint, and whether it is there is known in the cluster alone. The README of the output lists what has to be there, and in which namespace.",
        page: APPLY,
    },
    Known {
        said: &[
            "BackoffLimitExceeded",
            "Back-off restarting failed container",
            "jobset failed due to",
        ],
        why: "No rule prevents it: the program ended with an error, and its own log says which. How often a run starts again, and after which errors, are `restarts` and `on_failure`.",
        page: "docs/how-to/runs-of-several-groups.md",
    },
    Known {
        said: &["field is immutable"],
        why: "A JobSet, a volume or a flavor that is there cannot be changed. `slipform plan` says it before anything is applied, with the commands that make it anew.",
        page: CHANGE,
    },
    Known {
        said: &["exceeded quota:"],
        why: "A namespace holds as much as its quota allows; of a team of the blueprint that is `runs`, `pods`, `services` and `claims`.",
        page: "docs/how-to/queues-for-teams.md",
    },
    // storage
    Known {
        said: &[
            "failed to find the sidecar container in Pod spec",
            "the webhook failed to inject the sidecar container",
        ],
        why: "Never rendered: a bucket that is mounted brings its annotation, by which GKE adds the sidecar. Somebody took the annotation away, or the cluster, which exists, has no add-on of gcsfuse.",
        page: STORAGE,
    },
    Known {
        said: &[
            "code = PermissionDenied desc = failed to get GCS bucket",
            "gcsfuse ... PermissionDenied",
            "PermissionDenied ... gcsfuse",
        ],
        why: "Never rendered for buckets of the blueprint: whoever mounts one may read or write it, as `access` says. A grant takes some minutes to count, and of an `existing` bucket of another project its owner gives it to the account that the README of the output names.",
        page: STORAGE,
    },
    Known {
        said: &["not found in the list of registered CSI drivers"],
        why: "Clusters of a blueprint have the add-ons that their mounts need. Of a cluster that exists its owner switches them on; the README of the output says which.",
        page: STORAGE,
    },
    Known {
        said: &[
            "mount.nfs: Connection timed out",
            "mount.nfs: Connection refused",
            "mount.nfs: No route to host",
        ],
        why: "Filesystems of the blueprint are on the network of the nodes that mount them. A server of somebody else has to be reached from there, and to let in ports 111 and 2049.",
        page: STORAGE,
    },
    Known {
        said: &["mount.nfs: access denied by server"],
        why: "No rule prevents it: the server exports another path than the mount says, or not to these addresses. Of a filesystem of the blueprint the path follows from its `share`.",
        page: STORAGE,
    },
    Known {
        said: &["iam.serviceAccounts.getAccessToken"],
        why: "Never rendered: who acts as an identity is bound to it by the root that stands behind the clusters. That root was not applied, or the run is in another namespace than when it was.",
        page: APPLY,
    },
    // Kueue
    Known {
        said: &[
            "couldn't assign flavors to pod set",
            "insufficient unused quota",
            "unavailable in ClusterQueue",
            "ClusterQueue ... is inactive",
            "ClusterQueue ... doesn't exist",
        ],
        why: "What each answer of Kueue means, and which words of the blueprint it is about.",
        page: KUEUE,
    },
    // Slurm
    Known {
        said: &["Job violates accounting/QOS policy", "QOSMax", "QOSGrp", "AssocGrp", "AssocMax"],
        why: "No rule prevents it: what an account or a quality of service may take is kept in the accounting of the cluster, which a blueprint does not have. `sacctmgr show qos` and `sacctmgr show associations` say how much it is; `account` of the workload and `qos` of its `batch` name another, and fewer nodes or less time fit.",
        page: SLURM,
    },
    Known {
        said: &["Detected ... oom_kill event", "Some of the step tasks have been OOM Killed"],
        why: "Never rendered with less memory than there is: jobs of whole nodes ask for all of it, and steps say so again. The program takes more than a node has.",
        page: SLURM,
    },
    Known {
        said: &["Invalid partition name specified", "invalid partition specified"],
        why: "No rule prevents it: a `partition` of a cluster that exists is called what the blueprint says, and only that cluster knows its own. `name` of the partition says another.",
        page: SLURM,
    },
    Known {
        said: &["Invalid generic resource (gres) specification"],
        why: "GPUs are asked for by their number a node and without a type, so the nodes of the partition declare none: the `slurm.conf` of the cluster has no `Gres=gpu` for them, or the `machine` of the partition is another than they are.",
        page: "docs/explanation/slurm.md",
    },
    Known {
        said: &[
            "pyxis: couldn't start container",
            "pyxis: container start failed",
            "pyxis: child ... failed",
            "pyxis: failed to import docker image",
        ],
        why: "No rule prevents it: the image could not be fetched or started on the node. The lines behind it are those of enroot, and say why; credentials of registries are the node's own.",
        page: SLURM,
    },
    Known {
        said: &["unrecognized option '--container-image"],
        why: "Containers of jobs are started by pyxis, which this cluster does not have. Of images that the blueprint builds rules know it, and of no other.",
        page: SLURM,
    },
    Known {
        said: &["DUE TO TIME LIMIT"],
        why: "No rule knows how long a run takes: it has the `max_run` that it says, or what its partition allows. With `restarts` and `grace` a job writes its checkpoint before and starts again.",
        page: SLURM,
    },
    // Vertex AI
    Known {
        said: &["Resources are insufficient in region"],
        why: "No rule prevents it: the region is out of these machines now. `capacity = flex_start` waits for them, a reservation keeps them, and another region may have some.",
        page: CAPACITY,
    },
    Known {
        said: &["exited with a non-zero status"],
        why: "No rule prevents it: the program ended with an error, and its own log says which; the page says where that is.",
        page: "docs/how-to/vertex-jobs.md",
    },
    // Google Cloud and Terraform
    Known {
        said: &[
            "ZONE_RESOURCE_POOL_EXHAUSTED",
            "GCE_STOCKOUT",
            "does not have enough resources available to fulfill",
            "does not currently have sufficient capacity",
        ],
        why: "No rule prevents it where the machine is offered: the zone is out of it now. A reservation keeps machines, `flex_start` and `queued` wait for them, and other zones may have some.",
        page: CAPACITY,
    },
    Known {
        said: &[
            "QUOTA_EXCEEDED",
            "quotaExceeded",
            "Quota ... exceeded. Limit",
            "exceed quota limits",
            "Insufficient regional quota to satisfy request",
        ],
        why: "No rule prevents it: what a project was granted stands in no blueprint. Raise the quota of that name in that region, spot and lent machines have quotas of their own, or ask for fewer.",
        page: CAPACITY,
    },
    Known {
        said: &[
            "Specified reservations ... do not exist",
            "No available resources in specified reservations",
        ],
        why: "No rule knows which reservations there are, or what is left of them: their names are taken as they are said. One of another zone than the pool's, or of another project and named without it, is not found either.",
        page: CAPACITY,
    },
    Known {
        said: &["has not been used in project", "SERVICE_DISABLED"],
        why: "Never left out: the first root enables each API that a blueprint needs, but two that Terraform itself needs before, whose command the README has. An API that was enabled just now takes some minutes.",
        page: APPLY,
    },
    Known {
        said: &["alreadyExists", "already exists within project", "Entity already exists"],
        why: "Something of that name is there that Terraform's state does not know: of another environment in the same project, or made by hand. Environments have projects or names of their own; what somebody else made is declared with `existing`.",
        page: "docs/how-to/environments.md",
    },
    Known {
        said: &["The requested bucket name is not available"],
        why: "No rule prevents it: names of buckets are shared by all of Cloud Storage, and this one is taken. `name` of the bucket says another.",
        page: STORAGE,
    },
    Known {
        said: &[
            "Cannot destroy cluster because deletion_protection",
            "Instance cannot be destroyed",
            "prevent_destroy",
        ],
        why: "What holds data or runs is protected. `deletion_protection = false` in the blueprint, built and applied, lifts it; `slipform plan` says so of each thing that a change would destroy.",
        page: APPLY,
    },
    Known {
        said: &["resourceInUseByAnotherResource"],
        why: "Something else still uses what is to be destroyed. `slipform plan` tells the order of roots, and what is to be drained first.",
        page: CHANGE,
    },
    Known {
        said: &["Error acquiring the state lock", "Backend initialization required"],
        why: "No rule prevents it: it is Terraform's state, which somebody else holds now, or which this folder was not yet told of with `terraform init`.",
        page: APPLY,
    },
];
