//! Service accounts with their roles on the project, and how other roots find them.

use super::outputs::OutputBlock;
use super::root::{File, Root, data, depends_on, description, never_destroyed, resource};
use super::services::AFTER_SERVICES;
use crate::document::hcl::{Block, Expr};
use slipform_model::nouns::{
    GkeCluster, Identity, MachineImage, Partition, Ref, SlurmCluster, Workload,
};
use slipform_model::plan::{ImageBuilder, Planned, Run, Site, Sound};
use slipform_model::{Noun, NounId};
use std::collections::{BTreeMap, BTreeSet};

/// The role that writes to a TensorBoard; it exists on projects only.
const DASHBOARD_ROLE: &str = "roles/aiplatform.user";

/// What GKE asks nodes for, logs and metrics (<https://cloud.google.com/kubernetes-engine/docs/how-to/service-accounts>), and
/// images of the project.
pub(crate) const NODE_ROLES: [&str; 2] =
    ["roles/artifactregistry.reader", "roles/container.defaultNodeServiceAccount"];

/// The service accounts that are made here, with everything that they may do on the project, whoever asks for it: a
/// role is granted in one root, or destroying one of two takes it from the other.
pub(super) fn render(root: &mut Root<'_>) {
    let asked = Asked::of(root.plan);
    for identity in root.plan.made() {
        account(root, identity, &asked);
    }
}

/// What hosts of Slurm, and who builds their images, need on the project of accounts that someone else keeps.
pub(super) fn of_others(plan: Sound<'_>) -> BTreeMap<Ref<Identity>, BTreeSet<&str>> {
    let mut asked = Asked::default();
    asked.of_slurm(plan);
    asked.of_images(plan);
    for identity in &asked.acts_as_itself {
        asked.roles.entry(*identity).or_default().insert(ACT_AS);
    }
    asked.roles.into_iter().filter(|(identity, _)| !plan.get(*identity).is_made()).collect()
}

/// What others ask of identities.
#[derive(Default)]
struct Asked<'p> {
    /// Roles on the project.
    roles: BTreeMap<Ref<Identity>, BTreeSet<&'p str>>,
    /// Who the nodes of a cluster are that must not be destroyed, and who others act as beside one.
    guarded: BTreeSet<Ref<Identity>>,
    /// Who builds images for Cluster Toolkit, on a machine that tells of itself when it is done.
    acts_as_itself: BTreeSet<Ref<Identity>>,
    /// The nodes of a cluster, and the controller that has machines act as them: as nobody else of the project.
    acts: BTreeSet<(Ref<Identity>, Ref<Identity>)>,
}

/// The runs that write to a TensorBoard, each with who writes.
fn showing(plan: Sound<'_>) -> impl Iterator<Item = (NounId, Ref<Identity>)> {
    // jobs of Slurm act as their nodes, and send nothing
    let sends = |run: &Run| match &run.site {
        Site::Gke(_) => run.dashboard.is_some(),
        Site::Vertex(site) => run.dashboard.is_some() || site.tensorboard.is_some(),
        Site::Slurm(_) => false,
    };
    plan.all::<Workload>().filter(move |workload| sends(workload.plan)).flat_map(|workload| {
        // those that decide are told of it, each of which acts as its own account
        let told = workload.plan.gangs().filter(|gang| gang.decides);
        told.filter_map(move |gang| Some((workload.noun.id, gang.identity?)))
    })
}

/// Which runs need a role on the project, where nobody else does, by the addresses of the grants.
pub(super) fn users<'p>(root: &Root<'p>) -> BTreeMap<String, BTreeMap<NounId, &'p str>> {
    let mut found: BTreeMap<String, BTreeMap<NounId, &str>> = BTreeMap::new();
    for (run, identity) in showing(root.plan) {
        let said = &root.plan.get(identity).body.roles;
        if said.iter().all(|role| role.value != DASHBOARD_ROLE) {
            let address =
                format!("google_project_iam_member.{}[\"{DASHBOARD_ROLE}\"]", root.label(identity));
            found.entry(address).or_default().insert(run, DASHBOARD_ROLE);
        }
    }
    found
}

/// Who the nodes of a cluster of Slurm are, and its controller, where they are two.
fn acting(
    plan: Sound<'_>,
    cluster: Planned<'_, SlurmCluster>,
) -> Option<(Ref<Identity>, Ref<Identity>)> {
    cluster.plan.cloud.as_ref()?;
    let nodes = cluster.body.node_identity?.value;
    let controller = cluster.body.controller.value.identity()?;
    // whoever keeps the account of the nodes says who acts as it, and is in the same project
    (nodes != controller && plan.get(nodes).is_made()).then_some((nodes, controller))
}

/// What lets someone have machines act as an account.
const ACT_AS: &str = "roles/iam.serviceAccountUser";

impl<'p> Asked<'p> {
    fn of(plan: Sound<'p>) -> Self {
        let mut asked = Self::default();
        for (_, identity) in showing(plan) {
            asked.roles.entry(identity).or_default().insert(DASHBOARD_ROLE);
        }
        for cluster in plan.all::<GkeCluster>().map(|cluster| cluster.body) {
            let Some(identity) = &cluster.node_identity else { continue };
            asked.roles.entry(identity.value).or_default().extend(NODE_ROLES);
            if cluster.deletion_protection {
                asked.guarded.insert(identity.value);
            }
        }
        // who others act as, and so perhaps who applies this: it would take itself away half way
        if plan.all::<GkeCluster>().any(|cluster| cluster.body.deletion_protection) {
            let federated = plan.made::<Identity>().filter(|it| !it.body.federated.is_empty());
            asked.guarded.extend(federated.map(|it| it.reference()));
        }
        asked.of_slurm(plan);
        asked.of_images(plan);
        asked
    }

    /// What those need that build images for Cluster Toolkit.
    fn of_images(&mut self, plan: Sound<'p>) {
        let slurm = plan.catalog().slurm();
        for image in plan.made::<MachineImage>() {
            let ImageBuilder::Toolkit(_) = image.plan.builder else { continue };
            let Some(identity) = &image.body.identity else { continue };
            let roles = slurm.image_roles.iter().map(String::as_str);
            self.roles.entry(identity.value).or_default().extend(roles);
            self.acts_as_itself.insert(identity.value);
        }
    }

    /// What the nodes and controllers of Slurm need.
    fn of_slurm(&mut self, plan: Sound<'p>) {
        let slurm = plan.catalog().slurm();
        let on_cloud = plan.made::<SlurmCluster>().filter(|cluster| cluster.plan.cloud.is_some());
        for on_cloud in on_cloud {
            let cluster = on_cloud.body;
            let nodes = cluster.node_identity.map(|identity| (identity.value, &slurm.node_roles));
            let controller = cluster.controller.value.identity();
            let controller = controller.map(|identity| (identity, &slurm.controller_roles));
            let mut partitions = plan.inside::<Partition>(on_cloud.noun.id);
            let with_tpus = partitions.any(|it| it.plan.machine.tpu.is_some());
            let of_tpus = cluster.controller.value.identity().filter(|_| with_tpus);
            let of_tpus = of_tpus.map(|identity| (identity, &slurm.tpu_roles));
            let acts = acting(plan, on_cloud);
            // a right on this project says nothing of accounts of another one
            let lent =
                cluster.node_identity.is_some_and(|it| plan.other_project(it.value.id()).is_some());
            let makes_nodes = cluster.controller.value.identity();
            for (identity, roles) in nodes.into_iter().chain(controller).chain(of_tpus) {
                let narrow = acts.is_some_and(|(_, who)| who == identity)
                    || lent && makes_nodes == Some(identity);
                let roles = roles.iter().map(String::as_str);
                let roles = roles.filter(|role| !narrow || *role != ACT_AS);
                self.roles.entry(identity).or_default().extend(roles);
            }
            self.acts.extend(acts);
        }
    }
}

/// A service account and its roles. Nodes that run lose everything with their account, so it is as protected as they
/// are.
fn account(root: &mut Root<'_>, identity: Planned<'_, Identity>, asked: &Asked<'_>) {
    let Planned { noun, body, .. } = identity;
    let label = root.label(noun.id);
    let guarded = asked.guarded.contains(&identity.reference());
    let block = resource("google_service_account", &label)
        .attr("account_id", identity.name())
        .attr("display_name", noun.outside.path.as_str())
        .attr_opt("description", description(noun))
        .attr("deletion_policy", root.deletion_policy(guarded));
    let block = depends_on(block, [AFTER_SERVICES.to_owned()]);
    root.push(File::Iam, noun, block.block_opt(guarded.then(never_destroyed)));
    let mut roles: BTreeSet<&str> = body.roles.iter().map(|role| role.value.as_str()).collect();
    roles.extend(asked.roles.get(&identity.reference()).into_iter().flatten());
    if !roles.is_empty() {
        root.push(
            File::Iam,
            noun,
            project_roles(&label, &format!("google_service_account.{label}"), roles),
        );
    }
    for (_, who) in asked.acts.iter().filter(|(nodes, _)| *nodes == identity.reference()) {
        let name = acted_by(&label, &root.label(*who));
        let controller = match root.plan.get(*who).is_made() {
            true => format!("google_service_account.{}", root.label(*who)),
            false => look_up(root, *who),
        };
        let block = resource(ON_ACCOUNT, &name)
            .attr(
                "service_account_id",
                Expr::reference(format!("google_service_account.{label}.name")),
            )
            .attr("role", ACT_AS)
            .attr("member", Expr::reference(format!("{controller}.member")));
        root.push(File::Iam, root.plan.get(*who).noun, block);
    }
    if asked.acts_as_itself.contains(&identity.reference()) {
        root.push(File::Iam, noun, itself(&label));
    }
    root.output(OutputBlock::of(
        root.plan,
        noun,
        "email",
        format!("Address of the service account {}.", noun.outside.path),
        Expr::reference(format!("google_service_account.{label}.email")),
    ));
}

const ON_ACCOUNT: &str = "google_service_account_iam_member";

/// The label of the leave of a controller to make machines that act as the account of its nodes.
fn acted_by(nodes: &str, controller: &str) -> String {
    format!("{nodes}_acted_by_{controller}")
}

/// The addresses of such leaves where both accounts are someone else's by now, each with the controller's.
pub(super) fn acted_of_others<'p>(root: &Root<'p>) -> Vec<(String, &'p Noun)> {
    let plan = root.plan;
    let pairs = plan.made::<SlurmCluster>().filter_map(|it| {
        let controller = it.body.controller.value.identity()?;
        Some((it.body.node_identity?.value, controller))
    });
    let others =
        pairs.filter(|(nodes, who)| !plan.get(*nodes).is_made() && !plan.get(*who).is_made());
    let told = others.map(|(nodes, who)| {
        let name = acted_by(&root.label(nodes), &root.label(who));
        (format!("{ON_ACCOUNT}.{name}"), plan.get(who).noun)
    });
    told.collect()
}

/// Leave to act as oneself: a machine that says of itself that its scripts are done changes a machine that acts as its account.
fn itself(label: &str) -> Block {
    let account = format!("google_service_account.{label}");
    resource("google_service_account_iam_member", &format!("{label}_itself"))
        .attr("service_account_id", Expr::reference(format!("{account}.name")))
        .attr("role", ACT_AS)
        .attr("member", Expr::reference(format!("{account}.member")))
}

/// Roles on the project, none of which is taken from anyone else.
pub(super) fn project_roles<'a>(
    label: &str,
    account: &str,
    roles: impl IntoIterator<Item = &'a str>,
) -> Block {
    let member = Expr::reference(format!("{account}.member"));
    resource("google_project_iam_member", label)
        .attr("for_each", Expr::call("toset", [Expr::list(roles)]))
        .gap()
        .attr("project", Expr::reference("var.project_id"))
        .attr("role", Expr::reference("each.value"))
        .attr("member", member)
}

/// Reads an account that this root does not make, once, and refers to it.
pub(super) fn look_up(root: &mut Root<'_>, id: Ref<Identity>) -> String {
    let identity = root.plan.get(id);
    let label = root.label(id);
    if root.first_lookup(id.id()) {
        let block = data("google_service_account", &label)
            .attr("account_id", identity.name())
            .attr_opt("project", root.plan.other_project(id.id()));
        root.push(File::Lookups, identity.noun, block);
    }
    format!("data.google_service_account.{label}")
}
