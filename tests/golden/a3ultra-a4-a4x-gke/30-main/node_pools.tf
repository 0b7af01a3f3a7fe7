# cluster main, pool system
resource "google_container_node_pool" "system" {
  project           = var.project_id
  name              = "system"
  cluster           = google_container_cluster.this.id
  location          = var.region
  node_locations    = [var.zone]
  max_pods_per_node = 110

  autoscaling {
    total_min_node_count = 1
    total_max_node_count = 4
    location_policy      = "BALANCED"
  }

  management {
    auto_repair  = true
    auto_upgrade = true
  }

  upgrade_settings {
    strategy        = "SURGE"
    max_surge       = 1
    max_unavailable = 0
  }

  network_config {
    enable_private_nodes = true
  }

  node_config {
    machine_type    = "e2-standard-8"
    image_type      = "COS_CONTAINERD"
    disk_type       = "pd-balanced"
    disk_size_gb    = 200
    service_account = google_service_account.nodes.email
    oauth_scopes    = ["https://www.googleapis.com/auth/cloud-platform"]
    labels          = {}

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
    ignore_changes = [initial_node_count]
  }
}

# cluster main, pool gpus
resource "terraform_data" "gpus_shape" {
  input = {
    zone = var.zone
  }
}

# cluster main, pool gpus
resource "terraform_data" "gpus_networks" {
  input = [
    "main-gvnic-1",
    "main-rdma-0",
    "main-rdma-1",
    "main-rdma-2",
    "main-rdma-3",
    "main-rdma-4",
    "main-rdma-5",
    "main-rdma-6",
    "main-rdma-7",
  ]
}

# cluster main, pool gpus
resource "google_container_node_pool" "gpus" {
  project           = var.project_id
  name              = "gpus"
  cluster           = google_container_cluster.this.id
  location          = var.region
  node_locations    = [var.zone]
  node_count        = 8
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

  network_config {
    enable_private_nodes = true

    additional_node_network_configs {
      network    = google_compute_network.data["gvnic-1"].name
      subnetwork = google_compute_subnetwork.data["gvnic-1"].name
    }

    additional_node_network_configs {
      network    = google_compute_network.rdma["main-rdma"].name
      subnetwork = google_compute_subnetwork.rdma["rdma-0"].name
    }

    additional_node_network_configs {
      network    = google_compute_network.rdma["main-rdma"].name
      subnetwork = google_compute_subnetwork.rdma["rdma-1"].name
    }

    additional_node_network_configs {
      network    = google_compute_network.rdma["main-rdma"].name
      subnetwork = google_compute_subnetwork.rdma["rdma-2"].name
    }

    additional_node_network_configs {
      network    = google_compute_network.rdma["main-rdma"].name
      subnetwork = google_compute_subnetwork.rdma["rdma-3"].name
    }

    additional_node_network_configs {
      network    = google_compute_network.rdma["main-rdma"].name
      subnetwork = google_compute_subnetwork.rdma["rdma-4"].name
    }

    additional_node_network_configs {
      network    = google_compute_network.rdma["main-rdma"].name
      subnetwork = google_compute_subnetwork.rdma["rdma-5"].name
    }

    additional_node_network_configs {
      network    = google_compute_network.rdma["main-rdma"].name
      subnetwork = google_compute_subnetwork.rdma["rdma-6"].name
    }

    additional_node_network_configs {
      network    = google_compute_network.rdma["main-rdma"].name
      subnetwork = google_compute_subnetwork.rdma["rdma-7"].name
    }
  }

  node_config {
    machine_type    = "a3-ultragpu-8g"
    image_type      = "COS_CONTAINERD"
    disk_type       = "hyperdisk-balanced"
    disk_size_gb    = 200
    service_account = google_service_account.nodes.email
    oauth_scopes    = ["https://www.googleapis.com/auth/cloud-platform"]
    labels          = {}

    reservation_affinity {
      consume_reservation_type = "SPECIFIC_RESERVATION"
      key                      = "compute.googleapis.com/reservation-name"
      values                   = ["a3u-reservation"]
    }

    guest_accelerator {
      type  = "nvidia-h200-141gb"
      count = 8

      gpu_driver_installation_config {
        gpu_driver_version = "LATEST"
      }
    }

    ephemeral_storage_local_ssd_config {
      local_ssd_count = 32
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
    replace_triggered_by = [terraform_data.gpus_shape, terraform_data.gpus_networks]
  }

  depends_on = [google_container_node_pool.system]
}
