//! Facts of what a command line says: variables, options and programs, each where it is written.

use super::told::{Placed, Said};
use crate::plan::Plan;
use crate::{NounId, Value};
use slipform_source::{Span, Spanned};

/// The variables of its processes, as texts: those of `env`, and those that its command line sets, which win.
pub(super) fn variables(plan: &Plan, id: NounId) -> Option<Placed<Vec<(String, Spanned<String>)>>> {
    let fields = &plan.model.get(id)?.fields;
    let set = &plan.program(id)?.command_line.variables;
    let mut found = Vec::new();
    if let Some(env) = fields.get("env")
        && let Value::Record(entries) = &env.value
    {
        let own = entries.iter().filter(|(name, _)| !set.contains_key(&***name));
        found.extend(own.map(|(name, entry)| {
            let text = Spanned::new(entry.value.to_string(), within(env.span, entry.span));
            (name.to_string(), text)
        }));
    }
    let launch = Launch::of(plan, id)?;
    found.extend(set.iter().map(|(name, value)| {
        let at =
            launch.place(&format!("{name}={value}")).or_else(|| launch.place(&format!("{name}=")));
        (name.clone(), Spanned::new(value.clone(), at.unwrap_or(launch.span)))
    }));
    Some(Placed(found))
}

/// The options in its command line.
pub(super) fn options(plan: &Plan, id: NounId) -> Option<Placed<Vec<Spanned<Said>>>> {
    let launch = Launch::of(plan, id)?;
    let said = |said: &crate::plan::Said| {
        let at = launch.place(&said.option).unwrap_or(launch.span);
        let told = Said {
            program: said.program.clone(),
            written: said.option.clone(),
            name: said.name(),
            value: said.value.clone(),
        };
        Spanned::new(told, at)
    };
    Some(Placed(plan.program(id)?.command_line.options.iter().map(said).collect()))
}

/// `launch`, as it is written.
struct Launch<'a> {
    value: Option<&'a Value>,
    span: Span,
}

impl<'a> Launch<'a> {
    fn of(plan: &'a Plan, id: NounId) -> Option<Self> {
        let written = plan.model.get(id)?.fields.get("launch").map(|it| &it.value);
        Some(Self { value: written, span: plan.program(id)?.launcher.span })
    }

    /// The word that holds a text: one of a list, or a named argument that is spelled so.
    fn place(&self, text: &str) -> Option<Span> {
        let Value::Variant(_, fields) = self.value? else { return None };
        let lists =
            ["argv", "args"].into_iter().filter_map(|name| match &fields.get(name)?.value {
                Value::List(items) => Some(items.iter()),
                _ => None,
            });
        let holds = |value: &Value| matches!(value, Value::Str(word) if word.contains(text));
        let word = lists.flatten().find(|item| holds(&item.value)).map(|item| item.span);
        let named = || match &fields.get("args")?.value {
            Value::Record(args) => Some(args.get(text.trim_start_matches('-'))?.span),
            _ => None,
        };
        word.or_else(named).map(|at| within(self.span, at))
    }
}

/// A place in a field, or the field, where what it holds was written elsewhere.
fn within(field: Span, at: Span) -> Span {
    if field.covers(at) { at } else { field }
}
