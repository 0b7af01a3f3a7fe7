//! Folders that `kubectl kustomize` builds, and the files in them.

use super::objects::{Image, Kustomization, Object, Operation, Patch, PatchTarget, Text};
use super::words;
use crate::Output;
use crate::document::{Commented, yaml_string, yaml_to_string};
use camino::Utf8PathBuf;
use serde::Serialize;
use slipform_model::NounId;
use std::borrow::Cow;

/// A folder of the output, and the nouns that it comes from.
pub(crate) struct Folder {
    pub(crate) path: Utf8PathBuf,
    pub(crate) nouns: Vec<NounId>,
}

impl Folder {
    pub(crate) fn nouns(&self) -> impl Iterator<Item = NounId> {
        self.nouns.iter().copied()
    }

    /// Writes a kustomization with lines above it, through a stream that is empty.
    pub(crate) fn kustomization(
        &self,
        comment: &str,
        kustomization: &Kustomization<'_>,
        stream: &mut Stream,
        out: &mut Output,
    ) {
        stream.add(comment, kustomization);
        out.file(self.path.join("kustomization.yaml"), stream.take(), self.nouns());
    }
}

/// As much of a digest as tells contents apart that follow each other, as a label's value.
pub(crate) fn short(digest: &[u8]) -> String {
    digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}

/// Documents of one file, printed as they come. One stream serves many files, so that its text seldom has to grow.
#[derive(Default)]
pub(crate) struct Stream {
    text: String,
    /// Nobody reads the text.
    unread: bool,
}

impl Stream {
    /// A stream for the files of an output.
    pub(crate) fn to(out: &Output) -> Self {
        Self { text: String::new(), unread: !out.is_read() }
    }

    /// Whether nothing was added.
    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The text of one file; the stream is empty then.
    pub(crate) fn take(&mut self) -> String {
        let text = self.text.as_str().to_owned();
        self.text.clear();
        text
    }

    /// Adds a document with lines above it.
    pub(crate) fn add<T: Serialize>(&mut self, comment: &str, document: &T) {
        if self.unread {
            return;
        }
        if !self.text.is_empty() {
            self.text.push_str("---\n");
        }
        // Objects have text for keys and no bytes: nothing in them can be refused.
        let printed = yaml_to_string(&mut self.text, &Commented::new(comment, document));
        debug_assert!(printed.is_ok(), "{printed:?}");
    }

    /// Adds an object that a line of the blueprint asked for.
    pub(crate) fn object<S: Serialize>(&mut self, at: &str, object: &Object<'_, S>) {
        self.add(at, object);
    }
}

/// The entry of a kustomization under which an image's tag or digest can be changed.
pub(crate) fn image(reference: &str) -> Image<'_> {
    let (name, digest) = match reference.split_once('@') {
        Some((name, digest)) => (name, Some(digest)),
        None => (reference, None),
    };
    let (name, tag) = match name.rsplit_once(':') {
        Some((name, tag)) if !tag.contains('/') => (name, Some(tag)),
        _ => (name, None),
    };
    let new_tag =
        if digest.is_none() { Some(Cow::Borrowed(tag.unwrap_or("latest"))) } else { None };
    Image { name: Cow::Borrowed(name), new_tag, digest: digest.map(Cow::Borrowed) }
}

/// Labels of an environment on a JobSet and on the pods of each of its replicated jobs.
pub(crate) fn environment_patch<'a>(
    api: &'a str,
    jobset: &'a str,
    jobs: usize,
    environment: &'a str,
) -> Patch<'a> {
    const LABELS: &str = "metadata/labels/environment";
    let operation =
        |path: String| Operation { op: "add", path: path.into(), value: environment.into() };
    let mut operations = vec![operation(format!("/{LABELS}"))];
    operations.extend((0..jobs).map(|job| {
        operation(format!("/spec/replicatedJobs/{job}/template/spec/template/{LABELS}"))
    }));
    let (group, version) = api.split_once('/').unwrap_or(("", api));
    let target = PatchTarget {
        group: Text::Borrowed(group),
        version: Text::Borrowed(version),
        kind: words::JOBSET,
        name: Text::Borrowed(jobset),
    };
    Patch::Inline { target, patch: yaml_string(&operations).unwrap_or_default().into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_told_from_its_tag_and_digest() {
        let parts = |reference: &str| {
            let image = image(reference);
            let owned = |text: Option<Text<'_>>| text.map(Text::into_owned);
            (image.name.into_owned(), owned(image.new_tag), owned(image.digest))
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            parts("nvcr.io/nvidia/nemo:24.07"),
            ("nvcr.io/nvidia/nemo".into(), some("24.07"), None)
        );
        assert_eq!(
            parts("localhost:5000/a/b"),
            ("localhost:5000/a/b".into(), some("latest"), None)
        );
        assert_eq!(parts("a/b:v1@sha256:00"), ("a/b".into(), None, some("sha256:00")));
    }
}
