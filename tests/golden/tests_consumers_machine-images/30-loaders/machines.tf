# machines loaders
resource "google_compute_instance_template" "loaders" {
  project      = var.project_id
  name_prefix  = "loaders-"
  machine_type = "c4a-standard-16"

  metadata = {
    enable-oslogin = "TRUE"
  }

  disk {
    boot         = true
    auto_delete  = true
    source_image = "projects/${var.project_id}/global/images/family/hosts"
    disk_type    = "hyperdisk-balanced"
    disk_size_gb = 200
  }

  network_interface {
    network    = data.google_compute_network.fabric.id
    subnetwork = data.google_compute_subnetwork.fabric.id
  }

  scheduling {
    provisioning_model  = "STANDARD"
    on_host_maintenance = "MIGRATE"
    automatic_restart   = true
  }

  lifecycle {
    create_before_destroy = true
  }
}
