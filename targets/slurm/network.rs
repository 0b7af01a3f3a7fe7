//! The GPUs' network inside a job: what the catalog says of the stack and of the machine's interfaces.

use super::job::Script;
use serde::Serialize;
use slipform_model::Diagnostic;
use slipform_model::catalog::SlurmMachine;
use std::collections::BTreeMap;

slipform_source::codes! {
    pub(crate) CODES;
    SLURM_INTERFACES = "slurm/interfaces":
        "the network interfaces of the machine are not known",
        "add a `slurm_machine` to `catalog.local.toml`";
}

/// What a task sets up before it starts the training, in a job of several nodes.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub(crate) struct Network {
    /// `SOURCE:TARGET`; may name `${SLURM_JOB_ID}`.
    pub(crate) mounts: Vec<String>,
    pub(crate) script_env: Vec<Setting>,
    pub(crate) script: Option<String>,
    pub(crate) library_path: Option<String>,
    pub(crate) env: Vec<Setting>,
}

/// A variable of the catalog; its value may name `${SLURM_JOB_ID}`.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Setting {
    pub(crate) name: String,
    pub(crate) value: String,
}

/// The network of a job; `None` where there is nothing to set up.
pub(crate) fn lower(script: Script<'_>, refused: &mut Vec<Diagnostic>) -> Option<Network> {
    let machine = script.plan.catalog().slurm_machine(&script.nodes.machine.name);
    let mut network = Network::default();
    if let (true, Some(stack)) =
        (script.gang.fabric, script.nodes.stack.as_ref().and_then(|stack| stack.slurm.as_ref()))
    {
        network.mounts = stack.mounts.iter().map(|mount| of_component(script, mount)).collect();
        network.script_env = settings(&stack.script_env);
        network.script = stack.env_script.clone();
        network.library_path = stack.library_path.clone();
        for (name, value) in &stack.env {
            match filled(value, machine) {
                Some(value) => network.env.push(Setting { name: name.clone(), value }),
                None => refused.push(unknown_interfaces(script, name)),
            }
        }
    }
    if let (true, Some(machine)) = (script.gang.nodes > 1, machine) {
        network.env.extend(settings(&machine.env));
    }
    (network != Network::default()).then_some(network)
}

/// A mount as a script spells it: what a node's prolog has made is called by the number of its own component, while tasks know
/// the number of the whole job.
fn of_component(script: Script<'_>, mount: &str) -> String {
    match script.component {
        0 => mount.to_owned(),
        number => {
            let own = format!("${{SLURM_JOB_ID_HET_GROUP_{number}}}");
            mount.replacen("${SLURM_JOB_ID}", &own, 1)
        }
    }
}

fn settings(map: &BTreeMap<String, String>) -> Vec<Setting> {
    map.iter().map(|(name, value)| Setting { name: name.clone(), value: value.clone() }).collect()
}

/// Interfaces have names by their slot on Slurm's images, so the stack leaves places for them.
fn filled(value: &str, machine: Option<&SlurmMachine>) -> Option<String> {
    if !["{sockets}", "{first_socket}", "{data}"].iter().any(|place| value.contains(place)) {
        return Some(value.to_owned());
    }
    let machine = machine?;
    let needs = |place: &str, names: &[String]| !value.contains(place) || !names.is_empty();
    let known = needs("{sockets}", &machine.socket_interfaces)
        && needs("{first_socket}", &machine.socket_interfaces)
        && needs("{data}", &machine.data_interfaces);
    let first = machine.socket_interfaces.first().map_or("", String::as_str);
    known.then(|| {
        value
            .replace("{sockets}", &machine.socket_interfaces.join(","))
            .replace("{first_socket}", first)
            .replace("{data}", &machine.data_interfaces.join(","))
    })
}

fn unknown_interfaces(script: Script<'_>, variable: &str) -> Diagnostic {
    let machine = &script.nodes.machine.name;
    let message = format!(
        "the catalog does not know the network interfaces of `{machine}` on Slurm, so `{variable}` stays unset"
    );
    Diagnostic::warning(SLURM_INTERFACES, message, script.workload.place.span)
        .also(script.partition.machine.span, machine.clone())
        .help(format!("add a `slurm_machine` for `{machine}` to `catalog.local.toml`"))
}
