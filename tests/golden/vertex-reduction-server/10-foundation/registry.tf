# registry training
resource "google_artifact_registry_repository" "training" {
  project       = var.project_id
  repository_id = "training"
  location      = var.region
  format        = "DOCKER"

  cleanup_policies {
    id     = "delete-old-untagged-versions"
    action = "DELETE"

    condition {
      tag_state  = "UNTAGGED"
      older_than = "2592000s"
    }
  }

  cleanup_policies {
    id     = "keep-recent-versions"
    action = "KEEP"

    most_recent_versions {
      keep_count = 20
    }
  }

  depends_on = [google_project_service.apis]
}
