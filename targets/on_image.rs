//! What happens on the machine that an image of machines is made of, as scripts that root runs in their order: packages, those of the blueprint,
//! and one that holds what the blueprint says of the image against what is on it.

use crate::Output;
use crate::template::Templates;
use serde::Serialize;
use slipform_model::nouns::MachineImage;
use slipform_model::plan::Planned;
use slipform_source::Spanned;
use std::sync::LazyLock;

static TEMPLATES: LazyLock<Templates> = LazyLock::new(|| {
    Templates::new(&[
        (PACKAGES, include_str!("templates/image/packages.sh")),
        (HOLDS, include_str!("templates/image/holds.sh")),
    ])
});

/// No script of a blueprint begins so.
const PACKAGES: &str = "_packages.sh";
const HOLDS: &str = "_holds.sh";

/// A script, and the name of its file.
pub(crate) struct Step {
    pub(crate) name: String,
    pub(crate) script: String,
}

#[derive(Serialize)]
struct Packages<'a> {
    packages: &'a [String],
}

#[derive(Serialize)]
struct Holds<'a> {
    driver: Option<&'a str>,
    cuda: Option<&'a str>,
    slurm: Option<&'a str>,
    enroot: Option<&'a str>,
}

impl Holds<'_> {
    fn is_empty(&self) -> bool {
        let Self { driver, cuda, slurm, enroot } = self;
        [driver, cuda, slurm, enroot].iter().all(|it| it.is_none())
    }
}

/// The scripts of an image; `None` where one has no spelling.
pub(crate) fn steps(image: Planned<'_, MachineImage>, out: &mut Output) -> Option<Vec<Step>> {
    let Planned { noun, body, .. } = image;
    let mut steps = Vec::new();
    if !body.system_packages.is_empty() {
        let values = Packages { packages: &body.system_packages };
        let script = TEMPLATES.fill(out, noun, PACKAGES, &values)?;
        steps.push(Step { name: PACKAGES.to_owned(), script });
    }
    let own = body.scripts.iter().map(|(name, script)| Step {
        name: name.clone(),
        script: format!("{}\n", script.trim_end_matches('\n')),
    });
    steps.extend(own);
    let holds = Holds {
        driver: text(body.driver.as_ref()),
        cuda: text(body.cuda.as_ref()),
        slurm: text(body.slurm.as_ref()),
        enroot: text(body.enroot.as_ref()),
    };
    if !holds.is_empty() {
        let script = TEMPLATES.fill(out, noun, HOLDS, &holds)?;
        steps.push(Step { name: HOLDS.to_owned(), script });
    }
    Some(steps)
}

fn text(value: Option<&Spanned<String>>) -> Option<&str> {
    value.map(|it| it.value.as_str())
}
