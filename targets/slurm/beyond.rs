//! What a patched header asks for that a job can never have, though each of its values has the form that sbatch reads.

use super::job::Script;
use super::options::SLURM_PATCH;
use crate::template::HeaderOption;
use slipform_model::catalog::SlurmMachine;
use slipform_model::{Diagnostic, Placed, Value};

/// Values of patches with which the job never starts.
pub(super) fn beyond(script: Script<'_>, options: &[HeaderOption]) -> Vec<Diagnostic> {
    let patches = script.noun.patches.iter().filter(|patch| patch.target == "sbatch");
    let said = patches.filter_map(|patch| match &patch.value {
        Value::Record(record) => Some(record),
        _ => None,
    });
    let said = said.flat_map(|record| record.iter());
    said.filter_map(|(field, placed)| one(script, options, &field.replace('_', "-"), placed))
        .collect()
}

fn one(
    script: Script<'_>,
    options: &[HeaderOption],
    name: &str,
    placed: &Placed,
) -> Option<Diagnostic> {
    let value = |name: &str| {
        options.iter().find(|option| option.name == name).and_then(|option| option.value.as_deref())
    };
    let text = value(name)?;
    let (message, help) = match name {
        "deadline" => {
            // the catalog is no newer than the day on which this is read
            let today = script.plan.catalog().as_of();
            let day = text.get(..today.len()).filter(|it| it.split('-').count() == 3)?;
            if day >= today {
                return None;
            }
            (
                format!("the job has to have ended by {day}, which is over: it never starts"),
                "name a day to come, or leave it out",
            )
        }
        "time-min" => {
            let (least, most) = (seconds(text)?, seconds(value("time")?)?);
            if least <= most {
                return None;
            }
            (
                format!(
                    "the job is to have {text} at the least, and {} at the most: sbatch refuses it",
                    value("time")?
                ),
                "lower it, or raise `max_run`",
            )
        }
        "core-spec" => {
            let facts = script.plan.catalog().slurm_machine(&script.nodes.machine.name);
            let cores = |it: &SlurmMachine| it.sockets * it.cores_per_socket;
            let cpus = facts.map_or(script.nodes.machine.vcpus, cores);
            if text.parse::<u64>().ok()? < u64::from(cpus) {
                return None;
            }
            (
                format!(
                    "{text} cores of each node would be kept from the job, and a node of {} has {cpus} of them",
                    script.nodes.machine.name
                ),
                "keep fewer, or leave it out",
            )
        }
        "tmp" => disk(text)?,
        _ => return None,
    };
    Some(Diagnostic::error(SLURM_PATCH, message, placed.span).help(help))
}

/// More disk than any machine has.
fn disk(text: &str) -> Option<(String, &'static str)> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text.get(digits.len()..)?.chars().next() {
        Some('T' | 't') => 1024.0,
        Some('G' | 'g') => 1.0,
        Some('K' | 'k') => 1.0 / (1024.0 * 1024.0),
        Some(_) | None => 1.0 / 1024.0,
    };
    let asked = format!(
        "the job asks for {text} of disk on each node, which no machine has: it never starts"
    );
    let is_beyond = digits.parse::<f64>().ok()? * unit > LARGEST_DISK;
    is_beyond.then_some((asked, "ask for less, or leave it out"))
}

/// GiB that the disks of one machine have together at the most, those that are attached included.
const LARGEST_DISK: f64 = 98_304.0;

/// A time of sbatch in seconds: `90` minutes, `1:30:00`, `2-12`.
fn seconds(text: &str) -> Option<u64> {
    let (days, rest) = text.split_once('-').map_or((None, text), |(days, rest)| (Some(days), rest));
    let parts: Option<Vec<u64>> = rest.split(':').map(|it| it.parse().ok()).collect();
    let seconds = match (days, parts?.as_slice()) {
        (None, [minutes]) => minutes * 60,
        (None, [minutes, seconds]) => minutes * 60 + seconds,
        (Some(_), [hours]) => hours * 3600,
        (Some(_), [hours, minutes]) => hours * 3600 + minutes * 60,
        (_, [hours, minutes, seconds]) => hours * 3600 + minutes * 60 + seconds,
        _ => return None,
    };
    Some(days.map_or(Some(0), |it| it.parse::<u64>().ok())? * 86_400 + seconds)
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn times_are_read_as_sbatch_reads_them() {
        for (text, of) in [
            ("90", 5_400),
            ("1:30", 90),
            ("1:30:00", 5_400),
            ("2-12", 216_000),
            ("1-00:30", 88_200),
        ] {
            assert_eq!(seconds(text), Some(of), "{text}");
        }
        assert_eq!(seconds("infinite"), None);
    }
}
