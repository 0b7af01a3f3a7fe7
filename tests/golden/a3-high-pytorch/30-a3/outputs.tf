# cluster a3
output "a3_name" {
  description = "Name of the cluster a3."
  value       = google_container_cluster.this.name
}

# cluster a3
output "a3_endpoint" {
  description = "Address of the control plane of a3."
  value       = google_container_cluster.this.endpoint
  sensitive   = true
}

# cluster a3
output "a3_credentials" {
  description = "Command that lets kubectl reach the cluster."
  value       = "gcloud container clusters get-credentials ${google_container_cluster.this.name} --location ${google_container_cluster.this.location} --dns-endpoint --project ${var.project_id}"
}

# cluster a3
output "a3_nodes" {
  description = "Address of the service account of the nodes."
  value       = google_service_account.nodes.email
}
