//! The networks of the accelerators, as pods may have an interface on them.

use super::context::{Context, text};
use super::kustomize::Stream;
use super::objects::{Meta, NetworkParams, NetworkSpec, Object, ObjectRef};
use super::words;
use slipform_model::Noun;
use slipform_model::plan::ClusterPlan;

/// A network and its parameters for each data network of a cluster.
pub(crate) fn render(cx: &Context<'_>, noun: &Noun, cluster: &ClusterPlan) -> Stream {
    let mut stream = Stream::default();
    let api = &cx.facts.apis.network;
    for network in &cluster.data_networks {
        let name = || Meta::named(text(&network.object));
        let params = NetworkParams {
            vpc: text(&network.vpc),
            vpc_subnet: text(&network.subnet),
            device_mode: if network.rdma { "RDMA" } else { "NetDevice" },
        };
        stream.object(&noun.origin, &Object::new(text(api), "GKENetworkParamSet", name(), params));
        let spec = NetworkSpec {
            kind: "Device",
            parameters_ref: ObjectRef {
                api_group: None,
                group: Some(words::NETWORK_GROUP),
                kind: "GKENetworkParamSet".into(),
                name: text(&network.object),
            },
        };
        stream.object(&noun.origin, &Object::new(text(api), "Network", name(), spec));
    }
    stream
}
