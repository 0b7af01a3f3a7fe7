//! Slices that are joined and cut as workloads are admitted: what pods say of the slice that they are of, and who makes it.

use super::context::text;
use super::kustomize::Stream;
use super::objects::{AdmissionCheckSpec, Meta, Requirement, Text};
use super::queue::Queues;
use super::words;
use slipform_model::catalog::Slicing;
use slipform_model::plan::{self, Cut, Flavor};

/// Annotations of pods by which Kueue chooses their nodes, and their slice is made.
pub(crate) fn annotations(cut: &Cut) -> impl Iterator<Item = (Text<'_>, Text<'_>)> {
    // `healthy` is asked of nodes.
    let plan::Cut { shape, required, preferred, each, healthy: _ } = cut;
    let shape = Some((words::SLICE_TOPOLOGY.into(), shape.to_string().into()));
    let one = |word: &'static str, label: &'_ Option<String>| {
        label.as_deref().map(|label| (Text::from(word), Text::from(label.to_owned())))
    };
    let each = each.iter().flat_map(|(label, pods)| {
        let size = (words::TOPOLOGY_SLICE.into(), pods.to_string().into());
        [(words::TOPOLOGY_OF_SLICES.into(), text(label)), size]
    });
    let required = one(words::TOPOLOGY_REQUIRED, required);
    let preferred = one(words::TOPOLOGY_PREFERRED, preferred);
    shape.into_iter().chain(required).chain(preferred).chain(each)
}

/// Nodes whose part can be used.
pub(crate) fn healthy(cut: &Cut) -> Option<Requirement<'_>> {
    let (label, values) = cut.healthy.as_ref()?;
    let values = values.iter().map(|value| text(value)).collect();
    Some(Requirement { key: text(label), operator: "In", values })
}

impl<'a> Queues<'_, 'a> {
    /// Who makes slices of the nodes of a flavor once Kueue has chosen them.
    pub(crate) fn slicer(&self, flavor: &Flavor) -> Option<&'a str> {
        let slicing: Option<&Slicing> = self.cx.plan.get(flavor.pool).plan.slicing.as_ref();
        slicing?.controller.as_deref()
    }

    /// The check that waits for slices, where some are made.
    pub(crate) fn slices(&self, stream: &mut Stream) {
        let flavors = self.queues.iter().flat_map(|(.., plan)| &plan.flavors);
        let mut made = flavors.filter_map(|it| Some((it.pool, self.slicer(it)?)));
        let Some((pool, controller)) = made.next() else { return };
        let spec = AdmissionCheckSpec { controller_name: text(controller), parameters: None };
        let meta = Meta::named(text(words::SLICES));
        let origin = &self.cx.plan.get(pool).noun.origin;
        stream.object(origin, &self.object("AdmissionCheck", meta, spec));
    }
}
