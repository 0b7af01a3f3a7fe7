# SPDX-License-Identifier: Apache-2.0
"""What the judge knows of each type of resource: its API, its name's scope, what it refers to, which addresses it takes."""
from __future__ import annotations

import ipaddress
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

REFUSE, CASCADE, IGNORE = "refuse", "cascade", "ignore"


@dataclass(frozen=True)
class Ref:
    """A field that names another object, and what the API says when that object is deleted first."""
    path: str                       # "node_config[].service_account": [] goes through every element
    kind: str
    on_delete: str = REFUSE         # REFUSE: in use; CASCADE: goes along with it; IGNORE: stays behind


@dataclass(frozen=True)
class Kind:
    service: str                    # the API that must be on
    key: str                        # path of the object; {field}, {@field}: path of what the field refers to, {#}: a number, {?block}: its title, if there is one
    refs: tuple[Ref, ...] = ()
    ranges: tuple[str, ...] = ()    # fields that take addresses of the network that `refs` names
    grant: bool = False             # additive: made twice is one, deleted once is gone


COMPUTE, GKE, IAM, CRM = (f"{s}.googleapis.com" for s in ("compute", "container", "iam", "cloudresourcemanager"))
STORAGE, REGISTRY, FILE, LUSTRE = (f"{s}.googleapis.com" for s in ("storage", "artifactregistry", "file", "lustre"))
PEERING, VERTEX, KMS, SECRETS = (f"{s}.googleapis.com" for s in ("servicenetworking", "aiplatform", "cloudkms", "secretmanager"))
PUBSUB, USAGE, PARALLEL, DNS = (f"{s}.googleapis.com" for s in ("pubsub", "serviceusage", "parallelstore", "dns"))

# What a new project has on without anyone asking (Service Usage's documentation, the part that matters here).
ON_AT_START = (USAGE, STORAGE, "storage-api.googleapis.com", "storage-component.googleapis.com", "logging.googleapis.com",
               "monitoring.googleapis.com", "servicemanagement.googleapis.com", "cloudtrace.googleapis.com", "bigquery.googleapis.com")

NETWORK = Ref("network", "google_compute_network")
POOL, POLICY, SECRET = "google_container_node_pool", "google_compute_resource_policy", "google_secret_manager_secret"
REPOSITORY, ON_REPOSITORY = "google_artifact_registry_repository", "google_artifact_registry_repository_iam_member"
CLUSTER, SUBNET, ADDRESS, ACCOUNT, KEY = ("google_container_cluster", "google_compute_subnetwork", "google_compute_global_address",
                                          "google_service_account", "google_kms_crypto_key")
GLOBAL, REGIONAL, ZONAL, PLACED = ("projects/{project}/" + s for s in ("global/", "regions/{region}/", "zones/{zone}/", "locations/{location}/"))
NODE_ACCOUNT, NODE_KEY = Ref("node_config[].service_account", ACCOUNT, IGNORE), Ref("node_config[].boot_disk_kms_key", KEY, IGNORE)
NICS = (Ref("network_interface[].network", "google_compute_network"), Ref("network_interface[].subnetwork", SUBNET))

KINDS: dict[str, Kind] = {
    # networks
    "google_compute_network": Kind(COMPUTE, GLOBAL + "networks/{name}"),
    "google_compute_subnetwork": Kind(COMPUTE, REGIONAL + "subnetworks/{name}", (NETWORK,), ("ip_cidr_range", "secondary_ip_range[].ip_cidr_range")),
    "google_compute_firewall": Kind(COMPUTE, GLOBAL + "firewalls/{name}", (NETWORK,)),
    "google_compute_route": Kind(COMPUTE, GLOBAL + "routes/{name}", (NETWORK,)),
    "google_compute_router": Kind(COMPUTE, REGIONAL + "routers/{name}", (NETWORK,)),
    "google_compute_router_nat": Kind(COMPUTE, "{@router}/nats/{name}", (Ref("router", "google_compute_router", CASCADE),)),
    "google_compute_address": Kind(COMPUTE, REGIONAL + "addresses/{name}", (Ref("subnetwork", SUBNET),)),
    "google_compute_global_address": Kind(COMPUTE, GLOBAL + "addresses/{name}", (NETWORK,), ("address",)),
    "google_compute_network_peering": Kind(COMPUTE, "{@network}/peerings/{name}", (Ref("network", "google_compute_network"), Ref("peer_network", "google_compute_network"))),
    "google_service_networking_connection": Kind(PEERING, "{@network}/connections/{service}", (NETWORK, Ref("reserved_peering_ranges[]", ADDRESS))),
    "google_dns_managed_zone": Kind(DNS, "projects/{project}/managedZones/{name}"),
    # machines
    POLICY: Kind(COMPUTE, REGIONAL + "resourcePolicies/{name}"),
    "google_compute_reservation": Kind(COMPUTE, ZONAL + "reservations/{name}"),
    "google_compute_disk": Kind(COMPUTE, ZONAL + "disks/{name}"),
    "google_compute_instance": Kind(COMPUTE, ZONAL + "instances/{name}", NICS),
    "google_compute_instance_template": Kind(COMPUTE, GLOBAL + "instanceTemplates/{name}", (*NICS, Ref("resource_policies[]", POLICY), Ref("service_account[].email", ACCOUNT, IGNORE))),
    "google_compute_region_instance_template": Kind(COMPUTE, REGIONAL + "instanceTemplates/{name}", NICS),
    "google_compute_instance_group_manager": Kind(COMPUTE, ZONAL + "instanceGroupManagers/{name}", (
        Ref("version[].instance_template", "google_compute_instance_template"), Ref("resource_policies[].workload_policy", POLICY))),
    "google_compute_health_check": Kind(COMPUTE, GLOBAL + "healthChecks/{name}"),
    # GKE
    "google_container_cluster": Kind(GKE, PLACED + "clusters/{name}", (NETWORK, Ref("subnetwork", SUBNET), NODE_ACCOUNT, Ref("database_encryption[].key_name", KEY, IGNORE)),
                                     ("private_cluster_config[].master_ipv4_cidr_block", "ip_allocation_policy[].cluster_ipv4_cidr_block", "ip_allocation_policy[].services_ipv4_cidr_block")),
    POOL: Kind(GKE, "{@cluster}/nodePools/{name}", (
        Ref("cluster", CLUSTER, CASCADE), NODE_ACCOUNT, NODE_KEY, Ref("placement_policy[].policy_name", POLICY),
        Ref("network_config[].additional_node_network_configs[].network", "google_compute_network"),
        Ref("network_config[].additional_node_network_configs[].subnetwork", SUBNET))),
    # data
    "google_storage_bucket": Kind(STORAGE, "b/{name}", (Ref("encryption[].default_kms_key_name", KEY, IGNORE),)),
    "google_storage_anywhere_cache": Kind(STORAGE, "{@bucket}/anywhereCaches/{zone}", (Ref("bucket", "google_storage_bucket", CASCADE),)),
    "google_filestore_instance": Kind(FILE, PLACED + "instances/{name}", (Ref("networks[].network", "google_compute_network"), Ref("kms_key_name", KEY, IGNORE)), ("networks[].reserved_ip_range",)),
    "google_lustre_instance": Kind(LUSTRE, PLACED + "instances/{instance_id}", (NETWORK, Ref("kms_key", KEY, IGNORE))),
    "google_parallelstore_instance": Kind(PARALLEL, PLACED + "instances/{instance_id}", (NETWORK,)),
    "google_artifact_registry_repository": Kind(REGISTRY, PLACED + "repositories/{repository_id}", (Ref("kms_key_name", KEY, IGNORE),)),
    "google_vertex_ai_tensorboard": Kind(VERTEX, "projects/{project}/locations/{region}/tensorboards/{#}", (Ref("encryption_spec[].kms_key_name", KEY, IGNORE),)),
    SECRET: Kind(SECRETS, "projects/{project}/secrets/{secret_id}"),
    "google_pubsub_topic": Kind(PUBSUB, "projects/{project}/topics/{name}"),
    "google_kms_key_ring": Kind(KMS, PLACED + "keyRings/{name}"),
    "google_kms_crypto_key": Kind(KMS, "{@key_ring}/cryptoKeys/{name}", (Ref("key_ring", "google_kms_key_ring", IGNORE),)),
    # identities and grants
    "google_service_account": Kind(IAM, "projects/{project}/serviceAccounts/{account_id}"),
    "google_iam_workload_identity_pool": Kind(IAM, "projects/{project}/locations/global/workloadIdentityPools/{workload_identity_pool_id}"),
    "google_iam_workload_identity_pool_provider": Kind(
        IAM, "projects/{project}/locations/global/workloadIdentityPools/{workload_identity_pool_id}/providers/{workload_identity_pool_provider_id}"),
    "google_project_service": Kind(USAGE, "projects/{project}/services/{service}"),
    "google_project_iam_member": Kind(CRM, "projects/{project} {role} {member}{?condition}", grant=True),
    "google_service_account_iam_member": Kind(IAM, "{@service_account_id} {role} {member}", (Ref("service_account_id", ACCOUNT, CASCADE),), grant=True),
    "google_storage_bucket_iam_member": Kind(STORAGE, "{@bucket} {role} {member}", (Ref("bucket", "google_storage_bucket", CASCADE),), grant=True),
    "google_artifact_registry_repository_iam_member": Kind(REGISTRY, "{@repository} {role} {member}", (Ref("repository", "google_artifact_registry_repository", CASCADE),), grant=True),
    "google_compute_subnetwork_iam_member": Kind(COMPUTE, "{@subnetwork} {role} {member}", (Ref("subnetwork", SUBNET, CASCADE),), grant=True),
    "google_kms_crypto_key_iam_member": Kind(KMS, "{@crypto_key_id} {role} {member}", (Ref("crypto_key_id", KEY, CASCADE),), grant=True),
    "google_secret_manager_secret_iam_member": Kind(SECRETS, "{@secret_id} {role} {member}", (Ref("secret_id", SECRET, CASCADE),), grant=True),
    "google_pubsub_topic_iam_member": Kind(PUBSUB, "{@topic} {role} {member}", (Ref("topic", "google_pubsub_topic", CASCADE),), grant=True),
}


def shrinks(old: str, new: str) -> bool:
    a, b = ipaddress.ip_network(old, strict=False), ipaddress.ip_network(new, strict=False)
    return b.prefixlen > a.prefixlen or not a.overlaps(b)


# Fields that the schema calls updatable and the provider's CustomizeDiff replaces for: (type, field) -> (old, new) -> replace?
SOMETIMES_NEW: dict[tuple[str, str], Callable[[Any, Any], bool]] = {
    ("google_compute_subnetwork", "ip_cidr_range"): shrinks,
    ("google_compute_disk", "size"): lambda old, new: new < old,
}

# Fields that the provider lets a plan change in place and then sends to nobody: they stay what they were.
NEVER_SENT: dict[str, tuple[str, ...]] = {POOL: ("placement_policy[].tpu_topology",)}

# Blocks that stay when they are left out, unless the field beside them says that nothing is meant.
EMPTIED_BY = {"secondary_ip_range": "send_secondary_ip_range_if_empty"}

# Fields by which the provider ("provider") or the API ("api") refuses to delete, while they are true.
PROTECTED_BY = {"deletion_protection": "provider", "deletion_protection_enabled": "api"}
BATCH_WINDOW_S = 0.4                # google_project_service collects what is enabled at one time into one request
