//! When and how clusters and their nodes get newer versions.

use super::root::{Feature, Root};
use crate::document::hcl::Block;
use slipform_model::catalog::MachineKind;
use slipform_model::nouns::{
    Exclusion, HostMaintenance, Maintenance, Pool, UpgradeBy, Upgrades, Weekday,
};
use slipform_model::plan::PoolPlan;
use std::collections::BTreeSet;

/// A day that is over, at which windows that come again are said to have begun.
const BEGINNING: &str = "1970-01-01";

const DAY: u64 = 86_400;

/// When GKE may upgrade a cluster by itself, and when not.
pub(super) fn maintenance(window: &Maintenance) -> Block {
    let Maintenance::Window { start, length, days, except } = window;
    let recurrence = match days.as_slice() {
        [] => "FREQ=DAILY".to_owned(),
        days => {
            let mut once = BTreeSet::new();
            let days = days.iter().copied().map(weekday).filter(|day| once.insert(*day));
            let days: Vec<&str> = days.collect();
            format!("FREQ=WEEKLY;BYDAY={}", days.join(","))
        }
    };
    let recurring = Block::of("recurring_window")
        .attr("start_time", format!("{BEGINNING}T{start}:00Z"))
        .attr("end_time", moment(end(start, length.0)))
        .attr("recurrence", recurrence);
    Block::of("maintenance_policy").block(recurring).blocks(except.iter().map(exclusion))
}

/// Seconds after the beginning.
fn end(start: &str, length: u64) -> u64 {
    let (hours, minutes) = start.split_once(':').unwrap_or((start, "0"));
    let number = |text: &str| text.parse::<u64>().unwrap_or(0);
    (number(hours) * 60 + number(minutes)).saturating_mul(60).saturating_add(length)
}

/// So many seconds after the beginning, in its year.
fn moment(seconds: u64) -> String {
    let (mut day, mut month, rest) = (seconds / DAY, 1, seconds % DAY);
    for length in [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if day < length {
            break;
        }
        (day, month) = (day - length, month + 1);
    }
    let (hours, minutes, seconds) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("1970-{month:02}-{:02}T{hours:02}:{minutes:02}:{seconds:02}Z", day + 1)
}

fn weekday(day: Weekday) -> &'static str {
    match day {
        Weekday::Mon => "MO",
        Weekday::Tue => "TU",
        Weekday::Wed => "WE",
        Weekday::Thu => "TH",
        Weekday::Fri => "FR",
        Weekday::Sat => "SA",
        Weekday::Sun => "SU",
    }
}

fn exclusion((name, exclusion): (&String, &Exclusion)) -> Block {
    let midnight = |day: &str| format!("{day}T00:00:00Z");
    let (from, until) = exclusion.days();
    let behavior = until.is_none().then_some("UNTIL_END_OF_SUPPORT");
    let options = Block::of("exclusion_options")
        .attr("scope", exclusion.scope().to_ascii_uppercase())
        .attr_opt("end_time_behavior", behavior);
    Block::of("maintenance_exclusion")
        .attr("exclusion_name", name)
        .attr("start_time", midnight(from))
        .attr_opt("end_time", until.map(midnight))
        .block(options)
}

/// What GKE does by itself with the nodes of a pool.
pub(super) fn management(pool: &Pool, plan: &PoolPlan) -> Block {
    let lent = pool.capacity.value.is_lent();
    let repair = pool.repair.set().map_or(!lent, |repair| repair.value);
    block(repair, plan.upgrades != Upgrades::ByHand)
}

/// The same of the nodes that a cluster has for itself, which it upgrades whatever channel it is in.
pub(super) fn management_of_system() -> Block {
    block(true, true)
}

fn block(repair: bool, upgrade: bool) -> Block {
    Block::of("management").attr("auto_repair", repair).attr("auto_upgrade", upgrade)
}

/// Keeps the version of nodes as long as it has support.
pub(super) fn held_version(root: &mut Root<'_>, plan: &PoolPlan) -> Option<Block> {
    let held = plan.upgrades == Upgrades::EndOfSupport;
    held.then(|| {
        root.needs(Feature::PoolMaintenance);
        let until = Block::of("exclusion_until_end_of_support").attr("enabled", true);
        Block::of("maintenance_policy").block(until)
    })
}

/// How many nodes go, or are there besides, while they are upgraded.
pub(super) fn settings(pool: &Pool, plan: &PoolPlan) -> Option<Block> {
    let surge = |extra: i64, missing: i64| {
        Block::of("upgrade_settings")
            .attr("strategy", "SURGE")
            .attr("max_surge", extra)
            .attr("max_unavailable", missing)
    };
    match pool.upgraded_by(plan.machine.kind == MachineKind::Cpu)? {
        UpgradeBy::Surge { extra, missing } => Some(surge(extra, missing)),
        UpgradeBy::BlueGreen { batch, batch_soak, soak } => {
            let rollout = Block::of("standard_rollout_policy")
                .attr("batch_node_count", batch)
                .attr("batch_soak_duration", format!("{}s", batch_soak.0));
            let blue_green = Block::of("blue_green_settings")
                .attr("node_pool_soak_duration", format!("{}s", soak.0))
                .block(rollout);
            Some(Block::of("upgrade_settings").attr("strategy", "BLUE_GREEN").block(blue_green))
        }
    }
}

/// How often the machines under nodes are maintained.
pub(super) fn host_maintenance(how: HostMaintenance) -> Block {
    let interval = match how {
        HostMaintenance::AsNeeded => "AS_NEEDED",
        HostMaintenance::Periodic => "PERIODIC",
    };
    Block::of("host_maintenance_policy").attr("maintenance_interval", interval)
}
