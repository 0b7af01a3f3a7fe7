//! Pods of workloads and of the jobs beside them.

use super::context::{
    Admission, Context, Site, host_amounts, pairs, pool_selector, pool_tolerations, text,
};
use super::deferred::Deferrals;
use super::fabric::{Fabric, SHARED_MEMORY};
use super::launch::{self, Command, Gang, SSH_PORT, value};
use super::objects::{
    Affinity, Amount, Capabilities, Container, EnvSource, EnvVar, Meta, Named, NodeAffinity,
    NodeTerm, NodeTerms, Pairs, PodClaim, PodSpec, PodTemplate, Port, Requirement, Resources,
    SecurityContext, TemplateMeta, Text, Volume, VolumeMount, VolumeSource,
};
use super::text::{is_label_key, is_label_value, quantity};
use super::volumes::{self, Mounted};
use super::words;
use crate::launch::TORCHRUN_GRACE;
use slipform_model::nouns::{Body, ImageUse, Sharing, Workload};
use slipform_model::plan::{
    self, Amounts, Env, Launcher, Piece, Selection, SideJobPlan, Variable, WorkloadPlan,
};
use slipform_model::{Deferred, Diagnostic, Noun};
use std::collections::BTreeMap;

/// Volumes of the pod that no mount may be called after.
const SHARED: &str = "shared-memory";
const MPI_SECRET: &str = "mpi-ssh";
/// Where an MPI run finds its key.
const MPI_KEY: &str = "/etc/mpi-ssh";

/// A workload on GKE.
#[derive(Clone, Copy)]
pub(crate) struct Run<'a> {
    pub(crate) noun: &'a Noun,
    pub(crate) body: &'a Workload,
    pub(crate) starts: &'a plan::Gang,
    pub(crate) plan: &'a WorkloadPlan,
    pub(crate) site: Site<'a>,
    pub(crate) admission: Option<Admission<'a>>,
}

/// What rendering one workload collects.
#[derive(Default)]
pub(crate) struct Findings {
    pub(crate) deferrals: Deferrals,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl<'a> Run<'a> {
    /// Its nodes have TPUs.
    pub(crate) fn tpu(&self) -> bool {
        self.site.pool.slice.is_some()
    }

    /// Its fabric, where it is used.
    pub(crate) fn fabric(&self) -> Option<Fabric<'a>> {
        if self.plan.fabric { Fabric::of(self.site) } else { None }
    }

    /// Slices of several hosts use the network of their nodes, which is faster. Workload Identity does not reach such
    /// pods: with an identity they keep their own network.
    fn host_network(&self) -> bool {
        let hosts = self.site.pool.slice.as_ref().is_some_and(|slice| !slice.single_host);
        hosts && self.body.identity.is_none()
    }
}

/// The pods of a workload.
pub(crate) fn of_workload<'a>(
    cx: &'a Context<'a>,
    run: Run<'a>,
    found: &mut Findings,
) -> PodTemplate<'a> {
    let Run { body, plan, site, .. } = run;
    let fabric = run.fabric();
    let host_network = run.host_network();
    found.deferrals.container(&plan.replicated_job, &plan.replicated_job);

    let mut gang = Gang::of(plan, run.tpu());
    if let Some(fabric) = &fabric {
        let cluster = cx.model.get(site.cluster_id);
        gang = gang.on_fabric(fabric, cluster.is_some_and(|it| it.existing));
    }
    let command = launch::command(run.starts, &gang, &mut found.deferrals, &mut found.diagnostics);
    let taken = fabric.iter().flat_map(Fabric::volume_names).chain([SHARED, MPI_SECRET]).collect();
    let pod = volumes::Pod { site, host_network, taken };
    let mut mounted = volumes::mounted(cx, &run.starts.mounts, &pod, &mut found.diagnostics);
    shared_memory(plan, &mut mounted);
    if command.ssh {
        mpi_key(&plan.name, &mut mounted);
    }

    let mut metadata =
        TemplateMeta { labels: labels(run, found), annotations: mounted.annotations };
    let mut env: Vec<EnvVar<'a>> = fabric.iter().flat_map(Fabric::env).collect();
    env.extend(command.env);
    if run.starts.launcher.value == Launcher::Torchrun {
        env.push(value(TORCHRUN_GRACE, plan.grace.0.to_string()));
    }
    dashboard(cx, body, &mut env, found);
    variables(&run.starts.env, &mut env, found);
    let ports = ports(cx, run, command.ssh);
    let mut container = Container {
        name: text(&plan.replicated_job),
        image: text(&plan.image),
        image_pull_policy: pull_policy(run.starts),
        command: command.command,
        args: command.args,
        working_dir: run.starts.workdir.as_deref().map(text),
        env,
        ports,
        security_context: security(run, fabric, host_network),
        resources: resources(run, &mut found.diagnostics),
        volume_mounts: mounted.mounts,
        ..Container::default()
    };
    let mut spec = PodSpec {
        restart_policy: Some("Never"),
        service_account_name: account(plan),
        automount_service_account_token: token(plan),
        termination_grace_period_seconds: Some(plan.grace.0),
        host_network: host_network.then_some(true),
        dns_policy: host_network.then_some("ClusterFirstWithHostNet"),
        node_selector: pairs(&plan.selection.labels),
        affinity: elsewhere(&plan.selection),
        tolerations: cx.tolerations(site, &plan.selection),
        volumes: mounted.volumes,
        ..PodSpec::default()
    };
    if let Some(fabric) = fabric {
        metadata.annotations.extend(cx.fabric_annotations(site.pool_noun.id));
        container.volume_mounts.extend(fabric.mounts());
        spec.volumes.extend(fabric.volumes());
        spec.init_containers.extend(fabric.daemon());
        for claim in fabric.claims() {
            container.resources.claims.push(Named { name: text(&claim.name) });
            let template = claim_template(&plan.name, &claim.name);
            spec.resource_claims.push(PodClaim {
                name: text(&claim.name),
                resource_claim_template_name: template.into(),
            });
        }
    }
    spec.containers = vec![container];
    PodTemplate { metadata, spec }
}

/// The pod of a job beside a workload.
pub(crate) fn of_side_job<'a>(
    cx: &'a Context<'a>,
    run: Run<'a>,
    starts: &'a plan::Gang,
    plan: &'a SideJobPlan,
    site: Site<'a>,
    found: &mut Findings,
) -> PodTemplate<'a> {
    found.deferrals.container(&plan.replicated_job, &plan.replicated_job);
    let Command { command, args, env: launched, .. } =
        launch::command(starts, &Gang::single(), &mut found.deferrals, &mut found.diagnostics);
    let pod = volumes::Pod { site, host_network: false, taken: Vec::new() };
    let mounted = volumes::mounted(cx, &starts.mounts, &pod, &mut found.diagnostics);
    let mut env = launched;
    variables(&starts.env, &mut env, found);
    let container = Container {
        name: text(&plan.replicated_job),
        image: text(&plan.image),
        image_pull_policy: pull_policy(starts),
        command,
        args,
        env,
        resources: Resources { requests: asked(plan.request), ..Resources::default() },
        volume_mounts: mounted.mounts,
        ..Container::default()
    };
    PodTemplate {
        metadata: TemplateMeta {
            labels: [(words::APP_NAME.into(), text(&run.plan.name))].into(),
            annotations: mounted.annotations,
        },
        spec: PodSpec {
            restart_policy: Some("OnFailure"),
            service_account_name: account(run.plan),
            automount_service_account_token: token(run.plan),
            node_selector: pool_selector(site.pool),
            tolerations: pool_tolerations(site.pool).collect(),
            containers: vec![container],
            volumes: mounted.volumes,
            ..PodSpec::default()
        },
    }
}

/// The name of the claim template that belongs to a claim of a workload.
pub(crate) fn claim_template(workload: &str, claim: &str) -> String {
    format!("{workload}-{claim}")
}

/// The workload's labels on its own metadata.
pub(crate) fn label_meta<'a>(run: Run<'a>, mut meta: Meta<'a>) -> Meta<'a> {
    meta.labels.extend(own_labels(run));
    meta.label(words::APP_NAME, text(&run.plan.name)).label(words::MANAGED_BY, "slipform")
}

fn labels<'a>(run: Run<'a>, found: &mut Findings) -> Pairs<'a> {
    for (key, it) in &run.body.labels {
        if !is_label_key(key) || !is_label_value(it) {
            let span = run.noun.fields.get("labels").map_or(run.noun.span, |field| field.span);
            let message = format!("`{key}: {it}` is no label that Kubernetes accepts");
            found.diagnostics.push(Diagnostic::error("kubernetes/label", message, span).help(
                "letters, digits, `-`, `_` and `.`, 63 at most, a letter or digit at both ends",
            ));
        }
    }
    let mut labels = own_labels(run);
    labels.insert(words::APP_NAME.into(), text(&run.plan.name));
    labels
}

fn own_labels<'a>(run: Run<'a>) -> Pairs<'a> {
    run.body.labels.iter().map(|(key, it)| (text(key), text(it))).collect()
}

/// An image that the blueprint builds may be built again under the same tag: its registry is asked what the tag means, and
/// what a node has of it is not fetched again. The tags of others stay what they are.
fn pull_policy(starts: &plan::Gang) -> Option<&'static str> {
    matches!(starts.image, ImageUse::Image(_)).then_some("Always")
}

fn account(plan: &WorkloadPlan) -> Option<Text<'_>> {
    (plan.account != "default").then(|| text(&plan.account))
}

/// The default account may do nothing, so its token is of no use to anybody but an intruder. One of an identity's may
/// have been given rights; Workload Identity itself needs no token in the pod.
fn token(plan: &WorkloadPlan) -> Option<bool> {
    account(plan).is_none().then_some(false)
}

fn shared_memory<'a>(plan: &WorkloadPlan, mounted: &mut Mounted<'a>) {
    if plan.shared_memory.0 == 0 {
        return;
    }
    let size_limit = Some(quantity(plan.shared_memory).into());
    let source = VolumeSource::EmptyDir { medium: Some("Memory"), size_limit };
    mounted.volumes.push(Volume { name: SHARED.into(), source });
    mounted.mounts.push(VolumeMount::new(SHARED, SHARED_MEMORY));
}

/// The key of an MPI run, where its image does not bring one.
fn mpi_key(workload: &str, mounted: &mut Mounted<'_>) {
    let source = VolumeSource::Secret {
        secret_name: format!("{workload}-ssh").into(),
        default_mode: 0o400,
        optional: true,
    };
    mounted.volumes.push(Volume { name: MPI_SECRET.into(), source });
    mounted.mounts.push(VolumeMount::new(MPI_SECRET, MPI_KEY));
}

fn dashboard<'a>(
    cx: &'a Context<'a>,
    body: &'a Workload,
    env: &mut Vec<EnvVar<'a>>,
    found: &mut Findings,
) {
    let Some(dashboard) = &body.dashboard else { return };
    let resource = Deferred { noun: dashboard.value, field: "resource".into() };
    let resource = cx.plan.later(&resource);
    env.push(found.deferrals.variable(&resource, "TENSORBOARD_RESOURCE".into()));
}

/// Adds a user's variables; each takes the place of one of the same name.
fn variables<'a>(from: &'a [Variable], env: &mut Vec<EnvVar<'a>>, found: &mut Findings) {
    for Variable { name, value: it, span: _ } in from {
        let variable = match it {
            Env::Word(word) => match word.0.as_slice() {
                [Piece::Later(later)] => found.deferrals.variable(later, name.clone()),
                _ => {
                    let it = launch::word(word, env, &mut found.deferrals);
                    value(text(name), it)
                }
            },
            Env::Secret { name: secret, key } => EnvVar {
                name: text(name),
                value: None,
                value_from: Some(EnvSource::SecretKeyRef { name: text(secret), key: text(key) }),
            },
        };
        match env.iter_mut().find(|known| known.name == *name) {
            Some(known) => *known = variable,
            None => env.push(variable),
        }
    }
}

fn ports(cx: &Context<'_>, run: Run<'_>, ssh: bool) -> Vec<Port> {
    if run.tpu() {
        let facts = &cx.facts.tpu_pods.ports;
        let multislice = run.plan.slices > 1;
        let used = facts.iter().filter(|(use_, _)| multislice || *use_ != "megascale");
        return used.map(|(_, port)| Port { container_port: *port }).collect();
    }
    if run.plan.nodes < 2 {
        return Vec::new();
    }
    let port = if ssh { SSH_PORT } else { run.plan.port };
    vec![Port { container_port: port }]
}

/// TPU runtimes raise the limit of locked memory, which takes a capability on the node's own network.
fn security<'a>(
    run: Run<'a>,
    fabric: Option<Fabric<'a>>,
    host_network: bool,
) -> Option<SecurityContext<'a>> {
    if run.tpu() && host_network {
        let capabilities = Some(Capabilities { add: vec!["SYS_RESOURCE".into()] });
        return Some(SecurityContext { privileged: None, capabilities });
    }
    fabric.and_then(|fabric| fabric.security())
}

/// What the plan has the pod ask for; devices are limits as well.
fn resources<'a>(run: Run<'a>, diagnostics: &mut Vec<Diagnostic>) -> Resources<'a> {
    let request = run.plan.request;
    let mut resources = Resources { requests: asked(request), ..Resources::default() };
    if let Some(name) = &run.site.pool.resource {
        turns(run, diagnostics);
        let count = Amount::Count(request.devices);
        resources.limits.insert(text(name), count.clone());
        resources.requests.insert(text(name), count);
    }
    resources
}

/// Processors, memory and space on local disks, as far as they are asked for.
fn asked<'a>(request: Amounts) -> BTreeMap<Text<'a>, Amount> {
    let amounts = host_amounts(request).into_iter();
    let wanted = amounts.filter(|(_, amount)| *amount != Amount::Count(0));
    wanted.map(|(name, amount)| (Text::from(name), amount)).collect()
}

/// Keeps pods away from nodes that their labels would let them onto.
fn elsewhere(selection: &Selection) -> Option<Affinity<'_>> {
    let match_expressions: Vec<Requirement<'_>> = selection
        .barred
        .iter()
        .map(|(key, values)| Requirement {
            key: text(key),
            operator: "NotIn",
            values: values.iter().map(|value| text(value)).collect(),
        })
        .collect();
    let terms = NodeTerms { node_selector_terms: vec![NodeTerm { match_expressions }] };
    let node_affinity = NodeAffinity { required_during_scheduling_ignored_during_execution: terms };
    (!selection.barred.is_empty()).then_some(Affinity { node_affinity })
}

/// GPUs of which containers take turns are handed out one at a time.
fn turns(run: Run<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let Body::Pool(pool) = &run.site.pool_noun.body else { return };
    let Some(sharing) = &pool.sharing else { return };
    let Sharing::TimeShared { clients } = &sharing.value else { return };
    if run.plan.processes_per_node > 1 {
        let message = format!(
            "{} processes of a node cannot have a GPU each: the pool's GPUs are shared by {clients} containers in turn, \
             and a container gets one share",
            run.plan.processes_per_node
        );
        diagnostics.push(
            Diagnostic::error("kubernetes/sharing", message, run.body.launch.span)
                .also(sharing.span, "containers take turns")
                .help("leave `sharing` out, or start one process a node"),
        );
    }
}
