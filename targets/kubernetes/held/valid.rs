//! What Kubernetes looks at in a pod beyond its schema (`pkg/apis/core/validation` of Kubernetes): a pod that does not hold is never made, and the
//! JobSet says so in an event alone.

use super::keys::amount;
use super::{Look, PATCH_REFUSED, int, items, record, shown, text};
use crate::document::Node;
use crate::labels::{is_label_key, is_label_value};
use std::collections::BTreeSet;
use std::net::IpAddr;

/// What stands at a path of a pod, and what of it is taken.
struct Row {
    /// Its keys, without items of lists.
    path: &'static str,
    takes: Takes,
}

/// What is taken.
enum Takes {
    /// One of these words.
    Word(&'static [&'static str]),
    /// A number from one to another.
    Number(i64, i64),
    /// What a form says.
    Form(fn(&str) -> bool, &'static str),
}

const fn word(path: &'static str, words: &'static [&'static str]) -> Row {
    Row { path, takes: Takes::Word(words) }
}

const fn number(path: &'static str, least: i64, most: i64) -> Row {
    Row { path, takes: Takes::Number(least, most) }
}

const fn form(path: &'static str, holds: fn(&str) -> bool, what: &'static str) -> Row {
    Row { path, takes: Takes::Form(holds, what) }
}

/// Bits of a file's mode, which are written with eight digits: 0755 is 493.
const MODE: i64 = 0o777;
const PORT: i64 = 65_535;
/// How long a label is at most.
pub(super) const MOST: usize = 63;
const ID: i64 = i32::MAX as i64;

/// Rows of what a JobSet says of itself and of its jobs (its webhook, and the validation of jobs).
const JOBSET: [Row; 4] = [
    word(
        "failurePolicy.rules.onJobFailureReasons",
        &[
            "BackoffLimitExceeded",
            "DeadlineExceeded",
            "FailedIndexes",
            "MaxFailedIndexesExceeded",
            "PodFailurePolicy",
        ],
    ),
    form("failurePolicy.rules.name", is_rule, "letters, digits and `_`, a letter first"),
    form("replicatedJobs.groupName", is_label, "small letters, digits and dashes"),
    word("replicatedJobs.template.spec.podReplacementPolicy", &["TerminatingOrFailed", "Failed"]),
];

/// Who wants to be near whom.
const NEAR: &str = "affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution";
const NEAR_PERHAPS: &str =
    "affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution.podAffinityTerm";
const APART: &str = "affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution";
const APART_PERHAPS: &str =
    "affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution.podAffinityTerm";

/// What takes pods by their labels.
pub(super) const SELECTORS: [&str; 5] =
    [NEAR, NEAR_PERHAPS, APART, APART_PERHAPS, "topologySpreadConstraints"];

/// What takes nodes by their labels.
const TERMS: [&str; 2] = [
    "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms.matchExpressions",
    "affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution.preference.matchExpressions",
];

/// Rows of a pod.
const POD: [Row; 33] = [
    word("tolerations.effect", &["NoSchedule", "PreferNoSchedule", "NoExecute", ""]),
    word("topologySpreadConstraints.whenUnsatisfiable", &["DoNotSchedule", "ScheduleAnyway"]),
    word("topologySpreadConstraints.nodeAffinityPolicy", &["Honor", "Ignore"]),
    word("topologySpreadConstraints.nodeTaintsPolicy", &["Honor", "Ignore"]),
    number("topologySpreadConstraints.minDomains", 1, ID),
    word("securityContext.seccompProfile.type", &["RuntimeDefault", "Localhost", "Unconfined"]),
    word("volumes.ephemeral.volumeClaimTemplate.spec.accessModes", &ACCESS),
    number(
        "affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution.weight",
        1,
        100,
    ),
    form("tolerations.key", is_key, "a key as labels and taints have it"),
    form("tolerations.value", is_value, "a value as labels and taints have it"),
    form("volumes.emptyDir.sizeLimit", |it| amount(it).is_some(), "an amount, such as `64Gi`"),
    form("hostAliases.hostnames", is_host, "a name of a host"),
    form(
        "volumes.downwardAPI.items.fieldRef.fieldPath",
        is_field,
        "a field that pods are told, such as `metadata.labels`",
    ),
    word("securityContext.fsGroupChangePolicy", &["OnRootMismatch", "Always"]),
    word("volumes.emptyDir.medium", &["", "Memory", "HugePages", "HugePages-2Mi", "HugePages-1Gi"]),
    word(
        "volumes.hostPath.type",
        &[
            "",
            "DirectoryOrCreate",
            "Directory",
            "FileOrCreate",
            "File",
            "Socket",
            "CharDevice",
            "BlockDevice",
        ],
    ),
    number("securityContext.runAsUser", 0, ID),
    number("securityContext.runAsGroup", 0, ID),
    number("securityContext.fsGroup", 0, ID),
    number("topologySpreadConstraints.maxSkew", 1, ID),
    number("volumes.configMap.defaultMode", 0, MODE),
    number("volumes.secret.defaultMode", 0, MODE),
    number("volumes.projected.defaultMode", 0, MODE),
    number("volumes.projected.sources.serviceAccountToken.expirationSeconds", 600, 1 << 32),
    number("affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution.weight", 1, 100),
    number("affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution.weight", 1, 100),
    form("volumes.name", is_label, "small letters, digits and dashes"),
    form("volumes.hostPath.path", stays, "a path without `..`"),
    form("volumes.nfs.path", is_absolute, "a path from the root on"),
    form("volumes.configMap.items.path", is_below, "a path below the volume"),
    form("volumes.secret.items.path", is_below, "a path below the volume"),
    form("hostAliases.ip", is_address, "an address"),
    form("dnsConfig.nameservers", is_address, "an address"),
];

const ACCESS: [&str; 4] = ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"];

/// Rows of a container.
const CONTAINER: [Row; 17] = [
    word("ports.protocol", &["TCP", "UDP", "SCTP"]),
    word("volumeMounts.mountPropagation", &["None", "HostToContainer", "Bidirectional"]),
    word("restartPolicy", &["Always", "OnFailure", "Never"]),
    word("securityContext.seccompProfile.type", &["RuntimeDefault", "Localhost", "Unconfined"]),
    form(
        "env.valueFrom.fieldRef.fieldPath",
        is_field,
        "a field that pods are told, such as `metadata.name`, `spec.nodeName` or `status.podIP`",
    ),
    form(
        "env.valueFrom.resourceFieldRef.resource",
        is_resource,
        "what a container asks for, such as `limits.cpu` or `requests.memory`",
    ),
    word("terminationMessagePolicy", &["File", "FallbackToLogsOnError"]),
    number("ports.containerPort", 1, PORT),
    number("livenessProbe.successThreshold", 1, 1),
    number("startupProbe.successThreshold", 1, 1),
    number("livenessProbe.periodSeconds", 0, ID),
    number("livenessProbe.initialDelaySeconds", 0, ID),
    number("livenessProbe.timeoutSeconds", 0, ID),
    number("securityContext.runAsUser", 0, ID),
    form("ports.name", is_port, "at most 15 small letters, digits and dashes"),
    form("volumeMounts.mountPath", |it| !it.contains(':'), "a path without `:`"),
    form("volumeMounts.subPath", is_below, "a path below the volume"),
];

impl Look<'_> {
    /// All of it.
    pub(super) fn valid(&mut self, pod: &Node) {
        self.rows(&POD, pod);
        self.tolerated(pod);
        self.terms(pod);
        self.together(pod);
        for list in ["initContainers", "containers"] {
            for container in items(pod, list) {
                self.within(list, |look| {
                    look.rows(&CONTAINER, container);
                    look.handlers(container);
                    look.ports(container);
                });
            }
        }
    }

    /// What the run itself says.
    pub(super) fn valid_run(&mut self, spec: &Node) {
        self.rows(&JOBSET, spec);
    }

    pub(super) fn refuse(&mut self, key: &str, value: &str, message: String, help: &str) {
        // above its pods nothing but the run itself is refused
        let what = match self.names.len() {
            0 | 1 => "the run",
            _ => "every pod of the run",
        };
        let message = format!("{message}: Kubernetes refuses {what}");
        self.tell(PATCH_REFUSED, key, value, message, help);
    }

    fn rows(&mut self, rows: &[Row], node: &Node) {
        for row in rows {
            let mut found = Vec::new();
            let keys: Vec<&str> = row.path.split('.').collect();
            reach(node, &keys, &mut found);
            for value in found {
                let Some(takes) = row.takes.misses(value) else { continue };
                let key = row.path.rsplit('.').next().unwrap_or_default();
                let (value, help) = (shown(value), "write what it takes, or leave it out");
                let message = format!("`{key}` takes {takes}, and not `{value}`");
                self.refuse(row.path, &value, message, help);
            }
        }
    }

    /// Tolerations whose parts exclude each other.
    fn tolerated(&mut self, pod: &Node) {
        // the last two are of clusters that have them switched on
        const OPERATORS: [&str; 4] = ["Equal", "Exists", "Lt", "Gt"];
        for one in items(pod, "tolerations") {
            if let Some(operator) = text(one, "operator").filter(|it| !OPERATORS.contains(it)) {
                let message = format!("`{operator}` is no operator of a toleration");
                let help = "write `Equal` with a value, or `Exists` without";
                self.refuse("tolerations.operator", operator, message, help);
            }
            let exists = text(one, "operator") == Some("Exists");
            let value = text(one, "value").filter(|it| exists && !it.is_empty());
            if let Some(value) = value {
                let message = format!("`Exists` asks for no value, and `{value}` is one");
                let help = "leave `value` out, or write `operator = \"Equal\"`";
                self.refuse("tolerations.value", value, message, help);
            }
            if let Some(seconds) = int(one, "tolerationSeconds")
                && text(one, "effect") != Some("NoExecute")
            {
                let message = "`tolerationSeconds` is of the effect `NoExecute` alone".to_owned();
                let help = "leave it out: other effects end nothing that runs";
                self.refuse("tolerations.tolerationSeconds", &seconds.to_string(), message, help);
            }
            if text(one, "key").is_none_or(str::is_empty) && !exists {
                let message =
                    "a toleration without a key is of all taints, and says `operator = \"Exists\"`"
                        .to_owned();
                self.refuse("tolerations", "", message, "name the key of the taint");
            }
        }
    }

    /// What is asked of labels of nodes and of pods.
    fn terms(&mut self, pod: &Node) {
        TERMS.into_iter().for_each(|path| self.expressions(pod, path, &["Gt", "Lt"]));
        for path in SELECTORS {
            self.expressions(pod, &format!("{path}.labelSelector.matchExpressions"), &[]);
        }
    }

    /// Operators, and how many values each of them has.
    fn expressions(&mut self, pod: &Node, path: &str, further: &[&str]) {
        const OPERATORS: [&str; 4] = ["In", "NotIn", "Exists", "DoesNotExist"];
        let keys: Vec<&str> = path.split('.').collect();
        let mut found = Vec::new();
        reach(pod, &keys, &mut found);
        for one in found {
            let values: Vec<&str> = items(one, "values").filter_map(Node::as_str).collect();
            let operator = text(one, "operator").unwrap_or_default();
            let is_number = |it: &&str| it.parse::<i64>().is_ok();
            let wrong = match operator {
                "In" | "NotIn" if values.is_empty() => "asks for values, and none is named",
                "Exists" | "DoesNotExist" if !values.is_empty() => {
                    "asks for no values, and some are named"
                }
                "Gt" | "Lt" if values.len() != 1 => "asks for one value",
                "Gt" | "Lt" if !values.iter().all(is_number) => "asks for a number",
                known if OPERATORS.contains(&known) || further.contains(&known) => continue,
                _ => "is no operator here",
            };
            let help = "write `In` with `values`, or `Exists` without";
            let key = format!("{path}.operator");
            self.refuse(&key, operator, format!("`{operator}` {wrong}"), help);
        }
    }

    /// What stands beside something that excludes it.
    fn together(&mut self, pod: &Node) {
        for one in items(pod, "topologySpreadConstraints") {
            if let (Some(least), Some("ScheduleAnyway")) =
                (int(one, "minDomains"), text(one, "whenUnsatisfiable"))
            {
                let message = "`minDomains` is of `DoNotSchedule` alone".to_owned();
                let key = "topologySpreadConstraints.minDomains";
                self.refuse(key, &least.to_string(), message, "leave it out");
            }
        }
        // admission takes it from a class of runtimes alone
        if pod.get("overhead").is_some() && text(pod, "runtimeClassName").is_none() {
            let message =
                "`overhead` is what a class of runtimes says, and none is named".to_owned();
            self.refuse("overhead", "", message, "leave it out");
        }
        for volume in items(pod, "volumes") {
            let Node::Map(map) = volume else { continue };
            let sources: Vec<&str> =
                map.iter().map(|(key, _)| key).filter(|key| *key != "name").collect();
            if let [first, second, ..] = sources.as_slice() {
                let message =
                    format!("a volume has one source, and `{first}` and `{second}` are two");
                self.refuse(&format!("volumes.{second}"), "", message, "declare a volume for each");
            }
        }
        if let Some(profile) = pod.get("securityContext").and_then(|it| it.get("seccompProfile"))
            && let Some(name) = text(profile, "localhostProfile")
            && text(profile, "type") != Some("Localhost")
        {
            let message = "`localhostProfile` is of the type `Localhost` alone".to_owned();
            let key = "securityContext.seccompProfile.localhostProfile";
            self.refuse(key, name, message, "leave it out");
        }
        if let Some(dns) = pod.get("dnsConfig")
            && items(dns, "nameservers").count() > 3
        {
            let message = "a pod has three nameservers at the most".to_owned();
            self.refuse("dnsConfig.nameservers", "", message, "name three of them");
        }
    }

    /// Ports of one name, of which a container has each once.
    fn ports(&mut self, container: &Node) {
        let mut seen = BTreeSet::new();
        for name in items(container, "ports").filter_map(|it| text(it, "name")) {
            if !seen.insert(name) {
                let message = format!("two ports of the container are called `{name}`");
                self.refuse("ports.name", name, message, "give each a name of its own");
            }
        }
    }

    /// Probes and hooks that do nothing, or two things, and variables with two values.
    fn handlers(&mut self, container: &Node) {
        const HANDLERS: [&str; 5] = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"];
        let hooks = container.get("lifecycle");
        let of_hooks = ["postStart", "preStop"].into_iter();
        let of_hooks = of_hooks.filter_map(|key| Some(("lifecycle.", key, hooks?.get(key)?)));
        let probes = ["livenessProbe", "readinessProbe", "startupProbe"].into_iter();
        let probes = probes.filter_map(|key| Some(("", key, container.get(key)?)));
        for (around, key, node) in probes.chain(of_hooks) {
            let count = HANDLERS.iter().filter(|it| node.get(it).is_some()).count();
            if count != 1 {
                let what = if count == 0 { "nothing" } else { "several things" };
                let message = format!("`{key}` does one thing, and says {what} to do");
                let help = "say one of `exec`, `httpGet` and `tcpSocket`";
                self.refuse(&format!("{around}{key}"), "", message, help);
            }
        }
        for one in items(container, "env") {
            let value = text(one, "value").filter(|it| !it.is_empty());
            if let (Some(value), Some(_)) =
                (value, record(one, "valueFrom").filter(|it| it.iter().next().is_some()))
            {
                let name = text(one, "name").unwrap_or_default();
                let message = format!(
                    "the variable `{name}` has a value, and `valueFrom` gives it another one"
                );
                self.refuse("env.value", value, message, "leave one of them out");
            }
        }
    }
}

impl Takes {
    /// What is taken, where a value is none of that.
    fn misses(&self, value: &Node) -> Option<String> {
        match (self, value) {
            (Self::Word(words), Node::Str(said)) => {
                let shown: Vec<&str> = words.iter().copied().filter(|it| !it.is_empty()).collect();
                (!words.contains(&&**said)).then(|| format!("`{}`", shown.join("`, `")))
            }
            (Self::Number(least, most), Node::Int(said)) => {
                let fits = i64::try_from(*said).is_ok_and(|it| it >= *least && it <= *most);
                (!fits).then(|| match (*least == *most, *most == MODE) {
                    (true, _) => format!("{least}"),
                    (_, true) => format!("0 to {most}, which is 0777 with digits to eight"),
                    _ => format!("{least} to {most}"),
                })
            }
            (Self::Form(holds, what), Node::Str(said)) => {
                (!holds(said)).then(|| (*what).to_owned())
            }
            _ => None,
        }
    }
}

/// All that stands at a path, items of lists one by one.
pub(super) fn reach<'n>(node: &'n Node, keys: &[&str], found: &mut Vec<&'n Node>) {
    match (node, keys.split_first()) {
        (Node::Seq(items), _) => items.iter().for_each(|it| reach(&it.value, keys, found)),
        (_, None) => found.push(node),
        (_, Some((key, rest))) => {
            if let Some(next) = node.get(key) {
                reach(next, rest, found);
            }
        }
    }
}

fn is_label(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !text.is_empty()
        && text.len() < 64
        && text.chars().all(plain)
        && !text.starts_with('-')
        && !text.ends_with('-')
}

fn is_rule(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_,:".contains(c);
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(plain)
        && !text.ends_with([',', ':'])
}

fn is_key(text: &str) -> bool {
    text.is_empty() || is_label_key(text, MOST)
}

fn is_value(text: &str) -> bool {
    is_label_value(text, MOST)
}

/// A name of a host with the domains that it is in.
fn is_host(text: &str) -> bool {
    text.split('.').all(is_label)
}

/// Fields that the kubelet tells.
fn is_field(text: &str) -> bool {
    const FIELDS: [&str; 11] = [
        "metadata.name",
        "metadata.namespace",
        "metadata.uid",
        "metadata.labels",
        "metadata.annotations",
        "spec.nodeName",
        "spec.serviceAccountName",
        "status.hostIP",
        "status.hostIPs",
        "status.podIP",
        "status.podIPs",
    ];
    let one_of = ["metadata.labels['", "metadata.annotations['"];
    FIELDS.contains(&text) || one_of.iter().any(|it| text.starts_with(it) && text.ends_with("']"))
}

/// What a container asks for, as variables are told it.
fn is_resource(text: &str) -> bool {
    let (side, name) = text.split_once('.').unwrap_or_default();
    let known = ["cpu", "memory", "ephemeral-storage"].contains(&name);
    ["limits", "requests"].contains(&side) && (known || name.starts_with("hugepages-"))
}

fn is_port(text: &str) -> bool {
    is_label(text)
        && text.len() <= 15
        && text.contains(|c: char| c.is_ascii_lowercase())
        && !text.contains("--")
}

fn is_address(text: &str) -> bool {
    text.parse::<IpAddr>().is_ok()
}

fn is_absolute(text: &str) -> bool {
    text.starts_with('/')
}

fn stays(text: &str) -> bool {
    !text.split('/').any(|it| it == "..")
}

fn is_below(text: &str) -> bool {
    !is_absolute(text) && stays(text)
}
