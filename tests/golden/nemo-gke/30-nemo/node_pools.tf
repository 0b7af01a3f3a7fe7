# cluster nemo
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

# cluster nemo, pool h100
resource "terraform_data" "h100_networks" {
  input = ["nemo-vpc1", "nemo-vpc2", "nemo-vpc3", "nemo-vpc4"]
}

# cluster nemo, pool h100
resource "google_container_node_pool" "h100" {
  project           = var.project_id
  name              = "h100"
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
  }

  node_config {
    machine_type    = "a3-highgpu-8g"
    image_type      = "COS_CONTAINERD"
    disk_type       = "pd-balanced"
    disk_size_gb    = 200
    service_account = google_service_account.nodes.email
    oauth_scopes    = ["https://www.googleapis.com/auth/cloud-platform"]
    labels          = {}

    reservation_affinity {
      consume_reservation_type = "SPECIFIC_RESERVATION"
      key                      = "compute.googleapis.com/reservation-name"
      values                   = ["nemo-h100"]
    }

    guest_accelerator {
      type  = "nvidia-h100-80gb"
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
    replace_triggered_by = [terraform_data.h100_networks]
  }

  depends_on = [google_container_node_pool.system]
}

# cluster nemo, pool parts
resource "terraform_data" "parts_networks" {
  input = []
}

# cluster nemo, pool parts
resource "google_container_node_pool" "parts" {
  project           = var.project_id
  name              = "parts"
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
  }

  node_config {
    machine_type    = "a2-highgpu-1g"
    image_type      = "COS_CONTAINERD"
    disk_type       = "pd-balanced"
    disk_size_gb    = 200
    service_account = google_service_account.nodes.email
    oauth_scopes    = ["https://www.googleapis.com/auth/cloud-platform"]
    labels          = {}

    guest_accelerator {
      type               = "nvidia-tesla-a100"
      count              = 1
      gpu_partition_size = "3g.20gb"

      gpu_driver_installation_config {
        gpu_driver_version = "LATEST"
      }
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
    replace_triggered_by = [terraform_data.parts_networks]
  }

  depends_on = [google_container_node_pool.system]
}

# cluster nemo, pool turns
resource "terraform_data" "turns_networks" {
  input = []
}

# cluster nemo, pool turns
resource "google_container_node_pool" "turns" {
  project           = var.project_id
  name              = "turns"
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
  }

  node_config {
    machine_type    = "g2-standard-12"
    image_type      = "COS_CONTAINERD"
    disk_type       = "pd-balanced"
    disk_size_gb    = 200
    service_account = google_service_account.nodes.email
    oauth_scopes    = ["https://www.googleapis.com/auth/cloud-platform"]
    labels          = {}

    guest_accelerator {
      type  = "nvidia-l4"
      count = 1

      gpu_driver_installation_config {
        gpu_driver_version = "LATEST"
      }

      gpu_sharing_config {
        gpu_sharing_strategy       = "TIME_SHARING"
        max_shared_clients_per_gpu = 4
      }
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
    replace_triggered_by = [terraform_data.turns_networks]
  }

  depends_on = [google_container_node_pool.system]
}

# cluster nemo, pool cpus
resource "google_container_node_pool" "cpus" {
  project           = var.project_id
  name              = "cpus"
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
    max_surge       = 1
    max_unavailable = 0
  }

  network_config {
    enable_private_nodes = true
  }

  node_config {
    machine_type    = "n2-standard-16"
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
}
