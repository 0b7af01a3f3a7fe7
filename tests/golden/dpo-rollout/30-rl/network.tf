# cluster rl, pool gpus
locals {
  data_networks = {
    vpc1 = {
      vpc      = "rl-vpc1"
      subnet   = "rl-vpc1"
      cidr     = "192.168.0.0/21"
      mtu      = 8244
      firewall = "rl-vpc1-internal"
    }
    vpc2 = {
      vpc      = "rl-vpc2"
      subnet   = "rl-vpc2"
      cidr     = "192.168.8.0/21"
      mtu      = 8244
      firewall = "rl-vpc2-internal"
    }
    vpc3 = {
      vpc      = "rl-vpc3"
      subnet   = "rl-vpc3"
      cidr     = "192.168.16.0/21"
      mtu      = 8244
      firewall = "rl-vpc3-internal"
    }
    vpc4 = {
      vpc      = "rl-vpc4"
      subnet   = "rl-vpc4"
      cidr     = "192.168.24.0/21"
      mtu      = 8244
      firewall = "rl-vpc4-internal"
    }
    vpc5 = {
      vpc      = "rl-vpc5"
      subnet   = "rl-vpc5"
      cidr     = "192.168.32.0/21"
      mtu      = 8244
      firewall = "rl-vpc5-internal"
    }
    vpc6 = {
      vpc      = "rl-vpc6"
      subnet   = "rl-vpc6"
      cidr     = "192.168.40.0/21"
      mtu      = 8244
      firewall = "rl-vpc6-internal"
    }
    vpc7 = {
      vpc      = "rl-vpc7"
      subnet   = "rl-vpc7"
      cidr     = "192.168.48.0/21"
      mtu      = 8244
      firewall = "rl-vpc7-internal"
    }
    vpc8 = {
      vpc      = "rl-vpc8"
      subnet   = "rl-vpc8"
      cidr     = "192.168.56.0/21"
      mtu      = 8244
      firewall = "rl-vpc8-internal"
    }
  }
}

# cluster rl, pool gpus
resource "google_compute_network" "data" {
  for_each = local.data_networks

  project                 = var.project_id
  name                    = each.value.vpc
  auto_create_subnetworks = false
  routing_mode            = "REGIONAL"
  mtu                     = each.value.mtu
}

# cluster rl, pool gpus
resource "google_compute_subnetwork" "data" {
  for_each = local.data_networks

  project                  = var.project_id
  name                     = each.value.subnet
  network                  = google_compute_network.data[each.key].id
  region                   = var.region
  ip_cidr_range            = each.value.cidr
  private_ip_google_access = true
}

# cluster rl, pool gpus
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
