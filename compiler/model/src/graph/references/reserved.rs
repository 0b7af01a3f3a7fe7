//! What reservations refer to, and capacities that take of them.

use super::{References, Refers};
use crate::graph::EdgeKind;
use crate::nouns::{Capacity, Reservation, Reserved};
use slipform_source::Spanned;

impl Refers for Reservation {
    fn refer(&self, to: &mut References) {
        let Self {
            machine: _,
            gpus,
            local_ssds: _,
            count: _,
            zone: _,
            block: _,
            name: _,
            project: _,
            shared_with: _,
            starts: _,
            ends: _,
            deletion_protection: _,
        } = self;
        gpus.iter().for_each(|it| it.value.refer(to));
    }
}

/// A capacity knows its place, and none of its parts does.
impl Refers for Spanned<Capacity> {
    fn refer(&self, to: &mut References) {
        match &self.value {
            Capacity::Reservation { name, block: _, policy: _ } | Capacity::Calendar { name } => {
                match name {
                    Reserved::Reservation(it) => to.to(EdgeKind::Uses, *it, self.span),
                    Reserved::String(_) => {}
                }
            }
            Capacity::OnDemand
            | Capacity::Spot
            | Capacity::AnyReservation
            | Capacity::FlexStart { max: _ } => {}
            Capacity::Queued { max: _, check: _, retry } => {
                retry.iter().for_each(|it| it.refer(to))
            }
        }
    }
}
