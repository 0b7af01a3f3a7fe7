project_id = "my-project"
region     = "us-east4"
zone       = "us-east4-a"

authorized_networks = {
  internal = "10.0.0.0/8"
}
