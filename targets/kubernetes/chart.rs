//! Values of Helm charts: what drivers must be told to run on GKE's nodes.

use super::context::pool_tolerations;
use super::installer::{Needed, on_accelerators, on_nodes};
use super::objects::{Affinity, Requirement, Text, Toleration};
use super::words;
use serde::Serialize;
use slipform_model::catalog::KubernetesFacts;
use std::collections::BTreeSet;

/// Values of NVIDIA's driver for dynamic resource allocation: domains of memory alone, because GPUs come from the device
/// plugin of GKE.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DriverValues<'a> {
    nvidia_driver_root: Text<'a>,
    resources: Resources,
    controller: Controller<'a>,
    kubelet_plugin: KubeletPlugin<'a>,
}

#[derive(Serialize)]
struct Resources {
    gpus: Enabled,
}

#[derive(Serialize)]
struct Enabled {
    enabled: bool,
}

#[derive(Serialize)]
struct Controller<'a> {
    affinity: Affinity<'a>,
}

#[derive(Serialize)]
struct KubeletPlugin<'a> {
    affinity: Affinity<'a>,
    tolerations: Vec<Toleration<'a>>,
}

impl<'a> DriverValues<'a> {
    /// For the nodes of the pools that need the driver; its controller runs on those without GPUs.
    pub(crate) fn of(facts: &'a KubernetesFacts, needed: &Needed<'a>) -> Self {
        let without_gpus =
            Requirement { key: words::GPU.into(), operator: "DoesNotExist", values: Vec::new() };
        let platforms: BTreeSet<_> =
            needed.pools.iter().map(|pool| pool.machine.arch.platform()).collect();
        let built_for = Requirement {
            key: words::PLATFORM.into(),
            operator: "In",
            values: platforms.into_iter().map(Text::from).collect(),
        };
        let mut tolerations: Vec<Toleration<'a>> = Vec::new();
        for toleration in needed.pools.iter().flat_map(|pool| pool_tolerations(pool)) {
            if !tolerations.contains(&toleration) {
                tolerations.push(toleration);
            }
        }
        Self {
            nvidia_driver_root: Text::Borrowed(&facts.driver_host_path),
            resources: Resources { gpus: Enabled { enabled: false } },
            controller: Controller { affinity: on_nodes(vec![without_gpus]) },
            kubelet_plugin: KubeletPlugin {
                affinity: on_accelerators(needed.accelerators().into_iter(), [built_for]),
                tolerations,
            },
        }
    }
}
