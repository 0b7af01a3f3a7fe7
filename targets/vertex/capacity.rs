//! How machines are had on Vertex AI: the strategy of scheduling, and reservations.

use super::job::Site;
use super::payload::{ReservationAffinity, Scheduling, duration_text};
use slipform_model::catalog::Support;
use slipform_model::nouns::Capacity;
use slipform_model::{Diagnostic, Duration};

/// The scheduling of a job; what it cannot be is said in `refused`.
pub(crate) fn scheduling(site: Site<'_>, refused: &mut Vec<Diagnostic>) -> Scheduling {
    let capacity = &site.cluster.capacity;
    let limits = site.plan.model.catalog.limits().map(|limits| &limits.vertex);
    let restarts = site.workload.restarts.value > 0;
    let mut scheduling = Scheduling {
        strategy: "STANDARD",
        timeout: site.workload.max_run.map(|time| duration_text(time.value)),
        max_wait_duration: None,
        // replicas that are still there would wait for one that began anew
        restart_job_on_worker_restart: restarts && site.run.lead.nodes > 1,
        disable_retries: !restarts,
    };
    match &capacity.value {
        Capacity::OnDemand | Capacity::Reservation { .. } | Capacity::Calendar { .. } => {}
        Capacity::Spot => scheduling.strategy = "SPOT",
        Capacity::FlexStart { max } => {
            let time = site.workload.max_run.map_or(*max, |time| time.value);
            scheduling.strategy = "FLEX_START";
            scheduling.timeout = Some(duration_text(time));
            scheduling.max_wait_duration =
                limits.map(|limits| duration_text(Duration(limits.max_wait_seconds)));
            if let Some(longest) = limits
                .map(|limits| Duration(limits.flex_start_timeout_seconds))
                .filter(|longest| time > *longest)
            {
                let message =
                    format!("a flex-start job runs for {longest} at most, not for {time}");
                let at = site.workload.max_run.map_or(capacity.span, |time| time.span);
                refused.push(Diagnostic::error("vertex/flex-start", message, at));
            }
        }
        Capacity::Queued { .. } => {
            let message = "Vertex AI has no queued capacity: it comes from Kueue on a GKE cluster";
            refused.push(
                Diagnostic::error("vertex/queued", message, capacity.span)
                    .help("`flex_start(...)` waits for all machines of a job too"),
            );
        }
    }
    offered(site, refused);
    scheduling
}

/// Machines that cannot be had in this way.
fn offered(site: Site<'_>, refused: &mut Vec<Diagnostic>) {
    let machine = &site.machines.machine;
    let capacity = &site.cluster.capacity;
    let mut refuse = |message: String, help: &str| {
        let diagnostic = Diagnostic::error("vertex/capacity", message, capacity.span);
        refused.push(diagnostic.also(site.cluster.machine.span, "the machine").help(help));
    };
    match &capacity.value {
        Capacity::OnDemand if machine.capacity.on_demand == Support::No => {
            let note = machine
                .vertex
                .note
                .as_deref()
                .map(|note| format!(": it {note}"))
                .unwrap_or_default();
            refuse(
                format!("`{}` cannot be had on demand{note}", machine.name),
                "name a reservation: `capacity = reservation(\"...\")`",
            );
        }
        Capacity::Spot if machine.tpu.is_some() => {
            refuse(
                format!("`{}` has TPUs, which Vertex AI does not offer as spot", machine.name),
                "use `on_demand` or a reservation",
            );
        }
        Capacity::Spot if machine.capacity.spot == Support::No => {
            refuse(
                format!("`{}` is not offered as spot", machine.name),
                "use `flex_start(...)` or a reservation",
            );
        }
        Capacity::FlexStart { .. } => {
            let gpu = machine.accelerator.as_ref().map(|it| it.gpu.as_str());
            let known = site.plan.model.catalog.vertex().map(|facts| &facts.flex_start_gpus);
            let taken = |gpus: &Vec<String>| gpu.is_some_and(|gpu| gpus.iter().any(|it| it == gpu));
            if known.is_some_and(|gpus| !taken(gpus)) {
                refuse(
                    format!("Vertex AI has no flex-start for `{}`", machine.name),
                    "use `on_demand`, `spot` or a reservation",
                );
            }
        }
        _ => {}
    }
}

/// The reservation of a capacity, by its whole name.
pub(crate) fn reservation(
    site: Site<'_>,
    refused: &mut Vec<Diagnostic>,
) -> Option<ReservationAffinity> {
    let capacity = &site.cluster.capacity;
    let (name, block) = match &capacity.value {
        Capacity::Reservation { name, block, .. } => (name, block.as_deref()),
        Capacity::Calendar { name } => (name, None),
        _ => return None,
    };
    let Some(zone) = &site.cluster.zone else {
        let message = format!(
            "Vertex AI names a reservation by its zone, and `{}` has none",
            site.cluster_noun.path
        );
        refused.push(
            Diagnostic::error("vertex/reservation-zone", message, capacity.span)
                .help("add `zone` to the cluster"),
        );
        return None;
    };
    let (owner, name) =
        match name.strip_prefix("projects/").and_then(|rest| rest.split_once("/reservations/")) {
            Some((owner, name)) => (Some(owner), name),
            None => (site.plan.model.project.as_deref(), name.as_str()),
        };
    let Some(owner) = owner else {
        let message = "Vertex AI names a reservation by its project, and the blueprint has none";
        refused.push(Diagnostic::error("vertex/project", message, capacity.span).help(
            "write `projects/OWNER/reservations/NAME`, or add a parameter of type `ProjectId`",
        ));
        return None;
    };
    let block = block.map(|block| format!("/reservationBlocks/{block}")).unwrap_or_default();
    Some(ReservationAffinity {
        reservation_affinity_type: "SPECIFIC_RESERVATION",
        key: site
            .plan
            .model
            .catalog
            .vertex()
            .map(|facts| facts.reservation_key.clone())
            .unwrap_or_default(),
        values: vec![format!("projects/{owner}/zones/{}/reservations/{name}{block}", zone.value)],
    })
}
