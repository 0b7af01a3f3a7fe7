# machines trainers
output "trainers_name" {
  description = "Name of the group of the machines trainers."
  value       = google_compute_instance_group_manager.trainers.name
}
