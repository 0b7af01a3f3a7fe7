# cluster a3m
output "a3m_name" {
  description = "Name of the cluster a3m."
  value       = google_container_cluster.this.name
}

# cluster a3m
output "a3m_endpoint" {
  description = "Address of the control plane of a3m."
  value       = google_container_cluster.this.endpoint
  sensitive   = true
}

# cluster a3m
output "a3m_credentials" {
  description = "Command that lets kubectl reach the cluster."
  value       = "gcloud container clusters get-credentials ${google_container_cluster.this.name} --location ${google_container_cluster.this.location} --dns-endpoint --project ${var.project_id}"
}

# cluster a3m
output "a3m_nodes" {
  description = "Address of the service account of the nodes."
  value       = google_service_account.nodes.email
}
