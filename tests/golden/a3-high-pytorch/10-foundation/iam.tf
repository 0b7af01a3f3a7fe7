# identity trainer
resource "google_service_account" "trainer" {
  project         = var.project_id
  account_id      = "trainer"
  display_name    = "trainer"
  deletion_policy = "DELETE"

  depends_on = [google_project_service.apis]
}

# identity trainer
resource "google_project_iam_member" "trainer" {
  for_each = toset(["roles/logging.logWriter", "roles/monitoring.metricWriter"])

  project = var.project_id
  role    = each.value
  member  = google_service_account.trainer.member
}

# identity trainer
resource "google_storage_bucket_iam_member" "data_trainer" {
  bucket = google_storage_bucket.data.id
  role   = "roles/storage.objectViewer"
  member = google_service_account.trainer.member
}

# identity trainer
resource "google_storage_bucket_iam_member" "checkpoints_trainer" {
  bucket = google_storage_bucket.checkpoints.id
  role   = "roles/storage.objectUser"
  member = google_service_account.trainer.member
}

# image pytorch
resource "google_service_account" "image_builds" {
  project      = var.project_id
  account_id   = "a3-high-pytorch-builds"
  display_name = "Builds of images of a3-high-pytorch"

  depends_on = [google_project_service.apis]
}

# image pytorch
resource "google_project_iam_member" "image_builds" {
  for_each = toset(["roles/logging.logWriter"])

  project = var.project_id
  role    = each.value
  member  = google_service_account.image_builds.member
}

# image pytorch
resource "google_project_iam_member" "image_builds_source" {
  project = var.project_id
  role    = "roles/storage.objectViewer"
  member  = google_service_account.image_builds.member

  condition {
    title      = "sources-of-builds"
    expression = "resource.name.startsWith(\"projects/_/buckets/${var.project_id}_cloudbuild/\")"
  }
}

# image pytorch
resource "google_artifact_registry_repository_iam_member" "training_image_builds" {
  project    = var.project_id
  location   = var.region
  repository = google_artifact_registry_repository.training.name
  role       = "roles/artifactregistry.writer"
  member     = google_service_account.image_builds.member
}
