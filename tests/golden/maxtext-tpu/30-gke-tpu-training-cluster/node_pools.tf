# cluster tpus, pool cpu
resource "google_container_node_pool" "cpu" {
  project           = var.project_id
  name              = "cpu"
  cluster           = google_container_cluster.this.id
  location          = var.region
  node_locations    = [var.zone]
  node_count        = 3
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
    machine_type    = "n2-standard-8"
    image_type      = "COS_CONTAINERD"
    disk_type       = "pd-balanced"
    disk_size_gb    = 200
    service_account = data.google_service_account.nodes.email
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

# cluster tpus, pool tpu["2x2x2"]
locals {
  tpu_2x2x2_slices = {
    tpu-2x2x2-0 = "tpu-2x2x2-0"
  }
}

# cluster tpus, pool tpu["2x2x2"]
resource "terraform_data" "tpu_2x2x2_shape" {
  input = {
    machine  = "ct4p-hightpu-4t"
    topology = "2x2x2"
    zone     = var.zone
  }
}

# cluster tpus, pool tpu["2x2x2"]
resource "terraform_data" "tpu_2x2x2_networks" {
  input = []
}

# cluster tpus, pool tpu["2x2x2"]
resource "google_container_node_pool" "tpu_2x2x2" {
  for_each = local.tpu_2x2x2_slices

  project           = var.project_id
  name              = each.value
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

  placement_policy {
    type         = "COMPACT"
    tpu_topology = "2x2x2"
  }

  network_config {
    enable_private_nodes = true
  }

  node_config {
    machine_type    = "ct4p-hightpu-4t"
    image_type      = "COS_CONTAINERD"
    disk_type       = "pd-balanced"
    disk_size_gb    = 200
    service_account = data.google_service_account.nodes.email
    oauth_scopes    = ["https://www.googleapis.com/auth/cloud-platform"]

    labels = {
      slipform-pool = "tpu-2x2x2"
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
    replace_triggered_by = [terraform_data.tpu_2x2x2_shape, terraform_data.tpu_2x2x2_networks]
  }

  depends_on = [google_container_node_pool.cpu]
}
