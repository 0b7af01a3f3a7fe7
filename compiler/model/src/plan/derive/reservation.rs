//! Reservations: which one a capacity takes nodes from, and who takes of each.

use crate::nouns::{
    Capacity, Kind, Machines, Partition, Pool, Ref, Reservation, Reserved, SlurmCluster,
    VertexCluster,
};
use crate::plan::Plan;
use crate::{Noun, NounId, Range};
use slipform_source::Spanned;

/// A reservation that machines are taken from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Taken {
    /// The project that owns it, where that is said.
    pub owner: Option<String>,
    /// Its name there.
    pub name: String,
    /// One block of it.
    pub block: Option<String>,
}

impl Taken {
    /// As affinities name it, without its block.
    pub fn named(&self) -> String {
        match &self.owner {
            Some(owner) => format!("projects/{owner}/reservations/{}", self.name),
            None => self.name.clone(),
        }
    }

    /// As affinities name what is taken: with its block.
    pub fn path(&self) -> String {
        let block = self.block.as_ref().map(|block| format!("/reservationBlocks/{block}"));
        self.named() + &block.unwrap_or_default()
    }
}

/// Somebody who takes nodes of a reservation.
pub(crate) struct Taker<'a> {
    pub(crate) noun: &'a Noun,
    /// The fewest and the most nodes.
    pub(crate) nodes: (i64, i64),
}

impl Plan {
    /// The reservation that a capacity takes nodes from.
    pub fn taken(&self, capacity: &Capacity) -> Option<Taken> {
        let (reserved, block) = capacity.reserved()?;
        let taken = match reserved {
            Reserved::String(name) => {
                let (owner, name) = match name.split_once("/reservations/") {
                    Some((owner, name)) => (owner.strip_prefix("projects/"), name),
                    None => (None, name.as_str()),
                };
                Taken { owner: owner.map(str::to_owned), name: name.to_owned(), block: None }
            }
            Reserved::Reservation(it) => self.reservation(*it)?,
        };
        Some(Taken { block: block.map(str::to_owned).or(taken.block), ..taken })
    }

    /// A reservation of the blueprint, as those who take of it name it.
    fn reservation(&self, it: Ref<Reservation>) -> Option<Taken> {
        let body = self.model.body(it)?;
        let text = |it: &Option<Spanned<String>>| it.as_ref().map(|text| text.value.clone());
        let name = self.name(it)?.clone();
        Some(Taken { owner: text(&body.project), name, block: text(&body.block) })
    }

    /// The reservation of the blueprint that a pool, a partition, plain machines or machines of Vertex AI name.
    pub(crate) fn reserved_of(&self, id: NounId) -> Option<Ref<Reservation>> {
        match self.capacity_of(id)?.reserved()?.0 {
            Reserved::Reservation(it) => Some(*it),
            Reserved::String(_) => None,
        }
    }

    fn capacity_of(&self, id: NounId) -> Option<&Capacity> {
        let body = &self.model.get(id)?.body;
        let of_pool = Pool::of(body).map(|it| &it.capacity);
        let of_partition = || Partition::of(body).map(|it| &it.capacity);
        let of_vertex = || VertexCluster::of(body).map(|it| &it.capacity);
        let of_machines = || Machines::of(body).map(|it| &it.capacity);
        of_pool.or_else(of_partition).or_else(of_machines).or_else(of_vertex).map(|it| &it.value)
    }

    /// Pools, partitions and plain machines that take of a reservation, by its noun or by its name in its zone, in the order of the blueprint.
    pub(crate) fn takers(&self, id: NounId) -> Vec<Taker<'_>> {
        let it = Ref::<Reservation>::to(id);
        let Some((own, body)) = self.reservation(it).zip(self.model.body(it)) else {
            return Vec::new();
        };
        let zone = body.zone.value.as_str();
        let full = |taken: &Taken| {
            (taken.owner.clone().or(self.model.project.clone()), taken.name.clone())
        };
        let is_it = |capacity: &Capacity, at: Option<&str>| {
            let Some((reserved, _)) = capacity.reserved() else { return false };
            match reserved {
                Reserved::Reservation(other) => *other == it,
                Reserved::String(_) => {
                    let same = self.taken(capacity).is_some_and(|taken| full(&taken) == full(&own));
                    same && at == Some(zone)
                }
            }
        };
        let nodes_of = |noun: &Noun| {
            let id = noun.id;
            if let Some((body, pool)) = of::<Pool>(noun).zip(self.pool(id)) {
                let pools = i64::try_from(pool.node_pools.len()).unwrap_or(i64::MAX);
                let nodes = (pool.nodes.0.saturating_mul(pools), pool.max_nodes());
                return is_it(&body.capacity.value, pool.zone.as_deref()).then_some(nodes);
            }
            if let Some(body) = of::<Machines>(noun).filter(|_| !noun.existing) {
                let nodes = (body.nodes.value, body.nodes.value);
                return is_it(&body.capacity, Some(body.zone.value.as_str())).then_some(nodes);
            }
            let body = of::<Partition>(noun)?;
            self.partition(id)?.set.as_ref()?;
            let cluster = self.model.body(Ref::<SlurmCluster>::to(noun.parent?))?;
            let at = cluster.zone.as_ref().map(|zone| zone.value.as_str());
            is_it(&body.capacity.value, at).then(|| body.nodes.value.bounds())
        };
        let nouns = self.model.nouns.iter();
        nouns.filter_map(|noun| Some(Taker { noun, nodes: nodes_of(noun)? })).collect()
    }
}

impl Taker<'_> {
    /// Who takes how many, in words.
    pub(crate) fn told(&self) -> String {
        let (least, most) = self.nodes;
        let nodes = if least == most { most.to_string() } else { Range(least, most).to_string() };
        format!("{} {nodes}", self.noun.path)
    }
}

fn of<K: Kind>(noun: &Noun) -> Option<&K> {
    K::of(&noun.body)
}
