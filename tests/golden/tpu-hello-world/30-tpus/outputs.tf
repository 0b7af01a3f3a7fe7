# cluster tpus
output "tpus_name" {
  description = "Name of the cluster tpus."
  value       = google_container_cluster.this.name
}

# cluster tpus
output "tpus_endpoint" {
  description = "Address of the control plane of tpus."
  value       = google_container_cluster.this.endpoint
  sensitive   = true
}

# cluster tpus
output "tpus_credentials" {
  description = "Command that lets kubectl reach the cluster."
  value       = "gcloud container clusters get-credentials ${google_container_cluster.this.name} --location ${google_container_cluster.this.location} --dns-endpoint --project ${var.project_id}"
}

# cluster tpus
output "tpus_nodes" {
  description = "Address of the service account of the nodes."
  value       = google_service_account.nodes.email
}
