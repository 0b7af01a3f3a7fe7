//! `slipform catalog`: the facts that blueprints are checked against, with their sources and dates.

mod row;
mod table;

use crate::Context;
use crate::args::{CatalogArgs, ResultFormat};
use crate::stop::{ExitStatus, Stop};
use crate::world::DiskWorld;
use camino::Utf8Path;
pub(crate) use row::source_of;
use slipform_analysis::{CATALOG_LOCAL, LOCAL_CATALOG};
use slipform_model::catalog::Catalog;
use slipform_model::{Diagnostic, nearest, similar};
use slipform_source::{ReadError, World};
use std::fmt::Write;
pub(crate) use table::{TABLES, Table};

slipform_source::codes! {
    pub(crate) CODES;
    USAGE_CATALOG = "usage/catalog":
        "the catalog has no such table or row",
        "`slipform catalog` lists the tables";
}

pub(crate) fn run(args: &CatalogArgs, context: &mut Context<'_, '_>) -> Result<ExitStatus, Stop> {
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

/// The built-in catalog, with what the project in the current folder adds.
fn read(context: &Context<'_, '_>) -> Result<Catalog, Stop> {
    let builtin = Catalog::builtin();
    let text = match DiskWorld::new(context.folder).read(Utf8Path::new(LOCAL_CATALOG)) {
        Ok(text) => text,
        Err(ReadError::NotFound) => return Ok(builtin.clone()),
        Err(why) => {
            return Err(Stop::new(
                CATALOG_LOCAL,
                format!("`{LOCAL_CATALOG}` cannot be read: {why}"),
            ));
        }
    };
    builtin.with_local(&text).map_err(|error| {
        let problems = error.problems.into_iter().map(|problem| {
            let line = problem.line.map_or(String::new(), |line| format!(":{line}"));
            Diagnostic::nowhere(
                CATALOG_LOCAL,
                format!("{LOCAL_CATALOG}{line}: {}", problem.message),
            )
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
