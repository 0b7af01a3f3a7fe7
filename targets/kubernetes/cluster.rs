//! What a GKE cluster holds before any workload: namespaces, accounts, networks, installers, volumes and queues, in one
//! folder that builds alone, with a script that installs what the objects need to mean anything.

use super::context::{Context, text};
use super::deferred::Deferrals;
use super::installer::Installers;
use super::kustomize::{Folder, Stream};
use super::objects::{Kustomization, Meta, Object, Pairs};
use super::queue::Queues;
use super::text::origin;
use super::{network, storage, words};
use crate::template::Templates;
use crate::{Output, Stage};
use serde::Serialize;
use slipform_model::catalog::{Component, Installer};
use slipform_model::nouns::GkeCluster;
use slipform_model::plan::ClusterPlan;
use slipform_model::{Diagnostic, Noun};
use std::collections::BTreeSet;
use std::sync::LazyLock;

const INSTALL: &str = include_str!("templates/install.sh.j2");
const README: &str = include_str!("templates/README.md.j2");

/// Writes the folder of a cluster.
pub(crate) fn render(
    cx: &Context<'_>,
    noun: &Noun,
    body: &GkeCluster,
    plan: &ClusterPlan,
    out: &mut Output,
) {
    let folder = Folder { path: Stage::Queues(plan.name.clone()).folder(), nouns: nouns(cx, noun) };
    let mut deferrals = Deferrals::default();
    let mut diagnostics = Vec::new();
    let mut kustomization = Kustomization::default();
    let mut files: Vec<(&'static str, Stream)> = Vec::new();

    let mounted = storage::mounted(cx, noun.id);
    let queues = Queues::of(cx, noun.id);
    files.push((
        "namespaces.yaml",
        namespaces(cx, noun, body, plan, &queues, &mounted, &mut diagnostics),
    ));
    let has_queues = !queues.queues.is_empty();
    let queue_objects = queues.render(&mut diagnostics);
    let pools = cx.model.pools().filter(|(pool, _)| pool.parent == Some(noun.id) && !noun.existing);
    let installers = Installers::of(pools.filter_map(|(pool, _)| cx.plan.pool(pool.id)));
    if !noun.existing {
        files.push(("networks.yaml", network::render(cx, noun, plan)));
        files.push(("installers.yaml", installers.render(&noun.origin)));
    }
    files.push((
        "storage.yaml",
        storage::render(cx, plan, &mounted, &mut deferrals, &mut diagnostics),
    ));
    files.push(("queues.yaml", queue_objects));

    for (name, mut stream) in files.into_iter().filter(|(_, stream)| !stream.is_empty()) {
        kustomization.resources.push(name.into());
        out.file(folder.path.join(name), stream.take(), folder.nouns());
    }
    let applies = !kustomization.resources.is_empty();
    if applies {
        deferrals.finish(cx, &mut kustomization, &folder, out);
        folder.kustomization(&origin(&noun.origin), &kustomization, &mut Stream::default(), out);
    }
    let components = [(true, cx.jobset), (has_queues, cx.kueue)];
    let setup = Setup {
        cluster: &plan.name,
        location: &plan.location,
        origin: &noun.origin,
        components: components
            .iter()
            .filter(|(needed, _)| *needed && !noun.existing)
            .map(|(_, component)| Installed::of(component))
            .collect(),
        others: installers.others.iter().map(|installer| Other::of(installer)).collect(),
        applies,
        deferred: !deferrals.is_empty(),
    };
    setup.write(noun, &folder, out);
    out.diagnostics.extend(diagnostics);
}

fn nouns(cx: &Context<'_>, cluster: &Noun) -> Vec<slipform_model::NounId> {
    let own = cx.plan.children(cluster.id).iter().copied();
    std::iter::once(cluster.id).chain(own).collect()
}

/// Namespaces, and the accounts in them that act as identities.
fn namespaces(
    cx: &Context<'_>,
    noun: &Noun,
    body: &GkeCluster,
    plan: &ClusterPlan,
    queues: &Queues<'_, '_>,
    mounted: &BTreeSet<(String, slipform_model::NounId)>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Stream {
    let mut stream = Stream::default();
    let managed = queues.namespaces();
    let mut names: BTreeSet<&str> = plan.namespaces.iter().map(String::as_str).collect();
    names.extend(managed.iter());
    names.extend(mounted.iter().map(|(namespace, _)| namespace.as_str()));
    names.insert(&body.namespace);
    names.remove("default");
    for name in names {
        let mut meta = Meta::named(text(name));
        if managed.contains(name) {
            meta = meta.label(words::QUEUE_MANAGED, "true");
        }
        let object: Object<'_, Pairs<'_>> =
            Object { spec: None, ..Object::new("v1", "Namespace", meta, Pairs::new()) };
        stream.object(&noun.origin, &object);
    }
    for (namespace, account, identity) in &plan.accounts {
        let Some(identity) = cx.model.get(*identity) else { continue };
        let Some(address) = email(cx, identity) else {
            let message =
                format!("the address of `{}` is not known without a project", identity.path);
            diagnostics.push(
                Diagnostic::error("kubernetes/identity", message, identity.span)
                    .help("declare `param project: ProjectId`"),
            );
            continue;
        };
        let meta = Meta::of(text(account), text(namespace)).annotation(words::ACTS_AS, address);
        let object: Object<'_, Pairs<'_>> =
            Object { spec: None, ..Object::new("v1", "ServiceAccount", meta, Pairs::new()) };
        stream.object(&identity.origin, &object);
    }
    stream
}

fn email(cx: &Context<'_>, identity: &Noun) -> Option<String> {
    let (account, project) = (cx.plan.name(identity.id)?, cx.model.project.as_deref()?);
    Some(format!("{account}@{project}.iam.gserviceaccount.com"))
}

/// The script and the page of a cluster's folder.
#[derive(Serialize)]
struct Setup<'s> {
    cluster: &'s str,
    location: &'s str,
    origin: &'s str,
    components: Vec<Installed<'s>>,
    others: Vec<Other<'s>>,
    applies: bool,
    deferred: bool,
}

/// A controller that is installed from its own release.
#[derive(Serialize)]
struct Installed<'s> {
    name: &'s str,
    version: &'s str,
    manifest: String,
    namespace: &'s str,
}

/// What people install by other means.
#[derive(Serialize)]
struct Other<'s> {
    name: &'s str,
    version: &'s str,
    namespace: &'s str,
    page: &'s str,
}

impl<'s> Installed<'s> {
    fn of(component: &'s Component) -> Self {
        let manifest = component.manifest.as_deref().unwrap_or_default();
        Self {
            name: &component.name,
            version: &component.version,
            manifest: manifest.replace("{version}", &component.version),
            namespace: component.namespace.as_deref().unwrap_or("default"),
        }
    }
}

impl<'s> Other<'s> {
    fn of(installer: &'s Installer) -> Self {
        Self {
            name: &installer.name,
            version: installer.chart_version.as_deref().unwrap_or_default(),
            namespace: installer.namespace.as_deref().unwrap_or_default(),
            page: installer.manifest.as_deref().unwrap_or_default(),
        }
    }
}

impl Setup<'_> {
    fn write(&self, noun: &Noun, folder: &Folder, out: &mut Output) {
        static TEMPLATES: LazyLock<Templates> =
            LazyLock::new(|| Templates::new(&[("install.sh", INSTALL), ("README.md", README)]));
        if let Some(text) = TEMPLATES.fill(out, noun, "install.sh", self) {
            out.program(folder.path.join("install.sh"), text, folder.nouns());
        }
        if let Some(text) = TEMPLATES.fill(out, noun, "README.md", self) {
            out.file(folder.path.join("README.md"), text, folder.nouns());
        }
    }
}
