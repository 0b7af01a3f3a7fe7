# network fabric
output "fabric_name" {
  description = "Name of the VPC of fabric."
  value       = google_compute_network.fabric.name
}

# network fabric
output "fabric_subnet" {
  description = "Name of the subnet of fabric."
  value       = google_compute_subnetwork.fabric.name
}
