//! What must be there before the first command: tools, rights, interfaces, the bucket of Terraform's state, quotas and
//! reservations. All of it follows from the plan, from what the commands touch, and from the catalog.

use super::abroad::{Abroad, Lent, abroad, image_owners, lent_accounts};
use super::quotas::{self, Quota};
use crate::terraform::{self, NODE_ROLES, VIEWER};
use serde::Serialize;
use slipform_model::catalog::Prerequisite;
use slipform_model::nouns::{
    BootImage, Bucket, Capacity, Dashboard, Filesystem, GkeCluster, Identity, MachineImage,
    Machines, Network, Partition, Pool, Ref, Registry, Reservation, Reserved, SlurmCluster,
    SlurmController, Storage, VertexCluster, Workload,
};
use slipform_model::plan::{Gang, Planned, Run, Sound};
use std::collections::BTreeSet;

/// What the commands of the page touch.
pub(super) struct Uses<'a> {
    pub(super) foundation: bool,
    pub(super) terraform: bool,
    pub(super) images: bool,
    /// Packer builds images of machines, whoever starts it.
    pub(super) packer: bool,
    /// Commands of the page start it.
    pub(super) machine_images: bool,
    /// It comes in to some of them by the rights of who runs it.
    pub(super) packer_login: bool,
    pub(super) kubectl: bool,
    pub(super) helm: bool,
    /// Cluster Toolkit makes something.
    pub(super) toolkit: bool,
    /// There are plain machines.
    pub(super) machines: bool,
    /// Workloads that Vertex AI runs.
    pub(super) vertex: Vec<Planned<'a, Workload>>,
    /// Secrets are kept in the project.
    pub(super) secrets: bool,
}

/// What whoever makes a Slurm cluster with Cluster Toolkit must be allowed to do: machines, networks and their firewalls, the bucket of the cluster's
/// own files, secrets of its keys, and accounts that machines act as; and to reach machines without public addresses.
const OF_TOOLKIT: [&str; 6] = [
    "roles/compute.admin",
    "roles/iam.serviceAccountUser",
    "roles/iap.tunnelResourceAccessor",
    "roles/resourcemanager.projectIamAdmin",
    "roles/secretmanager.admin",
    "roles/storage.admin",
];

/// What whoever has Packer build an image must be allowed to do: a machine and its disk, and to reach it without a public address.
const OF_PACKER: [&str; 3] = [
    "roles/compute.instanceAdmin.v1",
    "roles/iam.serviceAccountUser",
    "roles/iap.tunnelResourceAccessor",
];

/// The checklist.
#[derive(Default, Serialize)]
pub(super) struct Before<'a> {
    tools: Vec<Tool<'a>>,
    roles: BTreeSet<&'static str>,
    services: Vec<&'static str>,
    /// Where Terraform's state is kept.
    state: Option<State<'a>>,
    quotas: Vec<Quota>,
    reservations: Vec<Row<'a>>,
    /// Those that custom jobs take machines from.
    vertex_reservations: Vec<Row<'a>>,
    /// Whether reservations that are made are shared with other projects.
    shares_reservations: bool,
    /// Other projects that reservations are shared from.
    owners: BTreeSet<String>,
    /// The role that reads reservations.
    viewer: &'static str,
    /// Accounts of nodes that someone else keeps, and what these must be allowed to do.
    node_accounts: Vec<&'a str>,
    node_roles: [&'static str; 2],
    /// Other projects that networks are shared from.
    hosts: BTreeSet<&'a str>,
    /// Who makes machines there.
    pods: bool,
    slurm: bool,
    /// Networks that someone else keeps, and what stands on them takes for granted there.
    networks: Vec<Ground<'a>>,
    /// Services whose agents use keys, and have to be there before they can be let.
    agents: BTreeSet<&'static str>,
    storage_agent: bool,
    /// What identities need of buckets, where both are someone else's.
    grants: Vec<Grant<'a>>,
    /// What accounts that someone else keeps need on the project, as hosts of Slurm.
    acting: Vec<Acting<'a>>,
    /// Keys of people, and who has to be let use them.
    keys: BTreeSet<Key<'a>>,
    /// Secrets of the project that identities are let read.
    secrets: BTreeSet<&'a str>,
    /// Snapshots and images that disks are made of.
    disks: BTreeSet<&'a str>,
    /// Images of disks that nodes start with, of other projects.
    image_disks: BTreeSet<&'a str>,
    /// Other projects that images of runs come from.
    image_owners: BTreeSet<&'a str>,
    /// Images of machines that others let be used.
    images: Option<Images>,
    /// What whoever runs the commands needs in projects of others.
    abroad: Vec<Abroad<'a>>,
    /// Buckets of others that rights are given on.
    given_buckets: BTreeSet<&'a str>,
    /// Domains whose groups GKE looks into.
    group_domains: BTreeSet<&'a str>,
    /// Accounts of nodes of other projects.
    lent_accounts: Vec<Lent>,
}

/// Images of other projects that machines start from, and who makes these.
#[derive(Serialize)]
struct Images {
    projects: BTreeSet<String>,
    /// Controllers of Slurm, which make its nodes.
    accounts: BTreeSet<String>,
    /// Managed groups make some.
    groups: bool,
}

/// A network that someone else keeps.
#[derive(Serialize)]
struct Ground<'a> {
    name: &'a str,
    /// The project that it is shared from.
    host: Option<&'a str>,
    region: &'a str,
    subnet: &'a str,
    /// Those of pods and of services, where a cluster is made there.
    ranges: Option<[&'a str; 2]>,
    /// Nodes reach what is outside of Google Cloud.
    nat: bool,
    /// Filesystems whose addresses come from private services access.
    private: Vec<&'a str>,
    /// Ports of Lustre, where some is there.
    ports: Vec<u16>,
}

/// What an identity needs of a bucket.
#[derive(Serialize)]
struct Grant<'a> {
    bucket: &'a str,
    identity: &'a str,
    role: &'static str,
}

/// What an account that someone else keeps needs on the project.
#[derive(Serialize)]
struct Acting<'a> {
    identity: String,
    roles: BTreeSet<&'a str>,
}

/// A key that something is encrypted with.
#[derive(PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct Key<'a> {
    name: &'a str,
    /// The service whose agent uses it.
    agent: &'static str,
    /// Its API.
    #[serde(skip)]
    api: &'static str,
}

const STORAGE: &str = "storage.googleapis.com";

/// A program that commands call.
#[derive(Serialize)]
struct Tool<'a> {
    name: &'a str,
    with: Option<&'static str>,
    least: &'a str,
}

/// The bucket of Terraform's state.
#[derive(Serialize)]
struct State<'a> {
    bucket: String,
    region: Option<&'a str>,
}

/// A reservation that nodes are taken from.
#[derive(Serialize)]
struct Row<'a> {
    name: String,
    project: Option<String>,
    zone: String,
    /// The day from which on it can be taken of.
    starts: Option<&'a str>,
    /// The day on which its machines are taken back.
    ends: Option<&'a str>,
}

impl<'a> Before<'a> {
    pub(super) fn of(plan: Sound<'a>, uses: &Uses<'a>) -> Self {
        let reservations = if uses.terraform { reservations(plan) } else { Vec::new() };
        let own = plan.project();
        let owners = reservations.iter().filter_map(|it| it.project.clone());
        let keys = if uses.terraform { keys(plan) } else { BTreeSet::new() };
        let secrets = if uses.terraform { secrets(plan) } else { BTreeSet::new() };
        let apis: BTreeSet<&str> = keys.iter().map(|key| key.api).collect();
        Self {
            tools: tools(plan, uses),
            roles: roles(plan, uses, &reservations),
            services: services(uses, &reservations, &apis, !secrets.is_empty()),
            state: uses.terraform.then(|| state(plan)),
            quotas: quotas::of(plan),
            owners: owners.filter(|owner| Some(owner.as_str()) != own).collect(),
            viewer: VIEWER,
            reservations,
            vertex_reservations: vertex_reservations(plan, uses),
            shares_reservations: uses.terraform
                && plan.made::<Reservation>().any(|it| !it.body.shared_with.is_empty()),
            node_accounts: if uses.terraform { node_accounts(plan) } else { Vec::new() },
            node_roles: NODE_ROLES,
            hosts: if uses.terraform { hosts(plan) } else { BTreeSet::new() },
            pods: plan.made::<GkeCluster>().next().is_some(),
            slurm: plan.made::<SlurmCluster>().any(|it| it.plan.cloud.is_some()),
            networks: if uses.terraform { networks(plan) } else { Vec::new() },
            storage_agent: apis.contains(STORAGE),
            agents: apis.into_iter().filter(|api| *api != STORAGE).collect(),
            grants: if uses.terraform { grants(plan) } else { Vec::new() },
            acting: if uses.terraform { acting(plan) } else { Vec::new() },
            keys,
            secrets,
            disks: if uses.terraform { disks(plan) } else { BTreeSet::new() },
            image_disks: if uses.terraform { image_disks(plan) } else { BTreeSet::new() },
            image_owners: image_owners(plan),
            images: images(plan),
            abroad: abroad(plan, uses),
            given_buckets: match uses.terraform {
                true => terraform::buckets_of_others(plan),
                false => BTreeSet::new(),
            },
            group_domains: group_domains(plan),
            lent_accounts: if uses.terraform { lent_accounts(plan) } else { Vec::new() },
        }
    }
}

/// Domains of the groups that work in clusters that are made here.
fn group_domains(plan: Sound<'_>) -> BTreeSet<&str> {
    plan.made::<GkeCluster>().flat_map(|cluster| cluster.body.group_domains()).collect()
}

/// The projects of networks that something is made on: of what is there already, the networks are, too.
fn hosts(plan: Sound<'_>) -> BTreeSet<&str> {
    let clusters = plan.made::<GkeCluster>().map(|it| it.body.network.value);
    let slurm = plan.made::<SlurmCluster>().filter_map(|it| it.body.network.map(|it| it.value));
    let machines = plan.made::<Machines>().map(|it| it.body.network.value);
    let files = plan.made::<Filesystem>().filter_map(|it| it.body.network.map(|it| it.value));
    let images = plan.made::<MachineImage>().filter_map(|it| it.body.network.map(|it| it.value));
    let used = clusters.chain(slurm).chain(machines).chain(files).chain(images);
    let projects = used.filter_map(|network| plan.get(network).body.project.as_ref());
    projects.map(|project| project.value.as_str()).collect()
}

/// What is made here takes of networks that someone else keeps.
fn networks(plan: Sound<'_>) -> Vec<Ground<'_>> {
    let others = plan.all::<Network>().filter(|it| !it.is_made());
    others.filter_map(|it| ground(plan, it)).collect()
}

fn ground<'a>(plan: Sound<'a>, network: Planned<'a, Network>) -> Option<Ground<'a>> {
    let id = network.reference();
    let host = network.body.project.as_ref().map(|project| project.value.as_str());
    let mut clusters = plan.made::<GkeCluster>();
    let pods = clusters.any(|it| it.body.network.value == id);
    let slurm = plan.made::<SlurmCluster>().filter(|it| it.plan.cloud.is_some());
    let slurm = slurm.filter_map(|it| it.body.network).any(|it| it.value == id);
    let machines = slurm || plan.made::<Machines>().any(|it| it.body.network.value == id);
    let files = plan.made::<Filesystem>();
    let files = files.filter(|it| it.body.network.is_some_and(|network| network.value == id));
    let files: Vec<Planned<'_, Filesystem>> = files.collect();
    if !pods && !machines && files.is_empty() {
        return None;
    }
    let private = files.iter().filter(|it| match it.body.storage.value {
        Storage::Lustre { .. } => true,
        Storage::Filestore { .. } => host.is_some(),
        Storage::HyperdiskMl { .. }
        | Storage::HyperdiskBalanced { .. }
        | Storage::HyperdiskThroughput { .. }
        | Storage::Nfs { .. }
        | Storage::Path { .. } => false,
    });
    let lustre = files.iter().any(|it| matches!(it.body.storage.value, Storage::Lustre { .. }));
    let ports = &plan.catalog().kubernetes().storage.lustre.ports;
    Some(Ground {
        ports: ports.iter().copied().filter(|_| lustre).collect(),
        name: network.name(),
        host,
        region: &network.body.region.value,
        subnet: &network.plan.subnet,
        ranges: pods.then_some([&network.plan.pods, &network.plan.services]),
        nat: network.body.nat && (pods || machines),
        private: private.map(|it| it.name()).collect(),
    })
}

/// What the owners of buckets have to give the owners of identities.
fn grants(plan: Sound<'_>) -> Vec<Grant<'_>> {
    let between = terraform::buckets_between_others(plan).into_iter();
    let told = between.map(|(bucket, identity, role)| Grant {
        bucket: plan.get(bucket).name(),
        identity: plan.get(identity).name(),
        role,
    });
    told.collect()
}

fn acting(plan: Sound<'_>) -> Vec<Acting<'_>> {
    let of_others = terraform::roles_of_others(plan).into_iter();
    let address = |it| plan.email(it).unwrap_or_else(|| plan.get(it).name().to_owned());
    of_others.map(|(it, roles)| Acting { identity: address(it), roles }).collect()
}

/// The keys of what is made here.
fn keys(plan: Sound<'_>) -> BTreeSet<Key<'_>> {
    let clusters = plan
        .made::<GkeCluster>()
        .map(|it| (&it.body.encryption_key, ("GKE", "container.googleapis.com")));
    let buckets =
        plan.made::<Bucket>().map(|it| (&it.body.encryption_key, ("Cloud Storage", STORAGE)));
    let files = plan.made::<Filesystem>().filter_map(|it| {
        let agent = match it.body.storage.value {
            Storage::Filestore { .. } => ("Filestore", "file.googleapis.com"),
            Storage::Lustre { .. } => ("Managed Lustre", "lustre.googleapis.com"),
            Storage::HyperdiskMl { .. }
            | Storage::HyperdiskBalanced { .. }
            | Storage::HyperdiskThroughput { .. } => ("Compute Engine", "compute.googleapis.com"),
            Storage::Nfs { .. } | Storage::Path { .. } => return None,
        };
        Some((&it.body.encryption_key, agent))
    });
    let compute = ("Compute Engine", "compute.googleapis.com");
    let nodes = plan.made::<GkeCluster>().map(|it| (&it.body.disk_key, compute));
    let pools = plan.made::<Pool>().map(|it| (&it.body.disk_key, compute));
    let images = ("Artifact Registry", "artifactregistry.googleapis.com");
    let images = plan.made::<Registry>().map(|it| (&it.body.encryption_key, images));
    let boards = ("Vertex AI", "aiplatform.googleapis.com");
    let boards = plan.made::<Dashboard>().map(|it| (&it.body.encryption_key, boards));
    let all =
        clusters.chain(buckets).chain(files).chain(nodes).chain(pools).chain(images).chain(boards);
    all.filter_map(|(key, (agent, api))| Some(Key { name: &key.as_ref()?.value, agent, api }))
        .collect()
}

/// The secrets that identities are let read, which is said of no other.
fn secrets(plan: Sound<'_>) -> BTreeSet<&str> {
    let named = plan.made::<Identity>().flat_map(|it| &it.body.secrets);
    named.map(|secret| secret.value.as_str()).collect()
}

/// What disks that are made here have their files from.
fn disks(plan: Sound<'_>) -> BTreeSet<&str> {
    let disks = plan.made::<Filesystem>().filter_map(|it| it.body.storage.value.disk()?.from);
    disks.map(|from| from.value.as_str()).collect()
}

/// The images that nodes of pools that are made here start with, where they are not of this project.
fn image_disks(plan: Sound<'_>) -> BTreeSet<&str> {
    let own = plan.project().map(|project| format!("projects/{project}/"));
    let is_own = |image: &str| own.as_ref().is_some_and(|own| image.starts_with(own.as_str()));
    let images = plan.made::<Pool>().flat_map(|it| &it.body.image_disks.value);
    images.map(String::as_str).filter(|image| !is_own(image)).collect()
}

/// The images of machines that are made here, where they are of projects that do not let everybody use theirs.
fn images(plan: Sound<'_>) -> Option<Images> {
    let public = &plan.catalog().limits().machine_image.public_projects;
    let others = |image: &BootImage| {
        let project = image.project()?;
        let is_others = Some(project) != plan.project() && !public.iter().any(|it| it == project);
        is_others.then(|| project.to_owned())
    };
    let mut found: BTreeSet<String> = BTreeSet::new();
    let (mut accounts, mut groups) = (BTreeSet::new(), false);
    for cluster in plan.made::<SlurmCluster>().filter(|it| it.plan.cloud.is_some()) {
        let project = cluster.body.image.as_ref().and_then(|image| others(&image.value));
        let Some(project) = project else { continue };
        found.insert(project);
        let SlurmController::Controller { identity, .. } = &cluster.body.controller.value;
        let named = |it| {
            let name = plan.get(it).name();
            plan.email(it).unwrap_or_else(|| format!("{name}@PROJECT.iam.gserviceaccount.com"))
        };
        accounts.insert(identity.map_or_else(|| DEFAULT.to_owned(), named));
    }
    // Cloud TPU starts what it has itself
    let instances = plan.made::<Machines>().filter(|it| it.plan.machine.tpu.is_none());
    for machines in instances {
        let Some(project) = machines.body.image.as_ref().and_then(|image| others(&image.value))
        else {
            continue;
        };
        found.insert(project);
        groups |= machines.plan.maker.has_group();
    }
    (!found.is_empty()).then_some(Images { projects: found, accounts, groups })
}

/// Who machines are that nobody has named.
const DEFAULT: &str = "NUMBER-compute@developer.gserviceaccount.com";

/// The existing identities of nodes of clusters that are made here.
fn node_accounts(plan: Sound<'_>) -> Vec<&str> {
    let clusters = plan.made::<GkeCluster>();
    let named = clusters.filter_map(|cluster| cluster.body.node_identity);
    let named: BTreeSet<Ref<Identity>> = named.map(|it| it.value).collect();
    let identities = named.into_iter().map(|it| plan.get(it));
    identities.filter(|it| !it.is_made()).map(|it| it.name()).collect()
}

fn tools<'a>(plan: Sound<'a>, uses: &Uses<'_>) -> Vec<Tool<'a>> {
    let cloud = uses.terraform || uses.images || uses.kubectl || !uses.vertex.is_empty();
    let plugin = uses.kubectl.then_some("gke-gcloud-auth-plugin");
    let wanted = [
        (cloud, Prerequisite::Gcloud, plugin),
        (uses.terraform, Prerequisite::Terraform, None),
        (uses.kubectl, Prerequisite::Kubectl, None),
        (uses.helm, Prerequisite::Helm, None),
    ];
    let wanted = wanted.into_iter().filter(|(wanted, ..)| *wanted);
    let slurm = plan.catalog().slurm();
    let tool = |(_, wanted, with)| {
        let component = plan.catalog().prerequisite(wanted);
        let least = component.min.as_deref().unwrap_or(&component.version);
        // the modules of Cluster Toolkit ask for more than the roots do
        let newer = uses.toolkit && wanted == Prerequisite::Terraform;
        let least = if newer { slurm.terraform_min.as_str() } else { least };
        Tool { name: &component.name, with, least }
    };
    let toolkit = slurm.cluster_toolkit.trim_start_matches('v');
    let toolkit = Tool { name: "gcluster", with: None, least: toolkit };
    let packer = match uses.toolkit {
        true => &slurm.packer_min,
        false => &plan.catalog().limits().machine_image.packer,
    };
    let packer = Tool { name: "packer", with: None, least: packer };
    let others = [(uses.packer, packer), (uses.toolkit, toolkit)];
    let others = others.into_iter().filter_map(|(wanted, tool)| wanted.then_some(tool));
    wanted.map(tool).chain(others).collect()
}

/// The interfaces that Terraform turns others on with, and those that commands use, or that are used before Terraform begins: by keys, and by
/// secrets that people put there.
fn services(
    uses: &Uses<'_>,
    reservations: &[Row<'_>],
    of_keys: &BTreeSet<&'static str>,
    secrets: bool,
) -> Vec<&'static str> {
    let wanted = [
        (!reservations.is_empty(), "compute.googleapis.com"),
        (uses.foundation, "cloudresourcemanager.googleapis.com"),
        (uses.foundation, "serviceusage.googleapis.com"),
        (uses.secrets || secrets, "secretmanager.googleapis.com"),
    ];
    let wanted = wanted.into_iter().filter(|(wanted, _)| *wanted).map(|(_, name)| name);
    let mut all: Vec<&'static str> = wanted.collect();
    let more = of_keys.iter().filter(|api| !all.contains(*api)).copied();
    all.extend(more.collect::<Vec<_>>());
    all
}

/// What who runs the commands must be allowed to do.
fn roles(plan: Sound<'_>, uses: &Uses<'_>, reservations: &[Row<'_>]) -> BTreeSet<&'static str> {
    let mut roles = BTreeSet::new();
    if uses.foundation || !uses.vertex.is_empty() {
        roles.insert("roles/serviceusage.serviceUsageAdmin");
    }
    if uses.terraform {
        roles.insert("roles/storage.admin");
        roles.extend(terraform::roles(plan));
    }
    let own = plan.project();
    if reservations.iter().any(|it| it.project.as_deref() == own) {
        roles.insert(VIEWER);
    }
    if uses.images {
        roles.extend(["roles/cloudbuild.builds.editor", "roles/iam.serviceAccountUser"]);
    }
    if uses.machine_images {
        roles.extend(OF_PACKER);
    }
    if uses.packer_login {
        roles.insert("roles/compute.osAdminLogin");
    }
    if uses.toolkit {
        roles.extend(OF_TOOLKIT);
    }
    if plan.made::<SlurmCluster>().any(|it| it.body.in_cloud_sql()) {
        roles.extend(["roles/bigquery.connectionAdmin", "roles/cloudsql.admin"]);
    }
    if uses.machines {
        // to come in, as root too
        roles.extend(["roles/iap.tunnelResourceAccessor", "roles/compute.osAdminLogin"]);
    }
    if plan.made::<Machines>().any(|it| !it.plan.maker.has_template()) {
        roles.extend(["roles/tpu.admin", "roles/iam.serviceAccountUser"]);
    }
    if uses.kubectl {
        // an administrator's: what is installed has roles of its own
        roles.extend(["roles/container.admin", "roles/logging.viewer"]);
    }
    if !uses.vertex.is_empty() {
        roles.extend([
            "roles/aiplatform.user",
            "roles/iam.serviceAccountUser",
            "roles/logging.viewer",
        ]);
    }
    if uses.secrets {
        roles.insert("roles/secretmanager.admin");
    }
    roles
}

/// The bucket of the state, near what it describes.
fn state(plan: Sound<'_>) -> State<'_> {
    let project = plan.project();
    let bucket = project.map_or("NAME".to_owned(), |it| format!("{it}-terraform-state"));
    let networks = plan.all::<Network>().map(|it| it.body.region.value.as_str());
    let clusters = plan.all::<GkeCluster>().map(|it| it.plan.region.as_str());
    let vertex = plan.all::<VertexCluster>().map(|it| it.body.region.value.as_str());
    let regional = |location: &str| location.contains('-');
    let buckets = plan.all::<Bucket>().map(|it| it.body.location.value.as_str());
    let registries = plan.all::<Registry>().map(|it| it.body.location.value.as_str());
    let kept = buckets.chain(registries).filter(|location| regional(location));
    State { bucket, region: clusters.chain(networks).chain(vertex).chain(kept).next() }
}

/// The reservations of pools, partitions and plain machines, each once. What a partition has by the calendar is no reservation before it begins.
fn reservations(plan: Sound<'_>) -> Vec<Row<'_>> {
    let pools = plan.all::<Pool>();
    let pools = pools.filter_map(|pool| Some((&pool.body.capacity.value, pool.plan.zone.clone()?)));
    let partitions = plan.all::<Partition>().filter_map(|partition| {
        let cloud = plan.get(partition.plan.cluster).plan.cloud.as_ref()?;
        let capacity = &partition.body.capacity.value;
        let reserved = matches!(capacity, Capacity::Reservation { .. });
        reserved.then(|| (capacity, cloud.zone.clone()))
    });
    let machines = plan.made::<Machines>();
    let machines = machines.map(|it| (&it.body.capacity.value, it.body.zone.value.clone()));
    each_once(plan, pools.chain(partitions).chain(machines))
}

/// The reservations of custom jobs, each once.
fn vertex_reservations<'a>(plan: Sound<'a>, uses: &Uses<'a>) -> Vec<Row<'a>> {
    let clusters = uses.vertex.iter().flat_map(|job| on_vertex(plan, job.plan));
    let clusters = clusters.map(|(_, cluster)| cluster.body);
    each_once(
        plan,
        clusters.filter_map(|it| Some((&it.capacity.value, it.zone.as_ref()?.value.clone()))),
    )
}

/// The gangs of a run on Vertex AI, and the machines of each.
pub(super) fn on_vertex<'a>(
    plan: Sound<'a>,
    run: &'a Run,
) -> impl Iterator<Item = (&'a Gang, Planned<'a, VertexCluster>)> {
    run.gangs().map(move |gang| (gang, plan.machines_of(gang)))
}

fn each_once<'a>(
    plan: Sound<'a>,
    asked: impl Iterator<Item = (&'a Capacity, String)>,
) -> Vec<Row<'a>> {
    let mut seen = BTreeSet::new();
    let own = plan.project();
    for (capacity, zone) in asked {
        let Some(taken) = plan.taken(capacity) else { continue };
        // what the roots make is not there before them
        if is_made(plan, capacity) {
            continue;
        }
        let owner = taken.owner.or_else(|| own.map(str::to_owned));
        let body = noun(plan, capacity).map(|it| it.body);
        let starts = body.and_then(|it| Some(it.starts.as_ref()?.value.as_str()));
        let ends = body.and_then(|it| Some(it.ends.as_ref()?.value.as_str()));
        seen.insert((taken.name, owner, zone, starts, ends));
    }
    let row = |(name, project, zone, starts, ends)| Row { name, project, zone, starts, ends };
    seen.into_iter().map(row).collect()
}

/// The reservation of the blueprint that a capacity names.
fn noun<'a>(plan: Sound<'a>, capacity: &Capacity) -> Option<Planned<'a, Reservation>> {
    match capacity.reserved()?.0 {
        Reserved::Reservation(it) => Some(plan.get(*it)),
        Reserved::String(_) => None,
    }
}

fn is_made(plan: Sound<'_>, capacity: &Capacity) -> bool {
    noun(plan, capacity).is_some_and(|it| it.is_made())
}
