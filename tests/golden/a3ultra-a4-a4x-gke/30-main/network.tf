# cluster main, pool gpus
locals {
  data_networks = {
    gvnic-1 = {
      vpc      = "main-gvnic-1"
      subnet   = "main-gvnic-1"
      cidr     = "192.168.64.0/21"
      mtu      = 8896
      firewall = "main-gvnic-1-internal"
    }
  }
}

# cluster main, pool gpus
resource "google_compute_network" "data" {
  for_each = local.data_networks

  project                 = var.project_id
  name                    = each.value.vpc
  auto_create_subnetworks = false
  routing_mode            = "REGIONAL"
  mtu                     = each.value.mtu
}

# cluster main, pool gpus
resource "google_compute_subnetwork" "data" {
  for_each = local.data_networks

  project                  = var.project_id
  name                     = each.value.subnet
  network                  = google_compute_network.data[each.key].id
  region                   = var.region
  ip_cidr_range            = each.value.cidr
  private_ip_google_access = true
}

# cluster main, pool gpus
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

# cluster main, pool gpus
locals {
  rdma_networks = {
    main-rdma = {
      mtu     = 8896
      profile = "projects/${var.project_id}/global/networkProfiles/${var.zone}-vpc-roce"
    }
  }

  rdma_subnets = {
    rdma-0 = {
      vpc  = "main-rdma"
      name = "main-rdma-0"
      cidr = "192.168.128.0/21"
    }
    rdma-1 = {
      vpc  = "main-rdma"
      name = "main-rdma-1"
      cidr = "192.168.136.0/21"
    }
    rdma-2 = {
      vpc  = "main-rdma"
      name = "main-rdma-2"
      cidr = "192.168.144.0/21"
    }
    rdma-3 = {
      vpc  = "main-rdma"
      name = "main-rdma-3"
      cidr = "192.168.152.0/21"
    }
    rdma-4 = {
      vpc  = "main-rdma"
      name = "main-rdma-4"
      cidr = "192.168.160.0/21"
    }
    rdma-5 = {
      vpc  = "main-rdma"
      name = "main-rdma-5"
      cidr = "192.168.168.0/21"
    }
    rdma-6 = {
      vpc  = "main-rdma"
      name = "main-rdma-6"
      cidr = "192.168.176.0/21"
    }
    rdma-7 = {
      vpc  = "main-rdma"
      name = "main-rdma-7"
      cidr = "192.168.184.0/21"
    }
  }
}

# cluster main, pool gpus
resource "google_compute_network" "rdma" {
  for_each = local.rdma_networks

  project                 = var.project_id
  name                    = each.key
  auto_create_subnetworks = false
  mtu                     = each.value.mtu
  network_profile         = each.value.profile
}

# cluster main, pool gpus
resource "google_compute_subnetwork" "rdma" {
  for_each = local.rdma_subnets

  project       = var.project_id
  name          = each.value.name
  network       = google_compute_network.rdma[each.value.vpc].id
  region        = var.region
  ip_cidr_range = each.value.cidr
}
