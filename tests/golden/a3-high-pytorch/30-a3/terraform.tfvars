project_id = "my-project-dev"
region     = "us-central1"
zone       = "us-central1-a"

authorized_networks = {
  internal = "10.0.0.0/8"
}
