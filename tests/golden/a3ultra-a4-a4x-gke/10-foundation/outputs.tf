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

# bucket data
output "data_url" {
  description = "Address of the bucket data."
  value       = google_storage_bucket.data.url
}

# bucket checkpoints
output "checkpoints_url" {
  description = "Address of the bucket checkpoints."
  value       = google_storage_bucket.checkpoints.url
}

# identity trainer
output "trainer_email" {
  description = "Address of the service account trainer."
  value       = google_service_account.trainer.email
}
