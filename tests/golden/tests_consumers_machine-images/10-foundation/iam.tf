# identity builder
resource "google_service_account" "builder" {
  project         = var.project_id
  account_id      = "builder"
  display_name    = "builder"
  deletion_policy = "DELETE"

  depends_on = [google_project_service.apis]
}

# identity builder
resource "google_project_iam_member" "builder" {
  for_each = toset(["roles/logging.logWriter", "roles/monitoring.metricWriter"])

  project = var.project_id
  role    = each.value
  member  = google_service_account.builder.member
}
