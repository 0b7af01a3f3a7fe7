# cluster gb
resource "google_container_cluster" "this" {
  project  = var.project_id
  name     = "gb"
  location = var.region

  network    = data.google_compute_network.fabric.id
  subnetwork = data.google_compute_subnetwork.fabric.id

  deletion_protection      = true
  remove_default_node_pool = true
  initial_node_count       = 1

  datapath_provider       = "ADVANCED_DATAPATH"
  enable_multi_networking = true
  enable_shielded_nodes   = true

  resource_labels = {
    cluster = "gb"
  }

  release_channel {
    channel = "REGULAR"
  }

  ip_allocation_policy {
    cluster_secondary_range_name  = "pods"
    services_secondary_range_name = "services"
  }

  private_cluster_config {
    enable_private_nodes    = true
    enable_private_endpoint = true
  }

  control_plane_endpoints_config {
    dns_endpoint_config {
      allow_external_traffic = true
    }
  }

  master_authorized_networks_config {
    dynamic "cidr_blocks" {
      for_each = var.authorized_networks

      content {
        display_name = cidr_blocks.key
        cidr_block   = cidr_blocks.value
      }
    }
  }

  master_auth {
    client_certificate_config {
      issue_client_certificate = false
    }
  }

  workload_identity_config {
    workload_pool = "${var.project_id}.svc.id.goog"
  }

  database_encryption {
    state = "DECRYPTED"
  }

  addons_config {
    gce_persistent_disk_csi_driver_config {
      enabled = true
    }
  }

  logging_config {
    enable_components = ["SYSTEM_COMPONENTS", "WORKLOADS"]
  }

  monitoring_config {
    enable_components = [
      "SYSTEM_COMPONENTS",
      "POD",
      "DAEMONSET",
      "DEPLOYMENT",
      "STATEFULSET",
      "STORAGE",
      "HPA",
      "CADVISOR",
      "KUBELET",
      "JOBSET",
      "DCGM",
    ]

    managed_prometheus {
      enabled = true
    }
  }

  cost_management_config {
    enabled = true
  }

  node_config {
    disk_type       = "pd-standard"
    disk_size_gb    = 30
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
    prevent_destroy = true
    ignore_changes  = [description, initial_node_count, node_config]
  }

  depends_on = [google_project_iam_member.nodes]
}
