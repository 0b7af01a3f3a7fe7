# bucket data
resource "google_storage_bucket" "data" {
  project                     = var.project_id
  name                        = "my-project-data"
  location                    = var.region
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"
  force_destroy               = false

  versioning {
    enabled = false
  }

  soft_delete_policy {
    retention_duration_seconds = 604800
  }

  depends_on = [google_project_service.apis]
}

# filesystem home
resource "terraform_data" "home_name" {
  input = "home"
}

# filesystem home
resource "google_filestore_instance" "home" {
  project         = var.project_id
  name            = "home"
  location        = "us-east4-a"
  tier            = "BASIC_SSD"
  deletion_policy = var.deletion_protection ? "PREVENT" : "DELETE"

  file_shares {
    name        = "home"
    capacity_gb = 2560
  }

  networks {
    network      = google_compute_network.fabric.name
    modes        = ["MODE_IPV4"]
    connect_mode = "DIRECT_PEERING"
  }

  depends_on = [google_project_service.apis]

  lifecycle {
    prevent_destroy      = true
    replace_triggered_by = [terraform_data.home_name]
  }
}
