//! How processes start: a launch as the command of a container.
//!
//! What a user wrote is always a word of `command` or `args`, never part of a script: where a shell is needed, it gets
//! the words as its positional parameters. Kubernetes replaces `$(NAME)` in them, which [`literal`] prevents.

use super::context::text;
use super::deferred::Deferrals;
use super::fabric::Fabric;
use super::objects::{EnvSource, EnvVar, Text};
use super::text::literal;
use super::words;
use crate::shell;
use slipform_model::plan::{Gang, Launcher, Piece, Program, SSH_PORT, Word};
use std::borrow::Cow;

const AWAIT_FABRIC: &str = include_str!("scripts/await-fabric.sh");
const SRUN: &str = include_str!("scripts/srun.sh");
const MPIRUN: &str = include_str!("scripts/mpirun.sh");

/// The processes of a gang, and how they find each other.
pub(crate) struct Processes<'a> {
    gang: &'a Gang,
    /// What precedes the number of a node in its host name, and what follows it.
    host: (String, String),
    /// A file that is there once the node is prepared for the fabric.
    installed: Option<String>,
    /// A script that sets the fabric's environment.
    env_script: Option<&'a str>,
    /// The interface that processes meet over.
    interface: &'a str,
}

impl<'a> Processes<'a> {
    /// Those of a run of this name.
    pub(crate) fn of(run: &str, gang: &'a Gang) -> Self {
        Self {
            gang,
            host: (format!("{run}-{}-0-", gang.role), format!(".{run}")),
            installed: None,
            env_script: None,
            interface: "eth0",
        }
    }

    /// Processes that reach each other over `fabric`, which the cluster's owner or an installer of ours put on the node.
    pub(crate) fn on_fabric(self, fabric: &Fabric<'a>, existing: bool) -> Self {
        Self {
            installed: fabric.installed(existing),
            env_script: fabric.env_script(),
            interface: fabric.interface().unwrap_or(self.interface),
            ..self
        }
    }
}

/// The command of a container.
#[derive(Default)]
pub(crate) struct Command<'a> {
    pub(crate) command: Vec<Text<'a>>,
    pub(crate) args: Vec<Text<'a>>,
    /// What the launch sets; a variable of the user's replaces one of the same name.
    pub(crate) env: Vec<EnvVar<'a>>,
    /// The nodes start processes on each other.
    pub(crate) ssh: bool,
}

/// Spells a launch.
pub(crate) fn command<'a>(
    starts: &Program,
    processes: &Processes<'a>,
    deferrals: &mut Deferrals,
) -> Command<'a> {
    let launch = starts.launcher;
    let mut words: Vec<Text<'a>> = match launch.value {
        Launcher::Torchrun => torchrun(processes.gang),
        _ => Vec::new(),
    };
    let mut env: Vec<EnvVar<'a>> = Vec::new();
    words.extend(starts.command.iter().map(|it| word(it, &mut env, deferrals)));
    let mut command = Command { env: processes.env(launch.value), ..Command::default() };
    command.env.extend(env);
    match processes.script(launch.value) {
        Some(script) => {
            command.command = vec!["bash".into(), "-c".into(), script, "launch".into()];
            command.args = words;
        }
        None => {
            let mut words = words.into_iter();
            command.command = words.next().into_iter().collect();
            command.args = words.collect();
        }
    }
    command.ssh = matches!(launch.value, Launcher::Mpirun);
    command
}

impl<'a> Processes<'a> {
    /// What every process may read about the others.
    fn env(&self, launch: Launcher) -> Vec<EnvVar<'a>> {
        let standalone = self.gang.nodes == 1 && matches!(launch, Launcher::Torchrun);
        let Some(rendezvous) = self.gang.rendezvous.as_deref().filter(|_| !standalone) else {
            return Vec::new();
        };
        let mut env = vec![
            value("MASTER_ADDR", text(rendezvous)),
            value("MASTER_PORT", self.gang.port.to_string()),
            value("NNODES", self.gang.nodes.to_string()),
        ];
        if self.gang.slices == 1 {
            env.push(field("NODE_RANK", words::COMPLETION_INDEX));
        } else if matches!(launch, Launcher::Torchrun) {
            env.push(field("JOB_INDEX", words::JOB_INDEX));
            env.push(value("NODES_PER_SLICE", self.gang.nodes_per_slice.to_string()));
        }
        let mpirun = matches!(launch, Launcher::Mpirun);
        if mpirun || matches!(launch, Launcher::Srun) {
            env.push(value("WORLD_SIZE", self.gang.world_size.to_string()));
            env.push(value("LOCAL_WORLD_SIZE", self.gang.processes_per_node.to_string()));
        }
        if mpirun {
            env.push(value("SSH_PORT", SSH_PORT.to_string()));
            env.push(value("SOCKET_INTERFACE", text(self.interface)));
            env.push(value("HOST_PREFIX", self.host.0.clone()));
            env.push(value("HOST_SUFFIX", self.host.1.clone()));
        }
        env
    }

    /// The script around the command, where one is needed.
    fn script(&self, launch: Launcher) -> Option<Text<'a>> {
        let prelude = prelude(self.installed.as_deref(), self.env_script);
        match launch {
            Launcher::Srun => Some(behind_set(prelude, SRUN)),
            Launcher::Mpirun => Some(behind_set(prelude, MPIRUN)),
            _ => {
                let rank = matches!(launch, Launcher::Torchrun) && self.gang.slices > 1;
                let rank = rank.then_some(
                    "declare -ix PET_NODE_RANK=\"JOB_INDEX * NODES_PER_SLICE + JOB_COMPLETION_INDEX\"\n",
                );
                if prelude.is_none() && rank.is_none() {
                    return None;
                }
                let prelude = prelude.unwrap_or_default();
                Some(format!("set -e\n{prelude}{}exec \"$@\"\n", rank.unwrap_or_default()).into())
            }
        }
    }
}

/// Waits for the fabric and sets its environment. A fresh node is given pods while the plugin is still on its way.
fn prelude(installed: Option<&str>, env_script: Option<&str>) -> Option<String> {
    let wait = installed.map(|it| format!("installed={}\n{AWAIT_FABRIC}", shell::quote(it)));
    let source = env_script.map(|script| format!("source {}\n", shell::quote(script)));
    (wait.is_some() || source.is_some()).then(|| wait.into_iter().chain(source).collect())
}

/// Puts what the fabric needs behind the first `set -e` of a script.
fn behind_set(prelude: Option<String>, script: &'static str) -> Text<'static> {
    const SET: &str = "set -e\n";
    match (prelude, script.split_once(SET)) {
        (Some(prelude), Some((head, tail))) => format!("{head}{SET}{prelude}{tail}").into(),
        _ => Cow::Borrowed(script),
    }
}

/// A variable with a value.
pub(crate) fn value<'a>(name: impl Into<Text<'a>>, value: impl Into<Text<'a>>) -> EnvVar<'a> {
    EnvVar { name: name.into(), value: Some(value.into()), value_from: None }
}

/// A variable that Kubernetes fills from the pod itself.
pub(crate) fn field<'a>(name: &'static str, field_path: &'static str) -> EnvVar<'a> {
    EnvVar { name: name.into(), value: None, value_from: Some(EnvSource::FieldRef { field_path }) }
}

/// What torchrun has to know of the nodes.
fn torchrun<'a>(gang: &Gang) -> Vec<Text<'a>> {
    let mut words: Vec<Text<'a>> = vec!["torchrun".into()];
    let each = format!("--nproc-per-node={}", gang.processes_per_node).into();
    if gang.nodes == 1 {
        words.extend(["--standalone".into(), each]);
        return words;
    }
    words.extend([format!("--nnodes={}", gang.nodes).into(), each]);
    if gang.slices == 1 {
        words.push("--node-rank=$(NODE_RANK)".into());
    }
    words.extend(["--master-addr=$(MASTER_ADDR)".into(), "--master-port=$(MASTER_PORT)".into()]);
    words
}

/// A word as it arrives, with variables for what is not known yet.
pub(crate) fn word<'a>(
    word: &Word,
    env: &mut Vec<EnvVar<'a>>,
    deferrals: &mut Deferrals,
) -> Text<'a> {
    let mut text = String::new();
    for piece in &word.0 {
        match piece {
            Piece::Text(it) => text.push_str(&literal(it.as_str())),
            Piece::Later(later) => {
                let name = format!("DEFERRED_{}", later.output.to_ascii_uppercase());
                text.push_str(&format!("$({name})"));
                if !env.iter().any(|known| known.name == name) {
                    env.push(deferrals.variable(later, name));
                }
            }
        }
    }
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launch_waits_for_what_prepares_its_node_but_not_forever() {
        let folder = std::env::temp_dir().join(format!("slipform-await-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("it's here");
        let script = prelude(file.to_str(), None).unwrap() + "exec \"$@\"\n";
        let script = format!("set -e\n{script}");
        // the second time that it sleeps, the file comes, or never
        let run = |comes: &str| {
            let sleep = format!("slept=0\nsleep() {{ slept=$((slept + 1)); {comes}; }}\n");
            let mut bash = std::process::Command::new("bash");
            bash.args(["-c", &format!("{sleep}{script}"), "launch", "echo", "started"]);
            let output = bash.env("FILE", &file).output().unwrap();
            (
                output.status.code(),
                String::from_utf8(output.stdout).unwrap(),
                String::from_utf8(output.stderr).unwrap(),
            )
        };
        let (status, out, errors) = run(":");
        assert_eq!((status, out.as_str()), (Some(75), ""), "{errors}");
        assert!(errors.contains("did not arrive on this node within 10 minutes"), "{errors}");
        let (status, out, errors) = run("if ((slept == 2)); then : > \"$FILE\"; fi");
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!((status, out.as_str()), (Some(0), "started\n"), "{errors}");
    }

    #[test]
    fn kubernetes_leaves_the_scripts_alone() {
        for script in [SRUN, MPIRUN, AWAIT_FABRIC] {
            assert_eq!(literal(script), script);
        }
        for script in [SRUN, MPIRUN] {
            assert!(behind_set(Some("source /x\n".into()), script).contains("set -e\nsource /x\n"));
        }
    }

    #[test]
    fn every_process_has_a_rank_and_the_first_failure_is_the_nodes() {
        let run = |program: &str| {
            let mut bash = std::process::Command::new("bash");
            bash.args(["-c", SRUN, "launch", "bash", "-c", program, "program", "a b"]);
            let output = bash.env("NODE_RANK", "2").env("LOCAL_WORLD_SIZE", "3").output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            lines.sort_unstable();
            (lines, output.status.code())
        };
        let (lines, status) = run("echo \"$RANK $LOCAL_RANK $1\"");
        assert_eq!(
            (lines, status),
            (["6 0 a b", "7 1 a b", "8 2 a b"].map(str::to_owned).into(), Some(0))
        );
        let ended =
            "[ $RANK = 7 ] && exit 9; trap 'echo ended; kill $!; exit 0' TERM; sleep 60 & wait";
        let (lines, status) = run(ended);
        assert_eq!((lines, status), (["ended", "ended"].map(str::to_owned).into(), Some(9)));
    }
}
