# identity nodes
resource "google_service_account" "nodes" {
  project         = var.project_id
  account_id      = "nodes-identity"
  display_name    = "nodes"
  deletion_policy = "DELETE"

  depends_on = [google_project_service.apis]
}

# identity nodes
resource "google_project_iam_member" "nodes" {
  for_each = toset([
    "roles/logging.logWriter",
    "roles/monitoring.metricWriter",
    "roles/storage.objectViewer",
  ])

  project = var.project_id
  role    = each.value
  member  = google_service_account.nodes.member
}

# identity head
resource "google_service_account_iam_member" "nodes_acted_by_head" {
  service_account_id = google_service_account.nodes.name
  role               = "roles/iam.serviceAccountUser"
  member             = google_service_account.head.member
}

# identity head
resource "google_service_account" "head" {
  project         = var.project_id
  account_id      = "head-identity"
  display_name    = "head"
  deletion_policy = "DELETE"

  depends_on = [google_project_service.apis]
}

# identity head
resource "google_project_iam_member" "head" {
  for_each = toset([
    "roles/compute.instanceAdmin.v1",
    "roles/logging.logWriter",
    "roles/monitoring.metricWriter",
    "roles/pubsub.admin",
    "roles/storage.objectViewer",
    "roles/tpu.admin",
  ])

  project = var.project_id
  role    = each.value
  member  = google_service_account.head.member
}
