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
