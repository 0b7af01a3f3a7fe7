//! Scripts of gcloud beside the roots of plain machines: what makes them, or asks for them, and what takes them away again, where no managed
//! group does it by itself. Machines that commands make are of the template that their root keeps; slices of TPUs, which no template makes,
//! are asked for as queued resources of Cloud TPU.

mod slices;

use crate::template::Templates;
use crate::{Output, Stage, Target};
use serde::Serialize;
use slipform_model::nouns::Machines;
use slipform_model::plan::{Maker, Planned, Sound};
use std::sync::LazyLock;

/// The target.
pub(crate) struct Gcloud;

static TEMPLATES: LazyLock<Templates> = LazyLock::new(|| {
    Templates::new(&[
        ("create.sh", include_str!("templates/create.sh")),
        ("delete.sh", include_str!("templates/delete.sh")),
        ("request.sh", include_str!("templates/request.sh")),
        ("create-slices.sh", include_str!("templates/create-slices.sh")),
        ("delete-slices.sh", include_str!("templates/delete-slices.sh")),
    ])
});

impl Target for Gcloud {
    fn name(&self) -> &'static str {
        "gcloud"
    }

    fn about(&self) -> &'static str {
        "scripts that make plain machines, ask for those that are lent, and ask Cloud TPU for slices"
    }

    fn patches(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    fn render(&self, plan: Sound<'_>, out: &mut Output) {
        for machines in plan.made::<Machines>() {
            match machines.plan.maker {
                Maker::Group => {}
                Maker::Requests => script(plan, machines, "request.sh", out),
                Maker::Commands => {
                    script(plan, machines, "create.sh", out);
                    script(plan, machines, "delete.sh", out);
                }
                Maker::QueuedResources => slices::render(plan, machines, out),
            }
        }
    }
}

/// Machines, as scripts about them see them.
#[derive(Serialize)]
struct Script<'a> {
    name: &'a str,
    nodes: i64,
    zone: &'a str,
    project: Option<&'a str>,
    /// The output with their template, where commands make them of it.
    template: Option<&'a str>,
    /// How long they are lent, in seconds.
    lent: Option<u64>,
}

fn script(plan: Sound<'_>, machines: Planned<'_, Machines>, name: &str, out: &mut Output) {
    let Planned { noun, body, .. } = machines;
    let values = Script {
        name: machines.name(),
        nodes: body.nodes.value,
        zone: &body.zone.value,
        project: plan.project(),
        template: plan.known_later(noun.id).map(|it| it.output.as_str()),
        lent: body.capacity.value.lent_for().map(|time| time.0),
    };
    if let Some(text) = TEMPLATES.fill(out, noun, name, &values) {
        let folder = Stage::Machines(machines.name().to_owned()).folder();
        out.program(folder.join(name), text, [noun.id]);
    }
}
