project_id = "my-project"
region     = "us-central1"
zone       = "us-central1-c"

authorized_networks = {
  internal = "10.0.0.0/8"
}
