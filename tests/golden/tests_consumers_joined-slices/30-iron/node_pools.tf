# cluster iron
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

# cluster iron, pool cubes
locals {
  cubes_slices = {
    cubes-0 = "cubes-0"
    cubes-1 = "cubes-1"
    cubes-2 = "cubes-2"
    cubes-3 = "cubes-3"
  }
}

# cluster iron, pool cubes
resource "terraform_data" "cubes_shape" {
  input = {
    machine  = "tpu7x-standard-4t"
    topology = "4x4x4"
    zone     = var.zone
  }
}

# cluster iron, pool cubes
resource "terraform_data" "cubes_networks" {
  input = []
}

# cluster iron, pool cubes
resource "google_container_node_pool" "cubes" {
  for_each = local.cubes_slices

  project           = var.project_id
  name              = each.value
  cluster           = google_container_cluster.this.id
  location          = var.region
  node_locations    = [var.zone]
  node_count        = 16
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
    policy_name = "cubes"
  }

  network_config {
    enable_private_nodes = true
  }

  node_config {
    machine_type    = "tpu7x-standard-4t"
    image_type      = "COS_CONTAINERD"
    disk_type       = "hyperdisk-balanced"
    disk_size_gb    = 200
    service_account = google_service_account.nodes.email
    oauth_scopes    = ["https://www.googleapis.com/auth/cloud-platform"]

    labels = {
      slipform-pool = "cubes"
    }

    reservation_affinity {
      consume_reservation_type = "SPECIFIC_RESERVATION"
      key                      = "compute.googleapis.com/reservation-name"
      values                   = ["ironwood/reservationBlocks/block-0"]
    }

    gvnic {
      enabled = true
    }

    taint {
      key    = "google.com/tpu"
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
    replace_triggered_by = [terraform_data.cubes_shape, terraform_data.cubes_networks]
  }

  depends_on = [google_container_node_pool.system]
}
