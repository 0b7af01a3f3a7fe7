# network system
output "system_name" {
  description = "Name of the VPC of system."
  value       = google_compute_network.system.name
}

# network system
output "system_subnet" {
  description = "Name of the subnet of system."
  value       = google_compute_subnetwork.system.name
}

# filesystem home
output "home_address" {
  description = "Address of the server of home."
  value       = google_filestore_instance.home.networks[0].ip_addresses[0]
}

# identity nodes
output "nodes_email" {
  description = "Address of the service account nodes."
  value       = google_service_account.nodes.email
}

# identity head
output "head_email" {
  description = "Address of the service account head."
  value       = google_service_account.head.email
}
