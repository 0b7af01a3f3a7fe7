//! Options of one program that do not go together, by the tables of their frameworks.

use super::nodes::open_words;
use super::records::AtOdds;
use super::said::Launch;
use super::told::Placed;
use crate::NounId;
use crate::catalog::{Alike, Differ, Excludes, Fit, Needs, Numbers, OptionRules, Refuses};
use crate::plan::{Plan, Said, slip};
use slipform_source::{Spanned, nearest};
use std::collections::BTreeMap;

/// An option as rules ask for it.
struct Asked<'a> {
    number: usize,
    said: &'a Said,
    name: String,
}

impl Asked<'_> {
    fn value(&self) -> Option<&str> {
        self.said.value.as_deref()
    }

    /// It is said, and not switched off.
    fn is_on(&self) -> bool {
        let off = |value: &str| {
            ["", "false", "0", "no", "none", "null"].contains(&&*value.to_ascii_lowercase())
        };
        !self.value().is_some_and(off)
    }

    /// Another option in the form that this one is written in.
    fn like(&self, name: &str) -> String {
        let body = self.said.option.trim_start_matches(['-', '+']);
        let front = self.said.option.strip_suffix(body).unwrap_or_default();
        let dashes = body.contains('-') || !body.contains('_') && name.contains('_');
        let dashed = dashes && !self.said.program.starts_with("run_") && front == "--";
        format!("{front}{}", if dashed { name.replace('_', "-") } else { name.to_owned() })
    }
}

/// What an option is at odds with.
enum Other<'a> {
    None,
    /// An option that is not said.
    Missing(&'a str),
    Said(&'a Asked<'a>),
}

/// What one program is told.
struct Told<'a> {
    rules: &'a OptionRules,
    options: Vec<Asked<'a>>,
    /// Further options may stand elsewhere: what is not seen may be said.
    open: bool,
}

/// What is at odds in a command line, each at its option.
pub(super) fn at_odds(plan: &Plan, id: NounId) -> Option<Placed<Vec<Spanned<AtOdds>>>> {
    let line = plan.command_line(id)?;
    let launch = Launch::of(plan, id)?;
    if line.options.is_empty() {
        return Some(Placed(Vec::new()));
    }
    let mut programs: Vec<&str> = line.options.iter().map(|it| &*it.program).collect();
    programs.sort_unstable();
    programs.dedup();
    let every = plan.model.catalog.row::<OptionRules>(EVERY)?;
    let mut found: Vec<AtOdds> = Vec::new();
    for program in programs {
        let own = || line.options.iter().enumerate().filter(|(_, it)| it.program == program);
        let names: Vec<String> = own().map(|(_, it)| it.name()).collect();
        let options = || {
            let asked = own().zip(names.iter().cloned());
            asked.map(|((number, said), name)| Asked { number, said, name }).collect()
        };
        let before = found.len();
        if let Some(rules) = rules_of(plan, program, &names) {
            let begins = |name: &String| rules.elsewhere.iter().any(|it| name.starts_with(it));
            let other = |base: &String| !line.programs.iter().any(|it| it.contains(&**base));
            // a program may read the rest in a file that it is given
            let is_file = |word: &str| word.ends_with(".yaml") || word.ends_with(".yml");
            let file = |it: &String| it.split(' ').any(is_file);
            let open = open_words(plan, id)?
                || names.iter().any(begins)
                || rules.base.is_none() && line.programs.iter().any(file)
                || rules.base.as_ref().is_some_and(other);
            found.extend(Told { rules, options: options(), open }.all());
        }
        // what is told already is not told twice
        let (of_all, told) =
            (Told { rules: every, options: options(), open: true }.all(), found.len());
        let is_new =
            |it: &AtOdds, known: &[AtOdds]| known.iter().all(|own| own.option != it.option);
        for it in of_all {
            if is_new(&it, found.get(before..told).unwrap_or_default()) {
                found.push(it);
            }
        }
    }
    let place = |odds: AtOdds| {
        let said = usize::try_from(odds.option).ok().and_then(|at| line.options.get(at));
        let at = said.and_then(|it| launch.place(&it.option)).unwrap_or(launch.span);
        Spanned::new(odds, at)
    };
    Some(Placed(found.into_iter().map(place).collect()))
}

/// The row that holds for every program.
const EVERY: &str = "every";

/// The framework that a program is one of.
pub(super) fn rules_of<'p>(
    plan: &'p Plan,
    program: &str,
    names: &[String],
) -> Option<&'p OptionRules> {
    let is_meant = |it: &str| program.starts_with(it) || names.iter().any(|name| name == it);
    plan.model.catalog.named::<OptionRules>(is_meant).into_iter().find(|rules| {
        rules.programs.iter().any(|it| program.starts_with(it))
            || rules.marks.iter().any(|it| names.contains(it))
    })
}

/// The option that marks the trainer of Transformers, and that others have taken over.
const HUGGING_FACE: &str = "per_device_train_batch_size";

/// More words than these are not counted up.
const MANY: usize = 16;

impl Told<'_> {
    fn all(&self) -> Vec<AtOdds> {
        let rules = self.rules;
        let needs = if self.open { &[] } else { rules.needs.as_slice() };
        let found = rules.excludes.iter().filter_map(|it| self.excludes(it));
        let found = found.chain(needs.iter().filter_map(|it| self.needs(it)));
        let found = found.chain(rules.alike.iter().filter_map(|it| self.alike(it)));
        let found = found.chain(rules.differ.iter().filter_map(|it| self.differ(it)));
        let found = found.chain(rules.numbers.iter().filter_map(|it| self.numbers(it)));
        let found = found.chain(rules.refuses.iter().filter_map(|it| self.refuses(it)));
        let found =
            found.chain(rules.words.iter().filter_map(|(name, words)| self.words(name, words)));
        let found =
            found.chain(rules.near.iter().filter_map(|(name, words)| self.near(name, words)));
        let found = found.chain(rules.least.iter().filter_map(|(name, least)| {
            self.number(name, *least, |is, least| is >= least, "at least")
        }));
        let found =
            found.chain(rules.most.iter().filter_map(|(name, most)| {
                self.number(name, *most, |is, most| is <= most, "at most")
            }));
        let found = found.chain(self.options.iter().filter_map(|it| self.miscounted(it)));
        let found = found.chain(self.options.iter().filter_map(|it| self.misspelt(it)));
        let swapped = self.options.iter().filter(|_| self.rules.every);
        found.chain(swapped.filter_map(|it| self.swapped(it))).collect()
    }

    /// The option of this name that holds, which is the last one, where it is not switched off.
    fn on(&self, name: &str) -> Option<&Asked<'_>> {
        self.options.iter().rev().find(|it| it.name == name).filter(|it| it.is_on())
    }

    /// Whether each of these is said with its value, or with any that switches it on.
    fn holds(&self, when: &BTreeMap<String, String>) -> bool {
        when.iter().all(|(name, value)| {
            let said = self.on(name);
            said.is_some_and(|said| value.is_empty() || said.value() == Some(value.as_str()))
        })
    }

    fn odds(
        &self,
        one: &Asked<'_>,
        how: &str,
        other: Other<'_>,
        then: &str,
        mend: String,
    ) -> AtOdds {
        let text = |it: Option<&str>| it.unwrap_or_default().to_owned();
        let (other, beside) = match other {
            Other::None => (None, None),
            Other::Missing(name) => (Some(name), None),
            Other::Said(other) => (Some(&*other.said.option), other.value()),
        };
        AtOdds {
            option: one.number as i64,
            written: one.said.option.clone(),
            how: how.to_owned(),
            value: text(one.value()),
            other: text(other),
            beside: text(beside),
            then: format!("{} {then}", self.rules.called),
            mend,
        }
    }

    fn excludes(&self, it: &Excludes) -> Option<AtOdds> {
        let one = self.on(&it.option)?;
        if it.value.as_deref().is_some_and(|value| one.value() != Some(value)) {
            return None;
        }
        // what is a yes beside another yes may be left to somebody else besides
        let yes = it.value.as_deref() == Some("true");
        let is = |other: &&Asked<'_>| !yes || other.value() == Some("true");
        let other = it.others.iter().find_map(|name| self.on(name).filter(is))?;
        let mend = format!("leave `{}` or `{}` out", one.said.option, other.said.option);
        Some(self.odds(one, "excludes", Other::Said(other), &it.then, mend))
    }

    fn needs(&self, it: &Needs) -> Option<AtOdds> {
        let one = self.on(&it.option)?;
        let has = |value: &str| it.values.iter().any(|known| known.eq_ignore_ascii_case(value));
        let number = || one.value()?.parse::<i64>().ok();
        let asks = (it.values.is_empty() || one.value().is_some_and(has))
            && it.over.is_none_or(|least| number().is_some_and(|number| number > least))
            && self.holds(&it.when);
        let counts = |other: &Asked<'_>| !it.several || other.value() != Some("1");
        let beside = |name: &String| self.on(name).is_some_and(counts);
        if !asks || !self.is_of(&it.of) || it.one_of.iter().any(beside) {
            return None;
        }
        let other = one.like(it.one_of.first()?);
        let (how, mend) = match it.idle {
            true => ("idle", format!("say `{other}`, too, or leave it out")),
            false => ("needs", format!("say `{other}`, too")),
        };
        Some(self.odds(one, how, Other::Missing(&other), &it.then, mend))
    }

    fn alike(&self, it: &Alike) -> Option<AtOdds> {
        self.on(&it.option)?;
        let said = |name: &str| self.options.iter().rev().find(|it| it.name == name);
        let (one, other) = (said(&it.first)?, said(&it.second)?);
        let theirs = other.value()?;
        let own = one.value()?;
        if own == theirs || it.free.iter().any(|it| it == own) {
            return None;
        }
        let mend = format!("give both the same value: `{} {theirs}`", one.said.option);
        Some(self.odds(one, "unfit", Other::Said(other), &it.then, mend))
    }

    fn differ(&self, it: &Differ) -> Option<AtOdds> {
        self.on(&it.option).filter(|_| self.is_of(&it.of))?;
        if it.unless.iter().any(|name| self.on(name).is_some()) {
            return None;
        }
        let (one, other) = (self.on(&it.first)?, self.on(&it.second)?);
        if one.value()?.trim_end_matches('/') != other.value()?.trim_end_matches('/') {
            return None;
        }
        Some(self.odds(one, "unfit", Other::Said(other), &it.then, it.mend.clone()))
    }

    /// Whether a program is one of those that begin so; any where none is named.
    fn is_of(&self, programs: &[String]) -> bool {
        let own = self.options.first().map(|it| it.said.program.as_str()).unwrap_or_default();
        programs.is_empty() || programs.iter().any(|it| own.starts_with(it))
    }

    fn numbers(&self, it: &Numbers) -> Option<AtOdds> {
        if it.unless.iter().any(|name| self.options.iter().any(|it| it.name == *name)) {
            return None;
        }
        if !self.holds(&it.when) {
            return None;
        }
        let (one, other) = (self.on(&it.option)?, self.on(&it.of)?);
        let (own, theirs): (f64, f64) = (one.value()?.parse().ok()?, other.value()?.parse().ok()?);
        let (fits, mend) = match it.is {
            Fit::AtMost => (own <= theirs, "choose at most"),
            Fit::Divides => (own >= 1.0 && theirs % own == 0.0, "choose a number that divides"),
            // parts of a run are numbers below one
            Fit::Multiple => {
                let fits = own < 1.0 || theirs < 1.0 || own % theirs == 0.0;
                (fits, "choose a multiple of")
            }
        };
        if fits {
            return None;
        }
        let mend = format!("{mend} {}", other.value()?);
        Some(self.odds(one, "unfit", Other::Said(other), &it.then, mend))
    }

    /// A word that is another framework's.
    fn refuses(&self, it: &Refuses) -> Option<AtOdds> {
        let one = self.options.iter().rev().find(|said| said.name == it.option)?;
        let said = |all: &[String]| self.options.iter().any(|said| all.contains(&said.name));
        let value = one.value()?;
        let holds = it.holds.as_ref().is_some_and(|part| value.contains(&**part));
        let is_one = it.values.iter().any(|word| word.eq_ignore_ascii_case(value));
        if !self.is_of(&it.of)
            || !holds && !is_one
            || !it.beside.is_empty() && !said(&it.beside)
            || said(&it.unless)
        {
            return None;
        }
        Some(self.odds(one, "word", Other::None, &it.then, it.mend.clone()))
    }

    fn words(&self, option: &str, words: &[String]) -> Option<AtOdds> {
        let one = self.options.iter().rev().find(|it| it.name == option)?;
        let value = one.value()?;
        let known = words.iter().any(|word| word.eq_ignore_ascii_case(value));
        let is_word = value.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
        if known || !is_word || value.chars().all(|c| c.is_ascii_digit()) {
            return None;
        }
        // a program of one's own that calls its options so may have words of its own
        let rules = self.rules;
        let by_name = rules.programs.iter().any(|it| one.said.program.starts_with(it));
        let is_near = words.iter().any(|it| slip(&value.to_ascii_lowercase(), it));
        if rules.marks.iter().any(|it| it == HUGGING_FACE) && !by_name && !is_near {
            return None;
        }
        self.no_word(one, value, words)
    }

    /// A value that is almost a word that is known: there are others.
    fn near(&self, option: &str, words: &[String]) -> Option<AtOdds> {
        let one = self.options.iter().rev().find(|it| it.name == option)?;
        let value = one.value()?;
        let plain = |text: &str| text.to_ascii_lowercase().replace(['_', '.'], "-");
        let every = self.rules.every;
        let is = |word: &&String| {
            !every && plain(word) == plain(value) || slip(&value.to_ascii_lowercase(), word)
        };
        if every && words.iter().any(|word| word.eq_ignore_ascii_case(value)) {
            return None;
        }
        if words.iter().any(|word| word == value) {
            return None;
        }
        let word = words.iter().find(is)?;
        let mend = format!("write `{word}`");
        Some(self.odds(one, "word", Other::None, &format!("has `{word}`"), mend))
    }

    /// `4k` where a number is read: what does not begin as one may be a word of its own.
    fn miscounted(&self, one: &Asked<'_>) -> Option<AtOdds> {
        let value = one.value().filter(|it| it.starts_with(|c: char| c.is_ascii_digit()))?;
        let counts = self.rules.counts.contains(&one.name);
        let reads = value.replace('_', "").parse::<f64>().is_ok();
        if !counts || reads || value.contains(['$', '/', '[', '(', '%']) {
            return None;
        }
        Some(self.odds(
            one,
            "word",
            Other::None,
            "takes a number",
            "write it in digits alone".to_owned(),
        ))
    }

    /// `ture`: a yes or a no with its letters in another order.
    fn swapped(&self, one: &Asked<'_>) -> Option<AtOdds> {
        let sorted = |text: &str| {
            let mut letters: Vec<char> = text.to_ascii_lowercase().chars().collect();
            letters.sort_unstable();
            letters
        };
        let value = one.value().filter(|it| matches!(it.len(), 4 | 5))?;
        let is = |word: &&&str| !word.eq_ignore_ascii_case(value) && sorted(word) == sorted(value);
        let meant = ["true", "false"].iter().find(is)?;
        let mend = format!("write `{meant}`");
        Some(self.odds(one, "word", Other::None, &format!("has `{meant}`"), mend))
    }

    /// A number beyond what an option takes.
    fn number(
        &self,
        option: &str,
        bound: f64,
        fits: impl Fn(f64, f64) -> bool,
        how: &str,
    ) -> Option<AtOdds> {
        let one = self.options.iter().rev().find(|it| it.name == option)?;
        let is: f64 = one.value()?.parse().ok()?;
        if fits(is, bound) {
            return None;
        }
        let mend = format!("write {how} {bound}");
        Some(self.odds(one, "word", Other::None, &format!("takes {how} {bound}"), mend))
    }

    /// An option that is one slip from another one, and none that is known.
    fn misspelt(&self, one: &Asked<'_>) -> Option<AtOdds> {
        let known = &self.rules.known;
        let shortens = |it: &String| self.rules.shortened && it.starts_with(&one.name);
        if one.name.len() < 4 || known.iter().any(|it| *it == one.name || shortens(it)) {
            return None;
        }
        let meant = known.iter().find(|it| it.len() > 3 && slip(&one.name, it))?;
        let meant = one.like(meant);
        let mend = format!("write `{meant}`");
        Some(self.odds(one, "misspelt", Other::Missing(&meant), "does not know it", mend))
    }

    fn no_word(&self, one: &Asked<'_>, value: &str, words: &[String]) -> Option<AtOdds> {
        let all = words.join(", ");
        let few = words.len() <= MANY;
        let mend = match nearest(value, words.iter().map(String::as_str)) {
            Some(word) => format!("write `{word}`"),
            None if few => format!("write one of {all}"),
            None => {
                "write one of its own words, or `allow` it where a newer release has it".to_owned()
            }
        };
        let then = if few { format!("has {all}") } else { "has no such word".to_owned() };
        Some(self.odds(one, "word", Other::None, &then, mend))
    }
}
