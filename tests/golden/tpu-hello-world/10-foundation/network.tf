# network fabric
resource "google_compute_network" "fabric" {
  project                 = var.project_id
  name                    = "fabric"
  auto_create_subnetworks = false
  routing_mode            = "REGIONAL"
  mtu                     = 8896
  deletion_policy         = var.deletion_protection ? "PREVENT" : "DELETE"

  depends_on = [google_project_service.apis]

  lifecycle {
    prevent_destroy = true
  }
}

# network fabric
resource "google_compute_subnetwork" "fabric" {
  project                          = var.project_id
  name                             = "fabric-us-west4"
  network                          = google_compute_network.fabric.id
  region                           = var.region
  ip_cidr_range                    = "10.0.0.0/20"
  private_ip_google_access         = true
  send_secondary_ip_range_if_empty = true

  secondary_ip_range {
    range_name    = "pods"
    ip_cidr_range = "10.64.0.0/14"
  }

  secondary_ip_range {
    range_name    = "services"
    ip_cidr_range = "10.68.0.0/20"
  }

  log_config {
    aggregation_interval = "INTERVAL_10_MIN"
    flow_sampling        = 0.1
    metadata             = "INCLUDE_ALL_METADATA"
  }

  deletion_policy = var.deletion_protection ? "PREVENT" : "DELETE"

  lifecycle {
    prevent_destroy = true
  }
}

# network fabric
resource "google_compute_firewall" "fabric_internal" {
  project       = var.project_id
  name          = "fabric-internal"
  network       = google_compute_network.fabric.name
  source_ranges = [google_compute_subnetwork.fabric.ip_cidr_range, "10.64.0.0/14"]

  allow {
    protocol = "tcp"
    ports    = ["0-65535"]
  }

  allow {
    protocol = "udp"
    ports    = ["0-65535"]
  }

  allow {
    protocol = "icmp"
  }

  deletion_policy = var.deletion_protection ? "PREVENT" : "DELETE"

  depends_on = [google_compute_firewall.fabric_iap_ssh, google_compute_router_nat.fabric]
}

# network fabric
resource "google_compute_firewall" "fabric_iap_ssh" {
  project       = var.project_id
  name          = "fabric-iap-ssh"
  network       = google_compute_network.fabric.name
  source_ranges = ["35.235.240.0/20"]

  allow {
    protocol = "tcp"
    ports    = ["22"]
  }

  deletion_policy = "DELETE"
}

# network fabric
resource "google_compute_router" "fabric" {
  project         = var.project_id
  name            = "fabric-router"
  network         = google_compute_network.fabric.id
  region          = var.region
  deletion_policy = "DELETE"
}

# network fabric
resource "google_compute_router_nat" "fabric" {
  project                            = var.project_id
  name                               = "fabric-nat"
  router                             = google_compute_router.fabric.name
  region                             = var.region
  nat_ip_allocate_option             = "AUTO_ONLY"
  nat_ips                            = []
  source_subnetwork_ip_ranges_to_nat = "ALL_SUBNETWORKS_ALL_IP_RANGES"

  enable_dynamic_port_allocation      = true
  enable_endpoint_independent_mapping = false
  min_ports_per_vm                    = 64
  max_ports_per_vm                    = 4096

  log_config {
    enable = true
    filter = "ERRORS_ONLY"
  }

  deletion_policy = "DELETE"
}
