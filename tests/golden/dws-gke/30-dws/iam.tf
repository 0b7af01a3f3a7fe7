# cluster dws
resource "google_service_account" "nodes" {
  project      = var.project_id
  account_id   = "dws-nodes"
  display_name = "Nodes of the GKE cluster dws"
}

# cluster dws
resource "google_project_iam_member" "nodes" {
  for_each = toset(["roles/artifactregistry.reader", "roles/container.defaultNodeServiceAccount"])

  project = var.project_id
  role    = each.value
  member  = google_service_account.nodes.member
}
