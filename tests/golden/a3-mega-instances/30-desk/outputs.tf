# machines desk
output "desk_name" {
  description = "Name of the group of the machines desk."
  value       = google_compute_instance_group_manager.desk.name
}
