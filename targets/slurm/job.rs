//! A workload on partitions as a batch job: what its script says, before any of it is text.

use super::batch::{self, StagedFile};
use super::mounts::SharedFolder;
use super::options;
use super::paths::in_job;
use super::step::{Step, in_words, step, tasks};
use super::words;
use crate::launch::Word;
use crate::template::HeaderOption;
use serde::Serialize;
use slipform_model::nouns::{Import, Partition, Ranks, SlurmCluster, Success, Workload};
use slipform_model::plan::{
    self, Berth, Component, Gang, PartitionPlan, Planned, Run, SlurmSite, Sound,
};
use slipform_model::{Diagnostic, Noun, Size};
use std::collections::BTreeSet;

/// The script of a workload.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub(crate) struct Job {
    pub(crate) title: String,
    pub(crate) origin: String,
    /// What it asks of each partition.
    pub(crate) components: Vec<Section>,
    pub(crate) deferred: Vec<DeferredValue>,
    /// Variables that all steps have alike.
    pub(crate) env: Vec<Variable>,
    /// Secrets that all steps have alike.
    pub(crate) secrets: Vec<Secret>,
    /// One for each gang, the run's own first.
    pub(crate) steps: Vec<Step>,
    /// The folder of logs that all nodes see.
    pub(crate) logs: String,
    /// Seconds that it has to end once it is warned.
    pub(crate) grace: u64,
    /// The numbers of the gangs whose first node others are told.
    pub(crate) hosts: Vec<usize>,
    /// The numbers of the gangs each of which ends the run when it has ended well; where there is none, all that decide do together.
    pub(crate) finishers: Vec<usize>,
    /// Seconds that the processes of a gang have to start, where another one waits for them.
    pub(crate) patience: u64,
    /// The longest pause before a helper that has failed starts again, in seconds.
    pub(crate) pause: u64,
    /// The address of the account that its nodes must act as.
    pub(crate) account: Option<String>,
    pub(crate) folders: Vec<SharedFolder>,
    pub(crate) restarts: i64,
    /// It goes back to the queue when its nodes are taken.
    pub(crate) requeue: bool,
    /// The blueprint says how long it may run, not the partition.
    pub(crate) max_run: bool,
    /// What its processes get when it is warned, without `SIG`.
    pub(crate) signal: &'static str,
    /// It is one of an array.
    pub(crate) array: bool,
    /// Its ranks are in the order of the machines that hold its nodes.
    pub(crate) by_host: bool,
    /// Each further attempt has a log of its own, and what else it writes its errors to.
    pub(crate) attempt_logs: bool,
    pub(crate) errors_apart: bool,
    /// It imports its images itself.
    pub(crate) imports: bool,
    /// Files that its nodes get first.
    pub(crate) staged: Vec<StagedFile>,
    /// The squashfs file that its container becomes.
    pub(crate) saved: Option<Word>,
}

/// The header of a component, and how many nodes it has.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub(crate) struct Section {
    pub(crate) options: Vec<HeaderOption>,
    pub(crate) nodes: i64,
}

/// A variable and its value.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) value: Word,
}

/// A value that the one who submits knows: a Terraform output, and the root that has it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct DeferredValue {
    pub(crate) name: String,
    /// Its folder, seen from the script's.
    pub(crate) root: String,
}

/// A secret that exists where the job runs.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Secret {
    pub(crate) variable: String,
    pub(crate) note: String,
    /// Under the home folder.
    pub(crate) file: String,
    pub(crate) help: String,
    /// The environment of the submission does not say which of several it would be, or holds something else.
    pub(crate) ambiguous: bool,
    /// Every login has a variable of that name.
    pub(crate) login: bool,
}

/// Variables that every login has, whatever a secret is called.
const OF_LOGINS: [&str; 10] =
    ["HOME", "HOSTNAME", "LANG", "LOGNAME", "PATH", "PWD", "SHELL", "TERM", "TMPDIR", "USER"];

impl Secret {
    /// A secret that a variable takes.
    pub(crate) fn new(variable: &str, name: &str, key: &str) -> Self {
        let file = format!(".secrets/{name}/{key}");
        Self {
            variable: variable.to_owned(),
            note: format!(
                "Secret {name}: from the environment of the submission, or from a file that only its owner can read."
            ),
            help: format!(
                "secret `{name}` is not here: export {variable} before submitting, or write it to ~/{file} (mode 600)"
            ),
            file,
            ambiguous: false,
            login: false,
        }
        .held_apart()
    }

    /// What every login has is no secret.
    fn held_apart(mut self) -> Self {
        if OF_LOGINS.contains(&self.variable.as_str()) {
            self.only_in_file();
            self.login = true;
            self.note = format!(
                "Every login has a {}, so this one comes from a file that only its owner can read.",
                self.variable
            );
        }
        self
    }

    fn only_in_file(&mut self) {
        let Self { variable, file, note, help, ambiguous, login: _ } = self;
        *ambiguous = true;
        *note = format!(
            "{variable} is another secret elsewhere in this job, so it comes from a file that only its owner can read."
        );
        *help = format!("a secret is not here: write it to ~/{file} (mode 600)");
    }
}

/// A policy of ours: how long the processes of a gang may take to start once it has begun, their images included.
const PATIENCE: u64 = 1800;
/// A policy of ours: the longest that a helper which fails again and again is waited for.
const PAUSE: u64 = 300;

/// A gang of a workload, and what its part of the script is rendered from.
#[derive(Clone, Copy)]
pub(crate) struct Script<'a> {
    pub(crate) plan: Sound<'a>,
    pub(crate) noun: &'a Noun,
    pub(crate) workload: &'a Workload,
    pub(crate) run: &'a Run,
    pub(crate) site: &'a SlurmSite,
    /// The number of the gang's component.
    pub(crate) number: usize,
    pub(crate) component: &'a Component,
    pub(crate) berth: Berth,
    pub(crate) gang: &'a Gang,
    pub(crate) partition_noun: &'a Noun,
    /// The partition's name in Slurm.
    pub(crate) partition_name: &'a str,
    pub(crate) partition: &'a Partition,
    pub(crate) nodes: &'a PartitionPlan,
    pub(crate) cluster_noun: &'a Noun,
    pub(crate) cluster: &'a SlurmCluster,
}

impl<'a> Script<'a> {
    /// One for each gang, the run's own first.
    pub(crate) fn all(
        plan: Sound<'a>,
        workload: Planned<'a, Workload>,
        site: &'a SlurmSite,
    ) -> Vec<Self> {
        // The partition that it names is that of the first component, and each gang has one of them.
        let plan::SlurmSite { partition: _, cluster, components: _ } = site;
        let cluster = plan.get(*cluster);
        let of = |gang: &'a Gang| {
            let (number, component, berth) = plan.berth_of(site, gang);
            // Its nodes are the header's, and who is on them is asked of each script.
            let plan::Component { partition, nodes: _, berths: _ } = component;
            let partition = plan.get(*partition);
            Self {
                plan,
                noun: workload.noun,
                workload: workload.body,
                run: workload.plan,
                site,
                number,
                component,
                berth,
                gang,
                partition_noun: partition.noun,
                partition_name: partition.name(),
                partition: partition.body,
                nodes: partition.plan,
                cluster_noun: cluster.noun,
                cluster: cluster.body,
            }
        };
        workload.plan.gangs().map(of).collect()
    }

    /// Whether the job has this gang only.
    pub(crate) fn alone(&self) -> bool {
        self.run.groups().is_empty()
    }

    /// Whether the job has components.
    pub(crate) fn hetero(&self) -> bool {
        self.site.components.len() > 1
    }

    /// The folder that all nodes see.
    pub(crate) fn shared(&self) -> &'a str {
        self.cluster.shared.trim_end_matches('/')
    }

    /// Tasks that Slurm may start on one node of the component.
    pub(crate) fn tasks(&self) -> i64 {
        self.here().map(tasks).max().unwrap_or(1)
    }

    /// What the only gang of the component asks of each node. Several share whole nodes.
    pub(crate) fn asked(&self) -> Asked {
        match self.component.berths.as_slice() {
            [berth] => Asked { cpus: berth.cpus, memory: berth.memory },
            _ => Asked::default(),
        }
    }

    /// GPUs that the job has of each node of the component. Slurm knows nothing of the chips of TPUs.
    pub(crate) fn gpus(&self) -> i64 {
        if self.nodes.machine.tpu.is_some() {
            return 0;
        }
        self.here().map(|gang| gang.chips_per_node).max().unwrap_or(0)
    }

    /// The gangs of the component.
    fn here(&self) -> impl Iterator<Item = &'a Gang> {
        let berths = &self.component.berths;
        self.run.gangs().filter(|gang| berths.iter().any(|it| it.gang == gang.program.noun))
    }
}

/// What is asked of each node, where that is not all of it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Asked {
    pub(crate) cpus: Option<i64>,
    pub(crate) memory: Option<Size>,
}

/// What Slurm cannot do is said in `refused`; the job is the rest.
pub(crate) fn job(lead: Script<'_>, scripts: &[Script<'_>], refused: &mut Vec<Diagnostic>) -> Job {
    let Script { noun, workload, run, cluster, .. } = lead;
    // Its name is the header's; chips and replicas of the model are nothing that Slurm asks.
    let plan::Run {
        site: _,
        name: _,
        grace,
        chips: _,
        data_parallel: _,
        gangs: _,
        success: _,
        // Refused.
        on_failure: _,
        // A label of JobSet's.
        coordinator: _,
        // Hosts have names of their own.
        host_names: _,
        // Said with a warning.
        dashboard: _,
    } = run;
    let batch = &workload.batch.value;
    let mut steps: Vec<Step> = scripts.iter().map(|script| step(*script, refused)).collect();
    let env = alike(&mut steps, |step| &mut step.env);
    let secrets = alike(&mut steps, |step| &mut step.secrets);
    tell_apart(&mut steps);
    Job {
        title: title(lead, scripts),
        origin: noun.origin.clone(),
        components: components(scripts, refused),
        deferred: once(steps.iter().flat_map(|step| &step.deferred)),
        env,
        secrets,
        logs: format!("{}/logs", lead.shared()),
        grace: grace.0,
        hosts: hosts(lead.plan, run),
        finishers: finishers(lead.plan, run),
        patience: PATIENCE,
        pause: PAUSE,
        account: account(lead),
        folders: folders(&steps),
        restarts: workload.restarts.value,
        requeue: cluster.requeue,
        max_run: workload.max_run.is_some(),
        signal: batch.signal.name(),
        array: batch.array.is_some(),
        by_host: batch.ranks == Ranks::PhysicalHost,
        attempt_logs: batch.attempt_logs,
        errors_apart: batch.error.is_some(),
        imports: batch.import == Import::Job,
        staged: batch::staged(batch),
        saved: batch.save.as_ref().map(|saved| in_job(&saved.value)),
        steps,
    }
}

/// What all steps have alike, taken from each of them.
fn alike<T: Clone + PartialEq>(steps: &mut [Step], of: fn(&mut Step) -> &mut Vec<T>) -> Vec<T> {
    let mut lists: Vec<&mut Vec<T>> = steps.iter_mut().map(of).collect();
    let first = lists.first().map(|list| (**list).clone()).unwrap_or_default();
    let common = |it: &T| lists.iter().all(|list| list.contains(it));
    let all: Vec<T> = first.into_iter().filter(common).collect();
    lists.iter_mut().for_each(|list| list.retain(|it| !all.contains(it)));
    all
}

/// Secrets that steps have under one variable, and that are not the same, cannot come from the environment.
fn tell_apart(steps: &mut [Step]) {
    let all: Vec<Secret> = steps.iter().flat_map(|step| step.secrets.clone()).collect();
    for secret in steps.iter_mut().flat_map(|step| &mut step.secrets) {
        let other = |it: &Secret| it.variable == secret.variable && it.file != secret.file;
        if all.iter().any(other) {
            secret.only_in_file();
        }
    }
}

/// Each once, in order.
fn once<'a, T: Clone + PartialEq + 'a>(all: impl Iterator<Item = &'a T>) -> Vec<T> {
    let mut found: Vec<T> = Vec::new();
    for it in all {
        if !found.contains(it) {
            found.push(it.clone());
        }
    }
    found
}

/// Folders that any step needs: made where one writes to them, before another looks for them.
fn folders(steps: &[Step]) -> Vec<SharedFolder> {
    let all = || steps.iter().flat_map(|step| &step.folders);
    let written = |source: &Word| all().any(|it| it.source == *source && !it.read_only);
    once(all().filter(|it| !it.read_only || !written(&it.source)))
}

/// What the job asks of each partition; only the first has what is said of the job as a whole.
fn components(scripts: &[Script<'_>], refused: &mut Vec<Diagnostic>) -> Vec<Section> {
    let section = |script: Script<'_>| {
        let options = match script.number {
            0 => options::header(script, refused),
            _ => options::further(script),
        };
        Section { options, nodes: script.component.nodes }
    };
    firsts(scripts).map(section).collect()
}

/// The first gang of each component, in their order.
fn firsts<'a>(scripts: &[Script<'a>]) -> impl Iterator<Item = Script<'a>> {
    let leads = |it: &&Script<'_>| it.component.berths.first() == Some(&it.berth);
    scripts.iter().filter(leads).copied()
}

/// Who the cluster's nodes are on Google Cloud.
fn account(script: Script<'_>) -> Option<String> {
    script.plan.email(script.cluster.node_identity.as_ref()?.value)
}

/// The gangs each of which ends the run when it has ended well.
fn finishers(plan: Sound<'_>, run: &Run) -> Vec<usize> {
    let number = |gang: &Gang| plan.number_of(run, gang.program.noun);
    match run.success {
        Success::All => Vec::new(),
        Success::Any => run.gangs.lasting().map(number).collect(),
        Success::Own => vec![number(run.lead())],
    }
}

/// The gangs whose first node others are told.
fn hosts(plan: Sound<'_>, run: &Run) -> Vec<usize> {
    let told = run.gangs().flat_map(|gang| words::hosts(plan, run, gang));
    told.collect::<BTreeSet<_>>().into_iter().collect()
}

fn title(lead: Script<'_>, scripts: &[Script<'_>]) -> String {
    let of = |script: Script<'_>| {
        format!("{} of {}", in_words(script.component.nodes), script.partition_noun.outside.path)
    };
    let parts: Vec<String> = firsts(scripts).map(of).collect();
    format!("{}: {}", lead.run.name, parts.join(", "))
}
