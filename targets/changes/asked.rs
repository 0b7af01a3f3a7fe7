//! What is asked of a change: the words of which one thing is told, by what it is of, what it does and which commands it needs.

use crate::{
    Change, Effect, MADE_AWAY, destroyed_whole, file_name, files, handed, kubernetes, reservations,
    terraform, toolkit,
};

impl Change {
    /// Whether it is a whole cluster, whose folder is no longer in the output.
    pub fn is_left_cluster(&self) -> bool {
        let slurm = self.is_whole_file()
            && files::is_of_cluster(&self.file)
            && self.details.is_empty()
            && self.effect == Effect::ByHand;
        let gke = handed::leaves_root(self) && self.effect != Effect::InPlace;
        !self.origin.is_empty() && (slurm || gke)
    }

    /// Whether it is a whole cluster, or what one of Slurm is made from.
    pub fn is_of_cluster(&self) -> bool {
        self.thing.starts_with("google_container_cluster.") || files::is_of_cluster(&self.file)
    }

    /// Whether a whole cluster goes, whatever comes in its place.
    pub fn is_whole_cluster(&self) -> bool {
        let is_whole = self.is_whole_file() && self.details.is_empty();
        is_whole && files::is_of_cluster(&self.file) && self.effect <= Effect::Replaces
    }

    /// Whether its commands take away what the output has no more, and what others stand on.
    pub fn takes_away(&self) -> bool {
        let by_script =
            || self.commands.first().is_some_and(|it| it == &format!("{}/{MADE_AWAY}", self.root));
        let is_left = self.effect == Effect::ByHand
            && (handed::leaves_root(self) || kubernetes::is_left_run(self) || by_script());
        let is_deployed = toolkit::FILES.contains(&file_name(&self.file));
        is_left || self.is_left_cluster() || is_deployed && self.goes_first()
    }

    /// Whether all that it does to jobs is that some nodes take none from then on, once those that they have are over, or nothing at all.
    pub fn lets_end(&self) -> bool {
        let drains = self.effect == Effect::Restarts
            && self.commands.iter().any(|it| it.contains(" State=DRAIN"));
        drains || toolkit::is_of_accounts(self)
    }

    /// Whether its commands take a whole deployment away before anything is applied.
    pub fn goes_first(&self) -> bool {
        self.commands.iter().any(|it| toolkit::is_taken_first(it))
    }

    /// Whether hosts are to mount no more what something else may destroy.
    pub fn unmounts(&self) -> bool {
        [toolkit::MOUNT_GOES, toolkit::SHARED_BY_CONTROLLER].iter().any(|it| self.why.starts_with(it))
            && !self.why.contains(toolkit::MOUNTED_FIRST)
            // whose hosts are not there any more by then
            && !self.goes_first()
    }

    /// Whether machines act as another account from then on.
    pub fn acts_otherwise(&self) -> bool {
        let field = "service_account";
        let is_other =
            self.why.contains(field) || self.details.iter().any(|it| it.path.contains(field));
        let has_machines = ["google_container_node_pool.", "google_compute_", "module "];
        is_other && has_machines.iter().any(|it| self.thing.starts_with(it))
    }

    /// Whether nodes get a taint under which what stands goes on, and does not start again as it was.
    pub fn taints(&self) -> bool {
        terraform::taints(self)
    }

    /// Whether nodes of a pool may go from then on that have little to do.
    pub fn frees_idle_nodes(&self) -> bool {
        self.effect == Effect::Restarts && self.why == terraform::IDLE
    }

    /// Whether a pool goes, or is made anew, that carries what its cluster itself runs.
    pub(crate) fn carries_controllers(&self) -> bool {
        self.effect <= Effect::Replaces && self.why.ends_with(terraform::CONTROLLERS_WAIT)
    }

    /// Whether an account is destroyed, and none takes its place.
    pub fn ends_account(&self) -> bool {
        let is_whole = self.details.is_empty() && self.follows.is_none();
        let is_end = is_whole && self.effect <= Effect::Replaces;
        is_end && self.thing.starts_with("google_service_account.")
    }

    /// Whether nodes go, or are others from then on.
    pub fn ends_nodes(&self) -> bool {
        let has_machines = ["google_container_node_pool.", "google_compute_instance"];
        self.effect <= Effect::Restarts && has_machines.iter().any(|it| self.thing.starts_with(it))
            || toolkit::leaves_reservation(self)
    }

    /// Whether less is reserved from then on, or nothing, and no commands free it before.
    pub fn reserves_less(&self) -> bool {
        reservations::is_less(self) && self.commands.is_empty()
    }

    /// Whether fewer machines are reserved from then on, or none.
    pub fn reserves_fewer(&self) -> bool {
        reservations::is_less(self)
    }

    /// Whether more is reserved from then on.
    pub fn reserves_more(&self) -> bool {
        reservations::is_more(self)
    }

    /// Whether it is a whole root of Terraform that is no longer in the output.
    pub fn is_left_root(&self) -> bool {
        handed::leaves_root(self)
    }

    /// Whether a whole cluster is made.
    pub fn makes_cluster(&self) -> bool {
        let is_cluster = !files::is_of_cluster(&self.file) || self.is_whole_file();
        self.effect == Effect::Adds && self.is_of_cluster() && is_cluster && self.details.is_empty()
    }

    /// Whether it is a file as a whole, and no module in it.
    fn is_whole_file(&self) -> bool {
        self.thing == file_name(&self.file)
    }

    /// The folders that its commands destroy, before they are applied again.
    pub fn destroyed_by_hand(&self) -> impl Iterator<Item = &str> {
        self.commands.iter().filter_map(|it| destroyed_whole(it))
    }

    /// Whether its commands make volumes anew, and what mounts them has to end before.
    pub fn frees_volumes(&self) -> bool {
        let mut commands = self.commands.iter();
        commands.any(|it| it.starts_with("kubectl delete persistentvolume"))
    }

    /// The claims that its commands delete, each with its namespace.
    pub fn freed_claims(&self) -> impl Iterator<Item = (&str, &str)> {
        let commands = self.commands.iter();
        commands.filter_map(|it| {
            let mut words = it.strip_prefix("kubectl delete persistentvolumeclaim ")?.split(' ');
            let name = words.next()?;
            Some((words.next()?.strip_prefix("--namespace=")?, name))
        })
    }

    /// Whether its commands delete a flavor that a queue dealt out until now.
    pub fn deletes_flavor(&self) -> bool {
        let mut commands = self.commands.iter();
        commands.any(|it| it.starts_with("kubectl delete resourceflavor "))
    }

    /// Whether its commands set up anew what holds checkpoints in memory, with no run on its nodes.
    pub fn empties_memory(&self) -> bool {
        let mut commands = self.commands.iter();
        commands.any(|it| it.starts_with("kubectl delete checkpointconfiguration "))
    }

    /// The command after which whoever held what it deletes holds it no more.
    pub fn lets_go(&self) -> Option<&str> {
        let first = self.commands.first().filter(|_| self.commands.len() > 1)?;
        first.ends_with(kubernetes::APPLIED).then_some(first)
    }

    /// Whether it takes a right away that somebody has.
    pub fn revokes(&self) -> bool {
        terraform::revokes(self) || kubernetes::revokes(self)
    }

    /// What of rights it takes away, as the folder calls it: itself, and the accounts of pods that its commands delete.
    pub fn rights(&self) -> impl Iterator<Item = String> {
        std::iter::once(self.thing.clone()).chain(kubernetes::accounts_deleted(&self.commands))
    }

    /// Whether what protects it stops an apply after others are gone.
    pub fn stops_late(&self) -> bool {
        self.stopped_by.as_ref().is_some_and(|it| it.ends_with(terraform::HALF_WAY))
    }

    /// Whether Terraform only forgets it.
    pub fn is_let_go(&self) -> bool {
        self.why == terraform::RELEASED
    }

    /// Whether nothing comes of words that are gone: Terraform leaves what they were about as it is.
    pub fn is_left(&self) -> bool {
        terraform::is_left(self)
    }

    /// Whether all that goes is what a rule deletes of what a thing holds, which stays: nobody who has it is in the way.
    pub fn is_clean_up(&self) -> bool {
        self.stays && self.effect == Effect::DestroysData
    }
}
