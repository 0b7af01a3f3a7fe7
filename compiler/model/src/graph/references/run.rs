//! What runs and their groups refer to, and what stands in their fields.

use super::{References, Refers};
use crate::graph::EdgeKind;
use crate::nouns::{
    After, Algorithm, Argument, Awaited, AwaitedJob, Batch, Closeness, Dependency, EarlyStopping,
    EnvValue, Experts, Framework, Goal, Group, ImageUse, Import, KeptTensor, LatentAttention,
    Launch, Level, Measurement, ModelShape, ModelUpload, Mount, MountSource, Parallel, Parent,
    ParentValue, Place, Precision, Probe, Pulled, Ranks, Reaction, Recompute, RecomputeModule,
    ReductionServer, Scale, Sharded, Sidecar, Signal, Staged, Success, Switches, Tuned, Tuning,
    Workload,
};
use indexmap::IndexMap;
use slipform_source::{Span, Spanned};

/// A noun with equal nodes: the fields that a workload and a group have in common, and then its own.
macro_rules! with_nodes {
    ($Noun:ident, $to:ident, { $($own:tt)* }, $besides:block) => {
        impl Refers for $Noun {
            fn refer(&self, $to: &mut References) {
                let Self {
                    place,
                    image,
                    nodes: _,
                    slices: _,
                    launch,
                    mounts,
                    env,
                    identity,
                    setup,
                    gpu_check: _,
                    cleanup,
                    processes: _,
                    accelerators: _,
                    cpus: _,
                    memory: _,
                    port: _,
                    shared_memory: _,
                    workdir: _,
                    fabric,
                    role: _,
                    packages: _,
                    privileged: _,
                    capabilities: _,
                    host_network: _,
                    ports: _,
                    account: _,
                    deadline: _,
                    container: _,
                    after,
                    ready_when,
                    retries: _,
                    domain: _,
                    topology,
                    shape: _,
                    sidecars,
                    $($own)*
                } = self;
                let commands = setup.iter().chain(cleanup);
                place.refer($to);
                image.refer($to);
                mounts.iter().for_each(|mount| mount.refer($to));
                launch.refer($to);
                commands.for_each(|command| words(&command.value, command.span, $to));
                env.refer($to);
                $to.all(EdgeKind::ActsAs, identity);
                fabric.refer($to);
                after.iter().for_each(|after| after.refer($to));
                ready_when.refer($to);
                topology.refer($to);
                sidecars.iter().for_each(|sidecar| sidecar.refer($to));
                $besides
            }
        }
    };
}

with_nodes!(Workload, to, {
    parallel,
    model,
    restarts: _,
    max_run: _,
    test: _,
    grace: _,
    queue,
    namespace: _,
    priority: _,
    dashboard,
    name: _,
    labels: _,
    only_nodes: _,
    prefer_nodes: _,
    avoid_nodes: _,
    ttl: _,
    pull_secrets: _,
    success,
    on_failure,
    coordinator,
    host_names: _,
    title: _,
    tuning,
    reduction_server,
    upload,
    batch,
}, {
    to.all(EdgeKind::ShownIn, dashboard);
    // where it is not said, the one that is chosen follows
    to.all(EdgeKind::QueuedBy, queue.set());
    parallel.refer(to);
    model.iter().for_each(|model| model.refer(to));
    success.refer(to);
    if let Some(server) = reduction_server {
        let ReductionServer::Reducers { machine: _, nodes: _, tier_1: _ } = &server.value;
    }
    if let Some(model) = upload {
        let ModelUpload::Upload {
            title: _,
            image: _,
            predict: _,
            health: _,
            port: _,
            id: _,
            parent: _,
            aliases: _,
        } = &model.value;
    }
    tuning.iter().for_each(|tuning| tuning.refer(to));
    on_failure.iter().for_each(|reaction| reaction.refer(to));
    coordinator.iter().for_each(|of| nodes_of(EdgeKind::Awaits, of.value, of.span, to));
    batch.value.refer(to);
});

with_nodes!(Group, to, { decides: _, priority: _, part }, {
    part.refer(to);
});

impl Refers for Closeness {
    fn refer(&self, _: &mut References) {
        match self {
            Self::Anywhere
            | Self::Required { level: _, slices: _, each: _ }
            | Self::Preferred { level: _, slices: _, each: _ }
            | Self::Grouped { each: _ } => {}
        }
        for level in self.levels() {
            match level {
                Level::Block | Level::Subblock | Level::NodePool | Level::Host | Level::Node => {}
            }
        }
    }
}

impl Refers for Batch {
    fn refer(&self, to: &mut References) {
        let Self {
            account: _,
            qos: _,
            reservation: _,
            nice: _,
            output: _,
            error: _,
            label: _,
            attempt_logs: _,
            array: _,
            dependency,
            any_dependency: _,
            signal,
            segment: _,
            switches,
            ranks,
            cpu_bind: _,
            mem_bind: _,
            gpu_bind: _,
            mpi: _,
            import,
            stage,
            stage_images: _,
            save: _,
            login: _,
        } = self;
        dependency.iter().for_each(|one| one.refer(to));
        signal.refer(to);
        switches.set().into_iter().for_each(|it| it.value.refer(to));
        ranks.refer(to);
        import.refer(to);
        stage.iter().for_each(|it| it.value.refer(to));
    }
}

impl Refers for Spanned<Dependency> {
    fn refer(&self, to: &mut References) {
        let of = match self.value {
            Dependency::Afterok { of }
            | Dependency::Afterany { of }
            | Dependency::Afternotok { of }
            | Dependency::Aftercorr { of }
            | Dependency::After { of, delay: _ } => of,
            Dependency::Singleton => return,
        };
        match of {
            AwaitedJob::Workload(workload) => to.to(EdgeKind::Awaits, workload, self.span),
            AwaitedJob::Job { number: _ } => {}
        }
    }
}

impl Refers for Signal {
    fn refer(&self, _: &mut References) {
        match self {
            Self::Term | Self::Int | Self::Hup | Self::Quit | Self::Usr1 | Self::Usr2 => {}
        }
    }
}

impl Refers for Switches {
    fn refer(&self, _: &mut References) {
        match self {
            Self::Switches { count: _, wait: _ } => {}
        }
    }
}

impl Refers for Ranks {
    fn refer(&self, _: &mut References) {
        match self {
            Self::Slurm | Self::PhysicalHost => {}
        }
    }
}

impl Refers for Import {
    fn refer(&self, _: &mut References) {
        match self {
            Self::Submit | Self::Job => {}
        }
    }
}

impl Refers for Staged {
    fn refer(&self, _: &mut References) {
        match self {
            Self::Staged { from: _, to: _ } => {}
        }
    }
}

impl Refers for Spanned<Place> {
    fn refer(&self, to: &mut References) {
        match self.value {
            Place::Pool(pool) => to.to(EdgeKind::RunsOn, pool, self.span),
            Place::Partition(partition) => to.to(EdgeKind::RunsOn, partition, self.span),
            Place::Vertex(cluster) => to.to(EdgeKind::RunsOn, cluster, self.span),
        }
    }
}

impl Refers for Spanned<After> {
    fn refer(&self, to: &mut References) {
        match self.value {
            After::Ready { group } | After::Complete { group } => {
                nodes_of(EdgeKind::Awaits, group, self.span, to);
            }
        }
    }
}

/// Notes that something has to do with the nodes of a workload or of a group.
fn nodes_of(kind: EdgeKind, of: Awaited, span: Span, to: &mut References) {
    match of {
        Awaited::Workload(workload) => to.to(kind, workload, span),
        Awaited::Group(group) => to.to(kind, group, span),
    }
}

impl Refers for Probe {
    fn refer(&self, _to: &mut References) {
        match self {
            Self::Tcp { port: _, within: _ }
            | Self::Http { port: _, path: _, within: _ }
            | Self::Exec { argv: _, within: _ } => {}
        }
    }
}

impl Refers for Success {
    fn refer(&self, _to: &mut References) {
        match self {
            Self::All | Self::Any | Self::Own => {}
        }
    }
}

impl Refers for Spanned<Reaction> {
    fn refer(&self, to: &mut References) {
        match &self.value {
            Reaction::Fail { exit_codes: _, disrupted: _, of }
            | Reaction::Restart { exit_codes: _, disrupted: _, of }
            | Reaction::Forgive { exit_codes: _, disrupted: _, of } => {
                of.iter().for_each(|of| nodes_of(EdgeKind::Awaits, *of, self.span, to));
            }
        }
    }
}

impl Refers for Sidecar {
    fn refer(&self, to: &mut References) {
        let Self::Sidecar { name: _, image, argv, args, env, cpus: _, memory: _, port: _ } = self;
        image.refer(to);
        words(argv.iter().chain(args), image.span, to);
        env.refer(to);
    }
}

impl Refers for Spanned<ImageUse> {
    fn refer(&self, to: &mut References) {
        match self.value {
            ImageUse::Image(image) => to.to(EdgeKind::BuiltFrom, image, self.span),
            ImageUse::Squashfs { path: _, ref from } => {
                from.iter().for_each(|from| from.refer(to));
            }
            ImageUse::String(_) | ImageUse::NoContainer => {}
        }
    }
}

impl Refers for Spanned<Pulled> {
    fn refer(&self, to: &mut References) {
        match self.value {
            Pulled::Image(image) => to.to(EdgeKind::BuiltFrom, image, self.span),
            Pulled::String(_) => {}
        }
    }
}

impl Refers for Mount {
    fn refer(&self, to: &mut References) {
        let Self::Mount {
            source,
            path: _,
            folder: _,
            read_only: _,
            purpose,
            cache: _,
            cpus: _,
            memory: _,
        } = self;
        purpose.refer(to);
        match source.value {
            MountSource::Bucket(bucket) => to.to(EdgeKind::Mounts, bucket, source.span),
            MountSource::LocalCheckpoints { bucket, memory: _ } => {
                to.to(EdgeKind::Mounts, bucket, source.span);
            }
            MountSource::Filesystem(share) => to.to(EdgeKind::Mounts, share, source.span),
            MountSource::Scratch { size: _ }
            | MountSource::Claim { name: _ }
            | MountSource::ConfigMap { name: _ }
            | MountSource::SecretFiles { name: _ }
            | MountSource::HostPath { path: _ } => {}
        }
    }
}

impl Refers for IndexMap<String, Spanned<EnvValue>> {
    fn refer(&self, to: &mut References) {
        for variable in self.values() {
            match &variable.value {
                EnvValue::Deferred(deferred) => to.later(deferred, variable.span),
                EnvValue::Host { group } => nodes_of(EdgeKind::Reaches, *group, variable.span, to),
                EnvValue::RunId
                | EnvValue::Attempt
                | EnvValue::NodeRank
                | EnvValue::SliceIndex
                | EnvValue::NodeCount
                | EnvValue::ArrayIndex
                | EnvValue::String(_)
                | EnvValue::Int(_)
                | EnvValue::Float(_)
                | EnvValue::Bool(_)
                | EnvValue::Secret { name: _, key: _ } => {}
            }
        }
    }
}

impl Refers for Spanned<Launch> {
    fn refer(&self, to: &mut References) {
        let (argv, options): (&[Argument], _) = match &self.value {
            Launch::Torchrun { script: _, args, module: _, argv, options: _, rendezvous: _ }
            | Launch::Python { script: _, args, module: _, argv, options: _ }
            | Launch::Srun { argv, args, options: _ }
            | Launch::Mpirun { argv, args, options: _ }
            | Launch::Submitter { argv, args, options: _ } => (argv, Some(args)),
            Launch::Command { argv } | Launch::Entrypoint { args: argv } => (argv, None),
        };
        words(argv, self.span, to);
        words(options.into_iter().flat_map(IndexMap::values), self.span, to);
    }
}

/// What words of a command line refer to.
fn words<'a>(argv: impl IntoIterator<Item = &'a Argument>, at: Span, to: &mut References) {
    for word in argv {
        match word {
            Argument::Deferred(deferred) => to.later(deferred, at),
            Argument::Host { group } => nodes_of(EdgeKind::Reaches, *group, at, to),
            Argument::RunId
            | Argument::Attempt
            | Argument::NodeRank
            | Argument::SliceIndex
            | Argument::NodeCount
            | Argument::ArrayIndex
            | Argument::String(_)
            | Argument::Int(_)
            | Argument::Float(_)
            | Argument::Bool(_) => {}
        }
    }
}

impl Refers for Parallel {
    fn refer(&self, _to: &mut References) {
        let Self {
            tensor: _,
            pipeline: _,
            context: _,
            expert: _,
            data: _,
            global_batch: _,
            micro_batch: _,
        } = self;
    }
}

impl Refers for ModelShape {
    fn refer(&self, to: &mut References) {
        let Self {
            framework,
            layers: _,
            hidden: _,
            heads: _,
            kv_heads: _,
            head_size: _,
            feed_forward: _,
            gated: _,
            vocabulary: _,
            tied: _,
            experts,
            latent,
            sequence: _,
            precision,
            sharding,
            shards: _,
            weight_bytes: _,
            gradient_bytes: _,
            optimizer_bytes: _,
            recompute,
            recompute_modules,
            recompute_layers: _,
            kept,
            vocabulary_tiles: _,
            offloaded: _,
            lora: _,
            virtual_pipeline: _,
            expert_tensor: _,
            sequence_parallel: _,
            uneven_stages: _,
            save_on_notice: _,
        } = self;
        experts.iter().for_each(|experts| experts.refer(to));
        latent.iter().for_each(|latent| latent.refer(to));
        precision.refer(to);
        match framework {
            Framework::Megatron | Framework::Fsdp | Framework::Maxtext => {}
        }
        match sharding.set() {
            None
            | Some(Sharded::Nothing | Sharded::Optimizer | Sharded::Gradients | Sharded::Full) => {}
        }
        match recompute {
            None | Some(Recompute::Nothing | Recompute::Selective | Recompute::Full) => {}
        }
        recompute_modules.iter().for_each(|module| module.refer(to));
        kept.iter().for_each(|tensor| tensor.refer(to));
    }
}

impl Refers for Experts {
    fn refer(&self, _to: &mut References) {
        let Self { count: _, active: _, width: _, shared: _, dense_layers: _, every: _ } = self;
    }
}

impl Refers for LatentAttention {
    fn refer(&self, _to: &mut References) {
        let Self { query: _, key_value: _, nope: _, rope: _, value: _ } = self;
    }
}

impl Refers for Precision {
    fn refer(&self, _to: &mut References) {
        match self {
            Self::Bf16 | Self::Fp16 | Self::Fp8 | Self::Mxfp8 | Self::Nvfp4 => {}
        }
    }
}

impl Refers for RecomputeModule {
    fn refer(&self, _to: &mut References) {
        match self {
            RecomputeModule::CoreAttn
            | RecomputeModule::Layernorm
            | RecomputeModule::MlaUpProj
            | RecomputeModule::Mlp
            | RecomputeModule::Moe
            | RecomputeModule::MoeAct
            | RecomputeModule::SharedExperts => {}
        }
    }
}

impl Refers for KeptTensor {
    fn refer(&self, _to: &mut References) {
        match self {
            KeptTensor::DecoderLayerInput
            | KeptTensor::QueryProj
            | KeptTensor::KeyProj
            | KeptTensor::ValueProj
            | KeptTensor::Context
            | KeptTensor::OutProj
            | KeptTensor::Mlpwi
            | KeptTensor::Mlpwo => {}
        }
    }
}

impl Refers for Tuning {
    fn refer(&self, to: &mut References) {
        let Self {
            metrics,
            parameters,
            trials: _,
            parallel: _,
            failures: _,
            algorithm,
            measurement,
            early_stopping,
        } = self;
        for goal in metrics.values() {
            match goal {
                Goal::Maximize | Goal::Minimize => {}
            }
        }
        parameters.values().for_each(|parameter| parameter.refer(to));
        match algorithm {
            Algorithm::Bayesian | Algorithm::Grid | Algorithm::Random => {}
        }
        match measurement {
            Measurement::Last | Measurement::Best => {}
        }
        early_stopping.iter().for_each(|stopping| stopping.refer(to));
    }
}

impl Refers for Spanned<Tuned> {
    fn refer(&self, _to: &mut References) {
        let (scale, under) = match &self.value {
            Tuned::Double { min: _, max: _, scale, under } => (Some(scale), under),
            Tuned::Integer { min: _, max: _, scale, under } => (Some(scale), under),
            Tuned::Categorical { values: _, under } => (None, under),
            Tuned::Discrete { values: _, scale, under } => (Some(scale), under),
        };
        match scale {
            None | Some(Scale::Linear | Scale::Log | Scale::ReverseLog) => {}
        }
        if let Some(Parent::Parent { parameter: _, values }) = under {
            for value in values {
                match value {
                    ParentValue::String(_) | ParentValue::Int(_) | ParentValue::Float(_) => {}
                }
            }
        }
    }
}

impl Refers for EarlyStopping {
    fn refer(&self, _to: &mut References) {
        match self {
            Self::Median { elapsed: _ } | Self::DecayCurve { elapsed: _ } => {}
            Self::Convex {
                max_steps: _,
                min_steps: _,
                min_measurements: _,
                learning_rate: _,
                elapsed: _,
                update_all: _,
            } => {}
        }
    }
}
