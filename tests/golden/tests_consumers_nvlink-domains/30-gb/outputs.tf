# cluster gb
output "gb_name" {
  description = "Name of the cluster gb."
  value       = google_container_cluster.this.name
}

# cluster gb
output "gb_endpoint" {
  description = "Address of the control plane of gb."
  value       = google_container_cluster.this.endpoint
  sensitive   = true
}

# cluster gb
output "gb_credentials" {
  description = "Command that lets kubectl reach the cluster."
  value       = "gcloud container clusters get-credentials ${google_container_cluster.this.name} --location ${google_container_cluster.this.location} --dns-endpoint --project ${var.project_id}"
}

# cluster gb
output "gb_nodes" {
  description = "Address of the service account of the nodes."
  value       = google_service_account.nodes.email
}
