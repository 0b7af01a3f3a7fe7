//! `slipform graph`: the nouns of a blueprint and who refers to whom, as a picture's source.

use crate::Context;
use crate::args::{GraphArgs, GraphFormat};
use crate::blueprint::Blueprint;
use crate::report::{self, Found};
use crate::stop::{ExitStatus, Stop};

pub(crate) fn run(args: &GraphArgs, context: &mut Context<'_, '_>) -> Result<ExitStatus, Stop> {
    let blueprint = Blueprint::open(&args.inputs, context)?;
    let analysis = blueprint.analyse(args.env.as_deref(), false);
    let diagnostics = analysis.diagnostics.clone();
    let found = Found { places: blueprint.places(&analysis), diagnostics };
    report::located(context.console, context.format, &[found]);
    if let Some(plan) = &analysis.plan {
        // A blueprint with errors has a picture too: of what could be understood.
        let picture = match args.format {
            GraphFormat::Dot => plan.graph.to_dot(&plan.model),
            GraphFormat::Mermaid => plan.graph.to_mermaid(&plan.model),
        };
        context.console.print(&picture);
    }
    Ok(blueprint.status(&analysis))
}
