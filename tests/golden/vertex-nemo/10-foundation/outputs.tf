# bucket results
output "results_url" {
  description = "Address of the bucket results."
  value       = google_storage_bucket.results.url
}

# registry training
output "training_url" {
  description = "What the names of images in training start with."
  value       = "${var.region}-docker.pkg.dev/${var.project_id}/${google_artifact_registry_repository.training.repository_id}"
}

# identity trainer
output "trainer_email" {
  description = "Address of the service account trainer."
  value       = google_service_account.trainer.email
}
