# cluster gb
resource "google_container_node_pool" "system" {
  project  = var.project_id
  name     = "system"
  cluster  = google_container_cluster.this.id
  location = var.region

  autoscaling {
    total_min_node_count = 1
    total_max_node_count = 6
    location_policy      = "BALANCED"
  }

  management {
    auto_repair  = true
    auto_upgrade = true
  }

  node_config {
    machine_type    = "e2-standard-8"
    image_type      = "COS_CONTAINERD"
    service_account = google_service_account.nodes.email
    oauth_scopes    = ["https://www.googleapis.com/auth/cloud-platform"]

    shielded_instance_config {
      enable_secure_boot          = true
      enable_integrity_monitoring = true
    }

    workload_metadata_config {
      mode = "GKE_METADATA"
    }
  }

  lifecycle {
    ignore_changes = [initial_node_count]
  }
}

# cluster gb, pool domains
locals {
  domains_slices = {
    domains   = "domains"
    domains-1 = "domains-1"
  }
}

# cluster gb, pool domains
moved {
  from = google_container_node_pool.domains
  to   = google_container_node_pool.domains["domains"]
}

# cluster gb, pool domains
resource "google_compute_resource_policy" "domains" {
  project = var.project_id
  name    = "gb-domains-policy"
  region  = var.region

  workload_policy {
    type                 = "HIGH_THROUGHPUT"
    accelerator_topology = "1x72"
  }
}

# cluster gb, pool domains
resource "terraform_data" "domains_shape" {
  input = {
    machine  = "a4x-highgpu-4g"
    topology = "1x72"
    zone     = var.zone
  }
}

# cluster gb, pool domains
resource "terraform_data" "domains_networks" {
  input = ["gb-gvnic-1", "gb-rdma-0", "gb-rdma-1", "gb-rdma-2", "gb-rdma-3"]
}

# cluster gb, pool domains
resource "google_container_node_pool" "domains" {
  for_each = local.domains_slices

  project           = var.project_id
  name              = each.value
  cluster           = google_container_cluster.this.id
  location          = var.region
  node_locations    = [var.zone]
  node_count        = 18
  max_pods_per_node = 110

  management {
    auto_repair  = true
    auto_upgrade = true
  }

  upgrade_settings {
    strategy        = "SURGE"
    max_surge       = 0
    max_unavailable = 1
  }

  maintenance_policy {
    exclusion_until_end_of_support {
      enabled = true
    }
  }

  placement_policy {
    type        = ""
    policy_name = google_compute_resource_policy.domains.name
  }

  network_config {
    enable_private_nodes = true

    additional_node_network_configs {
      network    = google_compute_network.data["gvnic-1"].name
      subnetwork = google_compute_subnetwork.data["gvnic-1"].name
    }

    additional_node_network_configs {
      network    = google_compute_network.rdma["gb-rdma"].name
      subnetwork = google_compute_subnetwork.rdma["rdma-0"].name
    }

    additional_node_network_configs {
      network    = google_compute_network.rdma["gb-rdma"].name
      subnetwork = google_compute_subnetwork.rdma["rdma-1"].name
    }

    additional_node_network_configs {
      network    = google_compute_network.rdma["gb-rdma"].name
      subnetwork = google_compute_subnetwork.rdma["rdma-2"].name
    }

    additional_node_network_configs {
      network    = google_compute_network.rdma["gb-rdma"].name
      subnetwork = google_compute_subnetwork.rdma["rdma-3"].name
    }
  }

  node_config {
    machine_type    = "a4x-highgpu-4g"
    image_type      = "COS_CONTAINERD"
    disk_type       = "hyperdisk-balanced"
    disk_size_gb    = 200
    service_account = google_service_account.nodes.email
    oauth_scopes    = ["https://www.googleapis.com/auth/cloud-platform"]

    labels = {
      slipform-pool = "domains"
    }

    reservation_affinity {
      consume_reservation_type = "SPECIFIC_RESERVATION"
      key                      = "compute.googleapis.com/reservation-name"
      values                   = ["gb200"]
    }

    guest_accelerator {
      type  = "nvidia-gb200"
      count = 4

      gpu_driver_installation_config {
        gpu_driver_version = "LATEST"
      }
    }

    ephemeral_storage_local_ssd_config {
      local_ssd_count = 4
    }

    gvnic {
      enabled = true
    }

    taint {
      key    = "nvidia.com/gpu"
      value  = "present"
      effect = "NO_SCHEDULE"
    }

    shielded_instance_config {
      enable_secure_boot          = true
      enable_integrity_monitoring = true
    }

    workload_metadata_config {
      mode = "GKE_METADATA"
    }
  }

  timeouts {
    create = "2h"
    update = "2h"
    delete = "2h"
  }

  lifecycle {
    replace_triggered_by = [terraform_data.domains_shape, terraform_data.domains_networks]
  }

  depends_on = [google_container_node_pool.system]
}
