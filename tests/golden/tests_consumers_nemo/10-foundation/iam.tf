# cluster nemo
resource "google_project_iam_member" "members" {
  for_each = toset(["group:speech@example.com", "group:text@example.com"])

  project = var.project_id
  role    = "roles/container.clusterViewer"
  member  = each.value

  depends_on = [google_project_service.apis]
}
