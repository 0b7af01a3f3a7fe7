//! The root of one GKE cluster: control plane, data networks, node pools, accounts.

use super::names::with_suffix;
use super::node_pool::{self, PoolNames};
use super::outputs::{self, OutputBlock};
use super::root::{Feature, File, Root, depends_on, description, resource, string_map};
use super::variables::Variable;
use super::{data_networks, identity, network, patch, registry, released, upgrades};
use crate::Stage;
use crate::document::hcl::{Block, Expr, Part};
use slipform_model::catalog::{Catalog, Slicing, Support};
use slipform_model::nouns::{Addon, GkeCluster, Network, Pool, Ref, Release};
use slipform_model::plan::{Any, ClusterPlan, DataNetwork, Limit, Planned, PoolPlan, Sound};
use slipform_model::{Noun, Value};
use std::collections::BTreeSet;

/// The block of a cluster in its root, of which each has one.
pub const CLUSTER: &str = "google_container_cluster.this";

/// A cluster and the pools that are made in it.
pub(super) struct Cluster<'p> {
    planned: Planned<'p, GkeCluster>,
    pub(super) noun: &'p Noun,
    pub(super) body: &'p GkeCluster,
    pub(super) plan: &'p ClusterPlan,
    pub(super) pools: Vec<(&'p Noun, &'p Pool, &'p PoolPlan)>,
    account: String,
    /// What the cluster is made after.
    after: Vec<String>,
}

/// The root of a cluster.
pub(super) fn render<'p>(plan: Sound<'p>, planned: Planned<'p, GkeCluster>) -> Root<'p> {
    let Planned { noun, body, .. } = planned;
    let mut cluster = Cluster::of(plan, planned);
    let stage = Stage::Cluster(cluster.plan.name.clone());
    let mut root = Root::new(plan, &stage, Some(cluster.plan.region.clone()), cluster.zone());
    root.variable(Variable::authorized_networks(&body.authorized));
    network::look_up(&mut root, body.network.value);
    node_account(&mut root, &mut cluster);
    let control_plane = control_plane(&mut root, &cluster);
    root.push(File::Cluster, noun, control_plane);
    data_networks::render(&mut root, &cluster.plan.data_networks, |rdma| cluster.asking(rdma));
    let names = PoolNames::new(&root.labels, &cluster);
    node_pool::render(&mut root, &cluster, &names);
    cluster_outputs(&mut root, &cluster);
    released::render(&mut root, Some(noun.id));
    outputs::statements(&mut root, &stage);
    root
}

impl<'p> Cluster<'p> {
    fn of(plan: Sound<'p>, cluster: Planned<'p, GkeCluster>) -> Self {
        let Planned { noun, body, plan: planned, .. } = cluster;
        let pools = plan.inside::<Pool>(noun.id).filter(Planned::is_made);
        let pools = pools.map(|pool| (pool.noun, pool.body, pool.plan)).collect();
        let account = "google_service_account.nodes".to_owned();
        Self { planned: cluster, noun, body, plan: planned, pools, account, after: Vec::new() }
    }

    /// The zone that `var.zone` stands for: the cluster's, or the first that a pool names.
    fn zone(&self) -> Option<String> {
        let own = self.body.zone.as_ref().map(|zone| zone.value.clone());
        own.or_else(|| self.is_zonal().then(|| self.plan.location.clone()))
            .or_else(|| self.pools.iter().find_map(|(_, _, pool)| pool.zone.clone()))
    }

    /// Whether there is one control plane in one zone.
    pub(super) fn is_zonal(&self) -> bool {
        self.plan.location != self.plan.region
    }

    /// The first pool that has networks of RDMA, or of TCP.
    fn asking(&self, rdma: bool) -> &'p Noun {
        let asks = |network: &DataNetwork| network.rdma == rdma;
        let pool = self.pools.iter().find(|(_, _, pool)| pool.data_networks.iter().any(asks));
        pool.map_or(self.noun, |(noun, _, _)| noun)
    }

    /// Shielded Nodes are the cluster's choice, and some machines cannot have them.
    fn shielded(&self) -> bool {
        self.pools.iter().all(|(_, _, pool)| pool.machine.gke.shielded_nodes != Support::No)
    }

    /// What boot disks of nodes are encrypted with that no pool says otherwise of.
    pub(super) fn disk_key(&self) -> Option<&'p str> {
        self.body.disk_key.as_ref().map(|key| key.value.as_str())
    }

    /// The address of the account of the nodes.
    pub(super) fn node_account(&self) -> Expr {
        Expr::reference(format!("{}.email", self.account))
    }
}

/// The identity that the blueprint names, whose roles are granted where it is made, or an account of the nodes' own:
/// the default one may do far too much.
fn node_account(root: &mut Root<'_>, cluster: &mut Cluster<'_>) {
    if let Some(identity) = cluster.body.node_identity {
        cluster.account = identity::look_up(root, identity.value);
        return;
    }
    let catalog = root.plan.catalog();
    let id = with_suffix(catalog, &cluster.plan.name, "nodes", Limit::ServiceAccount);
    let account = resource("google_service_account", "nodes")
        .attr("account_id", id)
        .attr("display_name", format!("Nodes of the GKE cluster {}", cluster.plan.name));
    root.push(File::Iam, cluster.noun, account);
    let roles = identity::project_roles("nodes", &cluster.account, identity::NODE_ROLES);
    root.push(File::Iam, cluster.noun, roles);
    for registry in registry::pulled_abroad(root.plan, cluster.planned) {
        let key = registry::of_registry(root.plan, registry);
        let label = format!("nodes_{}", root.label(registry.noun.id));
        let block = resource("google_artifact_registry_repository_iam_member", &label)
            .attr_opt("project", key.project.as_deref())
            .attr("location", root.place(&key.location))
            .attr("repository", &key.name)
            .attr("role", "roles/artifactregistry.reader")
            .attr("member", Expr::reference("google_service_account.nodes.member"));
        root.push(File::Iam, cluster.noun, block);
    }
    cluster.after = vec!["google_project_iam_member.nodes".to_owned()];
}

fn control_plane(root: &mut Root<'_>, cluster: &Cluster<'_>) -> Block {
    let Cluster { noun, body, plan, .. } = cluster;
    let network = NetworkUse::of(root, body.network.value);
    if !plan.checkpoints.is_empty() {
        root.needs(Feature::Checkpointing);
    }
    let block = resource("google_container_cluster", "this")
        .attr("name", &plan.name)
        .attr_opt("description", description(noun))
        .attr("location", root.place(&plan.location))
        .gap()
        .attr("network", network.vpc)
        .attr("subnetwork", network.subnet)
        .gap()
        .attr_opt("min_master_version", body.version.as_ref().map(|version| version.value.as_str()))
        .attr("deletion_protection", body.deletion_protection)
        .attr("remove_default_node_pool", true)
        .attr("initial_node_count", 1)
        .attr_opt("default_max_pods_per_node", body.max_pods)
        .gap()
        .attr("datapath_provider", "ADVANCED_DATAPATH")
        .attr_opt(NETWORKS, (!plan.data_networks.is_empty()).then_some(true))
        .attr("enable_shielded_nodes", cluster.shielded())
        .attr_opt("resource_labels", labels(cluster))
        .block(Block::of("release_channel").attr("channel", channel(body.release.value)))
        .block_opt(body.maintenance.as_ref().map(|it| upgrades::maintenance(&it.value)))
        .block(network.ranges)
        .block_opt(network.in_own.then(|| Block::of("default_snat_status").attr("disabled", true)))
        .block(private(body))
        .block(endpoints(plan))
        .block(authorized(body))
        .block(no_client_certificate())
        .block_opt(groups(body))
        .block(Block::of("workload_identity_config").attr("workload_pool", workload_pool()))
        .block(secrets(body.encryption_key.as_ref().map(|key| key.value.as_str())))
        .block(addons(body, plan, joins(root, cluster)))
        .block(logging(body))
        .block(monitoring(root.plan.catalog(), cluster))
        .block(Block::of("cost_management_config").attr("enabled", true))
        .block(default_pool(cluster))
        .block_opt(provisions(noun).then(|| provisioned(cluster)))
        .block(lifecycle(cluster));
    depends_on(patch::apply(root, noun, "cluster", block), cluster.after.clone())
}

/// The default pool is gone once the cluster is there, and with it how many nodes it had and what these were like, also of a cluster that was
/// made otherwise and is taken over; and other words about a cluster must not replace it. The provider's own protection is asked when the turn of the cluster comes, after its
/// node pools: `prevent_destroy` stops such a plan before anything is gone. Several networks, once they are on, stay on: that costs nothing,
/// and the pools that are on them are gone only later.
fn lifecycle(cluster: &Cluster<'_>) -> Block {
    let networks = cluster.plan.data_networks.is_empty() && !patches(cluster.noun, NETWORKS);
    let ignored = ["description", "initial_node_count", "node_config"].into_iter();
    let ignored = ignored.chain(networks.then_some(NETWORKS));
    let protected = cluster.body.deletion_protection;
    Block::of("lifecycle")
        .attr_opt("prevent_destroy", protected.then_some(true))
        .attr("ignore_changes", Expr::list(ignored.map(Expr::reference)))
}

/// What lets nodes be on several networks.
const NETWORKS: &str = "enable_multi_networking";

/// Whether a patch of the cluster says a field.
fn patches(noun: &Noun, field: &str) -> bool {
    let mut own = noun.patches.iter().filter(|patch| patch.target == "cluster");
    own.any(|patch| matches!(&patch.value, Value::Record(record) if record.contains_key(field)))
}

/// The labels of the cluster, which GKE hands on to its machines; never none, so that costs can be told apart.
fn labels(cluster: &Cluster<'_>) -> Option<Expr> {
    let own = string_map(&cluster.body.labels);
    own.or_else(|| Some(Expr::object([("cluster", cluster.plan.name.as_str())])))
}

/// How a cluster refers to its network.
struct NetworkUse {
    vpc: Expr,
    subnet: Expr,
    ranges: Block,
    /// Its pods have addresses that others have on the internet.
    in_own: bool,
}

impl NetworkUse {
    fn of(root: &Root<'_>, id: Ref<Network>) -> Self {
        let label = root.label(id);
        let Planned { noun, body, plan, .. } = root.plan.get(id);
        // a network that someone else owns has ranges by name even where the blueprint does not say their addresses
        let pods = (noun.existing || body.pods.is_some()).then(|| plan.pods.clone());
        let services = (noun.existing || body.services.is_some()).then(|| plan.services.clone());
        Self {
            vpc: Expr::reference(format!("data.google_compute_network.{label}.id")),
            subnet: Expr::reference(format!("data.google_compute_subnetwork.{label}.id")),
            in_own: body
                .pods
                .as_ref()
                .is_some_and(|pods| body.own_ranges.iter().any(|own| own.contains(&pods.value))),
            ranges: Block::of("ip_allocation_policy")
                .attr_opt("cluster_secondary_range_name", pods)
                .attr_opt("services_secondary_range_name", services),
        }
    }
}

fn channel(release: Release) -> &'static str {
    match release {
        Release::Rapid => "RAPID",
        Release::Regular => "REGULAR",
        Release::Stable => "STABLE",
        Release::Extended => "EXTENDED",
        Release::None => "UNSPECIFIED",
    }
}

fn private(body: &GkeCluster) -> Block {
    let range = body.control_plane.as_ref().map(|range| range.value.to_string());
    Block::of("private_cluster_config")
        .attr("enable_private_nodes", true)
        .attr("enable_private_endpoint", body.private_endpoint)
        .attr_opt("master_ipv4_cidr_block", range)
        .block_opt(
            body.global_access
                .map(|on| Block::of("master_global_access_config").attr("enabled", on)),
        )
}

/// What secrets are encrypted with before etcd keeps them. Without a key it is said that there is none: the provider leaves what nothing
/// says, and whoever disables a key that is still in use loses the cluster.
fn secrets(key: Option<&str>) -> Block {
    let state = if key.is_some() { "ENCRYPTED" } else { "DECRYPTED" };
    Block::of("database_encryption").attr("state", state).attr_opt("key_name", key)
}

/// GKE asks the group of this name which groups of a domain it may look into.
fn groups(body: &GkeCluster) -> Option<Block> {
    let domain = body.group_domains().into_iter().next()?.to_owned();
    let group = format!("gke-security-groups@{domain}");
    Some(Block::of("authenticator_groups_config").attr("security_group", group))
}

/// The DNS name leads to the control plane from anywhere, past no firewall, for those whom IAM lets.
fn endpoints(plan: &ClusterPlan) -> Block {
    let dns = Block::of("dns_endpoint_config").attr("allow_external_traffic", plan.dns_endpoint);
    Block::of("control_plane_endpoints_config").block(dns)
}

/// Present even where no range is named: then nobody reaches the control plane, instead of everybody.
fn authorized(body: &GkeCluster) -> Block {
    let each = Block::of("content")
        .attr("display_name", Expr::reference("cidr_blocks.key"))
        .attr("cidr_block", Expr::reference("cidr_blocks.value"));
    let dynamic = Block::new("dynamic", ["cidr_blocks"])
        .attr("for_each", Expr::reference("var.authorized_networks"))
        .block(each);
    Block::of("master_authorized_networks_config")
        .attr_opt("gcp_public_cidrs_access_enabled", body.google_ranges)
        .block(dynamic)
}

fn no_client_certificate() -> Block {
    let certificate =
        Block::of("client_certificate_config").attr("issue_client_certificate", false);
    Block::of("master_auth").block(certificate)
}

/// The pool of identities that Kubernetes service accounts are members of.
fn workload_pool() -> Expr {
    Expr::template([Part::from(Expr::reference("var.project_id")), Part::from(".svc.id.goog")])
}

/// Whether slices of a pool are joined and cut by a controller of GKE's.
fn joins(root: &mut Root<'_>, cluster: &Cluster<'_>) -> bool {
    let controlled = |slicing: &Slicing| slicing.controller.is_some();
    let mut pools = cluster.pools.iter().filter_map(|(_, _, pool)| pool.slicing.as_ref());
    let joins = pools.any(controlled);
    if joins {
        root.needs(Feature::SliceController);
    }
    joins
}

/// What the blueprint names and what something of it needs.
fn addons(body: &GkeCluster, plan: &ClusterPlan, joins: bool) -> Block {
    let named = |addon: Addon| body.addons.contains(&addon);
    let wanted = [
        (true, "gce_persistent_disk_csi_driver_config"),
        (plan.gcsfuse || named(Addon::Gcsfuse), "gcs_fuse_csi_driver_config"),
        (plan.filestore || named(Addon::Filestore), "gcp_filestore_csi_driver_config"),
        (plan.lustre || named(Addon::Lustre), "lustre_csi_driver_config"),
        (named(Addon::Parallelstore), "parallelstore_csi_driver_config"),
        (named(Addon::Ray), "ray_operator_config"),
        (named(Addon::StatefulHa), "stateful_ha_config"),
        (named(Addon::Backup), "gke_backup_agent_config"),
        (named(Addon::ConfigConnector), "config_connector_config"),
        (!plan.checkpoints.is_empty(), "high_scale_checkpointing_config"),
        (joins, "slice_controller_config"),
    ];
    let on = wanted.into_iter().filter(|(wanted, _)| *wanted);
    let on = on.map(|(_, name)| Block::of(name).attr("enabled", true));
    Block::of("addons_config").blocks(on)
}

fn logging(body: &GkeCluster) -> Block {
    let mut said = BTreeSet::new();
    let parts = body.logs.value.iter().map(|part| part.component());
    let parts = parts.filter(|part| said.insert(*part));
    Block::of("logging_config").attr("enable_components", Expr::list(parts))
}

/// A list of one's own replaces what GKE measures by itself, so that is named too.
fn monitoring(catalog: &Catalog, cluster: &Cluster<'_>) -> Block {
    let body = cluster.body;
    let gpus = cluster.pools.iter().any(|(_, _, pool)| pool.machine.accelerator.is_some());
    let dcgm = body.dcgm.set().map_or(gpus && body.prometheus.value, |dcgm| dcgm.value);
    let usual = catalog.kubernetes().measured.iter().map(String::as_str);
    let said = body.metrics.iter().map(|part| part.component());
    let components = usual.chain(["JOBSET"]).chain(dcgm.then_some("DCGM")).chain(said);
    let mut once = BTreeSet::new();
    let components = components.filter(|it| once.insert(*it));
    Block::of("monitoring_config")
        .attr("enable_components", Expr::list(components))
        .block(Block::of("managed_prometheus").attr("enabled", body.prometheus.value))
}

/// Stands for minutes only, but the default account may be forbidden, and the disks of a node in each of three zones
/// would take most of what a new project may have of solid state.
fn default_pool(cluster: &Cluster<'_>) -> Block {
    Block::of("node_config")
        .attr("disk_type", "pd-standard")
        .attr("disk_size_gb", 30)
        .attr_opt("boot_disk_kms_key", cluster.disk_key())
        .attr("service_account", cluster.node_account())
        .attr("oauth_scopes", [super::node_config::CLOUD_PLATFORM])
        .block_opt(cluster.shielded().then(super::node_config::shielded))
        .block(super::node_config::workload_metadata())
}

/// Whether a patch has GKE make pools by itself.
fn provisions(noun: &Noun) -> bool {
    let mut patches = noun.patches.iter().filter(|patch| patch.target == "cluster");
    patches.any(|patch| {
        let on = super::patch::said(&patch.value, &["cluster_autoscaling", "enabled"]);
        on.iter().any(|it| it.value == Value::Bool(true))
    })
}

/// What such pools are like unless the patch says otherwise: GKE's own choice is the default account of the project, which may do far too
/// much or nothing at all, and nodes without secure boot.
fn provisioned(cluster: &Cluster<'_>) -> Block {
    let managed = Block::of("management")
        .attr("auto_repair", true)
        .attr("auto_upgrade", !matches!(cluster.body.release.value, Release::None));
    let nodes = Block::of("auto_provisioning_defaults")
        .attr("service_account", cluster.node_account())
        .attr("oauth_scopes", [super::node_config::CLOUD_PLATFORM])
        .attr_opt("boot_disk_kms_key", cluster.disk_key())
        .block(managed)
        .block_opt(cluster.shielded().then(super::node_config::shielded));
    Block::of("cluster_autoscaling").block(nodes)
}

fn cluster_outputs(root: &mut Root<'_>, cluster: &Cluster<'_>) {
    let Cluster { noun, plan, .. } = cluster;
    let plan_of_all = root.plan;
    let this = |field: &str| Expr::reference(format!("{CLUSTER}.{field}"));
    let credentials = Expr::template([
        Part::from("gcloud container clusters get-credentials "),
        Part::from(this("name")),
        Part::from(" --location "),
        Part::from(this("location")),
        Part::from(if plan.dns_endpoint { " --dns-endpoint" } else { "" }),
        Part::from(" --project "),
        Part::from(Expr::reference("var.project_id")),
    ]);
    let named = |field: &str, text: String, value: Expr| {
        OutputBlock::of(plan_of_all, noun, field, text, value)
    };
    root.output(named("name", format!("Name of the cluster {}.", plan.name), this("name")));
    outputs::hand_on(root, Any::GkeCluster(cluster.planned));
    root.output(named(
        "credentials",
        "Command that lets kubectl reach the cluster.".to_owned(),
        credentials,
    ));
    let nodes = cluster.node_account();
    root.output(named("nodes", "Address of the service account of the nodes.".to_owned(), nodes));
}
