# cluster dws
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

# cluster dws, pool reserved
resource "terraform_data" "reserved_networks" {
  input = [
    "dws-vpc1",
    "dws-vpc2",
    "dws-vpc3",
    "dws-vpc4",
    "dws-vpc5",
    "dws-vpc6",
    "dws-vpc7",
    "dws-vpc8",
  ]
}

# cluster dws, pool reserved
resource "google_container_node_pool" "reserved" {
  project           = var.project_id
  name              = "reserved"
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
      values                   = ["sprint"]
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
    replace_triggered_by = [terraform_data.reserved_networks]
  }

  depends_on = [google_container_node_pool.system]
}

# cluster dws, pool asked
resource "terraform_data" "asked_networks" {
  input = [
    "dws-vpc1",
    "dws-vpc2",
    "dws-vpc3",
    "dws-vpc4",
    "dws-vpc5",
    "dws-vpc6",
    "dws-vpc7",
    "dws-vpc8",
  ]
}

# cluster dws, pool asked
resource "google_container_node_pool" "asked" {
  project           = var.project_id
  name              = "asked"
  cluster           = google_container_cluster.this.id
  location          = var.region
  node_locations    = [var.zone]
  max_pods_per_node = 110

  autoscaling {
    total_min_node_count = 0
    total_max_node_count = 4
    location_policy      = "ANY"
  }

  queued_provisioning {
    enabled = true
  }

  management {
    auto_repair  = false
    auto_upgrade = true
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
    flex_start      = true

    reservation_affinity {
      consume_reservation_type = "NO_RESERVATION"
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
    ignore_changes       = [initial_node_count]
    replace_triggered_by = [terraform_data.asked_networks]
  }

  depends_on = [google_container_node_pool.system]
}

# cluster dws, pool flex
resource "terraform_data" "flex_networks" {
  input = [
    "dws-vpc1",
    "dws-vpc2",
    "dws-vpc3",
    "dws-vpc4",
    "dws-vpc5",
    "dws-vpc6",
    "dws-vpc7",
    "dws-vpc8",
  ]
}

# cluster dws, pool flex
resource "google_container_node_pool" "flex" {
  project           = var.project_id
  name              = "flex"
  cluster           = google_container_cluster.this.id
  location          = var.region
  node_locations    = [var.zone]
  max_pods_per_node = 110

  autoscaling {
    total_min_node_count = 0
    total_max_node_count = 4
    location_policy      = "ANY"
  }

  management {
    auto_repair  = false
    auto_upgrade = true
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
    machine_type     = "a3-megagpu-8g"
    image_type       = "COS_CONTAINERD"
    disk_type        = "pd-balanced"
    disk_size_gb     = 200
    service_account  = google_service_account.nodes.email
    oauth_scopes     = ["https://www.googleapis.com/auth/cloud-platform"]
    labels           = {}
    flex_start       = true
    max_run_duration = "86400s"

    reservation_affinity {
      consume_reservation_type = "NO_RESERVATION"
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
    ignore_changes       = [initial_node_count]
    replace_triggered_by = [terraform_data.flex_networks]
  }

  depends_on = [google_container_node_pool.system]
}
