//! `slipform graph`: the nouns of a blueprint and who refers to whom, as a picture's source, a drawing or a page.

mod layout;
mod page;
mod picture;
mod route;
mod told;

use crate::Context;
use crate::args::{GraphArgs, GraphFormat};
use crate::blueprint::Blueprint;
use crate::check::{render, tell};
use crate::stop::{ExitStatus, Stop};
use slipform_analysis::Analysis;
use slipform_targets::Artifact;
use told::{Outcome, Told};

slipform_source::codes! {
    pub(crate) CODES;
    GRAPH_DRAWING = "graph/drawing":
        "the graph cannot be drawn",
        "take `--format dot` instead, and report it with the blueprint";
}

pub(crate) fn run(args: &GraphArgs, context: &mut Context<'_, '_>) -> Result<ExitStatus, Stop> {
    let blueprint = Blueprint::open(&args.inputs, context)?;
    let mut analysis = blueprint.analyse(args.env.as_deref(), false);
    let is_drawn = matches!(args.format, GraphFormat::Svg | GraphFormat::Html);
    let artifacts = if is_drawn { render(&mut analysis, &[]) } else { Vec::new() };
    let status = tell(&blueprint, std::slice::from_ref(&analysis), context).status;
    let Some(plan) = &analysis.plan else { return Ok(status) };
    // A blueprint with errors has a picture too: of what could be understood.
    let told = || Told::of(plan, &outcome(&analysis, &artifacts), &analysis.sources);
    let picture = match args.format {
        GraphFormat::Dot => Ok(plan.graph.to_dot(&plan.model)),
        GraphFormat::Mermaid => Ok(plan.graph.to_mermaid(&plan.model)),
        GraphFormat::Svg => page::svg(&told(), &plan.model),
        GraphFormat::Html => page::html(&told(), &plan.model),
    };
    let picture = picture.map_err(|why| Stop::new(GRAPH_DRAWING, why.to_string()))?;
    context.result(&picture);
    Ok(status)
}

/// What is known of what a blueprint renders to.
fn outcome<'a>(analysis: &Analysis, artifacts: &'a [Artifact]) -> Outcome<'a> {
    if analysis.has_errors() {
        Outcome::Nothing(
            "The blueprint has errors: this is what could be understood of it, and nothing is rendered.",
        )
    } else if analysis.can_be_rendered() {
        Outcome::Files(artifacts)
    } else {
        Outcome::Nothing("Parameters have no value, so nothing is rendered.")
    }
}
