//! Networks.

use ipnet::IpNet;
use serde::Deserialize;
use slipform_source::Spanned;

/// A VPC network of one region with one subnet for nodes.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Network {
    /// The region of its subnet.
    pub region: Spanned<String>,
    /// Addresses of nodes.
    pub subnet: Spanned<IpNet>,
    /// Addresses of pods.
    pub pods: Option<Spanned<IpNet>>,
    /// Addresses of Kubernetes services.
    pub services: Option<Spanned<IpNet>>,
    /// Cut into one subnet for each data network.
    pub accelerators: Spanned<IpNet>,
    /// The largest packet on the first network, in bytes.
    pub mtu: Spanned<i64>,
    /// Whether private nodes reach the internet through Cloud NAT.
    pub nat: bool,
    /// Whether a sample of the connections is logged.
    pub flow_logs: bool,
    /// The name in the cloud.
    pub name: Option<Spanned<String>>,
    /// The subnet's name, for existing networks.
    pub subnet_name: Option<Spanned<String>>,
    /// The name of the pods' secondary range, for existing networks.
    pub pods_name: Option<Spanned<String>>,
    /// The name of the services' secondary range, for existing networks.
    pub services_name: Option<Spanned<String>>,
}
