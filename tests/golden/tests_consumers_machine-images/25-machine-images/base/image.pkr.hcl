# Image of machines base

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

# machine_image base
source "googlecompute" "image" {
  project_id              = var.project_id
  zone                    = "us-east4-b"
  source_image_project_id = ["ubuntu-os-cloud"]
  source_image_family     = "ubuntu-2404-lts-amd64"

  image_family = "base"
  image_name   = "base-${formatdate("YYYYMMDDhhmmss", timestamp())}"

  image_labels = {
    blueprint   = "machine-images"
    environment = "default"
    managed-by  = "slipform"
  }

  machine_type     = "n2-standard-16"
  state_timeout    = "90m"
  disk_size        = 50
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

  service_account_email = "builder@my-project.iam.gserviceaccount.com"
  scopes                = ["https://www.googleapis.com/auth/cloud-platform"]

  labels = {
    blueprint   = "machine-images"
    environment = "default"
    managed-by  = "slipform"
  }
}

build {
  sources = ["source.googlecompute.image"]

  provisioner "shell" {
    scripts         = ["${path.root}/_packages.sh"]
    execute_command = "chmod +x {{ .Path }} && sudo --set-home {{ .Path }}"
  }
}
