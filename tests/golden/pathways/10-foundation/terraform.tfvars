project_id          = "my-project-dev"
region              = "us-west4"
deletion_protection = true
