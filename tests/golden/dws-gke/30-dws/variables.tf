variable "project_id" {
  description = "Google Cloud project that owns every resource of this root."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{4,28}[a-z0-9]$", var.project_id))
    error_message = "project_id must be 6 to 30 characters: lowercase letters, digits and dashes, starting with a letter."
  }
}

variable "region" {
  description = "Region of everything that is regional."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[a-z]+-[a-z]+[0-9]+$", var.region))
    error_message = "region must be a region, such as us-central1."
  }
}

variable "zone" {
  description = "Zone of the accelerators."
  type        = string
  nullable    = false

  validation {
    condition     = startswith(var.zone, "${var.region}-")
    error_message = "zone must be a zone of var.region."
  }
}

variable "authorized_networks" {
  description = "Ranges that may reach the addresses of the control plane, by a name for each; none may if it is empty."
  type        = map(string)
  nullable    = false

  validation {
    condition     = alltrue([for cidr in values(var.authorized_networks) : can(cidrhost(cidr, 0))])
    error_message = "authorized_networks must hold ranges of addresses, such as 10.0.0.0/8."
  }
}
