project_id = "my-project-dev"
region     = "us-central2"
zone       = "us-central2-b"

authorized_networks = {
  internal = "10.0.0.0/8"
}
