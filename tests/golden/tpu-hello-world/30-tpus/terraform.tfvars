project_id = "my-project-dev"
region     = "us-west4"
zone       = "us-west4-a"

authorized_networks = {
  internal = "10.0.0.0/8"
}
