# cluster a3m
resource "google_project_iam_member" "members" {
  for_each = toset([
    "group:language@example.com",
    "group:speech@example.com",
    "group:vision@example.com",
    "user:ann@example.com",
  ])

  project = var.project_id
  role    = "roles/container.clusterViewer"
  member  = each.value

  depends_on = [google_project_service.apis]
}
