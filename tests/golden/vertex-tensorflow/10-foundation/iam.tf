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
resource "google_storage_bucket_iam_member" "results_trainer" {
  bucket = google_storage_bucket.results.id
  role   = "roles/storage.objectUser"
  member = google_service_account.trainer.member
}
