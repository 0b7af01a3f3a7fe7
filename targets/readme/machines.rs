//! Plain machines of Compute Engine, and slices of Cloud TPU: how they are made, reached, made anew and given back.

use crate::Stage;
use serde::Serialize;
use slipform_model::nouns::{Capacity, Machines};
use slipform_model::plan::{Planned, Sound};

/// A group of machines.
#[derive(Serialize)]
pub(super) struct Group<'a> {
    name: &'a str,
    folder: String,
    zone: &'a str,
    /// Their network lets people in from Identity-Aware Proxy, or is someone else's.
    reached: bool,
    /// Who makes them, as facts call it.
    maker: &'static str,
    nodes: i64,
    /// Slices of TPUs.
    slices: i64,
    /// Something of them is Terraform's.
    root: bool,
    public: bool,
    lent: bool,
    spot: bool,
}

impl<'a> Group<'a> {
    pub(super) fn of(plan: Sound<'a>, machines: Planned<'a, Machines>) -> Self {
        let network = plan.get(machines.body.network.value);
        let capacity = &machines.body.capacity.value;
        Self {
            name: machines.name(),
            folder: Stage::Machines(machines.name().to_owned()).folder().into_string(),
            zone: &machines.body.zone.value,
            reached: network.body.ssh || !network.is_made(),
            maker: machines.plan.maker.as_str(),
            nodes: machines.body.nodes.value,
            slices: machines.plan.slices.as_ref().map_or(0, |slices| slices.count),
            root: machines.plan.maker.has_template(),
            public: machines.body.public,
            lent: capacity.is_lent(),
            spot: *capacity == Capacity::Spot,
        }
    }
}
