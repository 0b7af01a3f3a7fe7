//! One root as Terraform sees it: its resources, instance by instance, with variables and locals put in.

use crate::File;
use crate::tree::{Flat, flat, names};
use hcl::eval::{Context, Evaluate, FuncArgs, FuncDef, ParamType};
use hcl::structure::{Block, Body, Structure};
use hcl::{Expression, Map, Value};
use slipform_schema::Shape;
use std::collections::{BTreeMap, BTreeSet};

/// The resources of a root.
#[derive(Default)]
pub(super) struct Root {
    /// By their addresses: `google_compute_network.data["vpc1"]`.
    pub(super) instances: BTreeMap<String, Instance>,
    /// Where resources were before: from, to.
    moved: Vec<(String, String)>,
    /// What Terraform lets go of without destroying it.
    pub(super) released: BTreeSet<String>,
    /// Blocks that say `prevent_destroy`, also where they make nothing.
    pub(super) protected: BTreeSet<String>,
    /// What is looked up, and by which words: `data.google_compute_network.fabric`.
    pub(super) looked_up: BTreeMap<String, Flat>,
    /// What Terraform and its providers are told about the root itself, by their blocks: `provider google`.
    pub(super) settings: BTreeMap<String, Flat>,
    /// What is asked for by name.
    pub(super) outputs: BTreeMap<String, Output>,
    /// Files that are no HCL: nobody knows what they say.
    pub(super) unreadable: Vec<String>,
}

/// A value that people and scripts ask for.
pub(super) struct Output {
    /// With variables and locals put in.
    pub(super) value: String,
    /// The comment above it.
    pub(super) origin: String,
    pub(super) file: String,
}

/// One resource, or one of those that a `for_each` makes.
#[derive(Clone)]
pub(super) struct Instance {
    /// `google_container_node_pool`
    pub(super) resource: String,
    /// `gpus`
    pub(super) label: String,
    /// What it says, with what is known put in.
    pub(super) flat: Flat,
    /// Where it speaks of other resources.
    pub(super) references: Vec<Reference>,
    /// Blocks with which it is made anew.
    pub(super) triggers: Vec<String>,
    /// What Terraform does not look at.
    pub(super) ignored: Vec<String>,
    /// Whether another one is made before it goes.
    pub(super) is_made_before: bool,
    /// The comment above it.
    pub(super) origin: String,
    pub(super) file: String,
}

/// Where a resource takes a value from another.
#[derive(Clone)]
pub(super) struct Reference {
    /// Where it is used: `node_config.service_account`.
    pub(super) path: String,
    /// `google_service_account.nodes`
    pub(super) block: String,
    /// Which of those that a `for_each` makes, where it is written: `google_compute_network.data["vpc1"]`.
    pub(super) address: String,
    /// `email`
    pub(super) field: String,
}

impl Instance {
    /// Whether Terraform does not look at a path.
    pub(super) fn ignores(&self, path: &str) -> bool {
        self.ignored.iter().any(|it| names(path).starts_with(&names(it)))
    }

    /// Whether it is the pool that a cluster is given for all that is no run.
    fn is_given(&self) -> bool {
        self.origin.starts_with("cluster ") && !self.origin.contains(", ")
    }

    /// Whether its nodes take pods that ask for nothing: those with accelerators take none, by the taints that GKE and Slipform give them.
    fn is_open(&self) -> bool {
        let says = |start: &str| self.flat.keys().any(|path| path.starts_with(start));
        let machine = self.flat.get("node_config[0].machine_type").map_or("", String::as_str);
        let is_tpu = ["ct", "tpu"].iter().any(|start| machine.starts_with(start));
        !is_tpu && !says("node_config[0].guest_accelerator[") && !says("node_config[0].taint[")
    }

    /// Whether a node of it at least is always there: what starts for a while carries nothing for ever.
    fn stays(&self) -> bool {
        let says = |path: &str, value: &str| self.flat.get(path).is_some_and(|it| it == value);
        let for_a_while = ["spot", "preemptible", "flex_start"];
        let is_asked_for = self.flat.keys().any(|path| path.starts_with("queued_provisioning["));
        let least =
            ["node_count", "autoscaling[0].min_node_count", "autoscaling[0].total_min_node_count"];
        let is_none = least.iter().any(|path| says(path, "0"));
        !is_none
            && !is_asked_for
            && !for_a_while.iter().any(|it| says(&format!("node_config[0].{it}"), "true"))
    }

    /// `google_container_node_pool.gpus`
    pub(super) fn block(&self) -> String {
        format!("{}.{}", self.resource, self.label)
    }
}

impl Root {
    /// Reads the files of a root; what is no HCL is named, and says nothing.
    pub(super) fn read(files: &[File<'_>]) -> Self {
        let mut bodies = Vec::new();
        let mut unreadable = Vec::new();
        let mut parsed = |file: &File<'_>| {
            hcl::parse(file.text).unwrap_or_else(|_| {
                unreadable.push(file.path.to_owned());
                Body::default()
            })
        };
        let mut variables = Map::new();
        for file in files {
            if file.path.ends_with(".tfvars") {
                let body = parsed(file);
                for attribute in body.attributes() {
                    let value = attribute.expr.evaluate(&Context::new()).unwrap_or(Value::Null);
                    variables.insert(attribute.key.to_string(), value);
                }
            } else if file.path.ends_with(".tf") {
                bodies.push((file, parsed(file)));
            }
        }
        let mut root = Self { unreadable, ..Self::default() };
        let known = Known::new(&bodies, variables);
        for (file, body) in &bodies {
            for block in body.blocks() {
                match (block.identifier.as_str(), block.labels.as_slice()) {
                    ("resource", [resource, label]) => {
                        root.add(file, block, (resource.as_str(), label.as_str()), &known);
                    }
                    ("data", [resource, label]) => {
                        let labels = (resource.as_str(), label.as_str());
                        let it = instance(file, block, labels, &known, None);
                        let name = format!("data.{}.{}", labels.0, labels.1);
                        root.looked_up.insert(name, it.flat);
                    }
                    ("output", [name]) => {
                        let output = output(file, block, name.as_str(), &known);
                        root.outputs.insert(name.as_str().to_owned(), output);
                    }
                    ("provider" | "terraform", labels) => {
                        let words = labels.iter().map(|label| label.as_str());
                        let name: Vec<&str> =
                            std::iter::once(block.identifier.as_str()).chain(words).collect();
                        let said =
                            self::body(&block.body, &known.context(None), "", &mut Vec::new());
                        root.settings.insert(name.join(" "), flat(&said));
                    }
                    ("moved", []) => root.moved.extend(ends(block)),
                    ("removed", []) => root.released.extend(attribute_text(block, "from")),
                    _ => {}
                }
            }
        }
        root
    }

    fn add(
        &mut self,
        file: &File<'_>,
        block: &Block,
        (resource, label): (&str, &str),
        known: &Known,
    ) {
        let mut lifecycles = block.body.blocks().filter(|it| it.identifier.as_str() == "lifecycle");
        if lifecycles.any(|it| attribute(it, "prevent_destroy") == Some(&Expression::Bool(true))) {
            self.protected.insert(format!("{resource}.{label}"));
        }
        let each = attribute(block, "for_each")
            .map_or_else(|| vec![None], |it| rounds(it, &known.context(None)));
        for round in each {
            let address = match &round {
                Some((key, _)) => format!("{resource}.{label}[\"{key}\"]"),
                None => format!("{resource}.{label}"),
            };
            let instance = instance(file, block, (resource, label), known, round.as_ref());
            self.instances.insert(address, instance);
        }
    }

    /// What something is called that a block makes, or looks up.
    pub(super) fn name_of(&self, made: bool, block: &str) -> Option<&str> {
        let flat = match made {
            true => &self.instances.get(block)?.flat,
            false => self.looked_up.get(&format!("data.{block}"))?,
        };
        NAMES.iter().find_map(|field| flat.get(*field)).map(String::as_str)
    }

    /// Whether what admits runs, and starts them again, is on a pool: on the one that the cluster is given for that, or the only one that takes it. A
    /// cluster that is made elsewhere may have others.
    pub(super) fn puts_controllers_on(&self, pool: &Instance) -> bool {
        let carries = |it: &&Instance| it.resource == NODES && it.is_open() && it.stays();
        let mut pools = self.instances.values().filter(carries);
        let is_only = pools.all(|it| it.block() == pool.block());
        self.may_have_controllers(pool) && (pool.is_given() || is_only)
    }

    /// Whether that may be on a pool, one of several perhaps.
    pub(super) fn may_have_controllers(&self, pool: &Instance) -> bool {
        let is_made = || self.instances.values().any(|it| it.resource == CLUSTER);
        pool.resource == NODES && (pool.is_given() || pool.is_open() && pool.stays() && is_made())
    }

    /// The noun of the first pool whose nodes are in one of the networks that a block makes: `google_compute_firewall.data["vpc1"]`, where its own
    /// pool is none of them.
    pub(super) fn pool_in(&self, address: &str) -> Option<&str> {
        let (block, key) = address.split_once('[')?;
        let (resource, label) = block.split_once('.')?;
        let network = match resource {
            "google_compute_firewall" => "google_compute_network",
            "google_compute_network" | "google_compute_subnetwork" => resource,
            _ => return None,
        };
        let network = format!("{network}.{label}[{key}");
        let of_pools = self.instances.values().filter(|it| it.resource == NODES);
        let is_in = |pool: &&Instance| pool.references.iter().any(|it| it.address == network);
        let mut pools = of_pools.filter(is_in).map(|it| it.origin.as_str());
        let own = self.instances.get(address).map(|it| it.origin.as_str());
        let first = pools.next()?;
        (Some(first) != own && pools.all(|it| Some(it) != own)).then_some(first)
    }

    /// The root with its resources where the `moved` blocks of the next one have them.
    pub(super) fn moved(mut self, next: &Self) -> Self {
        for (from, to) in &next.moved {
            let names: Vec<String> = self.instances.keys().cloned().collect();
            for name in names {
                let rest = name.strip_prefix(from.as_str());
                let Some(rest) = rest
                    .filter(|rest| rest.is_empty() || rest.starts_with('[') && !to.ends_with(']'))
                else {
                    continue;
                };
                if let Some(instance) = self.instances.remove(&name) {
                    self.instances.insert(format!("{to}{rest}"), instance);
                }
            }
        }
        self
    }
}

/// Nodes of a cluster.
const CLUSTER: &str = "google_container_cluster";
const NODES: &str = "google_container_node_pool";

/// The fields by which resources are called.
const NAMES: [&str; 2] = ["name", "account_id"];

/// Whether what a block makes from now on has another name than what it looked up until now.
pub(crate) fn was_another(block: &str, before: &[File<'_>], after: &[File<'_>]) -> bool {
    let (old, new) = (Root::read(before), Root::read(after));
    let names = old.name_of(false, block).zip(new.name_of(true, block));
    names.is_some_and(|(was, is)| was != is)
}

fn ends(block: &Block) -> Option<(String, String)> {
    Some((attribute_text(block, "from")?, attribute_text(block, "to")?))
}

fn attribute_text(block: &Block, name: &str) -> Option<String> {
    attribute(block, name).map(text)
}

fn attribute<'a>(block: &'a Block, name: &str) -> Option<&'a Expression> {
    block.body.attributes().find(|it| it.key.as_str() == name).map(|it| &it.expr)
}

/// Variables and locals, as far as they are known without asking anybody.
struct Known {
    variables: Map<String, Value>,
    locals: Map<String, Value>,
}

impl Known {
    fn new(bodies: &[(&File<'_>, Body)], mut variables: Map<String, Value>) -> Self {
        let blocks = || bodies.iter().flat_map(|(_, body)| body.blocks());
        for block in blocks().filter(|block| block.identifier.as_str() == "variable") {
            let Some(name) = block.labels.first().map(|label| label.as_str().to_owned()) else {
                continue;
            };
            let default = attribute(block, "default");
            let value = default.and_then(|it| it.evaluate(&Context::new()).ok());
            if let (Some(value), false) = (value, variables.contains_key(&name)) {
                variables.insert(name, value);
            }
        }
        let mut known = Self { variables, locals: Map::new() };
        let locals = blocks().filter(|block| block.identifier.as_str() == "locals");
        let mut waiting: Vec<_> = locals.flat_map(|block| block.body.attributes()).collect();
        loop {
            let before = waiting.len();
            waiting.retain(|attribute| match attribute.expr.evaluate(&known.context(None)) {
                Ok(value) => {
                    known.locals.insert(attribute.key.to_string(), value);
                    false
                }
                Err(_) => true,
            });
            if waiting.len() == before {
                break;
            }
        }
        for attribute in waiting {
            let value = Value::String(text(&attribute.expr));
            known.locals.insert(attribute.key.to_string(), value);
        }
        known
    }

    fn context(&self, round: Option<&(String, Value)>) -> Context<'static> {
        let mut context = Context::new();
        context.declare_var("var", Value::Object(self.variables.clone()));
        context.declare_var("local", Value::Object(self.locals.clone()));
        if let Some(round) = round {
            context.declare_var("each", key_and_value(round));
        }
        let same = |args: FuncArgs| args.first().cloned().ok_or_else(|| "it takes one".to_owned());
        for name in ["toset", "tolist", "tomap", "tostring", "tonumber", "sort"] {
            context.declare_func(name, FuncDef::new(same, [ParamType::Any]));
        }
        context
    }
}

fn instance(
    file: &File<'_>,
    block: &Block,
    (resource, label): (&str, &str),
    known: &Known,
    round: Option<&(String, Value)>,
) -> Instance {
    let context = known.context(round);
    let mut references = Vec::new();
    let mut value = body(&block.body, &context, "", &mut references);
    let lifecycle = value.as_object_mut().and_then(|fields| fields.remove("lifecycle"));
    if let Some(fields) = value.as_object_mut() {
        fields.remove("for_each");
        fields.remove("depends_on");
    }
    if let Some(shape) = Shape::of(resource) {
        put_in_order(&mut value, &mut Vec::new(), &shape);
    }
    let list = |name: &str| -> Vec<String> {
        let lifecycle = lifecycle.as_ref().and_then(|it| it.get(0)?.get(name)?.as_array().cloned());
        let words = lifecycle.unwrap_or_default().into_iter();
        words
            .filter_map(|it| it.as_str().map(|word| word.trim_matches(['$', '{', '}']).to_owned()))
            .collect()
    };
    let triggers = list("replace_triggered_by").iter().filter_map(|it| block_of(it)).collect();
    Instance {
        resource: resource.to_owned(),
        label: label.to_owned(),
        flat: flat(&value),
        references,
        triggers,
        is_made_before: lifecycle
            .as_ref()
            .and_then(|it| it.get(0)?.get("create_before_destroy")?.as_bool())
            .unwrap_or(false),
        ignored: list("ignore_changes").iter().map(|it| keys_as_names(it)).collect(),
        origin: origin(file.text, &format!("resource \"{resource}\" \"{label}\"")),
        file: file.path.to_owned(),
    }
}

/// `labels."acme.com/team"` of `labels["acme.com/team"]`.
fn keys_as_names(path: &str) -> String {
    path.replace("[\"", ".\"").replace("\"]", "\"")
}

/// Sorts the lists of words whose order means nothing to the provider.
fn put_in_order(value: &mut serde_json::Value, path: &mut Vec<String>, shape: &Shape) {
    match value {
        serde_json::Value::Object(fields) => {
            for (name, inner) in fields {
                path.push(name.clone());
                put_in_order(inner, path, shape);
                path.pop();
            }
        }
        serde_json::Value::Array(items) => {
            let names: Vec<&str> = path.iter().map(String::as_str).collect();
            if shape.is_set(&names) {
                items.sort_by_key(ToString::to_string);
            }
            for item in items {
                put_in_order(item, path, shape);
            }
        }
        _ => {}
    }
}

/// A body as JSON: blocks of one name are a list.
fn body(
    body: &Body,
    context: &Context<'_>,
    path: &str,
    references: &mut Vec<Reference>,
) -> serde_json::Value {
    let mut fields = serde_json::Map::new();
    for structure in body.iter() {
        match structure {
            Structure::Attribute(attribute) => {
                let name = attribute.key.to_string();
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                fields.insert(name, expression(&attribute.expr, context, &path, references));
            }
            Structure::Block(block) => {
                let (name, values) = blocks(block, context, path, references);
                match fields.entry(name).or_insert_with(|| serde_json::Value::Array(Vec::new())) {
                    serde_json::Value::Array(all) => all.extend(values),
                    other => *other = serde_json::Value::Array(values),
                }
            }
        }
    }
    serde_json::Value::Object(fields)
}

/// A block by its name, once; a `dynamic` one once for each of its rounds.
fn blocks(
    block: &Block,
    context: &Context<'_>,
    path: &str,
    references: &mut Vec<Reference>,
) -> (String, Vec<serde_json::Value>) {
    let below = |name: &str| match path {
        "" => name.to_owned(),
        path => format!("{path}.{name}"),
    };
    let (Some(label), "dynamic") = (block.labels.first(), block.identifier.as_str()) else {
        let name = block.identifier.to_string();
        let value = body(&block.body, context, &below(&name), references);
        return (name, vec![value]);
    };
    let name = label.as_str().to_owned();
    let rounds = attribute(block, "for_each").map_or_else(Vec::new, |it| rounds(it, context));
    let content = block.body.blocks().find(|it| it.identifier.as_str() == "content");
    let round = |round: Option<(String, Value)>| {
        let mut context = context.clone();
        if let Some(round) = &round {
            context.declare_var(name.as_str(), key_and_value(round));
        }
        body(&content?.body, &context, &below(&name), references).into()
    };
    let values = rounds.into_iter().filter_map(round).collect();
    (name, values)
}

/// What `each` is in a round, and what a dynamic block's name is.
fn key_and_value((key, value): &(String, Value)) -> Value {
    let fields = [("key", Value::String(key.clone())), ("value", value.clone())];
    Value::Object(fields.map(|(name, value)| (name.to_owned(), value)).into_iter().collect())
}

/// Those of a folder's blocks that are of one resource.
pub(crate) fn blocks_of(resource: &str, files: &[File<'_>]) -> BTreeSet<String> {
    let root = Root::read(files);
    let of_it = root.instances.values().filter(|it| it.resource == resource);
    of_it.map(Instance::block).collect()
}

/// The addresses of a block: of one that is made several times that of each.
pub(crate) fn each_of(address: &str, files: &[File<'_>]) -> Vec<String> {
    let text = || files.iter().any(|it| it.text.contains(" count "));
    let count =
        text().then(|| Root::read(files).instances.get(address)?.flat.get("count").cloned());
    match count.flatten().and_then(|count| count.parse().ok()) {
        Some(count) => (0..count).map(|at: u16| format!("{address}[{at}]")).collect(),
        None => vec![address.to_owned()],
    }
}

/// The keys and values that a `for_each` goes through; one without a key where they are not known.
fn rounds(expr: &Expression, context: &Context<'_>) -> Vec<Option<(String, Value)>> {
    match expr.evaluate(context) {
        Ok(Value::Object(all)) => all.into_iter().map(Some).collect(),
        Ok(Value::Array(all)) => {
            let key = |value: Value| match value {
                Value::String(key) => Some((key.clone(), Value::String(key))),
                other => Some((other.to_string(), other)),
            };
            all.into_iter().map(key).collect()
        }
        _ => vec![None],
    }
}

/// What an expression comes to; what is known only once something is made stays as it is written.
fn expression(
    expr: &Expression,
    context: &Context<'_>,
    path: &str,
    references: &mut Vec<Reference>,
) -> serde_json::Value {
    if let Ok(value) = expr.evaluate(context) {
        return serde_json::to_value(value).unwrap_or(serde_json::Value::Null);
    }
    match expr {
        Expression::Array(items) => {
            items.iter().map(|item| expression(item, context, path, references)).collect()
        }
        Expression::Object(fields) => {
            let field = |(key, value): (&hcl::expr::ObjectKey, &Expression)| {
                (key_text(key, context), expression(value, context, path, references))
            };
            serde_json::Value::Object(fields.iter().map(field).collect())
        }
        other => {
            let written = put_in(&text(other), context);
            references.extend(references_in(&written, path));
            serde_json::Value::String(written)
        }
    }
}

/// A key as it is known, without quotes.
fn key_text(key: &hcl::expr::ObjectKey, context: &Context<'_>) -> String {
    match key {
        hcl::expr::ObjectKey::Expression(expr) => match expr.evaluate(context) {
            Ok(Value::String(text)) => text,
            _ => text(expr),
        },
        other => other.to_string(),
    }
}

fn text(expr: &Expression) -> String {
    hcl::format::to_string(expr).unwrap_or_default()
}

/// A text with variables, locals and the words of a round in their places.
fn put_in(text: &str, context: &Context<'_>) -> String {
    let mut written = String::new();
    let mut rest = text;
    while let Some(at) =
        ["var.", "local.", "each."].iter().filter_map(|start| rest.find(start)).min()
    {
        let (head, tail) = rest.split_at(at);
        let inside = |c: char| c.is_alphanumeric() || "_.-".contains(c);
        let end = tail.find(|c| !inside(c)).unwrap_or(tail.len());
        let (word, tail) = tail.split_at(end);
        let alone = !head.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.');
        let value = hcl::parse(&format!("x = {word}\n")).ok().and_then(|body| {
            let attribute = body.attributes().next()?;
            attribute.expr.evaluate(context).ok()
        });
        written.push_str(head);
        match value.filter(|_| alone) {
            Some(Value::String(text)) => written.push_str(&format!("\"{text}\"")),
            Some(value) => written.push_str(&value.to_string()),
            None => written.push_str(word),
        }
        rest = tail;
    }
    written.push_str(rest);
    written
}

/// The resources that a text at a path speaks of, with the field of each.
pub(super) fn references_in(text: &str, path: &str) -> Vec<Reference> {
    let inside = |c: char| c.is_alphanumeric() || "_.[]\"-/".contains(c);
    let words = text.split(move |c| !inside(c)).filter(|word| {
        word.starts_with("google_")
            || word.starts_with("terraform_data.")
            || word.starts_with("data.google_")
    });
    words
        .filter_map(|word| {
            let block = block_of(word)?;
            let rest = word.strip_prefix(block.as_str())?;
            let keyed = rest.starts_with("[\"").then(|| rest.split_once("\"]")).flatten();
            let address =
                keyed.map_or_else(|| block.clone(), |(key, _)| format!("{block}{key}\"]"));
            let field = match rest.split_once(']') {
                Some((_, rest)) => rest,
                None => rest,
            };
            let field = field.trim_start_matches('.').split(['.', '[']).next()?.to_owned();
            let path = path.to_owned();
            (!field.is_empty()).then_some(Reference { path, block, address, field })
        })
        .collect()
}

/// `google_container_node_pool.gpus` of `google_container_node_pool.gpus["a"].id`.
fn block_of(word: &str) -> Option<String> {
    if let Some(inner) = word.strip_prefix("data.") {
        return Some(format!("data.{}", block_of(inner)?));
    }
    let (resource, rest) = word.split_once('.')?;
    let label = rest.split(['.', '[']).next()?;
    Some(format!("{resource}.{label}"))
}

fn output(file: &File<'_>, block: &Block, name: &str, known: &Known) -> Output {
    let value = attribute(block, "value");
    let said = value.map(|it| expression(it, &known.context(None), "", &mut Vec::new()));
    let value = match said.unwrap_or_default() {
        serde_json::Value::String(text) => text,
        other => other.to_string(),
    };
    let origin = origin(file.text, &format!("output \"{name}\""));
    Output { value, origin, file: file.path.to_owned() }
}

/// The comment above a block that begins so.
fn origin(text: &str, head: &str) -> String {
    let mut last = "";
    for line in text.lines() {
        if line.starts_with(head) {
            return last.strip_prefix("# ").unwrap_or_default().trim().to_owned();
        }
        last = line;
    }
    String::new()
}
