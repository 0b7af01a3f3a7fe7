//! What a run's model needs of each of its devices. Two sums: the least, which no setting avoids that the blueprint does not rule out,
//! and what is expected. The formulas are those of Megatron-LM's `theoretical_memory_usage.py`, of ZeRO (arXiv 1910.02054) and of
//! Korthikanti et al. (arXiv 2205.05198); `tests/recipes/models.tsv` has published runs, of
//! which rules on it report none.

use super::gang::ground;
use super::shape::{Counts, Keeps, TENSORS, counts, is_low, kept_bytes, number, tensors};
use super::workload::model_parallel;
use crate::nouns::{Framework, KeptTensor, ModelShape, Parallel, Recompute, Sharded, Workload};
use crate::plan::{Place, Plan, Run};
use crate::{Duration, Size};

/// What a model needs of each device.
pub(crate) struct Footprint {
    parameters: f64,
    pub(crate) devices: i64,
    /// Memory of one.
    pub(crate) memory: Size,
    pub(crate) least: Parts,
    pub(crate) expected: Parts,
    pub(crate) checkpoint: Size,
    /// The least time in which a checkpoint leaves the hosts.
    pub(crate) saved_in: Option<Duration>,
}

/// Memory by what it is for, in bytes.
#[derive(Clone, Copy)]
pub(crate) struct Parts {
    weights: f64,
    gradients: f64,
    optimizer: f64,
    /// Weights that are gathered while a layer is computed.
    gathered: f64,
    activations: f64,
    /// What is around the program: kernels, libraries, communicators.
    overhead: f64,
}

const GIB: f64 = (1u64 << 30) as f64;

impl Footprint {
    /// How many parameters the model has, as people say it.
    pub(crate) fn parameters_in_words(&self) -> String {
        match self.parameters / 1e9 {
            billions if billions >= 1.0 => format!("{billions:.1} billion"),
            billions => format!("{:.1} million", billions * 1e3),
        }
    }
}

/// Memory beside the sums of its parts, in their unit.
pub(crate) fn in_gib(memory: Size) -> String {
    format!("{:.1} GiB", bytes(memory) / GIB)
}

impl Parts {
    /// Weights, gradients and states of the optimizer alone.
    pub(crate) fn states(self) -> Self {
        Self { gathered: 0.0, activations: 0.0, overhead: 0.0, ..self }
    }

    fn parts(self) -> [(&'static str, f64); 6] {
        [
            ("weights", self.weights),
            ("gradients", self.gradients),
            ("optimizer", self.optimizer),
            ("gathered layers", self.gathered),
            ("activations", self.activations),
            ("overhead", self.overhead),
        ]
    }

    fn sum(self) -> f64 {
        self.parts().iter().map(|(_, bytes)| bytes).sum()
    }

    /// In hundredths of the memory that there is.
    pub(crate) fn percent(self, of: Size) -> i64 {
        whole(self.sum() / bytes(of) * 100.0)
    }

    /// As a sum that people can follow.
    pub(crate) fn in_words(self) -> String {
        let some = self.parts().into_iter().filter(|(_, bytes)| *bytes > 0.0);
        let terms: Vec<String> =
            some.map(|(name, bytes)| format!("{name} {:.1}", bytes / GIB)).collect();
        format!("{} = {:.1} GiB", terms.join(" + "), self.sum() / GIB)
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "memory of a device, of which a part in 2^53 is nothing"
)]
fn bytes(size: Size) -> f64 {
    size.0 as f64
}

#[expect(clippy::cast_possible_truncation, reason = "what is too large is the largest number")]
fn whole(number: f64) -> i64 {
    number.round() as i64
}

fn counted(number: f64) -> u64 {
    u64::try_from(whole(number)).unwrap_or(0)
}

/// Parts that are fitted or chosen: what they stand on is said in `docs/how-to/fit-a-model.md`.
const LEAST_OF_ACTIVATIONS: f64 = 0.8;
const OVERHEAD_OF_GPUS: f64 = 3.0 * GIB;
const OVERHEAD_OF_TPUS: f64 = 0.5 * GIB;

/// What a workload's model needs of each device, where it has one and the device's memory is known.
pub(crate) fn footprint(plan: &Plan, workload: &Workload, run: &Run) -> Option<Footprint> {
    let model = &workload.model.as_ref()?.value;
    let parallel = &workload.parallel.value;
    if model.offloaded || run.chips == 0 || cut(plan, run) {
        return None;
    }
    let machine = ground(plan, workload.place.value)?.machine;
    let catalog = &plan.model.catalog;
    let (memory, of_chip) = match (&machine.accelerator, &machine.tpu) {
        (Some(gpus), _) => {
            let known = catalog.gpu(&gpus.gpu).and_then(|gpu| gpu.memory_mib);
            let nominal = u64::from(gpus.memory_gb_each) << 30;
            (Size(known.map_or(nominal, |mib| u64::from(mib) << 20)), 1)
        }
        (None, Some(tpu)) => {
            let tpu = catalog.tpu(&tpu.generation)?;
            let each = u64::from(tpu.jax_devices_per_chip).max(1);
            (
                Size((u64::from(tpu.hbm_gib_per_chip) << 30) / each),
                i64::from(tpu.jax_devices_per_chip),
            )
        }
        (None, None) => return None,
    };
    let devices = run.chips.saturating_mul(of_chip.max(1));
    let cut = Cut::new(model, parallel, devices)?;
    let counts = counts(model);
    let kept = if model.lora {
        0.0
    } else {
        counts.total * (cut.weight_bytes(false) + cut.optimizer_bytes())
    };
    let egress = f64::from(machine.network.max_egress_gbps) / 8.0 * 1e9;
    let leaves = number(run.lead().nodes) * egress;
    Some(Footprint {
        parameters: counts.total,
        devices,
        memory,
        least: cut.parts(&counts, true),
        expected: cut.parts(&counts, false),
        // whole GiB are what people reckon with
        checkpoint: Size(counted((kept / GIB).ceil()) << 30),
        saved_in: (leaves > 0.0 && kept > 0.0).then(|| Duration(counted((kept / leaves).ceil()))),
    })
}

/// Whether its GPUs are parts, or shared with others: how much of their memory it has is not said then.
fn cut(plan: &Plan, run: &Run) -> bool {
    match run.site.place() {
        Place::Pool(pool) => plan.pool(pool).is_some_and(|pool| pool.sharing.is_some()),
        Place::Partition(_) | Place::Vertex(_) => false,
    }
}

/// A model and how it is cut up.
struct Cut<'a> {
    model: &'a ModelShape,
    devices: f64,
    tensor: f64,
    pipeline: f64,
    context: f64,
    expert: f64,
    expert_tensor: f64,
    chunks: f64,
    /// Replicas of the model.
    data: f64,
    /// Devices that norms are shared out to.
    norms: f64,
    micro_batch: f64,
    /// Micro-batches of a replica in one step, where that is said.
    micro_batches: Option<f64>,
}

impl<'a> Cut<'a> {
    fn new(model: &'a ModelShape, parallel: &Parallel, devices: i64) -> Option<Self> {
        let tensor = parallel.tensor.value;
        let one = model_parallel(parallel)?;
        let data = number((devices / one).max(1));
        let micro_batch = number(parallel.micro_batch.as_ref().map_or(1, |it| it.value).max(1));
        let global = parallel.global_batch.as_ref().map(|it| number(it.value));
        let expert_tensor = model.expert_tensor.set().copied().unwrap_or(tensor);
        let shared_out = model.sequence_parallel.set().copied().unwrap_or(tensor > 1);
        Some(Self {
            model,
            devices: number(devices),
            tensor: number(tensor),
            pipeline: number(parallel.pipeline.value),
            context: number(parallel.context.value),
            expert: number(parallel.expert.value),
            expert_tensor: number(expert_tensor),
            chunks: number(model.virtual_pipeline.value),
            data,
            norms: if shared_out { number(tensor) } else { 1.0 },
            micro_batch,
            micro_batches: global.map(|global| (global / (data * micro_batch)).max(1.0)),
        })
    }

    fn sharding(&self) -> Sharded {
        self.model.sharding.set().copied().unwrap_or(match self.model.framework {
            Framework::Megatron => Sharded::Optimizer,
            Framework::Fsdp | Framework::Maxtext => Sharded::Full,
        })
    }

    fn weight_bytes(&self, least: bool) -> f64 {
        let usual = match self.model.framework {
            // some recipes keep them in eight bits alone
            Framework::Megatron if least && is_low(self.model.precision) => 1,
            Framework::Megatron => 2,
            Framework::Fsdp | Framework::Maxtext => 4,
        };
        number(self.model.weight_bytes.set().copied().unwrap_or(usual))
    }

    fn gradient_bytes(&self, least: bool) -> f64 {
        // XLA may free one as soon as it is used
        if least && self.model.framework == Framework::Maxtext {
            return 0.0;
        }
        let usual = if least { 2 } else { 4 };
        number(self.model.gradient_bytes.set().copied().unwrap_or(usual))
    }

    fn optimizer_bytes(&self) -> f64 {
        let usual = if self.model.framework == Framework::Megatron { 12 } else { 8 };
        number(self.model.optimizer_bytes.set().copied().unwrap_or(usual))
    }

    fn parts(&self, counts: &Counts, least: bool) -> Parts {
        let (dense, experts) = self.held(counts);
        let (w, g, o) =
            (self.weight_bytes(least), self.gradient_bytes(least), self.optimizer_bytes());
        let sharding = self.sharding();
        let (dealt, experts_dealt) = self.dealt();
        let of = |each: f64, from: Sharded| {
            let (few, fewer) = if sharding >= from { (dealt, experts_dealt) } else { (1.0, 1.0) };
            dense * each / few + experts * each / fewer
        };
        if self.model.lora {
            let weights = of(w, Sharded::Full);
            let (gradients, optimizer) = (0.0, 0.0);
            return self.around(counts, least, Parts { weights, gradients, optimizer, ..NONE });
        }
        let states = Parts {
            weights: of(w, Sharded::Full),
            gradients: of(g, Sharded::Gradients),
            optimizer: of(o, Sharded::Optimizer),
            ..NONE
        };
        self.around(counts, least, states)
    }

    /// States, and what a step needs besides.
    fn around(&self, counts: &Counts, least: bool, states: Parts) -> Parts {
        let activations = match self.model.framework {
            Framework::Megatron => self.of_megatron(least),
            Framework::Fsdp => self.of_fsdp(least),
            Framework::Maxtext => self.of_maxtext(least),
        };
        Parts {
            gathered: self.gathered(counts, least),
            activations: activations * if least { LEAST_OF_ACTIVATIONS } else { 1.0 },
            overhead: match self.model.framework {
                _ if least => 0.0,
                Framework::Megatron | Framework::Fsdp => OVERHEAD_OF_GPUS,
                Framework::Maxtext => OVERHEAD_OF_TPUS,
            },
            ..states
        }
    }

    /// Parameters of one device before anything is sharded: those of experts apart.
    fn held(&self, counts: &Counts) -> (f64, f64) {
        if self.model.framework != Framework::Megatron {
            let stages = self.tensor * self.pipeline;
            let apart = counts.embedding / self.tensor * (1.0 - 1.0 / self.pipeline);
            return (counts.total / stages + apart, 0.0);
        }
        let layers = counts.layers / self.pipeline;
        let share = counts.share();
        let copies = if self.pipeline > 1.0 || self.model.tied { 1.0 } else { 2.0 };
        let embedding = self.padded() * number(self.model.hidden) * copies;
        let dense = layers
            * (counts.attention + (1.0 - share) * counts.dense + share * counts.shared)
            + embedding;
        let everywhere = layers * (counts.norms + share * counts.router);
        let experts = layers * share * counts.experts / (self.expert_tensor * self.expert);
        (dense / self.tensor + everywhere, experts)
    }

    /// Devices that one copy of what is sharded is dealt to: of experts, it is the second.
    fn dealt(&self) -> (f64, f64) {
        match (self.model.shards.set(), self.model.framework) {
            (Some(shards), _) => (number(*shards), number(*shards)),
            (None, Framework::Megatron) => {
                let groups = self.expert_tensor * self.expert * self.pipeline;
                (self.data * self.context, (self.devices / groups).floor().max(1.0))
            }
            (None, Framework::Fsdp | Framework::Maxtext) => {
                let all = self.devices / (self.tensor * self.pipeline);
                (all, all)
            }
        }
    }

    /// The vocabulary as Megatron pads it, so that it is dealt without a rest.
    fn padded(&self) -> f64 {
        let vocabulary = number(self.model.vocabulary.unwrap_or(0));
        match self.model.framework {
            Framework::Megatron => {
                let step = 128.0 * self.tensor;
                (vocabulary / step).ceil() * step
            }
            Framework::Fsdp | Framework::Maxtext => vocabulary,
        }
    }

    /// Weights that are whole while their layer is computed.
    fn gathered(&self, counts: &Counts, least: bool) -> f64 {
        if self.sharding() < Sharded::Full || self.model.lora {
            return 0.0;
        }
        match self.model.framework {
            Framework::Megatron => {
                let layer = counts.largest(self.expert * self.expert_tensor) / self.tensor;
                let w = self.weight_bytes(least);
                let embedding = counts.embedding / self.tensor * w;
                if least {
                    layer * w + embedding
                } else {
                    layer * (2.0 * w + self.gradient_bytes(least)) + embedding
                }
            }
            Framework::Fsdp => {
                let layer = counts.largest(1.0) / self.tensor;
                if least {
                    layer * 2.0
                } else if self.pipeline > 1.0 {
                    // a stage stays whole between micro-batches
                    self.held(counts).0 * 6.0
                } else {
                    // two layers ahead, and the gradients of one
                    layer * 8.0
                }
            }
            // compiled on one fit: 671B on 256 chips
            Framework::Maxtext => {
                counts.largest(self.expert) / self.tensor * 2.0 * if least { 1.0 } else { 1.15 }
            }
        }
    }

    /// Tokens that one device sees at a time.
    fn tokens(&self) -> f64 {
        self.micro_batch * number(self.model.sequence) / self.context
    }

    /// How much of each layer is kept. Unsaid, it is the least for an error, and all of it otherwise.
    fn keeps(&self, least: bool) -> Keeps {
        match self.model.recompute {
            Some(Recompute::Nothing) => Keeps::All,
            Some(Recompute::Selective) => Keeps::Selected,
            Some(Recompute::Full) => Keeps::Input,
            None if least => Keeps::Input,
            None => Keeps::All,
        }
    }

    fn of_megatron(&self, least: bool) -> f64 {
        let tokens = self.tokens();
        let of = |keeps| kept_bytes(self.model, keeps, self.tensor, self.norms) * tokens;
        let keeps = self.keeps(least);
        let stage = number(self.model.layers) / self.pipeline;
        let micro = self.micro_batches.unwrap_or(if least { 1.0 } else { self.pipeline });
        let alive = self.alive(stage, micro);
        let whole = match (keeps, self.model.recompute_layers) {
            (Keeps::Input, Some(count)) => (number(count) * self.chunks * alive / stage).min(alive),
            (Keeps::Input, None) => alive,
            (Keeps::Selected | Keeps::All, _) => 0.0,
        };
        let rest = if keeps == Keeps::Input { Keeps::All } else { keeps };
        let again =
            if whole > 0.0 && self.model.recompute_layers.is_none() { of(Keeps::All) } else { 0.0 };
        let first = whole * of(Keeps::Input) + (alive - whole) * of(rest) + again;
        let tiles = number(self.model.vocabulary_tiles);
        let head = tokens * self.padded() / self.tensor * 7.0 / tiles;
        if self.pipeline <= 1.0 {
            return first + head;
        }
        // the last stage has fewer micro-batches at a time, and the loss
        let chunks = if self.chunks > 1.0 {
            ((self.chunks - 1.0) * self.pipeline + 1.0).min(self.chunks * micro)
        } else {
            1.0
        };
        let last = chunks * stage / self.chunks * (first / alive) + head;
        first.max(last)
    }

    /// Layers that the first stage keeps something of at a time.
    fn alive(&self, stage: f64, micro: f64) -> f64 {
        let layers = number(self.model.layers);
        if self.pipeline <= 1.0 {
            layers
        } else if self.chunks > 1.0 {
            let all = 1.0 + (self.pipeline - 1.0) / (self.pipeline * self.chunks);
            (layers * all).min(stage * micro)
        } else {
            stage * micro.min(self.pipeline)
        }
    }

    fn of_fsdp(&self, least: bool) -> f64 {
        let tokens = self.tokens();
        let of = |keeps| kept_bytes(self.model, keeps, self.tensor, self.tensor) * tokens;
        let alive = number(self.model.layers);
        let layers = match self.keeps(least) {
            Keeps::Input => {
                let again = if self.model.recompute.is_some() { of(Keeps::All) } else { 0.0 };
                alive * of(Keeps::Input) + again
            }
            // every second product is computed again
            Keeps::Selected => alive * of(Keeps::All) / 2.0,
            Keeps::All => alive * of(Keeps::All),
        };
        let tiles = number(self.model.vocabulary_tiles);
        layers + tokens * self.padded() / self.tensor * 14.0 / tiles
    }

    fn of_maxtext(&self, least: bool) -> f64 {
        let tokens = self.tokens() / self.tensor;
        let kept = match self.keeps(least) {
            Keeps::Input => tensors(self.model, &[KeptTensor::DecoderLayerInput]),
            Keeps::Selected => tensors(self.model, &self.model.kept),
            Keeps::All => tensors(self.model, TENSORS),
        };
        let work = if least { 0.0 } else { kept_bytes(self.model, Keeps::All, 1.0, 1.0) };
        let layers = number(self.model.layers) * kept * tokens + work * tokens;
        layers + tokens * self.padded() * 4.0 / number(self.model.vocabulary_tiles)
    }
}

const NONE: Parts = Parts {
    weights: 0.0,
    gradients: 0.0,
    optimizer: 0.0,
    gathered: 0.0,
    activations: 0.0,
    overhead: 0.0,
};
