# cluster a3m, pool first
locals {
  data_networks = {
    vpc1 = {
      vpc      = "a3m-vpc1"
      subnet   = "a3m-vpc1"
      cidr     = "192.168.0.0/21"
      mtu      = 8244
      firewall = "a3m-vpc1-internal"
    }
    vpc2 = {
      vpc      = "a3m-vpc2"
      subnet   = "a3m-vpc2"
      cidr     = "192.168.8.0/21"
      mtu      = 8244
      firewall = "a3m-vpc2-internal"
    }
    vpc3 = {
      vpc      = "a3m-vpc3"
      subnet   = "a3m-vpc3"
      cidr     = "192.168.16.0/21"
      mtu      = 8244
      firewall = "a3m-vpc3-internal"
    }
    vpc4 = {
      vpc      = "a3m-vpc4"
      subnet   = "a3m-vpc4"
      cidr     = "192.168.24.0/21"
      mtu      = 8244
      firewall = "a3m-vpc4-internal"
    }
    vpc5 = {
      vpc      = "a3m-vpc5"
      subnet   = "a3m-vpc5"
      cidr     = "192.168.32.0/21"
      mtu      = 8244
      firewall = "a3m-vpc5-internal"
    }
    vpc6 = {
      vpc      = "a3m-vpc6"
      subnet   = "a3m-vpc6"
      cidr     = "192.168.40.0/21"
      mtu      = 8244
      firewall = "a3m-vpc6-internal"
    }
    vpc7 = {
      vpc      = "a3m-vpc7"
      subnet   = "a3m-vpc7"
      cidr     = "192.168.48.0/21"
      mtu      = 8244
      firewall = "a3m-vpc7-internal"
    }
    vpc8 = {
      vpc      = "a3m-vpc8"
      subnet   = "a3m-vpc8"
      cidr     = "192.168.56.0/21"
      mtu      = 8244
      firewall = "a3m-vpc8-internal"
    }
  }
}

# cluster a3m, pool first
resource "google_compute_network" "data" {
  for_each = local.data_networks

  project                 = var.project_id
  name                    = each.value.vpc
  auto_create_subnetworks = false
  routing_mode            = "REGIONAL"
  mtu                     = each.value.mtu
}

# cluster a3m, pool first
resource "google_compute_subnetwork" "data" {
  for_each = local.data_networks

  project                  = var.project_id
  name                     = each.value.subnet
  network                  = google_compute_network.data[each.key].id
  region                   = var.region
  ip_cidr_range            = each.value.cidr
  private_ip_google_access = true
}

# cluster a3m, pool first
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
