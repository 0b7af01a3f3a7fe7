project_id = "my-project-dev"
region     = "us-west4"
