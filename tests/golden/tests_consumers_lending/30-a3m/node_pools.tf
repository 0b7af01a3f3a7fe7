# cluster a3m
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

# cluster a3m, pool first
resource "terraform_data" "first_networks" {
  input = [
    "a3m-vpc1",
    "a3m-vpc2",
    "a3m-vpc3",
    "a3m-vpc4",
    "a3m-vpc5",
    "a3m-vpc6",
    "a3m-vpc7",
    "a3m-vpc8",
  ]
}

# cluster a3m, pool first
resource "google_container_node_pool" "first" {
  project           = var.project_id
  name              = "first"
  cluster           = google_container_cluster.this.id
  location          = var.region
  node_locations    = [var.zone]
  node_count        = 2
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
      network    = google_compute_network.data["vpc1"].name
      subnetwork = google_compute_subnetwork.data["vpc1"].name
    }

    additional_node_network_configs {
      network    = google_compute_network.data["vpc2"].name
      subnetwork = google_compute_subnetwork.data["vpc2"].name
    }

    additional_node_network_configs {
      network    = google_compute_network.data["vpc3"].name
      subnetwork = google_compute_subnetwork.data["vpc3"].name
    }

    additional_node_network_configs {
      network    = google_compute_network.data["vpc4"].name
      subnetwork = google_compute_subnetwork.data["vpc4"].name
    }

    additional_node_network_configs {
      network    = google_compute_network.data["vpc5"].name
      subnetwork = google_compute_subnetwork.data["vpc5"].name
    }

    additional_node_network_configs {
      network    = google_compute_network.data["vpc6"].name
      subnetwork = google_compute_subnetwork.data["vpc6"].name
    }

    additional_node_network_configs {
      network    = google_compute_network.data["vpc7"].name
      subnetwork = google_compute_subnetwork.data["vpc7"].name
    }

    additional_node_network_configs {
      network    = google_compute_network.data["vpc8"].name
      subnetwork = google_compute_subnetwork.data["vpc8"].name
    }
  }

  node_config {
    machine_type    = "a3-megagpu-8g"
    image_type      = "COS_CONTAINERD"
    disk_type       = "pd-balanced"
    disk_size_gb    = 200
    service_account = google_service_account.nodes.email
    oauth_scopes    = ["https://www.googleapis.com/auth/cloud-platform"]
    labels          = {}

    reservation_affinity {
      consume_reservation_type = "SPECIFIC_RESERVATION"
      key                      = "compute.googleapis.com/reservation-name"
      values                   = ["first"]
    }

    guest_accelerator {
      type  = "nvidia-h100-mega-80gb"
      count = 8

      gpu_driver_installation_config {
        gpu_driver_version = "LATEST"
      }
    }

    ephemeral_storage_local_ssd_config {
      local_ssd_count = 16
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
    replace_triggered_by = [terraform_data.first_networks]
  }

  depends_on = [google_container_node_pool.system]
}

# cluster a3m, pool second
resource "terraform_data" "second_networks" {
  input = [
    "a3m-vpc1",
    "a3m-vpc2",
    "a3m-vpc3",
    "a3m-vpc4",
    "a3m-vpc5",
    "a3m-vpc6",
    "a3m-vpc7",
    "a3m-vpc8",
  ]
}

# cluster a3m, pool second
resource "google_container_node_pool" "second" {
  project           = var.project_id
  name              = "second"
  cluster           = google_container_cluster.this.id
  location          = var.region
  node_locations    = [var.zone]
  node_count        = 4
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
      network    = google_compute_network.data["vpc1"].name
      subnetwork = google_compute_subnetwork.data["vpc1"].name
    }

    additional_node_network_configs {
      network    = google_compute_network.data["vpc2"].name
      subnetwork = google_compute_subnetwork.data["vpc2"].name
    }

    additional_node_network_configs {
      network    = google_compute_network.data["vpc3"].name
      subnetwork = google_compute_subnetwork.data["vpc3"].name
    }

    additional_node_network_configs {
      network    = google_compute_network.data["vpc4"].name
      subnetwork = google_compute_subnetwork.data["vpc4"].name
    }

    additional_node_network_configs {
      network    = google_compute_network.data["vpc5"].name
      subnetwork = google_compute_subnetwork.data["vpc5"].name
    }

    additional_node_network_configs {
      network    = google_compute_network.data["vpc6"].name
      subnetwork = google_compute_subnetwork.data["vpc6"].name
    }

    additional_node_network_configs {
      network    = google_compute_network.data["vpc7"].name
      subnetwork = google_compute_subnetwork.data["vpc7"].name
    }

    additional_node_network_configs {
      network    = google_compute_network.data["vpc8"].name
      subnetwork = google_compute_subnetwork.data["vpc8"].name
    }
  }

  node_config {
    machine_type    = "a3-megagpu-8g"
    image_type      = "COS_CONTAINERD"
    disk_type       = "pd-balanced"
    disk_size_gb    = 200
    service_account = google_service_account.nodes.email
    oauth_scopes    = ["https://www.googleapis.com/auth/cloud-platform"]
    labels          = {}

    reservation_affinity {
      consume_reservation_type = "SPECIFIC_RESERVATION"
      key                      = "compute.googleapis.com/reservation-name"
      values                   = ["second"]
    }

    guest_accelerator {
      type  = "nvidia-h100-mega-80gb"
      count = 8

      gpu_driver_installation_config {
        gpu_driver_version = "LATEST"
      }
    }

    ephemeral_storage_local_ssd_config {
      local_ssd_count = 16
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
    replace_triggered_by = [terraform_data.second_networks]
  }

  depends_on = [google_container_node_pool.system]
}
