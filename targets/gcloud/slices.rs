//! Slices of TPUs as queued resources of Cloud TPU: <https://cloud.google.com/tpu/docs/queued-resources>.

use super::TEMPLATES;
use crate::{Output, Stage};
use serde::Serialize;
use slipform_model::nouns::{Capacity, Machines, Network};
use slipform_model::plan::{Planned, Sound, TpuType};

/// A word of a command, `--zone=us-west4-a`.
#[derive(Serialize)]
struct Flag {
    name: &'static str,
    value: Option<String>,
}

#[derive(Serialize)]
struct Request<'a> {
    name: &'a str,
    zone: &'a str,
    project: Option<&'a str>,
    count: i64,
    /// `one slice v5litepod-16`, for people.
    what: String,
    /// The part of gcloud that knows how they are paid for.
    track: Option<&'static str>,
    flags: Vec<Flag>,
    startup: bool,
}

/// What runs on each host when it starts, beside the script that asks for them.
const STARTUP: &str = "startup.sh";

pub(super) fn render(plan: Sound<'_>, machines: Planned<'_, Machines>, out: &mut Output) {
    let Planned { noun, body, .. } = machines;
    let Some((flags, what)) = flags(plan, machines) else { return };
    let values = Request {
        name: machines.name(),
        zone: &body.zone.value,
        project: plan.project(),
        count: machines.plan.slices.as_ref().map_or(1, |slices| slices.count),
        what,
        track: track(&body.capacity.value),
        flags,
        startup: body.startup.is_some(),
    };
    let folder = Stage::Machines(machines.name().to_owned()).folder();
    for (template, name) in [("create-slices.sh", "create.sh"), ("delete-slices.sh", "delete.sh")] {
        if let Some(text) = TEMPLATES.fill(out, noun, template, &values) {
            out.program(folder.join(name), text, [noun.id]);
        }
    }
    if let Some(startup) = &body.startup {
        let text = format!("{}\n", startup.trim_end_matches('\n'));
        out.program(folder.join(STARTUP), text, [noun.id]);
    }
}

/// A reservation by its name, and how long slices are lent, are known to `gcloud alpha` alone.
fn track(capacity: &Capacity) -> Option<&'static str> {
    match capacity {
        Capacity::OnDemand | Capacity::Spot | Capacity::AnyReservation => None,
        Capacity::Reservation { .. }
        | Capacity::Calendar { .. }
        | Capacity::FlexStart { .. }
        | Capacity::Queued { .. } => Some("alpha"),
    }
}

/// The words of the request; what is asked for in words of people.
fn flags(plan: Sound<'_>, machines: Planned<'_, Machines>) -> Option<(Vec<Flag>, String)> {
    let Planned { body, plan: made, .. } = machines;
    // a sound plan has both
    let slices = made.slices.as_ref()?;
    let (asked, runtime) = (slices.asked.as_ref()?, slices.runtime.as_ref()?);
    let mut flags = Vec::new();
    let mut says = |name, value: String| flags.push(Flag { name, value: Some(value) });
    let what = match asked {
        TpuType::Name(name) => {
            says("accelerator-type", name.clone());
            name.clone()
        }
        TpuType::Shape { generation, topology } => {
            says("type", generation.clone());
            says("topology", topology.clone());
            format!("{generation} {topology}")
        }
    };
    says("runtime-version", runtime.clone());
    let (network, subnet) = network(plan, plan.get(body.network.value));
    says("network", network);
    says("subnetwork", subnet);
    if let Some(email) = body.identity.and_then(|it| plan.email(it.value)) {
        says("service-account", email);
        says("scopes", "cloud-platform".to_owned());
    }
    let labels =
        crate::labels::of_blueprint(plan).filter(|(key, _)| !body.labels.contains_key(key));
    let labels = labels.chain(body.labels.iter().map(|(key, value)| (key.clone(), value.clone())));
    let labels: Vec<String> = labels.map(|(key, value)| format!("{key}={value}")).collect();
    says("labels", labels.join(","));
    if let Some(time) = &body.wait {
        says("valid-until-duration", format!("{}s", time.0));
    }
    // Cloud TPU knows no blocks of a reservation
    let reserved =
        made.reservation.as_deref().and_then(|path| path.split("/reservationBlocks/").next());
    let reserved = reserved.map(str::to_owned);
    match &body.capacity.value {
        // none of TPUs is taken without its name, of which a rule warns
        Capacity::OnDemand | Capacity::AnyReservation => {}
        Capacity::Spot => flags.push(Flag { name: "spot", value: None }),
        Capacity::Reservation { .. } => flags.push(Flag { name: "reservation", value: reserved }),
        Capacity::Calendar { .. } => {
            flags.push(Flag { name: "reservation", value: reserved });
            says_model(&mut flags, "reservation-bound");
        }
        Capacity::FlexStart { max } | Capacity::Queued { max, .. } => {
            says_model(&mut flags, "flex-start");
            flags.push(Flag { name: "max-run-duration", value: Some(format!("{}s", max.0)) });
        }
    }
    if !body.public {
        flags.push(Flag { name: "internal-ips", value: None });
    }
    Some((flags, what))
}

fn says_model(flags: &mut Vec<Flag>, model: &str) {
    flags.push(Flag { name: "provisioning-model", value: Some(model.to_owned()) });
}

/// A network and its subnet, by their paths where another project has them.
fn network(plan: Sound<'_>, network: Planned<'_, Network>) -> (String, String) {
    let Planned { body, plan: made, .. } = network;
    match &body.project {
        Some(host) if plan.project() != Some(&host.value) => (
            format!("projects/{}/global/networks/{}", host.value, made.name),
            format!(
                "projects/{}/regions/{}/subnetworks/{}",
                host.value, body.region.value, made.subnet
            ),
        ),
        _ => (made.name.clone(), made.subnet.clone()),
    }
}
