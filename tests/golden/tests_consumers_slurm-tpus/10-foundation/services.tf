# network system
resource "google_project_service" "resource_manager" {
  project            = var.project_id
  service            = "cloudresourcemanager.googleapis.com"
  disable_on_destroy = false
}

# network system
resource "google_project_service" "apis" {
  for_each = toset([
    "compute.googleapis.com",
    "file.googleapis.com",
    "iam.googleapis.com",
    "storage.googleapis.com",
    "tpu.googleapis.com",
  ])

  project            = var.project_id
  service            = each.value
  disable_on_destroy = false

  depends_on = [google_project_service.resource_manager]
}
