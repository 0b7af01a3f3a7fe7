//! What a GKE cluster holds before any workload: namespaces, accounts, networks, installers, volumes and queues, in one
//! folder that builds alone, with a script that installs what the objects need to mean anything.

use super::context::{Context, text};
use super::deferred::Deferrals;
use super::installer::Installers;
use super::kustomize::{Folder, Stream, short};
use super::manager::Configuration;
use super::objects::{Kustomization, LabelPairs, Meta, Object, Pairs};
use super::queue::Queues;
use super::setup::Setup;
use super::{access, checkpoints, guarded, network, storage, words};
use crate::rights::Users;
use crate::{Applied, Output, Stage};
use sha2::{Digest, Sha256};
use slipform_model::nouns::{GkeCluster, Pool, Workload};
use slipform_model::plan::{ClusterPlan, Planned, Site, Sound, WORKLOAD_IDENTITY_ROLE};
use slipform_model::{Diagnostic, Noun};
use std::collections::BTreeSet;

slipform_source::codes! {
    pub(crate) CODES;
    KUBERNETES_IDENTITY = "kubernetes/identity":
        "an identity has no address without a project",
        "declare `param project: ProjectId`";
}

/// Where objects of a namespace of a cluster are.
pub(super) fn place(
    cx: &Context<'_>,
    cluster: Planned<'_, GkeCluster>,
    namespace: &str,
) -> Applied {
    Applied {
        cluster: cluster.name().to_owned(),
        namespace: namespace.to_owned(),
        place: cx.plan.whereabouts(cluster.reference()),
        made: !cluster.noun.existing,
    }
}

/// Writes the folder of a cluster.
pub(crate) fn render(cx: &Context<'_>, cluster: Planned<'_, GkeCluster>, out: &mut Output) {
    let Planned { noun, body, plan, .. } = cluster;
    let folder = Folder { path: Stage::queues(cx.plan, cluster).folder(), nouns: nouns(cx, noun) };
    let mut deferrals = Deferrals::default();
    let mut diagnostics = Vec::new();
    let mut kustomization = Kustomization::default();
    let mut files: Vec<(&'static str, Stream)> = Vec::new();

    let mounted = storage::mounted(cx, cluster.reference());
    let queues = Queues::of(cx, cluster);
    // whoever owns a cluster owns its namespaces, which go with everything in them
    let mut identities = match noun.existing {
        true => Stream::default(),
        false => namespaces(cx, cluster, &queues, &mounted),
    };
    accounts(cx, plan, &mut identities, &mut diagnostics);
    let name = if noun.existing { "accounts.yaml" } else { "namespaces.yaml" };
    files.push((name, identities));
    let queue_objects = queues.render(&mut diagnostics);
    let pools = cx.plan.inside::<Pool>(noun.id).filter(|_| cluster.is_made());
    let pools = pools.map(|pool| pool.plan);
    let installers = Installers::of(cx.plan.catalog(), &cx.facts.idle_image, pools);
    if !noun.existing {
        files.push(("networks.yaml", network::render(cx, noun, plan)));
        files.push(("installers.yaml", installers.render(&noun.origin)));
    }
    files.push((
        "storage.yaml",
        storage::render(cx, plan, &mounted, &mut deferrals, &mut diagnostics),
    ));
    files.push(("checkpoints.yaml", checkpoints::render(cx, plan)));
    files.push(("queues.yaml", queue_objects));
    files.push(("teams.yaml", access::render(noun, body)));

    let mut content = Sha256::new();
    for (name, mut stream) in files.into_iter().filter(|(_, stream)| !stream.is_empty()) {
        kustomization.resources.push(name.into());
        let text = stream.take();
        count_in(&mut content, &text);
        out.file(folder.path.join(name), text, folder.nouns());
    }
    let made = Made {
        part_of: cx.dns(&format!("{}-{}", cx.plan.blueprint(), cx.plan.environment())),
        revision: short(&content.finalize()),
    };
    let applies = !kustomization.resources.is_empty();
    if applies {
        kustomization.labels.push(LabelPairs { pairs: made.labels() });
        deferrals.finish(&mut kustomization, &folder, out);
        folder.kustomization(&noun.origin, &kustomization, &mut Stream::default(), out);
        out.applied(place(cx, cluster, ""));
    }
    let setup = Setup::of(cx, cluster, &queues, &installers, &made, applies, &deferrals);
    configure(noun, &queues, &setup, &folder, out);
    setup.write(cx, &installers, noun, &folder, out);
    out.diagnostics.extend(diagnostics);
}

/// Writes how Kueue is installed where it does otherwise than its release.
fn configure(
    noun: &Noun,
    queues: &Queues<'_, '_>,
    setup: &Setup<'_>,
    folder: &Folder,
    out: &mut Output,
) {
    let Some(installed) = setup.configured() else { return };
    let release = queues.cx.plan.catalog().kueue_release(&queues.kueue.version);
    Configuration::of(release, queues.said, &queues.served(noun.id))
        .counting_use(queues.count_use())
        .counting_devices(queues.classes)
        .placing_layers(queues.opens_layers())
        .write(installed, noun, folder, out);
}

/// Counts objects in, without what is remarked above them: a noun under another name makes no other objects.
fn count_in(content: &mut Sha256, text: &str) {
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        content.update(line);
        content.update("\n");
    }
}

/// What tells the objects of one build of a blueprint from those of others.
pub(crate) struct Made {
    /// The blueprint and its environment.
    pub(crate) part_of: String,
    /// The content of all objects.
    pub(crate) revision: String,
}

impl Made {
    fn labels(&self) -> Pairs<'_> {
        Pairs::from([
            (words::MANAGED_BY.into(), "slipform".into()),
            (words::PART_OF.into(), text(&self.part_of)),
            (words::REVISION.into(), text(&self.revision)),
        ])
    }
}

fn nouns(cx: &Context<'_>, cluster: &Noun) -> Vec<slipform_model::NounId> {
    let own = cx.plan.nouns().map(|it| it.noun()).filter(|it| it.parent == Some(cluster.id));
    std::iter::once(cluster.id).chain(own.map(|it| it.id)).collect()
}

/// The namespaces of workloads and queues.
fn namespaces(
    cx: &Context<'_>,
    cluster: Planned<'_, GkeCluster>,
    queues: &Queues<'_, '_>,
    mounted: &BTreeSet<storage::Shared>,
) -> Stream {
    let Planned { noun, body, plan, .. } = cluster;
    let mut stream = Stream::default();
    let managed = queues.namespaces();
    let mut names: BTreeSet<&str> = plan.namespaces.iter().map(String::as_str).collect();
    names.extend(managed.iter());
    names.extend(mounted.iter().map(|shared| shared.namespace.as_str()));
    names.insert(&body.namespace);
    names.extend(body.teams.keys().map(String::as_str));
    names.remove("default");
    let given = |name: &&str| body.teams.get(*name).is_some_and(|team| !team.is_made());
    names.retain(|name| !given(name));
    for name in names {
        let mut meta = Meta::named(text(name));
        if managed.contains(name) {
            meta = meta.label(words::QUEUE_MANAGED, "true");
        }
        for (key, value) in queues.labels_of(name) {
            meta = meta.label(key, value);
        }
        if body.teams.contains_key(name) {
            let (key, value) = guarded::label(cx, cluster, name);
            meta = meta.label(key, value);
        }
        let object: Object<'_, Pairs<'_>> =
            Object { spec: None, ..Object::new("v1", "Namespace", meta, Pairs::new()) };
        stream.object(&noun.origin, &object);
    }
    stream
}

/// The runs whose pods use each account that is made here, with the role that it gives them, by the folder and the account:
/// `40-a3m-queues/ServiceAccount research/trainer`.
pub(crate) fn users_of_accounts(plan: Sound<'_>) -> Users {
    let mut found = Users::new();
    let key = |cluster, namespace: &str, account: &str| {
        let folder = Stage::queues(plan, cluster).folder();
        format!("{folder}/{ACCOUNT} {namespace}/{account}")
    };
    for cluster in plan.all::<GkeCluster>() {
        for (namespace, account, _) in &cluster.plan.accounts {
            found.entry(key(cluster, namespace, account)).or_default();
        }
    }
    for run in plan.all::<Workload>() {
        let Site::Gke(site) = &run.plan.site else { continue };
        for gang in run.plan.gangs() {
            let account = key(plan.get(site.cluster), &site.namespace, &gang.pod.account);
            if let Some(users) = found.get_mut(&account) {
                users.insert(run.noun.id, WORKLOAD_IDENTITY_ROLE.to_owned());
            }
        }
    }
    found
}

const ACCOUNT: &str = "ServiceAccount";

/// The accounts of workloads that act as identities.
fn accounts(
    cx: &Context<'_>,
    plan: &ClusterPlan,
    stream: &mut Stream,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for (namespace, account, identity) in &plan.accounts {
        let address = cx.plan.email(*identity);
        let identity = cx.plan.get(*identity).noun;
        let Some(address) = address else {
            let message =
                format!("the address of `{}` is not known without a project", identity.path);
            diagnostics.push(
                Diagnostic::error(KUBERNETES_IDENTITY, message, identity.span)
                    .help("declare `param project: ProjectId`"),
            );
            continue;
        };
        let meta = Meta::of(text(account), text(namespace)).annotation(words::ACTS_AS, address);
        let object: Object<'_, Pairs<'_>> =
            Object { spec: None, ..Object::new("v1", ACCOUNT, meta, Pairs::new()) };
        stream.object(&identity.origin, &object);
    }
}
