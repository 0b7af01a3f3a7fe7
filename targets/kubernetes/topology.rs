//! How close together pods are: what Kueue is told of that.

use super::context::{Context, text};
use super::fabric::json_lines;
use super::objects::{Pairs, Text};
use super::words;
use serde::Serialize;
use slipform_model::nouns::Level;
use slipform_model::plan::{self, Nearness, Together};

/// So many pods in one domain of a level each. Kueue's `PodsetSliceRequiredTopologyConstraint`.
#[derive(Serialize)]
struct Layer<'a> {
    topology: Text<'a>,
    size: i64,
}

/// Annotations of pods by which Kueue chooses their nodes.
pub(crate) fn annotations<'a>(cx: &Context<'a>, nearness: &Nearness) -> Pairs<'a> {
    let plan::Nearness { all, layers } = nearness;
    let label = |level: &Level| text(level.label(&cx.facts.labels));
    let mut told = Pairs::new();
    match all {
        Together::Required(level) => told.insert(words::TOPOLOGY_REQUIRED.into(), label(level)),
        Together::Preferred(level) => told.insert(words::TOPOLOGY_PREFERRED.into(), label(level)),
        Together::Anywhere => told.insert(words::TOPOLOGY_ANYWHERE.into(), "true".into()),
        Together::Apart => None,
    };
    match layers.as_slice() {
        [] => {}
        [(level, nodes)] => {
            told.insert(words::TOPOLOGY_OF_SLICES.into(), label(level));
            told.insert(words::TOPOLOGY_SLICE.into(), nodes.to_string().into());
        }
        layers => {
            let layer =
                |(level, size): &(Level, i64)| Layer { topology: label(level), size: *size };
            let all = json_lines(layers.iter().map(layer));
            told.insert(words::TOPOLOGY_LAYERS.into(), all.into());
        }
    }
    told
}
