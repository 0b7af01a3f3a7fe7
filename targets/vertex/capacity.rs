//! How machines are had on Vertex AI: the strategy of scheduling, and reservations.

use super::job::Request;
use super::payload::{ReservationAffinity, Scheduling, duration_text};
use crate::vertex::job::VERTEX_PROJECT;
use slipform_model::nouns::Capacity;
use slipform_model::{Diagnostic, Duration};

/// The scheduling of a job, which is that of the workload's own nodes.
pub(crate) fn scheduling(request: Request<'_>) -> Scheduling {
    let capacity = &request.cluster.capacity;
    let longest_wait = request.plan.catalog().limits().vertex.max_wait_seconds;
    let restarts = request.workload.restarts.value > 0;
    let nodes = request.run.gangs().map(|gang| gang.nodes).fold(0, i64::saturating_add);
    let mut scheduling = Scheduling {
        strategy: "STANDARD",
        timeout: request.workload.max_run.map(|time| duration_text(time.value)),
        max_wait_duration: None,
        // replicas that are still there would wait for one that began anew
        restart_job_on_worker_restart: restarts && nodes > 1,
        disable_retries: !restarts,
    };
    match &capacity.value {
        Capacity::OnDemand
        | Capacity::Reservation { .. }
        | Capacity::AnyReservation
        | Capacity::Calendar { .. } => {}
        Capacity::Spot => scheduling.strategy = "SPOT",
        Capacity::FlexStart { max } => {
            let time = request.workload.max_run.map_or(*max, |time| time.value);
            scheduling.strategy = "FLEX_START";
            scheduling.timeout = Some(duration_text(time));
            let wait = request.cluster.max_wait.map_or(Duration(longest_wait), |it| it.value);
            scheduling.max_wait_duration = Some(duration_text(wait));
        }
        // a rule answers it
        Capacity::Queued { .. } => {}
    }
    scheduling
}

/// The reservation of a capacity, by its whole name, or any that matches.
pub(crate) fn reservation(
    request: Request<'_>,
    refused: &mut Vec<Diagnostic>,
) -> Option<ReservationAffinity> {
    let capacity = &request.cluster.capacity;
    if capacity.value == Capacity::AnyReservation {
        let reservation_affinity_type = "ANY_RESERVATION";
        return Some(ReservationAffinity { reservation_affinity_type, ..Default::default() });
    }
    let taken = request.plan.taken(&capacity.value)?;
    // of a sound plan there is one
    let zone = request.cluster.zone.as_ref()?;
    let name = &taken.name;
    let Some(owner) = taken.owner.as_deref().or(request.plan.project()) else {
        let message = "Vertex AI names a reservation by its project, and the blueprint has none";
        refused.push(Diagnostic::error(VERTEX_PROJECT, message, capacity.span).help(
            "write `projects/OWNER/reservations/NAME`, or add a parameter of type `ProjectId`",
        ));
        return None;
    };
    let block = taken.block.map(|block| format!("/reservationBlocks/{block}")).unwrap_or_default();
    Some(ReservationAffinity {
        reservation_affinity_type: "SPECIFIC_RESERVATION",
        key: Some(request.plan.catalog().vertex().reservation_key.clone()),
        values: vec![format!("projects/{owner}/zones/{}/reservations/{name}{block}", zone.value)],
    })
}
