//! Clusters in their networks, and the networks of accelerators.

use super::{FABRIC, cluster, gke, planned, unjudged};
use slipform_model::plan::PlacementPlan;
use slipform_tests::text::Planned;

#[test]
fn clusters_that_are_made_here_have_a_dns_name_by_themselves() {
    let own = |head: &str, fields: &str| gke(head, &format!("zone = \"us-east4-a\"\n{fields}"));
    let text = FABRIC.to_owned()
        + &own("cluster made", "")
        + &own("existing cluster theirs", "")
        + &own("existing cluster said", "dns_endpoint = true");
    let planned = planned(&text);
    let reached = |path| planned.cluster(path).dns_endpoint;
    assert_eq!(["made", "theirs", "said"].map(reached), [true, false, true]);
}

#[test]
fn rdma_networks_of_a3_ultra() {
    let planned = unjudged(&cluster(
        "pool gpus {\n machine = \"a3-ultragpu-8g\"\n nodes = 300\n}\n\
         pool b200 {\n machine = \"a4-highgpu-8g\"\n nodes = 2\n}\n\
         pool far {\n machine = \"a3-ultragpu-8g\"\n zone = \"us-east4-b\"\n}",
    ));
    let networks = &planned.pool("a3m.gpus").data_networks;
    let shown: Vec<_> =
        networks.iter().map(|it| (it.object.as_str(), it.interface.as_str(), it.rdma)).collect();
    assert_eq!(
        shown[..3],
        [("gvnic-1", "eth1", false), ("rdma-0", "eth2", true), ("rdma-1", "eth3", true)]
    );
    assert_eq!((networks.len(), networks[8].interface.as_str()), (9, "eth9"));
    assert_eq!(networks[0].profile, None);
    assert_eq!(networks[1].profile.as_deref(), Some("us-east4-a-vpc-roce"));
    assert_eq!((networks[1].vpc.as_str(), networks[8].vpc.as_str()), ("a3m-rdma", "a3m-rdma"));
    assert_eq!((networks[1].subnet.as_str(), networks[1].mtu), ("a3m-rdma-0", 8896));
    // The nodes of every pool that shares them.
    assert_eq!((networks[0].nodes, networks[1].nodes), (303, 302));
    assert_eq!(networks[1].range, Some("192.168.128.0/21".parse().unwrap()));
    assert_eq!(&planned.pool("a3m.b200").data_networks, networks);

    let far = &planned.pool("a3m.far").data_networks;
    assert_eq!(far[0], networks[0]);
    assert_eq!((far[1].object.as_str(), far[1].vpc.as_str()), ("rdma-0-b", "a3m-rdma-b"));
    // no two of one cluster overlap: the cluster's own zone has the usual ranges
    assert_eq!(far[1].range, Some("192.168.208.0/23".parse().unwrap()));
    assert_eq!(far[1].profile.as_deref(), Some("us-east4-b-vpc-roce"));
    assert_eq!(planned.cluster("a3m").data_networks.len(), 17);
    assert_eq!(planned.fact("a3m.gpus", "boot_disk"), "hyperdisk-balanced");
}

#[test]
fn without_a_zone_nothing_is_put_together() {
    let of = |name: &str, location: &str| {
        let pool = "pool gpus {\n machine = \"a3-megagpu-8g\"\n nodes = 2\n}";
        gke(&format!("cluster {name}"), &format!("{location}\n{pool}"))
    };
    let text = FABRIC.to_owned() + &of("regional", "") + &of("zonal", "location = \"us-east4-c\"");
    let planned = unjudged(&text);
    let pool = planned.pool("regional.gpus");
    assert_eq!((&pool.zone, &pool.placement), (&None, &PlacementPlan::Spread));
    assert_eq!(planned.pool("zonal.gpus").zone.as_deref(), Some("us-east4-c"));
    assert_eq!(planned.cluster("regional").location, "us-east4");
    let zonal = planned.cluster("zonal");
    assert_eq!((zonal.location.as_str(), zonal.region.as_str()), ("us-east4-c", "us-east4"));
}

/// The names and ranges of a cluster's data networks.
fn data_networks(planned: &Planned, cluster: &str) -> Vec<(String, String)> {
    let networks = &planned.cluster(cluster).data_networks;
    networks
        .iter()
        .map(|it| (it.subnet.clone(), it.range.map_or("-".into(), |range| range.to_string())))
        .collect()
}

#[test]
fn a_data_network_depends_on_nothing_but_itself() {
    let mega = ("gpus", "a3-megagpu-8g", "us-east4-a");
    let ultra = ("ultra", "a3-ultragpu-8g", "us-east4-a");
    let near = ("near", "a4-highgpu-8g", "");
    let graphics = ("cards", "g4-standard-384", "us-east4-a");
    let falcon = ("solvers", "h4d-highmem-192-lssd", "us-east4-a");
    let far = ("far", "a4-highgpu-8g", "us-east4-b");
    let cluster = |path: &str, pools: &[(&str, &str, &str)], zone: &str| {
        let pools = pools.iter().map(|(name, machine, zone)| {
            let second = if machine.starts_with('a') { "" } else { " second_network = true\n" };
            let zone =
                if zone.is_empty() { String::new() } else { format!(" zone = \"{zone}\"\n") };
            format!("pool {name} {{\n machine = \"{machine}\"\n nodes = 400\n{zone}{second}}}\n")
        });
        let pools: String = pools.collect();
        gke(&format!("cluster {path}"), &format!("{zone}\n{pools}"))
    };
    let build = |beside: &[(&str, &str, &str)], own: &[(&str, &str, &str)], zone: &str| {
        let beside = cluster("aa", beside, "zone = \"us-east4-a\"");
        let text = FABRIC.to_owned() + &beside + &cluster("bb", own, zone);
        data_networks(&unjudged(&text), "bb")
    };
    let own = "zone = \"us-east4-a\"";
    for (zone, beside, of, all) in [
        (own, vec![mega], far, vec![far]),
        ("", vec![mega], far, vec![mega, far]),
        ("", vec![ultra], far, vec![far, ultra]),
        ("", vec![ultra], ultra, vec![far, ultra]),
        (own, vec![], far, vec![near, far]),
        (own, vec![], near, vec![far, near]),
        (own, vec![], ultra, vec![far, ultra]),
        (own, vec![], ultra, vec![graphics, ultra]),
        (own, vec![], ultra, vec![falcon, ultra]),
        (own, vec![], falcon, vec![ultra, far, falcon]),
        (own, vec![], graphics, vec![falcon, ultra, graphics]),
    ] {
        let alone = build(&[], &[of], zone);
        let all = build(&beside, &all, zone);
        assert!(alone.iter().all(|network| all.contains(network)), "{alone:?} {all:?}");
    }
    // what says its zone does not follow the zone that others have by the cluster
    let zones = ["", own, "zone = \"us-east4-b\""].map(|zone| build(&[], &[ultra, falcon], zone));
    assert!(zones[0] == zones[1] && zones[1] == zones[2], "{zones:?}");
    assert!(zones[0].contains(&("bb-rdma-0-a".to_owned(), "192.168.192.0/23".to_owned())));
}

/// GKE takes no cluster in which they do.
#[test]
fn no_two_data_networks_of_a_cluster_overlap() {
    let pool = |name: &str, machine: &str, zone: &str| {
        let second = if machine.starts_with('a') { "" } else { " second_network = true\n" };
        format!(
            "pool {name} {{\n machine = \"{machine}\"\n nodes = 2\n zone = \"us-east4-{zone}\"\n{second}}}\n"
        )
    };
    let machines = [
        ("a3-ultragpu-8g", "c"),
        ("a3-ultragpu-8g", "a"),
        ("h4d-highmem-192-lssd", "c"),
        ("h4d-highmem-192-lssd", "a"),
        ("a3-megagpu-8g", "a"),
        ("g4-standard-384", "b"),
        ("a4-highgpu-8g", "b"),
    ];
    let pools: String = (machines.iter().enumerate())
        .map(|(at, (machine, zone))| pool(&format!("p{at}"), machine, zone))
        .collect();
    let planned = unjudged(&cluster(&pools));
    let networks = &planned.cluster("a3m").data_networks;
    let mut ranges: Vec<_> = networks.iter().filter_map(|it| it.range).collect();
    assert_eq!((networks.len(), ranges.len()), (8 * 3 + 2 + 8 + 1, networks.len()));
    ranges.sort();
    assert!(ranges.windows(2).all(|pair| !pair[0].contains(&pair[1])), "{ranges:?}");
}

#[test]
fn pools_share_the_networks_that_they_both_need() {
    let planned = unjudged(&cluster(
        "pool high {\n machine = \"a3-highgpu-8g\"\n nodes = 2\n}\n\
         pool mega {\n machine = \"a3-megagpu-8g\"\n nodes = 2\n}\n\
         pool cpus {\n machine = \"e2-standard-8\"\n nodes = 1000\n}",
    ));
    let objects = |pool: &str| {
        let networks = &planned.pool(pool).data_networks;
        networks.iter().map(|network| network.object.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(objects("a3m.high"), ["vpc1", "vpc2", "vpc3", "vpc4"]);
    assert_eq!(
        objects("a3m.mega"),
        ["vpc1", "vpc2", "vpc3", "vpc4", "vpc5", "vpc6", "vpc7", "vpc8"]
    );
    assert!(objects("a3m.cpus").is_empty());
    let networks = &planned.cluster("a3m").data_networks;
    assert_eq!((networks[3].nodes, networks[4].nodes), (4, 2));
    assert_eq!((networks.len(), networks[7].range), (8, Some("192.168.56.0/21".parse().unwrap())));
}
