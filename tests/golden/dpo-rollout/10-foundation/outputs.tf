# network fabric
output "fabric_name" {
  description = "Name of the VPC of fabric."
  value       = google_compute_network.fabric.name
}

# network fabric
output "fabric_subnet" {
  description = "Name of the subnet of fabric."
  value       = google_compute_subnetwork.fabric.name
}

# bucket inputs
output "inputs_url" {
  description = "Address of the bucket inputs."
  value       = google_storage_bucket.inputs.url
}

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
