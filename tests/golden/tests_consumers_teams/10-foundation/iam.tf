# cluster a3m
resource "google_project_iam_member" "a3m_members" {
  for_each = toset([
    "group:language@example.com",
    "group:speech@example.com",
    "group:vision@example.com",
    "user:ann@example.com",
  ])

  project = var.project_id
  role    = "roles/container.clusterViewer"
  member  = each.value

  condition {
    title      = "cluster-a3m-us-east4"
    expression = "resource.type != \"container.googleapis.com/Cluster\" || resource.name.endsWith(\"/clusters/a3m\")"
  }

  depends_on = [google_project_service.apis]
}
