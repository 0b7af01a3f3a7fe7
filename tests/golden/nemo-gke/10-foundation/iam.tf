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

# cluster nemo
resource "google_project_iam_member" "nemo_members" {
  for_each = toset(["group:speech@example.com", "group:text@example.com"])

  project = var.project_id
  role    = "roles/container.clusterViewer"
  member  = each.value

  condition {
    title      = "cluster-nemo-us-central1"
    expression = "resource.type != \"container.googleapis.com/Cluster\" || resource.name.endsWith(\"/clusters/nemo\")"
  }

  depends_on = [google_project_service.apis]
}
