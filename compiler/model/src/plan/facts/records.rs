//! Records that only facts have.

use super::told::{Plugin, Told, name};
use crate::catalog::Meaning;
use crate::nouns::{Level, Pool, Queue, Ref, Workload};
use crate::plan::names::NameBudget;
use crate::plan::{Quota, Short};
use crate::shape::Shape;
use crate::{Duration, Placed, Record, Size, Topology, Value};
use slipform_source::Span;
use std::sync::Arc;

/// Records that only facts have: fields that are absent are left out.
macro_rules! records {
    ($($(#[$doc:meta])* struct $Name:ident { $($field:ident: $Type:ty,)* })*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub(super) struct $Name {
            $(pub(super) $field: $Type,)*
        }

        impl Told for $Name {
            fn shape() -> Shape {
                Shape::Record(vec![$((stringify!($field), <$Type>::shape())),*])
            }

            fn value(self, at: Span) -> Value {
                let entries = [$((stringify!($field), self.$field.value(at))),*];
                let mut record = Record::with_capacity_and_hasher(entries.len(), Default::default());
                for (field, value) in entries {
                    if !matches!(value, Value::Absent) {
                        record.insert(name(field), Placed { value, span: at });
                    }
                }
                Value::Record(Arc::new(record))
            }
        }
    )*};
}

records! {
    /// What the catalog knows of a machine type.
    struct Machine {
        name: String,
        family: String,
        series: String,
        chips: i64,
        is_gpu: bool,
        is_tpu: bool,
        platform: String,
        nvlink_chips: i64,
        jax_devices: i64,
        egress_tier_1: Option<i64>,
        bf16: bool,
        gone: Option<String>,
        date: String,
        vcpus: Option<i64>,
        memory: Option<Size>,
        accelerator: Option<String>,
        chip_memory: Option<Size>,
    }

    /// What a run's model needs of each device.
    struct Footprint {
        parameters: String,
        devices: i64,
        device_memory: String,
        states_percent: i64,
        least_percent: i64,
        expected_percent: i64,
        states: String,
        least: String,
        expected: String,
        checkpoint: Size,
        saved_in: Option<Duration>,
    }

    /// A program that is not what its shell ends with.
    struct Lost {
        program: String,
        how: String,
    }

    /// What an image has, and something needs newer.
    struct OldSoftware {
        what: String,
        has: String,
        wants: String,
        of: String,
    }

    /// A quota that is too little.
    struct QuotaShortage {
        quota: String,
        dimension: Option<String>,
        region: String,
        least: i64,
        most: i64,
        has: i64,
    }

    /// A time in which GKE upgrades less.
    struct Shut {
        name: String,
        scope: String,
        days: Option<i64>,
        real: bool,
    }

    /// The network interfaces of one node.
    struct NicPlan {
        data_nics: i64,
        networks: i64,
        gpudirect: String,
        mtu: Option<i64>,
    }

    /// A slice of TPU chips, or the part of a GPU fabric.
    struct Slice {
        hosts: i64,
        chips: i64,
        chips_per_host: i64,
        topology: Topology,
        single_host: bool,
        name: Option<String>,
    }

    /// What pods may ask of a node.
    struct Allocatable {
        cpus: f64,
        memory: Size,
        disk: Size,
    }

    /// A pool that has too little for what is asked of it.
    struct Shortage {
        pool: String,
        asked: String,
        has: String,
        rival: Option<Ref<Queue>>,
    }

    /// A launcher in a command line.
    struct Started {
        launcher: String,
        processes: Option<i64>,
        least_nodes: Option<i64>,
        nodes: Option<i64>,
        meets: bool,
        address: Option<String>,
        rank: Option<i64>,
        beside: bool,
        guarded: bool,
        together: Option<i64>,
    }

    /// A word that does not do what it is written for.
    struct Fault {
        field: String,
        mistake: String,
        word: String,
        beside: String,
        mend: String,
    }

    /// What a script that no run starts does not do as it is written.
    struct ScriptFault {
        script: String,
        moment: String,
        mistake: String,
        word: String,
        beside: String,
        mend: String,
    }

    /// A setting of a partition that keeps a job from starting.
    struct Barred {
        setting: String,
        says: String,
        why: String,
    }

    /// What is asked whether nodes are ready, and their server does not answer.
    struct Unanswered {
        asked: String,
        answers: String,
        mend: String,
    }

    /// An address at which nobody listens.
    struct Astray {
        written: String,
        why: String,
        known: String,
    }

    /// An option in a command line.
    struct Said {
        program: String,
        written: String,
        name: String,
        value: Option<String>,
        number: Option<i64>,
        means: String,
    }

    /// How a command line cuts a model up.
    struct Degrees {
        option: i64,
        tensor: i64,
        pipeline: i64,
        context: i64,
        expert: i64,
        model_parallel: i64,
        devices: Option<i64>,
        global_batch: Option<i64>,
        micro_batch: Option<i64>,
        heads: Option<i64>,
    }

    /// Options of one program that do not go together.
    struct AtOdds {
        option: i64,
        written: String,
        how: String,
        value: String,
        other: String,
        beside: String,
        then: String,
        mend: String,
    }

    /// A published model that a program is told of.
    struct Published {
        name: String,
        program: String,
        serves: bool,
        layers: i64,
        heads: i64,
        kv_heads: Option<i64>,
        parameters: f64,
        bytes: f64,
        weights: Size,
        positions: Option<i64>,
        layer: Option<String>,
        tensor: Option<i64>,
        tensor_at: Option<i64>,
        stages: Option<i64>,
        stages_at: Option<i64>,
        length: Option<i64>,
        length_at: Option<i64>,
        too_old: Vec<OldSoftware>,
    }

    /// A repository of a hub that is given to those alone who have accepted its terms.
    struct GatedModel {
        name: String,
    }

    /// Where a run saves, and another one in the same folder.
    struct SavedTogether {
        option: i64,
        path: String,
        other: Ref<Workload>,
    }

    /// What a command takes away of what is saved.
    struct Removed {
        line: String,
        written: String,
        path: String,
        how: String,
        at_end: bool,
        copied: bool,
    }

    /// A path that a program is told.
    struct ToldPath {
        written: String,
        name: String,
        path: String,
        mount: Option<i64>,
        read_only: bool,
        means: String,
    }

    /// A flavor of several pools, and another pool whose nodes its labels do not tell from theirs.
    struct Blurred {
        pool: Ref<Pool>,
        other: Ref<Pool>,
    }

    /// What a check says at greater length than the API takes.
    struct LongCheck {
        check: String,
        what: String,
        used: i64,
        most: i64,
    }

    /// A variable with a value that is not read as it is written.
    struct Misread {
        name: String,
        value: String,
        takes: String,
    }

    /// A variable whose value is a whole number.
    struct Numbered {
        name: String,
        number: i64,
    }

    /// A variable that costs its run more than it gives it.
    struct Costly {
        name: String,
        value: String,
        costs: String,
        then: String,
        mend: String,
    }

    /// A file that lies in a bucket, which does not hold such.
    struct Elsewhere {
        written: String,
        path: String,
        mount: i64,
        then: String,
        mend: String,
    }

    /// A package of Python that is not what it is taken for.
    struct OtherProject {
        name: String,
        is: String,
        apart: bool,
        mend: String,
    }

    /// A reference of an image that leads nowhere.
    struct NoImage {
        written: String,
        why: String,
        mend: String,
    }

    /// A name that is almost one that is known.
    struct Misspelt {
        written: String,
        known: String,
    }

    /// So many nodes that are to be in one domain of a level.
    struct Layer {
        level: Level,
        nodes: i64,
        room: Option<i64>,
    }

    /// A flavor of which no pod is ever given anything.
    struct Starved {
        pool: Ref<Pool>,
        name: String,
        input: String,
    }

    /// A pool of which queues hold what others take.
    struct Overbooking {
        held: String,
        taken: String,
        has: String,
        by: Ref<Workload>,
    }

    /// A pod that may find no node.
    struct Stranded {
        workload: Ref<Workload>,
        asked: String,
    }

    /// What follows for a Reduction Server.
    struct Reducers {
        nodes: i64,
        machine: String,
        accelerated: bool,
        trainable: bool,
        plugin: Plugin,
        needed: Option<i64>,
        egress: Option<i64>,
        trainers: Option<i64>,
        tier_1: Option<i64>,
        fusion: Option<i64>,
        bucket: Option<i64>,
        pointless: Option<String>,
    }

    /// A parameter that is tuned.
    struct TunedParameter {
        name: String,
        form: String,
        falling: Vec<String>,
        logarithmic: bool,
        foreign: Vec<String>,
        circles: bool,
        least: Option<f64>,
        most: Option<f64>,
        values: Option<i64>,
        parent: Option<String>,
        parent_form: Option<String>,
        conditions: Option<i64>,
    }

    /// Hosts of all that stands on a network.
    struct HostsOnNetwork {
        users: i64,
        least: i64,
        most: i64,
        least_of_one: i64,
        most_of_one: i64,
    }

    /// Two hosts of a cluster that have one address.
    struct AddressTwice {
        host: String,
        address: String,
        other: String,
    }

    /// How much of its room a name takes.
    struct Budget {
        what: String,
        name: String,
        used: i64,
        least: i64,
        most: i64,
    }
}

impl From<&Short> for QuotaShortage {
    fn from(short: &Short) -> Self {
        let Quota { name, dimension, region } = &short.quota;
        let told = |amount: u64| i64::try_from(amount).unwrap_or(i64::MAX);
        Self {
            quota: name.clone(),
            dimension: dimension.clone(),
            region: region.clone(),
            least: told(short.taken.least),
            most: told(short.taken.most),
            has: told(short.has),
        }
    }
}

impl From<crate::plan::Lost> for Lost {
    fn from(crate::plan::Lost { program, how }: crate::plan::Lost) -> Self {
        Self { program, how }
    }
}

impl From<crate::plan::Started> for Started {
    fn from(it: crate::plan::Started) -> Self {
        let crate::plan::Started {
            launcher,
            processes,
            least_nodes,
            nodes,
            meets,
            address,
            rank,
            beside,
            guarded,
            together,
        } = it;
        Self {
            launcher: launcher.to_owned(),
            processes,
            least_nodes,
            nodes,
            meets,
            address,
            rank,
            beside,
            guarded,
            together,
        }
    }
}

impl Degrees {
    /// Of a program that is told nothing.
    pub(super) fn none(devices: Option<i64>) -> Self {
        Self {
            option: -1,
            tensor: 1,
            pipeline: 1,
            context: 1,
            expert: 1,
            model_parallel: 1,
            devices,
            global_batch: None,
            micro_batch: None,
            heads: None,
        }
    }

    /// Takes what an option says. A degree that is not known leaves nothing to be reckoned.
    pub(super) fn take(&mut self, means: Meaning, said: Option<i64>, option: i64) {
        match means {
            Meaning::GlobalBatch => self.global_batch = said,
            Meaning::MicroBatch => self.micro_batch = said,
            Meaning::Heads => self.heads = said,
            Meaning::Tensor | Meaning::Pipeline | Meaning::Context | Meaning::Expert => {
                let degree = match means {
                    Meaning::Tensor => &mut self.tensor,
                    Meaning::Pipeline => &mut self.pipeline,
                    Meaning::Context => &mut self.context,
                    _ => &mut self.expert,
                };
                match said.filter(|it| *it > 0) {
                    Some(said) => *degree = said,
                    None => self.devices = None,
                }
                if said.is_some_and(|it| it > 1) {
                    self.option = option;
                }
                let product = self.tensor.saturating_mul(self.pipeline);
                self.model_parallel = product.saturating_mul(self.context);
            }
            _ => {}
        }
    }

    /// Whether it says of several devices that they share a model.
    pub(super) fn cuts(&self) -> bool {
        self.option >= 0
    }
}

impl From<NameBudget> for Budget {
    fn from(NameBudget { limit, name, used, least, most }: NameBudget) -> Self {
        Self { what: limit.what().to_owned(), name, used, least, most }
    }
}
