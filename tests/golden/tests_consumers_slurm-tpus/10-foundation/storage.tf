# filesystem home
resource "terraform_data" "home_name" {
  input = "home"
}

# filesystem home
resource "google_filestore_instance" "home" {
  project         = var.project_id
  name            = "home"
  location        = "us-central2-b"
  tier            = "BASIC_SSD"
  deletion_policy = var.deletion_protection ? "PREVENT" : "DELETE"

  file_shares {
    name        = "home"
    capacity_gb = 2560
  }

  networks {
    network      = google_compute_network.system.name
    modes        = ["MODE_IPV4"]
    connect_mode = "DIRECT_PEERING"
  }

  depends_on = [google_project_service.apis]

  lifecycle {
    prevent_destroy      = true
    replace_triggered_by = [terraform_data.home_name]
  }
}
