# identity runner
resource "google_service_account" "runner" {
  project         = var.project_id
  account_id      = "runner"
  display_name    = "runner"
  description     = "Runs act as this account."
  deletion_policy = "DELETE"

  depends_on = [google_project_service.apis]
}

# identity runner
resource "google_project_iam_member" "runner" {
  for_each = toset(["roles/logging.logWriter", "roles/monitoring.metricWriter"])

  project = var.project_id
  role    = each.value
  member  = google_service_account.runner.member
}

# image jax
resource "google_service_account" "image_builds" {
  project      = var.project_id
  account_id   = "tpu-hello-world-builds"
  display_name = "Builds of images of tpu-hello-world"

  depends_on = [google_project_service.apis]
}

# image jax
resource "google_project_iam_member" "image_builds" {
  for_each = toset(["roles/logging.logWriter"])

  project = var.project_id
  role    = each.value
  member  = google_service_account.image_builds.member
}

# image jax
resource "google_project_iam_member" "image_builds_source" {
  project = var.project_id
  role    = "roles/storage.objectViewer"
  member  = google_service_account.image_builds.member

  condition {
    title      = "sources-of-builds"
    expression = "resource.name.startsWith(\"projects/_/buckets/${var.project_id}_cloudbuild/\")"
  }
}

# image jax
resource "google_artifact_registry_repository_iam_member" "images_image_builds" {
  project    = var.project_id
  location   = var.region
  repository = google_artifact_registry_repository.images.name
  role       = "roles/artifactregistry.writer"
  member     = google_service_account.image_builds.member
}
