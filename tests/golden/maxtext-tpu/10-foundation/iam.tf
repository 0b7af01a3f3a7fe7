# identity workloads
resource "google_service_account" "workloads" {
  project         = var.project_id
  account_id      = "cloud-tpu-sa"
  display_name    = "workloads"
  deletion_policy = "DELETE"

  depends_on = [google_project_service.apis]
}

# identity workloads
resource "google_project_iam_member" "workloads" {
  for_each = toset([
    "roles/aiplatform.user",
    "roles/logging.logWriter",
    "roles/monitoring.metricWriter",
  ])

  project = var.project_id
  role    = each.value
  member  = google_service_account.workloads.member
}

# identity nodes
resource "google_service_account" "nodes" {
  project         = var.project_id
  account_id      = "gke-tpu-nodes"
  display_name    = "nodes"
  deletion_policy = var.deletion_protection ? "PREVENT" : "DELETE"

  depends_on = [google_project_service.apis]

  lifecycle {
    prevent_destroy = true
  }
}

# identity nodes
resource "google_project_iam_member" "nodes" {
  for_each = toset([
    "roles/artifactregistry.reader",
    "roles/container.defaultNodeServiceAccount",
    "roles/logging.logWriter",
    "roles/monitoring.metricWriter",
  ])

  project = var.project_id
  role    = each.value
  member  = google_service_account.nodes.member
}

# identity workloads
resource "google_storage_bucket_iam_member" "artifacts_workloads" {
  bucket = google_storage_bucket.artifacts.id
  role   = "roles/storage.objectUser"
  member = google_service_account.workloads.member
}

# maxtext_image runner
resource "google_service_account" "image_builds" {
  project      = var.project_id
  account_id   = "maxtext-tpu-builds"
  display_name = "Builds of images of maxtext-tpu"

  depends_on = [google_project_service.apis]
}

# maxtext_image runner
resource "google_project_iam_member" "image_builds" {
  for_each = toset(["roles/logging.logWriter"])

  project = var.project_id
  role    = each.value
  member  = google_service_account.image_builds.member
}

# maxtext_image runner
resource "google_project_iam_member" "image_builds_source" {
  project = var.project_id
  role    = "roles/storage.objectViewer"
  member  = google_service_account.image_builds.member

  condition {
    title      = "sources-of-builds"
    expression = "resource.name.startsWith(\"projects/_/buckets/${var.project_id}_cloudbuild/\")"
  }
}

# tensorboard_image uploader
resource "google_artifact_registry_repository_iam_member" "images_image_builds" {
  project    = var.project_id
  location   = "us-central1"
  repository = google_artifact_registry_repository.images.name
  role       = "roles/artifactregistry.writer"
  member     = google_service_account.image_builds.member
}
