//! Pods of the gangs of workloads.

use super::context::{Admission, Context, Nodes, host_amounts, pairs, text, tolerations};
use super::deferred::Deferrals;
use super::fabric::{Fabric, SHARED_MEMORY};
use super::launch::{self, Known, Processes, field, value};
use super::objects::{
    self, Affinity, Amount, Asks, Capabilities, Container, EnvSource, EnvVar, Exec, Meta, Named,
    NodeAffinity, NodeTerm, NodeTerms, Page, Pairs, PodClaim, PodSpec, PodTemplate, Port,
    Preferred, Requirement, Resources, SecurityContext, Socket, TemplateMeta, Text, Volume,
    VolumeMount, VolumeSource,
};
use super::text::{literal, quantity};
use super::volumes::{self, Mounted};
use super::{flavor, queue, slicing, topology, words};
use crate::labels::{is_label_key, is_label_value};
use crate::launch::TORCHRUN_GRACE;
use slipform_model::catalog::Claim;
use slipform_model::nouns::{Group, ImageUse, Kind, Probe, Workload};
use slipform_model::plan::{
    self, Amounts, Cut, Env, Gang, GkeSite, Launcher, Piece, PoolPlan, RunValue, Selection,
    SidecarPlan, Variable, Word,
};
use slipform_model::{Diagnostic, Noun, Size};
use std::collections::BTreeMap;

slipform_source::codes! {
    pub(crate) CODES;
    KUBERNETES_RUN_VALUE = "kubernetes/run-value":
        "nothing tells a pod this value of its run",
        "let the program work it out of values that pods are told";
    KUBERNETES_LABEL = "kubernetes/label":
        "Kubernetes does not take this label",
        "use letters, digits, `-`, `_` and `.`, with a letter or digit at both ends; the report says how many";
}

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
    pub(crate) plan: &'a plan::Run,
    /// Who it is there.
    pub(crate) site: &'a GkeSite,
    pub(crate) nodes: Nodes<'a>,
    pub(crate) admission: Option<Admission<'a>>,
}

/// One of its gangs, where it is.
#[derive(Clone, Copy)]
pub(crate) struct Crew<'a> {
    pub(crate) run: Run<'a>,
    pub(crate) gang: &'a Gang,
    pub(crate) nodes: Nodes<'a>,
}

/// What rendering one workload collects.
#[derive(Default)]
pub(crate) struct Findings {
    pub(crate) deferrals: Deferrals,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl<'a> Run<'a> {
    /// Its gangs, where they are.
    pub(crate) fn crews(self, cx: &Context<'a>) -> impl Iterator<Item = Crew<'a>> {
        self.plan.gangs().map(move |gang| self.crew(cx, gang))
    }

    /// A gang of it, where it is.
    pub(crate) fn crew(self, cx: &Context<'a>, gang: &'a Gang) -> Crew<'a> {
        Crew { run: self, gang, nodes: cx.nodes(cx.plan.pool_of(gang)) }
    }
}

impl<'a> Crew<'a> {
    /// It works on the TPUs of its nodes.
    pub(crate) fn tpu(&self) -> bool {
        self.nodes.pool.slice.is_some() && self.gang.request.devices > 0
    }

    /// Its nodes are slices of several hosts: one node pool each, which belongs to one Job alone.
    pub(crate) fn whole_slices(&self) -> bool {
        self.tpu() && self.nodes.pool.slice.as_ref().is_some_and(|slice| !slice.single_host)
    }

    /// What objects of its own are called: as the run is where it leads, with its role behind that where not.
    pub(crate) fn title(&self) -> String {
        let run = self.run.plan;
        if self.gang.role == run.lead().role {
            return run.name.clone();
        }
        format!("{}-{}", run.name, self.gang.role)
    }

    /// The name of the claim template that belongs to a claim of it.
    pub(crate) fn claim_template(&self, claim: &Claim) -> Text<'a> {
        format!("{}-{}", self.title(), claim.name).into()
    }

    /// The class that says which of the pods on its nodes go first.
    fn priority(&self, cx: &Context<'a>) -> Option<Text<'a>> {
        let group = Group::of(&cx.plan.noun(self.gang.program.noun).body)?;
        let (admission, name) = self.run.admission.zip(group.priority.as_ref())?;
        Some(queue::priority_class(cx, admission.noun, admission.plan, &name.value))
    }

    /// Its fabric, where it is used.
    pub(crate) fn fabric(&self) -> Option<Fabric<'a>> {
        if self.gang.fabric { Fabric::of(self.nodes) } else { None }
    }
}

/// The pods of a gang.
pub(crate) fn of_gang<'a>(
    cx: &'a Context<'a>,
    crew: Crew<'a>,
    found: &mut Findings,
) -> PodTemplate<'a> {
    let Crew { run, gang, nodes } = crew;
    let Run { plan, body, .. } = run;
    let plan::Gang {
        program,
        role,
        // How many there are is the replicated job's, and what processes are told of each other the launch's.
        slices: _,
        nodes_per_slice: _,
        nodes: _,
        chips_per_node: _,
        processes_per_node: _,
        world_size: _,
        rendezvous: _,
        port: _,
        request,
        image,
        shared_memory,
        fabric: on_fabric,
        identity: _,
        pod,
        grace,
        // Of its replicated job.
        after: _,
        retries: _,
        ready_when,
        decides,
    } = gang;
    // Where it is has been looked up, and its command is the launch's.
    let plan::Program {
        noun: _,
        place: _,
        image: built,
        launcher,
        command: _,
        gpu_check: _,
        setup: _,
        cleanup: _,
        env: own,
        mounts,
        workdir,
        // Of Vertex AI's images.
        packages: _,
        sidecars,
    } = &**program;
    let fabric = crew.fabric();
    // What it may do is `security`'s, where it listens `ports`'s, and whose its account is the page's.
    let plan::PodPlan {
        container: title,
        privileged: _,
        capabilities: _,
        host_network,
        ports: _,
        account,
        lent_account: _,
        deadline,
        memory_limit,
        selection,
        // Rules.
        misfits: _,
        // Of its replicated job.
        domain: _,
        nearness,
        cut,
    } = pod;
    let host_network = *host_network;
    found.deferrals.container(role, title);
    unknown(gang, found);

    let mut processes = Processes::of(plan, gang);
    if let Some(fabric) = &fabric {
        processes = processes.on_fabric(fabric, !nodes.cluster.is_made());
    }
    let command = launch::command(program, &processes, &mut found.deferrals);
    let taken = fabric.iter().flat_map(Fabric::volume_names).chain([SHARED, MPI_SECRET]).collect();
    let local_disks = nodes.pool.has_scratch_disks();
    let mounting = volumes::Pod { host_network, taken, local_disks, gang, gangs: &plan.gangs };
    let mut mounted = volumes::mounted(cx, mounts, &mounting, &mut found.diagnostics);
    share_memory(*shared_memory, &mut mounted);
    if command.ssh {
        mpi_key(&plan.name, &mut mounted);
    }

    let mut metadata =
        TemplateMeta { labels: labels(cx, crew, found), annotations: mounted.annotations };
    if let Some(nearness) = nearness {
        metadata.annotations.extend(topology::annotations(cx, nearness));
    }
    metadata.annotations.extend(cut.as_deref().into_iter().flat_map(slicing::annotations));
    let mut env: Vec<EnvVar<'a>> = fabric.iter().flat_map(Fabric::env).collect();
    env.extend(command.env);
    if *decides {
        if launcher.value.is_torchrun() {
            env.push(value(TORCHRUN_GRACE, grace.0.to_string()));
        }
        let resource = run.plan.dashboard.as_ref();
        env.extend(resource.map(|it| found.deferrals.variable(it, "TENSORBOARD_RESOURCE".into())));
    }
    variables(own, &processes, &mut env, found);
    let ports = ports(cx, crew);
    let mut container = Container {
        name: text(title),
        image: text(image),
        image_pull_policy: pull_policy(built),
        command: command.command,
        args: command.args,
        working_dir: workdir.as_deref().map(text),
        env,
        ports,
        security_context: security(crew, fabric),
        startup_probe: ready_when.as_ref().map(|it| probe(it, starting(it))),
        readiness_probe: ready_when.as_ref().map(|it| probe(it, READINESS)),
        resources: bounded(resources(nodes.pool, request.less(program.beside())), *memory_limit),
        volume_mounts: mounted.mounts,
        ..Container::default()
    };
    let mut spec = PodSpec {
        restart_policy: Some(if *decides { "Never" } else { "OnFailure" }),
        service_account_name: service_account(account),
        image_pull_secrets: pull_secrets(body),
        automount_service_account_token: token(account),
        priority_class_name: crew.priority(cx),
        active_deadline_seconds: deadline.map(|deadline| deadline.0),
        termination_grace_period_seconds: decides.then_some(grace.0),
        host_network: host_network.then_some(true),
        dns_policy: host_network.then_some("ClusterFirstWithHostNet"),
        node_selector: pairs(&selection.labels),
        affinity: elsewhere(selection, cut.as_deref()),
        tolerations: tolerations(&selection.tolerated).chain(flavor::guarded(crew)).collect(),
        volumes: mounted.volumes,
        ..PodSpec::default()
    };
    spec.init_containers.extend(sidecars.iter().map(|it| sidecar(cx, crew, &processes, it, found)));
    if *on_fabric {
        metadata.annotations.extend(cx.fabric_annotations(nodes.pool_id));
    }
    if let Some(fabric) = fabric {
        container.volume_mounts.extend(fabric.mounts());
        spec.volumes.extend(fabric.volumes());
        spec.init_containers.extend(fabric.daemon());
        for claim in fabric.claims() {
            container.resources.claims.push(Named { name: text(&claim.name) });
            spec.resource_claims.push(PodClaim {
                name: text(&claim.name),
                resource_claim_template_name: crew.claim_template(claim),
            });
        }
    }
    spec.containers = vec![container];
    PodTemplate { metadata, spec }
}

/// A policy of ours: how often readiness is asked for, in seconds, and how often in vain before it is lost.
const READINESS: (u32, u32) = (10, 3);
/// How often a process is asked whether it is ready at last, and how often in vain before it has failed. Without an
/// end one that hangs would keep the nodes of all waiting.
fn starting(asked: &Probe) -> (u32, u32) {
    let times = asked.within().0.div_ceil(u64::from(READINESS.0)).max(1);
    (READINESS.0, u32::try_from(times).unwrap_or(u32::MAX))
}

fn probe(probe: &Probe, (period_seconds, failure_threshold): (u32, u32)) -> objects::Probe<'_> {
    let asks = match probe {
        Probe::Tcp { port, within: _ } => Asks::Tcp(Socket { port: *port }),
        Probe::Http { port, path, within: _ } => Asks::Http(Page { path: text(path), port: *port }),
        Probe::Exec { argv, within: _ } => {
            let words = argv.iter().map(|word| literal(word.as_str()).into_owned().into());
            Asks::Exec(Exec { command: words.collect() })
        }
    };
    objects::Probe { asks, period_seconds, failure_threshold }
}

/// A container beside that of a gang: it starts before, stays as long, and ends behind it.
fn sidecar<'a>(
    cx: &'a Context<'a>,
    crew: Crew<'a>,
    processes: &Processes<'a>,
    sidecar: &'a SidecarPlan,
    found: &mut Findings,
) -> Container<'a> {
    let plan::SidecarPlan { name, image, command, args, env: own, request, port } = sidecar;
    found.deferrals.container(name, name);
    let mut env: Vec<EnvVar<'a>> = Vec::new();
    let mut spelled = |words: &[Word]| -> Vec<Text<'a>> {
        let word = |it: &Word| launch::word(it, processes, &mut env, &mut found.deferrals);
        words.iter().map(word).collect()
    };
    let mut argv = spelled(command).into_iter();
    let command = argv.next().into_iter().collect();
    let args = argv.chain(spelled(args)).collect();
    variables(own, processes, &mut env, found);
    Container {
        name: text(name),
        image: text(cx.plan.reference(image)),
        image_pull_policy: pull_policy(image),
        restart_policy: Some("Always"),
        command,
        args,
        env,
        ports: port.iter().map(|port| Port { name: None, container_port: *port }).collect(),
        resources: resources(crew.nodes.pool, *request),
        ..Container::default()
    }
}

/// Says what pods are asked to tell their processes, and do not know, or only the first of them would tell.
fn unknown(gang: &Gang, found: &mut Findings) {
    let (nodes, of_slice) = (gang.nodes, gang.nodes_per_slice);
    let from_first = gang.program.launcher.value == Launcher::Mpirun && nodes > 1;
    for (value, span) in gang.program.known_to_run() {
        let (message, help) = match value {
            RunValue::NodeRank | RunValue::SliceIndex if from_first => (
                format!("`mpirun` gives all processes the `{}` of the first node", value.name()),
                "let the program read its rank, `OMPI_COMM_WORLD_RANK`",
            ),
            RunValue::NodeRank if gang.slices > 1 && of_slice > 1 => (
                format!(
                    "a pod knows its number among the {of_slice} nodes of its slice, not among all {nodes}"
                ),
                "use `slice_index`, and the variable `JOB_COMPLETION_INDEX` within the slice",
            ),
            RunValue::ArrayIndex => (
                "runs on GKE are no arrays, so nothing has an `array_index` there".to_owned(),
                "leave it out, or use `node_rank`",
            ),
            RunValue::NodeRank
            | RunValue::SliceIndex
            | RunValue::Id
            | RunValue::Attempt
            | RunValue::NodeCount
            | RunValue::Host(_) => continue,
        };
        found.diagnostics.push(Diagnostic::error(KUBERNETES_RUN_VALUE, message, span).help(help));
    }
}

/// The workload's labels on its own metadata.
pub(crate) fn label_meta<'a>(run: Run<'a>, mut meta: Meta<'a>) -> Meta<'a> {
    meta.labels.extend(own_labels(run));
    meta.label(words::APP_NAME, text(&run.plan.name)).label(words::MANAGED_BY, "slipform")
}

/// Helpers carry the name of their workload alone.
fn labels<'a>(cx: &Context<'a>, crew: Crew<'a>, found: &mut Findings) -> Pairs<'a> {
    let Crew { run, gang, .. } = crew;
    let name = (words::APP_NAME.into(), text(&run.plan.name));
    if !gang.decides {
        return [name].into();
    }
    let most = cx.plan.catalog().limits().names.label_value.max as usize;
    for (key, it) in &run.body.labels {
        if !is_label_key(key, most) || !is_label_value(it, most) {
            let span = run.noun.fields.get("labels").map_or(run.noun.span, |field| field.span);
            let message = format!("`{key}: {it}` is no label that Kubernetes accepts");
            let help = format!(
                "letters, digits, `-`, `_` and `.`, {most} at most, a letter or digit at both ends"
            );
            found.diagnostics.push(Diagnostic::error(KUBERNETES_LABEL, message, span).help(help));
        }
    }
    own_labels(run).into_iter().chain([name]).collect()
}

fn own_labels<'a>(run: Run<'a>) -> Pairs<'a> {
    run.body.labels.iter().map(|(key, it)| (text(key), text(it))).collect()
}

/// An image that the blueprint builds may be built again under the same tag: its registry is asked what the tag means, and
/// what a node has of it is not fetched again. The tags of others stay what they are.
fn pull_policy(image: &ImageUse) -> Option<&'static str> {
    matches!(image, ImageUse::Image(_)).then_some("Always")
}

fn service_account(account: &str) -> Option<Text<'_>> {
    (account != "default").then(|| text(account))
}

fn pull_secrets(body: &Workload) -> Vec<Named<'_>> {
    body.pull_secrets.iter().map(|secret| Named { name: text(&secret.value) }).collect()
}

/// The default account may do nothing, so its token is of no use to anybody but an intruder. One of an identity's may
/// have been given rights; Workload Identity itself needs no token in the pod.
fn token(account: &str) -> Option<bool> {
    service_account(account).is_none().then_some(false)
}

fn share_memory(size: Size, mounted: &mut Mounted<'_>) {
    if size.0 == 0 {
        return;
    }
    let size_limit = Some(quantity(size).into());
    let source = VolumeSource::EmptyDir { medium: Some("Memory"), size_limit };
    mounted.volumes.push(Volume { name: SHARED.into(), source });
    mounted.mounts.push(VolumeMount::new(SHARED, SHARED_MEMORY));
}

/// The key of an MPI run, where its image does not bring one.
fn mpi_key(workload: &str, mounted: &mut Mounted<'_>) {
    let source = VolumeSource::Secret {
        secret_name: format!("{workload}-ssh").into(),
        default_mode: Some(0o400),
        optional: Some(true),
    };
    mounted.volumes.push(Volume { name: MPI_SECRET.into(), source });
    mounted.mounts.push(VolumeMount::new(MPI_SECRET, MPI_KEY));
}

/// Where libraries are looked for: what the fabric has stays in front of a user's own.
const LIBRARIES: &str = "LD_LIBRARY_PATH";

/// Adds a user's variables; each takes the place of one of the same name.
fn variables<'a>(
    from: &'a [Variable],
    processes: &Processes<'a>,
    env: &mut Vec<EnvVar<'a>>,
    found: &mut Findings,
) {
    for Variable { name, value: it, span: _ } in from {
        let variable = match it {
            Env::Word(word) => match word.0.as_slice() {
                [Piece::Later(later)] => found.deferrals.variable(later, name.clone()),
                [Piece::Run(known)] => match processes.known(*known) {
                    Known::Text(it) => value(text(name), it),
                    Known::Field(path) => field(text(name), path),
                },
                _ => {
                    let it = launch::word(word, processes, env, &mut found.deferrals);
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
            Some(known) if name == LIBRARIES => known.behind(variable),
            Some(known) => *known = variable,
            None => env.push(variable),
        }
    }
}

/// Those of its launch, and those that the blueprint names.
fn ports<'a>(cx: &'a Context<'a>, crew: Crew<'a>) -> Vec<Port<'a>> {
    let launch = cx.plan.launch_ports(crew.gang).into_iter();
    let launch = launch.map(|port| Port { name: None, container_port: port });
    let own = crew.gang.pod.ports.iter();
    launch
        .chain(own.map(|(name, port)| Port { name: Some(text(name)), container_port: *port }))
        .collect()
}

/// What the blueprint says and what the fabric needs. TPU runtimes raise the limit of locked memory, which takes a capability on
/// the node's own network.
fn security<'a>(crew: Crew<'a>, fabric: Option<Fabric<'a>>) -> Option<SecurityContext<'a>> {
    let pod = &crew.gang.pod;
    let mut security = fabric.and_then(|fabric| fabric.security()).unwrap_or_default();
    let mut add = security.capabilities.take().map_or_else(Vec::new, |known| known.add);
    let runtime = (crew.tpu() && pod.host_network).then_some("SYS_RESOURCE");
    for name in runtime.into_iter().chain(pod.capabilities.iter().map(String::as_str)) {
        if !add.iter().any(|known| known == name) {
            add.push(text(name));
        }
    }
    security.capabilities = (!add.is_empty()).then_some(Capabilities { add });
    security.privileged = pod.privileged.then_some(true).or(security.privileged);
    let given = security.capabilities.is_some() || security.privileged.is_some();
    given.then_some(security)
}

/// What the plan has the pod ask for; devices are limits as well.
fn resources(pool: &PoolPlan, request: Amounts) -> Resources<'_> {
    let mut resources = Resources { requests: asked(request), ..Resources::default() };
    if let Some(name) = pool.resource.as_ref().filter(|_| request.devices > 0) {
        let count = Amount::Count(request.devices);
        resources.limits.insert(text(name), count.clone());
        resources.requests.insert(text(name), count);
    }
    resources
}

/// Processors are not bounded: a bound is held in slices of time, and a process that may not run for a moment keeps all others waiting.
fn bounded(mut resources: Resources<'_>, memory: Option<Size>) -> Resources<'_> {
    // without a request of its own Kubernetes would take the bound for one
    let asks = resources.requests.contains_key("memory");
    let known = memory.filter(|memory| asks && memory.0 > 0);
    resources.limits.extend(known.map(|it| ("memory".into(), Amount::Text(quantity(it)))));
    resources
}

/// Processors, memory and space on local disks, as far as they are asked for.
fn asked<'a>(request: Amounts) -> BTreeMap<Text<'a>, Amount> {
    let amounts = host_amounts(request).into_iter();
    let wanted = amounts.filter(|(_, amount)| *amount != Amount::Count(0));
    wanted.map(|(name, amount)| (Text::from(name), amount)).collect()
}

/// Keeps pods away from nodes that their labels would let them onto, and leads them to those that are preferred.
fn elsewhere<'a>(selection: &'a Selection, cut: Option<&'a Cut>) -> Option<Affinity<'a>> {
    // Its pools follow from its labels, which pods name themselves, as what they tolerate.
    let plan::Selection { pools: _, labels: _, barred, preferred, tolerated: _ } = selection;
    let barred = barred.iter().map(|(key, values)| Requirement {
        key: text(key),
        operator: "NotIn",
        values: values.iter().map(|value| text(value)).collect(),
    });
    let wanted: Vec<_> = barred.chain(cut.and_then(slicing::healthy)).collect();
    let given = !wanted.is_empty() || !preferred.is_empty();
    let required = (!wanted.is_empty())
        .then(|| NodeTerms { node_selector_terms: vec![NodeTerm { match_expressions: wanted }] });
    let preferred = preferred.iter().map(|(key, value)| {
        let wanted = Requirement { key: text(key), operator: "In", values: vec![text(value)] };
        Preferred { weight: 100, preference: NodeTerm { match_expressions: vec![wanted] } }
    });
    let node_affinity = NodeAffinity {
        required_during_scheduling_ignored_during_execution: required,
        preferred_during_scheduling_ignored_during_execution: preferred.collect(),
    };
    given.then_some(Affinity { node_affinity })
}
