//! The blueprint of a cluster and its deployment file.

use super::module::Module;
use super::nodes::Member;
use super::{accounts, image, networks, nodes, scripts, servers, storage};
use crate::document::{Document, Item, Map, map, seq, to_yaml};
use crate::{Output, Stage, labels};
use slipform_model::catalog::Catalog;
use slipform_model::nouns::{Identity, Partition, Ref, SlurmCluster};
use slipform_model::plan::{Boot, Planned, SlurmCloud, Sound, mark};

/// A cluster, and what all of its modules are made from.
#[derive(Clone, Copy)]
pub(super) struct Cluster<'p> {
    pub(super) plan: Sound<'p>,
    pub(super) planned: Planned<'p, SlurmCluster>,
    pub(super) cloud: &'p SlurmCloud,
}

impl<'p> Cluster<'p> {
    pub(super) fn catalog(self) -> &'p Catalog {
        self.plan.catalog()
    }

    /// Its partitions.
    pub(super) fn members(self) -> Vec<Member<'p>> {
        let all = self.plan.inside::<Partition>(self.planned.noun.id);
        all.filter_map(|it| Some(Member { set: it.plan.set.as_ref()?, partition: it })).collect()
    }

    /// Its image does not tell enroot where containers of a host lie, as far as is known: what blueprints of Cluster Toolkit write on one is all over its
    /// hosts, and was meant for nodes with disks of their own. One that is built here does where its scripts, or those of what it is built from, say it.
    pub(super) fn leaves_containers(self) -> bool {
        let Some(image) = &self.planned.body.image else { return false };
        let mut image = image.value.built();
        let mut seen = Vec::new();
        while let Some(built) = image.filter(|it| !seen.contains(it)) {
            let body = self.plan.get(built).body;
            if body.scripts.values().any(|script| script.contains("/enroot.conf")) {
                return false;
            }
            image = body.from.as_ref().and_then(|it| it.value.built());
            seen.push(built);
        }
        true
    }

    /// What its hosts start from, where it is not what the modules start from by themselves.
    pub(super) fn image(self, settings: Map) -> Map {
        let Some(image) = &self.planned.body.image else { return settings };
        let project = image.value.project().unwrap_or("$(vars.project_id)");
        let named = match self.plan.boot(&image.value) {
            Boot::Family(name) => map().with("family", name),
            Boot::Image(name) => map().with("name", name),
        };
        settings
            .with("instance_image", named.with("project", project))
            .with("instance_image_custom", true)
    }

    /// Who nodes and those who submit are.
    pub(super) fn account(self) -> Option<String> {
        Some(self.email(self.planned.body.node_identity?.value))
    }

    /// The address of a service account; of one of a project that only the deployment knows, too.
    pub(super) fn email(self, identity: Ref<Identity>) -> String {
        let name = self.plan.get(identity).name();
        let known = self.plan.email(identity);
        known.unwrap_or_else(|| format!("{name}@$(vars.project_id).iam.gserviceaccount.com"))
    }
}

/// Writes both files.
pub(super) fn render<'p>(
    plan: Sound<'p>,
    planned: Planned<'p, SlurmCluster>,
    cloud: &'p SlurmCloud,
    out: &mut Output,
) {
    let cluster = Cluster { plan, planned, cloud };
    let members = cluster.members();
    let Some(starts) = scripts::of_servers(cluster, &members, out) else { return };
    let Some(sets) = nodes::modules(cluster, &members, out) else { return };
    let Some(mut groups) = image::groups(cluster, out) else { return };
    let mut modules = networks::modules(cluster);
    modules.extend(storage::modules(cluster));
    modules.extend(accounts::module(cluster));
    modules.extend(sets);
    modules.extend(starts);
    modules.extend(servers::login(cluster, out));
    modules.push(servers::controller(cluster, &members, out));
    let folder = Stage::Cluster(planned.name().to_owned()).folder();
    let built = image::of_cluster(plan, planned).map(|image| image.noun.id);
    let ids: Vec<_> = std::iter::once(planned.noun.id)
        .chain(built)
        .chain(members.iter().map(|member| member.partition.noun.id))
        .collect();
    let modules: Vec<Item> = modules.into_iter().map(Module::item).collect();
    groups.push(map().with("group", "cluster").with("modules", seq(modules)));
    let files =
        [("cluster.yaml", blueprint(cluster, groups)), ("deployment.yaml", deployment(cluster))];
    for (name, document) in files {
        out.file(folder.join(name), to_yaml(&[document]), ids.iter().copied());
    }
}

fn blueprint(cluster: Cluster<'_>, groups: Vec<Map>) -> Document {
    let name = cluster.planned.name();
    let toolkit = &cluster.catalog().slurm().cluster_toolkit;
    let root = map()
        .with("blueprint_name", kept_as(cluster))
        .with("vars", map().with("labels", labels(cluster)))
        .with("deployment_groups", seq(groups));
    Document::new(root)
        .comment(format!("Slurm cluster {name} on Google Cloud, for Cluster Toolkit {toolkit}"))
        .comment(&cluster.planned.noun.origin)
}

/// The longest name of a blueprint, which is a label as well.
const LONGEST_NAME: usize = 63;

/// What the state of its deployment begins with in the bucket: no other project and no other environment has it.
fn kept_as(cluster: Cluster<'_>) -> String {
    let plan = cluster.plan;
    kept_under(plan.blueprint(), plan.environment(), cluster.planned.name())
}

/// The three joined. Where one could not tell from that where the project ends, as in an environment with a `-`, or where it is cut, a mark of the whole
/// stands behind it. The cluster itself is the next part of the path.
fn kept_under(project: &str, environment: &str, cluster: &str) -> String {
    let own = format!("-{environment}-{cluster}");
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let spelt = |text: &str| -> String { text.to_ascii_lowercase().chars().map(plain).collect() };
    let whole = format!("{project}{own}");
    let said = spelt(&whole);
    if said == whole && whole.chars().count() <= LONGEST_NAME && !environment.contains('-') {
        return whole;
    }
    let mark = mark(&format!("{project}/{environment}/{cluster}"));
    let room = LONGEST_NAME.saturating_sub(own.len() + mark.len() + 1);
    let cut: String = project.chars().take(room).collect();
    let cut: String = spelt(&format!("{cut}{own}"));
    let cut: String = cut.chars().take(LONGEST_NAME - mark.len() - 1).collect();
    format!("{cut}-{mark}")
}

fn labels(cluster: Cluster<'_>) -> Map {
    labels::of_blueprint(cluster.plan).collect()
}

/// What differs between projects and places.
fn deployment(cluster: Cluster<'_>) -> Document {
    let name = cluster.planned.name();
    let vars = map()
        .with("deployment_name", name)
        .with_opt("project_id", cluster.plan.project())
        .with("region", &cluster.cloud.region)
        .with("zone", &cluster.cloud.zone);
    let root =
        map().with("terraform_backend_defaults", map().with("type", "gcs")).with("vars", vars);
    Document::new(root)
        .comment(format!("Where Slurm cluster {name} is"))
        .comment(&cluster.planned.noun.origin)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two deployments never have one state: not where one reads the same name in two ways, nor where it is cut.
    #[test]
    fn a_state_is_of_one_project_and_one_environment() {
        assert_eq!(kept_under("train", "prod", "hpc"), "train-prod-hpc");
        assert_eq!(kept_under("train-eu", "prod", "hpc"), "train-eu-prod-hpc");
        let split = kept_under("train", "eu-prod", "hpc");
        assert!(split.starts_with("train-eu-prod-hpc-"), "{split}");
        let long = |end: &str| format!("{}{end}", "l".repeat(60));
        let (one, other) = (long("one"), long("other"));
        let cut = [kept_under(&one, "prod", "hpc"), kept_under(&other, "prod", "hpc")];
        assert_ne!(cut[0], cut[1]);
        assert!(cut.iter().all(|it| it.len() <= LONGEST_NAME), "{cut:?}");
        assert_ne!(kept_under("Train", "prod", "hpc"), kept_under("train", "prod", "hpc"));
        let whole = kept_under("train", &long("a-b"), &long("c"));
        assert!(whole.len() <= LONGEST_NAME, "{whole}");
    }
}
