# machines desk
resource "google_compute_instance_template" "desk" {
  project      = var.project_id
  name_prefix  = "desk-"
  description  = "Where people work, and from where they start runs over SSH."
  machine_type = "n2-standard-16"

  metadata = {
    enable-oslogin = "TRUE"
  }

  disk {
    boot         = true
    auto_delete  = true
    source_image = "projects/ubuntu-os-cloud/global/images/family/ubuntu-2204-lts"
    disk_type    = "pd-balanced"
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

# machines desk
resource "google_compute_instance_group_manager" "desk" {
  project            = var.project_id
  name               = "desk"
  description        = "Where people work, and from where they start runs over SSH."
  zone               = var.zone
  base_instance_name = "desk"
  target_size        = 1

  version {
    instance_template = google_compute_instance_template.desk.id
  }

  update_policy {
    type                  = "OPPORTUNISTIC"
    minimal_action        = "REPLACE"
    replacement_method    = "RECREATE"
    max_surge_fixed       = 0
    max_unavailable_fixed = 1
  }
}
