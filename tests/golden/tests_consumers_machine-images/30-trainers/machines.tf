# machines trainers
resource "google_compute_resource_policy" "trainers" {
  project = var.project_id
  name    = "trainers-placement"
  region  = var.region

  group_placement_policy {
    collocation = "COLLOCATED"
  }
}

# machines trainers
resource "google_compute_instance_template" "trainers" {
  project      = var.project_id
  name_prefix  = "trainers-"
  machine_type = "a3-megagpu-8g"

  metadata = {
    enable-oslogin = "TRUE"
  }

  resource_policies = [google_compute_resource_policy.trainers.id]

  disk {
    boot         = true
    auto_delete  = true
    source_image = "projects/${var.project_id}/global/images/family/gpus"
    disk_type    = "pd-balanced"
    disk_size_gb = 200
  }

  network_interface {
    network    = data.google_compute_network.fabric.id
    subnetwork = data.google_compute_subnetwork.fabric.id
    nic_type   = "GVNIC"
  }

  network_interface {
    network    = google_compute_network.data["vpc1"].name
    subnetwork = google_compute_subnetwork.data["vpc1"].name
    nic_type   = "GVNIC"
  }

  network_interface {
    network    = google_compute_network.data["vpc2"].name
    subnetwork = google_compute_subnetwork.data["vpc2"].name
    nic_type   = "GVNIC"
  }

  network_interface {
    network    = google_compute_network.data["vpc3"].name
    subnetwork = google_compute_subnetwork.data["vpc3"].name
    nic_type   = "GVNIC"
  }

  network_interface {
    network    = google_compute_network.data["vpc4"].name
    subnetwork = google_compute_subnetwork.data["vpc4"].name
    nic_type   = "GVNIC"
  }

  network_interface {
    network    = google_compute_network.data["vpc5"].name
    subnetwork = google_compute_subnetwork.data["vpc5"].name
    nic_type   = "GVNIC"
  }

  network_interface {
    network    = google_compute_network.data["vpc6"].name
    subnetwork = google_compute_subnetwork.data["vpc6"].name
    nic_type   = "GVNIC"
  }

  network_interface {
    network    = google_compute_network.data["vpc7"].name
    subnetwork = google_compute_subnetwork.data["vpc7"].name
    nic_type   = "GVNIC"
  }

  network_interface {
    network    = google_compute_network.data["vpc8"].name
    subnetwork = google_compute_subnetwork.data["vpc8"].name
    nic_type   = "GVNIC"
  }

  scheduling {
    provisioning_model          = "SPOT"
    on_host_maintenance         = "TERMINATE"
    preemptible                 = true
    automatic_restart           = false
    instance_termination_action = "STOP"
  }

  reservation_affinity {
    type = "NO_RESERVATION"
  }

  lifecycle {
    create_before_destroy = true
  }
}

# machines trainers
resource "google_compute_instance_group_manager" "trainers" {
  project            = var.project_id
  name               = "trainers"
  zone               = var.zone
  base_instance_name = "trainers"
  target_size        = 2

  version {
    instance_template = google_compute_instance_template.trainers.id
  }

  update_policy {
    type                  = "OPPORTUNISTIC"
    minimal_action        = "REPLACE"
    replacement_method    = "RECREATE"
    max_surge_fixed       = 0
    max_unavailable_fixed = 2
  }
}
