# cluster tril
output "tril_name" {
  description = "Name of the cluster tril."
  value       = google_container_cluster.this.name
}

# cluster tril
output "tril_endpoint" {
  description = "Address of the control plane of tril."
  value       = google_container_cluster.this.endpoint
  sensitive   = true
}

# cluster tril
output "tril_credentials" {
  description = "Command that lets kubectl reach the cluster."
  value       = "gcloud container clusters get-credentials ${google_container_cluster.this.name} --location ${google_container_cluster.this.location} --dns-endpoint --project ${var.project_id}"
}

# cluster tril
output "tril_nodes" {
  description = "Address of the service account of the nodes."
  value       = google_service_account.nodes.email
}
