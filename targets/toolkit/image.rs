//! The image that a cluster's hosts start from, where Cluster Toolkit has Packer build it: groups of modules before the cluster's own.

use super::blueprint::Cluster;
use super::module::{Module, literal};
use super::nodes::Member;
use crate::document::{Item, Map, map, seq};
use crate::on_image::{self, Step};
use crate::{Output, labels};
use slipform_model::nouns::{MachineImage, SlurmCluster};
use slipform_model::plan::{Boot, ImageBuilder, Planned, Sound};

/// The group of what Packer builds.
pub(crate) const GROUP: &str = "image";
/// The group of the scripts that it runs.
const SCRIPTS_GROUP: &str = "image-scripts";
/// The module of these.
const SCRIPTS: &str = "image-startup";

/// The image that Cluster Toolkit builds for a cluster.
pub(crate) fn of_cluster<'p>(
    plan: Sound<'p>,
    cluster: Planned<'p, SlurmCluster>,
) -> Option<Planned<'p, MachineImage>> {
    let built = cluster.body.image.as_ref()?.value.built()?;
    let image = plan.get(built);
    let own = image.plan.builder == ImageBuilder::Toolkit(cluster.reference());
    (own && image.is_made()).then_some(image)
}

/// The groups that come before the cluster's; `None` where a script has no spelling.
pub(super) fn groups(cluster: Cluster<'_>, out: &mut Output) -> Option<Vec<Map>> {
    let Some(image) = of_cluster(cluster.plan, cluster.planned) else { return Some(Vec::new()) };
    let steps = on_image::steps(image, out)?;
    let mut groups = Vec::new();
    let mut uses = Vec::new();
    if !steps.is_empty() {
        let runners: Vec<Map> = steps.into_iter().map(runner).collect();
        let scripts = Module::new(SCRIPTS, super::scripts::STARTUP)
            .comment(&image.noun.origin)
            .settings(installed(cluster).with("runners", seq(runners)));
        groups.push(group(SCRIPTS_GROUP, scripts));
        uses.push(SCRIPTS.to_owned());
    }
    let built = Module::new("machine-image", "modules/packer/custom-image")
        .packer()
        .comment(&image.noun.origin)
        .uses(uses)
        .settings(settings(cluster, image)?);
    groups.push(group(GROUP, built));
    Some(groups)
}

/// What nodes would install when they start, on all of them at once; and of RDMA what waits until its cards have addresses, as slurmd's own units do for other
/// networks.
fn installed(cluster: Cluster<'_>) -> Map {
    let members = cluster.members();
    let any = |holds: fn(Member<'_>) -> bool| members.iter().any(|it| holds(*it)).then_some(true);
    let docker = any(|member| member.has_docker())
        .map(|on| map().with("enabled", on).with("world_writable", on));
    let cards = any(|member| member.partition.plan.machine.network.rdma_subnets > 0);
    map()
        .with_opt("install_ansible", any(|member| member.installs()))
        .with_opt("docker", docker)
        .with_opt("enable_gpu_network_wait_online", cards)
}

fn group(name: &str, module: Module) -> Map {
    let modules: Vec<Item> = vec![module.item()];
    map().with("group", name).with("modules", seq(modules))
}

fn runner(step: Step) -> Map {
    map()
        .with("type", "shell")
        .with("destination", step.name)
        .with("content", literal(&step.script))
}

fn settings(cluster: Cluster<'_>, image: Planned<'_, MachineImage>) -> Option<Map> {
    let Planned { body, plan: made, .. } = image;
    // a sound plan has all three
    let from = &body.from.as_ref()?.value;
    let network = cluster.plan.get(body.network.as_ref()?.value);
    let zone = &body.zone.as_ref()?.value;
    let (family, exact) = match cluster.plan.boot(from) {
        Boot::Family(name) => (Some(name), None),
        Boot::Image(name) => (None, Some(name)),
    };
    let owner = from.project().unwrap_or("$(vars.project_id)");
    let project = network.body.project.as_ref().map(|it| it.value.as_str());
    let own: Map = labels::of_blueprint(cluster.plan)
        .filter(|(key, _)| !body.labels.contains_key(key))
        .chain(body.labels.iter().map(|(key, value)| (key.clone(), value.clone())))
        .collect();
    let settings = map()
        .with_opt("source_image_family", family)
        .with_opt("source_image", exact)
        .with("source_image_project_id", seq([owner]))
        .with("image_family", image.name())
        .with("machine_type", &made.machine.name)
        .with("disk_size", super::nodes::gib(body.disk.value.0))
        .with("disk_type", made.disk.as_str())
        .with_opt("on_host_maintenance", made.machine.is_bound().then_some("TERMINATE"))
        .with("zone", zone)
        .with_opt("network_project_id", project)
        .with("subnetwork_name", &network.plan.subnet)
        .with_opt("service_account_email", body.identity.map(|it| cluster.email(it.value)))
        .with("state_timeout", cluster.plan.catalog().limits().machine_image.wait.as_str());
    Some(if body.labels.is_empty() { settings } else { settings.with("labels", own) })
}
