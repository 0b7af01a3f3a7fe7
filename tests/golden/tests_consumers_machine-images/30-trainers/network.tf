# machines trainers
locals {
  data_networks = {
    vpc1 = {
      vpc      = "trainers-vpc1"
      subnet   = "trainers-vpc1"
      cidr     = "192.168.0.0/21"
      mtu      = 8244
      firewall = "trainers-vpc1-internal"
    }
    vpc2 = {
      vpc      = "trainers-vpc2"
      subnet   = "trainers-vpc2"
      cidr     = "192.168.8.0/21"
      mtu      = 8244
      firewall = "trainers-vpc2-internal"
    }
    vpc3 = {
      vpc      = "trainers-vpc3"
      subnet   = "trainers-vpc3"
      cidr     = "192.168.16.0/21"
      mtu      = 8244
      firewall = "trainers-vpc3-internal"
    }
    vpc4 = {
      vpc      = "trainers-vpc4"
      subnet   = "trainers-vpc4"
      cidr     = "192.168.24.0/21"
      mtu      = 8244
      firewall = "trainers-vpc4-internal"
    }
    vpc5 = {
      vpc      = "trainers-vpc5"
      subnet   = "trainers-vpc5"
      cidr     = "192.168.32.0/21"
      mtu      = 8244
      firewall = "trainers-vpc5-internal"
    }
    vpc6 = {
      vpc      = "trainers-vpc6"
      subnet   = "trainers-vpc6"
      cidr     = "192.168.40.0/21"
      mtu      = 8244
      firewall = "trainers-vpc6-internal"
    }
    vpc7 = {
      vpc      = "trainers-vpc7"
      subnet   = "trainers-vpc7"
      cidr     = "192.168.48.0/21"
      mtu      = 8244
      firewall = "trainers-vpc7-internal"
    }
    vpc8 = {
      vpc      = "trainers-vpc8"
      subnet   = "trainers-vpc8"
      cidr     = "192.168.56.0/21"
      mtu      = 8244
      firewall = "trainers-vpc8-internal"
    }
  }
}

# machines trainers
resource "google_compute_network" "data" {
  for_each = local.data_networks

  project                 = var.project_id
  name                    = each.value.vpc
  auto_create_subnetworks = false
  routing_mode            = "REGIONAL"
  mtu                     = each.value.mtu
}

# machines trainers
resource "google_compute_subnetwork" "data" {
  for_each = local.data_networks

  project                  = var.project_id
  name                     = each.value.subnet
  network                  = google_compute_network.data[each.key].id
  region                   = var.region
  ip_cidr_range            = each.value.cidr
  private_ip_google_access = true
}

# machines trainers
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
