# network fabric
data "google_compute_network" "fabric" {
  name = "fabric"
}

# network fabric
data "google_compute_subnetwork" "fabric" {
  name   = "fabric-us-west4"
  region = var.region
}
