//! GPU network stacks: the plugin, the daemon beside the workload, the installer on the node, and
//! what each platform needs to be told. One table pins versions that only work in pairs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Arch, Confidence, GpuDirect, SlurmMachine};

/// One stack. Machines name theirs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stack {
    /// `tcpx`, `tcpxo`, `gib`, `gib-arm64`, `a4x-max`.
    pub name: String,
    /// How the GPUs reach the network.
    pub gpudirect: GpuDirect,
    /// Instruction set of its images.
    #[serde(default)]
    pub arch: Arch,
    /// The NCCL plugin's image.
    pub plugin: ImageRef,
    /// Versions of plugin and daemon that belong together, oldest first; the last one is used.
    #[serde(default)]
    pub pairs: Vec<VersionPair>,
    /// NCCL that the plugin brings.
    #[serde(default)]
    pub nccl: Option<String>,
    /// Oldest glibc of a workload's image.
    #[serde(default)]
    pub glibc_min: Option<String>,
    /// What NCCL must be told on GKE. The stack's script sets it; a stack without a script wants it in the
    /// environment. A workload must not set these keys to anything else.
    #[serde(default)]
    pub profile: BTreeMap<String, String>,
    /// Prefixes of keys that belong to the stack even if the profile does not list them.
    #[serde(default)]
    pub owned_prefixes: Vec<String>,
    /// On GKE.
    #[serde(default)]
    pub gke: Option<GkeStack>,
    /// On Slurm.
    #[serde(default)]
    pub slurm: Option<SlurmStack>,
    /// On Vertex AI.
    #[serde(default)]
    pub vertex: Option<VertexStack>,
    /// How its bandwidth is measured.
    #[serde(default)]
    pub nccl_test: Option<NcclTest>,
    /// What does not fit elsewhere, for people.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Day of the fact.
    pub date: String,
    /// Trust.
    pub confidence: Confidence,
}

impl Stack {
    /// Whether `key` of the environment is the stack's: listed in its profile, or of its prefixes.
    pub fn owns(&self, key: &str) -> bool {
        self.profile.contains_key(key)
            || self.owned_prefixes.iter().any(|prefix| key.starts_with(prefix.as_str()))
    }

    /// The reference of one of its images: that of the plugin has the plugin's tag, unless it says another.
    pub fn reference(&self, image: &ImageRef) -> String {
        let untagged = image.tag.is_none() && image.digest.is_none();
        if untagged && image.repository == self.plugin.repository {
            return self.plugin.to_string();
        }
        image.to_string()
    }

    /// The daemon version that belongs to a plugin version.
    pub fn daemon_for(&self, plugin: &str) -> Option<&str> {
        let wanted = plugin.strip_prefix('v').unwrap_or(plugin);
        let pair = self.pairs.iter().find(|pair| pair.plugin == wanted)?;
        Some(&pair.daemon)
    }
}

/// A container image.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImageRef {
    /// Registry and path, without tag.
    pub repository: String,
    /// Tag; absent where a digest pins it.
    #[serde(default)]
    pub tag: Option<String>,
    /// `sha256:...`, where it is pinned by content.
    #[serde(default)]
    pub digest: Option<String>,
}

impl std::fmt::Display for ImageRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.repository)?;
        if let Some(tag) = &self.tag {
            write!(f, ":{tag}")?;
        }
        if let Some(digest) = &self.digest {
            write!(f, "@{digest}")?;
        }
        Ok(())
    }
}

/// A plugin version and the daemon version that speaks its protocol, without a leading `v`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VersionPair {
    /// Plugin.
    pub plugin: String,
    /// Daemon.
    pub daemon: String,
    /// NCCL that the plugin was built with.
    #[serde(default)]
    pub nccl: Option<String>,
}

/// The stack on GKE.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GkeStack {
    /// What runs on every node beforehand.
    #[serde(default)]
    pub installers: Vec<Installer>,
    /// What is installed into the cluster beforehand: keys of the components.
    #[serde(default)]
    pub components: Vec<String>,
    /// The container beside the workload.
    #[serde(default)]
    pub daemon: Option<Daemon>,
    /// Volumes of the pod.
    #[serde(default)]
    pub volumes: Vec<Volume>,
    /// Mounts of the workload's container.
    #[serde(default)]
    pub mounts: Vec<Mount>,
    /// Linux capabilities of the workload's container.
    #[serde(default)]
    pub capabilities: Vec<String>,
    /// Environment of the workload's container.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// A script to source before the workload's command.
    #[serde(default)]
    pub env_script: Option<String>,
    /// A file of the plugin as the workload's container sees it; the plugin is there when this is.
    #[serde(default)]
    pub installed: Option<String>,
    /// Interfaces of the pod beside `eth0`, in the order of the node's networks.
    #[serde(default)]
    pub interfaces: Vec<PodInterface>,
    /// The interface for bootstrap traffic.
    #[serde(default)]
    pub socket_interface: Option<String>,
    /// The interfaces for bulk traffic.
    #[serde(default)]
    pub data_interfaces: Vec<String>,
    /// Resource claims of the pod.
    #[serde(default)]
    pub claims: Vec<Claim>,
    /// Labels of the node pool.
    #[serde(default)]
    pub node_labels: BTreeMap<String, String>,
}

impl GkeStack {
    /// Where the node has the file that the workload's container sees at `path`.
    pub fn on_node(&self, path: &str) -> Option<String> {
        self.mounts.iter().find_map(|mount| {
            let rest = path.strip_prefix(mount.path.as_str())?.strip_prefix('/')?;
            let volume = self.volumes.iter().find(|volume| volume.name == mount.volume)?;
            Some(format!("{}/{rest}", volume.path.as_deref()?))
        })
    }

    /// Whether an installer writes a file of the node with the plugin.
    pub fn installs(&self, file: &str) -> bool {
        self.installers.iter().any(|installer| match &installer.recipe {
            Recipe::Plugin { .. } => installer.fills(file).is_some(),
            Recipe::DeviceInjector => false,
        })
    }
}

impl Installer {
    /// The folder of the node that it fills with such a file, by its place in the list, and the file's path there.
    pub fn fills<'a>(&self, file: &'a str) -> Option<(usize, &'a str)> {
        self.host_paths.iter().enumerate().find_map(|(number, path)| {
            Some((number, file.strip_prefix(path.as_str())?.strip_prefix('/')?))
        })
    }
}

/// A DaemonSet that prepares nodes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Installer {
    /// Name of the DaemonSet.
    pub name: String,
    /// How its image prepares a node.
    pub recipe: Recipe,
    /// Its image; without a tag, the plugin's.
    pub image: ImageRef,
    /// Folders of the node that it fills.
    #[serde(default)]
    pub host_paths: Vec<String>,
    /// Where a manifest of it can be read. Not to be applied as it stands: its versions move on.
    #[serde(default)]
    pub manifest: Option<String>,
}

/// How the image of an installer prepares a node.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Recipe {
    /// It unpacks the plugin, which is then copied to the folders of the node.
    Plugin {
        /// The folder that it unpacks to.
        unpacked: String,
        /// What is done on the node first.
        #[serde(default)]
        prepare: Option<Preparation>,
    },
    /// It serves the container runtime of the node, which then gives devices to the containers that ask for them.
    DeviceInjector,
}

/// What a node needs before a plugin works on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Preparation {
    /// Network cards are shown under `/dev/aperture_devices`, and data networks pass the firewall.
    ApertureDevices,
}

/// The container that runs beside the workload and moves its bytes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Daemon {
    /// Name of the container; the device annotation ends in it.
    pub container: String,
    /// Its image.
    pub image: ImageRef,
    /// Its command.
    pub command: Vec<String>,
    /// Linux capabilities.
    #[serde(default)]
    pub capabilities: Vec<String>,
    /// Oldest GKE minor version with native sidecars, without which a Job never completes.
    #[serde(default)]
    pub native_sidecar_min: Option<String>,
    /// The annotation that names the devices.
    #[serde(default)]
    pub device_annotation: Option<String>,
    /// Devices that are injected.
    #[serde(default)]
    pub devices: Vec<String>,
    /// Environment.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// A file that exists once the daemon is ready.
    #[serde(default)]
    pub ready_file: Option<String>,
    /// Mounts.
    #[serde(default)]
    pub mounts: Vec<Mount>,
}

/// A volume of a pod.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Volume {
    /// Name.
    pub name: String,
    /// Where its bytes are.
    pub kind: VolumeKind,
    /// The folder of the node.
    #[serde(default)]
    pub path: Option<String>,
    /// Size, as Kubernetes writes it: `250Gi`.
    #[serde(default)]
    pub size: Option<String>,
}

/// Where a volume's bytes are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VolumeKind {
    /// A folder of the node.
    HostPath,
    /// A folder that lives as long as the pod.
    EmptyDir,
    /// The same, in memory.
    Memory,
}

/// A mount of a container.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mount {
    /// Name of the volume.
    pub volume: String,
    /// Where the container sees it.
    pub path: String,
}

/// An interface of a pod.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PodInterface {
    /// `eth1`.
    pub name: String,
    /// Name of the Network object: `vpc1`, `rdma-0`.
    pub network: String,
    /// Device mode of its parameter set: `NetDevice` or `RDMA`.
    pub mode: String,
}

/// A resource claim of a pod.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Name of the claim in the pod.
    pub name: String,
    /// What it is claimed by.
    pub kind: ClaimKind,
    /// The class of what is claimed, where it is known.
    #[serde(default)]
    pub device_class: Option<String>,
    /// Devices of that class, one where it says nothing.
    #[serde(default)]
    pub count: Option<u32>,
    /// API of the object: `resource.k8s.io/v1`.
    pub api: String,
}

/// The object by which a pod claims devices.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimKind {
    /// A ComputeDomain, whose controller makes the template of its claims.
    ComputeDomain,
    /// A template of claims of a class.
    DeviceClass,
}

/// The stack on Slurm images. Names of interfaces vary by machine and stand with the machine.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlurmStack {
    /// Environment of every rank. `{sockets}`, `{first_socket}` and `{data}` stand for the machine's interfaces.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Environment that the script needs before it is sourced.
    #[serde(default)]
    pub script_env: BTreeMap<String, String>,
    /// A script to source; the environment above comes after it.
    #[serde(default)]
    pub env_script: Option<String>,
    /// Mounts of a container, `SRC:DST`.
    #[serde(default)]
    pub mounts: Vec<String>,
    /// `LD_LIBRARY_PATH` inside the container.
    #[serde(default)]
    pub library_path: Option<String>,
    /// What the node's prolog starts.
    #[serde(default)]
    pub prologue: Option<SlurmPrologue>,
    /// Where a script is that each node of a job runs before it.
    #[serde(default)]
    pub before: Option<String>,
    /// Where one is that it runs after it.
    #[serde(default)]
    pub after: Option<String>,
    /// The folder of a node that the plugin's image is unpacked to, as the image calls its own, and what tells that it is there.
    #[serde(default)]
    pub unpacked: Option<SlurmPlugin>,
    /// Settings of the cluster.
    #[serde(default)]
    pub cluster_settings: BTreeMap<String, String>,
}

/// A plugin that nodes unpack from its image.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlurmPlugin {
    /// The folder of the node.
    pub folder: String,
    /// What the program of the image takes it for.
    pub inside: String,
    /// A file that is there once it is unpacked.
    pub file: String,
}

impl SlurmStack {
    /// Its variables with the names of a machine's interfaces in their places; without a value those that name some which are
    /// not known.
    pub fn env_on<'a>(
        &'a self,
        machine: Option<&'a SlurmMachine>,
    ) -> impl Iterator<Item = (&'a str, Option<String>)> {
        self.env.iter().map(move |(name, value)| (name.as_str(), filled(value, machine)))
    }
}

/// Interfaces have names by their slot on Slurm's images, so a stack leaves places for them.
fn filled(value: &str, machine: Option<&SlurmMachine>) -> Option<String> {
    let sockets = machine.map_or(&[][..], |machine| &machine.socket_interfaces);
    let data = machine.map_or(&[][..], |machine| &machine.data_interfaces);
    let places = [
        ("{sockets}", sockets.join(",")),
        ("{first_socket}", sockets.first().cloned().unwrap_or_default()),
        ("{data}", data.join(",")),
    ];
    let known = places.iter().all(|(place, names)| !value.contains(place) || !names.is_empty());
    let fill = |text: String, (place, names): &(&str, String)| text.replace(place, names);
    known.then(|| places.iter().fold(value.to_owned(), fill))
}

/// What the node's prolog starts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlurmPrologue {
    /// Version of the daemon.
    #[serde(default)]
    pub daemon: Option<String>,
    /// Version of the plugin.
    #[serde(default)]
    pub plugin: Option<String>,
    /// Seconds that it may take.
    #[serde(default)]
    pub max_seconds: Option<u32>,
    /// Whether it does nothing in a job of one node.
    #[serde(default)]
    pub skips_single_node: bool,
    /// Where the script is that starts it before a job and ends it after.
    #[serde(default)]
    pub script: Option<String>,
    /// The folder of devices that have to be there before any job.
    #[serde(default)]
    pub devices: Option<String>,
}

/// The stack on Vertex AI.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VertexStack {
    /// Environment of every replica.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// A script to source first.
    #[serde(default)]
    pub env_script: Option<String>,
}

/// How bandwidth is measured.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NcclTest {
    /// The image with the tests.
    pub image: ImageRef,
    /// Where the test programs are in it; absent: on the `PATH`.
    #[serde(default)]
    pub folder: Option<String>,
    /// A script of the image that runs a test over hosts.
    #[serde(default)]
    pub script: Option<String>,
    /// Smallest message.
    pub begin: String,
    /// Largest message.
    pub end: String,
    /// Further arguments of the test program.
    #[serde(default)]
    pub args: Vec<String>,
    /// Arguments of `mpirun`.
    #[serde(default)]
    pub mpirun_args: Vec<String>,
    /// Cores to pin to, as `taskset -c` takes them.
    #[serde(default)]
    pub cpus: Option<String>,
    /// Environment.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Port of the secure shell between hosts.
    #[serde(default)]
    pub ssh_port: Option<u16>,
    /// Whole GB/s of bus bandwidth that two healthy nodes reach at the largest message, by machine.
    #[serde(default)]
    pub busbw_gbytes_per_s: BTreeMap<String, u32>,
}
