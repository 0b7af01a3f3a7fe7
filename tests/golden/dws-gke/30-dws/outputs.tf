# cluster dws
output "dws_name" {
  description = "Name of the cluster dws."
  value       = google_container_cluster.this.name
}

# cluster dws
output "dws_endpoint" {
  description = "Address of the control plane of dws."
  value       = google_container_cluster.this.endpoint
  sensitive   = true
}

# cluster dws
output "dws_credentials" {
  description = "Command that lets kubectl reach the cluster."
  value       = "gcloud container clusters get-credentials ${google_container_cluster.this.name} --location ${google_container_cluster.this.location} --dns-endpoint --project ${var.project_id}"
}

# cluster dws
output "dws_nodes" {
  description = "Address of the service account of the nodes."
  value       = google_service_account.nodes.email
}
