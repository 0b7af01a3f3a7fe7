# cluster tpus
resource "google_service_account" "nodes" {
  project      = var.project_id
  account_id   = "tpus-nodes"
  display_name = "Nodes of the GKE cluster tpus"
}

# cluster tpus
resource "google_project_iam_member" "nodes" {
  for_each = toset(["roles/artifactregistry.reader", "roles/container.defaultNodeServiceAccount"])

  project = var.project_id
  role    = each.value
  member  = google_service_account.nodes.member
}
