//! Plain machines of Compute Engine: how they are made, reached and made anew.

use crate::Stage;
use serde::Serialize;
use slipform_model::nouns::Machines;
use slipform_model::plan::{Planned, Sound};

/// A group of machines.
#[derive(Serialize)]
pub(super) struct Group<'a> {
    name: &'a str,
    folder: String,
    zone: &'a str,
    /// Their network lets people in from Identity-Aware Proxy, or is someone else's.
    reached: bool,
}

impl<'a> Group<'a> {
    pub(super) fn of(plan: Sound<'a>, machines: Planned<'a, Machines>) -> Self {
        let network = plan.get(machines.body.network.value);
        Self {
            name: machines.name(),
            folder: Stage::Machines(machines.name().to_owned()).folder().into_string(),
            zone: &machines.body.zone.value,
            reached: network.body.ssh || !network.is_made(),
        }
    }
}
