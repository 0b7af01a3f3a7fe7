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
  for_each = toset([
    "roles/logging.logWriter",
    "roles/monitoring.metricWriter",
    "roles/storage.objectViewer",
  ])

  project = var.project_id
  role    = each.value
  member  = google_service_account.trainer.member
}

# identity head
resource "google_service_account_iam_member" "trainer_acted_by_head" {
  service_account_id = google_service_account.trainer.name
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
  ])

  project = var.project_id
  role    = each.value
  member  = google_service_account.head.member
}

# slurm_image slurm, identity builder
resource "google_service_account" "slurm_builder" {
  project         = var.project_id
  account_id      = "slurm-builder"
  display_name    = "slurm.builder"
  description     = "What builds the image."
  deletion_policy = "DELETE"

  depends_on = [google_project_service.apis]
}

# slurm_image slurm, identity builder
resource "google_project_iam_member" "slurm_builder" {
  for_each = toset([
    "roles/compute.instanceAdmin.v1",
    "roles/logging.logWriter",
    "roles/monitoring.metricWriter",
    "roles/storage.objectViewer",
  ])

  project = var.project_id
  role    = each.value
  member  = google_service_account.slurm_builder.member
}

# slurm_image slurm, identity builder
resource "google_service_account_iam_member" "slurm_builder_itself" {
  service_account_id = google_service_account.slurm_builder.name
  role               = "roles/iam.serviceAccountUser"
  member             = google_service_account.slurm_builder.member
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
