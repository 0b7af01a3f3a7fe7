//! The codes of problems that are no rules: what each means and how it is mended. By code.

/// A code of the compiler itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Code {
    pub(crate) code: &'static str,
    pub(crate) what: &'static str,
    pub(crate) mend: &'static str,
}

macro_rules! codes {
    ($($code:literal: $what:literal, $mend:literal;)*) => {
        &[$(Code { code: $code, what: $what, mend: $mend }),*]
    };
}

pub(crate) const CODES: &[Code] = codes! {
    "allow/unknown":
        "an `allow` names a rule that does not exist",
        "take the code from the report that is to be allowed";
    "allow/unused":
        "an `allow` names a rule that is kept here anyway",
        "remove the `allow`";
    "assert":
        "an assertion of the blueprint does not hold",
        "change the values that it compares, or the assertion";
    "catalog/local":
        "the project's own facts cannot be used",
        "mend the line of `catalog.local.toml`; its tables have the form of the built-in ones";
    "catalog/machine":
        "the catalog knows no such machine type",
        "`slipform catalog machines` lists them; add a new one to `catalog.local.toml`";
    "catalog/region":
        "the catalog knows no such region",
        "`slipform catalog zones` lists zones by region; add a new one to `catalog.local.toml`";
    "catalog/zone":
        "the catalog knows no such zone",
        "`slipform catalog zones` lists them; add a new one to `catalog.local.toml`";
    "eval/divide":
        "a number is divided by zero",
        "guard it: `if count > 0 { total / count } else { 0 }`";
    "eval/fact":
        "a field asks for something that follows from another noun and the project, and there is no project",
        "declare one: `param project: ProjectId`";
    "eval/function":
        "a function was given a value that it has no answer for",
        "give it a value of the kind that its description names";
    "eval/index":
        "a list has no element at this place; the first is 0",
        "use an index below the number of elements";
    "eval/key":
        "a record, or a declaration inside a `for`, has no such key",
        "use one of the keys that the report lists";
    "eval/overflow":
        "the result of a calculation is too large, or below zero where that cannot be",
        "check the values and their units";
    "eval/range":
        "a range ends before it starts",
        "write the smaller number first: `0..3`";
    "eval/whole":
        "a quotient that has to be an integer does not come out whole",
        "change one of its sides, or round it with `floor(...)` or `ceil(...)`";
    "image/project":
        "an image is pushed to a repository of an unknown project",
        "declare `param project: ProjectId`";
    "image/push-to":
        "an image that is built must be pushed somewhere, or nothing can run it",
        "add `push_to` to the image";
    "kubernetes/filesystem":
        "a filesystem cannot be mounted without its location and project",
        "say its `location`, and declare `param project: ProjectId`";
    "kubernetes/identity":
        "an identity has no address without a project",
        "declare `param project: ProjectId`";
    "kubernetes/label":
        "Kubernetes does not take this label",
        "use letters, digits, `-`, `_` and `.`, 63 at most, with a letter or digit at both ends";
    "kubernetes/launch":
        "processes cannot be started this way on this machine",
        "on TPUs use `python(...)` or `command([...])`: one process a host";
    "kubernetes/mount":
        "this cannot be mounted into pods as it is written",
        "see the report: each source of a mount has limits of its own";
    "limits/depth":
        "values or types need each other in a chain that is too long",
        "make the chain shorter";
    "limits/expansion":
        "loops and components make more nouns than a blueprint may have",
        "check the ranges of the loops";
    "limits/recursion":
        "a component contains itself, so it would never end",
        "take the inner use out";
    "limits/size":
        "lists, records or texts are larger than a blueprint may have them, or lie too deep inside each other",
        "look for a list or a text that is doubled again and again";
    "names/cycle":
        "a value needs itself to be known",
        "break the circle: one of the values must not refer to the next";
    "names/duplicate":
        "a name is used twice where it must be unique",
        "rename one, or remove it";
    "names/key":
        "the rounds of a `for` around declarations need keys that stay the same",
        "walk strings or numbers, or say the key: `for x in xs by x.name { }`";
    "names/not-a-function":
        "something is called that is neither a function nor a constructor",
        "leave the parentheses out";
    "names/place":
        "this kind of statement does not stand here",
        "move it to where the report says";
    "names/platform":
        "a kind of noun is on one of its platforms, or on none where it has none",
        "write `on gke`, `on slurm` or `on vertex` behind a cluster's name";
    "names/unknown":
        "nothing is called so here",
        "check the spelling; text stands in quotes";
    "names/unknown-field":
        "there is no field of this name",
        "check the spelling, or look at the fields of the kind in the reference";
    "names/unknown-kind":
        "there is no kind of noun and no component of this name",
        "check the spelling, or bring a component in: `use std.components.{nccl_test}`";
    "names/unknown-type":
        "there is no type of this name",
        "check the spelling, or declare it: `type Name = ...`";
    "names/use":
        "a `use` names something that does not exist",
        "check the path: `use a.b.{name}` reads `a/b.bp` of the project, `use std...` the library";
    "names/use-cycle":
        "files use each other in a circle",
        "move what both need into a third file";
    "output/busy":
        "another build is writing to the same output folder",
        "wait for it to end";
    "output/edited":
        "a file that a build wrote was edited since",
        "move the change into the blueprint (a `patch` block reaches every field), or build with `--force`";
    "output/environment":
        "the name of an environment cannot be the name of a folder",
        "name a folder with `--out`, or rename the environment";
    "output/file":
        "a file stands where the output needs a folder",
        "move it away";
    "output/folder":
        "a folder stands where the output needs a file",
        "move it away";
    "output/foreign":
        "a file that no build wrote stands where the output needs one",
        "move it away, or build with `--force`";
    "output/foreign-folder":
        "the output folder holds files, and none was written by a build",
        "name another folder with `--out`, or build with `--force` to write beside them";
    "output/left-behind":
        "a folder is not asked for any more, but what was applied from it may still be there",
        "run the commands of `LEFT-BEHIND.md`, then `slipform build --prune`";
    "output/link":
        "a symbolic link stands where the output needs a folder; what is written there could lie anywhere",
        "replace it by a folder";
    "output/manifest":
        "the manifest of the output folder cannot be understood, so nobody knows whose the files are",
        "build with `--force` to write it anew";
    "output/not-a-folder":
        "the output folder is a file",
        "name another folder with `--out`";
    "output/other-build":
        "the output folder belongs to another blueprint or environment",
        "name another folder with `--out`, or build with `--force` to replace what is there";
    "output/path":
        "an artifact would lie outside of the output folder, or on top of another",
        "rename the nouns that it is named after";
    "output/taken-over":
        "a noun was `existing` at the last build and is not any more: Terraform would make what is there",
        "let Terraform take it over before it is applied: `terraform import ADDRESS ID`";
    "output/unreadable":
        "something in the output folder cannot be read",
        "check its permissions";
    "output/unwritable":
        "the system refused to write; everything is as it was",
        "check permissions and space";
    "param/missing":
        "a parameter has neither a value nor a default; `check` warns, `build` needs one",
        "give one with `--set name=value`, or under `[params]` in `slipform.toml`";
    "param/unknown":
        "a value is given to a parameter that the blueprint does not have",
        "check the spelling";
    "param/value":
        "the value of a parameter is not of its type",
        "write it as the blueprint would: `16`, `80GiB`, `[\"a\", \"b\"]`";
    "param/where":
        "the value of a parameter breaks the condition behind `where`",
        "choose another value, or change the condition";
    "patch/identity":
        "a patch must not change what ties an object to the others",
        "change the noun instead";
    "patch/unknown-document":
        "what is made of this noun has no such document",
        "name one of the documents that the report lists";
    "patch/unknown-field":
        "the document that is patched has no such field",
        "check the spelling against the reference of the tool";
    "patch/value":
        "this value cannot stand in a patch",
        "use text, numbers, booleans, lists and records";
    "patch/wrong-value":
        "the field that is patched takes another kind of value",
        "give the kind that the report names";
    "plan/unsound":
        "what the blueprint says does not hold together, and a rule that would have said so was allowed to be broken",
        "remove the `allow`, and mend what the rule then reports";
    "project/edition":
        "the project asks for an edition of the language that this compiler does not read",
        "change `edition` in `slipform.toml`, or use a newer compiler";
    "project/empty":
        "there is no blueprint to compile",
        "name a `.bp` file or a folder with one; `slipform init` writes a project";
    "project/environment":
        "the project has no environment of this name",
        "declare it in `slipform.toml`: `[env.prod.params]`";
    "project/environments":
        "two environments would make something under the same name in the same place; the second apply is refused half way",
        "give each environment a project of its own, or let names contain a parameter that differs between them";
    "project/file":
        "`slipform.toml` cannot be used",
        "mend the line that the report points at";
    "project/path":
        "a folder of the project leads out of it",
        "use a path below the project's folder";
    "project/unreadable":
        "a file cannot be read",
        "check that it exists, that it is UTF-8 text, and its permissions";
    "rules/message":
        "a rule does not say what is wrong",
        "add `error \"...\"` or `warning \"...\"`";
    "rules/order":
        "a line of a rule stands where it says nothing, or says a second time what is said once",
        "put `when`, `let` and `for` above the one `require`, and what is said below it";
    "rules/require":
        "a rule does not say what must hold",
        "add `require condition`";
    "slurm/addresses":
        "the addresses of a partition's nodes cannot be counted up",
        "choose a `first_address` with room behind it";
    "slurm/dashboard":
        "a job of Slurm does not send its metrics to a dashboard by itself",
        "run an uploader beside it, on a host that sees the logs";
    "slurm/grace":
        "a job is warned longer before its end than Slurm can",
        "shorten `grace`";
    "slurm/hosts":
        "partitions that share nodes say different things about them",
        "give them the same `hosts` and `machine`";
    "slurm/interfaces":
        "the network interfaces of the machine are not known",
        "add a `slurm_machine` to `catalog.local.toml`";
    "slurm/mount-path":
        "this path cannot be mounted into a container of Slurm",
        "choose a path without the characters that the report names";
    "slurm/mpi":
        "the cluster's Slurm does not start MPI programs this way",
        "set `mpi` of the cluster to what its Slurm was built with";
    "slurm/namespace":
        "a namespace has no meaning on Slurm",
        "leave it out, or name an account: `patch sbatch { account = \"...\" }`";
    "slurm/node-facts":
        "the catalog does not know how many sockets, cores or how much memory the machine has",
        "add the machine to `catalog.local.toml`";
    "slurm/partitions":
        "a cluster without partitions runs nothing",
        "declare a `partition` in it, or make it `existing`";
    "slurm/patch":
        "this is no option of sbatch, or not one that a patch may set",
        "use the option's long name without the dashes, with `_` for `-`";
    "slurm/priority":
        "a priority is one of a queue's, and Slurm has no queues",
        "leave `priority` out, or patch the job's QOS";
    "slurm/shared-memory":
        "containers on Slurm share `/dev/shm` with their node, so a workload cannot size it",
        "leave `shared_memory` out; the administrator sizes `/dev/shm` of the nodes";
    "slurm/side-job":
        "Slurm has nothing like a side job",
        "make it a workload of its own";
    "slurm/tpu":
        "TPUs are not driven by Slurm here",
        "run it on a pool of a GKE cluster, or on Vertex AI";
    "syntax/brace":
        "a `{` is missing",
        "open the block on the line of its header";
    "syntax/clause":
        "this is no line of a rule",
        "a rule has `when`, `let`, `for`, `require`, `error`, `warning`, `label`, `help`, `fix`, `symptom` and `since`";
    "syntax/colon":
        "types follow a `:`, values an `=`",
        "write `name: Type = value`";
    "syntax/comma":
        "a comma is missing, or one too many",
        "separate the entries of lists, records and calls by commas or newlines";
    "syntax/comment":
        "comments start with `#`; there are no block comments",
        "write `#` in front of each line";
    "syntax/element":
        "this is no element of a list, a record or a call",
        "separate elements by commas";
    "syntax/else":
        "an `else` is missing, or belongs to no `if`",
        "an `if` that gives a value needs both branches";
    "syntax/equals":
        "values are set with `=` and compared with `==`",
        "write one or the other";
    "syntax/escape":
        "this is no escape of a string",
        "write a backslash as `\\\\`";
    "syntax/fix":
        "a `fix` removes or sets a field",
        "write `fix remove field` or `fix set field = value`";
    "syntax/for":
        "an `in` is missing",
        "write `for name in list { ... }`";
    "syntax/is":
        "`is` asks whether something is set",
        "write `is set` or `is not set`; to compare, write `==`";
    "syntax/name":
        "a name is missing, or this is none",
        "a name has letters a to z, digits and `_`, and does not start with a digit";
    "syntax/nesting":
        "brackets stand too deep inside each other",
        "name the inner parts with `let`";
    "syntax/number":
        "this is no number, quantity, topology or address",
        "write `16`, `0.5`, `80GiB`, `2h30m`, `4x4x8` or `10.0.0.0/16`";
    "syntax/operator":
        "there is no such operator, or it does not stand here",
        "write `and`, `or`, `not`, `if a { b } else { c }`; end a line with the operator to continue it";
    "syntax/quotes":
        "strings stand in straight double quotes",
        "write `\"text\"`";
    "syntax/semicolon":
        "a statement ends with its line",
        "leave the `;` out";
    "syntax/space":
        "this is not an ordinary space, though it looks like one",
        "write a space";
    "syntax/statement":
        "this is no statement",
        "a line is `name = value`, or a declaration such as `network name { ... }`";
    "syntax/string":
        "the text of a multi-line string starts on the line below its quotes",
        "move it to the next line";
    "syntax/trailing":
        "something stands behind the end of a statement",
        "each statement stands on a line of its own";
    "syntax/type":
        "a type is missing, or this is none",
        "write `name: Type`";
    "syntax/unclosed":
        "a bracket, block or string is never closed",
        "close it where the report says it is missing";
    "syntax/unopened":
        "a bracket closes nothing",
        "remove it, or open what it is to close";
    "syntax/value":
        "a value is missing",
        "write one, or remove what wants it";
    "syntax/word":
        "this is no word of the language",
        "take the one that the report offers";
    "terraform/accelerator":
        "the catalog does not know what GKE calls this GPU",
        "add it to `catalog.local.toml`";
    "terraform/bucket-age":
        "Cloud Storage counts the age of objects in whole days",
        "write a number of days: `30d`";
    "terraform/deferred":
        "nothing in Terraform knows this value",
        "use another field of the noun";
    "terraform/incomplete":
        "a resource cannot be made without this field",
        "add the field";
    "terraform/lustre-share":
        "this cannot name a Lustre filesystem",
        "choose a `share` as the report says";
    "terraform/no-range":
        "the network has no addresses left for the data networks",
        "widen `accelerators` of the network";
    "terraform/output-name":
        "an output has the name of one that is written anyway",
        "rename it";
    "terraform/output-nowhere":
        "no file can give this output",
        "let it refer to something that Terraform makes";
    "terraform/output-of-two-roots":
        "an output joins values of several Terraform roots, and none of them knows all",
        "make it several outputs";
    "terraform/patch-of-nothing":
        "a patch changes a resource that is not made",
        "remove the patch, or declare what makes the resource";
    "text/spelling":
        "a name or value cannot be written into the output as it is",
        "choose one without the characters that the report names";
    "types/address":
        "this is no address or range of addresses",
        "write `10.0.0.0/16`: four numbers, a length, and nothing behind the length's bits";
    "types/argument":
        "a function or constructor is called with wrong arguments",
        "call it as the report shows";
    "types/constructor":
        "a constructor needs a type of its own",
        "declare it: `type Name = name(...)`";
    "types/deferred":
        "a value that Terraform makes is used where the compiler needs it now",
        "hand it on to a place that is filled in later, such as `env` or an `output`";
    "types/derived":
        "a derived field follows from the whole blueprint and cannot be set or used here",
        "leave it out, or use it in a rule or an output";
    "types/limit":
        "a value lies outside of its limits",
        "choose one inside";
    "types/mismatch":
        "a value is not of the type that is wanted",
        "give a value of that type; units do not mix";
    "types/missing-field":
        "a required field is missing",
        "add it";
    "types/number":
        "a number is too large",
        "write a smaller one";
    "types/optional":
        "a value may be absent here",
        "guard it: `if name is set { ... } else { ... }`";
    "types/pattern":
        "a text does not have the form that is wanted, or a pattern cannot be read",
        "see the form in the report";
    "types/recursive":
        "a type contains itself",
        "break the circle";
    "types/topology":
        "this is no topology",
        "write two or three sides: `4x4`, `2x2x4`";
    "types/unit":
        "this unit does not exist",
        "write sizes as `80GiB` or `80GB`, durations as `2h30m` or `7d`";
    "types/word":
        "this is none of the words that are possible",
        "take one that the report lists";
    "usage/catalog":
        "the catalog has no such table or row",
        "`slipform catalog` lists the tables";
    "usage/code":
        "there is no such code",
        "`slipform explain` lists all of them";
    "usage/environment":
        "it is not clear which environment is meant",
        "name one with `--env`, or build all with `--all-envs`";
    "usage/folder":
        "a project cannot be written here",
        "name a new or empty folder";
    "usage/lsp":
        "the connection to the editor broke",
        "see the editor's log";
    "usage/path":
        "the path is no blueprint that can be read or written",
        "name a `.bp` file, or the folder of a project";
    "usage/set":
        "a `--set` is not of the form `name=value`",
        "write `--set nodes=16`";
    "usage/target":
        "there is no such target",
        "`slipform build --help` lists them";
    "usage/template":
        "there is no such template",
        "`slipform init --help` lists them";
    "vertex/env-count":
        "Vertex AI takes fewer environment variables",
        "put some into a file of the image";
    "vertex/env-name":
        "Vertex AI sets this environment variable itself",
        "leave it out, or use another name";
    "vertex/fabric":
        "the machine's fabric is not used by this job",
        "set `fabric = \"off\"` if that is meant";
    "vertex/filesystem":
        "Vertex AI does not mount this filesystem",
        "mount a bucket, or a filesystem that a server exports over NFS";
    "vertex/label":
        "Vertex AI does not take this label",
        "use small letters, digits, `-` and `_`, 63 at most";
    "vertex/mpirun":
        "machines of a Vertex AI job cannot reach each other over SSH",
        "use `torchrun` or `srun`";
    "vertex/namespace":
        "a namespace has no meaning on Vertex AI",
        "leave it out";
    "vertex/priority":
        "a priority is one of a queue's, and Vertex AI has none of one's own",
        "leave `priority` out";
    "vertex/project":
        "this has no address without a project",
        "declare `param project: ProjectId`";
    "vertex/read-only":
        "Vertex AI mounts buckets for writing too",
        "limit the identity's role on the bucket instead";
    "vertex/reservation-name":
        "a reservation is found by its zone",
        "add `zone` to the cluster";
    "vertex/shared-memory":
        "Vertex AI sizes shared memory by itself",
        "leave `shared_memory` out";
    "vertex/side-job":
        "Vertex AI has nothing like a side job",
        "make it a workload of its own";
    "vertex/topology":
        "Vertex AI does not make slices of this shape",
        "choose a number of nodes that the report lists";
};
