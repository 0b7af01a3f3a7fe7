//! Values that exist only after `terraform apply`, and the one way in which they reach objects.
//!
//! The kustomization of a folder with such values reads `deferred.env` into a ConfigMap that is never applied and copies
//! the values to their places; `fill-deferred.sh` writes that file from Terraform's outputs. It is no artifact: until it
//! is there Kustomize refuses the folder, so that nothing is applied with a value that does not exist yet, and what it
//! holds is nobody's edit.

use super::kustomize::Folder;
use super::objects::{
    ConfigMapArgs, EnvVar, GeneratorOptions, Kustomization, Replacement, ReplacementSelect,
    ReplacementSource, ReplacementTarget, Text,
};
use super::words;
use crate::{Output, Stage, shell};
use camino::Utf8Path;
use slipform_model::plan::Later;
use std::collections::BTreeMap;

/// What stands in a place until Kustomize copies the value there.
pub(crate) const PLACEHOLDER: &str = "set-by-terraform";

const FILE: &str = "deferred.env";
const MAP: &str = "deferred";

/// The deferred values of one folder.
#[derive(Default)]
pub(crate) struct Deferrals {
    /// Places by value.
    places: BTreeMap<Later, Vec<Place>>,
    /// The container that variables belong to, as a path in its object.
    container: String,
    /// The object that places belong to.
    object: (&'static str, String, Option<String>),
}

struct Place {
    kind: &'static str,
    name: String,
    namespace: Option<String>,
    path: String,
}

impl Deferrals {
    /// Says which object the next places belong to.
    pub(crate) fn within(&mut self, kind: &'static str, name: &str, namespace: Option<&str>) {
        self.object = (kind, name.to_owned(), namespace.map(str::to_owned));
    }

    /// Says which container the next variables belong to.
    pub(crate) fn container(&mut self, job: &str, container: &str) {
        self.container = format!(
            "spec.replicatedJobs.[name={job}].template.spec.template.spec.containers.[name={container}]"
        );
    }

    /// A variable whose value Terraform knows.
    pub(crate) fn variable<'a>(&mut self, later: &Later, name: String) -> EnvVar<'a> {
        let path = format!("{}.env.[name={name}].value", self.container);
        self.place(later, path);
        EnvVar { name: name.into(), value: Some(PLACEHOLDER.into()), value_from: None }
    }

    /// A place in the current object.
    pub(crate) fn place(&mut self, later: &Later, path: String) {
        let (kind, name, namespace) = self.object.clone();
        self.places.entry(later.clone()).or_default().push(Place { kind, name, namespace, path });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Tells a kustomization to fill the places, and writes the files beside it.
    pub(crate) fn finish(
        &self,
        kustomization: &mut Kustomization<'_>,
        folder: &Folder,
        out: &mut Output,
    ) {
        if self.is_empty() {
            return;
        }
        kustomization.config_map_generator.push(ConfigMapArgs {
            name: MAP,
            envs: vec![FILE],
            options: GeneratorOptions {
                disable_name_suffix_hash: true,
                annotations: [(words::LOCAL_CONFIG.into(), "true".into())].into(),
            },
        });
        kustomization
            .replacements
            .extend(self.places.iter().map(|(later, places)| replacement(later, places)));
        out.program(
            folder.path.join(FILLING),
            script(self.places.keys(), &folder.path),
            folder.nouns(),
        );
    }
}

/// The name of the script that fills in what Terraform made.
pub(crate) const FILLING: &str = "fill-deferred.sh";

/// What makes a folder build that such a script has not filled: to take objects away their names are enough.
pub(crate) fn filled_anyhow(script: &Utf8Path, text: &str) -> Option<String> {
    let keys = text.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix("printf '%s=%s\\n' ")?;
        rest.split_once(' ').map(|(key, _)| key)
    });
    let keys: Vec<&str> = keys.collect();
    let file = shell::quote(script.with_file_name(FILE).as_str());
    (!keys.is_empty()).then(|| {
        let keys = keys.join(" ");
        format!("[ -e {file} ] || printf '%s={PLACEHOLDER}\\n' {keys} > {file}")
    })
}

fn script<'a>(values: impl Iterator<Item = &'a Later>, folder: &Utf8Path) -> String {
    let up = "../".repeat(folder.components().count());
    let lines: String = values
        .map(|later| {
            let root = shell::quote(&format!("{up}{}", Stage::from(&later.root).folder()));
            let (key, output) = (key(later), shell::quote(&later.output));
            format!("  value=\"$(output {root} {output})\"\n  printf '%s=%s\\n' {key} \"$value\"\n")
        })
        .collect();
    format!(
        "#!/usr/bin/env bash\n\
         # Writes {FILE} from what Terraform made. Run it after `terraform apply`: without the file this folder does not build.\n\
         set -euo pipefail\n\
         cd \"$(dirname \"$0\")\"\n\
         output() {{ terraform -chdir=\"$1\" output -raw \"$2\"; }}\n\
         {{\n{lines}}} > {FILE}.new\n\
         mv {FILE}.new {FILE}\n"
    )
}

fn key(later: &Later) -> String {
    later.output.to_ascii_uppercase()
}

fn replacement<'a>(later: &Later, places: &[Place]) -> Replacement<'a> {
    let field_path = format!("data.{}", key(later));
    let mut targets: Vec<ReplacementTarget<'a>> = Vec::new();
    for place in places {
        let select = ReplacementSelect {
            kind: place.kind,
            name: Text::Owned(place.name.clone()),
            namespace: place.namespace.clone().map(Text::Owned),
        };
        targets.push(ReplacementTarget { select, field_paths: vec![place.path.clone()] });
    }
    Replacement { source: ReplacementSource { kind: "ConfigMap", name: MAP, field_path }, targets }
}
