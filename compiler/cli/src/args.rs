//! The command line as data. What the flags do is said here and nowhere else; the commands take these structs.

use camino::Utf8PathBuf;
use clap::{Args, Parser, Subcommand, ValueEnum};
use slipform_changes::Effect;

/// Blueprints of AI-training infrastructure, checked and rendered into the files that the tools understand.
#[derive(Parser, Debug)]
#[command(name = "slipform", version, max_term_width = 100, arg_required_else_help = true)]
#[command(after_help = "\
Exit status: 0 clean, 1 the blueprint has errors or a test fails, 2 the command was used wrongly or
could not run, 3 --check or catalog diff found a difference, or plan a change. Results go to stdout,
progress and diagnostics to stderr.
Colour follows the terminal, NO_COLOR and CLICOLOR_FORCE.

Examples:
  slipform init my-training      a small project to start from
  slipform check                 everything that is wrong with the project here
  slipform build --env prod      the files of the environment prod, in out/prod")]
pub(crate) struct Cli {
    /// How diagnostics are written; of `plan` human, markdown, json or github, which are of changes
    #[arg(long, global = true, value_name = "FORMAT", value_enum, default_value_t = MessageFormat::Human)]
    pub(crate) message_format: MessageFormat,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// How diagnostics are written.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub(crate) enum MessageFormat {
    /// With the lines of source that they speak of
    Human,
    /// `path:line:column: error[code]: message`, one a line
    Short,
    /// One JSON object a line: code, severity, message, file, range, labels, help, fixes
    Json,
    /// SARIF 2.1.0, on stdout: for GitHub's code scanning, and editors
    Sarif,
    /// Annotations of a GitHub workflow, on stdout
    Github,
    /// GitLab's report of code quality, on stdout
    Gitlab,
    /// JUnit's XML, on stdout
    Junit,
    /// Reviewdog's diagnostic format, on stdout
    Rdjson,
    /// A table for a comment in a review, on stdout: `plan` and `catalog diff` alone
    Markdown,
}

impl MessageFormat {
    /// Whether all diagnostics are one document, which other programs read: it is there even where nothing is wrong.
    pub(crate) fn is_document(self) -> bool {
        !matches!(self, Self::Human | Self::Short | Self::Json | Self::Markdown)
    }

    /// Whether a forge reads it, beside the lines of a repository.
    pub(crate) fn is_of_forges(self) -> bool {
        matches!(self, Self::Github | Self::Gitlab | Self::Sarif | Self::Rdjson)
    }

    /// Whether another line makes the document one that cannot be read. Annotations are lines of a log.
    pub(crate) fn is_parsed_whole(self) -> bool {
        self.is_document() && self != Self::Github
    }

    /// How changes are written so; nothing where the format has problems alone.
    pub(crate) fn of_changes(self) -> Option<PlanFormat> {
        match self {
            Self::Human => Some(PlanFormat::Human),
            Self::Markdown => Some(PlanFormat::Markdown),
            Self::Json => Some(PlanFormat::Json),
            Self::Github => Some(PlanFormat::Github),
            Self::Short | Self::Sarif | Self::Gitlab | Self::Junit | Self::Rdjson => None,
        }
    }

    /// As the command line calls it.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |it| it.get_name().to_owned())
    }

    /// How results are written where diagnostics are written so.
    pub(crate) fn of_results(self) -> ResultFormat {
        match self {
            Self::Json => ResultFormat::Json,
            Self::Human
            | Self::Short
            | Self::Sarif
            | Self::Github
            | Self::Gitlab
            | Self::Junit
            | Self::Rdjson
            | Self::Markdown => ResultFormat::Text,
        }
    }
}

/// How the results of a command are written that answers a question, such as `explain` and `catalog`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ResultFormat {
    /// Lines for people
    Text,
    /// One JSON object a line
    Json,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    Check(CheckArgs),
    Build(BuildArgs),
    Plan(PlanArgs),
    Test(TestArgs),
    Init(InitArgs),
    Fmt(FmtArgs),
    Graph(GraphArgs),
    Explain(ExplainArgs),
    Catalog(CatalogArgs),
    Lock(LockArgs),
    Completions(CompletionsArgs),
    /// The manual page, as roff
    #[command(after_help = "Examples:\n  slipform man > ~/.local/share/man/man1/slipform.1")]
    Man,
    /// The language server, on stdin and stdout
    #[command(
        after_help = "Examples:\n  slipform lsp      for an editor to start: it speaks the language server protocol"
    )]
    Lsp,
}

impl Command {
    /// The format that is asked for by its other name.
    pub(crate) fn format(&self) -> Option<MessageFormat> {
        match self {
            Self::Plan(args) => args.format,
            Self::Catalog(CatalogArgs { action: Some(CatalogAction::Diff(args)), .. }) => {
                args.format
            }
            _ => None,
        }
    }

    /// Whether it tells changes.
    pub(crate) fn tells_changes(&self) -> bool {
        let diff = |args: &CatalogArgs| args.action.is_some();
        matches!(self, Self::Plan(_)) || matches!(self, Self::Catalog(args) if diff(args))
    }
}

/// Which blueprint, with which values.
#[derive(Args, Debug)]
pub(crate) struct Inputs {
    /// A `.bp` file, or the folder of a project
    #[arg(value_name = "PATH", default_value = ".", hide_default_value = false)]
    pub(crate) path: Utf8PathBuf,
    /// Gives a parameter a value, over the project's own
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) set: Vec<String>,
}

/// Parses, types and checks a blueprint; writes nothing
///
/// A project with several environments is checked for each of them unless `--env` names some.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  slipform check                              the project in this folder
  slipform check train.bp --set nodes=32      one file, with a value for a parameter
  slipform check --watch                      again after each change
  slipform check --message-format short       one line a problem, for editors and logs")]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// The environment to check; may be repeated
    #[arg(long, value_name = "ENV")]
    pub(crate) env: Vec<String>,
    /// Checks again whenever a file that was read changes, until it is interrupted
    #[arg(long)]
    pub(crate) watch: bool,
}

/// Renders a blueprint into files
///
/// The files go to the project's output folder, one folder an environment. A manifest beside them tells what was written:
/// files that someone else wrote or edited since are not overwritten unless told, and files that are no longer made
/// are removed. Folders from which something was applied that may still be there are kept, and LEFT-BEHIND.md has the
/// commands that take it away; then `--prune` removes them. Nothing is written if anything is wrong.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  slipform build                                  into out/<environment>
  slipform build --env prod --env staging         two environments
  slipform build train.bp --out rendered          one file, into exactly this folder
  slipform build --check                          is what lies on disk what would be built? (exit status 3: no)
  slipform build --watch                          again after each change
  slipform build train.bp --target slurm --stdout look, but write nothing")]
pub(crate) struct BuildArgs {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// Writes into exactly this folder
    #[arg(long, value_name = "DIR", conflicts_with = "stdout")]
    pub(crate) out: Option<Utf8PathBuf>,
    /// The environment to build; may be repeated
    #[arg(long, value_name = "ENV", conflicts_with = "all_envs")]
    pub(crate) env: Vec<String>,
    /// Builds every environment of the project
    #[arg(long)]
    pub(crate) all_envs: bool,
    /// Renders only for this target and leaves the files of others alone; may be repeated
    #[arg(long, value_name = "TARGET", long_help = target_help())]
    pub(crate) target: Vec<String>,
    /// Compares with what is on disk, writes nothing, and ends with status 3 if anything differs
    #[arg(long, conflicts_with_all = ["stdout", "force"])]
    pub(crate) check: bool,
    /// Prints the files instead of writing them
    #[arg(long, conflicts_with = "force")]
    pub(crate) stdout: bool,
    /// Overwrites files that someone else wrote or edited
    #[arg(long)]
    pub(crate) force: bool,
    /// Removes what LEFT-BEHIND.md lists: folders that the blueprint asks for no more
    #[arg(long, conflicts_with_all = ["stdout", "check"])]
    pub(crate) prune: bool,
    /// Builds again whenever a file that was read changes, until it is interrupted
    #[arg(long, conflicts_with_all = ["stdout", "check", "prune"])]
    pub(crate) watch: bool,
}

/// Tells what applying a change does, before anybody applies it
///
/// What would be built now is compared with what was built last, with a folder (built, or of a blueprint), or with a revision of
/// the repository, each environment by itself. Every change has an effect, the worst first: data that is destroyed, things that are
/// replaced with what runs on them, restarts, commands that have to be given, and so on. Nothing is asked of any cloud: what
/// somebody changed by hand there is `terraform plan`'s to say.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  slipform plan                                  against what was built last
  slipform plan --against origin/main            against another revision, as a pull request does
  slipform plan --against ../before --env prod   against another folder, one environment
  slipform plan --fail-on replace                status 3 only if something is replaced, or worse
  slipform plan --message-format markdown        for a comment in a review")]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// A folder, or a revision of the repository, with a place in it where the blueprint was elsewhere; what was built last where it
    /// is left out
    #[arg(long, value_name = "DIR|REV[:PATH]")]
    pub(crate) against: Option<String>,
    /// The environment to plan; may be repeated
    #[arg(long, value_name = "ENV")]
    pub(crate) env: Vec<String>,
    /// How bad a change must be for status 3; any change where it is left out
    #[arg(long, value_name = "EFFECT", value_enum)]
    pub(crate) fail_on: Option<FailOn>,
    /// Another name of `--message-format`
    #[arg(long, value_name = "FORMAT", value_enum, hide = true, conflicts_with = "message_format")]
    pub(crate) format: Option<MessageFormat>,
}

/// The effects that a gate may name, the worst first.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub(crate) enum FailOn {
    /// What is stored is gone
    Destroy,
    /// Something is destroyed, and what runs on it ends
    Replace,
    /// Nobody knows what comes of it
    MayReplace,
    /// Nodes or pods start anew
    Restart,
    /// Commands have to be given
    ByHand,
    /// What runs is changed
    InPlace,
}

impl FailOn {
    /// The effect that it names.
    pub(crate) fn effect(self) -> Effect {
        match self {
            Self::Destroy => Effect::DestroysData,
            Self::Replace => Effect::Replaces,
            Self::MayReplace => Effect::MayReplace,
            Self::Restart => Effect::Restarts,
            Self::ByHand => Effect::ByHand,
            Self::InPlace => Effect::InPlace,
        }
    }
}

/// How changes are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PlanFormat {
    /// Lines for people
    Human,
    /// A table, for a comment in a review
    Markdown,
    /// One JSON object a line
    Json,
    /// Annotations of a GitHub workflow
    Github,
}

/// Runs the tests of a project
///
/// They stand in `tests/`, at any depth. A `NAME.test.bp` speaks of the project: its rules and asserts are tried in every environment,
/// and each `test` in it says for which environments and values of parameters, what has to be refused, and of which nouns the output is
/// kept in `tests/snapshots`. Any other `.bp` is a program, and comments on its lines say what has to be reported there; without such
/// comments it has to be clean. Nothing outside of `tests/snapshots` is written.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  slipform test                            every test of the project in this folder
  slipform test reserv                     those with `reserv` in their names or files
  slipform test --env prod                 those of one environment
  slipform test --update                   keeps what nouns render to, as it is
  slipform test --message-format junit     for CI")]
pub(crate) struct TestArgs {
    /// Words: tests with one of them in their names or files are run, and all where there is none
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// The folder of the project
    #[arg(long, value_name = "DIR", default_value = ".", hide_default_value = true)]
    pub(crate) project: Utf8PathBuf,
    /// Runs what is for this environment; may be repeated
    #[arg(long, value_name = "ENV")]
    pub(crate) env: Vec<String>,
    /// Prints the tests, and runs none
    #[arg(long, conflicts_with = "update")]
    pub(crate) list: bool,
    /// Keeps what nouns render to, and removes what no test keeps any more
    #[arg(long)]
    pub(crate) update: bool,
}

fn target_help() -> String {
    let mut text = String::from(
        "Renders only for this target and leaves the files of others alone; may be repeated:",
    );
    for target in slipform_targets::TARGETS {
        text.push_str(&format!("\n  {:<12} {}", target.name(), target.about()));
    }
    text
}

/// Writes a small working project into a new or empty folder
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  slipform init my-training                       GPUs on GKE
  slipform init my-training --template slurm      a Slurm cluster of one's own")]
pub(crate) struct InitArgs {
    /// The folder; it is made if there is none
    #[arg(value_name = "DIR", default_value = ".")]
    pub(crate) dir: Utf8PathBuf,
    /// What to start from
    #[arg(long, value_name = "TEMPLATE", default_value = "gke-gpu", long_help = template_help())]
    pub(crate) template: String,
}

fn template_help() -> String {
    let mut text = String::from("What to start from:");
    for template in crate::TEMPLATES {
        text.push_str(&format!("\n  {:<12} {}", template.name, template.about));
    }
    text
}

/// Lays blueprints out in the one canonical way
///
/// Comments stay, meaning stays. A file with syntax errors is laid out where it is sound.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  slipform fmt                 every .bp file below this folder
  slipform fmt train.bp        one file
  slipform fmt --check         lists what is not laid out, and ends with status 3 if anything is listed")]
pub(crate) struct FmtArgs {
    /// Files, or folders whose `.bp` files are meant, at any depth
    #[arg(value_name = "PATH", default_value = ".")]
    pub(crate) paths: Vec<Utf8PathBuf>,
    /// Writes nothing; lists the files that are not laid out
    #[arg(long)]
    pub(crate) check: bool,
}

/// Draws who refers to whom
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  slipform graph --format html > graph.html       a page to look through, with links to the sources
  slipform graph --format svg > graph.svg         the same drawing alone
  slipform graph train.bp --format mermaid        for Markdown
  slipform graph | dot -Tpdf > graph.pdf          for Graphviz")]
pub(crate) struct GraphArgs {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// The environment to draw
    #[arg(long, value_name = "ENV")]
    pub(crate) env: Option<String>,
    /// What draws it, or how it is drawn
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = GraphFormat::Dot)]
    pub(crate) format: GraphFormat,
}

/// How the graph is written.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub(crate) enum GraphFormat {
    /// For Graphviz
    Dot,
    /// For Mermaid, as Markdown hosts draw it
    Mermaid,
    /// A drawing: nouns by stage
    Svg,
    /// A page of its own, without requests to anywhere: the drawing, with search, sources and what each noun renders to
    Html,
}

/// Explains a diagnostic, or a line of a blueprint or of a rendered file
///
/// Of a code: what it means, why it matters, how to mend it. Of a line: the nouns that it is of, the words of the blueprint that it
/// depends on, the rules that read what they say, and the facts that they ask for. That a line depends on a word is found by trial:
/// another word is put in its place, and everything is rendered anew in memory.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  slipform explain                                          every code, one a line
  slipform explain names/unknown                            one of them in full
  slipform explain train.bp:42                              what a line of a blueprint makes
  slipform explain out/prod/30-a3m/node_pools.tf:68         what made a line of a rendered file
  slipform explain --symptom \"0/4 nodes are available: 4 Insufficient nvidia.com/gpu\"")]
pub(crate) struct ExplainArgs {
    /// A code, as it stands in brackets behind `error`; or a path with a line
    #[arg(value_name = "CODE|PATH:LINE")]
    pub(crate) code: Option<String>,
    /// The environment in which a line of a blueprint is looked at
    #[arg(long, value_name = "ENV", requires = "code", conflicts_with = "symptom")]
    pub(crate) env: Option<String>,
    /// A line of a log: tells the rules that would have prevented it, or why none does
    #[arg(long, value_name = "LINE", conflicts_with = "code")]
    pub(crate) symptom: Option<String>,
}

/// Writes what a shell needs to complete the words of this command
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  slipform completions bash > ~/.local/share/bash-completion/completions/slipform
  slipform completions zsh > ~/.zfunc/_slipform
  slipform completions fish > ~/.config/fish/completions/slipform.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// Shows what the compiler knows, with sources and dates
///
/// Facts of the `slipform.lock` and the `catalog.local.toml` in the current folder are shown too.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
#[command(after_help = "\
Examples:
  slipform catalog machines                    every machine type
  slipform catalog machines a3-megagpu-8g      one of them in full
  slipform catalog zones us-east4-a            what a zone is known to offer
  slipform catalog gpus --message-format json  for programs, one object a line
  slipform catalog diff                        what newer facts mean for the project here")]
pub(crate) struct CatalogArgs {
    #[command(subcommand)]
    pub(crate) action: Option<CatalogAction>,
    /// machines, gpus, tpus, zones or stacks
    #[arg(value_name = "TABLE")]
    pub(crate) table: Option<String>,
    /// One row of it
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
}

/// What is done with facts besides showing them.
#[derive(Subcommand, Debug)]
pub(crate) enum CatalogAction {
    Diff(DiffArgs),
}

/// Tells what other facts say, and what they mean for a project
///
/// Rows that come, go or change, those that the project uses first; then, each environment by itself, the reports that come or go,
/// and what applying the output that they give does, as `slipform plan` tells it. OLD and NEW are `builtin` for the facts of this
/// compiler, a lock, a folder with one, a folder that is a whole catalog, a file such as `catalog.local.toml`, or a revision of the
/// repository with a lock in it. Facts of such a file lie on top of the other side's, or of the project's own.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  slipform catalog diff                       the project's lock against the facts of this compiler
  slipform catalog diff builtin trial.toml    what a fact that may change would mean
  slipform catalog diff origin/main .         the locks of two revisions, in a pull request
  slipform catalog diff --message-format markdown
                                              for a comment in a review")]
pub(crate) struct DiffArgs {
    /// The facts of before; the project's lock where it is left out
    #[arg(value_name = "OLD")]
    pub(crate) old: Option<String>,
    /// The facts of afterwards; those of this compiler where it is left out
    #[arg(value_name = "NEW")]
    pub(crate) new: Option<String>,
    /// A `.bp` file, or the folder of the project
    #[arg(long, value_name = "PATH", default_value = ".", hide_default_value = true)]
    pub(crate) project: Utf8PathBuf,
    /// Gives a parameter a value, over the project's own
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) set: Vec<String>,
    /// The environment to look at; may be repeated
    #[arg(long, value_name = "ENV")]
    pub(crate) env: Vec<String>,
    /// Another name of `--message-format`
    #[arg(long, value_name = "FORMAT", value_enum, hide = true, conflicts_with = "message_format")]
    pub(crate) format: Option<MessageFormat>,
}

/// Holds a project to the facts of this compiler
///
/// Writes `slipform.lock` beside `slipform.toml`: every fact, with the compiler and the catalog that it is of. From then on the
/// project is checked and built with these facts, whatever a later compiler knows, until `--update` takes the facts of that one.
/// Commit it. A project's own facts stay in `catalog.local.toml`, on top.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  slipform lock                  hold the project in this folder to the facts of this compiler
  slipform lock --check          are they those of this compiler? (exit status 3: no)
  slipform catalog diff          what would others mean?
  slipform lock --update         take them")]
pub(crate) struct LockArgs {
    /// A `.bp` file, or the folder of a project
    #[arg(value_name = "PATH", default_value = ".", hide_default_value = false)]
    pub(crate) path: Utf8PathBuf,
    /// Takes the facts of this compiler in place of those that the project is held to
    #[arg(long, conflicts_with = "check")]
    pub(crate) update: bool,
    /// Writes nothing, and ends with status 3 if there is no lock or it has other facts
    #[arg(long)]
    pub(crate) check: bool,
}
