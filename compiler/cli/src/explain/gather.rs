//! What is to be told of a line, gathered from the blueprint, from trials and from the catalog.

use super::facts::facts;
use super::told::{Made, Of, Rule, Says, Told, Word};
use super::trials::{Bench, Effect, Found, Trial, changed_lines, line_in};
use crate::blueprint::Blueprint;
use crate::manifest::{Entry, Manifest, digest};
use crate::report::words::in_a_line;
use camino::{Utf8Path, Utf8PathBuf};
use slipform_analysis::ide::{Said, Saying, meaning, rules_of, said_at, saying_of, sayings, shown};
use slipform_model::plan::Resource;
use slipform_model::{Noun, NounId, Value};
use slipform_source::{FileId, Span};
use slipform_targets::Artifact;
use std::collections::BTreeSet;
use std::sync::Arc;

/// So many lines are shown of those that a word changes.
const MOST_LINES: usize = 5;

/// So many fields are named of those that a word changes.
const MOST_FIELDS: usize = 2;

/// A line of a file that a build wrote.
pub(super) struct Rendered<'a> {
    pub(super) text: &'a str,
    /// Counted from zero.
    pub(super) line: usize,
    pub(super) manifest: &'a Manifest,
    pub(super) entry: &'a Entry,
}

/// What is known of a line without its blueprint.
pub(super) fn of_manifest(file: &Rendered<'_>, notes: Vec<String>) -> Told {
    let Entry { nouns, sources, .. } = file.entry;
    // Lines that declare several nouns stand there once.
    let told_apart = sources.len() == nouns.len();
    let of = |(at, path): (usize, &String)| Of {
        kind: None,
        path: path.clone(),
        at: sources.get(at).filter(|_| told_apart).cloned(),
    };
    Told {
        environment: Some(file.manifest.environment.clone()),
        nouns: nouns.iter().enumerate().map(of).collect(),
        notes,
        ..Told::default()
    }
}

/// What differs between a file and what was built; nothing where nothing does.
pub(super) fn edited(file: &Rendered<'_>) -> Option<String> {
    let same = digest(file.text.as_bytes()) == file.entry.sha256;
    (!same).then(|| "the file was edited since it was built".to_owned())
}

/// What a build writes where a line stands that it does not write.
fn not_built(file: &Rendered<'_>, content: &str) -> String {
    let effect = changed_lines(file.text, content).into_iter().find(|it| it.line == file.line);
    match effect.and_then(|effect| effect.then) {
        Some(then) => format!("a build of the blueprint as it is writes `{then}` here"),
        None => "no build of the blueprint as it is writes this line".to_owned(),
    }
}

/// Gathers what is to be told.
pub(super) struct Gathered<'a> {
    bench: &'a Bench<'a>,
    blueprint: &'a Blueprint,
    told: Told,
    /// The fields that the line depends on.
    fields: BTreeSet<(NounId, Arc<str>)>,
    /// Values that may be names of facts.
    names: Vec<String>,
}

impl<'a> Gathered<'a> {
    pub(super) fn new(bench: &'a Bench<'a>, blueprint: &'a Blueprint) -> Self {
        let project = bench.analysis.project.as_ref();
        let environment = project.map(|project| project.environment.clone());
        let told = Told { environment, ..Told::default() };
        Self { bench, blueprint, told, fields: BTreeSet::new(), names: Vec::new() }
    }

    /// A line of a blueprint, or of the project's file.
    pub(super) fn of_blueprint(mut self, file: FileId, line: usize) -> Told {
        let analysis = &self.bench.analysis;
        let source = analysis.sources.get(file);
        let range = source.map(|source| source.lines().range(line as u32)).unwrap_or_default();
        let text = source.and_then(|source| source.text.get(range.clone())).unwrap_or_default();
        let first = range.start + (text.len() - text.trim_start_matches([' ', '\t', '[']).len());
        self.told.notes.extend(meaning(analysis, file, first));
        let Some(said) = said_at(analysis, file, range.clone()) else {
            if self.told.notes.is_empty() {
                self.told.notes.push("the line says nothing that is rendered".to_owned());
            }
            return self.told;
        };
        self.nouns(&said.nouns);
        let values = said.values.iter().map(|value| shown(analysis, value)).collect();
        self.names.extend(said.values.iter().filter_map(text_of));
        self.fields.extend(said.field.iter().flat_map(|field| {
            let field: Arc<str> = Arc::from(field.as_str());
            said.nouns.iter().map(move |id| (*id, field.clone()))
        }));
        if self.bench.artifacts.is_empty() {
            self.told.notes.push(self.unrendered());
        } else if said.unmade {
            self.told.notes.push("nothing is made of it in this environment".to_owned());
        } else {
            self.effects_of(&said, Span::new(file, range.start, range.end));
        }
        self.told.says = Some(Says { what: said.what, values });
        self.finish("")
    }

    /// What the words of a line do.
    fn effects_of(&mut self, said: &Said, line: Span) {
        let found = self.bench.try_some(&self.words_in(said, line));
        for trial in &found.trials {
            self.word(trial, &said.nouns, self.made(trial), true);
        }
        if found.trials.is_empty() && found.tried > 0 {
            self.told
                .notes
                .push("with other words in its place nothing is rendered otherwise".to_owned());
        }
        if found.trials.is_empty() {
            let made = |it: &&Artifact| it.nouns.iter().any(|id| said.nouns.contains(id));
            let mut files: Vec<&Artifact> = self.bench.artifacts.iter().filter(made).collect();
            files.sort_by_key(|artifact| artifact.nouns.len());
            self.told.files = files.iter().map(|it| self.out(&it.path).to_string()).collect();
        }
    }

    /// What the line says word by word: where another file goes before it, or it only names what is said elsewhere, its value.
    fn words_in(&self, said: &Said, line: Span) -> Vec<Saying> {
        let words = sayings(&self.bench.analysis);
        let within = |span: Span| words.iter().filter(move |word| span.covers(word.span)).cloned();
        let value: Vec<Saying> = said.value.map(|span| within(span).collect()).unwrap_or_default();
        let own: Vec<Saying> = within(line).collect();
        let is_elsewhere = said.value.is_some_and(|value| value.file != line.file);
        match (said.value, said.values.as_slice()) {
            _ if !own.is_empty() && !is_elsewhere => own,
            (Some(span), [one]) if value.is_empty() => vec![saying_of(span, one)],
            _ => value,
        }
    }

    /// A line of a file that a build wrote.
    pub(super) fn of_rendered(mut self, file: &Rendered<'_>) -> Told {
        let edited = edited(file);
        let is_edited = edited.is_some();
        self.told.notes.extend(edited);
        let Some(artifact) = self.bench.artifact(&file.entry.path) else {
            self.told.notes.push(match self.bench.artifacts.is_empty() {
                true => self.unrendered(),
                false => {
                    "the blueprint makes no such file; this is what was true when it was built"
                        .to_owned()
                }
            });
            return of_manifest(file, self.told.notes);
        };
        if !is_edited && *artifact.content != *file.text {
            let why =
                "the blueprint says something else since that build: `slipform plan` tells what";
            self.told.notes.push(why.to_owned());
        }
        let Some(line) = line_in(file.text, file.line, &artifact.content) else {
            self.told.notes.push(not_built(file, &artifact.content));
            return of_manifest(file, self.told.notes);
        };
        self.words_of(artifact, line);
        self.finish(file.text.lines().nth(file.line).unwrap_or_default())
    }

    /// The words that a line came of.
    fn words_of(&mut self, artifact: &Artifact, line: usize) {
        let nouns = self.block(artifact, line);
        self.nouns(&nouns);
        let near = nouns.first().and_then(|id| self.noun(*id));
        let found = self.bench.try_all(near.map(|noun| noun.span));
        let own = found.trials.iter();
        let mut own: Vec<(&Trial, &Effect)> =
            own.filter_map(|trial| Some((trial, trial.effect(&artifact.path, line)?))).collect();
        own.sort_by_key(|(_, effect)| effect.then.is_none());
        let changes = own.iter().any(|(_, effect)| effect.then.is_some());
        for (at, (trial, effect)) in own.into_iter().enumerate() {
            let made = self.line(&artifact.path, effect);
            // What makes the line another says more of it than what takes it away with much else.
            let tells = effect.then.is_some() || (!changes && at == 0);
            self.word(trial, &nouns, made.into_iter().collect(), tells);
        }
        let text = artifact.content.lines().nth(line).unwrap_or_default();
        self.tried(&found, self.named(&nouns, text));
    }

    /// The noun whose name a line has, of those that it is of and what they lie in.
    fn named(&self, nouns: &[NounId], line: &str) -> Option<&'a Noun> {
        let above = |id: &NounId| self.noun(*id).and_then(|noun| noun.parent);
        let own = nouns.iter().flat_map(|id| std::iter::successors(Some(*id), above));
        own.filter_map(|id| self.noun(id)).find(|noun| has_name(line, &noun.outside.name))
    }

    /// The nouns whose block the line stands in, as the comment above it says; those of the whole file where there is none.
    fn block(&self, artifact: &Artifact, line: usize) -> Vec<NounId> {
        let indent = |text: &str| text.len() - text.trim_start().len();
        let lines: Vec<&str> = artifact.content.lines().take(line + 1).collect();
        let most = lines.last().map_or(0, |text| indent(text));
        let own = || artifact.nouns.iter().filter_map(|id| self.noun(*id));
        for text in lines.iter().rev().filter(|text| indent(text) <= most) {
            let Some(comment) = text.trim_start().strip_prefix("# ") else { continue };
            let said = |noun: &&Noun| noun.origin == comment;
            let found: Vec<NounId> = own().filter(said).map(|noun| noun.id).collect();
            if !found.is_empty() {
                return found;
            }
        }
        artifact.nouns.clone()
    }

    fn nouns(&mut self, ids: &[NounId]) {
        let nouns = ids.iter().filter_map(|id| self.noun(*id));
        self.told.nouns = nouns
            .map(|noun| Of {
                kind: Some(noun.body.kind().to_owned()),
                path: noun.path.clone(),
                at: self.place(noun.span),
            })
            .collect();
        self.order(ids);
        self.told.holds = self.holds(ids);
    }

    /// Who holds what of a pool, or of which pools a queue holds something.
    fn holds(&self, ids: &[NounId]) -> Vec<String> {
        let Some(plan) = &self.bench.analysis.plan else { return Vec::new() };
        let path = |id: NounId| self.noun(id).map(|noun| noun.path.as_str()).unwrap_or_default();
        let of = |pool: NounId| match plan.pool(pool).and_then(|it| it.resource.as_ref()) {
            Some(_) => Resource::Devices,
            None => Resource::Cpus,
        };
        let flavors =
            plan.queues().flat_map(|(queue, its)| its.flavors.iter().map(move |it| (queue, it)));
        let ours = flavors.filter(|(queue, it)| ids.contains(queue) || ids.contains(&it.pool.id()));
        let ours = ours.filter(|(_, it)| it.quota.of(of(it.pool.id())) > 0);
        let mut held: Vec<String> = ours
            .map(|(queue, it)| {
                let (pool, quota) = (it.pool.id(), it.quota.in_words(of(it.pool.id())));
                format!("{quota} of {} by {}", path(pool), path(queue))
            })
            .collect();
        if held.is_empty() {
            return held;
        }
        let pools = ids.iter().filter_map(|id| Some((*id, plan.pool(*id)?)));
        held.extend(pools.map(|(id, pool)| {
            let all = pool.allocatable.times(pool.max_nodes()).in_words(of(id));
            format!("{all} of {} in all", path(id))
        }));
        held
    }

    /// Who gives way to whom, where the nouns are runs.
    fn order(&mut self, ids: &[NounId]) {
        let Some(plan) = &self.bench.analysis.plan else { return };
        let path = |id: NounId| self.noun(id).map(|noun| noun.path.as_str()).unwrap_or_default();
        let yields = ids.iter().flat_map(|id| plan.yields_to(*id));
        let yields =
            yields.map(|(other, why)| format!("to {}, {}", path(other), why.words())).collect();
        let others = plan.workloads().flat_map(|(other, _)| {
            let to = plan.yields_to(other).into_iter();
            to.filter(|(to, _)| ids.contains(to)).map(move |(_, why)| (other, why))
        });
        let before = others.map(|(other, _)| path(other).to_owned()).collect();
        (self.told.yields, self.told.before) = (yields, before);
    }

    fn place(&self, span: Span) -> Option<String> {
        let places = self.blueprint.places(&self.bench.analysis);
        places.position(span).map(|(path, line, _)| format!("{path}:{line}"))
    }

    /// Takes up a word. Where it `tells`, the rules and facts of the fields that it changes are told too.
    fn word(&mut self, trial: &Trial, nouns: &[NounId], makes: Vec<Made>, tells: bool) {
        let text = self.bench.analysis.sources.text(trial.span).to_owned();
        let (fields, is_own) = self.fields_of(trial, text.trim_matches('"'), nouns);
        let is_gone = makes.iter().all(|made| made.then.is_none());
        let through = fields.iter().filter_map(|(id, field)| {
            let noun = self.noun(*id)?;
            Some(format!("{}.{field}", noun.path))
        });
        let through = through.take(MOST_FIELDS).collect();
        if tells && (is_own || !is_gone) {
            self.names.push(text.trim_matches('"').to_owned());
            self.fields.extend(fields.into_iter().take(MOST_FIELDS));
        }
        let files = trial.effects().map(|(path, _)| path).collect::<BTreeSet<_>>().len();
        self.told.words.push(Word {
            at: self.place(trial.span).unwrap_or_default(),
            text,
            instead: trial.instead.clone(),
            fields: through,
            lines: trial.size(),
            files,
            makes,
        });
    }

    /// The fields that a word changes: those that hold just the word, or else those of the nouns of the line, and which of
    /// both they are.
    fn fields_of(
        &self,
        trial: &Trial,
        word: &str,
        nouns: &[NounId],
    ) -> (Vec<(NounId, Arc<str>)>, bool) {
        let holds = |(id, field): &&(NounId, Arc<str>)| {
            let placed = self.noun(*id).and_then(|noun| noun.fields.get(field));
            placed.is_some_and(|placed| placed.value.to_string() == word)
        };
        let of_line = |(id, _): &&(NounId, Arc<str>)| {
            let above = |id: &NounId| self.noun(*id).and_then(|noun| noun.parent);
            std::iter::successors(Some(*id), above).any(|id| nouns.contains(&id))
        };
        let all = || trial.fields.iter();
        let choices: [(Vec<_>, bool); 3] = [
            (all().filter(|it| holds(it) && of_line(it)).cloned().collect(), true),
            (all().filter(holds).cloned().collect(), true),
            (all().filter(of_line).cloned().collect(), false),
        ];
        choices.into_iter().find(|(fields, _)| !fields.is_empty()).unwrap_or_default()
    }

    fn noun(&self, id: NounId) -> Option<&'a Noun> {
        self.bench.nouns().get(id.0 as usize)
    }

    /// Some of the lines that a word changes: one of each file before others, changed ones before those that go.
    fn made(&self, trial: &Trial) -> Vec<Made> {
        let mut seen = BTreeSet::new();
        let lines = trial.effects().filter_map(|(path, effect)| {
            let made = self.line(path, effect).filter(|made| !made.text.is_empty())?;
            let order = (made.then.is_none(), has_digest(&made.text), !seen.insert(path));
            Some((order, made))
        });
        let mut lines: Vec<_> = lines.collect();
        lines.sort_by_key(|(order, _)| *order);
        lines.into_iter().map(|(_, made)| made).take(MOST_LINES).collect()
    }

    fn line(&self, path: &Utf8Path, effect: &Effect) -> Option<Made> {
        let text = in_a_line(self.bench.artifact(path)?.content.lines().nth(effect.line)?);
        let at = format!("{}:{}", self.out(path), effect.line + 1);
        Some(Made { at, text, then: effect.then.clone() })
    }

    /// Where a file is built to, as the user would name it.
    fn out(&self, path: &Utf8Path) -> Utf8PathBuf {
        let project = self.bench.analysis.project.as_ref();
        let folder = project.map(|project| project.out.join(&project.environment));
        self.blueprint.base.join(folder.unwrap_or_default()).join(path)
    }

    /// What was tried in vain, or not at all.
    fn tried(&mut self, found: &Found, named: Option<&Noun>) {
        let Found { tried, all, .. } = found;
        let none = self.told.words.is_empty();
        if let Some(noun) = named.filter(|_| none) {
            let (kind, path) = (noun.body.kind(), &noun.path);
            self.told.notes.push(format!(
                "{tried} words of the blueprint were tried, and none changes the line: it has the name of {kind} {path}, which is not tried with another"
            ));
            return;
        }
        let note = match (tried < all, none) {
            (false, false) => return,
            (false, true) => format!(
                "{tried} words of the blueprint were tried, and none changes the line: slipform writes it by itself"
            ),
            (true, true) => format!(
                "the nearest {tried} of {all} words of the blueprint were tried, and none changes the line"
            ),
            (true, false) => format!(
                "the nearest {tried} of {all} words of the blueprint were tried: others may change the line too"
            ),
        };
        self.told.notes.push(note);
    }

    fn unrendered(&self) -> String {
        "the blueprint cannot be rendered as it is, so nothing was tried: `slipform check` tells why".to_owned()
    }

    /// The rules that hold the fields, and the facts behind the names; `line` is the text that facts may stand in.
    fn finish(mut self, line: &str) -> Told {
        for (id, field) in &self.fields {
            let Some(noun) = self.noun(*id) else { continue };
            for rule in rules_of(&self.bench.analysis, noun, field) {
                if self.told.rules.iter().any(|known| known.code == rule.code) {
                    continue;
                }
                self.told.rules.push(Rule {
                    severity: rule.severity.word(),
                    code: rule.code,
                    what: rule.what,
                    points: !rule.aside,
                });
            }
        }
        // Where some point at what is said, others that only read it say less.
        let points = self.told.rules.iter().any(|rule| rule.points);
        self.told.rules.retain(|rule| rule.points || !points);
        self.told.rules.sort_by(|a, b| a.code.cmp(&b.code));
        if let Some(plan) = &self.bench.analysis.plan {
            self.told.facts = facts(&plan.model.catalog, &self.names, line);
        }
        self.told
    }
}

/// Whether a line has a number that tells one content from another: it differs whatever else does.
fn has_digest(line: &str) -> bool {
    let words = line.split(|c: char| !c.is_ascii_alphanumeric());
    words
        .into_iter()
        .any(|word| word.len() >= 12 && word.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Whether the value of a line has a name, as a part of its own: `gpus` is in `vpc = "gpus-vpc1"`, and in no `gpusX`.
fn has_name(line: &str, name: &str) -> bool {
    let value = ["= ", ": "].iter().find_map(|sign| Some(line.split_once(sign)?.1));
    let (value, name) = (value.unwrap_or(line).replace('_', "-"), name.replace('_', "-"));
    let is_apart = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
    let mut found = value.match_indices(name.as_str());
    found.any(|(at, _)| {
        let (before, from) = value.split_at(at);
        let behind = from.strip_prefix(name.as_str()).unwrap_or_default();
        is_apart(before.chars().next_back()) && is_apart(behind.chars().next())
    })
}

/// A value that may be the name of a fact.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::Str(text) => Some(text.to_string()),
        _ => None,
    }
}
