# Image of machines hosts

packer {
  required_version = ">= 1.9.0"

  required_plugins {
    googlecompute = {
      source  = "github.com/hashicorp/googlecompute"
      version = ">= 1.1.4, < 2.0.0"
    }
  }
}

variable "project_id" {
  description = "Google Cloud project that the image is built in, and belongs to."
  type        = string
  default     = "my-project"
}

# machine_image hosts
source "googlecompute" "image" {
  project_id              = var.project_id
  zone                    = "us-east4-b"
  source_image_project_id = ["ubuntu-os-cloud"]
  source_image_family     = "ubuntu-2404-lts-arm64"

  image_family = "hosts"
  image_name   = "hosts-${formatdate("YYYYMMDDhhmmss", timestamp())}"

  image_labels = {
    blueprint   = "machine-images"
    environment = "default"
    managed-by  = "slipform"
  }

  machine_type     = "c4a-standard-16"
  state_timeout    = "90m"
  disk_size        = 50
  disk_type        = "hyperdisk-balanced"
  network          = "fabric"
  subnetwork       = "fabric-us-east4"
  omit_external_ip = true
  use_internal_ip  = true
  use_iap          = true
  use_os_login     = false
  ssh_username     = "packer"

  metadata = {
    enable-oslogin = "FALSE"
  }

  disable_default_service_account = true

  labels = {
    blueprint   = "machine-images"
    environment = "default"
    managed-by  = "slipform"
  }
}

build {
  sources = ["source.googlecompute.image"]
}
