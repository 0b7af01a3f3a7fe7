//! Command lines, with what is known of the nodes that they run on.

use crate::nouns::{Image, ImageUse, Kind, Workload};
use crate::plan::of_nouns::OfNouns;
use crate::plan::run::{
    ATTEMPT, Around, Beside, CommandLine, Env, Launcher, Options, Program, RunValue, answers,
    faults, removals,
};
use crate::plan::{Gang, Place, Plan};
use crate::{Duration, NounId};
use std::sync::Arc;

/// By workload and group.
pub(crate) fn command_lines(plan: &Plan) -> OfNouns<Box<CommandLine>> {
    let table = Options::of(&plan.model.catalog);
    let all: Vec<(NounId, &Arc<Program>)> = plan.programs().collect();
    OfNouns::of_each(&all, |(id, program)| {
        let gang = plan.gang(*id);
        let around = Around { begun: begun(plan, program), ..around(program, gang) };
        let mut line = CommandLine::read(program.launcher.value, &program.command, &around, &table);
        let contained = !matches!(program.image, ImageUse::NoContainer);
        let built = program.image.noun().and_then(|it| plan.model.body(it));
        let beside = Beside {
            ready: gang.and_then(|gang| gang.ready_when.as_ref()),
            image: Some(begins_from(plan, program)).filter(|_| contained),
            privileged: gang.is_some_and(|gang| gang.pod.privileged),
            most: most(plan, *id),
            adds: built.is_some_and(Image::adds),
            answered: built.is_some_and(|it| it.run.iter().any(|it| answers(it))),
            processors: processors(plan, program.place.value).filter(|it| *it > 0),
        };
        line.removals = removals(program, &around);
        line.faults = faults(&plan.model.catalog, program, beside);
        Some((*id, line.into()))
    })
}

/// What its image starts by itself, where `launch` says no more than its arguments.
fn begun(plan: &Plan, program: &Program) -> Vec<String> {
    if program.launcher.value != Launcher::Entrypoint {
        return Vec::new();
    }
    let name = begins_from(plan, program).split(['@', ':']).next().unwrap_or_default();
    let name = name.trim_start_matches("docker.io/");
    let mut known = plan.model.catalog.names("commands.entrypoints").iter();
    let words = known.find_map(|it| it.split_once(' ').filter(|(image, _)| *image == name));
    words.map(|(_, words)| words.split(' ').map(str::to_owned).collect()).unwrap_or_default()
}

/// The image that its own starts from.
fn begins_from<'p>(plan: &'p Plan, program: &'p Program) -> &'p str {
    let from = program.image.noun().and_then(|it| plan.model.body(it));
    let from = from.map(|image| image.from.value.as_str()).or_else(|| program.image.said());
    from.unwrap_or_default()
}

/// Processors of the machines of a place, where that is known.
fn processors(plan: &Plan, place: Place) -> Option<u32> {
    Some(match place {
        Place::Pool(pool) => plan.pool(pool)?.machine.vcpus,
        Place::Partition(partition) => plan.partition(partition)?.machine.vcpus,
        Place::Vertex(cluster) => plan.vertex(cluster)?.machine.vcpus,
    })
}

/// How long a run may take, by its workload.
fn most(plan: &Plan, id: NounId) -> Option<Duration> {
    let noun = plan.model.get(id)?;
    let own =
        Workload::of(&noun.body).or_else(|| Workload::of(&plan.model.get(noun.parent?)?.body));
    own?.max_run.map(|it| it.value)
}

fn around(program: &Program, gang: Option<&Gang>) -> Around {
    let mut around = Around { nodes: gang.map(|gang| gang.nodes), ..Around::default() };
    let set = gang.into_iter().flat_map(|gang| counts(program, gang));
    around.values = set.map(|(name, count)| (name.to_owned(), count.to_string())).collect();
    for variable in &program.env {
        let value = match &variable.value {
            // another one at each start, as what a shell makes up is
            Env::Word(word) if word.of_run().eq([RunValue::Attempt]) => Some(ATTEMPT.to_owned()),
            Env::Word(word) => around.known(word),
            Env::Secret { .. } => None,
        };
        match value {
            Some(value) => around.values.insert(variable.name.clone(), value),
            None => around.values.remove(&variable.name),
        };
    }
    around
}

/// Counts that processes find in their environment: on GKE the compiler says them, on Slurm and Vertex AI what starts them.
fn counts(program: &Program, gang: &Gang) -> Vec<(&'static str, i64)> {
    let (nodes, tasks) = (gang.nodes, gang.processes_per_node);
    let once = matches!(
        program.launcher.value,
        Launcher::Python | Launcher::Command | Launcher::Entrypoint | Launcher::Submitter
    );
    match program.place.value {
        // nothing is said where nobody has to meet
        Place::Pool(_) if gang.rendezvous.is_none() => Vec::new(),
        Place::Pool(_) if once => vec![("NNODES", nodes)],
        Place::Pool(_) => {
            vec![("NNODES", nodes), ("WORLD_SIZE", gang.world_size), ("LOCAL_WORLD_SIZE", tasks)]
        }
        Place::Partition(_) => vec![("SLURM_NNODES", nodes), ("SLURM_JOB_NUM_NODES", nodes)],
        Place::Vertex(_) if once => vec![("WORLD_SIZE", nodes)],
        Place::Vertex(_) => vec![("WORLD_SIZE", gang.world_size), ("LOCAL_WORLD_SIZE", tasks)],
    }
}
