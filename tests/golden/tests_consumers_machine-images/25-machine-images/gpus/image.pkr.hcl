# Image of machines gpus

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

# machine_image gpus
source "googlecompute" "image" {
  project_id              = var.project_id
  zone                    = "us-east4-b"
  source_image_project_id = [var.project_id]
  source_image_family     = "base"

  image_family = "gpus"
  image_name   = "gpus-${formatdate("YYYYMMDDhhmmss", timestamp())}"

  image_labels = {
    blueprint   = "machine-images"
    environment = "default"
    managed-by  = "slipform"
    team        = "research"
  }

  machine_type     = "n2-standard-16"
  state_timeout    = "90m"
  disk_size        = 100
  disk_type        = "pd-balanced"
  network          = "fabric"
  subnetwork       = "fabric-us-east4"
  omit_external_ip = true
  use_internal_ip  = true
  use_iap          = true
  use_os_login     = true
  ssh_username     = "packer"

  metadata = {
    enable-oslogin = "TRUE"
  }

  disable_default_service_account = true

  labels = {
    blueprint   = "machine-images"
    environment = "default"
    managed-by  = "slipform"
    team        = "research"
  }
}

build {
  sources = ["source.googlecompute.image"]

  provisioner "shell" {
    scripts         = ["${path.root}/driver.sh", "${path.root}/_holds.sh"]
    execute_command = "chmod +x {{ .Path }} && sudo --set-home {{ .Path }}"
  }
}
