//! What workloads and their groups start, and what roots hand on for them.

use crate::nouns::{
    Access, Argument, Attached, Body, Choice, Dashboard, EnvValue, Filesystem, Group, Kind, Launch,
    Mount, MountSource, OfNodes, Options, Partition, Pool, Ref, Sidecar, Storage, VertexCluster,
    Volume, Workload,
};
use crate::plan::of_nouns::OfNouns;
use crate::plan::run::{
    Env, Held, Later, Launcher, MountPlan, Piece, Program, RunValue, Server, SidecarPlan, Source,
    Variable, Word,
};
use crate::plan::{Amounts, MachinesPlan, Plan};
use crate::{Deferred, Noun, NounId, float_text};
use indexmap::IndexMap;
use slipform_source::{Span, Spanned};
use std::sync::Arc;

/// By workload and group.
pub(crate) fn programs(plan: &Plan) -> OfNouns<Arc<Program>> {
    let all: Vec<(&Noun, OfNodes<'_>)> = nodes(plan).collect();
    OfNouns::of_each(&all, |(noun, own)| Some((noun.id, Arc::new(of_nodes(plan, noun, *own)))))
}

/// What workloads and groups say of their nodes.
pub(crate) fn nodes(plan: &Plan) -> impl Iterator<Item = (&Noun, OfNodes<'_>)> {
    let workloads = plan.model.workloads().map(|(noun, it)| (noun, it.own()));
    workloads.chain(plan.model.groups().map(|(noun, it)| (noun, it.own())))
}

/// What roots hand on.
pub(crate) fn handed_on(plan: &Plan) -> Vec<(Later, Span)> {
    let made = plan.model.nouns.iter().filter(|noun| !noun.existing);
    let made = made.filter_map(|noun| {
        Some((Deferred { noun: noun.id, field: known_later(plan, noun)?.into() }, noun.span))
    });
    let mut found: Vec<(Later, Span)> =
        made.map(|(value, span)| (plan.later(&value), span)).collect();
    let mut add = |later: &Later, span: Span| {
        if found.iter().all(|(known, _)| known != later) {
            found.push((later.clone(), span));
        }
    };
    for (_, cluster) in plan.model.slurm_clusters() {
        for mount in cluster.mounts.values() {
            let source = volume(plan, mount.value);
            source
                .as_ref()
                .and_then(Source::address)
                .into_iter()
                .for_each(|it| add(it, mount.span));
        }
    }
    for (id, program) in plan.programs() {
        program.reads().into_iter().for_each(|later| add(later, program.launcher.span));
        program.mounted().for_each(|(later, span)| add(later, span));
        let body = plan.model.get(id).and_then(|noun| Workload::of(&noun.body));
        if let Some(shown) = body.and_then(|body| body.dashboard.as_ref()) {
            add(&resource(plan, shown.value), shown.span);
        }
    }
    found
}

/// What a dashboard is called where it is made.
pub(crate) fn resource(plan: &Plan, dashboard: Ref<Dashboard>) -> Later {
    plan.later(&Deferred { noun: dashboard.id(), field: "resource".into() })
}

/// The field of a noun that only its maker knows.
fn known_later(plan: &Plan, noun: &Noun) -> Option<&'static str> {
    match &noun.body {
        Body::GkeCluster(_) => Some("endpoint"),
        Body::Dashboard(_) => Some("resource"),
        Body::Machines(_) => plan.machines_plan(noun.id).and_then(MachinesPlan::known_later),
        Body::Filesystem(it) => match it.storage.value {
            Storage::Filestore { .. } | Storage::Lustre { .. } => Some("address"),
            Storage::HyperdiskMl { .. }
            | Storage::HyperdiskBalanced { .. }
            | Storage::HyperdiskThroughput { .. }
            | Storage::Nfs { .. }
            | Storage::Path { .. } => None,
        },
        Body::Network(_)
        | Body::Bucket(_)
        | Body::Registry(_)
        | Body::Identity(_)
        | Body::Reservation(_)
        | Body::Image(_)
        | Body::SlurmCluster(_)
        | Body::VertexCluster(_)
        | Body::Pool(_)
        | Body::Partition(_)
        | Body::MachineImage(_)
        | Body::Queue(_)
        | Body::Workload(_)
        | Body::Group(_)
        | Body::Broken { .. } => None,
    }
}

fn of_nodes(plan: &Plan, noun: &Noun, own: OfNodes<'_>) -> Program {
    let launcher = launcher(&own.launch.value);
    let command = command(plan, &own.launch.value);
    Program {
        noun: noun.id,
        place: *own.place,
        image: own.image.value.clone(),
        launcher: Spanned { value: launcher, span: own.launch.span },
        command,
        gpu_check: gpu_check(plan, &own),
        setup: commands(plan, own.setup),
        cleanup: commands(plan, own.cleanup),
        packages: own.packages.iter().map(|it| it.value.clone()).collect(),
        env: variables(plan, own.env),
        mounts: mounts(plan, own.mounts),
        workdir: own.workdir.map(str::to_owned),
        sidecars: own.sidecars.iter().map(|sidecar| sidecar_plan(plan, &sidecar.value)).collect(),
    }
}

/// How many GPUs each node looks at, where it does.
fn gpu_check(plan: &Plan, own: &OfNodes<'_>) -> Option<i64> {
    let body = &plan.model.get(own.place.value.id())?.body;
    let machine = Pool::of(body)
        .map(|pool| &pool.machine)
        .or_else(|| Partition::of(body).map(|partition| &partition.machine))
        .or_else(|| VertexCluster::of(body).map(|cluster| &cluster.machine))?;
    let attached = VertexCluster::of(body)
        .and_then(|cluster| cluster.gpus)
        .or_else(|| Pool::of(body).and_then(|pool| pool.gpus));
    let built_in =
        || Some(i64::from(plan.model.catalog.machine(machine)?.accelerator.as_ref()?.count));
    let gpus = match attached.map(|it| it.value) {
        Some(Attached::Attached { gpu: _, count }) => count,
        None => built_in()?,
    };
    let count = own.accelerators.unwrap_or(gpus);
    (own.gpu_check && count > 0).then_some(count)
}

fn sidecar_plan(plan: &Plan, sidecar: &Sidecar) -> SidecarPlan {
    let Sidecar::Sidecar { name, image, argv, args, env, cpus, memory, port } = sidecar;
    SidecarPlan {
        name: name.clone(),
        image: image.value.clone().into(),
        command: argument_words(plan, argv),
        args: argument_words(plan, args),
        env: variables(plan, env),
        request: Amounts { millicpus: cpus.saturating_mul(1000), memory: *memory, ..Amounts::NONE },
        port: *port,
    }
}

fn launcher(launch: &Launch) -> Launcher {
    match launch {
        Launch::Torchrun { rendezvous, .. } => Launcher::Torchrun { rendezvous: *rendezvous },
        Launch::Srun { .. } => Launcher::Srun,
        Launch::Mpirun { .. } => Launcher::Mpirun,
        Launch::Python { .. } => Launcher::Python,
        Launch::Command { .. } => Launcher::Command,
        Launch::Submitter { .. } => Launcher::Submitter,
        Launch::Entrypoint { .. } => Launcher::Entrypoint,
    }
}

fn command(plan: &Plan, launch: &Launch) -> Vec<Word> {
    let (mut words, argv, args) = match launch {
        Launch::Torchrun { script, args, module, argv, options, rendezvous: _ } => {
            (script_words(*module, script), argv, Some((args, *options)))
        }
        Launch::Python { script, args, module, argv, options } => {
            let mut words = vec!["python3".into()];
            words.extend(script_words(*module, script));
            (words, argv, Some((args, *options)))
        }
        Launch::Srun { argv, args, options }
        | Launch::Mpirun { argv, args, options }
        | Launch::Submitter { argv, args, options } => (Vec::new(), argv, Some((args, *options))),
        Launch::Command { argv } | Launch::Entrypoint { args: argv } => (Vec::new(), argv, None),
    };
    words.extend(argument_words(plan, argv));
    words.extend(args.into_iter().flat_map(|(args, spelling)| options(plan, args, spelling)));
    words
}

fn script_words(module: bool, script: &str) -> Vec<Word> {
    let mut words: Vec<Word> = module.then(|| "-m".into()).into_iter().collect();
    words.push(script.into());
    words
}

/// Commands that have words: without any nothing is run.
fn commands(plan: &Plan, commands: &[Spanned<Vec<Argument>>]) -> Vec<Vec<Word>> {
    let words = commands.iter().map(|argv| argument_words(plan, &argv.value));
    words.filter(|words| !words.is_empty()).collect()
}

fn argument_words(plan: &Plan, argv: &[Argument]) -> Vec<Word> {
    argv.iter().map(|argument| piece(plan, argument).into()).collect()
}

/// `{ max_steps = 10 }` becomes `--max_steps=10`; `true` a bare flag; `false` nothing. Plain options are all spelled alike,
/// without dashes.
fn options<'a>(
    plan: &'a Plan,
    args: &'a IndexMap<String, Argument>,
    spelling: Options,
) -> impl Iterator<Item = Word> + 'a {
    args.iter().filter_map(move |(name, argument)| {
        let name = match (spelling, argument) {
            (Options::Dashed, Argument::Bool(false)) => return None,
            (Options::Dashed, Argument::Bool(true)) => {
                return Some(format!("--{name}").as_str().into());
            }
            (Options::Dashed, _) => format!("--{name}="),
            (Options::Plain, _) => format!("{name}="),
        };
        Some(match piece(plan, argument) {
            Piece::Text(text) => Word(vec![Piece::Text(name + &text)]),
            later => Word(vec![Piece::Text(name), later]),
        })
    })
}

fn piece(plan: &Plan, argument: &Argument) -> Piece {
    match argument {
        Argument::String(text) => Piece::Text(text.clone()),
        Argument::Int(number) => Piece::Text(number.to_string()),
        Argument::Float(number) => Piece::Text(float_text(*number)),
        Argument::Bool(truth) => Piece::Text(truth.to_string()),
        Argument::Deferred(deferred) => Piece::Later(plan.later(deferred)),
        Argument::RunId => Piece::Run(RunValue::Id),
        Argument::Attempt => Piece::Run(RunValue::Attempt),
        Argument::NodeRank => Piece::Run(RunValue::NodeRank),
        Argument::SliceIndex => Piece::Run(RunValue::SliceIndex),
        Argument::NodeCount => Piece::Run(RunValue::NodeCount),
        Argument::ArrayIndex => Piece::Run(RunValue::ArrayIndex),
        Argument::Host { group } => Piece::Run(RunValue::Host(group.id())),
    }
}

fn variables(plan: &Plan, env: &IndexMap<String, Spanned<EnvValue>>) -> Vec<Variable> {
    let variable = |(name, it): (&String, &Spanned<EnvValue>)| Variable {
        name: name.clone(),
        value: value(plan, &it.value),
        span: it.span,
    };
    env.iter().map(variable).collect()
}

fn value(plan: &Plan, value: &EnvValue) -> Env {
    let piece = match value {
        EnvValue::String(text) => Piece::Text(text.clone()),
        EnvValue::Int(number) => Piece::Text(number.to_string()),
        EnvValue::Float(number) => Piece::Text(float_text(*number)),
        EnvValue::Bool(truth) => Piece::Text(truth.to_string()),
        EnvValue::Deferred(deferred) => Piece::Later(plan.later(deferred)),
        EnvValue::RunId => Piece::Run(RunValue::Id),
        EnvValue::Attempt => Piece::Run(RunValue::Attempt),
        EnvValue::NodeRank => Piece::Run(RunValue::NodeRank),
        EnvValue::SliceIndex => Piece::Run(RunValue::SliceIndex),
        EnvValue::NodeCount => Piece::Run(RunValue::NodeCount),
        EnvValue::ArrayIndex => Piece::Run(RunValue::ArrayIndex),
        EnvValue::Host { group } => Piece::Run(RunValue::Host(group.id())),
        EnvValue::Secret { name, key } => {
            return Env::Secret { name: name.clone(), key: key.clone() };
        }
    };
    Env::Word(piece.into())
}

/// Whether a workload or group mounts something that could not be understood: what lies in its mounts is not known, then.
pub(crate) fn mounts_unread(plan: &Plan, program: &Program) -> bool {
    let body = plan.model.get(program.noun).map(|noun| &noun.body);
    let workload = body.and_then(Workload::of).map(Workload::own);
    let own = workload.or_else(|| body.and_then(Group::of).map(Group::own));
    own.is_some_and(|own| own.mounts.len() > program.mounts.len())
}

/// A mount of something that could not be understood is left out: that is reported where it stands.
fn mounts(plan: &Plan, mounts: &[Spanned<Mount>]) -> Vec<MountPlan> {
    mounts.iter().filter_map(|mount| mount_plan(plan, mount)).collect()
}

fn mount_plan(plan: &Plan, mount: &Spanned<Mount>) -> Option<MountPlan> {
    let Mount::Mount { source, path, folder, read_only, purpose, cache, cpus, memory } =
        &mount.value;
    let object = |kind: Held, name: &String| Source::Object { kind, name: name.clone() };
    let leads_to = match &source.value {
        MountSource::Bucket(noun) => volume(plan, Volume::Bucket(*noun))?,
        MountSource::Filesystem(noun) => volume(plan, Volume::Filesystem(*noun))?,
        MountSource::Scratch { size } => Source::Scratch { size: *size },
        MountSource::LocalCheckpoints { bucket, memory } => Source::LocalCheckpoints {
            noun: *bucket,
            name: plan.name(*bucket)?.clone(),
            memory: *memory,
        },
        MountSource::Claim { name } => object(Held::Claim, name),
        MountSource::ConfigMap { name } => object(Held::ConfigMap, name),
        MountSource::SecretFiles { name } => object(Held::Secret, name),
        MountSource::HostPath { path } => Source::HostPath { path: path.clone() },
    };
    let allowed = match &leads_to {
        Source::Bucket { access, .. } => *access,
        // kubelet mounts both for reading, whatever is asked
        Source::Object { kind: Held::ConfigMap | Held::Secret, .. } => Access::Read,
        Source::Share { server: Server::Disk { access, .. }, .. } => *access,
        Source::Share { .. }
        | Source::Scratch { .. }
        | Source::LocalCheckpoints { .. }
        | Source::Object { kind: Held::Claim, .. }
        | Source::HostPath { .. } => Access::Write,
    };
    let folder = folder.as_deref().map(|folder| folder.trim_matches('/'));
    Some(MountPlan {
        folder: folder.filter(|folder| !folder.is_empty()).map(str::to_owned),
        path: path.clone(),
        access: if *read_only == Choice::Set(true) { Access::Read } else { allowed },
        purpose: *purpose,
        cache: *cache,
        cpus: cpus.set().copied(),
        memory: memory.set().copied(),
        span: mount.span,
        source: Spanned { value: leads_to, span: source.span },
    })
}

/// What a volume leads to.
pub(crate) fn volume(plan: &Plan, shown: Volume) -> Option<Source> {
    Some(match shown {
        Volume::Bucket(noun) => Source::Bucket {
            noun,
            name: plan.name(noun)?.clone(),
            access: plan.model.body(noun)?.access,
        },
        Volume::Filesystem(noun) => {
            Source::Share { noun, server: server(plan, noun.id(), plan.model.body(noun)?) }
        }
    })
}

fn server(plan: &Plan, noun: NounId, filesystem: &Filesystem) -> Server {
    let address = || plan.later(&Deferred { noun, field: "address".into() });
    match &filesystem.storage.value {
        Storage::Filestore { .. } => {
            Server::Filestore { share: filesystem.share.clone(), address: address() }
        }
        Storage::Lustre { .. } => Server::Lustre { address: address() },
        Storage::HyperdiskMl { from, .. } => disk(plan, noun, from.as_ref(), Access::Read),
        Storage::HyperdiskBalanced { from, .. } | Storage::HyperdiskThroughput { from, .. } => {
            disk(plan, noun, from.as_ref(), Access::Write)
        }
        Storage::Nfs { server, export } => {
            Server::Nfs { server: server.clone(), export: export.clone() }
        }
        Storage::Path { folder } => Server::Nodes { folder: folder.clone() },
    }
}

/// A disk, with what it has its files from, where it is made here.
fn disk(plan: &Plan, noun: NounId, from: Option<&Spanned<String>>, access: Access) -> Server {
    let made = plan.model.get(noun).is_some_and(|noun| !noun.existing);
    Server::Disk { from: from.filter(|_| made).map(|it| it.value.clone()), access }
}
