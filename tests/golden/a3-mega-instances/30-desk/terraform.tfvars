project_id = "my-project-dev"
region     = "us-east4"
zone       = "us-east4-b"
