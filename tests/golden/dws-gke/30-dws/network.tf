# cluster dws, pool reserved
locals {
  data_networks = {
    vpc1 = {
      vpc      = "dws-vpc1"
      subnet   = "dws-vpc1"
      cidr     = "192.168.0.0/21"
      mtu      = 8244
      firewall = "dws-vpc1-internal"
    }
    vpc2 = {
      vpc      = "dws-vpc2"
      subnet   = "dws-vpc2"
      cidr     = "192.168.8.0/21"
      mtu      = 8244
      firewall = "dws-vpc2-internal"
    }
    vpc3 = {
      vpc      = "dws-vpc3"
      subnet   = "dws-vpc3"
      cidr     = "192.168.16.0/21"
      mtu      = 8244
      firewall = "dws-vpc3-internal"
    }
    vpc4 = {
      vpc      = "dws-vpc4"
      subnet   = "dws-vpc4"
      cidr     = "192.168.24.0/21"
      mtu      = 8244
      firewall = "dws-vpc4-internal"
    }
    vpc5 = {
      vpc      = "dws-vpc5"
      subnet   = "dws-vpc5"
      cidr     = "192.168.32.0/21"
      mtu      = 8244
      firewall = "dws-vpc5-internal"
    }
    vpc6 = {
      vpc      = "dws-vpc6"
      subnet   = "dws-vpc6"
      cidr     = "192.168.40.0/21"
      mtu      = 8244
      firewall = "dws-vpc6-internal"
    }
    vpc7 = {
      vpc      = "dws-vpc7"
      subnet   = "dws-vpc7"
      cidr     = "192.168.48.0/21"
      mtu      = 8244
      firewall = "dws-vpc7-internal"
    }
    vpc8 = {
      vpc      = "dws-vpc8"
      subnet   = "dws-vpc8"
      cidr     = "192.168.56.0/21"
      mtu      = 8244
      firewall = "dws-vpc8-internal"
    }
  }
}

# cluster dws, pool reserved
resource "google_compute_network" "data" {
  for_each = local.data_networks

  project                 = var.project_id
  name                    = each.value.vpc
  auto_create_subnetworks = false
  routing_mode            = "REGIONAL"
  mtu                     = each.value.mtu
}

# cluster dws, pool reserved
resource "google_compute_subnetwork" "data" {
  for_each = local.data_networks

  project                  = var.project_id
  name                     = each.value.subnet
  network                  = google_compute_network.data[each.key].id
  region                   = var.region
  ip_cidr_range            = each.value.cidr
  private_ip_google_access = true
}

# cluster dws, pool reserved
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
