//! What lasts beyond an environment: names, which two of them cannot both make, and grants on what neither makes, which two of them
//! should not both own.

use crate::nouns::{Body, PushTo, Storage};
use crate::plan::Plan;
use crate::{Noun, NounId};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// A name with what must be the same for it to be the same name: what is made, in which project, where, and under
/// which name.
type Lasting<'a> = (&'static str, &'a str, &'a str, &'a str);

/// What lets Kubernetes accounts act as a service account.
pub const WORKLOAD_IDENTITY_ROLE: &str = "roles/iam.workloadIdentityUser";

/// A grant that a plan makes on what somebody else keeps to somebody whom it does not make either: another plan may make the very same
/// one. Whichever of the two is taken away first takes it from the other.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Shared {
    /// The account or bucket that it is on.
    pub on: NounId,
    /// What that is called by people: ``account `loader` of `my-project` ``.
    pub of: String,
    /// What may be done.
    pub role: String,
    /// Who may do it.
    pub member: String,
}

impl Shared {
    /// What makes it the same grant in another plan.
    pub fn key(&self) -> [&str; 3] {
        [&self.of, &self.role, &self.member]
    }
}

/// An account of pods in a cluster that somebody else keeps: another plan may have it act as somebody else.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Guest {
    /// The identity that it acts as.
    pub identity: NounId,
    /// The address of that.
    pub acts_as: String,
    /// Which cluster, in words.
    pub cluster: String,
    /// `namespace/name`
    pub account: String,
}

impl Guest {
    /// What makes it the same account in another plan.
    pub fn key(&self) -> [&str; 2] {
        [&self.cluster, &self.account]
    }
}

impl Plan {
    /// The accounts of pods that this plan has in clusters of others.
    pub fn guests(&self) -> Vec<Guest> {
        let theirs = self.model.gke_clusters().filter(|(noun, _)| noun.existing);
        let accounts = theirs.filter_map(|(noun, _)| {
            let cluster = self.whereabouts(noun.id)?;
            let accounts = self.cluster(noun.id)?.accounts.iter();
            Some(accounts.filter_map(move |(namespace, account, identity)| {
                Some(Guest {
                    identity: identity.id(),
                    acts_as: self.email(identity.id())?,
                    cluster: cluster.clone(),
                    account: format!("{namespace}/{account}"),
                })
            }))
        });
        accounts.flatten().collect()
    }

    /// The grants of this plan that another one may make too: neither what they are on nor who has them is made here.
    pub fn shared_grants(&self) -> Vec<Shared> {
        let Some(project) = self.model.project.as_deref() else { return Vec::new() };
        let pool = format!("{project}.svc.id.goog");
        let kept = &self.model.catalog.kubernetes().checkpointing;
        let mut all = std::collections::BTreeSet::new();
        for (cluster, _) in self.model.gke_clusters() {
            let Some(planned) = self.cluster(cluster.id) else { continue };
            let accounts = planned.accounts.iter().filter(|_| !cluster.existing);
            for (namespace, account, identity) in accounts {
                let on = identity.id();
                let Some(name) = self.existing(on) else { continue };
                let owner = self.owner(on).unwrap_or(project);
                let of = format!("account `{name}` of `{owner}`");
                let role = WORKLOAD_IDENTITY_ROLE.to_owned();
                all.insert(Shared {
                    on,
                    of,
                    role,
                    member: format!("{pool}[{namespace}/{account}]"),
                });
            }
            let pool = self.owner(cluster.id).map(|owner| format!("{owner}.svc.id.goog"));
            let pool = pool.unwrap_or_default();
            for bucket in planned.checkpoints.iter().map(|it| it.bucket.id()) {
                let Some(name) = self.existing(bucket) else { continue };
                let member = format!("{pool}[{}/{}]", kept.namespace, kept.account);
                let (of, role) = (format!("bucket `{name}`"), kept.role.clone());
                all.insert(Shared { on: bucket, of, role, member });
            }
        }
        all.into_iter().collect()
    }

    /// The name of what somebody else keeps.
    fn existing(&self, id: NounId) -> Option<&str> {
        let noun = self.model.get(id).filter(|noun| noun.existing)?;
        self.name(noun.id).map(String::as_str)
    }

    /// The names of what this plan makes, with their places, in which another one may have the same.
    pub fn lasting_names(&self) -> impl Iterator<Item = impl Ord + '_> {
        lasting(self).map(|(_, name)| name)
    }

    /// What this plan and another one would make under the same name in the same place: each noun of this one with that
    /// of the other, and the name. Whichever is applied second is refused.
    pub fn same_names<'a>(&'a self, other: &'a Plan) -> Vec<(NounId, NounId, &'a str)> {
        let mut theirs: BTreeMap<Lasting<'_>, NounId> = BTreeMap::new();
        for (noun, lasting) in lasting(other) {
            theirs.entry(lasting).or_insert(noun);
        }
        let mut seen: BTreeMap<Lasting<'_>, NounId> = BTreeMap::new();
        let mut same = Vec::new();
        for (noun, lasting) in lasting(self) {
            if let (Some(their), Entry::Vacant(slot)) = (theirs.get(&lasting), seen.entry(lasting))
            {
                slot.insert(noun);
                same.push((noun, *their, lasting.3));
            }
        }
        same
    }
}

/// Every lasting name of what a plan makes. Without a project nothing is made that lasts beyond its environment.
fn lasting(plan: &Plan) -> impl Iterator<Item = (NounId, Lasting<'_>)> {
    let project = plan.model.project.as_deref();
    let made = plan.model.nouns.iter().filter(|noun| !noun.existing);
    made.filter_map(move |noun| Some((noun.id, of_noun(plan, noun, project?)?)))
}

fn of_noun<'a>(plan: &'a Plan, noun: &'a Noun, project: &'a str) -> Option<Lasting<'a>> {
    let name = plan.name(noun.id).map(String::as_str);
    match &noun.body {
        Body::Network(_) => Some(("network", project, "", name?)),
        // Names of buckets are shared by the whole world.
        Body::Bucket(_) => Some(("bucket", "", "", name?)),
        Body::Registry(registry) => Some(("registry", project, &registry.location, name?)),
        Body::Image(image) => match image.push_to.as_ref().map(|it| &it.value) {
            Some(PushTo::Registry { location, repository }) => {
                Some(("registry", project, location, repository))
            }
            Some(PushTo::Noun(_)) | None => None,
        },
        Body::Reservation(reservation) => Some(("reservation", project, &reservation.zone, name?)),
        Body::Identity(_) => Some(("identity", project, "", name?)),
        Body::MachineImage(_) => Some(("machine_image", project, "", name?)),
        Body::Filesystem(filesystem) => match filesystem.storage.value {
            Storage::Nfs { .. } | Storage::Path { .. } => None,
            Storage::Filestore { .. }
            | Storage::Lustre { .. }
            | Storage::HyperdiskMl { .. }
            | Storage::HyperdiskBalanced { .. }
            | Storage::HyperdiskThroughput { .. } => {
                let location = filesystem.location.as_ref().map_or("", |it| it.value.as_str());
                Some(("filesystem", project, location, name?))
            }
        },
        // A cluster has its name in its location; the account of its nodes and its data networks are named after it, and
        // have theirs in the project.
        Body::GkeCluster(cluster) => {
            let planned = plan.cluster(noun.id)?;
            let apart = cluster.node_identity.is_some() && planned.data_networks.is_empty();
            Some(("cluster", project, if apart { &planned.location } else { "" }, name?))
        }
        // Their group has its name in its zone, their data networks and their policy have it in the project.
        Body::Machines(machines) => {
            let apart = plan.machines_plan(noun.id)?.data_networks.is_empty();
            Some(("machines", project, if apart { &machines.zone } else { "" }, name?))
        }
        Body::Dashboard(_)
        | Body::SlurmCluster(_)
        | Body::VertexCluster(_)
        | Body::Pool(_)
        | Body::Partition(_)
        | Body::Queue(_)
        | Body::Workload(_)
        | Body::Group(_)
        | Body::Broken { .. } => None,
    }
}
