# network network
output "network_name" {
  description = "Name of the VPC of network."
  value       = google_compute_network.network.name
}

# network network
output "network_subnet" {
  description = "Name of the subnet of network."
  value       = google_compute_subnetwork.network.name
}

# bucket artifacts
output "artifacts_url" {
  description = "Address of the bucket artifacts."
  value       = google_storage_bucket.artifacts.url
}

# registry images
output "images_url" {
  description = "What the names of images in images start with."
  value       = "us-central1-docker.pkg.dev/${var.project_id}/${google_artifact_registry_repository.images.repository_id}"
}

# identity workloads
output "workloads_email" {
  description = "Address of the service account workloads."
  value       = google_service_account.workloads.email
}

# identity nodes
output "nodes_email" {
  description = "Address of the service account nodes."
  value       = google_service_account.nodes.email
}

# dashboard board
output "board_resource" {
  description = "Resource name of the TensorBoard board."
  value       = google_vertex_ai_tensorboard.board.name
}
