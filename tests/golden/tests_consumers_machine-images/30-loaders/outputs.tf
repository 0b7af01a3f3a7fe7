# machines loaders
output "loaders_template" {
  description = "What the machines loaders are made of."
  value       = google_compute_instance_template.loaders.self_link
}
