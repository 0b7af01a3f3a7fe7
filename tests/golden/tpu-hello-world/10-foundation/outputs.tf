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

# bucket results
output "results_url" {
  description = "Address of the bucket results."
  value       = google_storage_bucket.results.url
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

# dashboard board
output "board_resource" {
  description = "Resource name of the TensorBoard board."
  value       = google_vertex_ai_tensorboard.board.name
}

output "chips" {
  description = "Output chips of the blueprint."
  value       = 16
}
