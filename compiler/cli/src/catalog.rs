//! `slipform catalog`: the facts that blueprints are checked against, with their sources and dates.

mod diff;
mod row;
mod sides;
mod table;

use crate::Context;
use crate::args::{CatalogAction, CatalogArgs, ResultFormat};
use crate::stop::{ExitStatus, Stop};
use crate::world::DiskWorld;
use camino::Utf8Path;
pub(crate) use row::source_of;
use slipform_analysis::{CATALOG_LOCAL, facts_in};
use slipform_model::catalog::Catalog;
use slipform_model::{Diagnostic, nearest, similar};
use std::fmt::Write;
use std::sync::Arc;
pub(crate) use table::{TABLES, Table};

slipform_source::codes! {
    pub(crate) CODES;
    USAGE_CATALOG = "usage/catalog":
        "the catalog has no such table or row",
        "`slipform catalog` lists the tables";
    USAGE_FACTS = "usage/facts":
        "there are no such facts to compare",
        "name `builtin`, a lock, a folder with one, a folder that is a whole catalog, a file of facts, or a revision of the repository with a lock in it";
}

pub(crate) fn run(args: &CatalogArgs, context: &mut Context<'_, '_>) -> Result<ExitStatus, Stop> {
    if let Some(CatalogAction::Diff(args)) = &args.action {
        return diff::run(args, context);
    }
    let catalog = &read(context)?;
    let Some(asked) = &args.table else {
        context.console.print(&overview(catalog, context.results));
        return Ok(ExitStatus::Clean);
    };
    let table = find(asked)?;
    let text = match &args.name {
        None => whole(table, catalog, context.results),
        Some(name) => one(table, catalog, name, context.results)?,
    };
    context.console.print(&text);
    Ok(ExitStatus::Clean)
}

/// The facts of the project in the current folder: the compiler's or those of its lock, with what it adds.
fn read(context: &Context<'_, '_>) -> Result<Arc<Catalog>, Stop> {
    let world = DiskWorld::new(context.folder);
    facts_in(&world, Utf8Path::new("")).map_err(|problems| {
        let told = |(at, mut it): (String, Diagnostic)| {
            it.message = format!("{at}: {}", it.message);
            it.labels.clear();
            it
        };
        Stop(problems.into_iter().map(told).collect())
    })
}

/// Facts with those of a file on top.
fn with_local(base: &Catalog, name: &str, text: &str) -> Result<Catalog, Stop> {
    base.with_local(text).map_err(|error| {
        let problems = error.problems.into_iter().map(|problem| {
            let line = problem.line.map_or(String::new(), |line| format!(":{line}"));
            Diagnostic::nowhere(CATALOG_LOCAL, format!("{name}{line}: {}", problem.message))
        });
        Stop(problems.collect())
    })
}

fn find(asked: &str) -> Result<&'static Table, Stop> {
    if let Some(table) = TABLES.iter().find(|table| table.name == asked) {
        return Ok(table);
    }
    let known: Vec<&str> = TABLES.iter().map(|table| table.name).collect();
    let stop = Stop::new(USAGE_CATALOG, format!("the catalog has no table `{asked}`"));
    Err(match nearest(asked, known.iter().copied()) {
        Some(near) => stop.help(similar("a table", near)),
        None => stop.help(format!("the tables are {}", known.join(", "))),
    })
}

/// Which tables there are, and how old the facts are.
fn overview(catalog: &Catalog, format: ResultFormat) -> String {
    let counted = TABLES.iter().map(|table| (table, (table.rows)(catalog).len()));
    if format == ResultFormat::Json {
        let tables: serde_json::Map<String, serde_json::Value> =
            counted.map(|(table, count)| (table.name.to_owned(), count.into())).collect();
        return format!(
            "{}\n",
            serde_json::json!({
                "version": catalog.version(), "as_of": catalog.as_of(), "tables": tables,
            })
        );
    }
    let mut out = format!("catalog {}, facts up to {}\n\n", catalog.version(), catalog.as_of());
    for (table, count) in counted {
        let _ = writeln!(out, "  {:<9} {count:>4}  {}", table.name, table.about);
    }
    out
}

/// A table, aligned.
fn whole(table: &Table, catalog: &Catalog, format: ResultFormat) -> String {
    let rows = (table.rows)(catalog);
    if format == ResultFormat::Json {
        let lines = rows.iter().filter_map(|cells| (table.row)(catalog, cells.first()?));
        return lines.map(|row| format!("{row}\n")).collect();
    }
    let mut all =
        vec![table.columns.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>()];
    all.extend(rows);
    let widths: Vec<usize> = (0..table.columns.len())
        .map(|at| {
            all.iter()
                .filter_map(|row| row.get(at))
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(0)
        })
        .collect();
    let mut out = String::new();
    for row in &all {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            let _ = write!(line, "{cell:<width$}  ");
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

/// One row in full.
fn one(table: &Table, catalog: &Catalog, name: &str, format: ResultFormat) -> Result<String, Stop> {
    if let Some(row) = (table.row)(catalog, name) {
        return Ok(match format {
            ResultFormat::Json => format!("{row}\n"),
            ResultFormat::Text => row::text(&row, catalog),
        });
    }
    let rows = (table.rows)(catalog);
    let known = rows.iter().filter_map(|cells| cells.first()).map(String::as_str);
    let stop = Stop::new(
        USAGE_CATALOG,
        format!("the catalog has no row `{name}` among its {}", table.name),
    );
    Err(match nearest(name, known) {
        Some(near) => stop.help(similar("a row", near)),
        None => stop.help(format!("`slipform catalog {}` lists them", table.name)),
    })
}
