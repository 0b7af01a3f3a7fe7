# cluster a3, pool gpus
locals {
  data_networks = {
    vpc1 = {
      vpc      = "a3-vpc1"
      subnet   = "a3-vpc1"
      cidr     = "192.168.0.0/21"
      mtu      = 8244
      firewall = "a3-vpc1-internal"
    }
    vpc2 = {
      vpc      = "a3-vpc2"
      subnet   = "a3-vpc2"
      cidr     = "192.168.8.0/21"
      mtu      = 8244
      firewall = "a3-vpc2-internal"
    }
    vpc3 = {
      vpc      = "a3-vpc3"
      subnet   = "a3-vpc3"
      cidr     = "192.168.16.0/21"
      mtu      = 8244
      firewall = "a3-vpc3-internal"
    }
    vpc4 = {
      vpc      = "a3-vpc4"
      subnet   = "a3-vpc4"
      cidr     = "192.168.24.0/21"
      mtu      = 8244
      firewall = "a3-vpc4-internal"
    }
  }
}

# cluster a3, pool gpus
resource "google_compute_network" "data" {
  for_each = local.data_networks

  project                 = var.project_id
  name                    = each.value.vpc
  auto_create_subnetworks = false
  routing_mode            = "REGIONAL"
  mtu                     = each.value.mtu
}

# cluster a3, pool gpus
resource "google_compute_subnetwork" "data" {
  for_each = local.data_networks

  project                  = var.project_id
  name                     = each.value.subnet
  network                  = google_compute_network.data[each.key].id
  region                   = var.region
  ip_cidr_range            = each.value.cidr
  private_ip_google_access = true
}

# cluster a3, pool gpus
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
