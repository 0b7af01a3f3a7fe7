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
use crate::launch::before;
use crate::shell;
use slipform_model::nouns::Rendezvous;
use slipform_model::plan::{Gang, Launcher, Piece, Program, Run, RunValue, SSH_PORT, Word};
use std::borrow::Cow;

const AWAIT_FABRIC: &str = include_str!("scripts/await-fabric.sh");
const SRUN: &str = include_str!("scripts/srun.sh");
const MPIRUN: &str = include_str!("scripts/mpirun.sh");

/// The processes of a gang, and how they find each other.
pub(crate) struct Processes<'a> {
    run: &'a Run,
    gang: &'a Gang,
    /// What precedes the number of a node in its host name, and what follows it.
    host: (String, String),
    /// A file that is there once the node is prepared for the fabric.
    installed: Option<String>,
    /// A script that sets the fabric's environment.
    env_script: Option<&'a str>,
    /// Variables of the blueprint that the script may set as well.
    own: Vec<&'a str>,
    /// The interface that processes meet over.
    interface: &'a str,
}

impl<'a> Processes<'a> {
    /// Those of a gang of a run.
    pub(crate) fn of(run: &'a Run, gang: &'a Gang) -> Self {
        let name = &run.name;
        Self {
            run,
            gang,
            host: (format!("{name}-{}-0-", gang.role), format!(".{name}")),
            installed: None,
            env_script: None,
            own: Vec::new(),
            interface: "eth0",
        }
    }

    /// Processes that reach each other over `fabric`, which the cluster's owner or an installer of ours put on the node.
    pub(crate) fn on_fabric(self, fabric: &Fabric<'a>, existing: bool) -> Self {
        Self {
            installed: fabric.installed(existing),
            env_script: fabric.env_script(),
            own: fabric.owned(&self.gang.program),
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
        Launcher::Torchrun { rendezvous } => {
            torchrun(&processes.run.name, processes.gang, rendezvous)
        }
        Launcher::Srun
        | Launcher::Mpirun
        | Launcher::Python
        | Launcher::Command
        | Launcher::Submitter
        | Launcher::Entrypoint => Vec::new(),
    };
    let mut env: Vec<EnvVar<'a>> = Vec::new();
    words.extend(starts.command.iter().map(|it| word(it, processes, &mut env, deferrals)));
    let mut command = Command { env: processes.env(launch.value), ..Command::default() };
    command.env.extend(env);
    match processes.script(launch.value) {
        // the image knows its entry point: without a command Kubernetes starts it
        _ if launch.value == Launcher::Entrypoint => command.args = words,
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
    let before = before(starts);
    if !before.is_empty() || !starts.cleanup.is_empty() {
        around(&before, &starts.cleanup, processes, &mut command, deferrals);
    }
    command
}

/// Puts what each node does before and after its processes around their command, which is no part of the script either.
fn around<'a>(
    before: &[Vec<Word>],
    after: &[Vec<Word>],
    processes: &Processes<'a>,
    command: &mut Command<'a>,
    deferrals: &mut Deferrals,
) {
    let counts = |commands: &[Vec<Word>]| commands.iter().map(Vec::len).collect::<Vec<_>>();
    let script = crate::launch::around(&counts(before), &counts(after));
    let own = before.iter().chain(after).flatten();
    let env = &mut command.env;
    let mut args: Vec<Text<'a>> = own.map(|it| word(it, processes, env, deferrals)).collect();
    args.append(&mut command.command);
    args.append(&mut command.args);
    command.command = vec!["bash".into(), "-c".into(), script.into(), "launch".into()];
    command.args = args;
}

/// How a pod learns what its run knows.
pub(crate) enum Known {
    /// It is the same in each.
    Text(String),
    /// From what the controllers write on it.
    Field(&'static str),
}

impl<'a> Processes<'a> {
    /// Where a pod finds a value of its run. Over slices of several nodes nothing that it is told is the rank of its node.
    pub(crate) fn known(&self, value: RunValue) -> Known {
        match value {
            RunValue::Id => Known::Field(words::JOBSET_UID),
            RunValue::Attempt => Known::Field(words::RESTART_ATTEMPT),
            RunValue::NodeRank if self.gang.slices > 1 => Known::Field(words::JOB_INDEX),
            RunValue::NodeRank => Known::Field(words::COMPLETION_INDEX),
            RunValue::SliceIndex => Known::Field(words::JOB_INDEX),
            RunValue::NodeCount => Known::Text(self.gang.nodes.to_string()),
            // refused
            RunValue::ArrayIndex => Known::Text(String::new()),
            RunValue::Host(noun) => {
                let of = |gang: &&Gang| gang.program.noun == noun;
                let role = self.run.gangs().find(of).map_or("", |gang| gang.role.as_str());
                Known::Text(format!("{0}-{role}-0-0.{0}", self.run.name))
            }
        }
    }

    /// What every process may read about the others.
    fn env(&self, launch: Launcher) -> Vec<EnvVar<'a>> {
        let standalone = self.gang.nodes == 1 && launch.is_torchrun();
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
        } else if self.counted(launch).is_some() {
            env.push(field("JOB_INDEX", words::JOB_INDEX));
            env.push(value("NODES_PER_SLICE", self.gang.nodes_per_slice.to_string()));
        }
        if launch == (Launcher::Torchrun { rendezvous: Rendezvous::C10d }) {
            env.push(field("RESTART_ATTEMPT", words::RESTART_ATTEMPT));
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

    /// The variable that a script has to count the rank of the node into, where the nodes are of several slices.
    fn counted(&self, launch: Launcher) -> Option<&'static str> {
        let name = match launch {
            Launcher::Torchrun { rendezvous: Rendezvous::Static } => "PET_NODE_RANK",
            Launcher::Srun => "NODE_RANK",
            Launcher::Torchrun { rendezvous: Rendezvous::C10d }
            | Launcher::Mpirun
            | Launcher::Python
            | Launcher::Command
            | Launcher::Submitter
            | Launcher::Entrypoint => return None,
        };
        (self.gang.slices > 1).then_some(name)
    }

    /// The script around the command, where one is needed.
    fn script(&self, launch: Launcher) -> Option<Text<'a>> {
        let prelude = prelude(self.installed.as_deref(), self.env_script, &self.own);
        let rank = self.counted(launch).map(|name| {
            format!("declare -ix {name}=\"JOB_INDEX * NODES_PER_SLICE + JOB_COMPLETION_INDEX\"\n")
        });
        let before = (prelude.is_some() || rank.is_some())
            .then(|| prelude.into_iter().chain(rank).collect::<String>());
        match launch {
            Launcher::Srun => Some(behind_set(before, SRUN)),
            Launcher::Mpirun => Some(behind_set(before, MPIRUN)),
            Launcher::Torchrun { .. }
            | Launcher::Python
            | Launcher::Command
            | Launcher::Submitter
            | Launcher::Entrypoint => {
                before.map(|before| format!("set -e\n{before}exec \"$@\"\n").into())
            }
        }
    }
}

/// Waits for the fabric and sets its environment, without what the blueprint says itself (`own`). A fresh node is given pods
/// while the plugin is still on its way.
fn prelude(installed: Option<&str>, env_script: Option<&str>, own: &[&str]) -> Option<String> {
    let wait = installed.map(|it| format!("installed={}\n{AWAIT_FABRIC}", shell::quote(it)));
    let source = env_script.map(|script| {
        let source = format!("source {}\n", shell::quote(script));
        if own.is_empty() {
            return source;
        }
        let own = own.join(" ");
        format!(
            "own=()\nfor name in {own}; do own+=(\"$name=${{!name}}\"); done\n{source}export \"${{own[@]}}\"\n"
        )
    });
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
pub(crate) fn field<'a>(name: impl Into<Text<'a>>, field_path: &'static str) -> EnvVar<'a> {
    EnvVar { name: name.into(), value: None, value_from: Some(EnvSource::FieldRef { field_path }) }
}

/// What torchrun has to know of the nodes.
fn torchrun<'a>(run: &str, gang: &Gang, rendezvous: Rendezvous) -> Vec<Text<'a>> {
    let mut words: Vec<Text<'a>> = vec!["torchrun".into()];
    let each = format!("--nproc-per-node={}", gang.processes_per_node).into();
    if gang.nodes == 1 {
        words.extend(["--standalone".into(), each]);
        return words;
    }
    words.extend([format!("--nnodes={}", gang.nodes).into(), each]);
    if rendezvous == Rendezvous::C10d {
        words.extend([
            "--rdzv-backend=c10d".into(),
            "--rdzv-endpoint=$(MASTER_ADDR):$(MASTER_PORT)".into(),
            format!("--rdzv-id={run}-$(RESTART_ATTEMPT)").into(),
        ]);
        return words;
    }
    if gang.slices == 1 {
        words.push("--node-rank=$(NODE_RANK)".into());
    }
    words.extend(["--master-addr=$(MASTER_ADDR)".into(), "--master-port=$(MASTER_PORT)".into()]);
    words
}

/// A word as it arrives, with variables for what is not known yet.
pub(crate) fn word<'a>(
    word: &Word,
    processes: &Processes<'a>,
    env: &mut Vec<EnvVar<'a>>,
    deferrals: &mut Deferrals,
) -> Text<'a> {
    let mut text = String::new();
    let mut named = |name: String, make: &mut dyn FnMut(String) -> EnvVar<'a>| {
        let used = format!("$({name})");
        if !env.iter().any(|known| known.name == name) {
            env.push(make(name));
        }
        used
    };
    for piece in &word.0 {
        match piece {
            Piece::Text(it) => text.push_str(&literal(it.as_str())),
            Piece::Later(later) => {
                let name = format!("DEFERRED_{}", later.output.to_ascii_uppercase());
                text.push_str(&named(name, &mut |name| deferrals.variable(later, name)));
            }
            Piece::Run(value) => match processes.known(*value) {
                Known::Text(it) => text.push_str(&literal(it)),
                Known::Field(path) => {
                    let name = format!("KNOWN_{}", value.name().to_ascii_uppercase());
                    text.push_str(&named(name, &mut |name| field(name, path)));
                }
            },
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
        let script = prelude(file.to_str(), None, &[]).unwrap() + "exec \"$@\"\n";
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
    fn what_a_blueprint_says_wins_against_the_script_of_the_fabric() {
        let file = std::env::temp_dir().join(format!("slipform-own-{}.sh", std::process::id()));
        std::fs::write(&file, "export NCCL_A=theirs NCCL_B=theirs\n").unwrap();
        let script = prelude(None, file.to_str(), &["NCCL_A"]).unwrap();
        assert_eq!(literal(script.as_str()), script);
        let script = format!("set -e\n{script}echo \"$NCCL_A $NCCL_B\"");
        let mut bash = std::process::Command::new("bash");
        bash.args(["-c", &script]).env("NCCL_A", "$(mine) 'a'").env("NCCL_B", "mine");
        let output = bash.output().unwrap();
        std::fs::remove_file(&file).unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), "$(mine) 'a' theirs\n");
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

    /// Whoever is asked to end has the time of its pod: nobody is asked twice, and nobody is left behind, however often the pod
    /// itself is asked.
    #[test]
    fn ranks_that_write_are_not_disturbed() {
        let worker = "trap 'echo \"$RANK asked\"; asked=1' TERM; until [ \"$asked\" ]; do sleep 0.1; done; \
            [ $RANK = 0 ] && exit 3; for _ in 1 2 3 4; do sleep 0.5; done; echo \"$RANK wrote\"";
        let mut bash = std::process::Command::new("bash");
        bash.args(["-c", SRUN, "launch", "bash", "-c", worker, "worker"]);
        bash.env("NODE_RANK", "0").env("LOCAL_WORLD_SIZE", "3");
        let mut child = bash.stdout(std::process::Stdio::piped()).spawn().unwrap();
        let id = child.id().to_string();
        let ask = |after: u64| {
            std::thread::sleep(std::time::Duration::from_millis(after));
            let mut kill = std::process::Command::new("kill");
            assert!(kill.args(["-TERM", &id]).status().unwrap().success());
        };
        ask(1000);
        let asked = std::time::Instant::now();
        ask(1500);
        child.wait().unwrap();
        let seconds = asked.elapsed().as_secs_f32();
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        assert_eq!(lines, ["0 asked", "1 asked", "1 wrote", "2 asked", "2 wrote"]);
        assert!(output.status.code() == Some(3) && seconds > 2.0, "{:?} {seconds}", output.status);
    }
}
