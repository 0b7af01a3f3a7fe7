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

# registry images
output "images_url" {
  description = "What the names of images in images start with."
  value       = "${var.region}-docker.pkg.dev/${var.project_id}/${google_artifact_registry_repository.images.repository_id}"
}

# identity runner
output "runner_email" {
  description = "Address of the service account runner."
  value       = google_service_account.runner.email
}
