# dashboard board
resource "google_vertex_ai_tensorboard" "board" {
  project      = var.project_id
  display_name = "board"
  region       = "us-central1"

  depends_on = [google_project_service.apis]
}
