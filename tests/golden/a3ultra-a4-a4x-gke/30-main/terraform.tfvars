project_id = "my-project-ultra"
region     = "us-central1"
zone       = "us-central1-b"

authorized_networks = {
  internal = "10.0.0.0/8"
}
