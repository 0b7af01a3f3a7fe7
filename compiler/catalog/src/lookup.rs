//! Look-ups by name, place, shape and version.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::PoisonError;

use slipform_rows::lock::section;
use slipform_rows::rows::{
    AttachableGpu, Component, GkeStack, Gpu, KubernetesFacts, KueueRelease, Limit, Limits, Machine,
    Prerequisite, Region, Slice, SliceTable, SlurmFacts, SlurmMachine, Source, Stack, Tpu,
    VertexFacts, VertexRegion, ZoneOffer,
};
use slipform_rows::{GkeVersion, Row, Sheet, region_of};

use super::Catalog;

/// Where something can be had.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Offer {
    /// The zone is on the list.
    InZone,
    /// The region is on the list. If a zone was asked for, that zone is not known to have it.
    InRegion,
    /// The region is not on the list, which is complete on its date.
    Nowhere,
    /// The catalog has no list, or knows no such region.
    Unknown,
}

/// Something of GKE that a machine needs a version for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GkeFeature {
    /// A node pool of a Standard cluster.
    Standard,
    /// Nodes of one that are in no reservation.
    Unreserved,
    /// Its GPU network stack.
    GpuDirect,
    /// Pods of an Autopilot cluster.
    Autopilot,
    /// Managed DRANET.
    Dranet,
}

/// Whether a GKE version is new enough.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GkeMinimum {
    /// It is, or no minimum is recorded.
    Met,
    /// It is not.
    TooOld {
        /// The oldest version of the same branch that is; of the oldest branch where the branch has none.
        needed: String,
    },
    /// The machine or the version's text is not known, or the branch lies in a gap of the table.
    Unknown,
}

/// Any table and any sheet; what follows has names for those that are asked for most.
impl Catalog {
    /// A row by its key.
    pub fn row<T: Row>(&self, key: &str) -> Option<&T> {
        if let Some(asked) = &self.asked {
            let mut asked = asked.lock().unwrap_or_else(PoisonError::into_inner);
            asked.insert((section::<T>(), key.to_owned()));
        }
        self.found(key)
    }

    /// The same, which nobody keeps in mind.
    pub(crate) fn found<T: Row>(&self, key: &str) -> Option<&T> {
        let local = self.local.as_deref().and_then(|local| T::of(local).get(key));
        local.or_else(|| {
            let held = self.held.as_deref();
            let row = held.and_then(|held| T::of(&held.tables).get(key));
            let is_gone = || held.is_some_and(|held| T::of(&held.gone).contains(key));
            row.or_else(|| if is_gone() { None } else { self.own(key) })
        })
    }

    /// A row that the compiler was built with.
    fn own<T: Row>(&self, key: &str) -> Option<&T> {
        T::of(&self.baked.tables).get(key)
    }

    /// Every row of a table, each key once, in ascending order.
    pub fn rows<T: Row>(&self) -> Box<dyn Iterator<Item = &T> + '_> {
        if self.local.is_none() && self.held.is_none() {
            return Box::new(T::of(&self.baked.tables).iter());
        }
        Box::new(self.keys::<T>().filter_map(|key| self.found(key)))
    }

    /// The rows of which one of the words that they are found by besides their key is meant, in ascending order of the keys. Of those that the
    /// compiler was built with no other is read.
    pub fn named<T: Row>(&self, is_meant: impl Fn(&str) -> bool) -> Vec<&T> {
        if self.local.is_none() && self.held.is_none() {
            return T::of(&self.baked.tables).named(is_meant);
        }
        self.rows::<T>().filter(|row| row.names().into_iter().any(&is_meant)).collect()
    }

    /// Keys of a table, each once, in ascending order. Reads no row.
    pub fn keys<T: Row>(&self) -> impl Iterator<Item = &str> {
        let over = self.held.iter().map(|held| &held.tables).chain(self.local.as_deref());
        let over = over.flat_map(|tables| T::of(tables).keys().map(String::as_str));
        let gone = self.held.as_deref().map(|held| T::of(&held.gone));
        let baked = T::of(&self.baked.tables).keys().map(|key| -> &str { key });
        let baked = baked.filter(|key| !gone.is_some_and(|gone| gone.contains(*key)));
        baked.chain(over).collect::<BTreeSet<&str>>().into_iter()
    }

    /// Facts that stand once. Every catalog has every sheet: the build fails without one.
    pub fn sheet<T: Sheet>(&self) -> &T {
        let local = self.local.as_deref().and_then(|local| T::of(local).as_ref());
        let held = || self.held.as_deref().and_then(|held| T::of(&held.tables).as_ref());
        local.or_else(held).unwrap_or_else(|| T::of(&self.baked.tables).get())
    }
}

impl Catalog {
    /// A source by its key.
    pub fn source(&self, key: &str) -> Option<&Source> {
        self.row(key)
    }

    /// A machine type by name.
    pub fn machine(&self, name: &str) -> Option<&Machine> {
        self.row(name)
    }

    /// A GPU by the catalog's name: `h100-80gb`.
    pub fn gpu(&self, name: &str) -> Option<&Gpu> {
        self.row(name)
    }

    /// What is known about attaching a GPU to machines that have none.
    pub fn attachable(&self, gpu: &str) -> Option<&AttachableGpu> {
        self.row(gpu)
    }

    /// A TPU generation: `v5p`.
    pub fn tpu(&self, generation: &str) -> Option<&Tpu> {
        self.row(generation)
    }

    /// Regions and zones by machine family, GPU or TPU generation.
    pub fn zone_offer(&self, name: &str) -> Option<&ZoneOffer> {
        self.row(name)
    }

    /// A region by name.
    pub fn region(&self, name: &str) -> Option<&Region> {
        self.row(name)
    }

    /// What Vertex AI has in a region.
    pub fn vertex_region(&self, region: &str) -> Option<&VertexRegion> {
        self.row(region)
    }

    /// A GPU network stack by name.
    pub fn stack(&self, name: &str) -> Option<&Stack> {
        self.row(name)
    }

    /// A machine as Slurm sees it, by the machine's name.
    pub fn slurm_machine(&self, machine: &str) -> Option<&SlurmMachine> {
        self.row(machine)
    }

    /// Something that is installed into clusters, by name.
    pub fn component(&self, name: &str) -> Option<&Component> {
        self.row(name)
    }

    /// A component that every catalog has.
    pub fn prerequisite(&self, it: Prerequisite) -> &Component {
        self.checked(it.name())
    }

    /// What a stack needs in a cluster from releases of their own.
    pub fn components<'a>(&'a self, stack: &'a GkeStack) -> impl Iterator<Item = &'a Component> {
        stack.components.iter().map(|name| self.checked(name))
    }

    /// What a release of Kueue is configured with by itself: that of the oldest known, where it is older.
    #[expect(clippy::expect_used, reason = "a catalog without one is refused")]
    pub fn kueue_release(&self, version: &str) -> &KueueRelease {
        let known = || self.rows::<KueueRelease>();
        let reached = known().filter(|it| it.reaches(version)).max_by_key(|it| it.order());
        let oldest = || known().min_by_key(|it| it.order());
        reached.or_else(oldest).expect("a row that the check of rows has found")
    }

    #[expect(
        clippy::expect_used,
        reason = "a catalog is refused, built-in or corrected, that lacks what is asked for here"
    )]
    fn checked(&self, name: &str) -> &Component {
        let found = self.component(name).or_else(|| self.own(name));
        found.expect("a component that the check of rows has found")
    }

    /// A limit by its path: `vpc.mtu_max`.
    pub fn limit(&self, path: &str) -> Option<&Limit> {
        self.row(path)
    }

    /// The names that a limit lists; none where there is no such list.
    pub fn names(&self, path: &str) -> &[String] {
        self.limit(path).map_or(&[], |limit| limit.value.names())
    }

    /// All machine types, by name.
    pub fn machines(&self) -> impl Iterator<Item = &Machine> {
        self.rows()
    }

    /// Names of all machine types, ascending. Reads no row.
    pub fn machine_names(&self) -> impl Iterator<Item = &str> {
        self.keys::<Machine>()
    }

    /// All GPUs, by name.
    pub fn gpus(&self) -> impl Iterator<Item = &Gpu> {
        self.rows()
    }

    /// All GPUs that can be attached, by GPU.
    pub fn attachables(&self) -> impl Iterator<Item = &AttachableGpu> {
        self.rows()
    }

    /// All TPU generations, by name.
    pub fn tpus(&self) -> impl Iterator<Item = &Tpu> {
        self.rows()
    }

    /// All stacks, by name.
    pub fn stacks(&self) -> impl Iterator<Item = &Stack> {
        self.rows()
    }

    /// All offers, by what is offered.
    pub fn zone_offers(&self) -> impl Iterator<Item = &ZoneOffer> {
        self.rows()
    }

    /// What Vertex AI has, by region.
    pub fn vertex_regions(&self) -> impl Iterator<Item = &VertexRegion> {
        self.rows()
    }

    /// All machines as Slurm sees them, by machine.
    pub fn slurm_machines(&self) -> impl Iterator<Item = &SlurmMachine> {
        self.rows()
    }

    /// All limits, by path.
    pub fn all_limits(&self) -> impl Iterator<Item = &Limit> {
        self.rows()
    }

    /// All regions, by name.
    pub fn region_rows(&self) -> impl Iterator<Item = &Region> {
        self.rows()
    }

    /// Names of all regions, ascending.
    pub fn regions(&self) -> Vec<&str> {
        self.region_rows().map(|region| region.name.as_str()).collect()
    }

    /// Names of all zones, by region.
    pub fn zones(&self) -> Vec<String> {
        self.region_rows()
            .flat_map(|region| region.zones.iter().map(|zone| format!("{}-{zone}", region.name)))
            .collect()
    }

    /// Whether such a zone exists.
    pub fn has_zone(&self, zone: &str) -> bool {
        region_of(zone).is_some_and(|name| {
            let suffix = zone.get(name.len() + 1..).unwrap_or_default();
            self.region(name).is_some_and(|region| region.zones.iter().any(|known| known == suffix))
        })
    }

    /// The typed limits.
    pub fn limits(&self) -> &Limits {
        self.sheet()
    }

    /// Names and numbers of Kubernetes on GKE.
    pub fn kubernetes(&self) -> &KubernetesFacts {
        self.sheet()
    }

    /// Names and numbers of Slurm.
    pub fn slurm(&self) -> &SlurmFacts {
        self.sheet()
    }

    /// Names and numbers of Vertex AI.
    pub fn vertex(&self) -> &VertexFacts {
        self.sheet()
    }

    /// The image of Vertex AI's Reduction Server in the registry that is nearest to a region.
    pub fn reduction_server_image(&self, region: &str) -> Option<&str> {
        let facts = self.vertex();
        let near = facts.reduction_server_near.get(region.split('-').next()?)?;
        facts.reduction_server_images.get(near).map(String::as_str)
    }

    /// The generation of a TPU machine.
    pub fn tpu_of_machine(&self, machine: &str) -> Option<&Tpu> {
        self.tpu(&self.machine(machine)?.tpu.as_ref()?.generation)
    }

    /// All slices of a generation, smallest first; none for a name that is no generation.
    pub fn slices(&self, generation: &str) -> &[Slice] {
        let table = self.row::<SliceTable>(generation);
        table.map_or(&[], |table| table.slices.as_slice())
    }

    /// The slice of a topology: where several machines make it, the one that the bare topology means.
    pub fn slice(&self, generation: &str, topology: &str) -> Option<&Slice> {
        let mut same = self.slices(generation).iter().filter(|slice| slice.topology == topology);
        let first = same.next()?;
        if first.default { Some(first) } else { same.find(|slice| slice.default).or(Some(first)) }
    }

    /// The slice of a topology on hosts of one machine type.
    pub fn slice_on(&self, machine: &str, topology: &str) -> Option<&Slice> {
        let generation = &self.machine(machine)?.tpu.as_ref()?.generation;
        self.slices(generation)
            .iter()
            .find(|slice| slice.topology == topology && slice.machine.as_deref() == Some(machine))
    }

    /// Where a machine type, a machine family, a GPU or a TPU generation can be had. `place` is a zone or a region.
    pub fn offered(&self, what: &str, place: &str) -> Offer {
        let Some(offer) = self.offer_of(what) else { return Offer::Unknown };
        let in_region = |name: &str| offer.regions.iter().any(|region| region == name);
        match region_of(place) {
            Some(_) if offer.zones.iter().any(|zone| zone == place) => Offer::InZone,
            Some(region) if in_region(region) => Offer::InRegion,
            None if in_region(place) => Offer::InRegion,
            region if self.lists(what, region.unwrap_or(place)) => Offer::Nowhere,
            _ => Offer::Unknown,
        }
    }

    /// Whether what is not in the list of a region is not there. In one that is open to some projects alone, a single list names it, and which processors there are besides no list says.
    fn lists(&self, what: &str, region: &str) -> bool {
        let is_bare = |it: &Machine| it.accelerator.is_none() && it.tpu.is_none();
        let names = |it: &&ZoneOffer| it.regions.iter().any(|one| one == region);
        let is_open = || self.zone_offers().filter(names).nth(1).is_some();
        self.region(region).is_some() && (!self.machine(what).is_some_and(is_bare) || is_open())
    }

    /// The list that [`Catalog::offered`] reads for a machine type, family, GPU or generation.
    pub fn offer_of(&self, what: &str) -> Option<&ZoneOffer> {
        if let Some(offer) = self.zone_offer(what) {
            return Some(offer);
        }
        let machine = self.machine(what)?;
        match &machine.tpu {
            Some(tpu) => self.zone_offer(&tpu.generation),
            None => self.zone_offer(&machine.family).or_else(|| self.zone_offer(&machine.series)),
        }
    }

    /// Whether GKE of this version has the feature on the machine. Minimums hold by minor branch: a patch of
    /// one branch says nothing about another; branches after the newest listed have it, branches before the
    /// oldest listed do not. Parts that `version` leaves out stand for the newest, as in GKE itself.
    pub fn gke_feature(&self, machine: &str, feature: GkeFeature, version: &str) -> GkeMinimum {
        let (Some(machine), Some(version)) = (self.machine(machine), GkeVersion::parse(version))
        else {
            return GkeMinimum::Unknown;
        };
        let gke = &machine.gke;
        match feature {
            GkeFeature::Standard => by_branch(&gke.standard_min, version),
            GkeFeature::Unreserved => by_branch(&gke.unreserved_min, version),
            GkeFeature::GpuDirect => by_branch(&gke.gpudirect_min, version),
            GkeFeature::Autopilot => single_minimum(gke.autopilot_min.as_deref(), version),
            GkeFeature::Dranet => single_minimum(gke.dranet_min.as_deref(), version),
        }
    }
}

fn by_branch(minimums: &BTreeMap<String, String>, version: GkeVersion) -> GkeMinimum {
    let mut branches: Vec<(GkeVersion, &str)> = minimums
        .values()
        .filter_map(|text| Some((GkeVersion::parse(text)?, text.as_str())))
        .collect();
    branches.sort_unstable();
    let (Some((oldest, oldest_text)), Some((newest, _))) = (branches.first(), branches.last())
    else {
        return GkeMinimum::Met;
    };
    let wanted = version.minor_key();
    if let Some((least, text)) = branches.iter().find(|(least, _)| least.minor_key() == wanted) {
        return if version >= *least {
            GkeMinimum::Met
        } else {
            GkeMinimum::TooOld { needed: (*text).to_owned() }
        };
    }
    if wanted > newest.minor_key() {
        GkeMinimum::Met
    } else if wanted < oldest.minor_key() {
        GkeMinimum::TooOld { needed: (*oldest_text).to_owned() }
    } else {
        GkeMinimum::Unknown
    }
}

fn single_minimum(minimum: Option<&str>, version: GkeVersion) -> GkeMinimum {
    match minimum.map(|text| (GkeVersion::parse(text), text)) {
        None => GkeMinimum::Met,
        Some((Some(least), _)) if version >= least => GkeMinimum::Met,
        Some((Some(_), text)) => GkeMinimum::TooOld { needed: text.to_owned() },
        Some((None, _)) => GkeMinimum::Unknown,
    }
}
