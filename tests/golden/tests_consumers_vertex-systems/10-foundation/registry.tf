# image nemo
resource "google_artifact_registry_repository" "training" {
  project       = var.project_id
  repository_id = "training"
  location      = var.region
  format        = "DOCKER"

  depends_on = [google_project_service.apis]
}
