# network fabric
data "google_compute_network" "fabric" {
  name = "fabric"
}

# network fabric
data "google_compute_subnetwork" "fabric" {
  name   = "fabric-us-east4"
  region = var.region
}

# identity trainer
data "google_service_account" "trainer" {
  account_id = "trainer"
}
