//! Words of neighbouring languages, and what is written here instead.

/// What is written in place of a field that people know from elsewhere.
pub(super) struct Instead {
    /// What is said.
    pub(super) help: &'static str,
    /// The field that is meant.
    pub(super) field: Option<&'static str>,
    /// It takes what was written.
    pub(super) is_alike: bool,
}

/// What is written in place of a field that people know from elsewhere.
pub(super) fn field(name: &str) -> Option<Instead> {
    let instead = |help, field, is_alike| Some(Instead { help, field, is_alike });
    match name {
        "count" | "for_each" => instead(
            "several of them are made by a loop around the noun: `for i in 0..2 { ... }`; how many nodes there are is `nodes`",
            None,
            false,
        ),
        "depends_on" | "dependsOn" => instead(
            "what is needed first follows from what is spoken of; groups of a run wait for each other by `after`",
            None,
            false,
        ),
        "replicas" | "num_nodes" | "node_count" | "nnodes" => {
            instead("how many nodes there are is `nodes`", Some("nodes"), true)
        }
        "gpus" | "gpus_per_node" | "gres" => instead(
            "GPUs of a node are `accelerators`; by itself all of them are had",
            Some("accelerators"),
            name != "gres",
        ),
        "resources" | "requests" | "limits" => {
            instead("what is asked of a node is `cpus`, `memory` and `accelerators`", None, false)
        }
        "command" | "args" | "entrypoint" => instead(
            "what is started is `launch`: `command([...])`, `python(...)`, `torchrun(...)`",
            Some("launch"),
            false,
        ),
        "volumes" | "volumeMounts" => instead(
            "what processes see of storage is `mounts`: `[mount(data, \"/data\")]`",
            Some("mounts"),
            false,
        ),
        "environment" => instead("variables are `env`", Some("env"), true),
        "time" | "timeout" => {
            instead("the longest that it may run is `max_run`", Some("max_run"), true)
        }
        "source" | "provider" | "lifecycle" => {
            instead("it belongs to Terraform, which is what is rendered", None, false)
        }
        _ => None,
    }
}

/// What is written in place of a function.
pub(super) fn function(name: &str) -> Option<&'static str> {
    Some(match name {
        "random" | "rand" | "uuid" | "random_id" | "timestamp" | "now" | "time" | "date" => {
            "a blueprint gives the same output at each build: what differs is a `param`; `run_id` tells runs apart once they run"
        }
        "env" | "getenv" | "environ" | "file" | "read" | "read_file" | "http" | "shell"
        | "exec" => {
            "a blueprint reads nothing from outside: declare a `param`, and set it in `slipform.toml` or with `--set`"
        }
        "length" | "size" | "count" => "it is called `len(value)`",
        "format" | "printf" | "sprintf" => "values stand in texts: `\"${name}-data\"`",
        "lookup" | "get" | "try" | "coalesce" => {
            "what may be absent is asked for: `if x is set { x } else { ... }`"
        }
        "concat" => {
            "lists are put together with a loop: `[for list in [a, b] for one in list { one }]`"
        }
        "str" | "tostring" | "string" => "it is called `text(value)`",
        "int" | "tonumber" => "`floor(number)` and `ceil(number)` give integers",
        "range" | "seq" => "numbers from one to another are `0..7`",
        "print" | "echo" | "log" => "values are shown by `output name = value`",
        _ => return None,
    })
}

/// Whether a name is spelled as variables of an environment are: `NNODES`.
pub(super) fn is_variable(name: &str) -> bool {
    name.len() > 1 && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// What is written in place of a name.
pub(super) fn name(name: &str) -> Option<&'static str> {
    Some(match name {
        "var" | "local" | "locals" | "params" | "inputs" | "variables" => {
            "parameters and values are spoken of by their names alone: `region`, not `var.region`"
        }
        "each" | "count" => "a loop names what it goes through: `for zone in zones { ... }`",
        "data" | "module" | "resource" => {
            "nouns are spoken of by their names; what is there already is declared `existing`"
        }
        "self" | "this" => {
            "fields of the same noun are not spoken of; a `let` in front of it holds what both need"
        }
        "none" | "NULL" | "Nil" | "undefined" => "leave the attribute out: it is then absent",
        _ => return None,
    })
}
