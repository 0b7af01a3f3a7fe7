//! Which runs of a blueprint take the place of which others, and why.

use super::{Amounts, Plan, QueuePlan, Run};
use crate::NounId;
use crate::nouns::{Cohort, Displace, GkeCluster, Kind, Preemption, Queue, Reclaim};
use std::collections::BTreeSet;

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
    /// The queue of the other uses less of what others lend.
    Share,
}

impl Because {
    /// The sentence behind the other's name.
    pub fn words(self) -> &'static str {
        match self {
            Self::Priority => "which has a higher priority in the queue",
            Self::Older => "where that was submitted before",
            Self::Lent => "whose queue takes back what it lent",
            Self::Borrowed => "whose queue borrows by priority",
            Self::Share => "whose queue has the smaller share of what is lent",
        }
    }
}

/// A run, its queue and the weight of its priority.
struct Rank<'a> {
    id: NounId,
    run: &'a Run,
    queue: NounId,
    plan: &'a QueuePlan,
    body: &'a Queue,
    weight: Option<i64>,
}

/// What a run has that others may want.
struct Stake<'a> {
    /// The flavors that it may be on.
    on: BTreeSet<&'a str>,
    /// Those of them of which its queue may use more than it holds.
    over: BTreeSet<&'a str>,
}

impl Plan {
    /// The runs of the blueprint that a run gives way to, and why.
    pub fn yields_to(&self, id: NounId) -> Vec<(NounId, Because)> {
        let Some(own) = self.workload(id).and_then(|run| self.rank(id, run)) else {
            return Vec::new();
        };
        let others = self.workloads().filter(|(other, _)| *other != id);
        let others = others.filter_map(|(other, run)| self.rank(other, run));
        let stake = Stake { on: own.flavors(), over: self.over(&own) };
        others.filter_map(|other| Some((other.id, self.because(&own, &stake, &other)?))).collect()
    }

    fn rank<'a>(&'a self, id: NounId, run: &'a Run) -> Option<Rank<'a>> {
        let site = run.gke()?;
        let queue = site.queue?;
        let body: &Queue = self.model.body(queue)?;
        let weight = site.priority.as_ref().and_then(|name| body.priorities.get(name)).copied();
        Some(Rank { id, run, queue: queue.id(), plan: self.queue(queue.id())?, body, weight })
    }

    fn because(&self, own: &Rank<'_>, stake: &Stake<'_>, other: &Rank<'_>) -> Option<Because> {
        let higher = own.weight.zip(other.weight).is_some_and(|(own, other)| other > own);
        let theirs = other.flavors();
        // who is never on the same nodes takes nothing away
        if stake.on.is_disjoint(&theirs) {
            return None;
        }
        if own.queue == other.queue {
            let same = own.weight.is_some() && own.weight == other.weight;
            return match other.body.preemption {
                Preemption::Bool(false) => None,
                Preemption::Bool(true) => higher.then_some(Because::Priority),
                Preemption::LowerOrNewer if higher => Some(Because::Priority),
                Preemption::LowerOrNewer => same.then_some(Because::Older),
            };
        }
        let over: Vec<&str> = stake.over.intersection(&theirs).copied().collect();
        if over.is_empty() {
            return None;
        }
        self.across(own, other, higher, &over)
    }

    /// The same over queues that lend each other: of what a run is on beyond what its queue holds (Kueue: "Preemption").
    fn across(
        &self,
        own: &Rank<'_>,
        other: &Rank<'_>,
        higher: bool,
        over: &[&str],
    ) -> Option<Because> {
        let cohort = |rank: &Rank<'_>| Some((rank.plan.cluster, rank.plan.cohort.clone()?));
        let shared = cohort(own).is_some() && cohort(own) == cohort(other);
        let borrows = own.body.cohort.as_ref().is_some_and(|it| it.borrow() != Some(0));
        let theirs = other.body.cohort.as_ref().filter(|_| shared && borrows)?;
        let usual = if other.body.preemption.happens() { Reclaim::Any } else { Reclaim::Never };
        let reclaim = theirs.reclaim().unwrap_or(usual);
        let takes_back = || over.iter().any(|flavor| self.fits_in_its_own(other, own, flavor));
        let reclaims = match reclaim {
            Reclaim::Any => true,
            Reclaim::Lower => higher,
            Reclaim::Never => false,
        };
        if reclaims && takes_back() {
            return Some(Because::Lent);
        }
        let displaced = match theirs.displace() {
            Displace::Bool(yes) => *yes,
            Displace::String(most) => {
                let most = other.body.priorities.get(most).copied();
                own.weight.zip(most).is_some_and(|(own, most)| own <= most)
            }
        };
        if Cohort::borrow(theirs) == Some(0) {
            return None;
        }
        if higher && displaced {
            return Some(Because::Borrowed);
        }
        let less = || over.iter().any(|flavor| smaller_share(other, own, flavor));
        (self.is_fair(other) && reclaims && less()).then_some(Because::Share)
    }

    /// The flavors of a run of which the runs of its queue ask for more together than that holds.
    fn over<'a>(&self, rank: &Rank<'a>) -> BTreeSet<&'a str> {
        let runs = self.workloads().filter_map(|(id, run)| self.rank(id, run));
        let beside: Vec<Rank<'_>> = runs.filter(|it| it.queue == rank.queue).collect();
        let asked =
            |flavor: &str| beside.iter().fold(Amounts::NONE, |all, run| all.plus(run.asks(flavor)));
        let flavors = rank.flavors().into_iter();
        flavors.filter(|flavor| !fits(asked(flavor), held(rank.plan, flavor))).collect()
    }

    /// Whether what a run asks for is what its queue holds, or a cohort around that which the other queue is not in.
    fn fits_in_its_own(&self, rank: &Rank<'_>, other: &Rank<'_>, flavor: &str) -> bool {
        let asked = rank.asks(flavor);
        let theirs = self.cohorts(other.queue);
        let apart = self.cohorts(rank.queue).into_iter().filter(|cohort| !theirs.contains(cohort));
        let within = apart.map(|cohort| {
            let of_cluster = self
                .model
                .queues()
                .filter_map(|(noun, _)| self.queue(noun.id).map(|plan| (noun.id, plan)));
            let inside = of_cluster.filter(|(id, plan)| {
                plan.cluster == rank.plan.cluster && self.cohorts(*id).contains(&cohort)
            });
            inside.fold(Amounts::NONE, |all, (_, plan)| all.plus(held(plan, flavor)))
        });
        fits(asked, held(rank.plan, flavor)) || within.into_iter().any(|it| fits(asked, it))
    }

    /// The cohorts around a queue, its own first.
    fn cohorts(&self, queue: NounId) -> Vec<&str> {
        let own = self.model.get(queue).and_then(|noun| {
            let name = Queue::of(&noun.body)?.cohort.as_ref()?.name();
            Some((name, GkeCluster::of(&self.model.get(noun.parent?)?.body)))
        });
        let Some((name, cluster)) = own else { return Vec::new() };
        cluster.map_or_else(|| vec![name], |it| it.cohorts_around(name))
    }

    /// Whether Kueue deals what is lent out by what each queue uses of it.
    fn is_fair(&self, rank: &Rank<'_>) -> bool {
        let cluster = self.model.get(rank.plan.cluster.id());
        let body = cluster.and_then(|it| GkeCluster::of(&it.body));
        body.and_then(|it| it.kueue.as_ref()).is_some_and(|it| it.value.is_fair())
    }
}

impl<'a> Rank<'a> {
    /// The flavors of its queue that the run may be on.
    fn flavors(&self) -> BTreeSet<&'a str> {
        let names = self.plan.flavors.iter().map(|it| it.name.as_str());
        names.filter(|name| self.asks(name) != Amounts::NONE).collect()
    }

    /// What it asks of a flavor, where its leading gang is on that if it may be.
    fn asks(&self, flavor: &str) -> Amounts {
        let lead = self.run.lead();
        let pools = self.plan.flavors.iter().filter(|it| it.name == flavor).map(|it| it.pool.id());
        let asked = pools.map(|pool| {
            let here = lead.pod.selection.ids().any(|id| id == pool);
            self.run.asks(if here { pool } else { lead.program.place.value.id() }, pool)
        });
        asked.max_by_key(|it| (it.devices, it.millicpus)).unwrap_or(Amounts::NONE)
    }

    /// Devices of a flavor, or thousandths of a processor, that it is on beyond what its queue holds.
    fn beyond(&self, flavor: &str) -> i64 {
        let (asked, held) = (self.asks(flavor), held(self.plan, flavor));
        let (asked, held) = if asked.devices > 0 {
            (asked.devices, held.devices)
        } else {
            (asked.millicpus, held.millicpus)
        };
        asked.saturating_sub(held).max(0)
    }

    fn part(&self) -> i64 {
        self.body.cohort.as_ref().and_then(Cohort::weight).unwrap_or(1)
    }
}

/// Whether the queue of one run has a smaller share of what is lent with it than that of the other with its own.
fn smaller_share(one: &Rank<'_>, other: &Rank<'_>, flavor: &str) -> bool {
    let of =
        |rank: &Rank<'_>, by: &Rank<'_>| i128::from(rank.beyond(flavor)) * i128::from(by.part());
    of(one, other) < of(other, one)
}

/// What a queue holds of a flavor.
fn held(queue: &QueuePlan, flavor: &str) -> Amounts {
    let own = queue.flavors.iter().filter(|it| it.name == flavor);
    own.fold(Amounts::NONE, |all, it| all.plus(it.quota))
}

/// Whether there is as much: devices, or processors of what asks for none.
fn fits(asked: Amounts, held: Amounts) -> bool {
    match asked.devices {
        0 => asked.millicpus <= held.millicpus,
        devices => devices <= held.devices,
    }
}
