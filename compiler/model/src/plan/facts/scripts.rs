//! Facts of scripts that no run starts: the one list of them, wherever a blueprint says them, and what they do not do as they are written.

use super::records::ScriptFault;
use super::told::Placed;
use super::{Fact, fact, lines};
use crate::nouns::{
    Body, BootImage, Image, Kind, MachineImage, Machines, NodeCheck, Partition, SlurmCluster,
    SlurmController, SlurmLogin,
};
use crate::plan::run::faults_of;
use crate::plan::{Hosted, Moment, Plan};
use crate::{NounId, Value};
use slipform_source::{Span, Spanned};

/// What nouns with such scripts have.
pub(super) const SCRIPTS: &[&dyn Fact] = &[
    &fact("texts", |plan, id| {
        let all = hosted(plan, id);
        Some(lines(all.iter().map(|it| it.text.as_str())))
    }),
    &fact("script_faults", faults),
];

/// What scripts do not do, each at its field.
pub(super) fn faults(plan: &Plan, id: NounId) -> Option<Placed<Vec<Spanned<ScriptFault>>>> {
    let catalog = &plan.model.catalog;
    let mut found = Vec::new();
    for script in hosted(plan, id) {
        let at = place(plan, id, &script.at)?;
        found.extend(faults_of(catalog, &script).into_iter().map(|fault| {
            let told = ScriptFault {
                script: called(&script),
                moment: script.moment.name().to_owned(),
                mistake: fault.mistake.name().to_owned(),
                word: fault.word,
                beside: fault.beside,
                mend: fault.mend,
            };
            Spanned::new(told, at)
        }));
    }
    Some(Placed(found))
}

/// A script as a person calls it: `the prolog z.sh`.
fn called(script: &Hosted) -> String {
    let last = script.at.last().map(String::as_str).unwrap_or_default();
    match script.moment {
        Moment::Prolog => format!("the prolog `{last}`"),
        Moment::Epilog => format!("the epilog `{last}`"),
        Moment::Check => "`node_check`".to_owned(),
        Moment::Start | Moment::Boot => format!("`{}`", script.at.join(".")),
        Moment::Build => format!("the script `{last}`"),
        Moment::Layer => "`run`".to_owned(),
    }
}

/// Where a script is written.
fn place(plan: &Plan, id: NounId, at: &[String]) -> Option<Span> {
    let noun = plan.model.get(id)?;
    let (first, rest) = at.split_first()?;
    let Some(mut placed) = noun.fields.get(first.as_str()) else { return Some(noun.span) };
    let whole = placed.span;
    for name in rest {
        let next = match &placed.value {
            Value::Record(record) | Value::Variant(_, record) => record.get(name.as_str()),
            Value::List(list) => name.parse::<usize>().ok().and_then(|at| list.get(at)),
            _ => None,
        };
        let Some(next) = next else { break };
        placed = next;
    }
    Some(if whole.covers(placed.span) { placed.span } else { whole })
}

/// The scripts of a noun that no run starts.
pub(super) fn hosted(plan: &Plan, id: NounId) -> Vec<Hosted> {
    let found = plan.model.get(id).map(|noun| of_body(plan, id, &noun.body));
    found.unwrap_or_default()
}

fn of_body(plan: &Plan, id: NounId, body: &Body) -> Vec<Hosted> {
    if let Some(machines) = Machines::of(body) {
        let system = machines.image.as_ref().and_then(|it| system(plan, &it.value));
        let no_gpus = plan.machines_plan(id).is_some_and(|it| it.machine.accelerator.is_none());
        let text = machines.startup.as_deref();
        return one(Moment::Boot, &["startup"], text, system, no_gpus);
    }
    if let Some(image) = MachineImage::of(body) {
        let system = image.from.as_ref().and_then(|it| system(plan, &it.value));
        let no_gpus = plan.machine_image(id).is_some_and(|it| it.machine.accelerator.is_none());
        let scripts = image.scripts.iter().flat_map(|(name, text)| {
            one(Moment::Build, &["scripts", name], Some(text), system.clone(), no_gpus)
        });
        return scripts.collect();
    }
    if let Some(image) = Image::of(body) {
        let layers = image.run.iter().enumerate().flat_map(|(number, text)| {
            let at = number.to_string();
            one(Moment::Layer, &["run", &at], Some(text), Some(image.from.value.clone()), true)
        });
        return layers.collect();
    }
    if let Some(partition) = Partition::of(body) {
        let own = plan.partition(id).filter(|it| it.set.is_some());
        let is_tpu = own.is_some_and(|it| it.machine.tpu.is_some());
        let cluster = plan.model.get(id).and_then(|it| plan.model.get(it.parent?));
        let cluster = cluster.and_then(|it| SlurmCluster::of(&it.body)).filter(|_| !is_tpu);
        let system = cluster.and_then(|it| hosts(plan, it));
        let no_gpus = own.is_some_and(|it| it.machine.accelerator.is_none());
        return one(Moment::Start, &["startup"], partition.startup.as_deref(), system, no_gpus);
    }
    SlurmCluster::of(body).map(|it| of_cluster(plan, it)).unwrap_or_default()
}

fn one(
    moment: Moment,
    at: &[&str],
    text: Option<&str>,
    system: Option<String>,
    no_gpus: bool,
) -> Vec<Hosted> {
    let at = at.iter().map(|it| (*it).to_owned()).collect();
    let script = text.map(|text| {
        let text = text.to_owned();
        Hosted { moment, at, text, system, no_gpus, shared: Vec::new() }
    });
    script.into_iter().collect()
}

fn of_cluster(plan: &Plan, cluster: &SlurmCluster) -> Vec<Hosted> {
    let system = hosts(plan, cluster);
    let all = |moment, field: &'static str, scripts: &indexmap::IndexMap<String, String>| {
        let script = |(name, text): (&String, &String)| {
            one(moment, &[field, name], Some(text), system.clone(), false)
        };
        scripts.iter().flat_map(script).collect::<Vec<_>>()
    };
    let mut found = all(Moment::Prolog, "prologs", &cluster.prologs);
    found.extend(all(Moment::Epilog, "epilogs", &cluster.epilogs));
    if let Some(NodeCheck::NodeCheck { script, .. }) = &cluster.node_check {
        found.extend(one(Moment::Check, &["node_check", "script"], Some(script), None, false));
    }
    let no_gpus = |machine: &str| {
        plan.model.catalog.machine(machine).is_some_and(|it| it.accelerator.is_none())
    };
    let SlurmController::Controller { machine, startup, .. } = &cluster.controller.value;
    let at = &["controller", "startup"];
    found.extend(one(Moment::Start, at, startup.as_deref(), system.clone(), no_gpus(machine)));
    let SlurmLogin::Login { machine, .. } = &cluster.login;
    let startup = cluster.login.startup();
    found.extend(one(Moment::Start, &["login", "startup"], startup, system, no_gpus(machine)));
    let mounts = cluster.mounts.keys().cloned();
    let shared: Vec<String> = mounts.chain([cluster.shared.clone()]).collect();
    found.into_iter().map(|it| Hosted { shared: shared.clone(), ..it }).collect()
}

/// What hosts of a cluster start from, where it is made on Google Cloud.
fn hosts(plan: &Plan, cluster: &SlurmCluster) -> Option<String> {
    cluster.on_cloud()?;
    match &cluster.image {
        Some(image) => system(plan, &image.value),
        None => Some(plan.model.catalog.slurm().image_family.clone()),
    }
}

/// The family, or the name, of what machines start from: of one that is built here, that of what it is made of.
fn system(plan: &Plan, image: &BootImage) -> Option<String> {
    let mut image = image;
    for _ in 0..DEEPEST {
        match image.built() {
            Some(built) => image = &plan.model.body(built)?.from.as_ref()?.value,
            None => return image.named().map(str::to_owned),
        }
    }
    None
}

/// Images that are made of each other are followed so far.
const DEEPEST: usize = 8;
