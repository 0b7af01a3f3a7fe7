//! Published models that a command line names.

use super::machine_image::is_older;
use super::records::{GatedModel, Misspelt, OldSoftware, Published};
use super::said::Launch;
use super::software::Installed;
use super::told::Placed;
use crate::catalog::PublishedModel;
use crate::plan::{CommandLine, Plan, Said, slip};
use crate::{NounId, Size};
use slipform_source::{Span, Spanned};

/// Options of servers that say how many devices share each layer, how many stages there are, and how long a sequence is.
const TENSOR: [&str; 3] = ["tensor_parallel_size", "tp", "tp_size"];
const STAGES: [&str; 3] = ["pipeline_parallel_size", "pp", "pp_size"];
const LENGTH: [&str; 2] = ["max_model_len", "context_length"];

/// Each model of the catalog that a program is told of, at the word that names it.
pub(super) fn published(plan: &Plan, id: NounId) -> Option<Placed<Vec<Spanned<Published>>>> {
    let line = plan.command_line(id)?;
    let launch = Launch::of(plan, id)?;
    let mut found: Vec<Spanned<Published>> = Vec::new();
    let mut put = |program: &str, front: &str, name: &str, at: Span| {
        let known = || found.iter().any(|it| it.value.name == name && it.value.program == program);
        if !is_of_hub(name) || known() {
            return;
        }
        if let Some(row) = plan.model.catalog.row::<PublishedModel>(name) {
            found.push(Spanned::new(told(plan, id, line, row, (program, front)), at));
        }
    };
    // most values are no names of models, which is seen sooner than where they stand
    for said in &line.options {
        let Some(value) = said.value.as_ref().filter(|value| is_of_hub(value)) else { continue };
        let name = said.name();
        let beside =
            ["token", "reward", "draft", "speculative", "teacher", "data", "served", "ref"];
        let last = name.rsplit('.').next().unwrap_or_default();
        if beside.iter().any(|it| last.contains(it)) {
            continue;
        }
        let at = launch.place(value).or_else(|| launch.place(&said.option));
        put(&said.program, front(&name), value, at.unwrap_or(launch.span));
    }
    for text in &line.programs {
        // `vllm serve MODEL`
        if let Some(behind) = text.strip_prefix("vllm serve ") {
            for word in behind.split(' ').take(1) {
                put("vllm", "", word, launch.place(word).unwrap_or(launch.span));
            }
        }
    }
    Some(Placed(found))
}

/// The repositories that a program is told of, for weights or for a tokenizer, whose files are not for everybody.
pub(super) fn gated(plan: &Plan, id: NounId) -> Option<Placed<Vec<Spanned<GatedModel>>>> {
    let line = plan.command_line(id)?;
    let launch = Launch::of(plan, id)?;
    // what a model is served as, and data, are no models
    let is_model = |last: &str| !["served", "data"].iter().any(|it| last.contains(it));
    let mut found: Vec<Spanned<GatedModel>> = Vec::new();
    for (name, option) in of_hub(line, is_model) {
        let row = plan.model.catalog.row::<PublishedModel>(name).filter(|row| row.gated);
        if row.is_some() && found.iter().all(|it| it.value.name != name) {
            let at = launch.place(name).or_else(|| launch.place(option)).unwrap_or(launch.span);
            found.push(Spanned::new(GatedModel { name: name.to_owned() }, at));
        }
    }
    Some(Placed(found))
}

/// Names of the hub that a program is told of by options whose last part is asked for, or serves, each with what it stands behind.
fn of_hub(
    line: &CommandLine,
    is_asked: impl Fn(&str) -> bool,
) -> impl Iterator<Item = (&str, &str)> {
    let told = line.options.iter().filter_map(move |said| {
        let name = said.name();
        let asked = is_asked(name.rsplit('.').next().unwrap_or_default());
        Some((said.value.as_deref().filter(|_| asked)?, said.option.as_str()))
    });
    let served = line.programs.iter().filter_map(|text| {
        let name = text.strip_prefix("vllm serve ")?.split(' ').next()?;
        Some((name, name))
    });
    told.chain(served).filter(|(name, _)| is_of_hub(name))
}

/// Models that a program is told of by names which the hub does not have, and which are one slip from those of the catalog.
pub(super) fn strange_models(plan: &Plan, id: NounId) -> Option<Placed<Vec<Spanned<Misspelt>>>> {
    let line = plan.command_line(id)?;
    let launch = Launch::of(plan, id)?;
    let words = ["model", "tokenizer", "pretrained", "checkpoint"];
    let told = of_hub(line, |last| words.iter().any(|it| last.contains(it)));
    let catalog = &plan.model.catalog;
    let found = told.filter_map(|(name, _)| {
        if catalog.row::<PublishedModel>(name).is_some() {
            return None;
        }
        let known = catalog.keys::<PublishedModel>().find(|it| is_slip(name, it))?.to_owned();
        let at = launch.place(name).unwrap_or(launch.span);
        Some(Spanned::new(Misspelt { written: name.to_owned(), known }, at))
    });
    Some(Placed(found.collect()))
}

/// Whether a name is one slip from another one, in a word of some length: short parts tell models apart.
fn is_slip(written: &str, known: &str) -> bool {
    if written.len().abs_diff(known.len()) > 1 || !slip(written, known) {
        return false;
    }
    let parts = |it: &str| it.split(['/', '-', '_', '.']).map(str::to_owned).collect::<Vec<_>>();
    let (own, theirs) = (parts(written), parts(known));
    let differs = own.iter().zip(&theirs).find(|(a, b)| a != b);
    own.len() == theirs.len() && differs.is_some_and(|(_, known)| known.len() > 4)
}

/// A name of a hub has an owner in front: `Qwen/Qwen3-8B`.
fn is_of_hub(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let parts = name.split_once('/');
    parts.is_some_and(|(owner, own)| {
        !owner.is_empty() && owner.chars().all(plain) && !own.is_empty() && own.chars().all(plain)
    }) && !name.starts_with('.')
}

/// What stands in front of the first dot: programs with several models tell them apart by that.
fn front(name: &str) -> &str {
    name.split_once('.').map_or("", |(front, _)| front)
}

fn told(
    plan: &Plan,
    id: NounId,
    line: &CommandLine,
    row: &PublishedModel,
    (program, before): (&str, &str),
) -> Published {
    let serves = program.starts_with("vllm") || program.starts_with("sglang");
    let own = |said: &Said| {
        let other = said.name();
        said.program == program && (front(&other).is_empty() || front(&other) == before)
    };
    let last = |named: &dyn Fn(&Said, &str) -> bool| {
        let options = line.options.iter().enumerate().rev().filter(|(_, said)| own(said));
        let mut numbers = options.filter_map(|(at, said)| {
            let name = said.name();
            let end = name.rsplit('.').next().unwrap_or_default();
            let value = said.value.as_deref().filter(|_| named(said, end))?;
            Some((at as i64, value.parse::<i64>().ok()?))
        });
        numbers.next()
    };
    let meaning = |name: &'static str| {
        move |said: &Said, _: &str| said.means.is_some_and(|means| means.name() == name)
    };
    let tensor = last(&|_, end| TENSOR.contains(&end)).or_else(|| last(&meaning("tensor")));
    let stages = last(&|_, end| STAGES.contains(&end)).or_else(|| last(&meaning("pipeline")));
    let length = last(&|_, end| LENGTH.contains(&end));
    let number = |it: Option<(i64, i64)>| it.map(|(_, number)| number);
    let at = |it: Option<(i64, i64)>| it.map(|(at, _)| at);
    let gigabytes = (row.parameters * row.bytes).round().max(1.0) as u64;
    Published {
        name: row.name.clone(),
        program: program.to_owned(),
        serves,
        layers: i64::from(row.layers),
        heads: i64::from(row.heads),
        kv_heads: row.kv_heads.map(i64::from),
        parameters: row.parameters,
        bytes: row.bytes,
        weights: Size(gigabytes * 1_000_000_000),
        positions: row.positions.map(i64::from),
        layer: row.layer.clone(),
        tensor: number(tensor),
        tensor_at: at(tensor),
        stages: number(stages),
        stages_at: at(stages),
        length: number(length),
        length_at: at(length),
        too_old: too_old(plan, id, row),
    }
}

/// What in the image is older than the first release that knows the model.
fn too_old(plan: &Plan, id: NounId, row: &PublishedModel) -> Vec<OldSoftware> {
    let Some(program) = plan.program(id) else { return Vec::new() };
    let installed = Installed::of(plan, program);
    let vllm = installed.tag_of("vllm/vllm-openai").map(|tag| tag.trim_start_matches('v'));
    let vllm = vllm.or_else(|| installed.pinned("vllm"));
    let both = [
        ("vLLM", vllm, &row.vllm),
        ("Transformers", installed.pinned("transformers"), &row.transformers),
    ];
    let old = |(what, has, wants): (&str, Option<&str>, &Option<String>)| {
        let (has, wants) = (has?, wants.as_deref()?);
        is_older(has, wants).then(|| OldSoftware {
            what: what.to_owned(),
            has: has.to_owned(),
            wants: wants.to_owned(),
            of: row.name.clone(),
        })
    };
    both.into_iter().filter_map(old).collect()
}

#[cfg(test)]
mod tests {
    use super::is_of_hub;

    #[test]
    fn names_of_a_hub_have_an_owner() {
        assert!(["Qwen/Qwen3-8B", "meta-llama/Llama-3.1-8B"].iter().all(|it| is_of_hub(it)));
        for name in ["/data/x", "gpt2", "a/b/c", "./x", "gs://a", "Qwen/", "a/b,c"] {
            assert!(!is_of_hub(name), "{name}");
        }
    }
}
