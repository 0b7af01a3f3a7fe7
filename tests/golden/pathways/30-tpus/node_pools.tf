# cluster tpus
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

# cluster tpus, pool heads
resource "google_container_node_pool" "heads" {
  project           = var.project_id
  name              = "heads"
  cluster           = google_container_cluster.this.id
  location          = var.region
  node_locations    = [var.zone]
  node_count        = 1
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
    machine_type    = "n2-standard-64"
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

# cluster tpus, pool workers
locals {
  workers_slices = {
    workers-0 = "workers-0"
  }
}

# cluster tpus, pool workers
resource "terraform_data" "workers_shape" {
  input = {
    machine  = "ct5lp-hightpu-4t"
    topology = "4x4"
    zone     = var.zone
  }
}

# cluster tpus, pool workers
resource "terraform_data" "workers_networks" {
  input = []
}

# cluster tpus, pool workers
resource "google_container_node_pool" "workers" {
  for_each = local.workers_slices

  project           = var.project_id
  name              = each.value
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

  placement_policy {
    type         = "COMPACT"
    tpu_topology = "4x4"
  }

  network_config {
    enable_private_nodes = true
  }

  node_config {
    machine_type    = "ct5lp-hightpu-4t"
    image_type      = "COS_CONTAINERD"
    disk_type       = "pd-balanced"
    disk_size_gb    = 200
    service_account = google_service_account.nodes.email
    oauth_scopes    = ["https://www.googleapis.com/auth/cloud-platform"]

    labels = {
      slipform-pool = "workers"
    }

    spot = true

    reservation_affinity {
      consume_reservation_type = "NO_RESERVATION"
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
    replace_triggered_by = [terraform_data.workers_shape, terraform_data.workers_networks]
  }

  depends_on = [google_container_node_pool.system]
}
