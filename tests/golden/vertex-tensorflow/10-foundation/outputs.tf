# bucket results
output "results_url" {
  description = "Address of the bucket results."
  value       = google_storage_bucket.results.url
}

# identity trainer
output "trainer_email" {
  description = "Address of the service account trainer."
  value       = google_service_account.trainer.email
}
