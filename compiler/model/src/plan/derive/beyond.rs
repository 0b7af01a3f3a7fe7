//! What pods of a run claim, or count as, beyond what their queue can ever give them; and flavors that give nothing of it to anybody.

use super::counted::{claims, kueue};
use super::shortage::Shortage;
use crate::nouns::{Countable, Counted, Kind, Kueue, Queue};
use crate::plan::{Amounts, Counts, Flavor, Gang, Plan, PoolPlan, QueuePlan, Run};
use crate::{NounId, Size};
use std::collections::BTreeMap;

/// How pods come to more than there is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum By {
    /// They claim devices.
    Claims,
    /// Kueue counts other things for what they ask for.
    CountingAs,
}

/// Devices that the pods of a workload claim, of which its queue says that it holds less, on the first pool that it could run on.
pub(crate) fn unclaimed(plan: &Plan, workload: &Run) -> Option<Shortage> {
    beyond(plan, workload).filter(|(by, _)| *by == By::Claims).map(|(_, short)| short)
}

/// What the pods of a workload count as, and its queue may never hold, on the first pool that it could run on.
pub(crate) fn uncounted(plan: &Plan, workload: &Run) -> Option<Shortage> {
    beyond(plan, workload).filter(|(by, _)| *by == By::CountingAs).map(|(_, short)| short)
}

/// What is short on the first pool that the workload could run on; nothing where another one has enough of all.
fn beyond(plan: &Plan, workload: &Run) -> Option<(By, Shortage)> {
    let id = workload.queue()?.id();
    let body = Queue::of(&plan.model.get(id)?.body)?;
    let asking = Asking { plan, workload, own: plan.queue(id)?, body, id };
    let mut found = None;
    for place in workload.lead().pod.selection.ids() {
        let short = asking.short_of(place)?;
        found = found.or(Some(short));
    }
    found
}

/// A workload before its queue.
struct Asking<'p> {
    plan: &'p Plan,
    workload: &'p Run,
    own: &'p QueuePlan,
    body: &'p Queue,
    id: NounId,
}

impl Asking<'_> {
    /// What is short where the workload runs on this pool.
    fn short_of(&self, place: NounId) -> Option<(By, Shortage)> {
        self.own.flavors.iter().find_map(|flavor| {
            let claimed = || Some((By::Claims, self.claimed(flavor, place)?));
            claimed().or_else(|| Some((By::CountingAs, self.counted_as(flavor, place)?)))
        })
    }

    /// Gangs on a pool, where the workload's own runs on `place`.
    fn gangs(&self, pool: NounId, place: NounId) -> impl Iterator<Item = &Gang> {
        let here = move |gang: &&Gang| gang.program.place.value.id() == pool;
        let lead = Some(self.workload.lead()).filter(|_| place == pool);
        self.workload.groups().iter().filter(here).chain(lead)
    }

    /// Of what nobody says there is as much as belongs to the devices, which are counted by themselves.
    fn claimed(&self, flavor: &Flavor, place: NounId) -> Option<Shortage> {
        let pool = flavor.pool.id();
        let said = self.body.flavor_of(pool)?;
        let gangs = self.gangs(pool, place).filter(|gang| gang.fabric);
        let nodes = gangs.fold(0i64, |all, gang| all.saturating_add(gang.nodes));
        claims(self.plan, self.own.cluster.id(), pool).into_iter().find_map(|(name, each)| {
            said.said_of(name).0?;
            let asked = i128::from(nodes.saturating_mul(each)) * MILLI;
            self.short(flavor, name, asked, self.reach(flavor, name)?)
        })
    }

    fn counted_as(&self, flavor: &Flavor, place: NounId) -> Option<Shortage> {
        let (id, cluster) = (flavor.pool.id(), self.own.cluster.id());
        let (pool, kueue) = (self.plan.pool(id)?, kueue(self.plan, cluster)?);
        // releases before 0.18 round what they multiply up to whole units
        let exact = self.plan.cluster(cluster)?.kueue.counts_devices();
        let mut counted: BTreeMap<&str, i128> = BTreeMap::new();
        for gang in self.gangs(id, place) {
            for (name, each) in counts_as(kueue, pool, gang.request, exact) {
                let all = counted.entry(name).or_default();
                *all = all.saturating_add(each.saturating_mul(gang.nodes.into()));
            }
        }
        let nodes = asked_of_nodes(pool, self.workload.asks(place, id));
        let held = asked_of_nodes(pool, self.own.lendable(flavor));
        counted.into_iter().find_map(|(name, more)| match held.get(name) {
            Some(held) => {
                // what takes the place of something is not added to it
                let kept = kueue.counts_as().get(name).is_none_or(Counted::is_kept);
                let own = nodes.get(name).copied().filter(|_| kept).unwrap_or(0);
                let asked = more.saturating_add(own);
                self.short(flavor, name, asked, *held)
            }
            None => self.short(flavor, name, more, self.reach(flavor, name)?),
        })
    }

    fn short(&self, flavor: &Flavor, name: &str, asked: i128, has: i128) -> Option<Shortage> {
        (asked > has).then(|| {
            let bytes = ["memory", "ephemeral-storage"].contains(&name) || self.is_size(name);
            let pool = flavor.pool.id();
            let asked = format!("{} of `{name}`", in_words(asked, bytes));
            Shortage { pool, asked, has: in_words(has, bytes), rival: None }
        })
    }

    /// Whether a name counts bytes, as far as somebody says so.
    fn is_size(&self, name: &str) -> bool {
        let held = self.own.counts.values().filter_map(|it| it.get(name)).map(|it| it.held);
        let kueue = kueue(self.plan, self.own.cluster.id());
        let each = kueue.into_iter().flat_map(|it| it.counts_as().values());
        let each = each.filter_map(|Counted::Each { amounts, .. }| amounts.get(name)).copied();
        held.chain(each).any(|it| matches!(it, Countable::Size(_)))
    }

    fn reach(&self, flavor: &Flavor, name: &str) -> Option<i128> {
        reach(self.plan, self.id, &flavor.name, name)
    }
}

/// Thousandths: processors are asked for in parts.
const MILLI: i128 = 1000;

/// What a queue may hold of a name of a flavor in all, with what others of its cohort lend, in thousandths; nothing where it does not count it.
fn reach(plan: &Plan, id: NounId, flavor: &str, name: &str) -> Option<i128> {
    let of = |queue: &QueuePlan| -> Option<Counts> {
        queue.counts.get(flavor).and_then(|it| it.get(name)).copied()
    };
    let own = plan.queue(id)?;
    let counts = of(own)?;
    let lends = |(other, queue): (NounId, &QueuePlan)| {
        let same = own.cohort.is_some() && queue.cohort == own.cohort;
        let counts = of(queue).filter(|_| same && other != id && queue.cluster == own.cluster)?;
        Some(counts.lends.map_or(counts.held, |most| most.least(counts.held)).units())
    };
    let offered: i128 = plan.queues().filter_map(lends).sum();
    let borrowed = counts.borrows.map_or(offered, |most| most.units().min(offered));
    Some(counts.held.units().saturating_add(borrowed).saturating_mul(MILLI))
}

/// What a pod asks for by the names of Kubernetes, in thousandths.
fn asked_of_nodes(pool: &PoolPlan, request: Amounts) -> BTreeMap<&str, i128> {
    let Amounts { devices, millicpus, memory, disk } = request;
    let device = pool.resource.as_deref().map(|name| (name, i128::from(devices) * MILLI));
    let hosts = [
        ("cpu", i128::from(millicpus)),
        ("memory", i128::from(memory.0) * MILLI),
        ("ephemeral-storage", i128::from(disk.0) * MILLI),
    ];
    device.into_iter().chain(hosts).collect()
}

/// What Kueue counts besides for a pod, in thousandths: `applyResourceTransformations` in its `pkg/workload`. What pods claim is added behind
/// that, and counts as nothing else.
fn counts_as<'p>(
    kueue: &'p Kueue,
    pool: &PoolPlan,
    request: Amounts,
    exact: bool,
) -> impl Iterator<Item = (&'p str, i128)> {
    let mut asked = asked_of_nodes(pool, request);
    if !exact {
        let up = |milli: i128| milli.saturating_add(MILLI - 1) / MILLI * MILLI;
        asked.values_mut().for_each(|it| *it = up(*it));
    }
    let mut found = Vec::new();
    for (input, Counted::Each { amounts, times, kept: _ }) in kueue.counts_as() {
        let Some(some) = asked.get(input.as_str()).copied().filter(|it| *it > 0) else { continue };
        let times = times.as_deref().and_then(|name| asked.get(name)).copied();
        let times = times.filter(|it| *it > 0).unwrap_or(MILLI);
        let some = some.saturating_mul(times) / MILLI;
        let of = |(name, each): (&'p String, &'p Countable)| {
            (name.as_str(), some.saturating_mul(each.units()))
        };
        found.extend(amounts.iter().map(of));
    }
    found.into_iter()
}

fn in_words(milli: i128, bytes: bool) -> String {
    let whole = milli.saturating_add(MILLI - 1) / MILLI;
    if bytes {
        Size(u64::try_from(whole).unwrap_or(u64::MAX)).to_string()
    } else {
        whole.to_string()
    }
}

/// A flavor that no pod is ever assigned to.
pub(crate) struct Starved {
    pub(crate) pool: NounId,
    /// What each of its pods counts as, of which it has none.
    pub(crate) name: String,
    /// What they ask for.
    pub(crate) input: String,
}

/// The first flavor of a queue that has nothing of what each of its pods counts as: Kueue assigns pods only flavors that have enough of all that
/// they ask for of one group.
pub(crate) fn starved(plan: &Plan, id: NounId) -> Option<Starved> {
    let own = plan.queue(id)?;
    let noun = plan.model.get(id).filter(|noun| !noun.existing)?;
    let lent_by_others = Queue::of(&noun.body)?.cohort.is_some() && is_shared(plan, own);
    let kueue = kueue(plan, own.cluster.id()).filter(|_| !lent_by_others)?;
    own.flavors.iter().find_map(|flavor| {
        let pool = plan.pool(flavor.pool)?;
        // who only has processors there asks for those
        let asked = pool.resource.as_deref().map_or(vec!["cpu", "memory"], |name| vec![name]);
        let of = asked.into_iter().filter_map(|input| Some((input, kueue.counts_as().get(input)?)));
        let mut counted = of.flat_map(|(input, Counted::Each { amounts, .. })| {
            let some = amounts.iter().filter(|(_, amount)| amount.units() > 0);
            some.map(move |(name, _)| (input, name))
        });
        let none = |(_, name): &(&str, &String)| {
            let nodes = asked_of_nodes(pool, Amounts::NONE);
            !nodes.contains_key(name.as_str()) && reach(plan, id, &flavor.name, name) == Some(0)
        };
        let (input, name) = counted.find(none)?;
        let (input, name) = (input.to_owned(), name.to_owned());
        Some(Starved { pool: flavor.pool.id(), name, input })
    })
}

/// Whether others may have queues in the cluster of one.
fn is_shared(plan: &Plan, queue: &QueuePlan) -> bool {
    plan.model.get(queue.cluster.id()).is_none_or(|noun| noun.existing)
}
