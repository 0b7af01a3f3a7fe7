# dashboard board
resource "google_vertex_ai_tensorboard" "board" {
  project      = var.project_id
  display_name = "gke-tpu-training-cluster"
  region       = "us-central1"

  depends_on = [google_project_service.apis]
}
