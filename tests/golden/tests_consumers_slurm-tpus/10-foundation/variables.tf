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

variable "deletion_protection" {
  description = "Refuses to destroy filesystems, and what clusters stand on, even once they have left these files. While they are in them, plans refuse it whatever this says: set deletion_protection = false in the blueprint, build and apply before a destroy."
  type        = bool
  nullable    = false
}
