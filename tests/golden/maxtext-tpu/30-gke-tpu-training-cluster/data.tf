# network network
data "google_compute_network" "network" {
  name = "network"
}

# network network
data "google_compute_subnetwork" "network" {
  name   = "network-us-central2"
  region = var.region
}

# identity nodes
data "google_service_account" "nodes" {
  account_id = "gke-tpu-nodes"
}
