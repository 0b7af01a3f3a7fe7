//! Free words that are read otherwise than they are written: values of variables, and references of images.

use super::nodes::own;
use super::records::{Costly, Misread, Misspelt, NoImage, Numbered};
use super::said::variables_of;
use super::software::base_image;
use super::told::Placed;
use crate::NounId;
use crate::catalog::{Catalog, CostlyVariable, ImageForm, Reads, Region, VariableForm};
use crate::nouns::{Image, ImageUse, Kind};
use crate::plan::{Place, Plan, RunValue, Said, slip};
use slipform_source::Spanned;

/// Its variables with values that are not read as they are written, each where it is set.
pub(super) fn misread(plan: &Plan, id: NounId) -> Option<Placed<Vec<Spanned<Misread>>>> {
    let catalog = &plan.model.catalog;
    // what only the run knows is no text of its own
    let literal = |text: &str| !text.is_empty() && !text.contains(['$', '(']);
    let told = variables_of(plan, id, literal)?.into_iter().filter_map(|(name, text)| {
        let takes = taken(catalog, &name, &text.value)?.to_owned();
        Some(Spanned::new(Misread { name, value: text.value, takes }, text.span))
    });
    let flags = variables_of(plan, id, |text| text.contains("--"))?.into_iter();
    let flags = flags.filter(|(name, _)| FLAGS.contains(&&**name)).flat_map(|(name, text)| {
        let at = text.span;
        misread_flags(&name, &text.value).into_iter().map(move |it| Spanned::new(it, at))
    });
    let gang = plan.gang(id)?;
    let seen = variables_of(plan, id, literal)?.into_iter();
    let seen = seen.filter(|(name, _)| &**name == VISIBLE).filter_map(|(name, text)| {
        let takes = beyond(&text.value, gang.chips_per_node)?;
        Some(Spanned::new(Misread { name, value: text.value, takes }, text.span))
    });
    Some(Placed(told.chain(flags).chain(seen).collect()))
}

/// The variable that says which GPUs of a node a process sees.
const VISIBLE: &str = "CUDA_VISIBLE_DEVICES";

/// What CUDA makes of a list of as many GPUs as there are, where one of them is none of a node's, or is named twice: it ends the list there.
fn beyond(text: &str, chips: i64) -> Option<String> {
    let numbers: Option<Vec<i64>> = text.split(',').map(|it| it.trim().parse().ok()).collect();
    // a shorter list is told by rules of its own
    let numbers =
        numbers.filter(|it| chips > 0 && i64::try_from(it.len()).is_ok_and(|len| len >= chips))?;
    let twice = |at: usize, it: &i64| numbers.iter().take(at).any(|other| other == it);
    let at = numbers.iter().enumerate().position(|(at, it)| *it >= chips || twice(at, it))?;
    let rest = numbers.get(..at).unwrap_or_default();
    let rest: Vec<String> = rest.iter().map(i64::to_string).collect();
    Some(match rest.is_empty() {
        true => "no GPU at all".to_owned(),
        false => format!(
            "the GPUs {}, up to the first that is not there or is named twice",
            rest.join(",")
        ),
    })
}

/// Variables that hold flags.
const FLAGS: [&str; 2] = ["XLA_FLAGS", "LIBTPU_INIT_ARGS"];

/// Flags whose values are none that XLA takes: a yes or a no with a slip in it, what is joined by commas, and a value that stands behind a blank.
fn misread_flags(name: &str, text: &str) -> Vec<Misread> {
    let flags = text.split_whitespace().filter_map(|it| it.strip_prefix("--")?.split_once('='));
    let of_gpus = name == "XLA_FLAGS";
    let told = flags.filter_map(|(flag, value)| {
        let lower = value.to_ascii_lowercase();
        let slips = |word: &str| lower != word && lower.len() > 2 && slip(&lower, word);
        let is_word = matches!(&*lower, "yes" | "no" | "on" | "off");
        let takes = if value.contains(",--") || value.contains(";--") {
            "all up to the next blank"
        } else if slips("true") || slips("false") || of_gpus && is_word && flag.contains("enable") {
            "true or false"
        } else {
            return None;
        };
        let (value, takes) = (value.to_owned(), takes.to_owned());
        Some(Misread { name: format!("`--{flag}` of {name}"), value, takes })
    });
    let parted = of_gpus.then(|| parted(text)).flatten().map(|(flag, value)| {
        let takes = "a flag alone, with a word behind it at which every process ends".to_owned();
        Misread { name: format!("`{flag}` of {name}"), value, takes }
    });
    told.chain(parted).collect()
}

/// A flag without a value, and the word behind it: XLA takes `--FLAG=VALUE` alone. What stands in quotes may have blanks.
fn parted(text: &str) -> Option<(String, String)> {
    let mut words = text.split_whitespace();
    let mut before = words.next()?;
    if text.contains(['"', '\'', '\\']) {
        return None;
    }
    for word in words {
        let is_flag = before.starts_with("--") && !before.contains('=');
        if is_flag && !word.starts_with('-') {
            return Some((before.to_owned(), word.to_owned()));
        }
        before = word;
    }
    None
}

/// Its variables whose values are whole numbers, each where it is set.
pub(super) fn numbered(plan: &Plan, id: NounId) -> Option<Placed<Vec<Spanned<Numbered>>>> {
    let all = variables_of(plan, id, |text| text.parse::<i64>().is_ok())?.into_iter();
    let read = all.filter_map(|(name, text)| {
        let number = text.value.parse().ok()?;
        Some(Spanned::new(Numbered { name, number }, text.span))
    });
    Some(Placed(read.collect()))
}

/// Its variables that cost the run more than they give it, each where it is set.
pub(super) fn costly(plan: &Plan, id: NounId) -> Option<Placed<Vec<Spanned<Costly>>>> {
    let found = variables_of(plan, id, |text| !text.is_empty())?.into_iter();
    let found = found.filter_map(|(name, text)| {
        let rows = plan.model.catalog.named::<CostlyVariable>(|it| *it == *name);
        let row = rows.into_iter().find(|row| is_costly(row, &text.value))?;
        let holds = is_beside(plan, id, row)? && !is_meant(plan, id, row)?;
        holds.then(|| {
            let (then, mend) = (row.then.clone(), row.mend.clone());
            let costs = row.costs.name().to_owned();
            Spanned::new(Costly { name, value: text.value, costs, then, mend }, text.span)
        })
    });
    Some(Placed(found.collect()))
}

fn is_costly(row: &CostlyVariable, value: &str) -> bool {
    let value = value.trim().to_ascii_lowercase();
    let any = row.values.is_empty()
        && row.begins.is_empty()
        && row.below.is_none()
        && row.least.is_none();
    let is_below = |below: f64| number(&value).is_some_and(|it| it < below);
    let reaches = |least: f64| number(&value).is_some_and(|it| it >= least);
    any || row.values.contains(&value)
        || row.below.is_some_and(is_below)
        || row.least.is_some_and(reaches)
        || row.begins.iter().any(|it| value.starts_with(&**it))
}

/// Whether all that a row asks for stands beside the variable.
fn is_beside(plan: &Plan, id: NounId, row: &CostlyVariable) -> Option<bool> {
    let from = base_image(plan, id)?;
    let program = plan.program(id)?;
    // what is built here may have anything
    let plain = program.image.noun().is_none();
    let of_image = || plain && row.images.iter().any(|it| from.starts_with(&**it));
    let is_there = row.beside.is_empty() || says_one(plan, id, &row.beside)?;
    Some(is_there && (row.images.is_empty() || of_image()))
}

/// Whether a command, or a variable, says why.
fn is_meant(plan: &Plan, id: NounId, row: &CostlyVariable) -> Option<bool> {
    says_one(plan, id, &row.unless)
}

/// Whether a command says one of these words, or an option with its value (`report_to=none`), or a variable is called so.
fn says_one(plan: &Plan, id: NounId, words: &[String]) -> Option<bool> {
    let (program, line) = (plan.program(id)?, plan.command_line(id)?);
    let texts: Vec<&str> = program.texts().collect();
    let says = |it: &String| {
        texts.iter().any(|text| text.contains(&**it))
            || line.options.iter().any(|said| said.name().contains(&**it) || is_told(said, it))
            || line.variables.contains_key(it)
            || program.env.iter().any(|variable| variable.name == *it)
    };
    Some(words.iter().any(says))
}

/// Whether an option is told a value: `report_to=none`.
fn is_told(said: &Said, told: &str) -> bool {
    told.split_once('=')
        .is_some_and(|(name, value)| said.name() == name && said.value.as_deref() == Some(value))
}

/// As what a variable is read, where its value is none of that; nothing where nobody knows how it is read.
pub fn taken<'c>(catalog: &'c Catalog, name: &str, value: &str) -> Option<&'c str> {
    let form = *catalog.named::<VariableForm>(|it| it == name).first()?;
    let value = value.trim();
    let is_fine = is_read(form, value) || RunValue::is_shown(value) || value.contains("$(");
    (!is_fine).then_some(&*form.called)
}

fn is_read(form: &VariableForm, value: &str) -> bool {
    let upper = value.to_ascii_uppercase();
    let is_word = |word: &str| form.words.iter().any(|it| it == word);
    match form.is {
        Reads::Number => {
            let fits = |number: f64| {
                form.least.is_none_or(|least| number >= least)
                    && form.most.is_none_or(|most| number <= most)
            };
            is_word(&upper) || number(value).is_some_and(fits)
        }
        Reads::Word => is_word(&upper),
        Reads::Exact => is_word(value),
        Reads::Address => {
            let begins = |word: &String| value.starts_with(&**word);
            ["http://", "https://"].iter().any(|it| value.starts_with(it))
                || form.words.iter().any(begins)
        }
        Reads::Without => !form.words.iter().any(|word| value.contains(&**word)),
        Reads::List => {
            let plain = |part: &str| {
                let word = part.rsplit(':').next().unwrap_or_default().trim_start_matches('^');
                let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
                match form.words.is_empty() {
                    true => !word.is_empty() && word.chars().all(is_name),
                    false => is_word(word),
                }
            };
            upper.split([',', ';']).all(plain)
        }
        Reads::Numbers => value.split(',').all(|it| number(it).is_some_and(|it| it >= 1.0)),
        Reads::Libraries => value.split([':', ' ']).all(|path| {
            let name = path.rsplit('/').next().and_then(|it| it.split('.').next());
            let name = name.unwrap_or_default();
            form.words.iter().all(|it| !slip(name, it)) || form.words.iter().any(|it| it == name)
        }),
        Reads::Pairs => value.strip_prefix(':').is_some_and(|it| {
            let parts: Vec<&str> = it.split(':').collect();
            parts.len().is_multiple_of(2) && parts.iter().all(|it| number(it).is_some())
        }),
    }
}

/// A whole number as C reads it, where nothing is left of it.
fn number(text: &str) -> Option<f64> {
    let (sign, digits) = text.strip_prefix('-').map_or((1.0, text), |rest| (-1.0, rest));
    let hexadecimal = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    let read = match hexadecimal {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => digits.trim_start_matches('+').parse().ok(),
    };
    read.map(|it| sign * it as f64)
}

/// Variables that its shell puts in and that nobody sets: neither the blueprint nor the platform, nor an image that is known. One that is
/// almost a variable which somebody sets is told with that.
pub(super) fn unset(plan: &Plan, id: NounId) -> Option<Vec<Misspelt>> {
    let (line, program) = (plan.command_line(id)?, plan.program(id)?);
    let patched = !plan.model.get(id)?.patches.is_empty();
    // who submits a job of Slurm hands on an environment of their own
    let (on_gke, on_slurm) = match program.place.value {
        Place::Pool(_) => (true, false),
        Place::Vertex(_) => (false, false),
        Place::Partition(_) => (false, true),
    };
    if line.asked.is_empty() || patched || on_slurm {
        return Some(Vec::new());
    }
    let catalog = &plan.model.catalog;
    let set: Vec<&str> = program.env.iter().map(|it| it.name.as_str()).collect();
    let own = own(plan, id)?.env;
    let built = program.image.noun().and_then(|it| plan.model.body(it));
    let of_image = |name: &str| built.is_some_and(|it| it.env.contains_key(name));
    let (anyway, begins) = (catalog.names("variables.anyway"), catalog.names("variables.begins"));
    let known = catalog.names("variables.known");
    let nobody_sets = catalog.names("commands.nobody_sets");
    let is_set = |name: &str| {
        set.contains(&name)
            || own.contains_key(name)
            || of_image(name)
            || anyway.iter().any(|it| it == name)
            || known.iter().any(|it| it == name) && !nobody_sets.iter().any(|it| it == name)
    };
    let may_be_set = |name: &str| {
        begins.iter().any(|it| name.starts_with(&**it)) && !nobody_sets.iter().any(|it| it == name)
            || ["_HOST", "_PORT", "_VERSION"].iter().any(|end| name.ends_with(end))
    };
    let from = built.map(|it| it.from.value.as_str()).or_else(|| program.image.said());
    let roots = catalog.names("commands.root_images");
    let is_plain = from.is_some_and(|it| roots.iter().any(|root| it.starts_with(&**root)));
    // further options may be none
    let optional = catalog.names("commands.further_options");
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && !optional.iter().any(|it| name.contains(&**it))
    };
    let strange = line.asked.iter().filter(|name| is_name(name) && !is_set(name));
    let told = strange.filter_map(|name| {
        let alike = anyway.iter().chain(known).map(String::as_str);
        // what is written as programs read it means nothing else, but what somebody sets
        let is_own = |it: &&str| !nobody_sets.contains(name) || set.contains(it);
        let mut alike = alike.chain(set.iter().copied()).filter(|it| it.len() > 4 && is_own(it));
        let meant = alike.find(|it| slip(name, it)).map(str::to_owned);
        (meant.is_some() || is_plain && on_gke && !may_be_set(name))
            .then(|| Misspelt { written: name.clone(), known: meant.unwrap_or_default() })
    });
    Some(told.collect())
}

/// Flags of XLA that are almost those which are known, each at the variable that has it.
pub(super) fn strange_flags(plan: &Plan, id: NounId) -> Option<Placed<Vec<Spanned<Misspelt>>>> {
    let all = variables_of(plan, id, |text| text.contains("--xla_"))?;
    if all.is_empty() {
        return Some(Placed(Vec::new()));
    }
    let known = plan.model.catalog.names("variables.flags");
    let mut found = Vec::new();
    for (name, text) in all {
        if !["XLA_FLAGS", "LIBTPU_INIT_ARGS"].contains(&&*name) {
            continue;
        }
        let flags = text.value.split_whitespace().filter_map(|it| it.strip_prefix("--"));
        for flag in flags.filter_map(|it| it.split('=').next()) {
            if known.iter().any(|it| it == flag) {
                continue;
            }
            if let Some(meant) = known.iter().find(|it| slip(flag, it) && is_in_word(flag, it)) {
                let (written, known) = (flag.to_owned(), meant.clone());
                found.push(Spanned::new(Misspelt { written, known }, text.span));
            }
        }
    }
    Some(Placed(found))
}

/// Its images, and those of what runs beside it, that lead nowhere.
pub(super) fn no_images(plan: &Plan, id: NounId) -> Option<Placed<Vec<Spanned<NoImage>>>> {
    let (own, program) = (own(plan, id)?, plan.program(id)?);
    let on_slurm = matches!(program.place.value, Place::Partition(_));
    let beside = program.sidecars.iter().map(|it| &it.image);
    let beside = beside.zip(own.sidecars.iter().map(|it| it.span));
    let all = [(&own.image.value, own.image.span)].into_iter().chain(beside);
    let found = all.filter_map(|(image, span)| {
        let ImageUse::String(reference) = image else { return None };
        Some(Spanned::new(leads_nowhere(&plan.model.catalog, reference, on_slurm)?, span))
    });
    Some(Placed(found.collect()))
}

/// The image that an image starts from, where it leads nowhere.
pub(super) fn no_base(plan: &Plan, id: NounId) -> Option<Placed<Vec<Spanned<NoImage>>>> {
    let from = &Image::of(&plan.model.get(id)?.body)?.from;
    let found = leads_nowhere(&plan.model.catalog, &from.value, false);
    Some(Placed(found.map(|it| Spanned::new(it, from.span)).into_iter().collect()))
}

/// What is wrong with a reference. Containers of Slurm are named in words of their own besides.
fn leads_nowhere(catalog: &Catalog, reference: &str, on_slurm: bool) -> Option<NoImage> {
    let told =
        |why: String, mend: String| Some(NoImage { written: reference.to_owned(), why, mend });
    let is_file = reference.starts_with(['/', '.']) || on_slurm && reference.ends_with(".sqsh");
    if is_file || reference.contains(' ') || reference.is_empty() {
        return None;
    }
    if let Some((scheme, rest)) = reference.split_once("://") {
        let why = format!("a reference of an image has no `{scheme}://` in front");
        return told(why, format!("write `{rest}`"));
    }
    let (name, digest) =
        reference.split_once('@').map_or((reference, None), |(name, it)| (name, Some(it)));
    let last = name.rfind('/').map_or(0, |at| at + 1);
    let (name, tag) = match name.get(last..).and_then(|it| it.find(':')) {
        Some(at) => (name.get(..last + at)?, name.get(last + at + 1..)),
        None => (name, None),
    };
    if let Some(digest) = digest.and_then(|it| it.strip_prefix("sha256:"))
        && (digest.len() != 64 || !digest.chars().all(|c| c.is_ascii_hexdigit()))
    {
        let why = format!("a digest has 64 digits behind `sha256:`, and this one {}", digest.len());
        return told(why, "copy the whole digest, or name a tag".to_owned());
    }
    let (host, path) = name.split_once('/').unwrap_or(("", name));
    let is_host = host.contains(['.', ':']) || host == "localhost";
    let path = if is_host { path } else { name };
    if path.contains(|c: char| c.is_ascii_uppercase()) {
        let why = "the path of an image has small letters alone".to_owned();
        return told(why, format!("write `{}`", reference.replacen(path, &path.to_lowercase(), 1)));
    }
    if let Some(location) = host.strip_suffix("-docker.pkg.dev") {
        return of_artifact_registry(catalog, location, path)
            .and_then(|(why, mend)| told(why, mend));
    }
    // an image without an owner is one of Docker's own
    let own = catalog.names("commands.own_images");
    if !on_slurm
        && !name.contains('/')
        && name.split(['-', '_']).any(|it| own.iter().any(|own| own == it))
    {
        let why = format!(
            "without a registry and an owner in front, `{name}` is looked for among Docker's own images"
        );
        return told(
            why,
            format!(
                "write its registry in front: `LOCATION-docker.pkg.dev/PROJECT/REPOSITORY/{reference}`"
            ),
        );
    }
    let repository = name.strip_prefix("docker.io/").unwrap_or(name);
    let (why, mend) = of_repository(catalog, repository, tag)?;
    told(why, mend)
}

/// The month of a release of NVIDIA where no year has it: 13 of `25.13-py3`.
fn month(name: &str, tag: &str) -> Option<u32> {
    let (year, rest) = tag.split_once('.').filter(|_| name.starts_with("nvcr.io/nvidia/"))?;
    let month = rest.split(['-', '.']).next().filter(|it| it.len() == 2 && year.len() == 2)?;
    let month: u32 = month.parse().ok()?;
    (year.parse::<u32>().is_ok() && !(1..=12).contains(&month)).then_some(month)
}

/// Artifact Registry has a project, a repository and an image behind its host.
fn of_artifact_registry(catalog: &Catalog, location: &str, path: &str) -> Option<(String, String)> {
    if path.split('/').filter(|it| !it.is_empty()).count() < 3 {
        let why = "behind the host of Artifact Registry stand a project, a repository and an image, and here is one of them too few";
        return Some((why.to_owned(), "write `HOST/PROJECT/REPOSITORY/IMAGE:TAG`".to_owned()));
    }
    if catalog.row::<Region>(location).is_some() || !location.contains('-') {
        return None;
    }
    let meant = catalog.keys::<Region>().find(|it| slip(location, it))?;
    let why = format!("`{location}` is no region, and `{meant}` is one");
    Some((why, format!("write `{meant}-docker.pkg.dev`")))
}

/// A repository whose tags are known, and one that is written almost like it.
fn of_repository(catalog: &Catalog, name: &str, tag: Option<&str>) -> Option<(String, String)> {
    let Some(form) = catalog.row::<ImageForm>(name) else {
        let long = |it: &&str| it.len() > 9 && slip(name, it) && is_in_word(name, it);
        let meant = catalog.keys::<ImageForm>().find(long)?;
        let why = format!("no image is known here as `{name}`, and one as `{meant}`");
        return Some((why, format!("write `{meant}`, or `allow` it where there is such an image")));
    };
    let tag = tag.filter(|it| *it != "latest")?;
    if let Some(month) = month(name, tag) {
        let why = format!(
            "releases of NVIDIA are called by year and month, and there is no month {month}"
        );
        return Some((why, "write the release that is meant, such as `25.01-py3`".to_owned()));
    }
    let begins = |it: &String| begins(tag, it);
    let wrong = !form.begins.is_empty() && !form.begins.iter().any(begins)
        || form.never.iter().any(begins)
        || !form.has.iter().all(|it| tag.contains(&**it));
    let such = form.such.as_ref().filter(|_| wrong)?;
    let why = format!("tags of `{name}` are written like `{such}`, and `{tag}` is not");
    Some((why, format!("write a tag that there is, such as `{such}`")))
}

/// Whether the slip is in a word of some length: short parts of names tell images apart.
fn is_in_word(written: &str, known: &str) -> bool {
    let parts = |it: &str| it.split(['/', '-', '_', '.']).map(str::to_owned).collect::<Vec<_>>();
    let (own, theirs) = (parts(written), parts(known));
    let differs = own.iter().zip(&theirs).find(|(a, b)| a != b);
    own.len() == theirs.len() && differs.is_some_and(|(_, known)| known.len() > 4)
}

/// Whether a tag begins like a form, in which `9` is any digit.
fn begins(tag: &str, form: &str) -> bool {
    let same = |(own, form): (char, char)| match form {
        '9' => own.is_ascii_digit(),
        other => own == other,
    };
    tag.len() >= form.len() && tag.chars().zip(form.chars()).all(same)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_that_lead_nowhere_are_found() {
        let why = |it: &str| leads_nowhere(Catalog::builtin(), it, false).map(|it| it.mend);
        for (written, mend) in [
            ("nvcr.io/nvidia/pytorch:25.2-py3", "write a tag that there is, such as `25.01-py3`"),
            ("nvcr.io/nvidia/pytorch:25.02", "write a tag that there is, such as `25.01-py3`"),
            ("vllm/vllm-openai:0.9.2", "write a tag that there is, such as `v0.9.2`"),
            ("https://nvcr.io/nvidia/nemo:25.02", "write `nvcr.io/nvidia/nemo:25.02`"),
            ("us-docker.pkg.dev/P/a/b:c", "write `us-docker.pkg.dev/p/a/b:c`"),
            ("us-docker.pkg.dev/p/b:c", "write `HOST/PROJECT/REPOSITORY/IMAGE:TAG`"),
            ("us-eats4-docker.pkg.dev/p/a/b:c", "write `us-east4-docker.pkg.dev`"),
        ] {
            assert_eq!(why(written).as_deref(), Some(mend), "{written}");
        }
        for wrong in
            ["nvcr.io/nvidia/pytroch:25.01-py3", "nvcr.io/nvida/nemo:25.02", "a/b@sha256:12"]
        {
            assert!(why(wrong).is_some(), "{wrong}");
        }
        for right in [
            "nvcr.io/nvidia/pytorch:24.07-py3-igpu",
            "nvcr.io/nvidia/nemo:25.04.nemotron-h",
            "pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel",
            "docker.io/vllm/vllm-openai:v0.10.0",
            "lmsysorg/sglang:latest",
            "gcr.io/p/Image:V1".to_lowercase().as_str(),
            "us-docker.pkg.dev/p/a/b@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
            "localhost:5000/a:B",
            "python:3.12",
            "/lake/images/nemo.sqsh",
            "nvcr.io#nvidia/nemo:25.02",
        ] {
            assert_eq!(why(right), None, "{right}");
        }
    }

    #[test]
    fn values_are_read_as_programs_read_them() {
        let read = |name: &str, value: &str| {
            let form = Catalog::builtin().rows::<VariableForm>();
            let form = form.into_iter().find(|it| it.names.iter().any(|it| it == name)).unwrap();
            is_read(form, value)
        };
        for (name, value) in [
            ("NCCL_BUFFSIZE", "8388608"),
            ("NCCL_IB_TC", "0x54"),
            ("NCCL_P2P_LEVEL", "nvl"),
            ("NCCL_NET_GDR_LEVEL", "3"),
            ("NCCL_ALGO", "allreduce:tree,ring;^nvls"),
            ("NCCL_DEBUG_SUBSYS", "^INIT,GRAPH"),
            ("OMP_NUM_THREADS", "8,2"),
            ("HF_HUB_OFFLINE", "True"),
            ("PYTHONHASHSEED", "random"),
            ("NCCL_IB_TIMEOUT", "22"),
            ("TORCH_NCCL_BLOCKING_WAIT", "True"),
            ("JAX_PLATFORMS", "tpu,cpu"),
        ] {
            assert!(read(name, value), "{name}={value}");
        }
        for (name, value) in [
            ("NCCL_BUFFSIZE", "8M"),
            ("TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC", "30m"),
            ("NCCL_P2P_LEVEL", "FAST"),
            ("NCCL_PROTO", "LL256"),
            ("OMP_NUM_THREADS", "0"),
            ("XLA_PYTHON_CLIENT_PREALLOCATE", "no"),
            ("WANDB_MODE", "offine"),
            ("PYTHONHASHSEED", "-1"),
            ("NCCL_IB_TIMEOUT", "64"),
            ("TORCH_NCCL_BLOCKING_WAIT", "off"),
            ("JAX_PLATFORMS", "gpus"),
        ] {
            assert!(!read(name, value), "{name}={value}");
        }
    }
}
