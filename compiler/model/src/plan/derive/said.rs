//! What is said of a flavor, as amounts.

use crate::Size;
use crate::nouns::Amount;
use crate::plan::Amounts;

/// So much as is said, out of all that there is: of what is not said as much as belongs to the first that is.
pub(super) fn said(amount: &Amount, all: Amounts) -> Amounts {
    let (devices, cpus, memory, disk) = match *amount {
        Amount::Int(devices) => {
            return Amounts { devices, ..belonging(all, devices, all.devices) };
        }
        Amount::Of { devices, cpus, memory, disk, others: _ } => (devices, cpus, memory, disk),
    };
    let millicpus = cpus.map(|cpus| cpus.saturating_mul(1000));
    let bytes = |size: Size| i64::try_from(size.0).unwrap_or(i64::MAX);
    let sizes = |said: Option<Size>, all: Size| said.map(|said| (bytes(said), bytes(all)));
    let first = devices.map(|some| (some, all.devices));
    let first = first.or_else(|| millicpus.map(|some| (some, all.millicpus)));
    let first = first.or_else(|| sizes(memory, all.memory)).or_else(|| sizes(disk, all.disk));
    let rest = first.map_or(Amounts::NONE, |(part, of)| belonging(all, part, of));
    Amounts {
        devices: devices.unwrap_or(rest.devices),
        millicpus: millicpus.unwrap_or(rest.millicpus),
        memory: memory.unwrap_or(rest.memory),
        disk: disk.unwrap_or(rest.disk),
    }
}

/// So much of what there is as is lent or borrowed at most. Of a flavor of GPUs or chips what is said without them limits nothing else.
pub(super) fn limit(amount: &Amount, all: Amounts) -> Amounts {
    match *amount {
        Amount::Of { devices: None, cpus, memory, disk, others: _ } if all.devices > 0 => Amounts {
            devices: all.devices,
            millicpus: cpus.map_or(all.millicpus, |cpus| cpus.saturating_mul(1000)),
            memory: memory.unwrap_or(all.memory),
            disk: disk.unwrap_or(all.disk),
        },
        Amount::Int(_) | Amount::Of { .. } => said(amount, all),
    }
}

/// What belongs to a part of what there is of something; nothing to something that is not there.
fn belonging(all: Amounts, part: i64, of: i64) -> Amounts {
    if of > 0 { all.part(part, of) } else { Amounts::NONE }
}
