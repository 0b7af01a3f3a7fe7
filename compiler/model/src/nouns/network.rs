//! Networks.

use indexmap::IndexMap;
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
    /// Ranges of the internet that are taken for one's own.
    pub own_ranges: Vec<IpNet>,
    /// The largest packet on the first network, in bytes.
    pub mtu: Spanned<i64>,
    /// Whether private nodes reach the internet through Cloud NAT.
    pub nat: bool,
    /// Addresses of one's own that they reach it from.
    pub nat_addresses: Spanned<i64>,
    /// The most connections of one node to one address outside.
    pub nat_ports: Spanned<i64>,
    /// Whether nodes are reached by SSH through IAP.
    pub ssh: bool,
    /// What is let in besides, by name.
    pub firewall: IndexMap<String, Ingress>,
    /// The length of the range of managed filesystems.
    pub private_services: i64,
    /// The lengths of further ranges of them.
    pub more_private_services: Vec<i64>,
    /// Whether a sample of the connections is logged.
    pub flow_logs: FlowLogs,
    /// The name in the cloud.
    pub name: Option<Spanned<String>>,
    /// The project that it is shared from, for existing networks.
    pub project: Option<Spanned<String>>,
    /// The subnet's name, for existing networks.
    pub subnet_name: Option<Spanned<String>>,
    /// The name of the pods' secondary range, for existing networks.
    pub pods_name: Option<Spanned<String>>,
    /// The name of the services' secondary range, for existing networks.
    pub services_name: Option<Spanned<String>>,
}

/// How many of its connections a network logs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlowLogs {
    /// A tenth, or none.
    Bool(bool),
    /// So many of a hundred.
    Int(i64),
}

impl FlowLogs {
    /// The share that is logged; `None`: nothing is.
    pub fn share(self) -> Option<f64> {
        match self {
            Self::Bool(false) => None,
            Self::Bool(true) => Some(0.1),
            Self::Int(percent) => Some(percent as f64 / 100.0),
        }
    }
}

/// Connections that are let into a network.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ingress {
    /// The one form.
    Ingress {
        /// Where they come from.
        from: Vec<IpNet>,
        /// Ports of TCP, or ranges of them.
        tcp: Vec<String>,
        /// Ports of UDP, or ranges of them.
        udp: Vec<String>,
        /// Whether ICMP is let in.
        icmp: bool,
    },
}
