# identity trainer
resource "google_service_account" "trainer" {
  project         = var.project_id
  account_id      = "trainer"
  display_name    = "trainer"
  description     = "The account that training acts as."
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
