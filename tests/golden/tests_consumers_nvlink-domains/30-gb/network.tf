# cluster gb, pool domains
locals {
  data_networks = {
    gvnic-1 = {
      vpc      = "gb-gvnic-1"
      subnet   = "gb-gvnic-1"
      cidr     = "192.168.64.0/21"
      mtu      = 8896
      firewall = "gb-gvnic-1-internal"
    }
  }
}

# cluster gb, pool domains
resource "google_compute_network" "data" {
  for_each = local.data_networks

  project                 = var.project_id
  name                    = each.value.vpc
  auto_create_subnetworks = false
  routing_mode            = "REGIONAL"
  mtu                     = each.value.mtu
}

# cluster gb, pool domains
resource "google_compute_subnetwork" "data" {
  for_each = local.data_networks

  project                  = var.project_id
  name                     = each.value.subnet
  network                  = google_compute_network.data[each.key].id
  region                   = var.region
  ip_cidr_range            = each.value.cidr
  private_ip_google_access = true
}

# cluster gb, pool domains
resource "google_compute_firewall" "data" {
  for_each = local.data_networks

  project       = var.project_id
  name          = each.value.firewall
  network       = google_compute_network.data[each.key].name
  source_ranges = [google_compute_subnetwork.data[each.key].ip_cidr_range]

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
}

# cluster gb, pool domains
locals {
  rdma_networks = {
    gb-rdma = {
      mtu     = 8896
      profile = "projects/${var.project_id}/global/networkProfiles/${var.zone}-vpc-roce"
    }
  }

  rdma_subnets = {
    rdma-0 = {
      vpc  = "gb-rdma"
      name = "gb-rdma-0"
      cidr = "192.168.128.0/21"
    }
    rdma-1 = {
      vpc  = "gb-rdma"
      name = "gb-rdma-1"
      cidr = "192.168.136.0/21"
    }
    rdma-2 = {
      vpc  = "gb-rdma"
      name = "gb-rdma-2"
      cidr = "192.168.144.0/21"
    }
    rdma-3 = {
      vpc  = "gb-rdma"
      name = "gb-rdma-3"
      cidr = "192.168.152.0/21"
    }
  }
}

# cluster gb, pool domains
resource "google_compute_network" "rdma" {
  for_each = local.rdma_networks

  project                 = var.project_id
  name                    = each.key
  auto_create_subnetworks = false
  mtu                     = each.value.mtu
  network_profile         = each.value.profile
}

# cluster gb, pool domains
resource "google_compute_subnetwork" "rdma" {
  for_each = local.rdma_subnets

  project       = var.project_id
  name          = each.value.name
  network       = google_compute_network.rdma[each.value.vpc].id
  region        = var.region
  ip_cidr_range = each.value.cidr
}
