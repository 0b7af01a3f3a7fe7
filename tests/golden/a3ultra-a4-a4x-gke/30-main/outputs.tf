# cluster main
output "main_name" {
  description = "Name of the cluster main."
  value       = google_container_cluster.this.name
}

# cluster main
output "main_endpoint" {
  description = "Address of the control plane of main."
  value       = google_container_cluster.this.endpoint
  sensitive   = true
}

# cluster main
output "main_credentials" {
  description = "Command that lets kubectl reach the cluster."
  value       = "gcloud container clusters get-credentials ${google_container_cluster.this.name} --location ${google_container_cluster.this.location} --dns-endpoint --project ${var.project_id}"
}

# cluster main
output "main_nodes" {
  description = "Address of the service account of the nodes."
  value       = google_service_account.nodes.email
}
