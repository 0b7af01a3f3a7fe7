//! Which runs of a blueprint take the place of which others, and why.

use super::{Amounts, Plan, Run};
use crate::NounId;
use crate::nouns::{Cohort, Displace, Preemption, Queue, Reclaim};

/// Why a run gives way to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Because {
    /// The other has a higher priority in their queue.
    Priority,
    /// The other has the same priority and was submitted before.
    Older,
    /// The queue of the other takes back what it lent.
    Lent,
    /// The queue of the other borrows from those of lower priority.
    Borrowed,
}

impl Because {
    /// The sentence behind the other's name.
    pub fn words(self) -> &'static str {
        match self {
            Self::Priority => "which has a higher priority in the queue",
            Self::Older => "where that was submitted before",
            Self::Lent => "whose queue takes back what it lent",
            Self::Borrowed => "whose queue borrows by priority",
        }
    }
}

/// A run, its queue and the weight of its priority.
struct Rank<'a> {
    id: NounId,
    queue: NounId,
    body: &'a Queue,
    weight: Option<i64>,
}

impl Plan {
    /// The runs of the blueprint that a run gives way to, and why.
    pub fn yields_to(&self, id: NounId) -> Vec<(NounId, Because)> {
        let Some(own) = self.workload(id).and_then(|run| self.rank(id, run)) else {
            return Vec::new();
        };
        let others = self.workloads().filter(|(other, _)| *other != id);
        let others = others.filter_map(|(other, run)| self.rank(other, run));
        others.filter_map(|other| Some((other.id, self.because(&own, &other)?))).collect()
    }

    fn rank<'a>(&'a self, id: NounId, run: &'a Run) -> Option<Rank<'a>> {
        let site = run.gke()?;
        let body: &Queue = self.model.body(site.queue?)?;
        let weight = site.priority.as_ref().and_then(|name| body.priorities.get(name)).copied();
        Some(Rank { id, queue: site.queue?.id(), body, weight })
    }

    fn because(&self, own: &Rank<'_>, other: &Rank<'_>) -> Option<Because> {
        let higher = own.weight.zip(other.weight).is_some_and(|(own, other)| other > own);
        if own.queue == other.queue {
            let same = own.weight.is_some() && own.weight == other.weight;
            return match other.body.preemption {
                Preemption::Bool(false) => None,
                Preemption::Bool(true) => higher.then_some(Because::Priority),
                Preemption::LowerOrNewer if higher => Some(Because::Priority),
                Preemption::LowerOrNewer => same.then_some(Because::Older),
            };
        }
        self.across(own, other, higher)
    }

    /// The same over queues that lend each other: of what a run is on beyond what its queue holds.
    fn across(&self, own: &Rank<'_>, other: &Rank<'_>, higher: bool) -> Option<Because> {
        let cohort = |rank: &Rank<'_>| {
            let queue = self.queue(rank.queue)?;
            Some((queue.cluster, queue.cohort.clone()?))
        };
        let shared = cohort(own).is_some() && cohort(own) == cohort(other);
        let borrows = own.body.cohort.as_ref().is_some_and(|it| it.borrow() != Some(0));
        let theirs = other.body.cohort.as_ref().filter(|_| shared && borrows)?;
        let lends = self.lends(other, own);
        let usual = if other.body.preemption.happens() { Reclaim::Any } else { Reclaim::Never };
        match theirs.reclaim().unwrap_or(usual) {
            Reclaim::Any if lends => return Some(Because::Lent),
            Reclaim::Lower if lends && higher => return Some(Because::Lent),
            Reclaim::Any | Reclaim::Lower | Reclaim::Never => {}
        }
        let displaced = match theirs.displace() {
            Displace::Bool(yes) => *yes,
            Displace::String(most) => {
                let most = other.body.priorities.get(most).copied();
                own.weight.zip(most).is_some_and(|(own, most)| own <= most)
            }
        };
        (higher && displaced && Cohort::borrow(theirs) != Some(0)).then_some(Because::Borrowed)
    }

    /// Whether the queue of one holds something of a flavor that the queue of the other has, too.
    fn lends(&self, one: &Rank<'_>, other: &Rank<'_>) -> bool {
        let flavors = |rank: &Rank<'_>| self.queue(rank.queue).map(|it| it.flavors.as_slice());
        let (ones, others) = (flavors(one).unwrap_or_default(), flavors(other).unwrap_or_default());
        let same = |name: &str| others.iter().any(|it| it.name == name);
        ones.iter().any(|it| it.quota != Amounts::NONE && same(&it.name))
    }
}
