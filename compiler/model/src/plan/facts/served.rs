//! Servers that command lines start, and where they listen: for readiness, and for those who look for them.

use super::at_odds::rules_of;
use super::nodes::{open_words, own, run_of};
use super::records::{Astray, Unanswered};
use super::software::base_image;
use crate::NounId;
use crate::catalog::{Listens, OptionRules};
use crate::nouns::Probe;
use crate::plan::{Gang, Plan, Program, Run};
use slipform_source::nearest;

/// A server, the only one of its gang.
struct Served<'p> {
    listens: &'p Listens,
    /// As a sentence calls it: `vLLM`.
    called: &'p str,
    /// Where it listens; nothing where only the run knows.
    port: Option<i64>,
    /// The address of its own node alone.
    home: Option<String>,
}

impl Served<'_> {
    fn is_at(&self, port: i64) -> bool {
        let also = self.listens.also.iter().any(|it| i64::from(*it) == port);
        also || self.port.is_none_or(|own| own == port)
    }
}

/// The addresses of each node itself.
fn homes(plan: &Plan) -> &[String] {
    plan.model.catalog.names("commands.homes")
}

/// Whether an address, with its port or without, is one that nobody else reaches.
fn is_home(plan: &Plan, address: &str) -> bool {
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    homes(plan).iter().any(|it| it == address || it == host)
}

/// The server of a gang, where it is known to start one and nothing else.
fn served(plan: &Plan, id: NounId) -> Option<Served<'_>> {
    let (line, program) = (plan.command_line(id)?, plan.program(id)?);
    let first = |line: &str| line.split(' ').next().unwrap_or_default().to_owned();
    let beside = plan.model.catalog.names("commands.beside_servers");
    let mut lines = line.programs.iter().filter(|it| !beside.contains(&first(it)));
    let (Some(text), None) = (lines.next(), lines.next()) else { return None };
    if !program.sidecars.is_empty() || open_words(plan, id)? {
        return None;
    }
    let words: Vec<&str> = text.split(' ').collect();
    let mut behind = words.iter().skip_while(|it| **it != "-m").skip(1);
    let name = match words.first()? {
        it if it.starts_with("python") => behind.next()?,
        it => it,
    };
    let rules = rules_of(plan, name, &[])?;
    let listens = rules.listens.as_ref()?;
    let serves = |by: &String| words.iter().any(|word| word.ends_with(&**by));
    if !listens.by.is_empty() && !listens.by.iter().any(serves) {
        return None;
    }
    let own = || line.options.iter().filter(|it| it.program == *name);
    let told = |names: &[String]| {
        let named = own().filter(|it| names.contains(&it.name()));
        named.map(|it| it.value.clone()).collect::<Vec<_>>()
    };
    // variables may say a port, or an address, to some
    let by_variable = |end: &str| {
        let names = program.env.iter().map(|it| &it.name).chain(line.variables.keys());
        names.into_iter().any(|it| it.ends_with(end) && !it.starts_with("MASTER"))
    };
    let ports = told(&listens.ports);
    let bare = words.last().and_then(|it| it.parse::<i64>().ok());
    let bare = bare.or_else(|| words.iter().find_map(|it| it.parse().ok()));
    let port = match ports.as_slice() {
        [] if listens.bare && bare.is_some() => bare,
        [] if by_variable("PORT") => None,
        [] => Some(i64::from(listens.port)),
        [one] => one.as_deref().and_then(|it| it.parse().ok()),
        _ => None,
    };
    let hosts = told(&listens.hosts);
    let home = match hosts.as_slice() {
        [] if listens.at_home && !by_variable("HOST") && !says_by_image(plan, id, rules) => {
            homes(plan).first().cloned()
        }
        [Some(one)] if is_home(plan, one) => Some(one.clone()),
        _ => None,
    };
    Some(Served { listens, called: &rules.called, port, home })
}

/// Whether the image is the server's own, which says by a variable that it listens everywhere.
fn says_by_image(plan: &Plan, id: NounId, rules: &OptionRules) -> bool {
    let from = base_image(plan, id).unwrap_or_default();
    let name = from.split(['@', ':']).next().unwrap_or_default();
    rules.programs.iter().any(|it| name.rsplit('/').next() == Some(it))
}

/// What is asked whether nodes are ready that their server does not answer.
pub(super) fn unanswered(plan: &Plan, id: NounId) -> Option<Option<Unanswered>> {
    let asked = plan.gang(id)?.ready_when.as_ref();
    let Some((probe, served)) = asked.and_then(|it| Some((it, served(plan, id)?))) else {
        return Some(None);
    };
    let called = served.called;
    let told = |asked: String, answers: String, mend: String| {
        Some(Some(Unanswered { asked, answers, mend }))
    };
    let (port, path) = match probe {
        Probe::Tcp { port, .. } => (Some(*port), None),
        Probe::Http { port, path, .. } => (Some(*port), Some(path.as_str())),
        Probe::Exec { argv, .. } => {
            let text = argv.join(" ");
            let found = homes(plan).iter().find_map(|it| text.split_once(&format!("{it}:")));
            (found.and_then(|(_, behind)| leading_number(behind)), None)
        }
    };
    if let Some((asked, own)) = port.zip(served.port).filter(|(asked, _)| !served.is_at(*asked)) {
        let mend = format!("ask at {own}");
        return told(format!("at port {asked}"), format!("{called} listens at {own}"), mend);
    }
    if let Probe::Exec { argv, .. } = probe
        && let Some(file) = unwritten(plan, id, argv)
    {
        let asked = format!("by the file {file}");
        let answers = format!("nothing here writes it: {called} does not");
        let mend = format!("ask the server: `http({})`", served.listens.port);
        return told(asked, answers, mend);
    }
    let outside = !matches!(probe, Probe::Exec { .. });
    if let Some(home) = served.home.as_ref().filter(|_| outside) {
        let answers =
            format!("{called} listens at {home}, where its own container alone reaches it");
        let mend = match served.listens.hosts.first() {
            Some(option) => format!("have it listen on all: `--{option} 0.0.0.0`"),
            None => "have it listen on all addresses".to_owned(),
        };
        return told("from outside of the container".to_owned(), answers, mend);
    }
    let known = &served.listens.answers;
    // who answers that it is well has loaded a model first
    if !known.is_empty() && probe.within().0 < LOADING {
        let asked = format!("{} long", probe.within());
        let answers = format!("{called} loads its weights first, which takes minutes");
        return told(asked, answers, "leave `within` out, or raise it".to_owned());
    }
    if let Some(path) = path.filter(|it| !known.is_empty() && !known.iter().any(|own| own == it)) {
        let near = nearest(path, known.iter().map(String::as_str));
        // a root path of a proxy, or a route of one's own, is nobody's slip
        let meant = near.or_else(|| known.first().map(String::as_str))?;
        let others = plan.model.catalog.names("commands.health");
        if near.is_some() || path == "/" || others.iter().any(|it| it == path) {
            let answers = format!("{called} answers at `{meant}`");
            return told(format!("at `{path}`"), answers, format!("ask at `{meant}`"));
        }
    }
    Some(None)
}

/// The file that is looked for, where no command, no variable and no mount speaks of it.
fn unwritten<'a>(plan: &Plan, id: NounId, argv: &'a [String]) -> Option<&'a str> {
    let program = plan.program(id)?;
    let looks = ["cat", "test", "ls", "stat", "["];
    let first = argv.first()?;
    let file = argv.iter().skip(1).find(|it| it.starts_with('/'))?;
    let mounted =
        program.mounts.iter().any(|it| file.starts_with(it.path.value.trim_end_matches('/')));
    let spoken = program.texts().any(|text| text.contains(&**file));
    (looks.contains(&&**first) && !mounted && !spoken).then_some(file.as_str())
}

/// No server of models is there in so many seconds, which is a policy of ours: its libraries alone take longer to load.
const LOADING: u64 = 30;

fn leading_number(text: &str) -> Option<i64> {
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// Addresses of servers of its run at which these do not listen.
pub(super) fn astray(plan: &Plan, id: NounId) -> Option<Vec<Astray>> {
    let (run, program) = (run_of(plan, id)?, plan.program(id)?);
    let mut found = Vec::new();
    if run.groups().is_empty() {
        found.extend(at_other_head(plan, run, program));
        return Some(found);
    }
    if run.gke().is_none() {
        return Some(found);
    }
    let servers: Vec<(&Gang, Served<'_>)> = run
        .gangs()
        .filter(|gang| gang.program.noun != id)
        .filter_map(|gang| Some((gang, served(plan, gang.program.noun)?)))
        .collect();
    found.extend(at_other_head(plan, run, program));
    if servers.is_empty() {
        return Some(found);
    }
    let alone = program.sidecars.is_empty() && served(plan, id).is_none();
    let own_ports = own(plan, id)?.ports.len();
    for text in program.texts() {
        for (gang, server) in &servers {
            let Some(port) = server.port else { continue };
            found.extend(at_other_port(run, gang, server, port, text));
            if alone && own_ports == 0 {
                found.extend(at_home(run, gang, server, homes(plan), text));
            }
        }
    }
    found.dedup_by(|a, b| a.why == b.why);
    Some(found)
}

/// Where nodes join a cluster of Ray, at another port than that of its head.
fn at_other_head(plan: &Plan, run: &Run, program: &Program) -> Option<Astray> {
    let lines = run.gangs().filter_map(|gang| plan.command_line(gang.program.noun));
    let lines: Vec<&String> = lines.flat_map(|line| &line.programs).collect();
    let mut heads = lines.iter().filter(|it| it.starts_with("ray start ") && it.contains("--head"));
    let (Some(head), None) = (heads.next(), heads.next()) else { return None };
    let port = match head.split_once("--port") {
        Some((_, behind)) => leading_number(behind.trim_start_matches(['=', ' ']))?,
        None => i64::from(rules_of(plan, "ray", &[])?.listens.as_ref()?.port),
    };
    let all = program.texts().collect::<Vec<_>>().join(" ");
    let ends = [";", "&", "|", "\n"];
    // up to the end of the command
    let joins = all.split("ray start").skip(1).filter_map(|behind| {
        let end = ends.iter().filter_map(|it| behind.find(it)).min().unwrap_or(behind.len());
        behind.get(..end)?.split_once("--address")
    });
    let address = joins.map(|(_, it)| it.trim_start_matches(['=', ' '])).next()?;
    let address = address.split_whitespace().next()?.trim_matches(['"', '\'']);
    let (host, asked) = address.rsplit_once(':')?;
    let asked = asked.parse::<i64>().ok().filter(|it| *it != port)?;
    let why = format!(
        "nodes join a cluster of Ray at port {asked}, and its head begins at {port}: they wait until they give up"
    );
    Some(Astray { written: address.to_owned(), why, known: format!("{host}:{port}") })
}

/// An address of a node of a gang, with a port at which its server does not listen.
fn at_other_port(
    run: &Run,
    gang: &Gang,
    server: &Served<'_>,
    port: i64,
    text: &str,
) -> Option<Astray> {
    let begin = format!("{}-{}-", run.name, gang.role);
    let (_, behind) = text.split_once(&begin)?;
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
    let end = behind.find(|c| !is_of_name(c))?;
    let (name, rest) = behind.split_at_checked(end)?;
    let asked = leading_number(rest.strip_prefix(':')?)?;
    let declared = gang.pod.ports.iter().any(|(_, it)| *it == asked);
    if server.is_at(asked) || declared || !name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let known = format!("{begin}{name}:{port}");
    let why = format!(
        "`{begin}{name}:{asked}` is where nobody is known to listen: {} of `{}` listens at {port}",
        server.called, gang.role
    );
    Some(Astray { written: format!("{begin}{name}:{asked}"), why, known })
}

/// The own node, at the port of the server of another gang.
fn at_home(
    run: &Run,
    gang: &Gang,
    server: &Served<'_>,
    homes: &[String],
    text: &str,
) -> Option<Astray> {
    let port = server.port?;
    let home = homes.iter().map(|it| format!("{it}:{port}")).find(|it| text.contains(&**it))?;
    let (_, behind) = text.split_once(&*home)?;
    if behind.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let known = format!("{0}-{1}-0-0.{0}:{port}", run.name, gang.role);
    let why = format!(
        "`{home}` is this node itself, and {} of `{}`, which listens at {port}, is on another one",
        server.called, gang.role
    );
    Some(Astray { written: home, why, known })
}
