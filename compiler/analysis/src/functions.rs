//! The functions of the language: a table. What rules cannot say in expressions becomes a row here.

use crate::types::Type;
use ipnet::IpNet;
use slipform_model::catalog::{Catalog, GkeVersion, LimitValue, Offer};
use slipform_model::{Map, NounRef, Placed, Value};
use slipform_source::Span;
use std::net::IpAddr;
use std::sync::{Arc, LazyLock};

/// A function.
#[derive(Debug)]
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// How it is called: `min(a, b)`.
    pub signature: &'static str,
    /// What it gives.
    pub doc: &'static str,
    /// The type of the result for types of arguments, or what is wrong with them.
    pub ty: fn(&[Type]) -> Result<Type, String>,
    /// It has a result for every argument of its type, so that calling it in another place, or not at all, changes no report.
    pub(crate) total: bool,
    /// The result for arguments, or what is wrong with them.
    pub eval: fn(&Call<'_>, &[Value]) -> Result<Value, String>,
}

/// Each has a name of its own.
impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// What a function may ask besides its arguments.
pub struct Call<'a> {
    /// The facts.
    pub catalog: &'a Catalog,
    /// Every noun of a kind, where the whole blueprint is known: in rules, asserts and outputs.
    pub all: &'a dyn Fn(&str) -> Option<Vec<NounRef>>,
    /// Whether a regular expression finds something in a text; patterns are compiled once.
    pub matches: &'a dyn Fn(&str, &str) -> Result<bool, String>,
    /// The call.
    pub span: Span,
}

/// The function of this name.
pub(crate) fn find(name: &str) -> Option<&'static Function> {
    static BY_NAME: LazyLock<Map<&str, &Function>> =
        LazyLock::new(|| ALL.iter().map(|function| (function.name, function)).collect());
    BY_NAME.get(name).copied()
}

macro_rules! functions {
    ($($name:ident $($total:ident)? $signature:literal $doc:literal, $ty:expr, $eval:expr;)*) => {
        /// Every function, by name.
        pub const ALL: &[Function] = &[$(Function {
            name: stringify!($name), signature: $signature, doc: $doc, ty: $ty, eval: $eval,
            total: functions!(@total $($total)?),
        },)*];
    };
    (@total total) => { true };
    (@total) => { false };
}

functions! {
    all "all(\"kind\")" "every noun of a kind, in the order of the blueprint",
        |types| match types {
            [Type::Word(kind)] => Ok(Type::List(Arc::new(Type::Noun(kind.clone())))),
            _ => Err("`all` takes the name of a kind in quotes".into()),
        },
        |call, args| {
            let kind = text(args, 0)?;
            let nouns = (call.all)(kind).ok_or("`all` works in rules, asserts and outputs only")?;
            Ok(Value::list(nouns.into_iter().map(Value::Ref), call.span))
        };
    before "before(noun, other)" "whether a noun stands before another one in the blueprint",
        |types| match types {
            [a, b] if is_noun(a) && is_noun(b) => Ok(Type::Bool),
            _ => Err("`before` takes two nouns".into()),
        },
        |_, args| match (value(args, 0)?, value(args, 1)?) {
            (Value::Ref(a), Value::Ref(b)) => Ok(Value::Bool(a.id < b.id)),
            (Value::Ref(_), other) | (other, _) => wrong(other),
        };
    ceil "ceil(number)" "the next integer above",
        |types| takes(types, &[Type::Float], Type::Int),
        |_, args| Ok(Value::Int(float(args, 0)?.ceil() as i64));
    chips "chips(topology)" "the product of its sides",
        |types| takes(types, &[Type::Topology], Type::Int),
        |_, args| match value(args, 0)? {
            Value::Topology(topology) => Ok(Value::Int(i64::try_from(topology.chips()).unwrap_or(i64::MAX))),
            other => wrong(other),
        };
    compute_capability "compute_capability(gpu)" "the CUDA compute capability of a GPU by its name, or of a machine type's: `9.0` for Hopper; 0 without one",
        |types| takes(types, &[Type::Str], Type::Float),
        |call, args| {
            let name = text(args, 0)?;
            let own = |name| call.catalog.machine(name)?.accelerator.as_ref();
            let gpu = call.catalog.gpu(name).or_else(|| call.catalog.gpu(&own(name)?.gpu));
            let capability = gpu.map(|gpu| gpu.compute_capability.parse());
            Ok(Value::Float(capability.and_then(Result::ok).unwrap_or(0.0)))
        };
    counted "counted(number, one, many)" "a number and what it counts: `1 GPU`, `8 GPUs`; `many` is left out where it is `one` with its ending, as of `node`, `process` and `batch`",
        |types| match types {
            [number, ..] if matches!(types.len(), 2 | 3) && !number.set().fits(&Type::Float) => {
                Err(format!("a number is counted, and not `{number}`"))
            }
            [_, _] => takes(types, &[Type::Float, Type::Str], Type::Str),
            [_, _, _] => takes(types, &[Type::Float, Type::Str, Type::Str], Type::Str),
            _ => Err("`counted` takes a number, and what it counts".into()),
        },
        |_, args| {
            let (number, one) = (value(args, 0)?, text(args, 1)?);
            Ok(match (number, args.len()) {
                (Value::Int(1), _) => format!("1 {one}"),
                (Value::Int(_) | Value::Float(_), 3) => format!("{number} {}", text(args, 2)?),
                (Value::Int(_) | Value::Float(_), _) => format!("{number} {}", plural(one)),
                (other, _) => return wrong(other),
            }.into())
        };
    covers "covers(range, inner)" "whether one range of addresses lies inside another",
        |types| takes(types, &[Type::Cidr, Type::Cidr], Type::Bool),
        |_, args| Ok(Value::Bool(cidr(args, 0)?.contains(&cidr(args, 1)?)));
    ends_with total "ends_with(text, tail)" "whether a text ends so",
        |types| takes(types, &[Type::Str, Type::Str], Type::Bool),
        |_, args| Ok(Value::Bool(text(args, 0)?.ends_with(text(args, 1)?)));
    floor "floor(number)" "the next integer below",
        |types| takes(types, &[Type::Float], Type::Int),
        |_, args| Ok(Value::Int(float(args, 0)?.floor() as i64));
    form total "form(value)" "the name of a value's constructor: `\"reservation\"`",
        |types| match types {
            [_] => Ok(Type::Str),
            _ => Err("`form` takes one value".into()),
        },
        |_, args| match value(args, 0)? {
            Value::Variant(name, _) => Ok(Value::Str(name.clone())),
            Value::Ref(noun) => Ok(Value::Str(noun.kind.clone())),
            other => wrong(other),
        };
    hosts "hosts(range)" "how many addresses a range has",
        |types| takes(types, &[Type::Cidr], Type::Int),
        |_, args| {
            let net = cidr(args, 0)?;
            let bits = u32::from(net.max_prefix_len() - net.prefix_len()).min(62);
            Ok(Value::Int(1i64 << bits))
        };
    join "join(list, separator)" "the elements as one text",
        |types| match types {
            [list, _] if list.holds_deferred() => Err(NOT_YET.into()),
            _ => takes(types, &[Type::List(Arc::new(Type::Unknown)), Type::Str], Type::Str),
        },
        |_, args| {
            let between = text(args, 1)?;
            let mut all = String::new();
            for (at, item) in list(args, 0)?.iter().enumerate() {
                if at > 0 {
                    all.push_str(between);
                }
                match &item.value {
                    Value::Str(text) => all.push_str(text),
                    other => all.push_str(&other.to_string()),
                }
                bounded(all.len())?;
            }
            Ok(all.into())
        };
    keys total "keys(record)" "the keys of a record",
        |types| match types {
            [ty] if matches!(ty.set().bare(), Type::Record(_) | Type::Map(..) | Type::Unknown) => {
                Ok(Type::List(Arc::new(Type::Str)))
            }
            _ => Err("`keys` takes a record".into()),
        },
        |call, args| match value(args, 0)? {
            Value::Record(record) => Ok(Value::list(record.keys().map(|key| Value::Str(key.clone())), call.span)),
            other => wrong(other),
        };
    len total "len(value)" "how many elements, entries or letters",
        |types| match types {
            [ty] if matches!(ty.set().bare(), Type::List(_) | Type::Map(..) | Type::Record(_) | Type::Str | Type::Word(_) | Type::Fact(_) | Type::Unknown) => {
                Ok(Type::Int)
            }
            _ => Err("`len` takes a list, a record or a text".into()),
        },
        |_, args| match value(args, 0)? {
            Value::List(items) => Ok(Value::Int(items.len() as i64)),
            Value::Record(record) => Ok(Value::Int(record.len() as i64)),
            Value::Str(text) => Ok(Value::Int(text.chars().count() as i64)),
            other => wrong(other),
        };
    limit "limit(\"path\")" "a limit of the catalog, by its path: `limit(\"vpc.mtu_max\")`",
        |types| match types {
            [Type::Word(path)] => match Catalog::builtin().limit(path).map(|limit| &limit.value) {
                Some(LimitValue::Int(_)) => Ok(Type::Int),
                Some(LimitValue::Float(_)) => Ok(Type::Float),
                Some(LimitValue::Text(_)) => Ok(Type::Str),
                Some(LimitValue::List(_)) => Ok(Type::List(Arc::new(Type::Str))),
                Some(LimitValue::Bool(_)) => Err(format!("the limit `{path}` is neither a number, a text, nor a list")),
                None => Err(format!("the catalog has no limit `{path}`")),
            },
            _ => Err("`limit` takes the path of a limit in quotes".into()),
        },
        |call, args| {
            let path = text(args, 0)?;
            match call.catalog.limit(path).map(|limit| &limit.value) {
                Some(LimitValue::Int(number)) => Ok(Value::Int(*number)),
                Some(LimitValue::Float(number)) => Ok(Value::Float(*number)),
                Some(LimitValue::Text(text)) => Ok(Value::from(text.as_str())),
                Some(LimitValue::List(names)) => Ok(Value::list(names.iter().map(|name| Value::from(name.as_str())).collect::<Vec<_>>(), call.span)),
                _ => Err(format!("the catalog has no limit `{path}`")),
            }
        };
    lower "lower(text)" "in small letters",
        |types| takes(types, &[Type::Str], Type::Str),
        |_, args| Ok(text(args, 0)?.to_lowercase().into());
    matches "matches(text, pattern)" "whether a regular expression finds something in a text",
        |types| takes(types, &[Type::Str, Type::Str], Type::Bool),
        |call, args| (call.matches)(text(args, 0)?, text(args, 1)?).map(Value::Bool);
    max "max(a, b)" "the larger one",
        pair,
        |_, args| Ok(if ordered(value(args, 0)?, value(args, 1)?)? { value(args, 1)?.clone() } else { value(args, 0)?.clone() });
    merge "merge(record, over)" "the entries of both; where both have one, that of the second",
        |types| match types {
            [a, b] if is_map(a) && is_map(b) && b.set().fits(&a.set()) => Ok(a.set()),
            [a, b] if is_map(a) && is_map(b) => Err(format!("`merge` takes two maps of one type, not `{a}` and `{b}`")),
            _ => Err("`merge` takes two maps".into()),
        },
        |_, args| match (value(args, 0)?, value(args, 1)?) {
            (Value::Record(record), Value::Record(over)) => {
                let mut merged = (**record).clone();
                merged.extend(over.iter().map(|(key, placed)| (key.clone(), placed.clone())));
                Ok(Value::Record(merged.into()))
            }
            (Value::Record(_), other) | (other, _) => wrong(other),
        };
    min "min(a, b)" "the smaller one",
        pair,
        |_, args| Ok(if ordered(value(args, 0)?, value(args, 1)?)? { value(args, 0)?.clone() } else { value(args, 1)?.clone() });
    offered_in "offered_in(machine, place)" "whether a machine type is offered: `\"zone\"`, `\"region\"` (another zone of it), `\"nowhere\"` or `\"unknown\"`",
        |types| takes(types, &[Type::Str, Type::Str], Type::Str),
        |call, args| {
            let offer = match call.catalog.offered(text(args, 0)?, text(args, 1)?) {
                Offer::InZone => "zone",
                Offer::InRegion => "region",
                Offer::Nowhere => "nowhere",
                Offer::Unknown => "unknown",
            };
            Ok(offer.into())
        };
    older "older(version, than)" "whether a version of GKE is older than another; what it leaves out stands for the newest",
        |types| takes(types, &[Type::Str, Type::Str], Type::Bool),
        |_, args| {
            let version = |at| {
                let text = text(args, at)?;
                GkeVersion::parse(text).ok_or_else(|| format!("`{text}` is no version of GKE"))
            };
            Ok(Value::Bool(version(0)? < version(1)?))
        };
    overlaps "overlaps(range, other)" "whether two ranges share an address",
        |types| takes(types, &[Type::Cidr, Type::Cidr], Type::Bool),
        |_, args| {
            let (a, b) = (cidr(args, 0)?, cidr(args, 1)?);
            Ok(Value::Bool(a.contains(&b) || b.contains(&a)))
        };
    product "product(list)" "all elements multiplied; 1 of none",
        |types| takes(types, &[Type::List(Arc::new(Type::Int))], Type::Int),
        |_, args| list(args, 0)?.iter().try_fold(1i64, |product, item| match &item.value {
            Value::Int(number) => product.checked_mul(*number).ok_or_else(|| "the product is too large".to_owned()),
            other => wrong(other),
        }).map(Value::Int);
    region_of "region_of(place)" "the region of a zone; a region is its own",
        |types| takes(types, &[Type::Str], Type::Fact(crate::types::FactKind::Region)),
        |_, args| Ok(region_of(text(args, 0)?).into());
    replace "replace(text, from, to)" "every `from` in a text replaced by `to`",
        |types| takes(types, &[Type::Str, Type::Str, Type::Str], Type::Str),
        |_, args| {
            let (text, from, to) = (text(args, 0)?, text(args, 1)?, text(args, 2)?);
            let found = text.matches(from).count();
            let kept = text.len().saturating_sub(found.saturating_mul(from.len()));
            bounded(kept.saturating_add(found.saturating_mul(to.len())))?;
            Ok(text.replace(from, to).into())
        };
    split "split(text, separator)" "the pieces of a text",
        |types| takes(types, &[Type::Str, Type::Str], Type::List(Arc::new(Type::Str))),
        |call, args| {
            let pieces = text(args, 0)?.split(text(args, 1)?).map(Value::from);
            Ok(Value::list(pieces.collect::<Vec<_>>(), call.span))
        };
    starts_with total "starts_with(text, head)" "whether a text begins so",
        |types| takes(types, &[Type::Str, Type::Str], Type::Bool),
        |_, args| Ok(Value::Bool(text(args, 0)?.starts_with(text(args, 1)?)));
    subnet "subnet(range, bits, number)" "the subnet of that number when a range is cut by so many more bits",
        |types| takes(types, &[Type::Cidr, Type::Int, Type::Int], Type::Cidr),
        |_, args| subnet(cidr(args, 0)?, int(args, 1)?, int(args, 2)?);
    sum "sum(list)" "all elements added up",
        |types| takes(types, &[Type::List(Arc::new(Type::Int))], Type::Int),
        |_, args| list(args, 0)?.iter().try_fold(0i64, |sum, item| match &item.value {
            Value::Int(number) => sum.checked_add(*number).ok_or_else(|| "the sum is too large".to_owned()),
            other => wrong(other),
        }).map(Value::Int);
    text total "text(value)" "a value as text",
        |types| match types {
            [ty] if !matches!(ty.bare(), Type::Union(_)) && ty.holds_deferred() => Err(NOT_YET.into()),
            [_] => Ok(Type::Str),
            _ => Err("`text` takes one value".into()),
        },
        |_, args| Ok(value(args, 0)?.to_string().into());
    upper "upper(text)" "in capital letters",
        |types| takes(types, &[Type::Str], Type::Str),
        |_, args| Ok(text(args, 0)?.to_uppercase().into());
}

/// The most bytes that a function makes a text of: far more than any file of a blueprint has.
const MAX_TEXT: usize = 16 << 20;

/// Refuses a text before it is made.
fn bounded(bytes: usize) -> Result<(), String> {
    match bytes {
        0..=MAX_TEXT => Ok(()),
        _ => Err(format!("the text would have {bytes} bytes, and at most {MAX_TEXT} are made")),
    }
}

/// Why a deferred value becomes no text.
const NOT_YET: &str =
    "this value exists only once Terraform has made it, so it cannot become a text here";

fn takes(found: &[Type], wanted: &[Type], result: Type) -> Result<Type, String> {
    if found.len() != wanted.len() {
        return Err(format!("{} arguments are wanted, {} are given", wanted.len(), found.len()));
    }
    for (at, (found, wanted)) in found.iter().zip(wanted).enumerate() {
        if !found.set().fits(wanted) {
            return Err(format!("argument {} must be `{wanted}`, not `{found}`", at + 1));
        }
    }
    Ok(result)
}

fn is_map(ty: &Type) -> bool {
    matches!(ty.set().bare(), Type::Map(..) | Type::Unknown)
}

fn is_noun(ty: &Type) -> bool {
    match ty.set().bare() {
        Type::Noun(_) | Type::Unknown => true,
        Type::Block(block) => block.kind.is_some(),
        Type::Union(arms) => arms.iter().all(is_noun),
        _ => false,
    }
}

fn pair(found: &[Type]) -> Result<Type, String> {
    match found {
        [a, b] if a.set().fits(&b.set()) => Ok(b.set()),
        [a, b] if b.set().fits(&a.set()) => Ok(a.set()),
        [a, b] => Err(format!("`{a}` and `{b}` cannot be compared")),
        _ => Err(format!("2 arguments are wanted, {} are given", found.len())),
    }
}

fn value(args: &[Value], at: usize) -> Result<&Value, String> {
    args.get(at).ok_or_else(|| format!("argument {} is missing", at + 1))
}

fn wrong<T>(found: &Value) -> Result<T, String> {
    Err(format!("{} does not fit here", found.described()))
}

fn text(args: &[Value], at: usize) -> Result<&str, String> {
    match value(args, at)? {
        Value::Str(text) => Ok(text),
        other => wrong(other),
    }
}

fn int(args: &[Value], at: usize) -> Result<i64, String> {
    match value(args, at)? {
        Value::Int(number) => Ok(*number),
        other => wrong(other),
    }
}

fn float(args: &[Value], at: usize) -> Result<f64, String> {
    match value(args, at)? {
        Value::Int(number) => Ok(*number as f64),
        Value::Float(number) => Ok(*number),
        other => wrong(other),
    }
}

fn cidr(args: &[Value], at: usize) -> Result<IpNet, String> {
    match value(args, at)? {
        Value::Cidr(net) => Ok(*net),
        other => wrong(other),
    }
}

fn list(args: &[Value], at: usize) -> Result<&[Placed], String> {
    match value(args, at)? {
        Value::List(items) => Ok(items),
        other => wrong(other),
    }
}

/// Whether the first is not larger than the second.
fn ordered(a: &Value, b: &Value) -> Result<bool, String> {
    crate::eval::compare(a, b)
        .map(|order| order.is_le())
        .ok_or_else(|| "these cannot be compared".to_owned())
}

/// Several of what one word names, by the endings of English: `nodes`, `processes`, `batches`, `bodies`.
fn plural(one: &str) -> String {
    let hisses = ["s", "x", "z", "ch", "sh"].iter().any(|end| one.ends_with(end));
    let vowel = |front: &str| front.ends_with(['a', 'e', 'i', 'o', 'u']);
    match one.strip_suffix('y') {
        Some(front) if !vowel(front) => format!("{front}ies"),
        _ if hisses => format!("{one}es"),
        _ => format!("{one}s"),
    }
}

/// The region of a zone: everything before its last dash; a region is its own.
pub(crate) fn region_of(place: &str) -> &str {
    match place.rsplit_once('-') {
        Some((region, zone))
            if !zone.is_empty()
                && region.contains('-')
                && zone.starts_with(|c: char| c.is_ascii_lowercase())
                && !zone.ends_with(|c: char| c.is_ascii_digit()) =>
        {
            region
        }
        _ => place,
    }
}

fn subnet(net: IpNet, bits: i64, number: i64) -> Result<Value, String> {
    let uncut = || format!("`{net}` cannot be cut by {bits} bits");
    let bits = u8::try_from(bits).map_err(|_| uncut())?;
    let prefix = net.prefix_len().checked_add(bits).filter(|it| *it <= net.max_prefix_len());
    let prefix = prefix.ok_or_else(uncut)?;
    let number =
        u128::try_from(number).map_err(|_| "a subnet's number is not negative".to_owned())?;
    if u32::from(bits) < u128::BITS && number >> bits != 0 {
        return Err(format!("`{net}` has no subnet number {number} of that size"));
    }
    let rest = u32::from(net.max_prefix_len() - prefix);
    let offset = number.checked_shl(rest).unwrap_or(0);
    let subnet = match net.network() {
        IpAddr::V4(first) => {
            let first = u32::from(first) | u32::try_from(offset).unwrap_or(0);
            IpNet::new(IpAddr::V4(first.into()), prefix)
        }
        IpAddr::V6(first) => IpNet::new(IpAddr::V6((u128::from(first) | offset).into()), prefix),
    };
    subnet.map(Value::Cidr).map_err(|_| uncut())
}
