# network fabric
data "google_compute_network" "fabric" {
  name = "fabric"
}

# network fabric
data "google_compute_subnetwork" "fabric" {
  name   = "fabric-us-central1"
  region = var.region
}
