# cluster rl
output "rl_name" {
  description = "Name of the cluster rl."
  value       = google_container_cluster.this.name
}

# cluster rl
output "rl_endpoint" {
  description = "Address of the control plane of rl."
  value       = google_container_cluster.this.endpoint
  sensitive   = true
}

# cluster rl
output "rl_credentials" {
  description = "Command that lets kubectl reach the cluster."
  value       = "gcloud container clusters get-credentials ${google_container_cluster.this.name} --location ${google_container_cluster.this.location} --dns-endpoint --project ${var.project_id}"
}

# cluster rl
output "rl_nodes" {
  description = "Address of the service account of the nodes."
  value       = google_service_account.nodes.email
}
