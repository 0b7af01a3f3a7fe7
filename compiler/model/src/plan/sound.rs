//! Plans of which everything was understood: what targets are given.
//!
//! Rules, facts and editors look at a [`Plan`], in which any noun may be broken and any lookup may fail. Here each noun has
//! its struct and its plan, and each reference leads to a noun of its kind: whoever follows one gets it, and has no other
//! way to go on.

use super::complete::{Lack, lack};
use super::derive::counted_by_workers;
use super::{Awaits, Berth, Component, Gang, Later, Run, Selection, SlurmSite, Taken, VertexSite};
use super::{
    ClusterPlan, MachineImagePlan, MachinesPlan, NetworkPlan, PartitionPlan, Plan, PoolPlan,
    QueuePlan, SlurmPlan, VertexPlan,
};
use crate::catalog::Catalog;
use crate::graph::references;
use crate::nouns::{
    Body, BootImage, Bucket, Capacity, Countable, Dashboard, Family, Filesystem, GkeCluster, Group,
    GroupPart, Identity, Image, ImageUse, Kind, MachineImage, Machines, Network, Partition, Place,
    Pool, Queue, Ref, Registry, Reservation, SlurmCluster, VertexCluster, Workload,
};
use crate::{Deferred, Noun, NounId, Placed};
use slipform_source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// A plan in which nothing is broken and every lookup is total.
#[derive(Clone, Copy, Debug)]
pub struct Sound<'p>(&'p Plan);

/// A noun with what it says and what follows from it.
#[derive(Debug)]
pub struct Planned<'p, K: Derived> {
    /// Where it stands and what it is called in the blueprint.
    pub noun: &'p Noun,
    /// What it says.
    pub body: &'p K,
    /// What follows from it; `()` where that is nothing but its name.
    pub plan: &'p K::Plan,
    name: &'p str,
}

impl<K: Derived> Clone for Planned<'_, K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K: Derived> Copy for Planned<'_, K> {}

impl<'p, K: Named> Planned<'p, K> {
    /// What it is called where it is made.
    pub fn name(&self) -> &'p str {
        self.name
    }
}

impl<K: Derived> Planned<'_, K> {
    /// A reference to it.
    pub fn reference(&self) -> Ref<K> {
        Ref::to(self.noun.id)
    }

    /// It is made here, and nobody else's.
    pub fn is_made(&self) -> bool {
        !self.noun.existing
    }
}

/// A kind, and what follows from a noun of it.
pub trait Derived: Kind + Sized {
    /// What is worked out.
    type Plan: 'static;

    /// What was worked out, if it could be.
    fn derived(plan: &Plan, id: NounId) -> Option<&Self::Plan>;
}

/// What machines start from, by its name.
#[derive(Clone, Copy, Debug)]
pub enum Boot<'p> {
    /// The newest image of a family.
    Family(&'p str),
    /// One image.
    Image(&'p str),
}

/// A kind whose nouns have one name each where they are made: all but pools, which have several.
pub trait Named: Derived {}

macro_rules! kinds {
    ($($kind:ident: $plan:ty = $derived:expr;)*) => {
        $(impl Derived for $kind {
            type Plan = $plan;

            fn derived(plan: &Plan, id: NounId) -> Option<&$plan> {
                let derived: fn(&Plan, NounId) -> Option<&$plan> = $derived;
                derived(plan, id)
            }
        })*

        /// A noun of a sound plan, whatever it is.
        #[derive(Clone, Copy, Debug)]
        pub enum Any<'p> {
            $(
                #[doc = concat!("See [`", stringify!($kind), "`].")]
                $kind(Planned<'p, $kind>),
            )*
        }

        impl<'p> Any<'p> {
            fn of(plan: &'p Plan, noun: &'p Noun) -> Option<Self> {
                match &noun.body {
                    $(Body::$kind(_) => find(plan, noun).map(Self::$kind),)*
                    Body::Broken { .. } => None,
                }
            }

            /// Where it stands and what it is called in the blueprint.
            pub fn noun(&self) -> &'p Noun {
                match self { $(Self::$kind(it) => it.noun,)* }
            }
        }
    };
}

kinds! {
    Network: NetworkPlan = |plan, id| plan.network(id);
    Bucket: () = |_, _| Some(&());
    Filesystem: () = |_, _| Some(&());
    Registry: () = |_, _| Some(&());
    Identity: () = |_, _| Some(&());
    Dashboard: () = |_, _| Some(&());
    Reservation: () = |_, _| Some(&());
    Image: String = |plan, id| plan.image(id);
    MachineImage: MachineImagePlan = |plan, id| plan.machine_image(id);
    GkeCluster: ClusterPlan = |plan, id| plan.cluster(id);
    SlurmCluster: SlurmPlan = |plan, id| plan.slurm(id);
    VertexCluster: VertexPlan = |plan, id| plan.vertex(id);
    Pool: PoolPlan = |plan, id| plan.pool(id);
    Partition: PartitionPlan = |plan, id| plan.partition(id);
    Machines: MachinesPlan = |plan, id| plan.machines_plan(id);
    Queue: QueuePlan = |plan, id| plan.queue(id);
    Workload: Run = |plan, id| plan.workload(id);
    Group: Gang = |plan, id| plan.group(id);
}

impl Named for Network {}
impl Named for Bucket {}
impl Named for Filesystem {}
impl Named for Registry {}
impl Named for Identity {}
impl Named for Dashboard {}
impl Named for Reservation {}
impl Named for Image {}
impl Named for MachineImage {}
impl Named for GkeCluster {}
impl Named for SlurmCluster {}
impl Named for VertexCluster {}
impl Named for Partition {}
impl Named for Machines {}
impl Named for Queue {}
impl Named for Workload {}
impl Named for Group {}

/// Why a plan is not sound: the first noun that is not whole.
#[derive(Clone, Debug)]
pub struct Gap<'p> {
    /// Which.
    pub noun: &'p Noun,
    /// What everything written of it holds, and it lacks; none where it does not even hold together in itself.
    pub lack: Option<Lack>,
    /// What it, or a noun around it, allows.
    pub allowed: Vec<&'p (String, Span)>,
}

impl Plan {
    /// This plan for those who go on from what is known for sure.
    ///
    /// # Errors
    ///
    /// The first noun that could not be understood, that nothing could be worked out for, that stands where its kind
    /// cannot, that refers to something of another kind, or that lacks what everything written of it holds (`complete.rs`).
    pub fn sound(&self) -> Result<Sound<'_>, Gap<'_>> {
        self.gaps().next().map_or(Ok(Sound(self)), Err)
    }

    /// Every noun that keeps the plan from being sound, in the order of the blueprint.
    pub fn gaps(&self) -> impl Iterator<Item = Gap<'_>> {
        let gap = |(at, noun): (usize, _)| {
            let whole = Any::of(self, noun).filter(|_| noun.id.0 as usize == at);
            match whole.filter(|_| is_whole(self, noun)) {
                None => Some((noun, None)),
                Some(it) => lack(self, it).map(|lack| (noun, Some(lack))),
            }
        };
        let found = self.model.nouns.iter().enumerate().filter_map(gap);
        found.map(|(noun, lack)| {
            let outer = |noun: &&Noun| self.model.get(noun.parent?);
            let around = std::iter::successors(Some(noun), outer);
            Gap { noun, lack, allowed: around.flat_map(|it| &it.allowed).collect() }
        })
    }
}

fn is_whole(plan: &Plan, noun: &Noun) -> bool {
    let leads = references(&noun.body)
        .iter()
        .all(|it| plan.model.get(it.to).is_some_and(|noun| (it.fits)(&noun.body)));
    leads && stands_right(plan, noun)
}

/// Whether a noun stands in one of the kind that its own asks for.
fn stands_right(plan: &Plan, noun: &Noun) -> bool {
    let parent = noun.parent.and_then(|parent| plan.model.get(parent)).map(|parent| &parent.body);
    match &noun.body {
        Body::Pool(_) | Body::Queue(_) => parent.and_then(GkeCluster::of).is_some(),
        Body::Partition(_) => parent.and_then(SlurmCluster::of).is_some(),
        Body::Group(_) => parent.and_then(Workload::of).is_some(),
        Body::Network(_)
        | Body::Bucket(_)
        | Body::Filesystem(_)
        | Body::Registry(_)
        | Body::Identity(_)
        | Body::Dashboard(_)
        | Body::Reservation(_)
        | Body::Image(_)
        | Body::MachineImage(_)
        | Body::GkeCluster(_)
        | Body::SlurmCluster(_)
        | Body::VertexCluster(_)
        | Body::Machines(_)
        | Body::Workload(_)
        | Body::Broken { .. } => true,
    }
}

/// A noun with all that is known of it, where it is of this kind.
fn find<'p, K: Derived>(plan: &'p Plan, noun: &'p Noun) -> Option<Planned<'p, K>> {
    let (body, derived) = (K::of(&noun.body)?, K::derived(plan, noun.id)?);
    let name = plan.name(noun.id).map_or("", String::as_str);
    Some(Planned { noun, body, plan: derived, name })
}

impl<'p> Sound<'p> {
    /// The noun that a reference leads to.
    pub fn get<K: Derived>(self, to: Ref<K>) -> Planned<'p, K> {
        let found = self.0.model.get(to).and_then(|noun| find(self.0, noun));
        found.unwrap_or_else(|| foreign(to.id()))
    }

    /// A noun, whatever it is.
    pub fn noun(self, id: NounId) -> &'p Noun {
        self.0.model.get(id).unwrap_or_else(|| foreign(id))
    }

    /// A noun with all that is known of it, whatever it is.
    pub fn any(self, id: NounId) -> Any<'p> {
        Any::of(self.0, self.noun(id)).unwrap_or_else(|| foreign(id))
    }

    /// Every noun of a kind, in the order of the blueprint.
    pub fn all<K: Derived>(self) -> impl Iterator<Item = Planned<'p, K>> {
        let of_kind = self.0.model.nouns.of_kind::<K>();
        of_kind.filter_map(move |(noun, _)| find(self.0, noun))
    }

    /// Every noun of a kind that is made here.
    pub fn made<K: Derived>(self) -> impl Iterator<Item = Planned<'p, K>> {
        self.all().filter(Planned::is_made)
    }

    /// Those of someone else, in the order of the blueprint.
    pub fn existing(self) -> impl Iterator<Item = Any<'p>> {
        let existing = self.0.model.nouns.iter().filter(|noun| noun.existing);
        existing.filter_map(move |noun| Any::of(self.0, noun))
    }

    /// Every noun, in the order of the blueprint.
    pub fn nouns(self) -> impl Iterator<Item = Any<'p>> {
        self.0.model.nouns.iter().filter_map(move |noun| Any::of(self.0, noun))
    }

    /// The nouns of a kind that stand in another, in the order of the blueprint.
    pub fn inside<K: Derived>(self, parent: NounId) -> impl Iterator<Item = Planned<'p, K>> {
        let children = self.0.children(parent).iter();
        children.filter_map(move |id| find(self.0, self.noun(*id)))
    }

    /// The workload that a group is part of.
    pub fn run_of(self, group: Planned<'p, Group>) -> Planned<'p, Workload> {
        let workload = group.noun.parent.unwrap_or_else(|| foreign(group.noun.id));
        self.get(Ref::to(workload))
    }

    /// The workloads whose jobs of Slurm that of a workload waits for in the queue, and those that these wait for.
    pub fn queued_behind(self, id: NounId) -> impl Iterator<Item = Planned<'p, Workload>> {
        self.0.queued_behind(id).into_iter().map(move |it| self.get(Ref::to(it)))
    }

    /// Those of them whose jobs have ended when that of the workload starts.
    pub fn ended_before(self, id: NounId) -> impl Iterator<Item = Planned<'p, Workload>> {
        self.0.ended_before(id).into_iter().map(move |it| self.get(Ref::to(it)))
    }

    /// The gang that another of its run waits for, and its number among them.
    pub fn awaited(self, run: &'p Run, awaits: &Awaits) -> (usize, &'p Gang) {
        let mut gangs = run.gangs().enumerate();
        let found = gangs.find(|(_, gang)| gang.role == awaits.role);
        found.unwrap_or_else(|| foreign(run.lead().program.noun))
    }

    /// The number of a workload's own gang, or of a group's, among those of its run.
    pub fn number_of(self, run: &Run, gang: NounId) -> usize {
        let found = run.gangs().position(|it| it.program.noun == gang);
        found.unwrap_or_else(|| foreign(gang))
    }

    /// What queues that one hands on to hold together of each name besides what nodes have, as it calls them itself.
    pub fn counted_by_workers(self, queue: NounId) -> BTreeMap<&'p str, Countable> {
        counted_by_workers(self.0, queue).unwrap_or_default()
    }

    /// The pool that a gang on GKE names.
    pub fn pool_of(self, gang: &Gang) -> Planned<'p, Pool> {
        match gang.program.place.value {
            Place::Pool(pool) => self.get(pool),
            Place::Partition(_) | Place::Vertex(_) => foreign(gang.program.noun),
        }
    }

    /// The component of its job that a gang on Slurm is of, with its number, and where in it the gang is.
    pub fn berth_of(self, site: &'p SlurmSite, gang: &Gang) -> (usize, &'p Component, Berth) {
        let mut berths = site.components.iter().enumerate().flat_map(|(number, component)| {
            component.berths.iter().map(move |berth| (number, component, *berth))
        });
        let found = berths.find(|(.., berth)| berth.gang == gang.program.noun);
        found.unwrap_or_else(|| foreign(gang.program.noun))
    }

    /// The machines of Vertex AI that a gang names.
    pub fn machines_of(self, gang: &Gang) -> Planned<'p, VertexCluster> {
        match gang.program.place.value {
            Place::Vertex(cluster) => self.get(cluster),
            Place::Pool(_) | Place::Partition(_) => foreign(gang.program.noun),
        }
    }

    /// What a group is to its job of Vertex AI.
    pub fn part_of(self, site: &VertexSite, group: NounId) -> GroupPart {
        site.parts.get(&group).copied().unwrap_or_else(|| foreign(group))
    }

    /// The reservation that a capacity takes nodes from.
    pub fn taken(self, capacity: &Capacity) -> Option<Taken> {
        self.0.taken(capacity)
    }

    /// The zone or region and the network of a filesystem that Google Cloud makes.
    pub fn ground_of(self, made: Planned<'p, Filesystem>) -> (&'p str, Ref<Network>) {
        let ground = made.body.location.as_ref().zip(made.body.network);
        let (location, network) = ground.unwrap_or_else(|| foreign(made.noun.id));
        (&location.value, network.value)
    }

    /// The reference by which an image is got.
    pub fn reference(self, image: &'p ImageUse) -> &'p str {
        match image.noun() {
            Some(image) => self.get(image).plan,
            None => image.said().unwrap_or_default(),
        }
    }

    /// The pools that pods may run on.
    pub fn selected(self, selection: &Selection) -> impl Iterator<Item = Planned<'p, Pool>> {
        selection.pools.iter().map(move |pool| self.get(*pool))
    }

    /// The facts.
    pub fn catalog(self) -> &'p Catalog {
        &self.0.model.catalog
    }

    /// The project of everything that is made.
    pub fn project(self) -> Option<&'p str> {
        self.0.model.project.as_deref()
    }

    /// The project that a noun is of, where that is not the one of everything that is made.
    pub fn other_project(self, noun: impl Into<NounId>) -> Option<&'p str> {
        self.0.owner(noun).filter(|owner| self.project() != Some(*owner))
    }

    /// Which GKE cluster a noun is, in words.
    pub fn whereabouts(self, cluster: Ref<GkeCluster>) -> Option<String> {
        self.0.whereabouts(cluster.id())
    }

    /// The name of the blueprint.
    pub fn blueprint(self) -> &'p str {
        &self.0.model.name
    }

    /// The environment that it is built for.
    pub fn environment(self) -> &'p str {
        &self.0.model.environment
    }

    /// Labels of everything that is made on Google Cloud, besides those of nouns.
    pub fn labels(self) -> &'p BTreeMap<String, String> {
        &self.0.model.labels
    }

    /// APIs that the project has on besides those that something needs.
    pub fn apis(self) -> &'p BTreeSet<String> {
        &self.0.model.apis
    }

    /// `output name = value`, in order.
    pub fn outputs(self) -> &'p [(String, Placed)] {
        self.0.outputs()
    }

    /// The address of an identity's service account; none without a project.
    pub fn email(self, identity: Ref<Identity>) -> Option<String> {
        self.0.email(identity.id())
    }

    /// The address of a service account of the project.
    pub fn email_of(self, account: &str) -> Option<String> {
        self.0.email_of(account)
    }

    /// What machines start from: the newest of a family, or one image.
    pub fn boot(self, image: &'p BootImage) -> Boot<'p> {
        match image {
            BootImage::ImageFamily { name, project: _ } => Boot::Family(match name {
                Family::MachineImage(image) => self.get(*image).name(),
                Family::String(name) => name,
            }),
            BootImage::ExactImage { name, project: _ } => Boot::Image(name),
        }
    }

    /// The service account that images are built as; none where nothing is pushed.
    pub fn builder(self) -> Option<String> {
        self.0.builder()
    }

    /// The ports that the launch of a gang on GKE listens on.
    pub fn launch_ports(self, gang: &Gang) -> Vec<i64> {
        self.0.launch_ports(gang)
    }

    /// What a deferred value is called, and who knows it.
    pub fn later(self, value: &Deferred) -> Later {
        self.0.later(value)
    }

    /// Every value that a root hands on; see [`Plan::handed_on`].
    pub fn handed_on(self) -> &'p [(Later, Span)] {
        self.0.handed_on()
    }

    /// What a noun that is made hands on; see [`Plan::known_later`].
    pub fn known_later(self, noun: NounId) -> Option<&'p Later> {
        self.0.known_later(noun)
    }
}

/// What stands for a reference of another plan, and for a gang of another run or platform than was asked about.
#[expect(
    clippy::panic,
    reason = "every reference of a plan was followed before it was called sound, and every gang has its place (`complete.rs`): \
        only one of another plan leads nowhere"
)]
fn foreign(id: NounId) -> ! {
    panic!("noun {} is of another plan", id.0)
}
