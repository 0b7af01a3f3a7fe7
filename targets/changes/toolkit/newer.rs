//! What may go with any deployment of a cluster that looks its image up by a family: where that has a newer one, the controller is made anew with it.

use super::blueprint::Blueprint;
use super::controller::Controller;
use super::database::{loses_apps, loses_homes};
use super::{ACCOUNTS_THERE, HOME_GOES};
use std::collections::BTreeMap;

const NEWER_IMAGE: &str = "; where its family of images has a newer one than at the last `gcluster deploy`, the controller and the machines to submit from are made anew with it as well: Terraform says so before it asks, and `exact_image(...)` keeps them";

/// What lies on the disk of a controller that nobody means to make anew.
pub(super) struct Newer {
    /// Behind why it is deployed.
    pub(super) why: String,
    /// What keeps it, in case it goes. It is brought back by hand, where it went: over one that stayed, older files would be written.
    pub(super) kept: Vec<String>,
    /// Whether folders of people lie there.
    pub(super) homes: bool,
}

impl Newer {
    /// None where a deployment takes the image that was there.
    pub(super) fn of(
        (old, before): (&Blueprint, &BTreeMap<&str, &str>),
        new: &Blueprint,
    ) -> Option<Self> {
        if !new.looks_up_image() {
            return None;
        }
        let homes = loses_homes(old, new);
        let accounts = old.database().is_none() && new.database().is_none();
        let said = [(homes, HOME_GOES), (accounts, ACCOUNTS_THERE)];
        let said: String = said.into_iter().filter(|(is, _)| *is).map(|(_, said)| said).collect();
        let controller = Controller::of(old, before);
        let kept = controller.kept_perhaps([homes, loses_apps(old, new), accounts]);
        Some(Self { why: format!("{NEWER_IMAGE}{said}"), kept, homes })
    }
}
