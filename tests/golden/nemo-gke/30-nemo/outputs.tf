# cluster nemo
output "nemo_name" {
  description = "Name of the cluster nemo."
  value       = google_container_cluster.this.name
}

# cluster nemo
output "nemo_endpoint" {
  description = "Address of the control plane of nemo."
  value       = google_container_cluster.this.endpoint
  sensitive   = true
}

# cluster nemo
output "nemo_credentials" {
  description = "Command that lets kubectl reach the cluster."
  value       = "gcloud container clusters get-credentials ${google_container_cluster.this.name} --location ${google_container_cluster.this.location} --dns-endpoint --project ${var.project_id}"
}

# cluster nemo
output "nemo_nodes" {
  description = "Address of the service account of the nodes."
  value       = google_service_account.nodes.email
}
