project_id = "my-project"
region     = "us-east5"
zone       = "us-east5-b"

authorized_networks = {
  internal = "10.0.0.0/8"
}
