//! The root of Workload Identity: which Kubernetes service accounts act as which service accounts.
//!
//! The pool of these identities belongs to the project, so a binding holds in all of its clusters: it is made once,
//! after the first cluster, with which the pool comes to be, and outlives each of them.

use super::identity;
use super::labels::{Labels, snake};
use super::released;
use super::root::{File, Root, data, resource};
use crate::Stage;
use crate::document::hcl::{Block, Expr, Part};
use slipform_model::nouns::{Bucket, GkeCluster, Identity, Ref, Workload};
use slipform_model::plan::{Planned, Site, Sound, Source, WORKLOAD_IDENTITY_ROLE};
use slipform_model::{Noun, NounId};
use std::collections::{BTreeMap, BTreeSet};

/// The root, unless nobody acts as anyone. Where both cluster and identity are someone else's, so is the binding: what was made of it
/// before is let go of.
pub(super) fn render(plan: Sound<'_>) -> Option<Root<'_>> {
    let members = members(plan);
    let kept = kept(plan);
    if members.is_empty() && kept.is_empty() {
        return None;
    }
    let mut root = Root::new(plan, &Stage::WorkloadIdentity, None, None);
    for ((id, pool), accounts) in members {
        let address = identity::look_up(&mut root, id);
        let block = binding(&labelled(root.label(id), pool), &address, pool, accounts);
        root.push(File::Iam, plan.get(id).noun, block);
    }
    released::let_go(&mut root, of_others(plan, &Labels::new(plan)));
    let mut read = BTreeSet::new();
    for (bucket, pool) in kept {
        let noun = plan.get(bucket).noun;
        if read.insert(pool) {
            let project = data("google_project", &pool.map_or("own".to_owned(), snake));
            root.push(File::Lookups, noun, project.attr_opt("project_id", pool));
        }
        let block = keeper(&mut root, bucket, pool);
        root.push(File::Iam, noun, block);
    }
    Some(root)
}

/// The project whose pool of identities accounts are members of, where that is not the own one.
type Pool<'p> = Option<&'p str>;

fn pool_of(plan: Sound<'_>, cluster: Ref<GkeCluster>) -> Pool<'_> {
    plan.other_project(cluster.id())
}

/// The identities of other projects that accounts of pods are let act as from here.
pub(super) fn accounts_abroad(plan: Sound<'_>) -> BTreeSet<Ref<Identity>> {
    let bound = members(plan).into_keys().map(|(identity, _)| identity);
    bound.filter(|it| plan.other_project(it.id()).is_some()).collect()
}

/// What is bound for accounts of another project's pool has a label of its own.
fn labelled(label: String, pool: Pool<'_>) -> String {
    pool.map_or_else(|| label.clone(), |project| format!("{label}_of_{}", snake(project)))
}

fn pool_project(pool: Pool<'_>) -> Part {
    pool.map_or_else(|| Part::from(Expr::reference("var.project_id")), Part::from)
}

/// The buckets that nodes keep their checkpoints in, by the pool that GKE's account is of.
fn kept(plan: Sound<'_>) -> BTreeSet<(Ref<Bucket>, Pool<'_>)> {
    let buckets = plan.all::<GkeCluster>().flat_map(|it| {
        let pool = pool_of(plan, it.reference());
        it.plan.checkpoints.iter().map(move |kept| (kept.bucket, pool))
    });
    buckets.collect()
}

/// What GKE's own account, which copies checkpoints, may do with a bucket.
fn keeper(root: &mut Root<'_>, bucket: Ref<Bucket>, pool: Pool<'_>) -> Block {
    let facts = &root.plan.catalog().kubernetes().checkpointing;
    let number = pool.map_or("own".to_owned(), snake);
    let member = Expr::template([
        Part::from("principal://iam.googleapis.com/projects/"),
        Part::from(Expr::reference(format!("data.google_project.{number}.number"))),
        Part::from("/locations/global/workloadIdentityPools/"),
        pool_project(pool),
        Part::from(format!(".svc.id.goog/subject/ns/{}/sa/{}", facts.namespace, facts.account)),
    ]);
    resource(KEEPING, &of_keeper(&root.label(bucket), pool))
        .attr("bucket", root.plan.get(bucket).name())
        .attr("role", &facts.role)
        .attr("member", member)
}

const KEEPING: &str = "google_storage_bucket_iam_member";

fn of_keeper(bucket: &str, pool: Pool<'_>) -> String {
    labelled(format!("{bucket}_checkpoints"), pool)
}

/// Kubernetes service accounts, `namespace/name`, by the identity that they act as and the pool that they are members of.
type Members<'p> = BTreeMap<(Ref<Identity>, Pool<'p>), BTreeSet<String>>;

fn members(plan: Sound<'_>) -> Members<'_> {
    let mut members = Members::new();
    for (cluster, (namespace, account, identity)) in asked(plan) {
        if cluster.is_made() || plan.get(*identity).is_made() {
            let pool = pool_of(plan, cluster.reference());
            let bound = members.entry((*identity, pool)).or_default();
            bound.insert(format!("{namespace}/{account}"));
        }
    }
    members
}

/// Which runs have each right of this root, with its role, by the addresses: those whose pods act as an account, and those whose checkpoints nodes keep in
/// a bucket. An account of pods that no run acts as has none.
pub(super) fn users<'p>(
    plan: Sound<'p>,
    labels: &Labels<'_>,
) -> BTreeMap<String, BTreeMap<NounId, &'p str>> {
    let mut found: BTreeMap<String, BTreeMap<NounId, &str>> = BTreeMap::new();
    for ((identity, pool), accounts) in members(plan) {
        let label = labelled(labels.of(identity.id()).to_owned(), pool);
        for account in accounts {
            found.entry(format!("{BINDING}.{label}[\"{account}\"]")).or_default();
        }
    }
    let facts = &plan.catalog().kubernetes().checkpointing;
    for run in plan.all::<Workload>() {
        let Site::Gke(site) = &run.plan.site else { continue };
        let pool = pool_of(plan, site.cluster);
        for gang in run.plan.gangs() {
            if let Some(identity) = gang.identity {
                let label = labelled(labels.of(identity.id()).to_owned(), pool);
                let address =
                    format!("{BINDING}.{label}[\"{}/{}\"]", site.namespace, gang.pod.account);
                if let Some(users) = found.get_mut(&address) {
                    users.insert(run.noun.id, WORKLOAD_IDENTITY_ROLE);
                }
            }
            for mount in &gang.program.mounts {
                if let Source::LocalCheckpoints { noun, .. } = &mount.source.value {
                    let label = of_keeper(labels.of(noun.id()), pool);
                    let address = format!("{KEEPING}.{label}");
                    found.entry(address).or_default().insert(run.noun.id, &facts.role);
                }
            }
        }
    }
    found
}

/// Every account of pods that acts as an identity, with its cluster.
fn asked(
    plan: Sound<'_>,
) -> impl Iterator<Item = (Planned<'_, GkeCluster>, &(String, String, Ref<Identity>))> {
    plan.all::<GkeCluster>().flat_map(|it| it.plan.accounts.iter().map(move |one| (it, one)))
}

/// The addresses of bindings that are not made here, since both cluster and identity are someone else's, with the two nouns: one of them
/// may have been made here before.
pub(super) fn of_others<'p>(
    plan: Sound<'p>,
    labels: &Labels<'_>,
) -> Vec<(String, &'p Noun, &'p Noun)> {
    let made = members(plan);
    let mut found: BTreeMap<String, (&Noun, &Noun)> = BTreeMap::new();
    for (cluster, (.., identity)) in asked(plan) {
        let pool = pool_of(plan, cluster.reference());
        if !made.contains_key(&(*identity, pool)) {
            let label = labelled(labels.of(identity.id()).to_owned(), pool);
            let nouns = (plan.get(*identity).noun, cluster.noun);
            found.entry(format!("{BINDING}.{label}")).or_insert(nouns);
        }
    }
    found.into_iter().map(|(address, (identity, cluster))| (address, identity, cluster)).collect()
}

const BINDING: &str = "google_service_account_iam_member";

fn binding(label: &str, address: &str, pool: Pool<'_>, accounts: BTreeSet<String>) -> Block {
    let member = Expr::template([
        Part::from("serviceAccount:"),
        pool_project(pool),
        Part::from(".svc.id.goog["),
        Part::from(Expr::reference("each.value")),
        Part::from("]"),
    ]);
    resource(BINDING, label)
        .attr("for_each", Expr::call("toset", [Expr::list(accounts)]))
        .gap()
        .attr("service_account_id", Expr::reference(format!("{address}.name")))
        .attr("role", WORKLOAD_IDENTITY_ROLE)
        .attr("member", member)
}
