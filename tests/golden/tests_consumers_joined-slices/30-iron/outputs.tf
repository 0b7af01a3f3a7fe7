# cluster iron
output "iron_name" {
  description = "Name of the cluster iron."
  value       = google_container_cluster.this.name
}

# cluster iron
output "iron_endpoint" {
  description = "Address of the control plane of iron."
  value       = google_container_cluster.this.endpoint
  sensitive   = true
}

# cluster iron
output "iron_credentials" {
  description = "Command that lets kubectl reach the cluster."
  value       = "gcloud container clusters get-credentials ${google_container_cluster.this.name} --location ${google_container_cluster.this.location} --dns-endpoint --project ${var.project_id}"
}

# cluster iron
output "iron_nodes" {
  description = "Address of the service account of the nodes."
  value       = google_service_account.nodes.email
}
