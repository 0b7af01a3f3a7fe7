# network system
output "system_name" {
  description = "Name of the VPC of system."
  value       = google_compute_network.system.name
}

# network system
output "system_subnet" {
  description = "Name of the subnet of system."
  value       = google_compute_subnetwork.system.name
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

# filesystem home
output "home_address" {
  description = "Address of the server of home."
  value       = google_filestore_instance.home.networks[0].ip_addresses[0]
}

# identity trainer
output "trainer_email" {
  description = "Address of the service account trainer."
  value       = google_service_account.trainer.email
}

# identity head
output "head_email" {
  description = "Address of the service account head."
  value       = google_service_account.head.email
}

# slurm_image slurm, identity builder
output "slurm_builder_email" {
  description = "Address of the service account slurm.builder."
  value       = google_service_account.slurm_builder.email
}
