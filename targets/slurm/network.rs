//! The GPUs' network inside a job: what the catalog says of the stack and of the machine's interfaces.

use super::job::Script;
use serde::Serialize;
use std::collections::BTreeMap;

/// What a task sets up before it starts the training, in a job of several nodes.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub(crate) struct Network {
    /// `SOURCE:TARGET`; may name `${SLURM_JOB_ID}`.
    pub(crate) mounts: Vec<String>,
    pub(crate) script_env: Vec<Setting>,
    pub(crate) script: Option<String>,
    pub(crate) library_path: Option<String>,
    pub(crate) env: Vec<Setting>,
    /// Variables of the blueprint that win against those.
    pub(crate) own: Vec<String>,
}

/// A variable of the catalog; its value may name `${SLURM_JOB_ID}`.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Setting {
    pub(crate) name: String,
    pub(crate) value: String,
}

/// The network of a job; `None` where there is nothing to set up.
pub(crate) fn lower(script: Script<'_>) -> Option<Network> {
    let machine = script.plan.catalog().slurm_machine(&script.nodes.machine.name);
    let mut network = Network::default();
    if let (true, Some(stack)) =
        (script.gang.fabric, script.nodes.stack.as_ref().and_then(|stack| stack.slurm.as_ref()))
    {
        network.mounts = stack.mounts.iter().map(|mount| of_component(script, mount)).collect();
        network.script_env = settings(&stack.script_env);
        network.script = stack.env_script.clone();
        network.library_path = stack.library_path.clone();
        // those without a value name interfaces that are not known, which a rule says
        let known = stack.env_on(machine).filter_map(|(name, value)| Some((name, value?)));
        network.env.extend(known.map(|(name, value)| Setting { name: name.to_owned(), value }));
    }
    if let (true, Some(machine)) = (script.gang.nodes > 1, machine) {
        network.env.extend(settings(&machine.env));
    }
    if network == Network::default() {
        return None;
    }
    network.own = own(script, &network);
    Some(network)
}

/// Variables of the workload that what is set up would change.
fn own(script: Script<'_>, network: &Network) -> Vec<String> {
    let stack = script.nodes.stack.as_ref().filter(|_| script.gang.fabric);
    let set: Vec<&str> =
        network.script_env.iter().chain(&network.env).map(|it| it.name.as_str()).collect();
    let owned = |name: &str| stack.is_some_and(|stack| stack.owns(name)) || set.contains(&name);
    let variables = script.gang.program.env.iter();
    variables.map(|it| &it.name).filter(|name| owned(name)).cloned().collect()
}

/// A mount as a script spells it: what a node's prolog has made is called by the number of its own component, while tasks know
/// the number of the whole job.
fn of_component(script: Script<'_>, mount: &str) -> String {
    match script.number {
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
